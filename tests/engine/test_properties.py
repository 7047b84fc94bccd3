"""What holds in every game: hypothesis plays random ones, with illegal events, cheats, regrets and voids."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from hypothesis import event as note
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import PLAYERS, Card, Deck
from engine.events import Event, Kind
from engine.game import Game, fold, judge, new_game
from engine.round import Phase
from engine.rules import Mode, Rules
from engine.transcript import Entry, format_transcript, parse_transcript
from engine.verdict import Problem, Result, Verdict
from firmware.commands.replay import json_line
from tests.support.engine_games import SEEDS, Manners, RandomTable, play, rules
from tests.support.engine_model import Model

MANNERS = st.builds(
    Manners,
    wrong=st.sampled_from((0.0, 0.1, 0.4)),
    cheat=st.sampled_from((0.0, 0.4, 1.0)),
    proud=st.sampled_from((0.0, 0.3, 0.9)),
    regret=st.sampled_from((0.0, 0.06, 0.2)),
    void=st.sampled_from((0.0, 0.01)),
)
ALL_MODES = tuple(Mode)
TAKES_BACK = {Problem.NOT_A_SET_OR_SEQUENCE, Problem.MUST_DEFEND_OR_SACRIFICE_LOWEST}


def replayed(entry_event: Event, verdict: Verdict, game: Game) -> dict[str, Any]:
    line: dict[str, Any] = json.loads(json_line(Entry(1, str(entry_event), entry_event), verdict, game))
    del line["line"], line["event"]
    return line


def agree(game_rules: Rules, seed: int, manners: Manners, brute: bool, most: int = 300) -> Model:
    """Hold the engine against the second judge, event by event."""
    model, game = Model(game_rules, brute), new_game(game_rules)
    written = []
    for _, event in RandomTable(game_rules, seed, manners).events(most):
        written.append(event)
        game, verdict = judge(game, event)
        assert replayed(event, verdict, game) == model.judge(event), format_transcript(game_rules, written)
    return model


@settings(max_examples=100)
@given(rules(ALL_MODES), SEEDS, MANNERS)
def test_the_engine_judges_as_a_second_judge_does(game_rules: Rules, seed: int, manners: Manners) -> None:
    agree(game_rules, seed, manners, brute=False)


@settings(max_examples=150)
@given(rules((Mode.REFEREE,), small=True), SEEDS, MANNERS)
def test_the_referee_convicts_exactly_when_no_hidden_hands_can_be_dealt(
    game_rules: Rules, seed: int, manners: Manners
) -> None:
    """The second judge deals every pair of hidden hands and asks which make all claims true."""
    model = agree(game_rules, seed, manners, brute=True, most=150)
    note("hidden hands were dealt" if model.deals else "no claims were made")


@given(rules(ALL_MODES), SEEDS, MANNERS)
def test_folding_any_prefix_of_the_events_gives_the_same_state(game_rules: Rules, seed: int, manners: Manners) -> None:
    events = play(game_rules, seed, 120, manners)
    game = new_game(game_rules)
    for n, event in enumerate(events):
        if n % 17 == 0:
            assert same(fold(game_rules, events[:n]), game)
        game, _ = judge(game, event)
    assert same(fold(game_rules, events), game)
    read_rules, entries = parse_transcript(format_transcript(game_rules, events))
    assert same(fold(read_rules, [entry.event for entry in entries]), game)


def same(one: Game, other: Game) -> bool:
    """Equal in all that will ever matter: the state, what can be undone, and where a rejected play goes back to."""
    while one == other:
        if not same_or_none(one.restart, other.restart):
            return False
        if one.past is None or other.past is None:
            return one.past is other.past
        if one.past.player is not other.past.player:
            return False
        one, other = one.past.game, other.past.game
    return False


def same_or_none(one: Game | None, other: Game | None) -> bool:
    return one == other


@given(rules(ALL_MODES), SEEDS, MANNERS)
def test_an_undo_is_the_inverse_of_the_event(game_rules: Rules, seed: int, manners: Manners) -> None:
    undone = 0
    for before, event in RandomTable(game_rules, seed, manners).events(250):
        after, verdict = judge(before, event)
        if not verdict.accepted or event.kind is Kind.UNDO:
            continue
        for player in PLAYERS:
            back, answer = judge(after, Event(Kind.UNDO, player))
            assert answer.accepted is after.can_undo(player)
            if answer.accepted:
                assert same(back, before)
                assert answer.undone and not answer.fouls and answer.round_result is None
                undone += 1
            else:
                assert answer.problem is Problem.NOTHING_TO_UNDO and back is after
        locked = bool(verdict.fouls or verdict.duel) or event.kind is Kind.VOID or drew(before, event)
        by_owner = event.player is not None and after.can_undo(event.player)
        assert by_owner is not locked
        if event.player is not None and game_rules.mode is not Mode.BOARD:
            assert not after.can_undo(event.player.other)
    assert undone


def drew(game: Game, event: Event) -> bool:
    return event.kind is Kind.CARD and event.player is not None and game.round.swap[event.player.seat] == "drawing"


@given(rules(ALL_MODES), SEEDS, MANNERS)
def test_a_rejected_event_changes_nothing_unless_it_closes_or_ends_a_play(
    game_rules: Rules, seed: int, manners: Manners
) -> None:
    for before, event in RandomTable(game_rules, seed, manners).events(250):
        after, verdict = judge(before, event)
        if verdict.accepted or after is before:
            continue
        assert before.phase in (Phase.ATTACK, Phase.DEFEND)
        assert not verdict.fouls and verdict.round_result is None
        if verdict.problem is Problem.NOT_A_SET_OR_SEQUENCE:
            assert after.phase is Phase.ATTACK and not after.round.attack
            assert set(verdict.taken_back) == set(before.round.attack) == set(verdict.attack)
        elif verdict.problem is Problem.MUST_DEFEND_OR_SACRIFICE_LOWEST and len(before.round.attack) > 1:
            assert after.phase is Phase.DEFEND and not after.round.answer
            assert after.round.attack == before.round.attack
            assert verdict.taken_back == before.round.answer
        else:
            # only the attack has been closed
            assert (before.phase, after.phase) == (Phase.ATTACK, Phase.DEFEND)
            assert after.round.used == before.round.used and after.round.attack == before.round.attack
            assert event.kind is Kind.CARD and event.player is not before.round.attacker


@given(rules((Mode.PLAY, Mode.REFEREE)), SEEDS, MANNERS)
def test_the_cards_stay_together_and_hands_shrink_alike(game_rules: Rules, seed: int, manners: Manners) -> None:
    deck = game_rules.deck
    for game, _ in RandomTable(game_rules, seed, manners).events(250):
        state = game.round
        assert Counter(card.rank for card in deck.cards if card not in state.used) == Counter(
            {rank: n for rank, n in enumerate(state.unseen) if n}
        )
        if not state.hidden:
            assert tuple(map(len, state.hands)) == state.counts
            assert_apart(deck, [*state.hands, state.used])
        on_table = {*state.attack, *state.answer, *(card for card in state.shown if card)}
        assert on_table <= state.used
        assert len(on_table) == len(state.attack) + len(state.answer) + sum(c is not None for c in state.shown)
        if state.phase in (Phase.DUEL, Phase.ATTACK, Phase.DEFEND, Phase.SHOWDOWN):
            held = [state.count(p) + laid_down(game, p.seat) for p in PLAYERS]
            assert held[0] == held[1]
            assert held[0] == 1 if state.phase is Phase.SHOWDOWN else held[0] >= 2


def laid_down(game: Game, seat: int) -> int:
    state = game.round
    if state.phase in (Phase.DUEL, Phase.SHOWDOWN):
        return int(state.shown[seat] is not None)
    assert state.attacker is not None
    return len(state.attack if state.attacker.seat == seat else state.answer)


def assert_apart(deck: Deck, places: list[frozenset[Card]]) -> None:
    together = [card for place in places for card in place]
    assert len(together) == len(set(together)), "a card is in two places"
    assert set(together) <= set(deck.cards)


@given(rules(ALL_MODES), SEEDS, MANNERS)
def test_at_most_seven_rounds_are_decided(game_rules: Rules, seed: int, manners: Manners) -> None:
    game = new_game(game_rules)
    for _, event in RandomTable(game_rules, seed, manners).events(600):
        before, (game, verdict) = game, judge(game, event)
        if verdict.round_result is None:
            if not verdict.undone:
                assert (game.track, game.number) == (before.track, before.number)
            continue
        if verdict.round_result in (Result.TIE, Result.VOID):
            assert game.track == before.track
        else:
            assert set(game.track.covered) == {*before.track.covered, before.track.tacocat}
        assert len(game.track.covered) <= 7
        assert game.number == before.number + (not game.over)
        assert game.over is (game.winner is not None)


@settings(max_examples=25)
@given(rules((Mode.PLAY, Mode.REFEREE)), SEEDS)
def test_honest_players_are_never_rejected_or_convicted(game_rules: Rules, seed: int) -> None:
    for game, event in RandomTable(game_rules, seed, Manners(0, 0, 0, 0, 0)).events(600):
        if not game.over:
            _, verdict = judge(game, event)
            mended = verdict.problem is Problem.NOT_A_SET_OR_SEQUENCE  # the answer came before the third card
            assert verdict.accepted or mended
            assert not verdict.fouls


@given(rules((Mode.PLAY, Mode.REFEREE)), SEEDS, MANNERS)
def test_no_text_form_shows_a_hidden_hand(game_rules: Rules, seed: int, manners: Manners) -> None:
    """Two games that differ only in what is hidden have the same repr and str."""
    for game, _ in RandomTable(game_rules, seed, manners).events(120):
        text = repr(game) + str(game) + repr(game.past) + repr(game.restart)
        face_up = {*game.round.attack, *game.round.answer}
        for other in (game.past.game if game.past else game, game.restart or game):
            face_up |= {*other.round.attack, *other.round.answer}
        hidden = set(game_rules.deck.cards) - face_up
        assert not [card for card in hidden if f"'{card}'" in text], text
        assert "hands=" not in text and "unseen=" not in text and "used=" not in text


@settings(max_examples=30)
@given(rules((Mode.REFEREE,)), SEEDS, MANNERS)
def test_a_referee_never_convicts_players_who_obey(game_rules: Rules, seed: int, manners: Manners) -> None:
    """Whatever else they do wrong: hands exist that make the claims true, their own."""
    tidy = Manners(wrong=0, cheat=0, proud=0, regret=manners.regret, void=manners.void)
    for game, event in RandomTable(game_rules, seed, tidy).events(400):
        assert not judge(game, event)[1].fouls

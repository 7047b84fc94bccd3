"""Players are pure functions of what they may know: legal in every situation, and blind to what is hidden."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board import Board, parse_arrows, parse_hand_sizes
from engine.cards import PLAYERS, WOW, YAY, Card, parse_deck
from engine.events import card_event, ok_event
from engine.game import Game, judge
from engine.legal import Play, is_legal
from engine.players import sampling, strong
from engine.players.levels import LEVELS, Level, level_named
from engine.players.match import Score, Seated, deck_of, play_game, play_match, play_pair
from engine.players.names import LEVEL_NAMES, TABLE_LEVELS, UnknownLevel
from engine.players.situation import NothingToDecide, Situation, situation_of
from engine.players.strong import last_but_one
from engine.round import Phase
from engine.rules import Mode, Rules, Tie
from engine.views import View, lowest_possible, parse_view, view_of
from tests.support.decided_games import can_decide, dealt_anew, decided_game
from tests.support.engine_games import SEEDS, Manners, RandomTable, dealt, rules, told
from tests.support.exact import less, outcomes, value

NAMES = tuple(LEVELS)
SMALL = 2_000  # nodes: a test is no match
CALM = Manners(wrong=0.05, cheat=0.1, regret=0.05, void=0.0)


def seated(name: str, nodes: int = SMALL) -> Seated:
    level = level_named(name)
    return Seated(name, level, min(level.nodes, nodes))


def decisions(game_rules: Rules, seed: int, most: int = 150) -> Iterator[tuple[Game, View]]:
    for game, _ in RandomTable(game_rules, seed, CALM).events(most):
        for player in PLAYERS:
            view = view_of(game, player)
            if can_decide(game, view):
                yield game, view


def begun(view: View) -> bool:
    assert view.seat is not None
    return bool(view.attack and view.phase is Phase.ATTACK) or bool(view.answer) or bool(view.discards[view.seat.seat])


def accepted(game: Game, play: Play) -> bool:
    """Whether the judge takes every event of a play, also of one that completes what was begun."""
    events = [card_event(play.player, card) for card in sorted(play.cards)]
    for event in [*events, ok_event(play.player)] if play.confirm else events:
        game, verdict = judge(game, event)
        if not verdict.accepted:
            return False
    return True


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=4)
@given(game_rules=rules((Mode.PLAY,)), seed=SEEDS)
def test_every_play_of_every_player_is_legal(name: str, game_rules: Rules, seed: int) -> None:
    level = level_named(name)
    for game, view in decisions(game_rules, seed, 60):
        try:
            play = level(view, seed, SMALL)
        except NothingToDecide:
            assert begun(view)  # an attack that no card completes
            continue
        assert accepted(game, play)
        assert begun(view) or is_legal(game, play)


@settings(max_examples=10)
@given(rules((Mode.PLAY,)), SEEDS, st.sampled_from(NAMES))
def test_where_there_is_nothing_to_choose_a_player_says_so(game_rules: Rules, seed: int, name: str) -> None:
    for game, _ in RandomTable(game_rules, seed, CALM).events(80):
        for seat in (*PLAYERS, None):
            view = view_of(game, seat)
            if not can_decide(game, view):
                with pytest.raises(NothingToDecide):
                    level_named(name)(view, seed, SMALL)


def test_in_referee_mode_no_hand_is_known_and_nothing_is_decided() -> None:
    game = told("mode referee;yay ok;wow ok").game
    with pytest.raises(NothingToDecide):
        level_named("strong")(view_of(game, YAY), 1)


# ---- the hidden cards are dealt anew --------------------------------------------------------


@pytest.mark.parametrize("name", ["strong", "good", "plain-sampling", "careful"])
def test_a_decision_is_the_same_byte_for_byte_whatever_the_hidden_cards_are(name: str) -> None:
    compared, game_rules = 0, Rules()
    for seed in range(2):
        chance = random.Random(seed)
        whole = decided_game(game_rules, (seated(name), seated("careful")), seed)
        for place, view, play in whole.decisions:
            other = dealt_anew(game_rules, whole.events[:place], view, chance) if view.seat is YAY else None
            if other is None:
                continue
            again = view_of(other, view.seat)
            assert again == view
            assert repr(seated(name).decide(parse_view(str(again), game_rules), seed, SMALL)) == repr(play)
            compared += 1
    print(f"{name}: {compared} decisions with other hidden cards")
    assert compared > 20


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_game_and_another_seed_another_chance(name: str) -> None:
    def plays(seed: int) -> list[str]:
        found: list[str] = []
        play_game(Rules(), (seated(name), seated("random")), seed, lambda view, play: found.append(f"{view} {play}"))
        return found

    assert plays(3) == plays(3)
    assert plays(3) != plays(4)


# ---- single decisions -----------------------------------------------------------------------


def decided(name: str, *texts: str, seat: str = "yay") -> list[str]:
    game = told(*texts).game
    play = level_named(name)(view_of(game, YAY if seat == "yay" else WOW), 1, 50_000)
    return sorted(map(str, play.cards)) + (["ok"] if play.confirm else [])


ENDING = dealt("1a 3a 4a 5a 6a 7a 8a", "2a 3b 4b 5b 6b 7b 9a")


@pytest.mark.parametrize("name", ["strong", "good", "plain-sampling"])
def test_with_two_cards_the_higher_attacks_and_the_lower_stays(name: str) -> None:
    two = Board(parse_hand_sizes("3 3 3 3 3 3 3"), parse_arrows("both both both both both both both"))
    head = f"board {' '.join(map(str, two.hand_sizes))}\narrows both both both both both both both"
    assert decided(name, head, dealt("1a 8a 12a", "2a 3b 4b"), "yay 12a;wow 2a") == ["8a", "ok"]


def test_the_beginner_duels_with_the_highest_card_and_holds_with_the_cheapest() -> None:
    assert decided("beginner", ENDING) == ["8a"]
    assert decided("beginner", ENDING, "yay 8a;wow 2a;yay 5a;yay ok", seat="wow") == ["5b"]


def test_a_begun_attack_is_completed_with_as_few_cards_as_can_be() -> None:
    assert decided("strong", ENDING, "yay 8a;wow 2a;yay 5a") == ["ok"]
    assert decided("strong", ENDING, "yay 8a;wow 2a;yay 5a;yay 7a") == ["6a", "ok"]


def test_an_attack_that_cannot_be_completed_has_to_be_taken_back() -> None:
    with pytest.raises(NothingToDecide, match="cannot be completed"):
        decided("strong", ENDING, "yay 8a;wow 2a;yay 1a;yay 7a")


def test_begun_discards_are_ended() -> None:
    swap = dealt("1a 3a 4a 5a 6a 7a 8a", "2a 3b 4b 5b 6b 7b 9a", swap=True)
    assert decided("strong", swap, "yay 5a") == ["ok"]


def test_a_begun_answer_is_completed_legally() -> None:
    answer = decided("strong", ENDING, "yay 8a;wow 2a;yay 5a;yay 6a;yay 7a;yay ok;wow 9a", seat="wow")
    assert len(answer) == 2


def test_other_decks_boards_and_house_rules_are_played_too() -> None:
    deck = parse_deck("2x4 3x4 5x4 8x4 9x2 12x2")
    board = Board(parse_hand_sizes("3 4 5 6 5 4 3"), parse_arrows("yay yay both both both wow wow"))
    for tie in Tie:
        game_rules = Rules(deck=deck, board=board, tie=tie)
        assert play_match(seated("strong"), seated("random"), range(4), game_rules).mean > 0.8


def test_where_both_replace_at_once_nobody_takes_more_than_half_of_a_short_pile() -> None:
    short = Rules(deck=parse_deck("3x4 5x4 7x4 9x4"), board=Board((6,) * 7, parse_arrows("both " * 7)))
    for seed in range(20):
        play_game(short, (seated("random"), seated("random")), seed)
    greedy = told(
        "deck 4x4 5x4 6x4 7x4", "board 6 6 6 6 6 6 6", dealt("4a 4b 5a 5b 6a 6b", "4c 4d 5c 5d 6c 6d", swap=True)
    ).game
    views = [view_of(greedy, player) for player in PLAYERS]
    assert [view.may_still_replace(player) for view, player in zip(views, PLAYERS, strict=True)] == [4, 4]
    assert [len(level_named("beginner")(view, 1).cards) for view in views] == [2, 2]


LARGE = (
    "deck 3x13 9x13",
    f"board{' 13' * 7}",
    dealt(*(" ".join(f"{rank}{letter}" for letter in "abcdefghijklm") for rank in (3, 9))),
    "yay 3a;wow 9a",
)


@pytest.mark.parametrize("name", NAMES)
def test_hands_too_large_to_be_solved_are_played_without(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def solve(*_: object) -> None:
        raise AssertionError("this would take for ever")

    monkeypatch.setattr(strong, "Solver", solve)
    game = told(*LARGE).game
    assert accepted(game, level_named(name)(view_of(game, WOW), 1))
    game = told(*LARGE, "wow 9b;wow ok").game
    assert accepted(game, level_named(name)(view_of(game, YAY), 1))


def test_an_unknown_level_lists_the_known_ones() -> None:
    with pytest.raises(UnknownLevel, match="gentle, good, strong, random"):
        level_named("mighty")


def test_plain_sampling_thinks_of_ten_hands(monkeypatch: pytest.MonkeyPatch) -> None:
    counts: list[int] = []

    def plain_hands(now: Situation, count: int, chance: random.Random) -> list[tuple[int, ...]]:
        counts.append(count)
        return sampling.plain_hands(now, count, chance)

    monkeypatch.setattr(strong, "plain_hands", plain_hands)
    view = next(view for _, view in decisions(Rules(), 3) if view.phase is Phase.ATTACK and not begun(view))
    level_named("plain-sampling")(view, 1)
    assert counts == [10]


def test_a_table_offers_three_levels_that_do_ever_more_work() -> None:
    work = [level_named(name).nodes for name in TABLE_LEVELS]
    assert work == sorted(set(work))


def test_what_a_sacrifice_claims_bounds_the_hands_that_are_thought_of() -> None:
    view = view_of(told(ENDING, "yay 8a;wow 2a;yay 7a;yay ok;wow 3b").game, YAY)
    assert lowest_possible(view, WOW) == 3 and situation_of(view).least == 3


# ---- matches --------------------------------------------------------------------------------


def test_every_seed_is_played_twice_with_the_sides_exchanged() -> None:
    assert all(play_pair(seated("careful"), seated("careful"), seed, Rules()) == 0.5 for seed in range(10))


def test_the_deck_of_a_round_depends_on_seed_and_round_alone() -> None:
    decks = {tuple(deck_of(Rules(), seed, number)) for seed in range(3) for number in range(1, 4)}
    assert len(decks) == 9
    assert deck_of(Rules(), 1, 2) == deck_of(Rules(), 1, 2)
    assert sorted(deck_of(Rules(), 1, 2)) == list(Rules().deck.cards)


def test_an_interval_is_over_pairs() -> None:
    score = Score((1.0, 0.5, 1.0, 0.5))
    assert score.mean == 0.75
    assert score.half_width == pytest.approx(1.96 * (1 / 12) ** 0.5 / 2)
    assert (Score((0.5,)).half_width, Score((0.5, 0.5)).half_width) == (1.0, 0.0)
    assert str(score) == "75.0% ± 28.3% over 4 pairs"


def test_a_player_who_plays_illegally_is_found_out() -> None:
    def cheat(view: View, seed: int, nodes: int) -> Play:
        assert view.seat is not None
        return Play(view.seat, frozenset({Card(12, "a"), Card(1, "a")}))

    with pytest.raises(ValueError, match="not-"):
        play_match(Seated("cheat", cheat, 0), seated("random"), range(2))


@pytest.mark.parametrize(("better", "worse"), [("careful", "beginner"), ("beginner", "random"), ("gentle", "random")])
def test_the_order_of_the_players_is_what_their_names_say(better: str, worse: str) -> None:
    assert play_match(seated(better), seated(worse), range(10)).mean > 0.6


def test_a_level_without_slips_is_its_player() -> None:
    plain = level_named("careful")
    slipping = Level("slipping", plain.decide, slips=1.0)
    view = view_of(told(ENDING).game, YAY)
    assert slipping(view, 1) == level_named("beginner")(view, 1)
    assert plain(view, 1) == plain.decide(view, 1, 0)


@pytest.mark.parametrize("seed", range(60))
def test_with_two_cards_left_no_play_is_better_whatever_the_other_holds(seed: int) -> None:
    cards = random.Random(seed).sample([card.rank for card in Rules().deck.cards], 5)
    mine, other = tuple(sorted(cards[:2])), tuple(sorted(cards[2:4]))
    kept = less(mine, (last_but_one(Situation(mine, 2, Rules().deck.counts, 0)),))
    assert value(mine, other) == min(
        1 - value(d, kept) if holds else value(kept, d) for d, holds in outcomes((mine[1],), other)
    )
    attack, left = (cards[4],), other[:1]
    best = max(1 - value(left, rest) if not holds else value(rest, left) for rest, holds in outcomes(attack, mine))
    chosen = last_but_one(Situation(mine, 1, Rules().deck.counts, 0, attack))
    assert value(less(mine, (chosen,)), left) == best


def test_every_name_is_a_players_and_every_player_has_one() -> None:
    assert tuple(LEVELS) == LEVEL_NAMES

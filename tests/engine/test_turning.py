"""What a decision is worth, and which decisions of a game cost the most."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from engine.board import Board, Track, parse_arrows
from engine.cards import PLAYERS, WOW, YAY, Player, parse_deck
from engine.events import Event, ok_event, parse_event, undo_event
from engine.game import fold
from engine.players.advice import Decided
from engine.players.levels import level_named
from engine.players.match import Seated
from engine.players.simple import careful_discards
from engine.players.situation import forced_play, situation_of
from engine.players.turning import chance_of_game, decisions_of, round_worth, turning_points
from engine.players.worths import Worths, worths_of
from engine.round import Phase
from engine.rules import Mode, Rules
from engine.views import view_of
from tests.support.decided_games import DecidedGame, decided_game
from tests.support.engine_games import dealt, told
from tests.support.exact import value

NODES = 20_000
SMALL_BOARD = Board((4, 4, 4, 4, 4, 4, 4), parse_arrows("wow wow wow both yay yay yay"))
SHORT = Rules(board=SMALL_BOARD)


def seated(name: str) -> Seated:
    return Seated(name, level_named(name), NODES)


def game_of(one: str, other: str, seed: int, rules: Rules = SHORT) -> DecidedGame:
    return decided_game(rules, (seated(one), seated(other)), seed)


# ---- worths --------------------------------------------------------------------------------


def test_the_best_choice_is_the_one_that_the_strong_player_makes() -> None:
    compared: dict[Phase, int] = {}
    for seed in range(3):
        for _, view, play in game_of("strong", "careful", seed).decisions:
            worths = worths_of(view, seed, NODES)
            if view.seat is YAY and worths is not None:
                assert worths.best == tuple(sorted(card.rank for card in play.cards))
                compared[view.phase] = compared.get(view.phase, 0) + 1
    assert all(compared[phase] >= 3 for phase in (Phase.REPLACE, Phase.DUEL, Phase.ATTACK, Phase.DEFEND)), compared


def test_worths_are_shares_and_no_choice_is_better_than_the_best_but_by_a_rule_that_needs_no_guess() -> None:
    for _, view, _ in game_of("careful", "beginner", 4).decisions:
        worths = worths_of(view, 1, NODES)
        if worths is None:
            continue
        assert all(-0.5 < share < 1.5 for share in worths.of.values())  # fitted values may overshoot a little
        if view.phase is not Phase.REPLACE and len(view.hand) > 2:
            assert max(worths.of.values()) == worths.of[worths.best]
        assert all(worths.lost_by(choice) >= 0 for choice in worths.of)


def test_the_fitted_values_of_a_duel_are_a_share_of_its_worth_however_few_hands_are_solved() -> None:
    duels = [view for _, view, _ in game_of("careful", "beginner", 4).decisions if view.phase is Phase.DUEL]
    found = [worths for worths in (worths_of(view, 1, 0) for view in duels) if worths is not None]
    assert len(found) >= 2
    assert all(-0.2 < share < 1.2 for worths in found for share in worths.of.values())
    assert all(max(worths.of.values()) > 0.1 for worths in found)


def test_where_nothing_is_to_choose_there_are_no_worths() -> None:
    asked = forced = 0
    for _, view, _ in game_of("careful", "careful", 2).decisions:
        asked += 1
        if forced_play(view) is not None:
            forced += 1
            assert worths_of(view, 0, NODES) is None
    assert 0 < forced < asked


def test_what_is_not_known_to_be_worse_loses_nothing() -> None:
    assert Worths((4,), {(4,): 0.75, (5,): 0.5, (6,): 0.8}).lost_by((5,)) == 0.25
    assert Worths((4,), {(4,): 0.75, (6,): 0.8}).lost_by((6,)) == 0
    assert Worths((4,), {(4,): 0.75}).lost_by((5,)) == 0
    assert Worths((4,), {(5,): 0.5}).lost_by((5,)) == 0


def test_of_a_replacement_none_the_best_and_what_is_asked_for_are_worth_something() -> None:
    view = next(view for _, view, _ in game_of("careful", "careful", 0).decisions if view.phase is Phase.REPLACE)
    mine = situation_of(view).mine
    for asked in ((mine[0],), (mine[0], mine[-1]), ()):
        worths = worths_of(view, 3, NODES, asked)
        assert worths is not None
        assert set(worths.of) == {(), worths.best, asked}
    high = worths_of(view, 3, NODES, (mine[0],))
    again = worths_of(view, 3, NODES)
    assert high is not None and again is not None
    assert high.of[()] == again.of[()]
    assert high.best == again.best
    assert again.of[again.best] >= again.of[()]


def test_with_a_deck_without_fitted_values_replacing_is_not_judged_and_the_rest_is() -> None:
    rules = Rules(deck=parse_deck("1x2 2x2 3x2 4x2 5x2 6x2 7x2 8x2"), board=SMALL_BOARD)
    for _, view, _ in game_of("careful", "careful", 1, rules).decisions:
        worths = worths_of(view, 0, NODES)
        if worths is None:
            continue
        if view.phase is Phase.REPLACE:
            assert worths == Worths(
                careful_discards(situation_of(view).mine, view.may_still_replace(view.to_act[0])), {}
            )
        else:
            assert worths.of and all(0 <= share <= 1 for share in worths.of.values())
        if view.phase is Phase.DUEL:
            few = worths_of(view, 0, 0)
            assert few is not None
            assert all((8 * share).is_integer() for share in few.of.values())  # of four hands, or half of one


def test_where_both_replace_at_once_nobody_is_advised_to_take_more_than_half_of_a_short_pile() -> None:
    short = told(
        "deck 4x4 5x4 6x4 7x4", "board 6 6 6 6 6 6 6", dealt("4a 4b 5a 5b 6a 6b", "4c 4d 5c 5d 6c 6d", swap=True)
    ).game
    for player in PLAYERS:
        worths = worths_of(view_of(short, player), 1, NODES)
        assert worths is not None
        assert len(worths.best) == 2


# ---- decisions -----------------------------------------------------------------------------


def test_every_decision_of_a_game_is_found_with_what_its_player_saw() -> None:
    for seed in range(3):
        whole = game_of("careful", "random", seed)
        found, over = decisions_of(SHORT, whole.events)
        assert over
        wanted = {(view.seat, view.number, len(view.tricks), len(view.duels), view.phase): play
                  for _, view, play in whole.decisions if view.phase is not Phase.SHOWDOWN}  # fmt: skip
        by_key = {
            (d.player, d.view.number, len(d.view.tricks), len(d.view.duels), d.view.phase): frozenset(d.cards)
            for d in found
        }
        kept_all = {key for key, play in wanted.items() if key not in by_key}
        assert all(key[4] is Phase.REPLACE and not wanted[key].cards for key in kept_all)
        assert by_key == {key: play.cards for key, play in wanted.items() if key not in kept_all}
        assert len(found) == len(by_key)


def test_a_decision_has_its_place_among_the_events_and_the_game_at_that_moment() -> None:
    whole = game_of("careful", "random", 1)
    for decided in decisions_of(SHORT, whole.events)[0]:
        event = whole.events[decided.event]
        assert event.player is decided.player
        if decided.cards:
            assert event.card in decided.cards
        else:
            assert event == ok_event(decided.player)
        assert view_of(decided.game, decided.player) == decided.view
        assert decided.ranks == tuple(sorted(card.rank for card in decided.cards))


def test_what_was_taken_back_is_no_decision_and_what_came_instead_is_one() -> None:
    whole = game_of("careful", "careful", 0)
    first = next(d for d in decisions_of(SHORT, whole.events)[0] if d.view.phase is Phase.DEFEND)
    place = first.event + len(first.cards)
    *before, answered = whole.events[:place]
    events = [*before, answered, undo_event(first.player), answered, *whole.events[place:]]
    again = [d for d in decisions_of(SHORT, events)[0] if d.view == first.view]
    assert len(first.cards) == 1  # one card, and so its undo, lies between
    assert [(d.cards, d.event) for d in again] == [(first.cards, first.event + 2)]
    undone = [*before, answered, undo_event(first.player)]
    assert first.view not in [d.view for d in decisions_of(SHORT, undone)[0]]


def test_a_round_given_up_leaves_no_decision_half_made() -> None:
    whole = game_of("careful", "careful", 0)
    place = next(d.event for d in decisions_of(SHORT, whole.events)[0] if d.view.phase is Phase.DUEL) + 1
    events = [*whole.events[:place], parse_event("void"), *whole.events]
    found, _ = decisions_of(SHORT, events[: place + 1 + len(whole.events)])
    assert [d.view.phase for d in found if d.view.number == 1] == [Phase.REPLACE, Phase.REPLACE, Phase.DUEL]
    assert any(d.view.number == 2 and d.view.phase is Phase.DUEL for d in found)


# ---- what a round is worth -----------------------------------------------------------------


def by_hand(track: Track, player: Player) -> Fraction:
    """By every order in which the next seven rounds can end."""
    won = 0
    for winners in product(PLAYERS, repeat=7):
        now = track
        for winner in winners:
            now = now if now.winner is not None else now.moved(winner)
        won += now.winner is player
    return Fraction(won, 2**7)


@pytest.mark.parametrize("ways", list(product(PLAYERS, repeat=3)))
def test_the_chance_of_a_game_is_that_of_even_rounds(ways: tuple[Player, ...]) -> None:
    track = Track()
    for winner in ways:
        track = track.moved(winner)
    for player in PLAYERS:
        assert chance_of_game(track, player) == by_hand(track, player)
    assert round_worth(track, YAY) == round_worth(track, WOW)


def test_a_round_that_decides_the_game_is_worth_all_of_it() -> None:
    track = Track()
    for winner in (YAY, WOW, YAY, WOW, YAY, WOW):
        track = track.moved(winner)
    assert round_worth(track, YAY) == 1
    assert round_worth(Track(), YAY) < 1 / 2


# ---- turning points ------------------------------------------------------------------------


HANDS_OF_THREE = Rules(board=Board((3, 3, 3, 3, 3, 3, 3), parse_arrows("both both both both both both both")))
# yay duels with 6 and attacks with its 2 and not with its 12, so wow's 5 answers; in the showdown 12 meets 4
ROUND = [
    parse_event(line)
    for line in (
        *("yay 2a", "yay 6a", "yay 12a", "wow 4a", "wow 4b", "wow 5a"),
        *("yay ok", "wow ok", "wow 4b", "yay 6a", "yay 2a", "yay ok", "wow 5a", "wow 4a", "yay 12a"),
    )
]


def blunder() -> list[Event]:
    """The same round until the game is over."""
    events: list[Event] = []
    while not fold(HANDS_OF_THREE, events).over:
        events += ROUND
    return events


def test_the_play_that_lost_the_round_is_told_with_the_better_one_and_how_the_cards_lay() -> None:
    points = turning_points(HANDS_OF_THREE, blunder())
    assert [point.decided.player for point in points] == [YAY] * 3
    for point in points:
        assert (point.decided.view.phase, point.decided.ranks, point.better) == (Phase.ATTACK, (2,), (12,))
        assert point.lay == (0.0, 1.0)
        assert point.lost > 0.5
        assert point.cost == point.lost * round_worth(point.decided.view.track, YAY)


def test_the_points_come_in_the_order_of_the_game_and_are_the_dearest() -> None:
    whole = game_of("random", "random", 3)
    every = turning_points(SHORT, whole.events, nodes=NODES, most=1000)
    assert len(every) > 6
    for most in (0, 1, 3):
        chosen = turning_points(SHORT, whole.events, nodes=NODES, most=most)
        assert [p.decided.event for p in chosen] == sorted(p.decided.event for p in chosen)
        assert sorted((p.cost for p in chosen), reverse=True) == sorted((p.cost for p in every), reverse=True)[:most]
    assert all(point.lost >= 0.1 for point in every)
    assert len(turning_points(SHORT, whole.events, nodes=NODES)) == 3


def test_what_is_told_depends_on_the_seed_and_the_events_alone() -> None:
    whole = game_of("beginner", "random", 5)
    assert turning_points(SHORT, whole.events, 7, NODES) == turning_points(SHORT, whole.events, 7, NODES)


def test_a_better_player_makes_fewer_turning_points() -> None:
    def dear(name: str) -> float:
        points = [p for seed in (1, 2) for p in turning_points(SHORT, game_of(name, name, seed).events, 9, 4_000, 99)]
        return sum(point.cost for point in points)

    assert dear("strong") < dear("beginner") / 2
    assert dear("strong") < dear("random") / 4


def test_a_game_that_is_not_over_or_whose_hands_are_hidden_has_none() -> None:
    assert turning_points(HANDS_OF_THREE, blunder()[:-1]) == []
    events = [ok_event(YAY)] * 4
    assert turning_points(Rules(mode=Mode.BOARD), events) == []
    assert turning_points(Rules(mode=Mode.REFEREE), [ok_event(YAY)]) == []


def test_as_the_cards_lay_is_what_an_exact_solver_says() -> None:
    compared = 0
    for seed in range(3):
        for point in turning_points(SHORT, game_of("random", "beginner", seed).events, 1, NODES, 99):
            if point.decided.view.phase is not Phase.ATTACK:
                continue
            hands = point.decided.game.round.hands
            mine, others = (tuple(sorted(c.rank for c in hands[p.seat])) for p in _both(point.decided))
            assert point.lay is not None
            assert max(point.lay) <= value(mine, others)
            compared += 1
    assert compared > 5


def _both(decided: Decided) -> tuple[Player, Player]:
    return decided.player, decided.player.other

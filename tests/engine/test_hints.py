"""Hints: the strong player's play, with one reason that is true of it."""

from __future__ import annotations

import pytest

from engine.cards import WOW, YAY
from engine.events import parse_event
from engine.game import fold
from engine.players.advice import Hint, Reason
from engine.players.hints import hint_of, reason_for
from engine.players.levels import level_named
from engine.players.match import Seated
from engine.players.simple import chance_to_reach
from engine.players.situation import NothingToDecide, answers_of, forced_play, situation_of
from engine.players.solving import shortage
from engine.players.worths import worths_of
from engine.round import Phase
from engine.rules import Rules
from engine.views import View, view_of
from tests.support.decided_games import decided_game
from tests.support.engine_games import dealt, told

NODES = 4_000
RARE = {Reason.FIRST, Reason.DRAW, Reason.KEEP, Reason.HIGH_LATER}  # these are shown one by one below


def views() -> list[View]:
    seats = (Seated("careful", level_named("careful"), 0), Seated("beginner", level_named("beginner"), 0))
    return [view for seed in (1, 2) for _, view, _ in decided_game(Rules(), seats, seed).decisions]


VIEWS = views()


def test_a_hint_is_the_best_choice_with_its_worth() -> None:
    for view in VIEWS[::5]:
        hint, worths = hint_of(view, 3, NODES), worths_of(view, 3, NODES)
        if worths is None:
            assert hint is None
            assert forced_play(view) is not None
        else:
            assert hint == Hint(worths.best, reason_for(view, worths.best), worths.of[worths.best])


def test_every_reason_comes_up_and_is_true() -> None:
    found: set[Reason] = set()
    for view in VIEWS:
        hint = hint_of(view, 5, NODES)
        if hint is None:
            continue
        found.add(hint.reason)
        assert is_true(hint, view), (hint, str(view))
    assert found >= {*Reason} - RARE, {*Reason} - found


def is_true(hint: Hint, view: View) -> bool:
    now, ranks = situation_of(view), hint.ranks
    attack = view.phase is Phase.ATTACK
    match hint.reason:
        case Reason.KEEP:
            return view.phase is Phase.REPLACE and ranks == ()
        case Reason.MIDDLE:
            return view.phase is Phase.REPLACE and set(ranks) <= {4, 5, 6, 7, 8, 9}
        case Reason.DRAW:
            return view.phase is Phase.REPLACE and ranks != ()
        case Reason.FIRST:
            return view.phase is Phase.DUEL and ranks == (now.mine[-1],)
        case Reason.SPARE:
            return view.phase is Phase.DUEL
        case Reason.END:
            return attack and len(now.mine) == 2 and ranks == (now.mine[1],)
        case Reason.UNHELD:
            return attack and chance_to_reach(now, ranks[0], len(ranks)) == 0
        case Reason.HARDLY_HELD:
            return attack and 0 < chance_to_reach(now, ranks[0], len(ranks)) < 1 / 3
        case Reason.MANY:
            return attack and len(ranks) > 1
        case Reason.LOW_KEPT:
            return attack and len(ranks) == 1 and ranks[0] > now.mine[0]
        case Reason.HIGH_LATER:
            return attack and ranks == (now.mine[0],)
    holding = [answer for answer in answers_of(now.attack, now.mine) if shortage(now.attack, answer) == 0]
    match hint.reason:
        case Reason.HOLDS:
            return ranks in holding
        case Reason.HIGH_KEPT:
            return bool(holding) and ranks not in holding
    return hint.reason is Reason.NOTHING_HOLDS and not holding


@pytest.mark.parametrize(
    ("ranks", "reason"),
    [((), Reason.KEEP), ((4,), Reason.MIDDLE), ((4, 9), Reason.MIDDLE), ((3, 5), Reason.DRAW), ((5, 10), Reason.DRAW)],
)
def test_a_replacement_of_the_middle_is_called_that(ranks: tuple[int, ...], reason: Reason) -> None:
    view = next(view for view in VIEWS if view.phase is Phase.REPLACE and forced_play(view) is None)
    assert reason_for(view, ranks) is reason


def test_only_a_high_card_that_is_the_highest_is_laid_to_attack_first() -> None:
    view = next(view for view in VIEWS if view.phase is Phase.DUEL and situation_of(view).mine[-1] >= 10)
    mine = situation_of(view).mine
    assert reason_for(view, (mine[-1],)) is Reason.FIRST
    assert reason_for(view, (mine[0],)) is Reason.SPARE
    low = next(view for view in VIEWS if view.phase is Phase.DUEL and situation_of(view).mine[-1] < 10)
    assert reason_for(low, (situation_of(low).mine[-1],)) is Reason.SPARE


def test_the_lowest_card_is_an_attack_that_keeps_high_cards_if_it_can_be_held() -> None:
    for view in VIEWS:
        if view.phase is Phase.ATTACK and len(view.hand) > 2 and not view.attack:
            now = situation_of(view)
            held = chance_to_reach(now, now.mine[0], 1) >= 1 / 3
            assert (reason_for(view, now.mine[:1]) is Reason.HIGH_LATER) == held


def test_who_is_not_to_choose_gets_no_hint() -> None:
    game = fold(Rules(), [parse_event("yay 1a")])
    with pytest.raises(NothingToDecide):
        hint_of(view_of(game, YAY), 1, NODES)
    with pytest.raises(NothingToDecide):
        hint_of(view_of(told("mode referee;yay ok;wow ok").game, YAY), 1, NODES)


def test_with_hands_too_large_to_be_solved_a_hint_goes_by_rules_of_thumb_and_says_no_worth() -> None:
    hands = (" ".join(f"{rank}{letter}" for letter in "abcdefghijklm") for rank in (3, 9))
    game = told("deck 3x13 9x13", f"board{' 13' * 7}", dealt(*hands), "yay 3a;wow 9a").game
    hint = hint_of(view_of(game, WOW), 1, NODES)
    assert hint is not None
    assert set(hint.ranks) == {9}
    assert hint.worth is None

"""Advice at the table: for whom it is, when it is asked for, and what is shown of it."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from docs.gallery import PAGES
from engine.cards import PLAYERS, WOW, YAY, Player
from engine.events import Event
from engine.game import fold
from engine.players.advice import Hint, Reason
from engine.players.levels import level_named
from engine.players.match import Seated
from engine.players.situation import NothingToDecide, seat_of
from engine.rules import Mode, Rules
from engine.views import view_of
from firmware.bots.advice import Advice, NoAdvice
from firmware.table.advice import PAGES_OF_A_POINT
from firmware.table.effects import AskHint, AskPoints
from firmware.table.menus import Item
from firmware.table.state import Advised, Stage
from tests.support.at_table import AtTable
from tests.support.decided_games import DecidedGame, dealt_anew, decided_game

HINT = Hint((9, 9), Reason.HARDLY_HELD, None)


def game_of(seed: int) -> DecidedGame:
    seats = (Seated("careful", level_named("careful"), 0), Seated("beginner", level_named("beginner"), 0))
    return decided_game(Rules(), seats, seed)


def at_events(events: list[Event], alone: Player | None) -> AtTable:
    """A table in the middle of that game, `alone` against it."""
    at = AtTable.of(Rules())
    at.table = replace(at.table, game=fold(Rules(), events), alone=alone)
    return at


def offers_hint(at: AtTable) -> bool:
    at.menu()
    assert at.table.menu is not None
    return Item.HINT in at.table.menu.items


def asked(at: AtTable) -> list[AskHint | AskPoints]:
    return [effect for effect in at.effects if isinstance(effect, AskHint | AskPoints)]


def told(at: AtTable, advice: Advice) -> None:
    at.happen(Advised(advice, at.now_ms))


def test_a_hint_is_offered_to_who_plays_alone_and_has_to_choose_and_to_nobody_else() -> None:
    game, offered = game_of(1), {True: 0, False: 0}
    for count in range(0, len(game.events), 3):
        for alone in PLAYERS:
            at = at_events(game.events[:count], alone)
            try:
                seat_of(view_of(at.table.game, alone))
                chooses = True
            except NothingToDecide:
                chooses = False
            assert offers_hint(at) is chooses
            offered[chooses] += 1
        assert not offers_hint(at_events(game.events[:count], None))
    assert min(offered.values()) > 20


def first_choice() -> tuple[list[Event], Player]:
    game = game_of(1)
    place, view, _ = next(decision for decision in game.decisions if len(decision[1].hand) > 3)
    assert view.seat is not None
    return game.events[:place], view.seat


def test_a_house_rule_switches_hints_off() -> None:
    events, seat = first_choice()
    at = at_events(events, seat)
    at.table = replace(at.table, settings=replace(at.table.settings, hints=False))
    assert not offers_hint(at)


@pytest.mark.parametrize("stage", [Stage.CLEAR, Stage.OVER])
def test_between_rounds_there_is_no_hint(stage: Stage) -> None:
    events, seat = first_choice()
    at = at_events(events, seat)
    at.table = replace(at.table, stage=stage)
    assert not offers_hint(at)


def test_where_no_hand_is_known_there_is_no_hint() -> None:
    at = PAGES["attack"]()
    assert at.table.game.rules.mode is Mode.REFEREE
    at.table = replace(at.table, alone=YAY)
    assert not offers_hint(at)


def test_a_hint_is_asked_by_the_view_of_who_asks_and_cards_that_are_hidden_from_it_change_no_byte_of_that() -> None:
    compared, chance, game = 0, random.Random(5), game_of(2)
    for place, view, _ in game.decisions:
        other = dealt_anew(Rules(), game.events[:place], view, chance)
        if other is None:
            continue
        pages = []
        for position in (fold(Rules(), game.events[:place]), other):
            at = at_events([], view.seat)
            at.table = replace(at.table, game=position)
            at.menu()
            at.take(Item.HINT)
            pages.append((asked(at), at.scene.page))
        assert pages[0] == pages[1] and pages[0][0] == [AskHint(view)]
        compared += 1
    print(f"{compared} questions with other hidden cards")
    assert compared > 40


def hinting() -> AtTable:
    at = PAGES["hint-awaited"]()
    at.effects.clear()
    return at


def test_the_page_says_that_the_hint_is_awaited_and_then_what_and_why() -> None:
    at = hinting()
    assert at.scene.page.what == "One moment…"
    told(at, HINT)
    assert (at.scene.page.what, at.scene.page.note) == ("Attack: 9 9", "Few hands can hold against it.")
    at.ok("wow")
    assert at.table.menu is None and not at.recorded


def test_a_hint_is_no_event_and_the_game_stays_as_it_was() -> None:
    at = PAGES["replace-both"]()
    at.table = replace(at.table, alone=WOW)
    before = at.table.game
    at.effects.clear()
    at.menu()
    at.take(Item.HINT)
    told(at, HINT)
    at.ok("wow")
    assert at.table.game == before and not at.recorded


@pytest.mark.parametrize(
    ("advice", "note"), [(NoAdvice.NOTHING, "nothing to choose"), (NoAdvice.FAILED, "could not be worked out")]
)
def test_where_there_is_no_hint_the_page_says_why(advice: NoAdvice, note: str) -> None:
    at = hinting()
    told(at, advice)
    assert note in at.scene.page.note and not at.scene.page.what
    at.ok("wow")
    assert at.table.menu is None


@pytest.mark.parametrize("close", ["menu", "undo", "ok"])
def test_advice_that_comes_when_its_page_was_closed_is_not_shown_later(close: str) -> None:
    at = hinting()
    at.menu() if close == "menu" else at.undo("wow") if close == "undo" else at.ok("wow")
    before = at.table
    told(at, HINT)
    assert at.table.menu is None and at.table.advice is None and at.table.game == before.game
    at.menu()
    at.take(Item.HINT)
    assert at.scene.page.what == "One moment…"
    told(at, replace(HINT, ranks=(7,)))
    assert at.scene.page.what == "Attack: 7"


def test_only_the_first_advice_is_shown_so_that_no_page_changes_under_the_reader() -> None:
    at = hinting()
    told(at, HINT)
    told(at, replace(HINT, ranks=(1,)))
    assert at.scene.page.what == "Attack: 9 9"


def test_a_second_hint_is_awaited_like_the_first() -> None:
    at = hinting()
    told(at, HINT)
    at.ok("wow")
    at.menu()
    at.take(Item.HINT)
    assert at.scene.page.what == "One moment…"


# ---- the turning points --------------------------------------------------------------------


def test_after_a_game_of_play_mode_its_turning_points_can_be_asked_for_and_after_no_other() -> None:
    at = PAGES["menu-won"]()
    assert at.table.menu is not None and Item.POINTS in at.table.menu.items
    at.effects.clear()
    at.take(Item.POINTS)
    assert asked(at) == [AskPoints()] and at.scene.page.what == "One moment…"
    board = PAGES["menu-over"]()
    assert board.table.menu is not None and board.table.menu.items == (Item.PLAY_AGAIN, Item.MAIN_MENU)


def test_each_turning_point_says_who_played_what_in_which_round_what_was_better_and_by_how_much() -> None:
    at = PAGES["turning-point"]()
    seen = []
    for _ in range(3 * PAGES_OF_A_POINT):
        page = at.scene.page
        seen.append((page.title, page.count, page.note))
        at.ok("yay")
    assert seen[:2] == [
        ("YAY, round 3", "1 of 3", "Attack: 9 9. Better: 7"),
        ("YAY, round 3", "1 of 3", "That cost 23 of 100 rounds like this, 8 of 100 games."),
    ]
    assert [count for _, count, _ in seen] == ["1 of 3"] * 2 + ["2 of 3"] * 2 + ["3 of 3"] * 2
    assert at.scene.page.count == "1 of 3"  # and from the beginning
    at.ok("wow")
    assert at.table.menu is None and at.table.stage is Stage.OVER


def test_a_game_without_a_turning_point_says_so() -> None:
    at = PAGES["no-turning-point"]()
    assert "No play cost much" in at.scene.page.note and not at.scene.page.left
    at.ok("yay")
    assert "No play cost much" in at.scene.page.note
    at.ok("wow")
    assert at.table.menu is None


def test_a_game_can_be_played_again_after_its_turning_points_were_read() -> None:
    at = PAGES["turning-point"]()
    at.ok("wow"), at.ok("wow")
    at.take(Item.PLAY_AGAIN)
    assert at.table.stage is Stage.CLEAR and at.table.menu is None

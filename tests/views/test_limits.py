"""When the page dims, moves about and gives way: exactly at its time, and not a millisecond before."""

from __future__ import annotations

import pytest

from engine.rules import Mode, Rules
from firmware.views.notes import note_of
from firmware.views.pages import page_of
from firmware.views.scene import Scene, scene
from firmware.words import words
from hardware.ports import Flash, Run
from tests.support.at_table import LAYOUT, AtTable, referee_in_attack

ENGLISH = words("en")
DIMS_MS, MOVES_MS = 600_000, 60_000  # docs/device.md, Screen: 10 minutes, once a minute


def idle_for(ms: int) -> Scene:
    at = AtTable.of(Rules(mode=Mode.BOARD))
    return scene(at.table, at.table.woken_ms + ms, LAYOUT, ENGLISH)


def test_the_page_dims_after_ten_minutes_and_not_a_millisecond_before() -> None:
    assert [idle_for(ms).dimmed for ms in (0, DIMS_MS - 1, DIMS_MS)] == [False, False, True]


def test_a_page_that_is_not_dimmed_stands_still() -> None:
    assert {idle_for(ms).shift_px for ms in range(0, DIMS_MS, 1000)} == {(0, 0)}


def test_a_dimmed_page_moves_once_a_minute_around_its_place_and_begins_again() -> None:
    way = [(0, 0), (2, 0), (2, 2), (0, 2), (-2, 2), (-2, 0), (-2, -2), (0, -2), (2, -2)]
    for minute in range(20):
        begins = DIMS_MS + minute * MOVES_MS
        assert idle_for(begins).shift_px == idle_for(begins + MOVES_MS - 1).shift_px == way[minute % 9]


@pytest.mark.parametrize(("after_ms", "title"), [(3999, "YAY first"), (4000, "Attack")])
def test_the_cards_of_a_duel_stay_large_for_four_seconds(after_ms: int, title: str) -> None:
    at = referee_in_attack()
    assert at.table.told is not None
    assert page_of(at.table, at.table.told.at_ms + after_ms, ENGLISH).title == title


def test_the_reason_of_a_refusal_stays_for_eight_seconds() -> None:
    at = referee_in_attack()
    at.play("wow", "8a")
    at.lift_all()
    assert at.table.told is not None
    since_ms = at.table.told.at_ms
    assert note_of(at.table, since_ms + 7999, ENGLISH) == "WOW: not your turn"
    assert note_of(at.table, since_ms + 8000, ENGLISH) != "WOW: not your turn"


@pytest.mark.parametrize(("after_ms", "flashing"), [(1199, True), (1200, False)])
def test_a_goal_flashes_for_three_times_four_tenths_of_a_second(after_ms: int, flashing: bool) -> None:
    at = referee_in_attack()
    at.play("wow", "8a")
    ((_, since_ms),) = at.table.motion.flashes
    effects = scene(at.table, since_ms + after_ms, LAYOUT, ENGLISH).picture.effects
    assert any(isinstance(effect, Flash) for effect in effects) == flashing


@pytest.mark.parametrize(
    ("held_ms", "percent"),
    [(0, 0), (399, 0), (400, 0), (479, 0), (480, 10), (1119, 80), (1120, 90), (1199, 90), (1200, 100), (5000, 100)],
)
def test_the_bar_fills_in_tenths_from_a_short_press_to_an_undo(held_ms: int, percent: int) -> None:
    at = referee_in_attack()
    at.hold("yay")
    assert at.table.holding is not None
    assert page_of(at.table, at.table.holding[1] + held_ms, ENGLISH).bar == ("undo", percent)


@pytest.mark.parametrize(("after_ms", "runs"), [(699, False), (700, True)])
def test_the_winners_light_runs_once_tacocat_has_glided_over_both_its_spaces(after_ms: int, runs: bool) -> None:
    at = AtTable.of(Rules(mode=Mode.BOARD))
    for _ in range(4):
        at.ok("wow")
    effects = scene(at.table, at.now_ms + after_ms, LAYOUT, ENGLISH).picture.effects
    assert any(isinstance(effect, Run) for effect in effects) == runs


@pytest.mark.parametrize(("after_ms", "lamps"), [(2699, set()), (2700, {"yay", "wow"})])
def test_after_a_won_game_the_lamps_are_lit_when_a_press_counts_again(after_ms: int, lamps: set[str]) -> None:
    at = AtTable.of(Rules(mode=Mode.BOARD))
    for _ in range(4):
        at.ok("wow")
    assert scene(at.table, at.now_ms + after_ms, LAYOUT, ENGLISH).lamps == lamps

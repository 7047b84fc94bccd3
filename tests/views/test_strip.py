"""The game's state as light (docs/device.md, Track)."""

from dataclasses import replace

import pytest

from engine.board import Board
from engine.cards import WOW, YAY
from engine.rules import Mode, Rules
from firmware.table.state import Stage
from firmware.views.strip import (
    ALARM,
    ARROW_DOT,
    COVERED,
    EDGE,
    FELT,
    FREE,
    PLAYER_COLOURS,
    TACOCAT,
    StripLayout,
    picture_of,
    resting,
)
from hardware.ports import Breathe, Flash, Glide, Picture, Run
from tests.support.at_table import LAYOUT, AtTable, referee_in_attack
from tests.support.colour_vision import VISIONS, lightness, seen

CHANNEL_MA, IDLE_MA, BUDGET_MA = 20, 1, 400


def effects(picture: Picture, kind: type) -> list:
    return [effect for effect in picture.effects if isinstance(effect, kind)]


def test_the_strip_runs_from_the_goal_of_yay_over_seven_spaces_to_the_goal_of_wow():
    assert LAYOUT.leds == 64
    assert [LAYOUT.span(space) for space in (0, 1, 7, 8)] == [(0, 4), (4, 8), (52, 8), (60, 4)]
    assert StripLayout(1, (1, 2, 3, 4, 3, 2, 1)).span(4) == (7, 4)


def test_tacocat_is_brightest_a_free_space_dim_and_a_covered_one_dark_with_faint_edges():
    at = AtTable.of(Rules(mode=Mode.BOARD))
    at.ok("wow")
    at.table = replace(at.table, motion=replace(at.table.motion, glide=()))
    still = at.scene.picture.still
    assert set(still[36:44]) == {TACOCAT}
    assert still[28:36] == (EDGE, *[COVERED] * 6, EDGE)
    assert set(still[4:28]) == {FREE}


NEIGHBOURS = {
    "Tacocat and a free space": (TACOCAT, FREE, 30),
    "a free and a covered space": (FREE, COVERED, 12),
    "a free space and the edge of a covered one": (FREE, EDGE, 5),
    "an awaited goal of yay and one at rest": (PLAYER_COLOURS[YAY], resting(YAY), 25),
    "an awaited goal of wow and one at rest": (PLAYER_COLOURS[WOW], resting(WOW), 25),
    "yay's goal above a pad that feels a card and one at rest": (FELT[YAY], resting(YAY), 25),
    "wow's goal above a pad that feels a card and one at rest": (FELT[WOW], resting(WOW), 25),
    "yay's goal above a pad that feels a card and an awaited one": (FELT[YAY], PLAYER_COLOURS[YAY], 4),
    "wow's goal above a pad that feels a card and an awaited one": (FELT[WOW], PLAYER_COLOURS[WOW], 4),
    "a flashing goal and one at rest": (ALARM, resting(WOW), 35),
    "the arrow's dot and Tacocat": (TACOCAT, ARROW_DOT, 5),
    "the winner's light and a free space": (PLAYER_COLOURS[WOW], FREE, 20),
}


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("pair", NEIGHBOURS)
def test_neighbouring_states_differ_in_lightness_for_all_eyes(pair, vision):
    one, other, least = NEIGHBOURS[pair]
    difference = abs(lightness(seen(one, vision)) - lightness(seen(other, vision)))
    assert difference >= least, f"{pair}: {difference:.1f} of L* for {vision}, {least} is wanted"


@pytest.mark.parametrize(("attacker", "goal"), [("yay", (0, 4)), ("wow", (60, 4))])
def test_the_goal_of_the_player_awaited_breathes(attacker, goal):
    at = referee_in_attack(attacker)
    assert [(effect.first, effect.count) for effect in effects(at.scene.picture, Breathe)] == [goal]


def test_the_arrow_runs_during_replace_only_and_both_ways_where_it_is_double():
    at = AtTable.of(Rules(mode=Mode.REFEREE))
    assert effects(at.scene.picture, Run) == []
    at.ok("yay"), at.ok("wow")
    dots = effects(at.scene.picture, Run)
    assert [(dot.first, dot.count, dot.backwards) for dot in dots] == [(28, 4, True), (32, 4, False)]
    at.ok("yay"), at.ok("wow")
    assert effects(at.scene.picture, Run) == []


@pytest.mark.parametrize(("arrow", "backwards"), [("yay", True), ("wow", False)])
def test_a_single_arrow_runs_to_the_player_it_points_at(arrow, backwards):
    board = Board((4,) * 7, (Rules().board.arrows[0].__class__(arrow),) * 7)
    at = AtTable.of(Rules(mode=Mode.REFEREE, board=board))
    at.menu()
    at.take("round again")
    for player in ("yay", "wow", "yay", "yay", "wow"):
        at.ok(player)
    assert [dot.backwards for dot in effects(at.scene.picture, Run)] == [backwards]


def test_a_rejected_play_flashes_the_goal_of_its_player_three_times_and_then_no_more():
    at = referee_in_attack()
    at.play("wow", "8a")
    (flash,) = effects(at.scene.picture, Flash)
    assert (flash.first, flash.times) == (60, 3)
    at.wait(3000)
    assert effects(at.scene.picture, Flash) == []


def test_tacocat_glides_space_by_space_over_the_covered_ones():
    at = AtTable.of(Rules(mode=Mode.BOARD))
    at.ok("wow")
    at.ok("yay")
    (glide,) = effects(at.scene.picture, Glide)
    assert glide.stops == (LAYOUT.span(5), LAYOUT.span(4), LAYOUT.span(3))


def test_the_winners_colour_runs_along_the_whole_strip_towards_the_winners_goal():
    for winner, backwards in ((YAY, True), (WOW, False)):
        at = AtTable.of(Rules(mode=Mode.BOARD))
        for _ in range(4):
            at.ok(winner)
        at.wait(3000)
        (run,) = effects(at.scene.picture, Run)
        assert (run.first, run.count, run.backwards) == (0, 64, backwards)


def test_the_steady_picture_stays_within_the_default_budget_so_that_nothing_dims_in_time_with_the_breath():
    at = AtTable.of(Rules(mode=Mode.REFEREE))
    at.bring("yay", "3a")  # brighter than a goal at the top of its breath
    at.bring("wow", "3b")
    _within_budget(at)
    at.take_past("yay", "3a"), at.take_past("wow", "3b")
    _within_budget(at)


def _within_budget(at):
    picture = at.scene.picture
    leds = list(picture.still)
    for breath in effects(picture, Breathe):
        leds[breath.first : breath.first + breath.count] = [breath.colour] * breath.count
    assert sum(IDLE_MA + CHANNEL_MA * sum(led) / 255 for led in leds) <= BUDGET_MA


def test_every_layout_gives_a_picture_of_its_own_length():
    for goal, spaces in ((1, (1,) * 7), (0, (3,) * 7), (10, (40,) * 7)):
        layout = StripLayout(goal, spaces)
        at = AtTable.of(Rules(mode=Mode.REFEREE))
        at.ok("yay"), at.ok("wow")
        assert len(picture_of(at.table, at.now_ms, layout).still) == layout.leds


def test_brightness_dims_everything_and_puts_nothing_out():
    at = AtTable.of(Rules(mode=Mode.BOARD))
    at.ok("wow")
    bright = picture_of(at.table, at.now_ms, LAYOUT)
    dim = picture_of(at.table, at.now_ms, replace(LAYOUT, brightness=10))
    assert max(max(led) for led in dim.still) * 9 < max(max(led) for led in bright.still) * 2
    assert [any(led) for led in dim.still] == [any(led) for led in bright.still]
    assert effects(dim, Glide)[0].colour == (15, 8, 2)


@pytest.mark.parametrize(("percent", "colour"), [(100, (150, 80, 14)), (50, (75, 40, 7)), (1, (2, 1, 1))])
def test_brightness_is_a_percentage_and_what_is_lit_stays_lit(percent, colour):
    at = AtTable.of(Rules(mode=Mode.BOARD))
    assert picture_of(at.table, at.now_ms, replace(LAYOUT, brightness=percent)).still[32] == colour


def test_between_rounds_both_goals_breathe_and_in_a_menu_or_after_a_game_none_does():
    at = AtTable.of(Rules(mode=Mode.REFEREE), Stage.CLEAR)
    assert [effect.first for effect in effects(at.scene.picture, Breathe)] == [0, 60]
    at.menu()
    assert effects(at.scene.picture, Breathe) == []
    at = AtTable.of(Rules(mode=Mode.BOARD))
    for _ in range(4):
        at.ok("wow")
    assert effects(at.scene.picture, Breathe) == []


def test_the_dots_of_a_double_arrow_run_apart_from_the_middle_of_a_space_with_an_odd_number_of_leds():
    at = AtTable.of(Rules(mode=Mode.REFEREE))
    at.ok("yay"), at.ok("wow")
    layout = StripLayout(1, (5,) * 7)
    dots = effects(picture_of(at.table, at.now_ms, layout), Run)
    assert [(dot.first, dot.count) for dot in dots] == [(16, 2), (19, 2)]


def test_a_space_without_leds_shows_nothing_and_takes_nothing_from_its_neighbours():
    at = AtTable.of(Rules(mode=Mode.BOARD))
    at.ok("wow")
    at.table = replace(at.table, motion=replace(at.table.motion, glide=()))
    layout = StripLayout(1, (1, 1, 1, 0, 1, 1, 1))  # the covered space in the middle has none
    still = picture_of(at.table, at.now_ms, layout).still
    assert still == (resting(YAY), FREE, FREE, FREE, TACOCAT, FREE, FREE, resting(WOW))


def test_the_edges_of_a_covered_space_are_its_first_and_its_last_led():
    at = AtTable.of(Rules(mode=Mode.BOARD))
    at.ok("wow")
    for leds, expected in ((1, (EDGE,)), (2, (EDGE, EDGE)), (3, (EDGE, COVERED, EDGE))):
        layout = StripLayout(0, (1, 1, 1, leds, 1, 1, 1))
        assert picture_of(at.table, at.now_ms, layout).still[3 : 3 + leds] == expected

"""The times of the table, exactly: the last millisecond before each, and the first of it (docs/device.md)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.board import DEFAULT_BOARD
from engine.cards import YAY
from engine.rules import Mode, Rules
from firmware.table.menus import At, Item
from firmware.table.state import Remark, Stage
from hardware.ports import Flash, Glide, Health, Lifted, PartState, Placed, Press, Pressed, Run
from tests.support.at_table import AtTable, referee_in_attack, uid_of

PHONE, OTHER_PHONE = "08a1b2c3", "08d4e5f6"


def see(at: AtTable, player: str, card: str, seen_ms: int) -> None:
    """The reader tells of a card that it first saw at that time."""
    at.happen(Placed(player, uid_of(card), seen_ms))


# ---- groups --------------------------------------------------------------------------------


@pytest.mark.parametrize(("apart_ms", "dealt"), [(299, []), (300, ["yay 3a", "yay 3b"])])
def test_cards_of_one_pad_that_come_within_300_ms_are_a_group(apart_ms, dealt):
    at = AtTable.of(Rules())
    at.put("yay", "3a")
    at.wait(apart_ms)
    at.put("yay", "3b")
    at.wait(1000)
    assert at.recorded == dealt


@pytest.mark.parametrize(("waited_ms", "dealt"), [(299, []), (300, ["yay 3a"])])
def test_a_single_card_counts_when_its_group_can_get_no_other_any_more(waited_ms, dealt):
    at = AtTable.of(Rules())
    at.put("yay", "3a")
    at.wait(waited_ms)
    assert at.recorded == dealt


@pytest.mark.parametrize(("apart_ms", "dealt"), [(299, []), (300, ["yay 3a"])])
def test_a_table_that_was_busy_in_between_tells_groups_apart_all_the_same(apart_ms, dealt):
    at = AtTable.of(Rules())
    see(at, "yay", "3a", 1000)
    see(at, "yay", "3b", 1000 + apart_ms)
    assert at.recorded == dealt


def test_the_card_after_a_trick_comes_too_soon_even_if_the_table_was_busy_while_the_trick_waited():
    at = referee_in_attack()
    at.play("yay", "7a")
    at.put("wow", "8a")
    see(at, "wow", "9a", at.now_ms + 350)
    at.wait(2000)
    assert at.recorded == ["yay 7a", "wow 8a"]


def test_the_card_after_the_last_of_a_round_is_not_dealt_even_if_the_table_was_busy_in_between():
    at = AtTable.of(Rules(board=replace(DEFAULT_BOARD, hand_sizes=(2,) * 7)))
    at.play("yay", "3a", "4a"), at.play("wow", "5a", "6a")
    at.lift_all()
    at.ok("yay"), at.ok("wow")
    at.play("yay", "3a"), at.play("wow", "5a")
    at.play("yay", "4a")
    at.put("wow", "6a")
    for player, card in (("yay", "7a"), ("wow", "8a")):
        see(at, player, card, at.now_ms + 350)
    at.wait(2000)
    assert at.recorded[-1] == "wow 6a"
    assert at.table.stage is Stage.CLEAR and at.table.game.round.counts == (0, 0)


# ---- when nothing counts -------------------------------------------------------------------


@pytest.mark.parametrize(("after_ms", "counts"), [(499, False), (500, True)])
def test_for_500_ms_after_a_trick_nothing_counts(after_ms, counts):
    at = referee_in_attack()
    at.play("yay", "7a")
    at.put("wow", "8a")
    at.wait(300)  # the trick
    at.wait(after_ms)
    at.put("wow", "9a")
    at.wait(1000)
    assert ("wow 9a" in at.recorded) == counts


@pytest.mark.parametrize(("after_ms", "counts"), [(499, False), (500, True)])
def test_for_500_ms_after_a_duel_nothing_counts(after_ms, counts):
    at = AtTable.of(Rules(mode=Mode.REFEREE))
    for player in ("yay", "wow", "yay", "wow"):
        at.ok(player)
    at.play("yay", "12a")
    at.put("wow", "1a")
    at.wait(300)  # the duel
    at.wait(after_ms)
    at.put("yay", "9a")
    at.wait(1000)
    assert ("yay 9a" in at.recorded) == counts


@pytest.mark.parametrize(("before_ms", "counts"), [(1, False), (0, True)])
def test_a_card_that_was_seen_before_the_ok_after_clearing_is_no_play(before_ms, counts):
    at = AtTable.of(Rules(), Stage.CLEAR)
    at.ok("yay")
    see(at, "yay", "7a", at.now_ms - before_ms)
    at.wait(1000)
    assert at.recorded == (["yay 7a"] if counts else [])


def test_a_press_within_a_round_takes_nothing_from_a_card_that_was_seen_before_it():
    at = referee_in_attack()
    at.ok("wow")
    see(at, "yay", "7a", at.now_ms - 80)
    assert at.recorded == ["wow ok", "yay 7a"]


def test_an_ok_does_not_shorten_the_time_after_a_duel():
    at = referee_in_attack()
    at.play("yay", "7a")
    at.put("wow", "8a")
    at.wait(300)
    trick_ms = at.now_ms
    at.menu()
    at.wait(100)
    at.menu()
    see(at, "wow", "9a", trick_ms + 499)
    assert at.table.told.remark is Remark.TOO_SOON


def test_a_card_at_the_very_first_millisecond_of_the_clock_counts():
    at = referee_in_attack()
    at.table = replace(at.table, ignore_until_ms=AtTable.of().table.ignore_until_ms)
    see(at, "yay", "7a", 0)
    assert at.recorded == ["yay 7a"]


# ---- readers that begin to work ------------------------------------------------------------


@pytest.mark.parametrize(("after_ms", "counts"), [(299, False), (300, True)])
def test_what_is_seen_within_300_ms_of_a_readers_beginning_lay_there_before(after_ms, counts):
    at = referee_in_attack()
    at.happen(PartState("pad yay", Health.CONNECTED, "MFRC522", at.now_ms))
    see(at, "yay", "7a", at.now_ms + after_ms)
    assert at.recorded == (["yay 7a"] if counts else [])


@pytest.mark.parametrize(("again_ms", "counts"), [(300, False), (301, True)])
def test_a_reader_that_begins_anew_within_300_ms_tells_anew_of_what_lay_there(again_ms, counts):
    at = referee_in_attack()
    began_ms = at.now_ms
    for after_ms in (0, again_ms):
        at.happen(PartState("pad yay", Health.CONNECTED, "MFRC522", began_ms + after_ms))
    see(at, "yay", "7a", began_ms + again_ms + 299)
    assert at.recorded == (["yay 7a"] if counts else [])


def test_a_reader_that_begins_to_work_takes_nothing_from_the_other_pad():
    at = referee_in_attack()
    at.happen(PartState("pad wow", Health.CONNECTED, "MFRC522", at.now_ms))
    see(at, "yay", "7a", at.now_ms + 10)
    assert at.recorded == ["yay 7a"]


# ---- phones --------------------------------------------------------------------------------


def tags(at: AtTable) -> int:
    return sum(" tag " in text for text in at.recorded)


@pytest.mark.parametrize(("after_ms", "told"), [(999, 1), (1000, 2)])
def test_another_random_uid_within_a_second_is_the_same_phone(after_ms, told):
    at = referee_in_attack()
    at.put_tag("yay", PHONE)
    at.wait(after_ms)
    at.put_tag("yay", OTHER_PHONE)
    assert tags(at) == told


@pytest.mark.parametrize(("after_ms", "told"), [(999, 1), (1000, 2)])
def test_a_phone_that_lay_there_for_long_is_the_same_for_a_second_after_it_was_taken_away(after_ms, told):
    at = referee_in_attack()
    at.put_tag("yay", PHONE)
    at.wait(5000)
    at.happen(Lifted("yay", bytes.fromhex(PHONE), at.now_ms))
    at.wait(after_ms)
    at.put_tag("yay", OTHER_PHONE)
    assert tags(at) == told


def test_a_card_on_the_pad_does_not_make_another_phone_the_same():
    at = referee_in_attack()
    at.put_tag("yay", PHONE)
    at.wait(600)
    at.put("yay", "7a")
    at.wait(200)
    at.lift("yay", "7a")
    at.wait(300)
    at.put_tag("yay", OTHER_PHONE)
    assert tags(at) == 2


def test_an_unknown_card_right_after_a_phone_is_told():
    at = referee_in_attack()
    at.put_tag("yay", PHONE)
    at.put_tag("yay", "04a1b2c3d4e5ff")
    assert tags(at) == 2


def test_a_tag_that_is_told_twice_without_having_been_lifted_lies_there_once():
    at = referee_in_attack()
    at.play("yay", "7a")
    at.put("yay", "7a")
    assert len(at.table.pad(YAY).lying) == 1 and at.recorded == ["yay 7a"]


# ---- after a round, after a game -----------------------------------------------------------


def won_at_once() -> AtTable:
    """WOW has just won a game in board mode: Tacocat goes from space 7 to the goal."""
    at = AtTable.of(Rules(mode=Mode.BOARD))
    for _ in range(4):
        at.ok("wow")
    assert at.table.stage is Stage.OVER
    return at


@pytest.mark.parametrize(("after_ms", "runs"), [(699, False), (700, True)])
def test_the_winners_light_runs_when_tacocat_has_been_seen_for_350_ms_on_each_space(after_ms, runs):
    at = won_at_once()
    (glide,) = [effect for effect in at.scene.picture.effects if isinstance(effect, Glide)]
    assert (len(glide.stops), glide.step_ms, glide.start_ms) == (2, 350, at.now_ms)
    at.wait(after_ms)
    assert any(isinstance(effect, Run) for effect in at.scene.picture.effects) == runs


@pytest.mark.parametrize(("after_ms", "opened"), [(2699, False), (2700, True)])
def test_a_press_counts_again_two_seconds_after_the_winners_light_began(after_ms, opened):
    at = won_at_once()
    at.wait(after_ms)
    assert at.scene.lamps == ({"yay", "wow"} if opened else set())
    at.ok("yay")
    assert (at.table.menu is not None and at.table.menu.page == At.OVER) == opened


@pytest.mark.parametrize(("after_ms", "flashes"), [(1199, True), (1200, False)])
def test_a_refused_card_flashes_its_goal_three_times_for_400_ms(after_ms, flashes):
    at = referee_in_attack()
    at.put("wow", "8a")
    at.wait(300)
    at.wait(after_ms)
    found = [effect for effect in at.scene.picture.effects if isinstance(effect, Flash)]
    assert [(flash.times, flash.period_ms) for flash in found] == ([(3, 400)] if flashes else [])


@pytest.mark.parametrize(("after_ms", "note"), [(7999, "WOW: not your turn"), (8000, "")])
def test_the_reason_of_a_refusal_is_told_for_8_s(after_ms, note):
    at = referee_in_attack()
    at.put("wow", "8a")
    at.wait(300)
    at.lift_all()
    at.wait(after_ms)
    assert at.scene.page.note == note


# ---- how to play ---------------------------------------------------------------------------


@pytest.mark.parametrize(("after_ms", "count"), [(5999, "1 of 4"), (6000, "2 of 4")])
def test_a_page_of_how_to_play_is_seen_for_6_s(after_ms, count):
    at = referee_in_attack()
    at.menu()
    at.take(Item.HOW_TO)
    at.wait(20)  # it has been seen from now on
    at.wait(after_ms)
    assert at.scene.page.count == count


def test_no_other_menu_goes_on_by_itself():
    at = referee_in_attack()
    at.menu()
    before = at.table.menu
    at.wait(7000)
    assert at.table.menu == before


def test_the_time_alone_wakes_no_page_and_a_press_does():
    at = referee_in_attack()
    woken_ms = at.table.woken_ms
    at.wait(1000)
    at.happen(PartState("strip", Health.CONNECTED, "", at.now_ms))
    assert at.table.woken_ms == woken_ms
    at.happen(Pressed("yay", Press.OK, at.now_ms))
    assert at.table.woken_ms == at.now_ms

"""Several cards at once, cards out of turn, crowds: what counts of them, and what is taken back (docs/device.md)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.board import DEFAULT_BOARD
from engine.cards import WOW, YAY, parse_card
from engine.rules import LateFoul, Mode, Rules
from firmware.table.effects import Sound
from firmware.table.state import Remark, Stage, idle_cards
from hardware.ports import Flash, Health, PartState
from tests.support.at_table import AtTable, referee_in_attack


def attack_cards(at: AtTable) -> str:
    return " ".join(map(str, at.table.game.round.attack))


def play_mode_in_attack(hand_size: int) -> AtTable:
    """Play mode; YAY attacks with a hand of 3a, 3b, 4a and so on; WOW holds the 8s and 9s."""
    at = AtTable.of(Rules(board=replace(DEFAULT_BOARD, hand_sizes=(hand_size,) * 7)))
    at.play("yay", *("12a", "3a", "3b", "3c", "3d")[:hand_size])
    at.play("wow", *("1a", "8a", "8b", "8c", "9a")[:hand_size])
    at.lift_all()
    at.ok("yay"), at.ok("wow")
    at.play("yay", "12a"), at.play("wow", "1a")
    at.lift_all()
    at.wait(1000)
    assert at.phase() == "attack" and at.table.game.round.attacker is YAY
    at.effects.clear()
    return at


def lower_than_given_up(late_foul: LateFoul) -> AtTable:
    """YAY has given up a 9 as its lowest card, has then held, and attacks; it holds lower cards all the same."""
    at = AtTable.of(Rules(mode=Mode.REFEREE, late_foul=late_foul))
    for player in ("yay", "wow", "yay", "wow"):
        at.ok(player)
    at.play("yay", "1a"), at.play("wow", "12a")
    at.lift_all()
    for wow, yay in (("10a", "9a"), ("7a", "9b")):
        at.play("wow", wow), at.play("yay", yay)
        at.lift_all()
    at.wait(1000)
    assert at.table.game.round.attacker is YAY
    at.effects.clear()
    return at


# ---- groups --------------------------------------------------------------------------------


def test_one_card_too_many_takes_back_what_counted_of_its_group_and_nothing_before_it():
    at = referee_in_attack(hand_size=5)  # the duel leaves four cards, of which one has to be kept
    at.play("yay", "3a")
    at.put("yay", "3b", "3c", "3d", apart_ms=50)
    at.wait(1000)
    assert at.recorded == ["yay 3a", "yay 3b", "yay undo"]
    assert attack_cards(at) == "3a"


def test_a_card_that_was_refused_is_not_among_those_that_are_taken_back():
    at = play_mode_in_attack(5)
    at.play("yay", "3a")
    at.put("yay", "5a", "3b", "3c", "3d", apart_ms=20)  # the 5 was not dealt
    at.wait(1000)
    assert at.recorded == ["yay 3a", "yay 5a", "yay 3b", "yay undo"]
    assert attack_cards(at) == "3a"


def test_a_card_that_brought_a_late_foul_to_light_stays_when_its_group_has_one_too_many():
    at = lower_than_given_up(LateFoul.NOTE)
    at.put("yay", "3a", "3b", "3c", "3d", apart_ms=20)
    at.wait(1000)
    assert at.recorded == ["yay 3a", "yay 3b", "yay undo"]
    assert attack_cards(at) == "3a"


def test_a_round_that_the_first_card_of_a_group_has_ended_deals_nothing_of_the_second():
    at = AtTable.of(Rules(mode=Mode.REFEREE, late_foul=LateFoul.FORFEIT))
    for player in ("yay", "wow", "yay", "wow"):
        at.ok(player)
    at.play("yay", "1a"), at.play("wow", "12a")
    at.lift_all()
    at.play("wow", "10a"), at.play("yay", "9a")
    at.lift_all()
    at.play("wow", "5a", "5b")
    at.put("yay", "3a", "6a")
    at.wait(1000)
    assert at.recorded[-1] == "yay 3a"
    assert at.table.stage is Stage.CLEAR and at.table.game.number == 2
    assert at.effects.count(Sound.REJECTED) == 0


def test_an_answer_of_two_cards_may_be_laid_at_once():
    at = referee_in_attack()
    at.play("yay", "5a", "5b")
    at.put("wow", "6a", "6b")
    at.wait(1000)
    assert at.recorded[2:] == ["wow 6a", "wow 6b"]
    assert at.table.game.round.attacker is WOW


def test_an_answer_waits_for_its_group_and_three_cards_for_two_count_for_nothing():
    at = referee_in_attack()
    at.play("yay", "5a", "5b")
    at.effects.clear()
    at.put("wow", "6a", "6b", "6c", apart_ms=50)
    assert at.recorded == []
    at.wait(1000)
    assert at.recorded == [] and at.table.told.remark is Remark.TOO_MANY
    assert at.effects == [Sound.REJECTED]
    assert {effect.first for effect in at.scene.picture.effects if isinstance(effect, Flash)} == {60}  # WOW's goal


def test_discards_count_at_once_and_can_be_taken_back_one_by_one():
    at = AtTable.of(Rules(mode=Mode.REFEREE))
    at.ok("yay"), at.ok("wow")
    at.effects.clear()
    at.put("yay", "3a", "3b")
    assert at.recorded == ["yay 3a", "yay 3b"]
    at.undo("yay")
    assert at.table.game.round.replaced == (1, 0)


def test_a_card_of_the_attacker_after_the_attack_was_closed_is_out_of_turn():
    at = referee_in_attack()
    at.play("yay", "5a", "5b")
    at.ok("yay")
    at.effects.clear()
    at.put("yay", "6a")  # the attack is closed: it is WOW's turn
    assert at.recorded == []
    at.wait(1000)
    assert at.recorded == ["yay 6a"] and at.scene.page.note == "YAY: not your turn"


def test_cards_out_of_turn_are_told_once_for_all_of_a_group():
    at = referee_in_attack()
    at.put("wow", "8a", "9a")
    at.wait(1000)
    assert at.recorded == ["wow 8a"] and at.scene.page.note.startswith("WOW: not your turn")


def test_a_card_out_of_turn_that_is_lifted_at_once_is_nothing():
    at = referee_in_attack()
    at.put("wow", "8a")
    at.wait(100)
    at.lift("wow", "8a")
    at.wait(1000)
    assert at.effects == []


def test_a_card_that_is_lifted_takes_no_other_one_out_of_its_group():
    at = referee_in_attack()
    at.play("yay", "7a")
    at.play("wow", "8a")
    at.lift("yay", "7a")
    at.play("wow", "3a")
    at.put("yay", "9a")
    at.put_tag("yay", "04deadbeef0102")
    at.wait(100)
    at.lift("wow", "8a")
    at.lift("yay", "7a")
    at.wait(300)
    assert at.recorded[-2:] == ["yay tag 04deadbeef0102", "yay 9a"]


def test_an_old_card_that_is_lifted_from_the_same_pad_takes_no_waiting_one_with_it():
    at = referee_in_attack()
    at.play("yay", "7a")
    at.play("wow", "8a")  # it stays there
    at.play("wow", "3a")
    at.play("yay", "4a")
    at.play("yay", "5a")
    at.put("wow", "6a")
    at.lift("wow", "8a")
    at.wait(300)
    assert at.recorded[-1] == "wow 6a"


def test_an_unknown_tag_in_an_answer_counts_for_nothing_and_does_not_make_it_too_many():
    at = referee_in_attack()
    at.play("yay", "7a")
    at.put_tag("wow", "04deadbeef0102")
    at.put("wow", "8a")
    at.wait(1000)
    assert at.recorded[-1] == "wow 8a"


# ---- what turned up already ----------------------------------------------------------------


def test_a_drawn_card_that_wobbles_on_its_pad_is_drawn_once():
    at = AtTable.of(Rules(board=replace(DEFAULT_BOARD, hand_sizes=(3,) * 7)))
    at.play("yay", "3a", "4a", "5a"), at.play("wow", "3b", "4b", "5b")
    at.lift_all()
    at.play("yay", "3a", "4a")
    at.ok("yay")
    at.lift_all()
    at.effects.clear()
    for _ in range(2):
        at.play("yay", "6a")
        at.lift_all()
    assert at.recorded == ["yay 6a"] and at.table.told.remark is Remark.ALREADY_SEEN


def test_a_card_dealt_to_one_player_is_refused_to_the_other():
    at = AtTable.of(Rules())
    at.play("yay", "7a")
    at.lift_all()
    at.play("wow", "7a")
    assert at.recorded == ["yay 7a", "wow 7a"] and at.table.game.round.counts == (1, 0)


def test_a_card_of_the_hand_that_is_put_down_in_replace_is_a_discard():
    at = AtTable.of(Rules(board=replace(DEFAULT_BOARD, hand_sizes=(2,) * 7)))
    at.play("yay", "3a", "4a"), at.play("wow", "3b", "4b")
    at.lift_all()
    at.play("wow", "3b")
    assert at.recorded[-1] == "wow 3b" and at.table.game.round.replaced == (0, 1)


# ---- idle cards ----------------------------------------------------------------------------


def test_a_dealt_card_that_still_lies_there_and_one_that_waits_and_an_unknown_tag_are_not_idle():
    at = AtTable.of(Rules())
    at.put("yay", "7a")
    assert idle_cards(at.table, YAY) == 0  # it waits for its group
    at.wait(1000)
    assert idle_cards(at.table, YAY) == 0  # it is dealt
    at.put_tag("yay", "04deadbeef0102")
    assert idle_cards(at.table, YAY) == 0  # it is no card, and nothing would come of lifting it
    at.put("wow", "7b", "7c")
    at.wait(1000)
    assert idle_cards(at.table, WOW) == 2


def test_cards_of_the_hand_that_lie_on_the_pad_after_replacing_are_idle():
    at = AtTable.of(Rules(board=replace(DEFAULT_BOARD, hand_sizes=(2,) * 7)))
    at.play("yay", "3a", "4a"), at.play("wow", "3b", "4b")
    assert idle_cards(at.table, YAY) == 0
    at.ok("yay"), at.ok("wow")
    assert at.phase() == "duel" and idle_cards(at.table, YAY) == 2


# ---- crowds --------------------------------------------------------------------------------


def test_a_crowd_is_told_when_it_comes_and_not_when_it_goes():
    at = referee_in_attack()
    at.crowd("yay", True)
    assert at.table.told.remark is Remark.CLEAR_PAD
    at.wait(10_000)
    told = at.table.told
    at.crowd("yay", False)
    assert at.table.told is told


def test_a_crowd_between_rounds_is_no_remark_but_the_pad_is_not_clear():
    at = AtTable.of(Rules(), Stage.CLEAR)
    at.crowd("yay", True)
    assert at.table.told is None
    at.ok("wow")
    assert at.table.stage is Stage.CLEAR


def test_while_a_crowd_lies_there_lifting_the_cards_that_can_be_told_apart_is_not_enough():
    at = referee_in_attack()
    at.put("yay", "3a")
    at.crowd("yay", True)
    at.lift_all()
    assert at.scene.page.what == "Clear the pad"
    at.crowd("yay", False)
    assert at.scene.page.what == "WOW: answer"
    at.play("wow", "8a")
    assert at.recorded[-1] == "wow 8a"


def test_a_pad_without_a_crowd_has_not_to_be_cleared_when_a_card_of_several_is_lifted():
    at = referee_in_attack()
    at.play("yay", "7a", "7b")
    at.lift("yay", "7a")
    assert at.scene.page.what == "WOW: answer"
    assert [str(tag.card) for tag in at.table.pad(YAY).lying] == ["7b"]


def test_a_card_on_a_pad_that_has_to_be_cleared_is_told_so():
    at = referee_in_attack()
    at.put("yay", "3a")
    at.crowd("yay", True)
    at.crowd("yay", False)
    at.wait(10_000)
    at.put("yay", "4a")
    assert at.table.told.remark is Remark.CLEAR_PAD and at.recorded == ["yay 3a"]


# ---- unknown tags --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stage", "menu", "heard", "recorded"),
    [
        (Stage.ROUND, False, [Sound.UNKNOWN], 1),
        (Stage.ROUND, True, [Sound.UNKNOWN], 0),
        (Stage.CLEAR, False, [Sound.UNKNOWN], 0),
        (Stage.MAIN_MENU, False, [], 0),
    ],
)
def test_an_unknown_tag_is_an_event_in_a_round_only_and_is_told_wherever_a_game_is_played(stage, menu, heard, recorded):
    at = AtTable.of(Rules(mode=Mode.REFEREE), stage)
    if menu:
        at.menu()
    at.put_tag("yay", "04deadbeef0102")
    assert [effect for effect in at.effects if isinstance(effect, Sound)] == heard
    assert len(at.recorded) == recorded
    if heard and not recorded:
        assert at.table.told.remark is Remark.UNKNOWN_TAG


def test_a_card_put_down_between_rounds_is_told_only_where_no_menu_hides_it():
    at = AtTable.of(Rules(), Stage.CLEAR)
    at.menu()
    at.put("yay", "7a")
    assert at.table.told is None


# ---- parts ---------------------------------------------------------------------------------


def test_what_a_part_says_last_is_what_is_known_of_it_and_of_no_other():
    at = referee_in_attack()
    for part, health in (("pad yay", Health.LOST), ("strip", Health.LOST), ("pad yay", Health.CONNECTED)):
        at.happen(PartState(part, health, "", at.now_ms))
    assert {part.part: part.health for part in at.table.parts} == {"strip": Health.LOST, "pad yay": Health.CONNECTED}
    assert at.table.pad(WOW).found_ms is None


def test_both_pads_are_known_by_the_seats_of_their_players():
    at = referee_in_attack()
    at.put("wow", "8a")
    assert [len(pad.lying) for pad in at.table.pads] == [0, 1]
    assert at.table.pad(WOW).lying[0].card == parse_card("8a")


# ---- cards of somebody else ----------------------------------------------------------------


def test_a_card_of_no_hand_is_named_where_cards_lie_open():
    at = play_mode_in_attack(5)
    at.play("yay", "5a")
    assert at.scene.page.note == "5 is not in YAY's hand"


def test_a_drawn_card_that_is_in_the_other_hand_is_not_named():
    at = AtTable.of(Rules(board=replace(DEFAULT_BOARD, hand_sizes=(3,) * 7)))
    at.play("yay", "3a", "4a", "5a"), at.play("wow", "3b", "4b", "5b")
    at.lift_all()
    at.play("yay", "3a")
    at.ok("yay")
    at.lift_all()
    at.play("yay", "5b")
    assert at.scene.page.note == "This card was used already"

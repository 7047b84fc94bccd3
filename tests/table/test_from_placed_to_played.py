"""What hands, cards and children do (docs/device.md, From placed to played; faults H1 to H9)."""

from dataclasses import replace

from engine.board import DEFAULT_BOARD
from engine.cards import YAY, parse_card
from engine.rules import Mode, Rules
from firmware.table.effects import Name, Sound
from firmware.table.state import FOUND_MS, Remark, Stage, idle_cards
from hardware.ports import Flash, Health, Lifted, PartState, Placed
from tests.support.at_table import AtTable, referee_in_attack, uid_of


def test_a_placed_card_is_one_event_after_its_group_has_closed():
    at = referee_in_attack()
    at.put("yay", "7a")  # an attack counts at once: it can be taken back card by card
    assert at.recorded == ["yay 7a"]
    at.put("wow", "8a")
    assert at.recorded == ["yay 7a"]  # the last answering card waits for its group
    at.wait(300)
    assert at.recorded == ["yay 7a", "wow 8a"]


def test_nothing_is_an_event_between_rounds_until_both_pads_are_empty_and_an_ok_was_pressed():
    at = AtTable.of(Rules(mode=Mode.REFEREE), Stage.CLEAR)
    at.put("yay", "7a")
    at.wait(1000)
    at.ok("wow")
    assert at.recorded == []
    assert at.table.stage is Stage.CLEAR
    assert at.table.told is not None and at.table.told.remark is Remark.CLEAR_FIRST
    at.lift_all()
    at.ok("wow")
    assert at.table.stage is Stage.ROUND
    assert at.recorded == []


def test_a_card_that_came_just_before_the_ok_and_is_told_just_after_it_is_no_event():
    at = AtTable.of(Rules(), Stage.CLEAR)
    seen_ms = at.now_ms
    at.wait(80)  # it has not lain there long enough to be told
    at.ok("yay")
    assert at.table.stage is Stage.ROUND
    at.wait(40)
    at.happen(Placed("wow", uid_of("7a"), seen_ms))
    at.wait(1000)
    assert at.recorded == []
    assert at.table.told is not None and at.table.told.remark is Remark.TOO_SOON
    at.lift_all()
    at.put("wow", "7a")
    at.wait(1000)
    assert at.recorded == ["wow 7a"]


def test_a_card_that_came_while_a_menu_was_open_is_no_event_when_it_is_told_after_it():
    at = referee_in_attack()
    at.menu()
    seen_ms = at.now_ms
    at.wait(80)
    at.take("go on")
    at.happen(Placed("yay", uid_of("7a"), seen_ms))
    at.wait(1000)
    assert at.recorded == []


def test_a_card_that_lay_there_when_its_reader_began_to_work_is_no_event_until_it_is_put_down_again():
    at = referee_in_attack()
    at.happen(PartState("pad yay", Health.SEARCHING, "no answer yet", at.now_ms))
    at.wait(3000)
    found_ms = at.now_ms
    at.happen(PartState("pad yay", Health.CONNECTED, "MFRC522", found_ms))
    at.wait(100)
    at.happen(Placed("yay", uid_of("7a"), found_ms))
    at.happen(Placed("yay", uid_of("7b"), found_ms + FOUND_MS - 1))  # one that was missed by the first reading
    at.wait(1000)
    assert at.recorded == []
    assert idle_cards(at.table, YAY) == 2
    at.lift_all()
    at.put("yay", "7a")
    at.wait(1000)
    assert at.recorded == ["yay 7a"]


def test_a_reader_that_fails_again_at_once_tells_what_lay_there_when_it_is_back_for_good():
    at = referee_in_attack()
    at.happen(PartState("pad yay", Health.CONNECTED, "MFRC522", at.now_ms))
    at.wait(50)
    at.happen(PartState("pad yay", Health.LOST, "no answer", at.now_ms))
    at.wait(3000)
    at.happen(PartState("pad yay", Health.CONNECTED, "MFRC522", at.now_ms))
    at.wait(100)
    at.happen(PartState("pad yay", Health.CONNECTED, "it had lost its settings and was set up again", at.now_ms))
    at.happen(Placed("yay", uid_of("7a"), at.now_ms + FOUND_MS - 1))
    at.wait(1000)
    assert at.recorded == [] and idle_cards(at.table, YAY) == 1


def test_a_card_that_comes_while_a_reader_is_lost_counts_when_the_reader_is_back():
    at = referee_in_attack()
    for health in (Health.SEARCHING, Health.CONNECTED, Health.LOST):
        at.happen(PartState("pad yay", health, "", at.now_ms))
        at.wait(3000)
    at.happen(PartState("pad yay", Health.CONNECTED, "MFRC522", at.now_ms))
    at.happen(Placed("yay", uid_of("7a"), at.now_ms))
    at.wait(1000)
    assert at.recorded == ["yay 7a"]


def test_h1_tidied_cards_that_slide_over_the_pads_between_rounds_are_neither_played_nor_dealt():
    at = AtTable.of(Rules(), Stage.CLEAR)
    for card in ("3a", "4a", "5a"):
        at.put("wow", card)
        at.wait(400)
        at.lift("wow", card)
    at.ok("yay")
    at.wait(1000)
    assert at.recorded == []
    assert at.table.game.round.counts == (0, 0)


def test_h2_a_wobbling_pile_of_played_cards_is_quiet_and_no_event():
    at = referee_in_attack()
    at.play("yay", "7a")
    at.play("wow", "8a")
    at.effects.clear()
    for _ in range(5):
        at.lift("yay", "7a")
        at.put("yay", "7a")
        at.lift("wow", "8a")
        at.put("yay", "8a")  # on whichever pad
        at.lift("yay", "8a")
        at.wait(700)
    assert at.effects == []
    assert at.table.told is not None and at.table.told.remark is Remark.ALREADY_SEEN


def test_h2_a_dealt_card_that_wobbles_on_its_pad_is_dealt_once():
    at = AtTable.of(Rules())
    at.play("yay", "7a")
    at.lift("yay", "7a")
    at.play("yay", "7a")
    assert at.recorded == ["yay 7a"]
    assert not [effect for effect in at.effects if effect is Sound.REJECTED]


def test_h3_two_cards_where_one_was_wanted_count_for_nothing_and_the_second_is_no_attack():
    at = referee_in_attack()
    at.play("yay", "7a")
    at.effects.clear()
    at.put("wow", "8a", "9a", apart_ms=100)
    at.wait(1000)
    assert at.recorded == []
    assert at.phase() == "attack" and at.table.game.round.attack == (parse_card("7a"),)
    assert at.table.told is not None and at.table.told.remark is Remark.TOO_MANY
    assert Sound.REJECTED in at.effects
    assert idle_cards(at.table, at.table.game.to_act[1]) == 2
    assert any(isinstance(effect, Flash) for effect in at.scene.picture.effects)
    at.lift("wow", "8a", "9a")
    at.play("wow", "8a")
    assert at.recorded == ["wow 8a"]


def test_h3_two_cards_in_a_duel_or_a_showdown_count_for_nothing():
    at = AtTable.of(Rules(mode=Mode.REFEREE))
    for player in ("yay", "wow", "yay", "wow"):
        at.ok(player)
    assert at.phase() == "duel"
    at.effects.clear()
    at.put("yay", "7a", "8a")
    at.wait(1000)
    assert at.recorded == []


def test_a_third_card_of_an_attack_that_may_have_two_takes_the_whole_group_back():
    at = referee_in_attack(hand_size=4)  # the duel leaves three cards, of which one has to be kept
    at.put("yay", "3a", "3b", "3c", apart_ms=50)
    at.wait(1000)
    assert at.recorded == ["yay 3a", "yay undo"]  # the second waited: it might have been the last
    at.lift_all()
    assert at.table.game.round.attack == ()
    at.play("yay", "3a", "3b")
    assert at.table.game.round.attack == (parse_card("3a"), parse_card("3b"))


def test_h4_a_card_that_is_lifted_before_its_group_closes_is_no_event():
    at = referee_in_attack()
    at.play("yay", "7a")
    at.effects.clear()
    at.put("wow", "8a")
    at.wait(240)  # 80 ms over the pad, and 150 ms until it is missed
    at.lift("wow", "8a")
    at.wait(1000)
    assert at.effects == []


def test_h5_several_cards_at_once_in_a_deal_count_for_nothing():
    at = AtTable.of(Rules())
    at.put("yay", "3a", "3b", "3c")
    at.wait(1000)
    assert at.recorded == []
    assert at.table.game.round.counts == (0, 0)


def test_h5_two_cards_at_once_from_the_draw_pile_count_for_nothing():
    at = AtTable.of(Rules(board=replace(DEFAULT_BOARD, hand_sizes=(3,) * 7)))
    for player, cards in (("yay", ("3a", "4a", "5a")), ("wow", ("3b", "4b", "5b"))):
        at.play(player, *cards)
    at.lift_all()
    at.play("yay", "3a", "4a")
    at.ok("yay")
    at.lift_all()
    at.effects.clear()
    at.put("yay", "6a", "6b", apart_ms=100)
    at.wait(1000)
    assert at.recorded == []
    assert at.table.told is not None and at.table.told.remark is Remark.TOO_MANY
    at.lift_all()
    at.play("yay", "6a", "6b")
    assert at.recorded == ["yay 6a", "yay 6b"]


def test_h5_a_draw_pile_that_cannot_be_told_apart_has_to_be_cleared_and_nothing_of_it_counts():
    at = AtTable.of(Rules())
    at.put("yay", "3a", "3b")
    at.crowd("yay", True)
    at.wait(1000)
    assert at.recorded == []
    assert at.scene.page.what == "Clear the pad"
    at.crowd("yay", False)
    at.put("yay", "3c")
    at.wait(1000)
    assert at.recorded == []  # still not empty
    at.lift_all()
    at.play("yay", "3a")
    assert at.recorded == ["yay 3a"]


def test_h5_a_card_that_waits_for_its_group_counts_for_nothing_if_a_crowd_comes():
    at = AtTable.of(Rules())
    at.put("yay", "3a")
    at.wait(100)
    at.crowd("yay", True)
    at.wait(1000)
    assert at.recorded == []


def test_h6_a_long_press_that_is_released_early_shows_a_bar_and_is_no_undo():
    at = referee_in_attack()
    at.play("yay", "7a")
    at.hold("yay")
    assert at.scene.page.bar == ("undo", 0)
    at.wait(400)
    assert at.scene.page.bar == ("undo", 50)
    at.undo("yay")
    assert at.recorded == ["yay 7a", "yay undo"]


def test_h7_this_round_again_needs_both_and_leaves_tacocat_where_it_is():
    at = referee_in_attack()
    at.menu()
    at.take("round again")
    at.ok("wow")
    at.ok("wow")
    assert at.recorded == []
    at.ok("yay")
    assert at.recorded == ["void"]
    assert at.table.stage is Stage.CLEAR
    assert (at.table.game.number, at.table.game.track.tacocat) == (2, 4)


def test_h7_a_round_that_only_one_would_give_up_goes_on():
    at = referee_in_attack()
    at.menu()
    at.take("round again")
    at.ok("wow")
    at.undo("yay")
    assert at.table.menu is None
    at.play("yay", "7a")
    assert at.recorded == ["yay 7a"]


def test_h8_an_unknown_tag_takes_the_place_of_a_torn_one():
    at = referee_in_attack()
    at.put_tag("yay", "04112233445566")
    assert at.recorded == ["yay tag 04112233445566"]
    assert "04112233445566" in at.scene.page.note
    at.menu()
    at.take("name tag")
    at.take("7")
    named = [effect for effect in at.effects if isinstance(effect, Name)]
    assert [(name.uid.hex(), name.card.rank, name.old) for name in named] == [("04112233445566", 7, uid_of("7a"))]
    assert uid_of("7a") not in at.table.tags
    at.effects.clear()
    at.lift_all()
    at.put_tag("yay", "04112233445566")
    assert at.recorded == ["yay 7a"]


def test_h8_the_copy_that_gets_the_new_tag_is_the_one_not_read_for_longest():
    at = referee_in_attack()
    at.play("yay", "7a")
    at.undo("yay")
    at.put_tag("yay", "04112233445566")
    at.menu()
    at.take("name tag")
    at.take("7")
    assert at.table.tags[bytes.fromhex("04112233445566")] == parse_card("7b")


def test_h9_both_buttons_lead_out_of_a_game_and_into_another():
    at = referee_in_attack()
    at.menu()
    assert at.scene.page.menu[0] == "Go on"
    at.take("end game")
    at.take("end game")
    assert at.table.stage is Stage.MAIN_MENU
    at.take("board")
    assert at.table.game.rules.mode is Mode.BOARD
    at.ok("yay")
    assert at.table.game.track.tacocat == 3


def test_go_on_closes_the_menu_and_changes_nothing():
    at = referee_in_attack()
    game = at.table.game
    at.menu()
    at.take("go on")
    assert at.table.menu is None and at.table.game is game


def test_a_card_put_down_while_a_menu_is_open_is_no_event():
    at = referee_in_attack()
    at.menu()
    at.put("yay", "7a")
    at.wait(1000)
    at.menu()
    at.wait(1000)
    assert at.recorded == []
    assert idle_cards(at.table, YAY) == 1


def test_cards_whose_play_was_taken_back_count_for_nothing_until_they_are_put_down_again():
    at = referee_in_attack()
    at.play("yay", "7a", "7b")
    at.undo("yay")
    at.wait(10_000)
    assert idle_cards(at.table, YAY) == 1
    assert "1 card counts for nothing" in at.scene.page.note
    at.lift("yay", "7b")
    at.play("yay", "7b")
    assert at.recorded == ["yay 7a", "yay 7b", "yay undo", "yay 7b"]


def test_cards_of_a_rejected_attack_are_all_to_be_laid_again():
    at = referee_in_attack()
    at.play("yay", "3a", "9a")
    at.ok("yay")
    at.wait(10_000)
    assert idle_cards(at.table, YAY) == 2
    assert "2 cards count for nothing" in at.scene.page.note


def test_a_defender_who_was_quicker_than_an_unfinished_sequence_is_told_so():
    at = referee_in_attack()
    at.play("yay", "3a", "4a")
    at.play("wow", "8a")
    assert at.scene.page.note == "answered too soon: YAY, lay all again"


def test_after_a_completed_trick_nothing_counts_for_half_a_second():
    at = referee_in_attack()
    at.play("yay", "7a")
    at.put("wow", "8a")
    at.wait(320)
    at.put("wow", "9a")  # wow attacks next, but this came too soon to be meant
    at.wait(2000)
    assert at.recorded == ["yay 7a", "wow 8a"]
    at.lift("wow", "9a")
    at.play("wow", "9a")
    assert at.recorded == ["yay 7a", "wow 8a", "wow 9a"]


def test_an_ok_right_after_a_card_confirms_that_card():
    at = referee_in_attack()
    at.put("yay", "7a")
    at.ok("yay")
    assert at.recorded == ["yay 7a", "yay ok"]


def test_r20_an_unknown_tag_has_its_own_sound_and_is_named_by_its_uid():
    at = referee_in_attack()
    at.put_tag("wow", "04deadbeef0102")
    assert Sound.UNKNOWN in at.effects
    assert "04deadbeef0102" in at.scene.page.note


def test_a_random_uid_is_refused_with_the_reason():
    at = referee_in_attack()
    at.put_tag("wow", "0824a937")
    assert "phone or bank card" in at.scene.page.note


def test_in_board_mode_an_ok_moves_tacocat_and_cards_do_nothing():
    at = AtTable.of(Rules(mode=Mode.BOARD))
    at.play("yay", "7a")
    at.ok("wow")
    assert at.recorded == ["wow ok"]
    assert at.table.game.track.tacocat == 5


def test_after_a_won_game_presses_count_again_after_two_seconds():
    at = AtTable.of(Rules(mode=Mode.BOARD))
    for _ in range(4):
        at.ok("wow")
    assert at.table.stage is Stage.OVER
    at.ok("wow")
    assert at.table.menu is None and at.scene.lamps == frozenset()
    at.wait(4000)
    at.ok("wow")
    at.take("play again")
    assert at.table.stage is Stage.ROUND and at.table.game.track.tacocat == 4


def test_a_showdown_that_ended_the_game_can_be_taken_back_by_holding_the_button():
    at = AtTable.of(Rules(mode=Mode.BOARD))
    for _ in range(4):
        at.ok("wow")
    at.undo("yay")
    assert at.table.stage is Stage.ROUND
    assert at.table.game.track.tacocat == 7


def test_an_ok_with_the_last_card_of_a_round_is_not_the_first_of_the_next():
    at = AtTable.of(Rules(mode=Mode.REFEREE, board=replace(DEFAULT_BOARD, hand_sizes=(2,) * 7)))
    for player in ("yay", "wow", "yay", "wow"):
        at.ok(player)
    at.play("yay", "8a")
    at.play("wow", "3a")
    at.lift_all()
    at.wait(1000)
    at.play("yay", "5a")
    at.effects.clear()
    at.put("wow", "6a")
    at.ok("wow")  # at once, while the card waits for its group
    assert at.recorded == ["wow 6a"]
    assert at.table.stage is Stage.CLEAR and not at.table.game.round.ready


def test_an_ok_with_the_last_dealt_card_does_not_say_that_no_card_is_replaced():
    at = AtTable.of(Rules())
    for number in range(3, 10):
        at.play("yay", f"{number}a")
        at.lift_all()
        at.put("wow", f"{number}b")
        at.wait(100 if number == 9 else 900)
    at.ok("wow")
    assert at.phase() == "replace" and at.recorded[-1] == "wow 9b"
    at.ok("wow")
    assert at.recorded[-1] == "wow ok"


def test_a_card_put_down_before_ok_is_told_that_it_does_not_count():
    at = AtTable.of(Rules(), Stage.CLEAR)
    at.put("yay", "7a")
    at.lift_all()
    assert at.effects == [] and at.scene.page.note == "No card counts before ok"


def test_a_pad_with_five_cards_asks_to_be_cleared_before_the_sixth():
    at = referee_in_attack(hand_size=9)
    for attack, answer in (("3a", "4a"), ("3b", "4b")):
        attacker = at.table.game.round.attacker
        at.play(attacker, attack)
        at.play(attacker.other, answer)
    for card in ("5a", "5b", "5c"):
        at.play("yay", card)
    at.wait(9000)
    assert len(at.table.pad(YAY).lying) == 5
    assert at.scene.page.note == "YAY: pad full, clear it first"


def test_a_player_who_has_discarded_is_told_to_draw_while_the_other_still_chooses():
    at = AtTable.of(Rules())
    cards = [f"{rank}{copy}" for rank in (3, 4, 5, 6) for copy in "abcde"]
    for number in range(14):
        at.play("yay" if number % 2 == 0 else "wow", cards[number])
    at.lift_all()
    at.play("yay", "3a")
    at.ok("yay")
    assert at.scene.page.what == "YAY: draw 1; WOW: ok"


def test_after_an_undo_the_card_that_still_lies_there_is_the_first_thing_said():
    at = referee_in_attack()
    at.play("yay", "7a")
    at.undo("yay")
    assert "counts for nothing" in at.scene.page.note


def test_a_phone_that_rests_on_a_pad_is_told_once_however_often_it_makes_up_another_uid():
    at = referee_in_attack()
    for number in range(20):
        uid = f"08a1b2{number:02x}"
        at.put_tag("yay", uid)
        at.wait(250)
        at.happen(Lifted("yay", bytes.fromhex(uid), at.now_ms))
        at.wait(100)
    assert at.recorded == ["yay tag 08a1b200"]
    at.wait(2000)
    at.put_tag("yay", "08a1b2ff")  # taken away, and brought back
    assert at.recorded == ["yay tag 08a1b200", "yay tag 08a1b2ff"]
    at.put_tag("yay", "04a1b2c3d4e5ff")  # another tag is another matter
    assert at.recorded[-1] == "yay tag 04a1b2c3d4e5ff"

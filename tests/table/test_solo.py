"""The table as a player: its row, what it asks for, what it chooses in secret, and what hands may do to it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.board import Board
from engine.cards import Player, parse_card
from engine.round import Phase
from engine.rules import Rules
from firmware.table.effects import Begin, Choose, NoteRow, Sound, Think
from firmware.table.menus import Item, open_main
from firmware.table.row import relearned
from firmware.table.solo import PAUSE_MOST_MS, pause_ms
from firmware.table.state import Decision, Remark, Stage
from tests.support.solo_table import SoloTable, always

FOUR = Rules(board=Board((4,) * 7, Rules().board.arrows))
MINE, ROW = "3a 5a 8a 10a", "4a 6a 7a 9a"


def keeps(asked: Think) -> list:
    """Discards nothing; the lowest card in the duel, the lowest alone as an attack."""
    if asked.view.phase is Phase.REPLACE:
        return []
    hand = sorted(asked.view.hand)
    return [hand[0]]


def dealt(mind=keeps) -> SoloTable:
    at = SoloTable.begun(mind, FOUR)
    at.deal(MINE, ROW)
    return at


def in_attack_of_the_table() -> SoloTable:
    """The table has won the duel with its highest card and holds 4a 6a 7a, the person 5a 8a 10a."""
    at = SoloTable.begun(lambda asked: [] if asked.view.phase is Phase.REPLACE else [max(asked.view.hand)], FOUR)
    at.deal(MINE, ROW)
    at.ok("yay")
    at.think()
    at.lay(4)
    at.play("yay", "3a")
    assert at.phase() == "attack" and at.table.game.round.attacker is Player.WOW
    at.lift_all()
    return at


# ---- the deal ------------------------------------------------------------------------------


def test_the_cards_of_the_row_lie_in_places_from_the_left_in_the_order_of_the_deal():
    at = dealt()
    assert [at.card_in(place) for place in (1, 2, 3, 4)] == ROW.split()


def test_after_each_of_its_cards_the_screen_says_in_which_place_it_belongs():
    at = SoloTable.begun(keeps, FOUR)
    at.play("yay", "3a")
    at.play("wow", "4a")
    assert at.scene.page.note == "Into the row, face down: place 1"
    at.play("wow", "6a")
    assert at.scene.page.note == "Into the row, face down: place 2"


def test_the_button_of_the_tables_side_takes_back_the_card_that_was_dealt_to_it_last_and_nothing_else():
    at = SoloTable.begun(keeps, FOUR)
    at.play("wow", "4a")
    at.undo("wow")
    assert at.recorded[-1] == "wow undo" and at.table.game.round.counts == (0, 0)
    at.play("yay", "3a")
    at.undo("wow")
    assert at.recorded[-1] == "yay 3a"


def test_an_ok_of_the_tables_side_does_nothing_and_its_lamp_is_off_in_a_round():
    at = dealt(mind=None)
    before = at.recorded
    at.ok("wow")
    assert at.recorded == before and "wow" not in at.scene.lamps


# ---- deciding ------------------------------------------------------------------------------


def test_whoever_decides_is_given_the_view_of_the_tables_seat_and_nothing_else():
    at = dealt()
    asked = next(effect for effect in at.effects if isinstance(effect, Think))
    assert asked.view.seat is Player.WOW and {str(card) for card in asked.view.hand} == set(ROW.split())
    assert (asked.number, asked.view.phase, asked.view.may_still_replace(Player.WOW)) == (1, Phase.REPLACE, 4)


def test_a_place_is_shown_only_after_the_pause_however_soon_the_table_has_decided():
    at = in_attack_of_the_table()
    at.table = replace(at.table, told=None)  # the cards of the duel have been looked at
    sounds = at.effects.count(Sound.PLACE)
    assert at.scene.page.what == "WOW thinks" and at.opponent.places_left == ()
    at.think()
    assert at.scene.page.what == "Lay place 3" and at.effects.count(Sound.PLACE) == sounds + 1


def test_the_pause_depends_on_what_everybody_may_know_and_on_chance():
    solo = SoloTable.begun().opponent.solo
    pauses = {pause_ms(solo, number, 2) for number in range(50)}
    assert len(pauses) > 20 and min(pauses) >= 500 and max(pauses) <= PAUSE_MOST_MS
    assert pause_ms(solo, 3, 9) > pause_ms(solo, 3, 0)
    assert pause_ms(solo, 3, 90) == PAUSE_MOST_MS


@pytest.mark.parametrize(("late_ms", "shown_ms"), [(0, 0), (1, 1000), (1000, 1000), (1001, 2000)])
def test_a_decision_that_comes_late_is_shown_at_a_whole_second_after_the_pause(late_ms: int, shown_ms: int):
    at = dealt(mind=None)
    at.ok("yay")
    due_ms = at.opponent.due_ms
    at.wait(due_ms + late_ms - at.now_ms)
    at.happen(Decision(at.opponent.asked, (parse_card("9a"),), at.now_ms))
    assert at.opponent.due_ms == due_ms + shown_ms


def test_the_answer_to_another_question_is_passed_over():
    at = dealt(mind=None)
    at.happen(Decision(99, (), at.now_ms))
    assert at.opponent.chosen is None
    at.happen(Decision(1, (), at.now_ms))
    at.happen(Decision(1, (parse_card("4a"),), at.now_ms))
    assert at.opponent.chosen == ()


# ---- in secret -----------------------------------------------------------------------------


def test_on_a_double_arrow_the_table_has_chosen_before_a_discard_of_the_person_counts():
    at = dealt(mind=None)
    at.play("yay", "3a")
    at.ok("yay")
    assert at.recorded[-1] == "wow 9a"  # the last card of the deal
    at.happen(Decision(1, (parse_card("4a"), parse_card("6a")), at.now_ms))
    at.wait(20)
    assert at.written[-3:] == ["choice wow 4a 6a", "yay 3a", "yay ok"]


def test_in_the_duel_the_tables_choice_is_written_before_the_persons_card():
    at = dealt()
    at.ok("yay")
    at.think()
    at.play("yay", "10a")
    at.think()
    assert at.scene.page.what == "Place 1, face down"
    at.lay(1)
    assert at.written[-3:] == ["choice wow 4a", "yay 10a", "wow 4a"]


def test_a_card_of_the_person_that_comes_too_soon_counts_as_soon_as_the_table_has_chosen():
    at = dealt()
    at.ok("yay")
    at.think()
    at.mind = None
    assert at.phase() == "duel"
    duel = dealt(mind=None)
    duel.happen(Decision(1, (), duel.now_ms))
    duel.ok("yay")
    duel.think()
    duel.play("yay", "10a")
    assert duel.recorded[-1] == "wow ok"
    duel.happen(Decision(2, (parse_card("4a"),), duel.now_ms))
    duel.wait(20)
    assert duel.written[-2:] == ["choice wow 4a", "yay 10a"]


def test_an_attack_is_no_secret():
    at = in_attack_of_the_table()
    at.think()
    assert not any(isinstance(effect, Choose) and effect.choice.cards == (parse_card("7a"),) for effect in at.effects)


# ---- its own ok ----------------------------------------------------------------------------


def test_the_table_closes_its_attack_itself_with_its_last_card():
    at = in_attack_of_the_table()
    at.think()
    at.lay(3, leave=True)
    assert at.recorded[-2:] == ["wow 7a", "wow ok"] and at.phase() == "defend"
    assert at.scene.page.note == "Turn it"


def test_what_is_to_be_done_with_a_card_is_said_until_it_is_lifted_and_its_place_two_seconds_longer():
    at = in_attack_of_the_table()
    at.think()
    at.lay(3, leave=True)
    at.lift("wow", "7a")
    assert "Turn it" not in at.scene.page.note
    at = SoloTable.begun(keeps, FOUR)
    at.play("wow", "4a")
    at.wait(20_000)
    assert at.scene.page.note == "Back to place 1, face down"  # as long as it lies there
    at.lift("wow", "4a")
    at.play("wow", "6a")
    at.lift("wow", "6a")
    at.wait(1500)
    assert at.scene.page.note == "Into the row, face down: place 2"
    at.wait(600)
    assert "place" not in at.scene.page.note


def test_until_the_table_has_laid_its_attack_the_persons_cards_count_for_nothing():
    at = in_attack_of_the_table()
    before = at.recorded
    at.play("yay", "8a")
    assert at.recorded == before and at.table.told.remark is Remark.WAIT


def test_the_table_answers_only_to_an_attack_that_was_closed():
    at = dealt()
    at.win_the_duel()
    asked = at.opponent.asked
    at.play("yay", "3a")
    assert at.scene.page.what == "YAY: more, or ok" and at.scene.page.arrow == "left" and at.opponent.asked == asked
    at.ok("yay")
    assert at.opponent.asked == asked + 1
    at.think()
    at.lay(2)
    assert at.recorded[-2:] == ["yay ok", "wow 6a"]


# ---- replace -------------------------------------------------------------------------------


def test_discards_are_laid_by_their_places_and_turned_and_the_drawn_cards_fill_the_lowest_empty_places():
    at = dealt(always("6a", "9a"))
    at.think()
    assert at.scene.page.what == "Lay 2 4, turn them"
    at.lay(4)
    at.lay(2)
    assert at.recorded[-3:] == ["wow 9a", "wow 6a", "wow ok"]
    assert at.scene.page.what == "Draw for WOW: place 2"
    at.play("wow", "1a")
    assert at.scene.page.what == "Draw for WOW: place 4"
    at.play("wow", "2a")
    assert [at.card_in(place) for place in (1, 2, 3, 4)] == ["4a", "1a", "7a", "2a"]


# ---- a child's hands -----------------------------------------------------------------------


def test_another_card_of_the_row_than_the_one_meant_is_no_event_and_is_sent_back_to_its_place():
    at = in_attack_of_the_table()
    at.think()
    before = at.recorded
    at.play("wow", at.card_in(1))
    assert at.recorded == before and at.scene.page.note == "Not this one: back to place 1, face down"


def test_a_card_of_the_row_on_the_persons_pad_is_no_event_and_is_sent_back_to_its_place():
    at = in_attack_of_the_table()
    before = at.recorded
    at.play("yay", at.card_in(2))
    assert at.recorded == before and at.scene.page.note == "Not this one: back to place 2, face down"


def test_a_card_of_the_persons_on_the_tables_pad_is_no_event():
    at = in_attack_of_the_table()
    before = at.recorded
    at.play("wow", "8a")
    assert at.recorded == before and at.scene.page.note == "No card of WOW's row"


def test_no_place_is_laid_before_it_is_shown():
    at = in_attack_of_the_table()
    before = at.recorded
    at.play("wow", at.card_in(3))
    assert at.recorded == before and at.table.told.remark is Remark.PUT_BACK


def test_two_cards_of_the_row_at_once_count_only_as_far_as_they_are_meant():
    at = in_attack_of_the_table()
    at.think()
    at.put("wow", at.card_in(3), at.card_in(1))
    assert at.recorded[-2:] == ["wow 7a", "wow ok"] and at.table.game.round.counts == (3, 2)


# ---- the row is learned anew ---------------------------------------------------------------


def test_a_row_that_was_mixed_up_is_learned_anew_by_passing_it_over_the_pad_from_the_left():
    at = dealt()
    at.menu()
    at.take(Item.ROW_MIXED)
    assert at.scene.page.title == "The row" and at.scene.page.count == "0 of 4"
    before = at.recorded
    for card in ("9a", "7a", "4a", "6a"):
        at.play("wow", card)
        at.lift("wow", card)
    assert at.opponent.learning is None and at.recorded == [*before, "wow ok"]  # it had waited for that
    assert [at.card_in(place) for place in (1, 2, 3, 4)] == ["9a", "7a", "4a", "6a"]
    learned = tuple(map(parse_card, ("9a", "7a", "4a", "6a")))
    assert [effect for effect in at.effects if isinstance(effect, NoteRow)] == [NoteRow(()), NoteRow(learned)]


def test_while_the_row_is_learned_no_other_card_and_no_ok_is_a_play():
    at = dealt()
    at.menu()
    at.take(Item.ROW_MIXED)
    before = at.recorded
    at.play("yay", "3a")
    at.ok("yay")
    assert at.recorded == before and at.opponent.learning == ()


def test_while_the_row_is_learned_only_its_own_cards_on_its_own_pad_are():
    at = dealt()
    at.menu()
    at.take(Item.ROW_MIXED)
    for player, card in (("yay", "4a"), ("wow", "3a")):  # one of the row on the person's pad, and the other way round
        at.play(player, card)
        assert at.opponent.learning == ()
        assert at.table.told is not None and at.table.told.remark is Remark.NOT_OF_ROW
        at.lift(player, card)


def test_a_card_that_lay_elsewhere_while_the_row_was_learned_has_its_place_behind_it():
    four, six, seven, nine = map(parse_card, ROW.split())
    before = ((four, 1), (six, 2), (seven, 3), (nine, 4))
    assert relearned(before, (seven, four, six)) == ((seven, 1), (four, 2), (six, 3), (nine, 4))


# ---- taking back ---------------------------------------------------------------------------


def test_an_undo_takes_back_first_what_the_table_has_done_since_newest_first():
    at = dealt()
    at.win_the_duel()
    at.play("yay", "3a", "5a")
    at.undo("yay")
    at.ok("yay")
    at.think()
    at.lay(2)  # one card, and the answer is complete
    at.undo("yay")
    assert at.recorded[-3:] == ["wow 6a", "wow undo", "yay undo"]
    assert at.scene.page.note == "Back to place 2, face down"
    assert at.phase() == "attack" and at.card_in(2) == "6a"


def test_after_an_undo_the_table_decides_anew():
    at = dealt()
    at.win_the_duel()
    at.play("yay", "3a")
    at.ok("yay")
    at.think()
    asked = at.opponent.asked
    at.undo("yay")
    at.ok("yay")
    assert at.opponent.asked == asked + 1


def test_what_the_rules_do_not_let_be_taken_back_stays_and_the_screen_says_so():
    at = dealt()
    at.ok("yay")
    at.think()
    at.play("yay", "10a")
    at.think()
    at.lay(1)  # completes the duel
    at.undo("yay")
    assert at.recorded[-1] == "yay undo" and at.scene.page.note != ""
    assert at.phase() == "attack"


def test_the_person_alone_gives_the_round_up():
    at = dealt()
    at.menu()
    at.take(Item.ROUND_AGAIN)
    at.ok("yay")
    assert at.recorded[-1] == "void" and at.table.stage is Stage.CLEAR


# ---- beginning -----------------------------------------------------------------------------


def test_a_game_against_the_table_is_begun_in_the_menu_with_level_and_side():
    at = SoloTable.begun(keeps)
    at.table = open_main(replace(at.table, chance=8123), None)
    at.take(Item.SOLO)
    at.take("strong")
    at.take("wow strong")
    assert (at.opponent.side, at.opponent.solo.level, at.opponent.solo.seed) == (Player.YAY, "strong", 8123)
    begun = at.effects[-1]
    assert isinstance(begun, Begin) and begun.solo == at.opponent.solo and at.table.chance != 8123


def test_another_game_has_another_seed():
    at = SoloTable.begun(keeps)
    at.table = open_main(at.table, None)
    seeds = set()
    for _ in range(5):
        at.take(Item.SOLO)
        at.take("gentle")
        at.take("yay gentle")
        seeds.add(at.opponent.solo.seed)
        at.menu()
        at.take(Item.MAIN_MENU)
    assert len(seeds) == 5

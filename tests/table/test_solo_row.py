"""The table's row when hands, an undo or a power cut come between: each card's place is known, or learned anew."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from engine.board import Board
from engine.cards import WOW, Card, parse_card
from engine.events import card_event, ok_event
from engine.players.situation import forced_play
from engine.round import Phase
from engine.rules import Rules
from engine.transcript import Solo
from firmware.kept.games import RowNote, read_game
from firmware.kept.journal import Journal, SoloGame
from firmware.table.effects import Choose, NoteRow, Record, Think
from firmware.table.games import resume
from firmware.table.menus import Item, open_main
from firmware.table.resuming import offer_of
from firmware.table.state import Decision, Offer, Remark, Stage
from firmware.table.turn import Turn
from tests.support.solo_table import SoloTable

FOUR = Rules(board=Board((4,) * 7, Rules().board.arrows))
MINE, ROW = "3a 5a 8a 10a", "4a 6a 7a 9a"


def keeps(asked: Think) -> list[Card]:
    """Discards nothing; else its lowest card, or what it has to complete."""
    if asked.view.phase is Phase.REPLACE:
        return []
    forced = forced_play(asked.view)
    return sorted(forced.cards if forced else asked.view.hand)[:1]


def dealing(mind=keeps) -> SoloTable:
    at = SoloTable.begun(mind, FOUR)
    for card in ("4a", "6a"):
        at.play("wow", card)
        at.lift("wow", card)
    return at


def mixed(at: SoloTable) -> SoloTable:
    at.menu()
    at.take(Item.ROW_MIXED)
    return at


def passed(at: SoloTable, *cards: str) -> SoloTable:
    return passed_to(at, "wow", *cards)


def passed_to(at: SoloTable, player: str, *cards: str) -> SoloTable:
    for card in cards:
        at.play(player, card)
        at.lift(player, card)
    return at


def attacked() -> SoloTable:
    """The person has won the duel and attacks with one card; the table has 6a 7a 9a in its places 2, 3, 4."""
    at = SoloTable.begun(keeps, FOUR)
    at.deal(MINE, ROW)
    at.win_the_duel()
    at.play("yay", "3a")
    at.ok("yay")
    at.lift_all()
    at.think()
    return at


def cut(at: SoloTable, folder: Path) -> SoloTable:
    """The table as it comes back after a power cut, with its game resumed."""
    journal = Journal(folder)
    journal.take(SoloGame(FOUR, Solo(at.opponent.side, "good", 7)))
    for effect in at.effects:
        match effect:
            case Record(event):
                journal.take(event)
            case Choose(choice):
                journal.take(choice)
            case NoteRow(cards):
                journal.take(RowNote(cards))
    journal.keep()
    journal.close()
    assert journal.path is not None
    after = SoloTable.of(FOUR)
    after.mind = at.mind
    after.table = open_main(after.table, offer_of(read_game(journal.path)))
    after.take(Item.RESUME)
    return after


# ---- learned anew, whenever it is ------------------------------------------------------------


def test_a_row_is_learned_anew_while_it_is_dealt():
    at = passed(mixed(dealing()), "6a", "4a")
    assert at.opponent.learning is None and [at.card_in(place) for place in (1, 2)] == ["6a", "4a"]
    at.play("wow", "7a")
    assert at.scene.page.note == "Into the row, face down: place 3"


def test_a_row_is_learned_anew_while_the_table_draws():
    at = SoloTable.begun(lambda asked: sorted(asked.view.hand)[:2], FOUR)
    at.deal(MINE, ROW)
    at.think()
    at.lay(1, 2)
    assert at.scene.page.what == "Draw for WOW: place 1"
    passed(mixed(at), "9a", "7a")
    assert at.scene.page.what == "Draw for WOW: place 3" and at.card_in(1) == "9a"


def test_after_a_power_cut_a_row_that_was_mixed_up_is_still_to_be_learned(tmp_path):
    at = passed(mixed(dealing()), "6a")
    after = cut(at, tmp_path)
    assert after.scene.page.title == "The row" and after.scene.page.count == "0 of 2"
    passed(after, "6a", "4a")
    assert after.opponent.learning is None and after.card_in(1) == "6a"


def test_after_a_power_cut_a_row_that_was_learned_is_as_it_was_learned(tmp_path):
    after = cut(passed(mixed(dealing()), "6a", "4a"), tmp_path)
    assert after.opponent.learning is None and after.card_in(1) == "6a"


def test_a_round_that_is_given_up_while_the_row_is_learned_leaves_nothing_to_learn(tmp_path):
    at = mixed(dealing())
    at.menu()
    at.take(Item.ROUND_AGAIN)
    at.ok("yay")
    assert cut(at, tmp_path).opponent.learning is None
    at.ok("yay")
    assert at.table.stage is Stage.ROUND and at.opponent.learning is None
    at.play("wow", "7a")
    assert at.recorded[-1] == "wow 7a"


def test_a_held_button_begins_to_learn_the_row_from_the_left_again_and_takes_nothing_back():
    for player in ("yay", "wow"):
        at = passed(mixed(dealing()), "6a")
        before = at.recorded
        at.undo(player)
        assert at.recorded == before and at.scene.page.count == "0 of 2"


def test_of_two_cards_that_lie_on_the_pad_at_once_none_is_learned():
    at = mixed(dealing())
    at.put("wow", "6a", "4a")
    assert at.scene.page.count == "0 of 2" and at.table.told.remark is Remark.TOO_MANY
    at.lift_all()
    passed(at, "6a", "4a")
    assert at.card_in(1) == "6a"


def test_a_card_that_is_taken_back_after_the_row_was_learned_gets_a_place_of_its_own():
    at = SoloTable.begun(keeps, FOUR)
    at.deal(MINE, ROW)
    at.ok("yay")
    at.think()
    at.lay(1)
    passed(mixed(at), "9a", "7a", "6a")
    at.undo("yay")  # the ok of the deal, and the table's card of the duel before it
    assert at.recorded[-2:] == ["wow undo", "wow undo"] or at.recorded[-1] == "yay undo"
    held = at.table.game.round.hands[1]
    places = [place for card, place in at.opponent.places if card in held]
    assert len(set(places)) == len(held) == 4
    assert at.scene.page.note == "Back to place 4, face down"


# ---- what the screen says --------------------------------------------------------------------


def test_a_card_that_was_dealt_already_is_told_its_place():
    at = dealing()
    before = at.recorded
    at.play("wow", "6a")
    assert at.recorded == before and at.scene.page.note == "Back to place 2, face down"


def test_a_game_that_goes_on_says_in_which_places_there_are_cards(tmp_path):
    after = cut(attacked(), tmp_path)
    assert after.scene.page.note == "In the row: 2–4"


def test_an_attack_that_cannot_be_completed_is_taken_back_after_a_power_cut_and_its_places_are_said(tmp_path):
    at = SoloTable.begun(lambda asked: [] if asked.view.phase is Phase.REPLACE else [max(asked.view.hand)], FOUR)
    at.deal(MINE, ROW)
    at.ok("yay")
    at.think()
    at.lay(4)
    at.play("yay", "3a")
    turn = Turn(at.table, at.now_ms)
    for card in ("4a", "6a"):  # by no choice that a player makes, but a transcript may say so
        turn.judge(card_event(WOW, parse_card(card)))
    at.effects += turn.effects
    after = cut(at, tmp_path)
    assert after.recorded == ["wow undo"] and after.scene.page.note == "Back to place 2, face down"
    after.wait(20)
    assert after.opponent.question is not None and after.phase() == "attack"  # and it is asked anew


def test_a_table_that_has_discarded_its_whole_hand_says_ok_after_a_power_cut_too(tmp_path):
    rules = Rules(board=Board((4,) * 7, Rules().board.arrows))
    at = SoloTable.begun(lambda asked: sorted(asked.view.hand), rules)
    at.deal(MINE, ROW)
    at.think()
    at.lay(1, 2, 3)
    at.put("wow", at.card_in(4))
    said_ok = next(effect for effect in at.effects if isinstance(effect, Record) and effect.event == ok_event(WOW))
    at.effects = at.effects[: at.effects.index(said_ok)]  # the power went before that
    at.effects = [effect for effect in at.effects if not isinstance(effect, Choose)]  # as where it is no secret
    after = cut(at, tmp_path)
    after.think()
    assert "wow undo" not in after.recorded and after.scene.page.what == "Draw for WOW: place 1"
    assert not any(isinstance(effect, Think) for effect in after.effects), "it has nothing to choose from"


def test_what_was_chosen_before_an_undo_is_not_chosen_after_a_power_cut_that_comes_before_the_new_choice(tmp_path):
    """The last card that was dealt is taken back, and another one dealt: the same question, in another game."""
    at = SoloTable.begun(lambda asked: sorted(asked.view.hand)[-1:], FOUR)
    for player, hand in (("wow", ROW), ("yay", MINE)):
        passed_to(at, player, *hand.split())
    at.think()
    assert at.opponent.chosen == cut(at, tmp_path / "before").opponent.chosen == (parse_card("9a"),)
    at.mind = None  # it has not chosen anew as the power goes
    at.undo("yay")
    passed_to(at, "yay", "2a")
    assert at.phase() == "replace" and at.opponent.chosen is None
    assert cut(at, tmp_path / "after").opponent.chosen is None


def test_whoever_fails_is_played_for_and_the_screen_says_it_once():
    at = SoloTable.begun(None, FOUR)
    at.deal(MINE, ROW)
    at.happen(Decision(at.opponent.asked, (), at.now_ms, failed=True))
    assert at.scene.page.note == "The program failed: this was played for it"
    at.happen(Decision(at.opponent.asked, (), at.now_ms, failed=True))
    assert at.table.told.remark is Remark.PLAYED_FOR and at.opponent.chosen == ()


def test_when_another_plays_on_the_screen_names_it():
    at = SoloTable.begun(None, FOUR)
    at.deal(MINE, ROW)
    at.happen(Decision(at.opponent.asked, (), at.now_ms, failed=True, stand_in="good"))
    assert at.scene.page.note == "The program failed: good plays on"


def test_a_game_that_is_resumed_between_rounds_says_nothing_of_a_row():
    at = SoloTable.begun(keeps, FOUR)
    at.table = open_main(at.table, Offer(at.table.game, at.opponent))
    turn = Turn(at.table, at.now_ms)
    resume(turn)
    assert turn.table.told is None and replace(turn.table, told=None) == turn.table

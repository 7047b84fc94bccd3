"""Teaching the table a deck."""

from dataclasses import replace

from engine.cards import DEFAULT_DECK, parse_card
from engine.rules import Rules
from firmware.table.effects import KeepDeck, Sound
from firmware.table.menus import Item, open_main
from firmware.table.state import Remark, Stage
from firmware.table.teaching import Teaching, TeachResult, differences, read, tags_of, why_not
from hardware.ports import Health, PartState
from tests.support.at_table import AtTable, uid_of


def teaching() -> AtTable:
    at = AtTable.of(Rules())
    at.table = open_main(replace(at.table, tags={}), None)
    at.take(Item.TEACH)
    assert at.table.stage is Stage.TEACHING
    return at


def teach_all(at: AtTable, cards) -> None:
    for rank in range(1, 13):
        for card in cards:
            if card.rank == rank:
                at.put("yay" if rank % 2 else "wow", str(card))
                at.wait(100)
        at.lift_all()
        at.ok("wow")


def test_a_whole_deck_is_taught_rank_by_rank_without_a_keyboard():
    at = teaching()
    assert at.scene.page.what == "All the 1s, then ok"
    teach_all(at, DEFAULT_DECK.cards)
    assert at.scene.page.note == "The usual deck, complete" and at.scene.page.count == "38 cards"
    assert not [effect for effect in at.effects if isinstance(effect, KeepDeck)]
    at.ok("yay")
    (kept,) = [effect for effect in at.effects if isinstance(effect, KeepDeck)]
    assert dict(kept.tags) == {uid_of(card): card for card in DEFAULT_DECK.cards}
    at.take("play")
    at.ok("yay")
    at.play("yay", "7b")
    assert at.recorded == ["yay 7b"]


def test_what_the_deck_teaches_is_what_the_engine_uses():
    at = teaching()
    teach_all(at, [card for card in DEFAULT_DECK.cards if str(card) not in ("12a", "7d")])
    assert at.scene.page.note == "Not as usual: 7: -1, 12: -1"
    at.ok("yay")
    at.take("referee")
    assert at.table.game.rules.deck.counts[7] == 3 and len(at.table.game.rules.deck) == 36


def test_a_card_that_is_put_down_twice_counts_once_and_quietly():
    at = teaching()
    for _ in range(3):
        at.put("yay", "1a")
        at.lift("yay", "1a")
    assert at.table.teaching.copies(1) == 1
    assert at.effects.count(Sound.ACCEPTED) == 1 and Sound.REJECTED not in at.effects


def test_a_card_that_has_another_rank_already_is_refused_at_once():
    at = teaching()
    at.put("yay", "1a")
    at.lift_all()
    at.ok("yay")
    at.put("yay", "1a")
    assert at.table.told.remark is Remark.OTHER_RANK
    assert at.scene.page.note == "This is a 1 already"
    assert at.table.teaching.copies(2) == 0


def test_a_phone_is_refused_with_the_reason():
    at = teaching()
    at.put_tag("yay", "0824a937")
    assert "phone or bank card" in at.scene.page.note
    assert at.table.teaching.taught == ()


def test_undo_forgets_a_rank_then_goes_back_and_in_the_end_leaves_with_nothing_saved():
    at = teaching()
    at.put("yay", "1a")
    at.lift_all()
    at.ok("yay")
    at.put("yay", "2a")
    at.undo("wow")
    assert (at.table.teaching.rank, at.table.teaching.copies(2), at.table.teaching.copies(1)) == (2, 0, 1)
    at.undo("wow")
    at.undo("wow")
    assert (at.table.teaching.rank, at.table.teaching.taught) == (1, ())
    at.undo("wow")
    assert at.table.stage is Stage.MAIN_MENU
    assert not [effect for effect in at.effects if isinstance(effect, KeepDeck)]


def test_a_deck_too_small_for_the_board_is_not_kept():
    at = teaching()
    teach_all(at, [parse_card("3a"), parse_card("4a")])
    assert at.scene.page.note == "This board needs 18 cards. Hold: back"
    at.ok("yay")
    assert at.table.stage is Stage.TEACHING and at.effects[-1] is Sound.REJECTED


def test_the_letters_follow_the_order_of_teaching():
    state = Teaching()
    for uid in (b"\x04aaa", b"\x04bbb"):
        state, answer = read(state, uid)
        assert answer is TeachResult.COUNTED
    assert {str(card): uid for uid, card in tags_of(state).items()} == {"1a": b"\x04aaa", "1b": b"\x04bbb"}


def test_s15_the_page_names_the_pad_and_the_tag_while_a_deck_is_taught():
    at = teaching()
    at.put("wow", "1a")
    assert at.scene.page.note == f"WOW: {uid_of('1a').hex()}" and at.scene.page.count == "1 here"
    at.crowd("wow", True)
    assert "clear the pad" in at.scene.page.note
    at.happen(PartState("pad yay", Health.LOST, "mute", at.now_ms))
    assert at.scene.page.fault == "lost: pad YAY"


def tag(number: int) -> str:
    return f"04{number:012x}"


def test_a_27th_card_of_a_rank_is_refused_aloud_as_there_are_26_letters():
    at = teaching()
    for number in range(26):
        at.put_tag("yay", tag(number))
    assert at.effects.count(Sound.ACCEPTED) == 26 and Sound.REJECTED not in at.effects
    at.put_tag("yay", tag(26))
    assert at.table.told.remark is Remark.TOO_MANY and at.effects[-1] is Sound.REJECTED
    assert at.table.teaching.copies(1) == 26
    assert [player for player, _ in at.table.motion.flashes] == ["yay"]


def test_when_all_ranks_are_taught_another_tag_is_no_card():
    at = teaching()
    teach_all(at, DEFAULT_DECK.cards)
    assert at.table.teaching.rank == 13
    at.put_tag("yay", tag(99))
    assert at.table.told.remark is Remark.UNKNOWN_TAG and at.effects[-1] is Sound.REJECTED
    assert at.scene.page.count == "38 cards"


def test_undo_at_the_end_goes_back_to_the_last_rank_and_forgets_nothing():
    at = teaching()
    teach_all(at, DEFAULT_DECK.cards)
    at.undo("yay")
    assert at.table.teaching.rank == 12 and len(at.table.teaching.taught) == 38
    at.undo("yay")
    assert at.table.teaching.rank == 12 and len(at.table.teaching.taught) == 37  # the only 12


def test_copies_get_their_letters_in_the_order_in_which_they_came():
    at = teaching()
    for number in (5, 3, 4):
        at.put_tag("wow", tag(number))
    cards = tags_of(at.table.teaching)
    assert [str(cards[bytes.fromhex(tag(number))]) for number in (5, 3, 4)] == ["1a", "1b", "1c"]


def test_a_deck_is_enough_with_two_hands_of_the_largest_space_and_not_with_one_card_less():
    board = Rules().board  # its largest hand is 9
    taught = tuple((bytes.fromhex(tag(number)), 1) for number in range(18))
    assert why_not(Teaching(13, taught[:17]), board) == 18
    assert why_not(Teaching(13, taught), board) == 0


def test_what_is_not_as_usual_is_told_by_rank_and_by_how_many():
    more = tuple((bytes.fromhex(tag(number)), 2) for number in range(3))
    told = dict(differences(Teaching(13, more), DEFAULT_DECK))
    assert told.pop(2) == 1
    assert told == {rank: -DEFAULT_DECK.counts[rank] for rank in range(1, 13) if rank != 2}


def test_the_deck_is_taught_anew_from_the_first_rank_each_time():
    at = teaching()
    at.put("yay", "1a")
    at.lift_all()
    at.undo("yay"), at.undo("yay")
    at.take(Item.TEACH)
    assert at.table.teaching == Teaching()
    assert at.table.told is None and at.table.menu is None


def test_an_ok_while_a_deck_is_taught_is_heard_and_goes_on_even_without_a_card_of_the_rank():
    at = teaching()
    at.ok("yay")
    assert at.table.teaching.rank == 2 and at.effects == [Sound.ACCEPTED]

"""The note of a page, and the few words that hang on a number: what is said from which card, claim or rank on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.board import DEFAULT_BOARD
from engine.cards import DEFAULT_DECK, WOW, YAY, Card, Player
from engine.round import Phase
from engine.rules import Mode, Rules
from engine.verdict import Foul, Verdict
from firmware.table.menus import Item, open_main
from firmware.table.state import Offer, Stage, Told
from firmware.table.teaching import Teaching
from firmware.views.notes import note_of
from firmware.views.page import Page
from firmware.views.pages import page_of
from firmware.words import words
from hardware.ports import Health, PartState
from tests.support.at_table import AtTable, referee_in_attack

ENGLISH = words("en")


def note(told: Told) -> str:
    return note_of(replace(AtTable.of().table, told=told), told.at_ms, ENGLISH)


def lay_many(at: AtTable, player: str, cards: str) -> None:
    """Cards that lie on a pad, without anything having been said of them."""
    for card in cards.split():
        at.put(player, card)
    at.table = replace(at.table, told=None, latest=None)


# ---- late fouls ----------------------------------------------------------------------------

OWN = Foul((WOW,), ((), (9, 12)), Card(3, "a"))
BOTH = Foul((YAY, WOW), ((5, 7), (6, 11)))


def test_a_late_foul_names_the_highest_of_the_claims_that_it_disproves() -> None:
    assert note(Told(0, WOW, verdict=Verdict(fouls=(OWN,)))) == "WOW gave up 12 but still held 3"
    assert note(Told(0, WOW, verdict=Verdict(fouls=(BOTH,)))) == "YAY gave up 7, WOW 11: both cannot be"


def test_of_several_late_fouls_the_one_that_the_card_itself_has_shown_is_told() -> None:
    assert note(Told(0, WOW, verdict=Verdict(fouls=(OWN, BOTH)))) == "WOW gave up 12 but still held 3"


# ---- tags ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("uid", "text"),
    [
        ("08badbad", "A phone or bank card is no card: 08badbad"),
        ("09badbad", "Unknown tag 09badbad"),
        ("08badbadbadbad", "Unknown tag 08badbadbadbad"),
    ],
)
def test_only_a_uid_of_four_bytes_of_which_the_first_is_08_is_a_phones(uid: str, text: str) -> None:
    at = referee_in_attack()
    at.put_tag("yay", uid)
    assert at.scene.page.note == text


# ---- cards that lie on a pad ---------------------------------------------------------------


@pytest.mark.parametrize(("cards", "text"), [("3a 3b 3c 4a", ""), ("3a 3b 3c 4a 4b", "YAY: pad full, clear it first")])
def test_a_pad_is_full_with_five_cards(cards: str, text: str) -> None:
    at = AtTable.of(Rules())
    for card in cards.split():  # dealt, and all left lying
        at.play("yay", card)
    at.table = replace(at.table, told=None, latest=None)
    assert at.scene.page.note == text


def test_a_full_pad_is_no_matter_where_no_card_is_wanted() -> None:
    at = AtTable.of(Rules(mode=Mode.REFEREE))  # nothing is read while the cards are dealt
    lay_many(at, "yay", "3a 3b 3c 4a 4b")
    assert "pad full" not in at.scene.page.note
    at = AtTable.of(Rules(), Stage.CLEAR)
    lay_many(at, "yay", "3a 3b 3c 4a 4b")
    assert at.scene.page.note == ""


def test_cards_between_rounds_and_in_board_mode_are_not_said_to_count_for_nothing() -> None:
    for at in (AtTable.of(Rules(), Stage.CLEAR), AtTable.of(Rules(mode=Mode.BOARD))):
        lay_many(at, "yay", "3a 3b")
        at.wait(1000)
        assert at.scene.page.note == ""


@pytest.mark.parametrize(
    ("cards", "text"),
    [
        ("8a", "1 card counts for nothing: lift, then put down again"),
        ("8a 9a", "2 cards count for nothing: lift, then put down again"),
    ],
)
def test_cards_that_count_for_nothing_are_told_with_their_number(cards: str, text: str) -> None:
    at = referee_in_attack()
    for card in cards.split():
        at.play("wow", card)
    at.wait(9000)
    assert at.scene.page.note == text


def test_a_card_that_was_taken_back_is_to_be_lifted_and_only_then_is_the_undo_told() -> None:
    at = referee_in_attack()
    at.play("yay", "7a")
    at.undo("yay")
    assert at.scene.page.note.startswith("1 card counts for nothing")
    at.lift_all()
    assert at.scene.page.note == "YAY took it back"


# ---- what can be taken back ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("player", "phase", "card", "text"),
    [
        (YAY, Phase.ATTACK, None, "YAY ok: hold to undo"),
        (WOW, Phase.DEFEND, Card(9, "a"), "WOW 9: hold to undo"),
        (YAY, Phase.REPLACE, Card(9, "a"), "YAY 9: hold to undo"),
        (WOW, Phase.DUEL, Card(9, "a"), "WOW: hold to undo"),  # it lies face down
    ],
)
def test_what_can_be_taken_back_is_named_unless_it_lies_face_down(
    player: Player, phase: Phase, card: Card | None, text: str
) -> None:
    table = replace(referee_in_attack().table, told=None, latest=Told(0, player, phase=phase, card=card))
    assert note_of(table, 0, ENGLISH) == text


# ---- attacks -------------------------------------------------------------------------------


@pytest.mark.parametrize(("cards", "count"), [("3a", ""), ("3a 3b", "2 cards"), ("3a 3b 3c", "3 cards")])
def test_an_attack_of_several_cards_is_counted(cards: str, count: str) -> None:
    at = referee_in_attack()
    at.play("yay", *cards.split())
    assert at.scene.page.count == count


def test_who_acts_alone_in_replace_is_named() -> None:
    at = AtTable.of(Rules(mode=Mode.REFEREE))
    at.ok("yay"), at.ok("wow")
    assert at.scene.page.what == "Discard, or ok"
    at.ok("yay")
    assert at.scene.page.what == "WOW: discard, or ok"


@pytest.mark.parametrize(("hand_size", "what"), [(3, "again"), (2, "")])
def test_a_duel_of_equal_cards_is_laid_again_unless_the_last_cards_are_left(hand_size: int, what: str) -> None:
    board = replace(DEFAULT_BOARD, hand_sizes=(hand_size,) * 7)
    at = AtTable.of(Rules(mode=Mode.REFEREE, board=board))
    for player in ("yay", "wow", "yay", "wow"):
        at.ok(player)
    at.play("yay", "9a"), at.play("wow", "9b")
    assert (at.scene.page.title, at.scene.page.what, at.scene.page.cards) == ("Duel", what, ("9", "9"))


# ---- parts ---------------------------------------------------------------------------------


def test_a_part_that_was_lost_is_named_before_one_that_is_looked_for() -> None:
    at = AtTable.of(Rules())
    for part, health in (("pad yay", Health.SEARCHING), ("screen", Health.LOST), ("disk", Health.CONNECTED)):
        at.happen(PartState(part, health, "", at.now_ms))
    assert at.scene.page.fault == "lost: screen +1"


# ---- after a game --------------------------------------------------------------------------


def test_a_game_that_nobody_can_take_back_asks_for_ok_once_a_press_counts_again() -> None:
    at = AtTable.of(Rules(mode=Mode.BOARD))
    for _ in range(4):
        at.ok("wow")
    at.table = replace(at.table, latest=None)
    at.wait(2699)
    assert at.scene.page.note == ""
    at.wait(1)
    assert at.scene.page.note == "ok: what next?"


# ---- teaching and menus --------------------------------------------------------------------


def taught(rank: int, *more: int) -> AtTable:
    """The usual deck, but of each of these ranks one card more."""
    ranks = [card.rank for card in DEFAULT_DECK.cards] + list(more)
    cards = tuple((bytes((4, 1, 2, number)), rank) for number, rank in enumerate(ranks))
    at = AtTable.of(Rules())
    at.table = replace(at.table, stage=Stage.TEACHING, teaching=Teaching(rank, cards))
    return at


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ((), "The usual deck, complete"),
        ((1, 2, 3, 4), "Not as usual: 1: +1, 2: +1, 3: +1, 4: +1"),
        ((1, 2, 3, 4, 5), "Not as usual: 1: +1, 2: +1, 3: +1, 4: +1…"),
    ],
)
def test_of_a_deck_that_is_not_the_usual_one_four_differences_are_told(more: tuple[int, ...], text: str) -> None:
    assert page_of(taught(13, *more).table, 0, ENGLISH).note == text


@pytest.mark.parametrize(("rank", "text"), [(1, "Hold: back"), (2, "")])
def test_the_way_out_of_teaching_is_told_at_the_first_rank(rank: int, text: str) -> None:
    assert page_of(taught(rank).table, 0, ENGLISH).note == text


def test_the_round_that_can_be_gone_on_with_is_named() -> None:
    at = AtTable.of(Rules())
    game = replace(at.table.game, number=7)
    assert page_of(open_main(at.table, Offer(game)), 0, ENGLISH).menu[0] == "Go on: round 7"


def test_the_page_of_this_round_again_points_at_who_has_not_said_so_yet() -> None:
    for first, arrow in (("yay", "right"), ("wow", "left")):
        at = referee_in_attack()
        at.menu()
        at.take(Item.ROUND_AGAIN)
        assert (at.scene.page.arrow, at.scene.page.count) == ("both", "0 of 2")
        at.ok(first)
        assert (at.scene.page.arrow, at.scene.page.count) == (arrow, "1 of 2")


# ---- what a page may hold ------------------------------------------------------------------


@pytest.mark.parametrize("percent", [-1, 101])
def test_a_bar_that_is_less_than_empty_or_more_than_full_is_refused(percent: int) -> None:
    with pytest.raises(ValueError, match="expected 0 to 100"):
        Page(bar=("undo", percent))


def test_an_arrow_to_nowhere_is_refused_and_an_empty_or_a_full_bar_is_none() -> None:
    with pytest.raises(ValueError, match="arrow is"):
        Page(arrow="up")
    assert [Page(bar=("undo", percent)).bar for percent in (0, 100)] == [("undo", 0), ("undo", 100)]

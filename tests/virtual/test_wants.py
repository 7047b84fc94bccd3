"""What the game wants of the hands at a virtual table, and what these do for it."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from engine.cards import YAY
from engine.rules import Mode, Rules
from firmware.table.state import Stage
from firmware.virtual.messages import Deal, Draw, Move, Sweep
from firmware.virtual.wants import BETWEEN, FROM_BEFORE, NOT_NOW, NOTHING, Wants, known_of, wants_of
from firmware.virtual.world import World
from tests.support.at_table import AtTable, referee_in_attack
from tests.support.virtual_standins import UIDS, Field


def dealt(size: int = 7) -> AtTable:
    """A round of play mode after the deal: yay holds a's, wow holds b's."""
    at = AtTable.of(Rules())
    for rank in range(3, 3 + size):
        at.play("yay", f"{rank}a")
        at.play("wow", f"{rank}b")
    at.lift_all()
    return at


# ---- what it wants -------------------------------------------------------------------------


def test_a_deal_is_wanted_card_by_card_until_both_hands_are_full() -> None:
    at = AtTable.of(Rules())
    assert dict(wants_of(at.table).deals) == {"yay": 7, "wow": 7}
    at.play("yay", "3a")
    at.play("yay", "4a")
    wants = wants_of(at.table)
    assert (dict(wants.deals), dict(wants.held), wants.reads, wants.no_deal) == (
        {"yay": 5, "wow": 7},
        {"yay": 2, "wow": 0},
        True,
        "",
    )
    full = wants_of(dealt().table)
    assert (dict(full.deals), full.no_deal) == ({}, NOT_NOW)


def test_as_many_as_were_discarded_are_drawn() -> None:
    at = dealt()
    at.play("yay", "3a")
    at.play("yay", "4a")
    at.ok("yay")
    assert dict(wants_of(at.table).deals) == {"yay": 2}
    at.play("yay", "3c")
    assert dict(wants_of(at.table).deals) == {"yay": 1}


def test_a_referee_does_not_count_what_is_dealt_and_has_nothing_against_it_until_the_duel() -> None:
    at = AtTable.of(Rules(mode=Mode.REFEREE))
    wants = wants_of(at.table)
    assert (dict(wants.deals), dict(wants.held), wants.reads) == ({"yay": 7, "wow": 7}, {"yay": 0, "wow": 0}, False)
    at.ok("yay")
    assert dict(wants_of(at.table).deals) == {"wow": 7}
    at.ok("wow")
    assert (dict(wants_of(at.table).deals), wants_of(at.table).no_deal) == ({}, "")
    assert wants_of(referee_in_attack().table).no_deal == NOT_NOW


def test_between_rounds_an_ok_comes_first_and_where_no_cards_count_nothing_is_wanted() -> None:
    assert wants_of(AtTable.of(Rules(), Stage.CLEAR).table) == Wants(no_deal=BETWEEN)
    assert wants_of(AtTable.of(Rules(mode=Mode.BOARD)).table) is NOTHING
    for stage in (Stage.MAIN_MENU, Stage.OVER, Stage.TEACHING):
        assert wants_of(replace(AtTable.of(Rules()).table, stage=stage)) is NOTHING


def test_the_cards_of_a_duel_are_shown_when_both_lie() -> None:
    at = dealt()
    at.ok("yay"), at.ok("wow")
    assert wants_of(at.table).in_secret
    at.play("yay", "3a")
    wants = wants_of(at.table)
    assert (wants.used, wants.shown) == (frozenset({"3a"}), frozenset({"3a"}))
    at.play("wow", "4b")
    wants = wants_of(at.table)
    assert (wants.used, wants.shown, wants.in_secret) == (frozenset({"3a", "4b"}), frozenset(), False)


def test_hands_that_were_not_cleared_want_to_be_gathered_before_a_deal() -> None:
    wants = wants_of(AtTable.of(Rules()).table)
    assert wants.why_no_deal({"yay": 0, "wow": 1}) == ""
    assert wants.why_no_deal({"yay": 2, "wow": 0}) == FROM_BEFORE
    assert Wants(no_deal=NOT_NOW).why_no_deal({"yay": 7, "wow": 7}) == NOT_NOW


def test_what_a_game_tells_of_its_cards() -> None:
    at = dealt()
    known = known_of(at.table)
    assert known is not None and known.hands is not None
    assert (known.hands["yay"], dict(known.counts)) == (
        frozenset(f"{rank}a" for rank in range(3, 10)),
        {"yay": 7, "wow": 7},
    )
    at.ok("yay"), at.ok("wow")
    at.play("yay", "3a")
    known = known_of(at.table)
    assert known is not None and known.used == {"3a"}
    referee = known_of(referee_in_attack().table)
    assert referee is not None and referee.hands is None and referee.counts["yay"] == at.table.game.round.count(YAY)
    assert known_of(AtTable.of(Rules(), Stage.CLEAR).table) is None
    assert known_of(AtTable.of(Rules(mode=Mode.BOARD)).table) is None


# ---- what hands do for it ------------------------------------------------------------------


class Hands:
    """A world whose wants are set by the test."""

    def __init__(self) -> None:
        self.wants = NOTHING
        self.pads = {"yay": Field(), "wow": Field()}
        self.world = World(self.pads, UIDS, Random(4), wants=lambda: self.wants)
        self.world.do(Deal(5, ("yay", "wow"), False), 0)

    def lay(self, player: str, index: int = 0) -> str:
        card = self.world.cards(f"hand-{player}")[index]
        assert self.world.do(Move(card, f"pad-{player}", False), 0) == ""
        return card


def test_f44_a_sweep_takes_what_was_played_and_gives_the_rest_back_to_its_hand() -> None:
    hands = Hands()
    played, unread, refused = hands.lay("yay"), hands.lay("yay"), hands.lay("wow")
    hands.wants = Wants(used=frozenset({played}))
    hands.world.do(Sweep(), 0)
    assert hands.world.cards("discard") == (played,)
    assert unread in hands.world.cards("hand-yay") and refused in hands.world.cards("hand-wow")
    assert hands.pads["yay"].uids == hands.pads["wow"].uids == []


def test_between_rounds_a_sweep_takes_all() -> None:
    hands = Hands()
    first, second = hands.lay("yay"), hands.lay("wow")
    hands.world.do(Sweep(), 0)
    assert hands.world.cards("discard") == (first, second)


def test_a_sweep_leaves_the_card_that_waits_for_the_other_of_a_duel() -> None:
    hands = Hands()
    card = hands.lay("yay")
    hands.wants = Wants(used=frozenset({card}), shown=frozenset({card}), in_secret=True)
    hands.world.do(Sweep(), 0)
    assert hands.world.cards("pad-yay") == (card,)


def test_f45_cards_of_a_duel_lie_face_down_by_themselves_until_both_lie() -> None:
    hands = Hands()
    hands.wants = Wants(used=frozenset(), in_secret=True)
    first = hands.lay("yay")
    assert hands.world.view()["pads"]["yay"] == [[first, False]]
    hands.wants = Wants(used=frozenset({first}), shown=frozenset({first}), in_secret=True)
    hands.world.step(0)
    second = hands.lay("wow")
    hands.world.step(0)
    assert [hands.world.view()["pads"][player][0][1] for player in ("yay", "wow")] == [False, False]
    hands.wants = Wants(used=frozenset({first, second}), in_secret=True)  # a tie: the next duel begins
    hands.world.step(0)
    assert [hands.world.view()["pads"][player][0] for player in ("yay", "wow")] == [[first, True], [second, True]]
    third = hands.lay("yay")
    assert hands.world.view()["pads"]["yay"] == [[first, True], [third, False]]
    hands.wants = NOTHING
    hands.world.step(0)
    assert hands.world.view()["pads"]["yay"] == [[first, True], [third, True]]


def test_a_card_that_was_hidden_on_purpose_is_not_turned_up_with_those_of_a_duel() -> None:
    hands = Hands()
    card = hands.world.cards("hand-yay")[0]
    hands.world.do(Move(card, "pad-yay", True), 0)
    hands.world.step(0)
    assert hands.world.view()["pads"]["yay"] == [[card, False]]


@pytest.mark.parametrize(
    ("wants", "over_pad"),
    [(Wants({"yay": 2}, True), True), (Wants({"yay": 2}), False), (Wants({"wow": 2}, True), False)],
)
def test_a_card_that_is_drawn_into_a_hand_is_read_on_its_way_if_it_has_to_be(wants: Wants, over_pad: bool) -> None:
    hands = Hands()
    hands.wants = wants
    top = hands.world.cards("pile")[-1]
    assert hands.world.do(Draw("hand-yay"), 0) == ""
    assert (top in hands.world.cards("pad-yay")) is over_pad
    for now_ms in range(0, 2000, 20):
        hands.world.step(now_ms)
    assert top in hands.world.cards("hand-yay")
    assert ([kind for _, kind, _ in hands.pads["yay"].history] == ["put", "lift"]) is over_pad


def test_each_player_can_be_dealt_the_rest_at_once_and_nobody_twice() -> None:
    hands = Hands()
    assert hands.world.do(Deal(2, ("yay",), True), 0) == ""
    assert hands.world.do(Deal(1, ("wow",), True), 0) == ""
    assert hands.world.do(Deal(1, ("yay", "wow"), True), 0) == "The cards are still being dealt."
    for now_ms in range(0, 4000, 20):
        hands.world.step(now_ms)
    assert (len(hands.world.cards("hand-yay")), len(hands.world.cards("hand-wow"))) == (7, 6)


def test_the_page_is_told_what_is_wanted_and_whose_each_discarded_card_was() -> None:
    hands = Hands()
    card = hands.lay("wow")
    hands.world.do(Move(card, "discard", False), 0)
    hands.wants = Wants({"yay": 2}, True, {"yay": 5, "wow": 4}, frozenset(), no_deal="")
    view = hands.world.view()
    assert (view["deals"], view["noDeal"], view["discard"]) == ({"yay": 2}, "", [[card, "wow"]])

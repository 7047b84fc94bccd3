"""Where the cards of the virtual table lie: kept, put right by the transcript, and taken back."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware.virtual.lying import (
    FILE_NAME,
    Known,
    Lying,
    LyingError,
    format_lying,
    hands_are_known,
    load,
    parse_lying,
    put_right,
    save,
    taken_back,
)
from firmware.virtual.messages import PLACES, Deal, Draw, Gather, LayPile, Message, Move, Sweep, TakeBack
from firmware.virtual.world import World
from tests.support.virtual_standins import DECK, UIDS, Field

EVERYTHING = sorted([*DECK, "ticket"])


def lying_of(face_down: str = "", pile_on: str | None = None, **places: str) -> Lying:
    """These cards at these places (with _ for -), all others in the pile."""
    cards = {place: tuple(places.get(place.replace("-", "_"), "").split()) for place in PLACES}
    laid = {card for some in cards.values() for card in some}
    cards["aside"] = ("ticket",)
    cards["pile"] = (*(card for card in DECK if card not in laid), *cards["pile"])
    return Lying(cards, frozenset(face_down.split()), pile_on)


def everywhere(lying: Lying) -> list[str]:
    return sorted(card for cards in lying.cards.values() for card in cards)


lyings = st.lists(st.sampled_from(PLACES[:2] + PLACES[3:]), min_size=len(DECK), max_size=len(DECK)).map(
    lambda places: Lying(
        {
            place: ("ticket",)
            if place == "aside"
            else tuple(c for c, where in zip(DECK, places, strict=True) if where == place)
            for place in PLACES
        }
    )
)
halves = st.sets(st.sampled_from(DECK), max_size=14).map(sorted)


# ---- the file ------------------------------------------------------------------------------


@given(lyings, st.sampled_from([None, "yay"]))
def test_what_is_written_is_read_again(lying: Lying, pile_on: str | None) -> None:
    kept = Lying(lying.cards, frozenset(lying.cards["pad-yay"]), pile_on, {"3a": 2, "4b": 9})
    assert parse_lying(format_lying(kept)) == kept
    assert kept.is_of(DECK) and not kept.is_of(DECK[1:]) and not kept.is_of([*DECK, "12b"])


def changed(**changes: Any) -> str:
    return json.dumps(json.loads(format_lying(lying_of(hand_yay="3a"))) | changes)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[]", "one object with the keys aside"),
        (json.dumps({}), "one object"),
        (changed(version=2), "of version 1"),
        (changed(more=1), "one object"),
        (changed(aside="ticket"), "aside is no list of cards"),
        (changed(aside=["ticket", 7]), "aside is no list of cards"),
        (changed(aside=["ticket", "3a"]), "a card lies in two places"),
        (changed(face_down=["13a"]), "face down, and nowhere"),
        (changed(pile_on="pad-yay"), "neither null nor a player"),
        (changed(row=[]), "row does not give places"),
        (changed(row={"3a": 0}), "row does not give places"),
        (changed(row={"3a": True}), "row does not give places"),
    ],
)
def test_any_other_text_is_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(LyingError, match=words):
        parse_lying(text)


def test_it_is_kept_whole_and_a_damaged_file_is_set_aside_and_said(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    assert load(folder, DECK) == (None, ())
    first, second = lying_of(hand_yay="3a 4a"), lying_of(hand_wow="5a", pad_yay="3a")
    assert tuple(save(folder, first)) == ()
    assert load(folder, DECK) == (first, ())
    assert (folder / FILE_NAME).stat().st_mode & 0o007 == 0, "it shows hands"
    save(folder, second)
    assert load(folder, DECK)[0] == second
    assert load(folder, DECK[:-1])[0] is None, "the cards of another deck"
    (folder / FILE_NAME).write_text("{")
    lying, (notice,) = load(folder, DECK)
    assert lying == first and FILE_NAME in str(notice)


def test_no_card_is_named_in_a_log() -> None:
    assert "3a" not in repr(lying_of(hand_yay="3a", face_down="3a"))
    assert "3a" not in repr(Known(frozenset(["3a"]), {"yay": frozenset(["3a"])}, {}))


# ---- the transcript is right ---------------------------------------------------------------


def known(used: str = "", counts: tuple[int, int] = (0, 0), **hands: str) -> Known:
    held = {player: frozenset(hands.get(player, "").split()) for player in ("yay", "wow")} if hands else None
    return Known(frozenset(used.split()), held, {"yay": counts[0], "wow": counts[1]})


def test_cards_that_lie_as_the_game_tells_of_them_are_not_moved() -> None:
    lying = lying_of(hand_yay="3a 4a", pad_yay="5a 6a", hand_wow="7a", pad_wow="8a", discard="9a 12a", face_down="5a")
    tells = known(used="6a 8a 9a", yay="3a 4a 5a", wow="7a")
    assert put_right(lying, tells) == (lying, 0), "12a is of a round before"


@pytest.mark.parametrize(
    ("before", "tells", "place"),
    [
        ({"hand_yay": "3a"}, known(used="3a", yay=""), "discard"),
        ({"pile": "3a"}, known(used="3a", yay=""), "discard"),
        ({"hand_wow": "3a"}, known(yay="3a"), "hand-yay"),
        ({"pad_wow": "3a"}, known(yay="3a"), "hand-yay"),
        ({"discard": "3a"}, known(wow="3a"), "hand-wow"),
        ({"pile": "3a"}, known(wow="3a"), "hand-wow"),
        ({"hand_yay": "3a"}, known(yay=""), "pile"),
        ({"hand_yay": "3a"}, known(used="3a"), "discard"),
    ],
)
def test_a_card_that_lies_otherwise_is_moved_to_where_the_game_has_it(
    before: dict[str, str], tells: Known, place: str
) -> None:
    lying, moved = put_right(lying_of(face_down="3a", **before), tells)
    assert (moved, lying.places()["3a"], lying.face_down) == (1, place, frozenset())
    assert everywhere(lying) == EVERYTHING


def test_where_hands_are_not_known_they_stay_and_their_number_is_compared() -> None:
    lying = lying_of(hand_yay="3a 4a", pad_yay="5a 6a", hand_wow="7a")
    right, moved = put_right(lying, known(used="6a", counts=(3, 1)))
    assert (right, moved) == (lying, 0)
    assert hands_are_known(lying, known(used="6a", counts=(3, 1)))
    assert not hands_are_known(lying, known(used="6a", counts=(4, 1)))
    assert not hands_are_known(lying, known(used="6a", counts=(3, 0)))


def test_the_places_of_a_row_are_those_of_the_game() -> None:
    lying = Lying(lying_of().cards, row={"3a": 1, "4a": 2})
    tells = Known(frozenset(), None, {}, {"3a": 5})
    assert put_right(lying, tells)[0].row == {"3a": 5, "4a": 2}


@given(lyings, halves, halves, halves)
def test_whatever_lay_there_each_card_lies_where_the_game_has_it_once(
    lying: Lying, used: list[str], yay: list[str], wow: list[str]
) -> None:
    hands = {"yay": frozenset(yay) - {*used}, "wow": frozenset(wow) - {*used, *yay}}
    right, moved = put_right(lying, Known(frozenset(used), hands, {}))
    places, before = right.places(), lying.places()
    assert everywhere(right) == EVERYTHING
    assert moved == sum(places[card] != before[card] for card in places)
    for player, hand in hands.items():
        assert all(places[card] in (f"hand-{player}", f"pad-{player}") for card in hand)
        assert set(right.cards[f"hand-{player}"]) <= hand
    assert all(places[card] == "discard" or places[card].startswith("pad-") for card in used)
    assert put_right(right, Known(frozenset(used), hands, {})) == (right, 0)


# ---- taken back ----------------------------------------------------------------------------

TIDYING: list[Message] = [Deal(3, ("yay", "wow"), False), Deal(2, ("wow",), True), Sweep(), Gather()]
BY_HAND: list[Message] = [Draw("hand-yay"), Draw("pad-wow"), Move("7a", "pad-yay", True), LayPile("yay"), LayPile(None)]


def a_world() -> tuple[World, dict[str, Field]]:
    pads = {"yay": Field(), "wow": Field()}
    return World(pads, UIDS, Random(1)), pads


@given(st.lists(st.sampled_from([*TIDYING, *BY_HAND]), max_size=12), st.sampled_from(TIDYING))
def test_f44_the_latest_tidying_is_taken_back_card_by_card(messages: list[Message], tidying: Message) -> None:
    world, pads = a_world()
    for message in messages:
        world.do(message, 0)
    world.step(100_000), world.step(200_000)
    before = world.lying()
    if world.do(tidying, 300_000) == "":
        assert world.do(TakeBack(), 300_001) == ""
        after = world.lying()
        if not isinstance(tidying, Gather):  # the pile is taken off the pad
            assert after.pile_on == before.pile_on
        assert (after.cards, after.face_down) == (before.cards, before.face_down)
        assert not world.dealing
        assert world.do(TakeBack(), 300_002).startswith("There is nothing to take back")
    for player, field in pads.items():
        lies = [*world.cards(f"pad-{player}"), *(world.cards("pile") if world.lying().pile_on == player else ())]
        assert sorted(field.uids) == sorted(UIDS[card] if card in UIDS else field.uids[0] for card in lies)


def test_what_was_moved_on_since_stays_where_it_is() -> None:
    before, now = lying_of(pad_yay="3a 4a", pad_wow="5a"), lying_of(discard="3a 5a", hand_wow="4a")
    after = taken_back(before, now, {"discard"})
    assert (after.cards["pad-yay"], after.cards["pad-wow"], after.cards["hand-wow"]) == (("3a",), ("5a",), ("4a",))


def test_a_deal_of_which_a_card_is_played_cannot_be_taken_back_any_more() -> None:
    world, _ = a_world()
    world.do(Deal(3, ("yay", "wow"), False), 0)
    world.do(Move(world.cards("hand-yay")[0], "pad-yay", False), 0)
    assert world.do(TakeBack(), 0).startswith("There is nothing")
    world.do(Sweep(), 0)
    world.do(Move(world.cards("hand-yay")[0], "pad-yay", False), 0)
    assert world.do(TakeBack(), 0) == "", "a sweep can, whatever is laid since"


def test_what_was_refused_is_not_what_is_taken_back() -> None:
    world, _ = a_world()
    world.do(Deal(19, ("yay", "wow"), False), 0)
    assert world.do(Deal(1, ("yay",), False), 0) != ""
    assert world.view()["takeBack"] == "deal"
    assert world.do(TakeBack(), 0) == "" and len(world.cards("pile")) == 38


# ---- the same table, opened again ----------------------------------------------------------


def test_a_table_that_is_opened_again_has_its_cards_where_they_lay_and_in_the_fields_of_its_pads() -> None:
    world, pads = a_world()
    for message in (Draw("pad-wow"), Draw("hand-yay"), Deal(4, ("wow",), False), Draw("discard"), LayPile("yay")):
        world.do(message, 0)
    fields = {"yay": Field(), "wow": Field()}
    again = World(fields, UIDS, Random(9), parse_lying(format_lying(world.lying())))
    assert again.lying() == world.lying()
    assert again.view() == world.view() | {"takeBack": None, "discard": [[world.cards("discard")[0], None]]}
    assert {name: sorted(field.uids) for name, field in fields.items()} == {
        name: sorted(field.uids) for name, field in pads.items()
    }


def test_the_row_of_a_table_that_plays_is_as_it_was_also_for_cards_that_lie_on_its_pad() -> None:
    world, _ = a_world()
    world.seat_the_table("wow")
    world.do(Deal(4, ("wow",), False), 0)
    third = world.view()["row"]["cards"][2][0]
    world.do(Move(third, "row-1", False), 0)
    world.do(Move(third, "pad-wow", False), 0)
    again = World({"yay": Field(), "wow": Field()}, UIDS, Random(9), world.lying())
    again.seat_the_table("wow")
    assert again.lying() == world.lying()
    row = [place for _, place in again.view()["row"]["cards"]]
    assert row == [place for _, place in world.view()["row"]["cards"]] == [2, 3, 4]
    ((name, shown),) = again.view()["pads"]["wow"]
    assert name.startswith("?") and not shown
    again.do(Move(name, "hand-wow", False), 0)
    assert [place for _, place in again.view()["row"]["cards"]] == [1, 2, 3, 4]


def test_a_game_that_goes_on_has_its_cards_laid_and_says_what_was_done() -> None:
    world, _ = a_world()
    tells = known(used="9a", yay="3a 4a", wow="5a")
    assert world.agree(tells) == "Laid as the game tells of them: 4 of the cards."
    assert world.agree(tells) == ""
    assert (world.cards("hand-yay"), world.cards("hand-wow"), world.cards("discard")) == (
        ("3a", "4a"),
        ("5a",),
        ("9a",),
    )
    assert "This round again" in world.agree(known(counts=(7, 7)))

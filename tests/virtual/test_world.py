"""The virtual table's world: the cards, the hands that move them, and the tags that follow them."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.virtual.messages import PLACES, Deal, Draw, Gather, LayPile, Move, PressButton, Sweep, TurnOver
from firmware.virtual.world import World
from hardware.pads import Pads
from hardware.ports import Placed
from hardware.rc522 import Reader
from hardware.twins.rc522 import RC522
from hardware.twins.virtual_time import VirtualTime
from tests.support.virtual_standins import DECK, UIDS, Field

BOTH = ("yay", "wow")


def make_world(seed: int = 1) -> tuple[World, dict[str, Field]]:
    pads = {"yay": Field(), "wow": Field()}
    return World(pads, UIDS, Random(seed)), pads


def pass_time(world: World, pads: dict[str, Field], until_ms: int, every_ms: int = 10) -> None:
    for now_ms in range(0, until_ms + 1, every_ms):
        for pad in pads.values():
            pad.now_ms = now_ms
        world.step(now_ms)


def test_a_new_table_has_the_shuffled_deck_in_the_draw_pile() -> None:
    world, _ = make_world(seed=1)
    assert sorted(world.cards("pile")) == sorted(DECK)
    assert world.cards("pile") != DECK
    assert world.cards("pile") == make_world(seed=1)[0].cards("pile")
    assert world.cards("pile") != make_world(seed=2)[0].cards("pile")


def test_a_card_on_a_pad_is_in_that_readers_field_until_it_is_moved_away() -> None:
    world, pads = make_world()
    assert world.do(Draw("hand-yay"), 0) == ""
    (card,) = world.cards("hand-yay")
    assert world.do(Move(card, "pad-yay", False), 0) == ""
    assert pads["yay"].uids == [UIDS[card]]
    assert world.do(Move(card, "pad-wow", False), 0) == ""
    assert (pads["yay"].uids, pads["wow"].uids) == ([], [UIDS[card]])
    assert world.do(Move(card, "pad-wow", False), 0) == ""
    assert len(pads["wow"].history) == 1, "a card pushed about on its pad does not leave the field"
    assert world.do(Move(card, "discard", False), 0) == ""
    assert pads["wow"].uids == []


def test_the_ticket_alone_lies_beside_the_table_and_in_no_hand() -> None:
    world, pads = make_world()
    world.do(Draw("hand-yay"), 0)
    (card,) = world.cards("hand-yay")
    assert world.do(Move(card, "aside", False), 0).startswith("Only the bus ticket lies beside the table")
    assert world.cards("hand-yay") == (card,)
    for place in ("pile", "discard", "hand-yay", "hand-wow"):
        assert world.do(Move("ticket", place, False), 0).startswith("The bus ticket is no card")
    assert world.do(Move("ticket", "pad-wow", False), 0) == "" and len(pads["wow"].uids) == 1
    assert world.do(Move("ticket", "aside", False), 0) == ""
    assert (world.cards("aside"), pads["wow"].uids) == (("ticket",), [])


def test_the_top_of_the_pile_is_drawn_and_lies_face_down_on_a_pad() -> None:
    world, pads = make_world()
    top = world.cards("pile")[-1]
    assert world.do(Draw("pad-wow"), 0) == ""
    assert world.view()["pads"]["wow"] == [[top, False]]
    assert pads["wow"].uids == [UIDS[top]]
    world.do(TurnOver("wow"), 0)
    assert world.view()["pads"]["wow"] == [[top, True]]
    world.do(TurnOver("wow"), 0)
    world.do(Move(top, "hand-wow", False), 0)
    world.do(Move(top, "pad-wow", False), 0)
    assert world.view()["pads"]["wow"] == [[top, True]], "a card taken into the hand is no longer face down"


def test_a_deal_over_the_pads_lays_every_card_alone_and_long_enough_to_be_read() -> None:
    world, pads = make_world()
    pile = world.cards("pile")
    assert world.do(Deal(7, BOTH, True), 0) == ""
    assert world.dealing
    pass_time(world, pads, 7 * 700)
    assert not world.dealing
    assert len(world.cards("hand-yay")) == len(world.cards("hand-wow")) == 7
    assert sorted(world.cards("hand-yay") + world.cards("hand-wow")) == sorted(pile[-14:])
    for player, pad in pads.items():
        puts = [(at_ms, uid) for at_ms, what, uid in pad.history if what == "put"]
        lifts = [(at_ms, uid) for at_ms, what, uid in pad.history if what == "lift"]
        dealt = [UIDS[card] for card in world.cards(f"hand-{player}")]
        assert [uid for _, uid in puts] == [uid for _, uid in lifts] == dealt
        assert all(400 <= up - down <= 500 for (down, _), (up, _) in zip(puts, lifts, strict=True))
        assert all(next_down - up > 150 for (up, _), (next_down, _) in zip(lifts, puts[1:], strict=False))


@given(st.lists(st.integers(1, 2000), min_size=60, max_size=60))
@settings(max_examples=25, deadline=None)
def test_a_slow_hand_still_keeps_the_cards_of_a_deal_apart(waits_ms: list[int]) -> None:
    world, pads = make_world()
    world.do(Deal(4, BOTH, True), 0)
    now_ms = 0
    for wait_ms in waits_ms:
        now_ms += wait_ms
        for pad in pads.values():
            pad.now_ms = now_ms
        world.step(now_ms)
    for pad in pads.values():
        for (earlier_ms, did, _), (later_ms, _, _) in pairwise(pad.history):
            assert later_ms - earlier_ms >= (450 if did == "put" else 200)


def test_a_deal_into_the_hands_touches_no_pad() -> None:
    world, pads = make_world()
    assert world.do(Deal(9, BOTH, False), 0) == ""
    assert not world.dealing
    assert [len(world.cards(place)) for place in ("hand-yay", "hand-wow", "pile")] == [9, 9, 20]
    assert not pads["yay"].history and not pads["wow"].history


def test_a_dealt_card_that_somebody_takes_away_stays_where_it_was_taken() -> None:
    world, pads = make_world()
    world.do(Deal(2, ("yay",), True), 0)
    (first,) = world.cards("pad-yay")
    world.do(Move(first, "discard", False), 100)
    pass_time(world, pads, 2000)
    assert world.cards("discard") == (first,)
    assert len(world.cards("hand-yay")) == 1


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (Deal(20, BOTH, False), "40 cards are needed and 38 are in the draw pile"),
        (Move("7b", "hand-yay", False), "somewhere in the draw pile"),
        (Move("ticket", "hand-yay", False), "The bus ticket is no card"),
        (Draw("aside"), "A drawn card goes to a hand"),
    ],
)
def test_what_hands_cannot_do_is_refused_in_words_and_changes_nothing(message: object, words: str) -> None:
    world, pads = make_world()
    before = world.view()
    assert words in world.do(message, 0)  # type: ignore[arg-type]
    assert world.view() == before
    assert not pads["yay"].history


def test_nothing_is_dealt_twice_at_once() -> None:
    world, _ = make_world()
    world.do(Deal(3, BOTH, True), 0)
    assert "still being dealt" in world.do(Deal(3, BOTH, True), 10)


def test_an_empty_pile_gives_no_card() -> None:
    world, _ = make_world()
    world.do(Deal(19, BOTH, False), 0)
    assert world.do(Draw("hand-yay"), 0) == "The draw pile is empty."
    assert "0 are in the draw pile" in world.do(Deal(1, ("yay",), True), 0)


def test_a_button_is_no_movement_of_cards() -> None:
    world, _ = make_world()
    with pytest.raises(TypeError, match="moves no card"):
        world.do(PressButton("yay"), 0)


def test_sweeping_empties_both_pads_onto_the_discard_pile_but_for_the_bus_ticket() -> None:
    world, pads = make_world()
    for place in ("pad-yay", "pad-yay", "pad-wow"):
        world.do(Draw(place), 0)
    world.do(Move("ticket", "pad-yay", False), 0)
    assert len(pads["yay"].uids) == 3
    world.do(Sweep(), 0)
    assert pads["yay"].uids == pads["wow"].uids == []
    assert len(world.cards("discard")) == 3
    assert world.cards("aside") == ("ticket",)


def test_the_bus_tickets_tag_is_no_cards_tag_and_begins_like_one() -> None:
    world, pads = make_world()
    world.do(Move("ticket", "pad-wow", False), 0)
    (uid,) = pads["wow"].uids
    assert uid not in UIDS.values()
    assert len(uid) == 7
    assert {uid[:3]} == {each[:3] for each in UIDS.values()}


def test_the_whole_draw_pile_on_a_pad_is_in_its_field_and_follows_the_hand() -> None:
    world, pads = make_world()
    world.do(LayPile("yay"), 0)
    assert sorted(pads["yay"].uids) == sorted(UIDS.values())
    world.do(Draw("hand-wow"), 0)
    assert len(pads["yay"].uids) == 37
    world.do(LayPile("wow"), 0)
    assert (len(pads["yay"].uids), len(pads["wow"].uids)) == (0, 37)
    world.do(LayPile("wow"), 0)
    world.do(Move(world.cards("hand-wow")[0], "pile", False), 0)
    assert len(pads["wow"].uids) == 38
    world.do(LayPile(None), 0)
    assert pads["wow"].uids == []


def test_gathering_ends_a_deal_and_brings_everything_back_shuffled() -> None:
    world, pads = make_world()
    first = world.cards("pile")
    world.do(Deal(5, BOTH, True), 0)
    pass_time(world, pads, 700)
    world.do(Gather(), 700)
    assert not world.dealing
    assert pads["yay"].uids == pads["wow"].uids == []
    assert sorted(world.cards("pile")) == sorted(first)
    assert world.cards("pile") != first


def test_the_view_never_tells_the_order_of_the_draw_pile() -> None:
    assert make_world(seed=1)[0].view() == make_world(seed=2)[0].view()


_movements = st.one_of(
    st.builds(Move, st.sampled_from([*DECK[:6], "ticket"]), st.sampled_from(PLACES), st.booleans()),
    st.builds(Draw, st.sampled_from(PLACES)),
    st.builds(Deal, st.integers(1, 19), st.sampled_from([("yay",), ("wow",), BOTH]), st.booleans()),
    st.builds(LayPile, st.sampled_from(["yay", "wow", None])),
    st.builds(TurnOver, st.sampled_from(BOTH)),
    st.just(Sweep()),
    st.just(Gather()),
    st.integers(0, 5000),
)


@given(st.lists(_movements, max_size=40), st.integers(0, 3))
@settings(max_examples=80, deadline=None)
def test_whatever_hands_do_each_field_holds_the_tags_on_its_pad_and_no_card_is_lost(movements: list, seed: int) -> None:
    world, pads = make_world(seed)
    now_ms = 0
    for movement in movements:
        if isinstance(movement, int):
            now_ms += movement
            world.step(now_ms)
        else:
            world.do(movement, now_ms)
        everywhere = [card for place in PLACES for card in world.cards(place)]
        assert sorted(everywhere) == sorted([*DECK, "ticket"])
        for player, pad in pads.items():
            on_pad = set(world.cards(f"pad-{player}"))
            if world.view()["pileOn"] == player:
                on_pad |= set(world.cards("pile"))
            assert {UIDS[card] for card in on_pad - {"ticket"}} == {uid for uid in pad.uids if uid in UIDS.values()}
            assert len(pad.uids) == len(on_pad)


@pytest.mark.parametrize("looks_every_ms", [20, 150, 400, 900])
def test_a_deal_over_real_readers_is_read_card_by_card_and_nothing_else_is(looks_every_ms: int) -> None:
    """Also by a table that is slow to look at its readers: on a busy machine every other card was missed."""
    time = VirtualTime()
    chips = {player: RC522(time) for player in BOTH}
    pads = Pads({player: lambda chip=chip: Reader(chip) for player, chip in chips.items()})  # type: ignore[misc]
    world = World(chips, UIDS, Random(3))
    placed: dict[str, list[tuple[int, bytes]]] = {player: [] for player in BOTH}
    pads.poll(time.now_ms())
    world.do(Deal(7, BOTH, True), time.now_ms())
    turns = 0
    while world.dealing:
        turns += 1
        if turns * 20 % looks_every_ms < 20:
            for event in pads.poll(time.now_ms()):
                if isinstance(event, Placed):
                    placed[event.pad].append((event.at_ms, event.uid))
        time.advance_ms(20)
        world.step(time.now_ms())
    pads.close()
    for player in BOTH:
        assert [uid for _, uid in placed[player]] == [UIDS[card] for card in world.cards(f"hand-{player}")]
        arrivals = [at_ms for at_ms, _ in placed[player]]
        assert all(later - earlier > 300 for earlier, later in pairwise(arrivals))


def test_a_deal_does_not_wait_for_ever_for_a_reader_that_nobody_asks() -> None:
    time = VirtualTime()
    chips = {player: RC522(time) for player in BOTH}
    world = World(chips, UIDS, Random(3))
    world.do(Deal(2, BOTH, True), time.now_ms())
    for now_ms in range(0, 14_000, 20):
        world.step(now_ms)
    assert not world.dealing and len(world.cards("hand-yay")) == 2

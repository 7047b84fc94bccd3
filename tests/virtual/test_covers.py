"""The row of a table that plays, on the virtual table: where its cards lie, and that nobody is told their faces."""

import json
from random import Random

import pytest

from firmware.virtual.messages import Deal, Draw, Gather, Move, Sweep, TurnOver, parse
from firmware.virtual.world import World

CARDS = tuple(f"{rank}{copy}" for rank in range(1, 7) for copy in "abc")
UIDS = {card: bytes((4, number, 0, 0)) for number, card in enumerate(CARDS)}


class Field:
    """A pad's reader that nobody reads."""

    def put(self, tag: object) -> None: ...

    def lift(self, tag: object) -> None: ...


def world(seed: int = 1, side: str | None = "wow") -> World:
    made = World({"yay": Field(), "wow": Field()}, UIDS, Random(seed))
    made.seat_the_table(side)
    return made


def row(made: World) -> list[list[object]]:
    return made.view()["row"]["cards"]


def laid(made: World) -> list[list[object]]:
    return made.view()["pads"]["wow"]


def test_its_cards_lie_in_places_from_the_left_and_are_not_called_by_their_names():
    made = world()
    made.do(Deal(3, ("wow",), over_pads=False), 0)
    assert [place for _, place in row(made)] == [1, 2, 3]
    assert all(name.startswith("?") for name, _ in row(made)) and len({name for name, _ in row(made)}) == 3


def test_a_card_of_the_row_is_laid_face_down_and_goes_back_to_its_own_place():
    made = world()
    made.do(Deal(4, ("wow",), over_pads=False), 0)
    (first, _), (second, _), *_ = row(made)
    for name in (first, second):
        made.do(Move(name, "pad-wow", face_down=False), 0)
    assert [up for _, up in laid(made)] == [False, False]
    made.do(Move(second, "hand-wow", face_down=False), 0)
    assert [place for _, place in row(made)] == [2, 3, 4]


def test_a_card_that_is_turned_has_a_name_and_the_page_is_told_which_one_it_was():
    made = world()
    made.do(Deal(2, ("wow",), over_pads=False), 0)
    (name, _), _ = row(made)
    made.do(Move(name, "pad-wow", face_down=True), 0)
    made.do(TurnOver("wow"), 0)
    ((card, up),) = laid(made)
    assert card in CARDS and up and made.view()["turned"] == {card: name}


def test_a_drawn_card_takes_the_lowest_place_that_is_empty():
    made = world()
    made.do(Deal(3, ("wow",), over_pads=False), 0)
    made.do(Move(row(made)[1][0], "discard", face_down=False), 0)
    made.do(Draw("hand-wow"), 0)
    assert [place for _, place in row(made)] == [1, 2, 3]


def test_a_card_can_be_dragged_to_another_place_and_changes_with_the_one_that_lies_there():
    made = world()
    made.do(Deal(3, ("wow",), over_pads=False), 0)
    (first, _), _, (third, _) = row(made)
    made.do(Move(first, "row-3", face_down=False), 0)
    assert next(name for name, _ in row(made)) == third and [name for name, _ in row(made)][2] == first


def test_where_two_persons_play_there_is_no_row():
    made = world(side=None)
    made.do(Deal(2, ("wow",), over_pads=False), 0)
    assert made.view()["row"] is None and all(card in CARDS for card in made.view()["hands"]["wow"])
    assert "no row" in made.do(Move(CARDS[0], "row-1", face_down=False), 0) or CARDS[0] in str(made.cards("pile"))


def test_a_name_that_is_covered_cannot_be_asked_for_wherever_it_lies():
    made = world()
    made.do(Deal(3, ("wow",), over_pads=False), 0)
    answers = {
        made.do(Move(card, "pad-wow", face_down=False), 0).replace(card, "")
        for card in (*made.cards("hand-wow"), *made.cards("pile"))
    }
    assert len(answers) == 1 and "nobody sees where" in answers.pop()


@pytest.mark.parametrize("name", ["?1", "?999"])
def test_what_a_covered_card_is_called_is_read_and_an_old_name_moves_nothing(name):
    message = parse(json.dumps({"do": "move", "card": name, "to": "row-2", "face_down": False}), set(CARDS))
    assert message == Move(name, "row-2", face_down=False)
    assert "no longer" in world().do(message, 0)


def test_nothing_that_a_window_is_sent_depends_on_the_faces_of_the_row():
    """The same movements over decks that were shuffled anew: what is seen is the same until a card is turned."""
    seen = set()
    for seed in range(20):
        made = world(seed)
        views = []
        made.do(Deal(5, ("wow",), over_pads=False), 0)
        for place, to in ((0, "pad-wow"), (2, "pad-yay"), (1, "row-4")):
            made.do(Move(str(row(made)[place][0]), to, face_down=True), 0)
            views.append(json.dumps(made.view()))
        made.do(Draw("pad-wow"), 0)
        views.append(json.dumps(made.view()))
        seen.add(tuple(views))
    assert len(seen) == 1


def test_after_gathering_the_same_cards_have_other_names():
    made = world()
    made.do(Deal(5, ("wow",), over_pads=False), 0)
    before = {name for name, _ in row(made)}
    made.do(Sweep(), 0)
    made.do(Gather(), 0)
    made.do(Deal(5, ("wow",), over_pads=False), 0)
    assert not before & {name for name, _ in row(made)}

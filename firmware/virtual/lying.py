"""Where the cards of a virtual table lie: kept beside the games, so that they lie there again after a restart. Pure,
but for `load` and `save`.

The transcript knows better: what it tells of the cards goes before the places that were kept (`put_right`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firmware.errors import FirmwareError
from firmware.files.disk import DISK, NEW_SECRET, Disk
from firmware.files.whole import Notice, load_kept, make_folder, save_kept
from firmware.virtual.messages import DISCARD, PILE, PLACES, PLAYERS, TICKET

FILE_NAME = "virtual-cards.json"
VERSION = 1


class LyingError(FirmwareError, ValueError):
    """A file that does not say where cards lie."""


@dataclass(frozen=True, slots=True)
class Lying:
    """`cards`: for every place of PLACES the cards that lie there, the pile's last on top. `face_down`: those of them.

    `pile_on`: the pad on which the draw pile lies, None beside them. `row`: where cards of a table that plays belong
    in its row. A `repr` gives no card away.
    """

    cards: Mapping[str, tuple[str, ...]] = field(repr=False)
    face_down: frozenset[str] = field(default=frozenset(), repr=False)
    pile_on: str | None = None
    row: Mapping[str, int] = field(default_factory=dict, repr=False)

    def places(self) -> dict[str, str]:
        """The place of each card."""
        return {card: place for place, cards in self.cards.items() for card in cards}

    def is_of(self, deck: Iterable[str]) -> bool:
        """Whether these are the cards of this deck, and the bus ticket."""
        return self.places().keys() == {*deck, TICKET}


@dataclass(frozen=True, slots=True)
class Known:
    """What a transcript tells of the cards of its round. `used`: those that were played.

    `hands`: those that each player holds; None where the table does not know hands, but how many (`counts`).
    `row`: where the cards of a table that plays belong.
    """

    used: frozenset[str] = field(repr=False)
    hands: Mapping[str, frozenset[str]] | None = field(repr=False)
    counts: Mapping[str, int]
    row: Mapping[str, int] = field(default_factory=dict, repr=False)


def put_right(lying: Lying, known: Known) -> tuple[Lying, int]:
    """The cards as the transcript tells of them, and how many had to be moved for it."""
    right = {card: _right_place(card, place, known) for card, place in lying.places().items()}
    moved = {card for card, place in lying.places().items() if right[card] != place}
    cards = {
        place: (*(c for c in lying.cards[place] if c not in moved), *(c for c in sorted(moved) if right[c] == place))
        for place in PLACES
    }
    return Lying(cards, lying.face_down - moved, lying.pile_on, {**lying.row, **known.row}), len(moved)


def _right_place(card: str, place: str, known: Known) -> str:
    on_pad = place.startswith("pad-")
    if card == TICKET:
        return place
    if card in known.used:
        return place if on_pad or place == DISCARD else DISCARD
    if known.hands is None:
        return place
    for player, hand in known.hands.items():
        if card in hand:
            return place if place in (f"hand-{player}", f"pad-{player}") else f"hand-{player}"
    return PILE if place.startswith("hand-") else place


def hands_are_known(lying: Lying, known: Known) -> bool:
    """Whether each player has as many cards as the game counts, on hand or pad: those that were played apart."""
    return all(
        sum(card not in known.used for where in ("hand", "pad") for card in lying.cards[f"{where}-{player}"]) == count
        for player, count in known.counts.items()
    )


def taken_back(before: Lying, now: Lying, brought_to: Set[str]) -> Lying:
    """As it was before cards were brought to these places; those that were moved on since stay where they are."""
    places, was = now.places(), before.places()
    back = {card for card, place in was.items() if places[card] != place and places[card] in brought_to}
    cards: dict[str, tuple[str, ...]] = {}
    for place in PLACES:
        here = {card for card in now.cards[place] if card not in back}
        again = tuple(card for card in before.cards[place] if card in back or card in here)
        cards[place] = (*again, *(card for card in now.cards[place] if card in here and card not in again))
    return Lying(cards, now.face_down - back | before.face_down & back, now.pile_on, {**before.row, **now.row})


# ---- the file ------------------------------------------------------------------------------


def format_lying(lying: Lying) -> str:
    """The text of the file: JSON, a place a line."""
    value = {
        "version": VERSION,
        **{place: list(lying.cards[place]) for place in PLACES},
        "face_down": sorted(lying.face_down),
        "pile_on": lying.pile_on,
        "row": dict(sorted(lying.row.items())),
    }
    return "{\n" + ",\n".join(f"{json.dumps(key)}: {json.dumps(each)}" for key, each in value.items()) + "\n}\n"


def parse_lying(text: str) -> Lying:
    """Read the file's text. Raises LyingError for anything that `format_lying` would not write."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise LyingError(f"this is no JSON: {error}") from error
    keys = {"version", *PLACES, "face_down", "pile_on", "row"}
    if not isinstance(value, dict) or value.keys() != keys or value["version"] != VERSION:
        raise LyingError(f"expected is one object with the keys {', '.join(sorted(keys))}, of version {VERSION}")
    cards = {place: _cards(place, value[place]) for place in PLACES}
    everywhere = [card for place in PLACES for card in cards[place]]
    face_down, row = _cards("face_down", value["face_down"]), value["row"]
    if len(set(everywhere)) != len(everywhere):
        raise LyingError("a card lies in two places")
    if not set(face_down) <= set(everywhere):
        raise LyingError("a card lies face down, and nowhere")
    if value["pile_on"] not in (None, *PLAYERS):
        raise LyingError("pile_on is neither null nor a player")
    if not isinstance(row, dict) or not all(type(place) is int and 1 <= place <= 99 for place in row.values()):
        raise LyingError("row does not give places to cards")
    return Lying(cards, frozenset(face_down), value["pile_on"], row)


def _cards(name: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(card, str) for card in value):
        raise LyingError(f"{name} is no list of cards")
    return tuple(value)


def load(folder: Path, deck: Iterable[str], disk: Disk = DISK) -> tuple[Lying | None, Sequence[Notice]]:
    """Where the cards lay; None if that is not known, or they were those of another deck. Never raises."""
    lying, notices = load_kept(folder / FILE_NAME, parse_lying, disk)
    return (lying if lying is not None and lying.is_of(deck) else None), notices


def save(folder: Path, lying: Lying, disk: Disk = DISK) -> Sequence[Notice]:
    """Keep it: replaced whole or not at all. Raises firmware.files.whole.SaveError."""
    make_folder(folder, disk)
    return save_kept(folder / FILE_NAME, format_lying(lying), parse_lying, disk, mode=NEW_SECRET)  # it shows hands

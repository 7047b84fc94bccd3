"""What the device is told: events, each with one text form (docs/transcript.md)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from engine.cards import Card, Deck, Player, parse_card
from engine.errors import ParseError


class Kind(StrEnum):
    CARD = "card"
    TAG = "tag"
    OK = "ok"
    UNDO = "undo"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class Event:
    """`player` is None for VOID; `card` is set for CARD, `uid` for TAG, else None."""

    kind: Kind
    player: Player | None = None
    card: Card | None = None
    uid: bytes | None = None

    def __str__(self) -> str:
        return format_event(self)

    def __repr__(self) -> str:
        return f"parse_event({format_event(self)!r})"


VOID = Event(Kind.VOID)


def card_event(player: Player, card: Card) -> Event:
    return Event(Kind.CARD, player, card)


def tag_event(player: Player, uid: bytes) -> Event:
    return Event(Kind.TAG, player, uid=uid)


def ok_event(player: Player) -> Event:
    return Event(Kind.OK, player)


def undo_event(player: Player) -> Event:
    return Event(Kind.UNDO, player)


def format_event(event: Event) -> str:
    if event.player is None:
        return "void"
    if event.card is not None:
        return f"{event.player} {event.card}"
    if event.uid is not None:
        return f"{event.player} tag {format_uid(event.uid)}"
    return f"{event.player} {event.kind}"


EXPECTED = "yay or wow with a card (yay 7b), ok, undo or tag UID is expected, or void"


def parse_event(text: str, deck: Deck | None = None) -> Event:
    """The inverse of format_event. With a deck, a card must be one of its cards. Raises ParseError."""
    words = text.split()
    match words:
        case ["void"]:
            return VOID
        case [("yay" | "wow") as player, "ok"]:
            return ok_event(Player(player))
        case [("yay" | "wow") as player, "undo"]:
            return undo_event(Player(player))
        case [("yay" | "wow") as player, "tag", *uid]:
            return tag_event(Player(player), _parse_tag(" ".join(uid)))
        case [("yay" | "wow") as player, name]:
            card = parse_card(name) if deck is None else parse_card_of(deck, name)
            return card_event(Player(player), card)
    raise ParseError(f"{text!r} is not an event: {EXPECTED}")


def parse_card_of(deck: Deck, name: str) -> Card:
    """A card of this deck by its name. Raises ParseError."""
    card = parse_card(name)
    if card not in deck:
        raise ParseError(_no_such_card(card, deck))
    return card


def _no_such_card(card: Card, deck: Deck) -> str:
    copies = deck.counts[card.rank]
    if not copies:
        return f"the deck has no card {card}: it has no {card.rank} at all"
    last = chr(ord("a") + copies - 1)
    return f"the deck has no card {card}: its {card.rank}s are {card.rank}a to {card.rank}{last}"


_HEX = re.compile(r"(?:[0-9a-fA-F]{2}[: ]?)*[0-9a-fA-F]{2}")
UID_LENGTHS = (4, 7, 10)  # ISO/IEC 14443-3, 6.5.4: single, double and triple size


def parse_uid(text: str) -> bytes:
    """`04a1b2c3d4e5f6`, `DE:AD:BE:EF` or `DE AD BE EF` -> bytes: 4, 7 or 10. Raises ParseError."""
    uid = _parse_tag(text)
    if len(uid) not in UID_LENGTHS:
        raise ParseError(f"{text!r} has {len(uid)} bytes: a UID has 4, 7 or 10, as in 04a1b2c3d4e5f6")
    return uid


def _parse_tag(text: str) -> bytes:
    """A tag in a transcript never stands for a card, so any length will do."""
    if not _HEX.fullmatch(text):
        raise ParseError(f"{text!r} is not a UID: bytes in hexadecimal are expected, as in 04a1b2c3d4e5f6")
    return bytes.fromhex(text.replace(":", ""))


def format_uid(uid: bytes) -> str:
    return uid.hex()

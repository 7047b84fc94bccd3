"""The messages of the virtual table's page, read strictly.

A message is one JSON object in text: `do` names the movement, the other keys are its arguments, all of them
needed and no others allowed. `parse` never raises: what it does not understand it answers with a `Refusal`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import Any

PLAYERS = ("yay", "wow")
PILE, DISCARD, ASIDE = "pile", "discard", "aside"
PLACES = (PILE, DISCARD, ASIDE, "hand-yay", "hand-wow", "pad-yay", "pad-wow")
ROW_PLACES = tuple(f"row-{number}" for number in range(1, 10))  # of the row of a table that plays, from the left
PARTS = ("pad yay", "pad wow", "strip", "screen")
TICKET = "ticket"  # the tag that is no card
MAX_MESSAGE_BYTES = 512
MAX_MOMENT_MS = 1 << 53  # browsers count in doubles
MAX_DEAL = 19


@dataclass(frozen=True, slots=True)
class Move:
    """Put a card somewhere else: one of the deck, or one that lies face down by what the world calls it."""

    card: str
    to: str
    face_down: bool


@dataclass(frozen=True, slots=True)
class Draw:
    """Take the top card of the draw pile."""

    to: str


@dataclass(frozen=True, slots=True)
class Deal:
    """Deal `count` cards to each of `players`, over their pads one by one or straight into the hands."""

    count: int
    players: tuple[str, ...]
    over_pads: bool


@dataclass(frozen=True, slots=True)
class Sweep:
    """Clear the pads: what was played goes to the discard pile, the rest back to its hand."""


@dataclass(frozen=True, slots=True)
class Gather:
    """Take all cards together and shuffle them."""


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Undo the latest deal, sweep or gathering."""


@dataclass(frozen=True, slots=True)
class LayPile:
    """Put the whole draw pile on a player's pad, or back in its place (None)."""

    pad: str | None


@dataclass(frozen=True, slots=True)
class TurnOver:
    """Turn the cards on a player's pad over."""

    pad: str


@dataclass(frozen=True, slots=True)
class PressButton:
    """A finger goes down on a player's button. `at`: when, in milliseconds of the browser's own clock."""

    button: str
    at: float | None = None


@dataclass(frozen=True, slots=True)
class ReleaseButton:
    """The finger has left. `at` is as in PressButton."""

    button: str
    at: float | None = None


@dataclass(frozen=True, slots=True)
class Plug:
    """Pull the plug of a part of the device, or push it in again."""

    part: str
    plugged_in: bool


Message = Move | Draw | Deal | Sweep | Gather | TakeBack | LayPile | TurnOver | PressButton | ReleaseButton | Plug


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a message was not understood: one sentence."""

    text: str


Check = Callable[[Any], bool]


def _one_of(*allowed: str) -> Check:
    return lambda value: isinstance(value, str) and value in allowed


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MAX_DEAL


def _is_players(value: Any) -> bool:
    return value in (["yay"], ["wow"], ["yay", "wow"])


def _is_moment(value: Any) -> bool:
    if value is None:
        return True
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= MAX_MOMENT_MS


_COVERED = re.compile(r"\?[0-9]{1,9}", re.ASCII)  # what a card is called whose face nobody may see
_PLAYER = _one_of(*PLAYERS)
_FINGER: dict[str, tuple[Check, str]] = {
    "button": (_PLAYER, "yay or wow"),
    "at": (_is_moment, "milliseconds since the page was opened, or null"),
}
_MAY_LACK = frozenset({"at"})

# The argument of each movement: its name in JSON, what it may be, and how that is called in words.
_ARGUMENTS: dict[str, tuple[type, dict[str, tuple[Check, str]]]] = {
    "move": (
        Move,
        {
            "card": (lambda value: isinstance(value, str), "a card of the deck"),
            "to": (_one_of(*PLACES, *ROW_PLACES), f"one of {', '.join(PLACES)}, row-1 to row-9"),
            "face_down": (_is_flag, "true or false"),
        },
    ),
    "draw": (Draw, {"to": (_one_of(*PLACES), f"one of {', '.join(PLACES)}")}),
    "deal": (
        Deal,
        {
            "count": (_is_count, f"a whole number from 1 to {MAX_DEAL}"),
            "players": (_is_players, '["yay"], ["wow"] or ["yay", "wow"]'),
            "over_pads": (_is_flag, "true or false"),
        },
    ),
    "sweep": (Sweep, {}),
    "gather": (Gather, {}),
    "take_back": (TakeBack, {}),
    "lay_pile": (LayPile, {"pad": (lambda value: value is None or _PLAYER(value), "yay, wow or null")}),
    "turn": (TurnOver, {"pad": (_PLAYER, "yay or wow")}),
    "press": (PressButton, _FINGER),
    "release": (ReleaseButton, _FINGER),
    "plug": (
        Plug,
        {"part": (_one_of(*PARTS), f"one of {', '.join(PARTS)}"), "plugged_in": (_is_flag, "true or false")},
    ),
}


def parse(text: str | bytes, cards: Set[str]) -> Message | Refusal:
    """Read one message. `cards` are the names of all cards that there are; the bus ticket is known besides."""
    if len(text) > MAX_MESSAGE_BYTES:
        return Refusal(f"A message has at most {MAX_MESSAGE_BYTES} bytes; this one has {len(text)}.")
    try:
        value = json.loads(text, object_pairs_hook=_keys_once)
    except (ValueError, RecursionError):  # a UnicodeDecodeError is a ValueError
        return Refusal("A message is one JSON object, with each key once; this is not JSON.")
    if not isinstance(value, dict):
        return Refusal(f"A message is one JSON object; found {_shown(value)}.")
    do = value.pop("do", None)
    if not isinstance(do, str) or do not in _ARGUMENTS:
        return Refusal(f"'do' is {_shown(do)}; expected one of {', '.join(_ARGUMENTS)}.")
    make, arguments = _ARGUMENTS[do]
    if not arguments.keys() - _MAY_LACK <= value.keys() <= arguments.keys():
        return Refusal(f"'{do}' takes the keys {_listed(arguments)}; found {_listed(value)}.")
    for name, (check, words) in arguments.items():
        if name in value and not check(value[name]):
            return Refusal(f"'{name}' of '{do}' is {_shown(value[name])}; expected {words}.")
    if (
        make is Move
        and value["card"] not in cards
        and value["card"] != TICKET
        and not _COVERED.fullmatch(value["card"])
    ):
        return Refusal(f"There is no card {_shown(value['card'])} in this deck.")
    message: Message = make(**{name: tuple(each) if isinstance(each, list) else each for name, each in value.items()})
    return message


def _keys_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON allows a key twice, and readers differ in which of the values they take."""
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key is given twice")
    return value


def _shown(value: Any) -> str:
    """A value from outside, for an error text: printable ASCII, 40 characters at most."""
    text = ascii(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _listed(names: Any) -> str:
    return ", ".join(_shown(name) for name in list(names)[:6]) or "no others"

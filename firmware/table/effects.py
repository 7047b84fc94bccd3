"""What the table asks for: the effects of a step, which the loop performs."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from engine.cards import Card
from engine.events import Event
from engine.rules import Rules
from engine.views import View
from firmware.kept.deck import Tags
from firmware.kept.settings import Settings


@dataclass(frozen=True, slots=True)
class Begin:
    """A game begins: its transcript is to be begun."""

    rules: Rules


@dataclass(frozen=True, slots=True)
class Record:
    """An event was given to the engine: it belongs in the transcript before anything is shown of it."""

    event: Event


class Sound(Enum):
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNKNOWN = "unknown"
    LATE_FOUL = "late foul"
    ROUND_WON = "round won"
    GAME_WON = "game won"


@dataclass(frozen=True, slots=True)
class Name:
    """A tag was given the name of a card: it is to be kept in the deck; `old` is the tag it replaces.

    `tags` is the whole deck as it is now.
    """

    uid: bytes
    card: Card
    old: bytes | None
    tags: Tags = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class End:
    """The players ended the game before its end: its transcript is kept, and not offered again."""


@dataclass(frozen=True, slots=True)
class Resume:
    """The offered game goes on: in its own transcript."""


@dataclass(frozen=True, slots=True)
class KeepDeck:
    """A deck was taught."""

    tags: Tags


@dataclass(frozen=True, slots=True)
class KeepSettings:
    settings: Settings


@dataclass(frozen=True, slots=True)
class SwitchOff:
    """Make everything dark, and the device ready to lose its power."""


@dataclass(frozen=True, slots=True)
class CheckParts:
    """Look at every part in turn; what was found comes back with the table."""


@dataclass(frozen=True, slots=True)
class AskHint:
    """What is best played in this view, which is all that may be told for it? What is found comes back as `Advised`."""

    view: View


@dataclass(frozen=True, slots=True)
class AskPoints:
    """What has the game that is over turned on? That comes back as `Advised`."""


Effect = (
    Begin
    | Record
    | Sound
    | Name
    | End
    | Resume
    | KeepDeck
    | KeepSettings
    | SwitchOff
    | CheckParts
    | AskHint
    | AskPoints
)

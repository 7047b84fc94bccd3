"""What the table asks for: the effects of a step, which the loop performs."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from engine.cards import Card
from engine.events import Event
from engine.game import Game
from engine.rules import Rules
from engine.transcript import Choice, Solo
from engine.verdict import Verdict
from engine.views import View
from firmware.kept.deck import Tags
from firmware.kept.settings import Settings


@dataclass(frozen=True, slots=True)
class Begin:
    """A game begins: its transcript is to be begun."""

    rules: Rules
    solo: Solo | None = None  # who plays for the table


@dataclass(frozen=True, slots=True)
class Record:
    """An event was given to the engine: it belongs in the transcript before anything is shown of it.

    `before` is the game that it met, `after` the one that came of it.
    """

    event: Event
    before: Game = field(repr=False, compare=False)
    after: Game = field(repr=False, compare=False)
    verdict: Verdict = field(repr=False, compare=False)


class Sound(Enum):
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNKNOWN = "unknown"
    LATE_FOUL = "late foul"
    ROUND_WON = "round won"
    GAME_WON = "game won"
    NOTICED = "noticed"  # a pad feels a card that does not count yet
    PLACE = "place"  # soft: the table has decided, and shows which of its cards is to be laid


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
    """The offered game goes on: in its own transcript. `solo`: who plays for the table."""

    solo: Solo | None = None


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


@dataclass(frozen=True, slots=True)
class Think:
    """The table has to decide: what it answers comes back as a `Decision` of this number.

    `view` is all that it may know.
    """

    number: int
    view: View = field(repr=False)


@dataclass(frozen=True, slots=True)
class Choose:
    """The table has chosen in secret: that belongs in the transcript before a card of the other counts."""

    choice: Choice


@dataclass(frozen=True, slots=True)
class NoteRow:
    """The table's row was learned anew: its cards from the left, for a game that is resumed; none: it is mixed up."""

    cards: tuple[Card, ...] = field(repr=False)


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
    | Think
    | Choose
    | NoteRow
)

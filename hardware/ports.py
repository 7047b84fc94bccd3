"""What the program needs of each thing on the table, and what each of them tells it.

Values only (frozen) and the protocols of the drivers; no device is touched here. Times are
milliseconds of a monotonic clock that the caller chooses (`now_ms`); no wall clock anywhere.
A *pad* and a *button* are named by the caller with a short string; hardware attaches no meaning to it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from PIL import Image


class HardwareError(Exception):
    """The base class of all errors that this package raises."""


class Clock(Protocol):
    """A monotonic clock: never set, never goes back."""

    def now_ms(self) -> int: ...


class SystemClock:
    """The machine's monotonic clock, in whole milliseconds."""

    def now_ms(self) -> int:
        return time.monotonic_ns() // 1_000_000


# ---- what hardware tells -------------------------------------------------------------------


class Health(Enum):
    """How a part is: being looked for, working, or gone after it worked."""

    SEARCHING = "searching"
    CONNECTED = "connected"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class PartState:
    """`part` is a name such as "pad yay", "strip", "screen"; `detail` says in English what was found."""

    part: str
    health: Health
    detail: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Noticed:
    """A pad has read a card for the first time: it may yet slide on. Placed or Passed follows.

    Not told of a card that counts at once, nor of one that was first read while cards could not be told apart.
    `uid` as in Placed; `at_ms` is the time of that reading.
    """

    pad: str
    uid: bytes
    at_ms: int


@dataclass(frozen=True, slots=True)
class Passed:
    """A card that was noticed is gone again, before it counted as placed."""

    pad: str
    uid: bytes
    at_ms: int


@dataclass(frozen=True, slots=True)
class Placed:
    """A card has come to lie on a pad. `uid` is 4, 7 or 10 bytes; `at_ms` is when it was first seen."""

    pad: str
    uid: bytes
    at_ms: int


@dataclass(frozen=True, slots=True)
class Lifted:
    """A card has left a pad: it was missing for 150 ms of consecutive polls."""

    pad: str
    uid: bytes
    at_ms: int


@dataclass(frozen=True, slots=True)
class Crowded:
    """The cards on a pad cannot be told apart (`crowded`), or can be again (`not crowded`)."""

    pad: str
    crowded: bool
    at_ms: int


class Press(Enum):
    """What a finger meant (see docs/device.md, Buttons)."""

    OK = "ok"  # short, up to 0.4 s
    UNDO = "undo"  # held for 1.2 s
    MENU = "menu"  # both held for 2 s


@dataclass(frozen=True, slots=True)
class Pressed:
    """A finished press. `button` is None for MENU, which both buttons make together."""

    button: str | None
    press: Press
    at_ms: int


@dataclass(frozen=True, slots=True)
class Holding:
    """A button is being held longer than a short press; `since_ms` is when it went down.

    Sent once at 0.4 s, and once more with `since_ms` None when the hold ends, whatever came of it.
    """

    button: str
    since_ms: int | None
    at_ms: int


HardwareEvent = PartState | Noticed | Passed | Placed | Lifted | Crowded | Pressed | Holding


# ---- what the strip shows ------------------------------------------------------------------

Colour = tuple[int, int, int]  # red, green, blue: 0 to 255 each


@dataclass(frozen=True, slots=True)
class Breathe:
    """LEDs `first` … `first + count - 1` swell from dark to `colour` and back, once each `period_ms`."""

    first: int
    count: int
    colour: Colour
    period_ms: int
    start_ms: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """A dot runs along `count` LEDs from `first` once each `period_ms`; backwards if `backwards`."""

    first: int
    count: int
    colour: Colour
    period_ms: int
    backwards: bool = False
    start_ms: int = 0


@dataclass(frozen=True, slots=True)
class Flash:
    """The LEDs flash `times` times from `start_ms`: half of each `period_ms` lit, half dark; then nothing."""

    first: int
    count: int
    colour: Colour
    times: int
    period_ms: int
    start_ms: int


@dataclass(frozen=True, slots=True)
class Glide:
    """A block of LEDs in `colour` visits `stops` (first LED, count) in turn, `step_ms` each, then rests on the last.

    Until the glide is over, the LEDs of its other stops show what lies below it.
    """

    stops: tuple[tuple[int, int], ...]
    colour: Colour
    step_ms: int
    start_ms: int


LightEffect = Breathe | Run | Flash | Glide


@dataclass(frozen=True, slots=True)
class Picture:
    """What the strip shows: a still colour for each LED, and the moving things over it, in order.

    LED 0 is the first of the strip as the players see it from the first goal; a strip built in
    the other direction is turned by the driver. All `start_ms` are on the clock that the strip's driver was given.
    """

    still: tuple[Colour, ...]
    effects: tuple[LightEffect, ...] = ()


# ---- what the program needs of each --------------------------------------------------------


class Source(Protocol):
    """Anything that is asked for events: the pads, the buttons."""

    def poll(self, now_ms: int) -> Iterable[HardwareEvent]:
        """Do one round of work and return what happened, in order. Never raises for a fault of the device."""

    @property
    def pause_ms(self) -> int:
        """How long it can be left alone from the last poll on, in milliseconds, if it does not call by itself."""

    def close(self) -> None: ...


class Strip(Protocol):
    """The LED strip. Both calls return at once; the newest picture wins."""

    def show(self, picture: Picture) -> None: ...

    def go_dark(self) -> None:
        """Dark, and no pulse of its own afterwards."""

    def close(self) -> None: ...


class Screen(Protocol):
    """A one-bit screen of 128 x 64 pixels. Only what changed is sent."""

    def show(self, image: Image.Image) -> None:
        """`image`: mode "1", 128 x 64. Never raises for a fault of the device: it is tried again later."""

    def dim(self, dimmed: bool) -> None: ...

    def close(self) -> None:
        """Switch the panel off."""


class Lamps(Protocol):
    def light(self, lit: frozenset[str]) -> None:
        """Light the lamps of these buttons, and no others."""


@dataclass(frozen=True, slots=True)
class Note:
    """One tone: `hz` 0 is a rest."""

    hz: int
    ms: int


class Buzzer(Protocol):
    def play(self, notes: tuple[Note, ...], now_ms: int) -> None:
        """Start a melody; one that still sounds is cut off. Returns at once."""

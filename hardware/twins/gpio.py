"""The buttons, lamps and buzzer on emulated pins: gpiozero's own mock pins, with fingers that bounce.

`Desk.factory` is a gpiozero pin factory; the real gpiozero devices run on it. The pins know their pull-up and a finger
that was there before anybody looked, and record what the buzzer was made to do.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from gpiozero.pins.mock import MockFactory, MockPWMPin
from gpiozero.pins.pi import PiPin

from hardware.ports import Clock


@dataclass(frozen=True, slots=True)
class Heard:
    """From `at_ms` on the buzzer sounds at `hz` (0: silent)."""

    hz: int
    at_ms: int


class ForgetfulPin(MockPWMPin):
    """gpiozero's mock pin keeps every state that it ever had; this one only the last, however long it is used."""

    def _change_state(self, value: float) -> bool:
        changed: bool = super()._change_state(value)
        del self.states[:-1]
        return changed


class _Pin(ForgetfulPin):
    """A mock pin whose level follows a finger (to ground) or else its pull; `deaf` loses edges, not levels."""

    def __init__(self, factory: _Factory, info: object) -> None:
        self.finger = self.deaf = False
        super().__init__(factory, info)

    def _set_pull(self, value: str) -> None:
        super()._set_pull(value)
        if self.finger:
            self.drive_low()

    def _call_when_changed(self) -> None:
        """As lgpio: the edge is told with the kernel's time; `late`, when the thread that tells it comes to it."""
        if self.deaf:
            return
        self.factory.tell(partial(self._tell, self.factory.ticks_of_edge(), self._state))

    def _tell(self, ticks: float, state: bool) -> None:
        PiPin._call_when_changed(self, ticks, state)

    def contact(self, closed: bool) -> None:
        self.finger = closed
        if self.function != "input":
            return
        if closed:
            self.drive_low()
        elif self.pull == "up":
            self.drive_high()

    def _set_frequency(self, value: float | None) -> None:
        super()._set_frequency(value)
        self.factory.changed(self)

    def _change_state(self, value: float) -> bool:
        changed: bool = super()._change_state(value)
        if changed:
            self.factory.changed(self)
        return changed

    @property
    def hz(self) -> int:
        """What is heard of this pin: the frequency while it is modulated, else 0."""
        frequency = self._frequency if self._function == "output" else None
        return round(frequency) if frequency and 0 < self._state < 1 else 0


class _Factory(MockFactory):
    def __init__(self, clock: Clock, buzzer_pin: int | None) -> None:
        super().__init__(pin_class=_Pin)
        self.clock = clock
        self.heard: list[Heard] = []
        self._buzzer_pin = buzzer_pin
        self._hz = 0
        self._held_back: list[Callable[[], None]] | None = None
        self.edge_ms: int | None = None  # when the edge that is made now was; None: now

    def ticks(self) -> float:
        """Seconds of the twins' clock, as lgpio's are seconds of the machine's."""
        return self.clock.now_ms() / 1000

    def ticks_of_edge(self) -> float:
        return self.ticks() if self.edge_ms is None else self.edge_ms / 1000

    def tell(self, edge: Callable[[], None]) -> None:
        if self._held_back is None:
            edge()
        else:
            self._held_back.append(edge)

    def hold_edges_back(self) -> None:
        self._held_back = self._held_back or []

    def let_edges_come(self) -> None:
        edges, self._held_back = self._held_back or [], None
        for edge in edges:
            edge()

    def changed(self, pin: _Pin) -> None:
        if pin.info.name != f"GPIO{self._buzzer_pin}" or not hasattr(pin, "_frequency"):
            return
        if pin.hz != self._hz:
            self._hz = pin.hz
            self.heard.append(Heard(pin.hz, self.clock.now_ms()))


class Desk:
    """The things that fingers touch, as the world sees them.

    buttons: name to (BCM pin of the button, BCM pin of its lamp or None). clock: stamps what is heard; if it can be
    advanced (`advance_ms`), a bounce takes its time on it.
    """

    def __init__(self, buttons: Mapping[str, tuple[int, int | None]], buzzer_pin: int | None, clock: Clock) -> None:
        self.factory = _Factory(clock, buzzer_pin)
        self._clock, self._pins = clock, dict(buttons)
        self._buzzer_pin = buzzer_pin
        self._lock = threading.Lock()

    def press(self, name: str, bounce_ms: tuple[int, ...] = (), at_ms: int | None = None) -> None:
        """Put a finger on a button. Each number of `bounce_ms` is how long the contact holds before it jumps back.

        `at_ms`: by the twins' clock, when the kernel saw the edge that is told now; None: now.
        """
        self._contact(name, True, bounce_ms, at_ms)

    def release(self, name: str, bounce_ms: tuple[int, ...] = (), at_ms: int | None = None) -> None:
        self._contact(name, False, bounce_ms, at_ms)

    def lose_edges(self, name: str, lost: bool = True) -> None:
        """From now on edges of this button are not reported, only its level can be read."""
        self._button(name).deaf = lost

    def hold_edges_back(self) -> None:
        """From now on edges wait in the kernel, with their times, as while the whole process is stopped."""
        self.factory.hold_edges_back()

    def let_edges_come(self) -> None:
        """Those that waited are told now, in their order; later ones at once."""
        self.factory.let_edges_come()

    def lamps(self) -> frozenset[str]:
        """The buttons whose lamps are lit."""
        return frozenset(
            name
            for name, (_, lamp) in self._pins.items()
            if lamp is not None and self._pin(lamp).function == "output" and self._pin(lamp).state
        )

    def tone_hz(self) -> int:
        """What the buzzer sounds now; 0: silent."""
        return self._pin(self._buzzer_pin).hz if self._buzzer_pin is not None else 0

    def heard(self) -> list[Heard]:
        """Every change of tone since the last call."""
        with self._lock:
            heard, self.factory.heard = self.factory.heard, []
        return heard

    def _contact(self, name: str, closed: bool, bounce_ms: tuple[int, ...], at_ms: int | None) -> None:
        pin = self._button(name)
        self.factory.edge_ms = at_ms
        for index, held_ms in enumerate((*bounce_ms, 0)):
            pin.contact(closed if index % 2 == 0 else not closed)
            advance = getattr(self._clock, "advance_ms", None)
            if held_ms and advance is not None:
                advance(held_ms)
        pin.contact(closed)
        self.factory.edge_ms = None

    def _button(self, name: str) -> _Pin:
        if name not in self._pins:
            raise KeyError(f"there is no button {name!r}; there are {', '.join(sorted(self._pins))}")
        return self._pin(self._pins[name][0])

    def _pin(self, number: int) -> _Pin:
        pin: _Pin = self.factory.pin(number)
        return pin

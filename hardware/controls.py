"""The buttons with their lamps, and the buzzer, over gpiozero with any pin factory.

gpiozero's own threads, hold timers and debouncing by the wall clock are not used: each edge is noted with the time at
which the pin factory saw it (lgpio has it from the kernel), each poll looks at every level besides, and
`hardware.presses` decides what it means. A pin that cannot be used is lost by itself, and tried again.
"""

from __future__ import annotations

import logging
import queue
from collections.abc import Callable, Mapping
from typing import Any

import gpiozero
from gpiozero.tones import Tone

from hardware import presses
from hardware.pins import pin_faults, why_not
from hardware.ports import Clock, HardwareError, HardwareEvent, Health, Note, PartState

MIDDLE_TONE, OCTAVES = "A5", 3  # 110 to 7040 Hz: what a small passive buzzer can do
LOWEST_HZ, HIGHEST_HZ = 110, 7040
TICK_MS, REST_MS = 20, 100  # between two polls: while something is pressed or sounds; else, in case an edge is lost
RETRY_MS = 2000  # before a pin that could not be used is tried again
BUZZER = "buzzer"

log = logging.getLogger(__name__)


class ControlsError(HardwareError, RuntimeError):
    """No pin can be used, as their library is missing: the message says what gpiozero found."""


class Part:
    """One thing on a pin: its device while it works, and why it does not.

    `name`: as in "button yay". `make`: opens the device; asked again after a fault. Raises ControlsError (from the
    constructor alone) where there is no library for pins, which no second try would find.
    """

    def __init__(self, name: str, pin: int, make: Callable[[], Any], factory: gpiozero.Factory | None) -> None:
        self.name, self.pin, self.reason = name, pin, ""
        self.device: Any = None
        self._make, self._factory = make, factory
        self._retry_at_ms: int | None = None
        self._told: str | None = None
        try:
            self._open()
        except ImportError as fault:
            raise ControlsError(
                f"{name}, {why_not(pin, fault, factory)}. 'tacocat check' says what is in the way"
            ) from fault

    def _open(self) -> None:
        try:
            self.device, self.reason = self._make(), ""
        except ImportError:
            raise
        except pin_faults() as fault:
            self.reason = why_not(self.pin, fault, self._factory)

    def use(self, action: Callable[[Any], Any], otherwise: Any = None) -> Any:
        """Do something with the device; `otherwise` if there is none, or if that failed: then it is lost."""
        if self.device is None:
            return otherwise
        try:
            return action(self.device)
        except pin_faults() as fault:
            self.reason = why_not(self.pin, fault, self._factory)
            self.close()
            return otherwise

    def try_again(self, now_ms: int) -> bool:
        """Open it if it is lost and the time has come; whether it works anew."""
        if self.device is not None:
            return False
        if self._retry_at_ms is None:
            self._retry_at_ms = now_ms + RETRY_MS
        if now_ms < self._retry_at_ms:
            return False
        self._retry_at_ms = now_ms + RETRY_MS
        try:
            self._open()
        except ImportError as fault:
            self.reason = why_not(self.pin, fault, self._factory)
        return self.device is not None

    def news(self, now_ms: int) -> list[HardwareEvent]:
        """What is to be reported of it: that it is lost, or for another reason now; that it works again."""
        if self.reason == (self._told or ""):
            return []
        self._told = self.reason
        health = Health.LOST if self.reason else Health.CONNECTED
        if not self.reason:
            self._retry_at_ms = None
        return [PartState(self.name, health, self.reason or f"GPIO {self.pin}", now_ms)]

    def close(self) -> None:
        """Let go of the pin. May be called twice, and never raises for a fault of it."""
        if self.device is not None:
            gone, self.device = self.device, None
            try:
                gone.close()
            except pin_faults() as fault:
                self.reason = self.reason or why_not(self.pin, fault, self._factory)


class Buzzer:
    """A passive buzzer, a `ports.Buzzer`. `pin`: BCM number, or None where there is no buzzer.

    Notes are changed by `tick`, at each poll of the controls; nothing ever waits. A tone outside 110 to
    7040 Hz becomes the nearer of the two.
    """

    def __init__(self, pin: int | None, pin_factory: gpiozero.Factory | None = None) -> None:
        self.part: Part | None = None
        if pin is not None:
            self.part = Part(
                BUZZER,
                pin,
                lambda: gpiozero.TonalBuzzer(
                    pin, mid_tone=Tone.from_note(MIDDLE_TONE), octaves=OCTAVES, pin_factory=pin_factory
                ),
                pin_factory,
            )
        self._notes: list[tuple[int, int]] = []  # until when each sounds (ms), and its tone (Hz)
        self._sounding_hz = 0

    def play(self, notes: tuple[Note, ...], now_ms: int) -> None:
        """Start a melody; one that still sounds is cut off. Returns at once."""
        self._notes, until_ms = [], now_ms
        for note in notes:
            until_ms += note.ms
            self._notes.append((until_ms, note.hz))
        self.tick(now_ms)

    def tick(self, now_ms: int) -> None:
        """Sound the note that is due now; notes that are over already are left out."""
        for until_ms, hz in self._notes:
            if now_ms < until_ms:
                self._sound(hz)
                return
        self._notes = []
        self._sound(0)

    @property
    def sounding(self) -> bool:
        """Whether a melody still sounds."""
        return bool(self._notes)

    def close(self) -> None:
        """Silent: gpiozero ends the tone where it lets go of the pin."""
        self._notes = []
        if self.part is not None:
            self.part.close()

    def _sound(self, hz: int) -> None:
        if self.part is None or hz == self._sounding_hz:
            return
        self._sounding_hz = hz
        if hz == 0:
            self.part.use(lambda device: device.stop())
        else:
            tone = Tone.from_frequency(min(HIGHEST_HZ, max(LOWEST_HZ, hz)))
            self.part.use(lambda device: device.play(tone))


class Controls:
    """Buttons and lamps, a `ports.Source` and `ports.Lamps`, and the `buzzer`.

    buttons: name to (BCM pin of the button, which connects it to ground; BCM pin of its lamp, or None). buzzer_pin:
    BCM number or None. clock: the time of all events; give `poll` the same clock's time. pin_factory: None for
    gpiozero's own choice. wake: called at each edge, from gpiozero's thread. The parts are named "button <name>",
    "lamp <name>" and "buzzer"; only those that fail are told of. Raises ControlsError if there is no pin library.
    """

    def __init__(
        self,
        buttons: Mapping[str, tuple[int, int | None]],
        buzzer_pin: int | None,
        clock: Clock,
        pin_factory: gpiozero.Factory | None = None,
        wake: Callable[[], None] = lambda: None,
    ) -> None:
        self._clock, self._wake = clock, wake
        self._edges: queue.SimpleQueue[tuple[int, str, bool]] = queue.SimpleQueue()
        self._edge_ms = dict.fromkeys(buttons, 0)  # of the latest edge of each button
        self._buttons: dict[str, Part] = {}
        self._lamps: dict[str, Part] = {}
        self._lit: frozenset[str] = frozenset()
        self.buzzer = Buzzer(None)
        try:
            for name, (button_pin, lamp_pin) in buttons.items():
                self._buttons[name] = self._button(name, button_pin, pin_factory)
                if lamp_pin is not None:
                    self._lamps[name] = self._lamp(name, lamp_pin, pin_factory)
            self.buzzer = Buzzer(buzzer_pin, pin_factory)
        except ControlsError:
            self.close()
            raise
        levels = {name: self._is_closed(name) for name in self._buttons}
        self._fingers = presses.at_power_on(levels, clock.now_ms())

    def poll(self, now_ms: int) -> list[HardwareEvent]:
        """What was pressed since the last poll, in order, and which parts were lost; plays the buzzer's next note."""
        events: list[HardwareEvent] = []
        edges = []
        for _ in range(self._edges.qsize()):  # not what comes meanwhile: a loose contact would never let us go
            edges.append(self._edges.get())
        for at_ms, name, closed in sorted(edges, key=lambda edge: edge[0]):
            self._fingers, more = presses.edge(self._fingers, name, closed, at_ms)
            events += more
        levels = {name: self._is_closed(name) for name in self._buttons}
        self._fingers, more = presses.looked(self._fingers, levels, now_ms)
        self.buzzer.tick(now_ms)
        return [*events, *more, *self._look_after_parts(now_ms)]

    def _look_after_parts(self, now_ms: int) -> list[HardwareEvent]:
        """Try again what is lost; what is to be reported of it."""
        events: list[HardwareEvent] = []
        for name, button in self._buttons.items():
            if button.try_again(now_ms):
                self._fingers = presses.anew(self._fingers, name, self._is_closed(name), now_ms)
            events += button.news(now_ms)
        for lamp in self._lamps.values():
            if lamp.try_again(now_ms):
                self.light(self._lit)
            events += lamp.news(now_ms)
        if self.buzzer.part is not None:
            self.buzzer.part.try_again(now_ms)
            events += self.buzzer.part.news(now_ms)
        return events

    @property
    def pause_ms(self) -> int:
        """TICK_MS while a finger or a note is at work; else REST_MS, as each edge wakes by itself."""
        return TICK_MS if self.buzzer.sounding or not self._fingers.at_rest else REST_MS

    def light(self, lit: frozenset[str]) -> None:
        """Light the lamps of these buttons, and no others; a button without a lamp is passed over."""
        self._lit = lit
        for name, lamp in self._lamps.items():
            _set(lamp, name in lit)

    def closed(self) -> frozenset[str]:
        """The buttons whose contacts are closed at this moment: the bare levels, bounce and all (for `check`)."""
        return frozenset(name for name in self._buttons if self._is_closed(name))

    def lit(self) -> frozenset[str]:
        """The buttons whose lamps have voltage, as read back from the pins (for `check`)."""
        return frozenset(name for name, lamp in self._lamps.items() if lamp.use(lambda led: led.value))

    def close(self) -> None:
        """Dark and silent; may be called twice."""
        for part in (*self._lamps.values(), *self._buttons.values()):
            part.close()
        self.buzzer.close()
        self._lamps, self._buttons = {}, {}

    def _is_closed(self, name: str) -> bool:
        return bool(self._buttons[name].use(lambda button: button.is_active, otherwise=False))

    def _button(self, name: str, pin: int, factory: gpiozero.Factory | None) -> Part:
        def make() -> gpiozero.DigitalInputDevice:
            # Not a gpiozero.Button: its hold thread makes closing wait for a second while a finger is on it.
            button = gpiozero.DigitalInputDevice(pin, pull_up=True, pin_factory=factory)
            button.when_activated = lambda: self._edge(name, True, lambda: button.active_time)
            button.when_deactivated = lambda: self._edge(name, False, lambda: button.inactive_time)
            return button

        return Part(f"button {name}", pin, make, factory)

    def _edge(self, name: str, closed: bool, ask_age_s: Callable[[], float | None]) -> None:
        """In gpiozero's thread. `ask_age_s`: since when, by the pin factory's own clock, whichever that is.

        The one place where its time becomes ours. Where the kernel counts otherwise than the factory (older ones give
        the wall clock's time), the age makes no sense, and the edge counts from now. Nothing is raised here: the pin
        library has one thread for the edges of all pins, which would end.
        """
        try:
            age_s = ask_age_s()
        except Exception as fault:  # noqa: BLE001 - its pin is just being closed, or lost, which the next poll tells
            log.debug("button %s: %s", name, fault)
            age_s = None
        age_ms = round(age_s * 1000) if age_s is not None and age_s > 0 else 0
        at_ms = max(self._edge_ms[name], self._clock.now_ms() - age_ms)
        self._edge_ms[name] = at_ms
        self._edges.put((at_ms, name, closed))
        self._wake()

    @staticmethod
    def _lamp(name: str, pin: int, factory: gpiozero.Factory | None) -> Part:
        return Part(f"lamp {name}", pin, lambda: gpiozero.LED(pin, pin_factory=factory), factory)


def _set(lamp: Part, lit: bool) -> None:
    def switch(led: gpiozero.LED) -> None:
        led.value = lit

    lamp.use(switch)

"""The buttons with their lamps, and the buzzer, over gpiozero with any pin factory.

gpiozero's own threads, hold timers and debouncing by the wall clock are not used: each edge is noted with the time of
the clock given, each poll looks at every level besides, and `hardware.presses` decides what it means.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Mapping
from typing import TypeVar

import gpiozero
from gpiozero.tones import Tone

from hardware import presses
from hardware.ports import Clock, HardwareError, HardwareEvent, Note

MIDDLE_TONE, OCTAVES = "A5", 3  # 110 to 7040 Hz: what a small passive buzzer can do
LOWEST_HZ, HIGHEST_HZ = 110, 7040
TICK_MS, REST_MS = 20, 100  # between two polls: in a press or a figure of notes; otherwise, should an edge be lost

Device = TypeVar("Device", bound=gpiozero.Device)


class ControlsError(HardwareError, RuntimeError):
    """A pin cannot be used: the message says which, for what, and what gpiozero found."""


class Buzzer:
    """A passive buzzer, a `ports.Buzzer`. `pin`: BCM number, or None where there is no buzzer.

    Notes are changed by `tick`, at each poll of the controls; nothing ever waits. Tones outside 110 to 7040 Hz are
    brought to the nearer end.
    """

    def __init__(self, pin: int | None, pin_factory: gpiozero.Factory | None = None) -> None:
        self._device = None
        if pin is not None:
            self._device = _open(
                "buzzer",
                pin,
                lambda: gpiozero.TonalBuzzer(
                    pin, mid_tone=Tone.from_note(MIDDLE_TONE), octaves=OCTAVES, pin_factory=pin_factory
                ),
            )
        self._notes: tuple[Note, ...] = ()
        self._start_ms = 0
        self._sounding_hz = 0

    def play(self, notes: tuple[Note, ...], now_ms: int) -> None:
        """Start a figure; one that still sounds is cut off. Returns at once."""
        self._notes, self._start_ms = notes, now_ms
        self.tick(now_ms)

    def tick(self, now_ms: int) -> None:
        """Sound the note that is due now; notes that are over already are left out."""
        end_ms = self._start_ms
        for note in self._notes:
            end_ms += note.ms
            if now_ms < end_ms:
                self._sound(note.hz)
                return
        self._notes = ()
        self._sound(0)

    @property
    def sounding(self) -> bool:
        """Whether a figure is not over yet."""
        return bool(self._notes)

    def close(self) -> None:
        self._notes = ()
        if self._device is not None:
            self._sound(0)
            self._device.close()
            self._device = None

    def _sound(self, hz: int) -> None:
        if self._device is None or hz == self._sounding_hz:
            return
        self._sounding_hz = hz
        if hz == 0:
            self._device.stop()
        else:
            self._device.play(Tone.from_frequency(min(HIGHEST_HZ, max(LOWEST_HZ, hz))))


class Controls:
    """Buttons and lamps, a `ports.Source` and `ports.Lamps`, and the `buzzer`.

    buttons: name to (BCM pin of the button, which connects it to ground; BCM pin of its lamp, or None). buzzer_pin:
    BCM number or None. clock: times the edges; give `poll` the same clock's time. pin_factory: None for gpiozero's
    own choice. wake: called at each edge, from gpiozero's thread. Raises ControlsError if a pin cannot be used.
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
        self._edges: queue.SimpleQueue[tuple[str, bool, int]] = queue.SimpleQueue()
        self._buttons: dict[str, gpiozero.DigitalInputDevice] = {}
        self._lamps: dict[str, gpiozero.LED] = {}
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
        levels = {name: button.is_active for name, button in self._buttons.items()}
        self._fingers = presses.at_power_on(levels, clock.now_ms())

    def poll(self, now_ms: int) -> list[HardwareEvent]:
        """What was pressed since the last poll, in order; also plays the buzzer's next note."""
        events: list[HardwareEvent] = []
        while not self._edges.empty():
            name, closed, at_ms = self._edges.get()
            self._fingers, more = presses.seen(self._fingers, name, closed, at_ms)
            events += more
        for name, button in self._buttons.items():
            self._fingers, more = presses.seen(self._fingers, name, button.is_active, now_ms, edge=False)
            events += more
        self._fingers, more = presses.passed(self._fingers, now_ms)
        self.buzzer.tick(now_ms)
        return events + more

    @property
    def pause_ms(self) -> int:
        """TICK_MS while a finger or a note is at work; else REST_MS, as each edge wakes by itself."""
        return TICK_MS if self.buzzer.sounding or not self._fingers.at_rest else REST_MS

    def light(self, lit: frozenset[str]) -> None:
        """Light the lamps of these buttons, and no others; a button without a lamp is passed over."""
        for name, lamp in self._lamps.items():
            lamp.value = name in lit

    def closed(self) -> frozenset[str]:
        """The buttons whose contacts are closed at this moment: the bare levels, bounce and all (for `check`)."""
        return frozenset(name for name, button in self._buttons.items() if button.is_active)

    def lit(self) -> frozenset[str]:
        """The buttons whose lamps have voltage, as read back from the pins (for `check`)."""
        return frozenset(name for name, lamp in self._lamps.items() if lamp.value)

    def close(self) -> None:
        """Dark and silent; may be called twice."""
        for lamp in self._lamps.values():
            lamp.close()
        for button in self._buttons.values():
            button.close()
        self.buzzer.close()
        self._lamps, self._buttons = {}, {}

    def _button(self, name: str, pin: int, factory: gpiozero.Factory | None) -> gpiozero.DigitalInputDevice:
        # Not a gpiozero.Button: its hold thread makes closing wait for a second while a finger is on it.
        button = _open(
            f"button of {name}", pin, lambda: gpiozero.DigitalInputDevice(pin, pull_up=True, pin_factory=factory)
        )
        button.when_activated = lambda: self._edge(name, True)
        button.when_deactivated = lambda: self._edge(name, False)
        return button

    def _edge(self, name: str, closed: bool) -> None:
        self._edges.put((name, closed, self._clock.now_ms()))
        self._wake()

    @staticmethod
    def _lamp(name: str, pin: int, factory: gpiozero.Factory | None) -> gpiozero.LED:
        return _open(f"lamp of {name}", pin, lambda: gpiozero.LED(pin, pin_factory=factory))


def _open(what: str, pin: int, make: Callable[[], Device]) -> Device:
    """Raises ControlsError with the pin's name in place of gpiozero's errors."""
    try:
        return make()
    except (gpiozero.GPIOZeroError, OSError, ImportError) as fault:
        raise ControlsError(f"{what}, GPIO {pin}: {type(fault).__name__}: {fault}") from fault

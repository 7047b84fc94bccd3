"""Opening what can be opened: one bad pin must not hide the state of all other parts."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial

import gpiozero

from firmware.config.values import Config
from firmware.wiring.device import open_reader, panels_of, reset_line
from firmware.wiring.parts import BUZZER, Openings, Parts, Tell, assemble, buttons_of, pads_of
from hardware.pins import choose_pin_library, opening_faults, why_not
from hardware.ports import Clock, SystemClock
from hardware.strip import PicoStrip, find_picos


def open_what_opens(
    config: Config, tell: Tell, factory: gpiozero.Factory | None = None, clock: Clock | None = None
) -> tuple[Parts, dict[str, str]]:
    """The device's parts, without the pins that cannot be opened; those by name, with the reason.

    `run.backends.open_parts` opens all or nothing; here one bad pin must not hide the state of all other things.
    """
    choose_pin_library()
    clock = clock or SystemClock()
    broken = broken_pins(config, factory)
    with ExitStack() as closing:
        readers = {}
        for name, pad in pads_of(config).items():
            usable = pad.reset is not None and f"reset {name}" not in broken
            readers[name] = partial(open_reader, pad, reset_line(pad, closing, factory) if usable else None)
        openings = Openings(
            clock,
            readers,
            _sound_buttons(config, broken),
            None if BUZZER in broken else config.controls.buzzer,
            pin_factory=factory,
            panels=panels_of(config, None),
            strip=partial(PicoStrip, find_picos, clock, serial_number=config.track.serial),
        )
        return assemble(config, openings, closing, tell), broken


def _sound_buttons(config: Config, broken: Mapping[str, str]) -> dict[str, tuple[int, int | None]]:
    return {
        player: (button, None if f"lamp {player}" in broken else lamp)
        for player, (button, lamp) in buttons_of(config).items()
        if f"button {player}" not in broken
    }


def broken_pins(config: Config, factory: gpiozero.Factory | None) -> dict[str, str]:
    """Each pin that cannot be opened by itself: its name ("button yay", "reset wow"), and why."""
    inputs = {f"button {player}": button for player, (button, _) in buttons_of(config).items()}
    outputs = {f"lamp {player}": lamp for player, (_, lamp) in buttons_of(config).items()}
    outputs |= {f"reset {name}": pad.reset for name, pad in pads_of(config).items()}
    outputs[BUZZER] = config.controls.buzzer
    broken = {}
    for kind, pins in ((gpiozero.DigitalInputDevice, inputs), (gpiozero.OutputDevice, outputs)):
        for name, pin in pins.items():
            if pin is None:
                continue
            try:
                # a reader that is held in reset for this moment is set up afresh when it is opened
                kind(pin, pin_factory=factory).close()
            except opening_faults() as error:
                broken[name] = f"cannot be used: {why_not(pin, error, factory)}"
    return broken

"""The parts of the device itself: which driver goes to which bus, chip select, pin and port of the Pi."""

from __future__ import annotations

import os
from contextlib import ExitStack
from functools import partial

import gpiozero

from firmware.config.values import Config, PadWiring
from firmware.errors import FirmwareError
from firmware.wiring.parts import Openings, Parts, Tell, Wake, asleep, assemble, buttons_of, pads_of
from hardware.panels import Opener
from hardware.ports import SystemClock
from hardware.rc522 import Reader, open_spidev
from hardware.strip import PicoStrip, find_picos


def open_device(config: Config, tell: Tell, wake: Wake = asleep) -> Parts:
    """All parts, as the configuration says that they are wired. Raises HardwareError, FirmwareError or OSError."""
    choose_pin_library()
    clock = SystemClock()
    with ExitStack() as closing:
        readers = {
            player: partial(open_reader, wiring, _reset_line(wiring, closing))
            for player, wiring in pads_of(config).items()
        }
        openings = Openings(
            clock,
            readers,
            buttons_of(config),
            config.controls.buzzer,
            pin_factory=None,
            panels=panels_of(config, None),
            strip=partial(PicoStrip, find_picos, clock),
        )
        return assemble(config, openings, closing, tell, wake)


def choose_pin_library() -> None:
    """Before the first pin: gpiozero takes lgpio, and lgpio a folder that it may write to."""
    # gpiozero would try RPi.GPIO where lgpio fails: that one does not work on a Pi 5, and is never wanted here
    os.environ.setdefault("GPIOZERO_PIN_FACTORY", "lgpio")
    # lgpio makes a file in the working directory on import, where a service may not write
    os.environ.setdefault("LG_WD", os.environ.get("RUNTIME_DIRECTORY", "/tmp"))


def _reset_line(wiring: PadWiring, closing: ExitStack) -> gpiozero.OutputDevice | None:
    """The output on NRST, held for good: a reader that is opened again uses it again."""
    if wiring.reset is None:
        return None
    try:
        line = gpiozero.OutputDevice(wiring.reset, initial_value=True)
    except (gpiozero.GPIOZeroError, OSError, ImportError) as error:
        raise FirmwareError(
            f"GPIO {wiring.reset}, the reset line of a reader, cannot be used: {error}. "
            "'tacocat check' says what is in the way."
        ) from error
    closing.callback(line.close)
    return line


def open_reader(wiring: PadWiring, reset: gpiozero.OutputDevice | None) -> Reader:
    return Reader(open_spidev(wiring.spi_bus, wiring.chip_select, wiring.speed_hz), reset)


def panels_of(config: Config, bus: object) -> list[Opener]:
    """How to open each panel. The second one, on the other side of the table, is turned round."""
    screen = config.screen
    if screen.controller == "none":
        return []
    turn = 2 if (screen.rotate == 180) is not config.swap_sides else 0
    panels = [Opener(screen.controller, screen.address, screen.i2c_bus, turn, bus)]
    if screen.second_address is not None:
        panels.append(Opener(screen.controller, screen.second_address, screen.i2c_bus, 2 - turn, bus))
    return panels

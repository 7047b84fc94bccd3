"""The parts of the device itself: which driver goes to which bus, chip select, pin and port of the Pi."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from functools import partial

import gpiozero

from firmware.config.values import Config, PadWiring
from firmware.wiring.parts import Openings, Parts, Tell, Wake, asleep, assemble, buttons_of, pads_of
from hardware.panels import Opener
from hardware.pins import PinsError, choose_pin_library, opening_faults, pin_faults, why_not
from hardware.ports import SystemClock
from hardware.rc522 import Reader, open_spidev
from hardware.strip import PicoStrip, find_picos


def open_device(config: Config, tell: Tell, wake: Wake = asleep) -> Parts:
    """All parts, as the configuration says that they are wired. Raises HardwareError, FirmwareError or OSError."""
    choose_pin_library()
    clock = SystemClock()
    with ExitStack() as closing:
        readers = {
            player: partial(open_reader, wiring, reset_line(wiring, closing))
            for player, wiring in pads_of(config).items()
        }
        openings = Openings(
            clock,
            readers,
            buttons_of(config),
            config.controls.buzzer,
            pin_factory=None,
            panels=panels_of(config, None),
            strip=partial(PicoStrip, find_picos, clock, serial_number=config.track.serial),
        )
        return assemble(config, openings, closing, tell, wake)


class ResetLine:
    """The output on NRST of a reader, opened with the reader's first try and held from then on."""

    def __init__(self, pin: int, factory: gpiozero.Factory | None = None) -> None:
        self._pin, self._factory = pin, factory
        self._line: gpiozero.OutputDevice | None = None

    def __call__(self) -> gpiozero.OutputDevice:
        """Raises PinsError, in words, if it cannot be used (now)."""
        if self._line is None:
            try:
                self._line = gpiozero.OutputDevice(self._pin, initial_value=True, pin_factory=self._factory)
            except opening_faults() as error:
                raise PinsError(f"its reset line: {why_not(self._pin, error, self._factory)}") from error
        return self._line

    def close(self) -> None:
        if self._line is not None:
            line, self._line = self._line, None
            with suppress(*pin_faults()):
                line.close()


def reset_line(wiring: PadWiring, closing: ExitStack, factory: gpiozero.Factory | None = None) -> ResetLine | None:
    if wiring.reset is None:
        return None
    line = ResetLine(wiring.reset, factory)
    closing.callback(line.close)
    return line


def open_reader(wiring: PadWiring, reset: ResetLine | None) -> Reader:
    """Raises HardwareError or OSError."""
    line = None if reset is None else reset()
    return Reader(open_spidev(wiring.spi_bus, wiring.chip_select, wiring.speed_hz), line, wiring.gain_db)


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

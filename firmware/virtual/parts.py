"""The parts of a virtual table: the same drivers on emulated chips."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial

from firmware.config.values import Config, PadWiring
from firmware.wiring.parts import (
    PICO_PROGRAM,
    Openings,
    Parts,
    Tell,
    Wake,
    asleep,
    assemble,
    buttons_of,
    layout_of,
    pads_of,
)
from hardware.panels import Opener
from hardware.rc522 import Reader
from hardware.strip import PicoStrip
from hardware.twins.gpio import Desk
from hardware.twins.i2c import Bus
from hardware.twins.pico import PicoProcess
from hardware.twins.rc522 import RC522
from hardware.twins.ssd1306 import SSD1306
from hardware.twins.table import Twins
from hardware.twins.virtual_time import LiveTime, VirtualTime


def open_virtual(config: Config, tell: Tell, time: VirtualTime | None = None, wake: Wake = asleep) -> Parts:
    """The same drivers on emulated chips. `time`: their clock, None for one that follows the machine's.

    The Pico's program runs in a process of its own, in real time, and so does the link to it (see `PicoStrip`).
    """
    clock = time or LiveTime()
    chips = {player: RC522(clock) for player in pads_of(config)}
    desk = Desk(buttons_of(config), config.controls.buzzer, clock)
    panel = SSD1306(config.screen.address)
    with ExitStack() as closing:
        pico = closing.enter_context(PicoProcess(PICO_PROGRAM, leds=layout_of(config).leds))
        openings = Openings(
            clock,
            readers={player: partial(_open_twin, chips[player], wiring) for player, wiring in pads_of(config).items()},
            buttons=buttons_of(config),
            buzzer=config.controls.buzzer,
            pin_factory=desk.factory,
            panels=[Opener("ssd1306", config.screen.address, bus=Bus(panel))],
            strip=partial(PicoStrip, pico.find_ports, clock),
            twins=Twins(chips, desk, pico, panel, clock),
        )
        return assemble(config, openings, closing, tell, wake)


def _open_twin(chip: RC522, wiring: PadWiring) -> Reader:
    chip.open(wiring.spi_bus, wiring.chip_select)  # as spidev is opened, also again after a fault
    chip.max_speed_hz = wiring.speed_hz
    return Reader(chip, gain_db=wiring.gain_db)

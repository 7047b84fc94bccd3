"""The parts of a table all in virtual time: a strip without a Pico, a screen without a thread.

So everything that happens is repeated exactly. The driver of the pads, that of the buttons, and the panel's run
unchanged on their twins; of the strip there is what it is told to show, in the frames in which it would be sent.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any, cast

import serial
from PIL import Image

from firmware.config.values import Config
from firmware.virtual.parts import _open_twin
from firmware.wiring.parts import Openings, Parts, Tell, assemble, buttons_of, pads_of
from hardware.link import Setup
from hardware.oled import CONTRAST, DIM_CONTRAST
from hardware.oled import Panel as Driver
from hardware.panels import Opener
from hardware.pictures import describe
from hardware.ports import Clock, Colour, Health, PartState, Picture
from hardware.strip import PicoStrip
from hardware.twins.gpio import Desk
from hardware.twins.i2c import Bus
from hardware.twins.rc522 import RC522
from hardware.twins.ssd1306 import SSD1306
from hardware.twins.table import Twins
from hardware.twins.virtual_time import VirtualTime

JUNK = 0.05  # of all that goes over the link


class StripInTime:
    """A strip (`ports.Strip`) that can be unplugged. It keeps the newest picture, as a Pico would be sent it."""

    def __init__(self, clock: Clock, *, leds: int, reverse: bool, colour_order: str, budget_ma: int, on_change: Tell):
        self.setup = Setup(leds, colour_order, budget_ma)
        self.faults: list[str] = []
        self.picture: Picture | None = None
        self._clock, self._reverse, self._tell = clock, reverse, on_change
        self._wanted: Picture | None = None
        self.plugged = False
        self.plug_in()

    def show(self, picture: Picture) -> None:
        describe(picture, self.setup.leds, self._clock.now_ms(), self._reverse)  # raises for what no strip can show
        self._wanted = picture
        if self.plugged:
            self.picture = picture

    def unplug(self) -> None:
        self.plugged, self.picture = False, None
        self._tell(PartState("strip", Health.LOST, "unplugged", self._clock.now_ms()))

    def plug_in(self) -> None:
        self.plugged, self.picture = True, self._wanted
        self._tell(PartState("strip", Health.CONNECTED, "plugged in", self._clock.now_ms()))

    def lit(self) -> tuple[Colour, ...]:
        """What is lit when all that glides has come to rest: dark without a picture."""
        if self.picture is None:
            return ((0, 0, 0),) * self.setup.leds
        return at_rest(self.picture)

    def go_dark(self) -> None:
        self.picture = self._wanted = None

    def close(self) -> None:
        """Nothing to let go of."""


class NoisyPort:
    """A serial port where now and then junk comes in front of what is sent, or behind what is read."""

    def __init__(self, port: serial.Serial, random: Random) -> None:
        self._port, self._random = port, random

    def __getattr__(self, name: str) -> Any:
        return getattr(self._port, name)

    def write(self, data: bytes) -> int:
        if self._random.random() < JUNK:
            self._port.write(self._random.choice((b"AT\r", b"\0", self._random.randbytes(70))))
        return self._port.write(data) or 0

    def read(self, size: int) -> bytes:
        data = self._port.read(size)
        return data + self._random.randbytes(9) if data and self._random.random() < JUNK else data


def add_noise(strip: PicoStrip, random: Random) -> None:
    """Let this strip open its ports as noisy ones."""
    open_port = strip._open_port
    strip._open_port = lambda path: cast(serial.Serial, NoisyPort(open_port(path), random))


def at_rest(picture: Picture) -> tuple[Colour, ...]:
    """The still colours, with every glide on its last stop."""
    lit = list(picture.still)
    for effect in picture.effects:
        if hasattr(effect, "stops"):
            first, count = effect.stops[-1]
            lit[first : first + count] = [effect.colour] * count
    return tuple(lit)


class ScreenInTime:
    """The screen (`ports.Screen`) over its real driver, worked by the table's own turn: `work` sends what is new.

    `slow_ms`: how long its bus is busy with a picture; meanwhile newer ones wait, and the newest wins.
    """

    def __init__(self, opener: Opener, tell: Tell) -> None:
        self._driver, self._tell = Driver(opener), tell
        self._health: Health | None = None
        self._image: Image.Image | None = None
        self._dimmed = self._new = False
        self.slow_ms = self._busy_until_ms = 0

    def show(self, image: Image.Image) -> None:
        self._image, self._new = image, True

    def dim(self, dimmed: bool) -> None:
        self._dimmed, self._new = dimmed, True

    def work(self, now_ms: int) -> None:
        driver = self._driver
        if now_ms < self._busy_until_ms or not (self._new or driver.due(now_ms)):
            return
        self._new = False
        self._busy_until_ms = now_ms + self.slow_ms
        driver.work(now_ms, self._image, DIM_CONTRAST if self._dimmed else CONTRAST)
        if driver.health is not self._health:
            self._health = driver.health
            self._tell(PartState("screen", driver.health, driver.detail, now_ms))

    def settle(self) -> None:
        """Whatever is new was sent by the turn."""

    @property
    def works(self) -> bool:
        return self._driver.health is Health.CONNECTED

    def close(self) -> None:
        self._driver.close()


def open_in_time(config: Config, tell: Tell, time: VirtualTime, held: frozenset[str] = frozenset()) -> Parts:
    """All parts on twins. `held`: the buttons that a finger is on when the power comes."""
    chips = {player: RC522(time) for player in pads_of(config)}
    desk = Desk(buttons_of(config), config.controls.buzzer, time)
    for name in sorted(held):
        desk.press(name)
    panel = SSD1306(config.screen.address)
    with ExitStack() as closing:
        openings = Openings(
            time,
            readers={player: partial(_open_twin, chips[player], wiring) for player, wiring in pads_of(config).items()},
            buttons=buttons_of(config),
            buzzer=config.controls.buzzer,
            pin_factory=desk.factory,
            panels=[],
            strip=partial(StripInTime, time),
        )
        parts = assemble(config, openings, closing, tell)
    screen = ScreenInTime(Opener("ssd1306", config.screen.address, bus=Bus(panel)), tell)
    parts.closing.callback(screen.close)
    outputs = replace(parts.outputs, screen=screen)
    return replace(parts, outputs=outputs, twins=Twins(chips, desk, outputs.strip, panel, time))

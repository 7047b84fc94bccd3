"""The configuration of one table, `table.toml`: read, checked as a whole, and given as one frozen value.

Every key has a default (docs/device.md, docs/rules.md), so that a table built as described needs no file at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import permutations
from typing import TypeVar

from engine.board import DEFAULT_BOARD, SPACES, Board
from engine.cards import DEFAULT_DECK, Deck
from engine.rules import LateFoul, Mode, Rules, Tie
from firmware.config.toml_reader import NONE, Fault
from firmware.errors import FirmwareError, told
from firmware.words import ENGLISH
from hardware.presence import SETTLE_MS
from hardware.rc522_chip import GAIN_DB

K = TypeVar("K")

CONTROLLERS = ("ssd1306", "ssd1309", "sh1106", NONE)
COLOUR_ORDERS = tuple("".join(order) for order in permutations("RGB"))
ADDRESSES = (0x3C, 0x3D)  # SSD1306 datasheet, 8.1.5.1: 011110, then the level of SA0
# boards print the address with a place for the read bit behind it
ALLOWED_ADDRESSES = "0x3C (60; some screens have it printed as 0x78) or 0x3D (61; printed as 0x7A)"
MIN_SPEED_HZ, MAX_SPEED_HZ = 100_000, 10_000_000  # MFRC522 datasheet 8.1.2: up to 10 Mbit/s
MAX_LEDS = 300
MIN_BRIGHTNESS, MAX_BRIGHTNESS = 1, 100  # percent, of the strip
MAX_COMMAND_WORDS, MAX_COMMAND_WORD = 20, 200  # of a bot, and characters of each
MIN_BUDGET_MA = 50
# What feeds the strip, and the most that it gives: a Pi's USB ports (hardware/README.md), a supply of its own.
POWER_MA = {"usb": 1000, "own": 3000}
LAST_GPIO = 27  # the 40-pin header has GPIO 0 to 27

# The header's pins that its buses need ("GPIO and the 40-pin header", Raspberry Pi documentation).
RESERVED_PINS = {
    **dict.fromkeys((0, 1), "I2C-0, by which the Pi recognises its HATs"),
    **dict.fromkeys((2, 3), "I2C-1, the screen"),
    **dict.fromkeys((7, 8, 9, 10, 11), "SPI0, the readers"),
    **dict.fromkeys((14, 15), "the UART"),
}
SPI1_PINS = (19, 20, 21)  # MISO, MOSI, SCLK
SPI1_CHIP_SELECT_PINS = (18, 17, 16)  # CE0, CE1, CE2
CHIP_SELECTS = {0: 2, 1: 3}  # SPI bus: how many chip selects it has


class ConfigError(FirmwareError, ValueError):
    """The configuration cannot be used. `faults` are all that were found; the message lists the first of them."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__(told(self.faults))


@dataclass(frozen=True, slots=True)
class PadWiring:
    """How a reader is wired: SPI bus and chip select, the GPIO of its reset line (None: not wired), its SPI clock,
    and the gain of its receiver in dB, one of `hardware.rc522_chip.GAINS_DB`."""

    spi_bus: int
    chip_select: int
    reset: int | None
    speed_hz: int = 4_000_000
    gain_db: int = GAIN_DB


@dataclass(frozen=True, slots=True)
class PadsConfig:
    """Both readers. `one_antenna`: only one field is on at a time, for pads that stand too near to each other.

    `settle_ms`: how long a card must have lain there before it counts; 0: its first reading does.
    """

    yay: PadWiring = PadWiring(0, 0, 25)
    wow: PadWiring = PadWiring(0, 1, 24)
    one_antenna: bool = False
    settle_ms: int = SETTLE_MS


@dataclass(frozen=True, slots=True)
class StripConfig:
    """The strip from `yay`'s goal to `wow`'s: LEDs of a goal and of the spaces 1 to 7; `brightness` in percent.

    `power`: what feeds it, of POWER_MA. `serial`: the USB serial number of its Pico, as the system tells it; None:
    whichever is there.
    """

    goal_leds: int = 4
    space_leds: tuple[int, ...] = (8,) * SPACES
    reverse: bool = False
    colour_order: str = "GRB"
    power: str = "usb"
    budget_ma: int = 400
    brightness: int = 100
    serial: str | None = None

    @property
    def leds(self) -> int:
        """All LEDs: 1 to 300."""
        return 2 * self.goal_leds + sum(self.space_leds)


@dataclass(frozen=True, slots=True)
class ScreenConfig:
    """The screen; `controller` is one of CONTROLLERS. `second_address`: a second one shows the page turned round."""

    controller: str = "ssd1306"
    i2c_bus: int = 1
    address: int = 0x3C
    second_address: int | None = None
    rotate: int = 0  # degrees: 0 or 180


@dataclass(frozen=True, slots=True)
class ControlsConfig:
    """The GPIO of each button, lamp and the buzzer (None: there is none)."""

    button_yay: int = 5
    button_wow: int = 6
    lamp_yay: int = 13
    lamp_wow: int = 19
    buzzer: int | None = 18


@dataclass(frozen=True, slots=True)
class VirtualConfig:
    """The virtual table: the TCP port of its page, on 127.0.0.1."""

    port: int = 8000


@dataclass(frozen=True, slots=True)
class SoloConfig:
    """Another's program that plays for the table (docs/bots.md): the words of its command; None: there is none."""

    bot: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that suits the program to one table and its owner's cards. Checked by `load`, not by itself."""

    language: str = ENGLISH
    sound: bool = True
    tick: bool = False  # as soon as a pad feels a card
    swap_sides: bool = False
    deck: Deck = DEFAULT_DECK
    board: Board = DEFAULT_BOARD
    tie: Tie = Tie.REDEAL
    late_foul: LateFoul = LateFoul.NOTE
    hints: bool = True  # who plays alone may ask for one
    pads: PadsConfig = field(default_factory=PadsConfig)
    track: StripConfig = field(default_factory=StripConfig)
    screen: ScreenConfig = field(default_factory=ScreenConfig)
    controls: ControlsConfig = field(default_factory=ControlsConfig)
    virtual: VirtualConfig = field(default_factory=VirtualConfig)
    solo: SoloConfig = field(default_factory=SoloConfig)

    def rules(self, mode: Mode) -> Rules:
        """The rules of a game in `mode` at this table."""
        return Rules(mode, self.deck, self.board, self.tie, self.late_foul)

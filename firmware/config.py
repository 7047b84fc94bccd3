"""The configuration of one table, `table.toml`: read, checked as a whole, and given as one frozen value.

Every key has a default (device.md, rules.md), so that a table built as described needs no file at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import permutations
from pathlib import Path
from typing import TypeVar

from engine.board import DEFAULT_BOARD, SPACES, Board, format_arrows, format_hand_sizes, parse_arrows, parse_hand_sizes
from engine.cards import DEFAULT_DECK, Deck, format_deck, parse_deck
from engine.errors import RulesError
from engine.rules import LateFoul, Mode, Rules, Tie
from firmware.errors import FirmwareError, told
from firmware.toml_reader import NONE, Fault, Key, Reader, Section, read_toml

K = TypeVar("K")

LANGUAGES = ("en", "el", "fy", "ca", "ar")
CONTROLLERS = ("ssd1306", "ssd1309", "sh1106", NONE)
COLOUR_ORDERS = tuple("".join(order) for order in permutations("RGB"))
ADDRESSES = (0x3C, 0x3D)  # SSD1306 datasheet, 8.1.5.1: 011110, then the level of SA0
# boards print the address with a place for the read bit behind it
ALLOWED_ADDRESSES = "0x3C (60; some screens have it printed as 0x78) or 0x3D (61; printed as 0x7A)"
MIN_SPEED_HZ, MAX_SPEED_HZ = 100_000, 10_000_000  # MFRC522 datasheet 8.1.2: up to 10 Mbit/s
MAX_LEDS = 300
MIN_BUDGET_MA, MAX_BUDGET_MA = 50, 3000
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
    """How a reader is wired: SPI bus and chip select, the GPIO of its reset line (None: not wired), its SPI clock."""

    spi_bus: int
    chip_select: int
    reset: int | None
    speed_hz: int = 4_000_000


@dataclass(frozen=True, slots=True)
class PadsConfig:
    """Both readers. `one_antenna`: only one field is on at a time, for pads that stand too near to each other.

    `settle_ms`: how long a card must have lain there before it counts; 0: its first reading does.
    """

    yay: PadWiring = PadWiring(0, 0, 25)
    wow: PadWiring = PadWiring(0, 1, 24)
    one_antenna: bool = False
    settle_ms: int = 100


@dataclass(frozen=True, slots=True)
class StripConfig:
    """The strip from `yay`'s goal to `wow`'s: LEDs of a goal and of the spaces 1 to 7; `brightness` in percent."""

    goal_leds: int = 4
    space_leds: tuple[int, ...] = (8,) * SPACES
    reverse: bool = False
    colour_order: str = "GRB"
    budget_ma: int = 400
    brightness: int = 100

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
class Config:
    """Everything that suits the program to one table and its owner's cards. Checked by `load`, not by itself."""

    language: str = "en"
    sound: bool = True
    swap_sides: bool = False
    deck: Deck = DEFAULT_DECK
    board: Board = DEFAULT_BOARD
    tie: Tie = Tie.REDEAL
    late_foul: LateFoul = LateFoul.NOTE
    pads: PadsConfig = field(default_factory=PadsConfig)
    track: StripConfig = field(default_factory=StripConfig)
    screen: ScreenConfig = field(default_factory=ScreenConfig)
    controls: ControlsConfig = field(default_factory=ControlsConfig)
    virtual: VirtualConfig = field(default_factory=VirtualConfig)

    def rules(self, mode: Mode) -> Rules:
        """The rules of a game in `mode` at this table."""
        return Rules(mode, self.deck, self.board, self.tie, self.late_foul)


def load(path: Path | None) -> Config:
    """The configuration in the file `path`; None: the defaults.

    Raises ConfigError with every fault of the file, in the order of its lines.
    """
    if path is None:
        return Config()
    reader = read_toml(path)
    if not reader.faults:
        config = _read(reader)
        reader.report_unknown()
        _check_together(reader, config)
        if not reader.faults:
            return config
    raise ConfigError(sorted(reader.faults, key=lambda fault: fault.line or 0))


# ---- key by key ----------------------------------------------------------------------------


def _read(reader: Reader) -> Config:
    top = reader.section()
    base = Config(
        language=top.choice("language", "en", LANGUAGES),
        sound=top.boolean("sound", True),
        swap_sides=top.boolean("swap_sides", False),
        track=_read_track(reader.section("track")),
        screen=_read_screen(reader.section("screen")),
        controls=_read_controls(reader.section("controls")),
        virtual=VirtualConfig(reader.section("virtual").integer("port", VirtualConfig().port, 1, 65535)),
    )
    pads = PadsConfig()
    pads = PadsConfig(
        _read_pad(reader.section("pads", "yay"), pads.yay),
        _read_pad(reader.section("pads", "wow"), pads.wow),
        reader.section("pads").boolean("one_antenna", False),
        reader.section("pads").integer("settle_ms", pads.settle_ms, 0, 500, " ms"),
    )
    return replace(_read_rules(reader.section("rules"), base), pads=pads)


def _read_rules(section: Section, base: Config) -> Config:
    sizes = section.parsed("board", base.board.hand_sizes, parse_hand_sizes, format_hand_sizes(base.board))
    arrows = section.parsed("arrows", base.board.arrows, parse_arrows, format_arrows(base.board))
    return replace(
        base,
        deck=section.parsed("deck", base.deck, parse_deck, format_deck(base.deck)),
        board=Board(sizes, arrows),
        tie=Tie(section.choice("tie", base.tie.value, [tie.value for tie in Tie])),
        late_foul=LateFoul(section.choice("late_foul", base.late_foul.value, [foul.value for foul in LateFoul])),
    )


def _read_pad(section: Section, default: PadWiring) -> PadWiring:
    return PadWiring(
        section.choice("spi_bus", default.spi_bus, tuple(CHIP_SELECTS)),
        section.integer("chip_select", default.chip_select, 0, max(CHIP_SELECTS.values()) - 1),
        section.integer_or_none("reset", default.reset, 0, LAST_GPIO),
        section.integer("speed_hz", default.speed_hz, MIN_SPEED_HZ, MAX_SPEED_HZ, " Hz"),
    )


def _read_track(section: Section) -> StripConfig:
    default = StripConfig()
    allowed = f"a whole number from 0 to {MAX_LEDS}, or a list of {SPACES} such numbers"
    spaces = section.checked("space_leds", default.space_leds[0], allowed, _are_spaces)
    track = StripConfig(
        section.integer("goal_leds", default.goal_leds, 0, MAX_LEDS),
        (spaces,) * SPACES if isinstance(spaces, int) else tuple(spaces),
        section.boolean("reverse", default.reverse),
        section.choice("colour_order", default.colour_order, COLOUR_ORDERS),
        section.integer("budget_ma", default.budget_ma, MIN_BUDGET_MA, MAX_BUDGET_MA, " mA"),
        section.integer("brightness", default.brightness, 1, 100, " %"),
    )
    total = section.integer("leds", None, 1, MAX_LEDS)
    _check_leds(section, track, total)
    return track


def _are_spaces(value: object) -> bool:
    counts = value if isinstance(value, list) and len(value) == SPACES else [value]
    return all(type(count) is int and 0 <= count <= MAX_LEDS for count in counts)


def _read_screen(section: Section) -> ScreenConfig:
    default = ScreenConfig()
    return ScreenConfig(
        # the word "none" stays: it names the controller that is not there
        section.choice("controller", default.controller, CONTROLLERS) or NONE,
        section.choice("i2c_bus", default.i2c_bus, (1, 0)),
        section.choice("address", default.address, ADDRESSES, ALLOWED_ADDRESSES),
        section.choice("second_address", default.second_address, (NONE, *ADDRESSES), f'"{NONE}", {ALLOWED_ADDRESSES}'),
        section.choice("rotate", default.rotate, (0, 180)),
    )


def _read_controls(section: Section) -> ControlsConfig:
    default = ControlsConfig()
    return ControlsConfig(
        section.integer("button_yay", default.button_yay, 0, LAST_GPIO),
        section.integer("button_wow", default.button_wow, 0, LAST_GPIO),
        section.integer("lamp_yay", default.lamp_yay, 0, LAST_GPIO),
        section.integer("lamp_wow", default.lamp_wow, 0, LAST_GPIO),
        section.integer_or_none("buzzer", default.buzzer, 0, LAST_GPIO),
    )


# ---- as a whole ----------------------------------------------------------------------------


def _check_leds(section: Section, track: StripConfig, total: int | None) -> None:
    goal, spaces, budget = (section.key(name) for name in ("goal_leds", "space_leds", "budget_ma"))
    if not section.reader.sound(goal, spaces):
        return
    parts = f"2 goals of {track.goal_leds} and spaces of {' '.join(map(str, track.space_leds))}"
    if not 1 <= track.leds <= MAX_LEDS:
        section.reader.fault(section.reader.given(goal, spaces), f"{track.leds} LEDs: {parts}", f"1 to {MAX_LEDS} LEDs")
        return
    if total is not None and total != track.leds:
        section.fault("leds", str(total), f"{track.leds}, for {parts}; or other numbers there, so that they add up")
    if section.reader.sound(budget) and track.budget_ma <= track.leds:
        key = section.reader.given(goal, spaces, budget)
        found = f"a budget of {track.budget_ma} mA for {track.leds} LEDs"
        section.reader.fault(key, found, "more than the 1 mA that each LED takes even when it is dark")


def _check_together(reader: Reader, config: Config) -> None:
    _check_hands(reader, config)
    _check_screens(reader, config.screen)
    _check_chip_selects(reader, config)
    _check_pins(reader, config)


def _check_hands(reader: Reader, config: Config) -> None:
    keys = ("rules", "deck"), ("rules", "board")
    if not reader.sound(*keys):
        return
    try:
        config.rules(Mode.PLAY)
    except RulesError as error:
        found = f"a board of {format_hand_sizes(config.board)} with a deck of {len(config.deck)} cards"
        reader.fault(reader.given(*keys), found, f"two full hands on every space ({error})")


def _check_screens(reader: Reader, screen: ScreenConfig) -> None:
    keys = ("screen", "address"), ("screen", "second_address")
    if reader.sound(*keys) and screen.second_address == screen.address:
        found = f"both screens at 0x{screen.address:02X}"
        reader.fault(reader.given(*keys), found, "0x3C for one and 0x3D for the other")


def _pads(config: Config) -> Iterator[tuple[Key, PadWiring]]:
    yield ("pads", "yay"), config.pads.yay
    yield ("pads", "wow"), config.pads.wow


def _check_chip_selects(reader: Reader, config: Config) -> None:
    selects: list[tuple[Key, tuple[int, int]]] = []
    for path, pad in _pads(config):
        bus, select = (*path, "spi_bus"), (*path, "chip_select")
        if not reader.sound(bus, select):
            continue
        if pad.chip_select >= CHIP_SELECTS[pad.spi_bus]:
            allowed = f"0 to {CHIP_SELECTS[pad.spi_bus] - 1}: SPI{pad.spi_bus} has no other chip select"
            reader.fault(reader.given(bus, select), f"chip select {pad.chip_select} on SPI{pad.spi_bus}", allowed)
            continue
        selects.append((reader.given(bus, select), (pad.spi_bus, pad.chip_select)))
    for key, (bus, select), other in _used_twice(reader, selects):
        found = f"SPI{bus} chip select {select}, which {'.'.join(other[:-1])} has too"
        reader.fault(key, found, "a chip select of its own for each reader: two readers would answer at once")


def _check_pins(reader: Reader, config: Config) -> None:
    used = [(key, pin) for key, pin in _pins(config) if reader.sound(key)]
    spi1 = _spi1_pins(reader, config)
    free = sorted({*range(LAST_GPIO + 1)} - {*RESERVED_PINS} - {*spi1} - {pin for _, pin in used})
    allowed = f"a GPIO that is still free: {', '.join(map(str, free))}"
    for key, pin in used:
        if pin in RESERVED_PINS:
            reader.fault(key, f"GPIO {pin}, which belongs to {RESERVED_PINS[pin]}", allowed)
        elif pin in spi1 and reader.line(key) is None:  # it is the bus that was written
            reader.fault(
                spi1[pin], f"SPI1, which needs GPIO {pin}, as {'.'.join(key)} does", f"{allowed}, for that one"
            )
        elif pin in spi1:
            reader.fault(key, f"GPIO {pin}, which belongs to SPI1 ({'.'.join(spi1[pin])})", allowed)
    for key, pin, other in _used_twice(reader, used):
        # two readers on one reset line: setting one up would reset the other
        wire = f', or "{NONE}" if the line is not wired' if key[-1] == "reset" else ""
        reader.fault(key, f"GPIO {pin}, which {'.'.join(other)} has too", allowed + wire)


def _spi1_pins(reader: Reader, config: Config) -> dict[int, Key]:
    """The pins that SPI1 takes, and the key by which it does, if a reader is on it."""
    taken: dict[int, Key] = {}
    for path, pad in _pads(config):
        bus, select = (*path, "spi_bus"), (*path, "chip_select")
        if pad.spi_bus == 1 and reader.sound(bus, select):
            # an overlay for n chip selects takes the pins of the first n
            pins = (*SPI1_PINS, *SPI1_CHIP_SELECT_PINS[: pad.chip_select + 1])
            taken.update(dict.fromkeys(pins, bus))
    return taken


def _pins(config: Config) -> Iterator[tuple[Key, int]]:
    for path, pad in _pads(config):
        if pad.reset is not None:
            yield (*path, "reset"), pad.reset
    controls = config.controls
    for name in ("button_yay", "button_wow", "lamp_yay", "lamp_wow", "buzzer"):
        pin = getattr(controls, name)
        if pin is not None:
            yield ("controls", name), pin


def _used_twice(reader: Reader, uses: list[tuple[Key, K]]) -> Iterator[tuple[Key, K, Key]]:
    """(key, what, the other key that has it) for each that has what another has; the blame is on what was written."""
    owners: dict[K, Key] = {}
    for key, what in sorted(uses, key=lambda use: reader.line(use[0]) or 0):
        if what in owners:
            yield key, what, owners[what]
        owners.setdefault(what, key)

"""What the keys of a configuration must be together: LEDs, hands, screens, chip selects and pins."""

from __future__ import annotations

from collections.abc import Iterator

from engine.board import format_hand_sizes
from engine.errors import RulesError
from engine.rules import Mode
from firmware.config.toml_reader import NONE, Key, Section, TomlReader
from firmware.config.values import (
    CHIP_SELECTS,
    LAST_GPIO,
    MAX_LEDS,
    POWER_MA,
    RESERVED_PINS,
    SPI1_CHIP_SELECT_PINS,
    SPI1_PINS,
    Config,
    K,
    PadWiring,
    ScreenConfig,
    StripConfig,
)


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


def _check_power(section: Section, track: StripConfig) -> None:
    power, budget = section.key("power"), section.key("budget_ma")
    most = POWER_MA[track.power]
    if section.reader.sound(power, budget) and track.budget_ma > most:
        allowed = f'at most {most} mA; or power = "own", if the strip has a supply and a fuse of its own'
        section.reader.fault(section.reader.given(power, budget), f"a budget of {track.budget_ma} mA from USB", allowed)


def _check_together(reader: TomlReader, config: Config) -> None:
    _check_hands(reader, config)
    _check_screens(reader, config.screen)
    _check_chip_selects(reader, config)
    _check_pins(reader, config)


def _check_hands(reader: TomlReader, config: Config) -> None:
    keys = ("rules", "deck"), ("rules", "board")
    if not reader.sound(*keys):
        return
    try:
        config.rules(Mode.PLAY)
    except RulesError as error:
        found = f"a board of {format_hand_sizes(config.board)} with a deck of {len(config.deck)} cards"
        reader.fault(reader.given(*keys), found, f"two full hands on every space ({error})")


def _check_screens(reader: TomlReader, screen: ScreenConfig) -> None:
    keys = ("screen", "address"), ("screen", "second_address")
    if reader.sound(*keys) and screen.second_address == screen.address:
        found = f"both screens at 0x{screen.address:02X}"
        reader.fault(reader.given(*keys), found, "0x3C for one and 0x3D for the other")


def _pads(config: Config) -> Iterator[tuple[Key, PadWiring]]:
    yield ("pads", "yay"), config.pads.yay
    yield ("pads", "wow"), config.pads.wow


def _check_chip_selects(reader: TomlReader, config: Config) -> None:
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
    for key, (spi_bus, chip_select), other in _used_twice(reader, selects):
        found = f"SPI{spi_bus} chip select {chip_select}, which {'.'.join(other[:-1])} has too"
        reader.fault(key, found, "a chip select of its own for each reader: two readers would answer at once")


def _check_pins(reader: TomlReader, config: Config) -> None:
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


def _spi1_pins(reader: TomlReader, config: Config) -> dict[int, Key]:
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


def _used_twice(reader: TomlReader, uses: list[tuple[Key, K]]) -> Iterator[tuple[Key, K, Key]]:
    """(key, what, the other key that has it) for each that has what another has: the key that is in the file."""
    owners: dict[K, Key] = {}
    for key, what in sorted(uses, key=lambda use: reader.line(use[0]) or 0):
        if what in owners:
            yield key, what, owners[what]
        owners.setdefault(what, key)

"""Reading `table.toml` key by key, and checking it as a whole: `load`."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from engine.board import SPACES, Board, format_arrows, format_hand_sizes, parse_arrows, parse_hand_sizes
from engine.cards import format_deck, parse_deck
from engine.rules import LateFoul, Tie
from firmware.config.together import _check_leds, _check_power, _check_together
from firmware.config.toml_reader import NONE, Section, TomlReader, read_toml
from firmware.config.values import (
    ADDRESSES,
    ALLOWED_ADDRESSES,
    CHIP_SELECTS,
    COLOUR_ORDERS,
    CONTROLLERS,
    LAST_GPIO,
    MAX_BRIGHTNESS,
    MAX_COMMAND_WORD,
    MAX_COMMAND_WORDS,
    MAX_LEDS,
    MAX_SPEED_HZ,
    MIN_BRIGHTNESS,
    MIN_BUDGET_MA,
    MIN_SPEED_HZ,
    POWER_MA,
    Config,
    ConfigError,
    ControlsConfig,
    PadsConfig,
    PadWiring,
    ScreenConfig,
    SoloConfig,
    StripConfig,
    VirtualConfig,
)
from firmware.words import ENGLISH, LANGUAGES
from hardware.rc522_chip import GAINS_DB

_SERIAL = re.compile(r"[0-9A-Fa-f]{8,32}")  # the chip's unique id; MicroPython gives 16 hexadecimal digits


def load(path: Path | None) -> Config:
    """The configuration in the file `path`; None: the defaults.

    Raises ConfigError with every fault of the file, in the order of its lines.
    """
    if path is None:
        return Config()
    reader = read_toml(path)
    config = _read(reader)  # a file that cannot be read has no contents, so nothing else is wrong with it
    reader.report_unknown()
    _check_together(reader, config)
    if reader.faults:
        raise ConfigError(sorted(reader.faults, key=lambda fault: fault.line or 0))
    return config


def _read(reader: TomlReader) -> Config:
    top = reader.section()
    base = Config(
        language=top.choice("language", ENGLISH, tuple(LANGUAGES)),
        sound=top.boolean("sound", True),
        tick=top.boolean("tick", False),
        swap_sides=top.boolean("swap_sides", False),
        track=_read_track(reader.section("track")),
        screen=_read_screen(reader.section("screen")),
        controls=_read_controls(reader.section("controls")),
        solo=_read_solo(reader.section("solo")),
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
        hints=section.boolean("hints", base.hints),
    )


def _read_pad(section: Section, default: PadWiring) -> PadWiring:
    return PadWiring(
        section.choice("spi_bus", default.spi_bus, tuple(CHIP_SELECTS)),
        section.integer("chip_select", default.chip_select, 0, max(CHIP_SELECTS.values()) - 1),
        section.integer_or_none("reset", default.reset, 0, LAST_GPIO),
        section.integer("speed_hz", default.speed_hz, MIN_SPEED_HZ, MAX_SPEED_HZ, " Hz"),
        section.choice("gain_db", default.gain_db, tuple(GAINS_DB)),
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
        section.choice("power", default.power, tuple(POWER_MA)),
        section.integer("budget_ma", default.budget_ma, MIN_BUDGET_MA, max(POWER_MA.values()), " mA"),
        section.integer("brightness", default.brightness, MIN_BRIGHTNESS, MAX_BRIGHTNESS, " %"),
        section.word_or_none("serial", default.serial, "a serial number of 8 to 32 hexadecimal digits", _SERIAL),
    )
    total = section.integer("leds", None, 1, MAX_LEDS)
    _check_leds(section, track, total)
    _check_power(section, track)
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


def _read_solo(section: Section) -> SoloConfig:
    allowed = (
        f'"{NONE}", or a list of 1 to {MAX_COMMAND_WORDS} words of up to {MAX_COMMAND_WORD} characters, '
        'the first the whole path of a program, as in ["/usr/bin/python3", "/opt/bots/mine.py"]'
    )
    words = section.checked("bot", NONE, allowed, lambda value: value == NONE or _is_command(value))
    return SoloConfig(None if words == NONE else tuple(words))


def _is_command(value: object) -> bool:
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_COMMAND_WORDS:
        return False
    words = [word for word in value if isinstance(word, str) and word.isprintable() and len(word) <= MAX_COMMAND_WORD]
    return len(words) == len(value) and words[0].startswith("/")

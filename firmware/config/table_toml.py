"""A configuration as the text of a commented `table.toml`: the example with other values. Pure."""

from __future__ import annotations

import json
import re
from pathlib import Path

from engine.board import format_arrows, format_hand_sizes
from engine.cards import format_deck
from firmware.config.toml_reader import NONE
from firmware.config.values import Config, PadWiring

EXAMPLE = Path(__file__).parent / "table.example.toml"
_SECTION = re.compile(r"\[([a-z_.]+)\]\s*")
_KEY = re.compile(
    r"(?P<key>[a-z0-9_]+)(?P<equals> = )"
    r"(?P<value>\"[^\"]*\"|\[[^\]]*\]|[^\s#]+)(?P<gap> *)(?P<comment>#.*)?"
)


def values_of(config: Config) -> dict[str, str]:
    """Every key of the example, dotted, with the configuration's value as TOML writes it."""
    spaces, track, screen, controls = set(config.track.space_leds), config.track, config.screen, config.controls
    return {
        "language": _toml(config.language),
        "sound": _toml(config.sound),
        "tick": _toml(config.tick),
        "swap_sides": _toml(config.swap_sides),
        "rules.deck": _toml(format_deck(config.deck)),
        "rules.board": _toml(format_hand_sizes(config.board)),
        "rules.arrows": _toml(format_arrows(config.board)),
        "rules.tie": _toml(config.tie.value),
        "rules.late_foul": _toml(config.late_foul.value),
        "rules.hints": _toml(config.hints),
        "pads.one_antenna": _toml(config.pads.one_antenna),
        "pads.settle_ms": _toml(config.pads.settle_ms),
        **_pad("pads.yay", config.pads.yay),
        **_pad("pads.wow", config.pads.wow),
        "track.goal_leds": _toml(track.goal_leds),
        "track.space_leds": _toml(spaces.pop() if len(spaces) == 1 else list(track.space_leds)),
        "track.leds": _toml(track.leds),
        "track.reverse": _toml(track.reverse),
        "track.colour_order": _toml(track.colour_order),
        "track.power": _toml(track.power),
        "track.budget_ma": _toml(track.budget_ma),
        "track.brightness": _toml(track.brightness),
        "track.serial": _toml(track.serial),
        "screen.controller": _toml(screen.controller),
        "screen.i2c_bus": _toml(screen.i2c_bus),
        "screen.address": f"0x{screen.address:02X}",
        "screen.second_address": _toml(None) if screen.second_address is None else f"0x{screen.second_address:02X}",
        "screen.rotate": _toml(screen.rotate),
        "controls.button_yay": _toml(controls.button_yay),
        "controls.button_wow": _toml(controls.button_wow),
        "controls.lamp_yay": _toml(controls.lamp_yay),
        "controls.lamp_wow": _toml(controls.lamp_wow),
        "controls.buzzer": _toml(controls.buzzer),
        "solo.bot": _toml(None if config.solo.bot is None else list(config.solo.bot)),
        "virtual.port": _toml(config.virtual.port),
    }


def _pad(path: str, pad: PadWiring) -> dict[str, str]:
    return {
        f"{path}.spi_bus": _toml(pad.spi_bus),
        f"{path}.chip_select": _toml(pad.chip_select),
        f"{path}.reset": _toml(pad.reset),
        f"{path}.speed_hz": _toml(pad.speed_hz),
        f"{path}.gain_db": _toml(pad.gain_db),
    }


def _toml(value: object) -> str:
    return json.dumps(NONE if value is None else value, ensure_ascii=False)  # the same words for what is used here


def filled_in(config: Config, example: str) -> str:
    """The example's text with the values of `config` at its keys; comments stay, in their columns where there is room.

    Raises ValueError if the example has not exactly the keys of a configuration.
    """
    values, section, lines = values_of(config), "", []
    for line in example.splitlines():
        header, match = _SECTION.fullmatch(line), _KEY.fullmatch(line)
        if header is not None:
            section = f"{header[1]}."
        if match is not None:
            key = f"{section}{match['key']}"
            if key not in values:
                raise ValueError(f"the example has the key {key}, which is unknown or there twice")
            lines.append(_with_value(match, values.pop(key)))
        else:
            lines.append(line)
    if values:
        raise ValueError(f"the example lacks {', '.join(values)}")
    return "".join(f"{line}\n" for line in lines)


def _with_value(match: re.Match[str], value: str) -> str:
    comment = match["comment"] or ""
    column = len(match["value"]) + len(match["gap"])
    gap = " " * max(1, column - len(value)) if comment else ""
    return f"{match['key']}{match['equals']}{value}{gap}{comment}"

"""A configuration written as table.toml: the same when it is read again, and the example's comments in their places."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import parse_deck
from firmware.config.reading import load
from firmware.config.table_toml import EXAMPLE, filled_in
from firmware.config.values import (
    COLOUR_ORDERS,
    CONTROLLERS,
    POWER_MA,
    Config,
    ControlsConfig,
    PadsConfig,
    PadWiring,
    ScreenConfig,
    StripConfig,
)
from firmware.words import LANGUAGES
from hardware.rc522_chip import GAINS_DB

TEXT = EXAMPLE.read_text()
PINS = [4, 5, 6, 12, 13, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27]


@st.composite
def configs(draw: st.DrawFn) -> Config:
    pins = draw(st.permutations(PINS))
    counts = draw(st.lists(st.integers(0, 30), min_size=7, max_size=7))
    addresses = draw(st.sampled_from([(0x3C, None), (0x3D, None), (0x3C, 0x3D), (0x3D, 0x3C)]))
    power = draw(st.sampled_from(tuple(POWER_MA)))
    return Config(
        language=draw(st.sampled_from(tuple(LANGUAGES))),
        sound=draw(st.booleans()),
        swap_sides=draw(st.booleans()),
        pads=PadsConfig(
            PadWiring(
                0,
                1,
                draw(st.sampled_from([None, pins[0]])),
                draw(st.integers(100_000, 10_000_000)),
                draw(st.sampled_from(tuple(GAINS_DB))),
            ),
            PadWiring(0, 0, pins[1]),
            draw(st.booleans()),
        ),
        track=StripConfig(
            draw(st.integers(1, 40)),
            tuple(counts),
            draw(st.booleans()),
            draw(st.sampled_from(COLOUR_ORDERS)),
            power,
            draw(st.integers(301, POWER_MA[power])),
            draw(st.integers(1, 100)),
        ),
        screen=ScreenConfig(
            draw(st.sampled_from(CONTROLLERS)),
            draw(st.sampled_from([0, 1])),
            *addresses,
            draw(st.sampled_from([0, 180])),
        ),
        controls=ControlsConfig(*pins[2:6], draw(st.sampled_from([None, pins[6]]))),
    )


@given(configs())
def test_a_configuration_that_is_written_and_loaded_is_the_same(
    tmp_path_factory: pytest.TempPathFactory, config: Config
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_text(filled_in(config, TEXT))
    assert load(path) == config


def test_an_example_with_other_keys_is_refused() -> None:
    with pytest.raises(ValueError, match=r"key track\.colour, which is unknown"):
        filled_in(Config(), TEXT.replace("colour_order", "colour"))
    with pytest.raises(ValueError, match=r"lacks virtual\.port"):
        filled_in(Config(), TEXT.replace("port = 8000", ""))


# ---- the comments around the values ---------------------------------------------------------


def test_the_example_filled_in_with_the_defaults_is_the_example():
    assert filled_in(Config(), TEXT) == TEXT


@pytest.mark.parametrize(
    ("key", "value", "old", "new"),
    [
        ("language", "fy", 'language = "en"      # what', 'language = "fy"      # what'),
        ("sound", False, "sound = true         # false", "sound = false        # false"),
        ("swap_sides", True, "swap_sides = false   # true", "swap_sides = true    # true"),
    ],
)
def test_another_value_in_the_example_leaves_the_comment_beside_it_in_its_column(key, value, old, new):
    config = dataclasses.replace(Config(), **{key: value})
    assert TEXT.count(old) == 1
    assert filled_in(config, TEXT) == TEXT.replace(old, new)


def test_beside_a_value_that_reaches_the_column_of_its_comment_one_blank_is_left():
    example = TEXT.replace("sound = true         # false", "sound = true # false")
    assert "sound = false # false" in filled_in(dataclasses.replace(Config(), sound=False), example)
    nine = dataclasses.replace(Config().track, space_leds=(8, 8, 8, 9, 8, 8, 8))
    text = filled_in(dataclasses.replace(Config(), track=nine), TEXT)
    assert "space_leds = [8, 8, 8, 9, 8, 8, 8] # LEDs on each space" in text


def test_a_value_without_a_comment_gets_no_blanks_behind_it():
    lines = filled_in(dataclasses.replace(Config(), deck=parse_deck("3x10 4x10 5x10")), TEXT).splitlines()
    assert 'deck = "3x10 4x10 5x10"' in lines

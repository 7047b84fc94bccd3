"""The limits of table.toml, tried exactly at them and one beyond, and the words and place of each kind of fault."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from firmware.config.reading import load
from firmware.config.toml_reader import Fault, Section, TomlReader, parse_toml
from firmware.config.values import Config, ConfigError
from firmware.errors import SHOWN

FREE = "[pads]\nyay.reset = 'none'\nwow.reset = 'none'\n"  # and of the other pins only those of a test
CONTROLS = ("button_yay", "button_wow", "lamp_yay", "lamp_wow", "buzzer")
# the alternate function 4 of GPIO 16 to 21, "BCM2711 ARM Peripherals", 5.3
SPI1_MISO, SPI1_MOSI, SPI1_SCLK = 19, 20, 21
SPI1_CE0, SPI1_CE1, SPI1_CE2 = 18, 17, 16
# a statement of too many lines: those of what follows it are not known
UNSEEN = "solo.bot = [\n" + "\n" * 60 + "'/bin/true']\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table.toml"


def faults(path: Path, text: str) -> list[Fault]:
    """The faults of a file with this text; none: it loads."""
    path.write_text(text)
    try:
        load(path)
    except ConfigError as error:
        return list(error.faults)
    return []


def said(path: Path, text: str) -> list[str]:
    """The same as a person reads them, without the name of the file."""
    return [str(fault).removeprefix(str(path)) for fault in faults(path, text)]


# ---- numbers -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "low", "high"),
    [
        ("pads.settle_ms", 0, 500),
        ("pads.yay.speed_hz", 100_000, 10_000_000),
        ("track.brightness", 1, 100),
        ("virtual.port", 1, 65_535),
    ],
)
def test_a_number_is_accepted_from_its_lowest_to_its_highest_and_not_one_beyond(path: Path, key, low, high):
    for value in (low, high):
        assert faults(path, f"{key} = {value}\n") == []
    for value in (low - 1, high + 1):
        (fault,) = faults(path, f"{key} = {value}\n")
        assert fault.found == str(value) and fault.allowed.startswith(f"a whole number from {low} to {high}")


@pytest.mark.parametrize("name", CONTROLS)
def test_a_control_may_be_on_the_last_gpio_of_the_header_and_is_told_whose_the_first_is(path: Path, name: str):
    assert faults(path, f"controls.{name} = 27\n") == []
    (fault,) = faults(path, f"controls.{name} = 0\n")
    assert fault.found == "GPIO 0, which belongs to I2C-0, by which the Pi recognises its HATs"
    for value in (-1, 28):
        (fault,) = faults(path, f"controls.{name} = {value}\n")
        assert fault.allowed.startswith("a whole number from 0 to 27")


def test_all_leds_may_be_on_one_space(path: Path):
    assert faults(path, "track.goal_leds = 0\ntrack.space_leds = [300, 0, 0, 0, 0, 0, 0]\n") == []
    (fault,) = faults(path, "track.goal_leds = 0\ntrack.space_leds = [301, 0, 0, 0, 0, 0, 0]\n")
    assert fault.allowed == "a whole number from 0 to 300, or a list of 7 such numbers"


def test_a_supply_of_its_own_gives_the_strip_three_times_what_usb_does(path: Path):
    assert faults(path, "[track]\nbudget_ma = 1000\n") == []
    assert faults(path, '[track]\npower = "own"\nbudget_ma = 3000\n') == []
    (fault,) = faults(path, '[track]\npower = "own"\nbudget_ma = 3001\n')
    assert fault.allowed.startswith("a whole number from 50 to 3000 mA")


# ---- SPI1 ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chip_select", "taken"),
    [
        (0, {SPI1_MISO, SPI1_MOSI, SPI1_SCLK, SPI1_CE0}),
        (1, {SPI1_MISO, SPI1_MOSI, SPI1_SCLK, SPI1_CE0, SPI1_CE1}),
        (2, {SPI1_MISO, SPI1_MOSI, SPI1_SCLK, SPI1_CE0, SPI1_CE1, SPI1_CE2}),
    ],
)
@pytest.mark.parametrize("pad", ["yay", "wow"])
def test_a_reader_on_spi1_takes_the_buss_pins_and_those_of_the_chip_selects_up_to_its_own(
    path: Path, pad: str, chip_select: int, taken: set[int]
):
    wired = FREE + f"{pad}.spi_bus = 1\n{pad}.chip_select = {chip_select}\n[controls]\nlamp_wow = 23\n"
    for pin in range(16, 22):
        found = [fault.found for fault in faults(path, f"{wired}buzzer = {pin}\n")]
        assert found == ([f"GPIO {pin}, which belongs to SPI1 (pads.{pad}.spi_bus)"] if pin in taken else [])


def test_each_bus_has_its_own_number_of_chip_selects(path: Path):
    beyond = "found 3; expected a whole number from 0 to 2"
    for bus in (0, 1):
        assert said(path, f"[pads.yay]\nspi_bus = {bus}\nchip_select = 3\n") == [
            f", line 3: pads.yay.chip_select: {beyond}"
        ]
    assert said(path, "[pads.yay]\nspi_bus = 0\nchip_select = 2\n") == [
        ", line 3: pads.yay.chip_select: found chip select 2 on SPI0; expected 0 to 1: SPI0 has no other chip select"
    ]


def test_a_reader_whose_bus_is_faulty_is_not_compared_with_the_other(path: Path):
    (fault,) = faults(path, "[pads.yay]\nspi_bus = 7\nchip_select = 1\n")
    assert fault.key == "pads.yay.spi_bus"


# ---- the words and the place of a fault ----------------------------------------------------


def test_only_a_reset_line_that_is_taken_may_also_be_none(path: Path):
    (pad,) = faults(path, "[pads.wow]\nreset = 25\n")
    (control,) = faults(path, "[controls]\nlamp_wow = 5\n")
    assert pad.allowed.endswith(', or "none" if the line is not wired')
    assert control.allowed.startswith("a GPIO that is still free: ") and "none" not in control.allowed


def test_of_a_pin_and_a_default_the_one_in_the_file_is_told_on_its_first_line_too(path: Path):
    assert [(fault.line, fault.key) for fault in faults(path, "controls.button_yay = 18\n")] == [
        (1, "controls.button_yay")
    ]


def test_a_file_that_is_not_there_is_told_without_a_line_and_without_a_key(path: Path):
    with pytest.raises(ConfigError) as caught:
        load(path)
    assert str(caught.value) == f"{path}: found no way to read it: No such file or directory; expected a TOML file"


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        ("sound = true\nlanguage = en\n\nswap_sides = true\n", 2, '"language = en"'),
        ("sound = true\nlanguage = en", 2, '"language = en"'),
        ("\n[track\n\n", 2, '"[track"'),
        ("sound = true\n\n  sound = false # again\n\n", 3, '"sound = false # again"'),
        ("[track]\nspace_leds = [8,\n  8,\n  x,\n]\nleds = 64\n", 4, '"x,"'),
        ("sound = true\nlanguage = '''\nen\n", 3, '"en"'),
        ("sound = true\nlanguage = '''\nen", 3, '"en"'),
    ],
)
def test_what_is_no_toml_is_told_with_the_very_line(path: Path, text: str, line: int, found: str):
    (fault,) = faults(path, text)
    assert (fault.line, fault.key) == (line, "") and fault.found.startswith(f"{found}, which is no TOML (")
    assert str(fault).startswith(f"{path}, line {line}: found {found}")


def test_a_value_that_would_turn_the_line_round_is_told_by_its_number(path: Path):
    (fault,) = faults(path, 'language = "\u202een"\n')
    assert fault.found == r'"\u202een"'


def test_a_number_that_python_is_told_not_to_read_is_a_fault_of_the_file(path: Path):
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        (fault,) = faults(path, "a = " + "9" * 900 + "\n")
    finally:
        sys.set_int_max_str_digits(before)
    assert (fault.line, fault.allowed) == (None, "TOML") and fault.found.startswith("no TOML (Exceeds the limit")


def test_the_reason_that_a_parser_gives_is_told_on_one_line_and_cut_to_four_times_what_is_shown_of_a_value():
    def refuse(text: str) -> str:
        raise ValueError("\x1b[2J\n" + "x" * 1000)

    reader = TomlReader("table.toml", {"name": "text"}, {})
    assert Section(reader, (), {"name": "text"}).parsed("name", "default", refuse, "so") == "default"
    assert reader.faults[0].allowed == f'a text such as "so" ( [2J {"x" * (4 * SHOWN - 5)})'


# ---- many faults ---------------------------------------------------------------------------


def test_of_many_faults_the_first_hundred_have_a_hint(path: Path):
    found = faults(path, "".join(f"sound{number} = true\n" for number in range(102)))
    assert [fault.line for fault in found] == [*range(1, 103)]
    assert ["did you mean sound?" in fault.allowed for fault in found] == [True] * 100 + [False] * 2


# ---- how much of a file is read ------------------------------------------------------------


def test_a_file_of_64_kib_is_read_and_not_one_byte_more(path: Path):
    text = ("#" * 63 + "\n") * 1024
    assert faults(path, text) == [] and load(path) == Config()
    assert said(path, text + "\n") == [": found more than 64 KiB; expected a TOML file of a few hundred lines at most"]


def test_a_line_of_a_thousand_characters_is_read_and_not_one_character_more(path: Path):
    assert faults(path, "\n#" + "x" * 999 + "\n") == []
    (fault,) = faults(path, "\n#" + "x" * 1000 + "\n")
    assert fault.line == 2 and fault.found.endswith("the beginning of a line of 1001 characters")
    assert fault.allowed == "lines of at most 1000"


@pytest.mark.parametrize(("lines", "known"), [(49, True), (50, True), (51, False)])
def test_the_line_of_a_statement_of_50_lines_is_known_and_what_follows_it_but_of_no_longer_one(lines: int, known: bool):
    text = "first = 1\na = [\n" + "\n" * (lines - 2) + "]\nlast = 1\n"
    reader = parse_toml("table.toml", text.encode())
    assert not reader.faults and reader.line(("first",)) == 1
    assert reader.line(("a",)) == (2 if known else None)
    assert reader.line(("last",)) == (lines + 2 if known else None)


def test_the_line_of_a_key_is_known_in_sections_up_to_eight_deep():
    eight, nine = ("a",) * 8, ("a",) * 9
    dotted = parse_toml("table.toml", f"{'.'.join(nine)}.b = 1\n".encode())
    assert [dotted.line(key) for key in (eight, nine, (*nine, "b"))] == [1, 1, None]
    assert parse_toml("table.toml", f"{'.'.join(eight)}.b = 1\n".encode()).line((*eight, "b")) == 1
    written = parse_toml("table.toml", f"\n[{'.'.join(eight)}]\nb = 1\n".encode())
    assert [written.line(key) for key in (("a",), eight, (*eight, "b"))] == [2, 2, 3]
    deeper = parse_toml("table.toml", f"\n[{'.'.join(nine)}]\nb = 1\n".encode())
    assert [deeper.line(key) for key in (eight, nine, (*nine, "b"))] == [2, None, None]


def test_a_section_in_a_list_of_sections_has_its_line():
    reader = parse_toml("table.toml", b"\n[[a.b]]\nc = 1\n")
    assert [reader.line(key) for key in (("a",), ("a", "b"), ("a", "b", "c"))] == [2, 2, 3]


# ---- where no line is known ----------------------------------------------------------------


def test_what_stands_behind_a_statement_of_too_many_lines_is_told_by_its_key_and_before_the_rest(path: Path):
    found = faults(path, "sound = 1\n" + UNSEEN + "track.goal_leds = -1\n")
    assert [(fault.line, fault.key) for fault in found] == [(None, "track.goal_leds"), (1, "sound")]
    assert str(found[0]).startswith(f"{path}: track.goal_leds: found -1")


def test_of_several_keys_without_a_line_the_last_is_told(path: Path):
    (fault,) = faults(path, UNSEEN + "screen.second_address = 0x3C\n")
    assert (fault.line, fault.key) == (None, "screen.second_address")
    (fault,) = faults(path, UNSEEN + "track.space_leds = 42\n")
    assert (fault.line, fault.key) == (None, "track.space_leds")

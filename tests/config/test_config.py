"""table.toml: its defaults, its example, and that every fault of it is told at once, in its place."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board import SPACES, Arrow, Board
from engine.cards import DEFAULT_DECK, parse_deck
from engine.rules import LateFoul, Mode, Rules, Tie
from firmware.config.reading import load
from firmware.config.toml_reader import Fault
from firmware.config.values import Config, ConfigError, PadWiring, StripConfig
from firmware.errors import FirmwareError
from tests.support.places import ROOT

EXAMPLE = ROOT / "table.example.toml"
TEXT = EXAMPLE.read_text()


@pytest.fixture
def table(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "table.toml"
        path.write_text(text)
        return path

    return write


def faults_of(path: Path) -> tuple[Fault, ...]:
    with pytest.raises(ConfigError) as caught:
        load(path)
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, FirmwareError)
    assert str(caught.value).splitlines() == [str(fault) for fault in caught.value.faults]
    assert all(fault.file == str(path) for fault in caught.value.faults)
    return caught.value.faults


def the_fault(path: Path) -> Fault:
    (fault,) = faults_of(path)
    return fault


def leaves(table: dict, path: tuple[str, ...] = ()) -> Iterator[str]:
    for name, value in table.items():
        yield from leaves(value, (*path, name)) if isinstance(value, dict) else [".".join((*path, name))]


def flat(value: object, path: tuple[str, ...] = ()) -> dict[str, object]:
    """The values of a configuration by their keys in the file."""
    found: dict[str, object] = {}
    for field in dataclasses.fields(value):
        inner, key = getattr(value, field.name), (*path, field.name)
        if isinstance(inner, Board):
            found |= {"rules.board": inner.hand_sizes, "rules.arrows": inner.arrows}
        elif field.name in ("deck", "tie", "late_foul", "hints"):
            found[f"rules.{field.name}"] = inner
        elif dataclasses.is_dataclass(inner):
            found |= flat(inner, key)
        else:
            found[".".join(key)] = inner
    return found


def setting(key: str, value: str) -> str:
    """A file with this one key."""
    *section, name = key.split(".")
    return (f"[{'.'.join(section)}]\n" if section else "\n") + f"{name} = {value}\n"


# ---- defaults and example ------------------------------------------------------------------


def test_without_a_file_or_with_an_empty_one_everything_is_as_the_device_is_described(table):
    config = load(None)
    assert load(table("")) == config == Config()
    assert config.pads.yay == PadWiring(0, 0, 25, 4_000_000) and config.pads.wow == PadWiring(0, 1, 24, 4_000_000)
    assert (config.track.goal_leds, config.track.space_leds, config.track.leds) == (4, (8,) * SPACES, 64)
    assert (config.track.budget_ma, config.track.colour_order, config.track.reverse) == (400, "GRB", False)
    screen = config.screen
    assert (screen.controller, screen.i2c_bus, screen.address, screen.second_address) == ("ssd1306", 1, 0x3C, None)
    assert dataclasses.astuple(config.controls) == (5, 6, 13, 19, 18)
    assert (config.language, config.sound, config.swap_sides, config.virtual.port) == ("en", True, False, 8000)
    for mode in Mode:
        assert config.rules(mode) == Rules(mode)


def test_the_example_loads_to_exactly_the_defaults():
    assert load(EXAMPLE) == Config()


def test_every_key_of_the_configuration_stands_in_the_example_and_no_other():
    # the number of all LEDs follows from the others: it is only there to be checked
    assert set(leaves(tomllib.loads(TEXT))) == {*flat(Config()), "track.leds"}


# for each key a value that is not its default, as written and as read
OTHERS: dict[str, tuple[str, object]] = {
    "language": ('"fy"', "fy"),
    "sound": ("false", False),
    "swap_sides": ("true", True),
    "tick": ("true", True),
    "rules.deck": ('"3x10 4x10 5x10"', parse_deck("3x10 4x10 5x10")),
    "rules.board": ('"2 3 4 5 6 7 8"', (2, 3, 4, 5, 6, 7, 8)),
    "rules.arrows": (f'"{"both " * SPACES}"', (Arrow.BOTH,) * SPACES),
    "rules.tie": ('"arrow"', Tie.ARROW),
    "rules.late_foul": ('"forfeit"', LateFoul.FORFEIT),
    "rules.hints": ("false", False),
    "pads.one_antenna": ("true", True),
    "pads.settle_ms": ("0", 0),
    "pads.yay.spi_bus": ("1", 1),
    "pads.yay.chip_select": ("1", 1),
    "pads.yay.reset": ('"none"', None),
    "pads.yay.speed_hz": ("10_000_000", 10_000_000),
    "pads.yay.gain_db": ("48", 48),
    "pads.wow.spi_bus": ("1", 1),
    "pads.wow.chip_select": ("0", 0),
    "pads.wow.reset": ("22", 22),
    "pads.wow.speed_hz": ("100_000", 100_000),
    "pads.wow.gain_db": ("18", 18),
    "track.goal_leds": ("5", 5),
    "track.space_leds": ("[7, 8, 9, 10, 11, 12, 0]", (7, 8, 9, 10, 11, 12, 0)),
    "track.reverse": ("true", True),
    "track.colour_order": ('"BRG"', "BRG"),
    "track.power": ('"own"', "own"),
    "track.budget_ma": ("1000", 1000),
    "track.brightness": ("1", 1),
    "track.serial": ('"E6611860AB"', "E6611860AB"),
    "screen.controller": ('"none"', "none"),
    "screen.i2c_bus": ("0", 0),
    "screen.address": ("0x3D", 0x3D),
    "screen.second_address": ("0x3D", 0x3D),
    "screen.rotate": ("180", 180),
    "controls.button_yay": ("4", 4),
    "controls.button_wow": ("12", 12),
    "controls.lamp_yay": ("16", 16),
    "controls.lamp_wow": ("27", 27),
    "controls.buzzer": ('"none"', None),
    "solo.bot": ('["/usr/bin/python3", "/opt/my bot.py"]', ("/usr/bin/python3", "/opt/my bot.py")),
    "virtual.port": ("1", 1),
}
# what else has to change: SPI1 needs pins, and no two readers may share a chip select
MOVED = '[controls]\nlamp_wow = 23\nbuzzer = "none"\n'
BESIDES = {
    "pads.yay.spi_bus": MOVED,
    "pads.wow.spi_bus": MOVED,
    "pads.yay.chip_select": "[pads.wow]\nspi_bus = 1\n" + MOVED,
    "pads.wow.chip_select": "[pads.yay]\nspi_bus = 1\n" + MOVED,
}


@pytest.mark.parametrize("key", OTHERS)
def test_each_key_changes_its_own_value_and_no_other(table, key: str):
    toml, value = OTHERS[key]
    besides = BESIDES.get(key, "")
    base = load(table(besides))
    config = load(table(setting(key, toml) + besides))
    assert flat(config) == flat(base) | {key: value}


def test_all_keys_of_the_example_are_tried():
    assert set(OTHERS) | {"track.leds"} == set(leaves(tomllib.loads(TEXT)))


# ---- one key -------------------------------------------------------------------------------

ALL_KEYS = sorted([*OTHERS, "track.leds"])
# what no key takes; true is no number, 1 is no truth, 4.0 is no whole number
WRONG = ['"?"', '""', "4.0", "-1", "1_000_000_000", "[]", "[1, 2]", "1979-05-27", "nan", "{}", '"None"']
BOOLEANS = {"sound", "tick", "swap_sides", "rules.hints", "pads.one_antenna", "track.reverse"}


@pytest.mark.parametrize("key", ALL_KEYS)
def test_a_value_of_the_wrong_kind_is_told_with_key_line_and_what_is_allowed(table, key: str):
    for value in [*WRONG, *(["0", "1", '"true"'] if key in BOOLEANS else ["true", "false"])]:
        fault = the_fault(table(setting(key, value)))
        assert (fault.key, fault.line) == (key, 2)
        assert fault.found and fault.allowed


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("pads.yay.speed_hz", "10_000_001", "found 10000001; expected a whole number from 100000 to 10000000 Hz"),
        ("pads.yay.gain_db", "40", "found 40; expected 18 or 23 or 33 or 38 or 43 or 48"),
        ("track.power", '"battery"', 'expected "usb" or "own"'),
        ("pads.yay.reset", "28", 'found 28; expected a whole number from 0 to 27, or "none"'),
        ("pads.wow.spi_bus", "2", "found 2; expected 0 or 1"),
        ("track.goal_leds", "true", "found true; expected a whole number from 0 to 300"),
        ("track.space_leds", "[8, 8, 8, 8, 8, 8]", "or a list of 7 such numbers"),
        ("track.space_leds", "[8, 8, 8, 8, 8, 8, true]", "or a list of 7 such numbers"),
        ("track.colour_order", '"GRBW"', '"RGB" or "RBG" or "GRB" or "GBR" or "BRG" or "BGR"'),
        ("track.budget_ma", "49", "from 50 to 3000 mA"),
        ("track.budget_ma", "3001", "from 50 to 3000 mA"),
        ("track.brightness", "0", "from 1 to 100 %"),
        ("track.serial", '"E6611860G"', '8 to 32 hexadecimal digits, or "none"'),
        ("track.leds", "301", "from 1 to 300"),
        ("screen.controller", '"ssd1327"', '"ssd1306" or "ssd1309" or "sh1106" or "none"'),
        ("screen.address", "0x78", "0x3C (60; some screens have it printed as 0x78)"),
        ("screen.rotate", "90", "found 90; expected 0 or 180"),
        ("language", '"de"', 'found "de"; expected "en" or "el" or "fy" or "ca" or "ar"'),
        ("rules.deck", '"3x5 3x4"', "rank 3 stands twice"),
        ("rules.deck", '"3x27"', "1 to 26 are allowed"),
        ("rules.board", '"4 6 9 1 9 6 4"', "hand size 1 on space 4: at least 2 is needed"),
        ("rules.arrows", '"wow wow wow up yay yay yay"', "each yay, wow or both"),
        ("rules.tie", '"Redeal"', 'found "Redeal"; expected "redeal" or "arrow"'),
        ("solo.bot", '["python3", "bot.py"]', "the first the whole path of a program"),
        ("solo.bot", '["/bin/sh", "a\\nb"]', "a list of 1 to 20 words"),
        ("solo.bot", f'["/{"x" * 200}"]', "words of up to 200 characters"),
        ("solo.bot", str(["/x", *"a" * 20]), "a list of 1 to 20 words"),
        ("solo.bot", '["/bin/sh", 1]', "a list of 1 to 20 words"),
        ("virtual.port", "65536", "from 1 to 65535"),
    ],
)
def test_what_is_out_of_range_is_told_with_what_is_allowed(table, key: str, value: str, words: str):
    path = table(setting(key, value))
    fault = the_fault(path)
    assert str(fault).startswith(f"{path}, line 2: {key}: found ") and words in str(fault)


# ---- unknown keys --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "key", "line", "hint"),
    [
        ("[track]\nrevers = true\n", "track.revers", 2, "did you mean track.reverse?"),
        ("\nlenguage = 'en'\n", "lenguage", 2, "did you mean language?"),
        ("[rules]\nlate-foul = 'note'\n", "rules.late-foul", 2, "did you mean rules.late_foul?"),
        ("reverse = true\n", "reverse", 1, "did you mean track.reverse?"),
        ("\n\n[trak]\ngoal_leds = 4\n", "trak", 3, "did you mean track?"),
        ("[pads.wov]\nreset = 24\n", "pads.wov", 1, "did you mean pads.wow?"),
        ("pads.yay = {rest = 22}\n", "pads.yay.rest", 1, "did you mean pads.yay.reset?"),
        ("pads.yay.rest = 22\n", "pads.yay.rest", 1, "did you mean pads.yay.reset?"),
        ('[controls]\n"\\u001b[2J" = 1\n', 'controls."\\u001b[2J"', 2, "one of button_yay, button_wow"),
    ],
)
def test_an_unknown_key_or_section_is_told_with_what_was_probably_meant(table, text, key, line, hint):
    fault = the_fault(table(text))
    assert (fault.key, fault.line) == (key, line)
    assert "an unknown" in fault.found and hint in fault.allowed


@pytest.mark.parametrize("text", ["track = 8\n", "[[track]]\n", "pads = 'both'\n", "pads.wow = 1\n"])
def test_a_value_in_the_place_of_a_section_is_told_once(table, text: str):
    fault = the_fault(table(text))
    assert fault.line == 1 and fault.allowed.startswith("a section, which begins with [")


# ---- several keys together -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "key", "line", "words"),
    [
        ("[controls]\nbuzzer = 5\n", "controls.buzzer", 2, "GPIO 5, which controls.button_yay has too"),
        ("[controls]\nbutton_yay = 18\n", "controls.button_yay", 2, "GPIO 18, which controls.buzzer has too"),
        ("[controls]\nlamp_yay = 4\nlamp_wow = 4\n", "controls.lamp_wow", 3, "GPIO 4, which controls.lamp_yay has too"),
        ("[pads.wow]\nreset = 25\n", "pads.wow.reset", 2, "GPIO 25, which pads.yay.reset has too"),
        *(
            (f"[controls]\nbuzzer = {pin}\n", "controls.buzzer", 2, f"GPIO {pin}, which belongs to {owner}")
            for owner, pins in {
                "I2C-0": (0, 1),
                "I2C-1": (2, 3),
                "SPI0": (7, 8, 9, 10, 11),
                "the UART": (14, 15),
            }.items()
            for pin in pins
        ),
        ("[pads.wow]\nchip_select = 0\n", "pads.wow.chip_select", 2, "SPI0 chip select 0, which pads.yay has too"),
        ("[pads.yay]\nchip_select = 1\n", "pads.yay.chip_select", 2, "SPI0 chip select 1, which pads.wow has too"),
        ("[pads.yay]\nchip_select = 2\n", "pads.yay.chip_select", 2, "0 to 1: SPI0 has no other chip select"),
        ("[screen]\nsecond_address = 0x3C\n", "screen.second_address", 2, "both screens at 0x3C"),
        ("[screen]\nsecond_address = 0x3D\naddress = 0x3D\n", "screen.second_address", 2, "both screens at 0x3D"),
        ("[track]\nleds = 60\n", "track.leds", 2, "found 60; expected 64, for 2 goals of 4 and spaces of 8 8"),
        ("[track]\nspace_leds = 42\n", "track.space_leds", 2, "found 302 LEDs"),
        ("[track]\nspace_leds = 100\nleds = 300\n", "track.space_leds", 2, "found 708 LEDs"),
        ("[track]\ngoal_leds = 0\nspace_leds = 0\n", "track.space_leds", 3, "found 0 LEDs"),
        ("[track]\nbudget_ma = 64\n", "track.budget_ma", 2, "a budget of 64 mA for 64 LEDs"),
        ("[track]\nbudget_ma = 1001\n", "track.budget_ma", 2, "1001 mA from USB; expected at most 1000 mA; or power"),
        ("[track]\nbudget_ma = 3000\npower = 'usb'\n", "track.budget_ma", 2, "a budget of 3000 mA from USB"),
        ("[rules]\nboard = '4 6 9 20 9 6 4'\n", "rules.board", 2, "two hands of 20 cards (space 4) cannot be dealt"),
        ("[rules]\ndeck = '3x17'\n", "rules.deck", 2, "two hands of 9 cards (space 3) cannot be dealt from"),
    ],
)
def test_keys_that_do_not_go_together_are_told_where_they_were_written(table, text, key, line, words):
    fault = the_fault(table(text))
    assert (fault.key, fault.line) == (key, line)
    assert words in str(fault)


def test_two_readers_may_both_be_without_a_wire_to_their_reset(table):
    pads = load(table("[pads]\nyay.reset = 'none'\nwow.reset = 'none'\n")).pads
    assert pads.yay.reset is pads.wow.reset is None


def test_a_pin_that_is_taken_is_told_with_those_that_are_free(table):
    fault = the_fault(table("[controls]\nbuzzer = 5\n"))
    assert fault.allowed == "a GPIO that is still free: 4, 12, 16, 17, 18, 20, 21, 22, 23, 26, 27"


def test_a_reader_on_the_other_spi_bus_takes_that_buss_pins(table):
    faults = faults_of(table("[pads.wow]\nspi_bus = 1\n[controls]\nbutton_yay = 20\n"))
    assert [(fault.key, fault.line) for fault in faults] == [
        ("pads.wow.spi_bus", 2),
        ("pads.wow.spi_bus", 2),
        ("controls.button_yay", 4),
    ]
    assert "SPI1, which needs GPIO 19, as controls.lamp_wow does" in faults[0].found
    assert "SPI1, which needs GPIO 18, as controls.buzzer does" in faults[1].found
    assert faults[2].found == "GPIO 20, which belongs to SPI1 (pads.wow.spi_bus)"
    pads = load(table("[pads.wow]\nspi_bus = 1\nchip_select = 0\n" + MOVED)).pads
    assert (pads.wow.spi_bus, pads.wow.chip_select, pads.yay.chip_select) == (1, 0, 0)
    pins = the_fault(table("[pads.wow]\nspi_bus = 1\nchip_select = 2\nreset = 16\n" + MOVED))
    assert "GPIO 16, which belongs to SPI1" in pins.found


@given(st.integers(0, 20), st.lists(st.integers(0, 60), min_size=SPACES, max_size=SPACES), st.integers(1, 300))
def test_exactly_the_numbers_of_leds_that_add_up_to_1_to_300_are_accepted(tmp_path_factory, goal, spaces, leds):
    path = tmp_path_factory.mktemp("leds") / "table.toml"
    total = 2 * goal + sum(spaces)
    for said in {leds, total} & set(range(1, 301)):
        text = f"[track]\ngoal_leds = {goal}\nspace_leds = {spaces}\nleds = {said}\n"
        path.write_text(text)
        if said == total:
            assert load(path).track == StripConfig(goal, tuple(spaces))
        else:
            the_fault(path)


# ---- the whole file ------------------------------------------------------------------------


def test_every_fault_of_a_file_is_told_at_once_in_the_order_of_its_lines(table):
    path = table(
        "sound = 1\nvolume = 3\n[track]\ngoal_leds = true\nspace_leds = [8,\n  8, 8, 8, 8, 8]\nbudget_ma = 20\n"
        "[trak]\nleds = 64\n[rules]\nboard = '20 20 20 20 20 20 20'\ntie = 'maybe'\n"
        "[pads.yay]\nchip_select = 1\n[screen]\nsecond_address = 0x3C\n[controls]\nbuzzer = 2\nlamp_yay = 'none'\n"
    )
    assert [(fault.line, fault.key) for fault in faults_of(path)] == [
        (1, "sound"),
        (2, "volume"),
        (4, "track.goal_leds"),
        (5, "track.space_leds"),
        (7, "track.budget_ma"),
        (8, "trak"),
        (11, "rules.board"),
        (12, "rules.tie"),
        (14, "pads.yay.chip_select"),
        (16, "screen.second_address"),
        (18, "controls.buzzer"),
        (19, "controls.lamp_yay"),
    ]


def test_a_faulty_key_brings_no_second_fault_about_what_it_might_have_been(table):
    the_fault(table("[track]\ngoal_leds = -1\nleds = 66\n"))
    the_fault(table("[controls]\nbutton_yay = 99\nbuzzer = 5\n"))
    the_fault(table("[rules]\ndeck = 'none'\nboard = '9 9 20 20 20 9 9'\n"))


def test_the_line_of_a_key_is_known_whatever_the_style_of_the_file(table):
    path = table(
        '# [track]\nlanguage = """\nen"""\n\npads.one_antenna = 1\n[track] # the strip\n'
        "space_leds = [ # a list\n  1, 2,\n\n  # goal_leds = 3\n  3, 4, 5, 6, 7 ]\n'goal_leds' = -1\n"
        "[ pads . 'wow' ]\r\nreset = 99\r\n"
    )
    lines = [(fault.key, fault.line) for fault in faults_of(path)]
    assert lines == [("pads.one_antenna", 5), ("track.goal_leds", 12), ("pads.wow.reset", 14)]


@pytest.mark.parametrize(
    ("raw", "line", "words"),
    [
        (b"language = en\n", 1, 'found "language = en", which is no TOML'),
        (b"sound = true\n\n[track\n", 3, 'found "[track", which is no TOML'),
        (b"sound = true\nsound = true\n", 2, "which is no TOML"),
        (b"sound = true\nspace_leds = [8,\n", 2, "which is no TOML"),
        (b"sound = true\n# caf\xe9\n", 2, "bytes that are not UTF-8 (0xe9)"),
        (b"\0" * 100, 1, "which is no TOML"),
        (b"#" * 70_000, None, "more than 64 KiB"),
        (b"a = [\n" + b"[\n" * 20_000, None, "nested far too deeply"),
        (b"sound = true\na = " + b"9" * 5_000, 2, "the beginning of a line of 5004 characters"),
        (b"a = 0x" + b"9" * 900, 1, "an unknown key"),
        (b"sound = 0x" + b"9" * 900, 1, "expected true or false"),
        (b"sound" + b".a" * 490 + b" = 1", 1, "expected true or false"),
        (b"[track" + b".a" * 490 + b"]", 1, "an unknown section"),
        (b"a = [\n" + b"1,\n" * 20_000 + b"]", None, "an unknown key"),
    ],
)
def test_a_file_of_garbage_is_told_with_the_line_and_in_no_time(
    tmp_path: Path, raw: bytes, line: int | None, words: str
):
    path = tmp_path / "table.toml"
    path.write_bytes(raw)
    fault = the_fault(path)
    assert fault.line == line and words in str(fault)
    assert str(fault).isprintable()


def test_a_file_that_is_missing_or_a_folder_is_a_fault_that_names_it(tmp_path: Path):
    missing = the_fault(tmp_path / "table.toml")
    assert "no way to read it: No such file or directory" in missing.found
    assert "it is a folder, not a file" in the_fault(tmp_path).found


def test_a_file_written_on_windows_is_read(tmp_path: Path):
    path = tmp_path / "table.toml"
    path.write_bytes(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    assert load(path) == Config()


VALUES = st.sampled_from(["", *WRONG, "true", "7", '"none"', "0x3D", "[", "{a = 1}", '"""', "'\x7f'", "[[1]]"])
CHANGES = st.lists(st.tuples(st.integers(0, TEXT.count("\n")), VALUES, st.booleans()), max_size=6)


@given(CHANGES)
def test_no_change_of_the_example_raises_anything_but_the_configurations_own_error(tmp_path_factory, changes):
    lines = TEXT.split("\n")
    for number, value, whole in changes:
        name, equals, _ = lines[number].partition("=")
        lines[number] = value if whole or not equals else f"{name}= {value}"
    path = tmp_path_factory.mktemp("fuzz") / "table.toml"
    path.write_text("\n".join(lines))
    try:
        config = load(path)
    except ConfigError as error:
        assert error.faults and all(str(fault).isprintable() for fault in error.faults)
    else:
        assert isinstance(config, Config) and config.deck and config.rules(Mode.PLAY)


@given(st.one_of(st.binary(max_size=80), st.text(max_size=80).map(str.encode)))
def test_no_bytes_at_all_raise_anything_but_the_configurations_own_error(tmp_path_factory, data: bytes):
    path = tmp_path_factory.mktemp("fuzz") / "table.toml"
    path.write_bytes(data)
    try:
        assert load(path) == Config()  # nothing but comments and blanks
    except ConfigError as error:
        assert error.faults


def test_the_deck_of_the_defaults_is_the_games():
    assert load(None).deck == DEFAULT_DECK and len(load(None).deck) == 38


def test_a_strip_may_have_one_led_and_300_but_no_more_and_not_none(table) -> None:  # type: ignore[no-untyped-def]
    for goal, spaces, total in ((0, (1, 0, 0, 0, 0, 0, 0), 1), (3, (42,) * SPACES, 300)):
        assert load(table(f"[track]\ngoal_leds = {goal}\nspace_leds = {list(spaces)}\n")).track.leds == total
    for goal, spaces, total in ((0, (0,) * SPACES, 0), (3, (43, *(42,) * 6), 301)):
        fault = the_fault(table(f"[track]\ngoal_leds = {goal}\nspace_leds = {list(spaces)}\n"))
        assert f"{total} LEDs" in str(fault) and "1 to 300 LEDs" in str(fault)

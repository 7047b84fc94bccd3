"""The pin table and the wiring diagram, against the defaults of the configuration and the header of the Pi."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest
from gpiozero.pins.mock import MockFactory
from PIL import Image

from firmware.config.values import Config
from firmware.wiring.parts import PICO_PROGRAM
from tests.support.places import ROOT

HARDWARE = ROOT / "hardware"
README = (HARDWARE / "README.md").read_text()
WIRING = (HARDWARE / "wiring.yml").read_text()
OWN_SUPPLY = (HARDWARE / "wiring-own-supply.yml").read_text()
SPI0 = {"SCK": "GPIO 11", "MOSI": "GPIO 10", "MISO": "GPIO 9"}
CHIP_SELECTS = {0: "GPIO 8 (CE0)", 1: "GPIO 7 (CE1)"}
# what the parts are called in the two documents
IN_WIRING = {
    "screen": "SCREEN",
    "pad of YAY": "READER_YAY",
    "pad of WOW": "READER_WOW",
    "button of YAY": "BUTTON_YAY",
    "button of WOW": "BUTTON_WOW",
    "buzzer": "BUZZER",
}


def pin_table() -> dict[tuple[str, str], tuple[str, str]]:
    """(part, its pin) to (what it goes to, header pin)."""
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ((?:GPIO|GND|3V3)[^|]*) \| (\d+) \|$", README, re.MULTILINE)
    # "lamp +, through 330 Ω" and "SDA (chip select)" are the pins "lamp +" and "SDA"
    return {(part, re.split(r", | \(| of ", pin)[0]): (target, header) for part, pin, target, header in rows}


def from_configuration() -> dict[tuple[str, str], str]:
    """(part, its pin) to the GPIO that the defaults say."""
    config = Config()
    wires: dict[tuple[str, str], str] = {}
    for player, pad in (("YAY", config.pads.yay), ("WOW", config.pads.wow)):
        assert pad.spi_bus == 0
        wires |= {(f"pad of {player}", pin): gpio for pin, gpio in SPI0.items()}
        wires[f"pad of {player}", "SDA"] = CHIP_SELECTS[pad.chip_select]
        wires[f"pad of {player}", "RST"] = f"GPIO {pad.reset}"
    assert config.screen.i2c_bus == 1
    wires |= {("screen", "SDA"): "GPIO 2", ("screen", "SCL"): "GPIO 3"}
    pins = config.controls
    for player, button, lamp in (("YAY", pins.button_yay, pins.lamp_yay), ("WOW", pins.button_wow, pins.lamp_wow)):
        wires[f"button of {player}", "switch"] = f"GPIO {button}"
        wires[f"button of {player}", "lamp +"] = f"GPIO {lamp}"
    wires["buzzer", "+"] = f"GPIO {pins.buzzer}"
    return wires


def test_the_pin_table_says_what_the_configuration_does() -> None:
    said = {wire: target for wire, (target, _) in pin_table().items() if target.startswith("GPIO")}
    assert said == from_configuration()


def test_every_part_has_its_ground_and_the_readers_and_the_screen_have_3_volts_3() -> None:
    table = pin_table()
    for part in IN_WIRING:
        assert any(target == "GND" for (name, _), (target, _) in table.items() if name == part), part
    assert {part for (part, _), (target, _) in table.items() if target == "3V3"} == {
        "screen",
        "pad of YAY",
        "pad of WOW",
    }


@pytest.fixture
def header() -> Iterator[dict[int, str]]:
    """Header pin to what gpiozero says is there: GPIO25, GND, 3V3, 5V."""
    factory = MockFactory()
    yield {number: pin.name for number, pin in factory.board_info.headers["J8"].pins.items()}
    factory.close()


def test_the_header_pins_are_where_the_pi_has_them(header: dict[int, str]) -> None:
    for wire, (target, pin) in pin_table().items():
        assert header[int(pin)] == target.split(" (")[0].replace(" ", ""), wire


# ---- the diagram ---------------------------------------------------------------------------


def connectors(wiring: str = WIRING) -> dict[str, dict[str, str]]:
    """Connector to its pins by number or label: each to its label."""
    found: dict[str, dict[str, str]] = {}
    for name, block in re.findall(r"^  (\w+):\n((?:    .*\n)+)", wiring, re.MULTILINE):
        labels = _list(block, "pinlabels")
        numbers = _list(block, "pins") or [str(number + 1) for number in range(len(labels))]
        assert len(numbers) == len(labels), name
        found[name] = {**dict(zip(numbers, labels, strict=True)), **{label: label for label in labels}}
    return found


def _list(block: str, key: str) -> list[str]:
    match = re.search(rf"^    {key}: \[(.*)\]$", block, re.MULTILINE)
    return match[1].split(", ") if match else []


def connections(wiring: str = WIRING) -> list[tuple[str, str, str, str]]:
    """(connector, pin, connector, pin) for each wire, pins as they stand there."""
    wires = []
    for line in re.findall(r"^  - \[(.*)\]$", wiring, re.MULTILINE):
        (left, from_), (_, cores), (right, to) = re.findall(r"\{(\w+): \[([^]]*)\]\}", line)
        ends = [text.split(", ") for text in (from_, cores, to)]
        wires += [(left, a, right, b) for a, _, b in zip(*ends, strict=True)]
    return wires


def test_the_diagram_wires_the_header_as_the_pin_table_does() -> None:
    drawn = {(part, pin): number for board, number, part, pin in connections() if board == "PI"}
    assert drawn == {(IN_WIRING[part], pin): number for (part, pin), (_, number) in pin_table().items()}


def test_the_diagram_names_the_header_pins_as_the_pi_has_them(header: dict[int, str]) -> None:
    numbers = {number: label for number, label in connectors()["PI"].items() if number.isdigit()}
    assert numbers == {number: label for number, label in numbers.items() if header[int(number)] == label.split()[0]}


@pytest.mark.parametrize("wiring", [WIRING, OWN_SUPPLY], ids=["from USB", "own supply"])
def test_every_wire_of_the_diagram_ends_at_a_pin_that_is_there(wiring: str) -> None:
    there = connectors(wiring)
    for left, a, right, b in connections(wiring):
        assert a in there[left] and b in there[right], (left, a, right, b)


def test_a_strip_with_a_supply_of_its_own_shares_ground_and_data_with_the_pico_and_nothing_else() -> None:
    """Two supplies on one wire feed each other, past what protects the Pi."""
    pins = connectors(OWN_SUPPLY)
    of_pico = {pins["PICO"][a] for left, a, _, _ in connections(OWN_SUPPLY) if left == "PICO"}
    assert of_pico == {"GP16", "GND"}
    fed = {(part, pins[part][pin]) for left, _, part, pin in connections(OWN_SUPPLY) if left == "FUSE"}
    assert fed == {("STRIP", "+5 V"), ("SHIFTER", "VCC 5 V")}


@pytest.mark.parametrize("wiring", [WIRING, OWN_SUPPLY], ids=["from USB", "own supply"])
def test_whatever_feeds_the_strip_goes_through_a_fuse(wiring: str) -> None:
    assert {left for left, _, part, pin in connections(wiring) if (part, pin) == ("STRIP", "+5 V")} == {"FUSE"}


def test_the_strip_hangs_on_the_pin_of_the_picos_program() -> None:
    match = re.search(r"^DATA_PIN = (\d+)$", (PICO_PROGRAM / "strip.py").read_text(), re.MULTILINE)
    assert match
    (pin,) = [pin for part, pin, _, to in connections() if part == "PICO" and to == "2"]
    assert connectors()["PICO"][pin] == f"GP{match[1]}"
    assert f"Pico GP{match[1]} (pin {pin})" in README


@pytest.mark.parametrize("name", ["wiring", "wiring-own-supply"])
def test_the_picture_shows_every_part_and_is_not_older_than_its_source(name: str) -> None:
    wiring = (HARDWARE / f"{name}.yml").read_text()
    svg = ElementTree.parse(HARDWARE / f"{name}.svg")
    texts = {text.text for text in svg.iter("{http://www.w3.org/2000/svg}text")}
    parts = connectors(wiring)
    assert parts.keys() <= texts
    for left, a, right, b in connections(wiring):  # WireViz writes both ends beside each wire
        for part, pin in ((left, a), (right, b)):
            label = parts[part][pin]
            assert any(text and text.startswith(part) and text.endswith(label) for text in texts), (part, pin)


@pytest.mark.parametrize("name", ["wiring", "wiring-own-supply"])
def test_the_picture_of_the_readme_has_the_shape_of_the_drawing(name: str) -> None:
    root = ElementTree.parse(HARDWARE / f"{name}.svg").getroot()
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    with Image.open(HARDWARE / f"{name}.png") as picture:
        assert picture.width / picture.height == pytest.approx(width / height, rel=0.01)


# ---- what must not be left out -------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        "metal",
        "15 cm",
        "74AHCT125",
        "OTG adapter",
        "passive",
        "330 Ω",
        "1000 µF",
        "budget_ma",
        "sudo make install",
        "one_antenna",
        "3.3 V, never 5 V",
        "BOOTSEL",
        "fuse",
        "one after another",
        "10 kΩ",
        "12 V",
        "never on both",
        "RES",
        "tacocat setup",
    ],
)
def test_the_guide_speaks_of_what_goes_wrong_when_it_is_not_known(words: str) -> None:
    assert words.lower() in README.lower()


def test_the_numbers_of_the_guide_are_those_of_the_configuration() -> None:
    track = Config().track
    assert f"{track.leds} LEDs" in README
    assert f"{track.budget_ma} mA at first" in README
    full_white_ma = track.leds * 60
    assert f"{full_white_ma / 1000:.1f} A" in README


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\((?!http)([^)#]+)\)", README))))
def test_every_link_of_the_guide_leads_somewhere(link: str) -> None:
    assert (HARDWARE / link).exists()


# ---- by symptom ----------------------------------------------------------------------------

TROUBLESHOOTING = (HARDWARE.parent / "docs/troubleshooting.md").read_text()


def symptoms() -> list[str]:
    """The words of the table itself that are quoted in the first columns; … stands for what varies."""
    rows = re.findall(r"^\| ([^|]*)\|", TROUBLESHOOTING, re.MULTILINE)
    return [quote for row in rows for quote in re.findall(r'"([^"]+)"', row)]


def test_the_words_that_a_symptom_quotes_are_words_of_the_program() -> None:
    program = "\n".join(
        path.read_text()
        for folder in ("engine", "hardware", "firmware")
        for path in (HARDWARE.parent / folder).rglob("*")
        if path.suffix in (".py", ".html", ".js")
    )
    program = re.sub(r'"\s*\n\s*f?"', "", program)  # a long text over several lines
    assert len(symptoms()) > 10
    for quote in symptoms():
        for part in quote.split("…"):
            assert part.strip() in program, quote


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\((?!http)([^)#]+)\)", TROUBLESHOOTING))))
def test_every_link_of_the_symptoms_leads_somewhere(link: str) -> None:
    assert (HARDWARE.parent / "docs" / link).exists()

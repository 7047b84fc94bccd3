"""What the configuration wires to whom: sides, panels, reset lines, and pins that cannot be opened."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace

import gpiozero
import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from firmware.config.values import Config, ControlsConfig, PadsConfig, PadWiring, ScreenConfig, StripConfig
from firmware.wiring import device, pins
from firmware.wiring.device import ResetLine, open_reader, panels_of, reset_line
from firmware.wiring.parts import PICO_PROGRAM, Openings, buttons_of, pads_of, sides
from firmware.wiring.pins import broken_pins, open_what_opens
from hardware.pins import PinsError
from hardware.ports import SystemClock
from hardware.strip import PicoStrip
from hardware.twins.virtual_time import VirtualTime
from tests.support.places import ROOT


@pytest.fixture
def factory() -> Iterator[MockFactory]:
    factory = MockFactory(pin_class=MockPWMPin)
    yield factory
    factory.close()


# ---- sides ---------------------------------------------------------------------------------


def test_players_who_sit_the_other_way_have_each_other_s_wiring() -> None:
    usual, swapped = Config(), Config(swap_sides=True)
    assert (sides(usual), sides(swapped)) == ({"yay": "yay", "wow": "wow"}, {"yay": "wow", "wow": "yay"})
    assert buttons_of(usual) == {"yay": (5, 13), "wow": (6, 19)}
    assert buttons_of(swapped) == {"yay": (6, 19), "wow": (5, 13)}
    assert pads_of(swapped) == {"yay": usual.pads.wow, "wow": usual.pads.yay}


@pytest.mark.parametrize(
    ("reverse", "swap_sides", "turned"),
    [(False, False, False), (True, False, True), (False, True, True), (True, True, False)],
)
def test_the_strip_is_turned_with_the_players(
    monkeypatch: pytest.MonkeyPatch, factory: MockFactory, reverse: bool, swap_sides: bool, turned: bool
) -> None:
    made: dict[str, object] = {}

    class Strip:
        def __init__(self, *_: object, **options: object) -> None:
            made.update(options)

        def close(self) -> None: ...

    monkeypatch.setattr(pins, "PicoStrip", Strip)
    config = Config(
        track=StripConfig(reverse=reverse, serial="E66"), swap_sides=swap_sides, screen=ScreenConfig(controller="none")
    )
    parts, broken = open_what_opens(config, lambda event: None, factory, VirtualTime())
    parts.close()
    assert broken == {} and made["reverse"] is turned
    assert (made["leds"], made["colour_order"], made["budget_ma"], made["serial_number"]) == (64, "GRB", 400, "E66")


def test_the_program_of_the_pico_lies_beside_the_rooms() -> None:
    assert PICO_PROGRAM == ROOT / "firmware" / "pico"


def test_the_device_imports_no_emulated_chip() -> None:
    code = "import sys, firmware.wiring.device, firmware.wiring.pins; print([m for m in sys.modules if 'twins' in m])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


# ---- panels --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rotate", "swap_sides", "turns"),
    [(0, False, (0, 2)), (180, False, (2, 0)), (0, True, (2, 0)), (180, True, (0, 2))],
)
def test_the_second_panel_is_turned_round_and_both_turn_with_the_players(
    rotate: int, swap_sides: bool, turns: tuple[int, int]
) -> None:
    """In quarter turns, as luma.core counts them."""
    screen = ScreenConfig(controller="sh1106", rotate=rotate, second_address=0x3D)
    one, two = panels_of(Config(screen=screen, swap_sides=swap_sides), "a bus")
    assert (one.address, two.address) == (0x3C, 0x3D) and (one.rotate, two.rotate) == turns
    (alone,) = panels_of(Config(screen=replace(screen, second_address=None), swap_sides=swap_sides), None)
    assert alone.rotate == turns[0]
    assert panels_of(Config(screen=replace(screen, controller="none")), None) == []


# ---- reset lines ---------------------------------------------------------------------------


def test_a_reset_line_is_opened_high_with_the_first_try_and_held(factory: MockFactory) -> None:
    line = ResetLine(25, factory)
    first = line()
    assert first.value == 1 and line() is first
    line.close()
    assert first.closed
    line.close()  # may be called twice
    assert line() is not first
    line.close()


def test_a_reset_line_that_cannot_be_opened_says_so_and_is_tried_again(factory: MockFactory) -> None:
    line = ResetLine(25, factory)
    with gpiozero.LED(25, pin_factory=factory), pytest.raises(PinsError, match="its reset line: GPIO 25: "):
        line()
    assert line().value == 1
    line.close()


def test_a_reset_line_is_closed_with_the_rest_and_only_where_there_is_one(factory: MockFactory) -> None:
    with ExitStack() as closing:
        assert reset_line(PadWiring(0, 0, None), closing, factory) is None
        line = reset_line(PadWiring(0, 0, 25), closing, factory)
        assert line is not None
        output = line()
    assert output.closed


def test_a_reader_gets_its_device_and_its_reset_line(monkeypatch: pytest.MonkeyPatch, factory: MockFactory) -> None:
    monkeypatch.setattr(device, "open_spidev", lambda *words: words)
    monkeypatch.setattr(device, "Reader", lambda *words: words)
    wiring = PadWiring(1, 2, 25, 100_000, 38)
    line = ResetLine(25, factory)
    assert open_reader(wiring, line) == ((1, 2, 100_000), line(), 38)
    assert open_reader(wiring, None) == ((1, 2, 100_000), None, 38)
    line.close()


# ---- what opens ----------------------------------------------------------------------------


@pytest.fixture
def openings(monkeypatch: pytest.MonkeyPatch) -> list[Openings]:
    """What would be opened; nothing is."""
    openings: list[Openings] = []
    monkeypatch.setattr(pins, "assemble", lambda config, found, *_: openings.append(found))
    return openings


def test_pins_that_cannot_be_opened_are_told_by_name_and_left_out(
    openings: list[Openings], factory: MockFactory
) -> None:
    clock = VirtualTime()
    with ExitStack() as taken:
        for pin in (5, 19, 18, 24):  # the button of yay, the lamp of wow, the buzzer, the reset line of wow
            taken.enter_context(gpiozero.LED(pin, pin_factory=factory))
        _, broken = open_what_opens(Config(), lambda event: None, factory, clock)
    (found,) = openings
    assert sorted(broken) == ["button yay", "buzzer", "lamp wow", "reset wow"]
    assert broken["lamp wow"].startswith("cannot be used: GPIO 19: ")
    assert found.buttons == {"wow": (6, None)} and found.buzzer is None and found.clock is clock
    lines = {name: opener.args[1] for name, opener in found.readers.items()}  # type: ignore[attr-defined]
    assert lines["wow"] is None and isinstance(lines["yay"], ResetLine)
    assert [panel.address for panel in found.panels] == [0x3C] and found.pin_factory is factory


def test_what_is_sound_is_opened_whole(openings: list[Openings], factory: MockFactory) -> None:
    config = Config(pads=PadsConfig(yay=PadWiring(0, 0, None)), controls=ControlsConfig(buzzer=None))
    assert broken_pins(config, factory) == {}
    open_what_opens(config, lambda event: None, factory)
    (found,) = openings
    assert found.buttons == buttons_of(config) and found.buzzer is None and isinstance(found.clock, SystemClock)
    lines = {name: opener.args[1] for name, opener in found.readers.items()}  # type: ignore[attr-defined]
    assert lines["yay"] is None and isinstance(lines["wow"], ResetLine)
    open_what_opens(Config(), lambda event: None, factory)
    assert openings[1].buzzer == 18
    assert found.strip.func is PicoStrip  # type: ignore[attr-defined]

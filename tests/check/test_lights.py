"""The check of strip and screen over pretended ones: what they are shown, how long they may take, what is told."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from firmware.check import remedies
from firmware.check.parts import Bench, _affordable, probe_screens, probe_strip, sample_picture
from firmware.check.system import System
from firmware.config.values import Config, ScreenConfig, StripConfig
from firmware.table.findings import Row, State
from firmware.wiring.parts import Parts, layout_of
from hardware import frames
from hardware.link import FoundPort
from hardware.oled import Oled
from hardware.ports import Colour, Health, PartState, Picture, Run
from hardware.strip import PicoStrip

DARK = (0, 0, 0)
PORTS = [FoundPort("/dev/ttyACM1", "Board", "E661"), FoundPort("/dev/ttyACM10", "Board", "E662")]


class Strip(PicoStrip):
    """Shows whatever it is given and says so. `back`: what it says instead, the first time."""

    def __init__(self, config: Config) -> None:
        track = config.track
        self.setup = SimpleNamespace(  # type: ignore[assignment]
            leds=layout_of(config).leds, colour_order=track.colour_order, budget_ma=track.budget_ma
        )
        self.shown: list[Picture] = []
        self.waits: list[float] = []
        self.takes = True
        self.answers = True
        self.back: tuple[Colour, ...] | None = None
        self.told = PartState("strip", Health.CONNECTED, "a Pico", 0)

    def show(self, picture: Picture) -> None:
        self.shown.append(picture)

    def wait_shown(self, timeout_s: float = 2.0) -> bool:
        self.waits.append(timeout_s)
        return self.takes

    def read_back(self, timeout_s: float = 1.0) -> tuple[Colour, ...] | None:
        back = self.shown[-1].still if self.back is None else self.back
        return back if self.answers else None

    def state(self) -> PartState:
        return self.told


class Looked:
    """A strip to be looked at, and somebody who gives these answers in turn. `asked` are the questions."""

    def __init__(self, config: Config | None = None, answers: Sequence[str | None] | None = None) -> None:
        self.config = config or Config()
        self.strip = Strip(self.config)
        self.answers = None if answers is None else list(answers)
        self.asked: list[str] = []
        self.ports: list[FoundPort] = list(PORTS)
        self.strip_s, self.now = 5.0, 700
        self.twins: object = None

    def ask(self, question: str, answers: Sequence[str]) -> str | None:
        self.asked.append(question)
        assert self.answers is not None
        answer = self.answers.pop(0)
        assert answer is None or answer in answers
        return answer

    def bench(self, **outputs: object) -> Bench:
        parts = SimpleNamespace(
            twins=self.twins,
            outputs=SimpleNamespace(strip=self.strip, **outputs),
            clock=SimpleNamespace(now_ms=lambda: self.now),
        )
        system = System(
            self.config,
            Path(),
            user="pi",
            groups=frozenset({"i2c"}),
            strip_s=self.strip_s,
            strip_ports=lambda: self.ports,
            pause_ms=self.pause,
        )
        ask = None if self.answers is None else self.ask
        return Bench(cast(Parts, parts), system, ask, lambda line: None)

    def pause(self, ms: int) -> None:
        self.now += ms

    def probe(self) -> Row:
        return probe_strip(self.bench())


# ---- what the strip is shown ---------------------------------------------------------------


def lit_of(picture: Picture) -> dict[int, Colour]:
    return {led: colour for led, colour in enumerate(picture.still) if colour != DARK}


@pytest.mark.parametrize(
    ("track", "leds", "first_ones"),
    [
        (StripConfig(), 64, [0, 4, 12, 20, 28, 36, 44, 52, 60, 63]),
        (StripConfig(goal_leds=2, space_leds=(1, 2, 3, 4, 0, 6, 30)), 50, [0, 2, 3, 5, 8, 12, 18, 48, 49]),
        (StripConfig(goal_leds=0, space_leds=(1,) * 7), 7, [0, 1, 2, 3, 4, 5, 6]),
    ],
)
def test_the_whole_strip_has_each_colour_and_then_a_white_dot_is_at_the_beginning_of_each_place_and_at_the_end(
    track: StripConfig, leds: int, first_ones: list[int]
) -> None:
    looked = Looked(Config(track=track))
    assert looked.probe().found == (
        f"a Pico, its program has version {frames.VERSION}; colours and a running LED came back"
    )
    red, green, blue, *dots = looked.strip.shown
    for picture, colour in ((red, (48, 0, 0)), (green, (0, 48, 0)), (blue, (0, 0, 48))):
        assert picture == Picture((colour,) * leds)
    assert [lit_of(dot) for dot in dots] == [{led: (48, 48, 48)} for led in first_ones]
    assert {len(dot.still) for dot in dots} == {leds}


@pytest.mark.parametrize(
    ("leds", "budget_ma", "lit", "level"),
    [
        (64, 400, 64, 48),
        (100, 115, 3, 48),  # 15 mA are left: 191 of the 255 that take 20 mA
        (49, 50, 1, 4),  # 1 mA: 12 of 255, and a white dot has three channels
        (10, 14, 1, 17),  # 4 mA: 51 of 255
        (10, 18, 2, 34),  # 8 mA: 102 of 255
    ],
)
def test_no_more_is_lit_than_the_budget_allows(leds: int, budget_ma: int, lit: int, level: int) -> None:
    """Each LED takes 1 mA when it is dark, and 20 mA more for a channel at 255 (docs/device.md, Track)."""
    assert _affordable(leds, budget_ma) == (lit, level)
    assert max(lit, 3) * level * 20 / 255 <= budget_ma - leds


def test_where_not_all_can_be_lit_the_rest_is_dark_and_the_question_says_so() -> None:
    looked = Looked(Config(track=StripConfig(budget_ma=64 + 15)), ["red", "green", "blue", "yes"])
    assert looked.probe().state is State.OK
    assert looked.strip.shown[0] == Picture(((48, 0, 0),) * 3 + (DARK,) * 61)
    assert looked.asked[0] == "The whole beginning of the strip (3 LEDs) has one colour. Which?"
    whole = Looked(answers=["red", "green", "blue", "yes"])
    whole.probe()
    assert whole.asked[:3] == ["The whole strip has one colour. Which?"] * 3


def test_a_dot_runs_over_the_dark_strip_in_four_seconds() -> None:
    looked = Looked(answers=["red", "green", "blue", "yes"])
    looked.probe()
    assert looked.strip.shown[-1] == Picture((DARK,) * 64, (Run(0, 64, (48, 48, 48), 4_000, start_ms=700),))


# ---- what it gives back --------------------------------------------------------------------


def test_a_strip_that_shows_something_else_is_told_with_the_first_difference() -> None:
    other = Looked()
    other.strip.back = ((48, 0, 0),) * 5 + ((0, 1, 0),) * 59
    assert other.probe().found == "a Pico: sent red, it shows (0, 1, 0) at LED 6, not (48, 0, 0)"
    assert other.probe().remedy == remedies.FLASH_PICO
    short = Looked()
    short.strip.back = ((48, 0, 0),) * 63
    assert short.probe().found == "a Pico: sent red, it has 63 LEDs, not 64"


def test_a_dot_that_does_not_come_back_is_told_with_its_place() -> None:
    class NoWhite(Strip):
        def read_back(self, timeout_s: float = 1.0) -> tuple[Colour, ...] | None:
            return tuple((0, *colour[1:]) if colour[1] else colour for colour in self.shown[-1].still)

    looked = Looked()
    looked.strip = NoWhite(looked.config)
    assert looked.probe().found == "a Pico: sent LED 1 of 64, it shows (0, 48, 48) at LED 1, not (48, 48, 48)"


@pytest.mark.parametrize(
    ("ports", "strip_s", "waits", "remedy"),
    [
        (PORTS, 5.0, 5.0, remedies.FLASH_PICO),
        ([], 5.0, 1.0, remedies.PLUG_IN_PICO),
        ([], 0.5, 0.5, remedies.PLUG_IN_PICO),
    ],
)
def test_a_strip_is_waited_for_a_second_at_most_where_there_is_no_pico(
    ports: list[FoundPort], strip_s: float, waits: float, remedy: str
) -> None:
    looked = Looked()
    looked.ports, looked.strip_s, looked.strip.takes = ports, strip_s, False
    assert looked.probe().remedy == remedy
    assert looked.strip.waits == [waits]


@pytest.mark.parametrize(
    ("health", "found"), [(Health.CONNECTED, "a Pico: it does not answer any more"), (Health.SEARCHING, "a Pico")]
)
@pytest.mark.parametrize("takes", [False, True])
def test_a_strip_that_does_not_answer_is_to_be_flashed(takes: bool, health: Health, found: str) -> None:
    looked = Looked()
    looked.strip.takes, looked.strip.answers = takes, False
    looked.strip.told = PartState("strip", health, "a Pico", 0)
    assert (looked.probe().found, looked.probe().remedy) == (found, remedies.FLASH_PICO)


@pytest.mark.parametrize(
    ("detail", "remedy"),
    [
        ("/dev/ttyACM10 is in use by another program", remedies.pico_in_use("/dev/ttyACM10")),
        ("/dev/ttyACM1 is in use by another program", remedies.pico_in_use("/dev/ttyACM1")),
        ("/dev/ttyACM2 is in use by another program", remedies.pico_in_use("/dev/ttyACM1")),
        ("may not open /dev/ttyACM10: it is root's", remedies.device_closed("/dev/ttyACM10", "dialout")),
        ("may not open /dev/ttyACM1: it is root's", remedies.device_closed("/dev/ttyACM1", "dialout")),
        ("cannot open /dev/ttyACM1: Input/output error", remedies.PLUG_IN_AGAIN),
        ("/dev/ttyACM1 is gone: Input/output error", remedies.PLUG_IN_AGAIN),
        ("/dev/ttyACM1: nobody takes what is sent, for 1 s", remedies.PLUG_IN_AGAIN),
        ("no answer to the hello", remedies.FLASH_PICO),
    ],
)
def test_the_words_of_the_driver_for_a_port_have_their_remedy_which_names_that_port(detail: str, remedy: str) -> None:
    looked = Looked()
    looked.strip.takes, looked.strip.told = False, PartState("strip", Health.SEARCHING, detail, 0)
    assert (looked.probe().found, looked.probe().remedy) == (detail, remedy)


@pytest.mark.parametrize(
    ("serial", "other"), [(None, False), ("E661", False), ("e662", False), ("E66", True), ("E663", True)]
)
def test_a_pico_that_is_not_the_configured_one_is_told_from_one_that_does_not_answer(
    serial: str | None, other: bool
) -> None:
    looked = Looked(Config(track=StripConfig(serial=serial)))
    looked.strip.takes = False
    assert looked.probe().remedy == (remedies.other_serial(serial or "") if other else remedies.FLASH_PICO)


# ---- what people see of the strip ----------------------------------------------------------


@pytest.mark.parametrize(
    ("answers", "state", "found", "remedy"),
    [
        (["red", "green", "blue", "yes"], State.OK, "came back", ""),
        ([None], State.SKIPPED, "nobody answered what colour the strip shows", ""),
        (["red", "none of these"], State.FAULT, "green is not seen as one colour", remedies.STRIP_DATA),
        (["red", "red", "blue"], State.FAULT, "two of red, green and blue look the same", remedies.STRIP_DATA),
        (["green", "red", "blue"], State.FAULT, "the colour order is GRB", remedies.colour_order("RGB")),
        (["red", "blue", "green"], State.FAULT, "the colour order is GRB", remedies.colour_order("BRG")),
        (["red", "green", "blue", None], State.SKIPPED, "nobody answered how the dot runs", ""),
        (
            ["red", "green", "blue", "the other way"],
            State.FAULT,
            "it runs from WOW to YAY",
            remedies.strip_other_way(False),
        ),
        (
            ["red", "green", "blue", "not over all"],
            State.FAULT,
            "the dot does not run over all LEDs",
            remedies.strip_length(64),
        ),
    ],
)
def test_what_people_see_of_the_strip_has_its_remedy(
    answers: list[str | None], state: State, found: str, remedy: str
) -> None:
    looked = Looked(answers=answers)
    row = looked.probe()
    assert (row.state, row.remedy) == (state, remedy) and found in row.found
    assert looked.answers == []


# ---- the screen ----------------------------------------------------------------------------


class Panels(Oled):
    """One or two panels, of which each answers after so many pictures."""

    def __init__(self, *answer_after: int) -> None:
        self.answer_after, self.shown = answer_after, list[bytes]()

    def show(self, image: object) -> None:
        self.shown.append(image.tobytes())  # type: ignore[attr-defined]

    def settle(self, timeout_s: float = 1.0) -> bool:
        return True

    def states(self) -> tuple[PartState, ...]:  # type: ignore[override]
        return tuple(
            PartState(part, Health.CONNECTED if len(self.shown) >= after else Health.LOST, f"a panel of {part}", 0)
            for part, after in zip(("screen", "screen 2"), self.answer_after, strict=False)
        )

    def state(self) -> PartState:
        return next((state for state in self.states() if state.health is not Health.CONNECTED), self.states()[0])

    def faults(self) -> tuple[Exception | None, ...]:  # type: ignore[override]
        return tuple(
            None if state.health is Health.CONNECTED else OSError(121, "Remote I/O") for state in self.states()
        )


def test_the_picture_has_a_frame_along_all_edges_and_an_arrow_up_in_its_middle() -> None:
    image = sample_picture()
    assert (image.mode, image.size) == ("1", (128, 64))
    lit = {(x, y) for x in range(128) for y in range(64) if image.getpixel((x, y))}
    frame = {(x, y) for x in range(128) for y in range(64) if x in (0, 127) or y in (0, 63)}
    assert frame <= lit
    arrow = lit - frame
    assert all((128 - x, y) in arrow for x, y in arrow), "it is not symmetrical about its axis"
    widths = [sum(1 for _, at in arrow if at == y) for y in range(64)]
    assert widths[:8] == [0] * 8 and widths[8] == 1 and widths[33:] == [15] * 23 + [0] * 8
    assert widths[8:33] == sorted(widths[8:33]) and widths[32] == 41
    for y, width in enumerate(widths):
        assert {x for x, at in arrow if at == y} == set(range(64 - width // 2, 64 - width // 2 + width)), y
    # its sides are straight
    assert all(abs(widths[y] - (1 + 40 * (y - 8) / 24)) < 1.5 for y in range(8, 33))


def test_each_panel_has_a_row_with_its_own_address() -> None:
    looked = Looked(Config(screen=ScreenConfig(second_address=0x3D)))
    rows = probe_screens(looked.bench(screen=Panels(0, 99)))
    assert [(row.part, row.state) for row in rows] == [("screen", State.OK), ("screen 2", State.FAULT)]
    assert rows[0].found == "a panel of screen took a test picture"
    assert rows[1].found == "no answer from a panel of screen 2"
    assert rows[1].remedy == remedies.screen_wires(1, 0x3D)


def test_a_dark_picture_goes_before_the_test_picture_so_that_all_of_it_goes_over_the_bus() -> None:
    panels = Panels(0)
    probe_screens(Looked().bench(screen=panels))
    assert [any(shown) for shown in panels.shown] == [False, True] and panels.shown[1] == sample_picture().tobytes()


@pytest.mark.parametrize(("away_ms", "state"), [(0, State.OK), (1_499, State.OK), (1_500, State.FAULT)])
def test_a_panel_that_was_away_is_tried_for_a_second_and_a_half_four_times_a_second(away_ms: int, state: State) -> None:
    looked, panels, pauses = Looked(), Panels(2 * (away_ms + 1)), list[int]()

    def pause(ms: int) -> None:
        pauses.append(ms)
        looked.now += 1

    looked.pause = pause  # type: ignore[method-assign]
    (row,) = probe_screens(looked.bench(screen=panels))
    assert (row.state, looked.now) == (state, 700 + away_ms) and set(pauses) <= {250}


def test_a_panel_that_takes_no_picture_is_not_shown_the_second_one() -> None:
    looked, panels = Looked(), Panels(99)

    def settle(timeout_s: float = 1.0) -> bool:
        looked.now += 1_000  # that is what it waits for
        return False

    panels.settle = settle  # type: ignore[method-assign]
    (row,) = probe_screens(looked.bench(screen=panels))
    assert row.state is State.FAULT and [any(shown) for shown in panels.shown] == [False, False]


def test_a_table_without_a_screen_has_no_row_that_could_fail() -> None:
    none = Looked(Config(screen=ScreenConfig(controller="none")))
    for looked, panels in ((none, Panels(0)), (Looked(), Panels())):
        rows = probe_screens(looked.bench(screen=panels))
        assert [(row.part, row.state) for row in rows] == [("screen", State.SKIPPED)] and panels.shown == []


@pytest.mark.parametrize(
    ("answer", "state", "remedy"),
    [
        ("yes", State.OK, ""),
        (None, State.SKIPPED, ""),
        ("upside down", State.FAULT, remedies.screen_upside_down(0)),
        ("shifted or cut", State.FAULT, remedies.screen_shifted("ssd1306")),
        ("dark or noise", State.FAULT, remedies.screen_dark("ssd1306")),
    ],
)
def test_what_people_see_of_the_screen_has_its_remedy(answer: str | None, state: State, remedy: str) -> None:
    looked = Looked(Config(screen=ScreenConfig(second_address=0x3D)), [answer, "yes"])
    first, second = probe_screens(looked.bench(screen=Panels(0, 0)))
    assert (first.state, first.remedy, second.state) == (state, remedy, State.OK)
    assert [question.partition(" has a frame")[0] for question in looked.asked] == [
        "The screen",
        "The second screen, seen from the other side,",
    ]


@pytest.mark.parametrize(
    ("error", "member", "is_root", "remedy"),
    [
        (PermissionError(13, "no"), True, False, remedies.device_closed("/dev/i2c-1", "i2c")),
        (PermissionError(1, "no"), False, True, remedies.device_closed("/dev/i2c-1", "i2c")),
        (PermissionError(13, "no"), False, False, remedies.join_groups("pi", ["i2c"], (), ())),
        (FileNotFoundError(2, "no"), True, False, remedies.switch_on_i2c(1)),
        (OSError(16, "busy"), True, False, remedies.screen_has_a_driver(0x3C)),
        (OSError(25, "no"), True, False, remedies.bus_fails("I2C", "screen")),
        (OSError(121, "no"), True, False, remedies.screen_wires(1, 0x3C)),
        (None, True, False, remedies.screen_wires(1, 0x3C)),
    ],
)
def test_each_reason_why_a_panel_does_not_answer_has_its_remedy(
    monkeypatch: pytest.MonkeyPatch, error: Exception | None, member: bool, is_root: bool, remedy: str
) -> None:
    panels = Panels(99)
    monkeypatch.setattr(panels, "faults", lambda: (error,))
    bench = Looked().bench(screen=panels)
    system = System(
        bench.system.config,
        Path(),
        user="pi",
        groups=frozenset({"i2c"}) if member else frozenset(),
        is_root=is_root,
        pause_ms=bench.system.pause_ms,
    )
    (row,) = probe_screens(Bench(bench.parts, system, None, lambda line: None))
    assert row.remedy == remedy

"""The check of buttons, lamps and buzzer over pretended ones: what is waited for and how long, and what is told."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from firmware.check import remedies
from firmware.check.parts import Bench, probe_button, probe_buzzer, probe_lamp
from firmware.check.system import System
from firmware.config.values import Config, ControlsConfig
from firmware.table.findings import Row, State
from firmware.wiring.parts import Parts
from hardware.ports import Holding, Note, PartState, Press, Pressed

FOREVER = 10**9
ASKED_MS = 60  # when the press is asked for: a button that is closed must have been so for some time


class Controls:
    """Two buttons, their lamps and a buzzer. `closed_at`: (from, until, button); `events`: (when, event), in ms."""

    def __init__(self, config: Config | None = None, answer: str | None = "yes", *, asking: bool = True) -> None:
        self.config, self.answer, self.asking = config or Config(), answer, asking
        self.now, self.step_ms, self.pauses = 0, 1, list[int]()
        self.closed_at: list[tuple[int, int, str]] = []
        self.events: list[tuple[int, object]] = []
        self.on: frozenset[str] = frozenset()
        self.dead: frozenset[str] = frozenset()  # lamps that have no voltage though they are on
        self.lights: list[frozenset[str]] = []
        self.played: list[tuple[tuple[Note, ...], int]] = []
        self.said: list[str] = []
        self.asked: list[tuple[str, Sequence[str], frozenset[str]]] = []

    # ---- as the driver

    def closed(self) -> set[str]:
        return {button for since, until, button in self.closed_at if since <= self.now < until}

    def poll(self, now_ms: int) -> list[object]:
        due = [event for at_ms, event in self.events if at_ms <= now_ms]
        self.events = [(at_ms, event) for at_ms, event in self.events if at_ms > now_ms]
        return due

    def light(self, lamps: frozenset[str]) -> None:
        self.on = lamps
        self.lights.append(lamps)

    def lit(self) -> frozenset[str]:
        return self.on - self.dead

    def play(self, notes: Sequence[Note], now_ms: int) -> None:
        self.played.append((tuple(notes), now_ms))

    # ---- as the rest

    def pause(self, ms: int) -> None:
        self.pauses.append(ms)
        self.now += self.step_ms

    def ask(self, question: str, answers: Sequence[str]) -> str | None:
        self.asked.append((question, answers, self.on))
        return self.answer

    def bench(self, broken: dict[str, str] | None = None) -> Bench:
        clock = SimpleNamespace(now_ms=lambda: self.now)
        parts = SimpleNamespace(controls=self, outputs=SimpleNamespace(buzzer=self), clock=clock)
        system = System(self.config, Path(), pause_ms=self.pause)
        return Bench(cast(Parts, parts), system, self.ask if self.asking else None, self.said.append, broken or {})

    def pressed(self, button: str, since: int, until: int) -> None:
        self.closed_at.append((since, until, button))


@pytest.fixture
def table() -> Controls:
    return Controls()


# ---- buttons -------------------------------------------------------------------------------


@pytest.mark.parametrize(("closed_until", "state"), [(59, State.OK), (60, State.OK), (61, State.FAULT)])
def test_a_button_that_is_closed_before_it_is_asked_for_has_contact_with_ground(
    closed_until: int, state: State
) -> None:
    table = Controls(asking=False)
    table.pressed("yay", 0, closed_until)
    row = probe_button(table.bench(), "yay")
    assert row.state is state and set(table.pauses) == {20}
    assert row.found == (
        "GPIO 5 is open at rest; no press was asked for"
        if state is State.OK
        else "GPIO 5 is closed though nobody was asked to press"
    )
    assert row.remedy == ("" if state is State.OK else remedies.button_closed("yay", 5))
    assert table.said == []


@pytest.mark.parametrize(
    ("at_ms", "found"),
    [
        (ASKED_MS + 14_999, "GPIO 6 was pressed and released"),
        (ASKED_MS + 15_000, "GPIO 6 was pressed and released"),
        (ASKED_MS + 15_001, "GPIO 6 did not change within 15 s"),
    ],
)
def test_a_press_is_waited_for_fifteen_seconds(table: Controls, at_ms: int, found: str) -> None:
    table.pressed("wow", at_ms, at_ms + 50)
    row = probe_button(table.bench(), "wow")
    assert row.found == found and table.said == ["Press the button of WOW and let go (15 s)."]
    assert row.remedy == ("" if row.state is State.OK else remedies.button_silent("wow", 6))


def test_a_press_that_is_over_before_anybody_looks_is_told_by_its_event(table: Controls) -> None:
    for event in (Pressed("yay", Press.OK, 0), Holding("yay", 0, 100)):
        table.now, table.events = 0, [(500, event)]
        assert probe_button(table.bench(), "yay").found == "GPIO 5 was pressed and released"


def test_other_events_are_no_press(table: Controls) -> None:
    table.events = [
        (500, Pressed(None, Press.MENU, 0)),
        (500, Holding(None, 0, 100)),
        (500, PartState("x", *[None] * 3)),
    ]  # type: ignore[arg-type]
    assert "did not change" in probe_button(table.bench(), "yay").found


@pytest.mark.parametrize(("step_ms", "waited_ms"), [(40, 50 * 80), (93, 44 * 93)])
def test_a_button_may_be_held_for_four_seconds(table: Controls, step_ms: int, waited_ms: int) -> None:
    """It is looked at after each rest, of at least 60 ms, until four seconds are over."""
    table.step_ms = step_ms
    table.pressed("yay", 1_000, FOREVER)
    row = probe_button(table.bench(), "yay")
    noticed_ms = -(-1_000 // step_ms) * step_ms
    assert row.found == "GPIO 5 stays closed after the press" and row.remedy == remedies.button_closed("yay", 5)
    assert table.now == noticed_ms + waited_ms


def test_the_other_button_has_its_own_row_if_it_sticks_and_means_an_exchange_if_it_is_pressed(table: Controls) -> None:
    table.pressed("wow", 0, FOREVER)
    table.pressed("yay", 500, 700)
    assert probe_button(table.bench(), "yay").state is State.OK
    other = Controls()
    other.pressed("wow", 500, 700)
    row = probe_button(other.bench(), "yay")
    assert (row.found, row.remedy) == ("the press came from the button of WOW", remedies.buttons_swapped())


def test_pins_that_could_not_be_opened_are_named_with_their_line_and_are_not_touched(table: Controls) -> None:
    broken = {"button yay": "taken", "lamp wow": "taken too", "buzzer": "as well"}
    swapped = Controls(Config(swap_sides=True))
    for pins, button, lamp in (
        (table, ("button_yay", 5), ("lamp_wow", 19)),
        (swapped, ("button_wow", 6), ("lamp_yay", 13)),
    ):
        bench = pins.bench(broken)
        row = probe_button(bench, "yay")
        assert (row.found, row.remedy) == ("taken", remedies.pin_in_use(f"{button[0]} in [controls]", button[1]))
        row = probe_lamp(bench, "wow")
        assert (row.found, row.remedy) == ("taken too", remedies.pin_in_use(f"{lamp[0]} in [controls]", lamp[1]))
        row = probe_buzzer(bench)
        assert (row.found, row.remedy) == ("as well", remedies.pin_in_use("buzzer in [controls]", 18))
        row = probe_lamp(bench, "yay")
        assert (row.state, row.found) == (State.SKIPPED, "its button cannot be used")
        assert pins.lights == [] and pins.played == [] and pins.now == 0


# ---- lamps ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "state", "found", "remedy"),
    [
        ("yes", State.OK, "GPIO 13 lights it", ""),
        ("no", State.FAULT, "GPIO 13 goes on, and it is dark", remedies.lamp_dark("yay", 13)),
        ("the other one", State.FAULT, "GPIO 13 lights the other player's lamp", remedies.lamps_swapped()),
        (None, State.SKIPPED, "nobody answered whether it is lit; GPIO 13 goes on", ""),
    ],
)
def test_a_lamp_alone_is_lit_while_it_is_asked_for_and_dark_afterwards(
    answer: str | None, state: State, found: str, remedy: str
) -> None:
    table = Controls(answer=answer)
    assert probe_lamp(table.bench(), "yay") == Row("lamp yay", state, found, remedy)
    ((question, answers, on),) = table.asked
    assert "button of YAY, and no other" in question and answers == ("yes", "no", "the other one")
    assert on == {"yay"} and table.lights == [{"yay"}, set()]


def test_a_lamp_is_not_asked_for_where_nobody_is_or_where_it_has_no_voltage() -> None:
    nobody = Controls(asking=False)
    assert probe_lamp(nobody.bench(), "wow").found == "GPIO 19 goes on; nobody was asked whether it is lit"
    short = Controls()
    short.dead = frozenset({"wow"})
    row = probe_lamp(short.bench(), "wow")
    assert (row.found, row.remedy) == ("GPIO 19 is on, and has no voltage", remedies.lamp_shorted("wow", 19))
    assert short.asked == [] and short.lights == nobody.lights == [{"wow"}, set()]


# ---- the buzzer ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "state", "found", "remedy"),
    [
        ("yes", State.OK, "three tones were heard", ""),
        ("no", State.FAULT, "GPIO 18 played three tones that nobody heard", remedies.buzzer_silent(18)),
        (None, State.SKIPPED, "nobody answered whether the tones were heard; GPIO 18 played them", ""),
    ],
)
def test_three_tones_an_octave_apart_are_played_to_their_end_and_then_asked_for(
    answer: str | None, state: State, found: str, remedy: str
) -> None:
    table = Controls(answer=answer)
    assert probe_buzzer(table.bench()) == Row("buzzer", state, found, remedy)
    silence = Note(0, 60)
    assert table.played == [((Note(440, 200), silence, Note(880, 200), silence, Note(1760, 200)), 0)]
    assert table.now == 3 * 200 + 2 * 60 + 20 and len(table.asked) == 1


def test_a_buzzer_that_nobody_listens_to_is_played_and_one_that_is_not_there_is_not() -> None:
    alone = Controls(asking=False)
    assert probe_buzzer(alone.bench()).found == "GPIO 18 played three tones; nobody was asked whether they were heard"
    without = Controls(Config(controls=ControlsConfig(buzzer=None)))
    row = probe_buzzer(without.bench())
    assert (row.state, row.found) == (State.SKIPPED, "the configuration has none") and without.played == []

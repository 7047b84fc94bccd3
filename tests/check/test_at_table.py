"""The questions of a check on the table's own screen, answered with its two buttons."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from firmware.check import at_table
from firmware.check.at_table import ABOUT_THE_SCREEN, ANSWER_MS, LOOK_MS, POLL_MS, CheckStopped, ScreenAsk
from firmware.views.page import Page
from firmware.words import words
from hardware.ports import Holding, Press, Pressed

ANSWERS = ("yes", "no", "the other one")


class Table:
    """A screen, two buttons and a clock. `presses`: what is done at which time from the start of the question."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *presses: tuple[int, object]) -> None:
        self.now, self.presses, self.pages, self.pauses = 0, list(presses), list[Page](), list[int]()
        monkeypatch.setattr(at_table, "draw", lambda page: page)
        self.parts = SimpleNamespace(
            clock=SimpleNamespace(now_ms=lambda: self.now),
            controls=SimpleNamespace(poll=self.poll),
            outputs=SimpleNamespace(screen=SimpleNamespace(show=self.pages.append)),
        )
        self.ask = ScreenAsk(self.parts, words(), self.pause)

    def pause(self, ms: int) -> None:
        self.now += ms
        self.pauses.append(ms)

    def poll(self, now_ms: int) -> list[object]:
        due = [event for at_ms, event in self.presses if at_ms <= now_ms]
        self.presses = [(at_ms, event) for at_ms, event in self.presses if at_ms > now_ms]
        return due

    @property
    def notes(self) -> list[str]:
        return [page.note for page in self.pages]


def pressed(button: str | None, press: Press = Press.OK) -> Pressed:
    return Pressed(button, press, 0)


def test_one_button_goes_to_the_next_answer_and_the_other_takes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(monkeypatch, (100, pressed("yay")), (200, pressed("yay")), (300, pressed("wow")))
    assert table.ask("Is it lit?", ANSWERS) == "the other one"
    assert table.notes == ["Is it lit? - yes?", "Is it lit? - no?", "Is it lit? - the other one?"]
    assert {(page.left, page.right, page.title) for page in table.pages} == {("next", "take", "Check")}


def test_the_first_answer_stands_there_at_once_and_comes_again_after_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Table(monkeypatch, (100, pressed("wow"))).ask("Is it lit?", ANSWERS) == "yes"
    again = Table(monkeypatch, *[(100 * n, pressed("yay")) for n in (1, 2, 3)], (400, pressed("wow")))
    assert again.ask("Is it lit?", ANSWERS) == "yes"


def test_a_held_button_answers_nothing_and_both_held_end_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    held = (pressed("wow", Press.UNDO), Holding("wow", 0, 100), pressed("yay", Press.UNDO))
    table = Table(monkeypatch, *[(100, event) for event in held], (200, pressed(None, Press.MENU)))
    with pytest.raises(CheckStopped):
        table.ask("Is it lit?", ANSWERS)
    assert table.notes == ["Is it lit? - yes?"]


def test_an_answer_is_waited_for_thirty_seconds_and_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    late = Table(monkeypatch, (30_000, pressed("wow")))
    assert late.ask("Is it lit?", ANSWERS) == "yes" and late.now == 30_000 == ANSWER_MS
    too_late = Table(monkeypatch, (30_001, pressed("wow")))
    assert too_late.ask("Is it lit?", ANSWERS) is None and too_late.now == 30_000
    assert set(too_late.pauses) == {20} == {POLL_MS}


@pytest.mark.parametrize("question", [f"{screen} is lit?" for screen in ABOUT_THE_SCREEN])
def test_a_question_about_the_screen_leaves_four_seconds_to_look_at_it(
    monkeypatch: pytest.MonkeyPatch, question: str
) -> None:
    table = Table(monkeypatch, (4_020, pressed("wow")))
    assert table.ask(question, ANSWERS) == "yes"
    assert table.pauses == [4_000, 20] and LOOK_MS == 4_000


def test_what_is_to_be_done_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(monkeypatch)
    table.ask.tell("Press YAY's button")
    assert [(page.title, page.note) for page in table.pages] == [("Check", "Press YAY's button")]


@pytest.mark.parametrize(("ms", "steps"), [(0, []), (20, [20]), (200, [200]), (201, [200, 1]), (450, [200, 200, 50])])
def test_whoever_watches_is_fed_at_least_five_times_a_second(
    monkeypatch: pytest.MonkeyPatch, tmp_path, ms: int, steps: list[int]
) -> None:
    done: list[object] = []

    def run_check(parts: object, system: SimpleNamespace, ask: object, tell: object) -> list[object]:
        system.pause_ms(ms)
        return ["a row"]

    system = SimpleNamespace(pause_ms=done.append)
    monkeypatch.setattr(at_table, "of_this_machine", lambda *_, **__: system)
    monkeypatch.setattr(at_table, "replace", lambda whole, **changes: SimpleNamespace(**changes))
    monkeypatch.setattr(at_table, "run_check", run_check)
    rows = at_table.check_at_the_table(
        SimpleNamespace(), SimpleNamespace(), tmp_path, False, words(), lambda: done.append("alive")
    )
    assert rows == ("a row",)
    assert done == [step for pause in steps for step in ("alive", pause)]

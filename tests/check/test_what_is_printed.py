"""The table of a check as lines, and its questions in a terminal."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence

import pytest

from firmware.check import terminal
from firmware.check.rows import as_json, format_rows, summary
from firmware.check.terminal import TerminalAsk, choose
from firmware.table.findings import fault, ok, skipped

OK, FAULT, SKIPPED = ok("SPI", "found"), fault("SPI", "found", "a remedy"), skipped("SPI", "reason")

# ---- the table -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("width", "longest"), [(1, 60), (59, 60), (60, 60), (61, 61), (119, 119), (120, 120), (121, 120), (999, 120)]
)
def test_a_line_has_the_width_of_the_terminal_from_60_to_120_characters(width: int, longest: int) -> None:
    begins = "SPI  ok       a"
    word = "x" * (longest - len(begins) - 1)
    assert format_rows([ok("SPI", f"a {word}")], width).splitlines()[0] == f"{begins} {word}"
    assert format_rows([ok("SPI", f"a {word}x")], width).splitlines()[0] == begins


def test_lines_of_a_remedy_stand_below_each_other_and_a_command_is_not_broken() -> None:
    command = "sudo " + "apt-get-" * 12 + "end"
    rows = [fault("a", "", f"first:\n{command}"), ok("longer name", "one\ntwo")]
    assert format_rows(rows, 60).splitlines() == [
        "a            FAULT",
        "                      > first:",
        "                        sudo",
        f"                        {command.removeprefix('sudo ')}",
        "longer name  ok       one",
        "                      two",
        "",
        "1 fault: 1 of 2 are as they should be.",
    ]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([OK], "No fault: 1 of 1 are as they should be."),
        ([FAULT, OK], "1 fault: 1 of 2 are as they should be."),
        ([FAULT, FAULT, OK, SKIPPED], "2 faults: 1 of 4 are as they should be, 1 skipped."),
        ([FAULT] * 3, "3 faults: 0 of 3 are as they should be."),
    ],
)
def test_the_last_line_counts(rows: Sequence[object], words: str) -> None:
    assert summary(rows) == words  # type: ignore[arg-type]


def test_for_programs_there_is_no_remedy_where_there_is_no_fault() -> None:
    assert as_json([OK, SKIPPED]) == {
        "ok": True,
        "rows": [
            {"part": "SPI", "state": "ok", "found": "found", "remedy": None},
            {"part": "SPI", "state": "skipped", "found": "reason", "remedy": None},
        ],
    }
    assert as_json([OK, FAULT]) == {
        "ok": False,
        "rows": [
            {"part": "SPI", "state": "ok", "found": "found", "remedy": None},
            {"part": "SPI", "state": "fault", "found": "found", "remedy": "a remedy"},
        ],
    }


# ---- questions -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "meant"), [("12", "l"), ("1", "a"), ("01", None), ("13", None), ("L", "l"), ("  12 ", "l"), ("1 2", None)]
)
def test_an_answer_is_chosen_by_its_number_as_it_is_printed(typed: str, meant: str | None) -> None:
    assert choose(f"{typed}\n", tuple("abcdefghijkl")) == meant


class Clock:
    """It goes on by `step_ms` whenever somebody looks."""

    def __init__(self, step_ms: int) -> None:
        self.ms, self.step_ms = 5_000, step_ms

    def now_ms(self) -> int:
        self.ms += self.step_ms
        return self.ms - self.step_ms


@pytest.fixture
def typing() -> Iterator[tuple[int, io.TextIOWrapper]]:
    """(where is typed, what a program has as its input)"""
    reading, writing = os.pipe()
    with open(reading) as stdin:
        yield writing, stdin
    os.close(writing)


@pytest.mark.parametrize(("step_ms", "left_s"), [(0, 30), (1, 29)])
def test_thirty_seconds_are_left_at_the_beginning(
    typing: tuple[int, io.TextIOWrapper], step_ms: int, left_s: int
) -> None:
    typist, stdin = typing
    os.write(typist, b"no\n")
    out = io.StringIO()
    assert TerminalAsk(stdin, out, clock=Clock(step_ms))("Is it lit?", ("yes", "no")) == "no"
    assert out.getvalue() == f"Is it lit?\n  1 yes   2 no\n  ({left_s} s) > "


@pytest.mark.parametrize(("step_ms", "waits_s"), [(0, 30.0), (10_000, 10.0), (15_000, 0.0), (20_000, 0.0)])
def test_a_line_is_waited_for_as_long_as_there_is_time(
    monkeypatch: pytest.MonkeyPatch, typing: tuple[int, io.TextIOWrapper], step_ms: int, waits_s: float
) -> None:
    waits: list[float] = []

    def select(reading: object, writing: object, odd: object, wait_s: float) -> tuple[list[object], ...]:
        waits.append(wait_s)
        return [], [], []

    monkeypatch.setattr(terminal.select, "select", select)
    out = io.StringIO()
    assert TerminalAsk(typing[1], out, clock=Clock(step_ms))("Is it lit?", ("yes", "no")) is None
    assert waits == [waits_s] and out.getvalue().endswith(" s) >   no answer\n")


def test_what_is_no_answer_is_shown_as_it_was_read_and_asked_again(typing: tuple[int, io.TextIOWrapper]) -> None:
    typist, stdin = typing
    os.write(typist, b" maybe\xff\x1b \n3\n1\n")
    out = io.StringIO()
    assert TerminalAsk(stdin, out, clock=Clock(0))("Is it lit?", ("yes", "no")) == "yes"
    assert out.getvalue().count("(30 s) > ") == 3
    assert r"'maybe�\x1b' is none of them: give a number from 1 to 2" in out.getvalue()

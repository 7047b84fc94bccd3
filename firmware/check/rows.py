"""What a check finds: one row for each thing, and the table that is made of them. Pure."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence

from firmware.errors import bounded
from firmware.table.findings import Row, State, has_fault

MIN_WIDTH, MAX_WIDTH = 60, 120  # characters


Say = Callable[[str], object]
"""Tells whoever stands at the table what to do now, or what goes on."""

Ask = Callable[[str, Sequence[str]], str | None]
"""A question and its possible answers; returns one of them, or None if nobody answered in time."""

YES, NO = "yes", "no"


def format_rows(rows: Sequence[Row], width: int) -> str:
    """The table for people: part, state, what was found; below each fault what to do. `width`: of a line."""
    width = max(MIN_WIDTH, min(MAX_WIDTH, width))
    name = max(len(row.part) for row in rows) + 2
    indent = " " * (name + 9)
    lines: list[str] = []
    for row in rows:
        state = row.state.value.upper() if row.state is State.FAULT else row.state.value
        lines += _wrapped(row.found, f"{row.part:{name}}{state:9}", indent, width)
        if row.remedy:
            lines += _wrapped(row.remedy, f"{indent}> ", f"{indent}  ", width)
    return "".join(f"{line.rstrip()}\n" for line in (*lines, "", summary(rows)))


def _wrapped(text: str, first: str, later: str, width: int) -> list[str]:
    lines: list[str] = []
    for piece in bounded(text).splitlines() or [""]:  # a USB device may call itself anything
        # a command is not broken at its hyphens: it is copied from here
        lines += textwrap.wrap(
            piece,
            width,
            initial_indent=later if lines else first,
            subsequent_indent=later,
            break_on_hyphens=False,
            break_long_words=False,
        ) or [first]
    return lines


def summary(rows: Sequence[Row]) -> str:
    """The last line: how many are right, faulty and skipped."""
    count = {state: sum(row.state is state for row in rows) for state in State}
    faults = {0: "No fault", 1: "1 fault"}.get(count[State.FAULT], f"{count[State.FAULT]} faults")
    left_out = f", {count[State.SKIPPED]} skipped" if count[State.SKIPPED] else ""
    return f"{faults}: {count[State.OK]} of {len(rows)} are as they should be{left_out}."


def as_json(rows: Sequence[Row]) -> dict[str, object]:
    """The same for programs: {"ok": bool, "rows": [{"part", "state", "found", "remedy"}]}; no remedy is null."""
    return {
        "ok": not has_fault(rows),
        "rows": [
            {"part": row.part, "state": row.state.value, "found": row.found, "remedy": row.remedy or None}
            for row in rows
        ],
    }

"""What a benchmark has found, as rows of one table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

SLOWER = 10  # a core of a Pi Zero 2 W is about this many times slower than one of a desktop machine

REAL, VIRTUAL, BOTH, COUNTED = "real", "virtual", "virtual + real", "counted"


@dataclass(frozen=True, slots=True)
class Measure:
    """One row. `here` and `wanted` in `unit`; `wanted` is the most (or with `at_least` the least) that is asked for.

    time: REAL time of this machine, VIRTUAL time of the emulated chips, BOTH added up, or a thing that is COUNTED.
    of_virtual: of BOTH, the part that is virtual, and as long on any machine. mean: given if `here` is the 99th
    percentile. beside: (name, measure) of something else that was measured in the same run.
    """

    subject: str
    name: str
    here: float
    unit: str
    time: str
    wanted: float | None = None
    of_virtual: float = 0.0
    at_least: bool = False
    mean: float | None = None
    beside: tuple[str, float] | None = None

    @property
    def missed(self) -> bool:
        if self.wanted is None:
            return False
        return self.here < self.wanted if self.at_least else self.here > self.wanted

    @property
    def on_a_zero(self) -> float:
        """What a Pi Zero 2 W would make of it, roughly: what is real takes SLOWER times as long."""
        if self.time in (VIRTUAL, COUNTED):
            return self.here
        if self.at_least:
            return self.here / SLOWER
        return self.of_virtual + SLOWER * (self.here - self.of_virtual)


def percentile(values: Iterable[float], percent: int) -> float:
    """The value that `percent` percent of them do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) * percent // 100, len(ordered) - 1)]


def number(value: float) -> str:
    """Three digits that count, and no more than there are."""
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    digits = 2 - max(0, len(str(int(abs(value)))) - 1) if abs(value) >= 1 else 3
    return f"{value:.{digits}f}".rstrip("0").rstrip(".")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown, its columns aligned."""
    lines = [list(head), *map(list, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in lines
    )


def report(measures: Iterable[Measure]) -> str:
    """All measures in one table."""
    head = ("part", "measure", "here", "wanted", "", "time", "beside it", "Pi Zero 2 W, about")
    return table(head, [_row(measure) for measure in measures])


def _row(measure: Measure) -> tuple[str, ...]:
    unit = measure.unit if measure.unit.startswith("%") or not measure.unit else f" {measure.unit}"
    here = number(measure.here) + unit
    if measure.mean is not None:
        here = f"mean {number(measure.mean)}, p99 {here}"
    wanted = "" if measure.wanted is None else ("≥ " if measure.at_least else "≤ ") + number(measure.wanted) + unit
    verdict = "" if measure.wanted is None else "**missed**" if measure.missed else "ok"
    zero = "" if measure.time == COUNTED else number(measure.on_a_zero) + unit
    beside = "" if measure.beside is None else _beside(measure, *measure.beside)
    return measure.subject, measure.name, here, wanted, verdict, measure.time, beside, zero


def _beside(measure: Measure, name: str, other: float) -> str:
    return f"{name}: {number(other)} (× {number(other / measure.here)})"

"""What a check finds: one row for each thing that was looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    OK = "ok"
    FAULT = "fault"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that was looked at. `found`: what was found, or why it was skipped. `remedy`: for a fault only."""

    part: str
    state: State
    found: str
    remedy: str = ""

    def __post_init__(self) -> None:
        if bool(self.remedy) is not (self.state is State.FAULT):
            raise ValueError(
                f"{self.part}: {self.state.value} with the remedy {self.remedy!r}; each fault has one, "
                "and nothing else has"
            )


def ok(part: str, found: str) -> Row:
    return Row(part, State.OK, found)


def fault(part: str, found: str, remedy: str) -> Row:
    return Row(part, State.FAULT, found, remedy)


def skipped(part: str, reason: str) -> Row:
    return Row(part, State.SKIPPED, reason)


def has_fault(rows: Sequence[Row]) -> bool:
    return any(row.state is State.FAULT for row in rows)

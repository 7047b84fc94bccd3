"""The root of the firmware's own exceptions, how what was refused is shown in their messages, and how often."""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Callable, Sequence

MOST_TOLD = 25  # at most this many faults of a file are reported; the rest is counted
SHOWN = 60  # at most this many characters of a faulty text are shown
SILENT_S = 60.0
_MOST_KINDS = 64
LONGEST = 300  # characters of one line that tells of a fault
LONGEST_PRINTED = 2000  # characters of any line that is printed for people


class FirmwareError(Exception):
    """The base class of all errors that the firmware raises."""


def told(faults: Sequence[object]) -> str:
    """The faults of a file, a line each; of a file that is something else altogether, the first ones."""
    rest = len(faults) - MOST_TOLD
    lines = [*map(str, faults[:MOST_TOLD]), *([f"and {rest} more faults like these"] if rest > 0 else [])]
    return "\n".join(lines)


def printable(text: str) -> str:
    """A text with nothing in it that a terminal would obey; line breaks stay."""
    if text.replace("\n", "").isprintable():  # nearly always; a log of 100,000 lines goes through here
        return text
    return "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text)


def bounded(text: str) -> str:
    """The same, each line of at most LONGEST_PRINTED characters: for what is printed for people."""
    return "\n".join(short(line, LONGEST_PRINTED) for line in printable(text).split("\n"))


def short(text: str, most: int = SHOWN) -> str:
    """A text cut to `most` characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def one_line(text: str, most: int = LONGEST) -> str:
    """The same as `printable`, without line breaks, and cut to `most` characters."""
    return short(" ".join(printable(text[: 4 * most]).split()), most)


class OnceAMinute(logging.Filter):
    """Lets a fault through in one printable line; the same fault again only after SILENT_S.

    Faults are the same if their lines are, or the `kind` that they were logged with (`extra={"kind": "disk"}`): for
    those whose reason changes with every try. Exceptions are the same if their types and places are, whatever they
    say. Of more than _MOST_KINDS a minute nothing is told: nobody could read it.
    """

    def __init__(self, clock_s: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock_s = clock_s
        self._told_at_s: dict[str, float] = {}  # the oldest first

    def filter(self, record: logging.LogRecord) -> bool:
        line = kind = record.getMessage()
        _, fault, _ = record.exc_info or (None, None, None)
        if fault is not None:
            line, kind = f"{line}: {reason(fault)}", f"{line}: {type(fault).__name__}{_place(fault)}"
        record.msg, record.args, record.exc_info = one_line(line), (), None
        record.exc_text = record.stack_info = None
        return self._is_due(getattr(record, "kind", kind))

    def _is_due(self, kind: str) -> bool:
        now_s = self._clock_s()
        while self._told_at_s and now_s - next(iter(self._told_at_s.values())) >= SILENT_S:
            self._told_at_s.pop(next(iter(self._told_at_s)))
        if kind in self._told_at_s or len(self._told_at_s) >= _MOST_KINDS:
            return False
        self._told_at_s[kind] = now_s
        return True


def reason(fault: BaseException) -> str:
    """What went wrong, and where in the program: for somebody who reports it."""
    return f"{type(fault).__name__}: {fault}{_place(fault)}"


def _place(fault: BaseException) -> str:
    where = traceback.extract_tb(fault.__traceback__)
    return f" ({where[-1].filename.rpartition('/')[2]}, line {where[-1].lineno})" if where else ""

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
_LONGEST = 300  # characters


class FirmwareError(Exception):
    """The base class of all errors that the firmware raises."""


def told(faults: Sequence[object]) -> str:
    """The faults of a file, a line each; of a file that is something else altogether, the first ones."""
    rest = len(faults) - MOST_TOLD
    lines = [*map(str, faults[:MOST_TOLD]), *([f"and {rest} more faults like these"] if rest > 0 else [])]
    return "\n".join(lines)


def printable(text: str) -> str:
    """A text with nothing in it that a terminal would obey; line breaks stay."""
    return "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text)


def short(text: str, most: int = SHOWN) -> str:
    """A text cut to `most` characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


class OnceAMinute(logging.Filter):
    """Lets a fault through in one printable line; the same fault again only after SILENT_S.

    Faults are the same if their lines are, or the `kind` that they were logged with (`extra={"kind": "disk"}`): for
    those whose reason changes with every try.
    """

    def __init__(self, clock_s: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock_s = clock_s
        self._told_at_s: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        line = record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            line += f": {reason(record.exc_info[1])}"
        record.msg, record.args, record.exc_info = " ".join(printable(short(line, _LONGEST)).split()), (), None
        now_s = self._clock_s()
        fault = str(getattr(record, "kind", record.msg))
        told_at_s = self._told_at_s.get(fault)
        if told_at_s is not None and now_s - told_at_s < SILENT_S:
            return False
        if len(self._told_at_s) >= _MOST_KINDS:
            self._told_at_s.pop(next(iter(self._told_at_s)))
        self._told_at_s.pop(fault, None)
        self._told_at_s[fault] = now_s
        return True


def reason(fault: BaseException) -> str:
    """What went wrong, and where in the program: for somebody who reports it."""
    where = traceback.extract_tb(fault.__traceback__)
    place = f" ({where[-1].filename.rpartition('/')[2]}, line {where[-1].lineno})" if where else ""
    return f"{type(fault).__name__}: {fault}{place}"

"""How the virtual table tells of its own faults: in one line each, and what repeats once a minute."""

from __future__ import annotations

import contextlib
import logging
import time
import traceback
from collections.abc import Callable, Iterator

from firmware.errors import printable, short

SILENT_S = 60.0
_MOST_KINDS = 64
_LONGEST = 300  # characters


class OnceAMinute(logging.Filter):
    """Lets a fault through in one printable line; the same fault again only after SILENT_S."""

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
        told_at_s = self._told_at_s.get(record.msg)
        if told_at_s is not None and now_s - told_at_s < SILENT_S:
            return False
        if len(self._told_at_s) >= _MOST_KINDS:
            self._told_at_s.pop(next(iter(self._told_at_s)))
        self._told_at_s.pop(record.msg, None)
        self._told_at_s[record.msg] = now_s
        return True


def reason(fault: BaseException) -> str:
    """What went wrong, and where in the program: for somebody who reports it."""
    where = traceback.extract_tb(fault.__traceback__)
    place = f" ({where[-1].filename.rpartition('/')[2]}, line {where[-1].lineno})" if where else ""
    return f"{type(fault).__name__}: {fault}{place}"


LOG = logging.getLogger("tacocat.page")
LOG.addFilter(OnceAMinute())
# of the library: what it says of each visit is nobody's business, what it did not expect is
LIBRARY_LOG = logging.getLogger("tacocat.page.connections")
LIBRARY_LOG.setLevel(logging.ERROR)
LIBRARY_LOG.addFilter(OnceAMinute())


@contextlib.contextmanager
def survived(what: str) -> Iterator[None]:
    """Tell of an exception inside, and go on: one fault takes nothing else with it."""
    try:
        yield
    except Exception:
        LOG.exception("The virtual table could not %s", what)

"""What is told beside the game: by loggers, by threads that die, and by libraries that warn.

All of it goes one way: a clean line each, and what repeats once a minute at most.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from firmware.errors import OnceAMinute, one_line
from firmware.run.news import NEWS_LOG

LOG = logging.getLogger("tacocat.threads")


class AllOnceAMinute(OnceAMinute):
    """The same for a handler, to which the loggers of libraries come too. What was looked at before only passes."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name == NEWS_LOG.name:
            record.msg, record.args = one_line(record.getMessage()), ()
            return True
        looked_at = any(isinstance(each, OnceAMinute) for each in logging.getLogger(record.name).filters)
        return looked_at or super().filter(record)


@contextmanager
def told_by(handler: logging.Handler, level: int = logging.WARNING) -> Iterator[None]:
    """Within it `handler` gets what is logged, at least of `level`, warnings, and why a thread has died."""
    root, before = logging.getLogger(), (logging.getLogger().level, threading.excepthook, sys.unraisablehook)
    handler.addFilter(AllOnceAMinute())
    root.addHandler(handler)
    root.setLevel(level)
    logging.captureWarnings(True)
    threading.excepthook, sys.unraisablehook = _thread_died, _unraisable
    try:
        yield
    finally:
        _, threading.excepthook, sys.unraisablehook = before
        logging.captureWarnings(False)
        root.setLevel(before[0])
        root.removeHandler(handler)


def _thread_died(died: Any) -> None:
    """As threading.excepthook has it; a thread that ends by SystemExit meant to."""
    if isinstance(died.exc_value, SystemExit):
        return
    name = died.thread.name if died.thread is not None else "of a library"
    LOG.error("The thread %s has ended", name, exc_info=died.exc_value)


def _unraisable(what: Any) -> None:
    """As sys.unraisablehook has it: what went wrong where Python could tell nobody, as when something is collected."""
    LOG.error("%s", what.err_msg or "A fault that nobody was told", exc_info=what.exc_value)

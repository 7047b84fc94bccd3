"""Programs of the tests that are ended from outside clear up behind them."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """In here SIGINT, SIGTERM and SIGHUP raise SystemExit in the main thread, which asks for this: status 128 + signal.

    What is to be removed at the end is removed then, for which Python alone does nothing at SIGTERM and SIGHUP.
    The first signal counts: those that follow do not stop the clearing up. One that is ignored stays so.
    """

    def end(number: int, _frame: FrameType | None) -> None:
        for other in before:
            signal.signal(other, signal.SIG_IGN)
        raise SystemExit(128 + number)

    handlers = {number: signal.getsignal(number) for number in SIGNALS}
    before = {number: handler for number, handler in handlers.items() if handler is not signal.SIG_IGN}
    for number in before:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

"""Signals that end the program: SIGTERM, Ctrl-C and SIGHUP (the terminal or SSH has gone), told as one request.

They are caught before anything is lit, so that nothing stays lit; a second one changes nothing. A signal that was
ignored when the program was started (`nohup`, a job in the background) stays ignored.
"""

from __future__ import annotations

import os
import queue
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hardware.threads import start_thread

ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


@contextmanager
def told_by_signals(end: Callable[[int], object], for_good: bool = False) -> Iterator[None]:
    """Call `end` with the number of each of these signals, in the main thread; only there anything is caught.

    `end` may interrupt any line of the main thread: it may only set flags and put something into a SimpleQueue.
    Afterwards everything is as it was; `for_good`: these signals are ignored from then on, for the process ends.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {}
    for number in ENDING:
        handler = signal.getsignal(number)
        # None: set by something else than Python, which knows better
        if handler is not None and handler is not signal.SIG_IGN:
            before[number] = handler
            signal.signal(number, lambda number, _: end(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_IGN if for_good else handler)


class Interrupted(BaseException):
    """The program was told to end by the signal `number`. No Exception: nothing may take it for a fault."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number

    @property
    def status(self) -> int:
        """The exit status of a program that was stopped by this signal, as shells have it."""
        return 128 + self.number


@contextmanager
def interrupted_by_signals(for_good: bool = False) -> Iterator[None]:
    """The first of these signals raises Interrupted, as Ctrl-C raises KeyboardInterrupt; later ones do nothing.

    For what has no loop: everything that was opened is closed on the way out, and that is not interrupted again.
    `for_good`: see `told_by_signals`.
    """
    told: list[int] = []

    def end(number: int) -> None:
        if not told:
            told.append(number)
            raise Interrupted(number)

    with told_by_signals(end, for_good):
        yield


class Deadline:
    """Ends the process `seconds` after `start`, come what may: a bus that is stuck lets go of nobody.

    Its thread waits from the beginning, so that `start` may be called by a signal's handler: it takes no lock. After
    `close` nothing is ended any more.
    """

    def __init__(self, seconds: float, leave: Callable[[int], object] = os._exit) -> None:
        self._seconds, self._leave = seconds, leave
        self._mail: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._closed = False
        start_thread(self._run, "deadline")

    def start(self) -> None:
        self._mail.put(True)

    def close(self) -> None:
        self._closed = True
        self._mail.put(False)

    def _run(self) -> None:
        if self._mail.get():
            time.sleep(self._seconds)
            if not self._closed:
                self._leave(0)

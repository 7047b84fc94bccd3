"""A system that gives no more threads."""

from __future__ import annotations

import threading
from collections.abc import Callable

_START: Callable[[threading.Thread], None] = threading.Thread.start


class NoMoreThreads:
    """In the place of `threading.Thread.start`: after so many threads each further one is refused."""

    def __init__(self, after: int) -> None:
        self._left, self.refused = after, 0

    def __get__(self, thread: threading.Thread, _: object) -> Callable[[], None]:
        return lambda: self._start(thread)

    def _start(self, thread: threading.Thread) -> None:
        if self._left <= 0:
            self.refused += 1
            raise RuntimeError("can't start new thread")
        self._left -= 1
        _START(thread)

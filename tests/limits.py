"""Guards against work that would not end, for inputs on which a careless program is busy for minutes."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType


@contextlib.contextmanager
def processor_s(most_s: float) -> Iterator[None]:
    """Fail what is done inside once it has used so much processor time. Main thread only."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"still busy after {most_s:g} s of processor time")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, most_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)

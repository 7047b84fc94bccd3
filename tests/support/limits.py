"""What hostile input may cost: processor time, and the length and looks of the message that refuses it."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType

LONGEST_MESSAGE = 12_000  # characters: what somebody may still read on a terminal


@contextlib.contextmanager
def processor_s(most_s: float) -> Iterator[None]:
    """Fail what is done inside once it has used this much processor time. Main thread only."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"still busy after {most_s:g} s of processor time")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, most_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def assert_readable(message: str, longest: int = LONGEST_MESSAGE) -> None:
    """It is there, not too long, and holds nothing that a terminal would obey."""
    assert message.strip(), "a refusal without words"
    assert len(message) <= longest, f"{len(message)} characters: {message[:300]}"
    odd = {c for c in message if not c.isprintable() and c != "\n"}
    assert not odd, f"{odd} in {message!r}"

"""Time for the emulated chips: it passes when somebody lets it pass.

`VirtualTime` stands still until it is advanced: an emulated bus advances it by what a transfer costs, a
test by what it wants to have passed. `LiveTime` follows the machine's monotonic clock as well. Both are a
`hardware.ports.Clock`. They count in whole nanoseconds inside, since one bit at 10 MHz lasts 100 ns.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class VirtualTime:
    """A clock that moves only when it is told to, and never back. Not thread-safe: see `LiveTime`."""

    def __init__(self, start_us: int = 0) -> None:
        self._ns = start_us * 1000

    @property
    def now_us(self) -> int:
        """Whole microseconds."""
        return self.now_ns() // 1000

    def now_ns(self) -> int:
        return self._ns

    def now_ms(self) -> int:
        return self.now_ns() // 1_000_000

    def advance_ns(self, ns: int) -> int:
        """Let `ns` nanoseconds (0 or more) pass; returns the new time in nanoseconds."""
        if ns < 0:
            raise ValueError(f"time cannot go back: asked to advance by {ns} ns; give 0 or more")
        self._ns += ns
        return self._ns

    def advance_us(self, us: float) -> None:
        """Let `us` microseconds (0 or more, parts are kept) pass."""
        self.advance_ns(round(us * 1000))

    def advance_ms(self, ms: float) -> None:
        self.advance_us(ms * 1000)

    def advance_to_us(self, us: int) -> None:
        """Let time pass until `us`; a moment that is over already changes nothing."""
        self.advance_ns(max(0, us * 1000 - self.now_ns()))


class LiveTime(VirtualTime):
    """Virtual time that is never behind the machine's monotonic clock, and on the same scale. Thread-safe.

    Emulated costs add up on top: a bus that is used without a pause may run ahead of the machine for a
    while; it then stands still until the machine has caught up.

    `monotonic_ns`: where the machine's time comes from; a test gives its own.
    """

    def __init__(self, monotonic_ns: Callable[[], int] = time.monotonic_ns) -> None:
        super().__init__()
        self._monotonic_ns = monotonic_ns
        self._lock = threading.Lock()
        self._ns = monotonic_ns()

    def now_ns(self) -> int:
        with self._lock:
            self._ns = max(self._ns, self._monotonic_ns())
            return self._ns

    def advance_ns(self, ns: int) -> int:
        if ns < 0:
            raise ValueError(f"time cannot go back: asked to advance by {ns} ns; give 0 or more")
        with self._lock:
            self._ns = max(self._ns, self._monotonic_ns()) + ns
            return self._ns

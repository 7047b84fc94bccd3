"""When a finger moved on the page: by the browser's clock, where this process was not there to see it.

A press is as long as the finger stayed down. Read late, both its ends come at once, or far apart; so the page says when
each was, by its own clock. It is believed only about times in which this process stood still: else a message counts
from when it is read, or from the look before. Pure; times are milliseconds of the table's clock, but a browser's own.
"""

from __future__ import annotations

STALL_MS = 250  # between two looks: more than any that is made in time
LATE_MS = 250  # after a stall, in which what came meanwhile is still read


class Looks:
    """When the server was there to read what comes."""

    def __init__(self, now_ms: int) -> None:
        self._looked_ms = now_ms
        self._stall: tuple[int, int] | None = None  # the latest: from when until when

    def look(self, now_ms: int) -> None:
        """Called again and again, far more often than every STALL_MS."""
        if now_ms - self._looked_ms > STALL_MS:
            self._stall = (self._looked_ms, now_ms)
        self._looked_ms = now_ms

    def earliest_ms(self, now_ms: int) -> int:
        """Nothing that is read now can have come before this."""
        if now_ms - self._looked_ms > STALL_MS or self._stall is None or now_ms - self._stall[1] > LATE_MS:
            return self._looked_ms
        return self._stall[0]


class Moments:
    """One window's clock against the table's: what came with the least delay says how far they are apart."""

    def __init__(self) -> None:
        self._apart_ms: float | None = None

    def happened_ms(self, told_ms: float | None, earliest_ms: int, now_ms: int) -> int:
        """When that was which a window tells now; `told_ms` is by its own clock, None if it says nothing of it."""
        if told_ms is None:
            return now_ms
        apart_ms = now_ms - told_ms
        self._apart_ms = apart_ms if self._apart_ms is None else min(self._apart_ms, apart_ms)
        return max(earliest_ms, min(now_ms, round(told_ms + self._apart_ms)))

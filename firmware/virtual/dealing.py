"""The dealing hand: how long a card lies on a pad, and how long the pad is free before the next one.

Long enough for the eye, and for the table to have looked: on a busy machine it looks less often. Pure; the times are
milliseconds of the table's clock.
"""

from __future__ import annotations

from dataclasses import dataclass

LIE_MS = 450  # a dealt card rests on the pad: long enough to be read as one that was put down on purpose
PAUSE_MS = 200  # then the pad is free: longer than the 150 ms after which a missing card counts as lifted
# Either is counted from the table's first look at what the hand has done, if that comes late, and some looks more.
SURE_MS = 200
MORE_LOOKS = 4  # requests of a reader, which sends one or two a round
PATIENCE_MS = 4000  # for one movement at most: the reader may be unplugged


@dataclass(slots=True)
class Dealing:
    """One player's deal over the pad: `left`: cards still to come; `lying`: the card on the pad."""

    left: int
    lying: str | None = None
    _due_ms: int = 0
    _looks: int | None = None  # what the reader had sent at the latest movement, or at its first look; None: before any
    _seen: bool = False

    def has_moved(self, requests: int, now_ms: int) -> None:
        """A card was laid down or taken up now; the reader has sent so many requests in all."""
        self._due_ms = now_ms + (PAUSE_MS if self.lying is None else LIE_MS)
        self._looks, self._seen = requests, False

    def is_due(self, requests: int, now_ms: int) -> bool:
        """Whether the hand moves on. To be asked again and again."""
        if self._looks is None:
            return True
        if not self._seen and requests > self._looks:
            self._seen, self._looks = True, requests
            self._due_ms = max(self._due_ms, now_ms + SURE_MS)
        is_sure = self._seen and requests >= self._looks + MORE_LOOKS
        return now_ms >= self._due_ms + (0 if is_sure else PATIENCE_MS)

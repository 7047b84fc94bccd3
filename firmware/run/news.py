"""What is written down of the parts: each change at once, but of what repeats once a minute at most."""

from __future__ import annotations

import logging

from firmware.errors import SILENT_S
from hardware.ports import Health, PartState

# Not held back once more: PartNews has seen to it, by the clock of the parts, and its last word has to be told.
NEWS_LOG = logging.getLogger("tacocat.parts")
SILENT_MS = int(1000 * SILENT_S)


class PartNews:
    """The states of all parts. A state of a part that was told less than a minute ago waits, whatever its reason.

    How a part is in the end is always told: the newest state waits no longer than that minute.
    """

    def __init__(self) -> None:
        self._told_ms: dict[tuple[str, Health], int] = {}
        self._last: dict[str, tuple[Health, str]] = {}  # what was told last of each part
        self._newest: dict[str, PartState] = {}  # what is not told yet

    def hear(self, state: PartState) -> None:
        self._newest[state.part] = state

    def due(self, now_ms: int) -> list[PartState]:
        """What is to be told now."""
        told = []
        for part, state in list(self._newest.items()):
            if self._last.get(part) == (state.health, state.detail):
                del self._newest[part]
                continue
            at_ms = self._told_ms.get((part, state.health))
            if at_ms is None or now_ms - at_ms >= SILENT_MS:
                self._told_ms[part, state.health] = now_ms
                self._last[part] = state.health, state.detail
                told.append(self._newest.pop(part))
        return told

"""All that is seen at one time: page, strip, lamps. A pure function of the table and the time."""

from __future__ import annotations

from dataclasses import dataclass

from engine.cards import PLAYERS
from firmware.table.state import Table
from firmware.views.lamps import can_ok
from firmware.views.page import Page
from firmware.views.pages import page_of
from firmware.views.strip import StripLayout, picture_of
from firmware.words import Words
from hardware.ports import Picture

DIM_AFTER_MS = 600_000


WANDER_MS = 60_000  # how often a dimmed page moves


WANDER_PX = ((0, 0), (2, 0), (2, 2), (0, 2), (-2, 2), (-2, 0), (-2, -2), (0, -2), (2, -2))


@dataclass(frozen=True, slots=True)
class Scene:
    """All that is shown at one time. `shift_px` moves the page (x, y), against burn-in."""

    page: Page
    picture: Picture
    lamps: frozenset[str]
    dimmed: bool
    shift_px: tuple[int, int]


def scene(table: Table, now_ms: int, layout: StripLayout, say: Words) -> Scene:
    """What is shown of `table` at `now_ms`."""
    idle_ms = now_ms - table.woken_ms - DIM_AFTER_MS
    dimmed = idle_ms >= 0
    shift = WANDER_PX[idle_ms // WANDER_MS % len(WANDER_PX)] if dimmed else (0, 0)
    lamps = frozenset(str(player) for player in PLAYERS if can_ok(table, player, now_ms))
    return Scene(page_of(table, now_ms, say), picture_of(table, now_ms, layout), lamps, dimmed, shift)

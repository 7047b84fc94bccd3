"""What the pages of a game cost on the I2C bus, as a share of sending the whole memory each time, and to draw.

A random game of the tests, with some mistakes and undos, is played at the table; every change of the page is sent to an
emulated controller through luma.oled, in messages as long as those on a Pi. Bytes count address and control bytes.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass, field
from unittest import mock

from benchmarks.buses import OpenedBus
from benchmarks.measures import COUNTED, REAL, Measure
from engine.events import format_event
from engine.rules import Mode, Rules
from firmware.screen.drawing import draw
from firmware.table.state import Stage, TableEvent
from firmware.views.page import Page
from hardware.oled import CONTRAST, UPKEEP_MS, Opener, Panel
from hardware.ports import Holding
from hardware.twins.ssd1306 import SH1106, SSD1306, Controller
from tests.support.at_table import AtTable
from tests.support.engine_games import play

SEED = 3
SHARE = 0.35  # of a full frame: what a change may take at the median
FULL = [(0, 127, 0, 7)]


@dataclass
class Recorder(AtTable):
    """A table that keeps every page that its screen was to show, once for each change."""

    pages: list[Page] = field(default_factory=list)

    def happen(self, event: TableEvent) -> None:
        super().happen(event)
        page = self.scene.page
        if not self.pages or page != self.pages[-1]:
            self.pages.append(page)


def recorded_game(seed: int = SEED) -> list[Page]:
    """The pages of one game in referee mode, in order, no two neighbours alike."""
    rules = Rules(mode=Mode.REFEREE)
    at = Recorder.of(rules)
    for event in play(rules, seed):
        match format_event(event).split():
            case [player, "ok"]:
                at.ok(player)
            case [player, "undo"]:
                at.hold(player)
                at.wait(800)
                at.happen(Holding(player, None, at.now_ms))
                at.undo(player)
            case [player, "tag", uid]:
                at.put_tag(player, uid)
            case [player, card]:
                at.play(player, card)
                at.lift_all()
        at.wait(1000)
        while at.table.stage not in (Stage.ROUND, Stage.OVER):  # between rounds
            at.lift_all()
            at.wait(1000)
            at.ok("yay")
    return at.pages


def costs(kind: type[Controller], pages: list[Page]) -> tuple[list[int], int]:
    """Bytes of every change of page, and of a full frame."""
    chip = kind()
    panel = Panel(Opener(kind.NAME.lower()), upkeep_ms=None)
    with mock.patch("smbus2.SMBus", lambda: OpenedBus(chip)):
        panel.work(0, draw(pages[0]), CONTRAST)
    sent = []
    for page in pages[1:]:
        before = chip.bytes_on_bus
        panel.work(0, draw(page), CONTRAST)
        if chip.bytes_on_bus > before:  # two pages may look alike
            sent.append(chip.bytes_on_bus - before)
    before = chip.bytes_on_bus
    assert panel._device is not None
    panel._device.write(panel._shown, FULL)
    return sent, chip.bytes_on_bus - before


def upkeep(kind: type[Controller], page: Page) -> tuple[int, float]:
    """Bytes of one upkeep of an unchanged page, and bytes a second of all of them."""
    chip, sent = kind(), []
    panel = Panel(Opener(kind.NAME.lower()))
    with mock.patch("smbus2.SMBus", lambda: OpenedBus(chip)):
        panel.work(0, draw(page), CONTRAST)
    for turn in range(1, 17):
        before = chip.bytes_on_bus
        panel.work(turn * UPKEEP_MS, draw(page), CONTRAST)
        sent.append(chip.bytes_on_bus - before)
    return max(sent), 1000 * statistics.mean(sent) / UPKEEP_MS


def drawing_ms(pages: list[Page]) -> list[float]:
    """Processor time of each page, as they come in a game: texts are set once, then remembered."""
    spent = []
    for page in pages:
        started = time.process_time_ns()
        draw(page)
        spent.append((time.process_time_ns() - started) / 1e6)
    return spent


def measures() -> list[Measure]:
    pages = recorded_game()
    spent = drawing_ms(pages)
    still = [page for page in pages if page.bar is None]
    found = []
    for kind in (SSD1306, SH1106):
        sent, full = costs(kind, pages)
        changes = {
            "a change of page, median": (statistics.median(sent), SHARE * full),
            "a change of page but for the undo bar, median": (statistics.median(costs(kind, still)[0]), SHARE * full),
            "a change of page, 9 of 10": (statistics.quantiles(sent, n=10)[-1], None),
            "a change of page, the largest": (max(sent), None),
        }
        for name, (count, wanted) in changes.items():
            beside = ("a full frame", full)
            found.append(Measure(kind.NAME, name, count, "bytes", COUNTED, wanted, beside=beside))
        once, a_second = upkeep(kind, pages[0])
        found.append(Measure(kind.NAME, f"an unchanged page, each {UPKEEP_MS} ms at most", once, "bytes", COUNTED))
        found += [
            Measure(kind.NAME, f"the same, share of the bus at {hz // 1000} kHz", 9 * a_second * 100 / hz, "%", COUNTED)
            for hz in (100_000, 400_000)
        ]
    return [
        *found,
        Measure("screen", f"a page is drawn, {len(pages)} of a game, median", statistics.median(spent), "ms", REAL),
        Measure("screen", "the first page is drawn, fonts opened", max(spent), "ms", REAL),
    ]

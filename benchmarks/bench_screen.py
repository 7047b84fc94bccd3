"""What the pages of a game cost on the I2C bus, as a share of sending the whole memory each time, and to draw.

A random game of the tests, with some mistakes and undos, is played at the table; every change of the page is sent to an
emulated controller through luma.oled, in messages as long as those on a Pi. Bytes count address and control bytes.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass, field
from unittest import mock

from engine.events import format_event
from engine.rules import Mode, Rules
from firmware.pages import Page, draw
from firmware.table import Stage
from hardware.oled import CONTRAST, UPKEEP_MS, Opener, Panel
from hardware.ports import Holding
from hardware.twins.ssd1306 import SH1106, SSD1306, Controller
from tests.at_table import AtTable
from tests.engine_games import play

SEED = 3
FULL = [(0, 127, 0, 7)]


@dataclass
class Recorder(AtTable):
    """A table that keeps every page that its screen was to show, once for each change."""

    pages: list[Page] = field(default_factory=list)

    def happen(self, event: object) -> None:
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
    with mock.patch("smbus2.SMBus", lambda port: chip):
        panel.work(0, draw(pages[0]), CONTRAST)
    sent = []
    for page in pages[1:]:
        before = chip.bytes_on_bus
        panel.work(0, draw(page), CONTRAST)
        if chip.bytes_on_bus > before:  # two pages may look alike
            sent.append(chip.bytes_on_bus - before)
    before = chip.bytes_on_bus
    panel._device.write(panel._shown, FULL)
    return sent, chip.bytes_on_bus - before


def upkeep(kind: type[Controller], page: Page) -> tuple[int, float]:
    """Bytes of one upkeep of an unchanged page, and bytes a second of all of them."""
    chip, sent = kind(), []
    panel = Panel(Opener(kind.NAME.lower()))
    with mock.patch("smbus2.SMBus", lambda port: chip):
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


def main() -> None:
    pages = recorded_game()
    spent = drawing_ms(pages)
    print(f"\nScreen: {len(pages)} pages of a game in referee mode (seed {SEED})\n")
    print("| controller | measure | bytes | of a full frame | ms at 100 kHz | ms at 400 kHz |")
    print("| ---------- | ------- | ----- | --------------- | ------------- | ------------- |")
    still = [page for page in pages if page.bar is None]
    for kind in (SSD1306, SH1106):
        sent, full = costs(kind, pages)
        rows = {
            "median change": statistics.median(sent),
            "median but for the undo bar": statistics.median(costs(kind, still)[0]),
            "9 of 10 changes": statistics.quantiles(sent, n=10)[-1],
            "largest change": max(sent),
            "full frame": full,
        }
        for measure, count in rows.items():
            milliseconds = [9 * count * 1000 / hz for hz in (100_000, 400_000)]
            print(f"| {kind.NAME:10} | {measure} | {count:.0f} | {count / full:.0%} | "
                  f"{milliseconds[0]:.1f} | {milliseconds[1]:.1f} |")
    for kind in (SSD1306, SH1106):
        once, a_second = upkeep(kind, pages[0])
        print(f"\n{kind.NAME}: an unchanged page sends nothing but the upkeep, {once} bytes every {UPKEEP_MS} ms: "
              f"{9 * a_second / 1000:.1f} % of the bus at 100 kHz, {9 * a_second / 4000:.1f} % at 400 kHz")
    print(f"\nDrawing a page: median {statistics.median(spent):.2f} ms, most {max(spent):.1f} ms (fonts opened)")


if __name__ == "__main__":
    main()

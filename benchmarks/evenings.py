"""Many games on the device's own loop, outputs and journal: `python -m benchmarks.evenings STATE PORT GAMES`.

Time is virtual, so that two people's games take a moment; cards are placed and lifted as the pads would tell it. Prints
what it cost, as JSON. No emulated chip is loaded here: memory is that of the device.
"""

from __future__ import annotations

import json
import os
import random
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

import firmware.run.app  # noqa: F401  # what the device has in memory, used here or not
from benchmarks.bench_engine import play_of, stray_of
from benchmarks.buses import SlowBus, install
from engine.cards import YAY
from engine.events import Event, Kind
from engine.game import new_game
from engine.rules import Mode
from firmware.config.values import Config
from firmware.kept.journal import Journal
from firmware.kept.writer import Writer
from firmware.run.backends import open_parts
from firmware.run.loop import Loop
from firmware.table.state import Stage, Table
from firmware.virtual.deck import virtual_tags
from firmware.wiring.parts import layout_of
from hardware.ports import HardwareEvent, Lifted, Placed, Press, Pressed

SEEN_MS, LIES_MS, BETWEEN_MS = 100, 360, 600  # a card until it is placed, then until it is lifted; until the next event
STRAY = 0.1


def resident_mb() -> float:
    """What this process has in memory now (proc(5), statm: the second number, in pages)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


class Players:
    """Two who play at random, mostly by the rules."""

    def __init__(self, state: Path, port: str, closing: ExitStack) -> None:
        install(SlowBus(), port)
        self.config = Config()
        self.parts = closing.enter_context(open_parts("pi", self.config, lambda event: None))
        self.progress = threading.Event()
        self.faults: list[str] = []
        self.writer = Writer(Journal(state / "games"), self.progress.set, self._kept)
        closing.callback(self.writer.close)
        self.tags = virtual_tags(self.config.deck)
        self.uids = {card: uid for uid, card in self.tags.items()}
        self.now_ms = 0
        self.loop = Loop(self._table(), self.parts.outputs, self.writer, layout_of(self.config))

    def _kept(self, what: str, reason: str) -> None:
        if reason:
            self.faults.append(reason)

    def play(self, seed: int) -> None:
        """One game, to its end."""
        chance = random.Random(seed)
        self.loop.table = self._table()
        self.loop.begin()
        while not self.loop.table.game.over:
            if self.loop.table.stage is Stage.CLEAR:
                self._press(YAY, Press.OK)
                continue
            game = self.loop.table.game
            chosen = [stray_of(chance, game)] if chance.random() < STRAY else play_of(chance, game)
            for event in chosen:
                if self.loop.table.stage is Stage.ROUND:
                    self._do(event)
            while self.writer.written < self.writer.given and self.progress.wait(1):  # no faster than the disk
                self.progress.clear()

    def _table(self) -> Table:
        rules = self.config.rules(Mode.REFEREE)
        return Table(new_game(rules), self.tags, stage=Stage.ROUND, woken_ms=self.now_ms)

    def _do(self, event: Event) -> None:
        assert event.player is not None
        if event.card is None:
            self._press(event.player, Press.UNDO if event.kind is Kind.UNDO else Press.OK)
            return
        uid = self.uids[event.card]
        self._turn(SEEN_MS, Placed(event.player, uid, self.now_ms))
        self._turn(LIES_MS)
        self._turn(0, Lifted(event.player, uid, self.now_ms))
        self._turn(BETWEEN_MS)

    def _press(self, player: str, press: Press) -> None:
        self._turn(0, Pressed(player, press, self.now_ms))
        self._turn(BETWEEN_MS)

    def _turn(self, ms: int, *events: HardwareEvent) -> None:
        self.now_ms += ms
        self.loop.turn(events, self.now_ms)


def main(state: Path, port: str, games: int) -> int:
    """Play this many games; memory is looked at after the first one, when all that is ever used has been used."""
    synced: list[object] = []
    really_sync = os.fsync

    def counted(handle: int) -> None:
        synced.append(handle)
        really_sync(handle)

    vars(os).update(fsync=counted)
    with ExitStack() as closing:
        players = Players(state, port, closing)
        players.play(1)
        first_mb = resident_mb()
        for seed in range(2, games + 1):
            players.play(seed)
        last_mb = resident_mb()
    if players.faults:
        print(players.faults[0], file=sys.stderr)
        return 1
    written = sum(path.stat().st_size for path in (state / "games").iterdir())
    print(
        json.dumps(
            {
                "first_mb": first_mb,
                "last_mb": last_mb,
                "written": written,
                "synced": len(synced),
                "events": players.writer.given - games,
                "hours": players.now_ms / 3_600_000,
            }
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))

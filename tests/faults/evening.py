"""Short evenings, and commands, whose system calls are made to fail: each runs in a process of its own.

An evening is the real session with its writer, its files and its lock; only the parts are stand-ins: what two people
do is put into the loop as soon as it has shown what they did before.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from engine.cards import YAY
from engine.events import format_event, ok_event
from engine.rules import Mode, Rules
from firmware import cli
from firmware.config.values import Config
from firmware.kept import deck, settings
from firmware.kept.deck import Tags
from firmware.kept.games import ENDED
from firmware.kept.journal import Journal
from firmware.kept.settings import Setting, Settings
from firmware.kept.writer import Order
from firmware.run import app
from firmware.run.loop import Loop
from firmware.table.menus import Item
from firmware.table.state import Stage
from firmware.virtual.deck import virtual_tags
from firmware.wiring.parts import Outputs, Parts
from hardware.ports import HardwareEvent, Lifted, Placed, Press, Pressed, SystemClock

TAGS = Tags.of(virtual_tags(Config().deck))
OLDER = Settings("fy", sound=False)
TAUGHT = tuple((rank, number) for rank in range(1, 13) for number in range(2))
Acts = Iterator[list[HardwareEvent]]


class Nothing:
    """In place of strip, screen, lamps and buzzer."""

    def show(self, *_: object) -> None: ...

    dim = light = play = go_dark = close = show


class Quiet:
    """Pads on which nothing lies but what the evening puts there."""

    pause_ms = 50

    def poll(self, now_ms: int) -> list[HardwareEvent]:
        return []


class Evening:
    """One session: `acts` says what is done next; each act waits until the table has shown the one before."""

    def __init__(self, acts: Callable[[Evening], Acts]) -> None:
        self.loop: Loop | None = None
        self.given: list[str] = []  # the lines of the present game
        self._acts, self._clock = acts(self), SystemClock()
        self.pause_ms = 5

    @property
    def table(self):
        assert self.loop is not None
        return self.loop.table

    def poll(self, now_ms: int) -> list[HardwareEvent]:
        if self.loop is None or self.loop._waiting:
            return []
        done = next(self._acts, None)
        if done is None:
            self.tell()  # the end has a deadline, which may come before what closes has closed
            os.kill(os.getpid(), signal.SIGTERM)
            self._acts = iter(())
            return []
        return done

    def close(self) -> None: ...

    def tell(self) -> None:
        """Print what is shown: as kept, or as lost."""
        assert self.loop is not None and self.loop.shown is not None
        table, page = self.table, self.loop.shown.page
        shown = {
            "longest_pause_s": self.loop.longest_pause_s,
            "disk_lost": any(part.part == "disk" and part.health.value == "lost" for part in table.parts),
            "fault": page.fault,
            "game": str(table.game),
            "deck": deck.format_tags(Tags.of(table.tags)),
            "settings": settings.format_settings(table.settings),
        }
        print(json.dumps(shown), flush=True)

    # ---- what people do --------------------------------------------------------------------

    def press(self, player: str) -> Acts:
        yield [Pressed(player, Press.OK, self._clock.now_ms())]

    def hold_both(self) -> Acts:
        yield [Pressed(None, Press.MENU, self._clock.now_ms())]

    def take(self, item: str) -> Acts:
        while self.table.menu is None:
            yield []
        while self.table.menu.items[self.table.menu.chosen] != item:
            yield from self.press("yay")
        yield from self.press("wow")

    def play_board(self) -> Acts:
        yield from self.take(Mode.BOARD.value)
        while self.table.stage is not Stage.ROUND:
            yield []
        yield from self.press("wow")


def first_event(at: Evening) -> Acts:
    yield from at.play_board()


def next_game(at: Evening) -> Acts:
    yield from at.play_board()
    yield from at.hold_both()
    yield from at.take(Item.END_GAME)
    yield from at.take(Item.END_GAME)
    yield from at.play_board()


def resumed(at: Evening) -> Acts:
    if Item.RESUME in at.table.menu.items:
        yield from at.take(Item.RESUME)
        yield from at.press("wow")
    else:
        yield from at.play_board()


def deck_taught(at: Evening) -> Acts:
    yield from at.take(Item.TEACH)
    for rank, number in TAUGHT:
        uid, now_ms = bytes([4, 1, 2, 3, 4, rank, number]), at._clock.now_ms()
        yield [Placed("yay", uid, now_ms), Lifted("yay", uid, now_ms)]
        if number:
            yield from at.press("yay")
    yield from at.press("yay")


def settings_changed(at: Evening) -> Acts:
    yield from at.take(Item.SETTINGS)
    yield from at.take(Setting.SOUND)
    yield from at.take(Setting.BRIGHTNESS)


EVENINGS: dict[str, Callable[[Evening], Acts]] = {
    "start and first event": first_event,
    "game ended and the next begun": next_game,
    "resume": resumed,
    "deck taught and saved": deck_taught,
    "settings changed": settings_changed,
}
CHECK = "check"
COMMANDS: dict[str, tuple[str, ...]] = {
    "replay": ("replay", "{folder}/state/games/game-0001.taco", "--json"),
    "games listed": ("games", "--state", "{folder}/state"),
    "game exported": ("games", "export", "1", "{folder}/out.taco", "--state", "{folder}/state"),
    "deck listed": ("deck", "--state", "{folder}/state"),
    "deck exported": ("deck", "export", "{folder}/out.txt", "--state", "{folder}/state"),
    CHECK: ("check", "--virtual", "--json", "--no-ask", "--state", "{folder}/state"),
    "deck imported": ("deck", "import", "{folder}/in.txt", "--state", "{folder}/state"),
}


def prepare(folder: Path, scenario: str) -> None:
    """What is there before: an older game, for some an unfinished one, a deck with its backup, settings."""
    shutil.rmtree(folder, ignore_errors=True)
    state = folder / "state"
    journal = Journal(state / "games")
    journal.begin(Rules(mode=Mode.BOARD))
    journal.append([ok_event(YAY)])
    if scenario == "resume":
        journal.begin(Rules(mode=Mode.BOARD))
        journal.append([ok_event(YAY)])
        with (state / "games" / "game-0002.taco").open("a") as stream:
            stream.write("yay nonsense\n")
    else:
        journal.note(ENDED)
    journal.close()
    deck.save(state / "deck.txt", Tags(TAGS.pairs[:20]))
    deck.save(state / "deck.txt", TAGS)
    settings.save(state, Settings())
    settings.save(state, OLDER)
    (folder / "in.txt").write_text(deck.format_tags(Tags(TAGS.pairs[:30])))


def play(folder: Path, scenario: str) -> int:
    """One evening; the last line of its output says what was shown last, and whether the disk was said to be lost."""
    evening = Evening(EVENINGS[scenario])

    class Watched(Loop):
        def __init__(self, table, outputs, keeper, layout, perform) -> None:
            give = keeper.give

            def noted(order: Order) -> int:
                evening.given += [format_event(order)] if not isinstance(order, str) and hasattr(order, "kind") else []
                return give(order)

            keeper.give = noted
            super().__init__(table, outputs, keeper, layout, perform)
            self.longest_pause_s, self._turned_at_s = 0.0, time.monotonic()
            evening.loop = self

        def turn(self, events, now_ms) -> None:
            super().turn(events, now_ms)
            now_s = time.monotonic()
            self.longest_pause_s = max(self.longest_pause_s, now_s - self._turned_at_s)
            self._turned_at_s = now_s

    nothing = Nothing()
    parts = Parts(SystemClock(), Quiet(), evening, Outputs(nothing, nothing, nothing, nothing), None, ExitStack())  # type: ignore[arg-type]
    app.open_parts = lambda *given: parts  # type: ignore[assignment]
    app.Loop = Watched  # type: ignore[misc]
    app.lock_path = lambda: folder / "state" / "table.lock"  # type: ignore[assignment]
    app.play(app.Options(None, "pi", Config(), folder / "state"), print, threading.Event())
    evening.tell()
    return 0


def run(folder: Path, scenario: str) -> int:
    """The exit status of one scenario, in this process."""
    if scenario in EVENINGS:
        return play(folder, scenario)
    return cli.main([word.format(folder=folder) for word in COMMANDS[scenario]])


if __name__ == "__main__":
    sys.exit(run(Path(sys.argv[1]), sys.argv[2]))

"""A whole session in a thread, over the twins, in real time; presses and cards go in through the twins."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from engine.game import Game
from engine.rules import Mode
from firmware.config.values import Config
from firmware.run import app as session
from firmware.run.loop import Loop
from firmware.virtual.listening import Listening
from firmware.wiring.parts import Parts


class Running:
    """A session in a thread; presses go in through the twins of its buttons."""

    def __init__(self, state: Path, mode: Mode | None, config: Config, *, solo: bool = False) -> None:
        self.parts: list[Parts] = []
        self.loops: list[Loop] = []
        self.stop = threading.Event()
        self._pause = threading.Event()
        options = session.Options(mode, "virtual", config, state, Listening(port=0), solo=solo)
        self.thread = threading.Thread(target=session.play, args=(options, lambda line: None, self.stop))

    @property
    def loop(self) -> Loop:
        return self.loops[-1]

    @property
    def game(self) -> Game:
        return self.loop.table.game

    def until(self, condition: Callable[[], object], seconds: float = 20) -> None:
        for _ in range(int(seconds / 0.02)):
            if self.loops and condition():
                return
            self._pause.wait(0.02)
        raise AssertionError(self.loops and self.loop.table)

    def press(self, player: str) -> None:
        desk = self.parts[-1].twins.desk
        before = self.loop.table
        at_ms = self.parts[-1].clock.now_ms()
        desk.press(player, at_ms=at_ms)
        self._pause.wait(0.1)
        desk.release(player, at_ms=at_ms + 100)  # however long that took on a busy machine
        self.until(lambda: self.loop.table.woken_ms != before.woken_ms)
        self._pause.wait(0.05)

    def hold_both(self) -> None:
        desk = self.parts[-1].twins.desk
        desk.press("yay"), desk.press("wow")
        self.until(lambda: self.loop.table.menu is not None)
        desk.release("yay"), desk.release("wow")
        self._pause.wait(0.2)

    def take(self, item: str) -> None:
        self.until(lambda: self.loop.table.menu is not None)
        while self.loop.table.menu.items[self.loop.table.menu.chosen] != item:
            self.press("yay")
        self.press("wow")


@contextmanager
def running(
    state: Path,
    monkeypatch: pytest.MonkeyPatch,
    mode: Mode | None = None,
    config: Config | None = None,
    *,
    solo: bool = False,
) -> Iterator[Running]:
    """A session, ended behind the block."""
    run = Running(state, mode, config or Config(), solo=solo)
    open_parts = session.open_parts

    def opened(*words: Any) -> Parts:
        run.parts.append(open_parts(*words))
        return run.parts[-1]

    class Watched(Loop):
        def __init__(self, *words: Any) -> None:
            super().__init__(*words)
            run.loops.append(self)

    monkeypatch.setattr(session, "open_parts", opened)
    monkeypatch.setattr(session, "Loop", Watched)
    run.thread.start()
    try:
        yield run
    finally:
        run.stop.set()
        run.thread.join(10)
        monkeypatch.undo()
        assert not run.thread.is_alive()

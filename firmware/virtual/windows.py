"""The windows that look at the virtual table: what each is shown, and what its hands do."""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import Set
from typing import Any

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from firmware.virtual.faults import LOG, survived
from firmware.virtual.look import Cables, Look
from firmware.virtual.messages import Plug, PressButton, Refusal, ReleaseButton, parse
from firmware.virtual.moments import Looks, Moments
from firmware.virtual.world import World
from hardware.twins.table import Twins

FRAME_S = 0.04  # at most 25 pictures a second go to a window
SEND_S = 10.0  # a window that takes no picture for this long is closed: the library waits for ever
NEWS_S = 30.0  # a window that is opened a little later is told as well
HEARTBEAT_S = 3.0  # the page takes three missing ones for a lost connection


class Window:
    """One browser window: what it was sent, what it holds down."""

    def __init__(self) -> None:
        self.wake = asyncio.Event()
        self.wake.set()
        self.held: set[str] = set()
        self.moments = Moments()
        self.answers: deque[str] = deque(maxlen=8)
        self.sounds: deque[tuple[int, int]] = deque(maxlen=64)  # (Hz from then on, ms of the table's clock)
        self._sent: dict[str, Any] = {}
        self._sent_at_s = 0.0

    def news(self, parts: dict[str, Any], now_s: float) -> dict[str, Any]:
        """The parts that this window has not been sent as they are now, and the answers to its messages."""
        news = {name: value for name, value in parts.items() if self._sent.get(name) != value}
        self._sent = dict(parts)
        self._sent_at_s = now_s
        for name, queue in (("answers", self.answers), ("sounds", self.sounds)):
            if queue:
                news[name] = list(queue)
                queue.clear()
        return news

    def is_due(self, now_s: float) -> bool:
        return now_s - self._sent_at_s >= HEARTBEAT_S


class Windows:
    """All windows of a table. `cards`: the names of all cards that there are. For the server's thread alone."""

    def __init__(self, twins: Twins, world: World, look: Look, cables: Cables, cards: Set[str]) -> None:
        self._twins, self._world, self._look, self._cables, self._cards = twins, world, look, cables, cards
        self._windows: set[Window] = set()
        self._next_look_s = 0.0
        self._looks = Looks(twins.clock.now_ms())
        self._news = "", 0.0  # what was told to all windows, and until when it is told to new ones

    def __len__(self) -> int:
        return len(self._windows)

    async def serve(self, connection: ServerConnection) -> None:
        """Serve a window until it leaves."""
        window = Window()
        with survived("look at its parts"):
            self._look.again()
        if self._news[0] and time.monotonic() < self._news[1]:
            window.answers.append(self._news[0])
        self._windows.add(window)
        sender = asyncio.create_task(self._show(window, connection))
        try:
            async for text in connection:
                if answer := self._answer(str(text), window):
                    window.answers.append(answer)
                    window.wake.set()
        except ConnectionClosed:
            pass  # it left without a good-bye, or it spoke no sense
        finally:
            self._windows.discard(window)
            for button in list(window.held):
                with survived("let go of a button"):
                    self._let_go(button, window)
            sender.cancel()
            await asyncio.gather(sender, return_exceptions=True)

    def look(self) -> None:
        """Wake the windows whose picture has changed, and those that have heard nothing for long."""
        self._looks.look(self._twins.clock.now_ms())
        if self._windows and (now_s := time.monotonic()) >= self._next_look_s:
            self._next_look_s = now_s + FRAME_S
            if self._look.again() or any(window.is_due(now_s) for window in self._windows):
                for window in self._windows:
                    window.wake.set()

    def say(self, words: str) -> None:
        """Tell every window, and those that come while it is news."""
        self._news = words, time.monotonic() + NEWS_S
        for window in list(self._windows):
            window.answers.append(words)

    def listen(self) -> None:
        """Pass on what the buzzer has sounded since the last time."""
        for heard in self._twins.desk.heard():
            for window in self._windows:
                window.sounds.append((heard.hz, heard.at_ms))
                window.wake.set()

    def _answer(self, text: str, window: Window) -> str:
        """Do what a message says. Returns "", or why not."""
        try:
            return self._obey(text, window)
        except Exception:  # noqa: BLE001 - told; a fault of ours, and no reason to close the window
            LOG.exception("The virtual table could not do what a window asked for")
            return "That failed. The terminal in which tacocat runs says why."

    def _obey(self, text: str, window: Window) -> str:
        message = parse(text, self._cards)
        match message:
            case Refusal(words):
                return words
            case PressButton(button, at):
                at_ms = self._happened_ms(window, at)
                if not any(button in other.held for other in self._windows):
                    self._twins.desk.press(button, at_ms=at_ms)
                window.held.add(button)
            case ReleaseButton(button, at):
                self._let_go(button, window, self._happened_ms(window, at))
            case Plug(part, plugged_in):
                self._cables.plug(part, plugged_in)
            case _:
                return self._world.do(message, self._twins.clock.now_ms())
        return ""

    def _happened_ms(self, window: Window, at: float | None) -> int:
        now_ms = self._twins.clock.now_ms()
        return window.moments.happened_ms(at, self._looks.earliest_ms(now_ms), now_ms)

    def _let_go(self, button: str, window: Window, at_ms: int | None = None) -> None:
        """Take a window's finger off a button; it comes up when no other window's finger is on it."""
        if button in window.held:
            window.held.discard(button)
            if not any(button in other.held for other in self._windows):
                self._twins.desk.release(button, at_ms=at_ms)

    async def _show(self, window: Window, connection: ServerConnection) -> None:
        """Send a window what changed since its last picture, the newest only, however slowly it reads."""
        try:
            while True:
                await window.wake.wait()
                window.wake.clear()
                news = window.news(self._look.parts, time.monotonic())
                async with asyncio.timeout(SEND_S):
                    await connection.send(json.dumps(news, separators=(",", ":")))
                await asyncio.sleep(FRAME_S)
        except (ConnectionClosed, TimeoutError):
            pass
        except Exception:  # noqa: BLE001 - told
            LOG.exception("The virtual table could not show a window what there is")
        connection.transport.abort()  # the page opens another one

"""The virtual table's server: the page, and a socket over which hands move cards and eyes see the twins.

It has a thread and an event loop of its own; the game runs elsewhere and is reached through the twins only. Whatever
a window sends, or fails to read, costs at most that window.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import functools
import json
import secrets
import socket
import threading
import time
from collections import deque
from pathlib import Path
from random import Random
from typing import Any

from microdot import Microdot, Response
from microdot.websocket import WebSocketError

from firmware.errors import FirmwareError
from firmware.virtual.door import MAX_HEAD_BYTES, Door, TurnedAway, admit, what_is_needed
from firmware.virtual.look import Cables, Look
from firmware.virtual.messages import Plug, Press, Refusal, Release, parse
from firmware.virtual.streams import AdmittedReader, BoundedWriter, Connection
from firmware.virtual.world import Printed, World
from hardware.twins.table import Twins

SOCKET_PATH = "/table"
FRAME_S = 0.04  # at most 25 pictures a second go to a window
TICK_S = 0.02  # how finely the dealing hand keeps its times
REST_S = 0.1  # the same while nobody looks and nothing is dealt
HEAD_S = 5.0  # a visitor must have asked by then
MAX_CONNECTIONS = 64
MAX_MESSAGES = 200  # of one window at once, refilled by
MESSAGES_PER_S = 50
HEARTBEAT_S = 3.0  # the page takes three missing ones for a lost connection

_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_FILES = {
    "/": "page.html",
    "/table.css": "table.css",
    "/table.js": "table.js",
    "/cards.js": "cards.js",
    "/hands.js": "hands.js",
    "/sound.js": "sound.js",
    "/icon.svg": "icon.svg",
}


class VirtualTableError(FirmwareError):
    """The virtual table cannot be opened."""


class VirtualTable:
    """Serves the table at `url` from `start()` until `close()`; also a context manager.

    `port` 0 takes any free port. On another `host` than loopback a visitor needs the token that is part of `url`.
    `random` shuffles the cards.
    """

    def __init__(
        self, twins: Twins, printed: Printed, port: int = 8000, host: str = "127.0.0.1", random: Random | None = None
    ) -> None:
        self.twins = twins
        self._printed = printed
        self._host, self._port = host, port
        self._token = None if host in ("127.0.0.1", "localhost", "::1") else token_of_this_run()
        self.world = World(twins.pads, printed.uids, random or Random())
        self._cards = frozenset(printed.uids)
        self._cables = Cables(twins)
        self._look = Look(twins, self.world, printed, self._cables)
        self._files = {path: (Path(__file__).with_name(name).read_bytes(), name) for path, name in _FILES.items()}
        self._windows: set[_Window] = set()
        self._visitors: set[asyncio.Task[None]] = set()
        self._silent: deque[asyncio.Timeout] = deque()  # how long each who has not asked yet may wait, the oldest first
        self._thread: threading.Thread | None = None
        self._opened = threading.Event()
        self._fault: OSError | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closing = asyncio.Event()

    @property
    def url(self) -> str:
        """Where the page is; the port is known after `start()`. The token stays behind the #, out of every log."""
        host = socket.gethostname() if self._host in ("0.0.0.0", "::") else self._host
        host = f"[{host}]" if ":" in host else host
        return f"http://{host}:{self._port}/" + (f"#token={self._token}" if self._token else "")

    @property
    def port(self) -> int:
        """The port it listens on, once started."""
        return self._port

    @property
    def windows(self) -> int:
        """How many windows look at the table now."""
        return len(self._windows)

    def start(self) -> None:
        """Open the table. Raises VirtualTableError if the port cannot be had."""
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="virtual table", daemon=True)
        self._thread.start()
        self._opened.wait()
        if self._fault is not None:
            self._thread.join()
            self._thread = None
            raise VirtualTableError(_why_no_port(self._fault, self._host, self._port)) from self._fault

    def close(self) -> None:
        """Close the table and every window's connection; may be called twice."""
        if self._thread is None:
            return
        if self._loop is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._closing.set)
        self._thread.join()
        self._thread = None

    def __enter__(self) -> VirtualTable:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- the thread -------------------------------------------------------------------------

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        try:
            server = await asyncio.start_server(
                self._receive_visitor, self._host, self._port, limit=MAX_HEAD_BYTES, backlog=128
            )
        except (OSError, OverflowError, ValueError) as fault:  # a port that is taken, a port or host that cannot be
            self._fault = fault if isinstance(fault, OSError) else OSError(str(fault))
            self._opened.set()
            return
        self._port = server.sockets[0].getsockname()[1]
        self._door = Door(self._port, self._files.keys() | {SOCKET_PATH}, SOCKET_PATH, self._token)
        self._app = self._make_app()
        self._opened.set()
        try:
            await self._tick()
        finally:
            self._closing.set()
            await self._close_all()
            server.close()
            await server.wait_closed()

    async def _close_all(self) -> None:
        """End all visits. A server that closes while asyncio is still taking a visitor in would leak its socket."""
        for _ in range(100):  # others may come meanwhile, but not keep us for ever
            if not (others := asyncio.all_tasks() - {asyncio.current_task()}):
                return
            for visitor in self._visitors:
                visitor.cancel()
            await asyncio.gather(*others, return_exceptions=True)

    async def _tick(self) -> None:
        """Move the dealing hand, look at the twins, wake the windows: until the table is closed."""
        next_look_s = 0.0
        while not self._closing.is_set():
            self.world.step(self.twins.clock.now_ms())
            self._listen()
            if self._windows and (now_s := time.monotonic()) >= next_look_s:
                next_look_s = now_s + FRAME_S
                if self._look.again() or any(window.is_due(now_s) for window in self._windows):
                    for window in self._windows:
                        window.wake.set()
            rest_s = TICK_S if self._windows or self.world.dealing else REST_S
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(rest_s):
                    await self._closing.wait()

    def _listen(self) -> None:
        """Pass on what the buzzer has sounded since the last time."""
        for heard in self.twins.desk.heard():
            for window in self._windows:
                window.sounds.append((heard.hz, heard.at_ms))
                window.wake.set()

    # ---- visitors ---------------------------------------------------------------------------

    async def _receive_visitor(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._visitors.add(task)
        try:
            if not self._closing.is_set():
                await self._accept(reader, BoundedWriter(writer))
        except (OSError, EOFError, TimeoutError):
            pass  # the visitor left, or did not speak or listen in time
        except asyncio.CancelledError:
            if not self._closing.is_set():
                raise
        finally:
            self._visitors.discard(task)
            writer.transport.abort() if writer.transport.get_write_buffer_size() else writer.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: BoundedWriter) -> None:
        if len(self._visitors) > MAX_CONNECTIONS and not self._close_the_most_silent():
            await writer.turn_away(TurnedAway(503, "Too many windows look at this table already."))
            return
        try:
            head = await self._hear(reader)
        except asyncio.LimitOverrunError:
            await writer.turn_away(TurnedAway(431, f"The head of a request has at most {MAX_HEAD_BYTES} bytes."))
            return
        if (refusal := admit(head, self._door)) is not None:
            await writer.turn_away(refusal)
            return
        await self._app.handle_request(AdmittedReader(what_is_needed(head), reader), writer)

    async def _hear(self, reader: asyncio.StreamReader) -> bytes:
        """The head of a visitor's request. Raises TimeoutError if it does not come, or its place is wanted."""
        try:
            async with asyncio.timeout(HEAD_S) as patience:
                self._silent.append(patience)
                return await reader.readuntil(b"\r\n\r\n")
        finally:
            if patience in self._silent:
                self._silent.remove(patience)

    def _close_the_most_silent(self) -> bool:
        """Give a newcomer the place of the visitor who has said nothing for longest; False if all have spoken."""
        if not self._silent:
            return False
        self._silent.popleft().reschedule(0)
        return True

    def _make_app(self) -> Microdot:
        app: Microdot = Microdot()
        for path, (content, name) in self._files.items():
            app.route(path)(_file_handler(content, _TYPES[Path(name).suffix], self._headers()))
        app.route(SOCKET_PATH)(self._enter)
        return app

    def _headers(self) -> dict[str, str]:
        return {
            "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
            "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cache-Control": "no-store",
        }

    # ---- windows ----------------------------------------------------------------------------

    async def _enter(self, request: Any) -> Response:
        """Serve a visitor until it leaves. (microdot's own way prints a traceback if it leaves at once.)"""
        connection = Connection(request)
        with contextlib.suppress(OSError):
            await connection.handshake()
            await self._serve_window(connection)
            await connection.close()
        return Response.already_handled

    async def _serve_window(self, connection: Connection) -> None:
        window = _Window()
        self._look.again()
        self._windows.add(window)
        sender = asyncio.create_task(self._show(window, connection))
        try:
            while window.may_speak(time.monotonic()):
                text = await connection.receive()
                answer = "" if text is None else self._obey(text, window)
                if answer:
                    window.answers.append(answer)
                    window.wake.set()
        except (WebSocketError, OSError, EOFError, UnicodeDecodeError):
            pass  # it left, or it spoke no sense: either way the window is closed
        finally:
            self._windows.discard(window)
            for button in list(window.held):
                self._let_go(button, window)
            sender.cancel()
            await asyncio.gather(sender, return_exceptions=True)

    def _obey(self, text: str, window: _Window) -> str:
        message = parse(text, self._cards)
        match message:
            case Refusal(words):
                return words
            case Press(button):
                if not any(button in other.held for other in self._windows):
                    self.twins.desk.press(button)
                window.held.add(button)
            case Release(button):
                self._let_go(button, window)
            case Plug(part, plugged_in):
                self._cables.plug(part, plugged_in)
            case _:
                return self.world.do(message, self.twins.clock.now_ms())
        return ""

    def _let_go(self, button: str, window: _Window) -> None:
        """Take a window's finger off a button; it comes up when no other window's finger is on it."""
        if button in window.held:
            window.held.discard(button)
            if not any(button in other.held for other in self._windows):
                self.twins.desk.release(button)

    async def _show(self, window: _Window, connection: Connection) -> None:
        """Send a window what changed since its last picture, the newest only, however slowly it reads."""
        try:
            while True:
                await window.wake.wait()
                window.wake.clear()
                news = window.news(self._look.parts, time.monotonic())
                await connection.send(json.dumps(news, separators=(",", ":")))
                await asyncio.sleep(FRAME_S)
        except (OSError, TimeoutError):
            connection.request.sock[1].abort()


class _Window:
    """One browser window: what it was sent, what it holds down, how much it has said."""

    def __init__(self) -> None:
        self.wake = asyncio.Event()
        self.wake.set()
        self.held: set[str] = set()
        self.answers: deque[str] = deque(maxlen=8)
        self.sounds: deque[tuple[int, int]] = deque(maxlen=64)  # (Hz from then on, ms of the table's clock)
        self._sent: dict[str, Any] = {}
        self._sent_at_s = 0.0
        self._messages_left = float(MAX_MESSAGES)
        self._heard_at_s = time.monotonic()

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

    def may_speak(self, now_s: float) -> bool:
        """Count one message more; False when a window says more than hands can do."""
        refill = (now_s - self._heard_at_s) * MESSAGES_PER_S
        self._messages_left = min(float(MAX_MESSAGES), self._messages_left + refill) - 1
        self._heard_at_s = now_s
        return self._messages_left >= 0


@functools.cache
def token_of_this_run() -> str:
    """128 bits of chance. The same for each table that a run of the program opens: pages that are open come back."""
    return secrets.token_urlsafe(16)


def _file_handler(content: bytes, kind: str, headers: dict[str, str]) -> Any:
    async def send(request: Any) -> tuple[bytes, int, dict[str, str]]:
        return content, 200, {"Content-Type": f"{kind}; charset=utf-8", **headers}

    return send


def _why_no_port(fault: OSError, host: str, port: int) -> str:
    if fault.errno == errno.EADDRINUSE:
        return f"Port {port} of {host} is taken by another program: stop it, or choose another port (0: any free one)."
    return f"The virtual table cannot listen on {host}, port {port}: {fault.strerror or fault}."

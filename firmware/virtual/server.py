"""The virtual table's server: the page, and a socket over which hands move cards and eyes see the twins.

It has a thread and an event loop of its own; the game runs elsewhere and is reached through the twins only. Whatever
a window sends, or fails to read, costs at most that window.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import errno
import socket
import threading
from pathlib import Path
from random import Random
from typing import Any

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from firmware.errors import SHOWN, FirmwareError, reason
from firmware.files.names import plain
from firmware.virtual.addresses import token_of, urls
from firmware.virtual.deck import Printed
from firmware.virtual.door import Door, TurnedAway, admit, is_loopback
from firmware.virtual.faults import LIBRARY_LOG, LOG, survived
from firmware.virtual.listening import Listening
from firmware.virtual.look import Cables, Look
from firmware.virtual.lying import Lying
from firmware.virtual.messages import MAX_MESSAGE_BYTES
from firmware.virtual.sheets import pages
from firmware.virtual.visitors import MAX_WINDOWS, Crowd, Visitor
from firmware.virtual.wants import NOTHING, Ask
from firmware.virtual.windows import Windows
from firmware.virtual.world import World
from hardware.threads import NoThreadError, start_thread
from hardware.twins.table import Twins

SOCKET_PATH = "/table"
TICK_S = 0.02  # how finely the dealing hand keeps its times
REST_S = 0.1  # the same while nobody looks and nothing is dealt
OPEN_S = 10.0  # a visitor must have asked, and have got its file, by then
PING_S = 5.0  # a window is asked this often whether it is still there,
PONG_S = 10.0  # and answers within this time, or has gone
AGAIN_S = 1.0  # a server that failed is opened again after this long
BACKLOG = 128
MAX_PORT = 65535
FIRST_FREE_PORT = 1024  # below it a program needs a right that only root has (ip(7), ip_unprivileged_port_start)

_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_FILES = {
    "/": "page.html",
    "/table.css": "table.css",
    "/table.js": "table.js",
    "/cards.js": "cards.js",
    "/hands.js": "hands.js",
    "/keep.js": "keep.js",
    "/link.js": "link.js",
    "/sound.js": "sound.js",
    "/sheet.js": "sheet.js",
    "/sheet.css": "sheet.css",
    "/icon.svg": "icon.svg",
}
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Connection": "close",
}


class VirtualTableError(FirmwareError):
    """The virtual table cannot be opened."""


class VirtualTable:
    """Serves the table at `url` from `start()` until `close()`; also a context manager.

    `listening`: where, and who needs the token that is part of `url`. `random` shuffles the cards; `lying`: where they
    lie already; `wants`: what the game wants of hands.
    """

    def __init__(
        self,
        twins: Twins,
        printed: Printed,
        listening: Listening | None = None,
        random: Random | None = None,
        lying: Lying | None = None,
        wants: Ask = lambda: NOTHING,
    ) -> None:
        self.twins = twins
        self.world = World(twins.pads, printed.uids, random or Random(), lying, wants)
        self._listening = listening or Listening()
        self._files = {path: (Path(__file__).with_name(name).read_bytes(), name) for path, name in _FILES.items()}
        sheets = pages(printed.board, printed.arrows)
        self._files |= {path: (content, "page.html") for path, content in sheets.items()}
        self._door = _door_of(self._listening, self._files.keys() | {SOCKET_PATH})
        cables = Cables(twins)
        self._windows = Windows(
            twins, self.world, Look(twins, self.world, printed, cables), cables, frozenset(printed.uids)
        )
        self._thread: threading.Thread | None = None
        self._opened, self._closed = threading.Event(), threading.Event()
        self._fault: Exception | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closing: asyncio.Event | None = None

    @property
    def urls(self) -> tuple[str, ...]:
        """Where the page is, the best address first; the port is known after `start()`."""
        return urls(self._listening)

    @property
    def url(self) -> str:
        """The best of them."""
        return self.urls[0]

    @property
    def port(self) -> int:
        """The port it listens on, once started."""
        return self._listening.port

    def say(self, words: str) -> None:
        """Tell every window."""
        self._windows.say(words)

    @property
    def windows(self) -> int:
        """How many windows look at the table now."""
        return len(self._windows)

    def start(self) -> None:
        """Open the table. Raises VirtualTableError if that cannot be done."""
        try:
            self._thread = start_thread(self._run, "virtual table")
        except NoThreadError as fault:
            raise VirtualTableError(str(fault)) from fault
        self._opened.wait()
        if self._fault is not None:
            self._thread.join()
            self._thread = None
            raise VirtualTableError(_why_not_opened(self._fault, self._listening)) from self._fault

    def close(self) -> None:
        """Close the table and every window's connection; may be called twice."""
        if self._thread is None:
            return
        self._closed.set()
        with contextlib.suppress(RuntimeError):  # the loop has ended, or does so just now
            if self._loop is not None and self._closing is not None:
                self._loop.call_soon_threadsafe(self._closing.set)
        self._thread.join()
        self._thread = None

    def __enter__(self) -> VirtualTable:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- the thread -------------------------------------------------------------------------

    def _run(self) -> None:
        """Serve until closed. What cannot be opened at first is `_fault`; what fails later is opened again."""
        try:
            while not self._closed.is_set():
                try:
                    _look_for_room()
                    with asyncio.Runner() as runner:
                        runner.get_loop()  # before there is a coroutine that nobody would run
                        runner.run(self._serve())
                except Exception as fault:  # noqa: BLE001 - told: to who waits for it, or in the log
                    if not self._opened.is_set():
                        self._fault = fault
                        return
                    LOG.exception("The virtual table's server has failed and is opened again")
                    self._closed.wait(AGAIN_S)
        finally:
            self._opened.set()  # nobody waits for a thread that has ended

    async def _serve(self) -> None:
        self._closing = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._loop.set_exception_handler(_tell)
        crowd = Crowd()
        server = await self._listen(crowd)
        self._listening = dataclasses.replace(self._listening, port=server.sockets[0].getsockname()[1])
        self._opened.set()
        try:
            await self._tick(self._closing)
        finally:
            for listener in server.sockets:  # at once: whom asyncio takes in after a server's end it forgets, open
                self._loop.remove_reader(listener)
            server.close(close_connections=False)  # that would wait for the good-bye of each
            await _show_out(crowd)

    async def _listen(self, crowd: Crowd) -> Server:
        class Guest(Visitor):
            pass

        Guest.crowd = crowd

        async def answer(connection: ServerConnection, request: Request) -> Response | None:
            return self._answer(connection, request, crowd)

        return await serve(
            self._windows.serve,
            self._listening.host,
            self._listening.port,
            compression=None,  # pictures are small, and each window's memory would not be
            process_request=answer,
            server_header=None,
            open_timeout=OPEN_S,
            close_timeout=OPEN_S,
            ping_interval=PING_S,
            ping_timeout=PONG_S,
            max_size=MAX_MESSAGE_BYTES,
            logger=LIBRARY_LOG,
            create_connection=Guest,
            backlog=BACKLOG,
        )

    async def _tick(self, closing: asyncio.Event) -> None:
        """Move the dealing hand, look at the twins, wake the windows: until the table is closed."""
        while not self._closed.is_set():
            with survived("deal on"):
                self.world.step(self.twins.clock.now_ms())
            with survived("hear the buzzer"):
                self._windows.listen()
            with survived("look at its parts"):
                self._windows.look()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(TICK_S if self.windows or self.world.dealing else REST_S):
                    await closing.wait()

    def _answer(self, connection: ServerConnection, request: Request, crowd: Crowd) -> Response | None:
        """The answer to a request; None to one that opens a window."""
        refusal, path = admit(request, self._door), request.path.partition("?")[0]
        if refusal is None and path == SOCKET_PATH:
            if crowd.windows < MAX_WINDOWS:
                return None
            refusal = TurnedAway(503, "Too many windows look at this table already.")
        if refusal is not None:
            return connection.respond(refusal.status, refusal.text + "\n")
        content, name = self._files[path]
        kind = f"{_TYPES[Path(name).suffix]}; charset=utf-8"
        headers = Headers({"Content-Type": kind, "Content-Length": str(len(content)), **_HEADERS})
        return Response(200, "OK", headers, content if request.method == "GET" else b"")


def _look_for_room() -> None:
    """Raise OSError if the files for an event loop cannot be had: half a loop would complain when it is collected."""
    for sock in (*socket.socketpair(), *socket.socketpair()):
        sock.close()


async def _show_out(crowd: Crowd) -> None:
    """End all visits, also of those who are being taken in just now."""
    for _ in range(100):  # but nobody keeps us for ever
        crowd.end_all()
        if not (others := asyncio.all_tasks() - {asyncio.current_task()}):
            return
        await asyncio.wait(others, timeout=0.01)


def _door_of(listening: Listening, paths: set[str]) -> Door:
    names = frozenset(name.lower() for name in listening.names)
    return Door(frozenset(paths), SOCKET_PATH, token_of(listening), names if is_loopback(listening.host) else None)


def _tell(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """What asyncio met and nobody waits for, such as no more files to take a visitor in with."""
    LOG.error("The virtual table: %s", context.get("message", ""), exc_info=context.get("exception"))


def _no_address_of_ours(host: str) -> str:
    return (
        f"{host or 'An empty name'} is no address of this machine: one of its own is expected, as "
        "--host 127.0.0.1 (this machine alone) or --host 0.0.0.0 (all its networks)."
    )


def _why_not_opened(fault: Exception, listening: Listening) -> str:
    host, port = plain(listening.host, SHOWN), listening.port
    match fault:
        case OSError(errno=errno.EADDRINUSE):
            return (
                f"Port {port} of {host} is taken by another program: stop it, or choose another port (0: any free one)."
            )
        case OSError(errno=errno.EADDRNOTAVAIL) | socket.gaierror() | UnicodeError():
            return _no_address_of_ours(host)
        # asyncio, since Python 3.12, gives this error no number, only these words
        case OSError(errno=None) if str(fault).startswith("could not bind on any address"):
            return _no_address_of_ours(host)
        case PermissionError() if 0 < port < FIRST_FREE_PORT:
            return (
                f"Port {port} of {host} is not ours to open: below {FIRST_FREE_PORT} only root may. Choose one from "
                f"{FIRST_FREE_PORT} to 65535, as in --port 8000 (0: any free one)."
            )
        case OSError(errno=errno.EMFILE | errno.ENFILE):
            return "The virtual table cannot listen: no more files may be open here. Allow more, as with ulimit -n 256."
        case OSError():
            return f"The virtual table cannot listen on {host}, port {port}: {fault.strerror or fault}."
        case OverflowError():
            return f"{port} is no port: one from 0 (any free one) to {MAX_PORT} is expected, as in --port 8000."
        case ValueError():
            return f"The virtual table cannot listen on {host}, port {port}: {plain(str(fault))}."
    return f"The virtual table could not be opened: {plain(reason(fault))}."

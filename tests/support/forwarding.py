"""A forwarded port, as `ssh -L` makes one: another number on this machine for the same server."""

from __future__ import annotations

import contextlib
import socket
import threading


class Forwarded:
    """A context manager; `port` leads to `to` until it ends."""

    def __init__(self, to: int) -> None:
        self._to = to
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._door.getsockname()[1])
        self._ends: list[socket.socket] = [self._door]
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Forwarded:
        self._begin(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        for end in list(self._ends):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        for thread in list(self._threads):
            thread.join(10)
        for end in self._ends:
            end.close()

    def _begin(self, work: object, *args: socket.socket) -> None:
        self._threads.append(threading.Thread(target=work, args=args, daemon=True))  # type: ignore[arg-type]
        self._threads[-1].start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                here = self._door.accept()[0]
                there = socket.create_connection(("127.0.0.1", self._to))
                self._ends += [here, there]
                self._begin(self._pass_on, here, there)
                self._begin(self._pass_on, there, here)

    @staticmethod
    def _pass_on(one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(4096):
                other.sendall(data)
        with contextlib.suppress(OSError):
            other.shutdown(socket.SHUT_WR)

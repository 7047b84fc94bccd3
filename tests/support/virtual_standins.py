"""What stands in for the emulated parts where a test is about the virtual table alone, and a client for its socket."""

from __future__ import annotations

import base64
import json
import os
import socket
from typing import Any

from PIL import Image

from firmware.virtual.deck import Printed
from hardware.twins.gpio import Heard
from hardware.twins.tags import Tag

COPIES = {1: 1, 2: 2, 3: 5, 4: 5, 5: 5, 6: 5, 7: 4, 8: 3, 9: 3, 10: 2, 11: 2, 12: 1}
DECK = tuple(f"{rank}{letter}" for rank, copies in COPIES.items() for letter in "abcdefgh"[:copies])
UIDS = {card: bytes((0x04, 0xA1, 0xB2, 0x10, 0x20, 0x30, number)) for number, card in enumerate(DECK)}
ARROWS = ("wow", "wow", "wow", "both", "yay", "yay", "yay")


def printed(mode: str = "play") -> Printed:
    return Printed(deck=DECK, board=(4, 6, 9, 7, 9, 6, 4), arrows=ARROWS, mode=mode, uids=UIDS, leds=(4, *[8] * 7, 4))


class Field:
    """A pad's field. It refuses what no hand can do: put down what lies there, lift what does not."""

    def __init__(self) -> None:
        self.uids: list[bytes] = []
        self.now_ms = 0
        self.history: list[tuple[int, str, bytes]] = []
        self.mute: int | None = None
        self.brown_outs = self._requests = 0

    @property
    def requests(self) -> int:
        """A table that looks all the time."""
        self._requests += 10
        return self._requests

    def brown_out(self) -> None:
        self.brown_outs += 1

    def put(self, tag: Tag) -> None:
        if tag.uid in self.uids:
            raise AssertionError(f"tag {tag.uid.hex()} was put on a pad on which it lies already")
        self.uids.append(tag.uid)
        self.history.append((self.now_ms, "put", tag.uid))

    def lift(self, tag: Tag) -> None:
        self.uids.remove(tag.uid)
        self.history.append((self.now_ms, "lift", tag.uid))


class Fingers:
    """The desk's buttons, lamps and buzzer, as the server sees them."""

    def __init__(self) -> None:
        self.history: list[tuple[str, str]] = []
        self.at_ms: list[int | None] = []  # of each of these, by the twins' clock
        self.lit: frozenset[str] = frozenset()
        self.sounded: list[Heard] = []

    def press(self, name: str, at_ms: int | None = None) -> None:
        self.history.append(("press", name))
        self.at_ms.append(at_ms)

    def release(self, name: str, at_ms: int | None = None) -> None:
        self.history.append(("release", name))
        self.at_ms.append(at_ms)

    def lamps(self) -> frozenset[str]:
        return self.lit

    def heard(self) -> list[Heard]:
        sounded, self.sounded = self.sounded, []
        return sounded


class Plugged:
    """A part with a plug."""

    def __init__(self) -> None:
        self.plugs: list[str] = []

    def plug_in(self) -> None:
        self.plugs.append("in")

    def unplug(self) -> None:
        self.plugs.append("out")


class Lights(Plugged):
    def __init__(self) -> None:
        super().__init__()
        self.colours: tuple[tuple[int, int, int], ...] = ((0, 0, 0),) * 64

    def lit(self) -> tuple[tuple[int, int, int], ...]:
        return self.colours


class Panel(Plugged):
    def __init__(self) -> None:
        super().__init__()
        self.on, self.contrast, self.picture = True, 255, Image.new("1", (128, 64))

    def image(self) -> Image.Image:
        return self.picture


class Client:
    """A window without a browser: speaks HTTP and the web socket over a plain socket, and says what it gets."""

    def __init__(self, port: int, origin: str | None = "", path: str = "/table") -> None:
        self.sock = socket.create_connection(("127.0.0.1", port), timeout=10)
        own = f"127.0.0.1:{port}"
        lines = [f"GET {path} HTTP/1.1", f"Host: {own}", "Connection: Upgrade", "Upgrade: websocket"]
        lines += ["Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}"]
        if origin is not None:
            lines.append(f"Origin: {origin or 'http://' + own}")
        self.sock.sendall("\r\n".join([*lines, "", ""]).encode())
        self.stream = self.sock.makefile("rb")
        self.status = self._read_head()
        self.seen: dict[str, Any] = {}

    def _read_head(self) -> int:
        """The status of the answer. Raises ConnectionError if there is none."""
        try:
            status = self.stream.readline().split()
            while self.stream.readline() not in (b"\r\n", b""):
                pass
            if not status:
                raise ConnectionError("closed without an answer")
        except OSError:
            self.close()
            raise
        return int(status[1])

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.stream.close()
        self.sock.close()

    def send(self, message: Any) -> None:
        self.send_frame(0x81, json.dumps(message).encode())

    def send_frame(self, first: int, payload: bytes) -> None:
        size = len(payload)
        length = bytes((0x80 | size,)) if size < 126 else b"\xfe" + size.to_bytes(2, "big")
        mask = os.urandom(4)
        self.sock.sendall(bytes((first,)) + length + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload)))

    def receive(self) -> dict[str, Any] | None:
        """The next news, merged into `seen`; None when the server has closed the connection. Pings are answered."""
        try:
            while True:
                head = self.stream.read(2)
                if len(head) < 2 or head[0] & 0x0F == 8:
                    return None
                size = head[1]
                if size >= 126:
                    size = int.from_bytes(self.stream.read(2 if size == 126 else 8), "big")
                payload = self.stream.read(size)
                if head[0] & 0x0F != 9:
                    break
                self.send_frame(0x8A, payload)
        except ConnectionError:
            return None
        news: dict[str, Any] = json.loads(payload)
        self.seen.update(news)
        return news

    def wait_for(self, part: str, wanted: Any = ...) -> Any:
        """Read on until `part` is sent (and equals `wanted`, if given)."""
        while True:
            news = self.receive()
            if news is None:
                raise AssertionError(f"the connection was closed while waiting for {part!r}")
            if part in news and wanted in (..., news[part]):
                return news[part]


def ask(port: int, request: bytes) -> bytes:
    """Send raw bytes and read until the server closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as sock:
        sock.sendall(request)
        answer = b""
        try:
            while block := sock.recv(65536):
                answer += block
        except ConnectionError:
            pass  # the server closed with something of ours unread
        return answer

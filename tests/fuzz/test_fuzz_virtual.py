"""Fuzzing the virtual table: messages, heads of requests, frames, and a running server with several visitors."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import io
import json
import logging
import re
import socket
import sys
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from microdot.microdot import Request
from microdot.websocket import WebSocketError

from firmware.virtual import messages
from firmware.virtual.door import Door, TurnedAway, admit, what_is_needed
from firmware.virtual.messages import MAX_MESSAGE_BYTES, PLACES, Refusal, parse
from firmware.virtual.server import VirtualTable
from firmware.virtual.streams import AdmittedReader, Connection
from hardware.twins.table import Twins
from hardware.twins.virtual_time import VirtualTime
from tests.fuzz.support import ODD, examples, mutated
from tests.support import hostile
from tests.support.limits import assert_readable, processor_s
from tests.support.virtual_standins import DECK, Client, Field, Fingers, Lights, Panel, printed

MESSAGES = (
    b'{"do": "move", "card": "7b", "to": "pad-yay", "face_down": false}',
    b'{"do": "draw", "to": "hand-wow"}',
    b'{"do": "deal", "count": 7, "players": ["yay", "wow"], "over_pads": true}',
    b'{"do": "sweep"}',
    b'{"do": "gather"}',
    b'{"do": "lay_pile", "pad": null}',
    b'{"do": "turn", "pad": "yay"}',
    b'{"do": "press", "button": "yay"}',
    b'{"do": "release", "button": "wow"}',
    b'{"do": "plug", "part": "pad yay", "plugged_in": true}',
)
PIECES = (
    *(json.dumps(place).encode() + b"," for place in PLACES),
    b'"ticket",',
    b'"12a",',
    b"NaN,",
    b"Infinity}",
    b"19,",
    b"1e0,",
    b'["wow"],',
    b'["yay", "yay"],',
    b'{"do": {}}',
    b'"strip",',
    b'"\\ud800",',
    b'"\\u001b[2J",',
    b"null}",
)
NAMES = {
    messages.Move: "move",
    messages.Draw: "draw",
    messages.Deal: "deal",
    messages.Sweep: "sweep",
    messages.Gather: "gather",
    messages.LayPile: "lay_pile",
    messages.Turn: "turn",
    messages.Press: "press",
    messages.Release: "release",
    messages.Plug: "plug",
}
CARDS = frozenset(DECK)
SAID = mutated(MESSAGES, PIECES, 3)


@examples(250)
@given(data=SAID | st.binary(max_size=60), as_text=st.booleans())
def test_what_a_message_means_is_said_again_by_its_own_words(data: bytes, as_text: bool) -> None:
    with processor_s(10):
        message = parse(data.decode(errors="replace") if as_text else data, CARDS)
    if isinstance(message, Refusal):
        assert_readable(message.text, 300)
        assert message.text.isascii()
        return
    words = {"do": NAMES[type(message)], **dataclasses.asdict(message)}
    assert parse(json.dumps(words), CARDS) == message
    assert len(data) <= 4 * MAX_MESSAGE_BYTES


# ---- heads ---------------------------------------------------------------------------------------

DOORS = (
    Door(8000, frozenset({"/", "/table.js", "/table"}), "/table"),
    Door(80, frozenset({"/", "/table"}), "/table"),
    Door(8000, frozenset({"/", "/table.js", "/table"}), "/table", "s3cret"),
)
HEADS = (
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nAccept: */*\r\nCookie: a=b\r\n",
    b"GET /table?token=s3cret HTTP/1.1\r\nHost: localhost:8000\r\nOrigin: http://localhost:8000\r\n"
    b"Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: eA==\r\n",
    b"HEAD /table.js?a=1 HTTP/1.0\r\nhost: [::1]:8000\r\nContent-Length: 0\r\n",
    b"GET / HTTP/1.1\r\nHost: tacocat.local:8000\r\n",
)
HEAD_WORDS = (
    b"GET",
    b"HEAD",
    b"POST",
    b"OPTIONS",
    b"CONNECT",
    b"/table",
    b"//table",
    b"/table/../",
    b"/%2e%2e/",
    b"http://x/",
    b"HTTP/2.0",
    b"Host:",
    b"Host: evil.example\r",
    b"Origin: null\r",
    b"Origin: http://127.0.0.1:8000\r",
    b"*",
    b"Transfer-Encoding: chunked\r",
    b"Content-Length: 7\r",
    b"X-A: b\r",
    b"127.0.0.1:8000@evil.example\r",
    b": x\r",
    b"[::1",
    b"[::1]:99999\r",
    b"?token=s3cret",
    b"?token=%ff",
    b"Content-Length: 0\r",
    b"X:" + b" " * 7000 + b"\r",
)


def oracle(head: bytes, door: Door) -> None:
    """What must be true of every request that was let in, read in the plainest way."""
    first, *rest = head.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    method, target, version = first.split(" ")
    assert method in ("GET", "HEAD") and version in ("HTTP/1.0", "HTTP/1.1")
    headers = [(line.split(":", 1)[0].lower(), line.split(":", 1)[1].strip()) for line in rest]
    given = dict(headers)
    assert len(given) == len(headers)
    assert all(re.fullmatch(r"[\t -~]*", value) for value in given.values())
    assert "transfer-encoding" not in given and given.get("content-length", "0") == "0"
    if door.token is None:
        assert given["host"] in (
            *(f"{name}:{door.port}" for name in ("127.0.0.1", "localhost", "[::1]")),
            *(("127.0.0.1", "localhost", "[::1]") if door.port == 80 else ()),
        )
    assert given.get("origin") in (None, f"http://{given['host']}")
    path = target.split("?")[0]
    assert path in door.paths
    if path == door.socket_path:
        assert method == "GET" and "origin" in given
        assert door.token is None or f"token={door.token}" in target


@examples(250)
@given(head=mutated(HEADS, HEAD_WORDS, 4), door=st.sampled_from(DOORS), ended=st.booleans())
def test_who_is_let_in_has_asked_for_what_there_is_from_a_page_of_ours(head: bytes, door: Door, ended: bool) -> None:
    head = head.split(b"\r\n\r\n")[0][:8000] + (b"\r\n\r\n" if ended else b"")
    with processor_s(10):
        refusal = admit(head, door)
    if refusal is not None:
        assert isinstance(refusal, TurnedAway) and 400 <= refusal.status < 500
        assert_readable(refusal.text, 200)
        return
    oracle(head, door)
    needed = what_is_needed(head)
    request = asyncio.run(microdots(needed))
    assert request.path == head.split(b" ")[1].split(b"?")[0].decode() and not request.args and not request.cookies
    assert b"s3cret" not in needed or b"s3cret" in head.replace(b"?token=s3cret", b"")


async def microdots(head: bytes) -> Request:
    return await Request.create(None, AdmittedReader(head, asyncio.StreamReader()), None, ("", 0))  # type: ignore


# ---- frames --------------------------------------------------------------------------------------


class Hearing:
    """Stands for a visitor's streams under a connection: `said` is what it says, `told` what it is told."""

    def __init__(self, said: bytes) -> None:
        self.told: list[bytes] = []
        reader = asyncio.StreamReader()
        reader.feed_data(said)
        reader.feed_eof()
        self.sock = (reader, self)

    async def awrite(self, data: bytes) -> None:
        self.told.append(bytes(data))


async def heard(said: bytes) -> tuple[list[str | None], list[bytes]]:
    visitor, got = Hearing(said), []
    connection = Connection(visitor)
    with contextlib.suppress(WebSocketError, EOFError, UnicodeDecodeError):
        while True:
            got.append(await connection.receive())
    return got, visitor.told


TEXTS = st.text(max_size=100) | st.sampled_from(MESSAGES).map(bytes.decode) | st.text("x", min_size=100, max_size=512)
GOOD = st.one_of(
    TEXTS.map(str.encode).filter(lambda data: len(data) <= MAX_MESSAGE_BYTES).map(lambda data: (0x81, data)),
    st.tuples(st.sampled_from([0x89, 0x8A]), st.binary(max_size=125)),
)
STRANGE_FIRST = st.integers(0, 255).filter(lambda first: first not in (0x81, 0x89, 0x8A))
TOO_LONG = st.integers(MAX_MESSAGE_BYTES + 1, 65535)
BAD = st.one_of(
    STRANGE_FIRST.map(lambda first: bytes((first, 0x80)) + bytes(4)),
    st.integers(0, 125).map(lambda size: bytes((0x81, size)) + bytes(size)),  # no mask
    TOO_LONG.map(lambda size: b"\x81\xfe" + size.to_bytes(2, "big") + bytes(4) + bytes(size)),
    st.just(b"\x81\xff" + bytes(8) + bytes(4)),
    st.just(b"\x89\xfe\x00\x7e" + bytes(4) + bytes(126)),
    st.just(b"\x81\x81" + bytes(4) + b"\xff"),
    st.just(b""),
)


@examples(120)
@given(good=st.lists(GOOD, max_size=6), bad=BAD, more=st.binary(max_size=40))
def test_every_good_frame_is_heard_and_nothing_behind_the_first_bad_one(
    good: list[tuple[int, bytes]], bad: bytes, more: bytes
) -> None:
    said = b"".join(hostile.frame(first, data) for first, data in good) + bad + (more if bad else b"")
    got, told = asyncio.run(heard(said))
    assert got == [data.decode() if first == 0x81 else None for first, data in good]
    assert told == [bytes((0x8A, len(data))) + data for first, data in good if first == 0x89]


@examples(80)
@given(said=st.binary(max_size=200))
def test_any_bytes_end_a_seat_without_an_unknown_exception(said: bytes) -> None:
    asyncio.run(heard(said))


# ---- the server ----------------------------------------------------------------------------------


class Told(logging.Handler):
    """Collects what asyncio complains of."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


@pytest.fixture(scope="module")
def open_table() -> Iterator[tuple[VirtualTable, io.StringIO, list[str]]]:
    """A running table; what it wrote to standard error; what it logged."""
    twins = Twins({"yay": Field(), "wow": Field()}, Fingers(), Lights(), Panel(), VirtualTime())  # type: ignore
    told, errors, stderr = Told(), io.StringIO(), sys.stderr
    logging.getLogger().addHandler(told)
    sys.stderr = errors
    try:
        with VirtualTable(twins, printed(), port=0, random=Random(5)) as table:
            yield table, errors, told.lines
    finally:
        sys.stderr = stderr
        logging.getLogger().removeHandler(told)


FIRST = st.sampled_from([0x81] * 8 + [0x89, 0x8A, 0x88, 0x82, 0x01, 0xC1])
FRAMES = st.builds(hostile.frame, FIRST, SAID.map(lambda data: data[:600]))
SENT = FRAMES | FRAMES.map(lambda data: data[: len(data) // 2]) | st.sampled_from(ODD)
VISITS = st.lists(
    st.tuples(st.sampled_from(["window", "window", "head", "nothing"]), st.lists(SENT, max_size=8), st.booleans()),
    min_size=1,
    max_size=4,
)


@examples(60)
@given(visits=VISITS, head=mutated(HEADS, HEAD_WORDS, 3))
def test_a_player_plays_on_whatever_the_other_visitors_send(
    open_table: tuple[VirtualTable, io.StringIO, list[str]], visits: list, head: bytes
) -> None:
    table, errors, logged = open_table
    with Client(table.port) as player, contextlib.ExitStack() as stack:
        for kind, sent, reads in visits:
            visitor = stack.enter_context(socket.create_connection(("127.0.0.1", table.port), timeout=10))
            with contextlib.suppress(OSError):  # it has been shown out
                visitor.sendall({"window": hostile.handshake(table.port), "head": head[:9000], "nothing": b""}[kind])
                if reads and kind == "window":
                    assert visitor.recv(12) == b"HTTP/1.1 101"
                for data in sent:
                    visitor.sendall(data)
        player.send({"do": "gather"})
        player.send({"do": "cheat"})
        while not any("'do' is 'cheat'" in answer for answer in player.wait_for("answers")):
            pass
    everywhere = [card for place in PLACES for card in table.world.cards(place)]
    assert sorted(everywhere) == sorted([*DECK, "ticket"])
    assert errors.getvalue() == "" and logged == []

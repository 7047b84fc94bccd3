"""Fuzzing the virtual table: messages, heads of requests, frames, and a running server with several visitors."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import io
import itertools
import json
import logging
import re
import socket
import sys
from collections.abc import Callable, Iterator
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request
from websockets.protocol import OPEN
from websockets.server import ServerProtocol

from firmware.virtual import messages
from firmware.virtual.door import Door, TurnedAway, admit
from firmware.virtual.listening import Listening
from firmware.virtual.messages import MAX_MESSAGE_BYTES, PLACES, Refusal, parse
from firmware.virtual.server import VirtualTable
from firmware.virtual.visitors import FRAMES_PER_S, MAX_FRAMES, Crowd, Visitor
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
    messages.TurnOver: "turn",
    messages.PressButton: "press",
    messages.ReleaseButton: "release",
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
    Door(frozenset({"/", "/table.js", "/table"}), "/table"),
    Door(frozenset({"/", "/table"}), "/table", names=frozenset({"tacocat.local"})),
    Door(frozenset({"/", "/table.js", "/table"}), "/table", "s3cret", None),
    Door(frozenset({"/", "/table"}), "/table", "s3cret"),
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


def oracle(request: Request, door: Door) -> None:
    """What must be true of every request that was let in, read in the plainest way."""
    assert request.method in ("GET", "HEAD") and request.protocol in ("HTTP/1.0", "HTTP/1.1")
    given = [(name.lower(), value) for name, value in request.headers.raw_items()]
    (host,) = (value for name, value in given if name == "host")
    assert all("\r" not in value and "\n" not in value and "\x00" not in value for _, value in given)
    assert all(name != "transfer-encoding" and (name, value) != ("content-length", "7") for name, value in given)
    if door.names is not None:
        name = re.sub(":[0-9]+$", "", host.lower()).removesuffix(".")
        assert name in {"127.0.0.1", "localhost", "[::1]", *door.names}
    origins = [value for name, value in given if name == "origin"]
    assert origins in ([], [f"http://{host}"], [f"https://{host}"])
    path = request.path.split("?")[0]
    assert path in door.paths
    if path == door.socket_path:
        assert request.method == "GET" and (origins or "upgrade" not in dict(given))
        assert door.token is None or f"token={door.token}" in request.path


def read(head: bytes) -> Request | None:
    """A head as the library reads it; None for one that it closes the connection upon."""
    connection = ServerProtocol()
    connection.receive_data(head)
    requests = [event for event in connection.events_received() if isinstance(event, Request)]
    return requests[0] if requests else None


@examples(250)
@given(head=mutated(HEADS, HEAD_WORDS, 4), door=st.sampled_from(DOORS))
def test_who_is_let_in_has_asked_for_what_there_is_from_a_page_of_ours(head: bytes, door: Door) -> None:
    with processor_s(10):
        request = read(head.split(b"\r\n\r\n")[0][:8000] + b"\r\n\r\n")
        if request is None:
            return
        refusal = admit(request, door)
    if refusal is None:
        oracle(request, door)
    else:
        assert isinstance(refusal, TurnedAway) and 400 <= refusal.status < 500
        assert_readable(refusal.text, 300)
        assert "s3cret" not in refusal.text


# ---- frames --------------------------------------------------------------------------------------


class Wire(asyncio.Transport):
    """Stands for the network under a connection: `told` is what a visitor is told."""

    def __init__(self, connection: Visitor) -> None:
        super().__init__()
        self.told, self._connection, self._ended = b"", connection, False
        connection.connection_made(self)

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        pass

    def get_write_buffer_size(self) -> int:
        return 0

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        pass

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.told += data

    def is_closing(self) -> bool:
        return self._ended

    def close(self) -> None:
        if not self._ended:
            self._ended = True
            asyncio.get_running_loop().call_soon(self._connection.connection_lost, None)

    abort = close


class Table:
    """Stands for the library's server."""

    def __init__(self) -> None:
        self.handler_tasks: set[asyncio.Task[None]] = set()

    async def handler(self, connection: Visitor) -> None:
        pass


async def heard(said: bytes, pieces: int, clock_s: Callable[[], float] = lambda: 7.0) -> tuple[list[str], bytes, bool]:
    """What is taken for messages of all that is said in an open window, what is answered, and whether it is closed.
    As a rule all is said in one moment."""

    class Guest(Visitor):
        crowd = Crowd(clock_s)

    visitor = Guest(ServerProtocol(state=OPEN, max_size=MAX_MESSAGE_BYTES), Table())  # type: ignore[arg-type]
    visitor.request = Request("/table", Headers())
    wire, got = Wire(visitor), []
    for start in range(0, len(said), pieces):
        if wire.is_closing():
            break
        visitor.data_received(said[start : start + pieces])
    closed = wire.is_closing()
    if not closed:
        visitor.eof_received()
        wire.close()
    with contextlib.suppress(ConnectionClosed):
        while True:
            got.append(str(await visitor.recv()))
    return got, wire.told, closed


TEXTS = st.text(max_size=100) | st.sampled_from(MESSAGES).map(bytes.decode) | st.text("x", min_size=100, max_size=512)
GOOD = st.one_of(
    TEXTS.map(str.encode).filter(lambda data: len(data) <= MAX_MESSAGE_BYTES).map(lambda data: (0x81, data)),
    st.tuples(st.sampled_from([0x89, 0x8A]), st.binary(max_size=125)),
)
STRANGE_FIRST = st.integers(0, 255).filter(lambda first: first not in (0x81, 0x88, 0x89, 0x8A))
TOO_LONG = st.integers(MAX_MESSAGE_BYTES + 1, 65535)
BAD = st.one_of(
    STRANGE_FIRST.map(lambda first: bytes((first, 0x80)) + bytes(4)),
    st.integers(0, 125).map(lambda size: bytes((0x81, size)) + bytes(size)),  # no mask
    TOO_LONG.map(lambda size: b"\x81\xfe" + size.to_bytes(2, "big") + bytes(4) + bytes(size)),
    st.just(b"\x81\xff" + b"\xff" * 8 + bytes(4)),
    st.just(b"\x89\xfe\x00\x7e" + bytes(4) + bytes(126)),
    st.just(hostile.frame(0x88, b"\x03\xe8")),  # good bye
    st.just(hostile.frame(0x88, b"\x03")),
    st.just(hostile.frame(0x81, b"x") * 300),  # more than hands can do
)


@examples(120)
@given(good=st.lists(GOOD, max_size=6), bad=BAD, more=st.binary(max_size=40), pieces=st.sampled_from([1, 7, 4096]))
def test_every_good_frame_is_heard_and_the_first_bad_one_closes_the_window(
    good: list[tuple[int, bytes]], bad: bytes, more: bytes, pieces: int
) -> None:
    said = b"".join(hostile.frame(first, data) for first, data in good)
    got, told, closed = asyncio.run(heard(said + bad + more, pieces))
    texts = [data.decode() for first, data in good if first == 0x81]
    assert got[: len(texts)] == texts and closed
    assert len(got) <= MAX_FRAMES and set(got[len(texts) :]) <= {"x"}, "nothing of what came behind"
    pongs = b"".join(bytes((0x8A, len(data))) + data for first, data in good if first == 0x89)
    assert told.startswith(pongs) and told[len(pongs) :][:1] in (b"", b"\x88")


@pytest.mark.parametrize(("pause_s", "heard_of_them"), [(0.0, MAX_FRAMES), (1.01 / FRAMES_PER_S, 2 * MAX_FRAMES)])
def test_a_window_that_says_more_at_once_than_hands_can_do_is_closed_and_one_that_takes_its_time_is_not(
    pause_s: float, heard_of_them: int
) -> None:
    one = hostile.frame(0x81, b"x")
    times = (count * pause_s for count in itertools.count(1000))
    got, _, _ = asyncio.run(heard(one * 2 * MAX_FRAMES, len(one), lambda: next(times)))
    assert len(got) == heard_of_them


@examples(80)
@given(said=st.binary(max_size=200))
def test_any_bytes_end_a_window_without_an_unknown_exception(said: bytes) -> None:
    with contextlib.suppress(UnicodeDecodeError):
        asyncio.run(heard(said, 50))


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
    twins = Twins({"yay": Field(), "wow": Field()}, Fingers(), Lights(), Panel(), VirtualTime())  # type: ignore[arg-type]
    told, errors, stderr = Told(), io.StringIO(), sys.stderr
    logging.getLogger().addHandler(told)
    sys.stderr = errors
    try:
        with VirtualTable(twins, printed(), Listening(port=0), random=Random(5)) as table:
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

"""The virtual table's door: who is let in, what a visitor may cost, and what becomes of attackers."""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import json
import logging
import socket
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers
from websockets.http11 import Request

from firmware.virtual import server as server_module
from firmware.virtual import visitors
from firmware.virtual import windows as windows_module
from firmware.virtual.addresses import token_of_this_run
from firmware.virtual.door import Door, TurnedAway, admit
from firmware.virtual.listening import Listening
from firmware.virtual.server import VirtualTable
from hardware.twins.table import Twins
from hardware.twins.virtual_time import VirtualTime
from tests.support.limits import processor_s
from tests.support.virtual_standins import Client, Field, Fingers, Lights, Panel, ask, printed

DOOR = Door(paths=frozenset({"/", "/table.js", "/table"}), socket_path="/table")
NETWORK_DOOR = Door(paths=DOOR.paths, socket_path="/table", token="s3cret", names=None)


@pytest.fixture
def twins() -> Twins:
    return Twins({"yay": Field(), "wow": Field()}, Fingers(), Lights(), Panel(), VirtualTime())  # type: ignore[arg-type]


@pytest.fixture
def table(twins: Twins) -> Iterator[VirtualTable]:
    with VirtualTable(twins, printed(), Listening(port=0), random=Random(5)) as opened:
        yield opened


# ---- where it listens ----------------------------------------------------------------------------


@pytest.mark.parametrize(("host", "reached"), [("127.0.0.1", False), ("0.0.0.0", True)])
def test_only_where_it_was_told_to_it_listens_beyond_this_machine(twins: Twins, host: str, reached: bool) -> None:
    with VirtualTable(twins, printed(), Listening(host, 0)) as table:
        with socket.socket() as sock:
            sock.settimeout(10)
            # another address of this machine, as one of the network would be
            assert (sock.connect_ex(("127.0.0.2", table.port)) == 0) == reached
        assert ("#token=" in table.url) == reached


def test_the_default_is_this_machine_alone(twins: Twins) -> None:
    with VirtualTable(twins, printed(), Listening(port=0)) as table:
        assert table.url == f"http://127.0.0.1:{table.port}/"


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "127.0.0.2", "192.168.1.7", "tacocat.local"])
def test_on_any_other_address_than_this_machines_own_a_token_is_asked_for(twins: Twins, host: str) -> None:
    assert "#token=" in VirtualTable(twins, printed(), Listening(host)).url


def test_over_the_network_a_window_needs_the_token_which_nobody_else_is_told(
    twins: Twins, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with VirtualTable(twins, printed(), Listening("0.0.0.0", 0)) as table:
        token = table.url.partition("#token=")[2]
        tries = {"": 401, f"?token={token[:-1]}": 401, f"?token={token}x": 401, f"?token={token}": 101}
        for query, status in tries.items():
            with Client(table.port, path=f"/table{query}") as window:
                assert window.status == status
                if status == 101:
                    assert token not in json.dumps(window.receive())
        for path in ("/", "/table.js", "/table", "/table?token=x"):
            own = f"127.0.0.1:{table.port}"
            answer = ask(table.port, _request(f"GET {path} HTTP/1.1", f"Host: {own}", f"Origin: http://{own}"))
            assert token.encode() not in answer
        with Client(table.port, origin="http://evil.example", path=f"/table?token={token}") as foreign:
            assert foreign.status == 403
    assert token not in caplog.text + "".join(capfd.readouterr())


# ---- the door ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("origin", "status"),
    [("", 101), ("http://evil.example", 403), ("null", 403), ("https://127.0.0.1:1", 403), (None, 403)],
)
def test_only_a_page_of_its_own_gets_a_seat(table: VirtualTable, origin: str | None, status: int) -> None:
    with Client(table.port, origin=origin) as window:
        assert window.status == status


def _request(*lines: str) -> bytes:
    return "\r\n".join([*lines, "", ""]).encode()


@pytest.fixture(scope="module")
def door_keeper() -> Iterator[int]:
    """The port of a table for all who are turned away."""
    parts = Twins({"yay": Field(), "wow": Field()}, Fingers(), Lights(), Panel(), VirtualTime())  # type: ignore[arg-type]
    with VirtualTable(parts, printed(), Listening(port=0)) as opened:
        yield opened.port


HERE = "Host: 127.0.0.1:8000"
NO_ANSWER = 0  # the connection is closed without a word: this is no HTTP


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        (("GET / HTTP/1.1", "Host: evil.example:8000"), 403),
        (("GET / HTTP/1.1", "Host: localhost.evil.example"), 403),
        (("GET / HTTP/1.1", "Host: 127.0.0.1.evil.example"), 403),
        (("GET / HTTP/1.1", "Host: 127.0.0.1:8000@evil.example"), 403),
        (("GET / HTTP/1.1", "Host: 192.168.1.7:8000"), 403),
        (("GET / HTTP/1.1", "Host: [2001:db8::1]:8000"), 403),
        (("GET / HTTP/1.1", "Host: [::1"), 403),
        (("GET / HTTP/1.1", "Host: localhost:x"), 403),
        (("GET / HTTP/1.1", "Host: localhost:8000:9000"), 403),
        (("GET / HTTP/1.1", "Host: \u0661\u0662\u0667.0.0.1"), 403),
        (("GET / HTTP/1.1",), 403),
        (("GET / HTTP/1.1", HERE, "Origin: http://localhost:8000"), 403),
        (("GET / HTTP/1.1", HERE, "Origin: http://127.0.0.1:8000", "Origin: http://evil.example"), 400),
        (("POST / HTTP/1.1", HERE), 405),
        (("GET / HTTP/1.1", HERE, "Content-Length: 5"), NO_ANSWER),
        (("GET / HTTP/1.1", HERE, "Content-Length: x"), NO_ANSWER),
        (("GET / HTTP/1.1", HERE, "Content-Length: 0, 5"), NO_ANSWER),
        (("GET / HTTP/1.1", HERE, "Content-Length: +0"), NO_ANSWER),
        (("GET / HTTP/1.1", HERE, "Transfer-Encoding: chunked"), NO_ANSWER),
        (("GET / HTTP/1.1", HERE, "Host: evil.example"), 400),
        (("GET / HTTP/1.1", HERE, "no colon"), NO_ANSWER),
        (("GET / HTTP/1.1", HERE, "X: \x00"), NO_ANSWER),
        (("GET / HTTP/1.1", *[f"X{i}: y" for i in range(130)]), 431),
        (("GET / HTTP/1.1", *[f"X{i}: {'y' * 80}" for i in range(110)]), 431),
        (("GET http://127.0.0.1:8000/ HTTP/1.1", HERE), 404),
        (("GET /",), NO_ANSWER),
        (("GET /elsewhere HTTP/1.1", HERE), 404),
        (("GET /table HTTP/1.1", HERE), 426),
        (("GET /table HTTP/1.1", HERE, "Upgrade: websocket"), 403),
        (("GET /table HTTP/1.1", HERE, "upgrade: "), 403),
        (("GET /table HTTP/1.1", HERE, "Origin: http://127.0.0.1:8000"), 426),
        (("HEAD /table HTTP/1.1", HERE, "Origin: http://127.0.0.1:8000"), 405),
        (("OPTIONS / HTTP/1.1", HERE, "Access-Control-Request-Method: POST"), 405),
        (("PUT /table.js HTTP/1.1", HERE), 405),
        (("POST /table HTTP/1.1", HERE, "Origin: http://evil.example"), 405),
        (("GET / HTTP/1.1", HERE, "Origin: http://evil.example"), 403),
        (("GET / HTTP/1.1", "Host : 127.0.0.1:8000"), NO_ANSWER),
        (("GET / HTTP/1.1", HERE, " folded: line"), NO_ANSWER),
        (("GET / HTTP/1.1", HERE, "X: y\nHost: evil.example"), NO_ANSWER),
        (("GET / HTTP/1.1", HERE, "X: y\rHost: evil.example"), NO_ANSWER),
        (("PRI * HTTP/2.0",), NO_ANSWER),
        (("GET / HTTP/0.9", HERE), NO_ANSWER),
    ],
)
def test_a_strange_request_is_turned_away(door_keeper: int, lines: tuple[str, ...], status: int) -> None:
    answer = ask(door_keeper, _request(*lines))
    assert int(answer.split()[1]) == status if status else answer == b""
    assert b"<" not in answer and b"tacocat spelled" not in answer.lower(), "nothing of the page, and no markup"


def asked(line: str, *headers: tuple[str, str]) -> Request:
    """A request as the library hands it over."""
    method, path = line.split()
    return Request(path, Headers(headers), method)


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST", "localhost.", "[::1]", "table.localhost"])
@pytest.mark.parametrize("port", [":8000", ":9000", "", ":80"])
def test_the_table_is_known_under_the_names_of_loopback_on_any_port(name: str, port: str) -> None:
    host = name + port  # another port: one that was forwarded, as by ssh -L 9000:localhost:8000
    assert admit(asked("GET /", ("Host", host)), DOOR) is None
    for scheme in ("http", "https"):
        assert admit(asked("GET /table", ("Host", host), ("Origin", f"{scheme}://{host}")), DOOR) is None
    other = admit(asked("GET /table", ("Host", host), ("Origin", "http://localhost:5000")), DOOR)
    assert other is not None and other.status == 403, "a page of another port of this machine"


def test_another_name_is_known_if_it_was_allowed() -> None:
    door = dataclasses.replace(DOOR, names=frozenset({"table.example", "fd00::7"}))
    for host in ("table.example", "Table.Example:8443", "table.example.:80", "[fd00::7]:8000", "localhost:1"):
        assert admit(asked("GET /table", ("Host", host), ("Origin", f"https://{host}")), door) is None
    for host in ("x.table.example", "table.example.org", "[fd00::8]:8000", "xtable.example"):
        refusal = admit(asked("GET /", ("Host", host)), door)
        assert refusal is not None and refusal.status == 403 and "--allow-host NAME" in refusal.text


def test_a_name_that_was_allowed_reaches_the_page_and_its_socket(twins: Twins) -> None:
    with VirtualTable(twins, printed(), Listening(port=0, names=("Table.Example",))) as table:
        for host, status in (("table.example:8443", b"HTTP/1.1 200"), ("evil.example", b"HTTP/1.1 403")):
            assert ask(table.port, _request("GET / HTTP/1.1", f"Host: {host}")).startswith(status)


def test_a_shared_machine_asks_for_the_token_on_loopback_too(twins: Twins) -> None:
    with VirtualTable(twins, printed(), Listening(port=0, shared=True)) as table:
        address, _, token = table.url.partition("#token=")
        assert address == f"http://127.0.0.1:{table.port}/" and len(token) >= 20
        for query, status in (("", 401), ("?token=x", 401), (f"?token={token}", 101)):
            with Client(table.port, path=f"/table{query}") as window:
                assert window.status == status
        evil = _request("GET / HTTP/1.1", "Host: evil.example")
        assert ask(table.port, evil).startswith(b"HTTP/1.1 403"), "and is known under no more names"


def test_over_the_network_only_the_token_opens_the_socket() -> None:
    own = (("Host", "tacocat.local:8000"), ("Origin", "http://tacocat.local:8000"))
    assert admit(asked("GET /table?token=s3cret", *own), NETWORK_DOOR) is None
    for query in ("", "?token=", "?token=s3cre", "?token=%ff", "?a=1&b=1&c=1&d=1&token=s3cret"):
        refusal = admit(asked(f"GET /table{query}", *own), NETWORK_DOOR)
        assert refusal is not None and refusal.status == 401 and "token" in refusal.text
    foreign = admit(asked("GET /table?token=s3cret", own[0], ("Origin", "http://evil.example")), NETWORK_DOOR)
    assert foreign is not None and foreign.status == 403


def test_over_the_network_the_address_carries_a_token_that_no_one_guesses(twins: Twins) -> None:
    table = VirtualTable(twins, printed(), Listening("0.0.0.0"))
    token = table.url.partition("#token=")[2]
    assert len(token) >= 20
    token_of_this_run.cache_clear()  # as another run of the program
    assert token != VirtualTable(twins, printed(), Listening("0.0.0.0")).url.partition("#token=")[2]


def test_a_table_that_is_opened_again_in_the_same_run_keeps_its_token(twins: Twins) -> None:
    urls = {VirtualTable(twins, printed(), Listening("0.0.0.0")).url for _ in range(2)}
    assert len(urls) == 1


def test_a_header_full_of_blanks_is_judged_in_one_pass(table: VirtualTable) -> None:
    blanks = b" " * 7900
    for line in (b"X:" + blanks + b"\x01", b"X:" + blanks + b"y", b"X" + blanks + b":", b"X:" * 3900):
        with processor_s(5):  # blanks that were looked for from three sides once took ten minutes
            ask(table.port, b"GET / HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n" + line + b"\r\n\r\n")
            admit(asked("GET /", ("Host", line.decode().replace("\x01", "y"))), DOOR)


@pytest.mark.parametrize("query", ["?x=%zz", "?%", "?a&&=&%"])
def test_a_strange_query_of_the_page_is_answered_with_the_page_and_without_a_traceback(
    table: VirtualTable, query: str, capfd: pytest.CaptureFixture[str]
) -> None:
    port = table.port
    answer = ask(port, _request(f"GET /{query} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Cookie: ;=;%"))
    assert answer.startswith(b"HTTP/1.1 200")
    assert capfd.readouterr() == ("", "")


VALUES = st.text(st.characters(min_codepoint=0x20, max_codepoint=0xFF, exclude_categories=["Cc"]), max_size=30)


@given(st.text(max_size=60), st.lists(st.tuples(st.sampled_from(["Host", "Origin", "X"]), VALUES)))
@settings(max_examples=200, deadline=None)
def test_the_door_never_raises(path: str, headers: list[tuple[str, str]]) -> None:
    for door in (DOOR, NETWORK_DOOR):
        for way in (path, "/table?" + path):
            judged = admit(Request(way, Headers(headers)), door)
            assert isinstance(judged, TurnedAway) or (judged is None and door is DOOR)


def test_an_endless_head_is_cut_off(table: VirtualTable) -> None:
    assert ask(table.port, b"GET / HTTP/1.1\r\nX: " + b"a" * 20000).startswith(b"HTTP/1.1 431")


def test_a_visitor_who_does_not_speak_is_shown_out(twins: Twins, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "OPEN_S", 0.05)
    with VirtualTable(twins, printed(), Listening(port=0)) as table:
        assert ask(table.port, b"GET / HT") == b""


def test_more_visitors_than_the_table_holds_are_told_so_and_the_seated_play_on(
    twins: Twins, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "MAX_WINDOWS", 3)
    with VirtualTable(twins, printed(), Listening(port=0)) as table, contextlib.ExitStack() as stack:
        seated = [stack.enter_context(Client(table.port)) for _ in range(3)]
        assert [client.status for client in seated] == [101] * 3
        with Client(table.port) as late:
            assert late.status == 503
        seated[0].send({"do": "draw", "to": "hand-yay"})
        while seated[1].wait_for("table")["pile"] != 37:
            pass


def test_a_visitor_who_says_nothing_gives_its_place_to_the_next(twins: Twins, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "OPEN_S", 60.0)
    monkeypatch.setattr(visitors, "MAX_CONNECTIONS", 3)
    with VirtualTable(twins, printed(), Listening(port=0)) as table, contextlib.ExitStack() as stack:
        port = table.port
        silent = [stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=10)) for _ in range(3)]
        silent[1].sendall(b"GET / HTTP/1.1\r\n")
        seated = [stack.enter_context(Client(port)) for _ in range(3)]
        assert [client.status for client in seated] == [101] * 3
        assert [sock.recv(1) for sock in silent] == [b""] * 3


def test_whoever_comes_while_the_table_closes_is_shown_out_and_costs_no_socket(twins: Twins) -> None:
    gc.collect()
    for _ in range(20):  # an unclosed socket is a warning when it is collected, and a warning is an error here
        with VirtualTable(twins, printed(), Listening(port=0)) as table, socket.socket() as sock:
            assert sock.connect_ex(("127.0.0.1", table.port)) == 0
    gc.collect()


def test_hundreds_who_come_and_go_leave_nothing_behind(table: VirtualTable) -> None:
    port = table.port
    with Client(port) as stays:
        for number in range(400):
            with socket.create_connection(("127.0.0.1", port), timeout=10) as visitor:
                if number % 2:
                    visitor.sendall(b"GET /table HTTP/1.1\r\n")
        stays.send({"do": "draw", "to": "hand-yay"})
        while stays.wait_for("table")["pile"] != 37:
            pass
        with Client(port) as another:
            assert another.status == 101
            another.wait_for("table")


@pytest.mark.parametrize(
    ("first", "payload"),
    [
        (0x81, b"x" * 2000),  # more than any message
        (0x81, b"\xff\xfe"),  # text that is not UTF-8
        (0x01, b"{}"),  # a frame of several
        (0x80, b"{}"),  # the rest of one
        (0xC1, b"{}"),  # compressed, which was not agreed
        (0x82, b"{}"),  # binary
        (0x83, b"{}"),  # of no kind that there is
        (0x8B, b"{}"),
        (0x89, b"x" * 126),  # a ping with more than a ping may hold
        (0x88, b""),  # good bye
    ],
)
def test_a_window_that_speaks_no_sense_is_closed_and_the_others_stay(
    table: VirtualTable, first: int, payload: bytes
) -> None:
    with Client(table.port) as good, Client(table.port) as bad:
        bad.send_frame(first, payload)
        while bad.receive() is not None:
            pass
        good.send({"do": "draw", "to": "hand-wow"})
        while good.wait_for("table")["pile"] != 37:
            pass


@pytest.mark.parametrize(
    "frame",
    [
        b"\x81\x02{}",  # no mask
        b"\x89\x00",
        b"\x81\xff" + b"\xff" * 8,  # a size of 2 to the 64th
        b"\x81\xff" + bytes(7) + b"\x02" + bytes(4) + b"{}",
    ],
)
def test_a_frame_that_no_browser_sends_closes_its_window(table: VirtualTable, frame: bytes) -> None:
    with Client(table.port) as bad:
        bad.receive()
        bad.sock.sendall(frame + bytes(20))  # whoever waits for more, or for a mask, gets it
        while (news := bad.receive()) is not None:
            assert "answers" not in news, "it was read as a message"


def test_a_window_that_no_longer_answers_is_closed_even_in_the_middle_of_a_message(
    twins: Twins, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "PING_S", 0.05)
    monkeypatch.setattr(server_module, "PONG_S", 0.05)
    monkeypatch.setattr(server_module, "OPEN_S", 0.5)
    for part in (b"", b"\x81\xfe", b"\x81\x8f\x00", b"\x81\x8f" + bytes(4) + b'{"do":'):
        with VirtualTable(twins, printed(), Listening(port=0)) as table, Client(table.port) as bad:
            bad.sock.sendall(part)
            with contextlib.suppress(ConnectionError):
                while bad.stream.read(1):  # and it answers no ping
                    pass


def test_a_ping_is_answered_with_its_own_words(table: VirtualTable) -> None:
    with Client(table.port) as window:
        window.receive()
        window.send_frame(0x8A, b"not asked for")
        window.send_frame(0x89, b"are you there?")
        assert window.stream.read(2 + 14) == b"\x8a\x0eare you there?"


@pytest.mark.parametrize(("first", "payload"), [(0x89, b""), (0x8A, b"x"), (0x81, b"")])
def test_pings_and_empty_messages_count_as_what_a_window_says(table: VirtualTable, first: int, payload: bytes) -> None:
    with Client(table.port) as window:
        with contextlib.suppress(ConnectionError):
            for _ in range(3000):
                window.send_frame(first, payload)
        with contextlib.suppress(ConnectionError):
            while window.sock.recv(65536):
                pass
    with Client(table.port) as after:
        assert after.receive() is not None


def test_a_window_that_says_more_than_hands_can_do_is_closed(table: VirtualTable) -> None:
    with Client(table.port) as window:
        with contextlib.suppress(ConnectionError):
            for _ in range(3000):
                window.send({"do": "sweep"})
        assert any(window.receive() is None for _ in range(3)), "it is still served"
    with Client(table.port) as after:
        assert after.receive() is not None


def test_a_window_that_does_not_read_keeps_nobody_waiting(twins: Twins, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windows_module, "SEND_S", 0.2)
    monkeypatch.setattr(windows_module, "FRAME_S", 0.001)
    twins.strip.colours = ((1, 2, 3),) * 20000  # type: ignore[attr-defined]
    with VirtualTable(twins, printed(), Listening(port=0)) as table, Client(table.port), Client(table.port) as reads:
        while table.windows < 2:
            reads.receive()
        for step in range(2000):
            twins.strip.colours = ((step % 256, step // 256, 9),) * 20000  # type: ignore[attr-defined]
            reads.wait_for("strip")
            if table.windows == 1:
                break
        assert table.windows == 1, "the window that does not read has been closed"


def test_a_window_that_does_not_read_has_one_picture_under_way_and_no_more(
    twins: Twins, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting: list[int] = []
    send = ServerConnection.send

    async def watched(connection: ServerConnection, message: str) -> None:
        waiting.append(len(message) + connection.transport.get_write_buffer_size())
        await send(connection, message)

    monkeypatch.setattr(ServerConnection, "send", watched)
    monkeypatch.setattr(windows_module, "FRAME_S", 0.001)
    twins.strip.colours = ((1, 2, 3),) * 20000  # type: ignore[attr-defined]
    with VirtualTable(twins, printed(), Listening(port=0)) as table, Client(table.port), Client(table.port) as reads:
        for step in range(70):
            twins.strip.colours = ((step, 7, 9),) * 20000  # type: ignore[attr-defined]
            reads.wait_for("strip")
    picture = 6 * 20000 + 10_000
    assert len(waiting) > 70 and max(waiting) < picture + (1 << 16)


def test_pieces_of_a_message_may_come_one_by_one(table: VirtualTable) -> None:
    with Client(table.port) as window:
        window.receive()
        frame = bytes((0x81, 0x80 | 15)) + bytes(4) + json.dumps({"do": "cheat"}).encode()
        for byte in frame:
            window.sock.sendall(bytes((byte,)))
        (answer,) = window.wait_for("answers")
        assert "'do' is 'cheat'" in answer

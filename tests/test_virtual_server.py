"""The virtual table's server: what a window sees, what it may do, and who is let in."""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import json
import socket
import threading
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.virtual import server as server_module
from firmware.virtual import streams
from firmware.virtual.door import Door, TurnedAway, admit, what_is_needed
from firmware.virtual.server import VirtualTable, VirtualTableError
from firmware.virtual.world import Twins
from hardware.twins.gpio import Heard
from hardware.twins.virtual_time import VirtualTime
from tests.limits import processor_s
from tests.virtual_standins import DECK, UIDS, Client, Field, Fingers, Lights, Panel, ask, printed

DOOR = Door(port=8000, paths=frozenset({"/", "/table.js", "/table"}), socket_path="/table")
NETWORK_DOOR = Door(port=8000, paths=DOOR.paths, socket_path="/table", token="s3cret")


@pytest.fixture
def twins() -> Twins:
    return Twins({"yay": Field(), "wow": Field()}, Fingers(), Lights(), Panel(), VirtualTime())  # type: ignore[arg-type]


@pytest.fixture
def table(twins: Twins) -> Iterator[VirtualTable]:
    with VirtualTable(twins, printed(), port=0, random=Random(5)) as opened:
        yield opened


def port_of(table: VirtualTable) -> int:
    return int(table.url.rstrip("/").rsplit(":", 1)[1])


# ---- what a window sees and does ----------------------------------------------------------------


def test_a_window_is_shown_everything_at_once(table: VirtualTable) -> None:
    with Client(port_of(table)) as window:
        news = window.receive()
    assert news is not None
    assert news["printed"]["board"] == [4, 6, 9, 7, 9, 6, 4]
    assert news["printed"]["deck"] == list(DECK)
    assert news["strip"] == "000000" * 64
    assert len(base64.b64decode(news["screen"]["bits"])) == 1024
    assert news["lamps"] == []
    assert news["table"]["pile"] == 38


def test_only_what_changed_is_sent_and_every_window_gets_it(table: VirtualTable, twins: Twins) -> None:
    with Client(port_of(table)) as one, Client(port_of(table)) as other:
        for window in (one, other):
            assert "strip" in (window.receive() or {})
        twins.strip.colours = ((255, 16, 0),) + ((0, 0, 0),) * 63  # type: ignore[attr-defined]
        for window in (one, other):
            assert window.receive() == {"strip": "ff1000" + "000000" * 63}
        twins.screen.picture.putpixel((0, 0), 1)  # type: ignore[attr-defined]
        twins.desk.lit = frozenset({"wow"})  # type: ignore[attr-defined]
        for window in (one, other):
            assert window.wait_for("lamps") == ["wow"]
            if base64.b64decode(window.seen["screen"]["bits"])[0] != 0x80:
                window.wait_for("screen")
            assert base64.b64decode(window.seen["screen"]["bits"])[0] == 0x80


def test_a_window_moves_cards_and_sees_them_move(table: VirtualTable, twins: Twins) -> None:
    with Client(port_of(table)) as window:
        window.send({"do": "deal", "count": 4, "players": ["yay", "wow"], "over_pads": False})
        while not window.wait_for("table")["hands"]["yay"]:
            pass
        card = window.seen["table"]["hands"]["yay"][0]
        window.send({"do": "move", "card": card, "to": "pad-yay", "face_down": False})
        while window.wait_for("table")["pads"]["yay"] != [[card, True]]:
            pass
    assert twins.pads["yay"].uids == [UIDS[card]]  # type: ignore[attr-defined]


def test_a_deal_over_the_pads_follows_the_clock_of_the_table(table: VirtualTable, twins: Twins) -> None:
    clock = twins.clock
    assert isinstance(clock, VirtualTime)
    with Client(port_of(table)) as window:
        window.send({"do": "deal", "count": 2, "players": ["yay", "wow"], "over_pads": True})
        while not window.wait_for("table")["dealing"]:
            pass
        while window.seen["table"]["dealing"]:
            clock.advance_ms(460)
            window.wait_for("table")
        assert [len(window.seen["table"]["hands"][player]) for player in ("yay", "wow")] == [2, 2]


def test_a_strip_that_begins_at_wows_goal_is_shown_from_yays(twins: Twins) -> None:
    twins.strip.colours = ((0, 0, 0),) * 63 + ((9, 8, 7),)  # type: ignore[attr-defined]
    facts = dataclasses.replace(printed(), reverse=True, leds=(2, 8, 8, 8, 8, 8, 8, 8, 6))
    with VirtualTable(twins, facts, port=0) as table, Client(port_of(table)) as window:
        assert window.wait_for("strip") == "090807" + "000000" * 63
        assert window.seen["printed"]["leds"] == [2, 8, 8, 8, 8, 8, 8, 8, 6]


def test_every_window_hears_each_tone_once_and_in_order(table: VirtualTable, twins: Twins) -> None:
    with Client(port_of(table)) as one, Client(port_of(table)) as other:
        for window in (one, other):
            window.receive()
        twins.desk.sounded += [Heard(880, 100), Heard(0, 160)]  # type: ignore[attr-defined]
        for window in (one, other):
            assert window.wait_for("sounds") == [[880, 100], [0, 160]]
        twins.desk.sounded += [Heard(262, 900)]  # type: ignore[attr-defined]
        for window in (one, other):
            assert window.wait_for("sounds") == [[262, 900]]


def test_the_plugs_of_the_parts_are_pulled_and_pushed_in(table: VirtualTable, twins: Twins) -> None:
    parts = ("strip", "screen", "pad wow")
    with Client(port_of(table)) as window:
        for part in (*parts, "strip"):
            window.send({"do": "plug", "part": part, "plugged_in": False})
        window.wait_for("unplugged", ["pad wow", "screen", "strip"])
        strip, screen, reader = twins.strip, twins.screen, twins.pads["wow"]
        assert (strip.plugs, screen.plugs) == (["out"], ["out"])  # type: ignore[attr-defined]
        assert reader.mute == 0
        for part in parts:
            window.send({"do": "plug", "part": part, "plugged_in": True})
        window.wait_for("unplugged", [])
        assert (strip.plugs, screen.plugs) == (["out", "in"], ["out", "in"])  # type: ignore[attr-defined]
        assert reader.mute is None
        assert reader.brown_outs == 2, "it comes back with its registers as after a reset"  # type: ignore[attr-defined]


def test_a_window_hears_from_the_table_even_if_nothing_happens(twins: Twins, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "HEARTBEAT_S", 0.05)
    with VirtualTable(twins, printed(), port=0) as table, Client(port_of(table)) as window:
        window.receive()
        assert [window.receive() for _ in range(3)] == [{}, {}, {}]


def test_a_message_that_makes_no_sense_is_answered_in_words_and_changes_nothing(table: VirtualTable) -> None:
    with Client(port_of(table)) as window:
        window.send({"do": "cheat"})
        (answer,) = window.wait_for("answers")
        assert "'do' is 'cheat'" in answer
        window.send({"do": "draw", "to": "aside"})
        assert window.wait_for("answers") == ["A drawn card goes to a hand, a pad or the discard pile."]
        assert window.seen["table"]["pile"] == 38


def test_a_button_comes_up_when_the_last_finger_leaves_it(table: VirtualTable, twins: Twins) -> None:
    fingers = twins.desk
    assert isinstance(fingers, Fingers)
    with Client(port_of(table)) as stays:
        with Client(port_of(table)) as leaves:
            leaves.send({"do": "press", "button": "yay"})
            leaves.send({"do": "press", "button": "yay"})
            leaves.send({"do": "cheat"})
            leaves.wait_for("answers")
            stays.send({"do": "press", "button": "yay"})
            stays.send({"do": "release", "button": "wow"})
            stays.send({"do": "cheat"})
            stays.wait_for("answers")
            assert fingers.history == [("press", "yay")]
            leaves.send({"do": "release", "button": "yay"})
            leaves.send({"do": "press", "button": "wow"})
            leaves.send({"do": "cheat"})
            leaves.wait_for("answers")
        while table.windows > 1:
            stays.send({"do": "cheat"})
            stays.wait_for("answers")
        assert fingers.history == [("press", "yay"), ("press", "wow"), ("release", "wow")]
        stays.send({"do": "release", "button": "yay"})
        stays.send({"do": "cheat"})
        stays.wait_for("answers")
    assert fingers.history[-1] == ("release", "yay")


def test_closing_the_table_takes_every_finger_off_and_ends_every_connection(twins: Twins) -> None:
    table = VirtualTable(twins, printed(), port=0)
    table.start()
    with Client(port_of(table)) as window:
        window.send({"do": "press", "button": "wow"})
        window.send({"do": "cheat"})
        window.wait_for("answers")
        table.close()
        while window.receive() is not None:
            pass
    table.close()
    assert twins.desk.history == [("press", "wow"), ("release", "wow")]  # type: ignore[attr-defined]
    assert not any(thread.name == "virtual table" for thread in threading.enumerate())


def test_a_taken_port_is_named(table: VirtualTable, twins: Twins) -> None:
    other = VirtualTable(twins, printed(), port=port_of(table))
    with pytest.raises(VirtualTableError, match=f"Port {port_of(table)} of 127.0.0.1 is taken"):
        other.start()
    other.close()


# ---- the page ------------------------------------------------------------------------------------


def test_the_page_and_its_files_are_served_with_a_strict_policy(table: VirtualTable) -> None:
    port = port_of(table)
    for path, kind in (("/", "text/html"), ("/table.css", "text/css"), ("/table.js", "text/javascript")):
        answer = ask(port, f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        head, _, body = answer.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.0 200")
        assert f"Content-Type: {kind}".encode() in head
        assert b"default-src 'none'; script-src 'self'" in head and b"frame-ancestors 'none'" in head
        assert len(body) > 1000


@pytest.mark.parametrize("path", ["/../server.py", "/server.py", "/%2e%2e/etc/passwd", "//etc/passwd", "/page.html"])
def test_no_path_reaches_the_file_system(table: VirtualTable, path: str) -> None:
    port = port_of(table)
    answer = ask(port, f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.0 404")
    assert b"root:" not in answer and b"import" not in answer


# ---- the door ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("origin", "status"),
    [("", 101), ("http://evil.example", 403), ("null", 403), ("https://127.0.0.1:1", 403), (None, 403)],
)
def test_only_a_page_of_its_own_gets_a_seat(table: VirtualTable, origin: str | None, status: int) -> None:
    with Client(port_of(table), origin=origin) as window:
        assert window.status == status


def _request(*lines: str) -> bytes:
    return "\r\n".join([*lines, "", ""]).encode()


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        (("GET / HTTP/1.1", "Host: evil.example:8000"), 403),
        (("GET / HTTP/1.1", "Host: 127.0.0.1:80"), 403),
        (("GET / HTTP/1.1",), 403),
        (("GET / HTTP/1.1", "Host: 127.0.0.1:8000", "Origin: http://localhost:8000"), 403),
        (("POST / HTTP/1.1", "Host: 127.0.0.1:8000"), 405),
        (("GET / HTTP/1.1", "Host: 127.0.0.1:8000", "Content-Length: 5"), 413),
        (("GET / HTTP/1.1", "Host: 127.0.0.1:8000", "Content-Length: x"), 413),
        (("GET / HTTP/1.1", "Host: 127.0.0.1:8000", "Transfer-Encoding: chunked"), 413),
        (("GET / HTTP/1.1", "Host: 127.0.0.1:8000", "Host: evil.example"), 400),
        (("GET / HTTP/1.1", "Host: 127.0.0.1:8000", "no colon"), 400),
        (("GET / HTTP/1.1", "Host: 127.0.0.1:8000", "X: \x00"), 400),
        (("GET / HTTP/1.1", *[f"X{i}: y" for i in range(70)]), 400),
        (("GET http://127.0.0.1:8000/ HTTP/1.1", "Host: 127.0.0.1:8000"), 400),
        (("GET /",), 400),
        (("GET /elsewhere HTTP/1.1", "Host: 127.0.0.1:8000"), 404),
        (("GET /table HTTP/1.1", "Host: 127.0.0.1:8000"), 403),
        (("HEAD /table HTTP/1.1", "Host: 127.0.0.1:8000", "Origin: http://127.0.0.1:8000"), 405),
        (("OPTIONS / HTTP/1.1", "Host: 127.0.0.1:8000", "Access-Control-Request-Method: POST"), 405),
        (("PUT /table.js HTTP/1.1", "Host: 127.0.0.1:8000"), 405),
        (("POST /table HTTP/1.1", "Host: 127.0.0.1:8000", "Origin: http://evil.example"), 405),
        (("GET / HTTP/1.1", "Host: 127.0.0.1:8000", "Origin: http://evil.example"), 403),
        (("GET / HTTP/1.1", "Host: 127.0.0.1:8000", "Content-Length: 0, 5"), 413),
        (("GET / HTTP/1.1", "Host: 127.0.0.1:8000", "Content-Length: +0"), 413),
        (("GET / HTTP/1.1", "Host : 127.0.0.1:8000"), 400),
        (("GET / HTTP/1.1", "Host: 127.0.0.1:8000", " folded: line"), 400),
        (("GET / HTTP/1.1", "Host: 127.0.0.1:8000", "X: y\nHost: evil.example"), 400),
        (("GET / HTTP/1.1", "Host: 127.0.0.1:8000", "X: y\rHost: evil.example"), 400),
        (("PRI * HTTP/2.0",), 400),
    ],
)
def test_a_strange_request_is_turned_away(lines: tuple[str, ...], status: int) -> None:
    refusal = admit(_request(*lines), DOOR)
    assert refusal is not None and refusal.status == status


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "[::1]:8000"])
def test_the_table_is_known_under_the_names_of_loopback(host: str) -> None:
    assert admit(_request("GET / HTTP/1.1", f"Host: {host}"), DOOR) is None
    assert admit(_request("GET /table HTTP/1.1", f"Host: {host}", f"Origin: http://{host}"), DOOR) is None


def test_over_the_network_only_the_token_opens_the_socket() -> None:
    own = ("Host: tacocat.local:8000", "Origin: http://tacocat.local:8000")
    assert admit(_request("GET /table?token=s3cret HTTP/1.1", *own), NETWORK_DOOR) is None
    for query in ("", "?token=", "?token=s3cre", "?token=%ff", "?a=1&b=1&c=1&d=1&token=s3cret"):
        refusal = admit(_request(f"GET /table{query} HTTP/1.1", *own), NETWORK_DOOR)
        assert refusal is not None and refusal.status == 403 and "token" in refusal.text
    foreign = admit(_request("GET /table?token=s3cret HTTP/1.1", own[0], "Origin: http://evil.example"), NETWORK_DOOR)
    assert foreign is not None and foreign.status == 403


def test_over_the_network_the_address_carries_a_token_that_no_one_guesses(twins: Twins) -> None:
    table = VirtualTable(twins, printed(), host="0.0.0.0", port=8000)
    token = table.url.partition("#token=")[2]
    assert len(token) >= 20
    server_module.token_of_this_run.cache_clear()  # as another run of the program
    assert token != VirtualTable(twins, printed(), host="0.0.0.0").url.partition("#token=")[2]


def test_a_table_that_is_opened_again_in_the_same_run_keeps_its_token(twins: Twins) -> None:
    urls = {VirtualTable(twins, printed(), host="0.0.0.0", port=8000).url for _ in range(2)}
    assert len(urls) == 1


def test_a_header_full_of_blanks_is_judged_in_one_pass() -> None:
    blanks = b" \t" * 4000
    for line in (b"X:" + blanks + b"\x01", b"X:" + blanks + b"y" + blanks, b"X" + blanks + b":", b"X:" * 4000):
        head = b"GET / HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n" + line + b"\r\n\r\n"
        with processor_s(5):  # blanks that were looked for from three sides took ten minutes
            admit(head, DOOR)


def test_the_web_server_gets_no_token_and_no_header_that_it_does_not_need() -> None:
    head = _request(
        "GET /table?token=s3cret&x=%zz HTTP/1.1", "Host: 127.0.0.1:8000", "COOKIE: a=b; %zz", "Content-Length: 0",
        "Upgrade: websocket", "Connection: Upgrade", "sec-websocket-KEY: abc",
    )  # fmt: skip
    assert what_is_needed(head) == _request(
        "GET /table HTTP/1.1", "Host: 127.0.0.1:8000", "Upgrade: websocket", "Connection: Upgrade",
        "sec-websocket-KEY: abc",
    )  # fmt: skip


@pytest.mark.parametrize("query", ["?x=%zz", "?%", "?a&&=&%"])
def test_a_strange_query_of_the_page_is_answered_with_the_page_and_without_a_traceback(
    table: VirtualTable, query: str, capfd: pytest.CaptureFixture[str]
) -> None:
    port = port_of(table)
    answer = ask(port, _request(f"GET /{query} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Cookie: ;=;%"))
    assert answer.startswith(b"HTTP/1.0 200")
    assert capfd.readouterr() == ("", "")


@given(st.binary(max_size=300) | st.lists(st.text(max_size=30), max_size=5).map(lambda lines: _request(*lines)))
@settings(max_examples=200, deadline=None)
def test_the_door_never_raises(head: bytes) -> None:
    for door in (DOOR, NETWORK_DOOR):
        assert isinstance(admit(head, door), TurnedAway)


def test_an_endless_head_is_cut_off(table: VirtualTable) -> None:
    assert ask(port_of(table), b"GET / HTTP/1.1\r\nX: " + b"a" * 20000).startswith(b"HTTP/1.0 431")


def test_a_visitor_who_does_not_speak_is_shown_out(twins: Twins, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "HEAD_S", 0.05)
    with VirtualTable(twins, printed(), port=0) as table:
        assert ask(port_of(table), b"GET / HT") == b""


def test_more_visitors_than_the_table_holds_are_told_so_and_the_seated_play_on(
    twins: Twins, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "MAX_CONNECTIONS", 3)
    with VirtualTable(twins, printed(), port=0) as table, contextlib.ExitStack() as stack:
        seated = [stack.enter_context(Client(port_of(table))) for _ in range(3)]
        assert [client.status for client in seated] == [101] * 3
        with Client(port_of(table)) as late:
            assert late.status == 503
        seated[0].send({"do": "draw", "to": "hand-yay"})
        while seated[1].wait_for("table")["pile"] != 37:
            pass


def test_a_visitor_who_says_nothing_gives_its_place_to_the_next(twins: Twins, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "MAX_CONNECTIONS", 3)
    with VirtualTable(twins, printed(), port=0) as table, contextlib.ExitStack() as stack:
        port = port_of(table)
        silent = [stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=10)) for _ in range(3)]
        silent[1].sendall(b"GET / HTTP/1.1\r\n")
        seated = [stack.enter_context(Client(port)) for _ in range(3)]
        assert [client.status for client in seated] == [101] * 3
        assert [sock.recv(1) for sock in silent] == [b""] * 3


def test_hundreds_who_come_and_go_leave_nothing_behind(table: VirtualTable) -> None:
    port = port_of(table)
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
    with Client(port_of(table)) as good, Client(port_of(table)) as bad:
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
    with Client(port_of(table)) as bad:
        bad.receive()
        bad.sock.sendall(frame)
        while bad.receive() is not None:
            pass


def test_a_frame_whose_rest_does_not_come_closes_its_window(twins: Twins, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "FRAME_S", 0.05)
    for part in (b"\x81\xfe", b"\x81\x8f\x00", b"\x81\x8f" + bytes(4) + b'{"do":'):
        with VirtualTable(twins, printed(), port=0) as table, Client(port_of(table)) as bad:
            bad.sock.sendall(part)
            while bad.receive() is not None:
                pass


def test_a_ping_is_answered_with_its_own_words(table: VirtualTable) -> None:
    with Client(port_of(table)) as window:
        window.receive()
        window.send_frame(0x8A, b"not asked for")
        window.send_frame(0x89, b"are you there?")
        assert window.stream.read(2 + 14) == b"\x8a\x0eare you there?"


@pytest.mark.parametrize(("first", "payload"), [(0x89, b""), (0x8A, b"x"), (0x81, b"")])
def test_pings_and_empty_messages_count_as_what_a_window_says(table: VirtualTable, first: int, payload: bytes) -> None:
    with Client(port_of(table)) as window:
        with contextlib.suppress(ConnectionError):
            for _ in range(3000):
                window.send_frame(first, payload)
        with contextlib.suppress(ConnectionError):
            while window.sock.recv(65536):
                pass
    with Client(port_of(table)) as after:
        assert after.receive() is not None


def test_a_window_that_says_more_than_hands_can_do_is_closed(table: VirtualTable) -> None:
    with Client(port_of(table)) as window:
        with contextlib.suppress(ConnectionError):
            for _ in range(3000):
                window.send({"do": "sweep"})
        assert any(window.receive() is None for _ in range(3)), "it is still served"
    with Client(port_of(table)) as after:
        assert after.receive() is not None


def test_a_window_that_does_not_read_keeps_nobody_waiting(twins: Twins, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "SEND_S", 0.2)
    monkeypatch.setattr(server_module, "FRAME_S", 0.001)
    twins.strip.colours = ((1, 2, 3),) * 20000  # type: ignore[attr-defined]
    with VirtualTable(twins, printed(), port=0) as table, Client(port_of(table)), Client(port_of(table)) as reads:
        while table.windows < 2:
            reads.receive()
        for step in range(2000):
            twins.strip.colours = ((step % 256, step // 256, 9),) * 20000  # type: ignore[attr-defined]
            reads.wait_for("strip")
            if table.windows == 1:
                break
        assert table.windows == 1, "the window that does not read has been closed"


def test_pieces_of_a_message_may_come_one_by_one(table: VirtualTable) -> None:
    with Client(port_of(table)) as window:
        window.receive()
        frame = bytes((0x81, 0x80 | 15)) + bytes(4) + json.dumps({"do": "cheat"}).encode()
        for byte in frame:
            window.sock.sendall(bytes((byte,)))
        (answer,) = window.wait_for("answers")
        assert "'do' is 'cheat'" in answer

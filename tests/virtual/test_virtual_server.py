"""The virtual table's server: what a window sees, and what it may do."""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import gc
import socket
import threading
from collections.abc import Iterator
from random import Random

import pytest

from firmware.virtual import windows as windows_module
from firmware.virtual.listening import Listening
from firmware.virtual.server import VirtualTable, VirtualTableError
from hardware.twins.gpio import Heard
from hardware.twins.table import Twins
from hardware.twins.virtual_time import VirtualTime
from tests.support.virtual_standins import DECK, UIDS, Client, Field, Fingers, Lights, Panel, ask, printed


@pytest.fixture
def twins() -> Twins:
    return Twins({"yay": Field(), "wow": Field()}, Fingers(), Lights(), Panel(), VirtualTime())  # type: ignore[arg-type]


@pytest.fixture
def table(twins: Twins) -> Iterator[VirtualTable]:
    with VirtualTable(twins, printed(), Listening(port=0), random=Random(5)) as opened:
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
    with VirtualTable(twins, facts, Listening(port=0)) as table, Client(port_of(table)) as window:
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
    monkeypatch.setattr(windows_module, "HEARTBEAT_S", 0.05)
    with VirtualTable(twins, printed(), Listening(port=0)) as table, Client(port_of(table)) as window:
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
    table = VirtualTable(twins, printed(), Listening(port=0))
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
    other = VirtualTable(twins, printed(), Listening(port=port_of(table)))
    with pytest.raises(VirtualTableError, match=f"Port {port_of(table)} of 127.0.0.1 is taken"):
        other.start()
    other.close()


# ---- the page ------------------------------------------------------------------------------------


def test_the_page_and_its_files_are_served_with_a_strict_policy(table: VirtualTable) -> None:
    port = port_of(table)
    for path, kind in (("/", "text/html"), ("/table.css", "text/css"), ("/table.js", "text/javascript")):
        answer = ask(port, f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        head, _, body = answer.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200")
        assert f"Content-Type: {kind}".encode() in head
        assert b"Content-Security-Policy: default-src 'none'; script-src 'self'" in head
        assert b"frame-ancestors 'none'" in head
        assert len(body) > 1000


@pytest.mark.parametrize("path", ["/../server.py", "/server.py", "/%2e%2e/etc/passwd", "//etc/passwd", "/page.html"])
def test_no_path_reaches_the_file_system(table: VirtualTable, path: str) -> None:
    port = port_of(table)
    answer = ask(port, f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 404")
    assert b"root:" not in answer and b"import" not in answer


@pytest.mark.parametrize("let_in_first", [False, True])
def test_whoever_comes_in_the_moment_of_closing_is_turned_away_without_a_word_in_the_log(
    twins: Twins, caplog: pytest.LogCaptureFixture, let_in_first: bool
) -> None:
    table = VirtualTable(twins, printed(), Listening(port=0))
    table.start()
    loop, closing = table._loop, table._closing
    assert loop is not None and closing is not None
    done = threading.Event()
    guests: list[socket.socket] = []

    def come_and_close() -> None:  # in one turn of the loop, so that the next one finds both
        guests.append(socket.create_connection(("127.0.0.1", table.port), timeout=5))
        table._closed.set()
        loop.call_soon(closing.set) if let_in_first else closing.set()
        done.set()

    loop.call_soon_threadsafe(come_and_close)
    done.wait()
    table.close()
    with guests[0] as guest, contextlib.suppress(ConnectionResetError):
        assert guest.recv(1) == b""
    gc.collect()
    assert caplog.records == []

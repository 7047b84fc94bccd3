"""What others have met in public with devices and pages like these: the P faults that no other test has shown."""

from __future__ import annotations

import os
import queue
from random import Random

import pytest
from websockets.sync.client import connect

from engine.rules import Mode, Rules
from engine.transcript import format_transcript, parse_transcript
from firmware import cli
from firmware.config.values import Config
from firmware.kept.games import transcripts, unfinished_game
from firmware.kept.journal import Journal
from firmware.kept.settings import OLD_FILE_NAME, OLD_HEADER, load
from firmware.virtual.listening import Listening
from firmware.virtual.server import VirtualTable
from hardware.controls import Controls
from hardware.ports import Press, Pressed
from hardware.twins.gpio import Desk
from hardware.twins.pico import PicoProcess
from hardware.twins.table import Twins
from hardware.twins.virtual_time import VirtualTime
from tests.support.places import GAMES
from tests.support.strip_support import PROGRAM
from tests.support.virtual_standins import Client, Field, Fingers, Lights, Panel, ask, printed

BOARD = GAMES / "board.taco"
BUTTONS = {"yay": (5, 13), "wow": (6, 19)}
MARK = "\ufeff"  # which some editors put before the first line of a text


# ---- files ---------------------------------------------------------------------------------------


def test_settings_of_the_first_version_with_a_byte_order_mark_are_taken_over(tmp_path):
    (tmp_path / OLD_FILE_NAME).write_text(f"{MARK}{OLD_HEADER}\r\nbrightness 40\r\n", encoding="utf-8")
    settings, notices = load(tmp_path, Config())
    assert (settings.brightness, notices) == (40, ())


def test_the_newest_game_is_that_of_the_highest_number_whatever_the_clock_said(tmp_path):
    rules = Rules(mode=Mode.BOARD)
    events = [entry.event for entry in parse_transcript(BOARD.read_text(encoding="utf-8"))[1]]
    for age, number in enumerate((9999, 10000, 2)):
        path = tmp_path / f"game-{number:04d}.taco"
        path.write_text(format_transcript(rules, events[: age + 1]), encoding="utf-8")
        os.utime(path, (1e9 - number, 1e9 - number))  # the clock has gone back between them
    assert [path.name for path in transcripts(tmp_path)] == ["game-10000.taco", "game-9999.taco", "game-0002.taco"]
    kept = unfinished_game(tmp_path)
    assert kept is not None and kept.path.name == "game-10000.taco"
    journal = Journal(tmp_path)
    journal.begin(rules)
    journal.close()
    assert transcripts(tmp_path)[0].name == "game-10001.taco"


@pytest.mark.parametrize("name", ["-a.taco", "--json", "ein Spiel, 'ä' und \"ß\".taco", "50% {x} $HOME.taco"])
def test_a_transcript_may_have_any_name(tmp_path, monkeypatch, capsys, name):
    (tmp_path / name).write_bytes(BOARD.read_bytes())
    monkeypatch.chdir(tmp_path)
    assert cli.main(["replay", "--", name]) == 0
    assert "Round 6: Tacocat on 2" in capsys.readouterr().out


# ---- pins and strip ------------------------------------------------------------------------------


def test_a_contact_that_chatters_without_end_does_not_keep_the_poll():
    """Each edge that is taken brings another one, as from a wire in the air that is quicker than the program."""
    time = VirtualTime()
    desk = Desk(BUTTONS, 18, time)
    controls = Controls(BUTTONS, 18, time, desk.factory)

    class Endless(queue.SimpleQueue):
        taken = 0

        def get(self, block=True, timeout=None):
            edge = super().get(block, timeout)
            self.taken += 1
            assert self.taken < 100, "it does not come to an end"
            self.put((edge[0], edge[1], not edge[2]))
            return edge

    controls._edges = Endless()
    controls._edges.put((0, "yay", True))
    time.advance_ms(10)
    controls.poll(10)
    controls._edges = queue.SimpleQueue()
    events = []
    desk.press("wow")
    for _ in range(20):
        time.advance_ms(10)
        events += controls.poll(time.now_ms())
    desk.release("wow")
    for _ in range(20):
        time.advance_ms(10)
        events += controls.poll(time.now_ms())
    assert ("wow", Press.OK) in [(e.button, e.press) for e in events if isinstance(e, Pressed)]
    controls.close()
    desk.factory.close()


def test_a_pico_that_starts_darkens_every_led_that_a_strip_can_have():
    pico = PicoProcess(PROGRAM, leds=300)
    pico._lit[:] = b"\x40" * 900  # as the power, or the program before a restart, has left them
    with pico:
        assert pico.wait_for(lambda: not any(map(any, pico.lit())), 5)


# ---- the page ------------------------------------------------------------------------------------


def twins() -> Twins:
    return Twins({"yay": Field(), "wow": Field()}, Fingers(), Lights(), Panel(), VirtualTime())


def test_a_table_that_is_opened_again_at_once_gets_its_port_back():
    parts = twins()
    with VirtualTable(parts, printed(), Listening(port=0), random=Random(1)) as table:
        port = table.port
        window = Client(port)
        assert window.receive() is not None
    with VirtualTable(parts, printed(), Listening(port=port), random=Random(1)) as table:
        assert table.port == port
    window.close()


def test_after_an_upgrade_no_browser_goes_on_with_the_old_page():
    with VirtualTable(twins(), printed(), Listening(port=0)) as table:
        for path in ("/", "/table.js", "/link.js", "/table.css"):
            head = ask(table.port, f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{table.port}\r\n\r\n".encode())
            assert b"\r\nCache-Control: no-store\r\n" in head.partition(b"\r\n\r\n")[0]


def test_no_window_costs_the_memory_of_a_compressor_though_its_browser_offers_one():
    with VirtualTable(twins(), printed(), Listening(port=0)) as table:
        host = f"127.0.0.1:{table.port}"
        with connect(f"ws://{host}/table", origin=f"http://{host}", compression="deflate", proxy=None) as window:
            assert window.response is not None
            assert "Sec-WebSocket-Extensions" not in window.response.headers

"""`tacocat run`: the main menu first, over the whole device on twins, in real time."""

import queue
import socket
import threading
from collections.abc import Sequence

import pytest

from engine.rules import Mode
from firmware.config.values import Config
from firmware.files.lock import DeviceBusyError
from firmware.kept.games import read_game
from firmware.kept.settings import Setting
from firmware.run import app as session
from firmware.run.loop import run as run_loop
from firmware.run.poller import Poller
from firmware.table.menus import Item
from firmware.table.state import Stage, TableEvent
from firmware.virtual.listening import Listening
from hardware.ports import HardwareEvent, Placed
from hardware.twins.tags import Tag
from hardware.twins.virtual_time import VirtualTime
from tests.support.running import running


def test_an_unfinished_game_is_offered_at_the_next_start_exactly_as_it_was(tmp_path, monkeypatch):
    with running(tmp_path, monkeypatch) as run:
        run.take("referee")
        run.until(lambda: run.loop.table.stage is Stage.CLEAR)
        for player in ("yay", "yay", "wow", "yay"):
            run.press(player)
        run.until(lambda: run.game.phase.value == "replace")
        left = run.game
    with running(tmp_path, monkeypatch) as run:
        run.until(lambda: run.loop.table.menu is not None)
        assert run.loop.table.menu.items[0] == Item.RESUME
        run.take(Item.RESUME)
        run.until(lambda: run.loop.table.stage is Stage.ROUND)
        assert run.game == left
        run.press("wow")
        run.until(lambda: run.game.phase.value == "duel")
        left = run.game
    (kept,) = (tmp_path / "games").glob("*.taco")  # the same file was resumed
    assert read_game(kept).game == left


def test_a_game_of_that_mode_is_offered_too_by_the_command_that_plays_it(tmp_path, monkeypatch):
    with running(tmp_path, monkeypatch, Mode.BOARD) as run:
        run.until(lambda: run.loop.table.stage is Stage.ROUND)
        run.press("wow")
    with running(tmp_path, monkeypatch, Mode.REFEREE) as run:
        run.until(lambda: run.loop.table.stage is Stage.CLEAR)
    with running(tmp_path, monkeypatch, Mode.BOARD) as run:
        run.until(lambda: run.loop.table.menu is not None)
        assert run.loop.table.menu.items == (Item.RESUME, "board")
        run.take(Item.RESUME)
        run.until(lambda: run.loop.table.stage is Stage.ROUND)
        assert run.game.track.tacocat == 5
    with running(tmp_path, monkeypatch, Mode.BOARD) as run:
        run.take("board")
        run.until(lambda: run.loop.table.stage is Stage.ROUND)
        assert run.game.track.tacocat == 4


def test_settings_are_kept_and_swapped_sides_are_wired_at_once(tmp_path, monkeypatch):
    with running(tmp_path, monkeypatch) as run:
        run.take(Item.SETTINGS)
        run.take(Setting.SWAP_SIDES)
        run.until(lambda: len(run.loops) == 2)
        run.until(lambda: run.loop.table.menu is not None)
        assert run.loop.table.settings.swap_sides
        run.take(Item.BACK)
        run.take(Mode.BOARD.value)
        run.until(lambda: run.game.rules.mode is Mode.BOARD)
    with running(tmp_path, monkeypatch) as run:
        run.until(lambda: run.loop.table.menu is not None)
        assert run.loop.table.settings.swap_sides


def test_systemd_hears_that_the_table_is_ready_lives_and_stops(tmp_path, monkeypatch):
    address = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(address)
        manager.settimeout(5)
        monkeypatch.setenv("NOTIFY_SOCKET", address)
        monkeypatch.setenv("WATCHDOG_USEC", "200000")
        monkeypatch.delenv("WATCHDOG_PID", raising=False)
        with running(tmp_path / "state", monkeypatch):
            heard = []
            while "WATCHDOG=1" not in heard:
                heard += manager.recv(4096).decode().splitlines()
            assert heard[0] == "READY=1"
            told = False
        while not told:
            told = "STOPPING=1" in manager.recv(4096).decode()


def test_s12_pads_that_hang_starve_the_watchdog_of_a_session_whose_loop_goes_on(tmp_path, monkeypatch):
    address, free = str(tmp_path / "notify"), threading.Event()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(address)
        manager.settimeout(5)
        monkeypatch.setenv("NOTIFY_SOCKET", address)
        monkeypatch.setenv("WATCHDOG_USEC", "200000")
        monkeypatch.delenv("WATCHDOG_PID", raising=False)
        with running(tmp_path / "state", monkeypatch) as run:
            run.until(lambda: b"WATCHDOG=1" in manager.recv(4096))
            run.parts[0].twins.pads["wow"].before_transfer = lambda number: free.wait(10)
            manager.settimeout(0.5)  # ten times as long as from one feeding to the next
            fed = 0
            try:
                with pytest.raises(TimeoutError):
                    while fed < 10:
                        fed += manager.recv(4096) == b"WATCHDOG=1"
            finally:
                free.set()


def test_the_check_is_in_the_menu_and_asks_with_the_two_buttons(tmp_path, monkeypatch):
    monkeypatch.setattr("firmware.check.at_table.LOOK_MS", 100)
    monkeypatch.setattr("firmware.check.pads.CARD_MS", 600)  # nobody lays a card down
    with running(tmp_path, monkeypatch) as run:
        run.take(Item.CHECK)
        desk, pause = run.parts[0].twins.desk, threading.Event()
        while len(run.loops) < 2:  # wow's button takes every first answer, and is pressed when it is asked for
            for player in ("yay", "wow", "wow"):
                desk.press(player)
                pause.wait(0.12)
                desk.release(player)
                pause.wait(0.12)
        run.until(lambda: run.loop.table.menu is not None and run.loop.table.menu.page == "checked")
        rows = {row.part: row.state.value for row in run.loop.table.checked}
        assert rows["strip"] in ("ok", "fault") and rows["disk"] == "ok"
        run.press("yay")
        run.press("wow")
        assert run.loop.shown.page.note and run.loop.shown.page.title == run.loop.table.checked[0].part
        run.press("wow")
        run.take(Item.BACK)
        assert run.loop.table.menu.page == "main"


def test_events_go_into_the_transcript_of_the_game_that_is_gone_on_with(tmp_path, monkeypatch):
    with running(tmp_path, monkeypatch) as run:
        run.take("board")
        run.until(lambda: run.game.rules.mode is Mode.BOARD)
        run.press("wow")
    with running(tmp_path, monkeypatch) as run:
        run.take("referee")  # not the offered one
        run.until(lambda: run.loop.table.stage is Stage.CLEAR)
        for player in ("yay", "yay"):
            run.press(player)
        run.hold_both()
        run.take(Item.MAIN_MENU)
        run.take(Item.RESUME)
        run.until(lambda: run.loop.table.stage is Stage.ROUND)
        run.press("wow")
        run.until(lambda: run.game.phase.value == "replace")
        left = run.game
    first, second = sorted((tmp_path / "games").glob("*.taco"))
    assert read_game(first).events == 1
    assert read_game(second).game == left


def test_a_card_that_lay_there_while_the_sides_were_swapped_is_no_ghost(tmp_path, monkeypatch):
    with running(tmp_path, monkeypatch) as run:
        run.until(lambda: run.loop.table.menu is not None)
        run.parts[-1].twins.pads["yay"].put(Tag(bytes.fromhex("047ac0ca776180")))
        run.until(lambda: run.loop.table.pads[0].lying)
        run.take(Item.SETTINGS)
        run.take(Setting.SWAP_SIDES)
        run.until(lambda: len(run.loops) == 2 and run.loop.table.menu is not None)
        assert run.loop.table.pads_clear


def test_the_check_ends_when_both_buttons_are_held_and_when_the_program_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr("firmware.check.at_table.LOOK_MS", 100)
    monkeypatch.setattr("firmware.check.pads.CARD_MS", 600)
    with running(tmp_path, monkeypatch) as run:
        run.take(Item.CHECK)
        desk = run.parts[0].twins.desk
        for _ in range(60):  # until a question is asked, and answered with both buttons
            if len(run.loops) > 1:
                break
            desk.press("yay"), desk.press("wow")
            run._pause.wait(2.3)
            desk.release("yay"), desk.release("wow")
            run._pause.wait(0.2)
        run.until(lambda: len(run.loops) == 2 and run.loop.table.menu is not None)
        assert run.loop.table.menu.page == "main" and run.loop.table.checked == ()


def test_two_programs_do_not_keep_games_in_one_folder(tmp_path, monkeypatch):
    with running(tmp_path, monkeypatch) as run:
        run.until(lambda: run.loop.table.menu is not None)
        other = session.Options(Mode.BOARD, "virtual", Config(), tmp_path, Listening(port=0))
        with pytest.raises(DeviceBusyError, match="tacocat run"):
            session.play(other, lambda line: None)


class Rounds:
    """A source that reads these events, a list in each poll, and then nothing; `read` is set behind the last."""

    pause_ms = 0

    def __init__(self, *rounds: list[HardwareEvent]) -> None:
        self._rounds = list(rounds)
        self.read = threading.Event()

    def poll(self, now_ms: int) -> list[HardwareEvent]:
        if self._rounds:
            return self._rounds.pop(0)
        self.read.set()
        return []

    def close(self) -> None: ...


class Taken:
    """In place of a loop: keeps what each turn is given."""

    def __init__(self) -> None:
        self.turns: list[list[TableEvent]] = []

    def pause_ms(self, now_ms: int) -> int:
        return 0

    def turn(self, events: Sequence[TableEvent], now_ms: int) -> None:
        self.turns.append(list(events))


def test_r19_cards_that_come_while_the_loop_is_busy_are_all_taken_in_their_order():
    first, second, third = (Placed("yay", bytes([4, 1, 2, number]), number) for number in range(3))
    mailbox, stop, taken = queue.SimpleQueue(), threading.Event(), Taken()
    pads = Rounds([first], [], [second, third])
    poller = Poller(pads, mailbox, VirtualTime())
    assert pads.read.wait(10)  # all that time nobody looks into the mailbox
    poller.close()
    run_loop(taken, Rounds(), mailbox, VirtualTime(), stop, stop.set)
    assert taken.turns == [[first, second, third]]

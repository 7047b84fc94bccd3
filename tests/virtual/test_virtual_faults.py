"""The virtual table's server when something of its own fails: it says so, once, and loses as little as can be."""

from __future__ import annotations

import asyncio
import errno
import logging
import subprocess
import sys
import threading
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from firmware.errors import OnceAMinute
from firmware.virtual import server as server_module
from firmware.virtual.faults import LOG
from firmware.virtual.listening import Listening
from firmware.virtual.look import Look
from firmware.virtual.server import VirtualTable, VirtualTableError
from firmware.virtual.windows import Windows
from firmware.virtual.world import World
from hardware.twins.table import Twins
from hardware.twins.virtual_time import VirtualTime
from tests.support.places import ROOT
from tests.support.virtual_standins import Client, Field, Fingers, Lights, Panel, printed


@pytest.fixture
def twins() -> Twins:
    return Twins({"yay": Field(), "wow": Field()}, Fingers(), Lights(), Panel(), VirtualTime())  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def told_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing has been told yet."""
    for logger in (LOG, server_module.LIBRARY_LOG):
        monkeypatch.setattr(logger, "filters", [OnceAMinute()])


def raising(fault: Exception) -> Callable[..., Any]:
    def fail(*_: object, **__: object) -> None:
        raise fault

    return fail


def still_open() -> bool:
    return any(thread.name == "virtual table" for thread in threading.enumerate())


# ---- what cannot be opened -------------------------------------------------------------------------

REASONS = [
    (RuntimeError("no such luck \x1b[2J"), r"could not be opened: RuntimeError: no such luck .\[2J \(.*line \d+\)"),
    (OSError(errno.EMFILE, "Too many open files"), "no more files may be open here.*ulimit -n"),
    (OSError(errno.EACCES, "Permission denied"), "cannot listen on 127.0.0.1, port 8123: Permission denied"),
    (OSError("odd"), "cannot listen on 127.0.0.1, port 8123: odd"),
    (MemoryError(), "could not be opened: MemoryError"),
    (AssertionError("the library has changed"), "could not be opened: AssertionError: the library has changed"),
]


def test_a_port_that_only_root_may_open_is_told_from_other_refusals(twins: Twins, monkeypatch) -> None:
    monkeypatch.setattr(server_module, "serve", raising(PermissionError(errno.EACCES, "Permission denied")))
    table = VirtualTable(twins, printed(), Listening(port=80))
    with pytest.raises(VirtualTableError, match=r"Port 80 of 127\.0\.0\.1 is not ours to open.*from 1024 to 65535"):
        table.start()


@pytest.mark.parametrize(("fault", "words"), REASONS)
@pytest.mark.parametrize("where", ["serve", "Crowd"])
def test_f13_whatever_fails_while_the_server_is_made_ends_the_start_with_its_reason(
    twins: Twins, monkeypatch: pytest.MonkeyPatch, fault: Exception, words: str, where: str
) -> None:
    monkeypatch.setattr(server_module, where, raising(fault))
    table = VirtualTable(twins, printed(), Listening(port=8123))
    with pytest.raises(VirtualTableError, match=words) as told:
        table.start()
    assert told.value.__cause__ is fault and "\x1b" not in str(told.value)
    table.close()
    assert not still_open()


def test_f13_a_loop_that_cannot_be_made_ends_the_start_with_its_reason(
    twins: Twins, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        asyncio.events, "new_event_loop", raising(OSError(errno.ENFILE, "Too many open files in system"))
    )
    with pytest.raises(VirtualTableError, match="no more files may be open"):
        VirtualTable(twins, printed(), Listening(port=0)).start()
    assert not still_open()


def test_f13_a_thread_that_cannot_be_had_ends_the_start_with_its_reason(
    twins: Twins, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threading.Thread, "start", raising(RuntimeError("can't start new thread")))
    table = VirtualTable(twins, printed(), Listening(port=0))
    with pytest.raises(VirtualTableError, match="can't start new thread"):
        table.start()
    table.close()


FEW_FILES = """
import resource, sys
from tests.support.virtual_standins import Field, Fingers, Lights, Panel, printed
from firmware.virtual.listening import Listening
from firmware.virtual.server import VirtualTable, VirtualTableError
from hardware.twins.table import Twins
from hardware.twins.virtual_time import VirtualTime
parts = Twins({"yay": Field(), "wow": Field()}, Fingers(), Lights(), Panel(), VirtualTime())
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
tables = [VirtualTable(parts, printed(), Listening(port=0)) for _ in range(20)]
for files, table in enumerate(tables, 3):
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, most))
    try:
        table.start()
    except VirtualTableError as fault:
        print(fault)
    else:
        print("open")
        table.close()
"""


def test_f36_however_few_files_may_be_open_the_start_comes_to_an_end() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FEW_FILES], capture_output=True, text=True, check=True, cwd=ROOT, timeout=60
    )
    said = done.stdout.splitlines()
    assert len(said) == 20 and said[-1] == "open", done.stdout
    assert all("ulimit -n" in line for line in said if line != "open") and said[0] != "open"
    assert done.stderr == ""


# ---- what fails later ------------------------------------------------------------------------------


def test_a_server_that_fails_is_opened_again_at_the_same_place_and_says_why(
    twins: Twins, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(server_module, "AGAIN_S", 0.01)
    fail, tick = threading.Event(), VirtualTable._tick

    async def failing(table: VirtualTable, closing: asyncio.Event) -> None:
        if not fail.is_set():
            fail.set()
            raise ZeroDivisionError("a bug of ours")
        await tick(table, closing)

    monkeypatch.setattr(VirtualTable, "_tick", failing)
    with VirtualTable(twins, printed(), Listening(port=0)) as table:
        port = table.port
        assert fail.wait(10)
        while True:  # as a page does
            try:
                with Client(port) as window:
                    if window.status == 101 and window.wait_for("table")["pile"] == 38:
                        break
            except (OSError, AssertionError):
                continue
    assert not still_open()
    (line,) = caplog.messages
    assert line.startswith(
        "The virtual table's server has failed and is opened again: ZeroDivisionError: a bug of ours"
    )


def test_what_cannot_be_done_is_answered_and_told_once_and_the_window_stays(
    twins: Twins, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(World, "_draw", raising(KeyError("pile")))
    with VirtualTable(twins, printed(), Listening(port=0)) as table, Client(table.port) as window:
        for _ in range(5):
            window.send({"do": "draw", "to": "hand-yay"})
            assert window.wait_for("answers") == ["That failed. The terminal in which tacocat runs says why."]
        window.send({"do": "press", "button": "yay"})
        window.send({"do": "cheat"})
        window.wait_for("answers")
        assert twins.desk.history == [("press", "yay")]  # type: ignore[attr-defined]
    (line,) = caplog.messages
    assert "could not do what a window asked for: KeyError: 'pile'" in line


@pytest.mark.parametrize(
    ("room", "name", "words"),
    [(Look, "again", "look at its parts"), (World, "step", "deal on"), (Windows, "listen", "hear the buzzer")],
)
def test_a_part_that_cannot_be_looked_at_keeps_no_other_from_its_turn(
    twins: Twins, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, room: type, name: str, words: str
) -> None:
    monkeypatch.setattr(room, name, raising(OverflowError("too far")))
    with VirtualTable(twins, printed(), Listening(port=0)) as table, Client(table.port) as window:
        for _ in range(3):
            window.send({"do": "press", "button": "wow"})
            window.send({"do": "cheat"})
            window.wait_for("answers")
    assert ("press", "wow") in twins.desk.history  # type: ignore[attr-defined]
    (line,) = caplog.messages
    assert line.startswith(f"The virtual table could not {words}: OverflowError: too far")


def test_a_window_that_cannot_be_shown_its_news_is_closed_and_the_reason_told(
    twins: Twins, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("firmware.virtual.windows.json.dumps", raising(ValueError("circular")))
    with VirtualTable(twins, printed(), Listening(port=0)) as table:
        for _ in range(3):
            with Client(table.port) as window:
                assert window.receive() is None
    (line,) = caplog.messages
    assert "could not show a window what there is: ValueError: circular" in line


def test_a_fault_that_nobody_waits_for_is_told_in_one_clean_line(
    twins: Twins, caplog: pytest.LogCaptureFixture
) -> None:
    with VirtualTable(twins, printed(), Listening(port=0), Random(5)) as table:
        assert table._loop is not None
        said = threading.Event()
        for text in ("\x1b[31mred\nlines", "\x1b[31mred\nlines"):
            context = {"message": text, "exception": OSError(errno.EMFILE, "Too many open files")}
            table._loop.call_soon_threadsafe(table._loop.call_exception_handler, context)
        table._loop.call_soon_threadsafe(said.set)
        assert said.wait(10)
    (line,) = caplog.messages
    assert line.startswith("The virtual table: \ufffd[31mred lines: OSError: [Errno 24]")


# ---- how it is told --------------------------------------------------------------------------------


def record(text: str, fault: BaseException | None = None) -> logging.LogRecord:
    told = (type(fault), fault, None) if fault else None
    return logging.LogRecord("tacocat.page", logging.ERROR, "", 0, text, (), told)  # type: ignore[arg-type]


def test_the_same_fault_is_told_once_a_minute_and_another_at_once() -> None:
    now_s = 1000.0
    once = OnceAMinute(lambda: now_s)
    assert once.filter(record("one", ValueError("x")))
    assert not once.filter(record("one", ValueError("x")))
    assert not once.filter(record("one", ValueError("y")))
    assert once.filter(record("one", KeyError("y")))
    assert once.filter(record("two"))
    now_s += 59.9
    assert not once.filter(record("two"))
    now_s += 0.2
    assert once.filter(record("two")) and not once.filter(record("two"))


def test_faults_of_ever_new_words_fill_neither_memory_nor_line() -> None:
    now_s = 0.0
    once = OnceAMinute(lambda: now_s)
    for minute in range(1, 4):
        told = 0
        for number in range(500):
            long = record(f"{number} \x07" + "x" * 5000)
            told += once.filter(long)
            assert len(long.getMessage()) <= 300 and long.getMessage().isprintable()
        assert told == 64 and len(once._told_at_s) <= 64
        now_s = 60.0 * minute

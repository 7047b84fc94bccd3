"""The command `tacocat`: its words, its errors, and an end in good order."""

import os
import queue
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from urllib.parse import unquote

import pytest

from engine.rules import Mode
from engine.transcript import parse_transcript
from firmware import __version__, cli
from firmware.config.values import Config
from firmware.errors import FirmwareError
from firmware.files.lock import DeviceBusyError, DeviceLock
from firmware.kept.deck import Tags, save
from firmware.kept.folder import DECK_FILE
from firmware.run.app import Options, play
from firmware.virtual import server
from firmware.virtual.deck import virtual_tags
from firmware.virtual.listening import Listening
from tests.support.places import ROOT
from tests.support.virtual_standins import ask

TACOCAT = [sys.executable, "-c", "import sys; from firmware.cli import main; sys.exit(main())"]


def start(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*TACOCAT, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        preexec_fn=_as_in_a_terminal,  # noqa: PLW1509 - it only sets a handler
    )


def _as_in_a_terminal() -> None:
    """A job in the background has SIGINT ignored, and hands that on."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_stop_ends_the_evening_in_good_order(tmp_path, number):
    with start("board", "--virtual", "--no-browser", "--port", "0", "--state", str(tmp_path)) as program:
        assert program.stdout is not None
        assert re.search(r"open at http://127\.0\.0\.1:\d+/", program.stdout.readline())
        program.send_signal(number)
        _, errors = program.communicate(timeout=5)
    assert program.returncode == 0, errors
    assert "Traceback" not in errors
    rules, entries = parse_transcript((tmp_path / "games" / "game-0001.taco").read_text())
    assert (rules.mode, entries) == (Mode.BOARD, [])


def test_a_table_that_is_stopped_leaves_strip_and_screen_dark(tmp_path, monkeypatch):
    opened = []
    from firmware.run import app as session

    def spy(*words):
        parts = really(*words)
        opened.append(parts)
        return parts

    really = session.open_parts
    monkeypatch.setattr(session, "open_parts", spy)
    stop, ready = threading.Event(), threading.Event()
    options = Options(Mode.BOARD, "virtual", Config(), tmp_path, Listening(port=0))
    evening = threading.Thread(target=play, args=(options, lambda line: "Stop" in line and ready.set(), stop))
    evening.start()
    assert ready.wait(10)
    twins = opened[0].twins
    assert twins.strip.wait_for(lambda: any(map(any, twins.strip.lit())), 5)
    stop.set()
    evening.join(5)
    assert not evening.is_alive()
    assert not twins.screen.on
    assert not any(map(any, twins.strip.frames()[-1].colours))


@pytest.mark.parametrize("shared", [False, True])
def test_f25_the_browser_is_opened_when_the_page_is_there_and_the_table_plays_on_while_it_stays(
    tmp_path, monkeypatch, shared
):
    from firmware.virtual import browser

    stop, over, told, met = threading.Event(), threading.Event(), [], []
    stayed = queue.SimpleQueue()

    def foreground(address):
        if address.startswith("file:"):
            address = re.search(r'href="([^"]*)"', Path(unquote(address.removeprefix("file://"))).read_text())[1]
        port = int(re.search(r":(\d+)/", address)[1])
        met.append((address, ask(port, f"GET / HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n".encode())))
        stop.set()
        stayed.put(over.wait(10))

    monkeypatch.setattr(browser, "_run", foreground)
    monkeypatch.setenv("DISPLAY", ":0")
    play(Options(Mode.BOARD, "virtual", Config(), tmp_path, Listening(port=0, shared=shared), True), told.append, stop)
    over.set()
    assert stayed.get(timeout=20), "the table waited for the browser"
    address, answer = met[0]
    assert answer.startswith(b"HTTP/1.1 200")
    assert told[0] == f"The virtual table is open at {address}" and ("#token=" in address) is shared


def test_a_faulty_configuration_is_refused_with_all_its_faults(tmp_path, capsys):
    config = tmp_path / "table.toml"
    config.write_text("language = 'xx'\n[track]\nbudget_ma = 7\n")
    assert cli.main(["play", "--virtual", "--config", str(config)]) == 2
    said = capsys.readouterr().err
    assert "language" in said and "budget_ma" in said and str(config) in said


def test_a_device_without_a_deck_is_told_what_a_deck_is(tmp_path, monkeypatch):
    monkeypatch.setattr("firmware.run.app.lock_path", lambda: tmp_path / "lock")
    with pytest.raises(FirmwareError, match=r"7b 04a1b2c3d4e5f6"):
        play(Options(Mode.PLAY, "pi", Config(), tmp_path), print)


def test_a_deck_with_a_gap_is_refused_in_words(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("firmware.run.app.lock_path", lambda: tmp_path / "lock")
    tags = {uid: card for uid, card in virtual_tags(Config().deck).items() if str(card) != "7b"}
    save(tmp_path / DECK_FILE, Tags.of(tags))
    assert cli.main(["play", "--device", "--state", str(tmp_path)]) == 1
    assert "7s are lettered a c d" in capsys.readouterr().err


def test_a_second_program_is_told_which_one_has_the_device(tmp_path):
    path = tmp_path / "lock"
    with DeviceLock(path, "tacocat referee"), pytest.raises(DeviceBusyError) as told, DeviceLock(path, "tacocat play"):
        pass
    assert f"tacocat referee (process {os.getpid()})" in str(told.value)
    with DeviceLock(path, "tacocat play"):
        pass


def test_an_unknown_backend_is_refused_with_the_known_ones(tmp_path, monkeypatch):
    monkeypatch.setattr("firmware.run.app.lock_path", lambda: tmp_path / "lock")
    with pytest.raises(FirmwareError, match="pi, virtual"):
        play(Options(Mode.BOARD, "arduino", Config(), tmp_path), print)


def test_a_pi_is_known_by_its_device_tree(tmp_path):
    model = tmp_path / "model"
    model.write_bytes(b"Raspberry Pi 4 Model B Rev 1.4\0")
    assert cli.is_pi(model)
    model.write_bytes(b"Some Other Board\0")
    assert not cli.is_pi(model)
    assert not cli.is_pi(tmp_path / "nothing")


def test_a_port_that_is_taken_is_said_in_words(tmp_path, capsys):
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        words = ["board", "--virtual", "--no-browser", "--port", str(port), "--state", str(tmp_path)]
        assert cli.main(words) == 1
    assert str(port) in capsys.readouterr().err


@pytest.mark.parametrize("port", ["99999", "-1", "x", "٣"])
def test_a_port_that_cannot_be_is_refused_at_once(port, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["board", "--virtual", "--port", port])
    assert ended.value.code == 2
    assert "0 to 65535" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("host", "port", "expected"),
    [
        ("127.0.0.1", 99999, "99999 is no port: one from 0 (any free one) to 65535 is expected"),
        ("no such host", 0, "no such host is no address of this machine: one of its own is expected"),
        ("\u2603" * 80, 0, "is no address of this machine"),
        ("192.0.2.1", 0, "192.0.2.1 is no address of this machine: one of its own is expected, as --host 127.0.0.1"),
    ],
)
def test_a_table_that_cannot_be_opened_says_so_and_does_not_wait(tmp_path, capsys, monkeypatch, host, port, expected):
    monkeypatch.setattr(cli, "_port", int)
    words = ["board", "--virtual", "--no-browser", "--host", host, "--port", str(port), "--state", str(tmp_path)]
    assert cli.main(words) == 1
    assert expected in capsys.readouterr().err


def test_an_address_of_another_machine_is_told_as_such_where_asyncio_gives_no_number(tmp_path, capsys, monkeypatch):
    async def as_since_3_12(*_words, **_more):
        raise OSError("could not bind on any address out of [('192.0.2.1', 0)]")

    monkeypatch.setattr(server, "serve", as_since_3_12)
    words = ["board", "--virtual", "--no-browser", "--host", "192.0.2.1", "--port", "0", "--state", str(tmp_path)]
    assert cli.main(words) == 1
    assert "192.0.2.1 is no address of this machine" in capsys.readouterr().err


HANGING = """
import sys, threading
from hardware.twins.rc522 import RC522
class Hanging(RC522):
    def xfer2(self, *words, **more):
        if self.transfers > 500:
            print("hangs", flush=True)
            threading.Event().wait(60)
        return super().xfer2(*words, **more)
import firmware.virtual.parts
firmware.virtual.parts.RC522 = Hanging
from firmware.cli import main
sys.exit(main())
"""


def test_s3_a_stop_is_over_within_two_seconds_whatever_hangs(tmp_path):
    words = ["board", "--virtual", "--no-browser", "--port", "0", "--state", str(tmp_path)]
    with subprocess.Popen(
        [sys.executable, "-c", HANGING, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    ) as program:
        assert program.stdout is not None
        while "hangs" not in program.stdout.readline():
            pass
        program.send_signal(signal.SIGTERM)
        try:
            program.communicate(timeout=5)
        finally:
            program.kill()
    assert program.returncode == 0


@pytest.mark.parametrize("folder", [ROOT, Path("/")])
def test_f30_the_version_is_told_wherever_one_stands(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "firmware", "--version"], cwd=folder, capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == (f"tacocat {__version__}\n", "")


@pytest.mark.parametrize(
    "words", [["games", "--state", ""], ["check", "--virtual", "--config", ""], ["deck", "import", ""]]
)
def test_an_empty_name_is_not_taken_for_the_folder_one_is_in(words, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(words)
    assert ended.value.code == 2 and "'' is no file or folder" in capsys.readouterr().err

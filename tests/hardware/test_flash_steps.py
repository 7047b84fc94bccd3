"""Putting the program on a Pico, step by step, on a clock of the test's own: what is said, asked, run and waited for.

The port and mpremote are of this file. (With the real ones: test_pico_flash.py.)
"""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hardware import frames
from hardware.flash import FlashError, flash
from hardware.link import FoundPort, LinkError
from tests.support.strip_support import who

PATH, NEW_PATH = "/dev/ttyACM0", "/dev/ttyACM1"
STEP_S = 0.125  # what a wait of a tenth of a second takes here: a number that adds up exactly


class Desk:
    """A Pico that runs `version` of the program, or (None) waits at its prompt; where it is; and what it is told."""

    def __init__(self, version: int | None) -> None:
        self.version, self.after_reset = version, frames.VERSION
        self.now_s = 0.0
        self.paths = [PATH]
        self.closed: set[str] = set()  # cannot be opened
        self.asked: list[tuple[str, int]] = []
        self.ran: list[tuple[str, ...]] = []
        self.said: list[str] = []
        self.micropython = "micropython 1 20"
        self.restarts = self.hangs_up = True
        self.chatter_s = 0.0  # it talks all the time, and each reading takes so long
        self.last_words_s = 0.0  # the same, from when it is to restart on
        self.then_at = self.paths  # where it is afterwards
        self.looks = 0
        self.files: dict[str, bytes] = {}
        self.status = 0  # of mpremote
        self.run_raises: Exception | None = None
        self._parser, self._out, self._gone = frames.Parser(), b"", False

    def find_ports(self) -> list[FoundPort]:
        self.looks += 1
        return [FoundPort(path, "Board") for path in self.paths]

    def flash(self, program: Path, **options: Any) -> None:
        flash(self.find_ports, program, self.said.append, wait_s=1.0, **options)

    # its port

    def open(self, path: str) -> Desk:
        if path in self.closed or path not in self.paths:
            raise LinkError(f"cannot open {path}")
        self._out, self._gone = b"", False
        return self

    def fileno(self) -> int:
        return 7

    def write(self, data: bytes) -> None:
        for kind, seq, _ in self._parser.feed(data):
            self.asked.append((chr(kind), seq))
            if self.version is None:
                continue
            if kind == frames.HELLO:
                self._out += b"ok\r\n" + frames.encode(kind | frames.ANSWER, seq + 1) + who(self.version)
            elif kind == frames.PROMPT and self.restarts:
                self._out += frames.encode(kind | frames.ANSWER, seq)
                self.version, self._gone = None, self.hangs_up
                self.chatter_s, self.paths = self.last_words_s, self.then_at

    def read(self, most: int) -> bytes:
        assert most == 4096
        if self._out:
            out, self._out = self._out, b""
            return out
        if not self.chatter_s:
            raise OSError(5, "Input/output error")
        self.now_s += self.chatter_s
        return b"?"

    def select(self, reading: list[int], writing: list[int], other: list[int], timeout_s: float) -> Any:
        assert reading == [7] and timeout_s > 0
        if self._out or self._gone or self.chatter_s:
            return reading, [], []
        self.now_s += timeout_s
        return [], [], []

    def sleep(self, s: float) -> None:
        assert s == 0.1
        self.now_s += STEP_S

    # mpremote

    def run(self, command: Sequence[str], **options: Any) -> SimpleNamespace:
        if self.run_raises is not None:
            raise self.run_raises
        assert options == {"capture_output": True, "text": True, "timeout": 60.0, "check": False}
        name, connect, _, resume, *words = command
        assert (name, connect, resume) == ("mpremote", "connect", "resume")
        self.ran.append(tuple(words))
        said = ""
        if words[:1] == ["reset"]:
            self.version = self.after_reset
        elif "sys.implementation" in words[1]:
            said = self.micropython
        elif words[:2] == ["fs", "cp"]:
            self.files[words[3]] = Path(words[2]).read_bytes()
        elif "sha256" in words[1]:
            (data,) = (data for name, data in self.files.items() if repr(name[1:]) in words[1])
            said = hashlib.sha256(data).hexdigest() + "\r\n"
        return SimpleNamespace(returncode=self.status, stdout=said, stderr="oh\n")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "main.py").write_text("import strip\n", "utf-8")
    (tmp_path / "strip.py").write_text("LEDS = 64\n", "utf-8")
    return tmp_path


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    desk = Desk(frames.VERSION)
    monkeypatch.setitem(flash.__kwdefaults__, "mpremote", ("mpremote",))  # type: ignore[arg-type]
    monkeypatch.setattr("hardware.flash.subprocess.run", desk.run)
    monkeypatch.setattr("hardware.flash.open_exclusively", desk.open)
    monkeypatch.setattr("hardware.flash.let_go", lambda port: None)
    monkeypatch.setattr("hardware.flash.select", SimpleNamespace(select=desk.select))
    monkeypatch.setattr("hardware.flash.time", SimpleNamespace(monotonic=lambda: desk.now_s, sleep=desk.sleep))
    return desk


def test_a_pico_that_runs_the_program_is_sent_to_its_prompt_and_gets_file_after_file_main_last(
    desk: Desk, program: Path
) -> None:
    desk.flash(program)
    hello = ("H", frames.HELLO_SEQ)
    assert desk.asked == [hello, hello, ("X", 1), hello]
    assert "sys.implementation" in desk.ran[0][1] and "os.remove('main.py')" in desk.ran[1][1]
    assert [words[3] for words in desk.ran if words[0] == "fs"] == [":frames.py", ":strip.py", ":main.py"]
    assert desk.ran[-1] == ("reset",) and len(desk.ran) == 9
    assert desk.said == [
        f"{PATH}: our program runs there, version {frames.VERSION}",
        "asking it to restart into its prompt",
        f"{PATH}: MicroPython 1.20",
        "copying frames.py",
        "copying strip.py",
        "copying main.py",
        "restarting it",
        f"{PATH}: the new program answers, version {frames.VERSION}. Done",
    ]


def test_a_pico_at_its_prompt_is_not_asked_to_restart(desk: Desk, program: Path) -> None:
    desk.version = None
    desk.flash(program)
    assert desk.said[:2] == [
        f"{PATH}: our program does not run there; it should be MicroPython's prompt",
        f"{PATH}: MicroPython 1.20",
    ]
    assert "X" not in dict(desk.asked)


@pytest.mark.parametrize("said", ["micropython 1 20", "micropython 1 21", "micropython 2 0", "micropython 10 1"])
def test_micropython_1_20_or_newer_is_taken(desk: Desk, program: Path, said: str) -> None:
    desk.micropython = said
    desk.flash(program)
    assert desk.said[-1].endswith("Done")


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("micropython 1 19", "micropython 1 19"),
        ("micropython 0 99", "micropython 0 99"),
        ("circuitpython 9 2", "circuitpython 9 2"),
        ("9 2 micropython", "9 2 micropython"),
        ("micropython 1", "micropython 1"),
        ("micropython 1 20 0", "micropython 1 20 0"),
        ("\r\n", "nothing"),
    ],
)
def test_anything_older_or_else_is_named_and_left_alone(desk: Desk, program: Path, said: str, found: str) -> None:
    desk.micropython = said
    with pytest.raises(FlashError, match=f"^{PATH}: found {found}, expected MicroPython 1.20 or newer"):
        desk.flash(program)
    assert len(desk.ran) == 1


def test_without_a_pico_it_is_said_how_one_shows_itself(desk: Desk, program: Path) -> None:
    desk.paths = []
    with pytest.raises(FlashError, match=r"^no Pico is plugged in \(USB 2E8A:0005\)\. If there is no MicroPython"):
        desk.flash(program)


def test_whatever_is_wrong_with_mpremote_is_said_with_the_port_and_the_step(desk: Desk, program: Path) -> None:
    desk.version = None
    desk.status = 1
    with pytest.raises(FlashError, match=rf"^{PATH}: mpremote exec import sys.* failed: micropython 1 20 oh\. If"):
        desk.flash(program)
    desk.run_raises = FileNotFoundError(2, "No such file or directory")
    with pytest.raises(FlashError, match=r"^cannot run mpremote: .*No such file.* Install it: pip install mpremote"):
        desk.flash(program)
    desk.run_raises = subprocess.TimeoutExpired("mpremote", 60)
    with pytest.raises(FlashError, match=rf"^{PATH}: mpremote exec took longer than 60 s"):
        desk.flash(program)


def test_a_file_that_arrived_otherwise_is_named_with_both_sums_and_nothing_is_restarted(
    desk: Desk, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = hashlib.sha256((program / "strip.py").read_bytes()).hexdigest()

    def run(command: Sequence[str], **options: Any) -> SimpleNamespace:
        done = desk.run(command, **options)
        if ":strip.py" in desk.files:
            desk.files[":strip.py"] = b""
        return done

    monkeypatch.setattr("hardware.flash.subprocess.run", run)
    found = hashlib.sha256(b"").hexdigest()
    words = rf"^strip\.py on the Pico is not what was copied \(SHA-256 {found}, expected {wanted}\)\. Repeat$"
    with pytest.raises(FlashError, match=words):
        desk.flash(program)
    assert ("reset",) not in desk.ran


def test_of_several_picos_one_has_to_be_named(desk: Desk, program: Path) -> None:
    desk.paths = [NEW_PATH, PATH]
    with pytest.raises(FlashError, match="more than one Pico"):
        desk.flash(program)
    desk.flash(program, port=PATH)
    assert desk.said[0].startswith(f"{PATH}: ") and desk.said[-1].startswith(f"{PATH}: ")


def test_a_port_that_talks_all_the_time_is_asked_for_a_second_and_no_longer(desk: Desk, program: Path) -> None:
    desk.chatter_s, desk.version = 0.5, None
    desk.micropython = ""
    with pytest.raises(FlashError, match="found nothing"):
        desk.flash(program)
    assert desk.now_s == 1.0


@pytest.mark.parametrize("chatter_s", [0.0, 0.5])
def test_a_pico_that_does_not_go_is_waited_for_for_15_s(desk: Desk, program: Path, chatter_s: float) -> None:
    desk.hangs_up, desk.last_words_s = False, chatter_s
    with pytest.raises(FlashError, match=f"^{PATH}: it does not restart"):
        desk.flash(program)
    assert desk.now_s == 15.0 and desk.ran == []


def test_a_pico_that_does_not_answer_the_order_to_restart_is_said_so(desk: Desk, program: Path) -> None:
    desk.restarts = False
    with pytest.raises(FlashError, match=f"^{PATH}: it does not restart"):
        desk.flash(program)
    assert desk.now_s == 1.0


def test_a_pico_that_comes_back_under_another_name_is_found_there(desk: Desk, program: Path) -> None:
    desk.then_at = [NEW_PATH, "/dev/ttyACM2"]
    desk.flash(program)
    assert desk.said[2] == f"{NEW_PATH}: MicroPython 1.20" and desk.said[-1].startswith(f"{NEW_PATH}: ")


def test_a_pico_that_does_not_come_back_is_looked_for_ten_times_a_second_for_as_long_as_was_said(
    desk: Desk, program: Path
) -> None:
    desk.then_at = []
    with pytest.raises(FlashError, match=r"^the Pico has not come back within 1 s\. Pull its plug"):
        desk.flash(program)
    assert desk.now_s == 1.0 and desk.looks == 1 + 8


@pytest.mark.parametrize("version", [None, frames.VERSION + 1])
def test_a_new_program_that_does_not_answer_as_it_should_is_asked_until_the_time_is_up(
    desk: Desk, program: Path, version: int | None
) -> None:
    desk.after_reset = version  # type: ignore[assignment]
    with pytest.raises(FlashError, match=r"^the new program has not answered within 1 s"):
        desk.flash(program)
    asked = [kind for kind, _ in desk.asked[3:]]
    assert asked == ["H"] * (1 if version is None else 8)
    assert desk.now_s == (1.0 + STEP_S if version is None else 1.0)

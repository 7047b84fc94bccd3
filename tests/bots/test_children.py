"""Real processes that do what a bot must not: each costs a fault, nothing waits for them, and nothing of them stays."""

from __future__ import annotations

import os
import resource
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.cards import YAY
from engine.rules import Rules
from engine.sights import parse_sight
from firmware.bots import launch
from firmware.bots.child import MOST_UNREAD, Child
from firmware.bots.dialogue import Awaited, Patience
from firmware.bots.hosted import Hosted
from firmware.bots.intake import Intake
from firmware.bots.sandbox import OPEN, Sandbox, level_command
from tests.support.bad_bots import program, running
from tests.support.bot_events import lines_of
from tests.support.bot_host import ATTACK, Clock, view
from tests.support.threads import NoMoreThreads

CLOSED = Sandbox()
HERE = Sandbox(namespaces=False)
LONG_S = 60.0  # for what a busy machine may need; it is never waited for in vain


class Room:
    """Bots that a test starts; their clock stands still unless the test moves it."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.children: list[Child] = []
        self.hosted: list[Hosted] = []

    def start(self, command: tuple[str, ...], box: Sandbox = OPEN) -> Hosted:
        self.children.append(Child(command, box, self.clock))
        self.hosted.append(Hosted(self.children[-1], Patience(), self.clock))
        self.hosted[-1].begin(YAY, Rules(), 1)
        return self.hosted[-1]

    def fault_of(self, command: tuple[str, ...], box: Sandbox = OPEN) -> str:
        """Of a bot that is asked to attack; what it has done wrong by itself, on a clock that stands still."""
        hosted = self.start(command, box)
        hosted.ask(view(YAY, ATTACK))
        assert hosted.wait() is None
        return hosted.fault

    def close(self) -> None:
        for child in self.children:
            child.end()
        assert all(child.join(LONG_S) for child in self.children)


@pytest.fixture
def room() -> Iterator[Room]:
    found = Room()
    yield found
    found.close()


@pytest.mark.parametrize("box", [OPEN, CLOSED, HERE], ids=["open", "closed", "without namespaces"])
def test_a_bot_of_ours_answers_and_ends_when_it_is_told_to(room: Room, box: Sandbox) -> None:
    hosted = room.start(level_command("careful"), box)
    hosted.tell(map(parse_sight, lines_of(YAY, ATTACK)))
    hosted.ask(view(YAY, ATTACK))
    answer = hosted.wait()
    assert answer is not None and not hosted.fault and hosted.name == "Tacocat careful 0.1.0"
    hosted.close()
    assert hosted.join(LONG_S)


BY_ITSELF = {
    "crashing": ("raise ValueError('broken')", "it has ended (ValueError: broken)"),
    "ending": ("sys.exit(0)", "it has ended"),
    "aborting": ("os.abort()", "it has ended"),
    "closing its output": ("os.close(1)\n        signal.pause()", "it has ended"),
    "half a line and the end": ("os.write(1, b'play 1 9a'); sys.exit()", "it has ended"),
    "binary rubbish": ("os.write(1, bytes(range(128, 256)) + b'\\n')", "is due"),
    "text for people": ("print('My move: nine'); sys.stdout.flush()", "is due"),
    "an illegal play": ("say(f'play {number} 12a ok')", "12a, which is not held"),
    "a number that was never asked": ("say('play 2 9a ok')", "never asked"),
    "a line without end": ("while True: os.write(1, b'x' * 65536)", "a line of more than 1000 bytes"),
    "info without end": ("while True: say('info ' + 'x' * 500)", "more than 64 kB of info between two questions"),
    "rubbish before the question": ("pass", "more than 64 kB of info between two questions"),
    "gigabytes of errors": ("while True: os.write(2, b'x' * 65536)", "more than 64 kB on standard error"),
    "zeros without end": ("while True: os.write(1, bytes(65536))", "a line of more than 1000 bytes"),
}


@pytest.mark.parametrize("case", BY_ITSELF)
def test_what_a_bot_does_wrong_when_it_is_asked_is_a_fault_at_once(room: Room, case: str) -> None:
    at_go, words = BY_ITSELF[case]
    at_word = "if word == 'ready':\n    for _ in range(9000): say('........')" if "before" in case else "pass"
    assert words in room.fault_of(program(at_go.replace("\n        ", "\n"), at_word=at_word))


def test_what_a_bot_wrote_on_standard_error_before_a_question_does_not_count_for_it_however_late_it_is_read(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    """60 kB before each answer; the pipe holds as much, so the second answer comes once the first have been read."""
    read_on = threading.Event()

    def wait(*_files: object) -> None:
        read_on.wait(LONG_S)

    monkeypatch.setattr("firmware.bots.child.select", SimpleNamespace(select=wait))
    hosted = room.start(program("os.write(2, b'x' * 60_000)\nsay(f'play {number} 9a ok')"))
    hosted.ask(view(YAY, ATTACK))
    assert hosted.wait() is not None, hosted.fault
    hosted.ask(view(YAY, ATTACK))
    read_on.set()
    assert hosted.wait() is not None, hosted.fault


@pytest.mark.parametrize(
    "word", ["tacobot", "new", "deck", "board", "arrows", "tie", "seed", "ready", "yay", "void", "go"]
)
def test_a_bot_that_dies_at_a_word_has_ended(room: Room, word: str) -> None:
    hosted = room.start(program(at_word=f"if word == {word!r}: os._exit(1)"))
    hosted.tell(map(parse_sight, ["yay 9a", "wow ?", "void"]))
    hosted.ask(view(YAY, ATTACK))
    assert hosted.wait() is None and hosted.fault == "it has ended"


@pytest.mark.parametrize(
    "at_go", ["pass", "signal.pause()", "os.write(1, b'play 1 9a ok')", "say('info ' + 'x' * 900)"]
)
def test_a_bot_that_does_not_answer_has_ten_seconds(room: Room, at_go: str) -> None:
    hosted = room.start(program(at_go))
    while hosted.awaited is not None:
        hosted.poll(LONG_S)
    hosted.ask(view(YAY, ATTACK))
    while hosted.awaited is not Awaited.ANSWER:
        hosted.poll(LONG_S)
    room.clock.ms += 10_000
    assert hosted.poll() is None and not hosted.fault
    room.clock.ms += 1
    assert hosted.poll() is None and hosted.fault == "an answer has not come within 10 s"


@pytest.mark.parametrize("line", ["x = 0", "sys.stdin.close()"])
def test_a_bot_that_never_greets_has_ten_seconds(room: Room, line: str) -> None:
    hosted = room.start((sys.executable, "-I", "-S", "-c", f"import signal, sys; {line}; signal.pause()"))
    room.clock.ms += 10_001
    assert hosted.poll() is None and hosted.fault == "its greeting has not come within 10 s"


def test_a_bot_that_never_reads_keeps_nobody_waiting_and_its_lines_are_bounded(room: Room) -> None:
    hosted = room.start(program(at_word="if word == 'ready':\n    say('ready')\n    signal.pause()"))
    while hosted.awaited is not None:
        hosted.poll(LONG_S)
    hosted.tell([parse_sight("yay 12a")] * (MOST_UNREAD // 8 + 1))
    hosted.ask(view(YAY, ATTACK))
    assert hosted.wait() is None and hosted.fault == "256 kB wait for it, which it does not read"


def test_a_program_that_is_not_there_has_ended_and_says_why(room: Room) -> None:
    assert "/nowhere/bot cannot be started" in room.fault_of(("/nowhere/bot",))


def test_a_program_that_ends_its_output_before_it_says_why_is_heard_out(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firmware.bots.child._LAST_WORDS_S", LONG_S)
    slow = "import os; os.close(1); import asyncio, email.parser, unittest.mock; os.write(2, b'the dog ate it')"
    assert "the dog ate it" in room.fault_of((sys.executable, "-I", "-S", "-c", slow))


# ---- its end ----

CHILDREN = "subprocess.Popen(['sleep', '{mark}'])\nsubprocess.Popen(['sleep', '{mark}'], start_new_session=True)\n"


@pytest.mark.parametrize("box", [OPEN, CLOSED, HERE], ids=["open", "closed", "without namespaces"])
@pytest.mark.parametrize("end", ["os._exit(1)", "signal.pause()"])
def test_what_a_bot_has_started_ends_with_it(room: Room, box: Sandbox, end: str) -> None:
    mark = f"9{os.getpid()}.{len(end)}{[OPEN, CLOSED, HERE].index(box)}"
    started = f"say(f'info'); {end}" if "exit" in end else f"say('rubbish'); {end}"
    command = program(CHILDREN.format(mark=mark) + "if os.fork() == 0:\n    " + _orphan(mark) + started)
    assert room.fault_of(command, box)
    room.children[-1].end()
    assert room.children[-1].join(LONG_S)
    assert running(mark) == []


def _orphan(mark: str) -> str:
    """A grandchild in a session of its own, whose parent has gone."""
    return f"os.setsid(); os.fork() and os._exit(0); os.execlp('sleep', 'sleep', {mark!r})\n"


@pytest.mark.parametrize("at_quit", ["pass", "signal.pause()", "say('play 1 9a ok')", "os.close(1); signal.pause()"])
def test_a_bot_that_does_not_quit_is_killed(room: Room, at_quit: str) -> None:
    at_word = "if word == 'tacobot': [signal.signal(n, signal.SIG_IGN) for n in (1, 2, 3, 13, 15)]"
    room.start(program(at_quit=at_quit, at_word=at_word))
    room.children[-1].end(grace_s=0.2)
    assert room.children[-1].join(LONG_S)


def test_a_bot_that_is_ended_twice_or_before_it_began_is_ended(room: Room) -> None:
    room.start(program())
    for _ in range(2):
        room.children[-1].end(grace_s=0.5)
    assert room.children[-1].join(LONG_S)


def test_after_many_bots_no_file_is_left_open_and_no_folder(room: Room) -> None:
    def one() -> None:
        room.fault_of(program("sys.exit()"), CLOSED)
        room.children[-1].end()
        assert room.children[-1].join(LONG_S)

    one()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        one()
    assert len(os.listdir("/proc/self/fd")) == before


def test_if_the_host_dies_its_bots_die_too(room: Room) -> None:
    """What holds them is a pipe, which the kernel closes."""
    mark = f"8{os.getpid()}.5"
    host = (
        "import sys, time; from tests.support.bad_bots import *; from firmware.bots.child import Child; "
        "from firmware.bots.sandbox import Sandbox\n"
        f"child = Child(('sleep', {mark!r}), Sandbox(), real_ms)\n"
        f"while not running({mark!r}): pass\n"
        "print('started', flush=True); time.sleep(1000)"
    )
    with subprocess.Popen([sys.executable, "-c", host], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"started\n"
        process.kill()
    left: list[int] = running(mark)
    while left:
        left = running(mark)
    assert left == []


# ---- what it may ----

TELL = "os.write(2, (repr({what}) + chr(10)).encode()); os._exit(0)"


def told(room: Room, what: str, box: Sandbox) -> str:
    """What a bot finds, as it tells it on standard error."""
    fault = room.fault_of(program(TELL.format(what=what)), box)
    return fault.partition("(")[2].removesuffix(")")


def test_at_a_table_a_bot_has_no_environment_and_a_folder_of_its_own_that_goes_with_it(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "1")
    names, folder = eval(told(room, "(sorted(os.environ), os.getcwd())", CLOSED))
    assert set(names) - {"LC_CTYPE"} == {"HOME", "LANG", "PATH", "TMPDIR"}
    assert Path(folder).name.startswith("tacocat-bot-")
    room.close()
    assert not Path(folder).exists()
    assert "SECRET" in told(room, "sorted(os.environ)", OPEN)


def test_a_bot_has_only_the_three_standard_files(room: Room) -> None:
    for box in (OPEN, CLOSED):
        files = eval(told(room, "[n for n in range(200) if os.path.exists(f'/proc/self/fd/{n}')]", box))
        assert files == [0, 1, 2]


def test_at_a_table_memory_files_and_work_are_limited(room: Room) -> None:
    names = ["RLIMIT_DATA", "RLIMIT_FSIZE", "RLIMIT_CPU", "RLIMIT_CORE"]
    what = f"[__import__('resource').getrlimit(n)[0] for n in {[getattr(resource, name) for name in names]}]"
    assert eval(told(room, what, CLOSED)) == [CLOSED.limits[name] for name in names]
    assert "MemoryError" in room.fault_of(program("x = bytearray(1 << 30)"), CLOSED)


def permitted(what: Callable[[launch.Calls], bool]) -> bool:
    """Whether this system lets a process do this, tried in one that ends at once."""
    child = os.fork()
    if child == 0:
        os._exit(0 if what(launch.Calls()) else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_no_bot_reaches_the_network_if_the_system_can_keep_it_from_it(room: Room) -> None:
    held = permitted(lambda calls: calls.call("unshare", launch.NEW_USER | launch.NEW_NET) == 0)
    held = held or permitted(lambda calls: calls.call("syscall", launch.CREATE_RULESET, None, 0, 1) >= launch.NET_FROM)
    with socket.create_server(("127.0.0.1", 0)) as server:
        what = f"__import__('socket').socket().connect_ex(('127.0.0.1', {server.getsockname()[1]}))"
        for box in (OPEN, CLOSED):
            assert (told(room, what, box) != "0") is held


def test_at_a_table_the_tables_files_are_not_seen_if_the_system_can_hide_them(room: Room, tmp_path: Path) -> None:
    (tmp_path / "deck.txt").write_text("04a1b2c3")
    held = permitted(lambda calls: calls.call("unshare", launch.NEW_USER | launch.NEW_MOUNTS) == 0)
    held = held or permitted(lambda calls: calls.call("syscall", launch.CREATE_RULESET, None, 0, 1) >= 1)
    what = f"os.access({str(tmp_path / 'deck.txt')!r}, os.F_OK) and open({str(tmp_path / 'deck.txt')!r}).read()"
    box = Sandbox(hidden=(tmp_path,))
    found = room.fault_of(program(TELL.format(what=what)), box)
    assert ("04a1b2c3" not in found) is held


# ---- what this machine does not give, and what goes wrong with us ---------------------------------


def failing(fault: Exception) -> Callable[..., object]:
    def fail(*_: object, **__: object) -> object:
        raise fault

    return fail


def test_a_bot_for_which_no_pipe_can_be_had_has_ended_and_says_why(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "pipe", failing(OSError(24, "Too many open files")))
    assert "it cannot be started: [Errno 24] Too many open files" in room.fault_of(level_command("careful"))


def test_a_bot_that_cannot_be_started_for_whatever_reason_says_why(room: Room) -> None:
    assert "it cannot be started: embedded null byte" in room.fault_of(("a\0b",))


@pytest.mark.parametrize("after", range(4))
def test_a_bot_for_which_no_more_threads_can_be_had_has_ended_and_leaves_no_file_open(
    room: Room, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    files = len(os.listdir("/proc/self/fd"))
    with monkeypatch.context() as full:
        full.setattr(threading.Thread, "start", NoMoreThreads(after))
        assert "can't start new thread" in room.fault_of(level_command("careful"))
    room.close()
    assert len(os.listdir("/proc/self/fd")) == files


@pytest.mark.parametrize(("work", "at_go"), [("feed", "say('x')"), ("count", "os.write(2, b'x')\nsignal.pause()")])
def test_a_fault_of_ours_while_a_bot_is_read_is_told_at_once(
    room: Room, monkeypatch: pytest.MonkeyPatch, work: str, at_go: str
) -> None:
    monkeypatch.setattr(Intake, work, failing(KeyError("odd")))
    assert "a fault of this program: KeyError: 'odd'" in room.fault_of(program(at_go))

"""No emulated Pico outlasts the process that plugged it in, and one that stops says why and is started again."""

from __future__ import annotations

import contextlib
import errno
import os
import select
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware.wiring.parts import PICO_PROGRAM as MAIN_FOLDER
from hardware.twins import tied
from hardware.twins.pico import PicoProcess
from tests.support.places import ROOT

OWNER = """
import os, signal
from pathlib import Path
from types import SimpleNamespace
from hardware.twins.pico import PicoProcess
pico = PicoProcess(Path("firmware/pico")).start()
print(pico._process.pid, pico._folder.name, flush=True)
if FROZEN:
    pico.freeze()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("frozen", [False, True])
def test_the_emulated_pico_ends_with_the_process_that_plugged_it_in(frozen: bool) -> None:
    script = OWNER.replace("FROZEN", str(frozen))
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    pid, folder = done.stdout.split()
    shutil.rmtree(folder)
    with contextlib.suppress(ProcessLookupError):  # gone already
        watched = os.pidfd_open(int(pid))
        ended = select.select([watched], [], [], 5)[0]
        os.close(watched)
        assert ended, f"process {pid} still runs"


def test_the_command_is_not_run_when_its_lifeline_is_closed_already() -> None:
    reading, writing = os.pipe()
    os.close(writing)
    command = [sys.executable, "-I", "-S", tied.__file__, str(reading), "/bin/echo", "it ran"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, pass_fds=[reading])
    os.close(reading)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")


def test_the_command_is_killed_when_its_lifeline_closes_though_nobody_else_has_tied_it() -> None:
    reading, writing = os.pipe()
    command = [sys.executable, "-I", "-S", tied.__file__, str(reading), "/bin/cat"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=[reading]) as process:
        os.close(reading)
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(b"it runs\n")
        process.stdin.flush()
        said = process.stdout.readline()
        os.close(writing)
        try:
            process.wait(5)
        finally:
            process.kill()
    assert (said, process.returncode) == (b"it runs\n", -signal.SIGKILL)


CUT_SHORT = """
import os, signal, subprocess, sys
from pathlib import Path
from hardware.twins import pico

class Started(subprocess.Popen):
    def __init__(self, command, *, pass_fds, **settings):
        super().__init__(command, pass_fds=[*pass_fds, int(sys.argv[1])], **settings)
        os.kill(os.getpid(), signal.Signals[sys.argv[2]])

subprocess.Popen = Started
twin = pico.PicoProcess(Path(sys.argv[3]))
try:
    twin.start()
except KeyboardInterrupt:
    os.close(int(sys.argv[1]))
    print("interrupted", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM", "SIGINT"])
def test_no_emulated_pico_stays_when_a_signal_comes_just_after_its_process_was_made(tmp_path: Path, name: str) -> None:
    at_prompt = tmp_path / "no program"
    at_prompt.mkdir()
    held, given = os.pipe()  # at its end when nobody is left that was given the other side
    with subprocess.Popen(
        [sys.executable, "-c", CUT_SHORT, str(given), name, str(at_prompt)],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdin=subprocess.PIPE,
        pass_fds=[given],
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509 - only a handler
    ) as host:
        os.close(given)
        try:
            ended = select.select([held], [], [], 20)[0]
        finally:
            os.close(held)
            host.kill()
    assert ended, "the emulated Pico still runs"


def test_an_emulated_pico_that_cannot_be_started_again_says_why_and_is_when_it_can(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("hardware.twins.pico._AGAIN_S", 0.01)
    files = len(os.listdir("/proc/self/fd"))
    with PicoProcess(MAIN_FOLDER) as twin:
        assert twin._process is not None
        tried, works = threading.Event(), threading.Event()

        def boot() -> None:
            if not works.is_set():
                tried.set()
                raise OSError(errno.EMFILE, "Too many open files")
            really()

        really = twin._boot
        monkeypatch.setattr(twin, "_boot", boot)
        twin._process.kill()
        assert tried.wait(10)
        assert eventually(lambda: not twin.port and bool(twin._why_not))
        with pytest.raises(OSError, match=r"could not be started again: \[Errno 24\] Too many open files"):
            twin.find_ports()
        works.set()
        assert eventually(lambda: bool(twin.port) and bool(twin.find_ports()))
    assert len(os.listdir("/proc/self/fd")) == files


def test_an_emulated_pico_that_cannot_be_followed_is_reset(monkeypatch: pytest.MonkeyPatch) -> None:
    with PicoProcess(MAIN_FOLDER) as twin:
        really = twin._drain
        faults = [OSError(errno.EIO, "made to fail")]

        def drain() -> None:
            if faults and threading.current_thread().name == "pico twin":
                raise faults.pop()
            really()

        monkeypatch.setattr(twin, "_drain", drain)
        assert eventually(lambda: twin.boots == 2)
        assert any("it could not be followed: OSError" in fault for fault in twin.faults)


@pytest.mark.parametrize("call", ["openpty", "pipe", "dup"])
def test_an_emulated_pico_that_cannot_be_plugged_in_leaves_no_file_open_and_can_be_later(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, call: str
) -> None:
    files = len(os.listdir("/proc/self/fd"))
    (tmp_path / "at its prompt").mkdir()
    twin = PicoProcess(tmp_path / "at its prompt")
    with monkeypatch.context() as broken:
        broken.setattr(os, call, raising(OSError(errno.EMFILE, "Too many open files")))
        with pytest.raises(OSError, match="Too many"):
            twin.plug_in()
    assert len(os.listdir("/proc/self/fd")) == files
    twin.plug_in()
    assert twin.port
    twin.stop()
    assert len(os.listdir("/proc/self/fd")) == files


def raising(fault: Exception):
    def fail(*_: object) -> None:
        raise fault

    return fail


def eventually(what: Callable[[], bool]) -> bool:
    moment = threading.Event()
    for _ in range(1000):
        if what():
            return True
        moment.wait(0.01)
    return what()

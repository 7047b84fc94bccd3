"""No emulated Pico outlasts the process that plugged it in, whenever that ends."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hardware.twins import tied
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

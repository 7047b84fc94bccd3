"""A thread that cannot be had, or an edge that cannot be timed, is a fault in words and takes nothing with it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from firmware.config.values import Config
from firmware.errors import OnceAMinute
from firmware.run import app as session
from firmware.run import systemd
from firmware.run.backends import open_parts
from firmware.table.effects import SwitchOff
from hardware.threads import NoThreadError, start_thread
from tests.support.places import ROOT
from tests.support.threads import NoMoreThreads


def test_a_thread_that_cannot_be_had_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading.Thread, "start", NoMoreThreads(after=0))
    with pytest.raises(NoThreadError, match=r"pads: can't start new thread\. Let this user start more \(ulimit -u\)"):
        start_thread(print, "pads")


@pytest.mark.parametrize("after", [0, 1, 2, 3, 4, 5])
def test_whichever_thread_of_the_parts_cannot_be_had_the_start_ends_in_words_and_leaves_none(
    monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    before = set(threading.enumerate())
    monkeypatch.setattr(threading.Thread, "start", few := NoMoreThreads(after))
    try:
        with open_parts("virtual", Config(), lambda event: None):
            assert few.refused == 0
    except NoThreadError as error:
        assert "can't start new thread" in str(error)
    else:
        assert after >= 3  # the emulated Pico's, the strip's, the screen's
    assert set(threading.enumerate()) <= before


@pytest.mark.parametrize(
    ("does", "words"),
    [
        ("echo no $'\\e[2J' such right >&2; exit 1", "systemctl poweroff: no \ufffd[2J such right"),
        ("exit 4", "systemctl poweroff: it ends with 4"),
        ("exec sleep 600", "timed out after 0.3 seconds"),
        ("", "No such file or directory"),
    ],
)
def test_a_system_that_does_not_switch_off_keeps_nobody_waiting_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, does: str, words: str
) -> None:
    monkeypatch.delenv("RUNTIME_DIRECTORY", raising=False)
    monkeypatch.setattr(systemd, "OFF_S", 0.3)
    monkeypatch.setattr(session.LOG, "filters", [OnceAMinute()])
    if does:
        (tmp_path / "systemctl").write_text(f"#!/bin/bash\n{does}\n")
        (tmp_path / "systemctl").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin" if does else str(tmp_path))

    class Asked(session.App):
        def __init__(self) -> None: ...

        def _do(self, _: object) -> None:
            systemd.switch_off()

    Asked()._perform(SwitchOff())
    (line,) = caplog.messages
    assert words in line and line.isprintable()


WITH_SO_MANY = """
import sys, threading
from tests.support.threads import NoMoreThreads
threading.Thread.start = NoMoreThreads(int(sys.argv[1]))
from firmware import cli
sys.exit(cli.main(sys.argv[2:]))
"""
SESSION = ("board", "--virtual", "--no-browser", "--port", "0")


@pytest.mark.parametrize(
    ("after", "words", "which"),
    [
        (0, SESSION, "luma.core"),  # the screen's library has four
        (3, ("check", "--virtual"), "luma.core"),
        (4, SESSION, "printer"),
        (6, SESSION, "deadline"),
        (7, SESSION, "writer"),
        (8, SESSION, "pico twin"),
        (0, ("bot",), "host"),
    ],
)
def test_whichever_thread_cannot_be_had_the_program_ends_with_a_sentence(
    tmp_path: Path, after: int, words: tuple[str, ...], which: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITH_SO_MANY, str(after), *words],
        cwd=ROOT,
        env={**os.environ, "XDG_STATE_HOME": str(tmp_path), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("tacocat") and f": {which}: can't start new thread. Let this user start more" in line

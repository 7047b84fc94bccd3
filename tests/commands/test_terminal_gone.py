"""A terminal that goes away, as when SSH breaks off: what was begun ends, or goes on without it, and says no more."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.places import ROOT

LONG_S = 60.0  # for what a busy machine may need; it is never waited for in vain


class OnTerminal:
    """A command whose streams are a terminal of its own. `deaf`: it was started as by nohup."""

    def __init__(self, words: list[str], folder: Path, *, deaf: bool = False) -> None:
        self._master, slave = pty.openpty()
        self.said = b""

        def begin() -> None:
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_IGN if deaf and number == signal.SIGHUP else signal.SIG_DFL)

        environment = {**os.environ, "HOME": str(folder), "XDG_STATE_HOME": str(folder), "PYTHONPATH": str(ROOT)}
        environment.pop("PYTHONWARNINGS", None)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "firmware", *words],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=folder,
            env=environment,
            start_new_session=True,
            preexec_fn=begin,  # noqa: PLW1509 - no thread is begun between
        )
        os.close(slave)

    def until(self, words: str) -> None:
        while words.encode() not in self.said:
            assert select.select([self._master], [], [], LONG_S)[0], self.said
            self.said += os.read(self._master, 4096)

    def go(self) -> None:
        """The terminal is gone."""
        os.close(self._master)
        self._master = -1

    def end(self) -> int:
        return self.process.wait(LONG_S)

    def close(self) -> None:
        if self._master >= 0:
            os.close(self._master)
        self.process.kill()
        self.process.wait()


@pytest.fixture
def started() -> Iterator[list[OnTerminal]]:
    found: list[OnTerminal] = []
    yield found
    for each in found:
        each.close()


SESSION = ["--virtual", "--no-browser", "--port", "0"]


@pytest.mark.parametrize("word", ["run", "board"])
def test_a_session_ends_with_its_terminal(tmp_path: Path, started: list[OnTerminal], word: str) -> None:
    at = OnTerminal([word, *SESSION], tmp_path)
    started.append(at)
    at.until("Stop it with Ctrl-C.")
    at.go()
    assert at.end() == 0


def test_a_session_that_was_started_to_outlast_its_terminal_plays_on_without_it(
    tmp_path: Path, started: list[OnTerminal]
) -> None:
    at = OnTerminal(["board", *SESSION], tmp_path, deaf=True)
    started.append(at)
    at.until("Stop it with Ctrl-C.")
    at.go()
    with pytest.raises(subprocess.TimeoutExpired):
        at.process.wait(1)
    at.process.terminate()
    assert at.end() == 0
    assert list((tmp_path / "tacocat" / "games").glob("*.taco"))


@pytest.mark.parametrize("deaf", [False, True])
def test_questions_end_with_their_terminal_and_nothing_is_written(
    tmp_path: Path, started: list[OnTerminal], deaf: bool
) -> None:
    at = OnTerminal(["setup", "--config", "table.toml"], tmp_path, deaf=deaf)
    started.append(at)
    at.until("Enter for")
    at.go()
    assert at.end() == (1 if deaf else 128 + signal.SIGHUP)
    assert not (tmp_path / "table.toml").exists()


def test_a_check_that_asks_ends_with_its_terminal(tmp_path: Path, started: list[OnTerminal]) -> None:
    at = OnTerminal(["check", "--virtual"], tmp_path)
    started.append(at)
    at.go()
    assert at.end() in (128 + signal.SIGHUP, -signal.SIGHUP)

"""A bot, or who advises, on two streams of bytes: standard input and output of a process.

A thread reads all the time, so that `quit` and the end of the input are seen while it decides.
"""

from __future__ import annotations

import os
import queue
import time
from collections.abc import Callable
from typing import Protocol

from engine.players.levels import level_named
from firmware import __version__
from firmware.bots.advising import Adviser
from firmware.bots.answering import Bot
from hardware.threads import start_thread

QUIT_S = 1.5  # what was asked before `quit` may still be answered within this time
_PIECE = 1 << 12
_MOST_BYTES = 1 << 16  # of a line; what is longer is no host's


class Answering(Protocol):
    """Answers line after line; `ended`: it was told to quit."""

    ended: bool

    def answers(self, line: str) -> list[str]: ...


def bot_command(level: str, stdin: int = 0, stdout: int = 1, leave: Callable[[int], object] = os._exit) -> int:
    """Play as this level until told to quit, or the input ends. Returns the exit status. Raises UnknownLevel.

    `stdin` and `stdout` are numbers of open files; `leave` ends the process when that cannot be waited for.
    """
    return _converse(Bot(f"Tacocat {level} {__version__}", level_named(level)), stdin, stdout, leave)


def advising_command(stdin: int = 0, stdout: int = 1, leave: Callable[[int], object] = os._exit) -> int:
    """Answer questions for advice, in the same way."""
    return _converse(Adviser(), stdin, stdout, leave)


def _converse(who: Answering, stdin: int, stdout: int, leave: Callable[[int], object]) -> int:
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    start_thread(_read, "host", stdin, lines, leave)
    while not who.ended:
        line = lines.get()
        if line is None:
            break
        for answer in who.answers(line):
            try:
                _write(stdout, f"{answer}\n".encode())
            except BrokenPipeError:  # the host has gone
                return 0
    return 0


def _write(stdout: int, data: bytes) -> None:
    while data:
        data = data[os.write(stdout, data) :]


def _read(stdin: int, lines: queue.SimpleQueue[str | None], leave: Callable[[int], object]) -> None:
    try:
        _read_lines(stdin, lines)
    finally:
        lines.put(None)
        time.sleep(QUIT_S)
        leave(0)


def _read_lines(stdin: int, lines: queue.SimpleQueue[str | None]) -> None:
    """Pass lines on until `quit`, or the end of the input."""
    kept = b""
    while True:
        try:
            piece = os.read(stdin, _PIECE)
        except OSError:  # a terminal that has gone
            piece = b""
        whole, end, rest = (kept + piece).rpartition(b"\n")
        if end:
            texts = whole.decode(errors="replace").split("\n")
            for text in texts:
                lines.put(text)
            if any(text.split()[:1] == ["quit"] for text in texts):
                break
        kept = rest if len(rest) <= _MOST_BYTES else b"? "  # no word of the protocol: passed over to its end
        if not piece:
            break

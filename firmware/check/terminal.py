"""Questions in a terminal: one line each, with a time-out."""

from __future__ import annotations

import io
import os
import select
from collections.abc import Sequence
from typing import TextIO

from hardware.ports import Clock, SystemClock

ANSWER_MS = 30_000


class TerminalAsk:
    """A `firmware.check.rows.Ask` for a terminal, a pipe or a socket; any input with a file descriptor.

    An answer may be given by its number, or by its beginning if no other one begins so. After `timeout_ms` without a
    line, and at the end of the input, the answer is None.
    """

    def __init__(self, stdin: TextIO, out: TextIO, timeout_ms: int = ANSWER_MS, clock: Clock | None = None) -> None:
        self._stdin, self._out = stdin, out
        self._timeout_ms, self._clock = timeout_ms, clock or SystemClock()
        self._typed = b""  # what came with an earlier line; the stream's own buffer would hide it from select

    def __call__(self, question: str, answers: Sequence[str]) -> str | None:
        choices = "   ".join(f"{number} {answer}" for number, answer in enumerate(answers, 1))
        end_ms = self._clock.now_ms() + self._timeout_ms
        print(f"{question}\n  {choices}", file=self._out)
        while True:
            print(f"  ({max(0, end_ms - self._clock.now_ms()) // 1000} s) > ", end="", file=self._out, flush=True)
            line = self._line(end_ms)
            if not line:
                print("  no answer", file=self._out, flush=True)
                return None
            given = choose(line, answers)
            if given is not None:
                return given
            print(f"  {line.strip()!r} is none of them: give a number from 1 to {len(answers)}", file=self._out)

    def _line(self, end_ms: int) -> str:
        """A line with its end; "" if none came in time, or none will come."""
        while b"\n" not in self._typed:
            wait_s = max(0, end_ms - self._clock.now_ms()) / 1000
            if not select.select([self._stdin], [], [], wait_s)[0]:
                return ""
            typed = os.read(self._stdin.fileno(), io.DEFAULT_BUFFER_SIZE)
            if not typed:
                return ""
            self._typed += typed
        line, _, self._typed = self._typed.partition(b"\n")
        return line.decode(errors="replace") + "\n"


def choose(line: str, answers: Sequence[str]) -> str | None:
    """The answer that a typed line means, or None."""
    word = line.strip().lower()
    numbers = {str(number): answer for number, answer in enumerate(answers, 1)}
    meant = [answer for answer in answers if word and answer.lower().startswith(word)]
    exact = [answer for answer in meant if answer.lower() == word]
    match [numbers[word]] if word in numbers else exact or meant:
        case [only]:
            return only
        case _:
            return None

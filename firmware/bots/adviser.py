"""Asking for advice: each question has a process of its own, and nothing here waits for it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

from engine.errors import ParseError
from engine.events import Event
from engine.rules import Rules
from engine.views import View
from firmware.bots.advice import Advice, NoAdvice, hint_lines, point_lines, read_advice
from firmware.bots.hosted import Process, Start
from firmware.bots.sandbox import advising_command

MOST_MS = 60_000  # for an answer: a long game on a slow machine; whoever asks can go on at any time

_log = logging.getLogger(__name__)


class AdviceDesk:
    """One question at a time: a new one takes the place of the one before. To be closed.

    `start` starts a process; `clock_ms` is the clock that stamps what it says.
    """

    def __init__(self, start: Start, clock_ms: Callable[[], int]) -> None:
        self._start, self._clock_ms = start, clock_ms
        self._process: Process | None = None
        self._asked_ms = 0
        self._said: list[str] = []

    def ask_hint(self, view: View) -> None:
        """What to play in this view, which is all that is told; `poll` gives the answer."""
        self._ask(hint_lines(view))

    def ask_points(self, rules: Rules, events: Iterable[Event]) -> None:
        """The turning points of the game that these events have made; `poll` gives them."""
        self._ask(point_lines(rules, events))

    def poll(self) -> Advice | None:
        """The answer, once. To be called often."""
        if self._process is None:
            return None
        try:
            found = self._heard(self._process)
        except ParseError as error:
            tail = f" ({self._process.tail})" if self._process.tail else ""
            _log.warning("No advice: %s%s", error, tail)
            found = NoAdvice.FAILED
        if found is not None:
            self.close()
        return found

    def close(self) -> None:
        """The open question no longer matters. Returns at once."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def _ask(self, lines: list[str]) -> None:
        self.close()
        self._said, self._asked_ms = [], self._clock_ms()
        self._process = self._start(advising_command())
        self._process.send(lines)

    def _heard(self, process: Process) -> Advice | None:
        """Raises ParseError for what is no advice, and if none comes."""
        for _, saying in process.take():
            if saying.wrong:
                raise ParseError(saying.text)
            self._said.append(saying.text)
            found = read_advice(self._said)
            if found is not None:
                return found
        if self._clock_ms() - self._asked_ms >= MOST_MS:
            raise ParseError(f"none has come in {MOST_MS // 1000} s")
        return None

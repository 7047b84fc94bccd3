"""Advice in a session: hears which game is played, so that it can be asked what that has turned on. Nothing waits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from engine.events import Event
from engine.rules import Rules
from firmware.bots.advice import Advice, NoAdvice
from firmware.kept.games import MOST_PLAYED, KeptGame
from firmware.run.loop import Request
from firmware.table.effects import AskHint, AskPoints, Begin, Record

if TYPE_CHECKING:
    from firmware.bots.adviser import AdviceDesk
    from firmware.bots.hosted import Start


class GameAdvice:
    """The events of the present game, and the desk where advice is asked for. To be closed.

    `state` is the folder of the table's files, which no process sees; `clock_ms` stamps what the processes say; `wake`
    is called when something has come. `start` starts a process; None: as the table does.
    """

    def __init__(
        self, state: Path, clock_ms: Callable[[], int], wake: Callable[[], object], start: Start | None = None
    ) -> None:
        self._state, self._clock_ms, self._wake, self._start = state, clock_ms, wake, start
        self._desk: AdviceDesk | None = None  # once somebody has asked
        self._rules = Rules()
        self._events: list[Event] | None = []  # None: too many to remember, so nothing is told of this game
        self._failed = False

    def begin(self, rules: Rules) -> None:
        self._rules, self._events = rules, []

    def resume(self, kept: KeptGame) -> None:
        """A game of another session goes on. (One that was left in this session is still the present one.)"""
        self._rules = kept.rules
        self._events = list(kept.played) if len(kept.played) == kept.events else None

    def hear(self, request: Request) -> None:
        """What the table asks for: events and games are remembered, advice is asked for."""
        match request:
            case Begin(rules):
                self.begin(rules)
            case Record(event):
                self._record(event)
            case AskHint(view):
                self._opened_desk().ask_hint(view)
            case AskPoints():
                self._ask_points()

    def _record(self, event: Event) -> None:
        if self._events is not None:
            self._events.append(event)
            if len(self._events) > MOST_PLAYED:
                self._events = None

    def _ask_points(self) -> None:
        if self._events is None:
            self._failed = True
            self._wake()
        else:
            self._opened_desk().ask_points(self._rules, self._events)

    def _opened_desk(self) -> AdviceDesk:
        if self._desk is None:
            from firmware.bots.adviser import AdviceDesk  # seldom wanted, and much to load
            from firmware.bots.child import Child
            from firmware.bots.sandbox import Sandbox

            box = Sandbox(hidden=(self._state,))
            start = self._start or partial(Child, box=box, clock_ms=self._clock_ms, wake=self._wake)
            self._desk = AdviceDesk(start, self._clock_ms)
        return self._desk

    def poll(self) -> Advice | None:
        """What has been found, once. To be called in each turn of the loop."""
        failed, self._failed = self._failed, False
        return NoAdvice.FAILED if failed else self._desk.poll() if self._desk is not None else None

    def close(self) -> None:
        if self._desk is not None:
            self._desk.close()

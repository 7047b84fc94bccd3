"""The table as a player in this session: its process, from the first game against it on. Loaded only then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from engine.events import Event
from engine.rules import Rules
from engine.transcript import Solo
from firmware.table.effects import Record, Think
from firmware.table.state import Decision

if TYPE_CHECKING:
    from firmware.run.opponent import TableOpponent


class Playing:
    """Who plays for the table, if anybody does now.

    `hidden`: the folder that no bot may see. `bot`: the command of another's program. `clock_ms` stamps what is said.
    `wake` is called in a thread of its own whenever the process has said something: then `decided` is to be asked.
    """

    def __init__(
        self, hidden: Path, bot: Sequence[str] | None, clock_ms: Callable[[], int], wake: Callable[[], None]
    ) -> None:
        self._hidden, self._bot, self._clock_ms, self._wake = hidden, bot, clock_ms, wake
        self._opponent: TableOpponent | None = None

    def begin(self, solo: Solo | None, rules: Rules, events: Sequence[Event] = ()) -> None:
        """A game begins, or goes on after these events; `solo` None: one of two persons."""
        if solo is None:
            self.end()
            return
        if self._opponent is None:
            self._opponent = self._new()
        self._opponent.begin(solo, rules, events)

    def _new(self) -> TableOpponent:
        from firmware.bots.child import Child  # seldom wanted, and much to load
        from firmware.bots.sandbox import Sandbox
        from firmware.run.opponent import TableOpponent

        box = Sandbox(hidden=(self._hidden,))
        start = partial(Child, box=box, clock_ms=self._clock_ms, wake=self._wake)
        return TableOpponent(start, self._clock_ms, self._bot)

    def go_on(self) -> None:
        """The game that was left in this session goes on."""
        if self._opponent is not None:
            self._opponent.go_on()

    def see(self, record: Record) -> None:
        if self._opponent is not None:
            self._opponent.see(record)

    def think(self, asked: Think) -> None:
        if self._opponent is not None:
            self._opponent.think(asked)

    def decided(self, now_ms: int) -> Decision | None:
        """What it has decided, once. To be asked in each turn of the loop."""
        return None if self._opponent is None else self._opponent.poll(now_ms)

    def end(self) -> None:
        """Nobody plays for the table any more. Returns at once."""
        opponent, self._opponent = self._opponent, None
        if opponent is not None:
            opponent.end()

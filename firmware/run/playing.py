"""The table as a player in this session: its process, from the first game against it on. Loaded only then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from engine.events import Event
from engine.rules import Rules
from engine.transcript import Solo
from firmware.kept.games import KeptGame
from firmware.table.effects import Begin, End, Record, Resume, Think
from firmware.table.state import Decision

if TYPE_CHECKING:
    from firmware.bots.hosted import Start
    from firmware.run.opponent import TableOpponent

OfGame = Begin | Resume | Record | Think | End  # what whoever plays for the table hears of


class Playing:
    """Who plays for the table, if anybody does now.

    `hidden`: the folder that no bot may see. `bot`: the command of another's program. `clock_ms` stamps what is said.
    `wake` is called in a thread of its own whenever the process has said something: then `decided` is to be asked.
    `start` starts the process; None: as the table does.
    """

    def __init__(
        self,
        hidden: Path,
        bot: Sequence[str] | None,
        clock_ms: Callable[[], int],
        wake: Callable[[], None],
        start: Start | None = None,
    ) -> None:
        self._hidden, self._bot, self._clock_ms, self._wake, self._start = hidden, bot, clock_ms, wake, start
        self._opponent: TableOpponent | None = None

    def do(self, request: OfGame, offered: KeptGame | None = None) -> None:
        """What the table asks of whoever plays for it. `offered`: the kept game with which a Resume goes on, None: the
        one that was left in this session."""
        match request:
            case Begin(rules, solo):
                self._begin(solo, rules)
            case Resume(solo) if offered is not None:
                self._begin(solo, offered.rules, [told for told in offered.story if isinstance(told, Event)])
            case End():
                self.end()
            case _ if self._opponent is None:
                return
            case Resume():
                self._opponent.go_on()
            case Record():
                self._opponent.see(request)
            case Think():
                self._opponent.think(request)

    def _begin(self, solo: Solo | None, rules: Rules, events: Sequence[Event] = ()) -> None:
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
        start = self._start or partial(Child, box=box, clock_ms=self._clock_ms, wake=self._wake)
        return TableOpponent(start, self._clock_ms, self._bot)

    def decided(self, now_ms: int) -> Decision | None:
        """What it has decided, once. To be asked in each turn of the loop."""
        return None if self._opponent is None else self._opponent.poll(now_ms)

    def end(self) -> None:
        """Nobody plays for the table any more. Returns at once."""
        opponent, self._opponent = self._opponent, None
        if opponent is not None:
            opponent.end()

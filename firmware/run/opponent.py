"""Who plays for the table in this session: told what the judge was given, asked when the table asks, heard each turn.

Nothing here waits: the process is written to and read from in the background (firmware.bots).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from engine.cards import Player
from engine.events import Event
from engine.players.names import TABLE_LEVELS
from engine.rules import Rules
from engine.transcript import Solo
from firmware.bots.at_table import STAND_IN, Contestant, TablePlayer, level_contestant
from firmware.bots.hosted import Start
from firmware.table.effects import Record, Think
from firmware.table.menus import bot_name
from firmware.table.state import Decision


class TableOpponent:
    """One side of one game after the other, in processes that `start` starts. To be closed.

    `bot`: the command of another's program, which plays where a game names it.
    """

    def __init__(self, start: Start, clock_ms: Callable[[], int], bot: Sequence[str] | None = None) -> None:
        self._start, self._clock_ms, self._bot = start, clock_ms, bot
        self._player: TablePlayer | None = None
        self._solo: Solo | None = None
        self._rules = Rules()
        self._events: list[Event] = []
        self._result_told = False
        self._number: int | None = None  # of the open question
        self._plays = ""  # who does, by name

    def begin(self, solo: Solo, rules: Rules, events: Iterable[Event] = ()) -> None:
        """A new game, or one that goes on after these events."""
        self.close()
        self._solo, self._rules, self._events = solo, rules, list(events)
        self._player = TablePlayer(self._contestant(solo.level), self._start, self._clock_ms)
        self._tell_all()

    def go_on(self) -> None:
        """The game that was left goes on: nothing is asked any more of what was asked then."""
        self._tell_all()

    def _tell_all(self) -> None:
        if self._player is not None and self._solo is not None:
            self._number, self._result_told = None, False
            self._player.begin(self._solo.side, self._rules, self._solo.seed, self._events)
            self._plays = self._player.name

    def _contestant(self, level: str) -> Contestant:
        if level in TABLE_LEVELS:
            return level_contestant(level)
        if self._bot is not None and level == bot_name(self._bot):
            return Contestant(level, tuple(self._bot))
        return level_contestant(STAND_IN)

    def see(self, record: Record) -> None:
        """The judge was given an event."""
        if self._player is None:
            return
        self._events.append(record.event)
        if self._result_told:  # it is over, or was until this undo
            if record.verdict.undone:
                self._tell_all()
            return
        self._player.see(record.before, record.event, record.verdict)
        if record.after.over:
            self._result(record.after.winner)

    def _result(self, winner: Player | None) -> None:
        if self._player is not None and not self._result_told:
            self._player.result(winner)
            self._number, self._result_told = None, True

    def think(self, asked: Think) -> None:
        """The answer comes by `poll`. A question before it that is still open no longer matters."""
        if self._player is None:
            return
        if self._number is not None:
            self._player.cancel()
        self._number = asked.number
        self._player.ask(asked.view)

    def poll(self, now_ms: int) -> Decision | None:
        """What it has decided, once. To be called in each turn of the loop."""
        found = self._player.poll() if self._player is not None else None
        if found is None or self._number is None:
            return None
        number, self._number = self._number, None
        return Decision(number, tuple(sorted(found.play.cards)), now_ms, bool(found.fault), self._new_stand_in())

    def _new_stand_in(self) -> str:
        """Who plays on in its place since the decision before, "" if it is the same."""
        assert self._player is not None
        before, self._plays = self._plays, self._player.name
        return "" if self._plays == before else self._plays

    def end(self) -> None:
        """The game was broken off, or another kind of game begins."""
        if self._player is not None:
            self._result(None)
        self.close()

    def close(self) -> None:
        """Let the process end; returns at once."""
        if self._player is not None:
            self._player.close()
        self._player = self._solo = self._number = None

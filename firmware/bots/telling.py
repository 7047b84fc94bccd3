"""What one side has been told of a game, event by event, so that what is taken back can be told anew. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from engine.cards import Player
from engine.events import Event, Kind
from engine.game import Game, judge, new_game
from engine.rules import Rules
from engine.sights import Sight, accepted_sights
from engine.verdict import Verdict


class Telling:
    """The sights of one side. No bot is told that something was taken back: it is told the game anew, without it."""

    def __init__(self, side: Player, rules: Rules, events: Iterable[Event] = ()) -> None:
        self._side = side
        self._told: list[tuple[Sight, ...]] = []  # of each accepted event that stands
        game = new_game(rules)
        for event in events:
            after, verdict = judge(game, event)
            self.add(game, event, verdict)
            game = after

    @property
    def seen(self) -> list[Sight]:
        """All that stands, in order."""
        return [sight for sights in self._told for sight in sights]

    def add(self, before: Game, event: Event, verdict: Verdict) -> tuple[Sight, ...] | None:
        """What there is to tell of an event that met the game `before`; None: `seen` is to be told anew."""
        if event.kind is Kind.UNDO or not verdict.accepted:
            return () if self._drop(len(verdict.taken_back) + verdict.undone) else None
        sights = accepted_sights(before, event, verdict, self._side)
        self._told.append(sights)
        return sights

    def _drop(self, count: int) -> bool:
        """Forget the latest events; whether none of them had been told."""
        gone, self._told = self._told[len(self._told) - count :], self._told[: len(self._told) - count]
        return not any(gone)

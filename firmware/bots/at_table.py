"""Who plays for the table: a bot's process, its stand-in after three faults, and a play for every question.

`begin`, `see`, `ask` and `poll` return at once, whatever the process does.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from engine.cards import Player
from engine.events import Event, Kind
from engine.game import Game
from engine.legal import Play
from engine.players.situation import forced_play
from engine.round import Phase
from engine.rules import Rules
from engine.verdict import Verdict
from engine.views import View
from firmware.bots.dialogue import AT_A_TABLE
from firmware.bots.fallback import fallback_play
from firmware.bots.hosted import Hosted, Process
from firmware.bots.sandbox import level_command
from firmware.bots.telling import Telling

FAULTS = 3  # of a game; then a stand-in plays
STAND_IN = "good"  # the level

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Contestant:
    """A program that plays: its command; `trusted`: it is ours, and forgets at `new`."""

    name: str
    command: tuple[str, ...]
    trusted: bool = False


def level_contestant(level: str) -> Contestant:
    """Raises UnknownLevel."""
    return Contestant(level, level_command(level), trusted=True)


@dataclass(frozen=True, slots=True)
class TablePlay:
    """What the table plays. `fault`: what the bot has done wrong instead of answering, "" if it has answered."""

    play: Play
    fault: str = ""


@dataclass
class _Match:
    """The game that is played, as it has to be told to a process started anew."""

    side: Player
    rules: Rules
    seed: int
    telling: Telling
    faults: int = 0


class TablePlayer:
    """Plays one side of one game after the other. To be closed.

    `start` starts a process; `clock_ms` is the clock that stamps what it says.
    """

    def __init__(
        self, contestant: Contestant, start: Callable[[Sequence[str]], Process], clock_ms: Callable[[], int]
    ) -> None:
        self._named, self._playing = contestant, contestant
        self._start, self._clock_ms = start, clock_ms
        self._hosted: Hosted | None = None
        self._match: _Match | None = None
        self._view: View | None = None  # of the open question
        self._decided: TablePlay | None = None

    @property
    def name(self) -> str:
        """Who plays now: the one that was named, or the stand-in."""
        return self._playing.name

    def begin(self, side: Player, rules: Rules, seed: int, events: Iterable[Event] = ()) -> None:
        """A new game, or one that goes on after these events."""
        self._playing, self._match = self._named, _Match(side, rules, seed, Telling(side, rules, events))
        self._begin()

    def see(self, before: Game, event: Event, verdict: Verdict) -> None:
        """Every event of the game and what the engine says to it; `before` is the game that it met.

        `void`, and an event by which something is taken back that this side has seen, cancel the open question.
        """
        assert self._match is not None, "no game has begun"
        seen = self._match.telling.add(before, event, verdict)
        if seen is None:
            self._begin(at_once=self._playing.trusted)
            return
        if event.kind is Kind.VOID:
            self.cancel()
        if self._hosted is None:
            self._tell_all()
        else:
            self._hosted.tell(seen)

    def _begin(self, *, at_once: bool = True) -> None:
        """Tell the game from its start; not `at_once`: with what comes next, as undos come in rows."""
        self._view = self._decided = None
        if not self._playing.trusted or (self._hosted is not None and self._hosted.fault):
            self._end()
        if at_once:
            self._tell_all()

    def ask(self, view: View) -> None:
        """Ask for the play of this view's seat; `poll` gives it. A play that was begun is completed without asking.

        Raises NothingToDecide, also for a begun play that has to be taken back.
        """
        assert self._match is not None, "no game has begun"
        forced = None if view.phase is Phase.SHOWDOWN else forced_play(view)
        if forced is not None:
            self._decided = TablePlay(forced)
            return
        self._view = view
        if self._hosted is None:
            self._tell_all()
        if self._hosted is None:
            self._decided, self._view = TablePlay(fallback_play(view)), None
        else:
            self._hosted.ask(view)

    def poll(self) -> TablePlay | None:
        """What is decided, once. To be called often, also while nothing is asked: it hears what the process says."""
        if self._hosted is not None:
            answer = self._hosted.poll()
            if answer is not None:
                self._view, self._decided = None, TablePlay(answer.play)
            elif self._hosted.fault:
                self._fault(self._hosted.fault, self._hosted.outline)
        found, self._decided = self._decided, None
        return found

    def cancel(self) -> None:
        """The open question no longer matters."""
        self._view = self._decided = None
        if self._hosted is not None:
            self._hosted.cancel()

    def result(self, winner: Player | None) -> None:
        """The game is over; None: broken off."""
        self._view = self._decided = self._match = None
        if self._hosted is not None:
            self._hosted.result(winner)

    def close(self) -> None:
        """Let the process end; returns at once."""
        self._end()
        self._match = self._view = None

    # ---- its process ----

    def _tell_all(self) -> None:
        if self._match is None or self._match.faults >= 2 * FAULTS:
            return  # the stand-in fares no better here: the fallback plays on
        if self._hosted is None:
            self._hosted = Hosted(self._start(self._playing.command), AT_A_TABLE, self._clock_ms)
        match = self._match
        self._hosted.begin(match.side, match.rules, match.seed, match.telling.seen)

    def _end(self) -> None:
        if self._hosted is not None:
            self._hosted.close()
            self._hosted = None

    def _fault(self, fault: str, outline: str) -> None:
        """Play for the bot if it was asked, and start it anew, or its stand-in.

        The log gets the outline: the person who plays may read it, and the bot's own words may name its cards.
        """
        self._end()
        match = self._match
        if match is None:
            _log.warning("%s: %s", self.name, outline, extra={"kind": self.name})
            return
        match.faults += 1
        what = "the table plays for it" if self._view is not None else "it is started anew"
        if match.faults == FAULTS:
            self._playing = level_contestant(STAND_IN)
            what = f"the third time in this game, so {STAND_IN} plays on"
        _log.warning("%s: %s: %s", self._named.name, outline, what, extra={"kind": f"{self._named.name}: {what}"})
        if self._view is not None:
            self._decided, self._view = TablePlay(fallback_play(self._view), fault), None
        self._tell_all()

"""A host's end without a process: one that says what a test wants, at times that a test chooses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from engine.cards import Player
from engine.players.levels import level_named
from engine.views import View, view_of
from firmware.bots.answering import Bot
from firmware.bots.child import Came
from firmware.bots.intake import Saying
from tests.support.engine_games import dealt, told

REPLACE = dealt("1a 3a 5a 7a 9a 10a 12a", "2a 3b 4a 6a 8a 9b 11a", swap=True)
ATTACK = f"{REPLACE}; yay ok; wow ok; yay 12a; wow 2a"  # yay attacks, with 1a 3a 5a 7a 9a 10a
DEFEND = f"{ATTACK}; yay 9a; yay ok"  # wow answers, with 3b 4a 6a 8a 9b 11a


def view(side: Player, *texts: str) -> View:
    """What this side knows at the end of a transcript."""
    return view_of(told(*texts).game, side)


class Clock:
    """The milliseconds that a test says."""

    def __init__(self) -> None:
        self.ms = 1000

    def __call__(self) -> int:
        return self.ms


Script = Callable[[str], Iterable[str | Saying]]  # a line that it is sent -> what it says to that


class PretendedProcess:
    """A `hosted.Process` in this process, which says what its script says, `delay_ms` after each line."""

    def __init__(self, script: Script, clock: Clock, delay_ms: int = 5) -> None:
        self.sent: list[str] = []
        self.ended: float | None = None  # set: with which grace
        self.tail = ""
        self.delay_ms = delay_ms
        self._script, self._clock = script, clock
        self._says: list[Came] = []

    def send(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.sent.append(line)
            for word in self._script(line):
                saying = word if isinstance(word, Saying) else Saying(word)
                self._says.append((self._clock.ms + self.delay_ms, saying))

    def question(self) -> None: ...

    def take(self, timeout_s: float = 0.0) -> list[Came]:
        """What it has said by now; a timeout is waited for on the test's clock."""
        if timeout_s and not any(at_ms <= self._clock.ms for at_ms, _ in self._says):
            first_ms = min((at_ms for at_ms, _ in self._says), default=self._clock.ms + 10**9)
            self._clock.ms = min(first_ms, self._clock.ms + round(timeout_s * 1000))
        found = [came for came in self._says if came[0] <= self._clock.ms]
        self._says = [came for came in self._says if came[0] > self._clock.ms]
        return found

    def end(self, grace_s: float = 0.0) -> None:
        self.ended = grace_s

    def join(self, timeout_s: float | None = None) -> bool:
        return True


def playing(level: str = "careful") -> Script:
    """A bot of ours."""
    return Bot(f"Pretended {level}", level_named(level)).answers


def until(script: Script, word: str, then: Sequence[str | Saying]) -> Script:
    """The same until a line begins with `word`: this one gets `then`, and every later one nothing."""
    over: list[str] = []

    def answers(line: str) -> Iterable[str | Saying]:
        if over:
            return ()
        if line.split(maxsplit=1)[0] == word:
            over.append(line)
            return then
        return script(line)

    return answers

"""A host's end of the protocol, for one process of a bot: what it is sent, what is made of what comes, and when.

Pure: lines in and out, and the time as milliseconds of whatever clock the caller has. What comes has the time at which
it was read; `tick` says how far all that was read has been handed in.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from engine.cards import Player
from engine.legal import Play
from engine.rules import Rules
from engine.sights import Sight, format_sight
from engine.views import View
from firmware.bots.intake import Saying
from firmware.bots.lines import VERSION, BadPlay, game_lines, number_in, question_of, read_play
from firmware.errors import printable, short

MOST_MS = 10_000  # for a greeting, `ready`, or an answer
LATE_MS = 100  # that an answer may take beyond what it was given
TABLE_MS, TABLE_MOST_MS = 1500, 2000  # what a bot is given at a table, and when the table plays by itself


class Awaited(StrEnum):
    """What the host waits for, before it sends more."""

    GREETING = "its greeting"
    READY = "ready"
    ANSWER = "an answer"


@dataclass(frozen=True, slots=True)
class Patience:
    """What a bot is told it has for an answer (None: it is not told), and when its not coming is a fault."""

    ms: int | None = 100
    most_ms: int = MOST_MS


AT_A_TABLE = Patience(TABLE_MS, TABLE_MOST_MS)


@dataclass(frozen=True, slots=True)
class Chosen:
    """An answer: the play, how long it took, and whether that was more than it was given."""

    play: Play
    ms: int
    late: bool


class Dialogue:
    """What is said to a bot and by it. `fault` is what it has done wrong, "" as long as that is nothing.

    `outline`: the same without a word of the bot's, which may name cards that nobody is to know.

    After a fault nothing is sent and nothing heard any more: the process is to be ended.
    """

    def __init__(self, now_ms: int, timing: Patience) -> None:
        self.name = ""
        self.fault = self._about = ""
        self._timing = timing
        self._queue: deque[str] = deque()  # what is still to be sent
        self._out: list[str] = []
        self._awaited: Awaited | None = None
        self._since_ms = now_ms
        self._number = 0  # of the latest question
        self._view: View | None = None  # which it is asked about
        self._answer: Chosen | None = None
        self._send([f"tacobot {VERSION}"], now_ms)

    # ---- what the host says ----

    def begin(self, side: Player, rules: Rules, seed: int, now_ms: int) -> None:
        """A new game. It is told of when the bot has greeted, and anything more once it is ready."""
        self._cancel()
        self._send(game_lines(side, rules, seed), now_ms)

    def tell(self, seen: Iterable[Sight], now_ms: int) -> None:
        self._send(map(format_sight, seen), now_ms)

    def ask(self, view: View, now_ms: int) -> None:
        """Ask the seat of this view, one question at a time. Raises NothingToDecide."""
        assert self._view is None, "the question before is still open"
        go = question_of(view, self._number + 1, self._timing.ms)
        self._number, self._view, self._answer = go.number, view, None
        self._send([str(go)], now_ms)

    def result(self, winner: Player | None, now_ms: int) -> None:
        self._cancel()
        self._send([f"result {winner or 'none'}"], now_ms)

    def void(self, now_ms: int) -> None:
        """The open question is cancelled, if there is one: the event `void` tells the bot."""
        self._cancel()
        self._release(now_ms)

    def take_lines(self) -> list[str]:
        """What is to be sent now; with `go` in it a question begins."""
        found, self._out = self._out, []
        return found

    def take_answer(self) -> Chosen | None:
        """The answer to the question that was open, once."""
        found, self._answer = self._answer, None
        return found

    @property
    def awaited(self) -> Awaited | None:
        """What the bot is now to say."""
        return self._awaited

    @property
    def due_ms(self) -> int | None:
        """When what is awaited has to be there; None: nothing is."""
        if self._awaited is None or self.fault:
            return None
        return self._since_ms + (self._timing.most_ms if self._awaited is Awaited.ANSWER else MOST_MS)

    def _cancel(self) -> None:
        self._view = self._answer = None
        if self._awaited is Awaited.ANSWER:
            self._awaited = None
        self._queue = deque(line for line in self._queue if not line.startswith("go "))

    def _send(self, lines: Iterable[str], now_ms: int) -> None:
        self._queue.extend(lines)
        self._release(now_ms)

    def _release(self, now_ms: int) -> None:
        while self._queue and self._awaited is None and not self.fault:
            line = self._queue.popleft()
            self._out.append(line)
            self._awaited = _AWAITED.get(line.partition(" ")[0])
            self._since_ms = now_ms

    @property
    def outline(self) -> str:
        return self._about or self.fault

    # ---- what the bot says ----

    def hear(self, saying: Saying, at_ms: int) -> None:
        """A line that was read at this time, or what is wrong with what was read."""
        if self.fault:
            return
        words = saying.text.split(" ")
        if saying.wrong:
            self.fault = saying.text
        elif words[0] == "info":
            pass
        elif self._awaited is Awaited.GREETING:
            self._hear_greeting(words)
        elif self._awaited is Awaited.READY:
            if words[0] == "ready":  # what came before it is discarded
                self._awaited = None
        elif words[0] == "play":
            self._hear_play(words, at_ms)
        elif words[0] == "error":
            self._about = "it cannot follow"
            self.fault = f"{self._about}: {_shown(saying.text)}"
        elif self._awaited is Awaited.ANSWER:
            self._about = f"something else where `play {self._number} …` is due"
            self.fault = f"{_shown(saying.text)!r} where `play {self._number} …` is due"

    def _hear_greeting(self, words: Sequence[str]) -> None:
        if words[0] == "name":
            self.name = self.name or _shown(" ".join(words[1:]))
        elif words[0] == "protocol":
            version = number_in(words[1]) if len(words) > 1 else None
            if version is None or not 1 <= version <= VERSION:
                self._about = f"another protocol than {VERSION}"
                self.fault = f"{_shown(' '.join(words))!r} found, protocol {VERSION} is spoken here"
            self._awaited = None

    def _hear_play(self, words: Sequence[str], at_ms: int) -> None:
        number = number_in(words[1]) if len(words) > 1 else None
        asked = self._number - (self._view is not None and self._awaited is not Awaited.ANSWER)
        if number is None or not 1 <= number <= asked:
            self._about = "an answer to a question that was never asked"
            self.fault = f"{_shown(' '.join(words))!r}: a question of that number was never asked"
        elif number == self._number and self._awaited is Awaited.ANSWER and self._view is not None:
            self._hear_answer(self._view, words, at_ms)
        # else: what is left of a question that was cancelled

    def _hear_answer(self, view: View, words: Sequence[str], at_ms: int) -> None:
        took_ms = at_ms - self._since_ms
        if took_ms > self._timing.most_ms:
            self.fault = self._overdue()
            return
        try:
            play = read_play(view, words[2:])
        except BadPlay as error:
            self._about = f"an illegal play in {view.phase}"
            self.fault = f"{_shown(' '.join(words))!r} in {view.phase}: {error}"
            return
        late = self._timing.ms is not None and took_ms > self._timing.ms + LATE_MS
        self._answer, self._view, self._awaited = Chosen(play, took_ms, late), None, None

    def tick(self, now_ms: int) -> None:
        """All that was read up to this time has been heard; what waited for it is sent now."""
        due_ms = self.due_ms
        if due_ms is not None and now_ms > due_ms:
            self.fault = self._overdue()
        self._release(now_ms)

    def _overdue(self) -> str:
        most_ms = self._timing.most_ms if self._awaited is Awaited.ANSWER else MOST_MS
        return f"{self._awaited or 'an answer'} has not come within {most_ms / 1000:g} s"


_AWAITED = {"tacobot": Awaited.GREETING, "ready": Awaited.READY, "go": Awaited.ANSWER}


def _shown(text: str) -> str:
    return short(printable(text))

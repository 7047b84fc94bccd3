"""A process of a bot and what is said with it, as one: no call of `Hosted` waits but `wait` and `wait_until_ready`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from engine.cards import Player
from engine.rules import Rules
from engine.sights import Sight
from engine.views import View
from firmware.bots.child import QUIT_S, Came
from firmware.bots.dialogue import Awaited, Chosen, Dialogue, Patience


class Process(Protocol):
    """What a host needs of a process: `Child` has it."""

    @property
    def tail(self) -> str: ...
    def send(self, lines: Iterable[str]) -> None: ...
    def question(self) -> None: ...
    def take(self, timeout_s: float = 0.0) -> list[Came]: ...
    def end(self, grace_s: float = 0.0) -> None: ...
    def join(self, timeout_s: float | None = None) -> bool: ...


class Hosted:
    """A bot that runs. After each call `fault` says what it has done wrong, "" if nothing; then only `close` is left.

    `clock_ms` is the clock that stamped what was read.
    """

    def __init__(self, process: Process, timing: Patience, clock_ms: Callable[[], int]) -> None:
        self._process, self._clock_ms = process, clock_ms
        self._dialogue = Dialogue(clock_ms(), timing)
        self._send()

    @property
    def name(self) -> str:
        return self._dialogue.name

    @property
    def fault(self) -> str:
        """What it has done wrong, with what it wrote on standard error at last."""
        tail = self._process.tail
        return f"{self._dialogue.fault} ({tail})" if self._dialogue.fault and tail else self._dialogue.fault

    @property
    def outline(self) -> str:
        """What it has done wrong, without a word of its own."""
        return self._dialogue.outline

    @property
    def awaited(self) -> Awaited | None:
        """What the bot is now to say."""
        return self._dialogue.awaited

    def begin(self, side: Player, rules: Rules, seed: int, seen: Iterable[Sight] = ()) -> None:
        """A new game, and what has been seen of it so far."""
        self._dialogue.begin(side, rules, seed, self._clock_ms())
        self.tell(seen)

    def tell(self, seen: Iterable[Sight]) -> None:
        self._dialogue.tell(seen, self._clock_ms())
        self._send()

    def ask(self, view: View) -> None:
        """Raises NothingToDecide."""
        self._dialogue.ask(view, self._clock_ms())
        self._send()

    def cancel(self) -> None:
        """The open question, if there is one, no longer matters: `void` or a new game follows."""
        self._dialogue.void(self._clock_ms())
        self._send()

    def result(self, winner: Player | None) -> None:
        self._dialogue.result(winner, self._clock_ms())
        self._send()

    def poll(self, timeout_s: float = 0.0) -> Chosen | None:
        """Hear what has come; the answer to the open question, once."""
        now_ms = self._clock_ms()
        for at_ms, saying in self._process.take(timeout_s):
            self._dialogue.hear(saying, at_ms)
        self._dialogue.tick(now_ms)
        self._send()
        return self._dialogue.take_answer()

    def wait(self) -> Chosen | None:
        """Wait for the answer to the open question; None: a fault has come instead."""
        answer = None
        while answer is None and not self.fault:
            answer = self.poll(self._left_s())
        return answer

    def wait_until_ready(self) -> None:
        """Wait until nothing is awaited: the game that was begun can be played. Or until a fault has come."""
        while self.awaited is not None and not self.fault:
            self.poll(self._left_s())

    def _left_s(self) -> float:
        due_ms = self._dialogue.due_ms
        return 0.001 if due_ms is None else max((due_ms + 1 - self._clock_ms()) / 1000, 0.001)

    def close(self, *, kindly: bool = True) -> None:
        """Let it end, kindly by `quit`; after a fault it is killed. Returns at once."""
        self._process.end(QUIT_S if kindly and not self._dialogue.fault else 0.0)

    def join(self, timeout_s: float | None = None) -> bool:
        return self._process.join(timeout_s)

    def _send(self) -> None:
        lines = self._dialogue.take_lines()
        if any(line.startswith("go ") for line in lines):
            self._process.question()
        self._process.send(lines)


Start = Callable[[Sequence[str]], Process]

"""What the engine says of an event: accepted or why not, and what a person needs to understand it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.cards import Card, Player


class Problem(StrEnum):
    """Why an event is rejected; of several reasons the first in this order (docs/rules.md, Why was that refused?)."""

    GAME_OVER = "game-over"
    UNKNOWN_CARD = "unknown-card"
    NOTHING_TO_CONFIRM = "nothing-to-confirm"
    NOTHING_TO_UNDO = "nothing-to-undo"
    NOT_YOUR_TURN = "not-your-turn"
    CARD_ALREADY_USED = "card-already-used"
    NOT_YOUR_CARD = "not-your-card"
    HAND_FULL = "hand-full"
    TOO_MANY_REPLACED = "too-many-replaced"
    MUST_KEEP_LAST_CARD = "must-keep-last-card"
    NOT_A_SET_OR_SEQUENCE = "not-a-set-or-sequence"
    MUST_DEFEND_OR_SACRIFICE_LOWEST = "must-defend-or-sacrifice-lowest"


class Result(StrEnum):
    """How a round ended."""

    YAY = "yay"
    WOW = "wow"
    TIE = "tie"
    VOID = "void"


SACRIFICE_NOT_LOWEST = "sacrifice-not-lowest"


@dataclass(frozen=True, slots=True)
class Foul:
    """A late foul: a claim made by an earlier sacrifice that has turned out to be untrue.

    `convicted` are the claims (ranks, ascending) of yay and of wow that cannot be true; `card` is the
    card that disproves them by itself (a lower one, still held then), or None if the count of the cards
    not yet seen disproves them.
    """

    suspects: tuple[Player, ...]
    convicted: tuple[tuple[int, ...], tuple[int, ...]]
    card: Card | None = None
    rule: str = SACRIFICE_NOT_LOWEST


@dataclass(frozen=True, slots=True)
class Trick:
    """A completed attack and its answer; `sacrificed` is k*, 0 if the answer holds."""

    attacker: Player
    attack: tuple[Card, ...]
    answer: tuple[Card, ...]
    sacrificed: int

    @property
    def holds(self) -> bool:
        return self.sacrificed == 0


@dataclass(frozen=True, slots=True)
class Pairing:
    """The two cards of a duel or a showdown, of yay and of wow; `winner` None on equal ranks."""

    yay: Card
    wow: Card
    winner: Player | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one event.

    `attack` and `answer` are the cards concerned when a play is judged as a whole, `limit` the number
    that a `too-many-replaced` or `hand-full` is about, `claim` the rank that an impossible answer claims;
    `taken_back` are the cards that went back into a hand with this event. `kept_all`: the first player
    replaced none, so the other could not replace either. `undone`: an accepted undo.
    """

    problem: Problem | None = None
    fouls: tuple[Foul, ...] = ()
    round_result: Result | None = None
    trick: Trick | None = None
    duel: Pairing | None = None
    showdown: Pairing | None = None
    attack: tuple[Card, ...] = ()
    answer: tuple[Card, ...] = ()
    limit: int | None = None
    claim: int | None = None
    taken_back: tuple[Card, ...] = ()
    kept_all: bool = False
    undone: bool = False

    @property
    def accepted(self) -> bool:
        return self.problem is None

"""What advice is made of: hints and turning points as values, for those who show them.

The players themselves, and their tables, are loaded only where one decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from engine.cards import Card, Player
from engine.game import Game
from engine.views import View

if TYPE_CHECKING:  # the table shows advice, and does without the solver
    from engine.players.solving import Hand


class Reason(StrEnum):
    """What speaks most for a play."""

    KEEP = "keep"  # replace: what would be drawn is no better
    MIDDLE = "middle"  # replace: these are too high to end with and too low to attack with
    DRAW = "draw"  # replace: what is drawn is better on average
    FIRST = "first"  # duel: attacking first is worth the highest card
    SPARE = "spare"  # duel: a card that is missed least
    END = "end"  # the lower of the last two cards is kept: the lower one wins the showdown
    UNHELD = "unheld"  # attack: no hand can hold it
    HARDLY_HELD = "hardly-held"  # attack: few hands can hold it
    MANY = "many"  # attack: several cards at once, each of which must be met
    LOW_KEPT = "low-kept"  # attack: the lowest cards are kept for the end
    HIGH_LATER = "high-later"  # attack: high cards are kept, to hold and to attack with
    HOLDS = "holds"  # answer: it holds, and the next attack is one's own
    HIGH_KEPT = "high-kept"  # answer: holding would cost cards that are needed later
    NOTHING_HOLDS = "nothing-holds"  # answer: none holds, and this gives the least away


@dataclass(frozen=True)
class Hint:
    """`ranks` are the cards to lay (ascending; to replace, none or more), `reason` says why.

    `worth` is the share of rounds like this one that they win (worths.py), None where that cannot be said.
    """

    ranks: Hand
    reason: Reason
    worth: float | None


@dataclass(frozen=True)
class Decided:
    """One decision of a game: what its player saw, the cards chosen (in the order laid), and the game at that moment.

    `event` is the place of the play's first card among all events, from 0; of a play without cards that of its ok."""

    event: int
    view: View
    cards: tuple[Card, ...]
    game: Game

    @property
    def player(self) -> Player:
        assert self.view.seat is not None
        return self.view.seat

    @property
    def ranks(self) -> Hand:
        return tuple(sorted(card.rank for card in self.cards))


@dataclass(frozen=True)
class TurningPoint:
    """A play that cost much. `better` are the ranks that would have been better; `lost` the share of rounds like this
    one that it cost, `cost` the share of games.

    `lay` is what the play and the better one would have won as the hidden cards really lay, if both sides had seen all
    of them: 1, 1/2 (a tie) or 0 of the round; None where that depends on cards not drawn, or on the other's choice.
    """

    decided: Decided
    better: Hand
    lost: float
    cost: float
    lay: tuple[float, float] | None

"""What each choice of a decision is worth, by what its seat may know: for hints and turning points.

A worth is a share of rounds like this one, from 0 to 1: of those that the seat cannot tell from the real one, how many
are won from here on if both sides play well. It is estimated from hands drawn at random, as the strong player does it.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from engine.players.simple import careful_discards, careful_ranks
from engine.players.situation import Situation, chance_for, forced_play, most_to_replace, situation_of
from engine.players.solving import Hand
from engine.players.strong import (
    FITTED_HANDS,
    LEAST_HANDS,
    STRONG_DRAWS,
    best_play,
    best_rank,
    can_be_solved,
    duel_worths,
    fitting_hands,
    hands_to_solve,
    plays_won,
    values_of,
)
from engine.players.values import Values, best_discards, draw_ranks, without, worth
from engine.round import Phase
from engine.views import View


@dataclass(frozen=True)
class Worths:
    """The choices of one decision, each as the ranks laid down (ascending); `best` is the one to prefer.

    `of` lacks a choice that could not be estimated. It is empty where nothing can be: replacing with a deck for which
    there are no fitted values, and hands too large to be solved. Of a replacement it has only what was looked at: none,
    `best`, and `asked`.
    """

    best: Hand
    of: Mapping[Hand, float]

    def lost_by(self, choice: Hand) -> float:
        """How much less this choice is worth than the best one, 0 or more; 0 where it is not known."""
        if choice not in self.of or self.best not in self.of:
            return 0.0
        return max(0.0, self.of[self.best] - self.of[choice])


def worths_of(view: View, seed: int, nodes: int, asked: Hand | None = None) -> Worths | None:
    """What can be chosen in this view; None if there is no choice, or a play has been begun.

    `nodes` is how much work may be done (see strong.py), at least as much as four hands take. Raises NothingToDecide
    if the view's seat is not to choose now.
    """
    if forced_play(view) is not None:
        return None
    now, chance, values = situation_of(view), chance_for(view, seed), values_of(view)
    if view.phase is Phase.REPLACE:
        return _of_discards(view, now, values, chance, asked)
    if not can_be_solved(now):
        return Worths(careful_ranks(view, now), {})
    count = max(hands_to_solve(len(now.mine), now.others, nodes), LEAST_HANDS)
    others = fitting_hands(view, now, count, values, chance)
    if view.phase is Phase.DUEL:
        return _of_duel(view, now, values, others)
    won = plays_won(view, now, others)
    found = {play: share / len(others) for play, share in won.items()}
    return Worths(best_play(now, won), found)


def _of_duel(view: View, now: Situation, values: Values | None, others: list[Hand]) -> Worths:
    hands = len(others) + (FITTED_HANDS if values else 0)
    worths = duel_worths(view, now, values, others)
    return Worths((best_rank(worths),), {(rank,): share / hands for rank, share in worths.items()})


def _of_discards(
    view: View, now: Situation, values: Values | None, chance: random.Random, asked: Hand | None
) -> Worths:
    most = most_to_replace(view)
    if values is None:
        return Worths(careful_discards(now.mine, most), {})
    start = chance.getstate()
    best = best_discards(values, now.mine, now.unseen, most, chance, STRONG_DRAWS)
    chance.setstate(start)  # the same draws for all
    piles = [draw_ranks(now.unseen, min(most, sum(now.unseen)), chance) for _ in range(STRONG_DRAWS)]
    choices = {(), best, *([] if asked is None else [asked])}
    return Worths(best, {gone: _after_drawing(values, now.mine, gone, piles) for gone in choices})


def _after_drawing(values: Values, mine: Hand, gone: Hand, piles: list[list[int]]) -> float:
    kept = mine
    for rank in gone:
        kept = without(kept, rank)
    return sum(worth(values.dealt, tuple(sorted((*kept, *pile[: len(gone)])))) for pile in piles) / len(piles)

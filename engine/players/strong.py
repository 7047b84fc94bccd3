"""Players who draw hands that the other may hold, solve each exactly, and take what wins most of them.

*plain sampling*: ten hands that fit what is known; replace and duel by fitted values. It is what the strong player is
measured against. *strong*: as many likely hands as the work allows, also in the duel.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from math import comb

from engine.board import Arrow
from engine.cards import parse_deck
from engine.legal import Play
from engine.players.fitted import DECK, TABLE
from engine.players.sampling import likely_hands, plain_hands
from engine.players.simple import answer_worth, attack_worth, careful_discards, careful_duel, careful_ranks
from engine.players.situation import (
    Situation,
    answers_of,
    chance_for,
    forced_play,
    most_to_replace,
    play_of,
    seat_of,
    situation_of,
)
from engine.players.solving import Hand, Solver, shortage
from engine.players.values import DRAWS, Values, best_discards, duel_chances, duel_values
from engine.round import Phase
from engine.rules import Tie
from engine.views import View

FITTED_DECK = parse_deck(DECK)

PLAIN_HANDS = 10
MOST_HANDS = 64
LEAST_HANDS = 4
MOST_RESTS = 100_000  # in solving one hand: ten cards against nine; with more each card would double the time
FITTED_HANDS = 12  # in the duel, fitted values count as much as this many solved hands
STRONG_DRAWS = 72


def decide_by_plain_sampling(view: View, seed: int, nodes: int = 0) -> Play:
    """Ten fitting hands, each solved, best mean; replace and duel by fitted values."""
    forced = forced_play(view)
    if forced is not None:
        return forced
    now, chance = situation_of(view), chance_for(view, seed)
    values = values_of(view)
    match view.phase:
        case Phase.REPLACE:
            return play_of(view, _discards(view, now, values, chance))
        case Phase.DUEL:
            return play_of(view, [_fitted_duel(now.mine, values)])
    if not can_be_solved(now):
        return play_of(view, careful_ranks(view, now))
    others = plain_hands(now, PLAIN_HANDS, chance)
    return play_of(view, best_by_solving(view, now, others))


def decide_strongly(view: View, seed: int, nodes: int) -> Play:
    forced = forced_play(view)
    if forced is not None:
        return forced
    now, chance = situation_of(view), chance_for(view, seed)
    values = values_of(view)
    if view.phase is Phase.REPLACE:
        return play_of(view, _discards(view, now, values, chance, STRONG_DRAWS))
    if len(now.mine) == 2 and view.phase is not Phase.DUEL:
        return play_of(view, [last_but_one(now)])
    count = hands_to_solve(len(now.mine), now.others, nodes)
    if view.phase is Phase.DUEL:
        if values is None or count < LEAST_HANDS:
            return play_of(view, [_fitted_duel(now.mine, values)])
        return play_of(view, [_duel_by_solving(view, now, values, count, chance)])
    if not can_be_solved(now):
        return play_of(view, careful_ranks(view, now))
    others = fitting_hands(view, now, max(count, LEAST_HANDS), values, chance)
    return play_of(view, best_by_solving(view, now, others))


def values_of(view: View) -> Values | None:
    """The fitted values of this view's deck and hand size, if there are any."""
    return TABLE.get(view.hand_size) if view.rules.deck == FITTED_DECK else None


def hands_to_solve(mine: int, others: int, nodes: int) -> int:
    """How many hands of `others` cards the work allows against `mine` cards; 0 if not even the least number."""
    count = min(nodes // _rests(mine, others), MOST_HANDS)
    return count if count >= LEAST_HANDS else 0


def can_be_solved(now: Situation) -> bool:
    """Whether the hands are small enough for LEAST_HANDS of them to be no more than a level's work."""
    return _rests(len(now.mine), now.others) <= MOST_RESTS


def _rests(mine: int, others: int) -> int:
    return comb(mine + others, others)


# ---- replace and duel ----------------------------------------------------------------------


def _discards(view: View, now: Situation, values: Values | None, chance: random.Random, draws: int = DRAWS) -> Hand:
    most = most_to_replace(view)
    if values is None:
        return careful_discards(now.mine, most)
    return best_discards(values, now.mine, now.unseen, most, chance, draws)


def _fitted_duel(mine: Hand, values: Values | None) -> int:
    if values is None:
        return careful_duel(mine)
    return best_rank(duel_values(values, mine))


def _duel_by_solving(view: View, now: Situation, values: Values | None, count: int, chance: random.Random) -> int:
    """The card that wins most of the likely hands, each of which lays what its own values say."""
    return best_rank(duel_worths(view, now, values, fitting_hands(view, now, count, values, chance)))


def best_rank(worths: Mapping[int, float]) -> int:
    """Of duel cards that are worth the same the lowest."""
    return max(worths, key=lambda rank: (worths[rank], -rank))


def duel_worths(view: View, now: Situation, values: Values | None, others: Sequence[Hand]) -> dict[int, float]:
    """How many of these hands laying each rank wins; with values FITTED_HANDS more that they speak for."""
    solver = solver_of(view, now.mine, others)
    whole = (1 << len(now.mine)) - 1
    fitted = duel_values(values, now.mine) if values else {}
    worths = {}
    for rank in dict.fromkeys(now.mine):
        rest = whole ^ 1 << now.mine.index(rank)
        attacking, defending = solver.attacking(rest), solver.defending(rest)
        shares = [
            _duel_share(solver, n, rank, attacking, defending, laying(values, other))
            for n, other in enumerate(solver.others)
        ]
        worths[rank] = sum(shares) + FITTED_HANDS * fitted.get(rank, 0.0)
    return worths


def laying(values: Values | None, hand: Hand) -> dict[int, float]:
    """How probable the other is to lay each rank of this hand in the duel."""
    if values is None:
        return {careful_duel(hand): 1.0}
    return duel_chances(values, hand)


def _duel_share(solver: Solver, n: int, rank: int, attacking: int, defending: int, chances: dict[int, float]) -> float:
    """How much of the n-th hand is won by laying this rank; on equal ranks, half by either."""
    start, whole, other = n * solver.block, solver.block - 1, solver.others[n]
    total = 0.0
    for laid, share in chances.items():
        rest = start + (whole ^ 1 << other.index(laid))
        first = share * (attacking >> rest & 1) if rank >= laid else 0.0
        second = share * (defending >> rest & 1) if rank <= laid else 0.0
        total += first + second if rank != laid else (first + second) / 2
    return total


# ---- attack and answer ---------------------------------------------------------------------


def fitting_hands(view: View, now: Situation, count: int, values: Values | None, chance: random.Random) -> list[Hand]:
    if values is None:
        return plain_hands(now, count, chance)
    return likely_hands(view, now, count, chance, values)


def solver_of(view: View, mine: Hand, others: Sequence[Hand]) -> Solver:
    """Our hand against these. A tie is half: every second hand gives it to us; where the arrow decides ties, all do or
    none."""
    seat = seat_of(view)
    if view.rules.tie is Tie.ARROW and view.arrow is not Arrow.BOTH:
        ties = [view.arrow == seat.value] * len(others)
    else:
        ties = [n % 2 == 0 for n in range(len(others))]
    return Solver(mine, others, ties)


def best_by_solving(view: View, now: Situation, others: Sequence[Hand]) -> Hand:
    """The attack or the answer that wins most of these hands, if both sides see all cards from here on."""
    return best_play(now, plays_won(view, now, others))


def best_play(now: Situation, won: Mapping[Hand, int]) -> Hand:
    """Of plays that win as many hands the better one by rules of thumb."""
    return max(won, key=lambda play: (won[play], play_worth(now, play), play))


def plays_won(view: View, now: Situation, others: Sequence[Hand]) -> dict[Hand, int]:
    """How many of these hands each attack or answer wins, by its ranks."""
    solver = solver_of(view, now.mine, others)
    return _attack_shares(solver, now) if view.phase is Phase.ATTACK else _answer_shares(solver, now)


def last_but_one(now: Situation) -> int:
    """Which of two cards to play. It needs no guess: keeping the lower one is never worse, if that is allowed."""
    low, high = now.mine
    return low if now.attack and high < now.attack[0] else high


def play_worth(now: Situation, play: Hand) -> float:
    """Which of two plays that win the same is the better one by rules of thumb."""
    return answer_worth(now, play) if now.attack else attack_worth(now, play)


def _attack_shares(solver: Solver, now: Situation) -> dict[Hand, int]:
    whole = (1 << len(now.mine)) - 1
    found = {}
    for attack in solver.attacks(whole):
        bits = solver.attacking_with(whole, attack) & solver.whole
        found[tuple(now.mine[i] for i in attack)] = bits.bit_count()
    return found


def _answer_shares(solver: Solver, now: Situation) -> dict[Hand, int]:
    whole = (1 << len(now.mine)) - 1
    found = {}
    for answer in answers_of(now.attack, now.mine):
        rest = whole
        for i, rank in enumerate(now.mine):
            if rank in answer and now.mine[:i].count(rank) < answer.count(rank):
                rest ^= 1 << i
        holds = shortage(now.attack, answer) == 0
        bits = solver.attacking(rest) if holds else solver.defending(rest)
        found[answer] = (bits & solver.whole).bit_count()
    return found

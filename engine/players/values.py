"""What a hand is worth before anything is known of the other: fitted values for replacing and the duel.

They are made by `make values` (benchmarks/values.py) by solving many rounds of one deck, and hold for that deck and for
the hand sizes of its board; `engine/players/fitted.py` has those of the default deck. All values are shares of a
round: 1 is a sure win, a tie is half.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from math import exp

from engine.cards import MAX_RANK, MIN_RANK
from engine.players.solving import Hand

RANKS = range(MIN_RANK, MAX_RANK + 1)
MOST_ALIKE = 3  # more copies of a rank count as three
UNIT = 10_000  # weights are kept as whole numbers of ten-thousandths
FEATURES = 2 + MAX_RANK * (MOST_ALIKE + 3)
_LOWEST = 1 + MAX_RANK * MOST_ALIKE
_RUN = FEATURES - 1


@lru_cache(maxsize=1 << 14)
def features(hand: Hand) -> tuple[int, ...]:
    """The places of the weights that a hand (ranks, ascending, one or more) adds up; one place may come several times.

    They are: one for every hand, one for each rank and how often it is held, one each for the lowest, second lowest
    and highest rank, and one for every card of a sequence beyond its second.
    """
    lowest, second, highest = hand[0], hand[1 if len(hand) > 1 else 0], hand[-1]
    found = [0, _LOWEST + lowest - 1, _LOWEST + MAX_RANK + second - 1, _LOWEST + 2 * MAX_RANK + highest - 1]
    before, alike, run = 0, 0, 0
    for rank in (*hand, 0):
        if rank == before:
            alike += 1
            continue
        if before:
            many = alike if alike < MOST_ALIKE else MOST_ALIKE  # noqa: FURB136 - min() would cost a call here
            found.append((before - 1) * MOST_ALIKE + many)
        run = run + 1 if rank == before + 1 and before else 1
        if run > 2:
            found.append(_RUN)
        before, alike = rank, 1
    return tuple(found)


def worth(weights: Sequence[int], hand: Hand) -> float:
    """The value of a hand by these weights."""
    return sum([weights[place] for place in features(hand)]) / UNIT


@dataclass(frozen=True)
class Values:
    """Fitted values for rounds of one hand size.

    `dealt` weighs a whole hand before the duel; `attacking` and `defending` one after the duel (a card less), of who
    attacks first or defends first. `laid` is how often each rank is laid in the duel, in ten-thousandths, from
    rank 1 on, `laid_more` what laying it is worth beyond that; `kept` how often a dealt card of each rank is kept
    in replacing.
    """

    dealt: tuple[int, ...]
    attacking: tuple[int, ...]
    defending: tuple[int, ...]
    laid: tuple[int, ...]
    laid_more: tuple[int, ...]
    kept: tuple[int, ...]


Table = Mapping[int, Values]  # hand size -> its values
SHARPNESS = 40.0  # how strictly a duel card is chosen by its value: e-fold for each 1 / SHARPNESS of a round


def without(hand: Hand, rank: int) -> Hand:
    """The hand less one card of this rank."""
    place = hand.index(rank)
    return hand[:place] + hand[place + 1 :]


def duel_values(values: Values, hand: Hand) -> dict[int, float]:
    """For each rank of the hand what laying it in the duel is worth."""
    found = {}
    for rank in dict.fromkeys(hand):
        rest = without(hand, rank)
        attacking, defending = worth(values.attacking, rest), worth(values.defending, rest)
        first = sum(values.laid[: rank - 1]) + values.laid[rank - 1] / 2
        share = first / UNIT
        found[rank] = share * attacking + (1 - share) * defending + values.laid_more[rank - 1] / UNIT
    return found


def duel_chances(values: Values, hand: Hand, sharpness: float = SHARPNESS) -> dict[int, float]:
    """For each rank of the hand how probable it is to be laid in the duel, by somebody who goes by these values."""
    found = duel_values(values, hand)
    best = max(found.values())
    shares = {rank: exp(sharpness * (value - best)) for rank, value in found.items()}
    total = sum(shares.values())
    return {rank: share / total for rank, share in shares.items()}


def parse_values(text: str) -> Table:
    """Values by hand size; each line has the size, a field, its numbers. (`format_values` is the inverse.)"""
    found: dict[int, dict[str, tuple[int, ...]]] = {}
    for line in text.splitlines():
        size, name, *numbers = line.split()
        found.setdefault(int(size), {})[name] = tuple(map(int, numbers))
    return {size: Values(**of_size) for size, of_size in found.items()}


def format_values(table: Table) -> str:
    return "".join(
        f"{size} {field.name} {' '.join(map(str, getattr(values, field.name)))}\n"
        for size, values in table.items()
        for field in fields(values)
    )


def draw_ranks(unseen: Sequence[int], count: int, chance: random.Random) -> list[int]:
    """This many cards drawn from the unseen ones (how many of each rank, the place is the rank)."""
    return chance.sample(range(len(unseen)), count, counts=unseen)


DRAWS = 24


def best_discards(
    values: Values, hand: Hand, unseen: Sequence[int], most: int, chance: random.Random, draws: int = DRAWS
) -> Hand:
    """The ranks to replace, at most `most`: one more as long as that helps on average over this many draws."""
    most = min(most, sum(unseen))
    piles = [draw_ranks(unseen, most, chance) for _ in range(draws)]
    best_value = worth(values.dealt, hand)
    best: Hand = ()
    kept, gone = hand, best
    for count in range(1, most + 1):
        tried = []
        for rank in dict.fromkeys(kept):
            rest = without(kept, rank)
            total = sum([worth(values.dealt, tuple(sorted((*rest, *pile[:count])))) for pile in piles])
            tried.append((total / draws, -rank, rest))
        value, minus_rank, kept = max(tried)
        gone = (*gone, -minus_rank)
        if value > best_value:
            best_value, best = value, gone
        elif count >= len(best) + 2:
            break
    return tuple(sorted(best))

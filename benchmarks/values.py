"""`make values`: fit what a hand is worth for replacing and the duel, and write engine/players/fitted.py.

For each hand size of the board: many hands, dealt and replaced as the values so far say, are solved exactly against
many others each, for every pair of cards that the duel may take. From that come the values of what is left, a duel
in which both choose by their values (fictitious play), and the value of a whole hand, by which the next pass replaces.
"""

from __future__ import annotations

import argparse
import random
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from engine.board import DEFAULT_BOARD, format_hand_sizes
from engine.cards import DEFAULT_DECK, MAX_RANK, Deck
from engine.players.solving import Hand, Solver
from engine.players.values import (
    FEATURES,
    RANKS,
    UNIT,
    Values,
    best_discards,
    draw_ranks,
    duel_chances,
    duel_values,
    features,
    format_values,
    without,
)

TARGET = Path(__file__).parent.parent / "engine" / "players" / "fitted.py"
PASSES = 3
DUEL_ROUNDS = 12
RIDGE = 2.0


@dataclass(frozen=True)
class Solved:
    """A hand against others: wins[n][x, y] if it lays the rank x in the duel, and the n-th other y."""

    hand: Hand
    others: tuple[Hand, ...]
    wins: tuple[dict[tuple[int, int], float], ...]
    attacking: dict[int, list[dict[int, int]]]  # rank laid -> for each other: its rank laid -> won, attacking first
    defending: dict[int, list[dict[int, int]]]


def start_values() -> Values:
    """Replace the middle, keep what is low and the highest; lay low junk."""
    worths = {1: 9, 2: 7, 3: 3, 4: 0, 5: -1, 6: -1, 7: 0, 8: 1, 9: 2, 10: 4, 11: 5, 12: 6}
    dealt = [0] * FEATURES
    for rank in RANKS:
        for alike in (1, 2, 3):
            dealt[(rank - 1) * 3 + alike] = worths[rank] * 150 * alike + (alike - 1) * 100
    laid = [100, 300, 800, 2000, 2200, 1800, 1200, 700, 400, 200, 200, 100]
    return Values(tuple(dealt), (0,) * FEATURES, (0,) * FEATURES, tuple(laid), (0,) * 12, (5000,) * 12)


def replaced_hands(
    deck: Deck, size: int, values: Values, count: int, chance: random.Random, replacing: bool = True
) -> tuple[list[Hand], list[int], list[int]]:
    """Hands after replacing, and of the dealt cards of each rank how many there were and how many were kept."""
    hands, dealt, kept = [], [0] * 13, [0] * 13
    for _ in range(count):
        hand = tuple(sorted(draw_ranks(deck.counts, size, chance)))
        unseen = minus(deck.counts, hand)
        most = chance.choice((size, size, chance.randint(0, size)))
        most = min(most, (len(deck) - 2 * size) // (1 if chance.random() < 0.5 else 2))
        gone = best_discards(values, hand, unseen, most, chance) if replacing else ()
        rest = list(hand)
        for rank in gone:
            rest.remove(rank)
        for rank in hand:
            dealt[rank] += 1
        for rank in rest:
            kept[rank] += 1
        hands.append(tuple(sorted([*rest, *draw_ranks(unseen, len(gone), chance)])))
    return hands, dealt, kept


def minus(counts: Sequence[int], hand: Iterable[int]) -> list[int]:
    left = list(counts)
    for rank in hand:
        left[rank] -= 1
    return left


def solve(deck: Deck, hand: Hand, pool: list[Hand], count: int, chance: random.Random) -> Solved:
    others: list[Hand] = []
    left = minus(deck.counts, hand)
    while len(others) < count:
        other = chance.choice(pool)
        if min(minus(left, other)) >= 0:
            others.append(other)
    size = len(hand)
    solver = Solver(hand, others, [n % 2 == 0 for n in range(count)])
    whole = (1 << size) - 1
    attacking: dict[int, list[dict[int, int]]] = {}
    defending: dict[int, list[dict[int, int]]] = {}
    for rank in dict.fromkeys(hand):
        rest = whole ^ 1 << hand.index(rank)
        attack, defend = solver.attacking(rest), solver.defending(rest)
        attacking[rank] = [less_one(solver, attack, n, other) for n, other in enumerate(others)]
        defending[rank] = [less_one(solver, defend, n, other) for n, other in enumerate(others)]
    wins: list[dict[tuple[int, int], float]] = []
    for n, other in enumerate(others):
        table: dict[tuple[int, int], float] = {}
        for x in attacking:
            for y in dict.fromkeys(other):
                first, second = attacking[x][n][y], defending[x][n][y]
                table[x, y] = first if x > y else second if x < y else (first + second) / 2
        wins.append(table)
    return Solved(hand, tuple(others), tuple(wins), attacking, defending)


def less_one(solver: Solver, bits: int, n: int, other: Hand) -> dict[int, int]:
    """For each rank that the other may have laid whether its rest is among these cases."""
    start, whole = n * solver.block, solver.block - 1
    return {rank: bits >> (start + (whole ^ 1 << other.index(rank))) & 1 for rank in dict.fromkeys(other)}


def fit(rows: list[tuple[Hand, float]]) -> tuple[int, ...]:
    """Weights by least squares, held small where little is known."""
    table = [[0.0] * (FEATURES + 1) for _ in range(FEATURES)]
    for hand, target in rows:
        places = features(hand)
        for i in places:
            row = table[i]
            for j in places:
                row[j] += 1
            row[FEATURES] += target - 0.5
    for i in range(FEATURES):
        table[i][i] += RIDGE
    found = eliminate(table)
    return tuple(round(w * UNIT) + (UNIT // 2 if i == 0 else 0) for i, w in enumerate(found))


def eliminate(table: list[list[float]]) -> list[float]:
    """Solve the linear equations (Gauss; the table is positive definite, so no pivoting)."""
    size = len(table)
    for i in range(size):
        pivot = table[i]
        for k in range(i + 1, size):
            row = table[k]
            if row[i]:
                factor = row[i] / pivot[i]
                for j in range(i, size + 1):
                    row[j] -= factor * pivot[j]
    found = [0.0] * size
    for i in reversed(range(size)):
        row = table[i]
        found[i] = (row[size] - sum(row[j] * found[j] for j in range(i + 1, size))) / row[i]
    return found


def fit_rests(solved: list[Solved], values: Values) -> Values:
    """Values of what is left after the duel, against others who lay as the values say."""
    attacking: list[tuple[Hand, float]] = []
    defending: list[tuple[Hand, float]] = []
    for one in solved:
        chances = [duel_chances(values, other) for other in one.others]
        mine = duel_chances(values, one.hand)
        for x in one.attacking:
            if mine[x] < 0.02:
                continue
            rest = without(one.hand, x)
            for rows, won in ((attacking, one.attacking[x]), (defending, one.defending[x])):
                total = sum(p * won[n][y] for n, them in enumerate(chances) for y, p in them.items())
                rows.append((rest, total / len(chances)))
    return replace(values, attacking=fit(attacking), defending=fit(defending))


def play_duels(solved: list[Solved], values: Values) -> tuple[Values, list[float]]:
    """Both lay by their values until these agree with what comes of it; and what each hand is then worth."""
    laid_average = [share / UNIT for share in values.laid]
    more_average = [0.0] * MAX_RANK
    for turn in range(1, DUEL_ROUNDS + 1):
        chances = {other: duel_chances(values, other) for one in solved for other in (one.hand, *one.others)}
        laid, off, weight = [0.0] * MAX_RANK, [0.0] * MAX_RANK, [15.0] * MAX_RANK
        for one in solved:
            mine, plain = chances[one.hand], duel_values(values, one.hand)
            for x, p in mine.items():
                laid[x - 1] += p / len(solved)
                came = duel_worth(one, x, chances)
                without_more = plain[x] - values.laid_more[x - 1] / UNIT
                off[x - 1] += (0.05 + p) * (came - without_more)
                weight[x - 1] += 0.05 + p
        step = max(1 / turn, 0.25)
        laid_average = [a + step * (b - a) for a, b in zip(laid_average, laid, strict=True)]
        more_average = [a + step * (b / w - a) for a, b, w in zip(more_average, off, weight, strict=True)]
        values = replace(
            values,
            laid=tuple(round(share * UNIT) for share in laid_average),
            laid_more=tuple(round(more * UNIT) for more in more_average),
        )
    chances = {other: duel_chances(values, other) for one in solved for other in (one.hand, *one.others)}
    return values, [sum(p * duel_worth(one, x, chances) for x, p in chances[one.hand].items()) for one in solved]


def duel_worth(one: Solved, x: int, chances: dict[Hand, dict[int, float]]) -> float:
    total = 0.0
    for other, wins in zip(one.others, one.wins, strict=True):
        total += sum([p * wins[x, y] for y, p in chances[other].items()])
    return total / len(one.others)


def values_for(
    deck: Deck, size: int, hands: int, others: int, seed: int, passes: int = PASSES, replacing: bool = True
) -> Values:
    """The values of one hand size, after this many passes; without `replacing`, of hands as they are dealt."""
    values = start_values()
    for turn in range(passes):
        chance = random.Random(f"values {deck} {size} {seed} {turn}")
        number = hands if turn == passes - 1 else max(hands // 3, 60)
        pool, dealt, kept = replaced_hands(deck, size, values, max(number, 600), chance, replacing)
        solved = [solve(deck, hand, pool, others, chance) for hand in pool[:number]]
        values = fit_rests(solved, values)
        values, worths = play_duels(solved, values)
        values = fit_rests(solved, values)
        values, worths = play_duels(solved, values)
        shares = tuple(round(UNIT * (k + 1) / (d + 2)) for k, d in zip(kept[1:], dealt[1:], strict=True))
        values = replace(values, dealt=fit([(one.hand, w) for one, w in zip(solved, worths, strict=True)]), kept=shares)
    return values


HEAD = '''"""Fitted values of the default deck and board, made by `make values`: not to be changed by hand."""

from engine.players.values import parse_values

DECK = "{deck}"
BOARD = "{board}"
TABLE = parse_values(
'''


def write(tables: dict[int, Values]) -> str:
    """The module that holds the table; long lines are parted, as strings side by side."""
    text = HEAD.format(deck=DEFAULT_DECK, board=format_hand_sizes(DEFAULT_BOARD))
    for line in format_values(tables).splitlines():
        parts = textwrap.wrap(line, 100)
        text += "".join(f'    "{part}{" " if n < len(parts) - 1 else "@"}"\n' for n, part in enumerate(parts))
    return text.replace("@", "\\n") + ")\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="make values", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hands", type=int, default=1200, help="hands solved in the last pass for each size")
    parser.add_argument("--others", type=int, default=32, help="other hands for each")
    parser.add_argument("--to", type=Path, default=TARGET)
    asked = parser.parse_args()
    tables = {}
    for size in sorted(set(DEFAULT_BOARD.hand_sizes)):
        count = asked.hands if size < 9 else asked.hands // 2
        tables[size] = values_for(DEFAULT_DECK, size, count, asked.others, asked.seed)
        asked.to.write_text(write(tables))
        print(f"hands of {size} are fitted", flush=True)


if __name__ == "__main__":
    main()

"""Small rounds solved by enumeration, straight from the rules: what the players' solver and values are held against."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import combinations

from engine.cards import Deck
from engine.plays import is_attack, is_legal_answer, sacrifices

Hand = tuple[int, ...]


def less(hand: Hand, ranks: Hand) -> Hand:
    left = list(hand)
    for rank in ranks:
        left.remove(rank)
    return tuple(left)


@cache
def outcomes(attack: Hand, hand: Hand) -> tuple[tuple[Hand, bool], ...]:
    """What is left after each legal answer, and whether it holds."""
    found = set()
    for answer in combinations(hand, len(attack)):
        rest = less(hand, answer)
        if is_legal_answer(attack, answer, rest):
            found.add((rest, sacrifices(attack, answer) == 0))
    return tuple(sorted(found))


@cache
def value(attacker: Hand, defender: Hand) -> float:
    """What the attacker wins of the round if both see all cards: 1, 1/2 or 0."""
    if len(attacker) == 1:
        return 1.0 if attacker < defender else 0.5 if attacker == defender else 0.0
    best = 0.0
    for count in range(1, len(attacker)):
        for attack in combinations(attacker, count):
            if is_attack(attack):
                rest = less(attacker, attack)
                best = max(
                    best,
                    min(1 - value(d, rest) if holds else value(rest, d) for d, holds in outcomes(attack, defender)),
                )
    return best


def hands_of(deck: Deck, size: int) -> dict[Hand, int]:
    """Every hand, by ranks, and in how many ways it can be dealt."""
    found: dict[Hand, int] = {}
    for cards in combinations([card.rank for card in deck.cards], size):
        found[cards] = found.get(cards, 0) + 1
    return found


def pairs_of(deck: Deck, size: int) -> dict[tuple[Hand, Hand], float]:
    """Every pair of hands, and how probable it is."""
    found: dict[tuple[Hand, Hand], float] = {}
    for cards in combinations(range(len(deck)), size):
        left = [i for i in range(len(deck)) if i not in cards]
        for others in combinations(left, size):
            pair = (_ranks(deck, cards), _ranks(deck, others))
            found[pair] = found.get(pair, 0) + 1
    total = sum(found.values())
    return {pair: ways / total for pair, ways in found.items()}


def _ranks(deck: Deck, places: tuple[int, ...]) -> Hand:
    return tuple(deck.cards[i].rank for i in places)


def duel(mine: Hand, x: int, other: Hand, y: int) -> float:
    """What laying x against y is worth. With hands of three, two cards are left, and play is exact without seeing."""
    rest, others = less(mine, (x,)), less(other, (y,))
    if x == y:
        if len(rest) == 1:
            return value(rest, others)
        return (value(rest, others) + 1 - value(others, rest)) / 2
    return value(rest, others) if x > y else 1 - value(others, rest)


Strategy = Mapping[Hand, Mapping[int, float]]  # hand -> rank to lay -> probability


class DuelGame:
    """The duel with all pairs of hands of a small deck, each knowing its own."""

    def __init__(self, deck: Deck, size: int) -> None:
        self.pairs = pairs_of(deck, size)
        self.hands = sorted({mine for mine, _ in self.pairs})
        self.against: dict[Hand, list[tuple[Hand, float]]] = {hand: [] for hand in self.hands}
        for (mine, other), share in self.pairs.items():
            self.against[mine].append((other, share))
        self.duel = lru_cache(maxsize=None)(duel)

    def worths(self, hand: Hand, theirs: Strategy) -> dict[int, float]:
        """For each rank of the hand what laying it is worth against this strategy."""
        total = sum(share for _, share in self.against[hand])
        return {
            x: sum(
                share * p * self.duel(hand, x, other, y)
                for other, share in self.against[hand]
                for y, p in theirs[other].items()
            )
            / total
            for x in set(hand)
        }

    def exploited(self, strategy: Strategy) -> float:
        """How much more than half of the round the best answer to this strategy wins: 0 for an equilibrium."""
        chance = {hand: sum(share for _, share in self.against[hand]) for hand in self.hands}
        return sum(chance[hand] * max(self.worths(hand, strategy).values()) for hand in self.hands) - 0.5

    def equilibrium(self, turns: int) -> dict[Hand, dict[int, float]]:
        """By regret matching of both sides at once, averaged; `exploited` says how near it came."""
        regrets = {hand: dict.fromkeys(sorted(set(hand)), 0.0) for hand in self.hands}
        total = {hand: dict.fromkeys(sorted(set(hand)), 0.0) for hand in self.hands}
        for turn in range(turns):
            now = {hand: _matched(regret) for hand, regret in regrets.items()}
            for hand in self.hands:
                worths = self.worths(hand, now)
                mean = sum(now[hand][x] * worth for x, worth in worths.items())
                for x, worth in worths.items():
                    regrets[hand][x] = max(0.0, regrets[hand][x] + worth - mean)
                    total[hand][x] += (turn + 1) * now[hand][x]
        return {hand: {x: s / sum(shares.values()) for x, s in shares.items()} for hand, shares in total.items()}


def _matched(regret: Mapping[int, float]) -> dict[int, float]:
    total = sum(regret.values())
    return {x: r / total if total else 1 / len(regret) for x, r in regret.items()}

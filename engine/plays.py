"""Attacks and answers as multisets of ranks: what is legal, and everything that is.

`is_attack` and `is_legal_answer` judge one play; `legal_attacks` and `legal_answers` list all of a hand.
The two ways share no code but the types: the tests hold them against each other and against brute force.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise, product

from engine.cards import Card


def is_attack(ranks: Sequence[int]) -> bool:
    """One card, a set (one rank), or a sequence (three or more consecutive ranks, each once)."""
    return len(ranks) >= 1 and (len(set(ranks)) == 1 or is_sequence(ranks))


def is_sequence(ranks: Sequence[int]) -> bool:
    ordered = sorted(ranks)
    return len(ordered) >= 3 and all(b - a == 1 for a, b in pairwise(ordered))


def sacrifices(attack: Sequence[int], answer: Sequence[int]) -> int:
    """k*: how few cards of the answer must be sacrifices, 0 to m. Both have m ranks.

    (docs/rules.md, When is an answer right?)
    """
    lowest_attack, highest_answer = sorted(attack), sorted(answer)
    m = len(lowest_attack)
    for k in range(m + 1):
        if all(r >= a for r, a in zip(highest_answer[k:], lowest_attack, strict=False)):
            return k
    raise AssertionError("m sacrifices always suffice")


def claimed_rank(attack: Sequence[int], answer: Sequence[int]) -> int | None:
    """What the answer says of the cards left in the hand: none is lower than this. None: it says nothing."""
    k = sacrifices(attack, answer)
    return sorted(answer)[k - 1] if k else None


def is_legal_answer(attack: Sequence[int], answer: Sequence[int], rest: Iterable[int]) -> bool:
    """Whether the answer may be given by a hand that keeps `rest`. All are ranks."""
    claim = claimed_rank(attack, answer)
    return claim is None or all(claim <= rank for rank in rest)


def legal_attacks(hand: Iterable[Card], most: int | None = None) -> Iterator[frozenset[Card]]:
    """Every attack that can be made of `hand` (ascending by size within its kind), of at most `most` cards.

    `most` None: all but one card of the hand, which the attacker must keep.
    """
    cards = sorted(hand)
    limit = len(cards) - 1 if most is None else most
    by_rank: dict[int, list[Card]] = {}
    for card in cards:
        by_rank.setdefault(card.rank, []).append(card)
    for same in by_rank.values():
        for size in range(1, min(len(same), limit) + 1):
            yield from map(frozenset, combinations(same, size))
    for low in by_rank:
        run = [low, low + 1]
        while run[-1] in by_rank and run[-1] + 1 in by_rank and len(run) < limit:
            run.append(run[-1] + 1)
            yield from map(frozenset, product(*(by_rank[rank] for rank in run)))


def legal_answers(attack: Sequence[int], hand: Iterable[Card]) -> Iterator[frozenset[Card]]:
    """Every answer of a known hand to an attack with these ranks."""
    cards = sorted(hand)
    for answer in combinations(cards, len(attack)):
        short = len(attack) - _most_defended(attack, [card.rank for card in answer])
        kept = [card for card in cards if card not in answer]
        if short == 0 or not kept or answer[short - 1].rank <= kept[0].rank:
            yield frozenset(answer)


def _most_defended(attack: Sequence[int], answer: Sequence[int]) -> int:
    """How many attacking cards can each be given a card of equal or higher rank (greedy, lowest first)."""
    waiting = sorted(attack, reverse=True)
    defended = 0
    for rank in sorted(answer):
        if waiting and rank >= waiting[-1]:
            waiting.pop()
            defended += 1
    return defended

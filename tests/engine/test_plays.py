"""Attacks and answers: the judging functions against the listing ones, and both against brute force."""

from collections import Counter
from itertools import combinations, combinations_with_replacement, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import DEFAULT_DECK, Card
from engine.plays import claimed_rank, is_attack, is_legal_answer, legal_answers, legal_attacks, sacrifices

RANKS = st.integers(1, 12)
HANDS = st.sets(st.sampled_from(DEFAULT_DECK.cards), min_size=2, max_size=9)


@pytest.mark.parametrize(
    ("ranks", "attack"),
    [
        ([], False),
        ([7], True),
        ([7, 7], True),
        ([7, 7, 7, 7, 7], True),
        ([7, 8], False),
        ([7, 8, 9], True),
        ([9, 7, 8], True),
        ([7, 8, 8, 9], False),
        ([7, 8, 10], False),
        ([11, 12, 1], False),
        ([12, 1, 2], False),
        ([7, 9], False),
        ([7, 7, 8], False),
        (list(range(1, 13)), True),
    ],
)
def test_an_attack_is_one_card_a_set_or_a_sequence(ranks: list[int], attack: bool) -> None:
    assert is_attack(ranks) is attack


def assignments(attack: tuple[int, ...], answer: tuple[int, ...]) -> set[tuple[int, ...]]:
    """Every way to lay the answer on the attack, as the ranks of the cards that do not defend."""
    return {
        tuple(sorted(r for r, a in zip(order, attack, strict=True) if r < a)) for order in set(permutations(answer))
    }


def test_the_answer_rule_says_what_laying_every_card_on_every_other_says() -> None:
    """All attacks and answers of up to 4 cards of the ranks 1 to 5, and all that can be left in the hand."""
    compared = 0
    for size in range(1, 5):
        for attack in combinations_with_replacement(range(1, 6), size):
            for answer in combinations_with_replacement(range(1, 6), size):
                ways = assignments(attack, answer)
                assert sacrifices(attack, answer) == min(map(len, ways))
                claim = min(way[-1] if way else 0 for way in ways)
                assert (claimed_rank(attack, answer) or 0) == claim
                for lowest_left in range(1, 7):
                    legal = any(all(rank <= lowest_left for rank in way) for way in ways)
                    assert is_legal_answer(attack, answer, [lowest_left, 6]) is legal
                    compared += 1
    assert compared == 6 * sum(n * n for n in (5, 15, 35, 70))


@given(st.lists(st.tuples(RANKS, RANKS), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_the_cards_does_not_matter(pairs: list[tuple[int, int]], chance: object) -> None:
    attack, answer = [a for a, _ in pairs], [r for _, r in pairs]
    shuffled = sorted(answer, key=lambda _: chance.random())  # type: ignore[attr-defined]
    assert sacrifices(attack, shuffled) == sacrifices(sorted(attack), answer)
    assert claimed_rank(attack, shuffled) == claimed_rank(sorted(attack), answer)


@pytest.mark.parametrize(
    ("attack", "answer", "rest", "legal", "given_up"),
    [
        ([7], [7], [1], True, 0),  # equal is high enough
        ([7], [12], [1], True, 0),
        ([7], [3], [3, 4], True, 1),  # as low as the lowest left
        ([7], [4], [3, 5], False, 1),
        ([7], [6], [], True, 1),
        ([1], [5], [1], True, 0),  # high enough defends, whatever was meant by it
        ([5, 5], [1, 6], [2, 3], True, 1),
        ([5, 5], [2, 6], [1, 3], False, 1),
        ([5, 5], [1, 2], [2, 9], True, 2),
        ([5, 5], [1, 3], [2, 9], False, 2),
        ([3, 4, 5], [3, 5, 9], [1], True, 0),
        ([3, 4, 5], [3, 3, 9], [3], True, 1),
        ([9, 10, 11], [1, 2, 12], [2], True, 2),
        ([9, 10, 11], [1, 8, 12], [2], False, 2),
    ],
)
def test_answers_are_judged_as_a_whole(
    attack: list[int], answer: list[int], rest: list[int], legal: bool, given_up: int
) -> None:
    assert is_legal_answer(attack, answer, rest) is legal
    assert sacrifices(attack, answer) == given_up


@given(HANDS)
def test_the_attacks_of_a_hand_are_all_its_parts_that_are_attacks(hand: set[Card]) -> None:
    listed = list(legal_attacks(hand))
    wanted = {
        frozenset(cards)
        for size in range(1, len(hand))
        for cards in combinations(hand, size)
        if is_attack([card.rank for card in cards])
    }
    assert Counter(listed) == Counter(wanted)


@given(HANDS, st.integers(0, 12))
def test_a_limit_leaves_out_just_the_larger_attacks(hand: set[Card], most: int) -> None:
    whole = set(legal_attacks(hand, len(hand)))
    assert set(legal_attacks(hand, most)) == {cards for cards in whole if len(cards) <= most}


@given(HANDS, st.lists(RANKS, min_size=1, max_size=4))
def test_the_answers_of_a_hand_are_all_its_parts_that_are_legal(hand: set[Card], attack: list[int]) -> None:
    attack = attack[: len(hand) - 1]
    listed = list(legal_answers(attack, hand))
    wanted = [
        frozenset(answer)
        for answer in combinations(hand, len(attack))
        if is_legal_answer(attack, [c.rank for c in answer], [c.rank for c in hand if c not in answer])
    ]
    assert Counter(listed) == Counter(wanted)
    assert listed, "every hand has an answer: its lowest cards"

"""The solver of many hands at once gives what the rules give, hand by hand."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import DEFAULT_DECK, Deck
from engine.players.solving import Solver, shortage
from engine.plays import sacrifices
from tests.support.engine_games import SEEDS, small_decks
from tests.support.exact import less, outcomes, value


def some_hands(deck: Deck, size: int, others: int, seed: int) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    chance = random.Random(seed)
    cards = chance.sample([card.rank for card in deck.cards], len(deck))
    hand, left = cards[:size], cards[size:]
    return tuple(sorted(hand)), [tuple(sorted(chance.sample(left, size))) for _ in range(others)]


def agree(deck: Deck, size: int, seed: int) -> None:
    solved_as_by_the_rules(*some_hands(deck, size, 3, seed))


def solved_as_by_the_rules(mine: tuple[int, ...], others: list[tuple[int, ...]]) -> None:
    whole = (1 << len(mine)) - 1
    for ties in (False, True):
        solver = Solver(mine, others, [ties] * len(others))
        least = 0.5 if ties else 1.0
        attacking = [int(value(mine, other) >= least) for other in others]
        defending = [int(1 - value(other, mine) >= least) for other in others]
        assert solver.won(solver.attacking(whole)) == attacking
        assert solver.won(solver.defending(whole)) == defending


@settings(max_examples=150)
@given(small_decks(least=8, most=12), st.integers(1, 4), SEEDS)
def test_small_rounds_are_solved_as_the_rules_say(deck: Deck, size: int, seed: int) -> None:
    agree(deck, size, seed)


@pytest.mark.parametrize("seed", range(25))
def test_hands_of_five_and_six_of_the_default_deck_are_solved_as_the_rules_say(seed: int) -> None:
    agree(DEFAULT_DECK, 5 + seed % 2, seed)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((4, 5, 5, 6, 7), (4, 4, 5, 5, 8)),
        ((6, 6, 7, 8, 9), (5, 6, 6, 6, 7)),
        ((3, 4, 5, 6, 7), (3, 3, 3, 4, 5)),
        ((6, 6, 7, 8, 9), (6, 6, 6, 7, 9)),
        ((9, 10, 11, 12), (2, 3, 4, 5)),
        ((5, 5, 6, 7, 7), (5, 5, 6, 7, 8)),
    ],
)
def test_sacrifices_to_a_run_decide_these_rounds(one: tuple[int, ...], other: tuple[int, ...]) -> None:
    """Of no card below the run (as 5 6 6 to 5 6 7), and of cards that are all below it."""
    solved_as_by_the_rules(one, [other])
    solved_as_by_the_rules(other, [one])


def test_of_the_lowest_cards_one_answers_the_lowest_attack_and_the_other_stays() -> None:
    solved_as_by_the_rules((1, 1), [(1, 2)])
    solved_as_by_the_rules((1, 2), [(1, 1)])


def each_attack_wins_as_by_the_rules(mine: tuple[int, ...], others: list[tuple[int, ...]], ties: bool) -> None:
    solver = Solver(mine, others, [ties] * len(others))
    whole, least = (1 << len(mine)) - 1, 0.5 if ties else 1
    for attack in solver.attacks(whole):
        ranks = tuple(mine[i] for i in attack)
        rest = less(mine, ranks)
        wanted = [
            int(
                min(1 - value(left, rest) if holds else value(rest, left) for left, holds in outcomes(ranks, other))
                >= least
            )
            for other in others
        ]
        assert solver.won(solver.attacking_with(whole, attack) & solver.whole) == wanted


@pytest.mark.parametrize("seed", range(10))
def test_each_attack_wins_where_no_answer_beats_it(seed: int) -> None:
    each_attack_wins_as_by_the_rules(*some_hands(DEFAULT_DECK, 5, 4, seed), ties=False)


def test_no_card_that_is_kept_is_lower_than_a_sacrifice_to_a_run() -> None:
    """5 6 6 6 is no answer to 5 6 7 8 of a hand that keeps another 5."""
    each_attack_wins_as_by_the_rules((5, 6, 6, 7, 8), [(5, 5, 6, 6, 6)], ties=True)


def solved_as_an_answer_by_the_rules(
    mine: tuple[int, ...], attack: tuple[int, ...], left: tuple[int, ...], ties: bool
) -> None:
    """`left` is what the other holds after the attack."""
    solver, least = Solver(mine, [left], [ties]), 0.5 if ties else 1.0
    worths = [value(rest, left) if holds else 1 - value(left, rest) for rest, holds in outcomes(attack, mine)]
    lost = solver.lost_to((1 << len(mine)) - 1, attack)
    assert solver.won(lost) == [int(max(worths) < least)]


@pytest.mark.parametrize("seed", range(20))
def test_an_attack_beats_every_answer_where_the_rules_say_so(seed: int) -> None:
    chance = random.Random(seed)
    low, size = chance.randint(1, 6), chance.randint(4, 6)
    mine = tuple(sorted(max(1, low + chance.randint(-1, 3)) for _ in range(size)))
    for attack in ((low,), (low + 1, low + 1), (low, low + 1, low + 2)):
        left = tuple(sorted(chance.randint(1, 10) for _ in range(size - len(attack))))
        solved_as_an_answer_by_the_rules(mine, attack, left, ties=bool(seed % 2))


def test_we_keep_no_card_that_is_lower_than_a_sacrifice_to_a_run() -> None:
    """5 6 6 6 is no answer of ours to 5 6 7 8 if another 5 is kept: a 6 stays, which does not win the last trick."""
    solved_as_an_answer_by_the_rules((5, 5, 6, 6, 6), (5, 6, 7, 8), (6,), ties=False)


def test_a_card_below_the_run_is_the_first_to_go() -> None:
    solved_as_an_answer_by_the_rules((1, 2, 2, 2, 2), (2, 3, 4), (2, 3), ties=True)
    solved_as_by_the_rules((1, 2, 2, 2, 2), [(2, 2, 3, 3, 4)])


def test_a_hand_is_solved_alike_alone_and_among_others() -> None:
    mine, others = some_hands(DEFAULT_DECK, 7, 12, 5)
    whole = (1 << 7) - 1
    together = Solver(mine, others, [False] * 12)
    alone = [Solver(mine, [other], [False]) for other in others]
    assert together.won(together.attacking(whole)) == [s.won(s.attacking(whole))[0] for s in alone]
    assert together.won(together.defending(whole)) == [s.won(s.defending(whole))[0] for s in alone]


@given(st.lists(st.integers(1, 12), min_size=1, max_size=4), st.data())
def test_the_shortage_is_the_number_of_sacrifices(attack: list[int], data: st.DataObject) -> None:
    answer = data.draw(st.lists(st.integers(1, 12), min_size=len(attack), max_size=len(attack)))
    assert shortage(tuple(sorted(attack)), tuple(sorted(answer))) == sacrifices(attack, answer)

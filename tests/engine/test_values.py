"""Fitted values: what the table holds, and that on small decks they come near an exact solution."""

from __future__ import annotations

import random

import pytest

from benchmarks.values import start_values, values_for, write
from engine.board import DEFAULT_BOARD, format_hand_sizes
from engine.cards import DEFAULT_DECK, MAX_RANK, Deck, parse_deck
from engine.players import fitted
from engine.players.values import (
    FEATURES,
    UNIT,
    Values,
    best_discards,
    duel_chances,
    features,
    format_values,
    parse_values,
    without,
    worth,
)
from tests.support.exact import DuelGame

SMALL = parse_deck("1x1 2x2 3x2 4x2 6x2 7x1 9x1")  # hands of three: after the duel two cards, which need no seeing
FEW_RANKS = parse_deck("2x3 5x4 8x3")


def test_the_table_says_for_which_deck_and_board_it_holds() -> None:
    assert parse_deck(fitted.DECK) == DEFAULT_DECK
    assert format_hand_sizes(DEFAULT_BOARD) == fitted.BOARD
    assert set(fitted.TABLE) == set(DEFAULT_BOARD.hand_sizes)


def test_every_field_of_the_table_has_its_length() -> None:
    for values in fitted.TABLE.values():
        assert [len(values.dealt), len(values.attacking), len(values.defending)] == [FEATURES] * 3
        assert [len(values.laid), len(values.laid_more), len(values.kept)] == [MAX_RANK] * 3
        assert sum(values.laid) == pytest.approx(UNIT, abs=10)
        assert all(0 <= share <= UNIT for share in (*values.laid, *values.kept))


def test_format_values_and_parse_values_are_inverse_and_the_written_module_holds_the_table() -> None:
    assert parse_values(format_values(fitted.TABLE)) == fitted.TABLE
    made: dict[str, object] = {}
    exec(write(dict(fitted.TABLE)), made)
    assert made["TABLE"] == fitted.TABLE


def test_a_hand_adds_up_its_ranks_its_ends_and_its_sequences() -> None:
    assert len(features((1, 5, 9))) == 1 + 3 + 3
    assert len(features((5, 5, 5))) == 1 + 1 + 3
    assert features((3, 4, 5, 6)).count(FEATURES - 1) == 2
    assert worth((100,) * FEATURES, (1, 5, 9)) == pytest.approx(700 / UNIT)


@pytest.mark.parametrize("size", sorted(fitted.TABLE))
def test_good_play_lays_off_the_middle_and_keeps_both_ends(size: int) -> None:
    kept = dict(enumerate(fitted.TABLE[size].kept, 1))
    assert max(kept[4], kept[5], kept[6]) < 3000 < 9000 < min(kept[1], kept[2], kept[11], kept[12])


@pytest.mark.parametrize("size", sorted(fitted.TABLE))
def test_to_attack_first_is_worth_something(size: int) -> None:
    values, chance, more = fitted.TABLE[size], random.Random(size), 0.0
    for _ in range(200):
        hand = tuple(sorted(card.rank for card in chance.sample(DEFAULT_DECK.cards, size - 1)))
        more += worth(values.attacking, hand) - worth(values.defending, hand)
    assert 0.03 < more / 200 < 0.4


@pytest.mark.parametrize(("copies", "replaced"), [(1, (1,)), (2, (1, 2)), (3, ())])
def test_replacing_goes_on_over_one_card_that_does_not_help_and_ends_after_two(
    copies: int, replaced: tuple[int, ...]
) -> None:
    """What is drawn are sevens, of which only so many are worth something."""
    sevens = 1 + 6 * 3  # where the weights of one, two and three sevens begin
    weights = [0] * FEATURES
    for count in range(1, 4):
        weights[sevens + count - 1] = UNIT if count == copies else -UNIT
    values = Values(tuple(weights), (0,) * FEATURES, (0,) * FEATURES, (0,) * 12, (0,) * 12, (0,) * 12)
    unseen = [0] * (MAX_RANK + 1)
    unseen[7] = 5
    assert best_discards(values, (1, 2, 3, 4), unseen, 4, random.Random(1)) == replaced


def test_nothing_is_replaced_where_it_makes_no_difference() -> None:
    nothing = Values(*[(0,) * FEATURES] * 3, *[(0,) * 12] * 3)
    assert best_discards(nothing, (1, 2, 3, 4), [0, *[2] * MAX_RANK], 4, random.Random(1)) == ()


def test_no_more_is_replaced_than_may_be_nor_than_there_are_cards_to_draw() -> None:
    values, chance = fitted.TABLE[7], random.Random(1)
    hand = (4, 4, 5, 5, 6, 6, 7)
    counts = list(DEFAULT_DECK.counts)
    for most in range(8):
        assert len(best_discards(values, hand, counts, most, chance)) <= most
    assert len(best_discards(values, hand, [0] * 12 + [2], 7, chance)) <= 2
    assert best_discards(values, (1, 2, 2, 10, 11, 11, 12), counts, 7, chance) in ((), (2,))


# ---- against an exact solution --------------------------------------------------------------


def strategy_of(values: Values, game: DuelGame, sharpness: float) -> dict[tuple[int, ...], dict[int, float]]:
    return {hand: duel_chances(values, hand, sharpness) for hand in game.hands}


@pytest.mark.parametrize("deck", [SMALL, FEW_RANKS], ids=str)
def test_on_a_small_deck_the_fitted_duel_comes_near_the_equilibrium(deck: Deck) -> None:
    """The equilibrium of the duel with hands of three, by enumeration of every pair of hands."""
    game = DuelGame(deck, 3)
    equilibrium = game.equilibrium(150)
    assert game.exploited(equilibrium) < 0.01
    values = values_for(deck, 3, 220, 12, 1, passes=1, replacing=False)
    lost = game.exploited(strategy_of(values, game, 40.0))
    even = game.exploited({hand: dict.fromkeys(hand, 1 / len(set(hand))) for hand in game.hands})
    print(f"{deck}: the best answer wins {lost:.3f} more than half; against even chances {even:.3f}")
    assert lost < 0.06 and lost < even


@pytest.mark.parametrize("deck", [SMALL, FEW_RANKS], ids=str)
def test_on_a_small_deck_the_worth_of_a_hand_is_near_its_worth_in_equilibrium(deck: Deck) -> None:
    game = DuelGame(deck, 3)
    equilibrium = game.equilibrium(100)
    values = values_for(deck, 3, 220, 12, 1, passes=1, replacing=False)
    shares = {hand: sum(share for _, share in game.against[hand]) for hand in game.hands}
    off = sum(
        share * abs(worth(values.dealt, hand) - max(game.worths(hand, equilibrium).values()))
        for hand, share in shares.items()
    )
    print(f"{deck}: off by {off:.3f} on average")
    assert off < 0.09


def test_the_values_that_fitting_starts_from_lay_every_rank_sometimes() -> None:
    start = start_values()
    assert min(start.laid) > 0 and sum(start.laid) == UNIT
    assert without((1, 2, 2, 3), 2) == (1, 2, 3)

"""Cards and decks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import (
    DEFAULT_DECK,
    PLAYERS,
    WOW,
    YAY,
    Card,
    Deck,
    Player,
    format_card,
    format_deck,
    parse_card,
    parse_deck,
)
from engine.errors import EngineError, ParseError, RulesError

CARDS = st.builds(Card, st.integers(1, 12), st.sampled_from("abcdefghijklmnopqrstuvwxyz"))
DECKS = st.dictionaries(st.integers(1, 12), st.integers(1, 26), min_size=1).map(lambda d: Deck(tuple(d.items())))


def test_the_printed_deck_has_38_cards_of_ranks_1_to_12() -> None:
    assert len(DEFAULT_DECK) == len(DEFAULT_DECK.cards) == len(set(DEFAULT_DECK.cards)) == 38
    assert {card.rank for card in DEFAULT_DECK.cards} == set(range(1, 13))
    assert DEFAULT_DECK.counts == (0, 1, 2, 5, 5, 5, 5, 4, 3, 3, 2, 2, 1)


def test_each_player_is_the_other_of_the_other() -> None:
    assert [player.other for player in PLAYERS] == [WOW, YAY]
    assert [player.seat for player in PLAYERS] == [0, 1]
    assert Player("yay") is YAY


@given(CARDS)
def test_a_card_is_read_as_it_is_written(card: Card) -> None:
    assert parse_card(format_card(card)) == card
    assert eval(repr(card)) == card


@given(DECKS)
def test_a_deck_is_read_as_it_is_written(deck: Deck) -> None:
    assert parse_deck(format_deck(deck)) == deck == Deck.of(deck.cards) == eval(repr(deck))
    assert len(deck) == len(deck.cards) == sum(deck.counts)
    assert all(card in deck for card in deck.cards)


NO_CARDS = ["", "7", "b", "07b", "0a", "13a", "7B", "7ab", " 7a", "7a ", "-7a", "٧a", "7é", "7a\n", "1" * 5000 + "a"]


@pytest.mark.parametrize("text", NO_CARDS)
def test_what_is_not_a_card_is_refused_with_its_text(text: str) -> None:
    with pytest.raises(ParseError, match="is not a card: a rank from 1 to 12 and a letter are expected"):
        parse_card(text)


def test_ranks_sort_as_numbers() -> None:
    assert sorted(map(parse_card, ["12a", "2b", "10a", "2a", "1a"])) == list(
        map(parse_card, ["1a", "2a", "2b", "10a", "12a"])
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no cards"),
        ("3", "'3' in the deck: rank x copies is expected"),
        ("3x", "'3x' in the deck"),
        ("03x4", "'03x4' in the deck"),
        ("3x04", "'3x04' in the deck"),
        ("3x0", "'3x0' in the deck"),
        ("0x3", "'0x3' in the deck"),
        ("13x1", "'13x1' in the deck"),
        ("3x-1", "'3x-1' in the deck"),
        ("3X4", "'3X4' in the deck"),
        ("3x" + "9" * 6000, "in the deck"),
        ("3x27", "27 copies of rank 3: 1 to 26 are allowed"),
        ("3x4 5x1 3x1", "rank 3 stands twice"),
    ],
)
def test_a_faulty_deck_is_refused_with_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises((ParseError, RulesError), match=message):
        parse_deck(text)


def test_a_deck_can_name_its_ranks_in_any_order() -> None:
    assert parse_deck("5x2 1x1") == parse_deck("1x1 5x2")


def test_twenty_six_copies_are_lettered_a_to_z() -> None:
    cards = parse_deck("4x26").cards
    assert [card.copy for card in cards] == list("abcdefghijklmnopqrstuvwxyz")
    assert Card(4, "z") in parse_deck("4x26")
    assert Card(4, "z") not in parse_deck("4x25")


@pytest.mark.parametrize(("rank", "copies", "message"), [(0, 1, "rank 0"), (13, 1, "rank 13"), (3, 0, "0 copies")])
def test_a_deck_made_in_code_is_checked_too(rank: int, copies: int, message: str) -> None:
    with pytest.raises(RulesError, match=message):
        Deck(((rank, copies),))


def test_letters_with_a_gap_make_no_deck() -> None:
    with pytest.raises(RulesError, match="the 7s are lettered a c: a b is expected"):
        Deck.of([Card(7, "a"), Card(7, "c")])


def test_all_errors_of_the_engine_have_one_root_and_a_builtin_kind() -> None:
    for error in (ParseError, RulesError):
        assert issubclass(error, EngineError) and issubclass(error, ValueError)

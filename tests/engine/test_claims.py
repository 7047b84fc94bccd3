"""The referee's counting against brute force: every hidden hand is dealt."""

from collections.abc import Iterator
from functools import cache
from itertools import combinations_with_replacement, product

from hypothesis import given
from hypothesis import strategies as st

from engine.cards import PLAYERS, WOW, YAY, Player
from engine.claims import Claims, Counts, convict_by_card, convict_by_count, highest, possible_alone, possible_together

RANKS = 4  # the ranks 1 to 4 are enough to have two claims above, between and below others


def counts_of(table: tuple[int, ...]) -> Counts:
    return (0, *table, *(0,) * (12 - len(table)))


@cache
def hands_of(unseen: Counts, size: int) -> tuple[Counts, ...]:
    """Every hand of that many unseen cards, as counts by rank."""
    if sum(unseen) < size:
        return ()
    if size == 0 or not unseen:
        return ((0,) * len(unseen),)
    first, others = unseen[0], unseen[1:]
    return tuple((n, *hand) for n in range(min(first, size) + 1) for hand in hands_of(others, size - n))


def lowest(hand: Counts) -> int:
    return next((rank for rank, n in enumerate(hand) if n), 13)


@cache
def lowest_pairs(unseen: Counts, hidden: tuple[int, int]) -> frozenset[tuple[int, int]]:
    """The lowest ranks of yay's and of wow's hand, for every way to deal two hands from the unseen cards."""
    return frozenset(
        (lowest(mine), lowest(other))
        for mine in hands_of(unseen, hidden[0])
        for other in hands_of(tuple(n - m for n, m in zip(unseen, mine, strict=True)), hidden[1])
    )


def some_hand(unseen: Counts, hidden: int, claim: int) -> bool:
    return any(low >= claim for low, _ in lowest_pairs(unseen, (hidden, 0)))


def some_hands(unseen: Counts, hidden: tuple[int, int], claims: Claims) -> bool:
    """Whether two hidden hands make the claims of both true."""
    mine, other = map(highest, claims)
    return any(low >= mine and others_low >= other for low, others_low in lowest_pairs(unseen, hidden))


def situations() -> Iterator[tuple[Counts, tuple[int, int]]]:
    for table in product(range(3), repeat=RANKS):
        for hidden in product(range(4), repeat=2):
            if sum(hidden) <= sum(table):
                yield counts_of(table), hidden


def test_counting_says_what_dealing_all_hands_says() -> None:
    compared = 0
    for unseen, hidden in situations():
        for bounds in product(range(RANKS + 1), repeat=2):
            claims = tuple((bound,) if bound else () for bound in bounds)
            assert possible_together(unseen, hidden, claims) is some_hands(unseen, hidden, claims)  # type: ignore[arg-type]
            assert possible_alone(unseen, hidden[0], bounds[0]) is some_hand(unseen, hidden[0], bounds[0])
            compared += 1
    assert compared > 20_000


CLAIMS = [claims for n in range(4) for claims in combinations_with_replacement(range(1, 6), n)]
UNSEEN = st.lists(st.integers(0, 3), min_size=5, max_size=5)
SITUATIONS = st.tuples(st.integers(0, 4), st.integers(0, 4), UNSEEN).filter(lambda s: s[0] + s[1] <= sum(s[2]))


@given(SITUATIONS, st.sampled_from(CLAIMS), st.sampled_from(CLAIMS))
def test_the_referee_convicts_exactly_what_no_hidden_hands_allow(
    situation: tuple[int, int, list[int]], yays: tuple[int, ...], wows: tuple[int, ...]
) -> None:
    hidden, unseen = situation[:2], counts_of(tuple(situation[2]))
    claims = (yays, wows)
    found = convict_by_count(unseen, hidden, claims)
    assert bool(found) is not some_hands(unseen, hidden, claims), "as soon as they cannot all be true, never earlier"
    for suspects, stand, gone in found:
        # by hand: from the highest down, one player's or both players', until the rest can be true
        expected = claims
        while not all_true(unseen, hidden, expected, suspects):
            expected = tuple(own[:-1] if p in suspects else own for p, own in zip(PLAYERS, expected, strict=True))
        assert stand == expected
        assert tuple(s + g for s, g in zip(stand, gone, strict=True)) == claims, "nothing is lost or convicted twice"
        claims = stand
    assert some_hands(unseen, hidden, claims)


def all_true(unseen: Counts, hidden: tuple[int, int], claims: Claims, suspects: tuple[Player, ...]) -> bool:
    """Whether the claims of these players can all be true."""
    if len(suspects) == 2:
        return some_hands(unseen, hidden, claims)
    i = suspects[0].seat
    return some_hand(unseen, hidden[i], highest(claims[i]))


def test_each_alone_is_tried_before_both_together() -> None:
    # three 1s, one 2 and two 5s are unseen
    unseen = counts_of((3, 1, 0, 0, 2))
    assert convict_by_count(unseen, (1, 1), ((5,), (5,))) == []
    assert convict_by_count(unseen, (2, 1), ((5,), (5,))) == [((YAY, WOW), ((), ()), ((5,), (5,)))]
    assert convict_by_count(unseen, (3, 0), ((2, 5), (5,))) == [((YAY,), ((2,), (5,)), ((5,), ()))]
    assert convict_by_count(unseen, (3, 3), ((5,), (3, 5))) == [
        ((YAY,), ((), (3, 5)), ((5,), ())),
        ((WOW,), ((), ()), ((), (3, 5))),
    ]


def test_a_low_card_convicts_the_claims_above_it_and_no_others() -> None:
    assert convict_by_card((2, 3, 3, 7), 3) == ((2, 3, 3), (7,))
    assert convict_by_card((2, 3, 3, 7), 1) == ((), (2, 3, 3, 7))
    assert convict_by_card((2,), 2) == ((2,), ())

"""What a referee can prove about hidden hands (docs/rules.md, What the table knows): counting the cards not yet seen.

`unseen` is how many cards of each rank have not been seen in this round: 13 numbers, the place is the rank.
A player's claims are ranks, never falling, in the order in which they were made.
"""

from __future__ import annotations

from engine.cards import PLAYERS, Player

Counts = tuple[int, ...]
Pair = tuple[int, int]
Claims = tuple[tuple[int, ...], tuple[int, ...]]
NO_CLAIMS: Claims = ((), ())


def highest(claims: tuple[int, ...]) -> int:
    """b(p): the player's highest claim, or 0."""
    return claims[-1] if claims else 0


def possible_alone(unseen: Counts, hidden: int, claim: int) -> bool:
    """Whether `hidden` cards of rank `claim` or higher can be found among the unseen ones."""
    return sum(unseen[claim:]) >= hidden


def possible_together(unseen: Counts, hidden: Pair, claims: Claims) -> bool:
    """Whether the claims of both can be true at once."""
    bounds = [(highest(claims[i]), hidden[i]) for i in (0, 1)]
    (low, low_hidden), (high, high_hidden) = sorted(bounds, key=lambda pair: pair[0])
    return possible_alone(unseen, high_hidden, high) and possible_alone(unseen, high_hidden + low_hidden, low)


def convict_by_card(claims: tuple[int, ...], rank: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """A card of that rank was still in the hand: (claims that stand, claims convicted)."""
    return tuple(c for c in claims if c <= rank), tuple(c for c in claims if c > rank)


def convict_by_count(unseen: Counts, hidden: Pair, claims: Claims) -> list[tuple[tuple[Player, ...], Claims, Claims]]:
    """What the unseen cards disprove: [(suspects, claims that stand afterwards, claims convicted), …]."""
    found: list[tuple[tuple[Player, ...], Claims, Claims]] = []
    for player in PLAYERS:
        i = player.seat
        gone: tuple[int, ...] = ()
        while not possible_alone(unseen, hidden[i], highest(claims[i])):
            gone = (claims[i][-1], *gone)
            claims = _without_highest(claims, i)
        if gone:
            found.append(((player,), claims, _only(i, gone)))
    before = claims
    while not possible_together(unseen, hidden, claims):
        claims = _without_highest(_without_highest(claims, 0), 1)
    if claims != before:
        convicted = (before[0][len(claims[0]) :], before[1][len(claims[1]) :])
        found.append((PLAYERS, claims, convicted))
    return found


def _without_highest(claims: Claims, i: int) -> Claims:
    return (claims[0][:-1], claims[1]) if i == 0 else (claims[0], claims[1][:-1])


def _only(i: int, gone: tuple[int, ...]) -> Claims:
    return (gone, ()) if i == 0 else ((), gone)

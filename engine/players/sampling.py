"""Hands that the other may hold, drawn at random: they fit all that was seen, and the likelier ones come more often.

What has to fit: the cards not seen, the number held, and what sacrifices claim of the rest. What only makes a hand
more or less likely: a card that was kept in replacing, the card that was laid in the duel, an attack that was not held.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from engine.board import Arrow
from engine.cards import Card, Player
from engine.players.situation import Situation, seat_of
from engine.players.solving import Hand, shortage
from engine.players.values import Values, duel_chances
from engine.views import View


@dataclass(frozen=True)
class Doubt:
    """How strongly the other is expected to play like a good player; at 0 every fitting hand is equally likely."""

    kept: float = 0.7  # exponent of how likely a rank is kept
    duel: float = 0.7  # exponent of how likely the card is laid
    held: float = 0.5  # the share of those who hold an attack if they can, less is surer
    floor: float = 0.05  # chance of whatever a good player would never do


def plain_hands(now: Situation, count: int, chance: random.Random) -> list[Hand]:
    """Hands that fit, all cards alike."""
    fitting = [n if rank >= now.least else 0 for rank, n in enumerate(now.unseen)]
    return [tuple(sorted(chance.sample(range(len(fitting)), now.others, counts=fitting))) for _ in range(count)]


def likely_hands(
    view: View, now: Situation, count: int, chance: random.Random, values: Values, doubt: Doubt = Doubt()
) -> list[Hand]:
    """Hands that fit, drawn from three times as many by how likely they are."""
    fitting = [n if rank >= now.least else 0 for rank, n in enumerate(now.unseen)]
    weights = kept_weights(view, values, doubt)
    drawn = [_weighted_hand(fitting, weights, now.others, chance) for _ in range(3 * count)]
    past = _past_of(view)
    likelihoods = {hand: _likelihood(hand, past, values, doubt) for hand in set(drawn)}
    shares = [likelihoods[hand] for hand in drawn]
    return _picked(drawn, shares, count, chance)


def kept_weights(view: View, values: Values, doubt: Doubt) -> list[float]:
    """For each rank how likely a card of it is still in the other's hand, by its having been kept or drawn."""
    other = seat_of(view).other
    size, gone = view.hand_size, len(view.discards[other.seat])
    mean = sum(values.kept) / len(values.kept)
    share = (size - gone) / size * doubt.kept if _could_replace(view, other) else 0.0
    return [0.0, *(share * kept / mean + 1 - share for kept in values.kept)]


def _could_replace(view: View, player: Player) -> bool:
    """Whether the player was free to replace more than was replaced."""
    mine, others = len(view.discards[player.seat]), len(view.discards[player.other.seat])
    return view.arrow is Arrow.BOTH or view.arrow == player.value or mine < others


def _weighted_hand(counts: Sequence[int], weights: Sequence[float], size: int, chance: random.Random) -> Hand:
    left = list(counts)
    hand = []
    for _ in range(size):
        shares = [n * w for n, w in zip(left, weights, strict=True)]
        roll = chance.random() * sum(shares) * (1 - 1e-9)  # safely below the sum
        rank = next((rank for rank, passed in enumerate(accumulate(shares)) if roll < passed), 0)
        left[rank] -= 1
        hand.append(rank)
    return tuple(sorted(hand))


# ---- what the other has done ----------------------------------------------------------------


@dataclass(frozen=True)
class SampledPast:
    """The other's plays: the duel card with the ranks played since, and for each attack that was not held the attack,
    the answer, and the ranks played since."""

    laid: int | None
    since_duel: Hand
    not_held: tuple[tuple[Hand, Hand, Hand], ...]


def _past_of(view: View) -> SampledPast:
    other = seat_of(view).other
    played: list[int] = [card.rank for card in view.attack] if view.attacker is other else []
    not_held: list[tuple[Hand, Hand, Hand]] = []
    for trick in reversed(view.tricks):
        if trick.attacker is other:
            played += _ranks(trick.attack)
            continue
        if not trick.holds:
            not_held.append((_ranks(trick.attack), _ranks(trick.answer), tuple(played)))
        played += _ranks(trick.answer)
    laid = None
    if len(view.duels) == 1:
        duel = view.duels[0]
        laid = (duel.yay, duel.wow)[other.seat].rank
    return SampledPast(laid, tuple(played), tuple(not_held))


def _ranks(cards: tuple[Card, ...]) -> Hand:
    return tuple(sorted(card.rank for card in cards))


def _likelihood(hand: Hand, past: SampledPast, values: Values, doubt: Doubt) -> float:
    share = 1.0
    if past.laid is not None and doubt.duel:
        whole = tuple(sorted((*hand, *past.since_duel, past.laid)))
        share *= (doubt.floor + duel_chances(values, whole, 25.0)[past.laid]) ** doubt.duel
    for attack, answer, since in past.not_held:
        before = tuple(sorted((*hand, *since, *answer)))
        if shortage(attack, before[len(before) - len(attack) :]) == 0:
            share *= doubt.held
    return share


def _picked(hands: list[Hand], shares: list[float], count: int, chance: random.Random) -> list[Hand]:
    """This many hands, each as often as its share says: at even steps from a random start."""
    step = sum(shares) / count
    mark = chance.random() * step
    found: list[Hand] = []
    passed = 0.0
    for hand, share in zip(hands, shares, strict=True):
        passed += share
        while mark < passed and len(found) < count:
            found.append(hand)
            mark += step
    return found or hands[:1]

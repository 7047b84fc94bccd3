"""What a player decides about: the view as ranks, and a decision as a play.

A player is a function of a view, a seed and an amount of work; everything that it decides by is in these.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.board import Arrow
from engine.cards import Card, Player
from engine.claims import Counts
from engine.errors import EngineError
from engine.legal import Play
from engine.plays import is_attack, legal_answers, legal_attacks
from engine.round import Phase, Swap
from engine.views import View, format_view, lowest_possible

if TYPE_CHECKING:  # the table asks what is to be decided, and does without the solver
    from engine.players.solving import Hand

Decide = Callable[[View, int, int], Play]  # view, seed, nodes: how much work may be done -> the play


class NothingToDecide(EngineError, ValueError):
    """In this view its seat has nothing to choose."""


@dataclass(frozen=True)
class Situation:
    """A view, as far as ranks matter. `others` is how many cards the other hand has, as it was when the play began."""

    mine: Hand
    others: int
    unseen: Counts
    least: int  # no card of the other hand is lower
    attack: Hand = ()  # to be answered


def seat_of(view: View) -> Player:
    """Who is to choose in this view. Raises NothingToDecide if its seat is not, or the table knows no hands."""
    seat = view.seat
    if seat is None or seat not in view.to_act or not view.hand:
        raise NothingToDecide(f"{view}: this seat has nothing to decide")
    if view.phase is Phase.REPLACE and view.swap[seat.seat] is not Swap.DISCARDING:
        raise NothingToDecide(f"{view}: a card is to be drawn, which is no decision")
    if view.phase is Phase.DEAL or (view.phase is Phase.ATTACK and seat is not view.attacker):
        raise NothingToDecide(f"{view}: nothing is to be decided before this is over")
    return seat


def most_to_replace(view: View) -> int:
    """How many cards the one who is to choose may discard, whatever the other does at the same time: where both
    replace at once and the pile is short, half of it. Raises NothingToDecide."""
    seat = seat_of(view)
    room = view.may_still_replace(seat)
    if view.arrow is Arrow.BOTH and view.swap[seat.other.seat] is Swap.DISCARDING:
        room = min(room, (len(view.rules.deck) - 2 * view.hand_size) // 2)
    return room


def situation_of(view: View) -> Situation:
    """Raises NothingToDecide."""
    seat = seat_of(view)
    mine = tuple(sorted(card.rank for card in view.hand))
    others = view.counts[seat.other.seat] + view.laid[seat.other.seat]
    attack = tuple(sorted(card.rank for card in view.attack)) if view.phase is Phase.DEFEND else ()
    return Situation(mine, others, view.unseen, lowest_possible(view, seat.other), attack)


def chance_for(view: View, seed: int) -> random.Random:
    """The random numbers of one decision: the same for the same seed and view, whatever else has been decided."""
    return random.Random(f"{seed} {format_view(view)}")


def play_of(view: View, ranks: Iterable[int]) -> Play:
    """The play of cards of these ranks; of equal cards the first letters, which say nothing."""
    seat = seat_of(view)
    left = sorted(view.hand)
    chosen: list[Card] = []
    for rank in ranks:
        card = next(card for card in left if card.rank == rank)
        left.remove(card)
        chosen.append(card)
    confirm = view.phase is Phase.REPLACE or view.phase is Phase.ATTACK
    return Play(seat, frozenset(chosen), confirm)


def forced_play(view: View) -> Play | None:
    """The play that is left if there is no choice, or a play has been begun (as after a power cut); else None.

    A begun play is completed with as few cards as can be. Raises NothingToDecide, also for an attack that
    cannot be completed and has to be taken back.
    """
    seat = seat_of(view)
    if view.phase is Phase.SHOWDOWN:
        return play_of(view, [card.rank for card in view.hand])
    if view.phase is Phase.REPLACE and (view.discards[seat.seat] or not most_to_replace(view)):
        return play_of(view, ())
    if view.phase is Phase.ATTACK and view.attack:
        return _completed(view, seat, view.attack, legal_attacks(view.hand | {*view.attack}))
    if view.phase is Phase.DEFEND and view.answer:
        ranks = [card.rank for card in view.attack]
        return _completed(view, seat, view.answer, legal_answers(ranks, view.hand | {*view.answer}))
    return None


def _completed(view: View, seat: Player, laid: tuple[Card, ...], plays: Iterable[frozenset[Card]]) -> Play:
    begun = frozenset(laid)
    whole = [play for play in plays if begun <= play]
    if not whole:
        raise NothingToDecide(f"{view}: what has been laid down cannot be completed")
    rest = min((sorted(play - begun) for play in whole), key=lambda cards: (len(cards), cards))
    return Play(seat, frozenset(rest), view.phase is Phase.ATTACK)


def attacks_of(hand: Hand) -> list[Hand]:
    """Every attack that differs in ranks."""
    found = {tuple(sorted(card.rank for card in cards)) for cards in legal_attacks(_as_cards(hand))}
    assert all(is_attack(attack) for attack in found)
    return sorted(found)


def answers_of(attack: Hand, hand: Hand) -> list[Hand]:
    """Every answer that differs in ranks."""
    cards = _as_cards(hand)
    return sorted({tuple(sorted(card.rank for card in answer)) for answer in legal_answers(attack, cards)})


def _as_cards(hand: Hand) -> list[Card]:
    return [Card(rank, chr(ord("a") + n)) for n, rank in enumerate(hand)]


def rest_of(hand: Hand, ranks: Iterable[int]) -> Hand:
    """The hand less these cards."""
    left = list(hand)
    for rank in ranks:
        left.remove(rank)
    return tuple(left)

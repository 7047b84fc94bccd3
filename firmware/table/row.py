"""The table's row when it plays: which of its cards lies in which place, face down, seen from the person. Pure.

Places count from 1, from the left. A card keeps its place for the whole round, also while it lies elsewhere; a card
that is dealt or drawn takes the lowest place that is empty.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.cards import Card, Player
from engine.events import Event, Kind
from engine.game import Game
from engine.round import Phase, Swap
from engine.verdict import Verdict

Places = tuple[tuple[Card, int], ...]
"""(card, its place), in the order in which they came; no card twice."""


def place_of(places: Places, card: Card) -> int:
    """Where this card belongs. It has come into the row, and so it has a place."""
    return next(place for other, place in places if other == card)


def places_of(places: Places, cards: Iterable[Card]) -> tuple[int, ...]:
    """Where these cards belong, from the left."""
    return tuple(sorted(place_of(places, card) for card in cards))


def lowest_empty(places: Places, held: frozenset[Card]) -> int:
    """The place of the card that comes next to a row of which these are held."""
    taken = {place for card, place in places if card in held}
    return next(place for place in range(1, len(taken) + 2) if place not in taken)


def places_after(places: Places, side: Player, before: Game, event: Event, verdict: Verdict) -> Places:
    """The places once the judge has said `verdict` of `event`, which met the game `before`.

    What is taken back keeps its place; those of the round before are forgotten with the first card of the next one,
    since until then its showdown can still be taken back.
    """
    if not verdict.accepted or event.kind is not Kind.CARD or event.card is None:
        return places
    state = before.round
    if state.phase is Phase.DEAL and state.counts == (0, 0):
        places = ()
    comes = state.phase is Phase.DEAL or state.swap[side.seat] is Swap.DRAWING
    if event.player is not side or not comes:
        return places
    others = tuple((card, place) for card, place in places if card != event.card)
    return (*others, (event.card, lowest_empty(others, state.hands[side.seat])))


def relearned(places: Places, cards: tuple[Card, ...]) -> Places:
    """The places after the row's cards were passed over the pad, from the left.

    What lies elsewhere gets the places behind them, should it be taken back. (Its own may be another's now.)
    """
    elsewhere = (card for card, _ in places if card not in cards)
    return tuple((card, place) for place, card in enumerate((*cards, *elsewhere), 1))

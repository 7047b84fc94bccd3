"""What a host plays for a bot that has not answered as it should (docs/bots.md). Pure."""

from __future__ import annotations

from engine.cards import Card
from engine.legal import Play
from engine.players.situation import seat_of
from engine.plays import legal_answers
from engine.round import Phase
from engine.views import View


def fallback_play(view: View) -> Play:
    """Replace none; the lowest-named card in duel and showdown; attack with the highest; the first legal answer.

    Raises NothingToDecide.
    """
    seat = seat_of(view)
    hand = sorted(view.hand)
    match view.phase:
        case Phase.REPLACE:
            return Play(seat, frozenset(), confirm=True)
        case Phase.ATTACK:
            return Play(seat, frozenset([_highest(hand)]), confirm=True)
        case Phase.DEFEND:
            return Play(seat, next(legal_answers([card.rank for card in view.attack], hand)))
    return Play(seat, frozenset(hand[:1]))


def _highest(hand: list[Card]) -> Card:
    """Of the cards of the highest rank the first."""
    return next(card for card in hand if card.rank == hand[-1].rank)

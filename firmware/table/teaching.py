"""Teaching the table a deck: "put down every 1, then ok", "every 2", … up to 12. Pure.

Nothing is kept before the whole deck is confirmed, so a power cut leaves the old one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from engine.board import Board
from engine.cards import MAX_COPIES, MAX_RANK, Card, Deck
from firmware.kept.deck import Tags, why_no_card


class TeachResult(Enum):
    """What became of a tag that was put down."""

    COUNTED = "counted"
    AGAIN = "again"  # quiet: it is counted for this rank already
    OTHER_RANK = "other rank"
    NO_CARD = "no card"  # a phone, a bank card
    TOO_MANY = "too many"  # more copies than letters


@dataclass(frozen=True, slots=True)
class Teaching:
    """How far the teaching is: the rank asked for (13: all were), and (uid, rank) of each tag, in order."""

    rank: int = 1
    taught: tuple[tuple[bytes, int], ...] = ()

    @property
    def complete(self) -> bool:
        return self.rank > MAX_RANK

    def copies(self, rank: int) -> int:
        return sum(1 for _, taught in self.taught if taught == rank)

    def rank_of(self, uid: bytes) -> int | None:
        return next((rank for taught, rank in self.taught if taught == uid), None)


def read(state: Teaching, uid: bytes) -> tuple[Teaching, TeachResult]:
    """A tag was put down, on whichever pad."""
    if why_no_card(uid) is not None:
        return state, TeachResult.NO_CARD
    known = state.rank_of(uid)
    if known is not None:
        return state, TeachResult.AGAIN if known == state.rank else TeachResult.OTHER_RANK
    if state.complete:
        return state, TeachResult.NO_CARD
    if state.copies(state.rank) >= MAX_COPIES:
        return state, TeachResult.TOO_MANY
    return replace(state, taught=(*state.taught, (uid, state.rank))), TeachResult.COUNTED


def next_rank(state: Teaching) -> Teaching:
    """ok: the next rank."""
    return replace(state, rank=state.rank + 1)


def back(state: Teaching) -> Teaching | None:
    """undo: forget this rank's cards, or, if there are none, go back to the rank before; None: leave."""
    if not state.complete and state.copies(state.rank):
        return replace(state, taught=tuple(pair for pair in state.taught if pair[1] != state.rank))
    return replace(state, rank=state.rank - 1) if state.rank > 1 else None


def tags_of(state: Teaching) -> Tags:
    """The taught deck, its letters in the order of the teaching."""
    counts: dict[int, int] = {}
    cards: dict[bytes, Card] = {}
    for uid, rank in state.taught:
        cards[uid] = Card(rank, chr(ord("a") + counts.get(rank, 0)))
        counts[rank] = counts.get(rank, 0) + 1
    return Tags.of(cards)


def why_not(state: Teaching, board: Board) -> int:
    """How many cards the board needs at least, if the taught deck has fewer; else 0."""
    needed = 2 * max(board.hand_sizes)
    return needed if len(state.taught) < needed else 0


def differences(state: Teaching, usual: Deck) -> tuple[tuple[int, int], ...]:
    """(rank, how many more than usual; negative: fewer) where the taught deck differs from `usual`, ranks ascending."""
    table = ((rank, state.copies(rank) - copies) for rank, copies in enumerate(usual.counts))
    return tuple((rank, more) for rank, more in table if more)

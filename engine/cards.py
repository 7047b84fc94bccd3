"""Players, cards and decks: values with one text form each; `parse_x` and `format_x` are inverse."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from engine.errors import ParseError, RulesError

MIN_RANK, MAX_RANK = 1, 12
MAX_COPIES = 26  # copies of a rank are named a … z


class Player(StrEnum):
    """The two players, named after the two goals of the printed board."""

    YAY = "yay"
    WOW = "wow"

    @property
    def other(self) -> Player:
        return WOW if self is YAY else YAY

    @property
    def seat(self) -> int:
        """0 for yay, 1 for wow: the place in every pair."""
        return 0 if self is YAY else 1


YAY, WOW = Player.YAY, Player.WOW
PLAYERS = (YAY, WOW)


class Card(NamedTuple):
    """One card: its rank (1 to 12) and the letter that tells it from the others of that rank."""

    rank: int
    copy: str

    def __str__(self) -> str:
        return f"{self.rank}{self.copy}"

    def __repr__(self) -> str:
        return f"parse_card({str(self)!r})"


_CARD = re.compile(r"([1-9]|1[0-2])([a-z])")
_COPIES = re.compile(r"([1-9]|1[0-2])x([1-9][0-9]?)")


def parse_card(text: str) -> Card:
    """`7b` -> Card(7, "b"). Raises ParseError for anything else, such as `07b`, `13a` or `7`."""
    found = _CARD.fullmatch(text)
    if found is None:
        raise ParseError(f"{text!r} is not a card: a rank from 1 to 12 and a letter are expected, as in 7b")
    return Card(int(found[1]), found[2])


def format_card(card: Card) -> str:
    return str(card)


@dataclass(frozen=True)
class Deck:
    """How many copies there are of each rank: ((rank, copies), …), ranks ascending, copies 1 to 26.

    Raises RulesError for a rank or a number of copies out of range, or a rank given twice.
    """

    copies: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        if not self.copies:
            raise RulesError("the deck has no cards: at least one rank with its copies is expected, as in 3x5")
        ranks = [rank for rank, _ in self.copies]
        for rank, copies in self.copies:
            if not MIN_RANK <= rank <= MAX_RANK:
                raise RulesError(f"rank {rank} in the deck: ranks go from {MIN_RANK} to {MAX_RANK}")
            if not 1 <= copies <= MAX_COPIES:
                raise RulesError(f"{copies} copies of rank {rank}: 1 to {MAX_COPIES} are allowed")
            if ranks.count(rank) > 1:
                raise RulesError(f"rank {rank} stands twice in the deck: each rank at most once")
        object.__setattr__(self, "copies", tuple(sorted(self.copies)))

    @cached_property
    def cards(self) -> tuple[Card, ...]:
        """All cards, ranks and letters ascending."""
        return tuple(Card(rank, chr(ord("a") + n)) for rank, copies in self.copies for n in range(copies))

    @cached_property
    def _all(self) -> frozenset[Card]:
        return frozenset(self.cards)

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """How many cards of each rank: 13 numbers, the place is the rank (place 0 is 0)."""
        table = dict(self.copies)
        return tuple(table.get(rank, 0) for rank in range(MAX_RANK + 1))

    def __len__(self) -> int:
        return len(self.cards)

    def __contains__(self, card: object) -> bool:
        return card in self._all

    def __str__(self) -> str:
        return " ".join(f"{rank}x{copies}" for rank, copies in self.copies)

    def __repr__(self) -> str:
        return f"parse_deck({str(self)!r})"

    @classmethod
    def of(cls, cards: Iterable[Card]) -> Deck:
        """The deck that these cards make up; letters must be a, b, c … without a gap. Raises RulesError."""
        table: dict[int, list[str]] = {}
        for card in cards:
            table.setdefault(card.rank, []).append(card.copy)
        for rank, letters in table.items():
            wanted = [chr(ord("a") + n) for n in range(len(letters))]
            if sorted(letters) != wanted:
                found = " ".join(sorted(letters))
                raise RulesError(f"the {rank}s are lettered {found}: {' '.join(wanted)} is expected")
        return cls(tuple((rank, len(letters)) for rank, letters in sorted(table.items())))


def parse_deck(text: str) -> Deck:
    """`1x1 2x2 3x5` -> Deck. Raises ParseError or RulesError, with what is wrong."""
    pairs = []
    for word in text.split():
        found = _COPIES.fullmatch(word)
        if found is None:
            raise ParseError(f"{word!r} in the deck: rank x copies is expected, as in 3x5 (1 to 12, 1 to {MAX_COPIES})")
        pairs.append((int(found[1]), int(found[2])))
    return Deck(tuple(pairs))


def format_deck(deck: Deck) -> str:
    return str(deck)


DEFAULT_DECK = parse_deck("1x1 2x2 3x5 4x5 5x5 6x5 7x4 8x3 9x3 10x2 11x2 12x1")

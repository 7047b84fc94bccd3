"""What lies face down where the table plays: its row, and what such cards are called, since nobody may see their faces.

A card gets such a name when it is covered, by a number that counts up, so that it says nothing of the face.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any


class Covers:
    """The row of the side that the table plays, and the names of covered cards. With no side there are neither."""

    def __init__(self) -> None:
        self.side: str | None = None
        self._places: dict[str, int] = {}  # of each card that has come into the row since it was last in the pile
        self._lying: set[str] = set()  # in the row
        self._called: dict[str, str] = {}  # card to its name while it is covered
        self._turned: dict[str, str] = {}  # card to what it was called, since it has been turned
        self._count = 0

    def seat(self, side: str | None) -> None:
        """The table plays this side; what was known of another row is forgotten."""
        if side != self.side:
            self.side, self._places, self._lying = side, {}, set()
        if side is None:
            self._called, self._turned = {}, {}

    # ---- the row ---------------------------------------------------------------------------

    def came(self, card: str) -> None:
        """A card has come into the row: into its own place, if that is empty, else into the lowest empty one."""
        taken = {self._places[other] for other in self._lying if other != card}
        if card not in self._places or self._places[card] in taken:
            self._places[card] = next(place for place in range(1, len(taken) + 2) if place not in taken)
        self._lying.add(card)

    def left(self, card: str) -> None:
        """It lies elsewhere now; its place is kept for it."""
        self._lying.discard(card)

    def forget(self, card: str) -> None:
        """It is in the pile."""
        self._lying.discard(card)
        for known in (self._places, self._called, self._turned):
            known.pop(card, None)

    def put(self, card: str, place: int) -> None:
        """It is going to this place of the row; what lies there changes places with it."""
        old = self._places.get(card)
        for other in self._lying:
            if other != card and self._places[other] == place:
                self._places[other] = old if card in self._lying and old is not None else self._highest + 1
        self._places[card] = place

    @property
    def places(self) -> dict[str, int]:
        """Where each card belongs that has come into the row."""
        return dict(self._places)

    @property
    def _highest(self) -> int:
        return max(self._places.values(), default=0)

    def row(self) -> dict[str, Any] | None:
        """For the page: whose it is, [name, place] of each card in it, and how many places there are."""
        if self.side is None:
            return None
        cards = sorted((self._places[card], self._called.get(card, card)) for card in self._lying)
        return {"side": self.side, "cards": [[name, place] for place, name in cards], "places": self._highest}

    # ---- names -----------------------------------------------------------------------------

    def names(self, covered: Sequence[str]) -> Callable[[str], str]:
        """What each card is called, now that these are covered and no others."""
        for card in self._called.keys() - set(covered):
            self._turned[card] = self._called.pop(card)
        for card in covered:
            if card not in self._called:
                self._count += 1
                self._called[card] = f"?{self._count}"
                self._turned.pop(card, None)
        return lambda card: self._called.get(card, card)

    def turned(self, seen: Iterable[str]) -> dict[str, str]:
        """What those of these cards that lay covered were called then."""
        return {card: self._turned[card] for card in seen if card in self._turned}

    def card_called(self, name: str) -> str | None:
        """The card of this name, covered or not; None if no card is called so any more."""
        if not name.startswith("?"):
            return name
        return next((card for card, called in self._called.items() if called == name), None)

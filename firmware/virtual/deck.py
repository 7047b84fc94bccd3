"""The tags of the deck that lies on the virtual table."""

from __future__ import annotations

from engine.cards import Card, Deck


def virtual_tags(deck: Deck) -> dict[bytes, Card]:
    """The tags of a virtual deck: 7 bytes each, alike in their first three, as cards bought together are."""
    return {bytes((0x04, 0x7A, 0xC0, 0xCA, 0x70 + card.rank, ord(card.copy), 0x80)): card for card in deck.cards}

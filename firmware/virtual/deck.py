"""The cards and the board of the virtual table, as they come out of the box, and the tags that are glued to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.cards import Card, Deck
from engine.rules import Rules
from firmware.config.values import StripConfig


@dataclass(frozen=True, slots=True)
class Printed:
    """What is printed on board and cards, and lies in the box: known to whoever sits at the table.

    `deck` names the cards ("7b"); `board` and `arrows` are those of spaces 1 to 7 (arrows "yay", "wow", "both");
    `mode` is "play", "referee" or "board"; `uids` gives the tag glued to each card of the deck. `leds` says how many
    lights belong to yay's goal, to each space and to wow's goal; `reverse`, that the strip begins at wow's goal.
    """

    deck: tuple[str, ...]
    board: tuple[int, ...]
    arrows: tuple[str, ...]
    mode: str
    uids: Mapping[str, bytes]
    leds: tuple[int, ...]
    reverse: bool = False

    @classmethod
    def of(cls, rules: Rules, tags: Mapping[bytes, Card], track: StripConfig, reverse: bool = False) -> Printed:
        """What comes out of the box for a game of these rules, with these tags and this strip."""
        return cls(
            deck=tuple(map(str, rules.deck.cards)),
            board=rules.board.hand_sizes,
            arrows=tuple(rules.board.arrows),
            mode=str(rules.mode),
            uids={str(card): uid for uid, card in tags.items()},
            leds=(track.goal_leds, *track.space_leds, track.goal_leds),
            reverse=reverse,
        )


def virtual_tags(deck: Deck) -> dict[bytes, Card]:
    """The tags of a virtual deck: 7 bytes each, alike in their first three, as cards bought together are."""
    return {bytes((0x04, 0x7A, 0xC0, 0xCA, 0x70 + card.rank, ord(card.copy), 0x80)): card for card in deck.cards}


def stray_uid(uids: Mapping[str, bytes]) -> bytes:
    """A UID of no card, like the cards' in all but its last bytes."""
    taken = set(uids.values())
    return next(
        uid for number in range(len(taken) + 1) if (uid := bytes((0x04, 0xA1, 0xB2, 0xEE, 0, 0, number))) not in taken
    )

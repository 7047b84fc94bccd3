"""The page of a virtual table: opened over the twins of a session."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from engine.cards import Card
from engine.rules import Rules
from firmware.config.values import Config
from firmware.virtual.listening import Listening
from firmware.wiring.parts import Parts

if TYPE_CHECKING:
    from firmware.virtual.server import VirtualTable


def open_page(
    config: Config, parts: Parts, rules: Rules, tags: Mapping[bytes, Card], listening: Listening, closing: ExitStack
) -> VirtualTable:
    """Open it until `closing` is closed. Raises VirtualTableError."""
    from firmware.virtual.server import VirtualTable  # no device has a page
    from firmware.virtual.world import Printed

    assert parts.twins is not None
    track = config.track
    printed = Printed(
        deck=tuple(map(str, rules.deck.cards)),
        board=rules.board.hand_sizes,
        arrows=tuple(rules.board.arrows),
        mode=str(rules.mode),
        uids={str(card): uid for uid, card in tags.items()},
        leds=(track.goal_leds, *track.space_leds, track.goal_leds),
        reverse=track.reverse is not config.swap_sides,
    )
    return closing.enter_context(VirtualTable(parts.twins, printed, listening))


def say_where(urls: Sequence[str], say: Callable[[str], object]) -> None:
    """Where the page is: the best address first."""
    first, *others = urls
    say(f"The virtual table is open at {first}")
    for url in others:
        say(f"                     and at {url}")
    say("Stop it with Ctrl-C.")

"""The page of a virtual table: opened over the twins of a session."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cards import Card
from engine.rules import Rules
from firmware.config.values import Config
from firmware.files.whole import Notice
from firmware.kept.writer import CARDS, Save
from firmware.table.state import Table
from firmware.virtual.listening import Listening
from firmware.wiring.parts import Parts

if TYPE_CHECKING:
    from firmware.virtual.server import VirtualTable
    from firmware.virtual.world import World


class BrowserTable:
    """The virtual table of a session, over the twins of its parts: opened anew with them, its cards lie where they lay.

    `give` takes orders for the writer, `warn` what is to be told of the file in which the cards are kept.
    """

    def __init__(self, state: Path, give: Callable[[Save], object], warn: Callable[[Sequence[Notice]], object]) -> None:
        self._state, self._give, self._warn = state, give, warn
        self._world: World | None = None
        self._kept = 0  # how many movements of the world are kept
        self._table: Callable[[], Table] | None = None
        self._side: str | None = None  # which side the table plays, if it does

    def open(
        self,
        config: Config,
        parts: Parts,
        rules: Rules,
        tags: Mapping[bytes, Card],
        listening: Listening,
        table: Callable[[], Table],
        closing: ExitStack,
    ) -> VirtualTable:
        """Open it until `closing` is closed. `table`: the table at this moment. Raises VirtualTableError."""
        from firmware.virtual.deck import Printed  # no device has a page
        from firmware.virtual.lying import load
        from firmware.virtual.server import VirtualTable
        from firmware.virtual.wants import wants_of

        assert parts.twins is not None
        printed = Printed.of(rules, tags, config.track, config.track.reverse is not config.swap_sides)
        if self._world is None:
            lying, notices = load(self._state, printed.uids)
            self._warn(notices)
        else:
            lying = self._world.lying()
        self._virtual = closing.enter_context(
            VirtualTable(parts.twins, printed, listening, lying=lying, wants=lambda: wants_of(table()))
        )
        self._world, self._kept, self._table = self._virtual.world, 0, table
        self._world.seat_the_table(self._side)
        closing.callback(self.keep)
        return self._virtual

    def seat_the_table(self, side: str | None) -> None:
        """The cards of that side lie face down, in a row, until another game begins."""
        self._side = side
        if self._world is not None:
            self._world.seat_the_table(side)

    def agree(self) -> None:
        """A game goes on: the cards lie as it tells of them, and the page says what was done for that."""
        from firmware.virtual.wants import known_of

        if self._world is None or self._table is None:
            return
        known = known_of(self._table())
        if known is not None and (words := self._world.agree(known)):
            self._virtual.say(words)

    def keep(self) -> None:
        """Have it kept where the cards lie, if any was moved since. For the loop's thread."""
        if self._world is not None and self._world.changes != self._kept:
            from firmware.virtual.lying import save

            self._kept = self._world.changes
            self._give(Save(CARDS, partial(save, self._state, self._world.lying())))


def say_where(urls: Sequence[str], say: Callable[[str], object]) -> None:
    """Where the page is: the best address first."""
    first, *others = urls
    say(f"The virtual table is open at {first}")
    for url in others:
        say(f"                     and at {url}")
    say("Stop it with Ctrl-C.")

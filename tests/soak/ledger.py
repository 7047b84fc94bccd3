"""What the people mean, written down before they do it: every event that the engine is given has to be there.

A *ticket* is leave for one event: a card laid down as a play, a finished press, a tag that is no card.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from engine.cards import Card, Player
from engine.events import Event, Kind, format_event
from engine.game import Game, judge, new_game
from engine.rules import Rules
from engine.verdict import Verdict

LATE_MS = 600  # a card that was lifted again may still be judged with its group; a press is told at the next poll
KEPT_LINES = 60


class Broken(AssertionError):
    """An invariant does not hold; the message says which, and where."""


class Leave(Enum):
    """Why an event may come."""

    MEANT = "meant"
    HEAP = "too many at once: may count at first, and is then taken back"
    DEVICE = "the device takes back a group that was too large"
    PERHAPS = "may or may not count"


@dataclass(slots=True, eq=False)
class Ticket:
    """Leave for one event of `kind` by `player`, from `since_ms` until `until_ms` (None: no end yet)."""

    kind: Kind
    player: Player | None
    since_ms: int
    why: str
    leave: Leave = Leave.MEANT
    card: Card | None = None
    uid: bytes | None = None
    until_ms: int | None = None
    when: Callable[[], bool] = lambda: True  # only if this holds as the event comes
    verdict: Verdict | None = None  # of the event that used it

    def fits(self, event: Event, now_ms: int) -> bool:
        return (
            self.verdict is None
            and (self.kind, self.player, self.card, self.uid) == (event.kind, event.player, event.card, event.uid)
            and self.since_ms <= now_ms
            and (self.until_ms is None or now_ms <= self.until_ms)
            and self.when()
        )

    def __str__(self) -> str:
        what = format_event(Event(self.kind, self.player, self.card, self.uid))
        until = "" if self.until_ms is None else f" until {self.until_ms}"
        used = "" if self.verdict is None else ", used"
        return f"{what}: {self.leave.value} ({self.why}), from {self.since_ms}{until}{used}"


@dataclass
class Ledger:
    """The tickets, the game as the events make it, and the last things that happened, for the report of a failure.

    `allowed` may give leave for an event that no ticket is for (a phone has another UID each time).
    """

    allowed: Callable[[Event, int], bool] = lambda event, now_ms: False
    tickets: list[Ticket] = field(default_factory=list)
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=KEPT_LINES))
    game: Game | None = None
    taken_back: int = 0  # undo events that the device made by itself

    def mean(self, ticket: Ticket) -> Ticket:
        self.tickets.append(ticket)
        return ticket

    def lifted(self, player: Player, card: Card, now_ms: int) -> None:
        """A card has left a pad: what was meant by it is over soon."""
        for ticket in self.tickets:
            if ticket.kind is Kind.CARD and (ticket.player, ticket.card) == (player, card) and ticket.until_ms is None:
                ticket.until_ms = now_ms + LATE_MS

    def forget_all(self) -> None:
        """The power was cut: nothing that was laid down or pressed before counts any more."""
        self.tickets.clear()

    def note(self, now_ms: int, line: str) -> None:
        self.lines.append(f"{now_ms:>8} ms  {line}")

    def begun(self, game: Rules | Game) -> None:
        self.game = new_game(game) if isinstance(game, Rules) else game

    def judge(self, event: Event, now_ms: int) -> Verdict:
        """The engine is given this event: somebody must have meant it. Raises Broken."""
        ticket = next((ticket for ticket in self.tickets if ticket.fits(event, now_ms)), None)
        if ticket is None and not self.allowed(event, now_ms):
            raise Broken(f"nobody meant the event {format_event(event)!r} at {now_ms} ms")
        assert self.game is not None
        self.game, verdict = judge(self.game, event)
        self.note(now_ms, f"EVENT {format_event(event)}: {verdict.problem or 'accepted'}")
        if ticket is not None:
            ticket.verdict = verdict
            if ticket.leave is Leave.DEVICE:
                self.taken_back += 1
            if ticket.leave is Leave.HEAP and verdict.accepted:
                self.mean(
                    Ticket(Kind.UNDO, event.player, now_ms, ticket.why, Leave.DEVICE, until_ms=now_ms + 2 * LATE_MS)
                )
        self.tickets = [ticket for ticket in self.tickets if self._may_be_used(ticket, now_ms)]
        return verdict

    @staticmethod
    def _may_be_used(ticket: Ticket, now_ms: int) -> bool:
        return ticket.verdict is None and (ticket.until_ms is None or now_ms <= ticket.until_ms)

    def report(self) -> str:
        open_ = "\n".join(f"    {ticket}" for ticket in self.tickets) or "    none"
        return "the last that happened:\n    " + "\n    ".join(self.lines) + "\nthe ledger's open tickets:\n" + open_

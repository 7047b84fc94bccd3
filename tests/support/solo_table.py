"""A person who plays alone against the table, for tests of `step`: deals, lays what the screen asks for, answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from engine.cards import Card, Player, parse_card
from engine.events import format_event
from engine.rules import Rules
from engine.transcript import Solo
from firmware.table.effects import Choose, Record, Think
from firmware.table.state import Decision, Opponent, Stage
from tests.support.at_table import AtTable

Mind = Callable[[Think], Sequence[Card]]


@dataclass
class SoloTable(AtTable):
    """`mind` decides for the table as soon as it is asked; None: it stays silent. The person is YAY, the table WOW."""

    mind: Mind | None = None

    @classmethod
    def begun(cls, mind: Mind | None = None, rules: Rules | None = None, side: Player = Player.WOW) -> SoloTable:
        at = cls.of(rules or Rules())
        at.mind = mind
        at.table = replace(at.table, opponent=Opponent(Solo(side, "good", 7)), stage=Stage.ROUND)
        return at

    def happen(self, event: object) -> None:
        answered = len(self.effects)
        super().happen(event)  # type: ignore[arg-type]
        for effect in self.effects[answered:]:
            if isinstance(effect, Think) and self.mind is not None:
                self.happen(Decision(effect.number, tuple(self.mind(effect)), self.now_ms))

    @property
    def opponent(self) -> Opponent:
        assert self.table.opponent is not None
        return self.table.opponent

    def deal(self, yay: str, wow: str) -> None:
        """Both hands, card by card, the person's first."""
        for mine, theirs in zip(yay.split(), wow.split(), strict=True):
            self.play("yay", mine)
            self.lift("yay", mine)
            self.play("wow", theirs)
            self.lift("wow", theirs)
        self.wait(200)

    def card_in(self, place: int) -> str:
        """The card that lies in a place of the row, which nobody at the table has seen."""
        held = self.table.game.round.hands[self.opponent.side.seat]
        return str(next(card for card, at in self.opponent.places if at == place and card in held))

    def lay(self, *places: int, leave: bool = False) -> None:
        """Lay cards of the row on the table's pad, and leave them there for a while, or for good."""
        for place in places:
            card = self.card_in(place)
            self.play(str(self.opponent.side), card)
            if not leave:
                self.lift(str(self.opponent.side), card)

    def think(self) -> None:
        """Let the longest pause pass, and that of a question that comes of it."""
        self.wait(2100)
        if self.opponent.question is not None and self.opponent.chosen is not None and not self.opponent.shown:
            self.wait(2100)

    def win_the_duel(self) -> None:
        """Nothing is replaced; the person wins with 10a against the card in place 1, and the pads are cleared."""
        self.ok("yay")
        self.think()
        self.play("yay", "10a")
        self.think()
        self.lay(1)
        self.lift_all()
        self.wait(1000)

    @property
    def written(self) -> list[str]:
        """Events and choices, in the order in which the journal gets them."""
        lines = []
        for effect in self.effects:
            if isinstance(effect, Record):
                lines.append(format_event(effect.event))
            elif isinstance(effect, Choose):
                lines.append(str(effect.choice))
        return lines


def always(*names: str) -> Mind:
    """A mind that wants these cards, as far as it holds them; in the showdown whatever is left."""

    def mind(asked: Think) -> Sequence[Card]:
        wanted = [card for card in map(parse_card, names) if card in asked.view.hand]
        return wanted or sorted(asked.view.hand)[:1]

    return mind

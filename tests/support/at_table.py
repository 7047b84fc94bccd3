"""A table for tests of `step`: put cards down, lift them, press, and let time pass, without any device."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

from engine.board import DEFAULT_BOARD
from engine.cards import Card, Deck, Player, parse_card
from engine.events import format_event
from engine.game import new_game
from engine.rules import Mode, Rules
from firmware.screen.drawing import in_turn
from firmware.table.effects import Effect, Record
from firmware.table.state import Stage, Table, TableEvent, Tick
from firmware.table.step import step
from firmware.views.scene import Scene, scene
from firmware.views.strip import StripLayout
from firmware.words import words
from hardware.ports import Crowded, Holding, Lifted, Noticed, Passed, Placed, Press, Pressed

LAYOUT = StripLayout()


def uid_of(card: Card | str) -> bytes:
    """A UID of 7 bytes for each card; all share their first three."""
    card = parse_card(card) if isinstance(card, str) else card
    return bytes((0x04, 0xA1, 0xB2, 0xC3, card.rank, ord(card.copy), 0x80))


def tags_of(deck: Deck) -> dict[bytes, Card]:
    return {uid_of(card): card for card in deck.cards}


@dataclass
class AtTable:
    """Two people at a table. Times are ms of the table's own clock."""

    table: Table
    now_ms: int = 1000
    effects: list[Effect] = field(default_factory=list)

    @classmethod
    def of(cls, rules: Rules | None = None, stage: Stage = Stage.ROUND) -> Self:
        rules = rules or Rules()
        return cls(Table(new_game(rules), tags_of(rules.deck), stage=stage))

    def happen(self, event: TableEvent) -> None:
        self.table, effects = step(self.table, event)
        self.effects += effects

    def wait(self, ms: int) -> None:
        end = self.now_ms + ms
        while self.now_ms < end:
            self.now_ms = min(end, self.now_ms + 20)
            self.happen(Tick(self.now_ms))

    def put(self, player: str, *cards: str, apart_ms: int = 0) -> None:
        for card in cards:
            self.happen(Placed(player, uid_of(card), self.now_ms))
            self.wait(apart_ms)

    def put_tag(self, player: str, uid: str) -> None:
        self.happen(Placed(player, bytes.fromhex(uid), self.now_ms))

    def bring(self, player: str, *cards: str) -> None:
        """Over the pad: noticed, and not placed yet."""
        for card in cards:
            self.happen(Noticed(player, uid_of(card), self.now_ms))

    def take_past(self, player: str, *cards: str) -> None:
        for card in cards:
            self.happen(Passed(player, uid_of(card), self.now_ms))

    def lift(self, player: str, *cards: str) -> None:
        for card in cards:
            self.happen(Lifted(player, uid_of(card), self.now_ms))

    def lift_all(self) -> None:
        for player in Player:
            for tag in self.table.pad(player).lying:
                self.happen(Lifted(player, tag.uid, self.now_ms))

    def play(self, player: str, *cards: str) -> None:
        """One card after the other, each left to count."""
        for card in cards:
            self.put(player, card)
            self.wait(900)

    def crowd(self, player: str, crowded: bool) -> None:
        self.happen(Crowded(player, crowded, self.now_ms))

    def ok(self, player: str) -> None:
        self.happen(Pressed(player, Press.OK, self.now_ms))

    def undo(self, player: str) -> None:
        self.happen(Pressed(player, Press.UNDO, self.now_ms))

    def hold(self, player: str) -> None:
        self.happen(Holding(player, self.now_ms - 400, self.now_ms))

    def menu(self) -> None:
        self.happen(Pressed(None, Press.MENU, self.now_ms))

    def take(self, item: str) -> None:
        """Go to a line of the menu with yay's button, and take it with wow's."""
        menu = self.table.menu
        assert menu is not None and item in menu.items, menu
        while self.table.menu is not None and self.table.menu.items[self.table.menu.chosen] != item:
            self.ok("yay")
        self.ok("wow")

    @property
    def scene(self) -> Scene:
        shown = scene(self.table, self.now_ms, LAYOUT, words(self.table.settings.language))
        return replace(shown, page=in_turn(shown.page, self.now_ms))

    @property
    def recorded(self) -> list[str]:
        """What the engine was given, as a transcript says it."""
        return [format_event(effect.event) for effect in self.effects if isinstance(effect, Record)]

    def phase(self) -> str:
        return self.table.game.phase.value


def referee_in_attack(attacker: str = "yay", hand_size: int = 7) -> AtTable:
    """A round in referee mode, default deck, that has come to the first attack."""
    board = replace(DEFAULT_BOARD, hand_sizes=(hand_size,) * 7)
    at = AtTable.of(Rules(mode=Mode.REFEREE, board=board))
    at.ok("yay"), at.ok("wow"), at.ok("yay"), at.ok("wow")
    high, low = ("12a", "1a")
    at.play("yay", high if attacker == "yay" else low)
    at.play("wow", low if attacker == "yay" else high)
    at.lift_all()
    at.wait(1000)
    assert at.phase() == "attack"
    at.effects.clear()
    return at

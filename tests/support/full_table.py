"""The whole device on twins, in virtual time: cards lie on emulated readers, what it shows is read off its twins.

The loop is turned by the test itself; only strip and screen have threads, as on the device.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import TracebackType

from engine.board import SPACES
from engine.cards import Card, Player
from engine.events import Event, format_event
from engine.game import Game, new_game
from engine.rules import Mode, Rules
from engine.transcript import format_rules
from firmware.config.values import Config
from firmware.run.loop import Keeper, Loop, Request
from firmware.table.state import Stage, Table
from firmware.virtual.deck import virtual_tags
from firmware.virtual.parts import open_virtual
from firmware.wiring.parts import Parts, layout_of
from hardware.ports import HardwareEvent
from hardware.twins.tags import Tag
from hardware.twins.virtual_time import VirtualTime

POLL_MS = 20
BRIGHT = 60  # Tacocat's space, and no other, has an LED as bright as that


class Paper:
    """A journal on paper: what the engine was given, at once durable."""

    def __init__(self) -> None:
        self.given = self.written = 0
        self.rules: Rules | None = None
        self.events: list[Event] = []
        self.notes: list[str] = []

    def give(self, order: Rules | Event | str) -> int:
        match order:
            case Rules():
                self.rules, self.events = order, []
            case Event():
                self.events.append(order)
            case _:
                self.notes.append(order)
        self.given += 1
        self.written += 1
        return self.given

    @property
    def transcript(self) -> str:
        assert self.rules is not None
        return format_rules(self.rules) + "".join(f"{format_event(event)}\n" for event in self.events)


class StrictLoop(Loop):
    """A loop that hides no mistake of the program."""

    def fault(self, what: str) -> None:
        raise  # noqa: PLE0704 - the exception that is handled


class FullTable:
    """Drivers, loop and twins of one table. A context manager.

    Without a `table` a game begins. `keeper` and `perform` are the loop's; `uids` the tags of the cards.
    """

    def __init__(
        self,
        rules: Rules | None = None,
        stage: Stage = Stage.CLEAR,
        poll_ms: int = POLL_MS,
        *,
        time: VirtualTime | None = None,
        open_parts: Callable[..., Parts] = open_virtual,
        keeper: Keeper | None = None,
        uids: Mapping[bytes, Card] | None = None,
        table: Table | None = None,
        perform: Callable[[Request], None] = lambda request: None,
    ) -> None:
        self.poll_ms = poll_ms
        self.rules = rules or Rules()
        config = replace(Config(), deck=self.rules.deck, board=self.rules.board)
        self.time = time or VirtualTime()
        self.news: list[HardwareEvent] = []
        self.told = threading.Condition()  # notified when strip or screen report of themselves, from their threads
        self.parts = open_parts(config, self.hear, self.time)
        assert self.parts.twins is not None
        self.twins = self.parts.twins
        self.layout = layout_of(config)
        self.paper = Paper()
        by_uid = uids or virtual_tags(self.rules.deck)
        self.tags = {card: Tag(uid) for uid, card in by_uid.items()}
        self.strip = self.parts.outputs.strip
        begins = table is None
        if table is None:
            table = Table(new_game(self.rules), by_uid, stage=Stage.ROUND if self.rules.mode is Mode.BOARD else stage)
        self.loop = StrictLoop(table, self.parts.outputs, keeper or self.paper, self.layout, perform)
        if begins:
            self.loop.begin()
            self.loop.turn([], self.time.now_ms())
            assert self.strip.wait_shown(5), self.strip.state()
            self.wait(100)

    def __enter__(self) -> FullTable:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.parts.close()

    @property
    def game(self) -> Game:
        return self.loop.table.game

    def hear(self, event: HardwareEvent) -> None:
        with self.told:
            self.news.append(event)
            self.told.notify_all()

    def until(self, condition: Callable[[], bool], tries: int = 100) -> bool:
        """Let time pass until something has come true that another thread does."""
        for _ in range(tries):
            self.wait(100)
            if condition():
                return True
            with self.told:
                self.told.wait(0.05)
        return False

    # ---- hands -----------------------------------------------------------------------------

    def wait(self, ms: int) -> None:
        """Let that much time pass, with everything running."""
        end_us = self.time.now_us + ms * 1000
        while self.time.now_us < end_us:
            now_ms = self.time.now_ms()
            with self.told:
                news, self.news[:] = list(self.news), []
            events = [*news, *self.parts.pads.poll(now_ms), *self.parts.controls.poll(now_ms)]
            self.loop.turn(events, self.time.now_ms())
            self.time.advance_to_us(max(self.time.now_us + 1, (now_ms + self.poll_ms) * 1000))

    def put(self, player: str, *cards: Card) -> None:
        for card in cards:
            self.twins.pads[player].put(self.tags[card])

    def lift(self, player: str, *cards: Card) -> None:
        for card in cards:
            self.twins.pads[player].lift(self.tags[card])

    def lay(self, player: str, card: Card, leave: bool = False) -> None:
        """Put a card down as people do; leave it there, or take it off again."""
        self.put(player, card)
        self.wait(460)
        if not leave:
            self.lift(player, card)
        self.wait(240)

    def clear_pads(self) -> None:
        for field in self.twins.pads.values():
            for tag in field.tags:
                field.lift(tag)
        self.wait(300)

    def press(self, player: str, hold_ms: int = 120) -> None:
        self.twins.desk.press(player, bounce_ms=(3, 2, 4, 1))
        self.wait(hold_ms)
        self.twins.desk.release(player, bounce_ms=(2, 2))
        self.wait(100)

    def hold_both(self, ms: int = 2200) -> None:
        self.twins.desk.press("yay")
        self.wait(60)
        self.twins.desk.press("wow")
        self.wait(ms)
        self.twins.desk.release("yay")
        self.twins.desk.release("wow")
        self.wait(100)

    # ---- eyes ------------------------------------------------------------------------------

    def strip_says(self) -> tuple[int | None, tuple[int, ...]]:
        """(where Tacocat is, which spaces are covered), read off the lit LEDs."""
        lit = self.twins.strip.lit()
        tacocat, covered = None, []
        for space in range(SPACES + 2):
            first, count = self.layout.span(space)
            leds = lit[first : first + count]
            if 1 <= space <= SPACES:
                if max(max(led) for led in leds) >= BRIGHT:
                    tacocat = space
                elif not any(any(led) for led in leds[1:-1]) and any(any(led) for led in leds):
                    covered.append(space)
        return tacocat, tuple(covered)

    def strip_agrees(self) -> bool:
        """Whether the strip shows the game's state, at once or when Tacocat has finished gliding."""
        track = self.game.track
        if track.winner is not None:  # light runs over the whole strip
            return True
        wanted = (track.tacocat, track.covered)
        return self.twins.strip.wait_for(lambda: self.strip_says() == wanted, 5)

    def screen_shows(self, image: object) -> bool:
        self.parts.outputs.screen.settle()
        return self.twins.screen.image().tobytes() == image.tobytes()  # type: ignore[attr-defined]

    def goal_lit(self, player: Player) -> int:
        first, count = self.layout.span(0 if player == "yay" else SPACES + 1)
        return max(max(led) for led in self.twins.strip.lit()[first : first + count])

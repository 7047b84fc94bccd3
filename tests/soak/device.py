"""One device from power-up to power cut: the real drivers, loop and journal on twins and an unsafe disk."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from engine.cards import PLAYERS, Card, Player
from engine.events import Event
from engine.game import new_game
from engine.rules import Mode, Rules
from firmware.bots.advice import NoAdvice
from firmware.kept.games import KeptGame, unfinished_game
from firmware.kept.journal import Journal, SoloGame
from firmware.kept.settings import Settings
from firmware.kept.writer import RETRY_S, Order, Writer
from firmware.run.loop import Request
from firmware.table.effects import AskHint, AskPoints, Begin, End, Name, Record, Resume
from firmware.table.menus import open_main
from firmware.table.resuming import offer_of
from firmware.table.state import Advised, Decision, Table
from hardware.ports import Health, PartState, Placed
from hardware.strip import PicoStrip
from hardware.twins.tags import Tag
from hardware.twins.virtual_time import VirtualTime
from tests.soak.checks import Digest, Pads
from tests.soak.disk import UnsafeDisk
from tests.soak.ledger import Broken, Ledger
from tests.soak.parts import ScreenInTime, add_noise, open_in_time
from tests.soak.weather import Weather
from tests.support.full_table import FullTable

POLL_MS = 50
PAUSE_US = 1000
RETRY_MS = int(RETRY_S * 1000)


@dataclass
class Box:
    """What outlasts a power cut: rules, cards, the disk, what lies where, and what is known of it all."""

    rules: Rules  # of the game that is to be played
    folder: Path
    disk: UnsafeDisk
    weather: Weather
    uids: dict[bytes, Card]
    real_pico: bool = False
    time: VirtualTime = field(default_factory=VirtualTime)
    ledger: Ledger = field(default_factory=Ledger)
    digest: Digest = field(default_factory=Digest)
    pads: Pads = field(default_factory=Pads)
    tags: dict[Card, Tag] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)  # of the game, as they were given
    durable: int = 0  # how many of them are surely on the disk

    def __post_init__(self) -> None:
        self.tags = {card: Tag(uid) for uid, card in self.uids.items()}
        self.ledger.allowed = self.allowed

    def name(self, named: Name) -> None:
        """A card has another tag from now on, as the deck file keeps it."""
        self.uids = dict(named.tags)
        self.tags[named.card] = next(
            (tag for player in PLAYERS for tag in self.pads.lying[player] if tag.uid == named.uid), Tag(named.uid)
        )

    def allowed(self, event: Event, now_ms: int) -> bool:
        """Events without a ticket: a phone takes another UID each time."""
        player, uid = event.player, event.uid
        if player is None or uid is None:
            return False
        return uid in {uid for tag, uids in self.pads.phones.items() if tag in self.pads.lying[player] for uid in uids}


class Watched:
    """The journal's writer, without its thread, and a look at every order."""

    def __init__(self, box: Box) -> None:
        self._box = box
        self.complaints: list[str] = []
        self.writer = Writer(Journal(box.folder, box.disk), lambda: None, self._told, start=False)
        self._due_ms: int | None = None
        self._tried_ms = 0
        self._events: list[tuple[int, int]] = []  # number of an order, number of its event

    def _told(self, what: str, reason: str) -> None:
        if reason:
            self.complaints.append(reason)

    @property
    def unkept(self) -> bool:
        """Whether the disk has refused something that it does not have yet."""
        return self.writer.behind

    given = property(lambda self: self.writer.given)
    written = property(lambda self: self.writer.written)

    def give(self, order: Order) -> int:
        box = self._box
        number = self.writer.give(order)
        if isinstance(order, Rules | SoloGame):
            box.events, box.durable, self._events = [], 0, []
            box.ledger.begun(order if isinstance(order, Rules) else order.rules)
        elif isinstance(order, Event):
            box.digest.add(f"{box.time.now_ms()} {order}")
            box.ledger.judge(order, box.time.now_ms())
            box.events.append(order)
            self._events.append((number, len(box.events)))
        return number

    def work(self, now_ms: int) -> None:
        """Let the disk do what was given, as slowly as it is just now."""
        if self.given == self.written:
            if self.unkept and now_ms - self._tried_ms >= RETRY_MS:
                self._tried_ms = now_ms
                self.writer.keep()
                self._note_durable()
            return
        if self._due_ms is None:
            self._due_ms = now_ms + self._box.weather.disk_ms
        if now_ms >= self._due_ms:
            self._due_ms = None
            self._tried_ms = now_ms
            self.writer.work()
            self._note_durable()

    def _note_durable(self) -> None:
        if not self.unkept:
            self._box.durable = max(
                (n for order, n in self._events if order <= self.written), default=self._box.durable
            )


class Device(FullTable):
    """One power-up. `wait` lets time pass, with everything running; PowerCut ends it."""

    def __init__(self, box: Box, held: frozenset[str] = frozenset()) -> None:
        self.box, self.weather = box, box.weather
        self.keeper = Watched(box)
        self._advice: list[NoAdvice] = []
        self._offered: KeptGame | None = unfinished_game(box.folder)
        self.acknowledged = self._offered.game if self._offered else None
        opener = {} if box.real_pico else {"open_parts": lambda *given: open_in_time(*given, held)}
        super().__init__(
            box.rules,
            poll_ms=POLL_MS,
            time=box.time,
            keeper=self.keeper,
            uids=box.uids,
            table=self._first_table(),
            perform=self._perform,
            **opener,
        )
        self.tags = box.tags
        if isinstance(self.strip, PicoStrip):
            add_noise(self.strip, Random(box.time.now_ms()))
        self.put_back()

    def _first_table(self) -> Table:
        rules = self.box.rules
        settings = Settings(tie=rules.tie, late_foul=rules.late_foul)
        first = new_game(Rules(Mode.PLAY, rules.deck, rules.board, rules.tie, rules.late_foul))
        table = Table(first, self.box.uids, settings=settings, can_switch_off=True, woken_ms=self.box.time.now_ms())
        return open_main(table, offer_of(self._offered) if self._offered else None)

    def _perform(self, request: Request) -> None:
        """As `firmware.run.app` does."""
        if isinstance(request, Begin):
            self._offered = None
        elif isinstance(request, Resume):
            offered, self._offered = self._offered, None
            if offered is None:
                return  # it was left in this session
            self.keeper.give(offered)
            self.box.ledger.begun(offered.game)
        elif isinstance(request, Name):
            self.box.name(request)
        elif isinstance(request, AskHint | AskPoints):
            self._advice.append(NoAdvice.FAILED)  # no process is started here
        elif not isinstance(request, Record | End):
            raise Broken(f"nobody asked for {request}")

    # ---- time ------------------------------------------------------------------------------

    def wait(self, ms: int) -> None:
        end_us = self.time.now_us + ms * 1000
        while self.time.now_us < end_us:
            self.turn()

    def turn(self) -> None:
        """One round of everything."""
        now_ms = self.time.now_ms()
        self.weather.pass_(self, now_ms)
        with self.told:
            news, self.news[:] = list(self.news), []
        before = {player: self.box.pads.on(player) for player in PLAYERS}
        read = self.parts.pads.poll(now_ms)
        self.box.pads.check([event for event in read if isinstance(event, Placed)], before, self.time.now_ms())
        if complaints := self.keeper.complaints:
            news += [PartState("disk", Health.LOST, complaint, now_ms) for complaint in complaints]
            complaints.clear()
        advice = [Advised(found, now_ms) for found in self._advice]
        self._advice.clear()
        others = [*self.parts.controls.poll(now_ms), *self.decisions(now_ms)]
        self.loop.turn([*news, *advice, *read, *others], self.time.now_ms())
        if self.loop.table.menu is None and self.box.ledger.game not in (None, self.game):
            raise Broken(f"the table shows another game than its events make: {self.game} != {self.box.ledger.game}")
        self.keeper.work(self.time.now_ms())
        screen = self.parts.outputs.screen
        if isinstance(screen, ScreenInTime):
            screen.work(self.time.now_ms())
        self.box.digest.show(self.loop.shown, self.box.real_pico)
        self.time.advance_to_us(max(self.time.now_us + PAUSE_US, (now_ms + self.poll_ms) * 1000))

    def decisions(self, now_ms: int) -> list[Decision]:
        """What whoever plays for the table has decided."""
        return []

    def until(self, condition, within_ms: int = 3000) -> bool:
        """Let time pass until it holds; whether it does. (Nothing that another thread does may be waited for.)"""
        end_ms = self.time.now_ms() + within_ms
        while not condition():
            if self.time.now_ms() >= end_ms:
                return False
            self.turn()
        return True

    @property
    def quiet(self) -> bool:
        """Whether all that was given is on the disk, or refused, and shown."""
        return self.keeper.given == self.keeper.written

    def settle(self) -> None:
        self.until(lambda: self.quiet, 5000)
        self.turn()

    # ---- cards, in the world and in the fields ----------------------------------------------

    def put_back(self) -> None:
        """What lay on the pads when the power came lies there still."""
        for player in PLAYERS:
            for tag in self.box.pads.lying[player]:
                self.twins.pads[player].put(tag)

    def put_tag(self, player: Player, tag: Tag) -> None:
        self.box.pads.put(player, tag, self.time.now_ms())
        self.twins.pads[player].put(tag)

    def lift_tag(self, player: Player, tag: Tag) -> None:
        self.box.pads.lift(player, tag)
        self.twins.pads[player].lift(tag)
        card = self.box.uids.get(tag.uid)
        if card is not None:
            self.box.ledger.lifted(player, card, self.time.now_ms())

    def put(self, player: Player, *cards: Card) -> None:
        for card in cards:
            self.put_tag(player, self.tags[card])

    def lift(self, player: Player, *cards: Card) -> None:
        for card in cards:
            self.lift_tag(player, self.tags[card])

    def power_off(self) -> None:
        """The power is gone: nothing is closed in order, and the disk keeps what it had synced."""
        for chip in self.twins.pads.values():
            chip.before_transfer = chip.bus_error = None
            for tag in chip.tags:
                chip.lift(tag)
        self.parts.close()
        self.box.disk.power_off()
        self.box.ledger.forget_all()

"""From a card that is laid down to the light of its pad, and to its verdict on the strip and on the screen.

Two parts are added up. Until the pads say "noticed" or "placed" time is virtual: emulated readers at the device's SPI
clock, cards laid down at random moments, their start-up included. From there on it is real: the device's own loop,
journal, drivers and threads, a disk of this machine, the Pico's program under MicroPython's unix port, and an I2C bus
that takes as long as wires do. What an RP2040 takes longer than the unix port, by its emulator (docs/protocol.md), is
added as virtual.

The card is one that its player does not hold: it is judged at once, and refused, so the goal flashes and the page says
why. Cards of which only one is wanted (a deal, a draw, a duel, an answer, a showdown) wait for their group besides: 300
ms from when they were first seen, in which others may follow.
"""

from __future__ import annotations

import os
import queue
import random
import statistics
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any
from unittest import mock

from gpiozero.pins.mock import MockFactory, MockPWMPin

from benchmarks.bench_readers import to_told_ms
from benchmarks.buses import OpenedBus, SlowBus
from benchmarks.measures import BOTH, VIRTUAL, Measure, percentile
from engine.cards import WOW, YAY, Card
from engine.events import card_event, ok_event
from engine.game import Game, judge, new_game
from engine.rules import Mode
from firmware.config.values import Config
from firmware.kept.journal import Journal
from firmware.kept.writer import Writer
from firmware.run.loop import Loop, run
from firmware.table.state import Stage, Table
from firmware.virtual.deck import virtual_tags
from firmware.wiring.parts import PICO_PROGRAM, Outputs, layout_of
from hardware.controls import Controls
from hardware.oled import Oled
from hardware.panels import Opener
from hardware.ports import HardwareEvent, Lifted, Noticed, Passed, Placed, SystemClock
from hardware.strip import PicoStrip
from hardware.twins.pico import PicoProcess

SAMPLES = 150
BUS_HZ = (100_000, 400_000)
RP2040_MS = 4.2  # from the last byte read to the strip's write, at most; the unix port takes a fraction of it
STRIP_WANTED_MS, SCREEN_WANTED_MS = 40, 60
Mailbox = queue.SimpleQueue[HardwareEvent | None]


@dataclass(frozen=True, slots=True)
class Seen:
    """Milliseconds until something was seen of a card, one each a card.

    `light`: from "noticed" until the goal was lit; `strip`, `screen`: from "placed" until the verdict stood there.
    """

    light: list[float]
    strip: list[float]
    screen: list[float]


def in_an_attack() -> Game:
    """A game in play mode in which `yay` has to attack."""
    game = new_game(Config().rules(Mode.PLAY))
    size = game.rules.board.hand_size(game.track.tacocat)
    hands: dict[str, list[Card]] = {YAY: [], WOW: []}
    for number, card in enumerate(reversed(game.rules.deck.cards)):  # the higher ranks first: yay's is the higher one
        player = (YAY, WOW)[number % 2]
        if len(hands[player]) < size:
            hands[player].append(card)
            game, _ = judge(game, card_event(player, card))
    for event in (ok_event(YAY), ok_event(WOW), card_event(YAY, hands[YAY][0]), card_event(WOW, hands[WOW][-1])):
        game, _ = judge(game, event)
    assert game.round.attacker is YAY, game
    return game


class Watched:
    """A strip or a screen that says when it was given something to show."""

    def __init__(self, part: PicoStrip | Oled) -> None:
        self._part, self.given = part, threading.Event()

    def show(self, what: Any) -> None:
        self._part.show(what)
        self.given.set()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._part, name)


class Device:
    """The loop of a device, running in a thread, with everything behind it that shows something."""

    def __init__(self, folder: Path, pico: PicoProcess, hz: int, closing: ExitStack) -> None:
        config, self.mailbox, self.clock = Config(), Mailbox(), SystemClock()
        controls = Controls({}, None, self.clock, MockFactory(pin_class=MockPWMPin))
        strip = closing.enter_context(PicoStrip(pico.find_ports, self.clock, on_change=self.mailbox.put))
        with mock.patch("smbus2.SMBus", lambda: OpenedBus(SlowBus(hz))):
            oled = Oled([Opener()], self.clock, on_change=self.mailbox.put)
            oled.settle()
        closing.callback(oled.close)
        self.strip, self.screen = Watched(strip), Watched(oled)
        tags = virtual_tags(config.deck)
        self.uids = {card: uid for uid, card in tags.items()}
        self.faults: list[str] = []
        writer = Writer(Journal(folder), partial(self.mailbox.put, None), self._kept)
        closing.callback(writer.close)
        table = Table(in_an_attack(), tags, stage=Stage.ROUND, woken_ms=self.clock.now_ms())
        outputs = Outputs(self.strip, self.screen, controls, controls.buzzer)
        self.loop = Loop(table, outputs, writer, layout_of(config))
        self.loop.begin()
        stop = threading.Event()
        thread = threading.Thread(target=run, args=(self.loop, controls, self.mailbox, self.clock, stop))
        thread.start()
        closing.callback(thread.join)
        closing.callback(stop.set)

    def _kept(self, what: str, reason: str) -> None:
        if reason:
            self.faults.append(reason)

    def light(self, card: Card) -> float:
        """Milliseconds until the goal of `yay` is lit for this card; then it passes, and the goal is as it was."""
        self.strip.wait_shown()
        self.strip.given.clear()
        begun = time.perf_counter()
        self.mailbox.put(Noticed(YAY, self.uids[card], self.clock.now_ms()))
        lit: list[float] = []
        self._until_lit(lit)
        self.strip.given.clear()
        self.mailbox.put(Passed(YAY, self.uids[card], self.clock.now_ms()))
        self._until_lit([])
        return (lit[0] - begun) * 1000

    def verdict(self, card: Card) -> tuple[float, float]:
        """Milliseconds until the goal of `yay` flashes for this card, and until the page says why."""
        self.strip.wait_shown()
        self.screen.settle()
        for part in (self.strip, self.screen):
            part.given.clear()
        lit: list[float] = []
        begun = time.perf_counter()
        self.mailbox.put(Placed(YAY, self.uids[card], self.clock.now_ms()))
        strip = threading.Thread(target=self._until_lit, args=(lit,))
        strip.start()
        self.screen.given.wait()
        self.screen.settle()
        shown = time.perf_counter()
        strip.join()
        self.mailbox.put(Lifted(YAY, self.uids[card], self.clock.now_ms()))
        return (lit[0] - begun) * 1000, (shown - begun) * 1000

    def _until_lit(self, lit: list[float]) -> None:
        self.strip.given.wait()
        self.strip.wait_shown()
        lit.append(time.perf_counter())


@contextmanager
def syncing(really: bool) -> Iterator[None]:
    with mock.patch("os.fsync", os.fsync if really else lambda handle: None):
        yield


def from_told(hz: int, sync: bool, samples: int) -> Seen:
    """What is real: from "noticed" and from "placed" on, with the screen at `hz`, with or without the disk's fsync."""
    seen = Seen([], [], [])
    with syncing(sync), ExitStack() as closing:
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory()))
        pico = closing.enter_context(PicoProcess(PICO_PROGRAM))
        device = Device(folder, pico, hz, closing)
        hand = device.loop.table.game.round.hands[WOW.seat]
        for card in islice(cycle(_one_of_each_rank(hand)), samples):  # each time another one: the page changes too
            seen.light.append(device.light(card) + RP2040_MS)
            strip_ms, screen_ms = device.verdict(card)
            seen.strip.append(strip_ms + RP2040_MS)
            seen.screen.append(screen_ms)
        if device.faults:
            raise RuntimeError(device.faults[0])
    return seen


def _one_of_each_rank(cards: Iterable[Card]) -> list[Card]:
    return list({card.rank: card for card in sorted(cards)}.values())


def _added(part: str, name: str, told_ms: list[float], then_ms: list[float], wanted: float | None) -> Measure:
    """Mean and 99th percentile of both parts together, each of one paired with chance ones of the other."""
    chance = random.Random(1)
    sums = [early + late for late in then_ms for early in chance.sample(told_ms, 20)]
    mean, p99, virtual_ms = statistics.mean(sums), percentile(sums, 99), percentile(told_ms, 99)
    return Measure(part, name, p99, "ms", BOTH, wanted, virtual_ms, mean=mean)


def measures(samples: int = SAMPLES) -> list[Measure]:
    quick, settled, noticed = to_told_ms(Placed, settle_ms=0), to_told_ms(Placed), to_told_ms(Noticed)
    found = []
    choices = (("settle_ms = 0", quick), (f"settle_ms = {Config().pads.settle_ms}, by default", settled))
    for name, placed in choices:
        mean = statistics.mean(placed)
        found.append(Measure("card to placed", name, percentile(placed, 99), "ms", VIRTUAL, mean=mean))
    seen = {(hz, sync): from_told(hz, sync, samples) for hz in BUS_HZ for sync in (True, False)}
    for (hz, sync), then in seen.items():
        name = f"its goal is lit, {_with(hz, sync)}"
        found.append(_added("card to light", name, noticed, then.light, STRIP_WANTED_MS))
    for name, placed in choices:
        at_once = placed is quick  # else a card has to lie still first, longer than what is wanted
        for (hz, sync), then in seen.items():
            how = f"{_with(hz, sync)}, {name}"
            strip, screen = STRIP_WANTED_MS, SCREEN_WANTED_MS if hz == BUS_HZ[-1] else None
            found.append(_added("card to verdict", f"strip, {how}", placed, then.strip, strip if at_once else None))
            found.append(_added("card to verdict", f"screen, {how}", placed, then.screen, screen if at_once else None))
    return found


def _with(hz: int, sync: bool) -> str:
    return f"{hz // 1000} kHz, {'with' if sync else 'without'} fsync"

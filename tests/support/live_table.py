"""The whole device on twins in real time, with the virtual table open on it: what `tacocat play --virtual` runs."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from random import Random

from engine.cards import Player
from engine.events import format_event
from engine.game import Game, new_game
from engine.rules import Rules
from firmware.config.values import Config
from firmware.run.loop import Loop, run
from firmware.run.poller import Poller
from firmware.screen.drawing import draw
from firmware.table.state import Table
from firmware.views.page import Page
from firmware.virtual.deck import Printed, virtual_tags
from firmware.virtual.listening import Listening
from firmware.virtual.parts import open_virtual
from firmware.virtual.server import VirtualTable
from firmware.virtual.wants import wants_of
from firmware.wiring.parts import layout_of
from hardware.ports import HardwareEvent
from tests.support.full_table import Paper


class LiveTable:
    """A context manager. `paper` has what the engine was given; the loop runs in a thread, as do the pads."""

    def __init__(self, rules: Rules, seed: int) -> None:
        self.rules = rules
        self.paper = Paper()
        tags = virtual_tags(rules.deck)
        config = replace(Config(), deck=rules.deck, board=rules.board)
        mailbox: queue.SimpleQueue[HardwareEvent | None] = queue.SimpleQueue()
        with ExitStack() as closing:
            self.parts = closing.enter_context(open_virtual(config, mailbox.put, wake=lambda: mailbox.put(None)))
            assert self.parts.twins is not None
            self.twins = self.parts.twins
            self.layout = layout_of(config)
            table = Table(new_game(rules), tags, woken_ms=self.parts.clock.now_ms())
            self.loop = Loop(table, self.parts.outputs, self.paper, self.layout)
            self.loop.begin()
            printed = Printed.of(rules, tags, config.track)
            self.virtual = closing.enter_context(
                VirtualTable(
                    self.twins, printed, Listening(port=0), random=Random(seed), wants=lambda: wants_of(self.loop.table)
                )
            )
            self.poller = Poller(self.parts.pads, mailbox, self.parts.clock)
            closing.callback(self.poller.close)
            stop = threading.Event()
            thread = threading.Thread(
                target=run, args=(self.loop, self.parts.controls, mailbox, self.parts.clock, stop), name="loop"
            )
            thread.start()
            closing.callback(thread.join)
            closing.callback(stop.set)
            self._closing = closing.pop_all()

    def __enter__(self) -> LiveTable:
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()

    @property
    def game(self) -> Game:
        return self.loop.table.game

    @property
    def events(self) -> list[str]:
        """What the engine was given, as a transcript says it."""
        return [format_event(event) for event in list(self.paper.events)]

    @property
    def page(self) -> Page:
        assert self.loop.shown is not None
        return self.loop.shown.page

    def panel_shows_the_page(self) -> bool:
        """Whether the screen's twin lights exactly the page that the loop wants shown."""
        return bool(self.twins.screen.image().tobytes() == draw(self.page).tobytes())

    def hand(self, player: Player) -> tuple[str, ...]:
        """The cards that lie in this hand on the table, whatever the device knows of them."""
        return self.virtual.world.cards(f"hand-{player}")

    def let_the_pads_be_read(self, rounds: int) -> None:
        """Wait until the pads have been polled this often; a round takes 15 ms and what the readers take."""
        end = self.poller.rounds + rounds
        deadline_s = time.monotonic() + 10
        while self.poller.rounds < end and time.monotonic() < deadline_s:
            time.sleep(0.005)
        assert self.poller.rounds >= end, "the pads are no longer polled"


def eventually(what: Callable[[], bool], wait: Callable[[int], object], within_ms: int = 8000) -> bool:
    """Look again and again, letting `wait` pass 20 ms between two looks."""
    for _ in range(within_ms // 20):
        if what():
            return True
        wait(20)
    return what()

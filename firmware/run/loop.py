"""The loop: takes what happened, asks `step`, performs its effects, and shows the scene.

It never waits for a device: the pads are polled, the journal is written and the screen is sent in
threads of their own. Nothing is shown of an event before the journal has it on the disk.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Protocol

from PIL import Image

from firmware.errors import OnceAMinute
from firmware.kept.games import ENDED, RowNote
from firmware.kept.journal import SoloGame
from firmware.kept.writer import Order
from firmware.run.news import NEWS_LOG, PartNews
from firmware.screen.drawing import draw, in_turn
from firmware.table.effects import (
    AskHint,
    AskPoints,
    Begin,
    CheckParts,
    Choose,
    Effect,
    End,
    KeepDeck,
    KeepSettings,
    Name,
    NoteRow,
    Record,
    Resume,
    Sound,
    SwitchOff,
    Think,
)
from firmware.table.state import Decision, Table, TableEvent, Tick
from firmware.table.step import step
from firmware.views.scene import Scene, scene
from firmware.views.sounds import MELODIES
from firmware.views.strip import StripLayout
from firmware.wiring.parts import Outputs
from firmware.words import words
from hardware.ports import Clock, HardwareEvent, PartState, Source

LOG = logging.getLogger("tacocat")
LOG.addFilter(OnceAMinute())
Request = (
    Begin
    | Record
    | Name
    | End
    | Resume
    | KeepDeck
    | KeepSettings
    | SwitchOff
    | CheckParts
    | Think
    | AskHint
    | AskPoints
)
TICK_MS = 20  # how often the time is told to a table where something is going on
REST_MS = 100  # and to one at rest
AWAKE_MS = 10_000  # how long that lasts after an event: longer than any notice, flash or glide


class Keeper(Protocol):
    """What the loop needs of the journal: see firmware.kept.writer.Writer."""

    given: int
    written: int

    def give(self, order: Order) -> int: ...


class Loop:
    """One table at play. Call `turn` with what happened; `run` does so until it is told to stop.

    `perform` gets what the table asks of the session: to keep a name, a deck, settings, to decide, to switch off; and
    what the judge was given.
    """

    def __init__(
        self,
        table: Table,
        outputs: Outputs,
        keeper: Keeper,
        layout: StripLayout,
        perform: Callable[[Request], None] = lambda request: None,
    ) -> None:
        self.table = table
        self.shown: Scene | None = None
        self._outputs, self._keeper, self._layout, self._request = outputs, keeper, layout, perform
        self._waiting: list[tuple[int, Table, tuple[Sound, ...]]] = []  # (order to wait for, table, sounds)
        self._durable = table

    def begin(self) -> None:
        """Begin the transcript of the table's game."""
        self._keeper.give(self.table.game.rules)

    def pause_ms(self, now_ms: int) -> int:
        """How long nothing has to be done if nothing happens: what time alone changes at rest has no hurry."""
        table = self.table
        waits = table.holding is not None or any(pad.group is not None for pad in table.pads)
        return TICK_MS if waits or now_ms - table.woken_ms < AWAKE_MS else REST_MS

    def turn(self, events: Sequence[TableEvent], now_ms: int) -> None:
        """Take these events and the time, and show what may be shown."""
        for event in (*events, Tick(now_ms)):
            try:
                self._take(event)
            except Exception:  # noqa: BLE001 - one bad event takes only itself with it: the table stays as it was
                self.fault(f"take {type(event).__name__}")
        try:
            self.show(now_ms)
        except Exception:  # noqa: BLE001 - what can be shown is shown: the next turn tries again
            self.shown = None
            self.fault("be shown")

    def fault(self, what: str) -> None:
        """Called while an exception is handled: tell of it and go on. (A test lets it through.)"""
        LOG.exception("The table could not %s", what)  # noqa: LOG004 - its callers handle it

    def _take(self, event: TableEvent) -> None:
        before = self.table
        after, effects = step(before, event)
        if effects or after is not before:
            self.table = after
            sounds = self._perform(effects)
            self._waiting.append((self._keeper.given, self.table, sounds))

    def _perform(self, effects: Sequence[Effect]) -> tuple[Sound, ...]:
        """Give the journal its orders; returns the sounds, which have to wait for it."""
        sounds = []
        for effect in effects:
            match effect:
                case Record(event):
                    self._request(effect)
                    self._keeper.give(event)
                case Begin(rules, solo):
                    self._request(effect)
                    self._keeper.give(rules if solo is None else SoloGame(rules, solo))
                case Choose(choice):
                    self._keeper.give(choice)
                case NoteRow(cards):
                    self._keeper.give(RowNote(cards))
                case End():
                    self._keeper.give(ENDED)
                    self._request(effect)
                case Sound():
                    sounds.append(effect)
                case _:
                    self._request(effect)
        return tuple(sounds)

    def show(self, now_ms: int) -> None:
        """Show the newest table whose events are all on the disk."""
        sounds: list[Sound] = []
        while self._waiting and self._waiting[0][0] <= self._keeper.written:
            _, self._durable, heard = self._waiting.pop(0)
            sounds += heard
        settings = self._durable.settings
        layout = replace(self._layout, brightness=settings.brightness)
        new = scene(self._durable, now_ms, layout, words(settings.language))
        new = replace(new, page=in_turn(new.page, now_ms))
        old, self.shown = self.shown, new
        out = self._outputs
        if old is None or new.picture != old.picture:
            out.strip.show(new.picture)
        if old is None or new.lamps != old.lamps:
            out.lamps.light(new.lamps)
        if old is None or new.dimmed != old.dimmed:
            out.screen.dim(new.dimmed)
        if old is None or (new.page, new.shift_px) != (old.page, old.shift_px):
            out.screen.show(_shifted(draw(new.page), new.shift_px))
        if sounds and settings.sound:
            out.buzzer.play(MELODIES[sounds[-1]], now_ms)


def _shifted(image: Image.Image, shift_px: tuple[int, int]) -> Image.Image:
    """The page moved by so much; what leaves the screen does not come back at the other side."""
    moved = Image.new("1", image.size)
    moved.paste(image, shift_px)
    return moved


def run(
    loop: Loop,
    controls: Source,
    mailbox: queue.SimpleQueue[HardwareEvent | None],
    clock: Clock,
    stop: threading.Event,
    alive: Callable[[], None] = lambda: None,
    decided: Callable[[int], Decision | None] = lambda now_ms: None,
) -> None:
    """Turn the loop until `stop` is set, calling `alive` in each turn. A None in the mailbox only wakes it.

    `decided` is asked in each turn what whoever plays for the table has decided, if anything.
    """
    now_ms, news = clock.now_ms(), PartNews()
    while not stop.is_set():
        pause_ms = min(loop.pause_ms(now_ms), controls.pause_ms)
        mail: list[HardwareEvent | None] = []
        with suppress(queue.Empty):
            mail.append(mailbox.get(timeout=pause_ms / 1000))
            while not mailbox.empty():
                mail.append(mailbox.get())
        now_ms = clock.now_ms()
        events = [*(event for event in mail if event is not None), *controls.poll(now_ms)]
        for event in events:
            if isinstance(event, PartState):
                news.hear(event)
        for state in news.due(now_ms):
            NEWS_LOG.info("%s: %s (%s)", state.part, state.health.value, state.detail)
        decision = decided(now_ms)
        loop.turn(events if decision is None else [*events, decision], now_ms)
        alive()

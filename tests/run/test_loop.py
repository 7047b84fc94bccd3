"""The loop: what is shown when, and that nothing is shown of an event before the disk has it."""

from __future__ import annotations

import queue
import threading
from dataclasses import replace
from types import SimpleNamespace

import pytest
from PIL import Image

from engine.game import new_game
from engine.rules import Mode, Rules
from firmware.kept.settings import Settings
from firmware.run import loop as loops
from firmware.run.loop import AWAKE_MS, REST_MS, TICK_MS, Loop
from firmware.screen.drawing import draw
from firmware.table.effects import CheckParts, Sound
from firmware.table.state import Group, Pad, Stage, Table
from firmware.views.sounds import MELODIES
from firmware.views.strip import picture_of
from firmware.wiring.parts import Outputs
from hardware.ports import Press, Pressed
from tests.support.at_table import LAYOUT
from tests.support.full_table import Paper, StrictLoop


class SlowPaper(Paper):
    """A journal whose disk is done with an order when the test says so."""

    def give(self, order):
        self.given += 1
        return self.given


class Shown:
    """Everything that the outputs were told, by output and in order."""

    def __init__(self):
        self.strip, self.lamps, self.dimmed, self.pages, self.sounds = [], [], [], [], []
        self.outputs = Outputs(
            SimpleNamespace(show=self.strip.append),
            SimpleNamespace(show=self.pages.append, dim=self.dimmed.append),
            SimpleNamespace(light=self.lamps.append),
            SimpleNamespace(play=lambda melody, now_ms: self.sounds.append((melody, now_ms))),
        )


@pytest.fixture
def shown():
    return Shown()


def loop_of(shown, keeper, mode=Mode.BOARD, **changes):
    table = replace(Table(new_game(Rules(mode=mode)), {}, stage=Stage.ROUND), **changes)
    return StrictLoop(table, shown.outputs, keeper, LAYOUT)


def ok(player, at_ms):
    return Pressed(player, Press.OK, at_ms)


def test_nothing_is_seen_or_heard_of_an_event_before_the_disk_has_it_and_then_one_after_the_other(shown):
    paper = SlowPaper()
    loop = loop_of(shown, paper)
    loop.turn([], 0)
    seen = [shown.strip[-1]]
    for at_ms, player in ((1000, "yay"), (5000, "yay"), (9000, "wow")):
        loop.turn([ok(player, at_ms)], at_ms)
    assert paper.given == 3
    assert shown.strip == seen and not shown.sounds
    for written in (1, 2, 3):
        paper.written = written
        loop.turn([], 9000 + written)
        seen.append(shown.strip[-1])
        assert len(shown.sounds) == written
    assert seen[-1] == picture_of(loop.table, 9003, LAYOUT)
    assert len(set(map(repr, seen))) == 4


def test_turns_without_an_event_leave_nothing_to_be_shown_later_while_the_disk_is_slow(shown):
    paper = SlowPaper()
    loop = loop_of(shown, paper)
    loop.turn([ok("yay", 1000)], 1000)
    waiting = len(loop._waiting)
    for now_ms in range(20_000, 60_000, 100):
        loop.turn([], now_ms)
    assert len(loop._waiting) == waiting


def test_what_has_changed_is_shown_and_what_has_not_is_not_shown_again(shown):
    loop = loop_of(shown, Paper())
    loop.turn([], 0)
    assert [len(said) for said in (shown.strip, shown.lamps, shown.dimmed, shown.pages)] == [1, 1, 1, 1]
    for now_ms in range(100, 5000, 100):
        loop.turn([], now_ms)
    assert [len(said) for said in (shown.strip, shown.lamps, shown.dimmed, shown.pages)] == [1, 1, 1, 1]
    loop.turn([ok("yay", 5000)], 5000)
    assert (len(shown.strip), len(shown.pages), shown.dimmed) == (2, 2, [False])
    loop.turn([], 1_000_000)
    assert shown.dimmed == [False, True]


def test_lamps_are_told_when_another_button_counts(shown):
    loop = loop_of(shown, Paper(), Mode.REFEREE, stage=Stage.CLEAR)
    now_ms = 0
    while len(shown.lamps) < 3 and now_ms < 60_000:
        now_ms += 1000
        loop.turn([ok("yay" if now_ms % 2000 else "wow", now_ms)], now_ms)
    assert len(shown.lamps) >= 2
    assert all(one != other for one, other in zip(shown.lamps, shown.lamps[1:], strict=False))


def test_of_the_sounds_of_one_turn_the_last_is_heard_unless_sound_is_off(shown, monkeypatch):
    made = [Sound.ACCEPTED, Sound.REJECTED, Sound.ROUND_WON]

    def step(table, event):
        return (replace(table), made) if isinstance(event, Pressed) else (table, ())

    monkeypatch.setattr(loops, "step", step)
    loop = loop_of(shown, Paper())
    loop.turn([ok("yay", 10)], 10)
    assert shown.sounds == [(MELODIES[Sound.ROUND_WON], 10)]
    loop.turn([], 20)
    assert len(shown.sounds) == 1
    quiet = loop_of(shown, Paper(), settings=Settings(sound=False))
    quiet.turn([ok("yay", 30)], 30)
    assert len(shown.sounds) == 1


def test_what_the_table_asks_for_is_asked_though_the_table_stays_as_it_was(shown, monkeypatch):
    asked = []
    monkeypatch.setattr(loops, "step", lambda table, event: (table, [CheckParts()] * isinstance(event, Pressed)))
    table = Table(new_game(Rules(mode=Mode.BOARD)), {}, stage=Stage.ROUND)
    Loop(table, shown.outputs, Paper(), LAYOUT, asked.append).turn([ok("yay", 10)], 10)
    assert asked == [CheckParts()]


def test_a_dimmed_page_is_moved_and_the_page_of_an_event_stands_in_its_place(shown):
    loop = loop_of(shown, Paper())
    loop.turn([], 0)
    still = shown.pages[-1]
    assert still.tobytes() == draw(loop.shown.page).tobytes()
    for now_ms in range(600_000, 1_400_000, 60_000):
        loop.turn([], now_ms)
        wanted = Image.new("1", still.size)
        wanted.paste(draw(loop.shown.page), loop.shown.shift_px)
        assert shown.pages[-1].tobytes() == wanted.tobytes()


def test_the_time_is_told_often_for_ten_seconds_after_an_event_and_while_something_waits(shown):
    assert (TICK_MS, REST_MS, AWAKE_MS) == (20, 100, 10_000)  # what a table costs, awake and at rest
    loop = loop_of(shown, Paper(), woken_ms=5000)
    assert [loop.pause_ms(now_ms) for now_ms in (5000, 14_999, 15_000)] == [20, 20, 100]
    loop.table = replace(loop.table, pads=(Pad(), Pad(group=Group(0))))
    assert loop.pause_ms(60_000) == 20
    loop.table = replace(loop.table, pads=(Pad(), Pad()), holding=("yay", 0))
    assert loop.pause_ms(60_000) == 20


def test_the_loop_waits_as_long_as_table_and_buttons_allow_and_gives_what_came_in_meanwhile(shown):
    waits, turns, stop = [], [], threading.Event()

    class Mailbox(queue.SimpleQueue):
        def get(self, block=True, timeout=None):
            if timeout is not None:
                waits.append(timeout)
            return super().get(block=False)

    class AtRest:
        pause_ms = 40

        def poll(self, now_ms):
            return []

    class Turned:
        pauses = (100, 20)

        def pause_ms(self, now_ms):
            return self.pauses[len(turns)]

        def turn(self, events, now_ms):
            turns.append(list(events))

    mailbox = Mailbox()
    clock = SimpleNamespace(now_ms=lambda: 0)
    mailbox.put(None)
    mailbox.put(ok("yay", 1))

    def alive():
        if len(turns) == 2:
            stop.set()

    loops.run(Turned(), AtRest(), mailbox, clock, stop, alive)
    assert (waits, turns) == ([0.04, 0.02], [[ok("yay", 1)], []])

"""At rest the device does little, and is awake at once: how long each part of it may be left alone."""

from dataclasses import replace

import pytest

from engine.rules import Mode, Rules
from firmware.run.loop import AWAKE_MS, REST_MS, TICK_MS
from firmware.table.state import Stage
from hardware.controls import REST_MS as LOOK_MS
from hardware.controls import Controls
from hardware.pads import PAUSE_MS
from hardware.twins.gpio import Desk
from hardware.twins.virtual_time import VirtualTime
from tests.support.full_table import FullTable
from tests.support.pads_support import SEVEN, Bench, placed

PINS = {"yay": (5, 13), "wow": (6, 19)}


def test_pads_are_polled_sooner_when_a_card_is_about_to_be_placed():
    bench = Bench().started()
    assert bench.pads.pause_ms == PAUSE_MS
    bench.put("yay", SEVEN)
    pauses = []
    while not placed(bench.events):
        bench.run(1)
        pauses.append(bench.pads.pause_ms)
    first_ms = bench.events[-1].at_ms
    assert bench.clock.now_ms() - bench.pads.pause_ms - first_ms < 100 + PAUSE_MS
    assert min(pauses) < PAUSE_MS
    bench.run(100)
    assert bench.pads.pause_ms == PAUSE_MS


def test_without_time_to_settle_a_card_is_placed_by_its_first_reading():
    bench = Bench(pads={"settle_ms": 0}).started()
    bench.clock.advance_ms(7)
    laid_ms = bench.clock.now_ms()
    bench.put("wow", SEVEN)
    while not placed(bench.events):
        bench.run(1)
    took_ms = bench.clock.now_ms() - bench.pads.pause_ms - laid_ms
    assert took_ms <= 5 + PAUSE_MS + 8  # start-up, missed by a moment, a round without it and one that reads it
    assert bench.run(500) == []


@pytest.mark.parametrize("crowd", [False, True], ids=["overheard", "crowded"])
def test_cards_that_cannot_be_placed_do_not_keep_the_pads_busy(crowd: bool):
    bench = Bench().started()
    tags = [bench.put("yay", bytes([4, 1, 2, 3, 4, 5, number])) for number in range(12 if crowd else 1)]
    bench.run(1000)
    for tag in tags if not crowd else ():
        bench.chips["wow"].put(tag)
    bench.run(1000)
    assert bench.pads.pause_ms == PAUSE_MS


def test_an_edge_of_a_button_wakes_whoever_polls_the_controls():
    time, woken = VirtualTime(), []
    desk = Desk(PINS, 18, time)
    controls = Controls(PINS, 18, time, desk.factory, wake=lambda: woken.append(time.now_ms()))
    assert controls.pause_ms == LOOK_MS
    time.advance_ms(50)
    desk.press("yay")
    assert woken == [50]
    controls.poll(time.now_ms())
    assert controls.pause_ms == TICK_MS
    time.advance_ms(100)
    desk.release("yay")
    controls.poll(time.now_ms())
    assert controls.pause_ms == TICK_MS  # it may still bounce
    time.advance_ms(30)
    assert len(controls.poll(time.now_ms())) == 1
    assert controls.pause_ms == LOOK_MS
    controls.close()


def test_the_time_is_told_less_often_to_a_table_at_rest():
    with FullTable(Rules(mode=Mode.REFEREE), Stage.ROUND) as at:
        at.wait(AWAKE_MS + 1000)
        now_ms = at.time.now_ms()
        assert at.loop.pause_ms(now_ms) == REST_MS
        at.press("yay")
        assert at.loop.pause_ms(at.time.now_ms()) == TICK_MS
        at.loop.table = replace(at.loop.table, woken_ms=0, holding=("yay", now_ms))
        assert at.loop.pause_ms(now_ms) == TICK_MS

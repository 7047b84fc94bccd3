"""One bad event, round or picture takes only itself with it; what repeats is told once a minute at most."""

import logging
import queue
import threading
from types import SimpleNamespace

import pytest

from engine.rules import Mode, Rules
from firmware.run import loop as loops
from firmware.run import poller as pollers
from firmware.run.app import STOP_S
from firmware.run.loop import Loop
from firmware.run.news import PartNews
from firmware.run.poller import Poller
from hardware.ports import Health, PartState, Placed
from hardware.twins.virtual_time import VirtualTime
from tests.support.full_table import FullTable, StrictLoop


@pytest.fixture
def heard(monkeypatch):
    """What is logged, once for each line, as if the program had just been started."""
    lines = []

    class Ear(logging.Handler):
        def emit(self, record):
            lines.append(record.getMessage())

    ear = Ear()
    monkeypatch.setattr(loops.LOG, "filters", [loops.OnceAMinute()])
    monkeypatch.setattr(loops.LOG, "level", logging.INFO)
    loops.LOG.addHandler(ear)
    yield lines
    loops.LOG.removeHandler(ear)


def test_k3_an_event_that_the_table_cannot_take_ends_no_evening_and_is_told_once(monkeypatch, heard):
    really = loops.step

    def step(table, event):
        if isinstance(event, Placed):
            raise KeyError("nobody knows this card")
        return really(table, event)

    with FullTable(Rules(mode=Mode.BOARD)) as table:
        monkeypatch.setattr(loops, "step", step)
        monkeypatch.setattr(StrictLoop, "fault", Loop.fault)
        before = table.game
        for number in range(3):
            table.loop.turn([Placed("yay", bytes([4, 0, 0, number]), 0)], table.time.now_ms())
        assert table.game == before
        table.press("yay")
        assert table.game != before
    assert sum("could not take Placed: KeyError" in line for line in heard) == 1


def test_k3_a_picture_that_cannot_be_made_is_made_anew_in_the_next_turn(monkeypatch, heard):
    really = loops.draw
    with FullTable(Rules(mode=Mode.BOARD)) as table:
        monkeypatch.setattr(StrictLoop, "fault", Loop.fault)
        with monkeypatch.context() as broken:
            broken.setattr(loops, "draw", lambda page: {}[page])
            table.press("yay")
        monkeypatch.setattr(loops, "draw", really)
        table.wait(100)
        assert table.screen_shows(really(table.loop.shown.page))
    assert sum("could not be shown" in line for line in heard) == 1


def test_k3_a_poller_whose_source_raises_goes_on(monkeypatch, heard):
    monkeypatch.setattr(pollers, "FAULT_MS", 1)

    class Source:
        pause_ms, polls, enough = 0, 0, threading.Event()

        def poll(self, now_ms):
            self.polls += 1
            if self.polls < 4:
                raise ZeroDivisionError
            self.enough.set()
            return []

    source = Source()
    poller = Poller(source, queue.SimpleQueue(), VirtualTime())
    assert source.enough.wait(10)
    poller.close()
    assert sum("could not be read" in line for line in heard) == 1


def test_k3_a_poller_waits_as_long_as_its_source_says_and_a_quarter_of_a_second_after_a_fault(monkeypatch, heard):
    waits, enough = [], threading.Event()

    class Stop(threading.Event):
        def wait(self, timeout=None):
            waits.append(timeout)
            if len(waits) == 2:
                enough.set()
                super().wait()
            return self.is_set()

    class Source:
        pause_ms, polls = 125, 0

        def poll(self, now_ms):
            self.polls += 1
            if self.polls == 2:
                raise ZeroDivisionError
            return []

    monkeypatch.setattr(pollers, "threading", SimpleNamespace(Event=Stop, Thread=threading.Thread))
    poller = Poller(Source(), queue.SimpleQueue(), VirtualTime())
    assert enough.wait(10)
    poller.close()
    assert waits == [0.125, 0.25]


def test_a_reader_that_hangs_is_waited_for_at_the_end_but_not_as_long_as_the_whole_end_may_take(monkeypatch):
    begun, go, waited = threading.Event(), threading.Event(), []

    class Source:
        pause_ms = 0

        def poll(self, now_ms):
            begun.set()
            go.wait(10)
            return []

    class Thread(threading.Thread):
        def join(self, timeout=None):
            waited.append(timeout)
            go.set()
            super().join(10)

    monkeypatch.setattr("hardware.threads.threading", SimpleNamespace(Thread=Thread))
    poller = Poller(Source(), queue.SimpleQueue(), VirtualTime())
    assert begun.wait(10)
    poller.close()
    (timeout_s,) = waited
    assert 0 < timeout_s < STOP_S


def test_k3_17_a_part_that_stays_lost_says_a_new_reason_once_a_minute_and_its_last_state_is_told():
    news, told = PartNews(), []
    for now_ms in range(0, 600_000, 500):
        news.hear(PartState("pad yay", Health.LOST, f"reads only 0x{now_ms % 997:02X}", now_ms))
        told += [(now_ms, state.health) for state in news.due(now_ms)]
    assert [now_ms for now_ms, _ in told] == list(range(0, 600_000, 60_000))
    news.hear(PartState("pad yay", Health.CONNECTED, "", 600_100))
    assert [state.health for state in news.due(600_100)] == [Health.CONNECTED]
    news.hear(PartState("pad yay", Health.LOST, "again", 600_200))
    news.hear(PartState("strip", Health.LOST, "another part", 600_200))
    assert [state.part for state in news.due(600_200)] == ["pad yay", "strip"]
    news.hear(PartState("pad yay", Health.CONNECTED, "", 600_300))
    assert news.due(600_300) == []
    assert [state.health for state in news.due(660_200)] == [Health.CONNECTED]


def test_k3_17_a_state_waits_a_minute_and_not_a_moment_longer_and_the_same_is_not_told_twice():
    news = PartNews()
    lost, again = (PartState("strip", Health.LOST, reason, 0) for reason in ("no Pico", "no answer"))
    news.hear(lost)
    assert news.due(7) == [lost]
    news.hear(again)
    assert news.due(60_006) == []
    assert news.due(60_007) == [again]
    for now_ms in (120_100, 180_200):
        news.hear(again)
        assert news.due(now_ms) == []


def test_k3_17_a_state_that_comes_again_after_a_minute_is_told_by_the_clock_of_the_parts_alone(monkeypatch, heard):
    monkeypatch.setattr(loops.LOG, "filters", [loops.OnceAMinute(clock_s=lambda: 0)])  # this clock stands
    time, mailbox, stop = VirtualTime(), queue.SimpleQueue(), threading.Event()
    lost = [Health.LOST, Health.CONNECTED, Health.LOST]

    class AtRest:
        pause_ms = 0

        def poll(self, now_ms):
            return []

    class OneTurnEachMinute:
        def pause_ms(self, now_ms):
            return 0

        def turn(self, events, now_ms):
            time.advance_ms(61_000)
            if not lost:
                stop.set()
            else:
                mailbox.put(PartState("pad yay", lost.pop(0), "no answer", now_ms))

    mailbox.put(None)
    loops.run(OneTurnEachMinute(), AtRest(), mailbox, time, stop)
    assert heard == [f"pad yay: {how} (no answer)" for how in ("lost", "connected", "lost")]

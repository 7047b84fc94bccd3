"""When a finger moved on the page: a press is as long as it was, also where the server stood still meanwhile."""

from __future__ import annotations

import time
from collections.abc import Iterator
from random import Random

import pytest

from firmware.virtual.listening import Listening
from firmware.virtual.moments import LATE_MS, STALL_MS, Looks, Moments
from firmware.virtual.server import VirtualTable
from hardware.twins.table import Twins
from hardware.twins.virtual_time import VirtualTime
from tests.support.virtual_standins import Client, Field, Fingers, Lights, Panel, printed

# ---- when the server looked ----------------------------------------------------------------


def test_while_it_looks_nothing_came_before_its_last_look() -> None:
    looks = Looks(100)
    assert looks.earliest_ms(100) == 100
    for now_ms in range(120, 400, 20):
        looks.look(now_ms)
        assert looks.earliest_ms(now_ms + 15) == now_ms


def test_what_came_in_a_stall_may_be_read_before_the_next_look_or_shortly_after_it() -> None:
    looks = Looks(100)
    assert looks.earliest_ms(100 + STALL_MS) == 100
    looks.look(100 + STALL_MS)
    assert looks.earliest_ms(100 + STALL_MS) == 100 + STALL_MS  # that was no stall
    looks = Looks(100)
    end_ms = 101 + STALL_MS
    assert looks.earliest_ms(end_ms) == 100
    looks.look(end_ms)
    for late_ms in (0, 1, LATE_MS):
        assert looks.earliest_ms(end_ms + late_ms) == 100
    looks.look(end_ms + LATE_MS)
    assert looks.earliest_ms(end_ms + LATE_MS) == 100
    assert looks.earliest_ms(end_ms + LATE_MS + 1) == end_ms + LATE_MS


# ---- a browser's clock ---------------------------------------------------------------------


def test_a_window_that_says_nothing_of_it_is_taken_at_its_word_now() -> None:
    assert Moments().happened_ms(None, 0, 5000) == 5000


def test_the_message_with_the_least_delay_says_how_far_the_clocks_are_apart() -> None:
    moments = Moments()
    assert moments.happened_ms(50.0, 0, 1_030) == 1_030  # 30 ms on its way, which nobody knows yet
    assert moments.happened_ms(150.0, 0, 1_100) == 1_100  # none
    assert moments.happened_ms(250.0, 0, 1_900) == 1_200  # 700 ms
    assert moments.happened_ms(250.4, 0, 1_900) == 1_200


def test_nothing_is_believed_of_a_time_at_which_the_server_looked_nor_of_the_future() -> None:
    moments = Moments()
    assert moments.happened_ms(1000.0, 990, 1000) == 1000
    assert moments.happened_ms(0.0, 1990, 2000) == 1990
    assert moments.happened_ms(9e15, 1990, 2000) == 2000
    assert moments.happened_ms(1000.0, 2990, 3000) == 2990
    assert moments.happened_ms(1100.0, 2990, 3100) == 2990


# ---- through the server --------------------------------------------------------------------


@pytest.fixture
def twins() -> Twins:
    return Twins({"yay": Field(), "wow": Field()}, Fingers(), Lights(), Panel(), VirtualTime())  # type: ignore[arg-type]


@pytest.fixture
def window(twins: Twins) -> Iterator[Client]:
    with VirtualTable(twins, printed(), Listening(port=0), random=Random(5)) as table, Client(table.port) as client:
        client.receive()
        yield client


def moved(twins: Twins, count: int) -> list[int]:
    """When each of this many movements of fingers was, once they have come."""
    until_s = time.monotonic() + 30
    while len(twins.desk.history) < count:  # type: ignore[attr-defined]
        assert time.monotonic() < until_s, "they have not come"
        time.sleep(0.005)
    return list(twins.desk.at_ms)  # type: ignore[attr-defined]


def test_f39_a_tap_on_the_page_with_a_stall_in_it_is_as_long_as_the_finger_was_down(
    twins: Twins, window: Client
) -> None:
    clock = twins.clock
    assert isinstance(clock, VirtualTime)
    begun_ms = clock.now_ms()
    window.send({"do": "press", "button": "yay", "at": 7_000.5})
    moved(twins, 1)
    clock.advance_ms(3000)  # nobody looked meanwhile
    window.send({"do": "release", "button": "yay", "at": 7_050.5})
    assert moved(twins, 2) == [begun_ms, begun_ms + 50]


def test_f39_a_hold_that_is_read_all_at_once_is_still_one(twins: Twins, window: Client) -> None:
    clock = twins.clock
    assert isinstance(clock, VirtualTime)
    window.send({"do": "press", "button": "wow", "at": 100})
    begun_ms = moved(twins, 1)[0]
    clock.advance_ms(100)
    window.send({"do": "release", "button": "wow", "at": 200})
    moved(twins, 2)
    clock.advance_ms(3000)
    window.send({"do": "press", "button": "wow", "at": 400})
    window.send({"do": "release", "button": "wow", "at": 1800})
    assert moved(twins, 4)[2:] == [begun_ms + 300, begun_ms + 1700]


def test_a_window_that_does_not_say_when_counts_from_now(twins: Twins, window: Client) -> None:
    for word in ("press", "release"):
        window.send({"do": word, "button": "yay"})
    assert moved(twins, 2) == [twins.clock.now_ms()] * 2

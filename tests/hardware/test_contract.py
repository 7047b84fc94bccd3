"""What every backend promises of its parts: the same tests on the twins and, with `pytest --real`, on the device.

On the device nobody may touch anything meanwhile: the pads are empty, the buttons up, and the service is stopped.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from PIL import Image

from firmware.check.parts import sample_picture
from firmware.cli import _installed_config
from firmware.config import values as config
from firmware.config.reading import load
from firmware.files.lock import DeviceLock, lock_path
from firmware.run.backends import open_parts
from firmware.virtual.parts import open_virtual
from firmware.wiring.parts import Parts
from hardware.ports import Crowded, HardwareEvent, Health, Lifted, Note, PartState, Picture, Placed, Pressed
from hardware.twins.virtual_time import VirtualTime

POLL_MS = 20


@dataclass
class Bench:
    """Open parts, everything that was told of them, and how time passes there."""

    parts: Parts
    heard: list[HardwareEvent]
    pause_ms: Callable[[int], object]

    def wait(self, ms: int) -> list[HardwareEvent]:
        """Poll for this long; what happened meanwhile."""
        before, clock = len(self.heard), self.parts.clock
        end_ms = clock.now_ms() + ms
        while clock.now_ms() < end_ms:
            self.heard += [*self.parts.pads.poll(clock.now_ms()), *self.parts.controls.poll(clock.now_ms())]
            self.pause_ms(POLL_MS)
        return self.heard[before:]

    def health(self) -> dict[str, Health]:
        return {event.part: event.health for event in self.heard if isinstance(event, PartState)}


@pytest.fixture
def bench(backend: str) -> Iterator[Bench]:
    heard: list[HardwareEvent] = []
    if backend == "twins":
        time = VirtualTime()
        with open_virtual(config.Config(), heard.append, time) as parts:
            yield Bench(parts, heard, time.advance_ms)
        return
    wired = load(_installed_config())
    with DeviceLock(lock_path(), "pytest --real"), open_parts("pi", wired, heard.append) as parts:
        pause = threading.Event()
        yield Bench(parts, heard, lambda ms: pause.wait(ms / 1000))


def connected(bench: Bench) -> bool:
    """Let the strip and the screen, which have threads of their own, come to the table; and the readers."""
    strip, screen = bench.parts.outputs.strip, bench.parts.outputs.screen
    strip.show(Picture(((0, 0, 9),) * strip.setup.leds))
    found = strip.wait_shown(5)
    screen.settle()
    bench.wait(500)
    return found


def test_every_part_is_told_to_be_connected(bench: Bench):
    assert connected(bench)
    health = bench.health()
    assert {"pad yay", "pad wow", "strip"} <= set(health)
    assert {part: state for part, state in health.items() if state is not Health.CONNECTED} == {}


def test_empty_pads_and_idle_buttons_tell_nothing(bench: Bench):
    connected(bench)
    told = bench.wait(2000)
    assert [event for event in told if isinstance(event, Placed | Lifted | Crowded | Pressed)] == []
    assert bench.parts.pads.cards("yay") == bench.parts.pads.cards("wow") == ()
    assert bench.parts.controls.closed() == frozenset()


def test_the_strip_has_lit_what_it_was_given_and_is_dark_at_night(bench: Bench):
    assert connected(bench)
    strip = bench.parts.outputs.strip
    still = tuple((index % 7, index % 5, index % 3) for index in range(strip.setup.leds))
    strip.show(Picture(still))
    assert strip.wait_shown(2) and strip.read_back(2) == still
    strip.go_dark()
    assert strip.wait_shown(2) and not any(map(any, strip.read_back(2)))


def test_the_screen_takes_a_page_and_nothing_else(bench: Bench):
    connected(bench)
    screen = bench.parts.outputs.screen
    screen.show(sample_picture())
    screen.dim(True)
    screen.dim(False)
    assert screen.settle()
    assert {state.health for state in screen.states()} <= {Health.CONNECTED}
    with pytest.raises(ValueError, match="128"):
        screen.show(Image.new("L", (128, 64)))


@pytest.mark.parametrize("lit", [set(), {"yay"}, {"wow"}, {"yay", "wow"}])
def test_lamps_light_as_they_are_told(bench: Bench, lit: set[str]):
    bench.parts.outputs.lamps.light(frozenset({"yay", "wow"} - lit))
    bench.parts.outputs.lamps.light(frozenset(lit))
    assert bench.parts.controls.lit() == lit


def test_a_melody_ends_by_itself(bench: Bench):
    buzzer = bench.parts.outputs.buzzer
    buzzer.play((Note(880, 60), Note(0, 40), Note(440, 60)), bench.parts.clock.now_ms())
    assert buzzer.sounding
    bench.wait(400)
    assert not buzzer.sounding


def test_parts_that_are_at_rest_may_be_left_alone_for_a_moment(bench: Bench):
    connected(bench)
    bench.wait(1000)
    assert 5 <= bench.parts.pads.pause_ms <= 20 <= bench.parts.controls.pause_ms <= 100


def test_parts_may_be_closed_twice(bench: Bench):
    bench.wait(200)
    bench.parts.close()
    bench.parts.close()

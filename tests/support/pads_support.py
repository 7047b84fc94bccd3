"""Pads over emulated readers, in virtual time, for the tests of readers and pads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hardware.pads import Pads
from hardware.ports import Crowded, Lifted, PartState, Placed
from hardware.rc522 import Reader
from hardware.twins.rc522 import RC522
from hardware.twins.tags import Tag
from hardware.twins.virtual_time import VirtualTime

FOUR = bytes.fromhex("deadbeef")
SEVEN = bytes.fromhex("04a1b2c3d4e580")
OTHER_SEVEN = bytes.fromhex("04a1b299887780")
TEN = bytes.fromhex("0411223344556677889a")
STRANGER = bytes.fromhex("04ffeeddccbbaa")


class Bench:
    """Pads on a bench: emulated chips by name, one clock, and everything that was reported."""

    def __init__(self, *names: str, pads: dict[str, Any] | None = None, **chip: Any) -> None:
        self.clock = VirtualTime()
        self.chips = {name: RC522(self.clock, **chip) for name in names or ("yay", "wow")}
        self.pads = Pads({name: self.opener(name) for name in self.chips}, **(pads or {}))
        self.events: list[Any] = []

    def opener(self, name: str) -> Callable[[], Reader]:
        return lambda: Reader(self.chips[name])

    def run(self, ms: int, pause_ms: int | None = None) -> list[Any]:
        """Poll for this long, by default with the pauses of the device; the events of this time."""
        before = len(self.events)
        end = self.clock.now_ms() + ms
        while self.clock.now_ms() < end:
            self.events += self.pads.poll(self.clock.now_ms())
            self.clock.advance_ms(self.pads.pause_ms if pause_ms is None else pause_ms)
        return self.events[before:]

    def started(self) -> Bench:
        """With readers that work, before any card."""
        self.run(200)
        self.events.clear()
        return self

    def put(self, name: str, uid: bytes, **options: Any) -> Tag:
        tag = Tag(uid, **options)
        self.chips[name].put(tag)
        return tag

    def refusals(self) -> list[str]:
        return [refusal for chip in self.chips.values() for refusal in chip.refusals]


def placed(events: list[Any]) -> list[tuple[str, bytes]]:
    return [(event.pad, event.uid) for event in events if isinstance(event, Placed)]


def lifted(events: list[Any]) -> list[tuple[str, bytes]]:
    return [(event.pad, event.uid) for event in events if isinstance(event, Lifted)]


def crowded(events: list[Any]) -> list[tuple[str, bool]]:
    return [(event.pad, event.crowded) for event in events if isinstance(event, Crowded)]


def states(events: list[Any]) -> list[tuple[str, str]]:
    return [(event.part, event.health.value) for event in events if isinstance(event, PartState)]


def wait_for_field(clock: VirtualTime, reader: Reader, step_ms: int = 7) -> None:
    """Poll until the field is on and has started."""
    for _ in range(200):
        if not reader.read().blind:
            return
        clock.advance_ms(step_ms)
    raise AssertionError("the field does not come on")


def ready_reader(clock: VirtualTime, **chip: Any) -> tuple[RC522, Reader]:
    """A chip and its reader, with the field on and started."""
    twin = RC522(clock, **chip)
    reader = Reader(twin)
    wait_for_field(clock, reader)
    return twin, reader


def lay(twin: RC522, *uids: bytes) -> tuple[Tag, ...]:
    """Put cards into the field and wait until they have started."""
    tags = tuple(Tag(uid) for uid in uids)
    for tag in tags:
        twin.put(tag)
    twin.time.advance_ms(6)
    return tags

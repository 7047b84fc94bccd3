"""How fast the readers see a card, and what it costs; side by side with the library's own `SimpleMFRC522`.

Times on the air and on the bus are virtual: an emulated MFRC522 at 10 MHz SPI and 30 us a transfer, cards that
become ready at random moments, polls without a pause. A card's start-up (5 ms at most, 14443-3) comes before,
and is left out: it is the card's own.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.measures import COUNTED, VIRTUAL, Measure
from firmware.config.values import PadsConfig
from hardware import mfrc522_import
from hardware.pads import PAUSE_MS, Pads, take_turns
from hardware.ports import Noticed, Placed
from hardware.rc522 import Reader
from hardware.rc522_chip import ANSWER_US, FIELD_US
from hardware.twins import rc522, rc522_air, tags
from hardware.twins.virtual_time import VirtualTime

TRIALS = 300
SPI_HZ = 10_000_000
FOUR_BYTES = bytes.fromhex("deadbeef")
SEVEN_BYTES = bytes.fromhex("04a1b2c3d4e580")
ANOTHER_SEVEN = bytes.fromhex("04a1b299887780")


def limit_ms(levels: int) -> float:
    """The air alone: half a request guard time, then request, anticollision and SELECT of each level."""
    frame = rc522_air.frame_ns
    fdt = rc522_air.DELAY_AFTER_NS[0]
    level = frame(16) + fdt + frame(40) + rc522_air.DELAY_TO_READER_NS + frame(72) + fdt + frame(24)
    request = frame(7) + fdt + frame(16) + rc522_air.DELAY_TO_READER_NS
    between = (levels - 1) * rc522_air.DELAY_TO_READER_NS
    return (rc522_air.REQUEST_GUARD_NS / 2 + request + levels * level + between) / 1e6


class Stock:
    """The library with its defaults: its own SPI clock of 1 MHz, its own polling."""

    def __init__(self, clock: VirtualTime) -> None:
        self.chip = rc522.RC522(clock)
        module = mfrc522_import.chip_module
        placeholder, module.spidev.SpiDev = module.spidev.SpiDev, lambda: self.chip
        try:
            self.reader = mfrc522_import.SimpleMFRC522()
        finally:
            module.spidev.SpiDev = placeholder
            self.reader.READER.logger.handlers.clear()

    def poll(self, _found: Callable[[str, bytes], None]) -> None:
        number = self.reader.read_id_no_block()
        if number is not None:
            _found("", number.to_bytes(5, "big"))


class Ours:
    """`pads` of our readers, polled together."""

    def __init__(self, clock: VirtualTime, pads: int) -> None:
        self.chips = [rc522.RC522(clock, max_speed_hz=SPI_HZ) for _ in range(pads)]
        self.readers = [Reader(chip) for chip in self.chips]
        while any(reader.read().blind for reader in self.readers):
            pass

    def poll(self, found: Callable[[str, bytes], None]) -> None:
        take_turns({str(i): reader.steps() for i, reader in enumerate(self.readers)}, found)

    @property
    def chip(self) -> rc522.RC522:
        return self.chips[-1]

    @property
    def transfers(self) -> int:
        return sum(chip.transfers for chip in self.chips)


def until_known_ms(make: Callable[[VirtualTime], Any], uids: tuple[bytes, ...], trials: int) -> list[float]:
    """For each trial: from when the cards are ready until all their UIDs have been read."""
    chance = random.Random(1)
    results = []
    for _ in range(trials):
        clock = VirtualTime()
        device = make(clock)
        start_up_us = tags.START_UP_US + chance.randrange(100_000)
        ready_us = clock.now_us + start_up_us
        for uid in uids:
            device.chip.put(tags.Tag(uid, start_up_us=start_up_us))
        known: set[bytes] = set()

        def found(_name: str, _uid: bytes, known: set[bytes] = known, clock: VirtualTime = clock) -> None:
            known.add(_uid)
            if len(known) == len(uids):
                results.append((clock.now_us - ready_us) / 1000)  # noqa: B023 (called before the next trial)

        while len(known) < len(uids):
            device.poll(found)
    return results


def empty_poll() -> tuple[tuple[int, float], tuple[int, float]]:
    """Transfers and milliseconds of an empty poll of one pad: the library's, ours."""
    results = []
    for make in (Stock, lambda clock: Ours(clock, 1)):
        clock = VirtualTime()
        device = make(clock)
        for _ in range(3):
            device.poll(lambda _name, _uid: None)
        transfers, begin_us = device.chip.transfers, clock.now_us
        device.poll(lambda _name, _uid: None)
        results.append((device.chip.transfers - transfers, (clock.now_us - begin_us) / 1000))
    return results[0], results[1]


def empty_round_ms(pads: int) -> float:
    clock = VirtualTime()
    device = Ours(clock, pads)
    begin_us = clock.now_us
    for _ in range(100):
        device.poll(lambda _name, _uid: None)
    return (clock.now_us - begin_us) / 100_000


def speed(trials: int = TRIALS) -> list[tuple[str, float | None, float | None, float, float]]:
    """Name, the library's value, the physical limit, ours, what is wanted at most."""
    (stock_transfers, stock_ms), (transfers, _) = empty_poll()

    def ours(pads: int, *uids: bytes) -> float:
        return statistics.mean(until_known_ms(lambda clock: Ours(clock, pads), uids, trials))

    stock = statistics.mean(until_known_ms(Stock, (FOUR_BYTES,), max(20, trials // 10)))
    four, seven = limit_ms(1), limit_ms(2)
    return [
        ("empty poll, SPI transfers", stock_transfers, None, transfers, 18),
        ("empty round of 3 pads, ms", 3 * stock_ms, None, empty_round_ms(3), 1.6),
        ("4 bytes, 1 pad, ms, mean", stock, four, ours(1, FOUR_BYTES), 1.25 * four),
        ("7 bytes, 1 pad, ms, mean", None, seven, ours(1, SEVEN_BYTES), 1.20 * seven),
        ("7 bytes, 3 pads, ms, mean", None, seven, ours(3, SEVEN_BYTES), 1.45 * seven),
        ("two of 7 bytes, both known, ms, mean", None, None, ours(1, SEVEN_BYTES, ANOTHER_SEVEN), 15),
    ]


def to_told_ms(
    what: type[Noticed | Placed], trials: int = TRIALS, settle_ms: int = PadsConfig().settle_ms
) -> list[float]:
    """From a card's being laid down (its start-up included) until this is told: the device's SPI clock and pauses."""
    chance = random.Random(2)
    clock = VirtualTime()
    chips = {name: rc522.RC522(clock) for name in ("yay", "wow")}
    pads = Pads({name: partial(Reader, chip) for name, chip in chips.items()}, settle_ms)
    results = []
    for trial in range(trials):
        for _ in range(15):
            pads.poll(clock.now_ms())
            clock.advance_ms(pads.pause_ms)
        pause_us = PAUSE_MS * 1000
        early_us = chance.randrange(pause_us)
        clock.advance_us(pause_us - early_us)
        tag = tags.Tag(SEVEN_BYTES)
        chips["yay" if trial % 2 else "wow"].put(tag)
        laid_us = clock.now_us
        clock.advance_us(early_us)
        while not any(isinstance(event, what) for event in pads.poll(clock.now_ms())):
            clock.advance_ms(pads.pause_ms)
        results.append((clock.now_us - laid_us) / 1000)
        for chip in chips.values():
            chip.lift(tag)
    return results


def costs() -> list[tuple[str, ...]]:
    """The costs that the virtual time is made of, each with its source."""
    return [
        ("SPI transfer, overhead", f"{rc522.TRANSFER_US:.0f} us", "system call, driver, chip select; assumed"),
        ("SPI clock, readers", f"{SPI_HZ / 1e6:.0f} MHz (mfrc522: 1 MHz)", "MFRC522 rev. 3.9, 8.1.2: 10 MHz at most"),
        ("SPI clock, card to placed", f"{PadsConfig().yay.speed_hz / 1e6:.0f} MHz", "the device's own"),
        ("a bit on the air", f"{rc522_air.BIT_NS / 1000:.2f} us", "ISO/IEC 14443-3, 6.1: 128/fc"),
        (
            "frame delay to the card's answer",
            f"{rc522_air.DELAY_AFTER_NS[0] / 1000:.1f} or {rc522_air.DELAY_AFTER_NS[1] / 1000:.1f} us",
            "6.2.1.1: 1172/fc or 1236/fc",
        ),
        ("frame delay to the next frame", f"{rc522_air.DELAY_TO_READER_NS / 1000:.1f} us", "6.2.1.2: 1172/fc"),
        ("request guard time", f"{rc522_air.REQUEST_GUARD_NS / 1000:.0f} us", "6.2.2: 7000/fc"),
        ("a card's start-up", f"{tags.START_UP_US / 1000:.0f} ms", "5.2: 5 ms at most; not in the part 'readers'"),
        ("our wait for an answer", f"{ANSWER_US} us", "hardware.rc522_chip: from the end of a frame"),
        ("our wait with the field off", f"{FIELD_US / 1000:.0f} ms", "hardware.rc522_chip: more than the 5 ms of 5.2"),
    ]


def measures(trials: int = TRIALS) -> list[Measure]:
    """At 10 MHz, polls without a pause; each beside the library's own, or beside what the air alone takes."""
    found = []
    for name, stock, limit, ours, wanted in speed(trials):
        beside = ("mfrc522", stock) if stock is not None else ("the air alone", limit) if limit is not None else None
        unit, time = ("ms", VIRTUAL) if ", ms" in name else ("", COUNTED)
        found.append(Measure("readers", name.replace(", ms", ""), ours, unit, time, wanted, beside=beside))
    return found

"""An emulated MFRC522 with cards in its field, seen through its SPI port.

`RC522` has the interface of `spidev.SpiDev`, so that drivers run on it unchanged. It models registers, FIFO,
commands, interrupt requests, timer, CRC coprocessor, resets and the field, after the datasheet MFRC522 rev. 3.9
(sections are named where they are used). Time is virtual: each transfer costs its bits at the set clock and a
fixed overhead, frames last as long as on the air.

What the chip would not understand is refused: `Refused` is raised, and noted in `refusals`, so that a test
sees it even when a driver catches the error.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any

from hardware.twins import rc522_registers as reg
from hardware.twins.rc522_core import READERS, WRITERS, RC522Core
from hardware.twins.rc522_radio import OSCILLATOR_START_US, CollisionCount
from hardware.twins.refused import Refused
from hardware.twins.tags import Tag
from hardware.twins.virtual_time import VirtualTime

__all__ = ["RC522", "CollisionCount", "Refused"]

SPI_LIMIT_HZ = 10_000_000  # 8.1.2
SPIDEV_OPEN_HZ = 125_000_000  # what the Pi's SPI controller may run at when spidev was opened and no clock set
TRANSFER_US = 30.0  # a transfer's overhead: system call, driver, chip select; the order of size on a Pi 3 or 4


@lru_cache
def _reading_plan(addresses: bytes) -> list[tuple[Any, Any]]:
    """The steps of a burst: for a run of plain registers a function that picks them all, else one reader."""
    steps: list[tuple[Any, Any]] = []
    registers = [address >> 1 & 0x3F for address in addresses]
    for special, run in groupby(registers, key=READERS.__contains__):
        if special:
            steps += ((None, READERS[register]) for register in run)
        else:
            steps.append((_picker(list(run)), None))
    return steps


def _picker(registers: list[int]) -> Callable[[bytearray], tuple[int, ...]]:
    if len(registers) == 1:
        (only,) = registers
        return lambda values: (values[only],)
    return itemgetter(*registers)


class RC522(RC522Core):
    """The chip, its antenna and its SPI port.

    `transfer_us`: overhead of each transfer. `version`: VersionReg. `collision_count`: see there.
    `start_send_stays`: whether StartSend acts until it is cleared, as a level, or once when it is written; the
    datasheet (9.3.1.14) leaves it open.
    Fault switches (all may be set at any time): `mute` (no power or no wire: every byte reads as this value),
    `miso_stuck` (only the answer line), `bus_error` (raised by every transfer), `noise` (a bad field),
    `reads_otherwise` (a copy of the chip: registers that read as this value while the field is on, or always with
    `odd_from_the_start`),
    `before_transfer` (called with the number of each transfer before it happens), and the methods `flip`,
    `overwrite`, `brown_out`, `hold_reset`.

    Counters: `transfers`, `requests` (REQA and WUPA sent), `guard_violations` (requests that came too early for the
    standard), `early_frames` (frames sent too soon after a card's answer), `authentications` (MFAuthent commands).
    `frames`: the latest 256 frames sent, oldest first.
    """

    def __init__(
        self,
        time: VirtualTime,
        *,
        transfer_us: float = TRANSFER_US,
        version: int = 0x92,
        collision_count: CollisionCount = CollisionCount.FROM_FIRST_BIT,
        start_send_stays: bool = False,
        max_speed_hz: int = 4_000_000,
    ) -> None:
        super().__init__(time, version, collision_count)
        self.transfer_us = transfer_us
        self.start_send_stays = start_send_stays
        self.transfers = 0
        self.mute: int | None = None
        self.miso_stuck: int | None = None
        self.bus_error: OSError | None = None
        self.reads_otherwise: dict[int, int] = {}
        self.odd_from_the_start = False
        self.before_transfer: Callable[[int], None] | None = None
        self.closed = False
        self.mode = 0
        self.bits_per_word = 8
        self.max_speed_hz = max_speed_hz
        self._lock = threading.RLock()
        self._flips: dict[int, int] = {}
        self._bytes_out = 0
        self._in_reset = False

    # ---- the world's side ------------------------------------------------------------------

    @property
    def tags(self) -> tuple[Tag, ...]:
        """The cards in the field's reach, in the order in which they came."""
        with self._lock:
            return tuple(self._tags)

    @property
    def antenna_on(self) -> bool:
        return self._field

    def put(self, tag: Tag) -> None:
        """Lay a card down; it starts up when the field is on. One that lies there already stays."""
        with self._lock:
            now = self._catch_up_now()
            if tag not in self._tags:
                self._tags.append(tag)
                if self._field:
                    tag.power(id(self), now)

    def lift(self, tag: Tag) -> None:
        """Take a card away, whatever it is doing. One that does not lie there is nothing to lift."""
        with self._lock:
            now = self._catch_up_now()
            if tag in self._tags:
                self._tags.remove(tag)
                tag.unpower(id(self), now, taken_away=True)
                self._cut_signals(now, tag)

    def flip(self, byte: int, bit: int) -> None:
        """Flip this bit (0 to 7) of the `byte`-th byte (from 0) that the chip returns from now on."""
        self._flips[self._bytes_out + byte] = 1 << bit

    @property
    def bytes_returned(self) -> int:
        return self._bytes_out

    def overwrite(self, register: int, value: int) -> None:
        """Change a register behind the driver's back, also one that only the chip itself may write."""
        with self._lock:
            now = self._catch_up_now()
            if register == reg.COMMAND:
                self._r[register] = value & 0x3F
                self._sleep_if_asked()
            elif register in WRITERS:
                WRITERS[register](self, value, now)
            else:
                self._r[register] = value
            self._field_may_have_changed(now)

    def peek(self, register: int) -> int:
        """A register's value, without any effect of reading it."""
        with self._lock:
            self._catch_up_now()
            return self._r[register]

    def brown_out(self) -> None:
        """The supply dips: every register is as after a reset, and no transfer tells."""
        with self._lock:
            self._reset_registers(self._catch_up_now(), OSCILLATOR_START_US)

    def hold_reset(self, held: bool) -> None:
        """The NRSTPD pin: low is held in hard power-down (8.6.1); its rising edge is a reset (8.8.1)."""
        with self._lock:
            if held or self._in_reset:
                self._reset_registers(self._catch_up_now(), OSCILLATOR_START_US)
            self._in_reset = held

    # ---- the SPI port ----------------------------------------------------------------------

    def open(self, bus: int, device: int) -> None:
        """As spidev opens a device: afterwards the clock is whatever the controller can do."""
        self.max_speed_hz = SPIDEV_OPEN_HZ
        self.closed = False

    def close(self) -> None:
        self.closed = True

    def xfer2(self, data: list[int], speed_hz: int = 0, delay_us: int = 0, bits: int = 0) -> list[int]:
        """One transfer with the chip selected throughout (8.1.2): an address byte, then data."""
        with self._lock:
            if self.before_transfer is not None:
                self.before_transfer(self.transfers)
            clock = speed_hz or self.max_speed_hz
            now = self.time.advance_ns(int(self.transfer_us * 1000 + len(data) * 8e9 / clock) + delay_us * 1000)
            self.transfers += 1
            if self.bus_error is not None:
                raise self.bus_error
            if self.mute is not None or self._in_reset:
                self._lose_power(now)
                return [self.mute or 0] * len(data)
            if now >= self._due_ns:
                self._catch_up(now)
            first = data[0]
            word_bits = bits or self.bits_per_word
            if clock > SPI_LIMIT_HZ or first & 0x01 or self.mode != 0 or word_bits != 8:
                self._refuse_transfer(first, clock, word_bits)
            answer = self._read(data, now) if first >> 7 else self._write(first >> 1, data, now)
            return self._on_the_line(answer)

    xfer = xfer2

    def writebytes(self, data: list[int]) -> None:
        self.xfer2(data)

    def readbytes(self, count: int) -> list[int]:
        return self.xfer2([0] * count)

    def _read(self, data: list[int], now: int) -> list[int]:
        """Each byte sent is an address, answered in the byte after it (8.1.2.1, table 6)."""
        answer = [0]
        for plain, reader in _reading_plan(bytes(data[:-1])):
            if plain is not None:
                answer += plain(self._r)
            else:
                answer.append(reader(self, now))
        if self.reads_otherwise and (self._field or self.odd_from_the_start):
            for place, address in enumerate(data[:-1], 1):
                answer[place] = self.reads_otherwise.get(address >> 1 & 0x3F, answer[place])
        return answer

    def _write(self, address: int, data: list[int], now: int) -> list[int]:
        """All bytes after the address go to the same register (8.1.2.2, table 7)."""
        if now < self._reset_until_ns:
            return [0] * len(data)  # the digital part has no clock yet
        if address in reg.RESERVED:
            self.refuse(f"a write to the reserved register 0x{address:02X}; leave it alone")
        if address == reg.FIFO_DATA:
            self._push(bytes(data[1:]))
            return [0] * len(data)
        writer = WRITERS.get(address)
        for value in data[1:]:
            if writer is not None:
                writer(self, value, now)
            elif address not in reg.READ_ONLY:
                self._r[address] = value
        return [0] * len(data)

    def _on_the_line(self, answer: list[int]) -> list[int]:
        first = self._bytes_out
        self._bytes_out += len(answer)
        if self._flips:
            for index in range(len(answer)):
                answer[index] ^= self._flips.pop(first + index, 0)
        if self.miso_stuck is not None:
            return [self.miso_stuck] * len(answer)
        return answer

    def _refuse_transfer(self, first: int, clock: int, word_bits: int) -> None:
        if clock > SPI_LIMIT_HZ:
            self.refuse(f"a transfer at {clock} Hz; set max_speed_hz to {SPI_LIMIT_HZ} or less before the first one")
        if first & 0x01:
            self.refuse(f"the address byte 0x{first:02X}; its lowest bit must be 0 (8.1.2.3)")
        self.refuse(f"SPI mode {self.mode} with {word_bits} bits a word; set mode 0 and 8 bits")

"""What lies behind the buses of a measured device: as cheap as can be, so that the device alone is measured.

Not the twins: those model the chips, and cost more than the program that is to be measured.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Sequence
from threading import Event
from types import ModuleType
from typing import Any

import gpiozero
import smbus2
from gpiozero.pins.mock import MockFactory

from firmware.wiring import device
from hardware.link import FoundPort
from hardware.twins.gpio import ForgetfulPin

READ, START_SEND, TRANSCEIVE = 0x80, 0x80, 0x0C
COMMAND, COM_IRQ, FIFO_LEVEL, CONTROL, BIT_FRAMING, VERSION = 0x01, 0x04, 0x0A, 0x0C, 0x0D, 0x37
TIMER_IRQ, TIMER_START = 0x01, 0x40
LONGEST_COMMAND = 40  # bytes; luma takes 32 in one go
BITS_ON_THE_BUS = 9  # eight and an acknowledgement


class EmptyReader:
    """A `spidev.SpiDev` with an MFRC522 behind it over which no card ever lies: every wait ends by the timer.

    Registers are as they were written; only those that the driver waits for behave (MFRC522 rev. 3.9, 9.3).
    """

    def __init__(self) -> None:
        self.max_speed_hz, self.mode = 0, 0
        self._registers = bytearray(64)
        self._registers[VERSION] = 0x92

    def open(self, bus: int, device: int) -> None: ...

    def close(self) -> None: ...

    def xfer2(self, data: list[int]) -> list[int]:
        if data[0] & READ:
            registers = self._registers
            return [0, *[registers[address >> 1 & 0x3F] for address in data[:-1]]]
        register, value = data[0] >> 1, data[-1]
        if register == COM_IRQ:
            self._registers[register] &= ~value & 0x7F
        elif register != FIFO_LEVEL:
            self._registers[register] = value & 0x0F if register == COMMAND else value
        if (register == BIT_FRAMING and value & START_SEND) or (register == CONTROL and value & TIMER_START):
            self._registers[COM_IRQ] |= TIMER_IRQ
        if register == CONTROL:
            self._registers[CONTROL] = 0
        return [0] * len(data)


class SlowBus:
    """An `smbus2.SMBus` behind which a screen takes everything. It takes as long as the wires would, at `hz`; None: no
    time at all. `bytes` counts addresses and control bytes too. `first` is set with the first picture."""

    def __init__(self, hz: int | None = None) -> None:
        self.hz, self.bytes, self.first = hz, 0, Event()

    def write_i2c_block_data(self, address: int, register: int, data: Sequence[int]) -> None:
        self._take(2 + len(data))

    def i2c_rdwr(self, *messages: Iterable[int]) -> None:
        for message in messages:
            self._take(1 + len(list(message)))

    def close(self) -> None: ...

    def _take(self, count: int) -> None:
        self.bytes += count
        if self.hz is not None:
            time.sleep(count * BITS_ON_THE_BUS / self.hz)
        if count > LONGEST_COMMAND:  # it is the picture
            self.first.set()


class OpenedBus:
    """An `smbus2.SMBus()` that finds this bus, or chip, behind any port that is opened."""

    def __init__(self, bus: Any) -> None:
        self._bus = bus

    def open(self, port: int) -> None: ...

    def __getattr__(self, name: str) -> Any:
        return getattr(self._bus, name)


def install(bus: SlowBus, strip_path: str) -> None:
    """Let the program find these where a Pi has its buses, pins and ports. For a process of its own."""
    spidev: Any = ModuleType("spidev")
    spidev.SpiDev = EmptyReader
    sys.modules["spidev"] = spidev
    vars(smbus2).update(SMBus=lambda: OpenedBus(bus))
    gpiozero.Device.pin_factory = MockFactory(pin_class=ForgetfulPin)
    vars(device).update(find_picos=lambda: [FoundPort(strip_path, "Board for measuring")])

"""Stands for MicroPython's `machine` where there is no RP2040: tells the side channel what the chip would do.

Runs under MicroPython's unix port and under CPython. The side channel is a pipe whose number stands in the environment;
hardware/twins/pico.py reads it.
"""

import os

TYPE_CHECKING = False  # MicroPython has no typing
if TYPE_CHECKING:
    from typing import BinaryIO, NoReturn

    import utime as time
else:
    import time

_side: "list[BinaryIO]" = []  # the side channel, once it is open


def send(record: bytes | bytearray) -> None:
    """Send one record: its kind (one letter), the payload's length (2 bytes, little end first), the payload."""
    if not _side:
        _side.append(open(int(os.getenv("PICO_WORLD_FD") or ""), "wb", 0))  # noqa: SIM115 (open to the end)
    _side[0].write(record)


class Pin:
    OUT = 1

    def __init__(self, number: int, mode: int = -1) -> None:
        if not 0 <= number <= 29:
            raise ValueError("invalid pin")
        self.number = number

    def init(self, mode: int = -1) -> None:
        pass


class WDT:
    """RP2040 data sheet, 4.7: cannot be stopped, at most 8388 ms."""

    def __init__(self, id: int = 0, timeout: int = 5000) -> None:
        if not 1 <= timeout <= 8388:
            raise ValueError("timeout must be 1 to 8388 ms")
        self._told = time.ticks_ms()
        send(b"W\x02\x00" + bytes((timeout & 255, timeout >> 8)))

    def feed(self) -> None:
        now = time.ticks_ms()
        if time.ticks_diff(now, self._told) >= 50:  # not every feed needs telling
            self._told = now
            send(b"F\x00\x00")


def reset() -> "NoReturn":
    send(b"R\x00\x00")
    while True:  # the world ends this process
        time.sleep_ms(1000)

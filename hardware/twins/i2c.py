"""An emulated I2C bus, with the methods of an `smbus2.SMBus`, and the emulated chips on it."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Sequence
from typing import Protocol

BLOCK_MAX_BYTES = 32  # the SMBus limit of one block write
MESSAGE_MAX_BYTES = 8192  # the kernel's limit of one message of i2c_rdwr (Linux, i2c-dev)


def bus_error(number: int) -> OSError:
    """What the kernel's I2C driver reports: EREMOTEIO for no acknowledgement, ETIMEDOUT, EIO, …"""
    return OSError(number, os.strerror(number))


class I2CChip(Protocol):
    """A chip on the bus: its address of 7 bits, and what the bus passes on to it."""

    address: int

    def write_i2c_block_data(
        self, i2c_addr: int, register: int, data: Sequence[int], force: bool | None = None
    ) -> None: ...

    def i2c_rdwr(self, *messages: Iterable[int]) -> None: ...


class Bus:
    """Several chips on one pair of wires, told apart by their addresses; the same methods as one chip."""

    def __init__(self, *chips: I2CChip) -> None:
        self.chips = {chip.address: chip for chip in chips}
        if len(self.chips) < len(chips):
            raise ValueError("two chips have the same address: give each its own, such as 0x3C and 0x3D")

    def _chip(self, address: int) -> I2CChip:
        if address not in self.chips:
            raise bus_error(errno.EREMOTEIO)
        return self.chips[address]

    def write_i2c_block_data(
        self, i2c_addr: int, register: int, data: Sequence[int], force: bool | None = None
    ) -> None:
        self._chip(i2c_addr).write_i2c_block_data(i2c_addr, register, data, force)

    def i2c_rdwr(self, *messages: Iterable[int]) -> None:
        for message in messages:
            self._chip(message.addr).i2c_rdwr(message)  # type: ignore[attr-defined]

    def close(self) -> None:
        """Every chip stays as it is."""

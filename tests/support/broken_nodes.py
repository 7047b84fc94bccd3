"""Device nodes that fail, under the real libraries or what stands for them: a test chooses what is raised where."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest
import serial.serialposix
import smbus2.smbus2

from hardware.twins.rc522 import RC522
from hardware.twins.ssd1306 import SSD1306


class Faults:
    """What is raised at which call, until it is mended; and which handles are open."""

    def __init__(self, *faults: tuple[str, Exception]) -> None:
        self.at = dict(faults)
        self.met: list[str] = []
        self.open: set[int] = set()

    def here(self, call: str) -> None:
        if call in self.at:
            self.met.append(call)
            raise self.at[call]

    def opened(self) -> int:
        handle = max(self.open, default=100) + 1
        self.open.add(handle)
        return handle


Place = tuple[int, int]  # SPI bus and chip select


class SpiDev:
    """As `spidev.SpiDev`, over emulated readers; each call may fail. Like that, it keeps open what open() fails in."""

    def __init__(self, chips: dict[Place, RC522], faults: dict[Place, Faults]) -> None:
        self._chips, self._all_faults = chips, faults
        self._handle = 0

    def open(self, bus: int, device: int) -> None:
        self._chip, self._faults = self._chips[bus, device], self._all_faults.get((bus, device), Faults())
        self._faults.here("open")
        self._handle = self._faults.opened()
        self._faults.here("read mode")
        self._chip.open(bus, device)

    def __setattr__(self, name: str, value: object) -> None:
        if name in ("max_speed_hz", "mode"):
            self._faults.here(name)
            setattr(self._chip, name, value)
        else:
            super().__setattr__(name, value)

    def xfer2(self, data: list[int]) -> list[int]:
        self._faults.here("xfer2")
        if len(data) > 20:  # the registers that are watched: in the middle of a poll
            self._faults.here("xfer2 of many")
        return self._chip.xfer2(data)

    def close(self) -> None:
        if self._handle:
            self._faults.open.discard(self._handle)


def spidev_over(chips: dict[Place, RC522], faults: dict[Place, Faults]) -> ModuleType:
    """A module `spidev` that finds these chips."""
    module: Any = ModuleType("spidev")
    module.SpiDev = lambda: SpiDev(chips, faults)
    return module


class _With:
    """A module in whose place this stands, with some of its functions changed."""

    def __init__(self, module: ModuleType, **functions: Callable[..., Any]) -> None:
        self._module = module
        self.__dict__.update(functions)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


def i2c_node(monkeypatch: pytest.MonkeyPatch, chip: SSD1306, faults: Faults) -> None:
    """Let the real smbus2 find `chip` behind /dev/i2c-1. The calls: open, I2C_FUNCS, I2C_SLAVE, I2C_SMBUS, I2C_RDWR."""
    module = smbus2.smbus2
    names = {getattr(module, name): name for name in ("I2C_FUNCS", "I2C_SLAVE", "I2C_SMBUS", "I2C_RDWR")}
    address = 0

    def open_node(path: str, _flags: int) -> int:
        assert path == "/dev/i2c-1"
        faults.here("open")
        return faults.opened()

    def close_node(handle: int) -> None:
        faults.open.remove(handle)

    def ioctl(_handle: int, request: int, argument: Any) -> None:
        nonlocal address
        faults.here(names[request])
        if names[request] == "I2C_FUNCS":
            argument.value = 0xFFFFFFFF
        elif names[request] == "I2C_SLAVE":
            address = argument
        elif names[request] == "I2C_SMBUS":
            block = argument.data.contents.block
            chip.write_i2c_block_data(address, argument.command, list(block[1 : 1 + block[0]]))
        else:
            for index in range(argument.nmsgs):
                chip.i2c_rdwr(argument.msgs[index])

    monkeypatch.setattr(module, "os", _With(os, open=open_node, close=close_node))
    monkeypatch.setattr(module, "ioctl", ioctl)


PORT_CALLS = {
    "os": ("open", "pipe", "read", "write"),
    "fcntl": ("flock", "ioctl", "fcntl"),
    "termios": ("tcgetattr", "tcsetattr", "tcflush"),
    "select": ("select",),
}


def port_node(monkeypatch: pytest.MonkeyPatch, faults: Faults) -> None:
    """Let each system call that the real pyserial makes fail: "open", "tcsetattr", "read", … (see PORT_CALLS)."""
    for name, calls in PORT_CALLS.items():
        module = getattr(serial.serialposix, name)
        functions = {call: _failing(getattr(module, call), call, faults) for call in calls}
        monkeypatch.setattr(serial.serialposix, name, _With(module, **functions))


def _failing(function: Callable[..., Any], call: str, faults: Faults) -> Callable[..., Any]:
    def called(*words: Any) -> Any:
        faults.here(call)
        return function(*words)

    return called


@contextlib.contextmanager
def no_handle_is_left() -> Iterator[None]:
    """Every file descriptor that was opened meanwhile has been closed again."""
    before = set(os.listdir("/proc/self/fd"))
    yield
    left = set(os.listdir("/proc/self/fd")) - before
    targets = []
    for handle in left:
        with contextlib.suppress(OSError):
            targets.append(os.readlink(f"/proc/self/fd/{handle}"))
    assert [target for target in targets if not target.startswith("/proc/")] == []

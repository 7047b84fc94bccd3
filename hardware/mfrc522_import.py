"""Imports the package `mfrc522` without RPi.GPIO and without spidev.

`mfrc522` imports both at once. RPi.GPIO cannot be imported off a Raspberry Pi, does not work on a Pi 5, and is
only used there to raise the reset line; spidev is opened by our own code. So both are placeholders while
`mfrc522` is imported, whether the system has the real ones or not, and `sys.modules` is put back afterwards.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, NoReturn

from hardware.ports import HardwareError

_NAMES = ("RPi", "RPi.GPIO", "spidev")
_PACKAGE = ("mfrc522", "mfrc522.MFRC522", "mfrc522.SimpleMFRC522")


def _nothing(*_args: Any, **_kwargs: Any) -> None:
    """Touches no pin."""


def _no_spidev(*_args: Any, **_kwargs: Any) -> NoReturn:
    raise HardwareError(
        "mfrc522 wanted to open SPI by itself; open it with hardware.rc522.open_spidev"
        " and give it to hardware.rc522.Reader"
    )


def _placeholders() -> dict[str, ModuleType]:
    gpio: Any = ModuleType("RPi.GPIO", "A placeholder: every function does nothing.")
    gpio.BOARD = gpio.BCM = gpio.OUT = None
    gpio.getmode = gpio.setmode = gpio.setup = gpio.output = gpio.cleanup = _nothing
    rpi: Any = ModuleType("RPi", "A placeholder.")
    rpi.__path__ = []
    rpi.GPIO = gpio
    spidev: Any = ModuleType("spidev", "A placeholder: opens nothing.")
    spidev.SpiDev = _no_spidev
    return dict(zip(_NAMES, (rpi, gpio, spidev), strict=True))


def _put_back(saved: dict[str, ModuleType]) -> None:
    for name in _NAMES:
        if name in saved:
            sys.modules[name] = saved[name]
        else:
            sys.modules.pop(name, None)


def _import_mfrc522() -> tuple[Any, Any]:
    """Its modules `MFRC522` and `SimpleMFRC522`; imported afresh if somebody had it with the real RPi.GPIO."""
    saved = {name: sys.modules[name] for name in _NAMES if name in sys.modules}
    foreign = {name: sys.modules.pop(name) for name in _PACKAGE if name in sys.modules}
    sys.modules.update(_placeholders())
    try:
        __import__("mfrc522.MFRC522")
        ours = {name: sys.modules[name] for name in _PACKAGE}
    finally:
        _put_back(saved)
        sys.modules.update(foreign)
    return ours["mfrc522.MFRC522"], ours["mfrc522.SimpleMFRC522"]


# The library's two modules, with the placeholders as their globals `GPIO` and `spidev`.
chip_module, simple_module = _import_mfrc522()
MFRC522: type = chip_module.MFRC522
SimpleMFRC522: type = simple_module.SimpleMFRC522

"""The pins of the machine: how gpiozero comes to them, and in words why one cannot be used.

What opening or using a pin can raise is `pin_faults()`: gpiozero's own errors, the system's, and lgpio's, which is
neither (`lgpio.error`, a plain Exception that has no number).
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import struct
import sys
import tempfile
from pathlib import Path
from typing import Any

import gpiozero

from hardware.nodes import owner_of
from hardware.ports import HardwareError

PIN_LIBRARY = "lgpio"
# GPIO_V2_GET_LINEINFO_IOCTL of linux/gpio.h, for struct gpio_v2_line_info: name, consumer, offset, attributes, flags
_LINE_INFO, _LINE_INFO_FORMAT = 0xC100B405, "=32s32sIIQ160s16s"
_USED = 1 << 0  # GPIO_V2_LINE_FLAG_USED


class PinsError(HardwareError, RuntimeError):
    """No pin at all can be used; the message says why."""


def choose_pin_library() -> None:
    """Before the first pin: gpiozero takes lgpio, and lgpio a folder that it may write to.

    On import lgpio makes a pipe in the folder LG_WD, goes there for good, and opens it. So the folder is one of our
    own each time: a pipe that somebody else has left in /tmp may not be replaced. It is removed as soon as the pipe
    is open, and the working directory is what it was.
    """
    # gpiozero would try RPi.GPIO where lgpio fails: that one does not work on a Pi 5, and is never wanted here
    os.environ.setdefault("GPIOZERO_PIN_FACTORY", PIN_LIBRARY)
    if os.environ["GPIOZERO_PIN_FACTORY"] != PIN_LIBRARY or PIN_LIBRARY in sys.modules:
        return
    here = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        folder = tempfile.mkdtemp(prefix="tacocat-pins-", dir=os.environ.get("RUNTIME_DIRECTORY"))
    except OSError as error:
        os.close(here)
        raise PinsError(f"lgpio has no folder for its pipe: {error}") from error
    before = os.environ.get("LG_WD")
    os.environ["LG_WD"] = folder
    try:
        # whoever opens the first pin says what is missing; here it only has to find its folder
        with contextlib.suppress(ImportError, OSError):
            __import__(PIN_LIBRARY)
    finally:
        os.fchdir(here)
        os.close(here)
        shutil.rmtree(folder, ignore_errors=True)
        if before is None:
            del os.environ["LG_WD"]
        else:
            os.environ["LG_WD"] = before


def pin_faults() -> tuple[type[Exception], ...]:
    """What opening, reading or setting a pin can raise. For an `except`: it is asked when something was raised."""
    known: list[type[Exception]] = [gpiozero.GPIOZeroError, OSError, HardwareError]
    error = getattr(sys.modules.get(PIN_LIBRARY), "error", None)
    if isinstance(error, type) and issubclass(error, Exception):
        known.append(error)
    return tuple(known)


def opening_faults() -> tuple[type[Exception], ...]:
    """`pin_faults()`, and that a library which gpiozero tries is missing."""
    return (*pin_faults(), ImportError)


def why_not(pin: int, fault: BaseException, factory: Any = None, root: Path = Path("/")) -> str:
    """In words why a pin (BCM number) cannot be used. `factory`: gpiozero's, None for its own choice."""
    factory = factory or gpiozero.Device.pin_factory
    number = getattr(factory, "chip", getattr(factory, "_chip", None))
    device = root / "dev" / f"gpiochip{0 if number is None else number}"
    if type(fault).__module__ == PIN_LIBRARY:
        text = str(fault.args[0]) if fault.args else str(fault)
        if "busy" in text:
            user = consumer_of(device, pin)
            return f"GPIO {pin} is used by {user}" if user else f"GPIO {pin} is used by another program or driver"
        if "open gpiochip" in text:
            return f"GPIO {pin}: {_closed(device)}"
        return f"GPIO {pin}: {text}"
    return f"GPIO {pin}: {type(fault).__name__}: {fault}"


def _closed(device: Path) -> str:
    """Why a gpiochip could not be opened."""
    try:
        os.close(os.open(device, os.O_RDWR | os.O_CLOEXEC))
    except OSError as error:
        if not isinstance(error, PermissionError):
            return f"{device} cannot be opened: {error.strerror}"
        return f"{device} may not be opened: it belongs to {owner_of(device)}"
    return f"{device} could not be opened"


def consumer_of(device: Path, line: int) -> str:
    """Who has this line of a gpiochip, by the name that the kernel knows; "" if nobody, or if it does not say."""
    try:
        handle = os.open(device, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        asked = struct.pack(_LINE_INFO_FORMAT, b"", b"", line, 0, 0, b"", b"")
        answer = fcntl.ioctl(handle, _LINE_INFO, asked)
    except OSError:
        return ""
    finally:
        os.close(handle)
    _, consumer, _, _, flags, _, _ = struct.unpack(_LINE_INFO_FORMAT, answer)
    return str(consumer.rstrip(b"\0").decode(errors="replace")) if flags & _USED else ""

"""Opening the parts of the table: on the device, or on the twins. The one place where a backend is chosen."""

from __future__ import annotations

from firmware.config.values import Config
from firmware.errors import FirmwareError
from firmware.wiring.parts import Parts, Tell, Wake, asleep

BACKENDS = ("pi", "virtual")


def open_parts(backend: str, config: Config, tell: Tell, wake: Wake = asleep) -> Parts:
    """Open all parts. `tell` gets what strip and screen report of themselves, from their threads; `wake` is called
    there too, when a button has moved and its source is to be polled.

    Raises FirmwareError for an unknown backend, HardwareError or OSError for a part without which nothing works.
    """
    # each imported only where it is wanted: a device has no use for emulated chips, nor a table without pins for lgpio
    if backend == "pi":
        from firmware.wiring.device import open_device

        return open_device(config, tell, wake)
    if backend == "virtual":
        from firmware.virtual.parts import open_virtual

        return open_virtual(config, tell, wake=wake)
    raise FirmwareError(f"the backend {backend!r} is not known; known are {', '.join(BACKENDS)}")

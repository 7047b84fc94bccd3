"""What every emulated chip raises instead of guessing."""

from __future__ import annotations

from hardware.ports import HardwareError


class Refused(HardwareError):
    """A driver asked for something that the real chip would not understand."""

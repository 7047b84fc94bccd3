"""The emulated parts of one table, together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hardware.ports import Clock
from hardware.twins.gpio import Desk
from hardware.twins.pico import PicoProcess
from hardware.twins.rc522 import RC522
from hardware.twins.ssd1306 import SSD1306


@dataclass(frozen=True, slots=True)
class Twins:
    """The emulated parts of one table. `pads` has a reader for "yay" and one for "wow"."""

    pads: Mapping[str, RC522]
    desk: Desk
    strip: PicoProcess
    screen: SSD1306
    clock: Clock

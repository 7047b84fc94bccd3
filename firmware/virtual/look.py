"""What lies between a window and the twins: the picture that an eye has of them, and their plugs."""

from __future__ import annotations

import base64
from typing import Any

from firmware.virtual.deck import Printed
from firmware.virtual.world import World
from hardware.twins.table import Twins


class Cables:
    """The plugs of the emulated parts, for trying out what the table does without one of them."""

    def __init__(self, twins: Twins) -> None:
        self._twins = twins
        self.pulled: set[str] = set()

    def plug(self, part: str, plugged_in: bool) -> None:
        if plugged_in == (part not in self.pulled):
            return
        self.pulled.symmetric_difference_update({part})
        if part.startswith("pad "):
            reader = self._twins.pads[part.removeprefix("pad ")]
            reader.mute = None if plugged_in else 0x00
            reader.brown_out()
        else:
            device = self._twins.strip if part == "strip" else self._twins.screen
            device.plug_in() if plugged_in else device.unplug()


class Look:
    """What an eye sees of the twins, as named JSON values; each is sent when it has changed."""

    def __init__(self, twins: Twins, world: World, printed: Printed, cables: Cables) -> None:
        self._twins, self._world, self._cables = twins, world, cables
        self._reverse = printed.reverse
        names = ("deck", "board", "arrows", "mode", "leds")
        self.parts: dict[str, Any] = {"printed": {name: getattr(printed, name) for name in names}}

    def again(self) -> bool:
        """Look again; whether anything has changed."""
        twins, screen = self._twins, self._twins.screen
        lit = twins.strip.lit()
        parts = {
            "printed": self.parts["printed"],
            "strip": "".join(bytes(colour).hex() for colour in (reversed(lit) if self._reverse else lit)),
            "screen": {
                "on": screen.on,
                "contrast": screen.contrast,
                "bits": base64.b64encode(screen.image().tobytes()).decode(),
            },
            "lamps": sorted(twins.desk.lamps()),
            "unplugged": sorted(self._cables.pulled),
            "table": self._world.view(),
        }
        changed = parts != self.parts
        self.parts = parts
        return changed

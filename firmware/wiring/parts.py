"""The parts of the table: the drivers over whatever buses a backend has, and what the configuration wires to whom."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import gpiozero

from firmware.config.values import Config, PadWiring
from firmware.views.strip import StripLayout
from hardware.controls import Controls
from hardware.oled import Oled
from hardware.pads import Pads
from hardware.panels import Opener
from hardware.ports import Buzzer, Clock, HardwareEvent, Health, Lamps, PartState, Screen, Strip
from hardware.rc522 import Reader
from hardware.strip import PicoStrip

if TYPE_CHECKING:
    from hardware.twins.table import Twins

PICO_PROGRAM = Path(__file__).parents[1] / "pico"

Tell = Callable[[HardwareEvent], None]
Wake = Callable[[], None]


BUZZER = "buzzer"  # its name among the parts


def asleep() -> None:
    """A `Wake` of somebody who looks often enough by himself."""


@dataclass(frozen=True, slots=True)
class Outputs:
    """The parts that show something. All of them take it at once and do the work elsewhere."""

    strip: Strip
    screen: Screen
    lamps: Lamps
    buzzer: Buzzer


@dataclass(frozen=True, slots=True)
class Openings:
    """How each part is opened on one backend: what the drivers are put over.

    `readers`: player to what opens that player's reader, again after a fault too. `buttons`: see `buttons_of`.
    `buzzer`: a BCM pin, None if there is none. `pin_factory`: gpiozero's, None for its own choice. `strip` makes
    the strip's driver, whose keywords are those of `hardware.strip.PicoStrip`. `twins`: the emulated parts, None on
    the device.
    """

    clock: Clock
    readers: Mapping[str, Callable[[], Reader]]
    buttons: Mapping[str, tuple[int, int | None]]
    buzzer: int | None
    pin_factory: gpiozero.Factory | None
    panels: Sequence[Opener]
    strip: Callable[..., PicoStrip]
    twins: Twins | None = None


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything on the table, open. `twins` is None on the device.

    A context manager: closes in reverse order, and one failure does not stop the rest.
    """

    clock: Clock
    pads: Pads
    controls: Controls
    outputs: Outputs
    twins: Twins | None
    closing: ExitStack

    def __enter__(self) -> Parts:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Strip dark, screen off, all closed; may be called twice."""
        self.closing.close()


def sides(config: Config) -> dict[str, str]:
    """Player to the wiring that is used for it: turned round if the players sit the other way."""
    return {"yay": "wow", "wow": "yay"} if config.swap_sides else {"yay": "yay", "wow": "wow"}


def layout_of(config: Config) -> StripLayout:
    return StripLayout(config.track.goal_leds, config.track.space_leds, config.track.brightness)


def buttons_of(config: Config) -> dict[str, tuple[int, int | None]]:
    """Player to (BCM pin of the button, BCM pin of the lamp)."""
    pins = config.controls
    wired = {"yay": (pins.button_yay, pins.lamp_yay), "wow": (pins.button_wow, pins.lamp_wow)}
    return {player: wired[side] for player, side in sides(config).items()}


def pads_of(config: Config) -> dict[str, PadWiring]:
    """Player to the wiring of that player's reader."""
    wired = {"yay": config.pads.yay, "wow": config.pads.wow}
    return {player: wired[side] for player, side in sides(config).items()}


def assemble(config: Config, openings: Openings, closing: ExitStack, tell: Tell, wake: Wake = asleep) -> Parts:
    """The drivers over what the backend opens: the same for all backends. `closing` goes into the parts."""
    clock, panels = openings.clock, list(openings.panels)
    # told before the parts begin to tell of themselves: what they say is newer
    for part in ("strip", *(("screen", "screen 2")[: len(panels)])):
        tell(PartState(part, Health.SEARCHING, "just switched on", clock.now_ms()))
    # Closed in the other direction: what gives light is made dark before anything that could hang.
    pads = Pads(openings.readers, settle_ms=config.pads.settle_ms, one_antenna=config.pads.one_antenna)
    closing.callback(pads.close)
    controls = Controls(openings.buttons, openings.buzzer, clock, pin_factory=openings.pin_factory, wake=wake)
    closing.callback(controls.close)
    screen = Oled(panels, clock, on_change=tell)
    closing.callback(screen.close)
    strip = openings.strip(
        leds=layout_of(config).leds,
        reverse=config.track.reverse is not config.swap_sides,
        colour_order=config.track.colour_order,
        budget_ma=config.track.budget_ma,
        on_change=tell,
    )
    closing.callback(strip.close)
    outputs = Outputs(strip, screen, controls, controls.buzzer)
    return Parts(clock, pads, controls, outputs, openings.twins, closing.pop_all())

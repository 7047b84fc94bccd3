"""Opening the parts of the table: on the device, or on the twins. The one place where a backend is chosen."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import gpiozero

from firmware.config import Config, PadWiring
from firmware.errors import FirmwareError
from firmware.loop import Outputs
from firmware.strip import StripLayout
from firmware.virtual.world import Twins
from hardware.controls import Controls
from hardware.oled import Oled
from hardware.pads import Pads
from hardware.panels import Opener
from hardware.ports import Clock, HardwareEvent, Health, PartState, SystemClock
from hardware.rc522 import Reader, open_spidev
from hardware.track import Track, find_picos
from hardware.twins.gpio import Desk
from hardware.twins.pico import PicoProcess
from hardware.twins.rc522 import RC522
from hardware.twins.ssd1306 import SSD1306, Bus
from hardware.twins.virtual_time import LiveTime, VirtualTime

PICO_PROGRAM = Path(__file__).parent / "pico"
BACKENDS = ("pi", "virtual")

Tell = Callable[[HardwareEvent], None]


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


def open_parts(backend: str, config: Config, tell: Tell) -> Parts:
    """Open all parts. `tell` gets what strip and screen report of themselves, from their threads.

    Raises FirmwareError for an unknown backend, HardwareError or OSError for a part without which nothing works.
    """
    if backend == "pi":
        return _open_pi(config, tell)
    if backend == "virtual":
        return open_virtual(config, tell)
    raise FirmwareError(f"the backend {backend!r} is not known; known are {', '.join(BACKENDS)}")


def seats(config: Config) -> dict[str, str]:
    """Player to the wiring that is used for it: turned round if the players sit the other way."""
    return {"yay": "wow", "wow": "yay"} if config.swap_sides else {"yay": "yay", "wow": "wow"}


def layout_of(config: Config) -> StripLayout:
    return StripLayout(config.track.goal_leds, config.track.space_leds, config.track.brightness)


def buttons_of(config: Config) -> dict[str, tuple[int, int | None]]:
    """Player to (BCM pin of the button, BCM pin of the lamp)."""
    pins = config.controls
    wired = {"yay": (pins.button_yay, pins.lamp_yay), "wow": (pins.button_wow, pins.lamp_wow)}
    return {player: wired[seat] for player, seat in seats(config).items()}


def pads_of(config: Config) -> dict[str, PadWiring]:
    """Player to the wiring of that player's reader."""
    wired = {"yay": config.pads.yay, "wow": config.pads.wow}
    return {player: wired[seat] for player, seat in seats(config).items()}


def assemble(
    config: Config, clock: Clock, closing: ExitStack, tell: Tell, *,
    readers: Mapping[str, Callable[[], Reader]], buttons: Mapping[str, tuple[int, int | None]], buzzer: int | None,
    factory: gpiozero.Factory | None, panels: list[Opener], track: Callable[..., Track], twins: Twins | None = None,
) -> Parts:  # fmt: skip
    """The drivers over whatever buses the backend has: the same for all backends. `closing` goes into the parts."""
    leds = layout_of(config).leds
    # told before the parts begin to tell of themselves: what they say is newer
    for part in ("strip", *(("screen", "screen 2")[: len(panels)])):
        tell(PartState(part, Health.SEARCHING, "just switched on", clock.now_ms()))
    # Closed in the other direction: what gives light is made dark before anything that could hang.
    pads = Pads(readers, one_antenna=config.pads.one_antenna)
    closing.callback(pads.close)
    controls = Controls(buttons, buzzer, clock, pin_factory=factory)
    closing.callback(controls.close)
    screen = Oled(panels, clock, on_change=tell)
    closing.callback(screen.close)
    strip = track(
        leds=leds, reverse=config.track.reverse is not config.swap_sides,
        colour_order=config.track.colour_order, budget_ma=config.track.budget_ma, on_change=tell,
    )  # fmt: skip
    closing.callback(strip.close)
    outputs = Outputs(strip, screen, controls, controls.buzzer)
    return Parts(clock, pads, controls, outputs, twins, closing.pop_all())


# ---- the device ----------------------------------------------------------------------------


def _open_pi(config: Config, tell: Tell) -> Parts:
    choose_pin_library()
    clock = SystemClock()
    with ExitStack() as closing:
        readers = {
            player: partial(open_reader, wiring, _reset_line(wiring, closing))
            for player, wiring in pads_of(config).items()
        }
        return assemble(
            config, clock, closing, tell,
            readers=readers, buttons=buttons_of(config), buzzer=config.controls.buzzer, factory=None,
            panels=panels_of(config, None), track=partial(Track, find_picos, clock),
        )  # fmt: skip


def choose_pin_library() -> None:
    """Before the first pin: gpiozero takes lgpio, and lgpio a folder that it may write to."""
    # gpiozero would try RPi.GPIO where lgpio fails: that one does not work on a Pi 5, and is never wanted here
    os.environ.setdefault("GPIOZERO_PIN_FACTORY", "lgpio")
    # lgpio makes a file in the working directory on import, where a service may not write
    os.environ.setdefault("LG_WD", os.environ.get("RUNTIME_DIRECTORY", "/tmp"))


def _reset_line(wiring: PadWiring, closing: ExitStack) -> gpiozero.OutputDevice | None:
    """The output on NRST, held for good: a reader that is opened again uses it again."""
    if wiring.reset is None:
        return None
    try:
        line = gpiozero.OutputDevice(wiring.reset, initial_value=True)
    except (gpiozero.GPIOZeroError, OSError) as error:
        raise FirmwareError(
            f"GPIO {wiring.reset}, the reset line of a reader, cannot be used: {error}. "
            "'tacocat check' says what is in the way."
        ) from error
    closing.callback(line.close)
    return line


def open_reader(wiring: PadWiring, reset: gpiozero.OutputDevice | None) -> Reader:
    return Reader(open_spidev(wiring.spi_bus, wiring.chip_select, wiring.speed_hz), reset)


def panels_of(config: Config, bus: object) -> list[Opener]:
    """How to open each panel. The second one, on the other side of the table, is turned round."""
    screen = config.screen
    if screen.controller == "none":
        return []
    turn = 2 if (screen.rotate == 180) is not config.swap_sides else 0
    panels = [Opener(screen.controller, screen.address, screen.i2c_bus, turn, bus)]
    if screen.second_address is not None:
        panels.append(Opener(screen.controller, screen.second_address, screen.i2c_bus, 2 - turn, bus))
    return panels


# ---- the twins -----------------------------------------------------------------------------


def open_virtual(config: Config, tell: Tell, time: VirtualTime | None = None) -> Parts:
    """The same drivers on emulated chips. `time`: their clock, None for one that follows the machine's.

    The Pico's program runs in a process of its own, in real time, and so does the link to it.
    """
    clock = time or LiveTime()
    chips = {player: RC522(clock) for player in pads_of(config)}
    desk = Desk(buttons_of(config), config.controls.buzzer, clock)
    panel = SSD1306(config.screen.address)
    with ExitStack() as closing:
        pico = closing.enter_context(PicoProcess(PICO_PROGRAM, leds=layout_of(config).leds))
        return assemble(
            config, clock, closing, tell,
            readers={
                player: partial(_open_twin, chips[player], wiring) for player, wiring in pads_of(config).items()
            },
            buttons=buttons_of(config), buzzer=config.controls.buzzer, factory=desk.factory,
            panels=[Opener("ssd1306", config.screen.address, bus=Bus(panel))],
            track=partial(Track, pico.find_ports, SystemClock() if time else clock),
            twins=Twins(chips, desk, pico, panel, clock),
        )  # fmt: skip


def _open_twin(chip: RC522, wiring: PadWiring) -> Reader:
    chip.open(wiring.spi_bus, wiring.chip_select)  # as spidev is opened, also again after a fault
    chip.max_speed_hz = wiring.speed_hz
    return Reader(chip)

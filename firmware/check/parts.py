"""The strip, the screen, the buttons with their lamps, and the buzzer, each looked at by one probe.

A probe gets a `Bench`, makes its part do something, and returns its row. What only people can see, hear or press
is asked for if there is somebody to ask.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from PIL import Image, ImageDraw

from engine.board import SPACES
from firmware.check import remedies
from firmware.check.rows import NO, YES, Ask, Say
from firmware.check.system import System
from firmware.config.toml_reader import NONE
from firmware.table.findings import Row, fault, ok, skipped
from firmware.wiring.parts import BUZZER, Parts, buttons_of, layout_of, sides
from hardware import frames
from hardware.link import FoundPort
from hardware.oled import Oled
from hardware.panels import HEIGHT_PX, WIDTH_PX
from hardware.ports import Colour, HardwareEvent, Health, Holding, Note, PartState, Picture, Pressed, Run
from hardware.strip import PicoStrip

ROUND_MS = 20
PRESS_MS, RELEASE_MS = 15_000, 4_000
SETTLE_MS = 60  # longer than any bounce: by then a press has been reported
SCREEN_MS = 1_500  # a panel that was away is tried again within 1 s
LED_LEVEL = 48  # of 255
CHANNEL_MA = 20  # of one colour channel at 255 (docs/device.md, Track)
DOT_MS = 4_000
TONES = (Note(440, 200), Note(0, 60), Note(880, 200), Note(0, 60), Note(1760, 200))
COLOURS: dict[str, Colour] = {"red": (1, 0, 0), "green": (0, 1, 0), "blue": (0, 0, 1)}
NOBODY = "nobody answered"


@dataclass(frozen=True, slots=True)
class Bench:
    """What a probe works on. `ask` is None if there is nobody to ask.

    `broken`: the pins that could not be opened, by name ("button yay", "lamp wow", "buzzer", "reset yay"), with why.
    While a check runs, nobody else may poll `parts.pads` or `parts.controls`.
    """

    parts: Parts
    system: System
    ask: Ask | None
    say: Say
    broken: Mapping[str, str] = field(default_factory=dict)

    @property
    def now_ms(self) -> int:
        return self.parts.clock.now_ms()

    def side(self, player: str) -> str:
        """The section of the configuration whose wiring this player uses."""
        return sides(self.system.config)[player]

    def gpio(self, name: str) -> int:
        """Of "button yay", "lamp yay", "buzzer"."""
        pins = {BUZZER: self.system.config.controls.buzzer}
        for player, (button, lamp) in buttons_of(self.system.config).items():
            pins |= {f"button {player}": button, f"lamp {player}": lamp}
        pin = pins[name]
        assert pin is not None, f"the configuration has no {name}"
        return pin

    def events(self) -> list[HardwareEvent]:
        """One round over buttons and buzzer, and a pause."""
        happened = self.parts.controls.poll(self.now_ms)
        self.system.pause_ms(ROUND_MS)
        return happened

    def rest(self, ms: int) -> None:
        """Let so much time pass; what happens at the buttons meanwhile is of no interest."""
        end_ms = self.now_ms + ms
        while self.now_ms < end_ms:
            self.events()

    def until(self, condition: Callable[[], bool], timeout_ms: int) -> bool:
        end_ms = self.now_ms + timeout_ms
        while not condition():
            if self.now_ms >= end_ms:
                return False
        return True

    def pin_fault(self, name: str) -> Row | None:
        """The row of a pin that could not be opened, if it is one."""
        if name not in self.broken:
            return None
        gpio = self.gpio(name)
        kind, _, player = name.partition(" ")
        key = f"{kind}_{self.side(player)}" if player else kind
        return fault(name, self.broken[name], remedies.pin_in_use(f"{key} in [controls]", gpio))


# ---- the strip -----------------------------------------------------------------------------

STRIP = "strip"


def probe_strip(bench: Bench) -> Row:
    """Hello, colours and a running LED; what the Pico says that it shows is compared with what it was sent."""
    strip = bench.parts.outputs.strip
    assert isinstance(strip, PicoStrip)
    lit, level = _affordable(strip.setup.leds, strip.setup.budget_ma)
    for name in COLOURS:
        row = _strip_shows(bench, strip, _filled(strip.setup.leds, lit, name, level), name)
        if row is not None:
            return row
    leds = strip.setup.leds
    for led in _stations(bench):
        dot = tuple((level, level, level) if i == led else (0, 0, 0) for i in range(leds))
        row = _strip_shows(bench, strip, Picture(dot), f"LED {led + 1} of {leds}")
        if row is not None:
            return row
    found = f"{strip.state().detail}, its program has version {frames.VERSION}; colours and a running LED came back"
    return _ask_colours(bench, strip, lit, level) or _ask_dot(bench, strip, level) or ok(STRIP, found)


def _affordable(leds: int, budget_ma: int) -> tuple[int, int]:
    """(how many LEDs, how bright) one channel can be lit without the Pico's limit changing it."""
    spare = (budget_ma - leds) * 255 // CHANNEL_MA
    lit = min(leds, max(1, spare // LED_LEVEL))
    return lit, min(LED_LEVEL, spare // lit, spare // 3)  # a white dot has three channels


def _filled(leds: int, lit: int, name: str, level: int) -> Picture:
    red, green, blue = (channel * level for channel in COLOURS[name])
    return Picture(((red, green, blue),) * lit + ((0, 0, 0),) * (leds - lit))


def _stations(bench: Bench) -> list[int]:
    """The first LED of each goal and space, and the last of all."""
    layout = layout_of(bench.system.config)
    firsts = [layout.span(space)[0] for space in range(SPACES + 2) if layout.span(space)[1]]
    return sorted({*firsts, layout.leds - 1})


def _strip_shows(bench: Bench, strip: PicoStrip, picture: Picture, what: str) -> Row | None:
    """Show a still picture and read it back; the row of the fault if that failed."""
    strip.show(picture)
    if not strip.wait_shown(bench.system.strip_s if _ports(bench) else min(1.0, bench.system.strip_s)):
        return _strip_is_mute(bench, strip.state())
    state = strip.state()
    lit = strip.read_back(bench.system.strip_s)
    if lit is None:
        return _strip_is_mute(bench, state)
    if lit != picture.still:
        if len(lit) != len(picture.still):
            differs = f"has {len(lit)} LEDs, not {len(picture.still)}"
        else:
            led = next(i for i, (a, b) in enumerate(zip(lit, picture.still, strict=True)) if a != b)
            differs = f"shows {lit[led]} at LED {led + 1}, not {picture.still[led]}"
        return fault(STRIP, f"{state.detail}: sent {what}, it {differs}", remedies.FLASH_PICO)
    return None


def _strip_is_mute(bench: Bench, state: PartState) -> Row:
    ports = _ports(bench)
    if not ports:
        return fault(STRIP, state.detail, remedies.PLUG_IN_PICO)
    if "in use" in state.detail:  # here and below: the words of hardware.strip for a port that cannot be used
        return fault(STRIP, state.detail, remedies.pico_in_use(_path_in(state.detail, ports)))
    serial = bench.system.config.track.serial
    if bench.parts.twins is None and serial is not None and serial.lower() not in (p.serial.lower() for p in ports):
        return fault(STRIP, state.detail, remedies.other_serial(serial))
    if "may not open" in state.detail:
        return fault(STRIP, state.detail, remedies.device_closed(_path_in(state.detail, ports), "dialout"))
    if "cannot open" in state.detail or "is gone" in state.detail or "nobody takes" in state.detail:
        return fault(STRIP, state.detail, remedies.PLUG_IN_AGAIN)
    found = state.detail
    if state.health is Health.CONNECTED:
        found += ": it does not answer any more"
    return fault(STRIP, found, remedies.FLASH_PICO)


def _path_in(detail: str, ports: Sequence[FoundPort]) -> str:
    """The port that these words are about: of several Picos not only the first can be in use."""
    told = (port.path for port in ports if re.search(rf"{re.escape(port.path)}\b", detail))
    return next(told, ports[0].path)  # it may have another name by now


def _ports(bench: Bench) -> Sequence[FoundPort]:
    twins = bench.parts.twins
    return twins.strip.find_ports() if twins is not None else bench.system.strip_ports()


def _ask_colours(bench: Bench, strip: PicoStrip, lit: int, level: int) -> Row | None:
    """People say which colours they see; out of that comes the order in which the strip is wired."""
    if bench.ask is None:
        return None
    leds, order = strip.setup.leds, strip.setup.colour_order
    where = "strip" if lit == leds else f"beginning of the strip ({lit} LEDs)"
    wired = list(order)
    for name in COLOURS:
        strip.show(_filled(leds, lit, name, level))
        seen = bench.ask(f"The whole {where} has one colour. Which?", (*COLOURS, "none of these"))
        if seen is None:
            return skipped(STRIP, f"{NOBODY} what colour the strip shows; it says that it shows what it is sent")
        if seen not in COLOURS:
            return fault(STRIP, f"{name} is not seen as one colour over the whole {where}", remedies.STRIP_DATA)
        wired[order.index(name[0].upper())] = seen[0].upper()
    wires = "".join(wired)
    if wires == order:
        return None
    if sorted(wires) != sorted(order):
        return fault(STRIP, "two of red, green and blue look the same", remedies.STRIP_DATA)
    return fault(STRIP, f"red, green and blue are mixed up: the colour order is {order}", remedies.colour_order(wires))


def _ask_dot(bench: Bench, strip: PicoStrip, level: int) -> Row | None:
    if bench.ask is None:
        return None
    leds = strip.setup.leds
    dot = Run(0, leds, (level, level, level), DOT_MS, start_ms=bench.now_ms)
    strip.show(Picture(((0, 0, 0),) * leds, (dot,)))
    answer = bench.ask(
        "A white dot runs over every LED, from the end of YAY to the end of WOW. Does it?",
        (YES, "the other way", "not over all"),
    )
    if answer is None:
        return skipped(STRIP, f"{NOBODY} how the dot runs; the colours are right")
    if answer == "the other way":
        return fault(STRIP, "it runs from WOW to YAY", remedies.strip_other_way(bench.system.config.track.reverse))
    return None if answer == YES else fault(STRIP, "the dot does not run over all LEDs", remedies.strip_length(leds))


# ---- the screen ----------------------------------------------------------------------------

SCREEN = "screen"
LOOKS = (YES, "upside down", "shifted or cut", "dark or noise")


def sample_picture() -> Image.Image:
    """A frame along all four edges and an arrow that points up: mode "1", 128 x 64."""
    image = Image.new("1", (WIDTH_PX, HEIGHT_PX))
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 0, WIDTH_PX - 1, HEIGHT_PX - 1), outline="white")
    middle = WIDTH_PX // 2
    tip, head, end = 8, 32, 55  # rows
    left, right = ((middle - 20, head), (middle - 7, head)), ((middle + 7, head), (middle + 20, head))
    pen.polygon(((middle, tip), *left, (middle - 7, end), (middle + 7, end), *right), fill="white")
    return image


def probe_screens(bench: Bench) -> list[Row]:
    """One row for each panel: whether it answers at its address, and what is seen of the test picture."""
    screen, config = bench.parts.outputs.screen, bench.system.config.screen
    assert isinstance(screen, Oled)
    if config.controller == NONE or not screen.states():
        return [skipped(SCREEN, "the configuration has no screen")]
    bench.until(lambda: _show_on(bench, screen), SCREEN_MS)
    rows = []
    addresses = (config.address, config.second_address)
    for state, why, address in zip(screen.states(), screen.faults(), addresses, strict=False):
        assert address is not None
        if state.health is Health.CONNECTED:
            rows.append(_ask_screen(bench, state) or ok(state.part, f"{state.detail} took a test picture"))
        else:
            rows.append(fault(state.part, f"no answer from {state.detail}", _screen_remedy(bench, why, address)))
    return rows


def _screen_remedy(bench: Bench, why: Exception | None, address: int) -> str:
    system, bus = bench.system, bench.system.config.screen.i2c_bus
    match why:
        case OSError(errno=errno.EACCES | errno.EPERM) if "i2c" in system.groups or system.is_root:
            return remedies.device_closed(f"/dev/i2c-{bus}", "i2c")
        case OSError(errno=errno.EACCES | errno.EPERM):
            return remedies.join_groups(system.user, ["i2c"], (), system.listed)
        case OSError(errno=errno.ENOENT | errno.ENODEV):
            return remedies.switch_on_i2c(bus)
        case OSError(errno=errno.EBUSY):
            return remedies.screen_has_a_driver(address)
        case OSError(errno=errno.ENOTTY | errno.EINVAL | errno.EMFILE | errno.ENFILE | errno.ENOMEM):
            return remedies.bus_fails("I2C", "screen")
        case _:
            return remedies.screen_wires(bus, address)


def _show_on(bench: Bench, screen: Oled) -> bool:
    """Whether all panels have taken the picture. A dark one first: only what differs goes over the bus."""
    for image in (Image.new("1", (WIDTH_PX, HEIGHT_PX)), sample_picture()):
        screen.show(image)
        if not screen.settle():
            return False
    if screen.state().health is Health.CONNECTED:
        return True
    bench.system.pause_ms(250)
    return False


def _ask_screen(bench: Bench, state: PartState) -> Row | None:
    if bench.ask is None:
        return None
    config = bench.system.config.screen
    which = "The screen" if state.part == SCREEN else "The second screen, seen from the other side,"
    answer = bench.ask(f"{which} has a frame along all four edges, and an arrow that points up. Is it so?", LOOKS)
    if answer is None:
        return skipped(state.part, f"{NOBODY} what it shows; {state.detail} answers")
    remedy = {
        "upside down": remedies.screen_upside_down(config.rotate),
        "shifted or cut": remedies.screen_shifted(config.controller),
        "dark or noise": remedies.screen_dark(config.controller),
    }
    return None if answer == YES else fault(state.part, f"{state.detail} answers; it is seen {answer}", remedy[answer])


# ---- buttons, lamps, buzzer ----------------------------------------------------------------


def players(bench: Bench) -> tuple[str, ...]:
    return tuple(buttons_of(bench.system.config))


def probe_button(bench: Bench, player: str) -> Row:
    name = f"button {player}"
    gpio, controls = bench.gpio(name), bench.parts.controls
    broken = bench.pin_fault(name)
    if broken is not None:
        return broken
    bench.rest(SETTLE_MS)
    if player in controls.closed():
        found = f"GPIO {gpio} is closed though nobody was asked to press"
        return fault(name, found, remedies.button_closed(player, gpio))
    if bench.ask is None:
        return ok(name, f"GPIO {gpio} is open at rest; no press was asked for")
    bench.say(f"Press the button of {player.upper()} and let go ({PRESS_MS // 1000} s).")
    stuck, pressed = controls.closed(), set[str]()  # one that sticks has a row of its own

    def press() -> bool:
        pressed.update((_pressed(bench.events()) | controls.closed()) - stuck)
        return bool(pressed)

    def released() -> bool:
        bench.rest(SETTLE_MS)
        return pressed.isdisjoint(controls.closed())

    if not bench.until(press, PRESS_MS):
        found = f"GPIO {gpio} did not change within {PRESS_MS // 1000} s"
        return fault(name, found, remedies.button_silent(player, gpio))
    let_go = bench.until(released, RELEASE_MS)
    if player not in pressed:
        return fault(name, f"the press came from the button of {min(pressed).upper()}", remedies.buttons_swapped())
    if not let_go:
        return fault(name, f"GPIO {gpio} stays closed after the press", remedies.button_closed(player, gpio))
    return ok(name, f"GPIO {gpio} was pressed and released")


def _pressed(events: Sequence[HardwareEvent]) -> set[str]:
    return {event.button for event in events if isinstance(event, Pressed | Holding) and event.button is not None}


def probe_lamp(bench: Bench, player: str) -> Row:
    name = f"lamp {player}"
    gpio, controls = bench.gpio(name), bench.parts.controls
    if f"button {player}" in bench.broken:
        return skipped(name, "its button cannot be used")
    broken = bench.pin_fault(name)
    if broken is not None:
        return broken
    controls.light(frozenset({player}))
    try:
        if player not in controls.lit():
            return fault(name, f"GPIO {gpio} is on, and has no voltage", remedies.lamp_shorted(player, gpio))
        if bench.ask is None:
            return ok(name, f"GPIO {gpio} goes on; nobody was asked whether it is lit")
        answer = bench.ask(
            f"The lamp in the button of {player.upper()}, and no other, is lit. Is it?", (YES, NO, "the other one")
        )
    finally:
        controls.light(frozenset())
    if answer is None:
        return skipped(name, f"{NOBODY} whether it is lit; GPIO {gpio} goes on")
    if answer == YES:
        return ok(name, f"GPIO {gpio} lights it")
    if answer == NO:
        return fault(name, f"GPIO {gpio} goes on, and it is dark", remedies.lamp_dark(player, gpio))
    return fault(name, f"GPIO {gpio} lights the other player's lamp", remedies.lamps_swapped())


def probe_buzzer(bench: Bench) -> Row:
    gpio = bench.system.config.controls.buzzer
    if gpio is None:
        return skipped(BUZZER, "the configuration has none")
    broken = bench.pin_fault(BUZZER)
    if broken is not None:
        return broken
    bench.parts.outputs.buzzer.play(TONES, bench.now_ms)
    bench.rest(sum(note.ms for note in TONES) + ROUND_MS)
    if bench.ask is None:
        return ok(BUZZER, f"GPIO {gpio} played three tones; nobody was asked whether they were heard")
    answer = bench.ask("Three rising tones were played. Did you hear them?", (YES, NO))
    if answer is None:
        return skipped(BUZZER, f"{NOBODY} whether the tones were heard; GPIO {gpio} played them")
    return (
        ok(BUZZER, "three tones were heard")
        if answer == YES
        else fault(BUZZER, f"GPIO {gpio} played three tones that nobody heard", remedies.buzzer_silent(gpio))
    )

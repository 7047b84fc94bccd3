"""`tacocat check`: each part in turn, what was found, and for each fault what to do.

`run_check` looks at parts that somebody has opened; the command opens them itself, one by one where not all can be.
No wall clock: waits end by the clock of the parts.
"""

from __future__ import annotations

import json
import shutil
import signal
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TextIO

import gpiozero
from PIL import Image

from firmware import settings as kept_settings
from firmware.backends import open_parts
from firmware.check import host
from firmware.check import parts as probes
from firmware.check.host import GROUPS, I2C, NO_CONFIGURATION, PIN_CHIP, SPI
from firmware.check.pads import probe_pads
from firmware.check.parts import BUZZER, SCREEN, STRIP, Bench
from firmware.check.rows import Ask, Row, Say, State, as_json, format_rows, has_fault, skipped
from firmware.check.system import System, of_this_machine
from firmware.check.terminal import TerminalAsk
from firmware.config import Config, ConfigError, load
from firmware.device import choose_pin_library, open_reader, panels_of
from firmware.errors import FirmwareError
from firmware.lock import DeviceLock, lock_path
from firmware.parts import Parts, Tell, assemble, buttons_of, pads_of
from hardware.panels import HEIGHT_PX, WIDTH_PX
from hardware.ports import Clock, HardwareError, SystemClock
from hardware.track import Track, find_picos

PARTS = ("pad yay", "pad wow", SCREEN, STRIP, "button yay", "button wow", "lamp yay", "lamp wow", BUZZER)
PIN_ERRORS = (HardwareError, gpiozero.GPIOZeroError, OSError, ImportError)


# ---- the check itself ----------------------------------------------------------------------


def run_check(
    parts: Parts | None, system: System, ask: Ask | None, say: Say, broken: Mapping[str, str] | None = None
) -> list[Row]:
    """Look at everything once; the rows are always in the same order. Takes some seconds, longer if it asks.

    `parts`: None if they could not be opened, since the configuration has faults. `ask`: None if there is nobody to
    ask or to put down a card. `broken`: pins that could not be opened (see `Bench`). Meanwhile nobody else may poll
    pads or controls. Afterwards strip, lamps and screen are dark and the buzzer is silent: show your own again.
    """
    machine = host.probe_machine(system)
    about_parts: list[Row] = []
    if parts is not None:
        bench = Bench(parts, system, ask, say, broken or {})
        try:
            about_parts = _probe_parts(bench, {row.part for row in machine if row.state is State.FAULT})
        finally:
            _darken(parts)
    else:
        about_parts = [skipped(name, NO_CONFIGURATION) for name in PARTS]
    return [*machine, *about_parts, host.probe_disk(system), host.probe_power(system)]


def _probe_parts(bench: Bench, faulty: set[str]) -> list[Row]:
    """The parts' rows. One that needs what is faulty in the machine is skipped: one fault, one row of it."""
    missing = host.missing_groups(bench.system)
    no_i2c = _because(faulty, missing, I2C, "i2c")
    no_pins = _because(faulty, missing, PIN_CHIP, "gpio")
    no_serial = _because(faulty, missing, "", "dialout")
    rows = probe_pads(bench, _pads_without_spi(bench.system, faulty, missing))
    rows += [skipped(SCREEN, no_i2c)] if no_i2c else probes.probe_screens(bench)
    rows.append(skipped(STRIP, no_serial) if no_serial else probes.probe_strip(bench))
    for name, probe in (("button", probes.probe_button), ("lamp", probes.probe_lamp)):
        rows += [
            skipped(f"{name} {player}", no_pins) if no_pins else probe(bench, player)
            for player in probes.players(bench)
        ]
    rows.append(skipped(BUZZER, no_pins) if no_pins else probes.probe_buzzer(bench))
    return rows


def _pads_without_spi(system: System, faulty: set[str], missing_groups: Sequence[str]) -> dict[str, str]:
    """Which readers have no device that could be opened, and why."""
    reason = _because(faulty, missing_groups, SPI, "spi")
    gone = host.missing_spi(system)
    return {
        name: reason
        for name, pad in pads_of(system.config).items()
        if reason and (not gone or (pad.spi_bus, pad.chip_select) in gone)
    }


def _because(faulty: set[str], missing_groups: Sequence[str], row: str, group: str) -> str:
    """Why what needs this row and group cannot be looked at; "" if it can."""
    if row in faulty:
        return f"see {row}"
    return f"see {GROUPS}: {group}" if group in missing_groups else ""


def _darken(parts: Parts) -> None:
    parts.outputs.strip.good_night()
    parts.outputs.screen.show(Image.new("1", (WIDTH_PX, HEIGHT_PX)))
    parts.outputs.lamps.light(frozenset())
    parts.outputs.buzzer.play((), parts.clock.now_ms())


# ---- opening what can be opened ------------------------------------------------------------


def open_what_opens(
    config: Config, tell: Tell, factory: gpiozero.Factory | None = None, clock: Clock | None = None
) -> tuple[Parts, dict[str, str]]:
    """The device's parts, without the pins that cannot be opened; those by name, with the reason.

    `firmware.backends.open_parts` opens all or nothing; here one bad pin must not hide the state of all other things.
    """
    choose_pin_library()
    clock = clock or SystemClock()
    broken = broken_pins(config, factory)
    with ExitStack() as closing:
        readers = {}
        for name, pad in pads_of(config).items():
            reset = None
            if pad.reset is not None and f"reset {name}" not in broken:
                reset = gpiozero.OutputDevice(pad.reset, initial_value=True, pin_factory=factory)
                closing.callback(reset.close)
            readers[name] = partial(open_reader, pad, reset)
        parts = assemble(
            config,
            clock,
            closing,
            tell,
            readers=readers,
            buttons=_sound_buttons(config, broken),
            buzzer=None if BUZZER in broken else config.controls.buzzer,
            factory=factory,
            panels=panels_of(config, None),
            track=partial(Track, find_picos, clock),
        )
        return parts, broken


def _sound_buttons(config: Config, broken: Mapping[str, str]) -> dict[str, tuple[int, int | None]]:
    return {
        player: (button, None if f"lamp {player}" in broken else lamp)
        for player, (button, lamp) in buttons_of(config).items()
        if f"button {player}" not in broken
    }


def broken_pins(config: Config, factory: gpiozero.Factory | None) -> dict[str, str]:
    """Each pin that cannot be opened by itself: its name ("button yay", "reset wow"), and why."""
    inputs = {f"button {player}": button for player, (button, _) in buttons_of(config).items()}
    outputs = {f"lamp {player}": lamp for player, (_, lamp) in buttons_of(config).items()}
    outputs |= {f"reset {name}": pad.reset for name, pad in pads_of(config).items()}
    outputs[BUZZER] = config.controls.buzzer
    broken = {}
    for kind, pins in ((gpiozero.DigitalInputDevice, inputs), (gpiozero.OutputDevice, outputs)):
        for name, pin in pins.items():
            if pin is None:
                continue
            try:
                # a reader that is held in reset for this moment is set up afresh when it is opened
                kind(pin, pin_factory=factory).close()
            except PIN_ERRORS as error:
                broken[name] = f"GPIO {pin} cannot be used: {type(error).__name__}: {error}"
    return broken


# ---- the command ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """What the command line says. `ask`: None asks if there is a terminal."""

    backend: str
    state: Path
    config_file: Path | None = None
    as_json: bool = False
    ask: bool | None = None

    @property
    def virtual(self) -> bool:
        return self.backend == "virtual"


def check_command(options: CheckOptions, stdin: TextIO, out: TextIO, err: TextIO) -> int:
    """Run the check and print it. Returns 0 if nothing is faulty, else 1."""

    def say(line: str) -> None:
        print(line, file=err, flush=True)

    try:
        with _stopped_by_sigterm():
            rows = _check(options, _asker(options, stdin, out, err), say)
    except (FirmwareError, HardwareError, OSError) as error:
        say(f"tacocat check: {error}")
        return 1
    except KeyboardInterrupt:
        say("tacocat check: stopped; all parts are dark again")
        return 1
    if options.as_json:
        print(json.dumps(as_json(rows), ensure_ascii=False), file=out, flush=True)
    else:
        print(format_rows(rows, shutil.get_terminal_size().columns), end="", file=out, flush=True)
    return 1 if has_fault(rows) else 0


def _asker(options: CheckOptions, stdin: TextIO, out: TextIO, err: TextIO) -> Ask | None:
    """Questions go to the errors' stream: the table, or the JSON, stands alone on the other one."""
    asked = stdin.isatty() and err.isatty() and not options.as_json if options.ask is None else options.ask
    # at a virtual table nobody could put a card down: its page is not open
    return TerminalAsk(stdin, err) if asked and not options.virtual else None


def _check(options: CheckOptions, ask: Ask | None, say: Say) -> list[Row]:
    machine = partial(of_this_machine, state=options.state, virtual=options.virtual, config_file=options.config_file)
    with ExitStack() as closing:
        if not options.virtual:
            closing.enter_context(DeviceLock(lock_path(), "tacocat check"))
        try:
            config = load(options.config_file)
        except ConfigError as error:
            return run_check(None, machine(Config(), config_faults=[str(f) for f in error.faults]), ask, say)
        settings, notices = kept_settings.load(options.state, config)
        config = kept_settings.applied(config, settings)
        parts, broken = _open(options.backend, config)
        closing.enter_context(parts)
        return run_check(parts, machine(config, notices=[str(notice) for notice in notices]), ask, say, broken)


def _open(backend: str, config: Config) -> tuple[Parts, dict[str, str]]:
    with warnings.catch_warnings():
        # gpiozero warns of each pin library that it falls back from; the row of the pin chip says it once
        warnings.simplefilter("ignore", gpiozero.PinFactoryFallback)
        try:
            return open_parts(backend, config, lambda event: None), {}
        except PIN_ERRORS:
            if backend != "pi":
                raise
            return open_what_opens(config, lambda event: None)


@contextmanager
def _stopped_by_sigterm() -> Iterator[None]:
    """SIGTERM ends a check as Ctrl-C does: all parts are closed. Only the main thread may ask for that."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)

"""`tacocat check`: each part in turn, what was found, and for each fault what to do.

`run_check` looks at parts that somebody has opened; the command opens them itself, one by one where not all can be.
No wall clock: waits end by the clock of the parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PIL import Image

from firmware.check import host
from firmware.check import parts as probes
from firmware.check.host import GROUPS, I2C, NO_CONFIGURATION, PIN_CHIP, SPI
from firmware.check.pads import probe_pads
from firmware.check.parts import SCREEN, STRIP, Bench
from firmware.check.rows import Ask, Say
from firmware.check.system import System
from firmware.table.findings import Row, State, skipped
from firmware.wiring.parts import BUZZER, Parts, pads_of
from hardware.panels import HEIGHT_PX, WIDTH_PX

PARTS = ("pad yay", "pad wow", SCREEN, STRIP, "button yay", "button wow", "lamp yay", "lamp wow", BUZZER)


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
    disk = host.probe_disk(system)
    return [*machine, *about_parts, disk, host.probe_deck(system, disk), host.probe_power(system)]


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
    parts.outputs.strip.go_dark()
    parts.outputs.screen.show(Image.new("1", (WIDTH_PX, HEIGHT_PX)))
    parts.outputs.lamps.light(frozenset())
    parts.outputs.buzzer.play((), parts.clock.now_ms())

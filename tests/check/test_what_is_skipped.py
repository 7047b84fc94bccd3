"""Which parts a check does not look at, since what they need in the machine is missing: one fault, one row of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from firmware.check import checking
from firmware.check.checking import PARTS, run_check
from firmware.check.host import NO_CONFIGURATION
from firmware.check.parts import SCREEN, STRIP, Bench
from firmware.check.system import System
from firmware.config.values import Config, PadsConfig, PadWiring, ScreenConfig
from firmware.table.findings import Row, ok, skipped
from firmware.wiring.parts import BUZZER, Parts
from tests.support.check_support import CHIP, GROUPS

PADS, SWITCHES = ("pad yay", "pad wow"), PARTS[4:]
SPI1 = Config(pads=PadsConfig(yay=PadWiring(0, 0, None), wow=PadWiring(1, 2, None)))


@pytest.fixture
def system(tmp_path: Path) -> System:
    """A machine that is whole."""
    (tmp_path / "dev").mkdir()
    for name in ("spidev0.0", "spidev0.1", "spidev1.2", "i2c-1"):
        (tmp_path / "dev" / name).touch()
    return System(
        Config(),
        tmp_path / "state",
        root=tmp_path,
        user="pi",
        groups=GROUPS,
        known=GROUPS,
        pin_chip=lambda: CHIP,
        run=lambda words: "throttled=0x0\n",
        has_module=lambda name: True,
        free_bytes=lambda folder: 1 << 30,
    )


class Probes:
    """In the place of the real ones: each finds its part in order. `benches`: what they were given."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.benches: list[Bench] = []
        monkeypatch.setattr(checking, "probe_pads", self.pads)
        for name, probe in {
            "probe_screens": lambda bench: [self.found(bench, SCREEN)],
            "probe_strip": lambda bench: self.found(bench, STRIP),
            "probe_button": lambda bench, player: self.found(bench, f"button {player}"),
            "probe_lamp": lambda bench, player: self.found(bench, f"lamp {player}"),
            "probe_buzzer": lambda bench: self.found(bench, BUZZER),
        }.items():
            monkeypatch.setattr(checking.probes, name, probe)

    def found(self, bench: Bench, part: str) -> Row:
        self.benches.append(bench)
        return ok(part, "looked at")

    def pads(self, bench: Bench, skip: dict[str, str]) -> list[Row]:
        self.benches.append(bench)
        return [
            skipped(f"pad {name}", skip[name]) if name in skip else ok(f"pad {name}", "looked at")
            for name in ("yay", "wow")
        ]


@pytest.fixture
def probes(monkeypatch: pytest.MonkeyPatch) -> Probes:
    monkeypatch.setattr(checking, "_darken", lambda parts: None)
    return Probes(monkeypatch)


def not_looked_at(system: System) -> dict[str, str]:
    """The parts that are not looked at, and why."""
    rows = run_check(cast(Parts, SimpleNamespace()), system, None, print)
    of_parts = {row.part: row.found for row in rows if row.part in PARTS}
    assert tuple(of_parts) == PARTS
    return {part: found for part, found in of_parts.items() if found != "looked at"}


@pytest.mark.usefixtures("probes")
def test_on_a_whole_machine_every_part_is_looked_at(system: System) -> None:
    assert not_looked_at(system) == {}
    assert not_looked_at(replace(system, groups=frozenset(), is_root=True)) == {}
    assert not_looked_at(replace(system, groups=frozenset(), virtual=True)) == {}


@pytest.mark.usefixtures("probes")
@pytest.mark.parametrize(
    ("config", "device", "pads"),
    [
        (Config(), "spidev0.0", ["yay"]),
        (Config(), "spidev0.1", ["wow"]),
        (Config(swap_sides=True), "spidev0.0", ["wow"]),
        (SPI1, "spidev0.0", ["yay"]),
        (SPI1, "spidev1.2", ["wow"]),
        (SPI1, "spidev0.1", []),
    ],
)
def test_only_the_reader_whose_device_is_missing_is_not_looked_at(
    system: System, config: Config, device: str, pads: list[str]
) -> None:
    (system.root / "dev" / device).unlink()
    assert not_looked_at(replace(system, config=config)) == {f"pad {pad}": "see SPI" for pad in pads}


@pytest.mark.usefixtures("probes")
@pytest.mark.parametrize("module", ["spidev", "lgpio"])
def test_without_its_module_nothing_that_needs_it_is_looked_at(system: System, module: str) -> None:
    found = not_looked_at(replace(system, has_module=lambda name: name != module))
    parts, row = {"spidev": (PADS, "SPI"), "lgpio": (SWITCHES, "pin chip")}[module]
    assert found == dict.fromkeys(parts, f"see {row}")


@pytest.mark.usefixtures("probes")
def test_without_its_device_the_screen_is_not_looked_at(system: System) -> None:
    (system.root / "dev/i2c-1").unlink()
    assert not_looked_at(system) == {SCREEN: "see I2C"}


@pytest.mark.usefixtures("probes")
@pytest.mark.parametrize(
    ("group", "parts"), [("spi", PADS), ("i2c", (SCREEN,)), ("dialout", (STRIP,)), ("gpio", SWITCHES)]
)
def test_without_a_group_what_it_opens_is_not_looked_at(system: System, group: str, parts: tuple[str, ...]) -> None:
    found = not_looked_at(replace(system, groups=GROUPS - {group}))
    assert found == dict.fromkeys(parts, f"see groups: {group}")


@pytest.mark.usefixtures("probes")
def test_a_table_without_a_screen_needs_no_group_for_it(system: System) -> None:
    config = Config(screen=ScreenConfig(controller="none"))
    assert not_looked_at(replace(system, config=config, groups=GROUPS - {"i2c"})) == {}


def test_without_parts_each_of_them_says_that_the_configuration_is_to_be_mended(system: System) -> None:
    rows = run_check(None, replace(system, config_faults=("line 1: a fault",)), None, print)
    assert {row.part: row.found for row in rows if row.part in PARTS} == dict.fromkeys(PARTS, NO_CONFIGURATION)
    assert [row.part for row in rows if row.part not in PARTS] == [
        "configuration",
        "SPI",
        "I2C",
        "groups",
        "pin chip",
        "disk",
        "deck",
        "power",
    ]


def test_the_probes_know_which_pins_could_not_be_opened(system: System, probes: Probes) -> None:
    parts = cast(Parts, SimpleNamespace())
    run_check(parts, system, None, print)
    run_check(parts, system, None, print, {"lamp yay": "it is in use"})
    assert {tuple(bench.broken.items()) for bench in probes.benches} == {(), (("lamp yay", "it is in use"),)}

"""The rows of a check about the machine itself: what each of them finds, and where another finding begins."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from firmware.check import host, remedies
from firmware.check.system import CommandError, PinChip, System
from firmware.config.values import Config, ScreenConfig
from firmware.files.disk import MAX_BYTES, Disk
from firmware.table.findings import State
from tests.support.check_support import CHIP, GROUPS

MB = 1 << 20
NO_SCREEN = Config(screen=ScreenConfig(controller="none"))


@pytest.fixture
def system(tmp_path: Path) -> System:
    """A machine that is whole, seen by a plain user."""
    (tmp_path / "dev").mkdir()
    for name in ("spidev0.0", "spidev0.1", "i2c-1"):
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


def test_a_virtual_table_needs_nothing_of_the_machine_but_its_disk(system: System) -> None:
    rows = [*host.probe_machine(replace(system, virtual=True, groups=frozenset())), host.probe_power(system)]
    assert [row.state for row in rows] == [State.OK, *[State.SKIPPED] * 4, State.OK]
    assert host.probe_power(replace(system, virtual=True)).found == "a virtual table needs none"
    assert host.missing_spi(replace(system, virtual=True, root=Path("/nowhere"))) == ()


# ---- configuration -------------------------------------------------------------------------


def test_the_configuration_is_named_with_the_number_of_its_faults(system: System) -> None:
    assert host.probe_configuration(system).found == "the defaults; no file was given"
    named = replace(system, config_file=Path("/etc/table.toml"))
    assert host.probe_configuration(named).found == "/etc/table.toml"
    one = host.probe_configuration(replace(named, config_faults=("line 1: a",)))
    assert (one.found, one.remedy) == ("1 fault in /etc/table.toml", "mend each line:\nline 1: a")
    two = host.probe_configuration(replace(named, config_faults=("line 1: a", "line 2: b"), notices=("c",)))
    assert (two.found, two.remedy) == ("2 faults in /etc/table.toml", "mend each line:\nline 1: a\nline 2: b")
    assert host.probe_configuration(replace(named, notices=("c", "d"))).found == "c; d"


# ---- kernel interfaces ---------------------------------------------------------------------


def test_spi_is_there_with_both_devices_and_its_module(system: System) -> None:
    dev = system.root / "dev"
    assert host.probe_spi(system).found == f"{dev / 'spidev0.0'}, {dev / 'spidev0.1'}"
    without = host.probe_spi(replace(system, has_module=lambda name: name != "spidev"))
    assert without.remedy == remedies.install_module("spidev")
    (dev / "spidev0.1").unlink()
    missing = host.probe_spi(system)
    assert missing.found == f"there is no {dev / 'spidev0.1'}" and missing.remedy == remedies.switch_on_spi([(0, 1)])


def test_i2c_is_looked_for_where_there_is_a_screen_and_its_rate_is_told_where_it_is_known(system: System) -> None:
    path = system.root / "dev/i2c-1"
    assert host.probe_i2c(system).found == str(path)
    node = system.root / "sys/class/i2c-adapter/i2c-1/of_node"
    node.mkdir(parents=True)
    (node / "clock-frequency").write_bytes((100_000).to_bytes(4, "big"))
    assert host.probe_i2c(system).found == f"{path}, 100 kHz"
    (node / "clock-frequency").write_bytes(bytes(4))
    assert host.probe_i2c(system).found == str(path)
    path.unlink()
    assert host.probe_i2c(system).remedy == remedies.switch_on_i2c(1)
    assert host.probe_i2c(replace(system, config=NO_SCREEN)).state is State.SKIPPED


# ---- groups --------------------------------------------------------------------------------


def test_the_groups_of_the_parts_are_needed_and_that_of_a_screen_only_where_there_is_one(system: System) -> None:
    nobody = replace(system, groups=frozenset({"users"}))
    assert host.missing_groups(nobody) == ("spi", "i2c", "gpio", "dialout")
    assert host.missing_groups(replace(nobody, config=NO_SCREEN)) == ("spi", "gpio", "dialout")
    assert host.missing_groups(system) == ()
    assert (
        host.missing_groups(replace(nobody, is_root=True)) == host.missing_groups(replace(nobody, virtual=True)) == ()
    )


def test_only_the_groups_that_count_are_told_and_only_those_that_are_not_there_are_made(system: System) -> None:
    assert host.probe_groups(replace(system, groups=GROUPS | {"users"})).found == "pi is in dialout, gpio, i2c, spi"
    assert host.probe_groups(replace(system, groups=frozenset(), is_root=True)).found == "root may use everything"
    row = host.probe_groups(replace(system, groups=frozenset({"i2c", "dialout"}), known=frozenset({"spi"})))
    assert row.found == "pi is not in spi, gpio"
    assert row.remedy == remedies.join_groups("pi", ["spi", "gpio"], ["gpio"], ())


# ---- the pin chip --------------------------------------------------------------------------


def test_the_pin_chip_is_looked_at_by_whoever_may(system: System) -> None:
    assert host.probe_pin_chip(system).found == "gpiozero's lgpio uses gpiochip0 (pinctrl-bcm2711)"
    outside = host.probe_pin_chip(replace(system, groups=GROUPS - {"gpio"}))
    assert (outside.state, outside.found) == (State.SKIPPED, "pi is not in the group gpio")
    without = host.probe_pin_chip(replace(system, has_module=lambda name: name != "lgpio"))
    assert without.remedy == remedies.install_module("lgpio")


@pytest.mark.parametrize(
    ("chip", "found", "remedy"),
    [
        (PinChip("MockFactory"), "gpiozero uses MockFactory, not lgpio", remedies.other_pin_factory("mock")),
        (PinChip(error="no library"), "gpiozero has no pins: no library", remedies.other_pin_factory("mock")),
        (
            PinChip(
                "LGPIOFactory",
                "gpiochip4",
                "gpio-brcmstb",
                (("gpiochip4", "gpio-brcmstb"), ("gpiochip0", "pinctrl-rp1")),
            ),
            "gpiozero's lgpio uses gpiochip4 (gpio-brcmstb), not the header's pins",
            remedies.wrong_pin_chip("gpiochip0"),
        ),
        (
            PinChip("LGPIOFactory", "gpiochip4", "", (("gpiochip4", "gpio-brcmstb"),)),
            "gpiozero's lgpio uses gpiochip4 (which may not be opened), not the header's pins",
            remedies.wrong_pin_chip(None),
        ),
    ],
)
def test_a_pin_chip_that_is_not_the_header_s_is_named(system: System, chip: PinChip, found: str, remedy: str) -> None:
    row = host.probe_pin_chip(replace(system, pin_chip=lambda: chip, pin_factory="mock"))
    assert (row.found, row.remedy) == (found, remedy)


# ---- the disk ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("free", "found", "missing_mb"),
    [(32 * MB, "32 MB free", None), (32 * MB - 1, "has 31 MB left", 1), (MB - 1, "has 0 MB left", 32)],
)
def test_thirty_two_megabytes_are_to_be_free(system: System, free: int, found: str, missing_mb: int | None) -> None:
    row = host.probe_disk(replace(system, free_bytes=lambda folder: free))
    assert found in row.found and row.state is (State.OK if missing_mb is None else State.FAULT)
    assert missing_mb is None or f"make room for {missing_mb} MB at least" in row.remedy


class Short(Disk):
    """Takes a hundred bytes at a time."""

    def write(self, handle: int, data: bytes) -> int:
        return super().write(handle, data[:100])


def test_a_disk_that_takes_little_at_a_time_is_given_the_rest(system: System) -> None:
    assert host.probe_disk(replace(system, disk=Short())).state is State.OK
    assert list(system.state.iterdir()) == []


def test_of_the_games_only_the_newest_is_read(system: System) -> None:
    read = []

    class Noting(Disk):
        def read(self, path: Path, most: int = MAX_BYTES) -> bytes:
            read.append(path.name)
            return super().read(path, most)

    (system.state / "games").mkdir(parents=True)
    for name in ("games/game-0001.taco", "games/game-0002.taco", "deck.txt"):
        (system.state / name).touch()
    assert host.probe_disk(replace(system, disk=Noting())).state is State.OK
    assert read == [host.PROBE_FILE, host.PROBE_FILE, "deck.txt", "game-0002.taco"]


@pytest.mark.parametrize(
    ("is_root", "owner", "of_file", "state"),
    [
        (True, 999, 0, State.FAULT),
        (True, 999, 999, State.OK),
        (True, 0, 999, State.OK),  # root has the folder for itself
        (True, 1, 999, State.FAULT),
        (False, 999, 0, State.OK),  # whoever is no root has just tried it
    ],
)
def test_what_the_owner_of_the_folder_cannot_use_is_a_fault_for_root(
    system: System, is_root: bool, owner: int, of_file: int, state: State
) -> None:
    system.state.mkdir()
    (system.state / "deck.txt").touch()
    owners = {system.state: owner, system.state / "deck.txt": of_file}
    assert host.probe_disk(replace(system, is_root=is_root, owner_of=owners.__getitem__)).state is state


@pytest.mark.parametrize(
    ("owner", "user", "writable", "said"),
    [
        ("tacocat", "pi", False, True),
        ("tacocat", "pi", True, False),
        ("tacocat", "tacocat", False, False),
        ("somebody", "pi", False, False),
    ],
)
def test_a_folder_of_the_service_that_is_closed_is_left_to_the_service(
    system: System, monkeypatch: pytest.MonkeyPatch, owner: str, user: str, writable: bool, said: bool
) -> None:
    system.state.mkdir()
    monkeypatch.setattr(host.pwd, "getpwuid", lambda uid: SimpleNamespace(pw_name=owner))
    monkeypatch.setattr(host.os, "access", lambda path, mode: writable or mode != os.W_OK)
    row = host.probe_disk(replace(system, user=user))
    words = f"{system.state} belongs to tacocat: sudo -u tacocat tacocat check looks at it"
    assert (row.found == words, row.state is State.SKIPPED) == (said, said)


class Refusing(Disk):
    """Reading some files fails: with these, by name."""

    def __init__(self, **failing: OSError) -> None:
        self.failing = failing

    def read(self, path: Path, most: int = MAX_BYTES) -> bytes:
        if path.stem in self.failing:
            raise self.failing[path.stem]
        return super().read(path, most)


CLOSED, BROKEN = PermissionError(errno.EACCES, "Permission denied"), OSError(errno.EIO, "Input/output error")


@pytest.mark.parametrize(
    ("failing", "owner", "remedy"),
    [
        ({"deck": CLOSED, "settings": BROKEN}, 1000, "copy decks and games away, and use a new SD card"),
        ({"deck": BROKEN, "settings": CLOSED}, 1000, "copy decks and games away, and use a new SD card"),
        ({"deck": CLOSED}, 1000, "sudo chown -R pi "),
        ({"deck": CLOSED}, 0, "sudo chown -R pi "),
        ({"deck": CLOSED}, 1001, "it belongs to user 1001: sudo -u '#1001' tacocat check"),
    ],
)
def test_a_disk_that_fails_is_put_right_before_what_may_not_be_read_and_nothing_is_taken_from_another_user(
    system: System, monkeypatch: pytest.MonkeyPatch, failing: dict[str, OSError], owner: int, remedy: str
) -> None:
    def nobody(uid: int) -> None:
        raise KeyError(uid)

    monkeypatch.setattr(host.pwd, "getpwuid", nobody)
    system.state.mkdir()
    for name in ("deck.txt", "settings.toml"):
        (system.state / name).touch()
    row = host.probe_disk(replace(system, disk=Refusing(**failing), uid=1000, owner_of=lambda path: owner))
    assert row.state is State.FAULT and row.remedy.startswith(remedy)


# ---- the supply ----------------------------------------------------------------------------

TOO_LOW, WAS_TOO_LOW = "the supply's voltage is too low", "the supply's voltage was too low since the start"
SLOWED, WAS_SLOWED = "the Pi is slowed down, by heat", "the Pi was slowed down since the start, by heat"


@pytest.mark.parametrize(
    ("bits", "found"),
    [
        (0, "never throttled since the start"),
        (1 << 0, TOO_LOW),
        *[(1 << bit, SLOWED) for bit in (1, 2, 3)],
        *[(1 << bit, "never throttled since the start") for bit in (*range(4, 16), *range(20, 24))],
        (1 << 16, WAS_TOO_LOW),
        *[(1 << bit, WAS_SLOWED) for bit in (17, 18, 19)],
        (0x50005, TOO_LOW),
        (0x50004, WAS_TOO_LOW),
        (0x80008, SLOWED),
        (0xE0000, WAS_SLOWED),
    ],
)
def test_each_bit_of_get_throttled_has_its_meaning(system: System, bits: int, found: str) -> None:
    """As the Raspberry Pi documentation has them, at vcgencmd."""
    row = host.probe_power(replace(system, run=lambda words: f"throttled={bits:#x}\n"))
    words = {TOO_LOW: remedies.UNDER_VOLTAGE, WAS_TOO_LOW: remedies.UNDER_VOLTAGE}
    words |= {SLOWED: remedies.TOO_HOT, WAS_SLOWED: remedies.TOO_HOT}
    assert row.remedy == words.get(found, "")
    assert row.found == (f"{found} (0x{bits:x})" if row.remedy else found)


@pytest.mark.parametrize("said", [None, "", "throttled=", "throttled=0xg\n", "0x1\n"])
def test_an_answer_that_tells_nothing_is_no_fault(system: System, said: str | None) -> None:
    row = host.probe_power(replace(system, run=lambda words: said))
    assert row.state is State.SKIPPED and "only Raspberry Pi OS has it" in row.found


def test_whoever_may_not_ask_the_firmware_is_to_join_the_group_and_root_and_its_members_look_at_the_device(
    system: System,
) -> None:
    def refused(words: Sequence[str]) -> str | None:
        raise CommandError("vcgencmd fails")

    asked, dev = replace(system, run=refused), system.root / "dev"
    nothing = host.probe_power(asked)
    assert nothing.state is State.SKIPPED
    assert nothing.found == (
        f"vcgencmd fails; there is no {dev / 'vcio_gencmd'} and no {dev / 'vcio'} to ask the Pi's firmware by"
    )
    (dev / "vcio").touch()
    looked_at = f"ls -l {dev / 'vcio'} should show root video and crw-rw----"
    for allowed in (replace(asked, is_root=True), replace(asked, groups=frozenset({"video"}))):
        assert host.probe_power(allowed).remedy == looked_at
    for known in (frozenset[str](), frozenset({"video"})):
        row = host.probe_power(replace(asked, known=known))
        assert row.found == "vcgencmd fails (pi is not in video)"
        assert row.remedy == remedies.join_groups("pi", ["video"], {"video"} - known, ())

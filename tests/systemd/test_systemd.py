"""The service, judged by systemd's own analyser, and the udev rule, by a small reading of udev(7)."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from configparser import RawConfigParser
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from firmware.run.systemd import watchdog_interval_ms
from hardware.strip import PICO_USB_IDS
from tests.support.places import ROOT

SYSTEMD = ROOT / "systemd"
COMMAND = "/opt/tacocat/bin/tacocat"
UNITS = ("tacocat.service", "tacocat-off.path", "tacocat-off.service")
# systemd-analyze counts in tenths: 10 is an exposure of 1.0
MOST_EXPOSURE = 10


class Unit(RawConfigParser):
    """A unit file. Of a key that is given several times, all values, in order."""

    def __init__(self, path: Path) -> None:
        super().__init__(strict=False, interpolation=None, delimiters=("=",), comment_prefixes=("#",))
        self.path = path
        self.optionxform = str  # type: ignore[assignment, method-assign]
        self.read_string(path.read_text())

    def all(self, key: str) -> list[str]:
        return re.findall(rf"^{key}=(.*)$", self.path.read_text(), re.MULTILINE)


@pytest.fixture
def service() -> Unit:
    return Unit(SYSTEMD / "tacocat.service")


@pytest.fixture
def units(tmp_path: Path) -> Path:
    """The units with commands that exist on this machine, which is all that is changed."""
    for name in UNITS:
        text = (SYSTEMD / name).read_text()
        text = re.sub(r"^(ExecStart|ExecStartPre)=\S+", r"\1=/bin/sh", text, flags=re.MULTILINE)
        (tmp_path / name).write_text(text)
    return tmp_path


def analyse(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True, timeout=60)  # noqa: PLW1510


@pytest.mark.parametrize("name", UNITS)
def test_systemd_finds_no_fault_in_a_unit(name: str, units: Path) -> None:
    verdict = analyse("verify", "--man=no", units / name)
    assert (verdict.returncode, verdict.stdout, verdict.stderr) == (0, "", "")


def test_systemd_does_find_a_fault_that_was_put_in(units: Path) -> None:
    unit = units / "tacocat.service"
    unit.write_text(unit.read_text().replace("RestartSec=", "RestartSecs="))
    assert "RestartSecs" in analyse("verify", "--man=no", unit).stderr


def test_the_service_is_exposed_to_one_in_ten_at_most(units: Path) -> None:
    verdict = analyse("security", "--offline=yes", f"--threshold={MOST_EXPOSURE}", "--no-pager", units / UNITS[0])
    assert verdict.returncode == 0, verdict.stdout


def test_without_its_sandbox_the_service_would_be_exposed_more(units: Path) -> None:
    unit = units / UNITS[0]
    unit.write_text(re.sub(r"^(Protect|Private|Restrict|SystemCall)\w+=.*\n", "", unit.read_text(), flags=re.MULTILINE))
    verdict = analyse("security", "--offline=yes", f"--threshold={MOST_EXPOSURE}", "--no-pager", unit)
    assert verdict.returncode != 0


def test_the_service_runs_what_is_installed(service: Unit) -> None:
    assert service["Service"]["ExecStart"].split()[:2] == [COMMAND, "run"]


def test_the_service_is_always_started_again_after_a_pause_however_often(service: Unit) -> None:
    assert service["Service"]["Restart"] == "always"
    assert int(service["Service"]["RestartSec"]) >= 1
    assert service["Unit"]["StartLimitIntervalSec"] == "0"


def test_the_service_is_watched_and_tells_when_it_is_ready(service: Unit) -> None:
    assert service["Service"]["Type"] == "notify"
    limit_s = int(service["Service"]["WatchdogSec"])
    interval_ms = watchdog_interval_ms({"WATCHDOG_USEC": str(limit_s * 1_000_000)}, pid=1)
    assert interval_ms is not None
    assert interval_ms <= limit_s * 1000 // 2


def test_the_service_is_a_plain_user_with_the_groups_of_its_parts_and_of_its_supply(service: Unit) -> None:
    assert service["Service"]["User"] == "tacocat"
    assert service["Service"]["SupplementaryGroups"].split() == ["spi", "i2c", "gpio", "dialout", "video"]
    assert service["Service"]["CapabilityBoundingSet"] == ""
    assert service["Service"]["NoNewPrivileges"] == "yes"


def test_lgpio_has_a_folder_to_write_in_though_the_service_lives_in_the_root_folder(service: Unit) -> None:
    assert service["Service"]["WorkingDirectory"] == "/"
    runtime = service["Service"]["RuntimeDirectory"]
    assert f"LG_WD=%t/{runtime}" in service.all("Environment")


def test_decks_and_games_can_be_read_by_the_group_and_by_nobody_else(service: Unit) -> None:
    assert service["Service"]["StateDirectory"] == "tacocat"
    mode, umask = (int(service["Service"][key], 8) for key in ("StateDirectoryMode", "UMask"))
    assert mode & 0o777 == 0o750
    assert 0o666 & ~umask == 0o640


def test_f27_the_service_reaches_its_four_kinds_of_devices_and_the_one_that_tells_of_its_supply(service: Unit) -> None:
    assert service["Service"]["DevicePolicy"] == "closed"
    assert service.all("DeviceAllow") == [
        "char-spi rw",
        "char-i2c rw",
        "char-gpiochip rw",
        "char-ttyACM rw",
        "/dev/vcio_gencmd rw",
        "/dev/vcio rw",
    ]


def test_the_drivers_of_the_devices_are_there_before_their_classes_are_looked_up(service: Unit) -> None:
    # gpiochip is part of the kernel; without cdc_acm a Pico that is plugged in later could not be opened
    drivers = {f"modprobe@{driver}.service" for driver in ("cdc_acm", "spidev", "i2c_dev")}
    assert drivers <= set(service["Unit"]["Wants"].split())
    assert drivers <= set(service["Unit"]["After"].split())


def test_the_folder_of_the_lock_may_be_written_to(service: Unit) -> None:
    assert "-/run/lock" in service.all("ReadWritePaths")


def test_the_request_to_be_switched_off_is_a_file_in_the_runtime_folder(service: Unit) -> None:
    path = Unit(SYSTEMD / "tacocat-off.path")
    request = path["Path"]["PathExists"]
    assert Path(request).parent == Path("%t") / service["Service"]["RuntimeDirectory"]
    # taken away before it is obeyed: else it would be obeyed again and again if that fails
    assert Unit(SYSTEMD / "tacocat-off.service")["Service"]["ExecStartPre"] == f"/usr/bin/rm -f {request}"


def test_the_groups_keep_their_names_in_the_sandbox(service: Unit) -> None:
    assert "PrivateUsers" not in service["Service"]


# ---- the udev rule -------------------------------------------------------------------------

TOKEN = re.compile(r'([A-Z_]+)(?:\{([^}]+)\})?\s*(==|!=|\+=|:=|=)\s*"([^"]*)"\s*(?:,\s*|$)')
MATCHED = {"ACTION", "SUBSYSTEM", "SUBSYSTEMS", "KERNEL", "ATTR", "ATTRS"}
ASSIGNED = {"ENV", "GROUP", "MODE", "GOTO", "LABEL"}


@dataclass
class Device:
    """What udev knows of a device: `keys` are its own, `parents` those of the devices above it."""

    keys: dict[str, str]
    attributes: Mapping[str, str] = field(default_factory=dict)
    parents: tuple[tuple[str, Mapping[str, str]], ...] = ()  # (subsystem, attributes), nearest first
    given: dict[str, str] = field(default_factory=dict)

    def has(self, line: list[tuple[str, str, str, str]]) -> bool:
        """Whether all matches of a line are true. Those of parents must be true of one device together."""
        above = [match for match in line if match[0] in ("SUBSYSTEMS", "ATTRS")]
        chain = ((self.keys["SUBSYSTEM"], self.attributes), *self.parents)
        if above and not any(all(self._above(match, device) for match in above) for device in chain):
            return False
        own = [match for match in line if match not in above]
        return all(self._own(match) for match in own)

    @staticmethod
    def _above(match: tuple[str, str, str, str], device: tuple[str, Mapping[str, str]]) -> bool:
        key, name, operator, pattern = match
        value = device[0] if key == "SUBSYSTEMS" else device[1].get(name)
        return operator == "==" and value is not None and fnmatchcase(value, pattern)

    def _own(self, match: tuple[str, str, str, str]) -> bool:
        key, name, operator, pattern = match
        value = self.attributes.get(name) if key == "ATTR" else self.keys.get(key)
        return (value is not None and fnmatchcase(value, pattern)) == (operator == "==")


def tokens(line: str) -> list[tuple[str, str, str, str]]:
    found = [(m[1], m[2] or "", m[3], m[4]) for m in TOKEN.finditer(line)]
    assert "".join(m[0] for m in TOKEN.finditer(line)) == line, f"not a rule: {line}"
    return found


def apply_rules(device: Device) -> dict[str, str]:
    """What the rules give the device: GROUP, MODE, and properties by their names."""
    skip_to = ""
    for line in (SYSTEMD / "99-tacocat.rules").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        rule = tokens(line)
        assert {key for key, *_ in rule} <= MATCHED | ASSIGNED
        if skip_to:
            skip_to = "" if ("LABEL", "", "=", skip_to) in rule else skip_to
            continue
        if not device.has([token for token in rule if token[2] in ("==", "!=")]):
            continue
        for key, name, operator, value in rule:
            if key == "GOTO":
                skip_to = value
            elif operator == "=" and key != "LABEL":
                device.given[name or key] = value
    assert not skip_to, f"GOTO {skip_to} leads nowhere"
    return device.given


PICO = {"idVendor": f"{PICO_USB_IDS[0][0]:04x}", "idProduct": f"{PICO_USB_IDS[0][1]:04x}"}


def pico_port(action: str = "add", vendor: str = PICO["idVendor"]) -> Device:
    above = (("usb", {"bInterfaceNumber": "00"}), ("usb", {**PICO, "idVendor": vendor}), ("usb", {"idVendor": "1d6b"}))
    return Device({"ACTION": action, "SUBSYSTEM": "tty", "KERNEL": "ttyACM1"}, parents=above)


@pytest.mark.parametrize("action", ["add", "change", "bind"])
def test_the_port_of_the_pico_is_for_dialout_and_not_for_modem_managers(action: str) -> None:
    assert apply_rules(pico_port(action)) == {
        "GROUP": "dialout",
        "MODE": "0660",
        "ID_MM_DEVICE_IGNORE": "1",
        "ID_MM_PORT_IGNORE": "1",
    }


def test_the_pico_itself_is_not_for_modem_managers() -> None:
    device = Device({"ACTION": "add", "SUBSYSTEM": "usb", "KERNEL": "1-1.4"}, PICO)
    assert apply_rules(device) == {"ID_MM_DEVICE_IGNORE": "1"}


def test_modems_and_other_serial_ports_stay_as_they_are() -> None:
    assert apply_rules(pico_port(vendor="2c7c")) == {}
    assert apply_rules(Device({"ACTION": "add", "SUBSYSTEM": "tty", "KERNEL": "ttyS0"})) == {}


def test_a_pico_that_leaves_is_given_nothing() -> None:
    assert apply_rules(pico_port("remove")) == {}


@pytest.mark.parametrize(
    ("subsystem", "kernel", "group"),
    [("spidev", "spidev0.0", "spi"), ("i2c-dev", "i2c-1", "i2c"), ("gpio", "gpiochip4", "gpio")],
)
def test_buses_and_pins_belong_to_their_groups(subsystem: str, kernel: str, group: str) -> None:
    device = Device({"ACTION": "add", "SUBSYSTEM": subsystem, "KERNEL": kernel})
    assert apply_rules(device) == {"GROUP": group, "MODE": "0660"}

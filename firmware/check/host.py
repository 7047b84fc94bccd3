"""The machine's rows of a check: configuration, kernel interfaces, groups, pin chip, disk, power."""

from __future__ import annotations

import contextlib
import os
import pwd
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from engine.errors import RulesError
from firmware.check import remedies
from firmware.check.system import CommandError, System
from firmware.config.toml_reader import NONE
from firmware.config.values import Config
from firmware.files.disk import NotPlainError, why
from firmware.kept import deck as decks
from firmware.kept import settings
from firmware.kept.folder import DECK_FILE, GAMES_FOLDER
from firmware.kept.games import transcripts
from firmware.table.findings import Row, State, fault, ok, skipped

CONFIGURATION, SPI, I2C, GROUPS, PIN_CHIP = "configuration", "SPI", "I2C", "groups", "pin chip"
DISK, DECK, POWER = "disk", "deck", "power"
VIDEO = "video"
SERVICE_USER = "tacocat"
PROBE_FILE = ".check"
PROBE = b"tacocat check\n" * 64
LEAST_FREE_MB = 32
NO_MACHINE = "a virtual table needs none"
NO_CONFIGURATION = "the configuration cannot be used: mend that first"

# What vcgencmd opens: the first on newer kernels, where the second is root's alone; else the second. The udev rules of
# Raspberry Pi OS (package raspberrypi-sys-mods) give the one that counts to the group video.
FIRMWARE_DEVICES = ("vcio_gencmd", "vcio")
# `vcgencmd get_throttled` (Raspberry Pi documentation, vcgencmd). Bits 0 to 3 tell what is so now: the supply's voltage
# is too low, the clock is capped, the Pi is throttled, it is at its limit of heat; bits 16 to 19 what was before.
_UNDER_VOLTAGE, _ANY, _SINCE_START = 0x1, 0xF, 16


def probe_configuration(system: System) -> Row:
    name = str(system.config_file) if system.config_file else "the defaults; no file was given"
    if system.config_faults:
        count = len(system.config_faults)
        remedy = "\n".join(system.config_faults)
        return fault(CONFIGURATION, f"{count} fault{'s' * (count > 1)} in {name}", f"mend each line:\n{remedy}")
    if system.notices:
        return fault(
            CONFIGURATION,
            "; ".join(system.notices),
            "mend what is named, or choose it anew in the menu of the table, settings",
        )
    return ok(CONFIGURATION, name)


# ---- kernel interfaces ---------------------------------------------------------------------


def spi_devices(config: Config) -> tuple[tuple[int, int], ...]:
    """(bus, chip select) of both readers."""
    return tuple((pad.spi_bus, pad.chip_select) for pad in (config.pads.yay, config.pads.wow))


def missing_spi(system: System) -> tuple[tuple[int, int], ...]:
    """Those of them whose device is not there."""
    if system.virtual:
        return ()
    return tuple((bus, cs) for bus, cs in spi_devices(system.config) if not system.device(f"spidev{bus}.{cs}").exists())


def has_screen(config: Config) -> bool:
    return config.screen.controller != NONE


def probe_spi(system: System) -> Row:
    if system.virtual:
        return skipped(SPI, NO_MACHINE)
    missing = missing_spi(system)
    if missing:
        return fault(SPI, f"there is no {_spi_names(system, missing)}", remedies.switch_on_spi(missing))
    if not system.has_module("spidev"):
        return fault(SPI, "the Python module spidev is missing", remedies.install_module("spidev"))
    return ok(SPI, _spi_names(system, spi_devices(system.config)))


def _spi_names(system: System, selects: Sequence[tuple[int, int]]) -> str:
    return ", ".join(str(system.device(f"spidev{bus}.{select}")) for bus, select in selects)


def probe_i2c(system: System) -> Row:
    bus = system.config.screen.i2c_bus
    path = system.device(f"i2c-{bus}")
    if system.virtual:
        return skipped(I2C, NO_MACHINE)
    if not has_screen(system.config):
        return skipped(I2C, "the configuration has no screen")
    if not path.exists():
        return fault(I2C, f"there is no {path}", remedies.switch_on_i2c(bus))
    rate_hz = _i2c_rate_hz(system, bus)
    rate = f", {rate_hz // 1000} kHz" if rate_hz else ""
    return ok(I2C, f"{path}{rate}")


def _i2c_rate_hz(system: System, bus: int) -> int | None:
    """The clock in the device tree; None where it does not say."""
    path = system.root / f"sys/class/i2c-adapter/i2c-{bus}/of_node/clock-frequency"
    try:
        return int.from_bytes(path.read_bytes(), "big")
    except OSError:
        return None


def missing_groups(system: System) -> tuple[str, ...]:
    """The groups by which a plain user gets at the parts, and that this process lacks."""
    if system.virtual or system.is_root:
        return ()
    wanted = ("spi", *(("i2c",) if has_screen(system.config) else ()), "gpio", "dialout")
    return tuple(group for group in wanted if group not in system.groups)


def probe_groups(system: System) -> Row:
    if system.virtual:
        return skipped(GROUPS, NO_MACHINE)
    if system.is_root:
        return ok(GROUPS, "root may use everything")
    missing = missing_groups(system)
    if missing:
        unknown = [group for group in missing if group not in system.known]
        remedy = remedies.join_groups(system.user, missing, unknown, system.listed)
        return fault(GROUPS, f"{system.user} is not in {', '.join(missing)}", remedy)
    return ok(GROUPS, f"{system.user} is in {', '.join(sorted(system.groups & {'spi', 'i2c', 'gpio', 'dialout'}))}")


def probe_pin_chip(system: System) -> Row:
    """gpiozero's lgpio factory chooses a gpiochip by the model of the Pi; kernels have numbered them differently."""
    if system.virtual:
        return skipped(PIN_CHIP, NO_MACHINE)
    if "gpio" in missing_groups(system):
        return skipped(PIN_CHIP, f"{system.user} is not in the group gpio")
    if not system.has_module("lgpio"):
        return fault(PIN_CHIP, "the Python module lgpio is missing", remedies.install_module("lgpio"))
    chip = system.pin_chip()
    if chip.factory != "LGPIOFactory":
        found = f"gpiozero has no pins: {chip.error}" if chip.error else f"gpiozero uses {chip.factory}, not lgpio"
        return fault(PIN_CHIP, found, remedies.other_pin_factory(system.pin_factory))
    if not chip.label.startswith("pinctrl-"):  # pinctrl-bcm2835, -bcm2711, -rp1: the header's
        right = next((device for device, label in chip.chips if label.startswith("pinctrl-")), None)
        label = chip.label or "which may not be opened"
        found = f"gpiozero's lgpio uses {chip.device} ({label}), not the header's pins"
        return fault(PIN_CHIP, found, remedies.wrong_pin_chip(right))
    return ok(PIN_CHIP, f"gpiozero's lgpio uses {chip.device} ({chip.label})")


# ---- disk and power ------------------------------------------------------------------------


def probe_disk(system: System) -> Row:
    """Write, sync, read back and remove a small file where games are kept, as the journal does.

    Root, who may do everything, looks whether the owner of the folder may: that is whom the service runs as.
    """
    state = system.state
    owner = _service_owns(state, system)
    if owner:
        return skipped(DISK, f"{state} belongs to {owner}: sudo -u {owner} tacocat check looks at it")
    folder = state
    try:
        games = state / GAMES_FOLDER
        for folder in (state, games) if os.path.lexists(games) else (state,):
            system.disk.make_folder(folder)
            if _write_and_read(system, folder / PROBE_FILE) != PROBE:
                found = f"{folder} gives back other bytes than were written"
                return fault(DISK, found, remedies.disk(None, str(folder), system.user))
        unreadable = list(_unreadable(system))
        free_mb = system.free_bytes(state) >> 20
        refusing = _of_others(system)
        owner = _name_of(system.owner_of(state))
    except OSError as error:
        found = f"{folder} cannot be written to: {why(error)}"
        return fault(DISK, found, _remedy_of([(folder, error)], system))
    if refusing:
        found = f"{', '.join(map(str, refusing))} cannot be used by {owner}, who owns {state}"
        return fault(DISK, found, remedies.give_to_owner(str(state)))
    if unreadable:
        found = "; ".join(f"{path}: it cannot be read: {why(error)}" for path, error in unreadable)
        return fault(DISK, found, _remedy_of(unreadable, system))
    if free_mb < LEAST_FREE_MB:
        return fault(DISK, f"{state} has {free_mb} MB left", remedies.disk_full(free_mb, LEAST_FREE_MB))
    return ok(DISK, f"{state}, {free_mb} MB free")


def probe_deck(system: System, disk: Row) -> Row:
    """What the deck file holds. It stays as it is: a table that is running may be about to save it."""
    if system.virtual:
        return skipped(DECK, "the cards of a virtual table have tags of their own")
    if disk.state is not State.OK:
        return skipped(DECK, f"see {DISK}")
    path = system.state / DECK_FILE
    tags, notices = decks.load(path, system.disk, look_only=True)
    if notices:
        return fault(DECK, "; ".join(map(str, notices)), remedies.deck(notices[0]))
    if not tags:
        return skipped(DECK, f"there is no {path} yet: the menu of the table teaches a deck")
    try:
        return ok(DECK, f"{len(tags)} cards in {path}: {tags.deck}")
    except RulesError as error:
        return fault(DECK, f"{path}: {error}", remedies.TEACH)


def _kept_files(system: System) -> Iterator[Path]:
    """What the service reads and replaces: the folder of the games too."""
    games = system.state / GAMES_FOLDER
    named = (system.state / name for name in (DECK_FILE, settings.FILE_NAME, settings.OLD_FILE_NAME))
    yield from (path for path in (*named, games, *transcripts(games, system.disk)[:1]) if os.path.lexists(path))


def _of_others(system: System) -> list[Path]:
    """What the owner of the state folder may not change, as root sees it; for another user the probe has shown it."""
    if not system.is_root:
        return []
    wanted = system.owner_of(system.state)
    return [path for path in _kept_files(system) if path.exists() and wanted not in (0, system.owner_of(path))]


def _unreadable(system: System) -> Iterator[tuple[Path, OSError]]:
    for path in _kept_files(system):
        try:
            if path.name != GAMES_FOLDER:
                system.disk.read(path)
        except OSError as error:
            yield path, error


def _remedy_of(unusable: Sequence[tuple[Path, OSError]], system: System) -> str:
    """A disk that fails comes first, for nothing else can be put right on it; then what may not be used."""
    failing = [(path, error) for path, error in unusable if not isinstance(error, NotPlainError)]
    failing.sort(key=lambda found: isinstance(found[1], PermissionError))
    for path, error in failing:
        if isinstance(error, PermissionError) and (uid := _another(system)):
            return remedies.of_another(_name_of(uid), uid)
        return remedies.disk(error.errno, str(path), system.user)
    places = [Path(error.filename or path) for path, error in unusable]
    if all(place.is_relative_to(system.state) for place in places):
        return remedies.in_the_way([str(place) for place in places])
    return remedies.OTHER_STATE


def _another(system: System) -> int | None:
    """Whose the state folder is, if that is another user but root, from whom it is not to be taken; else None."""
    with contextlib.suppress(OSError):
        uid = system.owner_of(system.state)
        if uid and uid != system.uid:  # 0 is root's
            return uid
    return None


def _name_of(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"


def _write_and_read(system: System, probe: Path) -> bytes:
    """Gives back what was read; the file is removed again."""
    disk = system.disk
    try:
        handle = disk.create(probe)
        try:
            left = PROBE
            while left:
                left = left[disk.write(handle, left) :]
            disk.fsync(handle)
        finally:
            disk.close(handle)
        return disk.read(probe)
    finally:
        with contextlib.suppress(FileNotFoundError):
            disk.unlink(probe)


def _service_owns(folder: Path, system: System) -> str | None:
    """The service's user, if the folder is its own and closed to us: then nothing can be said about the disk."""
    try:
        owner = pwd.getpwuid(folder.stat().st_uid).pw_name
    except (OSError, KeyError):
        return None
    is_other = owner == SERVICE_USER != system.user
    return owner if is_other and not os.access(folder, os.W_OK) else None


def probe_power(system: System) -> Row:
    if system.virtual:
        return skipped(POWER, NO_MACHINE)
    try:
        said = system.run(("vcgencmd", "get_throttled"))
    except CommandError as error:
        return _power_is_not_told(system, error)
    match = re.fullmatch(r"throttled=0x([0-9a-fA-F]+)\s*", said or "")
    if match is None:
        return skipped(POWER, "vcgencmd get_throttled tells nothing here: only Raspberry Pi OS has it")
    bits = int(match[1], 16)
    now, ever = bits & _ANY, (bits | bits >> _SINCE_START) & _ANY
    if ever & _UNDER_VOLTAGE:
        when = "is too low" if now & _UNDER_VOLTAGE else "was too low since the start"
        return fault(POWER, f"the supply's voltage {when} (0x{bits:x})", remedies.UNDER_VOLTAGE)
    if ever:
        when = "is slowed down" if now else "was slowed down since the start"
        return fault(POWER, f"the Pi {when}, by heat (0x{bits:x})", remedies.TOO_HOT)
    return ok(POWER, "never throttled since the start")


def _power_is_not_told(system: System, error: CommandError) -> Row:
    """vcgencmd asks the firmware through a device that is the group video's on Raspberry Pi OS."""
    devices = [system.device(name) for name in FIRMWARE_DEVICES]
    device = next((device for device in devices if device.exists()), None)
    if device is None:
        there_is = " and no ".join(map(str, devices))
        return skipped(POWER, f"{error}; there is no {there_is} to ask the Pi's firmware by")
    if system.is_root or VIDEO in system.groups:
        return fault(POWER, str(error), f"ls -l {device} should show root video and crw-rw----")
    unknown = [] if VIDEO in system.known else [VIDEO]
    remedy = remedies.join_groups(system.user, [VIDEO], unknown, system.listed)
    return fault(POWER, f"{error} ({system.user} is not in {VIDEO})", remedy)


def probe_machine(system: System) -> Sequence[Row]:
    """The rows that need no part: before the parts are looked at."""
    return [
        probe_configuration(system),
        probe_spi(system),
        probe_i2c(system),
        probe_groups(system),
        probe_pin_chip(system),
    ]

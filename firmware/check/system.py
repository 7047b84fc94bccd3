"""The machine as `check` sees it: groups, devices, commands, pins, disk. All of it can be replaced by a test."""

from __future__ import annotations

import fcntl
import grp
import importlib.util
import os
import pwd
import shutil
import struct
import subprocess
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from firmware.config.values import Config
from firmware.errors import FirmwareError
from firmware.files.disk import DISK, Disk, why
from hardware.link import FoundPort
from hardware.pins import opening_faults
from hardware.strip import find_picos

_CHIP_INFO = 0x8044B401  # GPIO_GET_CHIPINFO_IOCTL of linux/gpio.h: name, label, number of lines
_CHIP_INFO_FORMAT = "32s32sI"
_COMMAND_S = 5


@dataclass(frozen=True, slots=True)
class PinChip:
    """Which gpiochip gpiozero uses. `factory`: gpiozero's class; `device`: "gpiochip0", "" if the factory has none.

    `label`: the kernel's name for its driver. `chips`: device to label for all chips of the machine. `error`: why
    there is none.
    """

    factory: str = ""
    device: str = ""
    label: str = ""
    chips: tuple[tuple[str, str], ...] = ()
    error: str = ""


def gpio_chips(root: Path = Path("/")) -> tuple[tuple[str, str], ...]:
    """(device, label) of every gpiochip that may be opened."""
    found = []
    for path in sorted((root / "dev").glob("gpiochip*")):
        try:
            handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            answer = fcntl.ioctl(handle, _CHIP_INFO, bytes(struct.calcsize(_CHIP_INFO_FORMAT)))
            label = struct.unpack(_CHIP_INFO_FORMAT, answer)[1].rstrip(b"\0").decode(errors="replace")
            found.append((path.name, label))
        except OSError:
            continue
        finally:
            os.close(handle)
    return tuple(found)


def find_pin_chip() -> PinChip:
    """What gpiozero's own choice is on this machine."""
    import gpiozero

    chips = gpio_chips()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # each factory that it falls back from is a warning
            gpiozero.Device.ensure_pin_factory()
    except opening_faults() as error:
        return PinChip(chips=chips, error=str(error))
    factory = gpiozero.Device.pin_factory
    number = getattr(factory, "chip", None)
    device = f"gpiochip{number}" if number is not None else ""
    return PinChip(type(factory).__name__, device, dict(chips).get(device, ""), chips)


class CommandError(FirmwareError):
    """A command of the system is there, and does not do what it is for; the message says what it said."""


def run_command(words: Sequence[str]) -> str | None:
    """What a command prints; None if there is no such command. Never goes through a shell.

    Raises CommandError with its own words if it is refused, fails or hangs.
    """
    if shutil.which(words[0]) is None:
        return None
    try:
        done = subprocess.run(
            words, capture_output=True, encoding="utf-8", errors="replace", timeout=_COMMAND_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise CommandError(f"{words[0]} does not end within {_COMMAND_S} s") from error
    except OSError as error:
        raise CommandError(f"{words[0]} cannot be started: {why(error)}") from error
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise CommandError(f"{words[0]} fails: {said[0] if said else f'it ends with {done.returncode}'}")
    return done.stdout


def user_name() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())


def my_groups() -> frozenset[str]:
    """The groups of this process."""
    names = set()
    for number in {*os.getgroups(), os.getegid()}:
        try:
            names.add(grp.getgrgid(number).gr_name)
        except KeyError:
            continue
    return frozenset(names)


def module_is_here(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


@dataclass(frozen=True, slots=True)
class System:
    """Everything that a check needs to know of the machine. `of_this_machine` has the real one.

    `virtual`: the parts are twins, so the machine's own rows are skipped. `root`: where dev and sys are looked for.
    `groups`: those of this process; `listed`: those that the user will have after a login; `known`: those that exist.
    `pause_ms` lets that much time pass on the clock of the parts. `strip_s`: how long the strip may take to answer, in
    real seconds. `notices`: what was wrong with files that were read (settings).
    """

    config: Config
    state: Path
    virtual: bool = False
    root: Path = Path("/")
    user: str = "root"
    is_root: bool = False
    uid: int = field(default_factory=os.geteuid)
    groups: frozenset[str] = frozenset()
    listed: frozenset[str] = frozenset()
    known: frozenset[str] = frozenset()
    config_file: Path | None = None
    config_faults: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    pin_factory: str | None = None  # the environment's GPIOZERO_PIN_FACTORY
    disk: Disk = DISK
    strip_s: float = 5.0
    pin_chip: Callable[[], PinChip] = find_pin_chip
    run: Callable[[Sequence[str]], str | None] = run_command
    has_module: Callable[[str], bool] = module_is_here
    strip_ports: Callable[[], Sequence[FoundPort]] = find_picos
    free_bytes: Callable[[Path], int] = field(default=lambda folder: shutil.disk_usage(folder).free)
    owner_of: Callable[[Path], int] = field(default=lambda path: path.stat().st_uid)
    pause_ms: Callable[[int], object] = field(default=lambda ms: time.sleep(ms / 1000))

    def device(self, name: str) -> Path:
        return self.root / "dev" / name


def of_this_machine(
    config: Config,
    state: Path,
    *,
    virtual: bool = False,
    config_file: Path | None = None,
    config_faults: Sequence[str] = (),
    notices: Sequence[str] = (),
) -> System:
    user = user_name()
    everybody = grp.getgrall()
    return System(
        config,
        state,
        virtual=virtual,
        user=user,
        is_root=os.geteuid() == 0,
        uid=os.geteuid(),
        groups=my_groups(),
        listed=frozenset(group.gr_name for group in everybody if user in group.gr_mem),
        known=frozenset(group.gr_name for group in everybody),
        config_file=config_file,
        config_faults=tuple(config_faults),
        notices=tuple(notices),
        pin_factory=os.environ.get("GPIOZERO_PIN_FACTORY"),
    )

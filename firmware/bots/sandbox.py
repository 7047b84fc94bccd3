"""What a bot's process may have: which programs are started how, for `launch.py`."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engine.players.names import known_level

LAUNCH = Path(__file__).with_name("launch.py")
_ROOT = Path(__file__).resolve().parents[2]  # where engine and firmware are
# Landlock gives these folders and files to read; the rest of /etc, home and the table's folders are not among them.
_SYSTEM = (
    *("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/opt", "/proc"),
    *("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime"),
)
_BESIDE_BIN = (
    "bin",
    "lib",
    "lib64",
    "share",
    "pyvenv.cfg",
)  # what the program in a folder `bin` needs of its neighbours
MEMORY_BYTES = 256 << 20
LIMITS = {
    "RLIMIT_DATA": MEMORY_BYTES,
    "RLIMIT_CPU": 3600,  # seconds: an evening's
    "RLIMIT_FSIZE": 1 << 20,
    "RLIMIT_NOFILE": 256,
    "RLIMIT_NPROC": 64,
    "RLIMIT_CORE": 0,
}


@dataclass(frozen=True)
class Sandbox:
    """How a bot is shut in.

    `closed`: no environment, a folder of its own, and no other file than the program's and the system's; else it has
    those of whoever starts it. `hidden`: folders that it never sees. It has no network, and `limits`, in both cases,
    as far as the system permits; `namespaces` False: as where it permits none.
    """

    closed: bool = True
    hidden: tuple[Path, ...] = ()
    limits: dict[str, int] = field(default_factory=lambda: dict(LIMITS))
    nice: int = 5  # the table comes first
    namespaces: bool = True


OPEN = Sandbox(closed=False, limits={"RLIMIT_CORE": 0}, nice=0)  # what a person starts by hand, to compare bots


def level_command(level: str) -> tuple[str, ...]:
    """The command of a process that plays as this level. Raises UnknownLevel."""
    return _own_command("bot_command", known_level(level))


def advising_command() -> tuple[str, ...]:
    """The command of a process that gives advice."""
    return _own_command("advising_command")


def _own_command(function: str, *words: str) -> tuple[str, ...]:
    """Python with a function of stdio.py, and nothing but our own modules and its library to import."""
    run = f"import sys; sys.path.insert(0, sys.argv[1]); from firmware.bots.stdio import {function}; "
    run += f"sys.exit({function}(*sys.argv[2:]))"
    return (_python(), "-I", "-S", "-c", run, str(_ROOT), *words)


def launch_command(command: Sequence[str], box: Sandbox, control: int) -> list[str]:
    """The command that starts `command` in this sandbox; it ends everything when the file `control` is closed."""
    needed = [path for path in map(_found, command) if path]
    settings = {
        "control": control,
        "closed": box.closed,
        "hidden": [str(path) for path in box.hidden if path.is_dir()],
        "needed": [*needed, _python(), sys.base_prefix],
        "readable": [*_SYSTEM, *_readable(needed, box.hidden)],
        "temporary": tempfile.gettempdir(),
        "limits": box.limits,
        "nice": box.nice,
        "namespaces": box.namespaces,
    }
    return [_python(), "-I", "-S", str(LAUNCH), json.dumps(settings), *command]


def _python() -> str:
    return sys.executable or shutil.which("python3") or "python3"


def _found(word: str) -> str | None:
    """The file that a word of a command names, if it does."""
    path = os.path.abspath(word) if os.sep in word else shutil.which(word)
    return path if path and os.path.exists(path) else None


def _readable(needed: list[str], hidden: Sequence[Path]) -> list[str]:
    """The files that a command names and what lies beside them, as long as that holds nothing hidden."""
    if _python() in needed:
        needed = [*needed, sys.base_prefix, sys.prefix]
    found = []
    for path in dict.fromkeys([*needed, *map(os.path.realpath, needed)]):
        folder = os.path.dirname(path)
        found.append(path)
        if os.path.basename(folder) == "bin":
            found += [os.path.join(os.path.dirname(folder), name) for name in _BESIDE_BIN]
        elif not os.path.isdir(path) and not any(_within(str(each), folder) for each in hidden):
            found.append(folder)
    return [path for path in dict.fromkeys(found) if os.path.exists(path)]


def _within(path: str, folder: str) -> bool:
    return os.path.commonpath([os.path.realpath(path), os.path.realpath(folder)]) == os.path.realpath(folder)

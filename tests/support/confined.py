"""A process as the installed service lets it be: the unit is read, and the kernel is asked for the same restrictions.

What systemd does to a service, by the calls that it uses itself: NoNewPrivileges= is prctl(2), MemoryDenyWriteExecute=
is PR_SET_MDWE (Linux 6.3), RestrictNamespaces= and SystemCallFilter= are a seccomp(2) filter that answers EPERM.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import struct
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from tests.support.places import ROOT

UNIT = ROOT / "systemd" / "tacocat.service"
# Their numbers on x86_64 and on aarch64: asm/unistd_64.h, asm-generic/unistd.h. Those that a launcher of bots may want.
CALLS = {
    "ptrace": (101, 117),
    "chown": (92, None),
    "fchownat": (260, 54),
    "setgroups": (116, 159),
    "setresuid": (117, 147),
    "setresgid": (119, 149),
    "setpriority": (141, 140),
    "prctl": (157, 167),
    "setrlimit": (160, 164),
    "mount": (165, 40),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "prlimit64": (302, 261),
    "setns": (308, 268),
    "seccomp": (317, 277),
    "pidfd_open": (434, 434),
    "landlock_create_ruleset": (444, 444),
    "landlock_add_rule": (445, 445),
    "landlock_restrict_self": (446, 446),
}
NO_NEW_PRIVILEGES, SET_SECCOMP, FILTER, SET_MDWE, REFUSE_EXEC_GAIN = 38, 22, 2, 65, 1  # linux/prctl.h
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06  # linux/bpf_common.h: BPF_LD|BPF_W|BPF_ABS, BPF_JMP|BPF_JEQ|BPF_K, BPF_RET|BPF_K
ALLOW, EPERM_OF_IT = 0x7FFF0000, 0x00050000 | 1  # linux/seccomp.h


def directives(text: str) -> dict[str, list[str]]:
    """The directives of a unit, each with its values in order."""
    found: dict[str, list[str]] = {}
    for name, value in re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE):
        found.setdefault(name, []).append(value.strip())
    return found


@cache
def members(group: str) -> frozenset[str]:
    """The calls of a group such as @resources, as this machine's systemd knows it."""
    done = subprocess.run(["systemd-analyze", "syscall-filter", group], capture_output=True, text=True, check=True)
    found: set[str] = set()
    for line in done.stdout.splitlines()[1:]:
        word = line.strip()
        if word.startswith("@"):
            found |= members(word)
        elif word and not word.startswith("#"):
            found.add(word)
    return frozenset(found)


def permitted(filters: Iterable[str]) -> frozenset[str]:
    """The calls that SystemCallFilter= lines permit, the first of which lists what is permitted (systemd.exec(5))."""
    found: frozenset[str] = frozenset()
    for line in filters:
        calls: frozenset[str] = frozenset()
        for word in line.removeprefix("~").split():
            calls |= members(word) if word.startswith("@") else {word}
        found = found - calls if line.startswith("~") else found | calls
    return found


def refused(text: str) -> list[str]:
    """Those of CALLS that this unit refuses."""
    said = directives(text)
    allowed = permitted(said.get("SystemCallFilter", [])) or frozenset(CALLS)
    spaces = {"unshare", "setns"} if said.get("RestrictNamespaces") == ["yes"] else set()
    return sorted(name for name in CALLS if name not in allowed or name in spaces)


def confine(unit: Path = UNIT) -> list[str]:
    """Put this process and all that it starts under the unit's restrictions; which calls are refused from now on.

    A kernel before Linux 6.3 lets memory be written and run. Raises OSError for what else it does not take.
    """
    text = unit.read_text()
    said, names = directives(text), refused(text)
    library = ctypes.CDLL(None, use_errno=True)
    if said.get("NoNewPrivileges") == ["yes"]:
        _prctl(library, NO_NEW_PRIVILEGES, 1)
    if said.get("MemoryDenyWriteExecute") == ["yes"]:
        with contextlib.suppress(OSError):
            _prctl(library, SET_MDWE, REFUSE_EXEC_GAIN)
    column = {"x86_64": 0, "aarch64": 1}[os.uname().machine]
    numbers = [number for name in names if (number := CALLS[name][column]) is not None]
    program = [(LOAD, 0, 0, 0)]  # the number of the call
    program += [(EQUAL, len(numbers) - n, 0, number) for n, number in enumerate(numbers)]
    program += [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, EPERM_OF_IT)]
    code = b"".join(struct.pack("HBBI", *step) for step in program)
    buffer = ctypes.create_string_buffer(code, len(code))
    _prctl(library, SET_SECCOMP, FILTER, ctypes.byref(_Program(len(program), ctypes.addressof(buffer))))
    return names


class _Program(ctypes.Structure):
    """linux/filter.h: struct sock_fprog."""

    _fields_ = (("len", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def _prctl(library: ctypes.CDLL, option: int, value: int, more: object = 0) -> None:
    if library.prctl(option, ctypes.c_ulong(value), more, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"prctl {option}: {os.strerror(number)}")

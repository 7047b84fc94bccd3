"""Starts a bot shut in, as far as this system lets it be, and ends it with all that it has started.

A program of its own: `python -I -S launch.py SETTINGS COMMAND…`, with SETTINGS as JSON (`Settings` in sandbox.py has
the same names). It stays the bot's parent. When the bot ends, or the file `control` is closed (by the host, or because
the host has died), everything below it is killed. What the system does not permit is left out, one by one; the first
line on standard error says what that is, before the bot has begun.

Sources: prctl(2), unshare(2), user_namespaces(7), pid_namespaces(7), landlock(7), mount(2), getrlimit(2).
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import shutil
import signal
import sys
from typing import Any

NOBODY = 65534
DUMPABLE, SET_NO_NEW_PRIVILEGES, PARENT_DEATH_SIGNAL, CHILD_SUBREAPER = 4, 38, 1, 36  # linux/prctl.h
NEW_MOUNTS, NEW_IPC, NEW_USER, NEW_PIDS, NEW_NET = 0x20000, 0x8000000, 0x10000000, 0x20000000, 0x40000000  # sched.h
NO_SUID, NO_DEVICES, RECURSIVE, PRIVATE, DETACH = 0x2, 0x4, 0x4000, 0x40000, 0x2  # linux/mount.h
# From the best shut in to what is better than nothing; the second half is for root without user namespaces.
UNSHARED = (
    NEW_USER | NEW_NET | NEW_PIDS | NEW_MOUNTS | NEW_IPC,
    NEW_USER | NEW_NET,
    NEW_NET | NEW_PIDS | NEW_MOUNTS | NEW_IPC,
    NEW_NET,
)
# linux/landlock.h: its calls have the same numbers on every machine
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
EXECUTE, WRITE_FILE, READ_FILE, READ_FOLDER = 1, 2, 4, 8
FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | 1 << 14 | 1 << 15  # truncate, ioctl
RIGHTS_OF = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}  # from this version on
NET_FROM, SCOPES_FROM = 4, 6
LEFT_OUT = "left out of the sandbox:"  # and names, a comma between them
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
FOLDER_BYTES = 16 << 20


class Calls:
    """The calls that Python has no names for; where they cannot be had they do nothing."""

    def __init__(self) -> None:
        self._library = None
        with contextlib.suppress(Exception):  # also MemoryError, where memory may not be written and run
            import ctypes

            self._ctypes = ctypes
            self._library = ctypes.CDLL(None, use_errno=True)

    def call(self, name: str, *args: object) -> int:
        """The result; -1 for a failure, and where there is no such call."""
        call = getattr(self._library, name, None)
        if call is None:
            return -1
        long = self._ctypes.c_long
        wide = [long(arg) if isinstance(arg, int) else arg for arg in args]
        call.restype = long
        return int(call(*wide))

    def prctl(self, option: int, value: int) -> bool:
        return self.call("prctl", option, value, 0, 0, 0) == 0

    def mount(self, source: bytes, target: bytes, flags: int, data: bytes | None) -> bool:
        return self.call("mount", source, target, source if data is not None else None, flags, data) == 0


def main(argv: list[str]) -> int:
    settings, command = json.loads(argv[1]), argv[2:]
    os.set_inheritable(settings["control"], False)
    system = Calls()
    system.prctl(CHILD_SUBREAPER, 1)  # what a child of the bot leaves behind becomes ours
    system.prctl(SET_NO_NEW_PRIVILEGES, 1)
    folder = _own_folder(settings["temporary"]) if settings["closed"] else ""
    try:
        _become_nobody(system, settings, folder)
        unshared = _unshare(system) if settings["namespaces"] else 0
        if unshared & NEW_MOUNTS:
            _hide(system, settings["hidden"], folder)
        child = os.fork()
        if child == 0:
            _become_the_bot(system, settings, command, folder, unshared)
        return _wait(child, settings["control"])
    finally:
        if folder:
            _remove(system, folder)


def _own_folder(temporary: str) -> str:
    folder = f"{temporary}/tacocat-bot-{os.urandom(8).hex()}"
    try:
        os.mkdir(folder, 0o700)
    except OSError:
        return ""
    return folder


def _remove(system: Calls, folder: str) -> None:
    system.call("umount2", os.fsencode(folder), DETACH)
    shutil.rmtree(folder, ignore_errors=True)


def _become_nobody(system: Calls, settings: dict[str, Any], folder: str) -> None:
    """Root starts nobody's program as root, unless nobody else can reach it."""
    if os.geteuid() != 0 or not settings["closed"]:
        return
    try:
        os.seteuid(NOBODY)
        reachable = all(os.access(path, os.R_OK, effective_ids=True) for path in settings["needed"])
        os.seteuid(0)
        if not reachable:
            return
        if folder:
            os.chown(folder, NOBODY, NOBODY)
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    except OSError:
        return
    system.prctl(DUMPABLE, 1)  # else /proc/self is root's


def _unshare(system: Calls) -> int:
    """Namespaces of its own: no network above all. Which ones these are."""
    user, group = os.geteuid(), os.getegid()
    for flags in UNSHARED:
        if system.call("unshare", flags) != 0:
            continue
        if flags & NEW_USER:
            _write("/proc/self/setgroups", b"deny")
            _write("/proc/self/uid_map", b"%d %d 1" % (user, user))
            _write("/proc/self/gid_map", b"%d %d 1" % (group, group))
        return flags
    return 0


def _write(path: str, data: bytes) -> None:
    with contextlib.suppress(OSError), open(path, "wb", 0) as file:
        file.write(data)


def _hide(system: Calls, hidden: list[str], folder: str) -> None:
    """Lay an empty file system over the table's folders, and one of limited size over the bot's own."""
    system.mount(b"none", b"/", RECURSIVE | PRIVATE, None)
    for path in hidden:
        system.mount(b"tmpfs", os.fsencode(path), NO_SUID | NO_DEVICES, b"size=4k,mode=555")
    if folder:
        system.mount(b"tmpfs", os.fsencode(folder), NO_SUID | NO_DEVICES, f"size={FOLDER_BYTES},mode=700".encode())


# ---- the bot ----


def _become_the_bot(system: Calls, settings: dict[str, Any], command: list[str], folder: str, unshared: int) -> None:
    """Never returns."""
    left_out = [] if unshared & NEW_NET else ["a network of its own"]
    try:
        os.setsid()
        system.prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL)
        left_out += _limit(settings["limits"], bool(unshared & NEW_USER))
        try:
            os.nice(settings["nice"])
        except OSError:
            left_out.append("a lower priority")
        environment = dict(os.environ)
        if settings["closed"]:
            home = folder or "/"
            os.chdir(home)
            environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": home, "TMPDIR": home, "LANG": "C.UTF-8"}
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            with contextlib.suppress(OSError, ValueError):
                signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        if not _restrict(system, settings, folder):
            left_out.append("Landlock")
        os.write(2, f"{LEFT_OUT} {', '.join(left_out)}\n".encode())
        os.execvpe(command[0], command, environment)  # noqa: S606
    except BaseException as error:  # noqa: BLE001 - whatever it is: said, and no second launcher goes on from here
        os.write(2, f"{command[0]} cannot be started: {error}\n".encode(errors="replace"))
    finally:
        os._exit(127)


def _limit(limits: dict[str, int], own_users: bool) -> list[str]:
    """The limits by their names in the module resource; that of processes counts all of the user's elsewhere.

    Which of them the system has refused.
    """
    refused = []
    for name, most in limits.items():
        if name == "RLIMIT_NPROC" and not own_users:
            continue
        try:
            number = getattr(resource, name)
            hard = resource.getrlimit(number)[1]
            least = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(number, (least, least))
        except (OSError, ValueError):
            refused.append(name)
    return refused


def _restrict(system: Calls, settings: dict[str, Any], folder: str) -> bool:
    """Landlock: these files and no others, no TCP, no signals to others. False: it was wanted, and cannot be had."""
    version = system.call("syscall", CREATE_RULESET, None, 0, 1)
    if version < 1:
        return not settings["closed"]
    rights = next(RIGHTS_OF[least] for least in sorted(RIGHTS_OF, reverse=True) if version >= least)
    handled = rights if settings["closed"] else 0
    words = [handled, 3 if version >= NET_FROM else 0, 3 if version >= SCOPES_FROM else 0]
    words = words[: 3 if version >= SCOPES_FROM else 2 if version >= NET_FROM else 1]
    if not any(words):
        return True
    attributes = b"".join(word.to_bytes(8, sys.byteorder) for word in words)
    ruleset = system.call("syscall", CREATE_RULESET, attributes, len(attributes), 0)
    if ruleset < 0:
        return False
    if handled:
        for path in settings["readable"]:
            _allow(system, ruleset, path, EXECUTE | READ_FILE | READ_FOLDER)
        for path in DEVICES:
            _allow(system, ruleset, path, WRITE_FILE | READ_FILE)
        if folder:
            _allow(system, ruleset, folder, rights)
    restricted = system.call("syscall", RESTRICT_SELF, ruleset, 0) == 0
    os.close(ruleset)
    return restricted


def _allow(system: Calls, ruleset: int, path: str, rights: int) -> None:
    with contextlib.suppress(OSError):
        file = os.open(path, os.O_PATH | os.O_CLOEXEC)
        if not os.path.isdir(path):
            rights &= FILE_RIGHTS
        rule = rights.to_bytes(8, sys.byteorder) + file.to_bytes(4, sys.byteorder)
        system.call("syscall", ADD_RULE, ruleset, 1, rule, 0)
        os.close(file)


# ---- its parent ----


def _wait(child: int, control: int) -> int:
    """Until the bot ends or the host wants it to. The exit status: the bot's, as shells have it."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):  # the bot's alone: who reads them has to see their end
        os.dup2(null, number)
    poll = select.poll()
    poll.register(control, 0)  # POLLHUP comes unasked
    pause_ms = None
    try:
        poll.register(os.pidfd_open(child), select.POLLIN)
    except OSError:  # a kernel before Linux 5.3, or a filter of system calls
        pause_ms = 50
    ended, status = 0, 0
    told: list[tuple[int, int]] = []
    while not ended and not told:
        told = poll.poll(pause_ms)
        ended, status = os.waitpid(child, os.WNOHANG)
    _kill_all()
    return os.waitstatus_to_exitcode(status) & 0xFF if ended else 0


def _kill_all() -> None:
    """Kill every child until there is none: those of a child that has died become ours, and are the next."""
    while True:
        for child in _children():
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _children() -> list[int]:
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
                # the name of the program, in brackets, may hold anything
                if int(file.read().rpartition(b")")[2].split()[1]) == os.getpid():
                    found.append(int(name))
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv))

"""One lock for the device: a second program that wants it is told which one has it."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import tempfile
from pathlib import Path
from types import TracebackType

from firmware.errors import FirmwareError, printable, short
from firmware.files.disk import DISK, kind_of
from firmware.files.names import ShownPath

LOCK_MODE = 0o644  # everybody may ask whether it is held, and by whom; only its owner and root may write that down
NAME = "tacocat-table.lock"
ATTEMPTS = 10  # to make a file that others make and remove at the same time
LONGEST = 200  # bytes of a lock that are read
# What opening a lock says where there is something else in its place (open(2)).
_IN_THE_WAY: dict[int | None, str] = {
    errno.ELOOP: "a link, which is not followed",
    errno.EISDIR: "a folder",
    errno.ENXIO: "no plain file",
}
_PROCESS = re.compile(r"\(process (\d{1,9})\)")


class DeviceBusyError(FirmwareError):
    """Another program has the device."""


class LockError(FirmwareError, OSError):
    """The lock's file is none that can be used; the message says why, and what to do."""


def lock_path(folder: Path = Path("/run/lock")) -> Path:
    """The same for all users of a machine: /run/lock on Debian, else the folder for temporary files."""
    path = folder / NAME
    return path if path.exists() or os.access(folder, os.W_OK) else ShownPath(tempfile.gettempdir()) / NAME


class DeviceLock:
    """Held from `__enter__` to `__exit__`, and let go by the kernel if the program dies.

    Raises DeviceBusyError, naming the program that has it; LockError if the file is none; OSError as the disk does.
    """

    def __init__(self, path: Path, what: str) -> None:
        self._path, self._what = path, what
        self._handle: int | None = None

    def __enter__(self) -> DeviceLock:
        handle, writable = _open_shared(self._path)
        try:
            self._take(handle, writable)
        except BaseException:
            os.close(handle)
            raise
        self._handle = handle
        return self

    def _take(self, handle: int, writable: bool) -> None:
        kind = kind_of(os.fstat(handle).st_mode)
        if kind:
            raise LockError(f"{self._path}, the lock of the table, is {kind}, not a file: remove it, then start again")
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DeviceBusyError(
                f"The table is in use by {_holder(handle)}. Stop that first: Ctrl-C where it runs, "
                "or sudo systemctl stop tacocat."
            ) from None
        if writable:
            with contextlib.suppress(OSError):  # a full disk: it is held all the same, only without a name
                os.ftruncate(handle, os.write(handle, f"{self._what} (process {os.getpid()})\n".encode()))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def _open_shared(path: Path) -> tuple[int, bool]:
    """A handle on the file, which is made if need be, and whether it may be written to: a lock needs no more than a
    handle for reading, so root and the service's user share the file of either.

    O_CREAT is left out where the file is there: in a folder like /run/lock the kernel refuses it for the file of
    another user (proc_sys_fs(5), protected_regular). Links are not followed: anybody may put one there.
    """
    always = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    for _ in range(ATTEMPTS):
        try:
            with contextlib.suppress(PermissionError):
                return os.open(path, os.O_RDWR | always), True
            return os.open(path, os.O_RDONLY | always), False
        except FileNotFoundError:
            with contextlib.suppress(FileExistsError):  # somebody was quicker
                return _made(path), True
        except OSError as error:
            found = _IN_THE_WAY.get(error.errno)
            if found is None:
                raise
            text = f"{path}, the lock of the table, is {found}: remove it, then start again"
            raise LockError(text) from None
    raise LockError(f"{path}, the lock of the table, is made and removed again and again by another program")


def _made(path: Path) -> int:
    os.close(DISK.reserve(path, LOCK_MODE))
    handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    with contextlib.suppress(OSError):  # the umask, which for the service is strict, does not count
        os.fchmod(handle, LOCK_MODE)
    return handle


def _holder(handle: int) -> str:
    """Who has the lock, as far as the file says it: who may not write to it has left the name of one before."""
    text = short(printable(os.pread(handle, LONGEST, 0).decode(errors="replace")).strip().partition("\n")[0])
    process = _PROCESS.search(text)
    if process is None or not _lives(int(process[1])):
        return "another program"
    return text


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass  # it is there, but not ours
    return True

"""One lock for the device: a second program that wants it is told which one has it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from pathlib import Path
from types import TracebackType

from firmware.errors import FirmwareError


class DeviceBusyError(FirmwareError):
    """Another program has the device."""


def lock_path() -> Path:
    """The same for all users of a machine: /run/lock on Debian, else the folder for temporary files."""
    folder = Path("/run/lock")
    return (folder if os.access(folder, os.W_OK) else Path(tempfile.gettempdir())) / "tacocat-table.lock"


def _open_for_all(path: Path) -> int:
    """A handle on the file, which is made if need be so that every user of the machine can open it.

    O_CREAT is left out where the file is there: in a folder like /run/lock the kernel refuses it for the file of
    another user (proc_sys_fs(5), protected_regular). The umask, which for the service is strict, does not count.
    """
    while True:
        with contextlib.suppress(FileNotFoundError):
            return os.open(path, os.O_RDWR | os.O_CLOEXEC)
        with contextlib.suppress(FileExistsError):  # somebody was quicker
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            os.fchmod(handle, 0o666)
            return handle


class DeviceLock:
    """Held from `__enter__` to `__exit__`, and let go by the kernel if the program dies.

    Raises DeviceBusyError, naming the program that has it.
    """

    def __init__(self, path: Path, what: str) -> None:
        self._path, self._what = path, what
        self._handle: int | None = None

    def __enter__(self) -> DeviceLock:
        handle = _open_for_all(self._path)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(handle, 200).decode(errors="replace").strip() or "another program"
            os.close(handle)
            raise DeviceBusyError(
                f"The table is in use by {holder}. Stop that first: Ctrl-C where it runs, "
                "or sudo systemctl stop tacocat."
            ) from None
        os.ftruncate(handle, 0)
        os.write(handle, f"{self._what} (process {os.getpid()})\n".encode())
        self._handle = handle
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

"""One lock for the device: a second program that wants it is told which one has it."""

from __future__ import annotations

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


class DeviceLock:
    """Held from `__enter__` to `__exit__`, and let go by the kernel if the program dies.

    Raises DeviceBusyError, naming the program that has it.
    """

    def __init__(self, path: Path, what: str) -> None:
        self._path, self._what = path, what
        self._handle: int | None = None

    def __enter__(self) -> DeviceLock:
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
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

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

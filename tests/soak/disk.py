"""A disk that loses at a power cut what was not synced, can be full, and loses its power in any of its calls."""

from __future__ import annotations

import errno
from contextlib import suppress
from pathlib import Path
from random import Random

from firmware.files.disk import NEW_FILE, Disk
from tests.support.disks import PowerCut


class UnsafeDisk(Disk):
    """Real files, but fsync only notes what is safe. `power_off` makes of the files what the next start finds.

    `full`: a write takes part of its bytes at most. `calls_left`: after this many calls the power fails; None: never.
    """

    def __init__(self, random: Random) -> None:
        self.full = False
        self.calls_left: int | None = None
        self.fsyncs = 0
        self._random = random
        self._open: dict[int, Path] = {}
        self._safe: dict[Path, int] = {}  # how many bytes of a file are safe, where that is not all of it
        self._before: dict[Path, bytes] = {}  # what was in a file before a truncation that is not safe
        self._new_names: set[Path] = set()

    def power_off(self) -> None:
        """The handles are gone, and of what was not synced only chance knows how much was written."""
        self.full, self.calls_left = False, None
        for handle in list(self._open):
            self.close(handle)
        for path, safe in sorted(self._safe.items()):
            data = path.read_bytes()
            data += self._before.get(path, b"")[len(data) :] * self._random.randrange(2)  # behind what is written over
            kept = self._random.randint(safe, max(safe, len(data)))
            # a file may have grown before its contents came to the disk
            unwritten = bytes(self._random.choice((0, 0, 0, len(data) - kept)))
            path.write_bytes(data[:kept] + unwritten)
        for path in sorted(self._new_names):
            if self._random.randrange(2):
                path.unlink()
        self._safe, self._before, self._new_names = {}, {}, set()

    def create(self, path: Path, mode: int = 0o666) -> int:
        self._call()
        return self._opened(super().create(path, mode), path, new=True)

    def reserve(self, path: Path, mode: int = NEW_FILE) -> int:
        self._call()
        return self._opened(super().reserve(path, mode), path, new=True)

    def extend(self, path: Path) -> int:
        self._call()
        return self._opened(super().extend(path), path, new=False)

    def open_folder(self, path: Path) -> int:
        self._call()
        return self._opened(super().open_folder(path), path, new=False)

    def write(self, handle: int, data: bytes) -> int:
        path = self._open[handle]
        self._safe.setdefault(path, path.stat().st_size)
        part = data[: self._random.randrange(len(data))]
        if self.full:
            if not part:
                raise OSError(errno.ENOSPC, "No space left on device")
            return super().write(handle, part)
        try:
            self._call()
        except PowerCut:
            super().write(handle, part)
            raise
        return super().write(handle, data)

    def truncate(self, handle: int, length: int) -> None:
        self._call()
        path = self._open[handle]
        self._safe[path] = min(length, self._safe.get(path, length))
        now = path.read_bytes()
        self._before[path] = now + self._before.get(path, b"")[len(now) :]
        super().truncate(handle, length)

    def fsync(self, handle: int) -> None:
        self._call()
        self.fsyncs += 1
        path = self._open[handle]
        if path.is_dir():
            self._new_names = {name for name in self._new_names if name.parent != path}
        else:
            self._safe.pop(path, None)
            self._before.pop(path, None)

    def unlink(self, path: Path) -> None:
        super().unlink(path)
        self._safe.pop(path, None)
        self._before.pop(path, None)
        self._new_names.discard(path)

    def close(self, handle: int) -> None:
        self._open.pop(handle, None)
        with suppress(OSError):
            super().close(handle)

    def _opened(self, handle: int, path: Path, new: bool) -> int:
        self._open[handle] = path
        if new:
            self._safe[path] = 0
            self._new_names.add(path)
        return handle

    def _call(self) -> None:
        if self.calls_left is not None:
            self.calls_left -= 1
            if self.calls_left < 0:
                raise PowerCut

"""Disks that fail: one call at a time, or all at once when the power is cut."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from firmware.files.disk import MAX_BYTES, NEW_FILE, Disk


class PowerCut(BaseException):
    """No program sees the end of it."""


class FailingDisk(Disk):
    """The real disk, but call number `fails` (from 0) raises OSError with `code`. `calls` are the calls so far."""

    def __init__(self, fails: int | None = None, code: int = errno.ENOSPC) -> None:
        self.calls: list[str] = []
        self._fails, self._code = fails, code
        self._named: set[str] = set()

    def __getattribute__(self, name: str):
        if name.startswith("_") or name in ("calls", "fail_next"):
            return object.__getattribute__(self, name)
        method = object.__getattribute__(self, name)

        def call(*args, **named):
            self.calls.append(name)
            if len(self.calls) - 1 == self._fails or name in self._named:
                self._named.discard(name)
                if name == "close":
                    method(*args, **named)  # as the system does: the handle is gone even if close fails
                raise OSError(self._code, "made to fail")
            return method(*args, **named)

        return call

    def fail_next(self, *names: str) -> None:
        """The next call of each of these names fails."""
        self._named = set(names)


class ShortWrites(Disk):
    """The real disk, but one byte at a time is written."""

    def write(self, handle: int, data: bytes) -> int:
        return super().write(handle, data[:1])


@dataclass
class Inode:
    now: bytes = b""
    synced: bytes = b""


@dataclass
class MemoryDisk(Disk):
    """A disk that keeps only what was synced: contents by fsync of the file, names by fsync of the folder.

    Call number `cut_at` and all later ones raise PowerCut. `after_cut(n)` is what the next start finds if, of the
    changes of names that were not synced, the first n had reached the disk by themselves.
    """

    cut_at: int | None = None
    inodes: dict[Path, Inode] = field(default_factory=dict)
    calls: int = 0
    _synced_names: dict[Path, Inode] = field(default_factory=dict)
    _pending: list[dict[Path, Inode]] = field(default_factory=list)
    _handles: dict[int, Inode | None] = field(default_factory=dict)

    @classmethod
    def holding(cls, files: dict[Path, bytes], cut_at: int | None = None) -> MemoryDisk:
        names = {path: Inode(data, data) for path, data in files.items()}
        return cls(cut_at, dict(names), 0, names)

    @property
    def outcomes(self) -> int:
        return len(self._pending) + 1

    def after_cut(self, reached: int) -> MemoryDisk:
        names = [self._synced_names, *self._pending][reached]
        return MemoryDisk.holding({path: inode.synced for path, inode in names.items()})

    def contents(self) -> dict[Path, bytes]:
        return {path: inode.now for path, inode in self.inodes.items()}

    def _count(self) -> None:
        if self.cut_at is not None and self.calls >= self.cut_at:
            raise PowerCut
        self.calls += 1

    def _rename(self, names: dict[Path, Inode]) -> None:
        self.inodes = names
        self._pending.append(dict(names))

    def _open(self, inode: Inode | None) -> int:
        self._handles[len(self._handles)] = inode
        return len(self._handles) - 1

    def read(self, path: Path, most: int = MAX_BYTES) -> bytes:
        self._count()
        if path not in self.inodes:
            raise FileNotFoundError(errno.ENOENT, "no such file")
        return self.inodes[path].now

    def target(self, path: Path) -> Path:
        return path

    def keep_access(self, handle: int, like: Sequence[Path]) -> None:
        """Nobody else uses this disk."""

    def make_folder(self, path: Path) -> None:
        """All folders are there."""

    def create(self, path: Path, mode: int = 0o666) -> int:
        self._count()
        self._rename({**self.inodes, path: Inode()})
        return self._open(self.inodes[path])

    def reserve(self, path: Path, mode: int = NEW_FILE) -> int:
        if path in self.inodes:
            raise FileExistsError(errno.EEXIST, "it exists")
        return self.create(path)

    def open_folder(self, path: Path) -> int:
        self._count()
        return self._open(None)

    def write(self, handle: int, data: bytes) -> int:
        self._count()
        self._handles[handle].now += data
        return len(data)

    def fsync(self, handle: int) -> None:
        self._count()
        inode = self._handles[handle]
        if inode is not None:
            inode.synced = inode.now
        else:
            self._synced_names, self._pending = dict(self.inodes), []

    def close(self, handle: int) -> None:
        self._count()

    def replace(self, source: Path, target: Path) -> None:
        self._count()
        names = dict(self.inodes)
        names[target] = names.pop(source)
        self._rename(names)

    def unlink(self, path: Path) -> None:
        self._count()
        self._rename({name: inode for name, inode in self.inodes.items() if name != path})

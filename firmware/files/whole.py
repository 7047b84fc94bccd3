"""Small files that are replaced whole or not at all, with one backup of each.

`save_kept` and `load_kept` work for any text with a parser of its own (the deck, the settings). Whatever happens in
between, power cuts included, the file or its backup holds a whole text. What cannot be read is set aside under
another name, and never overwritten.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TypeVar

from firmware.errors import FirmwareError

T = TypeVar("T")

MAX_BYTES = 1 << 16  # a larger file is none of ours
BACKUP_SUFFIX = ".bak"
NEW_SUFFIX = ".new"  # half-written; a leftover of a power cut is overwritten by the next save
ASIDE_SUFFIX = ".unreadable-"  # and a number


class SaveError(FirmwareError, OSError):
    """A file could not be replaced. It is whole all the same: as it was, or, at the very end, already the new one."""


class UnreadableError(FirmwareError, ValueError):
    """A file is there, but does not hold what it should; the message says why."""


class Disk:
    """The calls to the operating system that saving is made of, so that a test can let each of them fail.

    All raise OSError. Folders are opened only to be synced.
    """

    def read(self, path: Path) -> bytes:
        """The whole file, or its first MAX_BYTES + 1 bytes."""
        with path.open("rb") as stream:
            return stream.read(MAX_BYTES + 1)

    def create(self, path: Path) -> int:
        """Open for writing, empty, whatever was there."""
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)

    def reserve(self, path: Path) -> int:
        """Open for writing what did not exist; FileExistsError if it did."""
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)

    def extend(self, path: Path) -> int:
        """Open what is there for writing behind its end."""
        return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)

    def truncate(self, handle: int, length: int) -> None:
        os.ftruncate(handle, length)

    def open_folder(self, path: Path) -> int:
        return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def write(self, handle: int, data: bytes) -> int:
        return os.write(handle, data)

    def fsync(self, handle: int) -> None:
        os.fsync(handle)

    def close(self, handle: int) -> None:
        os.close(handle)

    def replace(self, source: Path, target: Path) -> None:
        os.replace(source, target)

    def unlink(self, path: Path) -> None:
        os.unlink(path)


DISK = Disk()


class StandIn(Enum):
    """What takes the place of a file that could not be read."""

    BACKUP = "its backup is used"
    NEW = "the new one takes its place"
    NOTHING = "there is no backup that could be used"


@dataclass(frozen=True, slots=True)
class Notice:
    """Something to be said aloud about a file that was not as it should be.

    `aside` is where it was put; None if there was nothing to put aside, or it could not be moved.
    """

    path: Path
    reason: str
    aside: Path | None
    stand_in: StandIn

    def __str__(self) -> str:
        aside = f"; it was set aside as {self.aside.name}" if self.aside else ""
        return f"{self.path}: {self.reason}{aside}; {self.stand_in.value}"


def backup_of(path: Path) -> Path:
    return path.with_name(path.name + BACKUP_SUFFIX)


def replace_file(path: Path, data: bytes, disk: Disk = DISK) -> None:
    """Give the file `path` these contents: whole, on the disk when this returns, or not at all.

    Raises SaveError.
    """
    try:
        _replace(path, data, disk)
    except OSError as error:
        raise _save_error(path, error) from error


def set_aside(path: Path, disk: Disk = DISK) -> Path:
    """Rename a file that cannot be read to `NAME.unreadable-1`, -2 …: the first name that is free. Raises OSError."""
    aside, handle = _free_aside(path, disk)
    disk.close(handle)
    try:
        disk.replace(path, aside)  # overwrites only the empty file that has just been made for it
    except OSError:
        _discard(aside, disk)
        raise
    sync_folder(path.parent, disk)
    return aside


def copy_aside(path: Path, data: bytes, disk: Disk = DISK) -> Path:
    """Keep `data`, what the file holds, under such a name; the file itself stays. Raises OSError."""
    aside, handle = _free_aside(path, disk)
    disk.close(handle)
    try:
        _write(aside, data, disk)
    except OSError:
        _discard(aside, disk)
        raise
    sync_folder(path.parent, disk)
    return aside


def _free_aside(path: Path, disk: Disk) -> tuple[Path, int]:
    number = 1
    while True:
        aside = path.with_name(f"{path.name}{ASIDE_SUFFIX}{number}")
        try:
            return aside, disk.reserve(aside)
        except FileExistsError:
            number += 1


def load_kept(path: Path, parse: Callable[[str], T], disk: Disk = DISK) -> tuple[T | None, tuple[Notice, ...]]:
    """What `parse` makes of the file, or of its backup if the file cannot be read; None if there is neither.

    `parse` raises a FirmwareError for a text that is not what it should be. An empty file cannot be read either.
    What cannot be read is set aside, if the folder allows it, and told in a notice. Never raises for what is on the
    disk.
    """
    value, reason = _try(path, parse, disk)
    if value is not None:
        return value, ()
    backup = backup_of(path)
    value, backup_reason = _try(backup, parse, disk)
    stand_in = StandIn.NOTHING if value is None else StandIn.BACKUP
    notices = []
    if reason is not None:
        notices.append(_put_aside(path, reason, stand_in, disk))
    elif value is not None:
        notices.append(Notice(path, "it is missing", None, stand_in))
    if backup_reason is not None:
        notices.append(_put_aside(backup, backup_reason, stand_in, disk))
    return value, tuple(notices)


def save_kept(path: Path, text: str, parse: Callable[[str], object], disk: Disk = DISK) -> tuple[Notice, ...]:
    """Replace the file's text; what it held becomes the backup, if it could be read and was another text.

    A file that cannot be read is set aside first, and does not touch the backup. Raises SaveError.
    """
    data, new = text.encode(), _new(path)
    try:
        _write(new, data, disk)
        notices = _keep_old(path, data, parse, disk)
        disk.replace(new, path)
        sync_folder(path.parent, disk)
    except OSError as error:
        _discard(new, disk)
        raise _save_error(path, error) from error
    return notices


def _keep_old(path: Path, data: bytes, parse: Callable[[str], object], disk: Disk) -> tuple[Notice, ...]:
    try:
        old = _read(path, lambda text: (parse(text), text)[1], disk)
    except UnreadableError as error:
        return (Notice(path, str(error), set_aside(path, disk), StandIn.NEW),)
    if old is not None and old.encode() != data:
        _replace(backup_of(path), old.encode(), disk)
    return ()


def read_other(path: Path, parse: Callable[[str], T], disk: Disk = DISK) -> T:
    """What `parse` makes of a file that is not ours to keep. Raises UnreadableError, also if there is none."""
    value = _read(path, parse, disk)
    if value is None:
        raise UnreadableError("there is no such file")
    return value


# ---- steps ---------------------------------------------------------------------------------


def _read(path: Path, parse: Callable[[str], T], disk: Disk) -> T | None:
    """None if there is no such file. Raises UnreadableError."""
    try:
        data = disk.read(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnreadableError(f"it cannot be read: {error.strerror or error}") from error
    if not data:
        raise UnreadableError("it is empty")
    if len(data) > MAX_BYTES:
        raise UnreadableError(f"it is larger than {MAX_BYTES // 1024} KiB")
    try:
        return parse(data.decode())
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise UnreadableError(f"line {line} is not UTF-8 (byte 0x{data[error.start]:02x})") from error
    except FirmwareError as error:
        raise UnreadableError(str(error)) from error


def _try(path: Path, parse: Callable[[str], T], disk: Disk) -> tuple[T | None, str | None]:
    """(value, None), (None, why it cannot be read), or (None, None) if there is no such file."""
    try:
        return _read(path, parse, disk), None
    except UnreadableError as error:
        return None, str(error)


def _put_aside(path: Path, reason: str, stand_in: StandIn, disk: Disk) -> Notice:
    try:
        return Notice(path, reason, set_aside(path, disk), stand_in)
    except OSError as error:
        return Notice(path, f"{reason}; nor can it be set aside: {error.strerror or error}", None, stand_in)


def _replace(path: Path, data: bytes, disk: Disk) -> None:
    new = _new(path)
    try:
        _write(new, data, disk)
        disk.replace(new, path)
        sync_folder(path.parent, disk)
    except OSError:
        _discard(new, disk)
        raise


def _write(path: Path, data: bytes, disk: Disk) -> None:
    """The contents have to be on the disk before the name is: else a power cut leaves an empty file."""
    handle = disk.create(path)
    try:
        while data:
            count = disk.write(handle, data)
            if not count:
                raise OSError(errno.EIO, "nothing was written")
            data = data[count:]
        disk.fsync(handle)
    finally:
        disk.close(handle)


def sync_folder(folder: Path, disk: Disk = DISK) -> None:
    """Make what was created, renamed or removed in a folder survive a power cut. Raises OSError."""
    handle = disk.open_folder(folder)
    try:
        disk.fsync(handle)
    finally:
        disk.close(handle)


def _new(path: Path) -> Path:
    return path.with_name(path.name + NEW_SUFFIX)


def _discard(path: Path, disk: Disk) -> None:
    with contextlib.suppress(OSError):  # it may never have been made, or already be renamed
        disk.unlink(path)


def _save_error(path: Path, error: OSError) -> SaveError:
    return SaveError(
        f"{path} could not be saved: {error.strerror or error}. What it held before is not lost; "
        f"see that {path.parent} exists, may be written to, and has space left"
    )

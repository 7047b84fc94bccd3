"""Small files that are replaced whole or not at all, with a backup of each.

`save_kept` and `load_kept` work for any text with a parser of its own (the deck, the settings). Whatever happens in
between, power cuts included, the file or its backup holds a whole text. What is faulty in itself is set aside under
another name, and never overwritten; what cannot be read now is left alone.
"""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TypeVar

from firmware.errors import FirmwareError
from firmware.files.disk import DISK, MAX_BYTES, NEW_FILE, Disk, NotPlainError, why

T = TypeVar("T")

CLEAR_THE_WAY = "put right what is there, or move it away"
OTHER_FOLDER = "Choose another with --state FOLDER, or see that you may write there"

BACKUP_SUFFIX = ".bak"
NEW_SUFFIX = ".new"  # half-written; a leftover of a power cut is overwritten by the next save
ASIDE_SUFFIX = ".unreadable-"  # and a number
EARLIER_SUFFIX = "-"  # and a number, behind a backup's name
# What fsync of a folder answers on some file systems (9p, Samba, some of FUSE) where nothing is wrong (fsync(2)).
CANNOT_SYNC_FOLDERS = frozenset({errno.EINVAL, errno.ENOTSUP, errno.ENOSYS, errno.EBADF})


class SaveError(FirmwareError, OSError):
    """A file could not be replaced. It is whole all the same: as it was, or, at the very end, already the new one."""


class UnreadableError(FirmwareError, ValueError):
    """A file is there, but does not hold what it should; the message says why."""


class UnreadableNowError(UnreadableError):
    """A file is there, and may hold what it should, but cannot be read now, or not by this program."""


class InTheWayError(UnreadableNowError):
    """Something else stands in the place of a file."""


class NewerError(FirmwareError, ValueError):
    """Raised by a parser: the text was written by a newer version of this program, so it is not damaged."""


class StandIn(Enum):
    """What takes the place of a file that could not be read, or of a part of it."""

    BACKUP = "its backup is used"
    NEW = "the new one takes its place"
    NOTHING = "there is no backup that could be used"
    REST = "the rest of it is used"


@dataclass(frozen=True, slots=True)
class Notice:
    """Something to be said aloud about a file that was not as it should be.

    `aside` is where it was put; None if there was nothing to put aside, or it could not be moved. `left_alone`: it
    may be whole, but could not be read now.
    """

    path: Path
    reason: str
    aside: Path | None
    stand_in: StandIn
    left_alone: bool = False

    def __str__(self) -> str:
        aside = f"; it was set aside as {self.aside.name}" if self.aside else ""
        return f"{self.path}: {self.reason}{aside}; {self.stand_in.value}"


def backup_of(path: Path) -> Path:
    return path.with_name(path.name + BACKUP_SUFFIX)


def replace_file(path: Path, data: bytes, disk: Disk = DISK) -> None:
    """Give the file `path` these contents: whole, on the disk when this returns, or not at all.

    Owner and mode stay, and so does a link that leads to it. Raises SaveError.
    """
    try:
        _replace(path, data, disk)
    except OSError as error:
        raise _save_error(path, error) from error


def see_writable(path: Path, disk: Disk = DISK) -> None:
    """Find out whether the file `path` can be replaced, before anybody does work for it. Raises SaveError."""
    try:
        target = disk.target(path)
        new = _new(target)
        try:
            handle = disk.create(new)
            try:
                disk.keep_access(handle, (target,))
            finally:
                disk.close(handle)
        finally:
            _discard(new, disk)
    except OSError as error:
        raise _save_error(path, error) from error


def make_folder(path: Path, disk: Disk = DISK) -> None:
    """Make a folder, and those above it, if they are not there. Raises SaveError."""
    try:
        disk.make_folder(path)
    except OSError as error:
        raise SaveError(f"the folder {path} cannot be used: {why(error)}. {OTHER_FOLDER}") from error


def set_aside(path: Path, disk: Disk = DISK) -> Path:
    """Rename a file that cannot be read to `NAME.unreadable-1`, -2 …: the first name that is free. Raises OSError."""
    return move_away(path, ASIDE_SUFFIX, disk)


def copy_aside(path: Path, data: bytes, disk: Disk = DISK) -> Path:
    """Keep `data`, what the file holds, under such a name; the file itself stays. Raises OSError."""
    aside = _free(path, ASIDE_SUFFIX, disk)
    try:
        _write(aside, data, disk, path)
    except OSError:
        _discard(aside, disk)
        raise
    sync_folder(path.parent, disk)
    return aside


def back_up(path: Path, data: bytes, disk: Disk = DISK) -> Path:
    """Keep `data`, what the file holds, as its backup; an earlier backup is kept as `NAME.bak-1`, -2 … Raises OSError.

    Returns the backup.
    """
    backup = backup_of(path)
    try:
        before = disk.read(backup, most=len(data))
    except FileNotFoundError:
        before = None
    if before == data:
        return backup
    if before is not None:
        move_away(backup, EARLIER_SUFFIX, disk)
    _replace(backup, data, disk, path)
    return backup


def move_away(path: Path, suffix: str, disk: Disk = DISK) -> Path:
    """Rename a file to its name, this suffix, and the first number that is free. Raises OSError."""
    free = _free(path, suffix, disk)
    try:
        disk.replace(path, free)  # overwrites only the empty file that has just been made for it
    except OSError:
        _discard(free, disk)
        raise
    sync_folder(path.parent, disk)
    return free


def _free(path: Path, suffix: str, disk: Disk) -> Path:
    """An empty file under the first name of this kind that is free."""
    number = 1
    while True:
        free = path.with_name(f"{path.name}{suffix}{number}")
        try:
            handle = disk.reserve(free)
        except FileExistsError:
            number += 1
            continue
        disk.close(handle)
        return free


def load_kept(
    path: Path, parse: Callable[[str], T], disk: Disk = DISK, *, look_only: bool = False
) -> tuple[T | None, tuple[Notice, ...]]:
    """What `parse` makes of the file, or of its backup if the file cannot be read; None if there is neither.

    `parse` raises a FirmwareError for a text that is not what it should be. An empty file cannot be read either.
    What is faulty is set aside, if the folder allows it, and told in a notice; what cannot be read now is told and
    stays; with `look_only` all stays. Never raises for what is on the disk.
    """
    value, fault = _try(path, parse, disk)
    if value is not None:
        return value, ()
    backup = backup_of(path)
    value, backup_fault = _try(backup, parse, disk)
    stand_in = StandIn.NOTHING if value is None else StandIn.BACKUP
    notices = []
    if fault is not None:
        notices.append(_put_aside(path, fault, stand_in, disk, look_only))
    elif value is not None:
        notices.append(Notice(path, "it is missing", None, stand_in))
    if backup_fault is not None:
        notices.append(_put_aside(backup, backup_fault, stand_in, disk, look_only))
    return value, tuple(notices)


def save_kept(
    path: Path,
    text: str,
    parse: Callable[[str], object],
    disk: Disk = DISK,
    *,
    every_backup: bool = False,
    mode: int = NEW_FILE,
) -> tuple[Notice, ...]:
    """Replace the file's text; what it held becomes the backup, if it could be read and was another text.

    A faulty file is set aside first, and does not touch the backup; one that cannot be read now is not replaced.
    With `every_backup` the backup that was there stays too, under another name (see `back_up`). `mode`: of a file that
    is not there yet, before the umask. Raises SaveError.
    """
    try:
        target = disk.target(path)
        new = _new(target)
        try:
            _write(new, text.encode(), disk, target, mode=mode)
            notices = _keep_old(path, target, text, parse, disk, every_backup)
            disk.replace(new, target)
            sync_folder(target.parent, disk)
        except OSError:
            _discard(new, disk)
            raise
    except OSError as error:
        raise _save_error(path, error) from error
    return notices


def _keep_old(
    path: Path, target: Path, text: str, parse: Callable[[str], object], disk: Disk, every_backup: bool
) -> tuple[Notice, ...]:
    try:
        old = _read(path, lambda text: (parse(text), text)[1], disk)
    except UnreadableNowError as error:
        raise OSError(errno.EIO, f"what it holds now would be lost, for {error}") from error
    except UnreadableError as error:
        return (Notice(path, str(error), set_aside(target, disk), StandIn.NEW),)
    if old is not None and old != text:
        try:
            if every_backup:
                back_up(path, old.encode(), disk)
            else:
                _replace(backup_of(path), old.encode(), disk, target)
        except NotPlainError as error:
            raise NotPlainError(error.errno, f"of its backup {backup_of(path)}, {why(error)}") from error
    return ()


# ---- steps ---------------------------------------------------------------------------------


def _read(path: Path, parse: Callable[[str], T], disk: Disk) -> T | None:
    """None if there is no such file. Raises UnreadableError."""
    try:
        data = disk.read(path)
    except FileNotFoundError:
        return None
    except NotPlainError as error:
        raise InTheWayError(why(error)) from error
    except OSError as error:
        raise UnreadableNowError(f"it cannot be read now: {why(error)}") from error
    return parsed(data, parse)


def parsed(data: bytes, parse: Callable[[str], T]) -> T:
    """What `parse` makes of a file's bytes. Raises UnreadableError."""
    if not data:
        raise UnreadableError("it is empty")
    if len(data) > MAX_BYTES:
        raise UnreadableError(f"it is larger than {MAX_BYTES // 1024} KiB")
    try:
        return parse(data.decode())
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise UnreadableError(f"line {line} is not UTF-8 (byte 0x{data[error.start]:02x})") from error
    except NewerError as error:
        raise UnreadableNowError(str(error)) from error
    except FirmwareError as error:
        raise UnreadableError(str(error)) from error


def _try(path: Path, parse: Callable[[str], T], disk: Disk) -> tuple[T | None, UnreadableError | None]:
    """(value, None), (None, why it cannot be read), or (None, None) if there is no such file."""
    try:
        return _read(path, parse, disk), None
    except UnreadableError as error:
        return None, error


def _put_aside(path: Path, fault: UnreadableError, stand_in: StandIn, disk: Disk, look_only: bool) -> Notice:
    if isinstance(fault, UnreadableNowError):
        advice = f": {CLEAR_THE_WAY}" if isinstance(fault, InTheWayError) else ""
        return Notice(path, f"{fault}; it was left as it is{advice}", None, stand_in, left_alone=True)
    if look_only:
        return Notice(path, str(fault), None, stand_in)
    try:
        return Notice(path, str(fault), set_aside(disk.target(path), disk), stand_in)
    except OSError as error:
        return Notice(path, f"{fault}; nor can it be set aside: {why(error)}", None, stand_in)


def _replace(path: Path, data: bytes, disk: Disk, *like: Path) -> None:
    """`like`: whose owner and mode a file gets that is not there yet."""
    target = disk.target(path)
    new = _new(target)
    try:
        _write(new, data, disk, target, *like)
        disk.replace(new, target)
        sync_folder(target.parent, disk)
    except OSError:
        _discard(new, disk)
        raise


def _write(path: Path, data: bytes, disk: Disk, *like: Path, mode: int = NEW_FILE) -> None:
    """The contents have to be on the disk before the name is: else a power cut leaves an empty file.

    The file gets owner and mode of the first of `like` that is there.
    """
    handle = disk.create(path, mode)
    try:
        disk.keep_access(handle, like)
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
    except OSError as error:
        if error.errno not in CANNOT_SYNC_FOLDERS:
            raise
    finally:
        disk.close(handle)


def _new(path: Path) -> Path:
    return path.with_name(path.name + NEW_SUFFIX)


def _discard(path: Path, disk: Disk) -> None:
    with contextlib.suppress(OSError):  # it may never have been made, or already be renamed
        disk.unlink(path)


def _save_error(path: Path, error: OSError) -> SaveError:
    if isinstance(error, NotPlainError):
        return SaveError(f"{path} could not be saved: {why(error)}: {CLEAR_THE_WAY}. Nothing was changed")
    return SaveError(
        f"{path} could not be saved: {why(error)}. What it held before is not lost; "
        f"see that {path.parent} exists, may be written to, and has space left"
    )

"""Files that a person names: read from wherever they are, written to without costing what is there."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from io import BufferedReader, FileIO
from pathlib import Path
from typing import TYPE_CHECKING

from firmware.files.disk import DISK, MAX_BYTES, NEW_FILE, Disk, NotPlainError, in_the_way, kind_of, why
from firmware.files.whole import SaveError, UnreadableError, replace_file

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

STREAM = "-"  # in a file's place: standard input, or standard output


def open_to_read(path: Path) -> BufferedReader:
    """A file, or a pipe that somebody writes into, to be read from its beginning. Never waits for a pipe's other end.

    Raises NotPlainError for anything else, else OSError.
    """
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        raise in_the_way(error, path) from None
    if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
        raise NotPlainError(errno.EINVAL, f"it is {kind_of(mode)}, not a file ({STREAM} is standard input)")
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    source = _Source(handle)
    stream: BufferedReader = BufferedReader(source)
    try:
        if stat.S_ISFIFO(os.fstat(handle).st_mode):
            _wait_for_writer(stream, source)
    except OSError:
        stream.close()
        raise
    return stream


class _Source(FileIO):
    """Remembers whether the last read has met the end: of a pipe, that nobody has it open to write."""

    ended = False

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        count = super().readinto(buffer)  # None, whatever its type says: nothing has been written yet
        self.ended = count == 0
        return count


def _wait_for_writer(stream: BufferedReader, source: _Source) -> None:
    """From now on reading waits for whoever writes. Raises NotPlainError if nobody does."""
    if not stream.peek() and source.ended:  # one read tells both: what is written after it is lost by no second one
        raise NotPlainError(errno.EINVAL, "it is a pipe that nobody writes into")
    os.set_blocking(stream.fileno(), True)


def read_outside(path: Path, most: int = MAX_BYTES) -> bytes:
    """The whole of such a file, or its first `most` + 1 bytes. Raises UnreadableError."""
    try:
        with open_to_read(path) as stream:
            return stream.read(most + 1)
    except FileNotFoundError:
        raise UnreadableError("there is no such file") from None
    except NotPlainError as error:
        raise UnreadableError(why(error)) from error
    except OSError as error:
        raise UnreadableError(f"it cannot be read: {why(error)}") from error


def is_stream(path: Path, stream: int) -> bool:
    """Whether a name such as /dev/stdout leads to that open stream of ours."""
    with contextlib.suppress(OSError, ValueError):
        return os.path.samestat(os.stat(path), os.fstat(stream))
    return False


def write_outside(path: Path, data: bytes, *, force: bool = False, mode: int = NEW_FILE, disk: Disk = DISK) -> None:
    """Give the file `path` these contents. What is in the way stays, but with `force`; `mode`: of a new file.

    A pipe or a device is written to. Raises SaveError.
    """
    try:
        found = _mode_of(path)
        if found is None:
            _write_new(path, data, mode, disk)
        elif stat.S_ISCHR(found) or stat.S_ISFIFO(found):
            _write_into(path, data)
        elif not stat.S_ISREG(found):
            raise SaveError(f"{path} is {kind_of(found)}: name a file to write to")
        elif force:
            replace_file(path, data, disk)
        elif disk.read(path, most=len(data)) != data:
            raise SaveError(f"{path} exists, and holds something else: choose another name, or say --force")
    except SaveError:
        raise
    except OSError as error:
        raise SaveError(f"{path} could not be written: {why(error)}") from error


def _mode_of(path: Path) -> int | None:
    """None if nothing is there. Raises OSError, NotPlainError for a link that leads nowhere."""
    try:
        return os.stat(path).st_mode
    except OSError as error:
        found = in_the_way(error, path)
        if isinstance(found, FileNotFoundError):
            return None
        raise found from None


def _write_new(path: Path, data: bytes, mode: int, disk: Disk) -> None:
    disk.close(disk.reserve(path, mode))  # the name is ours from now on: nobody's file is overwritten
    try:
        replace_file(path, data, disk)
    except OSError:
        with contextlib.suppress(OSError):
            disk.unlink(path)
        raise


def _write_into(path: Path, data: bytes) -> None:
    """Into a pipe or a device, which is opened without waiting for its other end."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise NotPlainError(errno.ENXIO, "it is a pipe that nobody reads from") from None
        raise
    os.set_blocking(handle, True)
    with os.fdopen(handle, "wb") as stream:
        stream.write(data)

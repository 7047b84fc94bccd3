"""The calls to the operating system that reading and saving are made of, so that a test can let each of them fail."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from pathlib import Path

from firmware.errors import FirmwareError

MAX_BYTES = 1 << 16  # a larger file is none of ours
NEW_FILE, NEW_SECRET, NEW_FOLDER = 0o666, 0o640, 0o750  # modes before the umask; a secret shows hands
# What a file system without owners answers, or a root that is none outside of its container.
_NO_OWNERS = frozenset({errno.EPERM, errno.EINVAL, errno.ENOTSUP, errno.ENOSYS})
_NOT_FOUND = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})  # path_resolution(7)
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a disk"),
)


class NotPlainError(FirmwareError, OSError):
    """Something else stands in the place of a file; the message says what."""


def why(error: OSError) -> str:
    """The reason of an error in words, without the number and the path that Python puts around them."""
    return error.strerror or str(error)


def kind_of(mode: int) -> str:
    """What `st_mode` calls anything but a plain file, as "a pipe"; "" for a plain file."""
    return "" if stat.S_ISREG(mode) else next((name for is_it, name in _KINDS if is_it(mode)), "no plain file")


def in_the_way(error: OSError, path: Path, *, folder: bool = False) -> OSError:
    """What to raise where a call on `path` has failed: a NotPlainError if something in its place, or above, is why.

    That is a link that leads nowhere, or what is no folder where one is needed (`folder`: at `path` too); `filename`
    is where it stands. Else the error itself.
    """
    for place in (path, *path.parents):
        name = "it" if place == path else str(place)
        try:
            mode = os.stat(place).st_mode
        except OSError as reason:
            if reason.errno not in _NOT_FOUND:
                raise
            if os.path.islink(place):
                leads = "that leads back to itself" if reason.errno == errno.ELOOP else _to_nowhere(place)
                return NotPlainError(reason.errno, f"{name} is a link {leads}", str(place))
            continue
        if (folder or place != path) and not stat.S_ISDIR(mode):
            return NotPlainError(errno.ENOTDIR, f"{name} is {kind_of(mode) or 'a file'}, not a folder", str(place))
    return error


def _to_nowhere(link: Path) -> str:
    return f"to {os.readlink(link)}, which is not there"


class Disk:
    """The calls. All raise OSError. Folders are opened only to be synced."""

    def read(self, path: Path, most: int = MAX_BYTES) -> bytes:
        """The whole of a plain file, or its first `most` + 1 bytes. Raises NotPlainError for anything else."""
        # Looked at first: to open a device may set it going, and a pipe waits for its other end.
        try:
            _only_plain(os.stat(path).st_mode)
        except OSError as error:
            raise in_the_way(error, path) from None
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        try:
            _only_plain(os.fstat(handle).st_mode)  # it may have been changed in between
            data = bytearray()
            while part := os.read(handle, most + 1 - len(data)):  # nothing is left to read at the end, or after `most`
                data += part
        finally:
            os.close(handle)
        return bytes(data)

    def target(self, path: Path) -> Path:
        """Where the file itself lies: `path`, or, if that is a link that may be followed, where it leads."""
        try:
            link = os.lstat(path)
        except FileNotFoundError:
            return path
        if not stat.S_ISLNK(link.st_mode):
            return path
        if link.st_uid not in (os.geteuid(), 0):
            raise NotPlainError("it is a link of somebody else, which is not followed")
        try:
            found = Path(os.path.realpath(path, strict=True))
        except OSError as error:
            raise in_the_way(error, path) from None
        _only_plain(os.stat(found).st_mode)  # before somebody who may not write beside it is told of that alone
        return found

    def create(self, path: Path, mode: int = NEW_FILE) -> int:
        """Open for writing, empty, a new file; one that was left half-written is removed first. `mode`: see reserve."""
        try:
            os.unlink(path)
        except FileNotFoundError:
            pass
        except IsADirectoryError:
            raise NotPlainError(errno.EISDIR, f"{path} is a folder, and in the way") from None
        return _made(path, mode)

    def reserve(self, path: Path, mode: int = NEW_FILE) -> int:
        """Open for writing what did not exist; FileExistsError if it did. `mode` is what it has before the umask."""
        return _made(path, mode)

    def keep_access(self, handle: int, like: Sequence[Path]) -> None:
        """Give an open file owner, group and mode of the first of `like` that is there.

        Raises OSError if the owner cannot stay, NotPlainError if that is not a plain file.
        """
        was = next(filter(None, map(_stat_of, like)), None)
        if was is None:
            return
        _only_plain(was.st_mode)
        now, mode = os.fstat(handle), stat.S_IMODE(was.st_mode)
        if now.st_uid != was.st_uid:
            try:
                os.fchown(handle, was.st_uid, was.st_gid)
            except PermissionError:
                raise PermissionError(errno.EPERM, "it belongs to another user, and would be theirs no more") from None
        elif now.st_gid != was.st_gid:
            try:
                os.fchown(handle, -1, was.st_gid)
            except PermissionError:
                mode &= ~0o070 | (mode & 0o007) << 3  # another group is allowed what everybody is
        os.fchmod(handle, mode)

    def extend(self, path: Path) -> int:
        """Open a plain file that is there for writing behind its end."""
        if os.path.islink(path):  # what O_NOFOLLOW says of it is not to be told from a link to itself
            raise NotPlainError(errno.ELOOP, "it is a link, which is not followed")
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            _only_plain(os.fstat(handle).st_mode)
        except OSError:
            os.close(handle)
            raise
        return handle

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

    def names(self, folder: Path) -> list[str]:
        """The names in a folder; none if there is nothing. NotPlainError if something else stands in its place."""
        try:
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            found = in_the_way(error, folder, folder=True)
            if isinstance(found, FileNotFoundError):
                return []
            raise found from None
        try:
            return os.listdir(handle)
        finally:
            os.close(handle)

    def make_folder(self, path: Path) -> None:
        """Make a folder, and those above it, if they are not there."""
        try:
            os.mkdir(path, NEW_FOLDER)
        except OSError as error:
            found = in_the_way(error, path, folder=True)
            if isinstance(found, FileExistsError):
                return
            if not isinstance(found, FileNotFoundError) or path.parent == path or path.parent.is_dir():
                raise found from None  # not there, in a folder that is: one that takes no other, as in /proc
            self.make_folder(path.parent)
            self.make_folder(path)
            return
        if os.geteuid() == 0:
            made = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                _give_to_owner(made, path.parent)
            finally:
                os.close(made)


DISK = Disk()


def _stat_of(path: Path) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _only_plain(mode: int) -> None:
    kind = kind_of(mode)
    if kind:
        raise NotPlainError(errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL, f"it is {kind}, not a file")


def _made(path: Path, mode: int) -> int:
    """Open for writing a file that did not exist, and belongs to its folder's owner if root has made it."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    try:
        if os.geteuid() == 0:
            _give_to_owner(handle, path.parent)
    except OSError:
        os.close(handle)
        os.unlink(path)
        raise
    return handle


def _give_to_owner(made: int, folder: Path) -> None:
    """What root has just made, and has open, is from now on its folder's owner's; without owners it stays as it is."""
    wanted = os.stat(folder)
    if wanted.st_uid == os.fstat(made).st_uid:
        return
    try:
        os.fchown(made, wanted.st_uid, wanted.st_gid)
    except OSError as error:
        if error.errno not in _NO_OWNERS:
            raise

"""The calls to the operating system: how much is read, whose a file is, and what is refused with which errno."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware.files import disk as disk_module
from firmware.files.disk import DISK, MAX_BYTES, NEW_FILE, NEW_SECRET, NotPlainError, kind_of
from firmware.files.outside import open_to_read, write_outside


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def name_of(handle: int) -> str:
    return Path(os.readlink(f"/proc/self/fd/{handle}")).name


def like(found: os.stat_result, *, mode: int | None = None, uid: int | None = None, gid: int | None = None):
    """That result of stat, of another mode or owner."""
    fields = list(found)
    for index, value in ((0, mode), (4, uid), (5, gid)):
        fields[index] = fields[index] if value is None else value
    return os.stat_result(fields)


# ---- reading -------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, 9, 10, 11, 12, 30])
def test_a_file_is_read_to_its_end_or_to_one_byte_more_than_is_allowed(tmp_path: Path, size: int) -> None:
    data = bytes(range(size))
    (tmp_path / "file").write_bytes(data)
    assert DISK.read(tmp_path / "file", most=10) == data[:11]


def test_a_file_that_comes_in_pieces_is_read_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.read
    monkeypatch.setattr(disk_module.os, "read", lambda handle, most: real(handle, min(most, 3)))
    (tmp_path / "file").write_bytes(bytes(range(30)))
    assert DISK.read(tmp_path / "file") == bytes(range(30))
    assert DISK.read(tmp_path / "file", most=8) == bytes(range(9))


def test_a_file_of_ours_has_64_kib_at_most(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(bytes(70_000))
    assert len(DISK.read(tmp_path / "file")) == MAX_BYTES + 1 == 65537


def test_a_file_that_is_not_there_is_no_link_that_leads_nowhere(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as missing:
        DISK.read(tmp_path / "file")
    assert not isinstance(missing.value, NotPlainError)
    (tmp_path / "link").symlink_to("nowhere")
    with pytest.raises(NotPlainError, match="it is a link to nowhere, which is not there"):
        DISK.read(tmp_path / "link")


@pytest.mark.parametrize(
    ("make", "code", "words"),
    [(os.mkdir, errno.EISDIR, "it is a folder, not a file"), (os.mkfifo, errno.EINVAL, "it is a pipe, not a file")],
)
def test_a_folder_and_a_pipe_are_refused_each_with_its_errno(
    tmp_path: Path, make: Callable[[Path], None], code: int, words: str
) -> None:
    make(tmp_path / "odd")
    with pytest.raises(NotPlainError) as refusal:
        DISK.read(tmp_path / "odd")
    assert (refusal.value.errno, refusal.value.strerror) == (code, words)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (stat.S_IFREG, ""),
        (stat.S_IFDIR, "a folder"),
        (stat.S_IFIFO, "a pipe"),
        (stat.S_IFSOCK, "a socket"),
        (stat.S_IFCHR, "a device"),
        (stat.S_IFBLK, "a disk"),
        (stat.S_IFLNK, "no plain file"),
    ],
)
def test_each_kind_of_file_has_its_word(kind: int, words: str) -> None:
    assert kind_of(kind | 0o777) == kind_of(kind) == words


# ---- links ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("owner", "followed"), [(0, True), (4711, True), (1, False), (4712, False), (65534, False)])
def test_a_link_of_ones_own_and_one_of_root_are_followed_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: int, followed: bool
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "file")
    real = os.lstat
    found = like(real(tmp_path / "link"), uid=owner)
    with monkeypatch.context() as patched:
        patched.setattr(disk_module.os, "geteuid", lambda: 4711)
        patched.setattr(disk_module.os, "lstat", lambda path: found if str(path).endswith("link") else real(path))
        if followed:
            assert DISK.target(tmp_path / "link") == tmp_path / "file"
        else:
            with pytest.raises(NotPlainError, match="a link of somebody else"):
                DISK.target(tmp_path / "link")


def test_a_file_is_replaced_under_the_name_that_it_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "way").symlink_to(tmp_path / "folder")
    (tmp_path / "way" / "file").touch()
    assert DISK.target(tmp_path / "way" / "file") == tmp_path / "way" / "file"
    assert DISK.target(tmp_path / "way" / "new") == tmp_path / "way" / "new"
    found = like(os.lstat(tmp_path / "way" / "file"), uid=4711)
    monkeypatch.setattr(disk_module.os, "lstat", lambda path: found)
    assert DISK.target(tmp_path / "way" / "file") == tmp_path / "way" / "file"  # whoever it belongs to


# ---- owner and mode ------------------------------------------------------------------------


@pytest.fixture
def no_umask():
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("no_umask")
def test_a_new_file_may_be_read_by_all_and_a_secret_by_owner_and_group(tmp_path: Path) -> None:
    os.close(DISK.create(tmp_path / "created"))
    os.close(DISK.reserve(tmp_path / "reserved"))
    os.close(DISK.reserve(tmp_path / "secret", NEW_SECRET))
    DISK.make_folder(tmp_path / "folder")
    assert [mode_of(tmp_path / name) for name in ("created", "reserved", "secret", "folder")] == [
        0o666,
        0o666,
        0o640,
        0o750,
    ]
    assert NEW_FILE == 0o666


class Owners:
    """What fchown is asked for, and what stat and fstat say of owners: 1000 and 100 of what is made."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, there: Path, uid: int, gid: int, code: int | None = None):
        self.asked: list[tuple[str, int, int]] = []
        self._code = code
        stat_of, fstat_of = os.stat, os.fstat
        monkeypatch.setattr(
            disk_module.os,
            "stat",
            lambda path, **named: like(stat_of(path), uid=uid, gid=gid) if path == there else stat_of(path, **named),
        )
        monkeypatch.setattr(disk_module.os, "fstat", lambda handle: like(fstat_of(handle), uid=1000, gid=100))
        monkeypatch.setattr(disk_module.os, "fchown", self._fchown)

    def _fchown(self, handle: int, uid: int, gid: int) -> None:
        self.asked.append((name_of(handle), uid, gid))
        if self._code is not None:
            raise OSError(self._code, os.strerror(self._code))


@pytest.mark.parametrize(
    ("uid", "gid", "asked"), [(1000, 100, []), (1001, 100, [("new", 1001, 100)]), (1000, 101, [("new", -1, 101)])]
)
def test_what_takes_the_place_of_a_file_is_given_owner_group_and_mode_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, uid: int, gid: int, asked: list[tuple[str, int, int]]
) -> None:
    old = tmp_path / "old"
    old.touch(mode=0o600)
    old.chmod(0o751)
    owners = Owners(monkeypatch, old, uid, gid)
    handle = DISK.create(tmp_path / "new")
    owners.asked.clear()
    DISK.keep_access(handle, [tmp_path / "missing", old])
    os.close(handle)
    assert owners.asked == asked and mode_of(tmp_path / "new") == 0o751


@pytest.mark.parametrize(
    ("before", "after"),
    [(0o777, 0o777), (0o770, 0o700), (0o664, 0o644), (0o660, 0o600), (0o675, 0o655), (0o626, 0o626), (0o606, 0o606)],
)
def test_another_group_is_allowed_what_everybody_is_and_no_more_than_its_own_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: int, after: int
) -> None:
    old = tmp_path / "old"
    old.touch()
    old.chmod(before)
    handle = DISK.create(tmp_path / "new")
    Owners(monkeypatch, old, 1000, 101, errno.EPERM)
    DISK.keep_access(handle, [old])
    os.close(handle)
    assert mode_of(tmp_path / "new") == after


def test_without_a_file_before_it_a_new_one_keeps_its_own_access(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    handle = DISK.reserve(tmp_path / "new", 0o600)
    owners = Owners(monkeypatch, tmp_path, 1001, 101)
    DISK.keep_access(handle, [tmp_path / "missing"])
    os.close(handle)
    assert owners.asked == [] and mode_of(tmp_path / "new") == 0o600


@pytest.mark.parametrize(("user", "uid", "given"), [(0, 1001, True), (0, 1000, False), (1000, 1001, False)])
def test_only_what_root_makes_is_given_away_and_only_to_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, user: int, uid: int, given: bool
) -> None:
    monkeypatch.setattr(disk_module.os, "geteuid", lambda: user)
    owners = Owners(monkeypatch, tmp_path, uid, 101)
    os.close(DISK.create(tmp_path / "file"))
    DISK.make_folder(tmp_path / "folder")
    assert owners.asked == ([("file", uid, 101), ("folder", uid, 101)] if given else [])


@pytest.mark.parametrize("code", [errno.EPERM, errno.EINVAL, errno.ENOTSUP, errno.ENOSYS])
def test_without_owners_what_root_makes_stays_roots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    monkeypatch.setattr(disk_module.os, "geteuid", lambda: 0)
    Owners(monkeypatch, tmp_path, 1001, 101, code)
    os.close(DISK.create(tmp_path / "file"))
    DISK.make_folder(tmp_path / "folder")
    assert (tmp_path / "file").is_file() and (tmp_path / "folder").is_dir()


def test_a_file_that_root_cannot_give_to_its_owner_is_not_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk_module.os, "geteuid", lambda: 0)
    Owners(monkeypatch, tmp_path, 1001, 101, errno.EIO)
    with pytest.raises(OSError, match="Input/output error"):
        DISK.create(tmp_path / "file")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(OSError, match="Input/output error"):
        DISK.make_folder(tmp_path / "folder")


# ---- folders -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "code", "words"),
    [
        (Path.touch, errno.ENOTDIR, "is a file, not a folder"),
        (os.mkfifo, errno.ENOTDIR, "is a pipe, not a folder"),
        (lambda path: path.symlink_to("nowhere"), errno.ENOENT, "is a link to nowhere, which is not there"),
        (lambda path: path.symlink_to("folder"), errno.ELOOP, "is a link that leads back to itself"),
    ],
    ids=["file", "pipe", "link", "loop"],
)
@pytest.mark.parametrize("call", [DISK.make_folder, DISK.names])
def test_what_stands_in_the_place_of_a_folder_is_named_with_its_place(
    tmp_path: Path, make: Callable[[Path], object], code: int, words: str, call: Callable[[Path], object]
) -> None:
    place = tmp_path / "folder"
    make(place)
    for path, name in ((place, "it"), (place / "inner", place), (place / "inner" / "most", place)):
        with pytest.raises(NotPlainError) as refusal:
            call(path)
        error = refusal.value
        assert (error.errno, error.strerror, error.filename) == (code, f"{name} {words}", str(place))


def test_what_stands_in_the_place_of_a_folder_above_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "folder").touch()
    for call in (DISK.read, open_to_read, lambda path: write_outside(path, b"new")):
        with pytest.raises(OSError, match=f"{tmp_path / 'folder'} is a file, not a folder"):
            call(tmp_path / "folder" / "file")


def test_a_place_that_cannot_be_looked_at_is_taken_for_no_folder(tmp_path: Path, monkeypatch) -> None:
    def stat_fails(path, *words, **more):
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(disk_module.os, "stat", stat_fails)
        with pytest.raises(OSError, match="Input/output error"):
            DISK.make_folder(tmp_path)


def test_a_folder_that_is_there_stays_and_those_above_a_new_one_are_made(tmp_path: Path) -> None:
    DISK.make_folder(tmp_path / "a" / "b" / "c")
    (tmp_path / "a" / "b" / "c" / "file").touch()
    DISK.make_folder(tmp_path / "a" / "b" / "c")
    assert DISK.names(tmp_path / "a" / "b" / "c") == ["file"] and DISK.names(tmp_path / "none") == []


def test_a_root_that_is_not_there_is_not_looked_for_above_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    def mkdir(path: Path, mode: int = 0) -> None:
        raise FileNotFoundError(errno.ENOENT, "No such file or directory")

    monkeypatch.setattr(disk_module.os, "mkdir", mkdir)
    monkeypatch.setattr(Path, "is_dir", lambda path: False)
    with pytest.raises(FileNotFoundError):
        DISK.make_folder(Path("/"))


@pytest.mark.parametrize(
    ("leads_to", "is_a"), [("/dev/full", "a device"), ("/dev/null", "a device"), ("/", "a folder")]
)
def test_a_link_to_what_is_no_file_leads_to_no_place_for_one(tmp_path: Path, leads_to: str, is_a: str) -> None:
    """Else a plain user heard only that nothing may be written beside a device, and root what it is."""
    (tmp_path / "deck.txt").symlink_to(leads_to)
    with pytest.raises(NotPlainError, match=f"it is {is_a}, not a file"):
        DISK.target(tmp_path / "deck.txt")


def test_a_file_is_written_on_at_its_end_and_a_link_is_left_alone_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"one ")
    handle = DISK.extend(tmp_path / "file")
    DISK.write(handle, b"two")
    DISK.close(handle)
    (tmp_path / "link").symlink_to("file")
    with pytest.raises(NotPlainError, match="it is a link, which is not followed"):
        DISK.extend(tmp_path / "link")
    assert (tmp_path / "file").read_bytes() == b"one two"

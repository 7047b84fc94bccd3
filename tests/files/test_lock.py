"""One lock for the device, whoever wants it."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from firmware.files import lock as lock_module
from firmware.files.lock import DeviceBusyError, DeviceLock, LockError, lock_path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table.lock"


def test_who_comes_second_is_told_who_has_the_table(path: Path) -> None:
    first = rf"tacocat play \(process {os.getpid()}\)"
    with DeviceLock(path, "tacocat play"), pytest.raises(DeviceBusyError, match=first):
        DeviceLock(path, "tacocat check").__enter__()


def test_after_the_first_one_has_ended_the_next_gets_it(path: Path) -> None:
    for what in ("tacocat play", "tacocat check"):
        with DeviceLock(path, what):
            assert path.read_text() == f"{what} (process {os.getpid()})\n"


def test_the_lock_of_a_program_that_died_is_free(path: Path) -> None:
    program = "import sys, os; from pathlib import Path; from firmware.files.lock import DeviceLock; "
    program += "DeviceLock(Path(sys.argv[1]), 'tacocat run').__enter__(); os._exit(9)"
    subprocess.run([sys.executable, "-c", program, path], check=False, timeout=60)
    assert "tacocat run" in path.read_text()
    with DeviceLock(path, "tacocat play"):
        assert "tacocat play" in path.read_text()


def test_every_user_may_ask_for_the_lock_whatever_the_umask_and_only_its_owner_writes_in_it(path: Path) -> None:
    before = os.umask(0o077)  # stricter than the service has it
    try:
        with DeviceLock(path, "tacocat run"):
            assert path.stat().st_mode & 0o777 == 0o644
    finally:
        os.umask(before)


def test_a_lock_that_is_there_is_opened_without_wishing_to_make_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.touch()
    flags = []
    real = os.open
    monkeypatch.setattr(os, "open", lambda name, flag, *mode: (flags.append(flag), real(name, flag, *mode))[1])
    with DeviceLock(path, "tacocat run"):
        assert not any(flag & os.O_CREAT for flag in flags)


def test_a_lock_holds_the_name_of_who_has_it_and_nothing_of_a_longer_one(path: Path) -> None:
    path.write_text("tacocat with a very long name indeed (process 999999999)\nand more\n")
    with DeviceLock(path, "tacocat run"):
        assert path.read_text() == f"tacocat run (process {os.getpid()})\n"


@pytest.mark.parametrize(("attempts", "got"), [(9, True), (10, False)])
def test_a_lock_that_others_make_and_remove_is_tried_for_ten_times(
    path: Path, monkeypatch: pytest.MonkeyPatch, attempts: int, got: bool
) -> None:
    missed: list[Path] = []

    def reserve(name: Path, mode: int) -> int:
        missed.append(name)
        if len(missed) <= attempts:
            raise FileExistsError(errno.EEXIST, "File exists")
        return os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)

    monkeypatch.setattr(lock_module.DISK, "reserve", reserve)
    if got:
        with DeviceLock(path, "tacocat run"):
            assert path.exists()
    else:
        with pytest.raises(LockError, match="made and removed again and again by another program"):
            DeviceLock(path, "tacocat run").__enter__()
    assert len(missed) == 10


def test_who_has_the_lock_is_asked_for_with_no_signal(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[int, int]] = []
    monkeypatch.setattr(lock_module.os, "kill", lambda process, signal: sent.append((process, signal)))
    with DeviceLock(path, "tacocat run"), pytest.raises(DeviceBusyError, match="in use by tacocat run"):
        DeviceLock(path, "tacocat check").__enter__()
    assert sent == [(os.getpid(), 0)]


def test_who_has_the_lock_and_is_not_ours_to_signal_has_it_all_the_same(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kill(process: int, signal: int) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(lock_module.os, "kill", kill)
    with DeviceLock(path, "tacocat run"), pytest.raises(DeviceBusyError, match="in use by tacocat run"):
        DeviceLock(path, "tacocat check").__enter__()


def test_two_hundred_bytes_of_a_lock_are_read(path: Path) -> None:
    name = f"tacocat (process {os.getpid()})"
    for length, holder in ((200, "tacocat"), (201, "another program")):
        with DeviceLock(path, "tacocat run"):
            path.write_text(name.rjust(length))
            with pytest.raises(DeviceBusyError, match=f"in use by {holder}"):
                DeviceLock(path, "tacocat check").__enter__()


def test_who_may_only_read_a_lock_leaves_in_it_what_is_there(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_text("of another user")
    real, cut = os.open, []

    def only_to_read(name: Path, flags: int, *mode: int) -> int:
        if flags & os.O_RDWR:
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(name, flags, *mode)

    monkeypatch.setattr(lock_module.os, "open", only_to_read)
    monkeypatch.setattr(lock_module.os, "ftruncate", lambda handle, length: cut.append(length))
    with DeviceLock(path, "tacocat run"):
        assert path.read_text() == "of another user" and cut == []


@pytest.mark.parametrize(
    ("code", "words"),
    [(errno.ELOOP, "a link, which is not followed"), (errno.EISDIR, "a folder"), (errno.ENXIO, "no plain file")],
)
def test_what_stands_in_the_place_of_a_lock_is_named(
    path: Path, monkeypatch: pytest.MonkeyPatch, code: int, words: str
) -> None:
    def refuse(*_: object) -> int:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(lock_module.os, "open", refuse)
    with pytest.raises(LockError, match=f"the lock of the table, is {words}: remove it"):
        DeviceLock(path, "tacocat run").__enter__()


def test_a_disk_that_fails_is_no_lock_that_could_be_removed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> int:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(lock_module.os, "open", fail)
    with pytest.raises(OSError, match="Input/output error") as failure:
        DeviceLock(path, "tacocat run").__enter__()
    assert not isinstance(failure.value, LockError)


def test_a_lock_may_be_left_that_was_never_taken(path: Path) -> None:
    DeviceLock(path, "tacocat run").__exit__(None, None, None)
    assert not path.exists()


def test_a_lock_that_is_left_is_closed_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = DeviceLock(path, "tacocat run").__enter__()
    closed: list[int] = []
    real = os.close
    monkeypatch.setattr(lock_module.os, "close", lambda handle: (closed.append(handle), real(handle)))
    for _ in range(2):
        lock.__exit__(None, None, None)
    assert len(closed) == 1


@pytest.mark.parametrize(
    ("is_there", "may_write", "in_folder"),
    [(True, True, True), (True, False, True), (False, True, True), (False, False, False)],
)
def test_the_lock_lies_in_the_system_s_folder_if_it_is_there_or_can_be_made_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_there: bool, may_write: bool, in_folder: bool
) -> None:
    name = "tacocat-table.lock"
    if is_there:
        (tmp_path / name).touch()
    monkeypatch.setattr(lock_module.os, "access", lambda folder, how: may_write)
    monkeypatch.setattr(lock_module.tempfile, "gettempdir", lambda: "/elsewhere")
    assert lock_path(tmp_path) == (tmp_path / name if in_folder else Path("/elsewhere") / name)

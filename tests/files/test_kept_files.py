"""A file that is kept with a backup: what is read, what is told, what is put aside and what stays."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from firmware.errors import FirmwareError
from firmware.files.whole import (
    CLEAR_THE_WAY,
    NewerError,
    Notice,
    StandIn,
    UnreadableNowError,
    backup_of,
    load_kept,
    parsed,
    save_kept,
)
from tests.support.disks import FailingDisk


def number(text: str) -> int:
    if text.startswith("version"):
        raise NewerError("a newer version wrote it")
    if not text.isdigit():
        raise FirmwareError("it is no number")
    return int(text)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file"


def files_of(path: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in path.parent.iterdir() if file.is_file()}


def test_a_whole_file_is_read_without_a_word_whatever_its_backup_is(path: Path) -> None:
    path.write_text("5")
    backup_of(path).write_text("nothing")
    assert load_kept(path, number) == (5, ())


def test_where_nothing_has_been_kept_nothing_is_told(path: Path) -> None:
    assert load_kept(path, number) == (None, ())


def test_a_file_that_is_missing_is_told_if_its_backup_takes_its_place(path: Path) -> None:
    backup_of(path).write_text("4")
    value, told = load_kept(path, number)
    assert value == 4
    assert list(map(str, told)) == [f"{path}: it is missing; its backup is used"]


def test_a_faulty_file_is_set_aside_and_its_backup_is_used(path: Path) -> None:
    path.write_text("five")
    backup_of(path).write_text("4")
    value, told = load_kept(path, number)
    assert value == 4
    assert list(map(str, told)) == [
        f"{path}: it is no number; it was set aside as file.unreadable-1; its backup is used"
    ]
    assert files_of(path) == {"file.unreadable-1": "five", "file.bak": "4"}


def test_if_both_are_faulty_both_are_set_aside_and_told(path: Path) -> None:
    path.write_text("five")
    backup_of(path).write_text("")
    value, told = load_kept(path, number)
    assert value is None
    assert [(notice.path, notice.reason, notice.stand_in) for notice in told] == [
        (path, "it is no number", StandIn.NOTHING),
        (backup_of(path), "it is empty", StandIn.NOTHING),
    ]
    assert files_of(path) == {"file.unreadable-1": "five", "file.bak.unreadable-1": ""}


def test_who_only_looks_leaves_a_faulty_file_where_it_is(path: Path) -> None:
    path.write_text("five")
    value, told = load_kept(path, number, look_only=True)
    assert (value, told) == (None, (Notice(path, "it is no number", None, StandIn.NOTHING),))
    assert files_of(path) == {"file": "five"}


def test_a_faulty_file_that_cannot_be_set_aside_is_told_with_the_reason(path: Path) -> None:
    path.write_text("five")
    disk = FailingDisk(code=errno.EROFS)
    disk.fail_next("replace")
    _, (told,) = load_kept(path, number, disk)
    assert told.reason == "it is no number; nor can it be set aside: made to fail"
    assert (told.aside, told.left_alone) == (None, False)
    assert files_of(path) == {"file": "five"}


def test_a_file_of_a_newer_version_stays_and_nobody_is_told_to_move_it(path: Path) -> None:
    path.write_text("version 7")
    _, (told,) = load_kept(path, number)
    assert told == Notice(
        path, "a newer version wrote it; it was left as it is", None, StandIn.NOTHING, left_alone=True
    )
    assert files_of(path) == {"file": "version 7"}


def test_what_stands_in_a_files_place_stays_and_is_to_be_put_right_or_moved(path: Path) -> None:
    path.mkdir()
    _, (told,) = load_kept(path, number)
    assert told.reason == f"it is a folder, not a file; it was left as it is: {CLEAR_THE_WAY}"
    assert told.left_alone and path.is_dir()


def test_a_disk_that_cannot_be_read_now_leaves_the_file_alone(path: Path) -> None:
    path.write_text("5")
    disk = FailingDisk(code=errno.EIO)
    disk.fail_next("read")
    _, (told,) = load_kept(path, number, disk)
    assert told.reason == "it cannot be read now: made to fail; it was left as it is"
    assert files_of(path) == {"file": "5"}


def test_a_newer_text_is_one_that_cannot_be_read_now() -> None:
    with pytest.raises(UnreadableNowError, match="a newer version"):
        parsed(b"version 7", number)


def test_the_last_text_becomes_the_backup_the_same_text_and_a_faulty_one_do_not(path: Path) -> None:
    path.write_text("5")
    assert save_kept(path, "6", number) == ()
    assert files_of(path) == {"file": "6", "file.bak": "5"}
    assert save_kept(path, "6", number) == ()
    assert files_of(path) == {"file": "6", "file.bak": "5"}
    path.write_text("six")
    (told,) = save_kept(path, "7", number)
    assert str(told).endswith("it is no number; it was set aside as file.unreadable-1; the new one takes its place")
    assert files_of(path) == {"file": "7", "file.bak": "5", "file.unreadable-1": "six"}


def test_with_every_backup_the_earlier_one_stays_under_a_number(path: Path) -> None:
    path.write_text("5")
    backup_of(path).write_text("4")
    save_kept(path, "6", number, every_backup=True)
    assert files_of(path) == {"file": "6", "file.bak": "5", "file.bak-1": "4"}

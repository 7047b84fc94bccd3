"""Pipes that a person names: read from their first byte to their last, if somebody writes into them."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware.files.disk import NotPlainError
from firmware.files.outside import open_to_read, read_outside, write_outside
from firmware.files.whole import SaveError, UnreadableError


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


@pytest.fixture
def writer(pipe: Path) -> Iterator[int]:
    """An open writing end, closed by whoever has it. (There has to be a reader, from before it is opened.)"""
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    yield os.open(pipe, os.O_WRONLY)
    os.close(reader)


def test_a_pipe_that_nobody_writes_into_is_refused_and_closed(pipe: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(NotPlainError, match="a pipe that nobody writes into"):
        open_to_read(pipe)
    with pytest.raises(UnreadableError, match="a pipe that nobody writes into"):
        read_outside(pipe)
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize("written", [b"", b"h", b"hello"])
def test_a_pipe_is_read_from_its_first_byte_whatever_was_written_before_it_was_opened(
    pipe: Path, writer: int, written: bytes
) -> None:
    os.write(writer, written)
    with open_to_read(pipe) as stream:
        os.write(writer, b" and more")
        os.close(writer)
        assert stream.read() == written + b" and more"


def test_what_is_written_while_a_pipe_is_looked_at_is_read_too(
    pipe: Path, writer: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = [b"hello"]
    read = os.read

    def written_just_before(handle: int, count: int) -> bytes:
        while left:
            os.write(writer, left.pop())
        return read(handle, count)

    monkeypatch.setattr(os, "read", written_just_before)
    with open_to_read(pipe) as stream:
        while left:
            os.write(writer, left.pop())
        os.close(writer)
        assert stream.read() == b"hello"


@pytest.mark.parametrize("size", [0, 9, 10, 11, 30])
def test_a_named_file_is_read_to_its_end_or_to_one_byte_more_than_is_allowed(tmp_path: Path, size: int) -> None:
    data = bytes(range(size))
    (tmp_path / "file").write_bytes(data)
    assert read_outside(tmp_path / "file", most=10) == data[:11]


def test_what_is_written_into_a_pipe_comes_out_of_it(pipe: Path) -> None:
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_outside(pipe, b"hello")
    assert os.read(reader, 100) == b"hello"
    os.close(reader)


def test_a_pipe_that_nobody_reads_from_is_told_as_that_and_any_other_reason_in_its_own_words(
    pipe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SaveError, match="could not be written: it is a pipe that nobody reads from"):
        write_outside(pipe, b"hello")

    def refused(path: Path, flags: int) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)

    monkeypatch.setattr("firmware.files.outside.os.open", refused)
    with pytest.raises(SaveError, match="could not be written: Permission denied"):
        write_outside(pipe, b"hello")


def test_a_file_that_is_there_stays_unless_it_holds_the_same_or_it_is_forced(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    write_outside(path, b"hello")
    write_outside(path, b"hello")
    for other in (b"hell", b"hello!", b""):
        with pytest.raises(SaveError, match="exists, and holds something else: choose another name, or say --force"):
            write_outside(path, other)
    assert path.read_bytes() == b"hello"
    write_outside(path, b"other", force=True)
    assert path.read_bytes() == b"other"

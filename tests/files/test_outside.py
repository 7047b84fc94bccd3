"""Pipes that a person names: read from their first byte to their last, if somebody writes into them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware.files.disk import NotPlainError
from firmware.files.outside import open_to_read, read_outside
from firmware.files.whole import UnreadableError


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

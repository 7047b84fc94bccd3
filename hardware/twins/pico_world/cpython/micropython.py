"""What the Pico's program needs of MicroPython, for CPython, where it has another form or is missing.

Put this folder on the path and import this module before the program.
"""

from __future__ import annotations

import builtins
import io
import os
import select
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, TextIO, TypeVar

_F = TypeVar("_F", bound=Callable[..., object])
_PERIOD = 1 << 30
_HALF = _PERIOD // 2
_START_MS = time.monotonic_ns() // 1_000_000
_SHIFT_MS = int(os.getenv("PICO_WORLD_TICKS") or "0")


def viper(function: _F) -> _F:
    return function


def kbd_intr(char: int) -> None:
    """The byte that stops the program when it comes in, 3 at first; -1 for none."""
    _Incoming.stopper = char


class _Poll:
    """`select.poll` with the method `ipoll`."""

    def __init__(self) -> None:
        self._poll = _system_poll()
        self._streams: dict[int, _Raw] = {}

    def register(self, stream: _Raw, mask: int) -> None:
        self._streams[stream.fileno()] = stream
        self._poll.register(stream.fileno(), mask)

    def ipoll(self, timeout_ms: int = -1) -> Iterator[tuple[_Raw, int]]:
        for fd, flags in self._poll.poll(timeout_ms):
            yield self._streams[fd], flags


def _as_it_is(buffer: object) -> object:
    return buffer


def _sleep_ms(ms: int) -> None:
    time.sleep(ms / 1000)


def _ticks_ms() -> int:
    return (time.monotonic_ns() // 1_000_000 - _START_MS + _SHIFT_MS) & (_PERIOD - 1)


def _ticks_diff(end: int, start: int) -> int:
    return ((end - start + _HALF) & (_PERIOD - 1)) - _HALF


class _Incoming(io.FileIO):
    """Bytes from the host, of which one may be the word to stop."""

    stopper = 3

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        count = super().readinto(buffer)
        if count and self.stopper in memoryview(buffer)[:count].tolist():
            raise KeyboardInterrupt
        return count


class _Raw:
    """A standard stream without Python's buffers, so that poll and read agree."""

    def __init__(self, stream: TextIO, kind: type[io.FileIO], mode: str) -> None:
        self.buffer = kind(stream.fileno(), mode, closefd=False)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.buffer, name)


def install() -> None:
    """Make CPython look like MicroPython to the program."""
    vars(builtins).update(ptr8=_as_it_is, ptr32=_as_it_is)
    vars(time).update(ticks_ms=_ticks_ms, ticks_diff=_ticks_diff, sleep_ms=_sleep_ms)
    vars(select).update(poll=_Poll)
    vars(sys).update(stdin=_Raw(sys.stdin, _Incoming, "r"), stdout=_Raw(sys.stdout, io.FileIO, "w"))


_system_poll = select.poll

"""What the Pico's program needs of MicroPython, for CPython, where it has another form or is missing.

Put this folder on the path and import this module before the program.
"""

import builtins
import os
import select
import sys
import time

_PERIOD = 1 << 30
_HALF = _PERIOD // 2
_START_MS = time.monotonic_ns() // 1_000_000
_SHIFT_MS = int(os.getenv("PICO_WORLD_TICKS") or "0")


def viper(function):
    return function


def kbd_intr(char):
    """Nothing to do: no byte of a pipe stops CPython."""


class _Poll:
    """`select.poll` with the method `ipoll`."""

    def __init__(self):
        self._poll = _system_poll()
        self._streams = {}

    def register(self, stream, mask):
        self._streams[stream.fileno()] = stream
        self._poll.register(stream.fileno(), mask)

    def ipoll(self, timeout_ms=-1):
        for fd, flags in self._poll.poll(timeout_ms):
            yield self._streams[fd], flags


def _ticks_ms():
    return (time.monotonic_ns() // 1_000_000 - _START_MS + _SHIFT_MS) & (_PERIOD - 1)


def _ticks_diff(end, start):
    return ((end - start + _HALF) & (_PERIOD - 1)) - _HALF


class _Raw:
    """A standard stream without Python's buffers, so that poll and read agree."""

    def __init__(self, stream, mode):
        self.buffer = open(stream.fileno(), mode, 0, closefd=False)  # noqa: SIM115 (as long as the program runs)

    def __getattr__(self, name):
        return getattr(self.buffer, name)


def install():
    """Make CPython look like MicroPython to the program."""
    builtins.ptr8 = builtins.ptr32 = lambda buffer: buffer
    time.ticks_ms = _ticks_ms
    time.ticks_diff = _ticks_diff
    time.sleep_ms = lambda ms: time.sleep(ms / 1000)
    select.poll = _Poll
    sys.stdin = _Raw(sys.stdin, "rb")
    sys.stdout = _Raw(sys.stdout, "wb")


_system_poll = select.poll

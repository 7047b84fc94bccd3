"""What the Pico's program needs of MicroPython, for CPython, where it has another form or is missing.

Put this folder on the path and import this module before the program.
"""

import builtins
import io
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
    """The byte that stops the program when it comes in, 3 at first; -1 for none."""
    _Incoming.stopper = char


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


class _Incoming(io.FileIO):
    """Bytes from the host, of which one may be the word to stop."""

    stopper = 3

    def readinto(self, buffer):
        count = super().readinto(buffer)
        if count and self.stopper in memoryview(buffer)[:count].tolist():
            raise KeyboardInterrupt
        return count


class _Raw:
    """A standard stream without Python's buffers, so that poll and read agree."""

    def __init__(self, stream, kind, mode):
        self.buffer = kind(stream.fileno(), mode, closefd=False)

    def __getattr__(self, name):
        return getattr(self.buffer, name)


def install():
    """Make CPython look like MicroPython to the program."""
    builtins.ptr8 = builtins.ptr32 = lambda buffer: buffer
    time.ticks_ms = _ticks_ms
    time.ticks_diff = _ticks_diff
    time.sleep_ms = lambda ms: time.sleep(ms / 1000)
    select.poll = _Poll
    sys.stdin = _Raw(sys.stdin, _Incoming, "r")
    sys.stdout = _Raw(sys.stdout, io.FileIO, "w")


_system_poll = select.poll

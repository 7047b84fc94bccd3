"""MicroPython's `time` with the tick counter of an RP2040: it wraps after 2 ** 30 ms, and may start anywhere.

(That of the unix port does not wrap within a lifetime.) MicroPython takes a file before its own module of the same
name, and finds its own under the name with a u.
"""

import os

import utime

TYPE_CHECKING = False  # MicroPython has no typing
if not TYPE_CHECKING:
    from utime import *  # noqa: F403

_PERIOD = 1 << 30
_HALF = _PERIOD // 2
_shift = int(os.getenv("PICO_WORLD_TICKS") or "0") - utime.ticks_ms()


def ticks_ms() -> int:
    return (utime.ticks_ms() + _shift) & (_PERIOD - 1)


def ticks_add(ticks: int, delta: int) -> int:
    return (ticks + delta) & (_PERIOD - 1)


def ticks_diff(end: int, start: int) -> int:
    return ((end - start + _HALF) & (_PERIOD - 1)) - _HALF

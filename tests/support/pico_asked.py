"""The Pico's program under MicroPython, asked frame by frame: what it answers, as lists of numbers."""

from __future__ import annotations

from hardware import frames
from hardware.pictures import describe
from hardware.ports import Breathe, Picture
from tests.support.strip_support import HAND_CLOCK, RED, run_micropython

SOURCE = """
class Source:
    def __init__(self, data, flags=1):
        self.data, self.flags, self.waits = data, flags, []
    def ipoll(self, ms):
        self.waits.append(ms)
        return ((None, self.flags),) if self.data else ()
    def readinto(self, one):
        one[0] = self.data[0]
        self.data = self.data[1:]
"""

ASKING = """
def ask(kind, seq, payload=b""):
    p._parser.buf[2:2 + len(payload)] = payload
    p._answer = b""
    p._sent = 0
    p._heed(kind, seq, len(payload))
    answers = frames.Parser().feed(p._answer)
    p._sent = len(p._answer)
    return [[k, s] + list(data) for k, s, data in answers]
"""
BEFORE = HAND_CLOCK + ASKING
SWELLS = describe(Picture(RED.still, (Breathe(0, 4, (200, 90, 10), 2500, 0),)), 64, 0).hex()


def says(script: str) -> list[str]:
    return run_micropython(BEFORE + script).splitlines()


def answer(kind: int, seq: int, payload: bytes = b"") -> str:
    return str([[kind | frames.ANSWER, seq, *payload]])


def refused(kind: int, seq: int, error: int) -> str:
    return str([[frames.ERROR, seq, error, kind]])

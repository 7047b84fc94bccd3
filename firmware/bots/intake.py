"""What comes out of a bot, byte by byte, as lines: bounded, whatever comes."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from firmware.bots.lines import LONGEST_LINE

FLOOD = 64 * 1024  # bytes between two questions, on standard output beside the answers, and on standard error


@dataclass(frozen=True, slots=True)
class Saying:
    """Something that came: a line without its end, or what is wrong with what came."""

    text: str
    wrong: bool = False


class Intake:
    """One stream. `feed` is for the thread that reads, `question` for the one that asks.

    Lines of `info` are counted and dropped, and after a flood everything is.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._lock = threading.Lock()
        self._kept = b""
        self._count = 0
        self._closed = False  # nothing is taken any more

    def question(self, still_to_come: int = 0) -> None:
        """A question is asked: what is counted is counted from here on, but for bytes written before that are still to
        come."""
        with self._lock:
            self._count = -still_to_come

    def count(self, data: bytes) -> list[Saying]:
        """Bytes of which only the number matters."""
        with self._lock:
            self._count += len(data)
            return self._flooded()

    def feed(self, data: bytes) -> list[Saying]:
        """The lines that are complete with these bytes. The last one may be what is wrong."""
        with self._lock:
            if self._closed:
                return []
            *whole, self._kept = (self._kept + data).split(b"\n")
            found: list[Saying] = []
            for line in whole:
                found += self._line(line)
                if self._closed:
                    return found
            if len(self._kept) > LONGEST_LINE:
                found.append(self._close(f"a line of more than {LONGEST_LINE} bytes"))
            return found

    def _line(self, line: bytes) -> list[Saying]:
        if len(line) > LONGEST_LINE:
            return [self._close(f"a line of more than {LONGEST_LINE} bytes")]
        word = line.partition(b" ")[0].rstrip(b"\r")
        if word != b"play":
            self._count += len(line) + 1
            if flood := self._flooded():
                return flood
        if word == b"info":
            return []
        return [Saying(line.decode(errors="replace").removesuffix("\r"))]

    def _flooded(self) -> list[Saying]:
        if self._count <= FLOOD or self._closed:
            return []
        return [self._close(f"more than {FLOOD // 1024} kB {self._what} between two questions")]

    def _close(self, wrong: str) -> Saying:
        self._closed, self._kept = True, b""
        return Saying(wrong, wrong=True)

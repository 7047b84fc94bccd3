"""Standard streams as they may be: closed, full, slow, or with nobody at their other end.

What is printed for people must not end a session, nor make it wait.
"""

from __future__ import annotations

import logging
import os
import queue
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import TextIO, cast

from firmware.errors import bounded, printable
from hardware.threads import start_thread

MOST_LINES = 1000  # that wait for a slow reader; what comes then is dropped
FLUSH_S = 0.2  # for what still waits at the end
# Levels as sd-daemon(3) has them before each line.
_JOURNAL_LEVELS = ((logging.ERROR, 3), (logging.WARNING, 4), (logging.INFO, 6), (logging.NOTSET, 7))


def fill_missing_streams() -> None:
    """Give a standard stream that is closed the null device: at its end to read, and taking all that is written.

    No file that is opened later can then get its number, and what is printed.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, closefd=False))  # noqa: SIM115 - as long as the program


def divert(stream: TextIO) -> None:
    """From now on everything that this stream is given is lost, and nothing is raised, at the program's end either."""
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


class OutputLostError(Exception):
    """What was to be printed could not be. No OSError: no command may take it for a fault of a file of its own."""

    def __init__(self, error: OSError) -> None:
        super().__init__(error)
        self.reason = error.strerror or str(error)
        self.reader_gone = isinstance(error, BrokenPipeError)  # it has seen enough, as `head` has


class _CommandStream:
    """What the commands need of a stream of text. What a write that fails means is said by the two below."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        raise NotImplementedError

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def isatty(self) -> bool:
        return self._stream.isatty()


class CommandOutput(_CommandStream):
    """Standard output for the commands: whatever cannot be written to it raises OutputLostError.

    It is printable, but for a copy of a file (`write_exactly`).
    """

    def write(self, text: str) -> int:
        return self.write_exactly(printable(text))

    def write_exactly(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except OSError as error:
            raise OutputLostError(error) from error

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError as error:
            raise OutputLostError(error) from error


class CommandErrors(_CommandStream):
    """Standard error for the commands: what cannot be written to it is lost, and changes no exit status."""

    def write(self, text: str) -> int:
        try:
            self._stream.write(bounded(text))
            self._stream.flush()
        except OSError:
            divert(self._stream)
        return len(text)

    def flush(self) -> None: ...


def output() -> TextIO:
    """Standard output as it is now, for whoever writes, flushes, and asks whether it is a terminal."""
    return cast(TextIO, CommandOutput(sys.stdout))


def errors() -> TextIO:
    """The same for standard error."""
    return cast(TextIO, CommandErrors(sys.stderr))


class Printer:
    """Prints lines in a thread of its own, and never raises: what cannot be printed is lost. `stream`: of text."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lines: queue.Queue[str | None] = queue.Queue(MOST_LINES)
        self._thread = start_thread(self._run, "printer")

    def __call__(self, line: str) -> None:
        with suppress(queue.Full):
            self._lines.put_nowait(line)

    def _run(self) -> None:
        while (line := self._lines.get()) is not None:
            try:
                # in one piece: another thread may write to the same file
                self._stream.write(bounded(line) + "\n")
                self._stream.flush()
            except UnicodeError:
                self(line.encode("ascii", "backslashreplace").decode())
            except Exception:  # noqa: BLE001 - this thread is the only one that could tell of it
                divert(self._stream)

    def __enter__(self) -> Printer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Print what waits, for FLUSH_S at most. A reader that is slower gets no more."""
        with suppress(queue.Full):
            self._lines.put_nowait(None)
        self._thread.join(FLUSH_S)
        if self._thread.is_alive():
            divert(self._stream)


class PrinterHandler(logging.Handler):
    """What is logged, a line each, to a Printer, or to what prints in another way."""

    def __init__(self, printer: Callable[[str], object], formatter: logging.Formatter) -> None:
        super().__init__()
        self._printer = printer
        self.setFormatter(formatter)

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._printer(self.format(record))
        except Exception:  # noqa: BLE001 - a line that cannot be made is no reason to end
            self._printer(str(record.msg))


class JournalFormatter(logging.Formatter):
    """Each line with its level, as systemd's journal reads it."""

    def format(self, record: logging.LogRecord) -> str:
        level = next(number for least, number in _JOURNAL_LEVELS if record.levelno >= least)
        return "\n".join(f"<{level}>{line}" for line in super().format(record).splitlines())


def formatter_for(stream: TextIO, environ: Mapping[str, str] = os.environ) -> logging.Formatter:
    """With levels if this stream is the journal's: JOURNAL_STREAM names its device and inode (systemd.exec(5))."""
    with suppress(OSError, ValueError):
        status = os.fstat(stream.fileno())
        if environ.get("JOURNAL_STREAM") == f"{status.st_dev}:{status.st_ino}":
            return JournalFormatter("%(message)s")
    return logging.Formatter("%(message)s")

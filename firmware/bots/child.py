"""A bot as a process: lines to it and from it, and its end. Nothing here waits for it but threads of its own.

Both its pipes are read all the time, whatever the host does, and what waits to be sent to it is bounded.
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import queue
import select
import struct
import subprocess
import termios
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import IO

from firmware.bots.intake import Intake, Saying
from firmware.bots.launch import LEFT_OUT
from firmware.bots.sandbox import Sandbox, launch_command
from firmware.errors import printable, reason
from hardware.threads import NoThreadError, start_thread

MOST_UNREAD = 256 * 1024  # bytes that wait for a bot that does not read
QUIT_S = 2.0  # a bot ends within this time once it is told to quit
_KILL_S = 5.0  # for the launcher to kill all that is below it
_PIECE = 1 << 16
_TAIL = 2000  # bytes of standard error that are kept
_LAST_WORDS_S = 0.5  # for them to be read, when its output has ended
_log = logging.getLogger(__name__)
Came = tuple[int, Saying]  # at which ms it was read, and what


class Child:
    """One process. It is started at once, in the background; what goes wrong comes as a Saying.

    `clock_ms` stamps what is read; `wake` is called after each. `end` may be called at any time.
    """

    def __init__(
        self,
        command: Sequence[str],
        box: Sandbox,
        clock_ms: Callable[[], int],
        wake: Callable[[], object] = lambda: None,
    ) -> None:
        self._command, self._box, self._clock_ms, self._wake = tuple(command), box, clock_ms, wake
        self._came: queue.SimpleQueue[Came] = queue.SimpleQueue()
        self._out = Intake("of info")
        self._err = Intake("on standard error")
        self._to_send: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._unread = 0
        self._tail = b""
        self._errors: IO[bytes] | None = None  # its standard error, while somebody reads it
        self._reading_errors = threading.Lock()  # nothing of it is read and not yet counted
        self._errors_read = threading.Event()
        self._grace_s: float | None = None  # set: it is to end
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None
        try:
            self._thread = start_thread(self._live, f"bot {command[0]}"[:15])
        except NoThreadError as error:
            self._say(f"it cannot be started: {error}")

    def send(self, lines: Iterable[str]) -> None:
        data = "".join(f"{line}\n" for line in lines).encode()
        with self._lock:
            self._unread += len(data)
            flooded = self._unread > MOST_UNREAD
        if flooded:
            self._say(f"{MOST_UNREAD // 1024} kB wait for it, which it does not read")
        elif data:
            self._to_send.put(data)

    def question(self) -> None:
        """What is sent next is a question: what the bot writes beside answers is counted from here on."""
        self._out.question()
        with self._reading_errors:
            self._err.question(0 if self._errors is None else _waiting_in(self._errors))

    def take(self, timeout_s: float = 0.0) -> list[Came]:
        """What has come; waits for the first of it for `timeout_s` at most."""
        found: list[Came] = []
        with contextlib.suppress(queue.Empty):
            found.append(self._came.get(timeout=timeout_s) if timeout_s > 0 else self._came.get_nowait())
            while True:
                found.append(self._came.get_nowait())
        return found

    @property
    def tail(self) -> str:
        """The last line that it wrote on standard error, for whoever mends it."""
        lines = printable(self._tail.decode(errors="replace")).strip().splitlines()
        return lines[-1] if lines else ""

    def end(self, grace_s: float = 0.0) -> None:
        """Let it end by itself within `grace_s` (after `quit`, which this sends), then kill it. Returns at once."""
        if self._ending.is_set():
            return
        if grace_s > 0:
            self.send(["quit"])
        self._grace_s = grace_s
        self._to_send.put(None)
        self._ending.set()

    def join(self, timeout_s: float | None = None) -> bool:
        """Wait until nothing of it is left; whether that is so."""
        if self._thread is None:
            return True
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    # ---- its threads ----

    def _say(self, wrong: str) -> None:
        self._came.put((self._clock_ms(), Saying(wrong, wrong=True)))
        self._wake()

    def _live(self) -> None:
        try:
            process, control = self._launch()
        except Exception as error:  # noqa: BLE001 - whoever waits for it has to hear why it does not come
            self._say(f"it cannot be started: {error}")
            return
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        works = (
            (self._write, process.stdin),
            (self._read_answers, process.stdout),
            (self._read_errors, process.stderr),
        )
        threads: list[threading.Thread] = []
        try:
            for work, stream in works:
                threads.append(start_thread(self._work, "bot's pipe", work, stream))
            self._ending.wait()
        except NoThreadError as error:
            self._say(f"it cannot be listened to: {error}")
        if self._grace_s:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(self._grace_s)
        os.close(control)
        try:
            process.wait(_KILL_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self._to_send.put(None)
        for thread in threads:
            thread.join(_KILL_S)
        for _, stream in works[len(threads) :]:
            stream.close()

    def _launch(self) -> tuple[subprocess.Popen[bytes], int]:
        """The process, and the end of a pipe with which it ends when that is closed. Raises OSError."""
        read, control = os.pipe()
        try:
            command = launch_command(self._command, self._box, read)
            pipe = subprocess.PIPE
            process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, pass_fds=(read,), start_new_session=True
            )
        except BaseException:
            os.close(control)
            raise
        finally:
            os.close(read)
        return process, control

    def _work(self, work: Callable[[IO[bytes]], None], stream: IO[bytes]) -> None:
        try:
            with stream:
                work(stream)
        except Exception as error:  # noqa: BLE001 - nobody waits for ever for what this thread was to read or write
            self._say(f"a fault of this program: {reason(error)}")

    def _write(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(OSError):  # it has ended, which its output tells
            while (data := self._to_send.get()) is not None:
                with self._lock:
                    self._unread -= len(data)
                while data:
                    data = data[os.write(stream.fileno(), data) :]

    def _read_answers(self, stream: IO[bytes]) -> None:
        while data := _read(stream):
            at_ms = self._clock_ms()
            for saying in self._out.feed(data):
                self._came.put((at_ms, saying))
            self._wake()
        self._errors_read.wait(_LAST_WORDS_S)  # they say why
        self._say("it has ended")

    def _read_errors(self, stream: IO[bytes]) -> None:
        begun = _without_launchers_line(stream)
        self._errors = stream
        try:
            while self._read_some_errors(stream, begun):
                begun = b""
        finally:
            with self._reading_errors:
                self._errors = None
            self._errors_read.set()

    def _read_some_errors(self, stream: IO[bytes], begun: bytes) -> bool:
        """Count what has come, once something has; whether more may come."""
        if not begun:
            select.select([stream], [], [])
        with self._reading_errors:
            data = begun or _read(stream)
            sayings = self._err.count(data)
        self._tail = (self._tail + data[-_TAIL:])[-_TAIL:]
        for saying in sayings:
            self._say(saying.text)
        return bool(data)


def _without_launchers_line(stream: IO[bytes]) -> bytes:
    """What comes after the line of the launcher, which is the first and is said; all, if that is another one."""
    data = b""
    while b"\n" not in data and len(data) < _PIECE and (more := _read(stream)):
        data += more
    line, _, rest = data.partition(b"\n")
    mark = LEFT_OUT.encode()
    if not line.startswith(mark):
        return data
    if left_out := line[len(mark) :].decode(errors="replace").strip():
        _say_once(left_out)
    return rest


@cache
def _say_once(left_out: str) -> None:
    _log.info("This system does not permit all that shuts a bot in. It goes on without: %s", left_out)


def _waiting_in(stream: IO[bytes]) -> int:
    """How many bytes have been written into this pipe that nobody has read: see ioctl_tty(2), FIONREAD."""
    return int(struct.unpack("i", fcntl.ioctl(stream, termios.FIONREAD, bytes(4)))[0])


def _read(stream: IO[bytes]) -> bytes:
    try:
        return os.read(stream.fileno(), _PIECE)
    except OSError:
        return b""

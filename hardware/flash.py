"""Put the strip's program on a Pico, also on one that runs it already, without pulling its plug.

MicroPython must be on the Pico; `mpremote` does the copying. A Pico that runs our program is first told to restart into
its prompt, for a watchdog that has been started cannot be stopped.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import select
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import serial

from hardware import frames
from hardware.link import FoundPort, LinkError, NotOurStripError, Who, parse_who
from hardware.pico_files import PicoFileError, pico_files
from hardware.ports import HardwareError
from hardware.strip import let_go, open_exclusively

MPREMOTE = (sys.executable, "-P", "-m", "mpremote")  # -P: nothing is imported from the current folder
_HELLO_S = 1.0
_BACK_S = 15.0  # for a Pico to come back after a restart
_MPREMOTE_S = 60.0
_PORT_ERRORS = (OSError, termios.error)
_NO_MICROPYTHON = (
    "If there is no MicroPython on it yet: hold its BOOTSEL button while plugging it in, and copy the .uf2 file for the"
    " Raspberry Pi Pico from https://micropython.org/download/RPI_PICO/ on to the drive that appears."
)
_CHECK = "import sys; print(sys.implementation[0], sys.implementation[1][0], sys.implementation[1][1])"
_HASH = (
    "import hashlib, binascii; print(binascii.hexlify(hashlib.sha256(open({name!r}, 'rb').read()).digest()).decode())"
)


class FlashError(HardwareError):
    """The program could not be put on the Pico; the message says at which step and what to do."""


def flash(
    find_ports: Callable[[], Iterable[FoundPort]],
    program: Path,
    say: Callable[[str], object],
    *,
    port: str | None = None,
    mpremote: Sequence[str] = MPREMOTE,
    wait_s: float = _BACK_S,
) -> None:
    """Put `pico_files(program)` on the Pico behind the only port that `find_ports` finds (or behind `port`).

    Nothing is said to a Pico before each file has been compiled here. `say` gets a line for each step. Every file is
    read back and compared; main.py comes last, so that a Pico whose plug was pulled half way waits at its prompt.
    At the end the new program has answered a hello. Raises FlashError.
    """
    try:
        files = pico_files(program)
    except PicoFileError as error:
        raise FlashError(str(error)) from error
    path = _choose(find_ports, port)
    who = _greet(path, say)
    if who is not None:
        _into_prompt(path, say)
        path = _wait_for_port(find_ports, port, wait_s)
    run = _Mpremote(mpremote, path)
    version = run("exec", _CHECK).split()
    if len(version) != 3 or version[0] != "micropython" or (int(version[1]), int(version[2])) < (1, 20):
        found = " ".join(version) or "nothing"
        raise FlashError(f"{path}: found {found}, expected MicroPython 1.20 or newer. {_NO_MICROPYTHON}")
    say(f"{path}: MicroPython {version[1]}.{version[2]}")
    run("exec", "import os; 'main.py' in os.listdir() and os.remove('main.py')")
    for file in files:
        _copy(run, file, say)
    say("restarting it")
    run("reset")
    _see_it_run(find_ports, port, wait_s, say)


def _choose(find_ports: Callable[[], Iterable[FoundPort]], port: str | None) -> str:
    found = list(find_ports())
    if port is not None:
        return port
    if not found:
        raise FlashError(f"no Pico is plugged in (USB 2E8A:0005). {_NO_MICROPYTHON}")
    if len(found) > 1:
        names = ", ".join(f"{f.path} ({f.description})" for f in found)
        raise FlashError(f"more than one Pico is plugged in: {names}. Unplug the others, or name the port")
    (only,) = found
    return only.path


class _Conversation:
    """A few questions and answers on an open port."""

    def __init__(self, port: serial.Serial) -> None:
        self._port = port
        self._parser = frames.Parser()

    def ask(self, kind: int, seq: int, payload: bytes, timeout_s: float) -> bytes | None:
        self._port.write(frames.encode(kind, seq, payload))
        deadline = time.monotonic() + timeout_s
        while (left_s := deadline - time.monotonic()) > 0:
            if not select.select([self._port.fileno()], [], [], left_s)[0]:
                break
            for got, got_seq, answer in self._parser.feed(self._port.read(4096)):
                if got == kind | frames.ANSWER and got_seq == seq:
                    return answer
        return None

    def hangs_up(self, timeout_s: float) -> bool:
        """Whether the port goes within this time."""
        deadline = time.monotonic() + timeout_s
        with contextlib.suppress(*_PORT_ERRORS):
            while (left_s := deadline - time.monotonic()) > 0:
                if select.select([self._port.fileno()], [], [], left_s)[0]:
                    self._port.read(4096)
            return False
        return True


@contextlib.contextmanager
def _talk(path: str) -> Iterator[_Conversation]:
    try:
        port = open_exclusively(path)
    except LinkError as error:
        raise FlashError(f"{error}. If the table is running, stop it first") from error
    try:
        yield _Conversation(port)
    finally:
        let_go(port)


def _greet(path: str, say: Callable[[str], object]) -> Who | None:
    """Ask who is there; None if nobody answers as our program does."""
    try:
        with _talk(path) as talk:
            payload = talk.ask(frames.HELLO, frames.HELLO_SEQ, frames.HELLO_PAYLOAD, _HELLO_S)
            who = None if payload is None else parse_who(payload)
    except NotOurStripError as error:
        raise FlashError(f"{path}: {error}; it is left alone") from error
    except _PORT_ERRORS as error:
        raise FlashError(f"{path} went away: {error}") from error
    if who is None:
        say(f"{path}: our program does not run there; it should be MicroPython's prompt")
    else:
        say(f"{path}: our program runs there, version {who.version}")
    return who


def _into_prompt(path: str, say: Callable[[str], object]) -> None:
    say("asking it to restart into its prompt")
    try:
        with _talk(path) as talk:
            # The number after that of the last frame is not known here: a hello makes any number new.
            talk.ask(frames.HELLO, frames.HELLO_SEQ, frames.HELLO_PAYLOAD, _HELLO_S)
            if talk.ask(frames.PROMPT, 1, b"", _HELLO_S) is None or not talk.hangs_up(_BACK_S):
                raise FlashError(f"{path}: it does not restart. Pull its plug, put it in again, and repeat")
    except _PORT_ERRORS as error:
        raise FlashError(f"{path} went away: {error}") from error


def _wait_for_port(find_ports: Callable[[], Iterable[FoundPort]], port: str | None, wait_s: float) -> str:
    """Wait until a Pico is there (again) and can be opened, looking ten times a second; return its path.

    After a restart its old name may be there for a moment yet, and the new one before anybody may open it.
    """
    deadline = time.monotonic() + wait_s
    why = ""
    while time.monotonic() < deadline:
        paths, why = [f.path for f in find_ports()], ""
        # `port` may be a link, as those of /dev/serial/by-id: it is back when what it leads to is
        if paths and (port is None or os.path.realpath(port) in map(os.path.realpath, paths)):
            path = port or paths[0]
            try:
                let_go(open_exclusively(path))
                return path
            except LinkError as error:
                why = f" ({error})"
        time.sleep(0.1)
    raise FlashError(f"the Pico has not come back within {wait_s:g} s{why}. Pull its plug, put it in again, and repeat")


class _Mpremote:
    """Runs mpremote on one port; its soft reset is not wanted (`resume`)."""

    def __init__(self, command: Sequence[str], path: str) -> None:
        self._command = [*command, "connect", path, "resume"]
        self._path = path

    def __call__(self, *words: str) -> str:
        try:
            done = subprocess.run(
                [*self._command, *words], capture_output=True, text=True, timeout=_MPREMOTE_S, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise FlashError(f"{self._path}: mpremote {words[0]} took longer than {_MPREMOTE_S:g} s") from error
        except OSError as error:
            raise FlashError(f"cannot run mpremote: {error}. Install it: pip install mpremote") from error
        if done.returncode:
            said = _last_words(f"{done.stdout}\n{done.stderr}")
            raise FlashError(f"{self._path}: mpremote {' '.join(words[:2])} failed: {said}. {_NO_MICROPYTHON}")
        return done.stdout


def _last_words(said: str) -> str:
    """What a program said; of a traceback, as mpremote makes one of a silent port, the reason alone."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return lines[-1] if any(line.startswith("Traceback ") for line in lines) else " ".join(lines)


def _copy(run: _Mpremote, file: Path, say: Callable[[str], object]) -> None:
    say(f"copying {file.name}")
    run("fs", "cp", str(file.resolve()), f":{file.name}")
    wanted = hashlib.sha256(file.read_bytes()).hexdigest()
    found = run("exec", _HASH.format(name=file.name)).strip()
    if found != wanted:
        raise FlashError(f"{file.name} on the Pico is not what was copied (SHA-256 {found}, expected {wanted}). Repeat")


def _see_it_run(
    find_ports: Callable[[], Iterable[FoundPort]], port: str | None, wait_s: float, say: Callable[[str], object]
) -> None:
    deadline = time.monotonic() + wait_s
    while time.monotonic() < deadline:
        path = _wait_for_port(find_ports, port, wait_s)
        with contextlib.suppress(FlashError, *_PORT_ERRORS), _talk(path) as talk:
            payload = talk.ask(frames.HELLO, frames.HELLO_SEQ, frames.HELLO_PAYLOAD, _HELLO_S)
            if payload is not None and parse_who(payload).version == frames.VERSION:
                say(f"{path}: the new program answers, version {frames.VERSION}. Done")
                return
        time.sleep(0.1)  # it may still be restarting, under the old name
    raise FlashError(f"the new program has not answered within {wait_s:g} s. Repeat, or pull the plug and try again")

"""What the tests of the strip share: a raw end of the link, the program under MicroPython without a port, pictures."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import time
import tty
from collections.abc import Callable

import serial

from hardware import frames
from hardware.link import FoundPort, Setup
from hardware.pico_files import FRAMES
from hardware.pictures import describe
from hardware.ports import Picture, SystemClock
from hardware.twins.pico import PicoProcess, find_micropython
from tests.support.places import ROOT

PROGRAM = ROOT / "firmware" / "pico"
WORLD = ROOT / "hardware" / "twins" / "pico_world"
CLOCK = SystemClock()


def still(*colours: tuple[int, int, int], leds: int = 64) -> Picture:
    """A picture of these colours, again and again up to `leds`."""
    return Picture(tuple(colours[i % len(colours)] for i in range(leds)))


def show(picture: Picture, now_ms: int = 0) -> bytes:
    return describe(picture, len(picture.still), now_ms)


def who(version: int, name: bytes = frames.NAME) -> bytes:
    """The answer to a hello of a strip's program of this version, under this name."""
    payload = name + b"".join(n.to_bytes(2, "little") for n in (version, 0, 400, 0))
    return frames.encode(frames.HELLO | frames.ANSWER, frames.HELLO_SEQ, payload)


class HandClock:
    """Goes only when it is told to."""

    def __init__(self) -> None:
        self.ms = 1_000_000

    def now_ms(self) -> int:
        return self.ms


class Terminal:
    """A pseudo-terminal with nobody behind it but the test: `path` for the track, `fd` for the other end."""

    def __init__(self) -> None:
        self.fd, slave = os.openpty()
        tty.setraw(slave)
        self.path = os.ttyname(slave)
        self._slave = slave

    def heard(self) -> bytes:
        """Everything that has come so far."""
        data = b""
        while select.select([self.fd], [], [], 0)[0]:
            data += os.read(self.fd, 65536)
        return data

    def ports(self) -> list[FoundPort]:
        return [FoundPort(self.path)]

    def close(self) -> None:
        for fd in (self.fd, self._slave):
            os.close(fd)


# A condition that should hold soon is waited for so long: on a machine that is busy with other things, too.
LONG_S = 60.0


class Wire:
    """A raw end of the link, opened through pyserial: sends any bytes, waits for answers on the file descriptor."""

    def __init__(self, path: str) -> None:
        self.port = serial.Serial(path, timeout=0, write_timeout=LONG_S)
        self.parser = frames.Parser()
        self.seq = 0
        self.waiting: list[tuple[int, int, bytes]] = []

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *_: object) -> None:
        self.port.close()

    def send(self, data: bytes) -> None:
        self.port.write(data)

    def answers(self, timeout_s: float = LONG_S, until: Callable[[list[tuple[int, int, bytes]]], bool] = bool):
        """All frames that come until `until` holds of them (default: one has come), at most `timeout_s`."""
        deadline = time.monotonic() + timeout_s
        got, self.waiting = self.waiting, []
        while not until(got):
            left_s = deadline - time.monotonic()
            if left_s <= 0 or not select.select([self.port.fileno()], [], [], left_s)[0]:
                break
            got += self.parser.feed(self.port.read(4096))
        return got

    def ask(self, kind: int, payload: bytes = b"", seq: int | None = None, timeout_s: float = LONG_S):
        """Send one frame and return its answer as (kind, payload); None if there is none. Other frames are dropped."""
        if seq is None:
            self.seq = seq = (self.seq + 1) % 256
        self.send(frames.encode(kind, seq, payload))
        got = self.answers(timeout_s, lambda all_: any(a[1] == seq for a in all_))
        return next(((k, p) for k, s, p in got if s == seq), None)

    def hello(self):
        return self.ask(frames.HELLO, frames.HELLO_PAYLOAD, frames.HELLO_SEQ)

    def begin(self, leds: int = 64, order: str = "GRB", budget_ma: int = 400) -> None:
        assert self.hello() is not None, "no answer to the hello"
        answer = self.ask(frames.SETUP, Setup(leds, order, budget_ma).payload())
        assert answer == (frames.SETUP | frames.ANSWER, b""), answer

    def show(self, picture: Picture) -> None:
        answer = self.ask(frames.SHOW, show(picture))
        assert answer == (frames.SHOW | frames.ANSWER, b""), answer


def shows(pico: PicoProcess, picture: Picture, timeout_s: float = LONG_S) -> bool:
    """Wait until the strip shows the picture's still colours (and none beyond them)."""
    dark = ((0, 0, 0),) * (len(pico.lit()) - len(picture.still))
    return pico.wait_for(lambda: pico.lit() == picture.still + dark, timeout_s)


class Micropython:
    """A MicroPython process that runs `script` with the Pico's files on its path; talks in lines."""

    def __init__(self, script: str) -> None:
        micropython = find_micropython()
        assert micropython is not None, "MicroPython's unix port is in requirements.txt"
        reading, writing = os.pipe()
        self._side = reading
        self._process = subprocess.Popen(
            [micropython, "-X", "heapsize=256k", "-c", script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            bufsize=1,
            env=dict(os.environ, MICROPYPATH=f"{WORLD}:{PROGRAM}:{FRAMES.parent}", PICO_WORLD_FD=str(writing)),
            pass_fds=[writing],
        )
        os.close(writing)

    def ask(self, line: str) -> str:
        """Send one line, return the next."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer or answer.startswith("Traceback"):
            raise AssertionError(f"MicroPython stopped: {answer}{self._process.stdout.read()}")
        return answer.rstrip("\n")

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            with contextlib.suppress(BrokenPipeError):  # a line that it did not live to read
                stream.close()
        os.close(self._side)

    def __enter__(self) -> Micropython:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def run_micropython(script: str) -> str:
    """Run a script to its end with the Pico's files on its path; return what it printed. Fails if it raises."""
    micropython = find_micropython()
    assert micropython is not None, "MicroPython's unix port is in requirements.txt"
    with open(os.devnull, "wb") as nothing:
        done = subprocess.run(
            [micropython, "-X", "heapsize=256k", "-c", script],
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            env=dict(os.environ, MICROPYPATH=f"{WORLD}:{PROGRAM}:{FRAMES.parent}", PICO_WORLD_FD=str(nothing.fileno())),
            pass_fds=[nothing.fileno()],
        )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# For Micropython: `load LEDS xPAYLOAD` answers the error's number, `draw MS` lets time go by and answers what is lit.
DRAWER = """
import sys, binascii, frames
from scene import Animation
scene = Animation(64)
rgb = bytearray(3 * frames.MAX_LEDS)
while True:
    line = sys.stdin.readline()
    if not line:
        break
    words = line.split()
    if words[0] == "load":
        payload = bytes.fromhex(words[2][1:])
        buf = bytearray(2) + payload + b"\\xff" * 12
        print(scene.load(buf, 2, len(payload), int(words[1])))
    else:
        scene.advance(int(words[1]))
        scene.draw(rgb)
        print(scene.moving, binascii.hexlify(rgb[:3 * scene.leds]).decode())
"""


def load(micropython: Micropython, leds: int, payload: bytes) -> int:
    """Give the scene a picture as SHOW has it; return 0 or the number of the error. Other bytes follow it."""
    return int(micropython.ask(f"load {leds} x{payload.hex()}"))


def draw(micropython: Micropython, after_ms: int) -> tuple[int, list[tuple[int, ...]]]:
    """What is lit after this time, and how many effects still move."""
    moving, wire = micropython.ask(f"draw {after_ms}").split()
    data = bytes.fromhex(wire)
    return int(moving), [tuple(data[i : i + 3]) for i in range(0, len(data), 3)]


RED = still((60, 0, 0))

# The program, set up for 64 LEDs and showing RED, on a clock that the test moves; the tick counter will wrap. `hear`
# takes bytes and obeys the frames in them, `go_on` lets it turn every 10 ms and says how long it pulsed.
HAND_CLOCK = f"""
import main, frames
class Time:
    now = (1 << 30) - 300_000
    def ticks_ms(self):
        return self.now & ((1 << 30) - 1)
    def ticks_diff(self, a, b):
        return ((a - b + (1 << 29)) & ((1 << 30) - 1)) - (1 << 29)
    def sleep_ms(self, ms):
        pass
time = main.time = Time()
p = main.Program()
p._ipoll = p._out_ipoll = lambda ms: ()
def hear(data):
    for kind, seq, payload in frames.Parser().feed(data):
        p._parser.buf[2:2 + len(payload)] = payload
        p._heed(kind, seq, len(payload))
        p._sent = len(p._answer)
def ping(n):
    hear(frames.encode(frames.PING, n % 256))
def go_on(ms, pings=False):
    pulsed = 0
    for step in range(ms // 10):
        time.now += 10
        p.turn()
        if pings and step % 100 == 99:
            ping(3 + step // 100)
        pulsed += 10 * p.pulsing
    return pulsed
def lit():
    return [i for i in range(64) if any(p.strip.rgb[3 * i:3 * i + 3])]
hear(frames.encode(frames.HELLO, frames.HELLO_SEQ, frames.HELLO_PAYLOAD))
hear(bytes.fromhex("{frames.encode(frames.SETUP, 1, Setup().payload()).hex()}"))
hear(bytes.fromhex("{frames.encode(frames.SHOW, 2, show(RED)).hex()}"))
"""

"""The device as a whole: its start, its memory, an idle minute, what it writes. Without the virtual table.

`tacocat run` in a process of its own, as the service starts it, on buses that cost nothing (benchmarks/buses.py): the
emulated chips have no part in it. What a bus costs on a Pi comes on top: an SPI transfer or an I2C
message is a system call, in which a core mostly waits.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measures import COUNTED, REAL, Measure
from firmware.wiring.parts import PICO_PROGRAM
from hardware.twins.pico import PicoProcess

STARTS = 9
IDLE_S = 60.0
REST_S = 12.0  # after an event: then it has come to rest
GAMES = 100
PLAYS_AN_HOUR = 100  # as many as a lively session has
READY_WITHIN_S = 60


@dataclass(frozen=True, slots=True)
class Start:
    """One start, in seconds: until systemd is told that it is ready, and until the screen has its first picture."""

    ready_s: float
    shown_s: float


class DeviceProcess:
    """One run of the device."""

    def __init__(self, folder: Path, port: str) -> None:
        self._notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        address = folder / "notify"
        address.unlink(missing_ok=True)
        self._notify.bind(str(address))
        self._notify.settimeout(READY_WITHIN_S)
        environ = {**os.environ, "NOTIFY_SOCKET": str(address), "RUNTIME_DIRECTORY": str(folder)}
        command = [sys.executable, "-m", "benchmarks.box", str(folder), port]
        self._begun = time.monotonic()
        self.process = subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True)

    def started(self) -> Start:
        """Wait until it is ready and to be seen."""
        while b"READY=1" not in self._notify.recv(4096):
            pass
        ready = time.monotonic()
        assert self.process.stdout is not None
        word, moment = self.process.stdout.readline().split()
        assert word == "shown"
        return Start(ready - self._begun, float(moment) - self._begun)

    def status(self, name: str) -> float:
        """A number of /proc/<pid>/status, in MB (proc(5); the kernel counts in KiB)."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024 / 1e6
        raise LookupError(f"/proc/{self.process.pid}/status has no {name}")

    def processor_s(self) -> float:
        """Seconds of a core that it has used (proc(5), stat: utime and stime)."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(10)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._notify.close()


@contextmanager
def device_process(folder: Path, port: str) -> Iterator[DeviceProcess]:
    device = DeviceProcess(folder, port)
    try:
        yield device
    finally:
        device.close()


def starts(folder: Path, port: str, trials: int) -> list[Start]:
    found = []
    for _ in range(trials):
        with device_process(folder, port) as device:
            found.append(device.started())
    return found


def idle(folder: Path, port: str, seconds: float, rest_s: float) -> tuple[float, float]:
    """(memory in MB, percent of one core) of a device that waits in its menu."""
    with device_process(folder, port) as device:
        device.started()
        time.sleep(rest_s)
        begun, used_s = time.monotonic(), device.processor_s()
        time.sleep(seconds)
        percent = 100 * (device.processor_s() - used_s) / (time.monotonic() - begun)
        return device.status("VmRSS"), percent


def evenings(folder: Path, port: str, games: int) -> dict[str, float]:
    """What `benchmarks.evenings` found."""
    command = [sys.executable, "-m", "benchmarks.evenings", str(folder), port, str(games)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def measures(trials: int = STARTS, idle_s: float = IDLE_S, games: int = GAMES, rest_s: float = REST_S) -> list[Measure]:
    with PicoProcess(PICO_PROGRAM) as pico, tempfile.TemporaryDirectory() as name:
        port, folder = pico.find_ports()[0].path, Path(name)
        begun = starts(folder, port, trials)
        memory_mb, percent = idle(folder, port, idle_s, rest_s)
        found = evenings(folder, port, games)
    ready_s = statistics.median(start.ready_s for start in begun)
    shown_s = statistics.median(start.shown_s for start in begun)
    per_event = found["written"] / found["events"]
    return [
        Measure("start", f"until ready, median of {trials}", ready_s, "s", REAL, wanted=0.8),
        Measure("start", "until the first page is on the screen, median", shown_s, "s", REAL, wanted=0.8),
        Measure("memory", "after the start", memory_mb, "MB", COUNTED, wanted=48),
        Measure("memory", "after one whole game", found["first_mb"], "MB", COUNTED, wanted=64),
        Measure("memory", f"after {games} whole games", found["last_mb"], "MB", COUNTED, wanted=64),
        Measure("idle", f"processor, over {idle_s:.0f} s", percent, "% of a core", REAL, wanted=1.5),
        Measure(
            "disk",
            "written an hour, at the speed of the games measured",
            found["written"] / found["hours"] / 1000,
            "kB",
            COUNTED,
        ),
        Measure(
            "disk",
            f"written in an hour of {PLAYS_AN_HOUR} plays",
            per_event * PLAYS_AN_HOUR / 1000,
            "kB",
            COUNTED,
            wanted=200,
        ),
        Measure("disk", "fsyncs for each event", found["synced"] / found["events"], "", COUNTED, wanted=1.05),
    ]

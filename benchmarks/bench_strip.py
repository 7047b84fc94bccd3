"""The strip: pictures over the link, bytes a picture, latency, and what a strip that reads nothing costs the loop.

The Pico's program runs under MicroPython's unix port on this machine: what is measured is the link and the host,
not an RP2040 (docs/protocol.md has its times).
"""

from __future__ import annotations

import statistics
import time
from functools import partial
from pathlib import Path

from benchmarks.measures import COUNTED, REAL, Measure, percentile
from hardware import frames
from hardware.pictures import describe
from hardware.ports import Breathe, Glide, Picture, Run, SystemClock
from hardware.strip import PicoStrip
from hardware.twins.pico import PicoProcess

PROGRAM = Path(__file__).resolve().parents[1] / "firmware" / "pico"
SECONDS = 2.0


def game(*effects: Breathe | Run | Glide) -> Picture:
    """A track in the middle of a game: two covered spaces, Tacocat on the third."""
    free, edge, dark, tacocat = (6, 6, 8), (3, 3, 3), (0, 0, 0), (200, 120, 30)
    space = [free] * 8
    covered = [edge, *[dark] * 6, edge]
    spaces = [*space, *covered, *[tacocat] * 8, *space, *covered, *space, *space]
    return Picture(tuple([(0, 40, 90)] * 4 + spaces + [(90, 40, 0)] * 4), effects)


def pictures() -> dict[str, Picture]:
    breathe = Breathe(0, 4, (0, 80, 180), 2500)
    return {
        "game, still": game(),
        "game, a goal breathes": game(breathe),
        "game, double arrow": game(
            breathe,
            Breathe(60, 4, (180, 80, 0), 2500),
            Run(20, 8, (255, 255, 255), 1500),
            Run(20, 8, (255, 255, 255), 1500, backwards=True),
        ),
        "game, Tacocat glides": game(breathe, Glide(((20, 8), (36, 8), (44, 8)), (200, 120, 30), 400, 0)),
        "64 colours": Picture(tuple((i, 2 * i % 60, 63 - i) for i in range(64))),
    }


def bytes_a_picture() -> list[Measure]:
    sizes = {name: len(frames.encode(frames.SHOW, 1, describe(p, 64, 0))) for name, p in pictures().items()}
    plain = ("three bytes an LED", 3.0 * 64)
    return [
        Measure("strip", f"on the wire: {name}", size, "bytes", COUNTED, beside=plain) for name, size in sizes.items()
    ]


def throughput(pico: PicoProcess) -> list[Measure]:
    shown = list(pictures().values())
    with PicoStrip(pico.find_ports, SystemClock()) as strip:
        strip.show(shown[0])
        strip.wait_shown(5)
        count = 0
        end = time.perf_counter() + SECONDS
        while time.perf_counter() < end:
            strip.show(shown[count % len(shown)])
            strip.wait_shown()
            count += 1
    return [Measure("strip", "pictures a second, each acknowledged", count / SECONDS, "", REAL, at_least=True)]


def _shows(pico: PicoProcess, still: Picture) -> bool:
    return pico.lit() == still.still


def latency(pico: PicoProcess) -> list[Measure]:
    times_ms = []
    with PicoStrip(pico.find_ports, SystemClock()) as strip:
        for i in range(300):
            still = Picture(((i % 50, i // 50, 1),) * 64)
            start = time.perf_counter()
            strip.show(still)
            if pico.wait_for(partial(_shows, pico, still), 5):
                times_ms.append((time.perf_counter() - start) * 1000)
    return [_spread("from show() to lit, unix port", times_ms)]


def loop_latency(pico: PicoProcess) -> list[Measure]:
    """What show() costs the loop at 100 pictures a second while the strip's processor is stopped."""
    still = list(pictures().values())[2]
    times_ms = []
    with PicoStrip(pico.find_ports, SystemClock()) as strip:
        strip.show(still)
        strip.wait_shown(5)
        pico.freeze()
        used = time.process_time()
        for _ in range(int(SECONDS * 100)):
            start = time.perf_counter()
            strip.show(still)
            times_ms.append((time.perf_counter() - start) * 1000)
            time.sleep(0.01)
        used = time.process_time() - used
        pico.thaw()
    percent = 100 * used / (SECONDS + sum(times_ms) / 1000)
    return [
        _spread("show() while nobody reads the port", times_ms),
        Measure("strip", "processor used meanwhile, 100 pictures a second", percent, "% of a core", REAL),
    ]


def _spread(name: str, times_ms: list[float]) -> Measure:
    return Measure("strip", name, percentile(times_ms, 99), "ms", REAL, mean=statistics.mean(times_ms))


def measures() -> list[Measure]:
    found = bytes_a_picture()
    with PicoProcess(PROGRAM) as pico:
        for measure in (throughput, latency, loop_latency):
            found += measure(pico)
    return found

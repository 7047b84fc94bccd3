"""The strip: pictures over the link, bytes a picture, latency, and what a strip that reads nothing costs the loop.

The Pico's program runs under MicroPython's unix port on this machine: the figures are those of the link and the host,
not those of an RP2040 (docs/protocol.md has them).
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path

from hardware import frames
from hardware.pictures import describe
from hardware.ports import Breathe, Glide, Picture, Run, SystemClock
from hardware.track import Track
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


def bytes_a_picture() -> list[tuple[str, str]]:
    return [
        (f"bytes on the wire: {name}", f"{len(frames.encode(frames.SHOW, 1, describe(p, 64, 0)))}")
        for name, p in pictures().items()
    ]


def throughput(pico: PicoProcess) -> list[tuple[str, str]]:
    shown = list(pictures().values())
    with Track(pico.find_ports, SystemClock()) as strip:
        strip.show(shown[0])
        strip.wait_shown(5)
        count = 0
        end = time.perf_counter() + SECONDS
        while time.perf_counter() < end:
            strip.show(shown[count % len(shown)])
            strip.wait_shown()
            count += 1
    return [("pictures a second, each acknowledged", f"{count / SECONDS:.0f}")]


def latency(pico: PicoProcess) -> list[tuple[str, str]]:
    times_ms = []
    with Track(pico.find_ports, SystemClock()) as strip:
        for i in range(300):
            still = Picture(((i % 50, i // 50, 1),) * 64)
            start = time.perf_counter()
            strip.show(still)
            if pico.wait_for(lambda still=still: pico.lit() == still.still, 5):
                times_ms.append((time.perf_counter() - start) * 1000)
    return [("from show() to lit, median / worst of 99 %", _two(times_ms))]


def loop_latency(pico: PicoProcess) -> list[tuple[str, str]]:
    """What show() costs the loop at 100 pictures a second while the strip's processor is stopped."""
    still = list(pictures().values())[2]
    times_ms = []
    with Track(pico.find_ports, SystemClock()) as strip:
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
    return [
        ("show() while nobody reads the port, median / worst of 99 %", _two(times_ms)),
        ("processor used meanwhile", f"{100 * used / (SECONDS + sum(times_ms) / 1000):.1f} %"),
    ]


def _two(times_ms: list[float]) -> str:
    times_ms = sorted(times_ms)
    return f"{statistics.median(times_ms):.2f} / {times_ms[len(times_ms) * 99 // 100]:.2f} ms"


def main() -> None:
    rows = bytes_a_picture()
    with PicoProcess(PROGRAM) as pico:
        for measure in (throughput, latency, loop_latency):
            rows += measure(pico)
    print("\nStrip (64 LEDs; the Pico's program under MicroPython's unix port on a pseudo-terminal)\n")
    for name, figure in [("figure", "value"), ("-" * 60, "-" * 16), *rows]:
        print(f"| {name:<60} | {figure:<16} |")


if __name__ == "__main__":
    main()

"""The players: processor time of a decision, memory of a process that decides, and a short match against each other.

The long matches are run by hand: benchmarks/matches.py. What they gave stands in notes.py.
"""

from __future__ import annotations

import subprocess
import sys
import time

from benchmarks.matches import MEASURED_FROM, scores, seated
from benchmarks.measures import COUNTED, REAL, Measure, percentile
from engine.legal import Play
from engine.players.levels import level_named
from engine.players.match import Seated, play_match
from engine.players.names import TABLE_LEVELS
from engine.round import Phase
from engine.views import View

PAIRS = 12  # of a short match, and of the games in which decisions are timed
DECISION_MS, MOST_MB = 100.0, 64.0
WANTED_PERCENT = {"random": 99.5, "beginner": 94.0, "careful": 67.0, "plain-sampling": 48.0}  # the mean of 1,000 pairs

# The peak of a process of its own, once it has decided in games of all phases and sizes. From proc(5): getrusage's
# ru_maxrss outlives exec, so a child begins with the peak of whoever started it.
_MEMORY = """
import sys
from pathlib import Path
from benchmarks.bench_players import decision_times_ms
decision_times_ms("strong", int(sys.argv[1]))
print(next(line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:")))
"""


def decision_times_ms(name: str, pairs: int = PAIRS) -> list[float]:
    """Processor time of every decision but the last card's, in games against *careful*."""
    level, times = level_named(name), []

    def timed(view: View, seed: int, nodes: int) -> Play:
        begun = time.process_time()
        play = level(view, seed, nodes)
        if view.phase is not Phase.SHOWDOWN:
            times.append((time.process_time() - begun) * 1000)
        return play

    play_match(Seated(name, timed, level.nodes), seated("careful"), range(MEASURED_FROM, MEASURED_FROM + pairs))
    return times


def memory_mb(pairs: int = 2) -> float:
    done = subprocess.run([sys.executable, "-c", _MEMORY, str(pairs)], capture_output=True, text=True, check=True)
    return int(done.stdout) * 1024 / 1e6  # the kernel counts in KiB


def measures() -> list[Measure]:
    found = []
    for name in TABLE_LEVELS:
        times = decision_times_ms(name)
        found += [
            Measure("players", f"{name}, a decision, median", percentile(times, 50), "ms", REAL),
            Measure("players", f"{name}, a decision, p95", percentile(times, 95), "ms", REAL, DECISION_MS),
        ]
    found.append(Measure("players", "strong, memory of a process", memory_mb(), "MB", COUNTED, MOST_MB))
    for other, wanted in WANTED_PERCENT.items():
        *_, score = scores("strong", other, PAIRS, MEASURED_FROM)
        name = f"strong against {other}, {PAIRS} pairs ± {score.half_width:.0%}"
        found.append(Measure("players", name, score.mean * 100, "%", COUNTED, wanted, at_least=True))
    return found

"""Many games one after the other, on several cores: what came of them, and whether the program grew meanwhile."""

from __future__ import annotations

import functools
import gc
import hashlib
import logging
import multiprocessing
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.soak.evening import Outcome, play_game

LINE_EACH_S = 10
# What a process may grow by between a third of its games and the end: one object kept from each card laid would be
# fifty in a game.
MORE_OBJECTS_A_GAME, MORE_OBJECTS = 5, 200
FEWEST_TO_JUDGE = 6  # games

Say = Callable[[str], object]


@dataclass(frozen=True)
class Size:
    """How large this process is."""

    objects: int
    threads: int
    files: int

    @classmethod
    def now(cls) -> Size:
        """Without what lies in caches that are bounded (drawn texts, frames, lines): they are emptied."""
        for thing in gc.get_objects():
            if isinstance(thing, functools._lru_cache_wrapper) and thing.cache_parameters()["maxsize"] is not None:
                thing.cache_clear()
        gc.collect()
        return cls(len(gc.get_objects()), threading.active_count(), len(list(Path("/proc/self/fd").iterdir())))


@dataclass
class Summary:
    """All games together."""

    outcomes: list[Outcome] = field(default_factory=list)
    growth: list[str] = field(default_factory=list)  # what grew, in words

    @property
    def faults(self) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if outcome.fault]

    @property
    def counts(self) -> Counter[str]:
        return sum((outcome.counts for outcome in self.outcomes), Counter())

    @property
    def digest(self) -> str:
        """One for all games, whatever the order in which they were finished."""
        digests = sorted((outcome.seed, outcome.digest) for outcome in self.outcomes)
        return hashlib.sha256(repr(digests).encode()).hexdigest()[:16]


class Unseen:
    """Exceptions of threads, which nobody would see otherwise."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self._before = threading.excepthook

    def __enter__(self) -> Unseen:
        threading.excepthook = lambda args: self.told.append(f"in the thread {args.thread}: {args.exc_value!r}")
        return self

    def __exit__(self, *_: object) -> None:
        threading.excepthook = self._before


def play_all(seeds: list[int], real_pico: bool | None = None) -> Iterator[Outcome | str]:
    """Play these games in this process; after the last one, what grew, in words."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)  # the faults are made on purpose, and told in the summary
    try:
        yield from _play_all(seeds, real_pico)
    finally:
        logging.disable(before)


def _play_all(seeds: list[int], real_pico: bool | None) -> Iterator[Outcome | str]:
    early: Size | None = None
    for number, seed in enumerate(seeds, 1):
        with Unseen() as unseen:
            outcome = play_game(seed, real_pico)
        if unseen.told and not outcome.fault:
            outcome.fault = f"Broken: an exception {unseen.told}"
        yield outcome
        if early is None and number >= len(seeds) / 3:
            early, early_number = Size.now(), number
    if early is not None and len(seeds) >= FEWEST_TO_JUDGE:
        yield from grown(early, Size.now(), len(seeds) - early_number)


def grown(early: Size, late: Size, games: int) -> Iterator[str]:
    """What has grown more than it may in this many games, in words."""
    more = late.objects - early.objects
    if more > MORE_OBJECTS + MORE_OBJECTS_A_GAME * games:
        yield f"{more} more objects after {games} games ({early.objects} before)"
    if late.threads > early.threads:
        yield f"{late.threads - early.threads} more threads after {games} games: {threading.enumerate()}"
    if late.files > early.files:
        yield f"{late.files - early.files} more open files after {games} games"


def _share(share: list[int], results: multiprocessing.SimpleQueue[Outcome | str | None]) -> None:
    try:
        for result in play_all(share):
            results.put(result)
    finally:
        results.put(None)


def run(seeds: list[int], processes: int, say: Say) -> Summary:
    """Play the games of these seeds, each process its share. `say` gets a line now and then, and each failure."""
    context = multiprocessing.get_context("spawn")
    results = context.SimpleQueue()
    shares = [share for share in (seeds[first::processes] for first in range(processes)) if share]
    workers = [context.Process(target=_share, args=(share, results)) for share in shares]
    for worker in workers:
        worker.start()
    summary, begun_s, said_s, running = Summary(), time.monotonic(), 0.0, len(workers)
    while running:
        result = results.get()
        if result is None:
            running -= 1
            continue
        if isinstance(result, str):
            summary.growth.append(result)
            continue
        summary.outcomes.append(result)
        if result.fault:
            say(failure(result))
        if time.monotonic() - said_s >= LINE_EACH_S:
            said_s = time.monotonic()
            done = len(summary.outcomes)
            say(f"{done:>4} of {len(seeds)} games, {said_s - begun_s:.0f} s, {len(summary.faults)} failed")
    for worker in workers:
        worker.join()
        if worker.exitcode:
            summary.growth.append(f"a process ended with exit status {worker.exitcode}")
    return summary


def failure(outcome: Outcome) -> str:
    return (
        f"FAILED: the game of seed {outcome.seed} ({outcome.rules})\n{outcome.fault}\n"
        f"Again: make soak GAME={outcome.seed}"
    )


def told(summary: Summary) -> str:
    """The summary for people."""
    outcomes = summary.outcomes
    rows = [f"{name:<44}{count:>8}" for name, count in sorted(summary.counts.items())]
    modes = Counter(outcome.rules for outcome in outcomes)
    hours = sum(outcome.virtual_ms for outcome in outcomes) / 3_600_000
    rows += [
        "",
        f"{len(outcomes)} games ({', '.join(f'{count} {mode}' for mode, count in sorted(modes.items()))}), "
        f"{sum(outcome.events for outcome in outcomes)} events, "
        f"{sum(outcome.pages for outcome in outcomes)} pages shown, "
        f"{hours:.1f} hours of virtual time",
        f"with the real program of the strip: {sum(outcome.real_pico for outcome in outcomes)} games; "
        "the others kept what a strip would be sent",
        f"digest {summary.digest}",
        *(f"GREW: {line}" for line in summary.growth),
        f"{len(summary.faults)} failed" + "".join(f", seed {outcome.seed}" for outcome in summary.faults),
    ]
    return "\n".join(rows)


def cores() -> int:
    return len(os.sched_getaffinity(0))

"""How strong the players are: `python -m benchmarks.matches strong careful --pairs 1000 --seed 2000000`.

Plays pairs of games on mirrored deals (engine/players/match.py) with the default deck and board. Prints what the first
player has won so far after every hundred pairs, with its 95 % interval over pairs. Seeds below 2,000,000 were used to
tune the players, and are not used to measure them.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

from engine.players.levels import LEVELS, level_named
from engine.players.match import Score, Seated, play_match
from engine.rules import Rules

MEASURED_FROM = 2_000_000  # the first seed that nothing was tuned with
STEP = 100


def seated(name: str) -> Seated:
    """A level with the work that is its own. Raises UnknownLevel."""
    level = level_named(name)
    return Seated(name, level, level.nodes)


def scores(one: str, other: str, pairs: int, seed: int, step: int = STEP) -> Iterator[Score]:
    """The score so far, after every `step` pairs and at the end."""
    shares: tuple[float, ...] = ()
    for start in range(seed, seed + pairs, step):
        seeds = range(start, min(start + step, seed + pairs))
        shares += play_match(seated(one), seated(other), seeds, Rules()).pairs
        yield Score(shares)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.matches", description=__doc__)
    parser.add_argument("one", choices=tuple(LEVELS))
    parser.add_argument("other", choices=tuple(LEVELS))
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=MEASURED_FROM, help="of the first pair; each has the next one")
    asked = parser.parse_args()
    for score in scores(asked.one, asked.other, asked.pairs, asked.seed):
        print(f"{asked.one} against {asked.other}: {score}, {time.process_time():.0f} s", flush=True)


if __name__ == "__main__":
    main()

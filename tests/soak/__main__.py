"""`make soak`: hundreds of whole games, each by its own seed. `--game SEED` plays one of them alone, and tells it.

`--alone GAMES`: games of one person against the table, with a child's hands, whose power is cut in every line."""

from __future__ import annotations

import argparse
import sys

from tests.soak.alone import cut_everywhere
from tests.soak.run import Summary, cores, failure, play_all, run, told


def main(arguments: list[str] | None = None) -> int:
    """Returns the exit status: 0 if everything held in all games, else 1."""
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__)
    parser.add_argument("--games", type=int, default=200, help="how many games (default 200)")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first game; the next has the next number")
    parser.add_argument("--game", type=int, metavar="SEED", help="only the game of this seed")
    parser.add_argument("--alone", type=int, metavar="GAMES", help="games alone against the table, cut in every line")
    parser.add_argument("--processes", type=int, default=cores(), help="default: one for each core")
    options = parser.parse_args(arguments)
    if options.alone is not None:
        return cut_everywhere(range(options.seed, options.seed + options.alone), lambda line: print(line, flush=True))
    if options.game is not None:
        summary = Summary([outcome for outcome in play_all([options.game]) if not isinstance(outcome, str)])
        for outcome in summary.faults:
            print(failure(outcome))
    else:
        seeds = list(range(options.seed, options.seed + options.games))
        summary = run(seeds, options.processes, lambda line: print(line, flush=True))
    print(told(summary))
    return 1 if summary.faults or summary.growth else 0


if __name__ == "__main__":
    sys.exit(main())

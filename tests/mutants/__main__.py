"""Does any mutant of the product's code escape its tests?

    python -m tests.mutants [WHAT ...]     chosen.py: a fault (U3), or a list (usb.toml); nothing: all of them
    python -m tests.mutants --room ROOM    chance.py: random changes in a room of the house (engine, firmware/table)

Nothing is changed in the checkout: each worker has a copy of the tree. The exit status is 1 if a mutant has survived
or says nothing, 2 if there is nothing to judge by.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence

from tests.mutants import chance, chosen
from tests.mutants.copies import Fate, MutantError, files_of
from tests.support.ending import ended_by_signals
from tests.support.places import ROOT


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.mutants", description="Does any mutant escape its tests?")
    parser.add_argument("what", nargs="*", help="a fault (U3) or a list (usb.toml); nothing: all")
    parser.add_argument("--room", help="random mutants of this room instead, such as engine or firmware/table")
    parser.add_argument("--count", type=int, default=40, help="how many of them (default: 40)")
    parser.add_argument("--seed", type=int, default=1, help="which of them (default: 1)")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="how many at once")
    options = parser.parse_args(words)
    try:
        if options.room:
            return chance.run(ROOT, files_of(ROOT), options.room, options.count, options.seed, options.workers)
        return of_faults(options.what, options.workers)
    except MutantError as error:
        print(error, file=sys.stderr)
        return 2


def of_faults(what: Sequence[str], workers: int) -> int:
    """The chosen mutants. Raises MutantError."""
    started = time.monotonic()
    mutants = chosen.chosen(chosen.lists_of(ROOT), what)
    print(f"{len(mutants)} mutants; first their tests, as things are", flush=True)
    outcomes = chosen.judge_all(
        ROOT, files_of(ROOT), mutants, workers, lambda m, outcome: print(chosen.line(m, outcome), flush=True)
    )
    bad = [(m, o) for m, o in zip(mutants, outcomes, strict=True) if o.fate is not Fate.KILLED]
    faults = len({fault for mutant in mutants for fault in mutant.faults})
    counts = ", ".join(f"{sum(o.fate is fate for o in outcomes)} {fate.value.lower()}" for fate in Fate)
    print(f"\n{len(mutants)} mutants of {faults} faults in {time.monotonic() - started:.0f} s: {counts}")
    for mutant, outcome in bad:
        print(chosen.line(mutant, outcome))
    return 1 if bad else 0


if __name__ == "__main__":
    with ended_by_signals():
        sys.exit(main(sys.argv[1:]))

"""Every system call of the disk's path, in whole runs of the real program.

    python -m tests.faults [--short] [--stalls] [--calls NAMES] [--most N] [SCENARIO ...]

Each call of each scenario fails once with each errno that its manual page documents for a disk, or waits (`--stalls`).
`--short`: every call, with one errno each. Prints the number of runs; the exit status is 1 if anything did not hold.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.faults.evening import COMMANDS, EVENINGS
from tests.faults.inject import ERRNOS, Fault, Run, run_scenario, wrong


def faults_of(well: Run, short: bool, stalls: bool) -> Iterator[Fault]:
    """Every fault of a scenario, from the first call to the last."""
    for call, count in Counter(well.calls).items():
        for n in range(1, count + 1):
            if stalls:
                yield Fault(call, n, "")
            else:
                errnos = ERRNOS[call]
                yield from (Fault(call, n, errno) for errno in ([errnos[n % len(errnos)]] if short else errnos))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--stalls", action="store_true")
    parser.add_argument("--most", type=int, metavar="N", help="the first N faults of each scenario")
    parser.add_argument("--calls", metavar="NAMES", help="those system calls only, as in fsync,rename")
    parser.add_argument("scenarios", nargs="*", default=[*EVENINGS, *COMMANDS], metavar="SCENARIO")
    options = parser.parse_args()
    if shutil.which("strace") is None:
        print("strace is missing: sudo apt install strace", file=sys.stderr)
        return 2
    runs = failed = 0
    with tempfile.TemporaryDirectory(prefix="diskfaults-") as made:
        folder = Path(made).resolve() / "run"
        for scenario in options.scenarios:
            well = run_scenario(folder, scenario, None)
            findings = wrong(folder, scenario, well, well)
            faults = [
                fault
                for fault in faults_of(well, options.short, options.stalls)
                if options.calls is None or fault.call in options.calls.split(",")
            ]
            runs, failed = runs + 1, failed + bool(findings)
            told(scenario, "without a fault", findings)
            for fault in faults[: options.most]:
                done = run_scenario(folder, scenario, fault)
                findings = wrong(folder, scenario, done, well)
                runs, failed = runs + 1, failed + bool(findings)
                told(scenario, str(fault), findings)
            print(f"{scenario}: {len(faults[: options.most])} faults", flush=True)
    print(f"{runs} runs, {failed} of them not as they should be")
    return 1 if failed else 0


def told(scenario: str, fault: str, findings: list[str]) -> None:
    for finding in findings:
        print(f"FAILED: {scenario}, {fault}: {finding}", flush=True)


if __name__ == "__main__":
    sys.exit(main())

"""Every system call of the disk's path, in whole runs of the real program.

    python -m tests.faults [--short] [--stalls] [--calls NAMES] [--most N] [--jobs N] [SCENARIO ...]

Each call of each scenario fails once with each errno that its manual page documents for a disk, or waits (`--stalls`).
`--short`: every call, with one errno each. `--jobs`: so many runs side by side; the usual number is that of the
processors, and for stalls, which mostly wait, four times as many. Prints the number of runs; the exit status is 1 if
anything did not hold.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.faults.evening import COMMANDS, EVENINGS
from tests.faults.inject import ERRNOS, Fault, Run, end_with_parent, run_scenario, wrong
from tests.faults.temporary import temporary_folder


@dataclass(frozen=True, slots=True)
class Trial:
    """One scenario with one fault, in a folder below `made`; `well` is the same without a fault."""

    made: Path
    scenario: str
    fault: Fault
    well: Run

    def findings(self) -> list[str]:
        folder = self.made / f"run-{os.getpid()}"
        done = run_scenario(folder, self.scenario, self.fault)
        return wrong(folder, self.scenario, done, self.well, stalled=not self.fault.errno)


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
    parser.add_argument("--jobs", type=int, metavar="N", help="so many runs side by side")
    parser.add_argument("scenarios", nargs="*", default=[*EVENINGS, *COMMANDS], metavar="SCENARIO")
    options = parser.parse_args()
    if shutil.which("strace") is None:
        print("strace is missing: sudo apt install strace", file=sys.stderr)
        return 2
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    jobs = options.jobs or (os.cpu_count() or 1) * (4 if options.stalls else 1)
    with temporary_folder("diskfaults-") as made:
        trials, failed = _trials(made, options)
        runs = len(options.scenarios) + len(trials)
        forked = multiprocessing.get_context("fork")  # all modules are loaded
        with forked.Pool(jobs, _begin_job) as pool:
            for trial, findings in pool.imap_unordered(_run, trials):
                failed += bool(findings)
                told(trial.scenario, str(trial.fault), findings)
    for scenario, count in Counter(trial.scenario for trial in trials).items():
        print(f"{scenario}: {count} faults")
    print(f"{runs} runs, {failed} of them not as they should be")
    return 1 if failed else 0


def _trials(made: Path, options: argparse.Namespace) -> tuple[list[Trial], int]:
    """What is to be tried, and how many scenarios do not even hold without a fault."""
    trials, failed = [], 0
    for scenario in options.scenarios:
        folder = made / "well"
        well = run_scenario(folder, scenario, None)
        findings = wrong(folder, scenario, well, well)
        failed += bool(findings)
        told(scenario, "without a fault", findings)
        faults = [
            fault
            for fault in faults_of(well, options.short, options.stalls)
            if options.calls is None or fault.call in options.calls.split(",")
        ]
        trials += [Trial(made, scenario, fault, well) for fault in faults[: options.most]]
    return trials, failed


def _begin_job() -> None:
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    end_with_parent()


def _run(trial: Trial) -> tuple[Trial, list[str]]:
    return trial, trial.findings()


def told(scenario: str, fault: str, findings: list[str]) -> None:
    for finding in findings:
        print(f"FAILED: {scenario}, {fault}: {finding}", flush=True)


if __name__ == "__main__":
    sys.exit(main())

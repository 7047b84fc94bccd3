"""Measure and print one table: `python -m benchmarks [SUBJECT ...]`; a table of all goes to docs/benchmarks.md too."""

from __future__ import annotations

import datetime
import importlib
import os
import pkgutil
import platform
import sys
from pathlib import Path

import benchmarks
from benchmarks import notes
from benchmarks.measures import Measure, report

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"


def subjects() -> list[str]:
    """The subjects that can be measured, in order of their names."""
    names = (module.name for module in pkgutil.iter_modules(benchmarks.__path__))
    return sorted(name.removeprefix("bench_") for name in names if name.startswith("bench_"))


def measure(chosen: list[str]) -> list[Measure]:
    """The measures of these subjects, one after the other, so that none disturbs another."""
    measures: list[Measure] = []
    for name in chosen:
        print(f"measuring: {name}", file=sys.stderr, flush=True)
        measures += importlib.import_module(f"benchmarks.bench_{name}").measures()
    return measures


def machine() -> str:
    """What this was measured on, and when."""
    cpu = _value("/proc/cpuinfo", "model name") or platform.machine()
    system = _value("/etc/os-release", "PRETTY_NAME") or platform.system()
    python = f"Python {platform.python_version()}"
    return f"{cpu}, {os.cpu_count()} cores; {system}, {python}; {datetime.date.today().isoformat()}"  # noqa: DTZ011 - where one is


def _value(path: str, key: str) -> str:
    """What stands behind a key, in a file of lines such as `key : value` or `key="value"`; empty if nothing does."""
    try:
        lines = Path(path).read_text().splitlines()
    except OSError:
        return ""
    return next((line[len(key) :].strip('\t :="') for line in lines if line.startswith(key)), "")


def main(chosen: list[str]) -> int:
    """Returns the exit status: 0, 2 for a subject that is not known."""
    known = subjects()
    unknown = [name for name in chosen if name not in known]
    if unknown:
        print(f"nothing to measure under {', '.join(unknown)}; there is: {', '.join(known)}", file=sys.stderr)
        return 2
    measures = measure(chosen or known)
    text = report(measures)
    print(f"{machine()}\n\n{text}")
    if not chosen:
        DOCUMENT.write_text(notes.document(machine(), text))
        print(f"\nwritten to {DOCUMENT.relative_to(Path.cwd())}" if DOCUMENT.is_relative_to(Path.cwd()) else "")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

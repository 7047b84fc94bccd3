"""Tests that can fail: one-line slips in the product's code, each of which must make the tests of its fault fail.

    python -m tests.mutants [WHAT ...]     WHAT: a fault (U3), or a list (usb.toml); nothing: all of them

The slips are kept in tests/mutants/*.toml, one table `[[mutant]]` each: `fault` (the numbers of the faults that it
brings back, a colon, what the slip is), `file`, `old` (occurs exactly once there), `new`, and `tests` (as pytest takes
them). Nothing is changed in the checkout: each worker has a copy of the tree, and its tests import from that copy.
First all named tests have to pass as things are. Then each mutant is

    killed    a named test that ran has failed, or its tests did not end in time
    survived  all named tests have passed: they are too weak
    broken    it says nothing: `old` is not there exactly once, or no test could run

The exit status is 1 if any has survived or is broken, 2 if there is nothing to judge by.
"""

from __future__ import annotations

import argparse
import ast
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path

from tests.support.places import ROOT

PACKAGES = ("engine", "hardware", "firmware")  # must come from the copy, wherever they are installed
FAULT = re.compile(r"[RUSHF][1-9]\d?")
LIMIT_S, LIMIT_TIMES = 60, 5  # a mutant's tests may take so much, and so many times what they take as things are


class MutantError(Exception):
    """A list of mutants, or one of them, that cannot be used; the message says which, and why."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One slip: `faults` are the numbers that it brings back, `slip` says what it is."""

    faults: tuple[str, ...]
    slip: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    def apply(self, text: str) -> str:
        """The file's text with the slip in it. Raises MutantError."""
        found = text.count(self.old)
        if found != 1:
            raise MutantError(f"`old` occurs {found} times in {self.file}, expected once: {self.old!r}")
        return text.replace(self.old, self.new)


class Fate(Enum):
    KILLED = "killed"
    SURVIVED = "SURVIVED"
    BROKEN = "BROKEN"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of some tests. `detail`: the test that failed, or why none could run."""

    fate: Fate
    detail: str = ""
    took_s: float = 0


def load(path: Path) -> tuple[Mutant, ...]:
    """The mutants of one list. Raises MutantError for one that lacks something, with its place."""
    found = []
    for number, entry in enumerate(tomllib.loads(path.read_text(encoding="utf-8"))["mutant"], 1):
        where = f"{path.name}, mutant {number}"
        if set(entry) != {"fault", "file", "old", "new", "tests"}:
            raise MutantError(f"{where}: it has {', '.join(entry)}; expected are fault, file, old, new, tests")
        numbers, _, slip = entry["fault"].partition(": ")
        faults = tuple(numbers.split(", "))
        if not slip or not all(FAULT.fullmatch(fault) for fault in faults):
            raise MutantError(f"{where}: fault is {entry['fault']!r}; expected is such as 'R6, R7: what the slip is'")
        if not entry["tests"] or entry["old"] == entry["new"]:
            raise MutantError(f"{where} ({slip}): it names no test, or changes nothing")
        found.append(Mutant(faults, slip, entry["file"], entry["old"], entry["new"], tuple(entry["tests"])))
    return tuple(found)


@cache
def _functions_of(path: Path) -> frozenset[str] | None:
    """The functions of a file of tests; None if there is no such file."""
    if not path.is_file():
        return None
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def missing_tests(root: Path, tests: Iterable[str]) -> list[str]:
    """Those of `tests` (FILE, or FILE::FUNCTION, a parameter in brackets behind it) that do not exist."""
    missing = []
    for test in tests:
        file, _, function = test.partition("::")
        found = _functions_of(root / file)
        if found is None or (function and function.partition("[")[0] not in found):
            missing.append(test)
    return missing


# ---- a copy of the tree, and pytest in it --------------------------------------------------


def files_of(root: Path) -> list[str]:
    """The files of a checkout as it stands: those that git knows, and new ones that it does not ignore."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")
    return [name for name in names if name and (root / name).is_file()]


class Copy:
    """A copy of the tree in `folder`, for one mutant at a time."""

    def __init__(self, root: Path, files: Iterable[str], folder: Path) -> None:
        self._folder, self.tree, self._runs = folder, folder / "tree", 0
        for name in files:
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, self.tree / name)
        # No bytecode: it would be taken for that of another mutant of the same size and second.
        self._environ = dict(os.environ, PYTHONPATH=str(self.tree), PYTHONDONTWRITEBYTECODE="1")
        self._check_imports()

    def _check_imports(self) -> None:
        for package in PACKAGES:
            if (self.tree / package).is_dir():
                done = subprocess.run(
                    [sys.executable, "-c", f"import {package}; print({package}.__path__[0])"],
                    cwd=self._folder,
                    env=self._environ,
                    capture_output=True,
                    text=True,
                    check=True,
                )
                if Path(done.stdout.strip()) != self.tree / package:
                    raise MutantError(f"{package} is imported from {done.stdout.strip()}, not from {self.tree}")

    def judge(self, mutant: Mutant, limit_s: float) -> Outcome:
        """Put the slip in, run its tests, take it out again."""
        path = self.tree / mutant.file
        try:
            whole = path.read_text(encoding="utf-8")
            slipped = mutant.apply(whole)
        except (OSError, MutantError) as error:
            return Outcome(Fate.BROKEN, str(error))
        missing = missing_tests(self.tree, mutant.tests)
        if missing:
            return Outcome(Fate.BROKEN, f"no such test: {', '.join(missing)}")
        path.write_text(slipped, encoding="utf-8")
        try:
            return self.run(mutant.tests, limit_s)
        finally:
            path.write_text(whole, encoding="utf-8")

    def run(self, tests: Sequence[str], limit_s: float) -> Outcome:
        """Run these tests up to the first that fails."""
        self._runs += 1
        scratch = self._folder / f"run-{self._runs}"
        scratch.mkdir()
        report, output = scratch / "report.xml", scratch / "output"
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-x",
            "-q",
            "-p",
            "no:cacheprovider",
            f"--basetemp={scratch / 'tmp'}",
            f"--junitxml={report}",
            *tests,
        ]
        started = time.monotonic()
        with (
            output.open("wb") as sink,
            subprocess.Popen(
                command,
                cwd=self.tree,
                env=self._environ,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=sink,
                start_new_session=True,
            ) as process,
        ):
            try:
                process.wait(limit_s)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return Outcome(Fate.KILLED, f"hangs: not over in {limit_s:.3g} s", limit_s)
        took_s = time.monotonic() - started
        said = output.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        try:
            cases = list(ElementTree.parse(report).getroot().iter("testcase"))
        except (OSError, ElementTree.ParseError):
            cases = []
        fate, detail = _fate(process.returncode, cases, said[-1] if said else "")
        shutil.rmtree(scratch, ignore_errors=True)
        return Outcome(fate, detail, took_s)


def _fate(status: int, cases: Sequence[ElementTree.Element], last_line: str) -> tuple[Fate, str]:
    """What pytest's exit status and report mean. An error in a fixture or at an import is no test that ran."""
    failed = [case.get("name", "") for case in cases if case.find("failure") is not None]
    passed = [case for case in cases if len(case) == 0 or case.find("system-out") is not None]
    if status == 1 and failed:
        return Fate.KILLED, failed[0]
    if status == 0 and passed:
        return Fate.SURVIVED, ""
    return Fate.BROKEN, f"no test ran to its end (pytest's status {status}): {last_line}"


# ---- all of them ---------------------------------------------------------------------------


Told = Callable[[Mutant, Outcome], None]


def judge_all(
    root: Path, files: Sequence[str], mutants: Sequence[Mutant], workers: int, told: Told = lambda mutant, outcome: None
) -> list[Outcome]:
    """What becomes of each mutant of the tree `root`, in their order; `told` of each as soon as it is known.

    Raises MutantError if the tests do not pass as things are.
    """
    with tempfile.TemporaryDirectory(prefix="mutants-") as scratch:
        free: queue.SimpleQueue[Copy] = queue.SimpleQueue()
        for number in range(workers):
            free.put(Copy(root, files, Path(scratch).resolve() / str(number)))

        def with_copy(work: Callable[[Copy], Outcome]) -> Outcome:
            copy = free.get()
            try:
                return work(copy)
            finally:
                free.put(copy)

        def judge(mutant: Mutant) -> Outcome:
            limit_s = LIMIT_S + LIMIT_TIMES * sum(usual_s.get(test, 0) for test in mutant.tests)
            outcome = with_copy(lambda copy: copy.judge(mutant, limit_s))
            told(mutant, outcome)
            return outcome

        with ThreadPoolExecutor(workers) as pool:
            tests = sorted({test for mutant in mutants for test in mutant.tests})
            sound = [test for test in tests if not missing_tests(root, [test])]
            as_it_is = pool.map(lambda test: with_copy(lambda copy: copy.run([test], 600)), sound)
            usual = dict(zip(sound, as_it_is, strict=True))
            faults = [f"{test}: {o.detail}" for test, o in usual.items() if o.fate is not Fate.SURVIVED]
            if faults:
                raise MutantError("these tests do not pass as things are:\n  " + "\n  ".join(faults))
            usual_s = {test: outcome.took_s for test, outcome in usual.items()}
            return list(pool.map(judge, mutants))


def chosen(lists: Sequence[Path], words: Sequence[str]) -> list[Mutant]:
    """The mutants that the words of the command line name; all without a word. Raises MutantError."""
    by_list = {path.name: load(path) for path in lists}
    if not words:
        return [mutant for mutants in by_list.values() for mutant in mutants]
    found: list[Mutant] = []
    for word in words:
        named = by_list.get(Path(word).name) or [m for ms in by_list.values() for m in ms if word.upper() in m.faults]
        if not named:
            raise MutantError(f"{word}: no mutant of that fault, nor a list; there are {', '.join(by_list)}")
        found += [mutant for mutant in named if mutant not in found]
    return found


def line(mutant: Mutant, outcome: Outcome) -> str:
    """One row of the table."""
    faults = ", ".join(mutant.faults)
    row = f"{faults:<8} {outcome.fate.value:<8} {outcome.took_s:5.1f} s  {mutant.slip} ({mutant.file})"
    return row + (f"\n{'':27}{outcome.detail}" if outcome.detail else "")


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.mutants", description="Does any one-line slip escape its tests?")
    parser.add_argument("what", nargs="*", help="a fault (U3) or a list (usb.toml); nothing: all")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="how many at once")
    options = parser.parse_args(words)
    started = time.monotonic()
    try:
        mutants = chosen(sorted((ROOT / "tests" / "mutants").glob("*.toml")), options.what)
        print(f"{len(mutants)} mutants; first their tests, as things are", flush=True)
        outcomes = judge_all(
            ROOT, files_of(ROOT), mutants, options.workers, lambda m, outcome: print(line(m, outcome), flush=True)
        )
    except MutantError as error:
        print(error, file=sys.stderr)
        return 2
    bad = [(m, o) for m, o in zip(mutants, outcomes, strict=True) if o.fate is not Fate.KILLED]
    faults = len({fault for mutant in mutants for fault in mutant.faults})
    counts = ", ".join(f"{sum(o.fate is fate for o in outcomes)} {fate.value.lower()}" for fate in Fate)
    print(f"\n{len(mutants)} mutants of {faults} faults in {time.monotonic() - started:.0f} s: {counts}")
    for mutant, outcome in bad:
        print(line(mutant, outcome))
    return 1 if bad else 0

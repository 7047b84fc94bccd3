"""Chosen mutants: what brings a known fault back, each of which the tests of its fault must find.

They are kept in tests/mutants/*.toml, one table `[[mutant]]` each: `fault` (the numbers of the faults that it brings
back, a colon, what is wrong then), `file`, `old` (occurs exactly once there), `new`, and `tests` (as pytest takes
them). First all named tests have to pass as things are. Then each mutant is

    killed    a named test that ran has failed, or its tests did not end in time
    survived  all named tests have passed: they are too weak
    broken    it says nothing: `old` is not there exactly once, or no test could run
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.mutants.copies import Copies, Copy, Fate, MutantError, Outcome, Run

EQUAL = "equal.toml"  # another kind of list: see chance.py
FAULT = re.compile(r"[RUSHFPTBC][1-9]\d?")
LIMIT_S, LIMIT_TIMES = 60, 5  # a mutant's tests may take this long, or this many times what they take without it


@dataclass(frozen=True, slots=True)
class Mutant:
    """One mutant: `faults` are the numbers that it brings back, `wrong` says what is wrong then."""

    faults: tuple[str, ...]
    wrong: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    def apply(self, text: str) -> str:
        """The file's text with the mutant in it. Raises MutantError."""
        found = text.count(self.old)
        if found != 1:
            raise MutantError(f"`old` occurs {found} times in {self.file}, expected once: {self.old!r}")
        return text.replace(self.old, self.new)


def load(path: Path) -> tuple[Mutant, ...]:
    """The mutants of one list. Raises MutantError for one that lacks something, with its place."""
    found = []
    for number, entry in enumerate(tomllib.loads(path.read_text(encoding="utf-8"))["mutant"], 1):
        where = f"{path.name}, mutant {number}"
        if set(entry) != {"fault", "file", "old", "new", "tests"}:
            raise MutantError(f"{where}: it has {', '.join(entry)}; expected are fault, file, old, new, tests")
        numbers, _, wrong = entry["fault"].partition(": ")
        faults = tuple(numbers.split(", "))
        if not wrong or not all(FAULT.fullmatch(fault) for fault in faults):
            raise MutantError(f"{where}: fault is {entry['fault']!r}; expected is such as 'R6, R7: what is wrong then'")
        if not entry["tests"] or entry["old"] == entry["new"]:
            raise MutantError(f"{where} ({wrong}): it names no test, or changes nothing")
        found.append(Mutant(faults, wrong, entry["file"], entry["old"], entry["new"], tuple(entry["tests"])))
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


# ---- one of them ---------------------------------------------------------------------------


def judge(copy: Copy, mutant: Mutant, limit_s: float) -> Outcome:
    """Put the mutant in, run its tests, take it out again."""
    try:
        changed = mutant.apply((copy.tree / mutant.file).read_text(encoding="utf-8"))
    except (OSError, MutantError) as error:
        return Outcome(Fate.BROKEN, str(error))
    missing = missing_tests(copy.tree, mutant.tests)
    if missing:
        return Outcome(Fate.BROKEN, f"no such test: {', '.join(missing)}")
    with copy.changed(mutant.file, changed):
        return outcome_of(copy.pytest(mutant.tests, limit_s))


def outcome_of(run: Run) -> Outcome:
    """What a run means for a chosen mutant. An error in a fixture or at an import is no test that ran."""
    if run.status is None:
        return Outcome(Fate.KILLED, f"hangs: not over in {run.took_s:.3g} s", run.took_s)
    if run.status == 1 and run.failed:
        return Outcome(Fate.KILLED, run.failed[0], run.took_s)
    if run.status == 0 and run.passed:
        return Outcome(Fate.SURVIVED, "", run.took_s)
    said = f"no test ran to its end (pytest's status {run.status}): {run.last_line}"
    return Outcome(Fate.BROKEN, said, run.took_s)


# ---- all of them ---------------------------------------------------------------------------


Told = Callable[[Mutant, Outcome], None]


def judge_all(
    root: Path, files: Sequence[str], mutants: Sequence[Mutant], workers: int, told: Told = lambda mutant, outcome: None
) -> list[Outcome]:
    """What becomes of each mutant of the tree `root`, in their order; `told` of each as soon as it is known.

    Raises MutantError if the tests do not pass as things are.
    """
    tests = sorted({test for mutant in mutants for test in mutant.tests})
    sound = [test for test in tests if not missing_tests(root, [test])]
    with Copies(root, files, workers) as copies:
        as_it_is = copies.map(lambda copy, test: outcome_of(copy.pytest([test], 600)), sound)
        usual = dict(zip(sound, as_it_is, strict=True))
        faults = [f"{test}: {o.detail}" for test, o in usual.items() if o.fate is not Fate.SURVIVED]
        if faults:
            raise MutantError("these tests do not pass as things are:\n  " + "\n  ".join(faults))

        def judged(copy: Copy, mutant: Mutant) -> Outcome:
            limit_s = LIMIT_S + LIMIT_TIMES * sum(usual[test].took_s for test in mutant.tests if test in usual)
            outcome = judge(copy, mutant, limit_s)
            told(mutant, outcome)
            return outcome

        return list(copies.map(judged, mutants))


def lists_of(root: Path) -> list[Path]:
    return sorted(path for path in (root / "tests" / "mutants").glob("*.toml") if path.name != EQUAL)


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
    row = f"{faults:<8} {outcome.fate.value:<8} {outcome.took_s:5.1f} s  {mutant.wrong} ({mutant.file})"
    return row + (f"\n{'':27}{outcome.detail}" if outcome.detail else "")

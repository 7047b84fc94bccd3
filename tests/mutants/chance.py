"""Mutants by chance: random small changes in a room of the house (changes.py), each of which its tests must find.

First all tests of the room have to pass as things are; on the way the lines that each of them runs are noted
(touched.py). Then each mutant meets the tests that run its line, shortest first, and if it outlives those all others
of the room. A mutant is

    killed    a test has failed, or they did not end in time
    survived  all have passed: an assertion is missing, or the change changes nothing
    equal     it is on the list of those that change nothing, or nothing that anybody could meet: equal.toml

equal.toml has one table `[[equal]]` each: `file`, `before` and `after` (the changed line as this module shows it), and
`why` nothing can tell them apart.
"""

from __future__ import annotations

import json
import random
import time
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.mutants.changes import Change, changes
from tests.mutants.copies import Copies, Copy, MutantError, Run
from tests.mutants.touched import IMPORTED

PLUGIN = ("-p", "tests.mutants.touched")
LIMIT_S, LIMIT_TIMES = 20, 5  # a mutant's tests may take this long, or this many times what they take without it
LONGEST_S = 3600  # for the tests of a room, their lines being noted
# The tests of a room lie in tests/<its name>; those of some rooms elsewhere.
TESTS_ELSEWHERE = {
    "engine/players": ("tests/engine",),
    "firmware": ("tests/commands", "tests/check/test_check_command.py"),  # cli.py
    "hardware/twins": ("tests/hardware",),
    "firmware/commands": ("tests/commands", "tests/check/test_check_command.py", "tests/bots/test_match.py"),
    "firmware/errors.py": ("tests/errors",),
    "firmware/pico": ("tests/hardware", "tests/house/test_soak.py"),
    "firmware/wiring": ("tests/wiring", "tests/run", "tests/check", "tests/hardware/test_contract.py"),
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change in one file of the tree. `before` and `after` are the line that it changes."""

    file: str
    line: int
    before: str
    after: str
    change: Change

    def __str__(self) -> str:
        return f"{self.file}:{self.line}\n    - {self.before}\n    + {self.after}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a mutant. `word`: killed, SURVIVED, equal; `detail`: the test that failed, or why it is equal."""

    word: str
    detail: str = ""
    took_s: float = 0


# ---- which mutants -------------------------------------------------------------------------


def sources_of(root: Path, room: str) -> list[str]:
    """The sources of a room (a folder, without those in it) or a single one. Raises MutantError if there are none."""
    path = root / room
    found = [path] if path.suffix == ".py" and path.is_file() else sorted(path.glob("*.py"))
    if not found:
        raise MutantError(f"{room}: no room with sources; expected is such as engine, hardware/twins, firmware/table")
    return [str(file.relative_to(root)) for file in found]


def tests_of(root: Path, room: str) -> tuple[str, ...]:
    """Where the tests of a room lie. Raises MutantError if there are none."""
    path = Path(room)
    home = path.parent if path.suffix else path
    tests = TESTS_ELSEWHERE.get(room) or TESTS_ELSEWHERE.get(str(home), (f"tests/{home.name}",))
    missing = [name for name in tests if not (root / name).exists()]
    if missing:
        raise MutantError(f"{room}: its tests are expected in {', '.join(missing)}; see TESTS_ELSEWHERE in chance.py")
    return tests


def all_mutants(root: Path, file: str) -> list[Mutant]:
    """Every mutant that a file can become."""
    source = (root / file).read_text(encoding="utf-8")
    return [Mutant(file, change.line(source), *change.shown(source), change) for change in changes(source)]


def drawn(mutants: Sequence[Mutant], count: int, seed: int) -> list[Mutant]:
    """This many of these mutants, no two at one place; all of them if there are fewer places."""
    places: dict[tuple[str, int, int], list[Mutant]] = {}
    for mutant in mutants:
        places.setdefault((mutant.file, mutant.change.start, mutant.change.end), []).append(mutant)
    if count >= len(places):
        return list(mutants)
    chance = random.Random(seed)
    chosen = chance.sample(sorted(places), count)
    return [chance.choice(places[place]) for place in sorted(chosen)]


@dataclass(frozen=True, slots=True)
class Equal:
    """Mutants that no test can tell from the source: those of this file with this line before and after."""

    file: str
    before: str
    after: str
    why: str

    def names(self, mutant: Mutant) -> bool:
        return (self.file, self.before, self.after) == (mutant.file, mutant.before, mutant.after)


def load_equal(path: Path) -> tuple[Equal, ...]:
    """The list of equal mutants. Raises MutantError for an entry that lacks something, with its place."""
    found = []
    for number, entry in enumerate(tomllib.loads(path.read_text(encoding="utf-8"))["equal"], 1):
        if set(entry) != {"file", "before", "after", "why"} or not all(entry.values()):
            raise MutantError(f"{path.name}, entry {number}: expected are file, before, after and why, none empty")
        found.append(Equal(**entry))
    return tuple(found)


# ---- what the tests run --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Touched:
    """How long each test of a room takes, in the order of pytest, and which tests run a line of a source."""

    took_s: dict[str, float]
    by_line: dict[tuple[str, int], set[str]]
    by_file: dict[str, set[str]] = field(default_factory=dict)

    def tests_for(self, mutant: Mutant) -> list[str]:
        """The tests that can find this mutant, the shortest first; those of one file together."""
        first, last = mutant.change.lines
        found: set[str] = set()
        for line in range(first, last + 1):
            found |= self.by_line.get((mutant.file, line), set())
        if IMPORTED in found or mutant.change.at_import:
            found |= self.by_file.get(mutant.file, set())
        return self._shortest_first(found - {IMPORTED})

    def others(self, tests: Iterable[str]) -> list[str]:
        return self._shortest_first(set(self.took_s) - set(tests))

    def total_s(self, tests: Iterable[str]) -> float:
        return sum(self.took_s[test] for test in tests)

    def _shortest_first(self, tests: Iterable[str]) -> list[str]:
        files: dict[str, list[str]] = {}
        for test in sorted(tests, key=lambda test: (self.took_s[test], test)):
            files.setdefault(test.partition("::")[0], []).append(test)
        by_time = sorted(files.values(), key=lambda of_file: self.total_s(of_file) / len(of_file))
        return [test for of_file in by_time for test in of_file]


def measure(copy: Copy, files: Sequence[str], tests: Sequence[str]) -> Touched:
    """Run the tests of a room as things are. Raises MutantError if one fails."""
    report, sources = copy.tree.parent / "touched.json", copy.tree.parent / "sources"
    sources.write_text("".join(f"{copy.tree / file}\n" for file in files), encoding="utf-8")
    options = (*PLUGIN, f"--touched-in={sources}", f"--touched-to={report}")
    run = copy.pytest([*options, *tests], LONGEST_S)
    if run.status != 0:
        raise MutantError(f"the tests do not pass as things are: {', '.join(run.failed) or run.last_line}")
    found = json.loads(report.read_text(encoding="utf-8"))
    touched = Touched(found["took_s"], {})
    for test, by_file in found["lines"].items():
        for path, lines in by_file.items():
            file = str(Path(path).relative_to(copy.tree))
            for line in lines:
                touched.by_line.setdefault((file, line), set()).add(test)
            if test != IMPORTED:
                touched.by_file.setdefault(file, set()).add(test)
    return touched


# ---- one of them, all of them --------------------------------------------------------------


def judge(copy: Copy, mutant: Mutant, touched: Touched, tests: Sequence[str]) -> Outcome:
    """Put the mutant in, run the tests that run its line, then all others, and take it out again."""
    source = (copy.tree / mutant.file).read_text(encoding="utf-8")
    likely = touched.tests_for(mutant)
    took_s = 0.0
    with copy.changed(mutant.file, mutant.change.apply(source)):
        for some in filter(None, (likely, touched.others(likely))):
            run = _run(copy, some, tests, LIMIT_S + LIMIT_TIMES * touched.total_s(some))
            took_s += run.took_s
            if run.status is None:
                return Outcome("killed", f"hangs: not over in {run.took_s:.3g} s", took_s)
            if run.status not in (0, 5):  # 5: no test is there any more
                return Outcome("killed", ", ".join(run.failed) or run.last_line, took_s)
    return Outcome("SURVIVED", f"{len(likely)} tests run this line" if likely else "no test runs this line", took_s)


def _run(copy: Copy, some: Sequence[str], tests: Sequence[str], limit_s: float) -> Run:
    only = copy.tree.parent / "only"
    only.write_text("".join(f"{test}\n" for test in some), encoding="utf-8")
    files = list(dict.fromkeys(test.partition("::")[0] for test in some))
    return copy.pytest([*PLUGIN, f"--only={only}", *(files or tests)], limit_s)


Told = Callable[[Mutant, Outcome], None]


def judge_room(
    root: Path,
    files: Sequence[str],
    mutants: Sequence[Mutant],
    tests: Sequence[str],
    equal: Sequence[Equal] = (),
    workers: int = 1,
    told: Told = lambda mutant, outcome: None,
) -> list[Outcome]:
    """What becomes of each of these mutants, in their order; `told` of each as soon as it is known.

    `files` are those of the whole tree `root`. Raises MutantError if the tests do not pass as things are.
    """
    with Copies(root, files, workers) as copies:
        sources = sorted({mutant.file for mutant in mutants})
        (touched,) = copies.map(lambda copy, _: measure(copy, sources, tests), [None])

        def judged(copy: Copy, mutant: Mutant) -> Outcome:
            why = next((entry.why for entry in equal if entry.names(mutant)), None)
            outcome = Outcome("equal", why) if why else judge(copy, mutant, touched, tests)
            told(mutant, outcome)
            return outcome

        return list(copies.map(judged, mutants))


def run(root: Path, files: Sequence[str], room: str, count: int, seed: int, workers: int) -> int:
    """`python -m tests.mutants --room ROOM`: the exit status is 1 if any has survived. Raises MutantError."""
    started = time.monotonic()
    tests = tests_of(root, room)
    possible = [mutant for file in sources_of(root, room) for mutant in all_mutants(root, file)]
    mutants = drawn(possible, count, seed)
    equal = load_equal(root / "tests" / "mutants" / "equal.toml")
    first = f"first {' '.join(tests)}, as things are"
    print(f"{len(mutants)} of {len(possible)} mutants of {room}, seed {seed}; {first}", flush=True)

    def told(mutant: Mutant, outcome: Outcome) -> None:
        print(f"{outcome.word} {outcome.took_s:.1f} s {mutant}\n    {outcome.detail}", flush=True)

    outcomes = judge_room(root, files, mutants, tests, equal, workers, told)
    words = [outcome.word for outcome in outcomes]
    counts = ", ".join(f"{words.count(word)} {word.lower()}" for word in ("killed", "SURVIVED", "equal"))
    print(f"\n{len(mutants)} mutants of {room}, seed {seed}, in {time.monotonic() - started:.0f} s: {counts}")
    for mutant, outcome in zip(mutants, outcomes, strict=True):
        if outcome.word == "SURVIVED":
            print(f"{mutant}\n    {outcome.detail}")
    return 1 if "SURVIVED" in words else 0

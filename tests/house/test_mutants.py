"""The mutants beside the tests are in order, and a test that can fail is told from one that cannot.

`make mutants` applies all of them; that takes minutes.
"""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutants import __main__ as mutants
from tests.mutants.chosen import Mutant, chosen, judge, judge_all, lists_of, load, missing_tests
from tests.mutants.copies import Copy, Fate, MutantError, Outcome
from tests.support.fault_numbers import LATER, WITH_A_MUTANT, numbers
from tests.support.places import ROOT

LISTS = lists_of(ROOT)
MUTANTS = [mutant for path in LISTS for mutant in load(path)]
PRODUCT = ("engine/", "hardware/", "firmware/", "systemd/")


def test_every_fault_has_a_mutant_that_brings_it_back():
    found = {fault for mutant in MUTANTS for fault in mutant.faults}
    assert sorted(found - set(numbers(LATER))) == sorted(numbers(WITH_A_MUTANT))


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{','.join(mutant.faults)}: {mutant.wrong}")
def test_a_mutant_fits_the_product_as_it_is_and_its_tests_are_there(mutant):
    text = (ROOT / mutant.file).read_text(encoding="utf-8")
    assert mutant.file.startswith(PRODUCT)
    assert mutant.apply(text) != text
    assert missing_tests(ROOT, mutant.tests) == []


def test_no_mutant_is_kept_twice():
    assert len({(mutant.file, mutant.old, mutant.new, mutant.tests) for mutant in MUTANTS}) == len(MUTANTS)


# ---- the runner ----------------------------------------------------------------------------

FILES = {
    "engine/__init__.py": "",
    "engine/adding.py": "def total(cards):\n    return sum(cards)\n",
    "tests/test_adding.py": """
import pytest
from engine.adding import total

def test_total():
    assert total([1, 2]) == 3

@pytest.fixture
def added():
    return {3: "three"}[total([1, 2])]

def test_added(added):
    assert added == "three"
""",
}
# What stands in place of `sum(cards)`; the test; what becomes of it; a piece of what is said.
CHANGES = [
    ("max(cards)", "test_total", Fate.KILLED, "test_total"),
    ("sum(cards[:2])", "test_total", Fate.SURVIVED, ""),
    ("max(cards)", "test_added", Fate.BROKEN, "no test ran to its end"),  # an error in a fixture is no failed test
    ("max(cards)", "test_nothing", Fate.BROKEN, "no such test: tests/test_adding.py::test_nothing"),
]


def small(new, test, old="sum(cards)"):
    return Mutant(("R1",), "wrong", "engine/adding.py", old, new, (f"tests/test_adding.py::{test}",))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_the_runner_tells_killed_from_survived_from_broken_and_leaves_the_tree_as_it_is(tree):
    some = [small(new, test) for new, test, _, _ in CHANGES]
    some.append(small("min(cards)", "test_total", old="product(cards)"))
    outcomes = judge_all(tree, list(FILES), some, workers=2)
    assert [outcome.fate for outcome in outcomes] == [*(fate for _, _, fate, _ in CHANGES), Fate.BROKEN]
    for (_, _, _, words), outcome in zip(CHANGES, outcomes[:-1], strict=True):
        assert words in outcome.detail
    assert "`old` occurs 0 times in engine/adding.py, expected once: 'product(cards)'" in outcomes[-1].detail
    assert {name: (tree / name).read_text() for name in FILES} == FILES


def test_tests_that_fail_without_any_mutant_are_said_and_judge_nothing(tree):
    (tree / "tests/test_adding.py").write_text("def test_total():\n    assert False\n")
    with pytest.raises(MutantError, match=r"do not pass as things are:\n  tests/test_adding.py::test_total"):
        judge_all(tree, list(FILES), [small("max(cards)", "test_total")], workers=1)


def test_what_does_not_end_in_time_is_killed_and_said_to_hang(tree, tmp_path_factory):
    copy = Copy(tree, FILES, tmp_path_factory.mktemp("copy"))
    outcome = judge(copy, small("max(cards)", "test_total"), limit_s=0.01)
    assert (outcome.fate, outcome.detail) == (Fate.KILLED, "hangs: not over in 0.01 s")
    assert (copy.tree / "engine/adding.py").read_text() == FILES["engine/adding.py"]


WAITING = """
import os
import signal

def test_waiting():
    with open(os.environ["BEGUN"], "w") as begun:
        print("begun", file=begun, flush=True)
        signal.pause()
"""
RUNNING = """
import sys
from pathlib import Path
from tests.mutants.copies import Copies
from tests.support.ending import ended_by_signals

with ended_by_signals(), Copies(Path(sys.argv[1]), ["tests/test_waiting.py"], 1) as copies:
    print(list(copies.map(lambda copy, _: copy.pytest(["tests"], 600), [1, 2])))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_run_that_is_ended_by_a_signal_ends_its_tests_and_leaves_no_copy_behind(tree, tmp_path_factory, number):
    (tree / "tests/test_waiting.py").write_text(WAITING)
    made, begun = tmp_path_factory.mktemp("made"), tmp_path_factory.mktemp("begun") / "pipe"
    os.mkfifo(begun)
    pipe = os.open(begun, os.O_RDONLY | os.O_NONBLOCK)
    environ = os.environ | {"TMPDIR": str(made), "BEGUN": str(begun)}
    command = [sys.executable, "-c", RUNNING, str(tree)]
    with subprocess.Popen(command, cwd=ROOT, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        assert select.select([pipe], [], [], 60) == ([pipe], [], [])
        assert os.read(pipe, 100) == b"begun\n"
        assert len(list(made.iterdir())) == 1
        program.send_signal(number)
        assert program.communicate(timeout=60) == (b"", b"")
    assert program.returncode == 128 + number
    assert os.read(pipe, 100) == b""  # the test that waited has ended: nobody can write any more
    os.close(pipe)
    assert list(made.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[[mutant]]\nfault = "R1: x"\nfile = "a"\nold = "b"\nnew = "c"\n', "mutant 1: it has fault, file, old, new;"),
        ('[[mutant]]\nfault = "R1"\nfile = "a"\nold = "b"\nnew = "c"\ntests = ["t"]\n', "fault is 'R1'; expected"),
        ('[[mutant]]\nfault = "X1: x"\nfile = "a"\nold = "b"\nnew = "c"\ntests = ["t"]\n', "fault is 'X1: x'"),
        ('[[mutant]]\nfault = "R1: x"\nfile = "a"\nold = "b"\nnew = "b"\ntests = ["t"]\n', "changes nothing"),
        ('[[mutant]]\nfault = "R1: x"\nfile = "a"\nold = "b"\nnew = "c"\ntests = []\n', "names no test"),
    ],
)
def test_a_mutant_that_cannot_be_used_is_refused_with_its_place(tmp_path, text, words):
    (tmp_path / "small.toml").write_text(text)
    with pytest.raises(MutantError, match=words.replace("(", r"\(")) as refusal:
        load(tmp_path / "small.toml")
    assert str(refusal.value).startswith("small.toml, mutant 1")


def test_mutants_are_chosen_by_fault_or_by_list():
    assert {m.faults[0][0] for m in chosen(LISTS, ["usb.toml"])} == {"U"}
    assert all("U3" in m.faults for m in chosen(LISTS, ["u3"])) and chosen(LISTS, ["u3"])
    assert chosen(LISTS, []) == MUTANTS
    with pytest.raises(MutantError, match="U99: no mutant of that fault"):
        chosen(LISTS, ["U99"])


@pytest.mark.parametrize(
    ("fate", "status", "summary"),
    [
        (Fate.KILLED, 0, "1 killed, 0 survived, 0 broken"),
        (Fate.SURVIVED, 1, "0 killed, 1 survived, 0 broken"),
        (Fate.BROKEN, 1, "0 killed, 0 survived, 1 broken"),
        (None, 2, ""),
    ],
)
def test_the_exit_status_says_whether_any_mutant_has_escaped(monkeypatch, capsys, fate, status, summary):
    def judged(root, files, some, workers, told):
        if fate is None:
            raise MutantError("these tests do not pass as things are")
        return [Outcome(fate)]

    monkeypatch.setattr(mutants.chosen, "chosen", lambda lists, words: [small("max(cards)", "test_total")])
    monkeypatch.setattr(mutants, "files_of", lambda root: [])
    monkeypatch.setattr(mutants.chosen, "judge_all", judged)
    assert mutants.main([]) == status
    said = capsys.readouterr()
    assert summary in said.out and bool(said.err) is (fate is None)

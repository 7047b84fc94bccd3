"""docs/faults.md is true: its tests are there, each fault is proved, and each mutant's fault is in it."""

from __future__ import annotations

import re

import pytest

from tests.mutants.chosen import lists_of, load, missing_tests
from tests.support.fault_numbers import LATER, WITH_A_MUTANT, numbers
from tests.support.places import ROOT

ROW = re.compile(r"^\| ([RUSHFPTBC]\d+) \|.*\| ([^|]*) \|$", re.MULTILINE)
DOCUMENT = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8")
ROWS = {number: re.findall(r"`([^`]+)`", tests) for number, tests in ROW.findall(DOCUMENT)}


def test_each_fault_has_one_row() -> None:
    found = [number for number, _ in ROW.findall(DOCUMENT)]
    assert sorted(found) == sorted(numbers(WITH_A_MUTANT | LATER))


@pytest.mark.parametrize("number", [number for number in ROWS if number[0] != "F"])
def test_each_fault_of_the_first_list_names_a_test(number: str) -> None:
    assert ROWS[number]


@pytest.mark.parametrize("number", ROWS)
def test_the_tests_of_a_fault_are_there(number: str) -> None:
    assert missing_tests(ROOT, [f"tests/{test}" for test in ROWS[number]]) == []


def test_the_fault_of_each_mutant_is_in_the_list_with_a_test() -> None:
    mutants = [mutant for path in lists_of(ROOT) for mutant in load(path)]
    assert {fault for mutant in mutants for fault in mutant.faults} <= {number for number in ROWS if ROWS[number]}

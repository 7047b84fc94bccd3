"""A plugin of pytest (`-p tests.mutants.touched`): which lines of some files each test runs, and only certain tests.

    --touched-in FILES    a file with one path a line: the sources whose lines are noted
    --touched-to REPORT   where to write what was found: JSON, see Touched.report
    --only TESTS          a file with one test (pytest's node id) a line: these run, in this order, and no others

What runs in another process is not seen.
"""

from __future__ import annotations

import json
import resource
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

IMPORTED = ""  # stands for a test's name: what ran before the first and between two tests
MOST_MEMORY, LONGEST_FILE = 6 << 30, 1 << 30  # bytes: a mutant that grows without end stops before the machine does


class Touched:
    """Notes the lines of `sources` that run, for the test that runs."""

    def __init__(self, sources: set[str], report: Path) -> None:
        self._sources, self._report = sources, report
        self._now = IMPORTED
        self._lines: dict[str, set[tuple[str, int]]] = {}
        self._took_s: dict[str, float] = {}

    def begin(self) -> None:
        threading.settrace(self._called)
        sys.settrace(self._called)

    def _called(self, frame: FrameType, event: str, value: Any) -> Any:
        return self._ran if frame.f_code.co_filename in self._sources else None

    def _ran(self, frame: FrameType, event: str, value: Any) -> Any:
        if event == "line":
            self._lines.setdefault(self._now, set()).add((frame.f_code.co_filename, frame.f_lineno))
        return self._ran

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        started = time.perf_counter()
        self._now = item.nodeid
        try:
            return (yield)
        finally:
            self._now = IMPORTED
            self._took_s[item.nodeid] = time.perf_counter() - started

    def pytest_sessionfinish(self) -> None:
        sys.settrace(None)
        self._report.write_text(json.dumps(self.report()), encoding="utf-8")

    def report(self) -> dict[str, Any]:
        """`took_s`: seconds by test, in the order in which they ran. `lines`: test, then file, then line numbers."""
        lines: dict[str, dict[str, list[int]]] = {}
        for test, places in self._lines.items():
            for file, number in sorted(places):
                lines.setdefault(test, {}).setdefault(file, []).append(number)
        return {"took_s": self._took_s, "lines": lines}


class Only:
    """Runs certain tests in a certain order. One that is not there any more is passed over."""

    def __init__(self, tests: list[str]) -> None:
        self._tests = tests

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        found = {item.nodeid: item for item in items}
        chosen = [found.pop(test) for test in self._tests if test in found]
        config.hook.pytest_deselected(items=list(found.values()))
        items[:] = chosen


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("mutants")
    group.addoption("--touched-in", type=Path)
    group.addoption("--touched-to", type=Path)
    group.addoption("--only", type=Path)


def pytest_configure(config: pytest.Config) -> None:
    for kind, most in ((resource.RLIMIT_DATA, MOST_MEMORY), (resource.RLIMIT_FSIZE, LONGEST_FILE)):
        resource.setrlimit(kind, (most, resource.getrlimit(kind)[1]))
    only, sources, report = (config.getoption(name) for name in ("--only", "--touched-in", "--touched-to"))
    if only:
        config.pluginmanager.register(Only(only.read_text(encoding="utf-8").splitlines()))
    if sources:
        touched = Touched(set(sources.read_text(encoding="utf-8").splitlines()), report)
        config.pluginmanager.register(touched)
        touched.begin()

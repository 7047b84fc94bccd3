"""A copy of the tree, one mutant in it at a time, and pytest run there.

Nothing is changed in the checkout: the tests import from the copy that they lie in.
"""

from __future__ import annotations

import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import BinaryIO, TypeVar

Work = TypeVar("Work")
Result = TypeVar("Result")
STOPPED = "stopped before its end"
PACKAGES = ("engine", "hardware", "firmware")  # must come from the copy, wherever they are installed


class MutantError(Exception):
    """A list of mutants, or one of them, that cannot be used; the message says which, and why."""


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


@dataclass(frozen=True, slots=True)
class Run:
    """One run of pytest: its exit status (None: not over in time), the names of the tests that failed, how many
    passed, and the last line of what it said."""

    status: int | None
    failed: tuple[str, ...]  # an error in a fixture or at an import is no test that ran
    passed: int
    last_line: str
    took_s: float


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
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped, self._starting = False, threading.Lock()
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

    @contextmanager
    def changed(self, file: str, text: str) -> Iterator[None]:
        """The file with another text, for a while."""
        path = self.tree / file
        whole = path.read_bytes()
        path.write_text(text, encoding="utf-8")
        try:
            yield
        finally:
            path.write_bytes(whole)

    def pytest(self, arguments: Sequence[str], limit_s: float) -> Run:
        """Run pytest with these arguments up to the first test that fails, and for `limit_s` at most.

        Raises MutantError if it is stopped meanwhile, or was before.
        """
        self._runs += 1
        scratch = self._folder / f"run-{self._runs}"
        scratch.mkdir()
        report, output = scratch / "report.xml", scratch / "output"
        options = ["-x", "-q", "-p", "no:cacheprovider", f"--basetemp={scratch / 'tmp'}", f"--junitxml={report}"]
        started = time.monotonic()
        with output.open("wb") as sink, self._start([*options, *arguments], sink) as process:
            try:
                status: int | None = process.wait(limit_s)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                status = None
        if self._stopped:
            raise MutantError(STOPPED)
        took_s = limit_s if status is None else time.monotonic() - started
        said = output.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        try:
            cases = list(ElementTree.parse(report).getroot().iter("testcase")) if status is not None else []
        except (OSError, ElementTree.ParseError):
            cases = []
        shutil.rmtree(scratch, ignore_errors=True)
        return Run(
            status,
            tuple(case.get("name", "") for case in cases if case.find("failure") is not None),
            sum(len(case) == 0 or case.find("system-out") is not None for case in cases),
            said[-1] if said else "",
            took_s,
        )

    def _start(self, arguments: Sequence[str], sink: BinaryIO) -> subprocess.Popen[bytes]:
        with self._starting:
            if self._stopped:
                raise MutantError(STOPPED)
            self._process = subprocess.Popen(
                [sys.executable, "-m", "pytest", *arguments],
                cwd=self.tree,
                env=self._environ,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=sink,
                start_new_session=True,
            )
            return self._process

    def stop(self) -> None:
        """End what runs in this copy, from any thread. Nothing can be run there after it."""
        with self._starting:
            self._stopped = True
            if self._process is not None and self._process.poll() is None:
                with suppress(ProcessLookupError):  # it has just ended by itself
                    os.killpg(self._process.pid, signal.SIGKILL)


class Copies:
    """As many copies of the tree as there are workers; each is lent to one piece of work at a time.

    What runs in them at the end, as after Ctrl-C, is stopped.
    """

    def __init__(self, root: Path, files: Sequence[str], workers: int) -> None:
        self._root, self._files, self._workers = root, files, workers
        self._free: queue.SimpleQueue[Copy] = queue.SimpleQueue()
        self._copies: list[Copy] = []
        self._open = ExitStack()

    def __enter__(self) -> Copies:
        with ExitStack() as opened:
            folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="mutants-"))).resolve()
            for number in range(self._workers):
                self._copies.append(Copy(self._root, self._files, folder / str(number)))
                self._free.put(self._copies[-1])
            self._pool = opened.enter_context(ThreadPoolExecutor(self._workers))
            self._open = opened.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        for copy in self._copies:
            copy.stop()
        self._open.close()

    def map(self, work: Callable[[Copy, Work], Result], items: Iterable[Work]) -> Iterator[Result]:
        """What `work` makes of each item, in their order."""

        def with_copy(item: Work) -> Result:
            copy = self._free.get()
            try:
                return work(copy, item)
            finally:
                self._free.put(copy)

        return self._pool.map(with_copy, items)

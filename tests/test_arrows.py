"""The doors between the rooms: who imports what."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OURS = {"engine", "hardware", "firmware", "tests", "benchmarks"}
MAY_IMPORT = {"engine": {"engine"}, "hardware": {"hardware"}, "firmware": {"firmware", "engine", "hardware"}}
# no clock, no randomness, no files, no I/O
ENGINE_LIBRARY = {"__future__", "collections", "dataclasses", "enum", "functools", "itertools", "re", "typing"}


def imported(path: Path) -> Iterator[str]:
    """The first words of the names of all modules that a file imports, wherever it does so."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import hides which room it comes from"
            assert node.module is not None
            yield node.module.partition(".")[0]


def sources(room: str) -> list[Path]:
    found = [path for path in (ROOT / room).rglob("*.py") if "pico" not in path.relative_to(ROOT).parts]
    assert found, f"{room} has no modules: this test looks in the wrong place"
    return found


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_only_through_its_own_doors(room: str) -> None:
    wrong = {
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sources(room)
        for name in imported(path)
        if name in OURS - MAY_IMPORT[room]
    }
    assert not wrong


def test_the_engine_uses_a_short_list_of_the_standard_library() -> None:
    used = {name for path in sources("engine") for name in imported(path)}
    assert used - {"engine"} <= ENGINE_LIBRARY


def test_the_engine_opens_prints_and_runs_nothing() -> None:
    doors = {"open", "print", "input", "exec", "eval", "__import__", "compile", "breakpoint"}
    for path in sources("engine"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in doors, f"{path.name}, line {node.lineno}: {node.func.id}()"


def test_replay_starts_without_any_driver() -> None:
    code = "import sys, firmware.cli, firmware.replay; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert "engine.game" in loaded.split()
    assert not {"luma", "gpiozero", "mfrc522", "serial", "PIL", "microdot"} & {m.split(".")[0] for m in loaded.split()}

"""The doors between the rooms: who imports what."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.places import ROOT

OURS = {"engine", "hardware", "firmware", "tests", "benchmarks"}
MAY_IMPORT = {"engine": {"engine"}, "hardware": {"hardware"}, "firmware": {"firmware", "engine", "hardware"}}
# The order of the rooms of firmware, from the bottom: a room imports what stands before it in this table, and itself.
# What two rooms need lies below both, or is handed in.
ROOMS = (
    "errors",  # the root of all exceptions
    "files",  # files as they are on a disk
    "words",  # the players' languages
    "config",  # what the owner wrote
    "kept",  # what is on the disk
    "bots",  # who plays for the table, as processes
    "table",  # what happens (pure)
    "views",  # what is seen and heard (pure)
    "screen",  # a page as pixels
    "wiring",  # opening the parts
    "check",  # each part in turn
    "virtual",  # the page over the twins
    "run",  # the session
    "commands",  # the words of the command line
    "cli",  # and their options
    "__main__",  # the first lines
)
# no clock, no randomness, no files, no I/O
ENGINE_LIBRARY = {"__future__", "collections", "dataclasses", "enum", "functools", "itertools", "re", "typing"}
PLAYERS_LIBRARY = ENGINE_LIBRARY | {"math", "random", "types"}  # of `random` only generators with a seed


def modules(path: Path) -> Iterator[str]:
    """The whole names of all that a file imports, wherever it does so: `from a import b` gives a.b."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import hides which room it comes from"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def imported(path: Path) -> set[str]:
    """The first words of these names."""
    return {name.partition(".")[0] for name in modules(path)}


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


def room_of(path: Path) -> str:
    return path.relative_to(ROOT / "firmware").parts[0].removesuffix(".py")


def test_every_room_of_the_firmware_has_its_place_in_the_order() -> None:
    assert {room_of(path) for path in sources("firmware")} - {"__init__"} == set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_no_room_of_the_firmware_imports_from_one_above_it(room: str) -> None:
    below = {"firmware", "firmware.__version__", *(f"firmware.{name}" for name in ROOMS[: ROOMS.index(room) + 1])}
    upwards = {
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sources("firmware")
        if room_of(path) == room
        for name in modules(path)
        if name.startswith("firmware.")
        and name != "firmware.__version__"
        and ".".join(name.split(".")[:2]) not in below
    }
    assert not upwards


@pytest.mark.parametrize("room", [room for room in ROOMS if (ROOT / "firmware" / room).is_dir()])
def test_a_room_of_the_firmware_says_what_belongs_there(room: str) -> None:
    said = ast.get_docstring(ast.parse((ROOT / "firmware" / room / "__init__.py").read_text(encoding="utf-8")))
    assert said and ("belongs" in said), f"the first docstring of firmware/{room} says what belongs there"


def test_the_engine_uses_a_short_list_of_the_standard_library() -> None:
    for path in sources("engine"):
        allowed = PLAYERS_LIBRARY if path.parent.name == "players" else ENGINE_LIBRARY
        assert imported(path) - {"engine"} <= allowed, path


def test_the_players_of_the_engine_take_all_chance_from_a_seed() -> None:
    for path in sources("engine"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "random":
                assert node.attr == "Random", f"{path}: random.{node.attr} has no seed of its own"
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "random.Random":
                assert node.args, f"{path}: a generator without a seed"


def test_the_engine_opens_prints_and_runs_nothing() -> None:
    doors = {"open", "print", "input", "exec", "eval", "__import__", "compile", "breakpoint"}
    for path in sources("engine"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in doors, f"{path.name}, line {node.lineno}: {node.func.id}()"


def test_the_table_starts_without_what_it_can_do_without() -> None:
    """OpenSSL (by `secrets` or `hmac`) and the players' tables are megabytes, on a Pi of 512."""
    code = "import sys, firmware.cli, firmware.run.app; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert "firmware.table.step" in loaded.split()
    unwanted = {"_hashlib", "_ssl", "engine.players.fitted", "engine.players.solving", "websockets", "numpy"}
    unwanted |= {"firmware.bots.child", "firmware.bots.hosted"}  # nobody plays for the table, nor asks for advice, yet
    assert not unwanted & set(loaded.split())


def test_replay_starts_without_any_driver() -> None:
    code = "import sys, firmware.cli, firmware.commands.replay; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert "engine.game" in loaded.split()
    drivers = {"luma", "gpiozero", "mfrc522", "serial", "PIL", "websockets"}
    assert not drivers & {m.split(".")[0] for m in loaded.split()}

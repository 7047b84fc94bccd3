"""docs/faults.md lists every place of the product that begins a thread, a process, a task or a timer."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.support.places import ROOT

BEGIN = {
    *("start_thread", "Thread", "Timer", "start_new_thread", "ThreadPoolExecutor", "ProcessPoolExecutor"),
    *("Popen", "check_output", "check_call", "getoutput", "fork", "forkpty", "posix_spawn", "posix_spawnp", "spawnv"),
    *("create_task", "ensure_future", "run_in_executor", "to_thread", "TaskGroup", "call_later", "call_at", "Runner"),
    *("create_subprocess_exec", "create_subprocess_shell"),
}
BEGIN_OF = {("subprocess", "run"), ("subprocess", "call"), ("os", "system"), ("os", "popen"), ("asyncio", "run")}
LISTED = re.compile(r"`((?:firmware|hardware)/(?!test_)\S+?\.py::\S+?)`")


def begins(call: ast.Call) -> bool:
    match call.func:
        case ast.Attribute(ast.Name(module), name) if (module, name) in BEGIN_OF:
            return True
        case ast.Attribute(_, name) | ast.Name(name):
            return name in BEGIN
    return False


def places(node: ast.AST, where: str) -> Iterator[str]:
    """The functions within `node` that begin something, as `Class.method`."""
    for child in ast.iter_child_nodes(node):
        inner = where
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = f"{where}.{child.name}".strip(".")
        elif isinstance(child, ast.Call) and begins(child):
            yield where
        yield from places(child, inner)


def in_file(path: Path) -> set[str]:
    name = path.relative_to(ROOT).as_posix()
    return {f"{name}::{where}" for where in places(ast.parse(path.read_text(encoding="utf-8")), "")}


def test_every_place_that_begins_a_thread_a_process_or_a_task_is_listed() -> None:
    files = [path for room in ("engine", "firmware", "hardware") for path in (ROOT / room).rglob("*.py")]
    found = set[str]().union(*map(in_file, files))
    listed = LISTED.findall((ROOT / "docs" / "faults.md").read_text(encoding="utf-8"))
    assert sorted(listed) == sorted(found)


def test_a_place_is_found_whatever_it_calls(tmp_path: Path) -> None:
    source = """
import threading, asyncio, subprocess, os
class A:
    def one(self): threading.Timer(1, print)
    async def two(self):
        asyncio.create_task(three())
def four(): subprocess.run(["x"]); run("nothing of the kind")
os.fork()
"""
    assert sorted(places(ast.parse(source), "")) == ["", "A.one", "A.two", "four"]

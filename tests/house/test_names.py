"""One name for one thing: no two public classes of the product share a name.

A driver may have the name of the port that it carries out (`hardware.controls.Buzzer` is a `ports.Buzzer`), if its
docstring says so.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.support.places import ROOT

ROOMS = ("engine", "hardware", "firmware", "benchmarks", "docs")
PORTS = "hardware/ports.py"


@dataclass(frozen=True)
class Named:
    """A public class, or a public name for a union of classes (`Event = Placed | Lifted`)."""

    name: str
    file: str
    line: int
    port: bool  # a protocol of hardware/ports.py
    says: str  # its docstring

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"


def named(source: str, file: str) -> Iterator[Named]:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            port = file == PORTS and any(ast.unparse(base) == "Protocol" for base in node.bases)
            yield Named(node.name, file, node.lineno, port, ast.get_docstring(node) or "")
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp) and isinstance(node.value.op, ast.BitOr):
            for target in node.targets:
                if isinstance(target, ast.Name) and target.id[0].isupper() and not target.id.isupper():
                    yield Named(target.id, file, node.lineno, False, "")


def everything() -> list[Named]:
    files = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py") if not path.is_symlink())
    return [
        found for path in files for found in named(path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix())
    ]


def clashes(things: list[Named]) -> list[str]:
    by_name: dict[str, list[Named]] = defaultdict(list)
    for thing in things:
        by_name[thing.name].append(thing)
    found = []
    for name, same in sorted(by_name.items()):
        port = next((thing for thing in same if thing.port), None)
        others = [thing for thing in same if thing is not port]
        if port is not None:
            others = [thing for thing in others if f"`ports.{name}`" not in thing.says]
        if len(others) + (port is not None and bool(others)) > 1:
            found.append(f"{name}: {', '.join(thing.place for thing in same)}")
    return found


def test_no_two_public_classes_share_a_name_but_a_port_and_what_carries_it_out() -> None:
    things = everything()
    assert len(things) > 150, "this test looks in the wrong place"
    assert not clashes(things), "rename one of each by what it is"


@pytest.mark.parametrize(
    ("other", "clash"),
    [
        ('class Buzzer:\n    """A passive buzzer, a `ports.Buzzer`."""', False),
        ('class Buzzer:\n    """A passive buzzer."""', True),
        ("Buzzer = Loud | Quiet", True),
        ("class Horn: ...", False),
    ],
)
def test_a_class_with_the_name_of_a_port_has_to_say_that_it_carries_it_out(other: str, clash: bool) -> None:
    things = [*named("class Buzzer(Protocol): ...", PORTS), *named(other, "hardware/controls.py")]
    assert bool(clashes(things)) is clash
    twice = [*named("class Card: ...", "engine/cards.py"), *named("class Card: ...", "firmware/screen/pieces.py")]
    assert clashes(twice) == ["Card: engine/cards.py:1, firmware/screen/pieces.py:1"]

"""Small changes to a source, one at a time: what a mutant by chance is made of.

A *place* is a piece of the source where something can be changed: a comparison, an `and` or `or`, a `not`, a whole
number, a condition. Each place has one or more changes. The places are found in the syntax tree, and the source is
edited just there, so that a mutant is the file with one piece replaced.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

COMPARISONS = {
    "<": ("<=", ">"),
    "<=": ("<", ">="),
    ">": (">=", "<"),
    ">=": (">", "<="),
    "==": ("!=",),
    "!=": ("==",),
    "is": ("is not",),
    "is not": ("is",),
    "in": ("not in",),
    "not in": ("in",),
}
AND_OR = {"and": ("or",), "or": ("and",)}
HELD = ("True", "False")


@dataclass(frozen=True, order=True, slots=True)
class Change:
    """Replace the bytes from `start` up to `end` of the UTF-8 source by `new`.

    `lines` are the first and last line (from 1) of what has to run for the change to matter; `at_import`: that runs
    when the module is imported, whatever test asks for it.
    """

    start: int
    end: int
    new: str
    lines: tuple[int, int]
    at_import: bool

    def apply(self, source: str) -> str:
        data = source.encode()
        return (data[: self.start] + self.new.encode() + data[self.end :]).decode()

    def shown(self, source: str) -> tuple[str, str]:
        """The lines that it changes, before and after, each as one line with single blanks."""
        data = source.encode()
        first = data.rfind(b"\n", 0, self.start) + 1
        last = data.find(b"\n", self.end)
        last = len(data) if last < 0 else last
        before = data[first:last]
        after = data[first : self.start] + self.new.encode() + data[self.end : last]
        return " ".join(before.decode().split()), " ".join(after.decode().split())

    def line(self, source: str) -> int:
        return source.encode()[: self.start].count(b"\n") + 1


def changes(source: str) -> list[Change]:
    """All changes that can be made to a source, from top to bottom; each leaves it a program that means another."""
    data = source.encode()
    return [
        change
        for change in sorted(set(_Finder(source).find()))
        if data[change.start : change.end].decode() != change.new
    ]


@dataclass(frozen=True, slots=True)
class _Where:
    """The statement that a node belongs to: its lines, and whether it runs when the module is imported."""

    lines: tuple[int, int]
    at_import: bool


class _Finder:
    def __init__(self, source: str) -> None:
        self._tree = ast.parse(source)
        self._data = source.encode()
        self._line_starts = [0]
        for line in self._data.split(b"\n"):
            self._line_starts.append(self._line_starts[-1] + len(line) + 1)
        self._tokens = list(self._words_and_signs(source))

    def _words_and_signs(self, source: str) -> Iterator[tuple[int, int, str]]:
        lines = source.split("\n")
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type in (tokenize.NAME, tokenize.OP):
                row, column = token.start
                start = self._line_starts[row - 1] + len(lines[row - 1][:column].encode())
                yield start, start + len(token.string.encode()), token.string

    def _start(self, node: ast.expr | ast.pattern) -> int:
        return self._line_starts[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr | ast.pattern) -> int:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._line_starts[node.end_lineno - 1] + node.end_col_offset

    def find(self) -> Iterator[Change]:
        yield from self._in_body(self._tree.body, at_import=True)

    def _in_body(self, body: list[ast.stmt], at_import: bool) -> Iterator[Change]:
        for statement in body:
            yield from self._in_statement(statement, at_import)

    def _in_statement(self, statement: ast.stmt, at_import: bool) -> Iterator[Change]:
        where = _Where((statement.lineno, _end_of_header(statement)), at_import)
        inner = at_import and not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef)
        for name, value in ast.iter_fields(statement):
            if name in ("annotation", "returns"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.stmt):
                    yield from self._in_statement(child, inner)
                elif isinstance(child, ast.match_case):
                    yield from self._in_case(child, at_import)
                elif isinstance(child, ast.ExceptHandler):
                    yield from self._in_body(child.body, at_import)
                elif isinstance(child, ast.AST):
                    yield from self._in_node(child, where)
        if isinstance(statement, ast.If | ast.While):
            yield from self._held(statement.test, where)

    def _in_case(self, case: ast.match_case, at_import: bool) -> Iterator[Change]:
        last = case.guard or case.pattern
        where = _Where((case.pattern.lineno, last.end_lineno or last.lineno), at_import)
        yield from self._in_node(case.pattern, where)
        if case.guard is not None:
            yield from self._in_node(case.guard, where)
            yield from self._held(case.guard, where)
        yield from self._in_body(case.body, at_import)

    def _in_node(self, node: ast.AST, where: _Where) -> Iterator[Change]:
        """The changes in an expression, or in what else is no statement."""
        match node:
            case ast.JoinedStr():
                return  # Python 3.11 does not know where in the file its pieces are
            case ast.arg():
                return
            case ast.Compare():
                for left, right in pairwise([node.left, *node.comparators]):
                    yield from self._between(left, right, COMPARISONS, where)
            case ast.BoolOp():
                for left, right in pairwise(node.values):
                    yield from self._between(left, right, AND_OR, where)
            case ast.UnaryOp(op=ast.Not()):
                start = self._start(node)
                dropped = re.compile(rb"not\s*").match(self._data, start)
                assert dropped is not None
                yield self._change(start, dropped.end(), "", where)
            case ast.Constant(value=int(number)) if not isinstance(number, bool):
                yield from self._one_off(node, number, where)
            case ast.IfExp():
                yield from self._held(node.test, where)
            case ast.comprehension():
                for condition in node.ifs:
                    yield from self._held(condition, where)
        for child in ast.iter_child_nodes(node):
            yield from self._in_node(child, where)

    def _change(self, start: int, end: int, new: str, where: _Where) -> Change:
        return Change(start, end, new, where.lines, where.at_import)

    def _between(
        self, left: ast.expr, right: ast.expr, instead: Mapping[str, tuple[str, ...]], where: _Where
    ) -> Iterator[Change]:
        """The operator between two operands, replaced; brackets and comments may lie between them too."""
        low, high = self._end(left), self._start(right)
        tokens = [t for t in self._tokens if low <= t[0] < high and t[2] not in "()"]
        old = " ".join(text for _, _, text in tokens)
        for new in instead.get(old, ()):
            yield self._change(tokens[0][0], tokens[-1][1], new, where)

    def _one_off(self, node: ast.expr, number: int, where: _Where) -> Iterator[Change]:
        start, end = self._start(node), self._end(node)
        is_hex = self._data[start : start + 2].lower() == b"0x"
        for other in (number - 1, number + 1):
            new = f"0x{other:02X}" if is_hex and other >= 0 else str(other)
            yield self._change(start, end, new, where)

    def _held(self, condition: ast.expr, where: _Where) -> Iterator[Change]:
        only_checked = isinstance(condition, ast.Name) and condition.id == "TYPE_CHECKING"
        for value in HELD[:1] if only_checked else HELD:  # it never holds where the program runs
            yield self._change(self._start(condition), self._end(condition), value, where)


def _end_of_header(statement: ast.stmt) -> int:
    """The last line of a statement without the statements in it."""
    if not hasattr(statement, "body") and not isinstance(statement, ast.Match):
        return statement.end_lineno or statement.lineno
    ends = [
        child.end_lineno or child.lineno for child in ast.iter_child_nodes(statement) if isinstance(child, ast.expr)
    ]
    return max([statement.lineno, *ends])

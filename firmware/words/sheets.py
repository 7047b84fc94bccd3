"""The sheets of rules: what a family has to know to play, one page in each language, in the words of the screen.

The texts are `rules/<language>.md`: a title, a line under it, sections, and in these numbered statements and pictures
by name with a caption. The same statement has the same number in each language; docs/rules.md has the rules as the
table judges them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).with_name("rules")
_STATEMENT, _PICTURE = re.compile(r"([0-9]+)\. (.+)"), re.compile(r"\[([a-z]+)\] (.+)")


@dataclass(frozen=True, slots=True)
class Statement:
    """One rule; `number` counts from 1 through the whole sheet."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture of the sheet: "track" or "answers"; its caption says in words what it shows."""

    name: str
    caption: str


@dataclass(frozen=True, slots=True)
class Chapter:
    title: str
    parts: tuple[Statement | Drawing, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    language: str
    title: str
    lead: str
    sections: tuple[Chapter, ...]

    @property
    def statements(self) -> tuple[Statement, ...]:
        return tuple(part for section in self.sections for part in section.parts if isinstance(part, Statement))


def source(language: str) -> str:
    """The text of a sheet. Raises OSError if there is none in this language."""
    return (FOLDER / f"{language}.md").read_text(encoding="utf-8")


def sheet(language: str) -> Sheet:
    """The sheet in this language. Raises OSError if there is none, ValueError for a line that is none of a sheet."""
    title = lead = ""
    sections: list[tuple[str, list[Statement | Drawing]]] = []
    for line in filter(None, source(language).splitlines()):
        if line.startswith("## "):
            sections.append((line[3:], []))
        elif line.startswith("# "):
            title = line[2:]
        elif not sections:
            lead = line
        elif found := _STATEMENT.fullmatch(line):
            sections[-1][1].append(Statement(int(found[1]), found[2]))
        elif found := _PICTURE.fullmatch(line):
            sections[-1][1].append(Drawing(found[1], found[2]))
        else:
            raise ValueError(f"rules/{language}.md: a heading, a statement or a picture is expected, not {line!r}")
    return Sheet(language, title, lead, tuple(Chapter(name, tuple(parts)) for name, parts in sections))

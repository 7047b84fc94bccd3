"""What is written down as text beside the tests, compared with what is found now."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest
from pathlib import Path


def check_as_written(found: Iterable[str], file: Path, advice: str) -> None:
    """Compare the paragraphs `found` with the file, line by line; a paragraph's first line is its name, and no other
    line begins at the margin. Raises AssertionError at the first difference, with its line, its paragraph and `advice`.
    """
    name = ""
    kept = file.read_text(encoding="utf-8").splitlines()
    for number, (now, before) in enumerate(zip_longest("\n".join(found).splitlines(), kept), 1):
        name = now if now and not now.startswith(" ") else name
        assert now == before, f"{file.name}, line {number}, {name!r}: {advice}"

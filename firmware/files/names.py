"""A name of a file as it stands in a message: in one line, and with nothing in it that a terminal would obey."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from firmware.errors import LONGEST, printable, short

if TYPE_CHECKING:
    _Path = Path
else:
    _Path = type(Path())  # up to Python 3.11 only the class for this very system can be made


def plain(name: str, most: int = LONGEST) -> str:
    """A name, or whatever else may hold line breaks, for a message: of at most `most` characters."""
    return short(printable(name).replace("\n", "\ufffd"), most)


class ShownPath(_Path):
    """A path from outside. An f-string shows it plainly; the system gets it as it is, and so does `str`.

    What is made of it, as its parent or a file in it, is one too.
    """

    def __format__(self, form: str) -> str:
        return format(plain(str(self)), form)

"""The root of the firmware's own exceptions, and how what was refused is shown in their messages."""

from __future__ import annotations

from collections.abc import Sequence

MOST_TOLD = 25  # so many faults of a file are told; the rest is counted
SHOWN = 60  # so many characters of a faulty text are shown


class FirmwareError(Exception):
    """The root of all errors that the firmware raises on its own account."""


def told(faults: Sequence[object]) -> str:
    """The faults of a file, a line each; of a file that is something else altogether, the first ones."""
    rest = len(faults) - MOST_TOLD
    lines = [*map(str, faults[:MOST_TOLD]), *([f"and {rest} more faults like these"] if rest > 0 else [])]
    return "\n".join(lines)


def printable(text: str) -> str:
    """A text with nothing in it that a terminal would obey; line breaks stay."""
    return "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text)


def short(text: str, most: int = SHOWN) -> str:
    """A text cut to `most` characters."""
    return text if len(text) <= most else text[: most - 1] + "…"

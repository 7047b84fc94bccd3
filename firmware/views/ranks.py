"""Ranks as people read them, in figures alone: in every language alike. Pure."""

from __future__ import annotations

from collections.abc import Iterable

LISTED_RANKS = 6  # a set or a sequence of more cards is shortened


def listed(ranks: Iterable[int]) -> str:
    """The ranks, ascending: each of them, or "5–12" for a long sequence and "12 ×7" for a large set."""
    found = sorted(ranks)
    if len(found) > LISTED_RANKS:
        if found[0] == found[-1]:
            return f"{found[0]} ×{len(found)}"
        if found == list(range(found[0], found[-1] + 1)):
            return f"{found[0]}–{found[-1]}"
    return " ".join(map(str, found))

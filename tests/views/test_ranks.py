"""Ranks in figures alone: six of any kind are listed, more only where they are neither a set nor a sequence."""

from __future__ import annotations

import pytest

from firmware.views.ranks import listed


@pytest.mark.parametrize(
    ("ranks", "text"),
    [
        ((), ""),
        ((9,), "9"),
        ((9, 3, 12), "3 9 12"),
        ((12, 11, 10, 9, 8, 7), "7 8 9 10 11 12"),
        ((12, 11, 10, 9, 8, 7, 6), "6–12"),
        ((4,) * 6, "4 4 4 4 4 4"),
        ((4,) * 7, "4 ×7"),
        ((3, *(4,) * 6), "3 4 4 4 4 4 4"),
        ((*(4,) * 6, 5), "4 4 4 4 4 4 5"),
        ((1, 2, 3, 4, 5, 6, 8), "1 2 3 4 5 6 8"),
        ((1, 3, 4, 5, 6, 7, 8), "1 3 4 5 6 7 8"),
    ],
)
def test_ranks_are_listed_or_shortened_to_a_set_or_a_sequence(ranks: tuple[int, ...], text: str) -> None:
    assert listed(ranks) == text

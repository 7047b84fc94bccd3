"""A game is told as has been written down: who changes a word of it sees it, and means it."""

from __future__ import annotations

from itertools import zip_longest

from engine.verdict import Problem
from firmware.views.story import REASONS
from tests.support.stories import COMMAND, FILE, all_stories


def test_every_game_is_told_as_it_is_written_down() -> None:
    found = "\n".join(all_stories()).splitlines()
    kept = FILE.read_text(encoding="utf-8").splitlines()
    name = ""
    for number, (now, before) in enumerate(zip_longest(found, kept), 1):
        name = now if now and not now.startswith(" ") else name
        assert now == before, f"{FILE.name}, line {number}, {name!r}: if this was meant, run `{COMMAND}` and read it"


def test_every_reason_of_a_rejection_has_a_sentence() -> None:
    assert set(REASONS) == set(Problem)

"""A game is told as has been written down: who changes a word of it sees it, and means it."""

from __future__ import annotations

from engine.verdict import Problem
from firmware.views.story import REASONS
from tests.support.stories import COMMAND, FILE, all_stories
from tests.support.written import check_as_written


def test_every_game_is_told_as_it_is_written_down() -> None:
    check_as_written(all_stories(), FILE, f"if this change was meant, run `{COMMAND}` and read what is different")


def test_every_reason_of_a_rejection_has_a_sentence() -> None:
    assert set(REASONS) == set(Problem)

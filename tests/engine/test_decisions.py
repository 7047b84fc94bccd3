"""What the players decide, view by view, is what has been written down: who changes play sees it, and means it."""

from __future__ import annotations

import pytest

from engine.players.levels import LEVELS
from engine.round import Phase
from tests.support.decisions import FILE, paragraph, read

KEPT = FILE.read_text(encoding="utf-8")
VIEWS = read(KEPT)
PARTS = 8  # each a test of its own


@pytest.mark.parametrize("part", range(PARTS))
def test_every_player_decides_as_is_written_down(part: int) -> None:
    """After a change of play on purpose: `python -m tests.support.decisions`, and look at what has changed."""
    kept = KEPT.split("\n\n")
    for number in range(part, len(VIEWS), PARTS):
        assert paragraph(number, *VIEWS[number]).split("\n") == [*kept[number].rstrip("\n").split("\n"), ""]


def test_the_views_are_of_every_phase_in_which_there_is_a_choice() -> None:
    phases = [view.phase for _, view in VIEWS]
    assert all(phases.count(phase) >= 30 for phase in (Phase.REPLACE, Phase.DUEL, Phase.ATTACK, Phase.DEFEND))
    assert all(f"  {name}: " in KEPT for name in LEVELS)

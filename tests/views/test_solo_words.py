"""What the screen says of places in the table's row."""

import pytest

from engine.board import Board
from engine.rules import Rules
from tests.support.solo_table import SoloTable, always

NINE = Rules(board=Board((9,) * 7, Rules().board.arrows))
ROW = "2a 3a 4a 5a 6a 7a 8a 9a 10a"


@pytest.mark.parametrize(
    ("discarded", "told"),
    [("2a 4a 5a 6a 7a 10a", "1 3–6 9"), ("3a 4a 5a", "2–4"), ("3a 4a 8a 9a 10a", "2 3 7–9"), ("2a 4a 6a", "1 3 5")],
)
def test_three_places_or_more_that_follow_each_other_are_told_together(discarded, told):
    at = SoloTable.begun(always(*discarded.split()), NINE)
    at.deal(ROW.replace("a", "b"), ROW)
    at.think()
    assert at.scene.page.what == f"Lay {told}, turn them"

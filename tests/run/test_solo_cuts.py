"""Power cuts in games alone against the table: in every line of the journal and behind it."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.board import Board
from engine.cards import WOW, YAY, Player
from engine.rules import Rules
from tests.support.solo_cuts import every_cut

THREE = Rules(board=Board((3,) * 7, Rules().board.arrows))


@pytest.mark.parametrize(("side", "level", "seed"), [(YAY, "gentle", 1), (WOW, "good", 5)])
def test_wherever_the_power_is_cut_every_card_has_its_place_again_and_no_choice_is_made_anew(
    tmp_path: Path, side: Player, level: str, seed: int
) -> None:
    """The person does what the screen says and nothing else; the row is where the table believes it to be."""
    assert every_cut(tmp_path, THREE, side, level, seed, rounds=2, ends=25) > 80

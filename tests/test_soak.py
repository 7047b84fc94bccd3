"""The long evening in short, and that its checks can fail (`make soak` plays hundreds of games)."""

import pytest

from tests.soak.evening import play_game

SEEDS = [2, 3, 5, 8]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_whole_game_comes_to_its_end_through_faults_everywhere_at_once(seed: int):
    outcome = play_game(seed, real_pico=False)
    assert outcome.fault == ""
    assert outcome.events > 0

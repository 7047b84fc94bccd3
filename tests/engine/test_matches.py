"""The program that measures how strong the players are plays what it says."""

from __future__ import annotations

from benchmarks.matches import scores, seated
from engine.players.levels import LEVELS


def test_the_score_so_far_grows_by_steps_and_is_the_same_for_the_same_seeds() -> None:
    found = list(scores("careful", "random", 5, 7, step=2))
    assert [len(score.pairs) for score in found] == [2, 4, 5]
    assert found == list(scores("careful", "random", 5, 7, step=2))
    assert found[-1].pairs[:2] == found[0].pairs


def test_every_level_is_seated_with_its_own_work() -> None:
    for name, level in LEVELS.items():
        assert (seated(name).name, seated(name).nodes) == (name, level.nodes)

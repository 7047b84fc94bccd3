"""The games in tests/games are judged as written beside them.

`NAME.verdicts` holds one line an event: line number, event, verdict | phase, who is awaited | hands of yay and wow |
round, Tacocat's space, covered spaces. The verdicts were made by the second judge (engine_model.py) and read by hand.
"""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from engine.verdict import Problem
from firmware.commands.replay import ReplayForm, replay
from tests.support.judged import TRANSCRIPTS, judged, verdict_line
from tests.support.places import GAMES, ROOT


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_a_game_is_judged_as_written_beside_it(path: Path) -> None:
    assert [verdict_line(line) for line in judged(path)] == path.with_suffix(".verdicts").read_text().splitlines()


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_a_game_can_be_told_to_people(path: Path) -> None:
    out, err = io.StringIO(), io.StringIO()
    with path.open("rb") as stream:
        assert replay(stream, path.name, ReplayForm.STORY, out, err) == 0
    told = out.getvalue()
    assert told.startswith(tuple(f"{mode} mode" for mode in ("play", "referee", "board")))
    for line in judged(path):
        assert line["event"] in told
        assert line["problem"] is None or f"({line['problem']})" in told


def test_the_games_cover_every_problem_foul_and_end() -> None:
    lines = [line for path in TRANSCRIPTS for line in judged(path)]
    assert {line["problem"] for line in lines} == {None, *Problem}
    fouls = {tuple("+".join(foul["suspects"]) for foul in line["fouls"]) for line in lines}
    assert fouls >= {(), ("wow",), ("yay+wow",), ("yay", "yay+wow")}
    assert {line["round_result"] for line in lines} == {None, "yay", "wow", "tie", "void"}
    assert {line["winner"] for line in lines} == {None, "yay", "wow"}
    assert {line["phase"] for line in lines} == {
        *("deal", "replace", "duel", "attack", "defend", "showdown", "over", "board")
    }


def test_no_verdicts_are_left_without_their_game() -> None:
    assert {path.with_suffix("") for path in TRANSCRIPTS} == {path.with_suffix("") for path in GAMES.glob("*.verdicts")}


def test_the_page_of_rules_names_every_problem_in_its_order() -> None:
    page = (ROOT / "docs" / "rules.md").read_text()
    listed = page.partition("## Why was that refused?")[2]
    named = [line.split("`")[1] for line in listed.splitlines() if line.startswith("| `")]
    assert named == [problem.value for problem in Problem]

"""`tacocat replay --points` and `tacocat games show --points`: the turning points, in words and as JSON."""

from __future__ import annotations

import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from engine.events import format_event
from engine.players.advice import Decided, TurningPoint
from engine.players.levels import level_named
from engine.players.match import Seated
from engine.players.turning import turning_points
from engine.rules import Rules
from engine.transcript import format_transcript
from firmware.cli import main
from firmware.commands.points import json_point
from firmware.commands.replay import ReplayForm, replay
from firmware.views.points import point_lines
from tests.engine.test_turning import HANDS_OF_THREE, blunder
from tests.support.decided_games import decided_game

BLUNDERS = format_transcript(HANDS_OF_THREE, blunder())


def told(text: str, *, as_json: bool = False, points: bool = True) -> str:
    out, err = io.StringIO(), io.StringIO()
    form = ReplayForm.JSON if as_json else ReplayForm.STORY
    assert replay(io.BytesIO(text.encode()), "game.taco", form, out, err, points=points) == 0
    assert not err.getvalue()
    return out.getvalue()


def test_the_story_ends_with_what_was_played_what_would_have_been_better_and_by_how_much() -> None:
    story, told_points = told(BLUNDERS, points=False), told(BLUNDERS)
    assert told_points.startswith(story)
    lines = told_points[len(story) :].splitlines()
    assert lines[0] == "The turning points, by what the player could know:"
    assert lines[1] == "  Round 1, Tacocat on 4: YAY holds 2 12, and attacks with 2."
    assert lines[2].startswith("    Better: 12. The difference: ")
    assert lines[2].endswith(" of 100 games.")
    assert lines[3] == (
        "    As the cards lay, the round was lost; by the better play the round was won, if both had seen them all."
    )
    assert len(lines) == 10


def test_as_json_a_point_names_the_event_at_which_it_began() -> None:
    lines = [json.loads(line) for line in told(BLUNDERS, as_json=True).splitlines()]
    *_, last = lines
    events = [line for line in lines if "event" in line]
    assert [line["round"] for line in lines if "point" in line] == [1, 2, 3]  # in the fourth there is less to lose
    assert last["point"] == 2 * 15 + 11
    assert events[last["point"] - 1]["event"] == "yay 2a"
    assert (last["round"], last["player"], last["phase"]) == (3, "yay", "attack")
    assert (last["played"], last["better"], last["as_it_lay"]) == ([2], [12], [0.0, 1.0])
    assert 0.5 < last["rounds_lost"] <= 1
    assert 0 < last["games_lost"] <= last["rounds_lost"]


def test_as_json_a_share_has_three_decimals() -> None:
    decided = SimpleNamespace(event=0, view=SimpleNamespace(number=1, phase="duel"), player="wow", ranks=(7,))
    said = json.loads(json_point(TurningPoint(cast(Decided, decided), (8,), 2 / 3, 1 / 3, None)))
    assert (said["rounds_lost"], said["games_lost"], said["point"], said["as_it_lay"]) == (0.667, 0.333, 1, None)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BLUNDERS.rstrip("\n").rpartition("\n")[0] + "\n", "No turning points: the game is not over.\n"),
        ("mode referee\nyay ok\n", "No turning points: in referee mode the hands are not known.\n"),
        ("mode board\nyay ok\n", "No turning points: in board mode the hands are not known.\n"),
        ("yay 7b\n", "No turning points: the game is not over.\n"),
    ],
)
def test_a_game_without_turning_points_says_why(text: str, words: str) -> None:
    assert told(text).endswith(f"\n{words}")
    assert told(text, as_json=True) == told(text, as_json=True, points=False)


def test_a_transcript_without_events_has_none_either() -> None:
    assert told("mode play\n") == "no events\n"


def test_the_command_takes_it_anywhere_and_tells_a_kept_game_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "games").mkdir()
    kept = tmp_path / "games" / "game-0003.taco"
    kept.write_text(BLUNDERS, encoding="utf-8")
    assert main(["replay", "--points", str(kept)]) == 0
    replayed = capsys.readouterr().out
    assert "The turning points" in replayed
    assert main(["games", "show", "3", "--points", "--state", str(tmp_path)]) == 0
    assert capsys.readouterr().out == replayed
    assert main(["games", "show", "3", "--state", str(tmp_path)]) == 0
    assert "The turning points" not in capsys.readouterr().out


def test_every_kind_of_play_has_its_words() -> None:
    found = "\n".join(point_lines(points_of_random_games()))
    for words in (
        "replaces",
        "replaces none",
        "Better: replace",
        "duels with",
        "attacks with",
        "answers",
        "either way",
    ):
        assert words in found, words
    assert list(point_lines([])) == ["No turning point: no play cost much, by what its player could know."]


def points_of_random_games() -> list[TurningPoint]:
    seats = (Seated("random", level_named("random"), 0), Seated("beginner", level_named("beginner"), 0))
    games = [decided_game(Rules(), seats, seed) for seed in (1, 2, 3)]
    assert all(format_event(event) for game in games for event in game.events)
    return [point for game in games for point in turning_points(Rules(), game.events, 0, 4_000, 99)]

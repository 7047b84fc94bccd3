"""`tacocat replay --points`: the turning points of a game, for people or as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TextIO

from engine.events import Event
from engine.game import Game
from engine.players.advice import TurningPoint
from engine.players.turning import turning_points
from engine.rules import Mode
from firmware.views.points import point_lines


def tell_points(game: Game, events: Sequence[Event], as_json: bool, out: TextIO) -> None:
    """The turning points of the game that these events have made; where its hands are hidden, or it is not over, why
    there are none."""
    points = turning_points(game.rules, events)
    if as_json:
        out.writelines(json_point(point) + "\n" for point in points)
    elif game.rules.mode is not Mode.PLAY:
        out.write(f"No turning points: in {game.rules.mode} mode the hands are not known.\n")
    elif not game.over:
        out.write("No turning points: the game is not over.\n")
    else:
        out.writelines(line + "\n" for line in point_lines(points))


def json_point(point: TurningPoint) -> str:
    """One turning point as docs/transcript.md describes it, without a newline."""
    decided = point.decided
    return json.dumps(
        {
            "point": decided.event + 1,
            "round": decided.view.number,
            "player": decided.player,
            "phase": decided.view.phase,
            "played": decided.ranks,
            "better": point.better,
            "rounds_lost": round(point.lost, 3),
            "games_lost": round(point.cost, 3),
            "as_it_lay": point.lay,
        }
    )

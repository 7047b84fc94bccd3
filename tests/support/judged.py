"""Transcripts as the command judges them, and its lines in columns, as tests/games has them."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from firmware.commands.replay import ReplayForm, replay
from tests.support.places import GAMES

TRANSCRIPTS = sorted(GAMES.glob("*.taco"))


def verdict_line(line: dict[str, Any]) -> str:
    """One line of `tacocat replay --json` in columns."""
    said = [line["problem"] or "ok"]
    said += [f"LATE FOUL {'+'.join(foul['suspects'])}" for foul in line["fouls"]]
    said += [f"round: {line['round_result']}"] if line["round_result"] else []
    said += [f"WINNER {line['winner']}"] if line["winner"] else []
    covered = " covered " + " ".join(map(str, line["covered"])) if line["covered"] else ""
    hands = "{yay}:{wow}".format(**line["hands"])
    awaited = " ".join(line["to_act"]) or "-"
    return (
        f"{line['line']:>3} {line['event']:<22} {', '.join(said):<34} | {line['phase']:<8} {awaited:<7} | {hands} | "
        f"round {line['round']} on {line['tacocat']}{covered}"
    )


def judged(path: Path) -> list[dict[str, Any]]:
    out, err = io.StringIO(), io.StringIO()
    with path.open("rb") as stream:
        assert replay(stream, path.name, ReplayForm.JSON, out, err) == 0, err.getvalue()
    assert err.getvalue() == ""
    return [json.loads(line) for line in out.getvalue().splitlines()]

"""Transcripts with verdicts are judged as they say: the project's own, and the shared ones where they are at hand."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from firmware.commands.replay import ReplayForm, replay
from tests.support.judged import TRANSCRIPTS, judged, verdict_line
from tests.support.places import ROOT

SHARED = ROOT.parent / "shared" / "examples"
ENDS_IN_A_FAULT = "corner-16"


def replayed(path: Path) -> tuple[int, list[dict[str, Any]]]:
    out, err = io.StringIO(), io.StringIO()
    with path.open("rb") as stream:
        status = replay(stream, path.name, ReplayForm.JSON, out, err)
    return status, [json.loads(line) for line in out.getvalue().splitlines()]


def test_all_examples_at_hand_are_judged_as_they_say() -> None:
    examples = sorted(SHARED.glob("*.taco"))
    for path in examples:
        status, lines = replayed(path)
        assert lines == [json.loads(line) for line in path.with_suffix(".jsonl").read_text().splitlines()], path.name
        assert status == (2 if path.name.startswith(ENDS_IN_A_FAULT) else 0), path.name
    for path in TRANSCRIPTS:
        assert [verdict_line(line) for line in judged(path)] == path.with_suffix(".verdicts").read_text().splitlines()
    assert len(TRANSCRIPTS) >= 15  # there is always something to judge

"""Games told to people, written down as text: no word of a story changes unseen.

    python -m tests.support.stories      writes tests/views/stories.txt anew, after a change that was meant

The games are those of tests/games, and some of random players who also play wrongly, cheat and take back.
"""

from __future__ import annotations

import io
from collections.abc import Iterator

from engine.rules import Mode, Rules
from engine.transcript import format_transcript
from firmware.commands.replay import ReplayForm, replay
from tests.support.engine_games import play
from tests.support.places import ROOT

FILE = ROOT / "tests" / "views" / "stories.txt"
COMMAND = "python -m tests.support.stories"
GAMES = ROOT / "tests" / "games"
SEEDS = range(1, 3)


def all_stories() -> Iterator[str]:
    """The whole file, story by story, each below its name."""
    yield f"Games as they are told. Written by `{COMMAND}`: after a change that was meant, run it again and read.\n"
    for path in sorted(GAMES.glob("*.taco")):
        yield f"{path.stem}\n{story_of(path.read_bytes())}"
    for mode in (Mode.PLAY, Mode.REFEREE):
        for seed in SEEDS:
            rules = Rules(mode=mode)
            transcript = format_transcript(rules, play(rules, seed, most=150))
            yield f"random {mode} {seed}\n{story_of(transcript.encode())}"


def story_of(transcript: bytes) -> str:
    """The story of a game, a line a happening, each two blanks further in than a name."""
    out, err = io.StringIO(), io.StringIO()
    assert replay(io.BytesIO(transcript), "a game", ReplayForm.STORY, out=out, err=err) == 0, err.getvalue()
    return "".join(f"  {line}\n" for line in out.getvalue().splitlines())


if __name__ == "__main__":
    FILE.write_text("\n".join(all_stories()), encoding="utf-8")

"""docs/bots.md: the bot in it works, and its numbers are those of the program."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

from engine.players.names import LEVEL_NAMES
from firmware.bots import at_table, child, dialogue, intake, lines, sandbox
from firmware.cli import main
from tests.support.places import ROOT

TEXT = (ROOT / "docs" / "bots.md").read_text(encoding="utf-8")
(BOT,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def test_the_bot_of_the_document_plays_whole_games_without_a_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "twenty.py"
    path.write_text(BOT)
    command = shlex.join([sys.executable, str(path)])
    assert main(["match", command, "random", "--pairs", "4", "--ms", "9000"]) == 0, capsys.readouterr().out
    assert main(["match", "careful", command, "--pairs", "1", "--ms", "9000", "--sandbox"]) == 0


def test_it_has_some_twenty_lines() -> None:
    assert len([line for line in BOT.splitlines() if line]) <= 25


def test_the_numbers_of_the_document_are_those_of_the_program() -> None:
    plain = " ".join(TEXT.split())
    for words in (
        f"at most {lines.LONGEST_LINE} bytes",
        f"**tacobot {lines.VERSION}**",
        f"more than {intake.FLOOD // 1024} kB of `info`",
        f"no answer for {dialogue.MOST_MS // 1000} s (at a table: {dialogue.TABLE_MOST_MS // 1000} s)",
        f"more than {dialogue.LATE_MS} ms after the time",
        f"ends within {child.QUIT_S:g} s",
        f"{sandbox.MEMORY_BYTES >> 20} MB of memory",
        f"an hour of processor time, files of {sandbox.LIMITS['RLIMIT_FSIZE'] >> 20} MB",
        f"{sandbox.LIMITS['RLIMIT_NOFILE']} open files, {sandbox.LIMITS['RLIMIT_NPROC']} processes",
        f"the level *{at_table.STAND_IN}* plays on",
        ", ".join(LEVEL_NAMES),
    ):
        assert words in plain
    assert sandbox.LIMITS["RLIMIT_CPU"] == 60 * 60

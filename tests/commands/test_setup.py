"""`tacocat setup`: answers in, a commented table.toml out, and nothing at all if somebody stops."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from engine.board import Arrow
from firmware import cli
from firmware.commands import setup
from firmware.commands.setup import QUESTIONS, AnswerError, setup_command, take_goal_leds, take_space_leds, write
from firmware.config.reading import load
from firmware.config.table_toml import EXAMPLE
from firmware.config.values import MAX_LEDS, Config
from firmware.errors import FirmwareError
from firmware.files.whole import SaveError
from tests.support.places import ROOT

ENTER = ("",) * len(QUESTIONS)
BOARD, ARROWS = "5 5 5 5 5 5 5", "wow wow both both both yay yay"


class Terminal:
    """Types these lines, in order; after the last one the input ends. `said` is all that was shown."""

    def __init__(self, lines: Iterable[str | type[BaseException]]) -> None:
        self.lines = list(lines)
        self.said = ""

    def read(self, prompt: str) -> str:
        self.say(prompt)
        line = self.lines.pop(0) if self.lines else EOFError
        if isinstance(line, str):
            return line
        raise line

    def say(self, line: str) -> None:
        self.said += f"{line}\n"

    def setup(self, path: Path) -> int:
        return setup_command(path, self.read, self.say)


# ---- what is written -----------------------------------------------------------------------


def test_the_packaged_example_is_the_one_that_people_copy() -> None:
    assert EXAMPLE.read_bytes() == (ROOT / "table.example.toml").read_bytes()


def test_the_defaults_written_out_are_the_example_itself(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    terminal = Terminal(ENTER)
    assert terminal.setup(path) == 0
    assert path.read_bytes() == EXAMPLE.read_bytes()
    assert sorted(tmp_path.iterdir()) == [path] and f"\nWritten: {path}\n" in terminal.said
    assert "in your file" not in terminal.said


def test_all_answers_are_written_with_the_comments_around_them(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    assert Terminal((BOARD, ARROWS, "2", "8, 8, 8, 9, 8, 8, 8", "SH1106", "Catalan")).setup(path) == 0
    config = load(path)
    assert config.board.hand_sizes == (5,) * 7
    assert config.board.arrows[2] is Arrow.BOTH
    assert (config.track.goal_leds, config.track.space_leds, config.track.leds) == (2, (8, 8, 8, 9, 8, 8, 8), 61)
    assert (config.screen.controller, config.language) == ("sh1106", "ca")
    text = path.read_text()
    assert 'board = "5 5 5 5 5 5 5"' in text
    assert "goal_leds = 2        # LEDs on each goal" in text
    comments = [line.partition("#")[2] for line in EXAMPLE.read_text().splitlines()]
    assert [line.partition("#")[2] for line in text.splitlines()] == comments


def test_every_question_shows_the_default_and_says_that_it_is_to_be_compared(tmp_path: Path) -> None:
    terminal = Terminal(ENTER)
    terminal.setup(tmp_path / "table.toml")
    asked = terminal.said.split(f" of {len(QUESTIONS)}. ")[1:]
    assert re.findall(r"^(\d+) of (\d+)\. ", terminal.said, re.MULTILINE) == [(str(n), "6") for n in range(1, 7)]
    usual = ("4 6 9 7 9 6 4", "wow wow wow both yay yay yay", "4", "8", "ssd1306", "en")
    for text, default in zip(asked, usual, strict=True):
        assert f"usual: {default}\n" in text and f"Enter for {default}," in text
        assert "ompare" in text and "box" in text


# ---- wrong answers -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "wrong", "why"),
    [
        (0, "4 6 9", "7 hand sizes are expected"),
        (0, "4 6 9 7 9 6 1", "at least 2 is needed"),
        (0, "19 20 9 7 9 6 4", "two hands of 20 cards"),
        (0, "five", "7 hand sizes are expected"),
        (0, "9" * 5000, "5000 characters"),
        (5, "x" * 201, "an answer of 201 characters: at most 200 are expected"),
        (5, "x" * 200, "one of en, el, fy, ca, ar"),
        (1, "left left left both right right right", "each yay, wow or both"),
        (2, "four", "0 to 300"),
        (2, "-1", "0 to 300"),
        (2, "9" * 150, "0 to 300"),
        (2, "151", "at most 300"),
        (3, "8 8", "7 if the spaces differ"),
        (3, "50", "358 LEDs"),
        (3, "²", "0 to 300"),
        (4, "ssd1305", "one of ssd1306, ssd1309, sh1106, none"),
        (5, "Klingon", "one of en, el, fy, ca, ar"),
    ],
)
def test_a_wrong_answer_is_explained_and_asked_again(tmp_path: Path, number: int, wrong: str, why: str) -> None:
    lines = list(ENTER)
    lines[number : number + 1] = [wrong, ""]
    terminal = Terminal(lines)
    path = tmp_path / "table.toml"
    assert terminal.setup(path) == 0
    assert terminal.said.count("That cannot be") == 1
    assert why in terminal.said.split("That cannot be")[1].split("Enter for")[0]
    assert load(path) == Config()


def test_a_strip_without_any_led_is_refused(tmp_path: Path) -> None:
    terminal = Terminal(("", "", "0", "0", "", "", ""))
    assert terminal.setup(tmp_path / "table.toml") == 0
    assert "make 0 LEDs" in terminal.said


# ---- a file that is there ------------------------------------------------------------------


def test_what_was_not_asked_for_stays_as_it_was_and_the_old_file_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    old = b"swap_sides = true\nlanguage = 'el'\n[track]\nbudget_ma = 900\n[pads.yay]\nreset = 'none'\n"
    path.write_bytes(old)
    terminal = Terminal((BOARD, "", "", "", "", ""))
    assert terminal.setup(path) == 0
    config = load(path)
    assert config.swap_sides and config.language == "el" and config.track.budget_ma == 900
    assert config.pads.yay.reset is None and config.board.hand_sizes == (5,) * 7
    assert (tmp_path / "table.toml.bak").read_bytes() == old
    assert "in your file: el" in terminal.said and "table.toml.bak" in terminal.said


def test_spaces_that_differ_are_shown_as_seven_numbers(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_bytes(b"[track]\nspace_leds = [8, 8, 8, 9, 8, 8, 8]\n")
    terminal = Terminal(ENTER)
    assert terminal.setup(path) == 0
    assert "usual: 8\n  in your file: 8 8 8 9 8 8 8\n" in terminal.said
    assert load(path).track.space_leds == (8, 8, 8, 9, 8, 8, 8)


def test_the_same_answers_again_change_nothing_and_keep_the_older_file(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_bytes(b"sound = false\n")
    assert Terminal(ENTER).setup(path) == 0
    written = path.read_bytes()
    assert Terminal(ENTER).setup(path) == 0
    assert path.read_bytes() == written
    assert (tmp_path / "table.toml.bak").read_bytes() == b"sound = false\n"


def test_a_file_with_faults_is_told_kept_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_bytes(b"language = 'xx'\n")
    terminal = Terminal(ENTER)
    assert terminal.setup(path) == 0
    assert "line 1: language" in terminal.said
    assert load(path) == Config() and (tmp_path / "table.toml.bak").read_bytes() == b"language = 'xx'\n"


def test_fewer_milliampere_than_leds_are_explained(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_bytes(b"[track]\nbudget_ma = 100\n")
    terminal = Terminal(("", "", "", "20", "8", "", ""))
    assert terminal.setup(path) == 0
    assert "148 LEDs take 148 mA" in terminal.said and load(path).track.leds == 64


# ---- nothing is saved ----------------------------------------------------------------------


@pytest.mark.parametrize("stop", [EOFError, KeyboardInterrupt])
@pytest.mark.parametrize("answered", range(len(QUESTIONS)))
def test_whoever_stops_before_the_last_answer_saves_nothing(
    tmp_path: Path, stop: type[BaseException], answered: int
) -> None:
    path = tmp_path / "table.toml"
    path.write_bytes(b"sound = false\n")
    terminal = Terminal([*(BOARD, ARROWS, "2", "7", "none", "fy")[:answered], stop])
    assert terminal.setup(path) == 1
    assert "Nothing was written" in terminal.said
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("table.toml", b"sound = false\n")]


def test_a_configuration_with_faults_is_refused_before_the_file_is_touched(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_bytes(b"sound = false\n")
    with pytest.raises(FirmwareError, match="language"):
        write(path, replace(Config(), language="xx"))
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("table.toml", b"sound = false\n")]


def test_a_place_that_cannot_be_written_to_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal(ENTER)
    path = tmp_path / "missing" / "table.toml"
    assert terminal.setup(path) == 1
    assert f"{path} could not be saved" in terminal.said

    def full(path: Path, data: bytes) -> None:
        raise SaveError(f"{path} could not be saved: No space left on device")

    old = tmp_path / "table.toml"
    old.write_bytes(b"sound = false\n")
    monkeypatch.setattr(setup, "replace_file", full)
    assert Terminal((BOARD, *ENTER[1:])).setup(old) == 1
    assert old.read_bytes() == b"sound = false\n"


def test_a_place_that_cannot_be_written_to_is_found_before_the_first_question(tmp_path: Path) -> None:
    terminal = Terminal(())
    path = tmp_path / "missing" / "table.toml"
    assert terminal.setup(path) == 1
    assert f"{path} could not be saved" in terminal.said and "1 of" not in terminal.said
    there = tmp_path / "table.toml"
    there.write_bytes(b"sound = false\n")
    assert Terminal(()).setup(there) == 1  # stopped at once
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("table.toml", b"sound = false\n")]


def test_an_answer_is_shown_without_what_a_terminal_obeys(tmp_path: Path) -> None:
    terminal = Terminal(("\x1b[2J\x07", "\udcff", "\u202e5"))
    assert terminal.setup(tmp_path / "table.toml") == 1
    assert "That cannot be" in terminal.said
    assert not any(sign in terminal.said for sign in ("\x1b", "\x07", "\udcff", "\u202e", "\\udcff", "\\x1b"))


# ---- the command ---------------------------------------------------------------------------


def test_the_command_asks_on_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.toml"
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{BOARD}\n\n\n\n\nGreek\n"))
    assert cli.main(["setup", "--config", str(path)]) == 0
    assert load(path).language == "el" and load(path).board.hand_sizes == (5,) * 7
    assert f"tacocat check --config {path}" in capsys.readouterr().out


def test_the_end_of_standard_input_saves_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; from firmware.cli import main; sys.exit(main())",
            "setup",
            "--config",
            str(tmp_path / "table.toml"),
        ],
        input=f"{BOARD}\n",
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=dict(os.environ),
        check=False,
    )
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


# ---- the ends of what an answer may be -----------------------------------------------------


@pytest.mark.parametrize("goal", [0, MAX_LEDS // 2])
def test_goals_may_have_no_led_or_all_that_a_strip_can_have(goal: int) -> None:
    assert take_goal_leds(Config(), f" {goal} ").track.goal_leds == goal
    with pytest.raises(AnswerError, match=rf"two goals of {MAX_LEDS // 2 + 1} LEDs: a strip has at most {MAX_LEDS}"):
        take_goal_leds(Config(), str(MAX_LEDS // 2 + 1))


@pytest.mark.parametrize(("answer", "leds"), [("0 0 0 0 0 0 1", 1), (f"{MAX_LEDS} 0 0 0 0 0 0", MAX_LEDS)])
def test_a_strip_has_from_one_led_to_the_most_that_there_can_be(answer: str, leds: int) -> None:
    config = replace(Config(), track=replace(Config().track, goal_leds=0, budget_ma=100_000))
    assert take_space_leds(config, answer).track.leds == leds
    for wrong in ("0", f"{MAX_LEDS} 1 0 0 0 0 0", f"{MAX_LEDS + 1} 0 0 0 0 0 0"):
        with pytest.raises(AnswerError, match=f"to {MAX_LEDS} (are|is) expected"):
            take_space_leds(config, wrong)


def test_a_strip_must_have_more_milliampere_than_leds() -> None:
    track = replace(Config().track, goal_leds=0, budget_ma=15)
    config = replace(Config(), track=track)
    assert take_space_leds(config, "2").track.leds == 14
    with pytest.raises(AnswerError, match="budget_ma in your file is 15"):
        take_space_leds(config, "2 2 2 2 2 2 3")


def test_a_file_of_sixteen_megabytes_is_backed_up_and_a_larger_one_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_bytes(b"#" * (1 << 24))
    kept = write(path, Config())
    assert kept is not None and kept.stat().st_size == 1 << 24
    path.write_bytes(b"#" * ((1 << 24) + 1))
    with pytest.raises(SaveError, match="has more than 16777216 bytes"):
        write(path, Config())
    assert path.stat().st_size == (1 << 24) + 1

"""`tacocat replay`: JSON lines, the story, and files that cannot be read."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.cli import main
from firmware.commands.replay import MAX_LINE_BYTES, ReplayForm, replay, replay_file


def run(data: bytes | str, told: ReplayForm = ReplayForm.JSON) -> tuple[int, str, str]:
    """Exit status, output and errors of a replay of these bytes."""
    out, err = io.StringIO(), io.StringIO()
    raw = data.encode() if isinstance(data, str) else data
    status = replay(io.BytesIO(raw), "game.taco", told, out, err)
    return status, out.getvalue(), err.getvalue()


def lines(data: bytes | str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run(data)[1].splitlines()]


def test_a_line_says_all_that_the_format_asks_for_in_its_order() -> None:
    status, out, err = run("# at home\n\nyay 7b # first\n")
    assert (status, err) == (0, "")
    assert out == (
        '{"line": 3, "event": "yay 7b", "accepted": true, "problem": null, "fouls": [], "phase": "deal", '
        '"to_act": ["yay", "wow"], "round": 1, "hands": {"yay": 1, "wow": 0}, "tacocat": 4, "covered": [], '
        '"round_result": null, "winner": null}\n'
    )


def test_a_rejected_event_and_a_late_foul_are_named() -> None:
    text = "mode referee\nyay ok\nwow ok\nyay ok\nwow ok\nyay 12a\nwow 1a\nyay 7a\nwow 5a\nyay 5a\nyay 3a\nwow 4a\n"
    used, _, foul = lines(text)[-3:]
    assert (used["accepted"], used["problem"]) == (False, "card-already-used")
    assert foul["fouls"] == [{"rule": "sacrifice-not-lowest", "suspects": ["wow"]}]
    assert foul["hands"] == {"yay": 4, "wow": 4}


def test_the_end_of_a_game_has_its_winner() -> None:
    *_, end, after = lines("mode board\nyay ok\nyay ok\nyay ok\nyay ok\nyay ok\n")
    assert (end["round_result"], end["winner"], end["phase"], end["to_act"]) == ("yay", "yay", "over", [])
    assert (end["tacocat"], end["covered"], end["round"]) == (0, [1, 2, 3, 4], 4)
    assert (after["problem"], after["round_result"], after["winner"]) == ("game-over", None, "yay")


def test_a_last_line_without_a_newline_is_dropped_with_a_warning() -> None:
    status, out, err = run("yay 7b\nwow 7")
    assert status == 0
    assert len(out.splitlines()) == 1
    assert err == "game.taco, line 2: no newline at its end, so it may be cut short: dropped\n"


def test_a_power_cut_in_the_middle_of_a_letter_is_no_fault() -> None:
    status, out, err = run("yay 7b\nwow 7a # grö".encode()[:-1])
    assert (status, len(out.splitlines())) == (0, 1)
    assert "line 2: no newline" in err


def test_a_fault_ends_the_replay_after_what_came_before() -> None:
    status, out, err = run("yay 7b\nwow 7e\nyay 8a\n")
    assert status == 2
    assert [json.loads(line)["event"] for line in out.splitlines()] == ["yay 7b"]
    assert err == "game.taco, line 2: the deck has no card 7e: its 7s are 7a to 7d\n"


def test_a_fault_of_deck_and_board_is_reported_at_the_first_event_or_the_end() -> None:
    status, out, err = run("deck 3x4\nyay 3a\n")
    assert (status, out) == (2, "")
    assert err.startswith("game.taco, line 2: two hands of ")
    status, out, err = run("deck 3x4\n")
    assert (status, out) == (2, "")
    assert err.startswith("game.taco, line 1: two hands of ")


def test_bytes_that_are_not_utf_8_are_named_with_their_place() -> None:
    status, out, err = run(b"yay 7b\nwow 7a # gr\xf6n\nyay 8a\n")
    assert (status, len(out.splitlines())) == (2, 1)
    assert err == "game.taco, line 2: byte 12 is not UTF-8: a transcript is UTF-8 text\n"


@pytest.mark.parametrize("data", ["", "\n\n", "# nothing yet\n", "mode referee\n"])
def test_a_file_without_events_is_fine(data: str) -> None:
    for told in ReplayForm:
        assert run(data, told) == (0, "no events\n" if told is ReplayForm.STORY else "", "")


@settings(max_examples=200)
@given(st.one_of(st.binary(max_size=80), st.text(max_size=80).map(str.encode)))
def test_no_bytes_stop_it_with_an_exception(data: bytes) -> None:
    for told in ReplayForm:
        status, _, err = run(data, told)
        assert status in (0, 2)
        assert status == 0 or err.startswith("game.taco, line ")


def test_the_longest_line_is_read_and_a_longer_one_is_told_with_its_number() -> None:
    longest = b"yay 7b #" + b"7" * (MAX_LINE_BYTES - 9) + b"\n"
    assert len(longest) == MAX_LINE_BYTES and run(longest)[0] == 0
    status, out, err = run(b"yay 7a\n" + longest[:-1] + b"7\n")
    assert (status, len(out.splitlines())) == (2, 1)
    assert err == "game.taco, line 2: a line of more than 65536 bytes: an event has a few\n"


class Torn(io.RawIOBase):
    """A file on a card that is pulled out after the first line."""

    def __init__(self) -> None:
        self.reads = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self.reads += 1
        if self.reads > 1:
            raise OSError(5, "Input/output error")
        buffer[:7] = b"yay 7b\n"
        return 7


def test_a_file_that_breaks_off_is_named_and_what_was_read_is_judged() -> None:
    out, err = io.StringIO(), io.StringIO()
    with io.BufferedReader(Torn()) as stream:
        assert replay(stream, "game.taco", ReplayForm.JSON, out, err) == 2
    assert len(out.getvalue().splitlines()) == 1
    assert err.getvalue() == "game.taco, line 2: reading failed here: Input/output error\n"


def test_a_missing_file_and_a_directory_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(tmp_path / "none.taco"), "--json"]) == 2
    assert main(["replay", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    missing, directory = err.splitlines()
    assert missing.startswith(f"{tmp_path / 'none.taco'} cannot be read: No such file or directory.")
    assert directory.startswith(f"{tmp_path} cannot be read: it is a folder, not a file")
    assert "A transcript (.taco) is expected" in missing


def test_a_file_is_read_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "größe 1.taco"
    path.write_bytes(b"yay 7b\r\nwow 7a\r\n")
    out, err = io.StringIO(), io.StringIO()
    assert replay_file(str(path), ReplayForm.JSON, io.BytesIO(b"never read"), out, err) == 0
    assert [json.loads(line)["event"] for line in out.getvalue().splitlines()] == ["yay 7b", "wow 7a"]


def test_a_dash_is_standard_input() -> None:
    out, err = io.StringIO(), io.StringIO()
    assert replay_file("-", ReplayForm.JSON, io.BytesIO(b"yay 7b\nwow\n"), out, err) == 2
    assert len(out.getvalue().splitlines()) == 1
    assert err.getvalue().startswith("standard input, line 2: 'wow' is not an event")


def test_the_command_itself_reads_a_pipe() -> None:
    command = [
        sys.executable,
        "-c",
        "import sys; from firmware.cli import main; sys.exit(main())",
        "replay",
        "-",
        "--json",
    ]
    done = subprocess.run(command, input=b"mode board\nyay ok\nwow 99\n", capture_output=True, check=False)
    assert done.returncode == 2
    assert json.loads(done.stdout)["tacocat"] == 3
    assert done.stderr.startswith(b"standard input, line 3: '99' is not a card")


def test_the_story_tells_rounds_plays_verdicts_and_fouls() -> None:
    text = """mode referee
late-foul forfeit
yay ok
wow ok
yay ok
wow ok
yay 12a
wow 1a
yay 7a
yay 9a
yay ok
yay 7a
yay tag 04a1b2c3
wow 5a
wow undo
wow 5a
yay 3a
wow 4a
void
"""
    status, out, err = run(text, ReplayForm.STORY)
    assert (status, err) == (0, "")
    for said in (
        "Round 1: Tacocat on 4, 7 cards each, arrow both",
        "duel 12a : 1a, YAY attacks first",
        "rejected: this is neither one card, a set nor a sequence (not-a-set-or-sequence); taken back: 7a 9a",
        "rejected: this tag is not a card of the deck (unknown-card)",
        "(7a answered by 5a: 1 sacrificed)",
        "wow undo  (taken back)",
        "late foul: WOW gave up 5 but still held 4 (sacrifice-not-lowest, suspected: wow)",
        "=> YAY wins the round: Tacocat moves to 3",
        "Round 2: Tacocat on 3, covered 4, 9 cards each, arrow wow",
        "=> the round is void: Tacocat stays",
        "unfinished: round 3, deal, waiting for yay and wow",
    ):
        assert said in out, said


def test_the_story_names_the_winner() -> None:
    out = run("mode board\n" + "wow ok\n" * 4, ReplayForm.STORY)[1]
    assert out.splitlines()[-1] == "WOW wins the game"
    assert "Tacocat moves to WOW's goal" in out


def test_the_public_record_tells_what_lay_open_and_the_turning_points_are_not_told_with_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, out, err = run("yay 7b\nwow 12a\n# a comment\nwow undo\nyay tag 04a1b2c3\n", ReplayForm.PUBLIC)
    lines = [json.loads(line) for line in out.splitlines()]
    assert (status, err) == (0, "")
    assert [line["event"] for line in lines] == ["yay ?", "wow ?", "wow undo", "yay tag ?"]
    assert [line["line"] for line in lines] == [1, 2, 3, 4]
    with pytest.raises(SystemExit):
        main(["replay", "a.taco", "--public", "--points"])
    assert "--points" in capsys.readouterr().err

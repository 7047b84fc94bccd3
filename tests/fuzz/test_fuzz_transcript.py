"""Fuzzing transcripts: what replays, resumes and exports a game, given any bytes and real games mutated."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import YAY
from engine.events import format_event, ok_event
from engine.game import judge, new_game
from engine.transcript import TranscriptError, format_transcript, parse_transcript
from firmware.commands.games import games_command
from firmware.commands.replay import ReplayForm, replay
from firmware.files.whole import ASIDE_SUFFIX
from firmware.kept.games import read_game, unfinished_game
from firmware.kept.journal import Journal
from tests.fuzz.support import examples, mutated
from tests.support.journals import mended
from tests.support.limits import assert_readable, processor_s
from tests.support.places import ROOT

GAMES = tuple(path.read_bytes() for path in sorted((ROOT / "tests" / "games").glob("*.taco")))
WORDS = (
    b"mode play",
    b"mode referee",
    b"mode board",
    b"deck 1x1",
    b"deck 12x26",
    b"board 2 2 2 2 2 2 2",
    b"tie arrow",
    b"arrows both both both both both both both",
    b"late-foul forfeit",
    b"late-foul",
    b"yay",
    b"wow",
    b"yay ok",
    b"wow ok",
    b"yay undo",
    b"wow undo",
    b"void",
    b"yay tag 04a1b2c3d4e5f6",
    b"wow tag",
    b"yay 7a",
    b"wow 7a",
    b"12a",
    b"1a",
    b"3e",
    b"07b",
    b"13a",
    b"1x1",
    b"0x1",
    b"3x27",
    b"# ended by the players",
    b"# \x1b[31m",
)
TEXTS = mutated(GAMES, WORDS) | st.binary(max_size=300)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """Gives a folder without files, as often as it is called: an example is not a test to pytest."""
    folder = tmp_path_factory.mktemp("fuzz")

    def clear() -> Path:
        for path in folder.iterdir():
            path.unlink()
        return folder

    return clear


def replayed(data: bytes, told: ReplayForm) -> tuple[int, str, str]:
    """(exit status, output, errors) of `tacocat replay`."""
    out, err = io.StringIO(), io.StringIO()
    with processor_s(30):
        code = replay(io.BytesIO(data), "game.taco", told, out, err)
    return code, out.getvalue(), err.getvalue()


@examples(120)
@given(data=TEXTS)
def test_a_replay_ends_with_its_code_and_its_words(data: bytes) -> None:
    code, out, err = replayed(data, ReplayForm.JSON)
    assert code in (0, 2) and (err != "") >= (code == 2)
    if err:
        assert_readable(err)
        assert "game.taco, line " in err
    lines = [json.loads(line) for line in out.splitlines()]
    story = replayed(data, ReplayForm.STORY)
    assert (story[0], story[2]) == (code, err)
    if story[1]:
        assert_readable(story[1], 10_000_000)
    numbers = [line["line"] for line in lines]
    assert numbers == sorted(set(numbers)) and all(n <= data.count(b"\n") for n in numbers)


@examples(60)
@given(data=TEXTS, share=st.floats(0, 1))
def test_what_is_judged_of_a_file_that_is_cut_is_what_comes_first_in_the_whole(data: bytes, share: float) -> None:
    whole, cut = (replayed(part, ReplayForm.JSON)[1] for part in (data, data[: int(share * len(data))]))
    assert whole.startswith(cut)


@examples(120)
@given(data=TEXTS)
def test_what_can_be_read_is_written_and_read_again_as_the_same_game(data: bytes) -> None:
    try:
        rules, entries = parse_transcript(data.decode(errors="replace"))
    except TranscriptError as error:
        assert_readable(str(error))
        assert 0 <= error.line <= data.count(b"\n") + 1
        return
    events = [entry.event for entry in entries]
    text = format_transcript(rules, events)
    again, entries = parse_transcript(text)
    assert (again, [entry.event for entry in entries]) == (rules, events)
    assert format_transcript(again, [entry.event for entry in entries]) == text
    assert [entry.text for entry in entries] == list(map(format_event, events))


@examples(80)
@given(data=TEXTS)
def test_a_kept_game_is_gone_on_with_from_its_last_good_line_and_no_byte_of_it_is_lost(
    empty: Callable[[], Path], data: bytes
) -> None:
    folder = empty()
    path = folder / "game-0001.taco"
    path.write_bytes(data)
    kept = read_game(path)
    assert path.read_bytes() == data
    if kept.fault:
        assert_readable(kept.fault)
    game = unfinished_game(folder)
    if game is None:
        return
    said = mended(game)
    good = path.read_bytes()
    assert good == data[: game.good_bytes] and good.endswith(b"\n")
    asides = [each.read_bytes() for each in folder.glob(f"*{ASIDE_SUFFIX}*")]
    assert data in (asides or [good]) or b"\n" not in data[game.good_bytes :]
    assert bool(asides) == bool(said)
    again = read_game(path)
    assert (again.game, again.events, again.fault) == (game.game, game.events, "")
    journal = Journal(folder)
    journal.resume(game)
    journal.append([ok_event(YAY)])
    journal.close()
    assert read_game(path).game == judge(game.game, ok_event(YAY))[0]


@examples(60)
@given(data=TEXTS, more=st.booleans())
def test_kept_games_are_listed_shown_and_exported_whatever_is_in_them(
    empty: Callable[[], Path], data: bytes, more: bool
) -> None:
    folder = empty()
    (folder / "game-0007.taco").write_bytes(data)
    if more:
        (folder / "game-x.taco").write_bytes(data)
    for what, code in (("list", {0}), ("show", {0, 2}), ("export", {0})):
        out, err = io.StringIO(), io.StringIO()
        with processor_s(30):
            assert games_command(folder, what, None, None, out, err) in code
        assert what != "list" or "    7  " in out.getvalue()
        if what != "export":
            assert_readable(out.getvalue() + err.getvalue(), 10_000_000)
    copy = folder / "copy"
    assert games_command(folder, "export", 7, copy, io.StringIO(), io.StringIO()) == 0
    assert copy.read_bytes() == data


@examples(60)
@given(data=mutated(GAMES, WORDS))
def test_the_game_is_that_of_its_events_one_by_one(data: bytes) -> None:
    _, out, _ = replayed(data, ReplayForm.JSON)
    told = [json.loads(line) for line in out.splitlines()]
    if not told:
        return
    rules, entries = parse_transcript("\n".join(data.decode(errors="replace").split("\n")[: told[-1]["line"]]))
    game = new_game(rules)
    for entry, each in zip(entries, told, strict=True):
        game, verdict = judge(game, entry.event)
        assert (verdict.accepted, verdict.problem) == (each["accepted"], each["problem"])
    assert (game.winner, game.track.tacocat) == (told[-1]["winner"], told[-1]["tacocat"])

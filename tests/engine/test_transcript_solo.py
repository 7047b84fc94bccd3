"""The lines of a transcript that are there for a game against the table: its name, who plays, and what was chosen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import Player, parse_card
from engine.errors import ParseError
from engine.transcript import Choice, Solo, TranscriptError, TranscriptReader, format_head, parse_solo, parse_transcript

ID = "0123456789abcdef" * 2
HEAD = f"game {ID}\nsolo wow good 8123\n"


def reader_of(text: str) -> TranscriptReader:
    reader = TranscriptReader()
    for line in text.splitlines():
        reader.feed(line)
    reader.finish()
    return reader


def test_the_game_has_a_name_and_says_who_plays_for_the_table() -> None:
    reader = reader_of(f"mode play\n{HEAD}yay 7b\n")
    assert (reader.game_id, reader.solo) == (ID, Solo(Player.WOW, "good", 8123))


def test_without_these_lines_there_is_no_name_and_nobody_plays_for_the_table() -> None:
    reader = reader_of("mode play\nyay 7b\n")
    assert (reader.game_id, reader.solo, reader.choice) == ("", None, None)


@given(st.builds(Solo, st.sampled_from(Player), st.from_regex(r"[A-Za-z0-9._-]{1,40}", fullmatch=True),
                 st.integers(0, 10**18 - 1)))  # fmt: skip
def test_what_the_head_says_is_read_again(solo: Solo) -> None:
    reader = reader_of(format_head(ID, solo))
    assert (reader.game_id, reader.solo) == (ID, solo)


@pytest.mark.parametrize("line", [
    "game", "game 12", f"game {ID}0", f"game {'g' * 32}", "solo", "solo wow", "solo wow good", "solo red good 1",
    "solo wow good -1", "solo wow good 1.5", f"solo wow good {'9' * 19}", "solo wow go,od 1",
    "solo wow good 1 2",
])  # fmt: skip
def test_a_faulty_head_names_its_line_and_what_was_expected(line: str) -> None:
    with pytest.raises(TranscriptError, match=r"line 2: (game|solo): .*expected") as refusal:
        reader_of(f"mode play\n{line}\n")
    assert refusal.value.line == 2


def test_a_level_of_several_words_is_refused() -> None:
    with pytest.raises(ParseError, match="one word"):
        parse_solo("wow very-good,x 1")


@pytest.mark.parametrize("mode", ["referee", "board"])
def test_the_table_plays_in_mode_play_only(mode: str) -> None:
    with pytest.raises(TranscriptError, match=f"solo in mode {mode}"):
        reader_of(f"solo wow good 1\nmode {mode}\n")


def test_a_choice_is_no_event() -> None:
    _, entries = parse_transcript(f"{HEAD}yay 7b\nchoice wow 3a 5b # in secret\nwow 3b\n")
    assert [(entry.line, entry.text) for entry in entries] == [(3, "yay 7b"), (5, "wow 3b")]


@pytest.mark.parametrize(("after", "choice"), [
    ("", Choice(Player.WOW, (parse_card("3a"), parse_card("5b")))),
    ("yay 4a\n", Choice(Player.WOW, (parse_card("3a"), parse_card("5b")))),
    ("choice wow\n", Choice(Player.WOW, ())),
    ("yay undo\n", None),
    ("void\n", None),
])  # fmt: skip
def test_a_choice_stands_until_something_is_taken_back_or_another_is_made(after: str, choice: Choice | None) -> None:
    reader = reader_of(f"{HEAD}yay 7b\nchoice wow 3a 5b\n{after}")
    assert reader.choice == choice


def test_a_choice_is_written_as_it_is_read() -> None:
    choice = Choice(Player.WOW, (parse_card("3a"), parse_card("5b")))
    assert reader_of(f"{HEAD}{choice}\n").choice == choice


@pytest.mark.parametrize("line", ["choice", "choice red 3a", "choice wow 3z", "choice wow 03a", "choice wow 7e"])
def test_a_faulty_choice_names_its_line(line: str) -> None:
    with pytest.raises(TranscriptError, match=r"line 3: choice: ") as refusal:
        reader_of(f"{HEAD}{line}\n")
    assert refusal.value.line == 3


def test_after_a_choice_no_header_may_follow() -> None:
    with pytest.raises(TranscriptError, match="headers come first"):
        reader_of("choice wow 3a\nmode play\n")

"""The transcript format: read as written, and every faulty line named with file, line and what was expected."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import DEFAULT_DECK, PLAYERS, parse_card
from engine.errors import EngineError, ParseError
from engine.events import (
    VOID,
    Event,
    Kind,
    card_event,
    format_event,
    format_uid,
    ok_event,
    parse_event,
    parse_uid,
    tag_event,
    undo_event,
)
from engine.rules import LateFoul, Mode, Rules, Tie
from engine.transcript import (
    HEADERS,
    TranscriptError,
    TranscriptReader,
    format_rules,
    format_transcript,
    parse_transcript,
)
from tests.support.engine_games import SEEDS, play, rules
from tests.support.places import ROOT

PLAYER = st.sampled_from(PLAYERS)
EVENTS = st.one_of(
    st.just(VOID),
    st.builds(ok_event, PLAYER),
    st.builds(undo_event, PLAYER),
    st.builds(tag_event, PLAYER, st.binary(min_size=1, max_size=10)),
    st.builds(card_event, PLAYER, st.sampled_from(DEFAULT_DECK.cards)),
)


@given(EVENTS)
def test_an_event_is_read_as_it_is_written(event: Event) -> None:
    assert parse_event(format_event(event)) == event == parse_event(str(event), DEFAULT_DECK)
    assert eval(repr(event)) == event


@given(rules(tuple(Mode)), SEEDS)
def test_a_transcript_is_read_as_it_is_written(game_rules: Rules, seed: int) -> None:
    events = play(game_rules, seed, 80)
    text = format_transcript(game_rules, events)
    read, entries = parse_transcript(text)
    assert read == game_rules
    assert [entry.event for entry in entries] == events
    assert [entry.line for entry in entries] == list(range(7, 7 + len(events)))
    assert format_transcript(read, (entry.event for entry in entries)) == text


def test_the_header_is_printed_whole() -> None:
    assert format_rules(Rules()) == (
        "mode play\n"
        "deck 1x1 2x2 3x5 4x5 5x5 6x5 7x4 8x3 9x3 10x2 11x2 12x1\n"
        "board 4 6 9 7 9 6 4\n"
        "arrows wow wow wow both yay yay yay\n"
        "tie redeal\n"
        "late-foul note\n"
    )


def test_what_is_missing_has_its_default() -> None:
    assert parse_transcript("") == (Rules(), [])
    assert parse_transcript("tie arrow\n")[0] == Rules(tie=Tie.ARROW)


def test_header_lines_come_in_any_order() -> None:
    lines = format_rules(Rules(Mode.REFEREE, late_foul=LateFoul.FORFEIT)).splitlines()
    assert parse_transcript("\n".join(reversed(lines)))[0] == Rules(Mode.REFEREE, late_foul=LateFoul.FORFEIT)


@pytest.mark.parametrize(
    "text",
    [
        "mode referee\nyay 7b\n",
        "mode referee\r\nyay 7b\r\n",
        "mode referee\nyay 7b",
        "  mode\t referee  \n\t yay \t 7b  \n",
        "# 7 December\nmode referee # as ever\n\n   \n\t\nyay 7b # 00:01\n# ende\n",
        "mode referee#x\nyay 7b#x\n",
        "mode referee # größer ☃ 猫 \U0001f408\nyay 7b # \u2028 \x00\n",
        "#" * 100_000 + "\nmode referee\nyay 7b\n",
    ],
)
def test_blanks_comments_and_line_ends_do_not_matter(text: str) -> None:
    read, entries = parse_transcript(text)
    assert read == Rules(Mode.REFEREE)
    assert [entry.event for entry in entries] == [card_event(PLAYERS[0], parse_card("7b"))]


def test_an_entry_holds_the_event_as_written_without_comment() -> None:
    _, entries = parse_transcript("# one\n  yay tag DE:AD:BE:EF   # two\n wow tag de ad be ef\n")
    assert [(entry.line, entry.text) for entry in entries] == [(2, "yay tag DE:AD:BE:EF"), (3, "wow tag de ad be ef")]
    assert {entry.event.uid for entry in entries} == {bytes.fromhex("deadbeef")}


FAULTS = [
    ("yay 7e", 1, "the deck has no card 7e: its 7s are 7a to 7d"),
    ("deck 3x18\nyay 7a", 2, "the deck has no card 7a: it has no 7 at all"),
    ("yay 07b", 1, "'07b' is not a card: a rank from 1 to 12 and a letter are expected"),
    ("yay 13a", 1, "'13a' is not a card"),
    ("yay 7", 1, "'7' is not a card"),
    ("yay", 1, "'yay' is not an event: yay or wow with a card"),
    ("Yay 7b", 1, "'Yay 7b' is not an event"),
    ("yay 7b 7c", 1, "'yay 7b 7c' is not an event"),
    ("yay ok ok", 1, "is not an event"),
    ("void yay", 1, "is not an event"),
    ("yay void", 1, "'void' is not a card"),
    ("ok", 1, "'ok' is not an event"),
    ("7b", 1, "is not an event"),
    ("yay tag", 1, "'' is not a UID: bytes in hexadecimal are expected"),
    ("yay tag 0", 1, "'0' is not a UID"),
    ("yay tag 04a", 1, "'04a' is not a UID"),
    ("yay tag 0x04a1", 1, "is not a UID"),
    ("yay tag 04::a1", 1, "is not a UID"),
    ("# ok\n\nmode", 3, "mode: '' found, one of play, referee, board is expected"),
    ("mode Play", 1, "mode: 'Play' found, one of play, referee, board is expected"),
    ("mode play play", 1, "'play play' found"),
    ("tie none", 1, "tie: 'none' found, one of redeal, arrow is expected"),
    ("late-foul", 1, "late-foul: '' found, one of note, forfeit is expected"),
    ("modes play", 1, "'modes play' is not an event"),
    ("mode: play", 1, "'mode: play' is not an event"),
    ("mode play\nmode play", 2, "a second 'mode' line: each header at most once"),
    ("tie arrow\nyay ok\ntie arrow", 3, "the header line 'tie' stands after the first event"),
    ("yay ok\nmode play", 2, "the header line 'mode' stands after the first event"),
    ("deck", 1, "deck: the deck has no cards"),
    ("deck 3x5 3x4", 1, "deck: rank 3 stands twice in the deck"),
    ("deck 3x0", 1, "deck: '3x0' in the deck: rank x copies is expected"),
    ("deck 3x27", 1, "deck: 27 copies of rank 3: 1 to 26 are allowed"),
    ("deck 0x1", 1, "deck: '0x1' in the deck"),
    ("deck 13x1", 1, "deck: '13x1' in the deck"),
    ("board 4 6 9 7 9 6", 1, "board: '4 6 9 7 9 6': 7 hand sizes are expected"),
    ("board 4 6 9 7 9 6 1", 1, "board: hand size 1 on space 7: at least 2 is needed"),
    ("arrows yay", 1, "arrows: 'yay': 7 arrows are expected, each yay, wow or both"),
    # faults of deck and board together: at the first event, or at the end
    ("deck 3x17\n# a comment\nyay ok", 3, "two hands of 9 cards (space 3) cannot be dealt from a deck of 17"),
    ("deck 3x17\nboard 8 8 8 8 8 8 9\n", 3, "two hands of 9 cards (space 7) cannot be dealt from a deck of 17"),
    # odd letters
    ("yay\u00a07b", 1, "is neither a header line nor an event"),
    ("mode\u00a0play", 1, "is neither a header line nor an event"),
    ("deck 3x9\u00a04x9", 1, "is neither a header line nor an event"),
    ("deck 3x9\x0b4x9", 1, "is neither a header line nor an event"),
    ("board 4 6 9 7 9 6 ４", 1, "is neither a header line nor an event"),
    ("\ufeffmode play", 1, "is neither a header line nor an event"),
    ("yay 7b\ryay 7c", 1, "is neither a header line nor an event"),
    ("yay 7b\x00", 1, "is neither a header line nor an event"),
    ("yay ٧b", 1, "is neither a header line nor an event"),
    ("yay 7b\x0c", 1, "is neither a header line nor an event"),
]


@pytest.mark.parametrize(("text", "line", "message"), FAULTS)
def test_a_faulty_line_is_named_with_file_line_and_what_was_expected(text: str, line: int, message: str) -> None:
    with pytest.raises(TranscriptError, match=re.escape(message)) as caught:
        parse_transcript(text, "game.taco")
    assert str(caught.value).startswith(f"game.taco, line {line}: ")
    assert caught.value.line == line
    assert isinstance(caught.value, ParseError) and isinstance(caught.value, EngineError)


@pytest.mark.parametrize(
    "text", ["yay " + "7" * 100_000, "deck 3x" + "9" * 100_000, "x" * 1_000_000, "board" + " 9" * 50_000]
)
def test_a_very_long_line_makes_a_short_message(text: str) -> None:
    with pytest.raises(TranscriptError) as caught:
        parse_transcript(text)
    assert len(str(caught.value)) < 500
    assert "expected" in str(caught.value)


def test_a_message_of_up_to_400_characters_is_whole_and_of_a_longer_one_the_middle_is_left_out() -> None:
    def message(letters: int) -> str:
        with pytest.raises(TranscriptError) as caught:
            parse_transcript("é" * letters)
        return str(caught.value).removeprefix("transcript, line 1: ")

    fixed = len(message(1)) - 1
    assert message(400 - fixed).startswith("'ééé") and len(message(400 - fixed)) == 400
    assert " … " not in message(400 - fixed)
    cut = message(401 - fixed)
    assert cut.count(" … ") == 1 and [len(part) for part in cut.split(" … ")] == [200, 200]


def test_what_came_before_a_fault_has_been_read() -> None:
    reader = TranscriptReader("game.taco")
    assert reader.feed("mode referee") is None
    assert reader.feed("yay ok") is not None
    with pytest.raises(TranscriptError):
        reader.feed("yay maybe")
    assert reader.rules == Rules(Mode.REFEREE)


PIECES = ["yay", "wow", "ok", "undo", "tag", "void", "7b", "12a", "3x5", "1x27", "play", "both", "arrow", "note"]
NUMBERS = ["9", "-1", "99999999999", "04a1", "é", "#"]
ODD = [" ", "\t", "\r", "\n", "\u2028", "\x85", "\x00", "\ufeff", "4 6 9 7 9 6 4"]
WORDS = st.sampled_from([*HEADERS, *PIECES, *NUMBERS, *ODD])


@settings(max_examples=300)
@given(st.one_of(st.lists(WORDS, max_size=30).map("".join), st.lists(WORDS, max_size=30).map(" ".join), st.text()))
def test_no_text_raises_anything_but_a_transcript_error(text: str) -> None:
    try:
        read, entries = parse_transcript(text, "fuzz")
    except TranscriptError as error:
        assert str(error).startswith("fuzz, line ")
        assert 1 <= error.line <= text.count("\n") + 1
    else:
        assert format_transcript(read, (entry.event for entry in entries))
        assert all(entry.text.isascii() and entry.event.kind in Kind for entry in entries)


@settings(max_examples=200)
@given(SEEDS, st.data())
def test_a_transcript_with_one_changed_letter_is_read_or_named(seed: int, data: st.DataObject) -> None:
    text = format_transcript(Rules(Mode.REFEREE), play(Rules(Mode.REFEREE), seed, 12))
    place = data.draw(st.integers(0, len(text) - 1))
    changed = text[:place] + data.draw(st.characters()) + text[place + 1 :]
    try:
        parse_transcript(changed)
    except TranscriptError as error:
        assert error.line >= text.count("\n", 0, place) + 1 or "cannot be dealt" in str(error)


@pytest.mark.parametrize("text", ["04a1b2c3d4e5f6", "04:A1:B2:C3:D4:E5:F6", "04 a1 b2 c3 d4 e5 f6"])
def test_a_uid_has_one_form_in_files_and_three_that_are_understood(text: str) -> None:
    assert parse_uid(text) == bytes.fromhex("04a1b2c3d4e5f6")
    assert format_uid(parse_uid(text)) == "04a1b2c3d4e5f6"


@pytest.mark.parametrize("count", [0, 1, 3, 5, 6, 8, 9, 11])
def test_a_uid_has_4_or_7_or_10_bytes(count: int) -> None:
    with pytest.raises(ParseError):
        parse_uid("04" * count)


def test_the_example_on_the_page_of_the_format_can_be_read() -> None:
    page = (ROOT / "docs" / "transcript.md").read_text()
    read, entries = parse_transcript(page.split("```")[1])
    assert read == Rules(Mode.REFEREE, tie=Tie.ARROW)
    assert {entry.event.kind for entry in entries} == set(Kind)

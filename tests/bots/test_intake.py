"""What comes out of a bot, whatever it is: lines, bounded."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from firmware.bots.intake import FLOOD, Intake, Saying

FLOODED = Saying("more than 64 kB of info between two questions", wrong=True)
TOO_LONG = Saying("a line of more than 1000 bytes", wrong=True)


@given(st.lists(st.binary(max_size=40), max_size=30), st.randoms(use_true_random=False))
def test_lines_come_the_same_however_they_are_cut(lines: list[bytes], chance: object) -> None:
    data = b"\n".join(lines)
    whole, cut = Intake("of info"), Intake("of info")
    expected = whole.feed(data)
    found = [saying for byte in data for saying in cut.feed(bytes([byte]))]
    assert found == expected


def test_a_part_of_a_line_is_nothing_until_it_is_whole() -> None:
    intake = Intake("of info")
    assert intake.feed(b"play 1 ") == []
    assert intake.feed(b"9a ok\r\nplay") == [Saying("play 1 9a ok")]


def test_a_line_of_a_thousand_bytes_is_taken_and_a_longer_one_is_too_long_before_it_ends() -> None:
    assert Intake("of info").feed(b"x" * 1000 + b"\n") == [Saying("x" * 1000)]
    assert Intake("of info").feed(b"x" * 1001 + b"\n") == [TOO_LONG]
    assert Intake("of info").feed(b"x" * 1001) == [TOO_LONG]


def test_what_is_no_text_is_a_line_too() -> None:
    (saying,) = Intake("of info").feed(b"\xff\xfe\x00\n")
    assert not saying.wrong and saying.text.endswith("\x00")


def test_info_is_dropped_and_counted_from_question_to_question() -> None:
    intake, line = Intake("of info"), b"info " + b"x" * 123 + b"\n"
    for _ in range(3):
        intake.question()
        for _ in range(FLOOD // len(line)):
            assert intake.feed(line) == []
        assert intake.feed(b"play 1 ok\n") == [Saying("play 1 ok")]
    assert intake.feed(line) == [FLOODED]
    assert intake.feed(line + b"play 1 ok\n") == []


def test_rubbish_is_counted_like_info_and_a_flood_is_told_once() -> None:
    intake = Intake("of info")
    found = [saying for _ in range(FLOOD) for saying in intake.feed(b"..\n")]
    assert found[-1] == FLOODED and [saying.wrong for saying in found].count(True) == 1


def test_bytes_on_standard_error_are_counted_only() -> None:
    intake = Intake("on standard error")
    assert intake.count(b"x" * FLOOD) == []
    intake.question()
    assert intake.count(b"x" * FLOOD) == [] and len(intake.count(b"x")) == 1
    assert intake.count(b"x" * FLOOD) == []


def test_bytes_that_were_written_before_a_question_and_are_read_after_it_do_not_count_for_it() -> None:
    intake = Intake("on standard error")
    intake.question(FLOOD)
    assert intake.count(b"x" * 2 * FLOOD) == [] and len(intake.count(b"x")) == 1

"""How faults are told: cut, printable, counted, and not again and again."""

from __future__ import annotations

import logging
import sys

import pytest

from firmware.errors import OnceAMinute, bounded, one_line, printable, reason, short, told


def record(text: str, fault: Exception | None = None, **extra: object) -> logging.LogRecord:
    """A fault as it is logged, raised here if there is one."""
    caught = None
    try:
        if fault is not None:
            raise fault
    except ValueError:
        caught = sys.exc_info()
    found = logging.LogRecord("tacocat", logging.ERROR, "", 0, text, (), caught)
    vars(found).update(extra)
    return found


@pytest.mark.parametrize(
    ("count", "last"),
    [
        (1, "fault 1"),
        (24, "fault 24"),
        (25, "fault 25"),
        (26, "and 1 more faults like these"),
        (1000, "and 975 more faults like these"),
    ],
)
def test_the_first_twenty_five_faults_of_a_file_are_told_and_the_others_counted(count: int, last: str) -> None:
    lines = told([f"fault {n}" for n in range(1, count + 1)]).splitlines()
    assert lines[: min(count, 25)] == [f"fault {n}" for n in range(1, min(count, 25) + 1)]
    assert lines[-1] == last and len(lines) == min(count, 26)


def test_what_a_terminal_would_obey_is_shown_as_such_and_lines_stay() -> None:
    assert printable("a\x1b[2J\n\tb\x9bc\u202e\u00e9") == "a\ufffd[2J\n\ufffdb\ufffdc\ufffd\u00e9"


@pytest.mark.parametrize(
    ("text", "most", "shown"),
    [
        ("abcd", 4, "abcd"),
        ("abcde", 4, "abc…"),
        ("", 4, ""),
        ("a" * 60, None, "a" * 60),
        ("a" * 61, None, "a" * 59 + "…"),
    ],
)
def test_a_text_is_cut_to_so_many_characters_with_the_sign_for_it(text: str, most: int | None, shown: str) -> None:
    assert (short(text) if most is None else short(text, most)) == shown


def test_a_line_in_the_log_has_at_most_three_hundred_characters() -> None:
    for length, shown in ((300, "a" * 300), (301, "a" * 299 + "…")):
        long = record("a" * length)
        assert OnceAMinute().filter(long) and long.getMessage() == shown


def test_a_fault_is_told_in_one_line_with_its_kind_and_the_place_in_the_program() -> None:
    line = record("it failed\nhere", ValueError("no\x1b"))
    assert OnceAMinute().filter(line)
    assert line.getMessage().startswith("it failed here: ValueError: no\ufffd (test_errors.py, line ")
    assert line.exc_info is None
    assert reason(ValueError("never raised")) == "ValueError: never raised"


def test_a_record_of_no_fault_is_told_as_it_is() -> None:
    for nothing in (None, (None, None, None)):
        line = logging.LogRecord("tacocat", logging.ERROR, "", 0, "words", (), nothing)
        assert OnceAMinute().filter(line) and line.getMessage() == "words"
    without_trace = logging.LogRecord("tacocat", logging.ERROR, "", 0, "words", (), (ValueError, ValueError("x"), None))
    assert OnceAMinute().filter(without_trace) and without_trace.getMessage() == "words: ValueError: x"


def test_the_same_fault_is_told_again_after_sixty_seconds() -> None:
    now_s = [0.0]
    once = OnceAMinute(lambda: now_s[0])
    heard = []
    for now_s[0] in (0.0, 59.9, 60.0, 119.9, 120.0):
        heard.append(once.filter(record("words")))
    assert heard == [True, False, True, False, True]


def test_faults_of_one_kind_are_the_same_whatever_their_words() -> None:
    once = OnceAMinute(lambda: 0.0)
    assert [once.filter(record(words, kind=kind)) for words, kind in (("a", "disk"), ("b", "disk"), ("b", "usb"))] == [
        True,
        False,
        True,
    ]


def test_of_more_than_sixty_four_faults_a_minute_nothing_is_told() -> None:
    now_s = [0.0]
    once = OnceAMinute(lambda: now_s[0])
    assert [once.filter(record(f"fault {number}")) for number in range(66)] == [True] * 64 + [False] * 2
    now_s[0] = 59.9
    assert not once.filter(record("another"))
    now_s[0] = 60.0
    assert [once.filter(record(f"fault {number}")) for number in range(66)] == [True] * 64 + [False] * 2


def test_each_fault_has_a_minute_of_its_own() -> None:
    now_s = [0.0]
    once = OnceAMinute(lambda: now_s[0])
    heard = []
    for now_s[0], words in ((0.0, "one"), (30.0, "two"), (60.0, "one"), (60.0, "two"), (90.0, "one"), (90.0, "two")):
        heard.append(once.filter(record(words)))
    assert heard == [True, True, True, False, False, True]


def test_exceptions_are_the_same_by_type_and_place_whatever_they_say() -> None:
    once = OnceAMinute(lambda: 0.0)
    faults = (ValueError("one"), ValueError("two"), UnicodeError("three"))
    assert [once.filter(record("words", fault)) for fault in faults] == [True, False, True]
    assert once.filter(record("other words", ValueError("one")))


def test_a_line_is_made_of_the_first_twelve_hundred_characters() -> None:
    assert one_line("a" + " " * 1_198 + "b") == "a b" and one_line("a" + " " * 1_199 + "b") == "a"
    assert one_line(" a\n\tb\x1bc ") == "a \ufffdb\ufffdc"


def test_each_line_that_is_printed_for_people_has_two_thousand_characters_at_most() -> None:
    assert bounded(f"{'a' * 2_000}\n{'b' * 2_001}\n\x1b") == f"{'a' * 2_000}\n{'b' * 1_999}…\n\ufffd"

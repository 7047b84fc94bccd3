"""A catalogue that is missing, empty, cut short or wrong costs only its own language, and that is said."""

import io
import logging
import os
import struct
from pathlib import Path

import pytest

from firmware.words import CATALOGUES, LANGUAGES, words

GREEK = CATALOGUES / "el" / "LC_MESSAGES" / "tacocat.mo"
TEXT = "{name}: not your turn"


def catalogue_of(data: bytes, folder: Path) -> Path:
    path = folder / "el" / "LC_MESSAGES" / "tacocat.mo"
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    return folder


def test_the_catalogues_are_whole_and_nothing_is_said(caplog: pytest.LogCaptureFixture) -> None:
    for language in LANGUAGES:
        words.cache_clear()
        assert words(language)(TEXT, name="YAY")
    assert not caplog.messages


@pytest.mark.parametrize("size", [0, 1, 3, 4, 7, 20, 27, 28, 60, 1000, -1])
def test_a_catalogue_that_is_cut_short_is_english_and_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, size: int
) -> None:
    folder = catalogue_of(GREEK.read_bytes()[:size], tmp_path)
    with caplog.at_level(logging.WARNING):
        say = words("el", folder)
    assert say(TEXT, name="YAY") == "YAY: not your turn"
    assert say.many("{n} card", "{n} cards", 2) == "2 cards"
    (said,) = caplog.messages
    assert said.startswith("The words are English, not Greek: ") and "tacocat.mo" in said


def test_a_catalogue_that_is_missing_or_a_pipe_is_english_and_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert words("el", tmp_path / "none")(TEXT, name="YAY") == "YAY: not your turn"
    catalogue_of(b"", tmp_path)
    path = tmp_path / "el" / "LC_MESSAGES" / "tacocat.mo"
    path.unlink()
    os.mkfifo(path)
    assert words("el", tmp_path)(TEXT, name="WOW") == "WOW: not your turn"
    assert "No such file" in caplog.messages[0] and "it is a pipe, not a file" in caplog.messages[1]


def with_translations(old: bytes, new: bytes, folder: Path) -> Path:
    """The Greek catalogue with something else in its translations; the English texts, before them, stay."""
    data = GREEK.read_bytes()
    (table,) = struct.unpack_from("<I", data, 16)  # of the translations: the length and the place of each
    _, first = struct.unpack_from("<II", data, table)
    english, translations = data[:first], data[first:]
    assert b"{n} card" in english and translations.count(old) > 10
    return catalogue_of(english + translations.replace(old, new), folder)


def test_a_translation_with_other_places_for_its_values_costs_only_itself(tmp_path: Path) -> None:
    folder = with_translations(b"{name}", b"{nane}", tmp_path)
    assert words("el", folder)(TEXT, name="YAY") == "YAY: not your turn"
    assert words("el", folder)("Duel") == words("el")("Duel") != "Duel"


def test_a_count_with_other_places_for_its_values_is_english_in_the_english_form(tmp_path: Path) -> None:
    say = words("el", with_translations(b"{n}", b"{m}", tmp_path))
    assert [say.many("{n} card", "{n} cards", n) for n in range(4)] == ["0 cards", "1 card", "2 cards", "3 cards"]


def with_rule(rule: bytes, folder: Path) -> Path:
    """The Greek catalogue with another rule for its plural forms, of the same length."""
    data, whole = GREEK.read_bytes(), b"plural=(n != 1)"
    assert data.count(whole) == 1
    return catalogue_of(data.replace(whole, b"plural=" + rule.ljust(len(whole) - 7)), folder)


@pytest.mark.parametrize("rule", [b"1/n", b"n%n"])
def test_a_catalogue_whose_rule_has_no_form_for_a_count_of_none_is_english_and_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, rule: bytes
) -> None:
    say = words("el", with_rule(rule, tmp_path))
    assert say.many("{n} card", "{n} cards", 0) == "0 cards" and say("Duel") == "Duel"
    assert "it is damaged (ZeroDivisionError)" in caplog.text


def test_a_count_for_which_the_rule_of_a_catalogue_has_no_form_is_english(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    say = words("el", with_rule(b"1/(n-2)", tmp_path))
    assert say.many("{n} card", "{n} cards", 2) == "2 cards"
    assert say("Duel") == words("el")("Duel") and not caplog.messages


def test_of_a_catalogue_no_more_than_four_mib_and_a_byte_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    real = io.BytesIO
    monkeypatch.setattr("firmware.words.io.BytesIO", lambda data: (read.append(len(data)), real(data))[1])
    folder = catalogue_of(GREEK.read_bytes(), tmp_path)
    os.truncate(folder / "el" / "LC_MESSAGES" / "tacocat.mo", 5 << 20)
    assert words("el", folder)("Duel") == words("el")("Duel")
    assert read[0] == (4 << 20) + 1


def test_a_language_that_there_is_not_is_english_and_called_by_its_code(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert words("xx", tmp_path)("Duel") == "Duel"
    assert caplog.messages[0].startswith("The words are English, not xx: ")

"""A catalogue that is missing, empty, cut short or wrong costs only its own language, and that is said."""

import logging
import os
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


def test_a_translation_with_other_places_for_its_values_costs_only_itself(tmp_path: Path) -> None:
    data = GREEK.read_bytes()
    assert data.count(b"{name}") > 10
    folder = catalogue_of(data.replace(b"{name}", b"{nane}"), tmp_path)
    assert words("el", folder)(TEXT, name="YAY") == "YAY: not your turn"
    assert words("el", folder)("Duel") == words("el")("Duel") != "Duel"

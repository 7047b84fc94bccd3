"""Each language has one word for one thing, as docs/languages.md says, and none that was understood as another."""

import re
import tomllib
from pathlib import Path

import pytest

from docs.catalogues import TRANSLATED, read
from firmware.words import LANGUAGES
from tests.support.places import ROOT

KEPT = tomllib.loads((Path(__file__).parent / "terms.toml").read_text(encoding="utf-8"))
TERMS: dict[str, dict[str, str]] = KEPT["terms"]
NEVER: dict[str, dict[str, str]] = KEPT["never"]


def texts_of(language: str) -> list[str]:
    strings = (message.string for message in read(language) if message.id)
    return [text for string in strings for text in ((string,) if isinstance(string, str) else string)]


def test_the_document_has_the_terms_and_no_others() -> None:
    document = (ROOT / "docs" / "languages.md").read_text(encoding="utf-8")
    header = "| English | " + " | ".join(LANGUAGES[language].english_name for language in TRANSLATED) + " |"
    rows = document.partition(header)[2].partition("\n\n")[0].strip().splitlines()[1:]
    assert rows == [
        "| " + " | ".join([term, *(word[code] for code in TRANSLATED)]) + " |" for term, word in TERMS.items()
    ]


@pytest.mark.parametrize("language", TRANSLATED)
def test_no_text_says_what_was_understood_as_something_else(language: str) -> None:
    found = [
        f"{text!r}: {reason}"
        for text in texts_of(language)
        for expression, reason in NEVER[language].items()
        if re.search(expression, text)
    ]
    assert found == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_no_two_terms_share_a_word(language: str) -> None:
    words = [word[language] for word in TERMS.values()]
    assert len(set(words)) == len(words)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("el", "Ισοπαλία: μοιρασιά"),
        ("el", "Τα χαρτιά λέει η σελίδα."),
        ("fy", "De pyl wiist wa’t begjint."),
        ("fy", "{name}: druk ok"),
        ("ca", "Tacocat salta els coberts."),
        ("ca", "Mantén: enrere"),
        ("ar", "حتى تكتمل أوراق الاثنين."),
        ("ar", "بدل الأوراق التي لا تعجبك."),
    ],
)
def test_what_was_misread_before_would_be_found_again(language: str, text: str) -> None:
    assert any(re.search(expression, text) for expression in NEVER[language])

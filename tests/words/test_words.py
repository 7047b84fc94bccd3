"""Every text of the program is in every language, whole, in its plural forms, and no catalogue is behind."""

import re
import string
import unicodedata

import pytest
from babel import Locale

from docs.catalogues import TRANSLATED, brought_up, compiled, extracted, po_path, read
from firmware.screen import fonts
from firmware.words import CATALOGUES, ENGLISH, LANGUAGES, words

PROGRAM = extracted()
IDS = {message.id for message in PROGRAM if message.id}

# A text may be the English one only for a reason.
SAME_AS_ENGLISH = {("Tacocat", language): "a name" for language in TRANSLATED} | {
    ("Duel", "fy"): "the Frisian word too",
    ("Duel", "ca"): "the Catalan word too",
    ("{play}. Better: {better}", "fy"): "the Frisian word too",
    ("Duel: {ranks}", "fy"): "the Frisian word too",
    ("Duel: {ranks}", "ca"): "the Catalan word too",
    ("Menu", "fy"): "the Frisian word too",
}
# For which counts each plural form is used, of 0 to 120.
FORMS = {
    "el": (lambda n: n == 1, lambda n: n != 1),
    "fy": (lambda n: n == 1, lambda n: n != 1),
    "ca": (lambda n: n == 1, lambda n: n != 1),
    "ar": (
        lambda n: n == 0,
        lambda n: n == 1,
        lambda n: n == 2,
        lambda n: n % 100 in range(3, 11),
        lambda n: n % 100 in range(11, 100),
        lambda n: n > 2 and n % 100 in range(3),
    ),
}
TO_THE_LETTER = re.compile(r"\b(YAY|WOW|Tacocat|ok)\b")


def texts(message):
    """(English, translated) of one message; of a plural each form, all but the singular's beside the plural."""
    if isinstance(message.id, str):
        return [(message.id, message.string)]
    one, other = message.id
    return [(one if number == 0 else other, form) for number, form in enumerate(message.string)]


def placeholders(text):
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.fixture(scope="module", params=TRANSLATED)
def language(request):
    return request.param


@pytest.fixture(scope="module")
def catalogue(language):
    return read(language)


def test_every_language_but_english_has_a_catalogue():
    folders = {path.name for path in CATALOGUES.iterdir() if (path / "LC_MESSAGES").is_dir()}
    assert {ENGLISH, *folders} == set(LANGUAGES)


def test_the_program_marks_its_texts():
    assert len(IDS) > 80
    assert {"Attack", "{name}: not your turn", ("{n} card", "{n} cards")} <= IDS


def test_a_marked_text_is_found_however_it_is_said(tmp_path):
    marked = 'A = N_("one")\nsay("two", n=3)\nsay.many("a {n}", "b {n}", 4)\nother("three")\n'
    (tmp_path / "some.py").write_text("from firmware.words import N_, Words\n" + marked)
    (tmp_path / "terminal.py").write_text('say("only on a terminal")\n')
    assert {message.id for message in extracted(tmp_path) if message.id} == {"one", "two", ("a {n}", "b {n}")}


def test_every_text_is_in_the_catalogue_and_nothing_else(catalogue):
    assert {message.id for message in catalogue if message.id} == IDS
    assert not catalogue.obsolete
    assert [message.id for message in catalogue if message.id and message.fuzzy] == []


def test_no_text_is_left_empty(catalogue):
    assert [message.id for message in catalogue if not all(text for _, text in texts(message))] == []


def test_values_are_put_in_where_english_puts_them_in(catalogue, language):
    for message in catalogue:
        if not message.id:
            continue
        for number, (english, text) in enumerate(texts(message)):
            wanted, found = placeholders(english), placeholders(text)
            if isinstance(message.id, tuple) and sum(map(FORMS[language][number], range(121))) == 1:
                found |= {"n"} & wanted  # a form for one number alone may say it as a word
            assert found == wanted, (english, text)


def test_names_and_the_button_stay_as_they_are_printed(catalogue):
    for message in catalogue:
        for english, text in texts(message) if message.id else ():
            assert set(TO_THE_LETTER.findall(english)) <= set(TO_THE_LETTER.findall(text)), (english, text)


def test_no_text_is_the_english_one_without_a_reason(catalogue, language):
    same = {
        (english, language)
        for message in catalogue
        if message.id
        for english, text in texts(message)
        if english == text and re.search(r"[a-z]", re.sub(r"{\w+}", "", english))
    }
    assert same == {entry for entry in SAME_AS_ENGLISH if entry[1] == language}


def test_the_compiled_catalogue_is_that_of_the_po_file(language):
    assert po_path(language).with_suffix(".mo").read_bytes() == compiled(read(language)), "run: make words"


def test_bringing_a_catalogue_up_changes_nothing_that_is_translated(language):
    before, after = read(language), read(language)
    brought_up(after, PROGRAM)
    assert {m.id: m.string for m in after} == {m.id: m.string for m in before}


def test_each_plural_form_is_used_for_its_numbers(catalogue, language):
    assert catalogue.num_plurals == len(FORMS[language])
    say = words(language)
    forms = catalogue.get("{n} card").string
    for n in range(121):
        expected = [form for form, takes in zip(forms, FORMS[language], strict=True) if takes(n)]
        assert [form.format(n=n) for form in expected] == [say.many("{n} card", "{n} cards", n)], n


def test_the_plural_forms_are_those_of_the_language(language):
    rule = Locale(language).plural_form
    for n in range(121):
        form = next(number for number, takes in enumerate(FORMS[language]) if takes(n))
        cldr = {
            tag: i
            for i, tag in enumerate(
                t for t in ("zero", "one", "two", "few", "many", "other") if t in {rule(k) for k in range(121)}
            )
        }
        assert cldr[rule(n)] == form, n


def test_every_letter_of_the_catalogue_is_in_the_fonts(catalogue):
    for message in catalogue:
        for _, text in texts(message) if message.id else ():
            seen = fonts.shaped(fonts.clean(re.sub(r"{\w+}", "", text)))
            assert [letter for letter in seen if not fonts.has_glyph(letter)] == [], text


def test_every_text_is_written_in_the_letters_of_its_language(catalogue, language):
    """Values, names and the button aside. A catalogue that was joined wrongly spoke Greek in four languages."""
    script = {"el": "GREEK", "ar": "ARABIC"}.get(language, "LATIN")
    for message in catalogue:
        for _, text in texts(message) if message.id else ():
            own = re.sub(r"{\w+}|\b(YAY|WOW|Tacocat|ok|LED)\b", "", text)
            odd = [letter for letter in own if letter.isalpha() and script not in unicodedata.name(letter)]
            assert odd == [], text


def test_english_stands_in_for_what_a_catalogue_lacks():
    assert words("el")("never said before, {name}", name="YAY") == "never said before, YAY"
    assert words("el").many("{n} thing", "{n} things", 3) == "3 things"
    assert words("en").many("{n} card", "{n} cards", 1) == "1 card"


def test_an_empty_text_says_nothing():
    assert words("el")("") == words("en")("") == ""

"""The sheets of rules: every rule in every language, under the same number, on one page."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from docs.sheets import markdown, opened
from engine.board import DEFAULT_BOARD
from engine.cards import parse_card
from engine.plays import is_legal_answer
from firmware.virtual.sheets import ANSWERS, ATTACK, HAND, RIGHT_TO_LEFT, pages, path_of, track
from firmware.words import LANGUAGES, words
from firmware.words.sheets import FOLDER, Drawing, Statement, sheet
from tests.support.browser import chromium
from tests.support.places import ROOT

# The rules of docs/rules.md by their places there, and the statements in which each is told.
RULES = {
    "What belongs to it: players and goals, seven spaces": (1,),
    "… hand size and arrow of a space": (2,),
    "… ranks from 1 to 12": (3,),
    "A round: Tacocat begins on space 4, none covered": (3,),
    "1 Deal: shuffle all, as many as the hand size under Tacocat": (4,),
    "2 Replace: whom the arrow points at first, face up, draw as many": (5,),
    "… the other at most as many; none if the first keeps all": (6,),
    "… double arrow and round 1: both at the same time, as they like": (7,),
    "… no more than the draw pile can give": (8,),
    "3 Duel: face down, together, higher attacks first, equal again": (9,),
    "… one card each left: showdown": (10,),
    "4 Attack: card, set, sequence; nothing after 12": (11,),
    "… one card stays": (12,),
    "5 Defend: as many cards": (13,),
    "… defends if as high": (14,),
    "… else a sacrifice, the lowest; nobody has to defend": (15,),
    "… who attacks next": (16,),
    "6 Showdown: the lower rank wins": (17,),
    "… a tie: dealt again on the same space; house rule": (18,),
    "then: covered, one space, past covered ones": (19,),
    "… into the goal: its owner has won": (20,),
    "Taking back: a refused play goes back whole": (21,),
    "… hold the button; what stays": (22,),
    "What the table knows: claims and late fouls; house rule": (23,),
    "This round again": (24,),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_rule_has_its_statement_under_the_same_number(language: str) -> None:
    found = [statement.number for statement in sheet(language).statements]
    assert found == list(range(1, len(found) + 1))
    assert set(found) == {number for numbers in RULES.values() for number in numbers}


def test_the_sheets_have_the_same_parts_in_the_same_places() -> None:
    def shape(language: str) -> list[list[object]]:
        return [
            [part.number if isinstance(part, Statement) else part.name for part in section.parts]
            for section in sheet(language).sections
        ]

    assert {path.stem for path in FOLDER.glob("*.md")} == set(LANGUAGES)
    assert {str(shape(language)) for language in LANGUAGES} == {str(shape("en"))}


@pytest.mark.parametrize("language", LANGUAGES)
def test_figures_are_the_same_in_every_language(language: str) -> None:
    """A number that a translator changed changes the rule."""

    def figures(text: str) -> list[str]:
        return sorted(re.findall(r"[0-9]+", text))

    english = {statement.number: statement.text for statement in sheet("en").statements}
    for statement in sheet(language).statements:
        assert figures(statement.text) == figures(english[statement.number]), statement
    captions = [
        part.caption for section in sheet(language).sections for part in section.parts if isinstance(part, Drawing)
    ]
    assert figures(captions[1]) == figures("5 5 2 3 6 9 6 9 6 2 2 3 6 3 2")


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != "en"])
def test_the_words_are_those_of_the_screen_and_not_those_that_readers_misunderstood(language: str) -> None:
    terms = tomllib.loads((ROOT / "tests/words/terms.toml").read_text(encoding="utf-8"))
    text = "\n".join(statement.text for statement in sheet(language).statements)
    for never, why in terms["never"][language].items():
        assert not re.search(never, text, re.MULTILINE), f"{never}: {why}"
    assert words(language)("This round again") in sheet(language).statements[23].text


def test_the_example_is_right() -> None:
    attack, hand = ([parse_card(card) for card in cards.split()] for cards in (ATTACK, HAND))
    for cards, right in ANSWERS.items():
        answer = [parse_card(card) for card in cards.split()]
        left = [card.rank for card in hand if card not in answer]
        assert is_legal_answer([card.rank for card in attack], [card.rank for card in answer], left) is right


def test_docs_has_the_sheets_as_they_are() -> None:
    for language in LANGUAGES:
        path = ROOT / "docs" / f"rules.{language}.md"
        assert path.read_text(encoding="utf-8") == markdown(language), "run `make docs`"
    assert all((ROOT / "docs" / "rules" / f"{name}.png").is_file() for name in ("track", "answers"))


def test_the_track_is_that_of_the_table() -> None:
    sizes = (5, 6, 7, 8, 7, 6, 5)
    drawn = track(sizes, ("yay",) * 3 + ("both",) + ("wow",) * 3)
    assert re.findall(r">([0-9])<", drawn) == [str(size) for size in sizes]
    assert re.findall(r"◀ ▶|◀|▶", drawn) == ["◀"] * 3 + ["◀ ▶"] + ["▶"] * 3
    assert set(pages(DEFAULT_BOARD.hand_sizes, tuple(DEFAULT_BOARD.arrows))) == {path_of(code) for code in LANGUAGES}


@pytest.mark.parametrize("text", ["# T\nlead\n## S\nno number", "# T\nl\n## S\n[Track] x", "# T\nl\n## S\n1.x"])
def test_a_line_that_is_none_of_a_sheet_is_named(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "en.md").write_text(text, encoding="utf-8")
    monkeypatch.setattr("firmware.words.sheets.FOLDER", tmp_path)
    with pytest.raises(ValueError, match=r"rules/en\.md: a heading, a statement or a picture is expected"):
        sheet("en")


# ---- as a page -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened_browser:
        yield opened_browser


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sheet_is_one_a4_and_fits_a_phone(browser: Browser, language: str) -> None:
    with opened(browser, language) as page:
        pdf = page.pdf(prefer_css_page_size=True)
        assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1
        assert page.locator("html").get_attribute("dir") == ("rtl" if language in RIGHT_TO_LEFT else "ltr")
        expect(page.locator(".cards svg")).to_have_count(2 + 4 + 4 * 2)
        expect(page.locator("nav a")).to_have_count(len(LANGUAGES) - 1)
        for width in (320, 360, 1280):
            page.set_viewport_size({"width": width, "height": 640})
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
        marks = page.locator(".answer b").all_inner_texts()
        assert marks == ["✓", "✓", "✓", "✗"]
        yay, wow = (page.locator("#track text", has_text=name).bounding_box() for name in ("YAY", "WOW"))
        assert yay and wow and yay["x"] < wow["x"], "the table does not turn round"

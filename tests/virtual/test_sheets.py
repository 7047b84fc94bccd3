"""The sheets of rules: every rule in every language, under the same number, on one page."""

from __future__ import annotations

import json
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

# What docs/rules.md says, in its own words, and the statement in which a sheet tells it. Of the sections that describe
# the game every sentence has its row; None: told by the picture of the track, or of no concern to who plays.
RULES: dict[str, int | None] = {
    "named after the goals at the ends of the board": 1,
    "Between the goals lie seven spaces": 1,
    "The goals count as 0 and 8": None,
    "a **hand size** and an **arrow**": 2,
    "ranks from 1 to 12": 3,
    "Cards of one rank carry letters": None,
    "Tacocat begins on space 4": 3,
    "Shuffle all the cards": 4,
    "as many as the hand size under Tacocat says": 4,
    "The player whom the arrow points at may discard cards": 5,
    "Then the other may do so with at most as many": 6,
    "If the first keeps all, so does the other": 6,
    "On a double arrow, and always in round 1": 7,
    "Nobody discards more than the draw pile can still give": 8,
    "Both put a card face down and turn them up together": 9,
    "The higher rank attacks first; equal ranks: again": 9,
    "If only one card each is left by then, the showdown follows": 10,
    "The attacker plays one card, or a *set*": 11,
    "One card must stay in the hand": 12,
    "The defender answers with as many cards": 13,
    "Each either *defends*, being at least as high": 14,
    "or is a *sacrifice*, which must be the lowest card of the hand": 15,
    "Nobody has to defend who could": 15,
    "If every card defends, the defender attacks next": 16,
    "When one card each is left, both turn it up": 17,
    "The **lower** rank wins the round": 17,
    "Equal ranks are a tie": 18,
    "Then the space under Tacocat is covered": 19,
    "There the game ends: the goal's owner has won": 20,
    "A play that is refused goes back to the hand whole": 21,
    "to take back your latest card or ok, one at a time": 22,
    "Three things stay: a completed duel, a card that you drew": 22,
    "A player who sacrifices a 5 thereby claims": 23,
    "with two suspects it is a tie": 23,
    "Tacocat stays, nothing is covered, the cards are dealt anew": 24,
}
DESCRIBE = ("What belongs to it", "A round")  # the sections of docs/rules.md whose every sentence is told


def rules_text(title: str = "") -> str:
    """docs/rules.md, or one of its sections up to the next heading, without line breaks."""
    text = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    if title:
        text = re.split(r"^#", text.split(f"\n## {title}\n")[1], maxsplit=1, flags=re.MULTILINE)[0]
    return re.sub(r"\s+", " ", text)


def test_each_rule_of_the_judge_is_told_by_a_statement() -> None:
    whole = rules_text()
    assert [quote for quote in RULES if quote not in whole] == [], "docs/rules.md says it otherwise now"
    for title in DESCRIBE:
        text = rules_text(title).split("Deck and board are settings")[0]
        sentences = [each for each in re.split(r"(?<=[.:;]) (?=[A-Z*])|(?<= - )|(?<= \d\. )", text) if len(each) > 25]
        untold = [each for each in sentences if not any(quote in each or each.strip(" .") in quote for quote in RULES)]
        assert untold == [], "a rule without a statement"


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_rule_has_its_statement_under_the_same_number(language: str) -> None:
    found = [statement.number for statement in sheet(language).statements]
    assert found == list(range(1, len(found) + 1))
    assert set(found) == set(RULES.values()) - {None}


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


def test_the_page_opens_the_sheet_of_each_language_that_there_is() -> None:
    script = (ROOT / "firmware" / "virtual" / "table.js").read_text(encoding="utf-8")
    (listed,) = re.findall(r"find\(\(tag\) => (\[[^]]+\])\.includes\(tag\)\)", script)
    assert json.loads(listed) == list(LANGUAGES)


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

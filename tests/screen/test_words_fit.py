"""In every language every page is shown whole, with the widest values, in letters that can be read."""

import itertools
from dataclasses import replace

import pytest

from docs.catalogues import extracted
from firmware.screen import fonts
from firmware.screen.drawing import TURN_MS, draw, fits, in_turn
from firmware.screen.fonts import Face
from firmware.screen.layout import layout
from firmware.screen.pieces import ArrowPiece
from firmware.screen.typeset import Block
from firmware.views.page import Page
from firmware.views.pages import page_of
from firmware.words import LANGUAGES, Words, words
from hardware.ports import Health
from tests.support.wide_pages import PARTS, all_tables, notes, with_faults

# Rows of the lowest letter or figure of each field (an a, an alpha, an Arabic tooth): no page has a lower one.
LEAST_PX = {
    "en": {"what": 7, "title": 6, "count": 6, "note": 6, "menu": 7, "left": 6, "right": 6, "fault": 6, "bar": 7},
    "el": {"what": 7, "title": 6, "count": 6, "note": 6, "menu": 6, "left": 6, "right": 6, "fault": 6, "bar": 7},
    "fy": {"what": 7, "title": 6, "count": 6, "note": 6, "menu": 6, "left": 6, "right": 6, "fault": 6, "bar": 7},
    "ca": {"what": 7, "title": 6, "count": 6, "note": 6, "menu": 6, "left": 6, "right": 6, "fault": 6, "bar": 7},
    "ar": {"what": 4, "title": 4, "count": 4, "note": 4, "menu": 4, "left": 5, "right": 5, "fault": 4, "bar": 7},
}


@pytest.fixture(scope="module")
def tables():
    return list(all_tables())


@pytest.fixture(scope="module", params=LANGUAGES)
def language(request):
    return request.param


def pages_of(table, now_ms, language):
    """Each page that the table can show: every line of a menu chosen once, a note and a fault in turn."""
    table = replace(table, settings=replace(table.settings, language=language))
    for time_ms in (now_ms, now_ms + TURN_MS):
        page = in_turn(page_of(table, time_ms, words(language)), time_ms)
        if page.menu:
            yield from (replace(page, chosen=chosen) for chosen in range(len(page.menu)))
        else:
            yield page


def complaints(pages):
    return [(name, page, fault) for name, page in pages if (fault := fits(page))]


def test_every_page_is_shown_whole(tables, language):
    assert complaints((name, page) for name, table, t in tables for page in pages_of(table, t, language)) == []


def test_every_page_is_shown_whole_beside_a_fault(tables, language):
    for part in PARTS:
        health = Health.SEARCHING if part == "screen" else Health.LOST
        broken = ((name, with_faults(table, health, (part,)), now_ms) for name, table, now_ms in tables[::5])
        assert complaints((n, page) for n, table, t in broken for page in pages_of(table, t, language)) == []
    broken = ((name, with_faults(table), now_ms) for name, table, now_ms in tables)
    assert complaints((n, page) for n, table, t in broken for page in pages_of(table, t, language)) == []


def test_every_page_is_shown_whole_under_the_undo_bar(tables, language):
    for name, table, now_ms in tables:
        held = replace(table, holding=("wow", now_ms - 800))
        assert complaints((name, page) for page in pages_of(held, now_ms, language)) == []


def tallest(tables, language):
    """The pages that leave the fewest rows to a note: one of each arrow, and with a card between."""
    tops = {}
    for name, table, now_ms in tables:
        page = in_turn(page_of(table, now_ms, words(language)), now_ms)
        if page.note and not page.menu:
            kind = page.arrow, page.cards is not None
            rows = sum(
                len(piece.lines) * piece.face.size_px
                for piece in layout(replace(page, note=""))
                if isinstance(piece, Block) and piece.name == "what"
            )
            tops[kind] = max(tops.get(kind, (0, "")), (rows, name))
    names = {name for _, name in tops.values()}
    return [(name, table, now_ms) for name, table, now_ms in tables if name in names]


def test_every_note_is_shown_whole_on_the_fullest_pages(tables, language):
    tops = tallest(tables, language)
    assert len(tops) >= 4
    for (name, table, now_ms), told in itertools.product(tops, notes()):
        fresh = replace(table, told=replace(told, at_ms=now_ms - 4500))
        assert complaints((name, page) for page in pages_of(fresh, now_ms, language)) == []


def test_every_text_of_the_program_is_on_some_page_of_these_tests(tables):
    said = set()

    class Noting(Words):
        def __call__(self, text, **values):
            said.add(text)
            return super().__call__(text, **values)

        def many(self, one, other, n, **values):
            said.add((one, other))
            return super().many(one, other, n, **values)

    say = Noting(words("en").catalogue)
    for _, table, now_ms in tables:
        page_of(table, now_ms, say)
        for health in (Health.LOST, Health.SEARCHING):
            for part in PARTS:
                page_of(with_faults(replace(table, holding=("yay", 0)), health, (part,)), now_ms, say)
    _, table, now_ms = next(entry for entry in tables if entry[0] == "wide attack")
    for told in notes():
        page_of(replace(table, told=replace(told, at_ms=now_ms - 4500)), now_ms, say)
    assert {message.id for message in extracted() if message.id} - said == set()


def letters_px(text, face):
    """The rows of each letter and figure of a line, as it is shaped."""
    for letter in fonts.shaped(text):
        if letter.isalnum() and letter != "ـ":
            seen = fonts.ink(letter, face)
            yield seen.height, letter


def test_no_letter_is_lower_than_its_field_promises(tables, language):
    least = {}
    for _, table, now_ms in tables:
        broken = with_faults(table, parts=PARTS[:1])
        held = replace(table, holding=("yay", now_ms - 800))
        for page in (
            *pages_of(table, now_ms, language),
            *pages_of(broken, now_ms, language),
            *pages_of(held, now_ms, language),
        ):
            for block in (piece for piece in layout(page) if isinstance(piece, Block)):
                for seen in itertools.chain.from_iterable(letters_px(line, block.face) for _, _, line in block.lines):
                    least[block.name] = min(least.get(block.name, (99, "")), seen)
    assert set(least) == set(LEAST_PX[language])
    assert {name: seen for name, seen in least.items() if seen[0] < LEAST_PX[language][name]} == {}


# ---- Arabic --------------------------------------------------------------------------------


def seen_order(text):
    """The words of a line from left to right, as they stand on the screen."""
    return fonts.shaped(fonts.clean(text)).split()


def test_the_ranks_of_yay_stand_left_of_those_of_wow_in_every_language(language):
    say = words(language)
    for text in (
        "{yay} : {wow}, again",
        "{yay} : {wow}, a tie",
        "{yay} : {wow}, {name} first",
        "{yay} : {wow}, {name} wins the round",
    ):
        order = " ".join(seen_order(say(text, yay=3, wow=12, name="WOW")))
        assert order.index("3") < order.index("12"), order


@pytest.mark.parametrize(("arrow", "shape"), [("←", "<"), ("→", ">"), ("↔", "< >")])
def test_an_arrow_in_a_line_points_to_its_side_of_the_table_in_every_language(language, arrow, shape):
    line = fonts.shaped(words(language).many("{n} card", "{n} cards", 9) + " " + arrow)
    assert shape in line and line.count("<") + line.count(">") == shape.count("<") + shape.count(">")


def test_arabic_runs_from_the_right_and_its_letters_are_joined():
    say = words("ar")
    attack = say("Attack")
    assert fonts.runs_right_to_left(attack)
    assert fonts.shaped(attack)[-1] not in attack  # the first letter stands last, in another form
    line = seen_order(say("{name}: press ok", name="YAY"))
    assert "YAY" in line[-1] and "ok" in line[0]


def test_a_line_of_figures_keeps_the_direction_of_an_arabic_text():
    text = words("ar")("Not as usual: {ranks}", ranks="1: +2, 2: +3, 3: +4, 10: +11, 11: +12, 12: +13")
    lines = fonts.wrap(text, Face(12), 110)
    assert len(lines) > 1 and not any(map(fonts.is_arabic, lines[-1]))
    assert fonts.shaped(lines[-1]).startswith("13+ :12")
    assert fonts.wrap("1 2 3 4 5 6 7 8 9 10 11 12", Face(12), 60)[-1].isascii()


def test_the_title_stands_where_reading_begins():
    for language, at_right in (("en", False), ("ar", True)):
        say = words(language)
        page = Page(title=say("Round {n}", n=3), count=say.many("{n} card", "{n} cards", 9))
        placed = {piece.name: piece.box.x for piece in layout(page) if isinstance(piece, Block)}
        assert (placed["title"] > placed["count"]) is at_right


def test_the_numbers_of_an_arabic_menu_begin_where_its_words_do():
    for lines in ((words("ar")("Go on"), "2", "12"), ("Go on", "2", "العربية")):
        page = Page(menu=lines)
        ends = [block.lines[0][0] + fonts.width_px(block.lines[0][2], block.face) for block in layout(page)]
        starts = [block.lines[0][0] for block in layout(page)]
        assert len(set(ends if lines[0] != "Go on" else starts[:2])) == 1, (starts, ends)


def test_the_sides_of_a_page_are_the_same_in_every_language(tables):
    for _, table, now_ms in tables:
        sides = set()
        for language in LANGUAGES:
            page = in_turn(page_of(table, now_ms, words(language)), now_ms)
            big = [piece.to_left for piece in layout(page) if isinstance(piece, ArrowPiece)]
            sides.add((page.arrow, page.cards, tuple(big)))
        assert len(sides) == 1


def test_the_words_of_a_button_stand_at_its_side_in_every_language(language):
    say = words(language)
    page = Page(title=say("Menu"), menu=("1", "2"), left=say("next"), right=say("take"))
    placed = {piece.name: piece for piece in layout(page) if isinstance(piece, Block)}
    assert placed["left"].lines[0][0] < 12
    right = placed["right"]
    assert right.lines[0][0] + fonts.width_px(right.lines[0][2], right.face) > 116
    assert draw(page).getbbox() is not None

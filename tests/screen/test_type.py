"""Type: which characters are set, how wide and how far apart, and what becomes of a text that is too long."""

from __future__ import annotations

import pytest
from PIL import Image

from firmware.screen import fonts
from firmware.screen.drawing import enlarge, in_turn
from firmware.screen.fonts import Face, Ink
from firmware.screen.typeset import leading_px
from firmware.views.page import Page

FACE = Face(12, 500)


@pytest.mark.parametrize(("first", "last"), [("\u0600", "\u08ff"), ("\ufb50", "\ufdff"), ("\ufe70", "\ufeff")])
def test_each_block_of_arabic_letters_goes_from_its_first_to_its_last(first, last):
    assert fonts.is_arabic(first) and fonts.is_arabic(last)
    assert not fonts.is_arabic(chr(ord(first) - 1)) and not fonts.is_arabic(chr(ord(last) + 1))
    assert fonts.is_arabic(chr((ord(first) + ord(last)) // 2))


@pytest.mark.parametrize("shapeless", ["\x00", "\x1b", "\u200d", "\ud83d", "\ue000", "\ufe00", "\ufe0f", "\u200f"])
def test_what_has_no_shape_of_its_own_is_left_out(shapeless):
    assert fonts.clean(f"a{shapeless}b") == "ab"


@pytest.mark.parametrize("letter", ["\ufe10", "\ufdf2", "😀", "é"])
def test_what_has_a_shape_is_kept(letter):
    assert fonts.clean(f"a{letter}b") == f"a{letter}b"


def test_white_space_of_any_kind_is_one_blank_between_words_and_none_around_them():
    assert fonts.clean("\n a \t\u00a0\r\n b ") == "a b"


@pytest.mark.parametrize(("character", "has"), [("a", True), (" ", True), ("ب", True), ("漢", False)])
def test_a_character_has_a_shape_of_its_own_or_the_box_for_all_that_are_missing(character, has):
    assert fonts.has_glyph(character) == has


@pytest.mark.parametrize(("size_px", "blank"), [(10, 3), (11, 4), (15, 4), (16, 5)])
def test_the_blank_between_words_grows_with_the_type(size_px, blank):
    assert fonts.blank_px(Face(size_px)) == blank


@pytest.mark.parametrize(("size_px", "leading"), [(10, 11), (13, 14), (14, 16), (16, 18)])
def test_lines_are_a_row_farther_apart_than_their_type_is_high_and_two_from_14_pixels_on(size_px, leading):
    assert leading_px(Face(size_px)) == leading


def test_no_text_takes_no_room():
    assert fonts.width_px("", FACE) == 0 and fonts.ink("", FACE) == Ink(0, 0)
    assert fonts.wrap("", FACE, 50) == ()


def test_a_text_is_cut_only_where_it_has_to_be_and_leaves_nothing_where_not_even_that_helps():
    width = fonts.width_px("defend", FACE)
    assert fonts.cut_to("defend", FACE, width) == "defend"
    cut = fonts.cut_to("defend", FACE, width - 1)
    assert cut.endswith("…") and "defend".startswith(cut[:-1]) and fonts.width_px(cut, FACE) <= width - 1
    dots = fonts.width_px("…", FACE)
    assert [fonts.cut_to("defend", FACE, room) for room in (dots, dots - 1)] == ["…", ""]


def test_a_word_is_broken_where_its_line_is_full_and_a_single_letter_never():
    width = fonts.width_px("mmm", FACE)
    assert fonts.wrap("mmmmmmmm", FACE, width) == ("mmm", "mmm", "mm")
    assert fonts.wrap("m m", FACE, 1) == ("m", "m")


def test_a_line_is_set_lit_on_dark_or_dark_on_lit():
    pictures = []
    for lit in (True, False):
        picture = Image.new("1", (20, 20), int(not lit))
        fonts.write(picture, 3, 15, "H", FACE, lit)
        pictures.append([bool(picture.getpixel((x, y))) for y in range(20) for x in range(20)])
    assert any(pictures[0]) and pictures[1] == [not seen for seen in pictures[0]]


# ---- a picture for people ------------------------------------------------------------------

LIT, DARK, SEAM = (196, 232, 255), (9, 13, 20), (2, 4, 8)


def enlarged(times: int) -> list[list[tuple[int, ...]]]:
    """Two pixels, the left one lit, row by row."""
    image = Image.new("1", (2, 1))
    image.putpixel((0, 0), 1)
    large = enlarge(image, times)
    return [[large.getpixel((x, y)) for x in range(large.width)] for y in range(large.height)]


def test_from_three_times_its_size_on_each_pixel_has_a_dark_seam_at_its_right_and_below():
    row = [LIT, LIT, SEAM, DARK, DARK, SEAM]
    assert enlarged(3) == [row, row, [SEAM] * 6]
    assert enlarged(2) == [[LIT, LIT, DARK, DARK]] * 2


# ---- a note and a fault --------------------------------------------------------------------

SHORT = Page("Attack", "left", "YAY attacks", note="7 played", fault="lost: strip")
LONG = Page(
    "Attack", "left", "YAY: answer with as many cards", note="WOW gave up 12 but still held 3 " * 2, fault="lost"
)


def test_a_note_with_room_beside_the_fault_is_seen_all_the_time():
    assert [in_turn(SHORT, now_ms) for now_ms in (0, 2000)] == [SHORT, SHORT]


@pytest.mark.parametrize(("now_ms", "note"), [(0, True), (1999, True), (2000, False), (3999, False), (4000, True)])
def test_a_note_without_room_beside_the_fault_takes_turns_with_it_every_two_seconds(now_ms, note):
    seen = in_turn(LONG, now_ms)
    assert (bool(seen.note), bool(seen.fault)) == (note, not note)


def test_a_page_that_is_too_full_without_any_fault_or_note_stays_as_it_is():
    full = Page("Attack", "both", "windy words " * 20)
    assert in_turn(full, 0) == full
    faulty = Page("Attack", "both", "windy words " * 20, fault="lost: strip")
    assert in_turn(faulty, 0) == faulty

"""Pages are drawn whole, inside their boxes, in type that can be read across a table."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from firmware.screen import fonts, typeset
from firmware.screen import layout as pages
from firmware.screen.drawing import draw, enlarge, fits
from firmware.screen.fonts import Face
from firmware.screen.layout import layout
from firmware.screen.pieces import ArrowPiece, CardPiece
from firmware.screen.typeset import Block, Box, paint_block, set_block
from firmware.views.page import Page

EXAMPLES = {
    "defend": Page("Defend", "left", "YAY: answer with 2 cards", "1 of 2", "6 is too low: defend or give the lowest"),
    "attack": Page("Attack", "right", "WOW: attack", "", "7 played: hold to undo"),
    "late foul": Page("Attack", "right", "WOW: attack", "", "WOW gave up an 8 but still held a 3"),
    "deal": Page("Deal", "both", "Read every card face down", "3 of 7", "YAY 3, WOW 5"),
    "between": Page("Round 2", "both", "Clear the pads, shuffle, press ok"),
    "duel, one laid": Page("Duel", "right", "One card each", cards=("?", "")),
    "duel": Page("Duel", "left", "YAY attacks", note="9 beats 7", cards=("9", "7")),
    "showdown": Page("Showdown", "", "WOW wins", note="The lower card wins: 3 is below 12", cards=("12", "3")),
    "showdown, both": Page("Showdown", "both", note="The lower card wins", cards=("12", "3")),
    "hold": Page("Defend", "left", "YAY: answer with 2 cards", "1 of 2", "7 played: hold to undo", bar=("undo", 60)),
    "fault": Page("Defend", "left", "YAY: answer with 2 cards", "1 of 2", "6 is too low", fault="strip is missing"),
    "menu": Page(
        "Menu",
        menu=("go on", "this round again", "how to play", "name a tag", "end the game", "main menu"),
        chosen=3,
        left="next",
        right="take it",
    ),
    "short menu": Page(menu=("play", "referee"), left="next", right="take it"),
    "how to play": Page(
        "To attack",
        count="1 of 3",
        note="Play one card, or two and more of one rank, or three and more in a row. Keep one card.",
    ),
    "Greek": Page("Άμυνα", "right", "Απάντησε με 2 κάρτες", "1 από 2", "Το 6 είναι μικρό: δώσε το μικρότερο"),
    "Catalan": Page("Atac", "right", "WOW: juga una carta o més", "3 de 7", "És baixa: defensa't o dóna la més baixa"),
    "Arabic": Page("دفاع", "left", "YAY: أجب بورقتين", "1 من 2", "الورقة 6 منخفضة: دافع أو ضح بالأدنى"),
    "Arabic menu": Page(
        "القائمة", menu=("تابع", "كيف تلعب", "أنه اللعبة", "خروج"), chosen=1, left="التالي", right="خذ"
    ),
    "nothing": Page(),
}

texts = st.one_of(
    st.sampled_from(
        [
            "",
            " ",
            "YAY",
            "7",
            "Defend",
            "a" * 60,
            "WOW gave up an 8 but still held a 3",
            "\n\t",
            "😀🎉",
            "\ud800x",
            "e\u0301\u0323",
            "اللعب",
            "ok 7 دافع",
            "\u200d\ufe0f",
            "Ω" * 30,
            "\x00\x1b[0m",
        ]
    ),
    st.text(max_size=50),
)
any_page = st.builds(
    Page,
    title=texts,
    arrow=st.sampled_from(["", "left", "right", "both"]),
    what=texts,
    count=texts,
    note=texts,
    cards=st.none() | st.tuples(*[st.sampled_from(["", "?", "1", "9", "12"])] * 2),
    bar=st.none() | st.tuples(texts, st.integers(0, 100)),
    menu=st.lists(texts, max_size=9).map(tuple),
    chosen=st.integers(0, 12),
    left=texts,
    right=texts,
    fault=texts,
)


def boxes(page):
    return [piece.box for piece in layout(page)]


def assert_in_order(page):
    """Nothing overlaps, nothing lies off the screen, no line is wider than its box, no pixel is lit outside one."""
    for piece in layout(page):
        for x, _, line in piece.lines if isinstance(piece, Block) else ():
            assert piece.box.x <= x and x + fonts.width_px(line, piece.face) <= piece.box.right, (piece.name, line)
    placed = boxes(page)
    for box in placed:
        assert 0 <= box.x < box.right <= 128, box
        assert 0 <= box.y < box.bottom <= 64, box
    for one, other in itertools.combinations(placed, 2):
        assert not one.overlaps(other), (one, other)
    outside = draw(page)
    for box in placed:
        outside.paste(0, (box.x, box.y, box.right, box.bottom))
    assert outside.getbbox() is None


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_is_shown_whole_and_in_order(name):
    assert fits(EXAMPLES[name]) == []
    assert_in_order(EXAMPLES[name])


@settings(max_examples=120, deadline=None)
@given(any_page)
def test_s6_any_text_is_drawn_inside_its_boxes_and_raises_nothing(page):
    image = draw(page)
    assert (image.mode, image.size) == ("1", (128, 64))
    fits(page)
    assert_in_order(page)


ODD = ["", " ", "\n", "😀", "👩‍👩‍👧", "\ud83d", "Llanfairpwllgwyngyllgogerychwyrndrobwll", "ŵ̈ ﷽ ǆ 𝔘"]


@pytest.mark.parametrize("text", ODD)
def test_s6_empty_lines_emojis_long_names_and_odd_letters_are_drawn(text):
    for page in (Page(title=text, what=text, note=text, count=text, fault=text), Page(menu=(text, text), left=text)):
        assert_in_order(page)


@pytest.mark.parametrize("name", EXAMPLES)
def test_no_text_is_set_smaller_than_10_and_what_to_do_not_smaller_than_12(name):
    for piece in layout(EXAMPLES[name]):
        if isinstance(piece, Block):
            least = pages.WHAT_TYPE_PX if piece.name == "what" else pages.SMALLEST_TYPE_PX
            assert piece.face.size_px >= least, piece.name


def test_all_faces_that_a_field_may_take_keep_the_sizes_of_the_device():
    assert min(face.size_px for face in pages.WHAT_FACES) >= 12
    for faces in (pages.TITLE_FACES, pages.COUNT_FACES, pages.NOTE_FACES, pages.LABEL_FACES, pages.MENU_FACES):
        assert min(face.size_px for face in faces) >= 10


@pytest.mark.parametrize(("letters", "size_px", "least"), [("H", 10, 7), ("x", 10, 5), ("H", 12, 8), ("α", 12, 6)])
def test_the_smallest_glyphs_are_as_high_as_their_type_promises(letters, size_px, least):
    for face in (*pages.WHAT_FACES, *pages.NOTE_FACES, *pages.LABEL_FACES, *pages.TITLE_FACES, *pages.MENU_FACES):
        if face.size_px >= size_px:
            assert fonts.ink(letters, face).above >= least, face


@pytest.mark.parametrize(("arrow", "sides"), [("left", [True]), ("right", [False]), ("both", [True, False])])
def test_an_arrow_of_at_least_28_pixels_points_to_each_side_that_must_act(arrow, sides):
    for name, example in EXAMPLES.items():
        if example.menu or name == "nothing":
            continue
        page = Page(example.title, arrow, example.what, "", example.note, example.cards, example.bar)
        arrows = [piece for piece in layout(page) if isinstance(piece, ArrowPiece)]
        assert [piece.to_left for piece in arrows] == sides
        for piece in arrows:
            box = piece.box
            seen = draw(page).crop((box.x, box.y, box.right, box.bottom))
            assert seen.getbbox()[3] - seen.getbbox()[1] >= 28
            assert box.x == (0 if piece.to_left else 128 - box.width)
            tip = 0 if piece.to_left else box.width - 1
            assert any(seen.getpixel((tip, y)) for y in range(box.height))


def test_sides_stay_true_to_the_table_in_arabic():
    page = Page("دفاع", "left", "أجب", cards=None)
    assert [piece.to_left for piece in layout(page) if isinstance(piece, ArrowPiece)] == [True]
    labels = {piece.name: piece for piece in layout(EXAMPLES["Arabic menu"]) if isinstance(piece, Block)}
    assert labels["left"].lines[0][0] < 20
    assert labels["right"].lines[0][0] > 80


def test_arabic_is_joined_and_runs_from_the_right():
    assert fonts.shaped("ab") == "ab"
    assert fonts.shaped("سلم") == "ﻢﻠﺳ"
    assert fonts.shaped("YAY: سلم").endswith(":YAY")
    title = next(piece for piece in layout(EXAMPLES["Arabic"]) if isinstance(piece, Block) and piece.name == "title")
    x, _, text = title.lines[0]
    assert x + fonts.width_px(text, title.face) == title.box.right == 128 - 17  # clear of the other arrow


def test_letters_with_accents_stand_on_the_baseline():
    for face in (Face(10, 500, 85), Face(12, 500), Face(12, 700), Face(16, 600)):
        for plain, accented in (("a", "á"), ("E", "É"), ("o", "ò"), ("α", "ά")):
            assert fonts.ink(accented, face).below == fonts.ink(plain, face).below == 0
            assert fonts.ink(accented, face).above >= fonts.ink(plain, face).above


def test_words_never_run_together():
    for face in (*pages.NOTE_FACES, *pages.WHAT_FACES):
        for text in ("of jou", "6 is", "or three", "T j", "واو أو"):
            image = Image.new("1", (128, 40))
            fonts.write(image, 2, 28, text, face)
            dark = [not image.crop((x, 0, x + 1, 40)).getbbox() for x in range(2, 2 + fonts.width_px(text, face))]
            assert max(len(list(run)) for is_dark, run in itertools.groupby(dark) if is_dark) >= 3, (text, face)


def test_a_text_that_is_too_long_is_cut_with_an_ellipsis_and_complained_of():
    long = Page("Defend", "both", "A fine and long and rather windy sentence that can never fit", note="x " * 80)
    assert fits(long) == ["what: needs 4 lines, has 2", "note: needs 5 lines, has 2"]
    cut = {piece.name: piece.lines[-1][2] for piece in layout(long) if isinstance(piece, Block)}
    assert cut["what"].endswith("…")
    assert cut["note"].endswith("…")


def test_a_word_wider_than_the_page_is_broken_and_complained_of():
    [complaint] = fits(Page(what="Llanfairpwllgwyngyllgogery"))
    assert complaint == "what: a word is wider than 128 px"


def test_a_short_text_is_set_larger_than_a_long_one():
    sizes = [
        next(
            piece.face.size_px
            for piece in layout(Page("Attack", "left", what))
            if isinstance(piece, Block) and piece.name == "what"
        )
        for what in ("Attack", "Answer with as many cards as there are")
    ]
    assert sizes == [16, 12]


def test_the_chosen_line_of_a_menu_is_always_in_sight_and_the_only_one_inverted():
    menu = tuple(f"line {number}" for number in range(9))
    for chosen in range(9):
        shown = [
            piece
            for piece in layout(Page("Menu", menu=menu, chosen=chosen, left="a", right="b"))
            if isinstance(piece, Block) and piece.name == "menu"
        ]
        assert len(shown) == 3
        assert [piece.lines[0][2] for piece in shown if piece.inverted] == [f"line {chosen}"]


@pytest.mark.parametrize("rank", ["1", "7", "12", "?"])
def test_cards_are_large_and_each_at_its_own_side(rank):
    cards = [piece for piece in layout(Page("Duel", cards=(rank, rank))) if isinstance(piece, CardPiece)]
    assert [card.box.x < 64 for card in cards] == [True, False]
    for card in cards:
        assert card.box.height >= 40
        assert fonts.ink(card.rank.lines[0][2], card.rank.face).height >= 18


@pytest.mark.parametrize("rank", [str(rank) for rank in range(1, 13)])
def test_every_rank_fits_into_a_card_on_every_page_with_cards(rank):
    for name in ("duel", "showdown", "showdown, both"):
        example = EXAMPLES[name]
        assert fits(Page(example.title, example.arrow, example.what, note=example.note, cards=(rank, rank))) == []


def test_a_bar_is_as_full_as_it_says():
    def lit(percent):
        return sum(
            1
            for value in draw(Page(bar=("undo", percent))).crop((0, 51, 128, 64)).tobytes()
            for bit in range(8)
            if value >> bit & 1
        )

    assert lit(0) < lit(25) < lit(50) < lit(100)


@pytest.mark.parametrize("wrong", [{"arrow": "up"}, {"bar": ("undo", 101)}])
def test_a_page_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(ValueError, match="expected"):
        Page(**wrong)


def test_a_block_paints_nothing_outside_its_box():
    image = Image.new("1", (128, 64))
    block = set_block("what", "Éxample gjpqy", Box(30, 20, 40, 8), (Face(16, 600),))
    paint_block(image, block)
    assert block.complaints
    image.paste(0, (30, 20, 70, 28))
    assert image.getbbox() is None


def test_an_enlarged_picture_keeps_every_pixel():
    image = draw(EXAMPLES["defend"])
    large = enlarge(image, 4)
    assert (large.mode, large.size) == ("RGB", (512, 256))
    bright = large.convert("L").point([255 * (value > 99) for value in range(256)])
    for x, y in itertools.product(range(128), range(64)):
        assert bool(bright.getpixel((4 * x + 1, 4 * y + 1))) == bool(image.getpixel((x, y)))


def test_lines_of_a_wrapped_text_are_about_as_long_as_each_other():
    lines = fonts.wrap("YAY: answer with 2 cards", Face(12, 500), 128)
    assert lines == ("YAY: answer", "with 2 cards")
    assert typeset.height_px(lines, Face(12, 500)) <= 26


def test_s4_a_page_that_was_drawn_before_opens_no_font_and_draws_no_letter_anew(monkeypatch):
    for page in EXAMPLES.values():
        draw(page)
    asked = []

    def opened(*_args: object, **_words: object) -> None:
        asked.append("font")

    monkeypatch.setattr(fonts.ImageFont, "truetype", opened)
    monkeypatch.setattr(fonts.ImageFont.FreeTypeFont, "getmask2", opened)
    for page in EXAMPLES.values():
        draw(page)
    assert asked == []


def test_the_word_of_the_undo_bar_is_set_large_where_it_fits():
    (word,) = [piece for piece in layout(Page(bar=("undo", 50))) if isinstance(piece, Block)]
    assert word.face == Face(12, 600)


# ---- what gives way beside a card ----------------------------------------------------------

LONG_NOTE = "WOW gave up 12 but still held a 3, and that is a long note that"


def shown(page: Page) -> dict[str, list[str]]:
    """The lines of each text of a page, by its name."""
    return {p.name: [line for _, _, line in p.lines] for p in layout(page) if isinstance(p, Block)}


def test_what_to_do_in_one_line_is_seen_beside_a_card_under_its_title_and_over_count_and_note():
    seen = shown(Page("Duel", "right", "One card", "1 of 2", LONG_NOTE, cards=("?", "")))
    assert (seen["title"], seen["what"], seen["count"], len(seen["note"])) == (["Duel"], ["One card"], ["1 of 2"], 2)


def test_the_count_gives_way_to_a_note_that_needs_its_rows():
    page = Page("Duel", "right", "One card, face down", "1 of 2", LONG_NOTE, cards=("?", ""))
    seen = shown(page)
    assert seen["what"] == ["One card,", "face down"] and len(seen["note"]) == 2 and "count" not in seen


def test_a_text_of_two_lines_in_a_box_for_one_is_cut_in_its_first():
    block = set_block("what", "answer with cards", Box(0, 0, 60, 14), (Face(12, 500),), 2)
    ((_, _, line),) = block.lines
    assert line.startswith("answer") and line.endswith("…")
    assert "px of height, has 14" in block.complaints[0]


def test_cards_that_leave_no_room_between_them_use_the_whole_height_where_nothing_is_to_be_said_above():
    cards = [
        piece for piece in layout(Page("", "both", note="short", cards=("12", "3"))) if isinstance(piece, CardPiece)
    ]
    assert [(card.box.y, card.box.height) for card in cards] == [(0, 47)] * 2


def test_of_a_text_that_is_cut_as_many_lines_are_kept_as_the_box_has_rows_for():
    face = Face(12, 500)
    whole = set_block("note", "answer with as many cards as there are", Box(0, 0, 60, 64), (face,), 9)
    lines = tuple(line for _, _, line in whole.lines)
    assert len(lines) > 2
    needed = typeset.height_px(lines[:2], face)
    for height, kept in ((needed, 2), (needed - 1, 1)):
        cut = set_block("note", "answer with as many cards as there are", Box(0, 0, 60, height), (face,), 2)
        assert len(cut.lines) == kept and cut.lines[-1][2].endswith("…")


def test_title_and_count_are_set_in_the_largest_type_in_which_both_fit_five_pixels_apart():
    def faces(title: str, count: str) -> list[Face]:
        return [piece.face for piece in layout(Page(title, count=count)) if isinstance(piece, Block)]

    largest = [pages.TITLE_FACES[0], pages.COUNT_FACES[0]]
    assert fonts.ink("Ëp", pages.TITLE_FACES[0]).height == pages.TITLE_ROWS_PX
    assert faces("Ëp", "1") == largest  # as high as its row
    count = "3 of 7"
    room = 128 - 5 - fonts.width_px(count, largest[1])
    titles = ("W" * wide + "l" * narrow for wide in range(9) for narrow in range(12))
    fitting = next(title for title in titles if fonts.width_px(title, largest[0]) == room)
    assert faces(fitting, count) == largest and faces(f"{fitting}l", count) != largest

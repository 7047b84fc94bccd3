"""Pages of the screen between the players: what a page holds, and how it is drawn on 128 x 64 pixels of one bit.

A page knows no rules and no language; its texts come ready in the players' language. Left is the first player,
right the second, whatever the direction of the writing. Sizes follow from how far away the players sit: nothing is
set in type smaller than 10 pixels, what to do at least in 12, and an arrow is at least 28 pixels high.

What stays the same from one page to the next must not move, or it would go over the bus again: on pages with an
arrow the words keep clear of both arrows' columns, begin at one column, and stand on fixed rows. The rows are
chosen by the controllers' pages of 8: a line of title or note fills one of them, but for its descenders.
"""

from __future__ import annotations

from typing import Literal

from firmware.screen import fonts
from firmware.screen.fonts import Face
from firmware.screen.pieces import ArrowPiece, BarPiece, CardPiece, Piece, ScrollPiece, complaints
from firmware.screen.typeset import Align, Block, Box, choose, height_px, set_block
from firmware.views.page import Page

WIDTH_PX, HEIGHT_PX = 128, 64
SMALLEST_TYPE_PX = 10
WHAT_TYPE_PX = 12
ARROW_LEAST_PX = 28

ARROW_WIDTH_PX, ARROW_HEIGHT_PX, ARROW_Y_PX, GAP_PX = 14, 32, 8, 3
TOP_ROWS_PX = 40  # arrows, title, and what to do
TITLE_BASELINE = (8,)
WHAT_BASELINES = (28, 24)  # of the first line, when there are one or two
NOTE_BASELINES, SHORT_NOTE_BASELINES = (56, 48), (48,)  # above nothing; above a bar or a fault
NOTE_FREE_PX = 4
TITLE_ROWS_PX, FAULT_ROWS_PX, BAR_ROWS_PX, LABEL_ROWS_PX, MENU_ROWS_PX = 13, 12, 13, 12, 13
NOTE_ROWS_PX, NOTE_MOST_PX = 24, 26  # two lines; where there is room, with accents between them
WHAT_ROWS_PX = 25  # two lines
CARD_WIDTH_PX, CARD_LEAST_CENTRE_PX = 32, 48

TITLE_FACES = (Face(11, 700), Face(11, 700, 85), Face(11, 600, 75), Face(11, 500, 65), Face(10, 500, 70))
COUNT_FACES = (Face(11, 500), Face(11, 500, 85), Face(11, 500, 75), Face(10, 500, 85), Face(10, 500, 70))
WHAT_FACES = (
    Face(16, 600),
    Face(14, 600),
    Face(14, 500, 88),
    Face(12, 600),
    Face(12, 500),
    Face(12, 500, 85),
    Face(12, 500, 72),
)
BETWEEN_FACES = WHAT_FACES[3:]  # what to do, between two cards
NOTE_FACES = (Face(11, 400), Face(10, 500), Face(10, 500, 85), Face(10, 500, 72))
ONE_LINE_FACES = (Face(11, 400), Face(11, 400, 88))  # of a note that one line can hold
LABEL_FACES = (Face(10, 500), Face(10, 500, 85), Face(10, 500, 72))
MENU_FACES = (Face(12, 500), Face(12, 500, 85), Face(12, 500, 72), Face(11, 500, 80), Face(10, 500, 80))
RANK_FACES = (Face(32, 600), Face(28, 600), Face(28, 600, 80), Face(24, 600), Face(22, 600, 80), Face(18, 600, 80))


# ---- where everything goes -----------------------------------------------------------------


def layout(page: Page) -> tuple[Piece, ...]:
    """The pieces of the page, in the order of painting; no two of their boxes overlap."""
    bottom: list[Piece] = []
    floor = HEIGHT_PX
    if fonts.clean(page.fault):
        floor -= FAULT_ROWS_PX
        room = Box(0, floor, WIDTH_PX, FAULT_ROWS_PX)
        bottom.append(set_block("fault", page.fault, room, LABEL_FACES, inverted=True, margin=2, optical=True))
    if page.bar is not None:
        floor -= BAR_ROWS_PX
        bottom += _bar(page.bar, Box(0, floor, WIDTH_PX, BAR_ROWS_PX))
    if page.menu:
        return (*_menu(page, floor), *bottom)
    if fonts.clean(page.left) or fonts.clean(page.right):
        floor -= LABEL_ROWS_PX
        bottom += _labels(page, floor)
    note = _note(page, floor)
    if note is not None:
        bottom.append(note)
        floor = note.box.y
    return (*_top(page, floor), *bottom)


def _top(page: Page, floor: int) -> list[Piece]:
    """Arrows, cards, and between them title, count and what to do; rows 0 to floor - 1."""
    pieces: list[Piece] = []
    left, right = 0, WIDTH_PX
    if page.arrow in ("left", "both"):
        pieces.append(_arrow(0, floor, to_left=True))
        left = ARROW_WIDTH_PX + GAP_PX
    if page.arrow in ("right", "both"):
        pieces.append(_arrow(WIDTH_PX - ARROW_WIDTH_PX, floor, to_left=False))
        right = WIDTH_PX - ARROW_WIDTH_PX - GAP_PX
    room = Box(left, 0, right - left, floor)
    if page.cards is not None:
        return pieces + _with_cards(page, page.cards, room)
    if page.arrow:
        beside = ARROW_WIDTH_PX + GAP_PX
        fixed = Box(beside, 0, WIDTH_PX - 2 * beside, min(floor, TOP_ROWS_PX))
        words = _words(page, fixed)
        if not any(complaints(piece) for piece in words):
            return pieces + words
    return pieces + _words(page, room)


def _words(page: Page, room: Box) -> list[Piece]:
    pieces: list[Piece] = []
    heading = _heading(page, room)
    pieces += heading
    top = max((piece.box.bottom for piece in heading), default=0)
    if fonts.clean(page.what):
        below = Box(room.x, top, room.width, room.height - top)
        if page.arrow:
            block = set_block("what", page.what, below, WHAT_FACES, 2, _flush(page.what), baselines=WHAT_BASELINES)
        else:
            block = set_block("what", page.what, below, WHAT_FACES, 2)
        pieces.append(block)
    return pieces


def _heading(page: Page, room: Box) -> list[Piece]:
    """Title and count on one row: the title where reading begins, the count at the other end."""
    title, count = fonts.clean(page.title), fonts.clean(page.count)
    if not title and not count:
        return []
    row = Box(room.x, room.y, room.width, TITLE_ROWS_PX)
    if not count or not title:
        name, faces = ("title", TITLE_FACES) if title else ("count", COUNT_FACES)
        return [
            set_block(
                name, title or count, row, faces, align="left" if page.arrow else "centre", baselines=TITLE_BASELINE
            )
        ]
    for title_face, count_face in zip(TITLE_FACES, COUNT_FACES, strict=True):
        title_width, count_width = fonts.width_px(title, title_face), fonts.width_px(count, count_face)
        high = max(fonts.ink(title, title_face).height, fonts.ink(count, count_face).height)
        if title_width + 5 + count_width <= row.width and high <= row.height:
            break
    else:
        count_width = min(count_width, row.width // 2)
    title_width = row.width - count_width - 5
    if fonts.runs_right_to_left(title):
        at_title, at_count = (
            Box(row.right - title_width, row.y, title_width, row.height),
            Box(row.x, row.y, count_width, row.height),
        )
        sides: tuple[Align, Align] = (
            "left",
            "right",
        )  # set_block turns these round for the title, and for an Arabic count
        if not fonts.runs_right_to_left(count):
            sides = ("left", "left")
    else:
        at_title = Box(row.x, row.y, title_width, row.height)
        at_count = Box(row.right - count_width, row.y, count_width, row.height)
        sides = ("left", "right")
    return [
        set_block("title", title, at_title, (title_face,), align=sides[0], baselines=TITLE_BASELINE),
        set_block("count", count, at_count, (count_face,), align=sides[1], baselines=TITLE_BASELINE),
    ]


def _note(page: Page, floor: int) -> Block | None:
    """The note, on as few rows as it needs, above row `floor`; None if there is none or a bar covers it.

    Between cards a count is left out if the note needs its rows.
    """
    text = fonts.clean(page.note)
    if not text:
        return None
    align = _flush(text)
    face, lines, trouble = choose(text, WIDTH_PX, NOTE_ROWS_PX // 2, ONE_LINE_FACES, 1, align)
    faces: tuple[Face, ...] = (face,)
    most, room = 1, NOTE_ROWS_PX // 2
    if trouble:
        most, room, faces = _long_note(page, text, floor)
        face, lines, trouble = choose(text, WIDTH_PX, room, faces, most, align)
    rows = room if trouble else min(room, max(len(lines) * (NOTE_ROWS_PX // 2), height_px(lines, face, align)))
    if page.bar and (trouble or not _top_fits(page, floor - rows)):
        return None
    if floor == HEIGHT_PX and len(lines) == 1:
        rows += NOTE_FREE_PX  # below a single line, so that it stands on one of the controller's pages
    baselines = NOTE_BASELINES if floor == HEIGHT_PX else SHORT_NOTE_BASELINES
    return set_block("note", text, Box(0, floor - rows, WIDTH_PX, rows), faces, most, align, baselines=baselines)


def _flush(text: str) -> Align:
    """Texts begin at one column. Arabic lines are centred: so they may stand closer, as they must on a full page."""
    return "centre" if fonts.runs_right_to_left(fonts.clean(text)) else "left"


def _long_note(page: Page, text: str, floor: int) -> tuple[int, int, tuple[Face, ...]]:
    """How many lines a note may have that one line does not hold, in how many rows, and in which faces."""
    for with_count in (True, False):
        room = floor - _rows_above_note(page, with_count)
        room = max(NOTE_ROWS_PX // 2, min(room, NOTE_MOST_PX if fonts.clean(page.what) else floor))
        most = max(1, (room + 2) // (NOTE_ROWS_PX // 2))
        _, _, trouble = choose(text, WIDTH_PX, room, NOTE_FACES, most, _flush(text))
        if not trouble or page.cards is None:
            break
    return most, room, NOTE_FACES


def _top_fits(page: Page, floor: int) -> bool:
    return not any(complaints(piece) for piece in _top(page, floor))


def _what_rows(what: str, width: int, faces: tuple[Face, ...]) -> int:
    """Rows for what to do: one line's or two lines'; a few more only if there is no other way."""
    for most in (WHAT_ROWS_PX, WHAT_ROWS_PX + 3):
        face, lines, trouble = choose(what, width, most, faces, 2)
        if not trouble:
            return max(WHAT_ROWS_PX, height_px(lines, face)) if len(lines) > 1 else WHAT_ROWS_PX // 2
    return WHAT_ROWS_PX


def _rows_above_note(page: Page, with_count: bool) -> int:
    """Rows that must stay free for what is more important than a note."""
    rows = TITLE_ROWS_PX * bool(fonts.clean(page.title) or fonts.clean(page.count))
    width = WIDTH_PX - {"": 0, "both": 2}.get(page.arrow, 1) * (ARROW_WIDTH_PX + GAP_PX)
    faces: tuple[Face, ...] = WHAT_FACES
    if page.cards is not None:  # the words stand one below the other between the cards
        rows = TITLE_ROWS_PX * (bool(fonts.clean(page.title)) + bool(with_count and fonts.clean(page.count)))
        width -= sum(1 for rank in page.cards if rank) * (CARD_WIDTH_PX + GAP_PX)
        faces = BETWEEN_FACES
    if fonts.clean(page.what) and width >= CARD_LEAST_CENTRE_PX:
        rows += _what_rows(page.what, width, faces)
    least = ARROW_LEAST_PX if page.arrow or page.cards is not None else 0
    return max(rows, least)


def _arrow(x: int, floor: int, to_left: bool) -> ArrowPiece:
    height = min(ARROW_HEIGHT_PX, floor) // 2 * 2
    return ArrowPiece(Box(x, min(ARROW_Y_PX, floor - height), ARROW_WIDTH_PX, height), to_left)


def _with_cards(page: Page, cards: tuple[str, str], room: Box) -> list[Piece]:
    """The two cards at the outer sides of the room, the words between them, or above if there is no room between."""
    shown = sum(1 for rank in cards if rank)
    centre = room.width - shown * (CARD_WIDTH_PX + GAP_PX)
    pieces: list[Piece] = []
    top = 0
    if centre < CARD_LEAST_CENTRE_PX:
        pieces += _heading(page, room)
        top = TITLE_ROWS_PX + 1 if pieces else 0
    height = min(room.height - top - 1, 48)
    y = top + (room.height - top - height) // 2
    left, right = room.x, room.right
    if cards[0]:
        pieces.append(_card(cards[0], Box(left, y, CARD_WIDTH_PX, height)))
        left += CARD_WIDTH_PX + GAP_PX
    if cards[1]:
        pieces.append(_card(cards[1], Box(right - CARD_WIDTH_PX, y, CARD_WIDTH_PX, height)))
        right -= CARD_WIDTH_PX + GAP_PX
    if right - left >= CARD_LEAST_CENTRE_PX:
        return pieces + _between_cards(page, Box(left, top, right - left, room.height - top), bool(top))
    return pieces


def _between_cards(page: Page, room: Box, heading_done: bool) -> list[Piece]:
    """Title, what and count one below the other; no count if that takes the rows of what to do."""
    title, count, what = (fonts.clean(text) for text in (page.title, page.count, page.what))
    pieces: list[Piece] = []
    top, floor = room.y, room.bottom
    if title and not heading_done:
        pieces.append(set_block("title", title, Box(room.x, top, room.width, TITLE_ROWS_PX), TITLE_FACES))
        top += TITLE_ROWS_PX
    needed = _what_rows(what, room.width, BETWEEN_FACES) if what else 0
    if count and not heading_done and floor - TITLE_ROWS_PX - top >= needed:
        floor -= TITLE_ROWS_PX
        pieces.append(set_block("count", count, Box(room.x, floor, room.width, TITLE_ROWS_PX), COUNT_FACES))
    if what and floor - top >= WHAT_ROWS_PX // 2:
        pieces.append(set_block("what", what, Box(room.x, top, room.width, floor - top), BETWEEN_FACES, 2))
    return pieces


def _card(rank: str, box: Box) -> CardPiece:
    inner = Box(box.x + 3, box.y + 2, box.width - 6, box.height - 4)
    return CardPiece(box, set_block("card", rank, inner, RANK_FACES, optical=True))


def _bar(bar: tuple[str, int], row: Box) -> list[Piece]:
    label, percent = fonts.clean(bar[0]), bar[1]
    face = LABEL_FACES[0]
    room = min(fonts.width_px(label, Face(12, 600)), row.width // 2)
    if not label:
        return [BarPiece(Box(row.x, row.y + 1, row.width, row.height - 2), percent)]
    face = Face(12, 600) if fonts.width_px(label, Face(12, 600)) <= room else face
    words = set_block("bar", label, Box(row.x, row.y, room, row.height), (face, *LABEL_FACES), align="left")
    start = row.x + room + GAP_PX + 1
    return [words, BarPiece(Box(start, row.y + 1, row.right - start, row.height - 2), percent)]


def _labels(page: Page, y: int) -> list[Piece]:
    """What the two buttons do, each at its own side behind a small arrow."""
    half, tip = WIDTH_PX // 2 - 2, 4
    pieces: list[Piece] = []
    if fonts.clean(page.left):
        room = Box(tip + 3, y, half - tip - 3, LABEL_ROWS_PX)
        pieces.append(ArrowPiece(Box(0, y + 3, tip, 7), to_left=True))
        pieces.append(set_block("left", page.left, room, LABEL_FACES, align=_toward("left", page.left)))
    if fonts.clean(page.right):
        room = Box(WIDTH_PX - half, y, half - tip - 3, LABEL_ROWS_PX)
        pieces.append(ArrowPiece(Box(WIDTH_PX - tip, y + 3, tip, 7), to_left=False))
        pieces.append(set_block("right", page.right, room, LABEL_FACES, align=_toward("right", page.right)))
    return pieces


def _toward(side: Literal["left", "right"], text: str) -> Align:
    """The alignment that brings the text to this side of the table whichever way it is written."""
    if fonts.runs_right_to_left(fonts.clean(text)):
        return "right" if side == "left" else "left"
    return side


def _begin(page: Page, line: str) -> Align:
    """The alignment that lets every line of a menu, a number too, begin where the menu's others do."""
    worded = [fonts.runs_right_to_left(text) for text in page.menu if any(letter.isalpha() for letter in text)]
    from_right = 2 * sum(worded) > len(worded)
    return "right" if from_right and not fonts.runs_right_to_left(line) else "left"


def _menu(page: Page, floor: int) -> list[Piece]:
    pieces: list[Piece] = []
    if fonts.clean(page.left) or fonts.clean(page.right):
        floor -= LABEL_ROWS_PX
        pieces += _labels(page, floor)
    heading = _heading(page, Box(0, 0, WIDTH_PX, TITLE_ROWS_PX))
    top = TITLE_ROWS_PX if heading else 0
    shown = max(1, min(len(page.menu), (floor - top) // MENU_ROWS_PX))
    chosen = page.chosen % len(page.menu)
    first = min(max(0, chosen - shown // 2), len(page.menu) - shown)
    wide = WIDTH_PX if shown == len(page.menu) else WIDTH_PX - 5
    for row in range(shown):
        room = Box(0, top + row * MENU_ROWS_PX, wide, MENU_ROWS_PX)
        pieces.append(
            set_block(
                "menu",
                page.menu[first + row],
                room,
                MENU_FACES,
                align=_begin(page, page.menu[first + row]),
                inverted=first + row == chosen,
                margin=3,
                optical=first + row == chosen,
            )
        )
    if shown < len(page.menu):
        track = Box(WIDTH_PX - 3, top, 3, shown * MENU_ROWS_PX)
        pieces.append(ScrollPiece(track, first, shown, len(page.menu)))
    return heading + pieces

"""Type for a screen of one bit: which font, how wide a text is, where it may be broken.

Noto Sans and Noto Sans Arabic (from their packages) are variable fonts without hints; FreeType's own hinting
sets their stems on whole pixels. Pillow is asked for its basic layout always, so that a page is the same picture
whether or not libraqm is installed; Arabic is therefore shaped here, by arabic-reshaper and python-bidi.

Sizes are pixels of type (the em), widths and heights pixels of the screen.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

import arabic_reshaper
import fontpkg
from bidi.algorithm import get_display
from PIL import ImageDraw, ImageFont

ELLIPSIS = "…"
_NOT_A_CHARACTER = "\uffff"  # never assigned: every font shows its "missing" box for it


@dataclass(frozen=True, slots=True)
class Face:
    """A way of setting type: `size_px` of the em, `weight` 100 to 900, `width` 62 to 100 (100 is normal)."""

    size_px: int
    weight: int = 500
    width: int = 100


@dataclass(frozen=True, slots=True)
class Ink:
    """How far a line's ink reaches from its baseline: `above` rows over it, `below` rows from it downwards."""

    above: int
    below: int

    @property
    def height(self) -> int:
        return self.above + self.below


def is_arabic(character: str) -> bool:
    return "\u0600" <= character <= "\u08ff" or "\ufb50" <= character <= "\ufdff" or "\ufe70" <= character <= "\ufeff"


def runs_right_to_left(text: str) -> bool:
    """A text with any Arabic letter is set from the right, whatever name or number it begins with."""
    return any(is_arabic(character) and character.isalpha() for character in text)


@lru_cache(maxsize=512)
def clean(text: str) -> str:
    """The text with every run of white space as one blank, and nothing that has no shape of its own.

    Controls, lone surrogates, joiners and variation selectors are dropped; line breaks become blanks.
    """
    kept = (
        " " if character.isspace() else character
        for character in text
        if character.isspace() or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Cn", "Co")
        and not "\ufe00" <= character <= "\ufe0f"
    )
    return " ".join("".join(kept).split())


@lru_cache(maxsize=1024)
def shaped(text: str) -> str:
    """Letters in the forms and in the order in which they stand on the screen, from left to right."""
    if not runs_right_to_left(text):
        return text
    return get_display(arabic_reshaper.reshape(text), base_dir="R")


@lru_cache(maxsize=64)
def font(face: Face, arabic: bool = False) -> ImageFont.FreeTypeFont:
    """Raises fontpkg.FamilyNotInstalled when the font's package is missing."""
    path = fontpkg.path("noto-sans-arabic" if arabic else "noto-sans")
    loaded = ImageFont.truetype(str(path), face.size_px, layout_engine=ImageFont.Layout.BASIC)
    loaded.set_variation_by_axes([face.weight, face.width])
    return loaded


def _pieces(visual: str) -> list[tuple[str, bool]]:
    """Stretches of one font each: (text, whether Arabic). A blank stays with what stands before it."""
    pieces: list[tuple[str, bool]] = []
    for character in visual:
        arabic = pieces[-1][1] if pieces and character == " " else is_arabic(character)
        if pieces and pieces[-1][1] == arabic:
            pieces[-1] = (pieces[-1][0] + character, arabic)
        else:
            pieces.append((character, arabic))
    return pieces


@lru_cache(maxsize=4096)
def width_px(text: str, face: Face) -> int:
    """Pixels that a line of `text` takes from its first to its last column of ink."""
    left, right, _ = _extent(text, face)
    return max(0, right - left)


@lru_cache(maxsize=4096)
def _extent(text: str, face: Face) -> tuple[int, int, Ink]:
    """First column of ink, the column after the last, and the rows, with the pen at 0 on the baseline."""
    pen, left, right, top, bottom = 0, None, 0, 0, 0
    for piece, arabic in _pieces(shaped(text)):
        cut = font(face, arabic)
        box = cut.getbbox(piece, mode="1", anchor="ls")
        if box[2] > box[0] and piece.strip():
            left = pen + int(box[0]) if left is None else min(left, pen + int(box[0]))
            right = max(right, pen + int(box[2]))
            top, bottom = min(top, int(box[1])), max(bottom, int(box[3]))
        pen += round(cut.getlength(piece, mode="1"))
    return left or 0, right, Ink(-top, bottom)


def ink(text: str, face: Face) -> Ink:
    return _extent(text, face)[2]


def write(draw: ImageDraw.ImageDraw, x: int, baseline: int, text: str, face: Face, fill: int = 1) -> None:
    """Set one line; `x` is the column of its first ink."""
    pen = x - _extent(text, face)[0]
    for piece, arabic in _pieces(shaped(text)):
        cut = font(face, arabic)
        draw.text((pen, baseline), piece, fill=fill, font=cut, anchor="ls")
        pen += round(cut.getlength(piece, mode="1"))


def has_glyph(character: str) -> bool:
    """Whether the font has a shape of its own for this character (a blank has)."""
    face, arabic = Face(12), is_arabic(character)
    if character.isspace():
        return True
    cut = font(face, arabic)
    return bytes(cut.getmask(character, mode="1")) != bytes(cut.getmask(_NOT_A_CHARACTER, mode="1"))


def cut_to(text: str, face: Face, room_px: int) -> str:
    """The text, or as much of it as goes into `room_px` with "…" after it; "" if not even that does."""
    if width_px(text, face) <= room_px:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if width_px(text[:middle].rstrip() + ELLIPSIS, face) <= room_px:
            low = middle
        else:
            high = middle - 1
    cut = text[:low].rstrip() + ELLIPSIS
    return cut if width_px(cut, face) <= room_px else ""


@lru_cache(maxsize=1024)
def wrap(text: str, face: Face, room_px: int) -> tuple[str, ...]:
    """Break the text into lines of at most `room_px`, of about the same length.

    A word longer than a line is broken wherever it must be. Empty text gives no line.
    """
    lines = _greedy(text, face, room_px)
    widest_word = max((width_px(word, face) for word in text.split()), default=0)
    low, high = min(widest_word, room_px), room_px  # look for the narrowest measure that needs no more lines
    while low < high:
        middle = (low + high) // 2
        if len(_greedy(text, face, middle)) <= len(lines):
            high = middle
        else:
            low = middle + 1
    return _greedy(text, face, low)


def _greedy(text: str, face: Face, room_px: int) -> tuple[str, ...]:
    lines: list[str] = []
    line = ""
    for word in text.split():
        longer = f"{line} {word}" if line else word
        if width_px(longer, face) <= room_px:
            line = longer
            continue
        if line:
            lines.append(line)
        while width_px(word, face) > room_px and len(word) > 1:
            head = _longest_head(word, face, room_px)
            lines.append(word[:head])
            word = word[head:]
        line = word
    if line:
        lines.append(line)
    return tuple(lines)


def _longest_head(word: str, face: Face, room_px: int) -> int:
    """How many characters of `word` go into the room: at least one."""
    low, high = 1, len(word) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if width_px(word[:middle], face) <= room_px:
            low = middle
        else:
            high = middle - 1
    return low

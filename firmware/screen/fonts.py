"""Type for a screen of one bit: which font, how wide a text is, where it may be broken.

Noto Sans and Noto Sans Arabic (from their packages) are variable fonts without hints; FreeType's own hinting
sets their stems on whole pixels. Pillow is asked for its basic layout always, so that a page is the same picture
whether or not libraqm is installed; Arabic is therefore shaped here, by arabic-reshaper and python-bidi.

A font that is missing or damaged costs only itself: Noto Sans stands in for the Arabic one, and for Noto Sans the font
that Pillow brings along, which has Latin letters alone. That is told once.

Sizes are pixels of type (the em), widths and heights pixels of the screen.
"""

from __future__ import annotations

import logging
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby

from PIL import Image, ImageDraw, ImageFont

from firmware.errors import printable

LOG = logging.getLogger("tacocat")
ELLIPSIS = "…"
REMEMBERED = 2048  # texts: those of a page come again with the next
RIGHT_TO_LEFT = "\u200f"  # marks a line without Arabic letters of a text that has some
_NOT_A_CHARACTER = "\uffff"  # never assigned: every font shows its "missing" box for it
_PROBES = {False: "Hg7?éΩ", True: "\ufe8d\ufee2\u0663"}  # letters from all over a font: a file that was cut lacks some


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


@lru_cache(maxsize=REMEMBERED)
def clean(text: str) -> str:
    """The text with every run of white space as one blank, and nothing that has no shape of its own.

    Controls, lone surrogates, joiners and variation selectors are dropped; line breaks become blanks.
    """
    kept = (
        " " if character.isspace() else character
        for character in text
        if character.isspace()
        or (
            unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Cn", "Co")
            and not "\ufe00" <= character <= "\ufe0f"
        )
    )
    return " ".join("".join(kept).split())


@lru_cache(maxsize=REMEMBERED)
def shaped(text: str) -> str:
    """Letters in the forms and in the order in which they stand on the screen, from left to right.

    Arrows point to a side of the table, so they are never mirrored as "<" would be in Arabic.
    """
    if runs_right_to_left(text) or text.endswith(RIGHT_TO_LEFT):
        import arabic_reshaper  # both only where somebody reads Arabic: they take their time to load
        from bidi.algorithm import get_display

        text = get_display(arabic_reshaper.reshape(text.removesuffix(RIGHT_TO_LEFT)), base_dir="R")
    return text.replace("↔", "< >").replace("←", "<").replace("→", ">")  # the fonts have no arrows


FAMILIES = {False: "noto-sans", True: "noto-sans-arabic"}  # by whether it is the one for Arabic letters


def _font_file(family: str) -> str:
    """Raises LookupError if the family is not installed, OSError or ImportError if its packages cannot be read."""
    import fontpkg  # here, so that a package that is damaged or missing stops nothing

    return str(fontpkg.path(family))


@cache
def _usable_file(arabic: bool) -> str | None:
    """The file of the font for Arabic letters, or for all others; None if it is to be replaced. Looked for once:
    fontpkg goes through every package that is installed."""
    family, path = FAMILIES[arabic], ""
    try:
        path = _font_file(family)
        loaded = _variable(path, Face(12))
        for character in (*_PROBES[arabic], _NOT_A_CHARACTER):
            loaded.getmask(character, mode="1")
    except (LookupError, OSError, ImportError, ValueError) as error:
        other = "Noto Sans" if arabic else "Pillow's own font"
        found = f"{path or family}: {printable(str(error)) or type(error).__name__}"
        LOG.warning(
            "A font cannot be used (%s). %s takes its place, which lacks some letters. Install the "
            "package fontpkg-%s anew",
            found,
            other,
            family,
        )
        return None
    return path


def _variable(path: str, face: Face) -> ImageFont.FreeTypeFont:
    loaded = ImageFont.truetype(path, face.size_px, layout_engine=ImageFont.Layout.BASIC)
    loaded.set_variation_by_axes([face.weight, face.width])
    return loaded


@cache
def font(face: Face, arabic: bool = False) -> ImageFont.FreeTypeFont:
    """The font that is there for such letters, in this size; one that stands in may have one weight and width only."""
    if (path := _usable_file(arabic)) is not None:
        return _variable(path, face)
    if arabic:
        return font(face)
    own = ImageFont.load_default(face.size_px)
    assert isinstance(own, ImageFont.FreeTypeFont)  # Pillow's wheels, and Debian's, have FreeType
    return own


def blank_px(face: Face) -> int:
    """The blank between two words: never so narrow in one bit that they run together."""
    return 3 if face.size_px < 11 else 4 if face.size_px < 16 else 5


@dataclass(frozen=True, slots=True)
class _Strip:
    """Ink: `picture` of mode "1" cropped to it, the column and the row of its first corner, from the pen's place."""

    picture: Image.Image
    x: int
    y: int

    @property
    def right(self) -> int:
        return self.x + self.picture.width

    @property
    def bottom(self) -> int:
        return self.y + self.picture.height


@lru_cache(maxsize=REMEMBERED)
def _run(text: str, face: Face, arabic: bool) -> tuple[_Strip, int]:
    """The ink of letters of one font, and how far they move the pen.

    Pillow sets a whole text a row or two too high in one bit when it has an accent that is not on whole pixels. So a
    letter that stands on the baseline is set behind it, shows where the baseline came to lie, and is cut off.
    """
    cut, foot = font(face, arabic), "\ufe8d" if arabic else "H"
    advance, origin = round(cut.getlength(text, mode="1")), 3 * face.size_px
    foot_at = round(cut.getlength(text + "    ", mode="1")) + origin
    picture = Image.new("1", (foot_at + 2 * face.size_px, 6 * face.size_px))
    try:
        ImageDraw.Draw(picture).text((origin, origin), f"{text}    {foot}", fill=1, font=cut, anchor="ls")
    except OSError:  # FreeType's "raster overflow": a glyph with more detail than a few pixels can take
        return _run("".join(_or_missing(character, face, arabic) for character in text), face, arabic)
    standing = picture.crop((foot_at - 1, 0, picture.width, picture.height)).getbbox()
    ink = picture.crop((0, 0, foot_at - 1, picture.height))
    seen = ink.getbbox()
    if seen is None or standing is None:
        return _Strip(Image.new("1", (0, 0)), 0, 0), advance
    return _Strip(ink.crop(seen), seen[0] - origin, seen[1] - standing[3]), advance


def _or_missing(character: str, face: Face, arabic: bool) -> str:
    try:
        font(face, arabic).getmask(character, mode="1")
    except OSError:
        return _NOT_A_CHARACTER
    return character


@lru_cache(maxsize=REMEMBERED)
def _placed(text: str, face: Face) -> tuple[_Strip, ...]:
    """The inks of a line, each where it belongs; words have at least a blank's dark columns between them."""
    inks: list[_Strip] = []
    pen = edge = 0
    for word in shaped(text).split(" "):
        pen, fresh = (max(pen, edge) + blank_px(face), True) if inks else (0, True)
        for arabic, letters in groupby(word, key=is_arabic):
            run, advance = _run("".join(letters), face, arabic)
            if run.picture.width:
                pen = max(pen, edge + blank_px(face) - run.x) if fresh and inks else pen
                inks.append(_Strip(run.picture, pen + run.x, run.y))
                edge, fresh = pen + run.right, False
            pen += advance
    return tuple(inks)


@lru_cache(maxsize=REMEMBERED)
def _strip(text: str, face: Face) -> _Strip:
    """The ink of a whole line."""
    inks = _placed(text, face)
    if not inks:
        return _Strip(Image.new("1", (0, 0)), 0, 0)
    left, top = min(run.x for run in inks), min(run.y for run in inks)
    picture = Image.new("1", (max(run.right for run in inks) - left, max(run.bottom for run in inks) - top))
    for run in inks:
        picture.paste(1, (run.x - left, run.y - top), run.picture)
    return _Strip(picture, left, top)


def width_px(text: str, face: Face) -> int:
    """Pixels that a line of `text` takes from its first to its last column of ink."""
    inks = _placed(text, face)
    return max(run.right for run in inks) - min(run.x for run in inks) if inks else 0


def ink(text: str, face: Face) -> Ink:
    inks = _placed(text, face)
    return Ink(-min(run.y for run in inks), max(run.bottom for run in inks)) if inks else Ink(0, 0)


def write(image: Image.Image, x: int, baseline: int, text: str, face: Face, lit: bool = True) -> None:
    """Set one line, lit or dark, into a picture of mode "1"; `x` is the column of its first ink."""
    strip = _strip(text, face)
    image.paste(int(lit), (x, baseline + strip.y), strip.picture)


@lru_cache(maxsize=REMEMBERED)
def _profile(text: str, face: Face) -> tuple[tuple[int, int], ...]:
    """For every column of a line's ink: rows above the baseline and below it; a column without ink is far away."""
    strip = _strip(text, face)
    height = strip.picture.height
    columns = strip.picture.transpose(Image.Transpose.TRANSPOSE).tobytes()
    stride = (height + 7) // 8
    profile = []
    for start in range(0, len(columns), max(1, stride)):
        bits = int.from_bytes(columns[start : start + stride], "big") >> (stride * 8 - height)
        if bits:
            first, last = height - bits.bit_length(), height - (bits & -bits).bit_length()
            profile.append((-strip.y - first, last + 1 + strip.y))
        else:
            profile.append((-99, -99))
    return tuple(profile)


def closest_px(upper: str, upper_x: int, lower: str, lower_x: int, face: Face) -> int:
    """The least distance of two baselines at which a dark row remains between the ink of the two lines."""
    below = {upper_x + column: rows for column, (_, rows) in enumerate(_profile(upper, face))}
    closest = 0
    for column, (above, _) in enumerate(_profile(lower, face), lower_x):
        for near in (column - 1, column, column + 1):
            closest = max(closest, below.get(near, -99) + above + 1)
    return closest


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


@lru_cache(maxsize=REMEMBERED)
def wrap(text: str, face: Face, room_px: int) -> tuple[str, ...]:
    """Break the text into lines of at most `room_px`, of about the same length.

    A word longer than a line is broken wherever it must be. Empty text gives no line. A line that would lose the
    direction of its text ends with RIGHT_TO_LEFT.
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
    lines = _greedy(text, face, low)
    if runs_right_to_left(text):
        return tuple(line if runs_right_to_left(line) else line + RIGHT_TO_LEFT for line in lines)
    return lines


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
        rest = word
        while width_px(rest, face) > room_px:
            head = _longest_head(rest, face, room_px)
            lines.append(rest[:head])
            rest = rest[head:]
        line = rest
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

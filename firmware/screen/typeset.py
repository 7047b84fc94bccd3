"""Setting a text into a box: the largest face in which it fits, lines, baselines, and what is wrong if none does.

All pixels. Nothing is ever painted outside a box: a line that is too long is cut with "…", a text with too many
lines is cut after the last that fits, and a block says so in `complaints`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from PIL import Image

from firmware.screen import fonts
from firmware.screen.fonts import Face

Align = Literal["left", "centre", "right"]


@dataclass(frozen=True, slots=True)
class Box:
    """Columns x to x + width - 1, rows y to y + height - 1 of the screen."""

    x: int
    y: int
    width: int
    height: int

    @property
    def right(self) -> int:
        return self.x + self.width

    @property
    def bottom(self) -> int:
        return self.y + self.height

    def overlaps(self, other: Box) -> bool:
        return (self.x < other.right and other.x < self.right) and (self.y < other.bottom and other.y < self.bottom)


@dataclass(frozen=True, slots=True)
class Block:
    """A text as it will be painted: `lines` are (column of the first ink, baseline, text)."""

    name: str
    box: Box
    face: Face
    lines: tuple[tuple[int, int, str], ...]
    inverted: bool = False
    complaints: tuple[str, ...] = ()


def leading_px(face: Face) -> int:
    """The usual distance of two baselines: room for letters with descenders over letters with capitals."""
    return face.size_px + 1 + (face.size_px >= 14)


@lru_cache(maxsize=fonts.REMEMBERED)
def height_px(lines: tuple[str, ...], face: Face, align: Align = "centre") -> int:
    """Rows that the ink of these lines needs, from the top of the first to the bottom of the last."""
    if not lines:
        return 0
    return fonts.ink(lines[0], face).above + sum(_steps(lines, face, align)) + fonts.ink(lines[-1], face).below


def _below(lines: tuple[str, ...], face: Face) -> int:
    return fonts.ink(lines[-1], face).below if lines else 0


@lru_cache(maxsize=fonts.REMEMBERED)
def _steps(lines: tuple[str, ...], face: Face, align: Align = "centre") -> tuple[int, ...]:
    """Distances from each baseline to the next: the usual one, more where accents would touch.

    Arabic has few letters that reach far up or down, so its lines may stand as close as their ink allows.
    """
    columns = [_column(line, face, 0, align) for line in lines]
    steps = []
    for index in range(1, len(lines)):
        upper, lower = lines[index - 1], lines[index]
        closest = fonts.closest_px(upper, columns[index - 1], lower, columns[index], face)
        steps.append(max(leading_px(face), closest))
    return tuple(steps)


def _column(line: str, face: Face, room_px: int, align: Align) -> int:
    space = room_px - fonts.width_px(line, face)
    return {"left": 0, "centre": space // 2, "right": space}[align]


def choose(
    text: str, width: int, height: int, faces: Sequence[Face], most_lines: int, align: Align = "centre"
) -> tuple[Face, tuple[str, ...], str]:
    """The first face in which the text fits, its lines, and "" or else what the last face would have needed."""
    text = fonts.clean(text)
    for face in faces:
        lines = fonts.wrap(text, face, width)
        broken = " ".join(lines).replace(fonts.RIGHT_TO_LEFT, "") != text
        # A larger face is taken only if capitals and descenders would have room, whether these lines have any or not.
        spare = 0 if face is faces[-1] else max(0, fonts.ink("p", face).below - _below(lines, face))
        if len(lines) <= most_lines and height_px(lines, face, align) + spare <= height and not broken:
            return face, lines, ""
    if len(lines) > most_lines:
        return face, lines, f"needs {len(lines)} lines, has {most_lines}"
    if height_px(lines, face, align) > height:
        return face, lines, f"needs {height_px(lines, face, align)} px of height, has {height}"
    return face, lines, f"a word is wider than {width} px"


def set_block(
    name: str,
    text: str,
    room: Box,
    faces: Sequence[Face],
    most_lines: int = 1,
    align: Align = "centre",
    inverted: bool = False,
    margin: int = 0,
    optical: bool = False,
    baselines: Sequence[int] = (),
) -> Block:
    """Set the text into the room, in the middle of its height. `margin` columns stay free at both sides.

    `optical` puts the middle of the ink there, else the middle of a line with capitals and descenders. `baselines`:
    the row of the screen on which the first line is to stand when there is one line, two lines, and so on; it stands
    as near to it as the room allows.
    """
    inner = Box(room.x + margin, room.y, max(1, room.width - 2 * margin), room.height)
    text = fonts.clean(text)
    if align != "centre" and fonts.runs_right_to_left(text):
        align = "right" if align == "left" else "left"
    face, lines, trouble = choose(text, inner.width, inner.height, faces, most_lines, align)
    if trouble:
        lines = _cut(text, lines, inner, face, most_lines)
    complaints = (f"{name}: {trouble}",) if trouble else ()
    wanted = baselines[len(lines) - 1] if 0 < len(lines) <= len(baselines) else None
    return Block(name, room, face, _baselines(lines, inner, face, align, optical, wanted), inverted, complaints)


def _cut(text: str, lines: tuple[str, ...], room: Box, face: Face, most_lines: int) -> tuple[str, ...]:
    kept = lines[:most_lines]
    while height_px(kept, face) > room.height:
        kept = kept[:-1]
    if len(kept) == len(lines):
        return kept
    start = 0
    for line in kept[:-1]:
        start = text.index(line.removesuffix(fonts.RIGHT_TO_LEFT), start) + len(line.removesuffix(fonts.RIGHT_TO_LEFT))
    return (*kept[:-1], fonts.cut_to(text[start:].strip(), face, room.width))


def _baselines(
    lines: tuple[str, ...], room: Box, face: Face, align: Align, optical: bool, wanted: int | None
) -> tuple[tuple[int, int, str], ...]:
    if not lines:
        return ()
    first, last, steps = fonts.ink(lines[0], face), fonts.ink(lines[-1], face), _steps(lines, face, align)
    # Letters stand on one height from page to page: the slack is counted from capitals to descenders.
    usual = fonts.ink("Hp", face) if not optical else fonts.Ink(first.above, last.below)
    slack = room.height - (usual.height + sum(steps))
    baseline = wanted if wanted is not None else room.y + max(0, slack // 2) + usual.above
    highest, lowest = room.y + first.above, room.bottom - last.below - sum(steps)
    baseline = max(highest, min(baseline, lowest))
    placed = []
    for index, line in enumerate(lines):
        x = room.x + max(0, _column(line, face, room.width, align))
        placed.append((x, baseline + sum(steps[:index]), line))
    return tuple(placed)


def paint_block(image: Image.Image, block: Block) -> None:
    """Paint into the block's box and nowhere else."""
    box = block.box
    tile = Image.new("1", (box.width, box.height), int(block.inverted))
    for x, baseline, line in block.lines:
        fonts.write(tile, x - box.x, baseline - box.y, line, block.face, lit=not block.inverted)
    image.paste(tile, (box.x, box.y))

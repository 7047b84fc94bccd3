"""Setting a text into a box: the largest face in which it fits, lines, baselines, and what is wrong if none does.

All pixels. Nothing is ever painted outside a box: a line that is too long is cut with "…", a text with too many
lines is cut after the last that fits, and a block says so in `complaints`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from PIL import Image, ImageDraw

from firmware import fonts
from firmware.fonts import Face

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


def height_px(lines: Sequence[str], face: Face) -> int:
    """Rows that the ink of these lines needs, from the top of the first to the bottom of the last."""
    if not lines:
        return 0
    return fonts.ink(lines[0], face).above + sum(_steps(lines, face)) + fonts.ink(lines[-1], face).below


def _steps(lines: Sequence[str], face: Face) -> list[int]:
    """Distances from each baseline to the next: the usual one, or more where accents would touch."""
    inks = [fonts.ink(line, face) for line in lines]
    return [
        max(leading_px(face), upper.below + lower.above + 1) for upper, lower in zip(inks, inks[1:], strict=False)
    ]


def choose(text: str, room: Box, faces: Sequence[Face], most_lines: int) -> tuple[Face, tuple[str, ...], str]:
    """The first face in which the text fits, its lines, and "" or else what the last face would have needed."""
    face, lines = faces[-1], ()
    for face in faces:
        lines = fonts.wrap(text, face, room.width)
        broken = " ".join(lines) != text
        if len(lines) <= most_lines and height_px(lines, face) <= room.height and not broken:
            return face, lines, ""
    if len(lines) > most_lines:
        return face, lines, f"needs {len(lines)} lines, has {most_lines}"
    if height_px(lines, face) > room.height:
        return face, lines, f"needs {height_px(lines, face)} px of height, has {room.height}"
    return face, lines, f"a word is wider than {room.width} px"


def set_block(
    name: str, text: str, room: Box, faces: Sequence[Face], most_lines: int = 1, align: Align = "centre",
    inverted: bool = False, margin: int = 0,
) -> Block:
    """Set the text into the room, in the middle of its height. `margin` columns stay free at both sides."""
    inner = Box(room.x + margin, room.y, max(1, room.width - 2 * margin), room.height)
    text = fonts.clean(text)
    face, lines, trouble = choose(text, inner, faces, most_lines)
    if trouble:
        lines = _cut(lines, inner, face, most_lines)
    if align != "centre" and fonts.runs_right_to_left(text):
        align = "right" if align == "left" else "left"
    complaints = (f"{name}: {trouble}",) if trouble else ()
    return Block(name, room, face, _baselines(lines, inner, face, align), inverted, complaints)


def _cut(lines: tuple[str, ...], room: Box, face: Face, most_lines: int) -> tuple[str, ...]:
    kept = list(lines[:most_lines])
    while len(kept) > 1 and height_px(kept, face) > room.height:
        kept.pop()
    if len(kept) < len(lines):
        kept[-1] = fonts.cut_to(f"{kept[-1]} {lines[len(kept)]}…", face, room.width)
    return tuple(kept)


def _baselines(lines: Sequence[str], room: Box, face: Face, align: Align) -> tuple[tuple[int, int, str], ...]:
    if not lines:
        return ()
    # Letters stand on one height from page to page: the slack is counted from the height of capitals.
    usual = Face(face.size_px, face.weight, face.width)
    cap, below = fonts.ink("H", usual).above, fonts.ink("p", usual).below
    steps = _steps(lines, face)
    slack = room.height - (cap + sum(steps) + below)
    top = room.y + max(0, slack // 2)
    baseline = top + cap
    baseline = max(baseline, room.y + fonts.ink(lines[0], face).above)
    overhang = baseline + sum(steps) + fonts.ink(lines[-1], face).below - room.bottom
    if overhang > 0:
        baseline -= min(overhang, max(0, baseline - fonts.ink(lines[0], face).above - room.y))
    placed = []
    for index, line in enumerate(lines):
        width = fonts.width_px(line, face)
        space = room.width - width
        x = room.x + {"left": 0, "centre": max(0, space) // 2, "right": max(0, space)}[align]
        placed.append((x, baseline + sum(steps[:index]), line))
    return tuple(placed)


def paint_block(image: Image.Image, block: Block) -> None:
    """Paint into the block's box and nowhere else."""
    box = block.box
    tile = Image.new("1", (box.width, box.height), 1 if block.inverted else 0)
    draw = ImageDraw.Draw(tile)
    for x, baseline, line in block.lines:
        fonts.write(draw, x - box.x, baseline - box.y, line, block.face, fill=0 if block.inverted else 1)
    image.paste(tile, (box.x, box.y))

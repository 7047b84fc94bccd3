"""The pieces that a page is made of, where each lies, and how they are painted in one bit."""

from __future__ import annotations

from dataclasses import dataclass

from PIL import Image, ImageDraw

from firmware.screen.typeset import Block, Box, paint_block


@dataclass(frozen=True, slots=True)
class ArrowPiece:
    box: Box
    to_left: bool


@dataclass(frozen=True, slots=True)
class CardPiece:
    box: Box
    rank: Block


@dataclass(frozen=True, slots=True)
class BarPiece:
    box: Box
    percent: int


@dataclass(frozen=True, slots=True)
class ScrollPiece:
    """A list's position: rows `first` to `first + shown - 1` of `total` are seen, which are not all of them."""

    box: Box
    first: int
    shown: int
    total: int


Piece = Block | ArrowPiece | CardPiece | BarPiece | ScrollPiece


def paint(image: Image.Image, piece: Piece) -> None:
    """Paint into the piece's box and nowhere else."""
    if isinstance(piece, Block):
        paint_block(image, piece)
        return
    pen, box = ImageDraw.Draw(image), piece.box
    if isinstance(piece, ArrowPiece):
        _paint_arrow(pen, piece)
    elif isinstance(piece, CardPiece):
        pen.rounded_rectangle((box.x, box.y, box.right - 1, box.bottom - 1), radius=4, outline=1)
        paint_block(image, piece.rank)
    elif isinstance(piece, BarPiece):
        pen.rectangle((box.x, box.y, box.right - 1, box.bottom - 1), outline=1)
        filled = (box.width - 4) * piece.percent // 100
        if filled:
            pen.rectangle((box.x + 2, box.y + 2, box.x + 1 + filled, box.bottom - 3), fill=1)
    else:
        pen.line((box.x + 1, box.y, box.x + 1, box.bottom - 1), fill=1)
        length = max(4, box.height * piece.shown // piece.total)
        start = box.y + (box.height - length) * piece.first // (piece.total - piece.shown)
        pen.rectangle((box.x, start, box.right - 1, start + length - 1), fill=1)


def _paint_arrow(pen: ImageDraw.ImageDraw, arrow: ArrowPiece) -> None:
    box = arrow.box
    middle = (box.height - 1) // 2
    for row in range(box.height):
        reach = min(row, box.height - 1 - row) * (box.width - 1) // max(1, middle)
        first = box.right - 1 - reach if arrow.to_left else box.x
        pen.line((first, box.y + row, first + reach, box.y + row), fill=1)


def complaints(piece: Piece) -> tuple[str, ...]:
    """What of the piece had to be cut."""
    if isinstance(piece, Block):
        return piece.complaints
    return piece.rank.complaints if isinstance(piece, CardPiece) else ()

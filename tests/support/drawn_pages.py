"""Pages of every kind and length, and what became of them: each piece with its place and type, and the picture.

    python -m tests.support.drawn_pages    write tests/screen/drawn_pages.txt anew, after a change that was meant

Look at what has changed there (`git diff`), and at the pages themselves (`make gallery`), before it is kept.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Iterator
from pathlib import Path

from firmware.screen.drawing import draw
from firmware.screen.layout import layout
from firmware.screen.pieces import ArrowPiece, BarPiece, CardPiece, Piece
from firmware.screen.typeset import Block, Box
from firmware.views.page import Page

KEPT = Path(__file__).parents[1] / "screen" / "drawn_pages.txt"
LATIN = "Play one 10 or two, and more of it: WOW keeps just a few Éj 7 by quay (12 cards) that go on and on"
ARABIC = "الورقة 6 منخفضة: دافع أو ضح بالأدنى YAY لا تلعب الورقة نفسها 12 مرة أخرى"


def cut(text: str, letters: int) -> str:
    return text[:letters].strip()


def growing() -> Iterator[tuple[str, Page]]:
    """Each field alone, with ever more letters, until it has to be cut; then the fields beside each other."""
    for script, text in (("latin", LATIN), ("arabic", ARABIC)):
        for n in range(1, 40, 2):
            some = cut(text, n)
            yield f"{script} title {n}", Page(some)
            yield f"{script} title and arrow {n}", Page(some, "left")
            yield f"{script} count {n}", Page(count=some)
            yield f"{script} title and count {n}", Page(some, "both" if n % 4 == 1 else "", count=cut(text, 2 + n // 4))
            yield f"{script} fault {n}", Page(what="ok", fault=some)
            yield f"{script} bar {n}", Page(bar=(some, n))
            yield f"{script} labels {n}", Page(menu=("1", "2"), left=some, right=cut(text[3:], n))
            yield f"{script} menu {n}", Page("Menu" if n % 4 == 1 else "", menu=(some, "7", cut(text[5:], n)), chosen=n)
        for n in range(2, 98, 3):
            some = cut(text, n)
            yield f"{script} what {n}", Page(what=some)
            for arrow in ("left", "right", "both"):
                yield f"{script} what and {arrow} {n}", Page("Title", arrow, some, "3 of 7")
            yield f"{script} note {n}", Page(note=some)
            yield f"{script} note below {n}", Page("Attack", "left", "WOW: attack", "1 of 2", some)
            yield f"{script} note and bar {n}", Page("Attack", "both", "WOW: attack", note=some, bar=("undo", n))
            yield f"{script} note and fault {n}", Page("Attack", "right", cut(text, 30), note=some, fault="no strip")
            yield f"{script} between {n}", Page("Duel", "", some, "2 cards", cards=("12", "3" if n % 2 else ""))
            yield f"{script} note and cards {n}", Page("Duel", "left", "One each", "2 cards", some, ("7", ""))
    for rank in ("1", "7", "10", "12", "?", "Wj", *(letter * n for letter in "1lj0" for n in range(2, 9))):
        yield f"card {rank}", Page(cards=(rank, "1"))
        yield f"card {rank} and words", Page("Showdown", "both", "a tie", "2", "The lower card wins", (rank, rank))
    notes = (
        "",
        "short",
        "The lower card wins: 3 is below 12",
        "The lower card wins the round: 3 is below the 12 of WOW",
    )
    crowded = itertools.product(("", "right", "both"), (("12", "1"), ("?", ""), ("", "7"), None), notes, range(4))
    for number, (arrow, cards, note, below) in enumerate(crowded):
        bar, fault = ("undo", 40) if below & 1 else None, "strip is missing" if below & 2 else ""
        yield f"crowded {number}", Page("Duel", arrow, "", "", note, cards, bar, fault=fault)
        yield f"crowded, with words {number}", Page("Duel", arrow, "YAY attacks", "2", note, cards, bar, fault=fault)
    yield "nothing", Page()
    for percent in range(0, 101, 5):
        yield f"bar {percent}", Page(bar=("", percent))
    for lines in range(1, 10):
        for chosen in range(lines):
            yield f"{lines} lines, {chosen}", Page("Menu", menu=tuple("abcdefghi"[:lines]), chosen=chosen)
            yield (
                f"{lines} lines and labels, {chosen}",
                Page(menu=tuple("abcdefghi"[:lines]), chosen=chosen, right="ok"),
            )


def _place(box: Box) -> str:
    return f"{box.x},{box.y} {box.width}x{box.height}"


def _told(piece: Piece) -> str:
    match piece:
        case Block():
            face = piece.face
            lines = " / ".join(f"{x},{y} {text}" for x, y, text in piece.lines)
            words = f"{piece.name} {_place(piece.box)} type {face.size_px}/{face.weight}/{face.width}: {lines}"
            return " ".join([words, *["inverted"] * piece.inverted, *piece.complaints])
        case ArrowPiece():
            return f"arrow {_place(piece.box)} {'left' if piece.to_left else 'right'}"
        case CardPiece():
            return f"card {_place(piece.box)}; {_told(piece.rank)}"
        case BarPiece():
            return f"bar {_place(piece.box)} {piece.percent} %"
    return f"scroll {_place(piece.box)} {piece.first} {piece.shown} {piece.total}"


def told(page: Page) -> list[str]:
    """A line for each piece, and one for the picture."""
    return [*map(_told, layout(page)), f"picture {zlib.crc32(draw(page).tobytes()):08x}"]


def kept() -> dict[str, list[str]]:
    """What is written down: a page's name, then its lines, indented."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in KEPT.read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            found[name].append(line[2:])
        else:
            name = line
            found[name] = []
    return found


if __name__ == "__main__":
    blocks = ("\n".join([name, *(f"  {line}" for line in told(page))]) for name, page in growing())
    KEPT.write_text("\n".join(blocks) + "\n", encoding="utf-8")

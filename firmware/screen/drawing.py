"""A page as a picture, and what of it is seen when there is no room for all of it."""

from __future__ import annotations

from dataclasses import replace

from PIL import Image, ImageDraw

from firmware.screen.layout import HEIGHT_PX, WIDTH_PX, layout
from firmware.screen.pieces import complaints, paint
from firmware.views.page import Page

TURN_MS = 2000  # how long a note and a fault are seen that have no room side by side


def in_turn(page: Page, now_ms: int) -> Page:
    """A note for which there is no room beside the fault takes turns with it; the undo bar hides a fault."""
    if not page.fault or not (page.note or page.bar) or not fits(page):
        return page
    if page.bar:
        return replace(page, fault="")
    return replace(page, note="") if now_ms // TURN_MS % 2 else replace(page, fault="")


def draw(page: Page) -> Image.Image:
    """The page as a picture of mode "1", 128 x 64; lit pixels are 1. Never raises for what a text holds."""
    image = Image.new("1", (WIDTH_PX, HEIGHT_PX))
    for piece in layout(page):
        paint(image, piece)
    return image


def fits(page: Page) -> list[str]:
    """What of the page had to be cut, such as "what: needs 3 lines, has 2"; empty if all of it is shown whole."""
    return [complaint for piece in layout(page) for complaint in complaints(piece)]


def enlarge(image: Image.Image, times: int) -> Image.Image:
    """A picture for people: mode "RGB", each pixel a `times` x `times` square with a dark seam, as the panel looks."""
    lit, dark, seam = (196, 232, 255), (9, 13, 20), (2, 4, 8)
    large = Image.new("RGB", image.size, dark)
    large.paste(lit, (0, 0), image.convert("1"))
    large = large.resize((image.width * times, image.height * times), Image.Resampling.NEAREST)
    if times >= 3:
        lines = ImageDraw.Draw(large)
        for x in range(times - 1, large.width, times):
            lines.line((x, 0, x, large.height), fill=seam)
        for y in range(times - 1, large.height, times):
            lines.line((0, y, large.width, y), fill=seam)
    return large

"""Draw the strip's states for docs/, from the frames that the Pico's program really wrote to its LEDs.

Run by `make gallery`. A state that moves is drawn as a film: one row for each moment.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from PIL import Image, ImageDraw, ImageFilter

from docs.gallery import PAGES
from firmware.wiring.parts import PICO_PROGRAM
from hardware.ports import Colour, SystemClock
from hardware.strip import PicoStrip
from hardware.twins.pico import PicoProcess
from tests.support.at_table import LAYOUT, AtTable, referee_in_attack
from tests.support.colour_vision import VISIONS, seen

OUT = Path(__file__).parent / "strip"
LED_PX, ROW_PX = 14, 26
GAMMA = 1 / 2.2  # light is linear, pictures are not


def _covered() -> AtTable:
    at = PAGES["board"]()
    for winner in ("wow", "wow"):
        at.ok(winner)
        at.wait(4000)
    at.table = replace(at.table, motion=replace(at.table.motion, glide=()))
    return at


def _round_won() -> AtTable:
    at = PAGES["board"]()
    at.ok("wow")
    return at


# name: (how to come there, how long to watch in ms, how many moments to draw)
STATES: dict[str, tuple[Callable[[], AtTable], int, int]] = {
    "turn": (referee_in_attack, 2400, 7),
    "covered": (_covered, 0, 1),
    "arrow": (PAGES["replace-one"], 1600, 6),
    "arrow-both": (PAGES["replace-both"], 1600, 6),
    "rejected": (PAGES["not-your-turn"], 1300, 13),
    "round-won": (_round_won, 1100, 6),
    "game-won": (PAGES["game-over"], 1500, 8),
}


def draw_row(lit: Sequence[Colour]) -> Image.Image:
    """One moment of the strip, each LED a glowing dot."""
    size = (LED_PX * len(lit), ROW_PX)
    glow = Image.new("RGB", size, (14, 12, 12))
    dots = glow.copy()
    for image, radius in ((glow, 9), (dots, 4)):
        pen = ImageDraw.Draw(image)
        for number, colour in enumerate(lit):
            x, y = LED_PX * number + LED_PX // 2, ROW_PX // 2
            seen = tuple(round(255 * (channel / 255) ** GAMMA) for channel in colour)
            pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=seen if any(seen) else (30, 28, 28))
    glow = Image.blend(Image.new("RGB", size, (14, 12, 12)), glow.filter(ImageFilter.GaussianBlur(6)), 0.6)
    mask = Image.new("L", size)
    pen = ImageDraw.Draw(mask)
    for number in range(len(lit)):
        x, y = LED_PX * number + LED_PX // 2, ROW_PX // 2
        pen.ellipse((x - 4, y - 4, x + 4, y + 4), fill=255)
    glow.paste(dots, (0, 0), mask)
    return glow


def watch(pico: PicoProcess, strip: PicoStrip, at: AtTable, watch_ms: int, moments: int) -> list[tuple[Colour, ...]]:
    """Show the table's picture on the emulated strip, and return what was lit at that many moments."""
    clock = SystemClock()
    ahead_ms = clock.now_ms() - at.now_ms
    picture = at.scene.picture
    effects = tuple(replace(effect, start_ms=effect.start_ms + ahead_ms) for effect in picture.effects)
    before = len(pico.frames())
    strip.show(replace(picture, effects=effects))
    strip.wait_shown(5)
    end_ms = clock.now_ms() + watch_ms
    pico.wait_for(lambda: clock.now_ms() >= end_ms, watch_ms / 1000 + 1)
    frames = pico.frames()[before + 1 :] or pico.frames()[-1:]
    step = max(1, (len(frames) - 1) // max(1, moments - 1))
    return [frame.colours for frame in frames[::step]][:moments]


def draw_for_all_eyes(lit: Sequence[Colour]) -> Image.Image:
    """One moment as it looks with normal, protanope, deuteranope and tritanope eyes, a row each."""
    rows = [draw_row([seen(colour, vision) for colour in lit]) for vision in VISIONS]
    sheet = Image.new("RGB", (rows[0].width, ROW_PX * len(rows)))
    for number, row in enumerate(rows):
        sheet.paste(row, (0, ROW_PX * number))
    return sheet


def main() -> None:
    OUT.mkdir(exist_ok=True)
    with PicoProcess(PICO_PROGRAM, leds=LAYOUT.leds) as pico, PicoStrip(pico.find_ports, SystemClock()) as strip:
        for name, (make, watch_ms, moments) in STATES.items():
            film_of = watch(pico, strip, make(), watch_ms, moments)
            rows = [draw_row(lit) for lit in film_of]
            if name == "round-won":
                draw_for_all_eyes(film_of[-1]).save(OUT / "all-eyes.png")
            film = Image.new("RGB", (rows[0].width, ROW_PX * len(rows)))
            for number, row in enumerate(rows):
                film.paste(row, (0, ROW_PX * number))
            film.save(OUT / f"{name}.png")


if __name__ == "__main__":
    main()

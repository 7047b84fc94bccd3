"""What is shown and heard at many tables, written down as text: no change of page, light, lamp or melody is unseen.

    python -m tests.support.scenes      writes tests/views/scenes.txt anew, after a change that was meant

The tables are those of the gallery and of `wide_pages`; a new one among them is written down by the same command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace

from docs.gallery import PAGES
from firmware import __version__
from firmware.table.effects import Sound
from firmware.table.state import Table, Told
from firmware.views.notes import note_of
from firmware.views.page import Page
from firmware.views.scene import Scene, scene
from firmware.views.sounds import MELODIES
from firmware.words import words
from hardware.ports import Breathe, Colour, Flash, Glide, Health, LightEffect, Run
from tests.support.at_table import LAYOUT, AtTable
from tests.support.places import ROOT
from tests.support.wide_pages import PARTS, WIDE, notes, with_faults
from tests.support.wide_solo import WIDE_SOLO

FILE = ROOT / "tests" / "views" / "scenes.txt"
COMMAND = "python -m tests.support.scenes"
HEAD = f"""\
What the table shows and plays. Written by `{COMMAND}`: after a change that was meant, run it again
and read what is different.

strip   a sign for each LED, a space between goals and spaces: T Tacocat, f free, . dark, e the edge of a covered space,
        y and w the goals of YAY and WOW at rest
lights  what moves over the strip, LEDs counted from 0 at the goal of YAY
heard   the last sound on the way to this table
later   what is different 8 s later, when nothing happens
"""
LATER_MS = 8000
SIGNS: dict[Colour, str] = {
    (150, 80, 14): "T",
    (6, 6, 8): "f",
    (0, 0, 0): ".",
    (3, 3, 3): "e",
    (0, 5, 11): "y",
    (11, 2, 3): "w",
}
ENGLISH = words("en")


def all_paragraphs() -> Iterator[str]:
    """The whole file, paragraph by paragraph; the first line of each is its name."""
    yield HEAD
    yield "".join(["melodies (Hz, ms)\n", *(f"  {sound.name.lower()}: {_melody(sound)}\n" for sound in Sound)])
    yield "".join(["notes\n", *(f"  {line}\n" for line in _notes())])
    yield "".join(["faults\n", *(f"  {line}\n" for line in _faults())])
    for source, makers in (("gallery", PAGES), ("wide", WIDE), ("solo", WIDE_SOLO)):
        for name, make in makers.items():
            yield paragraph(f"{source} {name}", make)


def paragraph(name: str, make: Callable[[], AtTable]) -> str:
    """All that is seen and heard at one table, in English whatever its settings say."""
    at = make()
    sounds = [effect for effect in at.effects if isinstance(effect, Sound)]
    lines = [*_seen(at.table, at.now_ms), f"heard {sounds[-1].name.lower()}" if sounds else "heard nothing"]
    now = set(lines)
    then = _seen(at.table, at.now_ms + LATER_MS)
    gone = {line.partition(" ")[0] for line in now - {lines[-1]}} - {line.partition(" ")[0] for line in then}
    later = [*(f"later {line}" for line in then if line not in now), *(f"later no {word}" for word in sorted(gone))]
    return "".join(f"{line}\n" for line in (name, *(f"  {line}" for line in lines + later)))


def _seen(table: Table, now_ms: int) -> list[str]:
    shown = scene(table, now_ms, LAYOUT, ENGLISH)
    return [*_page(shown.page), *_strip(shown, now_ms), f"lamps {' '.join(sorted(shown.lamps)) or 'none'}"]


def _page(page: Page) -> Iterator[str]:
    for one in fields(page):
        value = getattr(page, one.name)
        if value != one.default:
            yield f"{one.name} {value!r}".replace(__version__, "{version}")


def _strip(shown: Scene, now_ms: int) -> Iterator[str]:
    still = [SIGNS.get(colour, f"{colour}") for colour in shown.picture.still]
    spans = [LAYOUT.span(space) for space in range(9)]
    yield f"strip {' '.join(''.join(still[first : first + count]) for first, count in spans)}"
    for effect in shown.picture.effects:
        yield f"lights {_light(effect, now_ms)}"


def _light(effect: LightEffect, now_ms: int) -> str:
    match effect:
        case Breathe(first, count, colour, period_ms, start_ms):
            return f"breathe {_leds(first, count)} {colour}, {period_ms} ms, from {start_ms}"
        case Run(first, count, colour, period_ms, backwards, start_ms):
            start = start_ms and f"{now_ms - start_ms} ms ago"
            return f"run {'<' if backwards else '>'} {_leds(first, count)} {colour}, {period_ms} ms, from {start}"
        case Flash(first, count, colour, times, period_ms, start_ms):
            return f"flash {_leds(first, count)} {colour}, {times} × {period_ms} ms, from {now_ms - start_ms} ms ago"
        case Glide(stops, colour, step_ms, start_ms):
            way = ", ".join(_leds(*stop) for stop in stops)
            return f"glide {way} {colour}, {step_ms} ms each, from {now_ms - start_ms} ms ago"


def _leds(first: int, count: int) -> str:
    return f"{first}–{first + count - 1}" if count else f"none at {first}"


def _melody(sound: Sound) -> str:
    return ", ".join(f"{note.hz} {note.ms}" for note in MELODIES[sound])


def _notes() -> Iterator[str]:
    """The note about everything that can have happened, and where it is another one while cards are drawn."""
    for told in notes():
        text = _note(told)
        yield f"{_what(told)}: {text}"
        drawing = replace(told, drawing=True)
        if _note(drawing) != text:
            yield f"{_what(drawing)}: {_note(drawing)}"


def _note(told: Told) -> str:
    return note_of(replace(AtTable.of().table, told=told), told.at_ms, ENGLISH)


def _what(told: Told) -> str:
    if told.remark is not None:
        named = f"{told.remark.name.lower()}"
    else:
        assert told.verdict is not None
        default = type(told.verdict)()
        set_ = (one.name for one in fields(default) if getattr(told.verdict, one.name) != getattr(default, one.name))
        named = told.verdict.problem or " ".join(set_)
    more = (told.phase and str(told.phase), told.drawing and "drawing", told.too_quick and "too quick")
    return ", ".join([named, *(word for word in more if word)])


def _faults() -> Iterator[str]:
    """The lowest line of the page for each part that is lost or searched for, and for all; then without cards."""
    board = next(make() for name, make in WIDE.items() if name == "board")
    for name, at in (("play", AtTable.of()), ("board", board)):
        for parts in (*((part,) for part in PARTS), PARTS, PARTS[::-1]):
            for health in Health:
                table = with_faults(at.table, health, parts)
                page = scene(table, at.now_ms, LAYOUT, ENGLISH).page
                yield f"{name}, {health.name.lower()} {', '.join(parts)}: {page.fault or 'no word'}"


if __name__ == "__main__":
    FILE.write_text("\n".join(all_paragraphs()), encoding="utf-8")

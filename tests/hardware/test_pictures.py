"""A picture in the words of the link, byte by byte, at every limit of what may be said."""

from __future__ import annotations

import pytest

from hardware.pictures import PictureError, describe, later
from hardware.ports import Breathe, Flash, Glide, LightEffect, Picture, Run

DIM = (1, 2, 3)
LIT = (200, 100, 50)
STILL = (DIM,) * 8
HEAD = b"\x08\0\x01" + bytes(DIM) + b"\x07"


def effects(*some: LightEffect, now_ms: int = 0, reverse: bool = False) -> bytes:
    """What is said of these effects on a strip of eight LEDs: their number and each of them."""
    payload = describe(Picture(STILL, some), 8, now_ms, reverse)
    assert payload.startswith(HEAD)
    return payload[len(HEAD) :]


def said(kind: int, first: int, count: int, option: int, period_ms: int, age_ms: int, *stops: int) -> bytes:
    numbers = kind.to_bytes(1, "little") + first.to_bytes(2, "little") + count.to_bytes(2, "little") + bytes(LIT)
    numbers += bytes((option,)) + period_ms.to_bytes(2, "little") + age_ms.to_bytes(3, "little")
    return b"\1" + numbers + b"".join(stop.to_bytes(2, "little") for stop in stops)


def test_each_effect_is_said_with_its_kind_place_option_period_and_age() -> None:
    assert effects(Breathe(2, 3, LIT, 1000, 10), now_ms=510) == said(1, 2, 3, 0, 1000, 500)
    assert effects(Run(2, 3, LIT, 1000, False, 10), now_ms=510) == said(2, 2, 3, 0, 1000, 500)
    assert effects(Run(2, 3, LIT, 1000, True, 10), now_ms=510) == said(2, 2, 3, 1, 1000, 500)
    assert effects(Flash(2, 3, LIT, 5, 1000, 10), now_ms=510) == said(3, 2, 3, 5, 1000, 500)
    assert effects(Glide(((0, 2), (6, 1)), LIT, 1000, 10), now_ms=510) == said(4, 0, 0, 2, 1000, 500, 0, 2, 6, 1)


def test_on_a_reversed_strip_every_place_is_counted_from_the_other_end() -> None:
    assert effects(Breathe(1, 3, LIT, 1000), reverse=True) == said(1, 4, 3, 0, 1000, 0)
    assert effects(Run(1, 3, LIT, 1000), reverse=True) == said(2, 4, 3, 1, 1000, 0)
    assert effects(Run(1, 3, LIT, 1000, True), reverse=True) == said(2, 4, 3, 0, 1000, 0)
    assert effects(Flash(0, 8, LIT, 1, 1000, 0), reverse=True) == said(3, 0, 8, 1, 1000, 0)
    assert effects(Glide(((0, 2), (7, 1)), LIT, 9, 0), reverse=True) == said(4, 0, 0, 2, 9, 0, 6, 2, 0, 1)
    colours = tuple((i, 0, 0) for i in range(3))
    assert describe(Picture(colours), 3, 0, reverse=True)[3:12] == bytes((2, 0, 0, 1, 0, 0, 0, 0, 0))


@pytest.mark.parametrize(
    ("start_ms", "kind", "age_ms"),
    [
        (0, 1, 0),
        (-1, 1, 1),
        (-99, 1, 99),
        (-100, 1, 0),
        (-101, 1, 1),
        (1, 129, 1),
        (100, 129, 100),
        ((1 << 24) - 2, 129, (1 << 24) - 2),
        ((1 << 24) - 1, 129, (1 << 24) - 1),
        ((1 << 24) + 5, 129, (1 << 24) - 1),  # three bytes: it is sent anew long before
    ],
)
def test_an_age_is_within_the_period_and_one_that_has_not_begun_waits(start_ms: int, kind: int, age_ms: int) -> None:
    assert effects(Breathe(0, 8, LIT, 100, start_ms)) == said(kind, 0, 8, 0, 100, age_ms)
    assert effects(Run(0, 8, LIT, 100, False, start_ms)) == said(kind + 1, 0, 8, 0, 100, age_ms)
    assert effects(Breathe(0, 8, LIT, 1, -5)) == said(1, 0, 8, 0, 1, 0)


def test_a_flash_that_is_over_is_left_out_and_a_glide_rests_at_its_end() -> None:
    flash = Flash(0, 8, LIT, 3, 100, 0)
    assert effects(flash, now_ms=299) == said(3, 0, 8, 3, 100, 299)
    assert effects(flash, now_ms=300) == b"\0"
    assert effects(Flash(0, 8, LIT, 0, 100, 0)) == b"\0"
    assert effects(Flash(0, 8, LIT, 0, 100, 1)) == said(131, 0, 8, 0, 100, 1)
    glide = Glide(((0, 1), (1, 1)), LIT, 100, 0)
    for now_ms, age_ms in ((199, 199), (200, 200), (201, 200), (1 << 30, 200)):
        assert effects(glide, now_ms=now_ms) == said(4, 0, 0, 2, 100, age_ms, 0, 1, 1, 1)
    assert effects(glide, now_ms=-7) == said(132, 0, 0, 2, 100, 7, 0, 1, 1, 1)


@pytest.mark.parametrize(
    "effect",
    [
        Breathe(0, 8, LIT, 1),
        Breathe(7, 1, LIT, 65535),
        Breathe(8, 0, LIT, 9),
        Breathe(0, 1, (0, 255, 0), 9),
        Flash(0, 1, LIT, 255, 9, 0),
        Glide(((8, 0), (0, 8)), LIT, 65535, 0),
    ],
)
def test_an_effect_at_its_limits_is_said(effect: LightEffect) -> None:
    assert effects(effect)[0] == 1


@pytest.mark.parametrize(
    ("effect", "words"),
    [
        (Breathe(0, 1, LIT, 0), "Breathe: a period of 0 ms; expected 1 to 65535"),
        (Run(0, 1, LIT, 65536), "Run: a period of 65536 ms"),
        (Glide(((0, 1),), LIT, 65536, 0), "Glide: a period of 65536 ms"),
        (Breathe(0, 9, LIT, 9), "Breathe: LEDs 0 to 8; the strip has 0 to 7"),
        (Breathe(8, 1, LIT, 9), "LEDs 8 to 8"),
        (Breathe(-1, 1, LIT, 9), "LEDs -1 to -1"),
        (Breathe(0, -1, LIT, 9), "LEDs 0 to -2"),
        (Glide(((0, 1), (7, 2)), LIT, 9, 0), "Glide: LEDs 7 to 8"),
        (Glide((), LIT, 9, 0), "Glide: no stops; expected at least one"),
        (Flash(0, 1, LIT, 256, 9, 0), "Flash: 256 times; expected 0 to 255"),
        (Flash(0, 1, LIT, -1, 9, 10), "Flash: -1 times; expected 0 to 255"),
        (Breathe(0, 1, (0, -1, 0), 9), r"Breathe: colour \(0, -1, 0\); expected red, green, blue from 0 to 255"),
        (Breathe(0, 1, (0, 0, 256), 9), "Breathe: colour"),
        (Breathe(0, 1, (0, 0), 9), "Breathe: colour"),  # type: ignore[arg-type]
        (Breathe(0, 1, (0, 0, 0, 0), 9), "Breathe: colour"),  # type: ignore[arg-type]
    ],
)
def test_an_effect_beyond_its_limits_is_refused_in_words(effect: LightEffect, words: str) -> None:
    with pytest.raises(PictureError, match=words):
        effects(effect)


def test_sixteen_effects_that_are_not_over_and_sixty_four_stops_are_said() -> None:
    breaths = (Breathe(0, 1, LIT, 9),) * 16
    assert effects(*breaths, Flash(0, 1, LIT, 1, 9, -9))[0] == 16
    with pytest.raises(PictureError, match="17 effects at once; the strip draws at most 16"):
        effects(*breaths, Flash(0, 1, LIT, 1, 9, 0))
    glides = (Glide(((0, 1),) * 32, LIT, 9, 0),) * 2
    assert effects(*glides)[0] == 2
    with pytest.raises(PictureError, match="65 stops in glides; the strip holds at most 64"):
        effects(*glides, Glide(((0, 1),), LIT, 9, 0))


def test_still_colours_are_checked_led_by_led() -> None:
    with pytest.raises(PictureError, match=r"a picture of 7 LEDs; the strip has 8 \(see \[track\] in table.toml"):
        describe(Picture((DIM,) * 7), 8, 0)
    with pytest.raises(PictureError, match="still colour of LED 2: colour"):
        describe(Picture((DIM, DIM, (256, 0, 0))), 3, 0)


def still_part(*runs: tuple[int, tuple[int, int, int]]) -> bytes:
    colours = tuple(colour for n, colour in runs for _ in range(n))
    payload = describe(Picture(colours), len(colours), 0)
    assert payload[:2] == len(colours).to_bytes(2, "little") and payload[-1] == 0
    return payload[2:-1]


def colour(i: int) -> tuple[int, int, int]:
    return (i, 0, 255 - i)


def test_up_to_sixteen_colours_are_a_table_and_runs_of_up_to_sixteen() -> None:
    assert still_part((16, DIM)) == b"\1" + bytes(DIM) + b"\x0f"
    assert still_part((17, DIM)) == b"\1" + bytes(DIM) + b"\x0f\x00"
    assert still_part((2, DIM), (3, LIT), (1, DIM)) == b"\2" + bytes(DIM) + bytes(LIT) + b"\x01\x12\x00"
    assert still_part((16, DIM), (2, LIT)) == b"\2" + bytes(DIM) + bytes(LIT) + b"\x0f\x11"
    assert still_part((1, DIM), (17, LIT)) == b"\2" + bytes(DIM) + bytes(LIT) + b"\x00\x1f\x10"
    table = b"".join(bytes(colour(i)) for i in range(16))
    assert still_part(*((1, colour(i)) for i in range(16))) == b"\x10" + table + bytes(i << 4 for i in range(16))


def test_more_colours_are_runs_and_lists_of_up_to_127() -> None:
    many = [(1, colour(i)) for i in range(127)]
    listed = b"\xff" + b"".join(bytes(colour(i)) for i in range(127))
    assert still_part(*many) == b"\0" + listed
    assert still_part(*many, (1, colour(127))) == b"\0" + listed + b"\x81" + bytes(colour(127))
    assert still_part(*many, (2, DIM)) == b"\0" + listed + b"\x02" + bytes(DIM)
    assert still_part((127, DIM), *many) == b"\0\x7f" + bytes(DIM) + listed
    assert still_part((128, DIM), *many[:126]) == b"\0\x7f" + bytes(DIM) + b"\xff" + bytes(DIM) + listed[1:-3]
    few = b"".join(bytes(colour(i)) for i in range(17))
    assert still_part(*many[:17]) == b"\0\x91" + few
    assert still_part(*many[:18]) == b"\0\x92" + few + bytes(colour(17))
    assert still_part(*many[:17], (5, LIT), (1, DIM)) == (b"\0\x91" + few + b"\x05" + bytes(LIT) + b"\x81" + bytes(DIM))


def test_on_another_clock_every_effect_begins_later_and_nothing_else_is_changed() -> None:
    picture = Picture(STILL, (Breathe(0, 1, LIT, 9, 5), Glide(((0, 1),), LIT, 9, 7)))
    moved = later(picture, -4)
    assert (moved.still, [effect.start_ms for effect in moved.effects]) == (STILL, [1, 3])
    assert later(picture, 0) is picture

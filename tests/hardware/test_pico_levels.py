"""What each effect lights on the Pico, to the last step of an LED, and every limit of what a picture may say.

The payloads are put together byte by byte, as docs/protocol.md has them.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hardware import frames
from tests.support.strip_support import DRAWER, Micropython, draw, load

BREATHE, RUN, FLASH, GLIDE = 1, 2, 3, 4
LEDS = 8
BELOW = (9, 20, 254)
COLOUR = (255, 128, 65)
DARK = (0, 0, 0)


@pytest.fixture(scope="module")
def micropython() -> Iterator[Micropython]:
    with Micropython(DRAWER) as process:
        yield process


def effect(kind: int, place=(0, 0), option: int = 0, period_ms: int = 512, age_ms: int = 0, stops=(), waits=False):
    head = bytes((kind | 128 * waits,)) + b"".join(n.to_bytes(2, "little") for n in place)
    rest = bytes((*COLOUR, option)) + period_ms.to_bytes(2, "little") + age_ms.to_bytes(3, "little")
    return head + rest + b"".join(n.to_bytes(2, "little") for stop in stops for n in stop)


def scene(*effects: bytes, leds: int = LEDS, still: bytes = b"\x00\x08" + bytes(BELOW)) -> bytes:
    return leds.to_bytes(2, "little") + still + bytes((len(effects),)) + b"".join(effects)


def lit(micropython: Micropython, *effects: bytes, after_ms: int = 0) -> list[tuple[int, ...]]:
    assert load(micropython, LEDS, scene(*effects)) == 0
    return draw(micropython, after_ms)[1]


def blended(share: int, below=BELOW, colour=COLOUR) -> tuple[int, ...]:
    """`share` of 256 parts of the colour, the rest of what lies below; rounded down."""
    return tuple((b * (256 - share) + c * share) // 256 for b, c in zip(below, colour, strict=True))


def at_level(level: int) -> tuple[int, ...]:
    return tuple(c * level // 256 for c in COLOUR)


# ---- breathe -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("age_ms", "level"),
    [
        (0, 0),
        (16, 1),
        (64, 16),
        (128, 64),
        (255, 254),
        (256, 256),
        (257, 254),
        (384, 64),
        (448, 16),
        (496, 1),
        (511, 0),
    ],
)
def test_a_breath_swells_by_the_square_of_a_triangle(micropython: Micropython, age_ms: int, level: int) -> None:
    assert lit(micropython, effect(BREATHE, (2, 3), age_ms=age_ms)) == [BELOW] * 2 + [at_level(level)] * 3 + [BELOW] * 3


def test_a_breath_of_another_period_swells_as_far_in_the_same_share_of_it(micropython: Micropython) -> None:
    assert lit(micropython, effect(BREATHE, (0, 8), period_ms=65535, age_ms=32768)) == [at_level(256)] * 8
    assert lit(micropython, effect(BREATHE, (0, 8), period_ms=300, age_ms=75)) == [at_level(64)] * 8


def test_a_breath_begins_again_exactly_after_its_period(micropython: Micropython) -> None:
    assert lit(micropython, effect(BREATHE, (0, 1), age_ms=64), after_ms=512)[0] == at_level(16)
    assert lit(micropython, effect(BREATHE, (0, 1), age_ms=64), after_ms=448)[0] == at_level(0)
    assert lit(micropython, effect(BREATHE, (0, 1), age_ms=64), after_ms=512 * 1000 + 64)[0] == at_level(64)
    assert lit(micropython, effect(BREATHE, (0, 1), age_ms=512 * 9 + 128))[0] == at_level(64)


# ---- run -----------------------------------------------------------------------------------


def run_lit(micropython: Micropython, at: int, backwards: int = 0) -> list[tuple[int, ...]]:
    """A run along the LEDs 2 to 5, one step of a sixteenth of an LED a millisecond."""
    return lit(micropython, effect(RUN, (2, 4), option=backwards, period_ms=80, age_ms=at))


@pytest.mark.parametrize(
    ("at", "shares"),
    [
        (0, (0, 0, 0, 0)),  # before the first LED
        (1, (16, 0, 0, 0)),
        (8, (128, 0, 0, 0)),
        (15, (240, 0, 0, 0)),
        (16, (256, 0, 0, 0)),
        (17, (240, 16, 0, 0)),
        (40, (0, 128, 128, 0)),
        (64, (0, 0, 0, 256)),
        (65, (0, 0, 0, 240)),
        (79, (0, 0, 0, 16)),
    ],
)
def test_the_dot_of_a_run_is_shared_by_two_neighbours_and_comes_in_and_leaves(micropython, at: int, shares) -> None:
    dots = [blended(share) for share in shares]
    assert run_lit(micropython, at) == [BELOW] * 2 + dots + [BELOW] * 2
    assert run_lit(micropython, at, backwards=1) == [BELOW] * 2 + dots[::-1] + [BELOW] * 2


def test_a_run_begins_again_exactly_after_its_period(micropython: Micropython) -> None:
    run = effect(RUN, (2, 4), period_ms=80, age_ms=16)
    assert lit(micropython, run, after_ms=80) == lit(micropython, run)
    assert lit(micropython, run, after_ms=79) == run_lit(micropython, 15)
    assert lit(micropython, run, after_ms=64) == [BELOW] * 8


def test_a_run_over_no_led_lights_none(micropython: Micropython) -> None:
    assert lit(micropython, effect(RUN, (8, 0), period_ms=16, age_ms=8)) == [BELOW] * 8


# ---- flash ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("age_ms", "colour", "moving"),
    [
        (0, COLOUR, 1),
        (49, COLOUR, 1),
        (50, DARK, 1),
        (99, DARK, 1),
        (100, COLOUR, 1),
        (250, DARK, 1),
        (299, DARK, 1),
        (300, BELOW, 0),
        (400_000, BELOW, 0),
    ],
)
def test_a_flash_is_lit_for_the_first_half_of_each_period(micropython, age_ms: int, colour, moving: int) -> None:
    for sent_ms in {0, min(age_ms, 200)}:
        assert load(micropython, LEDS, scene(effect(FLASH, (3, 2), 3, 100, sent_ms))) == 0
        assert draw(micropython, age_ms - sent_ms) == (moving, [BELOW] * 3 + [colour] * 2 + [BELOW] * 3)


def test_a_flash_of_an_odd_period_is_lit_a_moment_longer_than_dark(micropython: Micropython) -> None:
    assert lit(micropython, effect(FLASH, (0, 1), 1, 3), after_ms=1)[0] == COLOUR
    assert lit(micropython, effect(FLASH, (0, 1), 1, 3), after_ms=2)[0] == DARK


# ---- glide ---------------------------------------------------------------------------------

STOPS = ((0, 2), (3, 2), (6, 1))


@pytest.mark.parametrize(
    ("age_ms", "shares", "moving"),
    [
        (0, (256, 0, 0), 1),
        (99, (256, 0, 0), 1),
        (100, (256, 0, 0), 1),
        (101, (251, 5, 0), 1),
        (125, (128, 128, 0), 1),
        (149, (6, 250, 0), 1),
        (150, (0, 256, 0), 1),
        (199, (0, 256, 0), 1),
        (225, (0, 128, 128), 1),
        (250, (0, 0, 256), 1),
        (299, (0, 0, 256), 1),
        (300, (0, 0, 256), 0),
        (300_000, (0, 0, 256), 0),
    ],
)
def test_a_glide_goes_over_in_half_a_step_then_rests(micropython, age_ms: int, shares, moving: int) -> None:
    first, second, third = (blended(share) for share in shares)
    wanted = [first, first, BELOW, second, second, BELOW, third, BELOW]
    for sent_ms in {0, min(age_ms, 110)}:
        assert load(micropython, LEDS, scene(effect(GLIDE, (0, 0), 3, 100, sent_ms, STOPS))) == 0
        assert draw(micropython, age_ms - sent_ms) == (moving, wanted)


def test_two_glides_keep_to_their_own_stops(micropython: Micropython) -> None:
    two = (
        effect(GLIDE, option=2, period_ms=100, stops=((0, 1), (1, 1))),
        effect(GLIDE, option=2, period_ms=100, stops=((4, 2), (6, 2))),
    )
    assert lit(micropython, *two) == [COLOUR, *[BELOW] * 3, COLOUR, COLOUR, BELOW, BELOW]
    assert lit(micropython, *two, after_ms=150) == [BELOW, COLOUR, *[BELOW] * 4, COLOUR, COLOUR]


def test_a_wide_block_glides_whole_and_leaves_another_glides_stops_alone(micropython: Micropython) -> None:
    wide = effect(GLIDE, option=1, stops=((0, 4),))
    old = effect(GLIDE, option=1, age_ms=0xFFFFFF, stops=((7, 1),))
    assert lit(micropython, wide, old) == [COLOUR] * 4 + [BELOW] * 3 + [COLOUR]


# ---- waiting, order, numbers of two bytes ----------------------------------------------------


@pytest.mark.parametrize("kind", [BREATHE, RUN, FLASH, GLIDE])
def test_an_effect_that_waits_shows_nothing_and_counts_as_moving_until_it_begins(micropython, kind: int) -> None:
    stops = ((0, 1),) if kind == GLIDE else ()
    place = (0, 0) if kind == GLIDE else (0, 1)
    waits = effect(kind, place, 1, 512, 70_000, stops, waits=True)
    begun = effect(kind, place, 1, 512, 0, stops)
    assert load(micropython, LEDS, scene(waits)) == 0
    assert draw(micropython, 69_999) == (1, [BELOW] * 8)
    at_start = draw(micropython, 1)
    assert at_start[0] == 1 and at_start[1][1:] == [BELOW] * 7
    assert load(micropython, LEDS, scene(begun)) == 0
    assert draw(micropython, 0) == at_start
    later = draw(micropython, 200)
    assert load(micropython, LEDS, scene(waits)) == 0
    assert draw(micropython, 70_200) == later


def test_a_later_effect_is_drawn_over_an_earlier_one_and_each_is_counted(micropython: Micropython) -> None:
    full = effect(BREATHE, (0, 4), age_ms=256)
    dark = effect(BREATHE, (2, 4), age_ms=0)
    assert load(micropython, LEDS, scene(full, dark, effect(FLASH, (0, 0), 0))) == 0
    assert draw(micropython, 0) == (2, [at_level(256)] * 2 + [DARK] * 4 + [BELOW] * 2)
    assert load(micropython, LEDS, scene(dark, full)) == 0
    assert draw(micropython, 0) == (2, [at_level(256)] * 4 + [DARK] * 2 + [BELOW] * 2)


def test_places_periods_and_ages_have_all_their_bytes(micropython: Micropython) -> None:
    runs = b"\x00" + b"".join(bytes((n, *BELOW)) for n in (127, 127, 46))
    flash = effect(FLASH, (0x0102, 3), 255, 0x0201, 0x01FDFE)
    assert load(micropython, 300, scene(flash, leds=300, still=runs)) == 0
    moving, drawn = draw(micropython, 0x0201 * 255 - 0x01FDFE - 1)
    assert (moving, drawn) == (1, [BELOW] * 258 + [DARK] * 3 + [BELOW] * 39)
    assert draw(micropython, 1) == (0, [BELOW] * 300)
    wide = effect(BREATHE, (3, 0x0121), age_ms=0x010100)
    assert load(micropython, 300, scene(wide, leds=300, still=runs)) == 0
    assert draw(micropython, 0)[1] == [BELOW] * 3 + [at_level(256)] * 0x0121 + [BELOW] * 8
    glide = effect(GLIDE, option=1, stops=((0x0103, 2),))
    assert load(micropython, 300, scene(glide, leds=300, still=runs)) == 0
    assert draw(micropython, 0)[1] == [BELOW] * 259 + [COLOUR] * 2 + [BELOW] * 39


# ---- still colours ---------------------------------------------------------------------------


def test_a_table_of_sixteen_colours_and_runs_of_sixteen_are_read_to_their_last(micropython: Micropython) -> None:
    colours = [(i, 100 + i, 200 + i) for i in range(16)]
    still = b"\x10" + b"".join(map(bytes, colours)) + bytes((0xFF, 0x10, 0x01))
    assert load(micropython, 19, scene(leds=19, still=still)) == 0
    assert draw(micropython, 0) == (0, [colours[15]] * 16 + [colours[1]] + [colours[0]] * 2)


def test_runs_and_lists_of_127_leds_are_read_to_their_last(micropython: Micropython) -> None:
    listed = [(i, 1, 2) for i in range(127)]
    still = b"\x00\x7f\x01\x02\x03" + b"\xff" + b"".join(map(bytes, listed)) + b"\x01\x04\x05\x06"
    assert load(micropython, 255, scene(leds=255, still=still)) == 0
    assert draw(micropython, 0) == (0, [(1, 2, 3)] * 127 + listed + [(4, 5, 6)])


@pytest.mark.parametrize(
    "still",
    [
        b"\x01\x05\x06\x07\x08",  # nine LEDs
        b"\x01\x05\x06\x07\x17",  # the second of one colour
        b"\x02\x05\x06\x07\x01\x01\x01\x27",
        b"\x01\x05\x06\x07\x06",  # seven LEDs, then the number of effects
        b"\x00\x09\x05\x06\x07",
        b"\x00\x89" + b"\x05" * 27,
        b"\x00\x00\x05\x06\x07\x08\x05\x06\x07",  # a run of none
        b"\x00\x80\x08\x05\x06\x07",
        b"\x00\x07\x05\x06\x07",
    ],
)
def test_still_colours_that_do_not_come_to_the_number_of_leds_are_refused(micropython, still: bytes) -> None:
    assert load(micropython, LEDS, scene(still=still)) == frames.E_MALFORMED


GOOD = [
    scene(),
    scene(still=b"\x01\x05\x06\x07\x07"),
    scene(still=b"\x00\x03\x05\x06\x07\x85" + b"\x05" * 15),
    scene(effect(BREATHE, (0, 8))),
    scene(effect(GLIDE, option=2, stops=((0, 1), (1, 1)))),
]


@pytest.mark.parametrize("payload", GOOD)
def test_a_picture_is_refused_if_it_ends_anywhere_but_at_its_end(micropython: Micropython, payload: bytes) -> None:
    assert load(micropython, LEDS, payload) == 0
    for n in range(len(payload)):
        assert load(micropython, LEDS, payload[:n]) == frames.E_MALFORMED, n
    assert load(micropython, LEDS, payload + b"\0") == frames.E_MALFORMED


# ---- limits ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("broken", "error"),
    [
        (effect(0, (0, 1)), frames.E_MALFORMED),
        (effect(5, (0, 1)), frames.E_MALFORMED),
        (effect(127, (0, 1)), frames.E_MALFORMED),
        (effect(RUN, (0, 1), period_ms=0), frames.E_TIMING),
        (effect(BREATHE, (8, 1)), frames.E_BEYOND_STRIP),
        (effect(BREATHE, (0, 9)), frames.E_BEYOND_STRIP),
        (effect(BREATHE, (0, 0x0101)), frames.E_BEYOND_STRIP),
        (effect(BREATHE, (0x0100, 1)), frames.E_BEYOND_STRIP),
        (effect(GLIDE, option=1, stops=((7, 2),)), frames.E_BEYOND_STRIP),
        (effect(GLIDE, option=2, stops=((0, 1), (0, 9))), frames.E_BEYOND_STRIP),
        (effect(GLIDE, option=0), frames.E_MALFORMED),
        (effect(GLIDE, option=2, stops=((0, 1),)), frames.E_MALFORMED),
    ],
)
def test_an_effect_one_beyond_a_limit_is_refused_wherever_it_stands(micropython, broken: bytes, error: int) -> None:
    good = effect(BREATHE, (0, 8), age_ms=256)
    assert load(micropython, LEDS, scene(broken)) == error
    assert load(micropython, LEDS, scene(good, broken)) == error
    if broken[0] != GLIDE:
        assert load(micropython, LEDS, scene(broken, good)) == error


def test_an_effect_at_its_limit_is_drawn(micropython: Micropython) -> None:
    assert lit(micropython, effect(BREATHE, (7, 1), age_ms=256))[6:] == [BELOW, at_level(256)]
    assert lit(micropython, effect(BREATHE, (0, 8), age_ms=256)) == [at_level(256)] * 8
    assert lit(micropython, effect(BREATHE, (8, 0), age_ms=256)) == [BELOW] * 8
    assert lit(micropython, effect(GLIDE, option=1, stops=((7, 1),)))[6:] == [BELOW, COLOUR]
    assert lit(micropython, effect(BREATHE, (0, 1), period_ms=1))[0] == DARK
    assert lit(micropython, effect(RUN, (0, 1), period_ms=65535, age_ms=32768))[0] == COLOUR


def test_sixteen_effects_and_sixty_four_stops_are_drawn_and_not_one_more(micropython: Micropython) -> None:
    breaths = [effect(BREATHE, (i % 8, 1), age_ms=256) for i in range(17)]
    assert lit(micropython, *breaths[:16]) == [at_level(256)] * 8
    assert load(micropython, LEDS, scene(*breaths)) == frames.E_TOO_MANY
    glides = [effect(GLIDE, option=32, period_ms=1, age_ms=9999, stops=((0, 0),) * 31 + ((i, 1),)) for i in (3, 5)]
    assert lit(micropython, *glides) == [BELOW] * 3 + [COLOUR, BELOW, COLOUR] + [BELOW] * 2
    one_more = effect(GLIDE, option=1, stops=((0, 1),))
    assert load(micropython, LEDS, scene(*glides, one_more)) == frames.E_TOO_MANY
    assert load(micropython, LEDS, scene(glides[0])) == 0, "those of the pictures before are forgotten"


def test_a_picture_that_is_refused_draws_none_of_its_effects(micropython: Micropython) -> None:
    assert load(micropython, LEDS, scene(effect(BREATHE, (0, 8), age_ms=256)) + b"\0") == frames.E_MALFORMED
    assert draw(micropython, 0) == (0, [BELOW] * 8)


def test_a_picture_for_another_number_of_leds_is_refused_whatever_byte_differs(micropython: Micropython) -> None:
    for leds in (7, 9, 8 + 256):
        assert load(micropython, LEDS, scene(leds=leds)) == frames.E_OTHER_LEDS

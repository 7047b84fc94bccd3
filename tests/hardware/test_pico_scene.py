"""What the Pico draws, under MicroPython, against a plain reading of hardware.ports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware import frames
from hardware.pictures import PictureError, describe
from hardware.ports import Breathe, Flash, Glide, Picture, Run
from tests.support.strip_support import DRAWER, Micropython, draw, load, run_micropython, still

COLOUR = st.tuples(*[st.integers(0, 255)] * 3)
LEDS = st.integers(1, frames.MAX_LEDS)


@pytest.fixture(scope="module")
def micropython() -> Iterator[Micropython]:
    with Micropython(DRAWER) as process:
        yield process


@st.composite
def pictures(draw_: st.DrawFn) -> Picture:
    leds = draw_(LEDS)
    palette = draw_(st.lists(COLOUR, min_size=1, max_size=20))
    pick = draw_(st.randoms(use_true_random=False, note_method_calls=False))
    colours = tuple(pick.choices(palette, k=leds))
    first = st.integers(0, leds - 1)
    place = first.flatmap(lambda f: st.tuples(st.just(f), st.integers(0, leds - f)))
    period = st.integers(1, 5000)
    start = st.integers(-20_000, 20_000)
    breathe = st.builds(lambda p, c, t, s: Breathe(*p, c, t, s), place, COLOUR, period, start)
    run = st.builds(lambda p, c, t, b, s: Run(*p, c, t, b, s), place, COLOUR, period, st.booleans(), start)
    flash = st.builds(lambda p, c, n, t, s: Flash(*p, c, n, t, s), place, COLOUR, st.integers(0, 9), period, start)
    stops = st.lists(place, min_size=1, max_size=6).map(tuple)
    glide = st.builds(Glide, stops, COLOUR, period, start)
    effects = draw_(st.lists(st.one_of(breathe, run, flash, glide), max_size=5))
    return Picture(colours, tuple(effects))


def blend(below, colour, share: Fraction):
    return tuple(b + (c - b) * share for b, c in zip(below, colour, strict=True))


def expected(picture: Picture, at_ms: int):
    """The picture at a moment, in fractions: what the docstrings of hardware.ports say, effect over effect."""
    lit = list(picture.still)
    for e in picture.effects:
        age = at_ms - e.start_ms
        if age < 0:
            continue
        if isinstance(e, Breathe):
            phase = Fraction(age % e.period_ms, e.period_ms) * 2
            level = (phase if phase <= 1 else 2 - phase) ** 2
            for i in range(e.first, e.first + e.count):
                lit[i] = blend((0, 0, 0), e.colour, level)
        elif isinstance(e, Flash):
            if age < e.times * e.period_ms:
                on = age % e.period_ms * 2 < e.period_ms
                for i in range(e.first, e.first + e.count):
                    lit[i] = e.colour if on else (0, 0, 0)
        elif isinstance(e, Run):
            at = Fraction(age % e.period_ms, e.period_ms) * (e.count + 1) - 1
            for i in range(e.count):
                led = e.first + (e.count - 1 - i if e.backwards else i)
                lit[led] = blend(lit[led], e.colour, max(Fraction(0), 1 - abs(at - i)))
        else:
            stop, within = divmod(age, e.step_ms)
            share = Fraction(1)
            if 0 < stop < len(e.stops):
                share = min(share, Fraction(2 * within, e.step_ms))
            stop = min(stop, len(e.stops) - 1)
            for s, part in ((stop - 1, 1 - share), (stop, share)):
                if part > 0:
                    first, count = e.stops[s]
                    for i in range(first, first + count):
                        lit[i] = blend(lit[i], e.colour, part)
    return lit


def near(got, want, tolerance: int) -> bool:
    return all(abs(g - w) <= tolerance for a, b in zip(got, want, strict=True) for g, w in zip(a, b, strict=True))


@settings(max_examples=60)
@given(picture=pictures(), sent_ms=st.integers(0, 30_000), later=st.lists(st.integers(0, 3000), max_size=3))
def test_the_pico_draws_what_the_picture_means_at_any_time(micropython: Micropython, picture, sent_ms, later) -> None:
    leds = len(picture.still)
    assert load(micropython, leds, describe(picture, leds, sent_ms)) == 0
    now_ms = sent_ms
    for step_ms in [0, *later]:
        now_ms += step_ms
        _, lit = draw(micropython, step_ms)
        # A sixteenth of an LED's light where a dot or a fade is between two; each effect rounds once more.
        assert near(lit, expected(picture, now_ms), 18 + 2 * len(picture.effects)), now_ms


@settings(max_examples=40)
@given(picture=pictures())
def test_still_colours_are_exact_for_any_number_of_leds(micropython: Micropython, picture: Picture) -> None:
    leds = len(picture.still)
    assert load(micropython, leds, describe(replace(picture, effects=()), leds, 0)) == 0
    assert draw(micropython, 0) == (0, list(picture.still))


@settings(max_examples=30)
@given(picture=pictures(), now_ms=st.integers(0, 30_000))
def test_a_reversed_strip_shows_the_same_picture_turned(micropython: Micropython, picture, now_ms: int) -> None:
    leds = len(picture.still)
    load(micropython, leds, describe(picture, leds, now_ms))
    _, straight = draw(micropython, 0)
    load(micropython, leds, describe(picture, leds, now_ms, reverse=True))
    _, turned = draw(micropython, 0)
    assert turned == straight[::-1]


def test_a_picture_sent_again_goes_on_in_phase(micropython: Micropython) -> None:
    picture = Picture(
        still((2, 2, 2)).still,
        (
            Breathe(0, 4, (200, 90, 10), 2500, 40),
            Run(20, 8, (255, 255, 255), 1700, True, 40),
            Glide(((28, 8), (12, 8), (4, 8)), (255, 160, 0), 900, 40),
        ),
    )
    load(micropython, 64, describe(picture, 64, 50))
    gone_on = draw(micropython, 1234)
    load(micropython, 64, describe(picture, 64, 50 + 1234))
    assert draw(micropython, 0) == gone_on


def test_a_flash_that_is_over_is_not_repeated_and_a_glide_rests_on_its_last_stop(micropython: Micropython) -> None:
    flash = Flash(0, 4, (255, 0, 0), 3, 300, 1000)
    glide = Glide(((28, 8), (12, 8)), (255, 160, 0), 400, 1000)
    picture = Picture(still((2, 2, 2)).still, (flash, glide))
    load(micropython, 64, describe(picture, 64, 60_000))
    moving, lit = draw(micropython, 0)
    assert lit == [(255, 160, 0) if 12 <= i < 20 else (2, 2, 2) for i in range(64)]
    assert not moving


def test_a_flash_is_lit_as_often_as_it_says_and_then_leaves_what_lies_below(micropython: Micropython) -> None:
    picture = Picture(((9, 9, 9),), (Flash(0, 1, (255, 0, 0), 3, 100, 0),))
    load(micropython, 1, describe(picture, 1, 0))
    seen = [draw(micropython, 10 if i else 0)[1][0] for i in range(40)]
    changes = [a for a, b in zip(seen, [None, *seen], strict=False) if a != b]
    assert changes == [(255, 0, 0), (0, 0, 0)] * 3 + [(9, 9, 9)]


@settings(max_examples=150)
@given(data=st.binary(max_size=120), leds=LEDS, seeded=st.booleans())
def test_no_payload_stops_the_program_or_reaches_beyond_the_strip(micropython, data, leds, seeded) -> None:
    if seeded:  # right at the start, to get further in
        data = leds.to_bytes(2, "little") + b"\x01\x05\x06\x07" + b"\x0f" * (leds // 16) + data
    error = load(micropython, leds, data)
    assert 0 <= error <= 11
    if error == 0:
        assert len(draw(micropython, 20)[1]) == leds


def broken(payload: bytes, at: int, value: bytes) -> bytes:
    at %= len(payload)
    return payload[:at] + value + payload[at + len(value) :]


ONE = describe(Picture(((1, 1, 1),) * 8, (Breathe(2, 3, (9, 9, 9), 100, 0),)), 8, 0)
SLIDE = describe(Picture(((1, 1, 1),) * 8, (Glide(((2, 3), (5, 3)), (9, 9, 9), 100, 0),)), 8, 0)
MANY = describe(Picture(((1, 1, 1),) * 8, (Breathe(2, 3, (9, 9, 9), 100, 0),) * 16), 8, 0)


@pytest.mark.parametrize(
    ("payload", "error"),
    [
        (b"", frames.E_MALFORMED),
        (ONE[:-1], frames.E_MALFORMED),
        (ONE + b"\0", frames.E_MALFORMED),
        (broken(ONE, -14, b"\x05"), frames.E_MALFORMED),
        (broken(ONE, 0, b"\x09"), frames.E_OTHER_LEDS),
        (broken(ONE, -13, b"\x06"), frames.E_BEYOND_STRIP),
        (broken(SLIDE, -4, b"\x06"), frames.E_BEYOND_STRIP),
        (broken(ONE, -5, b"\0\0"), frames.E_TIMING),
        (broken(MANY, 7, b"\x11"), frames.E_TOO_MANY),
    ],
)
def test_a_picture_that_is_none_is_refused_with_its_number(micropython: Micropython, payload, error: int) -> None:
    assert load(micropython, 8, payload) == error


@pytest.mark.parametrize(
    ("picture", "words"),
    [
        (still((1, 1, 1), leds=63), "63 LEDs; the strip has 64"),
        (still((1, 256, 1)), "expected red, green, blue from 0 to 255"),
        (Picture(still((1, 1, 1)).still, (Breathe(60, 5, (1, 1, 1), 100),)), "LEDs 60 to 64; the strip has 0 to 63"),
        (Picture(still((1, 1, 1)).still, (Run(0, 5, (1, 1, 1), 0),)), "a period of 0 ms; expected 1 to 65535"),
        (Picture(still((1, 1, 1)).still, (Glide((), (1, 1, 1), 9, 0),)), "no stops"),
        (Picture(still((1, 1, 1)).still, (Breathe(0, 1, (1, 1, 1), 9),) * 17), "17 effects at once"),
        (Picture(still((1, 1, 1)).still, (Glide(((0, 1),) * 33, (1, 1, 1), 9, 0),) * 2), "66 stops"),
    ],
)
def test_a_picture_the_strip_cannot_show_is_refused_in_words(picture: Picture, words: str) -> None:
    with pytest.raises(PictureError, match=words):
        describe(picture, 64, 0)


def test_drawing_takes_no_memory() -> None:
    picture = Picture(
        still((3, 2, 1), (0, 0, 0), leds=300).still,
        (
            Breathe(0, 40, (255, 90, 10), 2500, 0),
            Run(50, 80, (255, 255, 255), 700, True, 0),
            Flash(140, 9, (255, 0, 0), 200, 300, 0),
            Glide(((150, 8), (160, 8), (200, 8)), (255, 160, 0), 500, 0),
        ),
    )
    out = run_micropython(f"""
import micropython
from main import Program
p = Program()
p.strip.set_up(300, b"GRB", 900)
payload = bytes.fromhex("{describe(picture, 300, 0).hex()}")
p._parser.buf[2:2 + len(payload)] = payload
p._set_up = True
assert p._show(p._parser.buf, len(payload)) == 0
p._ipoll = lambda ms: ()
def draw():
    micropython.heap_lock()
    for i in range(200):
        p._since += 17
        p.refresh()
    for i in range(200):
        p.turn()
    micropython.heap_unlock()
draw()
print("drawn", bool(p.strip.rgb[0] or p.strip.rgb[1]), p.scene.moving)
""")
    assert out.split() == ["drawn", "True", "3"]


def test_the_pulse_too_takes_no_memory_and_is_in_the_middle() -> None:
    out = run_micropython("""
import micropython
from main import Program
p = Program()
p._ipoll = lambda ms: ()
p.refresh()
p._quiet = 3000
def draw():
    micropython.heap_lock()
    p._tick()
    for i in range(100):
        p._since += 20
        p.refresh()
    micropython.heap_unlock()
draw()
print(p.pulsing, [i for i in range(64) if any(p.strip.rgb[3 * i:3 * i + 3])])
""")
    assert out.strip() == "True [30, 31, 32, 33]"

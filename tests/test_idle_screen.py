"""After ten minutes without an event the page dims and moves about, and is back at once (fault S5)."""

from PIL import Image

from engine.rules import Mode, Rules
from firmware.loop import _shifted
from tests.at_table import AtTable


def test_s5_an_idle_page_dims_and_wanders_and_an_event_brings_it_back():
    at = AtTable.of(Rules(mode=Mode.BOARD))
    assert not at.scene.dimmed
    at.now_ms += 600_000
    shifts = set()
    for _ in range(10):
        assert at.scene.dimmed
        shifts.add(at.scene.shift_px)
        at.now_ms += 60_000
    assert len(shifts) > 5
    at.ok("yay")
    assert not at.scene.dimmed and at.scene.shift_px == (0, 0)


def test_s5_what_leaves_a_shifted_page_does_not_come_back_at_the_other_side():
    page = Image.new("1", (128, 64), 1)
    moved = _shifted(page, (2, -2))
    assert moved.getpixel((0, 0)) == 0 and moved.getpixel((1, 61)) == 0 and moved.getpixel((0, 63)) == 0
    assert moved.getpixel((2, 0)) and moved.getpixel((127, 61))
    assert moved.getpixel((127, 62)) == 0

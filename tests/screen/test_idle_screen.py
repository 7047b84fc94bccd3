"""After ten minutes without an event the page dims and moves about, and is back at once (fault S5)."""

from PIL import Image

from engine.game import new_game
from engine.rules import Mode, Rules
from firmware.run.loop import Loop, _shifted
from firmware.table.state import Stage, Table
from firmware.wiring.parts import Outputs
from hardware.ports import Press, Pressed
from tests.support.at_table import LAYOUT, AtTable
from tests.support.full_table import Paper


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


class Screen:
    """A screen that counts its pages and keeps whether it is dimmed; strip, lamps and buzzer too, without a look."""

    dimmed, shown = False, 0

    def dim(self, dimmed: bool) -> None:
        self.dimmed = dimmed

    def show(self, *_) -> None:
        self.shown += 1

    def light(self, *_) -> None: ...

    play = light


def loop_with(screen: Screen) -> Loop:
    table = Table(new_game(Rules(mode=Mode.BOARD)), {}, stage=Stage.ROUND)
    others = Screen()
    return Loop(table, Outputs(others, screen, others, others), Paper(), LAYOUT)


def test_s5_the_screen_is_dimmed_with_the_page_and_bright_in_the_turn_of_the_event():
    screen, seen = Screen(), []
    loop = loop_with(screen)
    for now_ms in (0, 599_000, 600_000):
        loop.turn([], now_ms)
        seen.append(screen.dimmed)
    loop.turn([Pressed("yay", Press.OK, 700_000)], 700_000)
    assert [*seen, screen.dimmed] == [False, False, True, False]


def test_s4_a_page_is_drawn_and_sent_when_it_has_changed_and_not_in_every_turn():
    screen = Screen()
    loop = loop_with(screen)
    for now_ms in range(0, 60_000, 100):
        loop.turn([], now_ms)
    assert screen.shown == 1
    loop.turn([Pressed("yay", Press.OK, 60_000)], 60_000)
    assert screen.shown == 2

"""The screen's driver on emulated controllers, with the real luma.oled between them."""

import errno
import random
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from hardware.oled import CONTRAST, DIM_CONTRAST, UPKEEP_MS, Oled, Opener, Panel
from hardware.panels import UnknownChipError, changed_windows, packed
from hardware.ports import Health
from hardware.threads import NoThreadError
from hardware.twins.i2c import Bus
from hardware.twins.ssd1306 import SH1106, SSD1306, SSD1309
from hardware.twins.virtual_time import VirtualTime
from tests.support.broken_nodes import Faults, i2c_node
from tests.support.threads import NoMoreThreads

CHIPS = [SSD1306, SSD1309, SH1106]
# NAK, the adapter's own error, time-out, lost arbitration, no such device: luma makes an error of its own of the
# first two in a command, lets them through as OSError in data, and time-outs are Python's TimeoutError.
FAULTS = [errno.EREMOTEIO, errno.EIO, errno.ETIMEDOUT, errno.EAGAIN, errno.ENXIO]


def noise(seed):
    return Image.frombytes("1", (128, 64), random.Random(seed).randbytes(1024))


def page(text, inverted=False):
    image = Image.new("1", (128, 64), int(inverted))
    ImageDraw.Draw(image).text((20, 20), text, fill=int(not inverted))
    return image


def same(a, b):
    return a.tobytes() == b.tobytes()


def opener(chip, rotate=0):
    return Opener(chip.NAME.lower(), chip.address, rotate=rotate, bus=chip)


def turned(image):
    return image.transpose(Image.Transpose.ROTATE_180)


@pytest.mark.parametrize("kind", CHIPS)
@pytest.mark.parametrize("rotate", [0, 2])
def test_every_controller_shows_the_picture_pixel_by_pixel(kind, rotate):
    chip = kind()
    panel = Panel(opener(chip, rotate))
    for seed in range(3):
        panel.work(0, noise(seed), CONTRAST)
        seen = turned(chip.image()) if rotate else chip.image()
        assert same(seen, noise(seed))
    assert chip.refused == []
    assert chip.contrast == CONTRAST


@pytest.mark.parametrize("kind", CHIPS)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_after_any_changes_the_panel_shows_the_last_picture(kind, data):
    chip = kind()
    panel, image = Panel(opener(chip)), Image.new("1", (128, 64))
    for _ in range(4):
        for _ in range(data.draw(st.integers(0, 4))):
            x, y = data.draw(st.integers(0, 127)), data.draw(st.integers(0, 63))
            corner = data.draw(st.integers(x, 127)), data.draw(st.integers(y, 63))
            ImageDraw.Draw(image).rectangle((x, y, *corner), fill=data.draw(st.integers(0, 1)))
        panel.work(0, image, CONTRAST)
        assert same(chip.image(), image)
    assert chip.refused == []


@pytest.mark.parametrize("kind", CHIPS)
def test_an_unchanged_page_sends_nothing_and_a_changed_pixel_a_few_bytes(kind):
    chip = kind()
    panel, image = Panel(opener(chip)), noise(1)
    panel.work(0, image, CONTRAST)
    before = chip.bytes_on_bus
    panel.work(10, image.copy(), CONTRAST)
    assert chip.bytes_on_bus == before
    image.putpixel((77, 33), 1 - bool(image.getpixel((77, 33))))
    panel.work(20, image, CONTRAST)
    assert 0 < chip.bytes_on_bus - before <= 12
    assert same(chip.image(), image)


def test_windows_are_joined_only_where_that_saves_bytes():
    dark = packed(Image.new("1", (128, 64)))
    image = Image.new("1", (128, 64))
    image.putpixel((0, 0), 1)
    image.putpixel((127, 63), 1)
    assert changed_windows(dark, packed(image), 10, True) == [(0, 0, 0, 0), (127, 127, 7, 7)]
    image = Image.new("1", (128, 64))
    ImageDraw.Draw(image).rectangle((30, 10, 60, 40), fill=1)
    assert changed_windows(dark, packed(image), 10, True) == [(30, 60, 1, 5)]
    assert len(changed_windows(dark, packed(image), 7, False)) == 5
    image = Image.new("1", (128, 64))
    ImageDraw.Draw(image).rectangle((0, 0, 9, 31), fill=1)
    ImageDraw.Draw(image).rectangle((5, 32, 14, 63), fill=1)
    assert sorted(changed_windows(dark, packed(image), 10, True)) == [(0, 9, 0, 3), (5, 14, 4, 7)]
    image = Image.new("1", (128, 64))
    ImageDraw.Draw(image).point([(20, 0), (31, 0), (43, 0)], fill=1)  # 10 columns between two, and 11
    assert changed_windows(dark, packed(image), 10, True) == [(20, 31, 0, 0), (43, 43, 0, 0)]


# Much of them is the same, and is not dark: what is not sent again has to be there.
FIRST, SECOND, THIRD = (page(text, inverted=True) for text in ("one", "two", "three"))


@pytest.mark.parametrize("kind", CHIPS)
@pytest.mark.parametrize(
    ("number", "taken"), [*((number, 0) for number in FAULTS), (errno.EREMOTEIO, 2), (errno.ETIMEDOUT, 5)]
)
def test_s2_a_fault_at_any_write_of_set_up_or_page_lets_nothing_escape_and_the_next_page_is_whole(kind, number, taken):
    probe = kind()
    healthy = Panel(opener(probe))
    healthy.work(0, FIRST, CONTRAST)
    set_up = probe.transfers
    healthy.work(0, SECOND, CONTRAST)
    for write in range(1, probe.transfers + 1, 5 if taken else 1):
        chip = kind()
        panel = Panel(opener(chip))
        if write > set_up:
            panel.work(0, FIRST, CONTRAST)
        chip.fail(write if write <= set_up else write - set_up, number, taken)
        panel.work(10, SECOND, CONTRAST)
        panel.work(20, THIRD, CONTRAST)
        assert same(chip.image(), THIRD), f"write {write}"
        assert panel.health is Health.CONNECTED
        assert chip.refused == []


def test_s2_luma_makes_two_kinds_of_error_of_one_fault_and_both_are_caught():
    for transfer in ("command", "data"):
        chip = SSD1306()
        panel = Panel(opener(chip))
        panel.work(0, noise(1), CONTRAST)
        chip.fail(1 if transfer == "command" else 2)
        panel.work(10, noise(2), CONTRAST)
        assert same(chip.image(), noise(2))
        assert panel.health is Health.CONNECTED


@pytest.mark.parametrize("kind", CHIPS)
def test_s1_without_a_screen_nothing_fails_and_it_shows_the_page_soon_after_it_appears(kind):
    chip = kind()
    chip.unplug()
    panel = Panel(opener(chip))
    for now in range(0, 5000, 50):
        panel.work(now, page("hello"), CONTRAST)
    assert panel.health is Health.SEARCHING
    assert chip.transfers <= 10
    chip.plug_in()
    for now in range(5000, 7000, 50):
        panel.work(now, page("hello"), CONTRAST)
    assert panel.health is Health.CONNECTED
    assert same(chip.image(), page("hello"))


@pytest.mark.parametrize("kind", CHIPS)
def test_a_screen_that_is_pulled_is_lost_within_two_seconds_though_nothing_changes_and_comes_back_whole(kind):
    chip = kind()
    panel = Panel(opener(chip))
    panel.work(0, page("hello"), CONTRAST)
    chip.unplug()
    for now in range(50, 2001, 50):
        if panel.due(now):
            panel.work(now, page("hello"), CONTRAST)
    assert panel.health is Health.LOST
    chip.plug_in()
    for now in range(2050, 4001, 50):
        if panel.due(now):
            panel.work(now, page("hello"), CONTRAST)
    assert panel.health is Health.CONNECTED
    assert same(chip.image(), page("hello"))
    assert chip.contrast == CONTRAST


@pytest.mark.parametrize("kind", CHIPS)
def test_a_controller_that_silently_lost_its_set_up_has_it_after_the_next_upkeep_and_is_whole_after_eight(kind):
    chip = kind()
    panel = Panel(opener(chip))
    panel.work(0, noise(1), CONTRAST)
    chip.brown_out()
    assert not same(chip.image(), noise(1))
    for turn in range(1, 9):
        panel.work(turn * UPKEEP_MS, noise(1), CONTRAST)
        assert (chip.on, chip.contrast) == (True, CONTRAST)
        whole = [chip.image().crop((0, 8 * row, 128, 8 * row + 8)).tobytes() for row in range(turn)]
        assert whole == [noise(1).crop((0, 8 * row, 128, 8 * row + 8)).tobytes() for row in range(turn)]
    assert same(chip.image(), noise(1))
    assert chip.refused == []
    assert 8 * UPKEEP_MS <= 4000


@pytest.mark.parametrize("kind", CHIPS)
def test_s4_an_upkeep_takes_a_fifth_of_a_full_page_and_an_unchanged_page_sends_nothing_else(kind):
    chip = kind()
    panel = Panel(opener(chip))
    panel.work(0, noise(1), CONTRAST)
    for now in range(1, 10_000):
        before = chip.bytes_on_bus
        panel.work(now, noise(1), CONTRAST)
        assert chip.bytes_on_bus - before <= (0 if now % UPKEEP_MS else 220)


def test_upkeep_never_switches_the_panel_off_nor_changes_a_dimmed_contrast():
    seen = []
    chip = SSD1306(on_wire=lambda _: seen.append((chip.on, chip.contrast)))
    panel = Panel(opener(chip))
    panel.work(0, page("hello"), DIM_CONTRAST)
    seen.clear()
    for turn in range(1, 9):
        panel.work(turn * UPKEEP_MS, page("hello"), DIM_CONTRAST)
    assert len(seen) > 30
    assert set(seen) == {(True, DIM_CONTRAST)}


def test_a_panel_without_upkeep_asks_for_no_time():
    panel = Panel(opener(SSD1306()), upkeep_ms=None)
    panel.work(0, page("hello"), CONTRAST)
    assert not panel.due(10**9)


def test_a_panel_that_is_away_is_tried_twice_then_after_a_quarter_of_a_second_and_then_each_second():
    chip = SSD1306()
    chip.unplug()
    panel, tried = Panel(opener(chip)), []
    for now in range(3300):
        before = chip.transfers
        panel.work(now, None, CONTRAST)
        tried += [now] * (chip.transfers - before)
    assert tried == [0, 0, 250, 1250, 2250, 3250]


def test_after_a_mistake_of_the_program_a_panel_is_tried_again_after_a_quarter_of_a_second():
    panel = Panel(opener(SSD1306()))
    panel.fail(1000, KeyError("odd"))
    assert not panel.due(1249)
    assert panel.due(1250)


def test_a_page_is_as_bright_as_luma_sets_the_panel_up():
    chip = SSD1306()
    opener(chip)()
    assert chip.contrast == CONTRAST


def test_dimming_is_done_by_contrast_and_undone_at_once():
    chip = SSD1306()
    with Oled(opener(chip), VirtualTime()) as oled:
        oled.show(page("hello"))
        for dimmed, contrast in ((True, DIM_CONTRAST), (False, CONTRAST)):
            oled.dim(dimmed)
            assert oled.settle()
            assert chip.contrast == contrast
        oled.brightness(0x40)
        assert oled.settle()
        assert chip.contrast == 0x40
        assert same(chip.image(), page("hello"))
    assert not chip.on


def test_a_contrast_from_0_to_255_is_set_and_any_other_refused():
    chip = SSD1306()
    with Oled(opener(chip), VirtualTime()) as oled:
        for contrast in (0, 255):
            oled.brightness(contrast)
            assert oled.settle()
            assert chip.contrast == contrast
        for contrast in (-1, 256):
            with pytest.raises(ValueError, match=f"screen contrast {contrast}: 0 to 255 is possible"):
                oled.brightness(contrast)


def test_two_screens_show_one_page_the_second_turned_round():
    near, far = SSD1306(0x3C), SH1106(0x3D)
    bus = Bus(near, far)
    openers = [Opener("ssd1306", 0x3C, bus=bus), Opener("sh1106", 0x3D, rotate=2, bus=bus)]
    with Oled(openers, VirtualTime()) as oled:
        oled.show(page("hello"))
        assert oled.settle()
        assert oled.state().health is Health.CONNECTED
        assert same(near.image(), page("hello"))
        assert same(turned(far.image()), page("hello"))
        assert oled.state().detail == "ssd1306 at 0x3C"


def test_of_two_screens_one_dead_the_other_goes_on_and_the_state_names_the_dead_one():
    near, far = SSD1306(0x3C), SSD1306(0x3D)
    far.unplug()
    bus, heard = Bus(near, far), []
    with Oled([Opener(bus=bus), Opener(address=0x3D, bus=bus)], VirtualTime(), on_change=heard.append) as oled:
        oled.show(page("hello"))
        assert oled.settle()
        assert same(near.image(), page("hello"))
        state = oled.state()
        assert (state.part, state.health) == ("screen", Health.SEARCHING)
        assert "0x3D" in state.detail
    assert [(state.part, state.health) for state in heard] == [("screen", Health.CONNECTED)]


def test_s4_on_a_stuck_bus_show_returns_at_once_and_old_pages_are_skipped():
    free, entered, transfers = threading.Event(), threading.Event(), []

    def wire(microseconds):
        transfers.append(microseconds)
        if len(transfers) == 60:
            entered.set()
            assert free.wait(10)

    chip = SSD1306(on_wire=wire)
    with Oled(opener(chip), VirtualTime()) as oled:
        oled.show(noise(0))
        assert entered.wait(10)  # the writer is in the middle of a transfer that takes for ever
        for seed in range(1, 200):
            oled.show(noise(seed))
        assert not oled.settle(0.01)
        free.set()
        assert oled.settle(10)
        assert same(chip.image(), noise(199))
    assert len(transfers) < 60 + 3 * 40  # the rest of the first page, the last one, and switching off


def test_the_states_are_told_once_each_as_they_change():
    chip, time, heard = SSD1306(), VirtualTime(), []
    told = threading.Condition()

    def hear(state):
        with told:
            heard.append(state.health)
            told.notify_all()

    def wait_for(count):
        with told:
            return told.wait_for(lambda: len(heard) >= count, 10)

    chip.unplug()
    with Oled(opener(chip), time, on_change=hear) as oled:
        oled.show(page("one"))
        assert oled.settle()
        assert oled.state().health is Health.SEARCHING
        chip.plug_in()
        time.advance_ms(2000)
        assert wait_for(1)
        chip.unplug()
        oled.show(page("two"))
        assert wait_for(2)
        chip.plug_in()
        time.advance_ms(2000)
        assert wait_for(3)
        oled.settle()
        assert same(chip.image(), page("two"))
    assert heard == [Health.CONNECTED, Health.LOST, Health.CONNECTED]


def test_why_a_screen_is_not_there_is_told_anew_when_it_is_another_reason(monkeypatch):
    chip, time, faults = SSD1306(), VirtualTime(), Faults()
    i2c_node(monkeypatch, chip, faults)
    faults.at["open"] = FileNotFoundError(errno.ENOENT, "No such file or directory", "/dev/i2c-1")
    with Oled(Opener("ssd1306", port=1), time) as oled:
        assert oled.settle()
        assert "No such file" in oled.state().detail
        faults.at["open"] = PermissionError(errno.EACCES, "Permission denied", "/dev/i2c-1")
        time.advance_ms(1000)
        oled.show(page("hello"))
        assert oled.settle()
        assert "Permission denied" in oled.state().detail


def test_whoever_waits_for_a_screen_waits_until_it_has_been_set_up():
    free = threading.Event()
    chip = SSD1306(on_wire=lambda _: free.wait(10))
    with Oled(opener(chip), VirtualTime()) as oled:
        assert not oled.settle(0)
        free.set()
        assert oled.settle(10)


def test_a_page_is_shown_when_it_is_asked_for_not_when_the_clock_is_looked_at_next(monkeypatch):
    monkeypatch.setattr("hardware.oled._TICK_S", 3600)
    with Oled(opener(SSD1306()), VirtualTime()) as oled:
        for seed in range(3):
            oled.show(noise(seed))
            assert oled.settle(60)


def test_a_panel_is_worked_on_once_for_each_thing_that_is_asked_for(monkeypatch):
    worked, really = [], Panel.work

    def work(panel, now_ms, image, contrast):
        worked.append(image)
        really(panel, now_ms, image, contrast)

    monkeypatch.setattr(Panel, "work", work)
    with Oled(opener(SSD1306()), VirtualTime()) as oled:
        assert oled.settle()
        for seed in range(20):
            oled.show(noise(seed))
            assert oled.settle()
    assert len(worked) == 1 + 20


def test_closing_twice_or_without_a_screen_is_quiet():
    chip = SSD1306()
    chip.unplug()
    oled = Oled(opener(chip), VirtualTime())
    oled.close()
    oled.close()


def test_on_a_bus_of_its_own_large_messages_are_sent_and_the_bus_is_let_go(monkeypatch):
    chip, faults = SSD1306(), Faults()
    i2c_node(monkeypatch, chip, faults)
    panel = Panel(Opener("ssd1306", port=1))
    panel.work(0, noise(1), CONTRAST)
    assert same(chip.image(), noise(1))
    before = chip.transfers
    panel.work(0, noise(2), CONTRAST)
    assert chip.transfers - before == 2  # one window, one message
    assert len(faults.open) == 1
    panel.close()
    assert faults.open == set()


def test_s1_a_missing_bus_is_only_a_screen_that_is_searched_for(monkeypatch):
    faults = Faults()
    i2c_node(monkeypatch, SSD1306(), faults)
    faults.at["open"] = FileNotFoundError(errno.ENOENT, "No such file or directory", "/dev/i2c-1")
    panel = Panel(Opener("ssd1306", port=1))
    panel.work(0, noise(1), CONTRAST)
    assert panel.health is Health.SEARCHING
    assert "/dev/i2c-1" in panel.detail


def test_retries_leave_no_exit_hooks_behind(monkeypatch):
    hooks = []
    monkeypatch.setattr("atexit.register", lambda *hook: hooks.append(hook))
    chip = SSD1306()
    panel = Panel(opener(chip))
    panel.work(0, noise(1), CONTRAST)
    panel.close()
    assert hooks == []


def test_an_unknown_chip_is_refused_with_the_known_ones():
    with pytest.raises(UnknownChipError, match=r"'ssd1307' is not known; known are sh1106, ssd1306, ssd1309"):
        Opener("ssd1307")
    with pytest.raises(ValueError, match="rotate is 1"):
        Opener(rotate=1)


def test_a_picture_of_another_size_or_mode_is_a_mistake_of_the_program():
    with Oled(opener(SSD1306()), VirtualTime()) as oled:
        for image in (Image.new("1", (64, 128)), Image.new("L", (128, 64))):
            with pytest.raises(ValueError, match="expected mode '1'"):
                oled.show(image)


def test_a_mistake_of_the_program_at_a_panel_is_said_and_the_panel_is_set_up_again(monkeypatch):
    chip, time, heard, mistakes = SSD1306(), VirtualTime(), [], [KeyError("odd")]
    really = Panel._bring

    def bring(panel, *what):
        if mistakes:
            raise mistakes.pop()
        really(panel, *what)

    with Oled(opener(chip), time, on_change=heard.append) as oled:
        oled.show(page("one"))
        assert oled.settle() and oled.state().health is Health.CONNECTED
        monkeypatch.setattr(Panel, "_bring", bring)
        oled.show(page("two"))
        assert oled.settle()
        assert oled.state().health is Health.LOST
        assert "a fault of this program: KeyError('odd')" in oled.state().detail
        time.advance_ms(2000)
        oled.show(page("three"))
        assert oled.settle() and oled.state().health is Health.CONNECTED
        assert same(chip.image(), page("three"))


def test_a_second_panel_for_which_no_thread_can_be_had_leaves_none_of_the_first(monkeypatch):
    before = set(threading.enumerate())
    monkeypatch.setattr(threading.Thread, "start", NoMoreThreads(after=1))
    with pytest.raises(NoThreadError, match="screen 2"):
        Oled([opener(SSD1306()), opener(SSD1306())], VirtualTime())
    assert set(threading.enumerate()) <= before

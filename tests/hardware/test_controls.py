"""Fingers on emulated pins, through gpiozero: buttons, lamps and the buzzer."""

import sys
from types import ModuleType

import gpiozero
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware import presses
from hardware.controls import HIGHEST_HZ, LOWEST_HZ, Buzzer, Controls, Part
from hardware.ports import Health, Holding, Note, Press, Pressed
from hardware.twins import gpio
from hardware.twins.gpio import Desk, Heard
from hardware.twins.virtual_time import VirtualTime

BUTTONS = {"yay": (5, 13), "wow": (6, 19)}


class Table:
    """A desk and its controls, polled every 10 ms while time passes."""

    def __init__(self, before_start=lambda desk: None):
        self.time = VirtualTime()
        self.desk = Desk(BUTTONS, 18, self.time)
        before_start(self.desk)
        self.controls = Controls(BUTTONS, 18, self.time, self.desk.factory)
        self.events = []

    def wait(self, ms):
        end = self.time.now_ms() + ms
        while self.time.now_ms() < end:
            self.time.advance_ms(min(10, end - self.time.now_ms()))
            self.events += self.controls.poll(self.time.now_ms())

    def take(self):
        taken, self.events = self.events, []
        return taken

    def presses(self):
        return [(event.button, event.press) for event in self.take() if isinstance(event, Pressed)]


@pytest.fixture
def table():
    made = Table()
    yield made
    made.controls.close()
    made.desk.factory.close()


def test_a_button_that_the_desk_does_not_have_is_told_with_those_it_has(table):
    with pytest.raises(KeyError, match="there is no button 'green'; there are wow, yay"):
        table.desk.press("green")


def test_after_the_menu_a_press_is_nothing_until_every_button_has_been_let_go(table):
    table.desk.press("yay")
    table.desk.press("wow")
    table.wait(2100)
    assert table.presses() == [(None, Press.MENU)]
    table.desk.release("yay")
    table.wait(200)
    for meant in ([], [("yay", Press.OK)]):
        table.desk.press("yay")
        table.wait(100)
        table.desk.release("yay")
        table.wait(200)
        assert table.presses() == meant
        table.desk.release("wow")
        table.wait(200)


def test_an_emulated_pin_does_not_grow_with_every_press(table):
    for _ in range(50):
        table.desk.press("yay")
        table.desk.release("yay")
    assert len(table.desk.factory.pin(5).states) == 1


def test_a_short_press_is_one_ok_on_release(table):
    table.desk.press("yay")
    table.wait(300)
    assert table.take() == []
    table.desk.release("yay")
    table.wait(100)
    assert [(e.button, e.press) for e in table.take()] == [("yay", Press.OK)]


@pytest.mark.parametrize(("held_ms", "meant"), [(30, [Press.OK]), (400, [Press.OK]), (401, []), (1100, []), (1190, [])])
def test_h6_a_press_of_up_to_400_ms_is_ok_and_a_longer_one_nothing_until_it_is_undo(table, held_ms, meant):
    table.desk.press("wow")
    table.wait(held_ms)
    table.desk.release("wow")
    table.wait(2000)
    assert [press for _, press in table.presses()] == meant


def test_h6_a_held_button_tells_its_hold_at_400_ms_and_is_undo_at_1200_ms_while_still_held(table):
    table.wait(50)
    table.desk.press("yay")
    table.wait(1200)
    assert table.take() == [Holding("yay", 50, 450), Pressed("yay", Press.UNDO, 1250), Holding("yay", None, 1250)]
    table.wait(3000)
    table.desk.release("yay")
    table.wait(100)
    assert table.take() == []


def test_h6_a_child_who_presses_long_and_lets_go_gets_a_bar_and_no_undo(table):
    table.desk.press("yay")
    table.wait(1000)
    table.desk.release("yay")
    table.wait(500)
    assert table.take() == [Holding("yay", 0, 400), Holding("yay", None, 1020)]


def test_both_buttons_held_for_two_seconds_are_the_menu_once_and_neither_ok_nor_undo(table):
    table.desk.press("yay")
    table.wait(200)
    table.desk.press("wow")
    table.wait(1990)
    assert table.presses() == []
    table.wait(10)
    assert table.take() == [Pressed(None, Press.MENU, 2200)]
    table.wait(5000)
    table.desk.release("yay")
    table.wait(100)
    table.desk.release("wow")
    table.wait(2000)
    assert table.take() == []


def test_no_button_is_undo_from_the_moment_both_are_down_until_both_are_up(table):
    table.desk.press("yay")
    table.wait(1000)
    table.desk.press("wow")
    table.wait(500)
    table.desk.release("wow")
    table.wait(3000)
    assert table.take() == [Holding("yay", 0, 400), Holding("yay", None, 1000)]
    table.desk.release("yay")
    table.wait(100)
    table.desk.press("yay")
    table.wait(1300)
    assert table.presses() == [("yay", Press.UNDO)]


def test_two_players_who_press_at_the_same_time_are_two_oks(table):
    table.desk.press("yay")
    table.desk.press("wow")
    table.wait(150)
    table.desk.release("wow")
    table.wait(50)
    table.desk.release("yay")
    table.wait(100)
    assert table.presses() == [("wow", Press.OK), ("yay", Press.OK)]


@pytest.mark.parametrize("bounce_ms", [(1, 1), (3, 2, 5, 1), (19, 1), (1,) * 20, (10, 10)])
def test_s10_bounce_of_up_to_20_ms_is_one_press(table, bounce_ms):
    table.desk.press("yay", bounce_ms)
    table.wait(100)
    table.desk.release("yay", bounce_ms)
    table.wait(200)
    assert table.presses() == [("yay", Press.OK)]


def test_s10_bounce_at_the_end_of_a_held_press_is_no_ok(table):
    table.desk.press("yay", (4, 3))
    table.wait(700)
    table.desk.release("yay", (5, 5, 5, 4))
    table.wait(2000)
    assert table.presses() == []


def test_s10_a_lost_release_does_not_mean_held_for_ever(table):
    table.desk.press("yay")
    table.wait(100)
    table.desk.lose_edges("yay")
    table.desk.release("yay")
    table.wait(3000)
    assert table.presses() == [("yay", Press.OK)]


def test_s10_a_lost_press_edge_is_made_up_for_by_the_level(table):
    table.desk.lose_edges("yay")
    table.desk.press("yay")
    table.wait(100)
    table.desk.release("yay")
    table.wait(100)
    assert table.presses() == [("yay", Press.OK)]


def test_s10_a_release_that_was_lost_while_nobody_looked_is_no_undo(table):
    table.desk.press("yay")
    table.wait(10)
    table.desk.lose_edges("yay")
    table.desk.release("yay")
    table.time.advance_ms(5000)
    table.wait(100)
    assert table.presses() == []


def test_edges_keep_their_times_while_the_loop_is_busy(table):
    for _ in range(2):
        table.desk.press("yay")
        table.time.advance_ms(120)
        table.desk.release("yay")
        table.time.advance_ms(120)
    table.desk.press("wow")
    table.time.advance_ms(1300)
    table.desk.release("wow")
    table.time.advance_ms(300)
    table.wait(10)
    assert table.presses() == [("yay", Press.OK), ("yay", Press.OK), ("wow", Press.UNDO)]


def test_a_button_held_at_power_on_does_nothing_until_it_has_been_released():
    table = Table(before_start=lambda desk: desk.press("yay"))
    table.wait(5000)
    table.desk.press("wow")
    table.wait(2500)
    table.desk.release("wow")
    table.desk.release("yay")
    table.wait(100)
    assert [press for _, press in table.presses()] == [Press.UNDO]  # of wow alone: yay's button counts as not there
    table.desk.press("yay")
    table.wait(100)
    table.desk.release("yay")
    table.wait(100)
    assert table.presses() == [("yay", Press.OK)]
    table.controls.close()


# ---- the pure part -------------------------------------------------------------------------

moves = st.lists(
    st.tuples(st.sampled_from(["yay", "wow"]), st.booleans(), st.integers(0, 900)), min_size=1, max_size=12
)


def played(moves, poll_every_ms):
    """The events of these edges, with polls that look at the true levels in between."""
    state, events, level, now = presses.at_power_on({"yay": False, "wow": False}, 0), [], {}, 0
    for button, closed, wait_ms in [*moves, ("yay", False, 0), ("wow", False, 5000)]:
        state, more = presses.edge(state, button, closed, now)
        level[button] = closed
        events += more
        for moment in range(now, now + wait_ms, poll_every_ms):
            state, more = presses.looked(state, level, moment)
            events += more
        now += wait_ms
    for moment in (now, now + presses.LATE_MS):
        state, more = presses.looked(state, level, moment)
        events += more
    return state, events


@settings(max_examples=40, deadline=None)
@given(moves, st.integers(5, 60))
def test_every_hold_that_was_told_ends_and_events_come_in_order_of_time(moves, poll_every_ms):
    state, events = played(moves, poll_every_ms)
    for name in ("yay", "wow"):
        told = [event.since_ms is not None for event in events if isinstance(event, Holding) and event.button == name]
        assert told == [True, False] * (len(told) // 2)
        assert state[name].down_ms is None
    assert [event.at_ms for event in events] == sorted(event.at_ms for event in events)


@settings(max_examples=40, deadline=None)
@given(moves)
def test_how_often_somebody_looks_changes_nothing(moves):
    assert played(moves, 7)[1] == played(moves, 50)[1]


# ---- lamps and sound -----------------------------------------------------------------------


def test_exactly_the_lamps_that_are_asked_for_are_lit(table):
    for lit in (frozenset({"yay"}), frozenset({"yay", "wow"}), frozenset({"wow"}), frozenset()):
        table.controls.light(lit)
        assert table.desk.lamps() == lit


def test_a_melody_sounds_note_by_note_at_the_polls_and_then_is_silent(table):
    table.controls.buzzer.play((Note(880, 60), Note(0, 40), Note(1760, 100)), table.time.now_ms())
    assert table.desk.tone_hz() == 880
    table.wait(300)
    assert table.desk.heard() == [Heard(880, 0), Heard(0, 60), Heard(1760, 100), Heard(0, 200)]
    assert table.desk.tone_hz() == 0


def test_a_new_melody_cuts_off_the_one_that_sounds(table):
    table.controls.buzzer.play((Note(880, 5000),), 0)
    table.wait(20)
    table.controls.buzzer.play((Note(440, 30),), table.time.now_ms())
    table.wait(100)
    assert table.desk.heard() == [Heard(880, 0), Heard(440, 20), Heard(0, 50)]


def test_a_late_poll_leaves_out_the_notes_that_are_over(table):
    table.controls.buzzer.play((Note(880, 50), Note(990, 50), Note(1100, 50)), 0)
    table.time.advance_ms(120)
    table.controls.poll(table.time.now_ms())
    assert [sound.hz for sound in table.desk.heard()] == [880, 1100]


def test_tones_out_of_the_buzzers_range_are_brought_to_its_ends(table):
    table.controls.buzzer.play((Note(20, 50), Note(15000, 50)), 0)
    table.wait(200)
    assert [sound.hz for sound in table.desk.heard()] == [LOWEST_HZ, HIGHEST_HZ, 0] == [110, 7040, 0]


def test_where_there_is_no_buzzer_a_melody_is_silent_and_over_in_its_time():
    buzzer = Buzzer(None)
    buzzer.play((Note(880, 60), Note(880, 40)), 1000)
    buzzer.tick(1099)
    assert buzzer.sounding
    buzzer.tick(1100)
    assert not buzzer.sounding
    buzzer.close()
    assert Desk(BUTTONS, None, VirtualTime()).tone_hz() == 0


def test_a_tone_that_goes_on_is_not_begun_again(table, monkeypatch):
    begun = []
    use = table.controls.buzzer.part.use
    monkeypatch.setattr(
        table.controls.buzzer.part, "use", lambda action: begun.append(table.time.now_ms()) or use(action)
    )
    table.controls.buzzer.play((Note(880, 60), Note(880, 40), Note(440, 50)), 0)
    table.wait(300)
    assert begun == [0, 100, 150]


def test_closing_leaves_lamps_dark_and_the_buzzer_silent_and_may_be_done_twice(table):
    table.controls.light(frozenset({"yay", "wow"}))
    table.controls.buzzer.play((Note(880, 1000),), 0)
    table.controls.close()
    table.controls.close()
    assert table.desk.lamps() == frozenset()
    assert table.desk.tone_hz() == 0


# ---- edges that are told late ---------------------------------------------------------------


def test_k5_39_a_press_that_lies_wholly_in_a_stall_is_one_press_of_its_true_length(table):
    table.wait(500)
    table.desk.hold_edges_back()
    table.time.advance_ms(1000)
    table.desk.press("yay", (3, 2))
    table.time.advance_ms(50)
    table.desk.release("yay", (2, 2))
    table.time.advance_ms(2000)
    table.wait(20)  # the loop is awake before the thread that tells of edges
    table.desk.let_edges_come()
    table.wait(300)
    assert table.presses() == [("yay", Press.OK)]


def test_k5_39_a_stall_within_a_short_press_makes_no_undo_of_it(table):
    table.desk.press("yay")
    table.wait(20)
    table.desk.hold_edges_back()
    table.time.advance_ms(30)
    table.desk.release("yay")
    table.time.advance_ms(3000)
    table.wait(30)
    table.desk.let_edges_come()
    table.wait(300)
    assert table.take() == [Pressed("yay", Press.OK, 70)]


@pytest.mark.parametrize(("long_ms", "press"), [(50, Press.OK), (1400, Press.UNDO)])
def test_k5_39_edges_that_are_told_late_with_their_times_make_one_press_of_its_true_length(table, long_ms, press):
    began_ms = table.time.now_ms()
    table.time.advance_ms(3000)
    table.wait(20)  # the loop is awake before whoever tells of edges
    table.desk.press("yay", at_ms=began_ms + 1000)
    table.desk.release("yay", at_ms=began_ms + 1000 + long_ms)
    table.wait(300)
    assert table.presses() == [("yay", press)]


def test_k5_39_a_release_that_is_told_late_with_its_time_makes_no_undo_of_a_short_press(table):
    table.desk.press("yay")
    table.wait(20)
    up_ms = table.time.now_ms() + 30
    table.time.advance_ms(3000)
    table.wait(20)
    table.desk.release("yay", at_ms=up_ms)
    table.wait(300)
    assert table.presses() == [("yay", Press.OK)]


def test_k5_39_a_button_held_through_a_stall_is_still_an_undo(table):
    table.desk.press("yay")
    table.wait(20)
    table.time.advance_ms(3000)
    table.wait(200)
    assert table.presses() == [("yay", Press.UNDO)]


@pytest.mark.parametrize("late_ms", [0, 10, 30, 50, 80, 150])
def test_s10_a_bounce_that_is_told_late_makes_no_second_press(table, late_ms):
    table.desk.press("yay")
    table.wait(200)
    table.desk.hold_edges_back()
    table.desk.release("yay", (2, 2))
    table.wait(late_ms)
    table.desk.let_edges_come()
    table.wait(400)
    assert table.presses() == [("yay", Press.OK)]


def test_s10_a_bounce_of_which_only_the_first_edge_was_told_in_time_makes_no_second_press(table):
    table.desk.press("yay")
    table.wait(200)
    table.desk.release("yay")
    table.desk.hold_edges_back()
    table.time.advance_ms(2)
    table.desk.press("yay")
    table.time.advance_ms(2)
    table.desk.release("yay")
    table.wait(40)  # the press is over by now, and was told
    table.desk.let_edges_come()
    table.wait(400)
    assert table.presses() == [("yay", Press.OK)]
    table.desk.press("yay")
    table.wait(100)
    table.desk.release("yay")
    table.wait(100)
    assert table.presses() == [("yay", Press.OK)]


def test_presses_of_two_buttons_that_are_told_late_come_in_the_order_of_their_times(table):
    table.desk.hold_edges_back()
    for name in ("wow", "yay"):
        table.desk.press(name)
        table.time.advance_ms(60)
        table.desk.release(name)
        table.time.advance_ms(60)
    table.desk.let_edges_come()
    table.wait(100)
    assert table.presses() == [("wow", Press.OK), ("yay", Press.OK)]


def test_two_clocks_never_meet_an_edge_timed_by_another_clock_counts_from_when_it_came(table):
    table.time.advance_ms(5000)
    table.desk.factory.ticks = lambda: 1.8e9  # an edge's time; "now" is read from the same
    table.desk.hold_edges_back()
    table.desk.press("yay")
    table.desk.factory.ticks = lambda: 5.0
    table.desk.let_edges_come()
    table.wait(100)
    table.desk.release("yay")
    table.wait(100)
    assert table.presses() == [("yay", Press.OK)]


@pytest.mark.parametrize("name", ["active_time", "inactive_time"])
def test_an_edge_whose_time_cannot_be_had_counts_from_when_it_came_and_raises_nothing(table, monkeypatch, name):
    """In the pin library's thread, which all edges share: it would end."""

    def gone(button):
        raise gpiozero.DeviceClosed("its pin is being closed")

    table.wait(1000)
    monkeypatch.setattr(gpiozero.DigitalInputDevice, name, property(gone))
    table.desk.press("yay")
    table.wait(100)
    table.desk.release("yay")
    table.wait(100)
    assert table.presses() == [("yay", Press.OK)]


# ---- pins that cannot be used ---------------------------------------------------------------


class Lgpio(ModuleType):
    """In place of the module lgpio: only its error, which is a plain Exception that quotes its text."""

    class error(Exception):
        def __str__(self):
            return repr(self.args[0])


Lgpio.error.__module__ = "lgpio"


@pytest.fixture
def lgpio(monkeypatch):
    module = Lgpio("lgpio")
    monkeypatch.setitem(sys.modules, "lgpio", module)
    return module


def refused(desk, pin, fault):
    """Make a pin raise this when it is claimed, as lgpio does, until it is mended."""
    state, claim = {"fault": fault}, desk.factory.pin

    def pin_of(name):
        if name == pin and state["fault"]:
            raise state["fault"]()  # noqa: RSE102 - a lambda makes it
        return claim(name)

    desk.factory.pin = pin_of
    return state


NOT_OURS = {
    "the system's": lambda: OSError(5, "Input/output error"),
    "gpiozero's": lambda: gpiozero.PinInvalidPin("no such pin"),
    "lgpio's": lambda: Lgpio.error("GPIO busy"),
}


@pytest.mark.parametrize("fault", NOT_OURS.values(), ids=NOT_OURS)
def test_a_pin_that_cannot_be_used_is_lost_by_name_and_reason_and_tried_again(lgpio, fault):
    broken_pins = []
    table = Table(before_start=lambda desk: broken_pins.append(refused(desk, 5, fault)))
    table.wait(5000)
    (lost,) = table.take()
    assert (lost.part, lost.health) == ("button yay", Health.LOST) and "GPIO 5" in lost.detail
    table.desk.press("wow")
    table.wait(100)
    table.desk.release("wow")
    table.wait(100)
    assert table.presses() == [("wow", Press.OK)]  # the other one works
    broken_pins[0]["fault"] = None
    table.wait(2100)
    (back,) = table.take()
    assert (back.part, back.health) == ("button yay", Health.CONNECTED)
    table.desk.press("yay")
    table.wait(100)
    table.desk.release("yay")
    table.wait(100)
    assert table.presses() == [("yay", Press.OK)]
    table.controls.close()


@pytest.mark.parametrize("pin", [5, 13, 18])
def test_a_pin_that_fails_in_play_is_lost_and_nothing_is_raised(table, lgpio, monkeypatch, pin):
    part = {5: "button yay", 13: "lamp yay", 18: "buzzer"}[pin]

    faults = [lgpio.error("GPIO not allocated")]  # once: it can be closed then
    with monkeypatch.context() as broken:
        for call in ("_get_state", "_set_state", "_set_frequency"):
            broken.setattr(type(table.desk.factory.pin(pin)), call, _failing_at(pin, call, faults))
        table.controls.light(frozenset({"yay"}))
        table.controls.buzzer.play((Note(880, 60),), table.time.now_ms())
        events = table.controls.poll(table.time.now_ms())
    assert [(event.part, event.health) for event in events] == [(part, Health.LOST)]


def _failing_at(number, call, faults):
    works = getattr(gpio._Pin, call)

    def called(pin, *words):
        if pin.info.name == f"GPIO{number}" and faults:
            raise faults.pop()
        return works(pin, *words)

    return called


def test_a_finger_that_is_on_a_button_when_it_works_again_means_nothing_until_the_next_press(lgpio):
    broken_pins = []
    table = Table(before_start=lambda desk: broken_pins.append(refused(desk, 5, lambda: lgpio.error("GPIO busy"))))
    table.wait(100)
    broken_pins[0]["fault"] = None
    table.desk.press("yay")
    table.wait(2100)
    assert table.controls.closed() == {"yay"}
    table.desk.release("yay")
    table.wait(300)
    assert table.presses() == []
    table.desk.press("yay")
    table.wait(100)
    table.desk.release("yay")
    table.wait(100)
    assert table.presses() == [("yay", Press.OK)]
    table.controls.close()


def test_a_lamp_that_works_again_is_as_it_should_be_by_now(lgpio):
    broken_pins = []
    table = Table(before_start=lambda desk: broken_pins.append(refused(desk, 13, lambda: lgpio.error("GPIO busy"))))
    table.controls.light(frozenset({"yay"}))
    broken_pins[0]["fault"] = None
    table.wait(5000)
    assert table.desk.lamps() == {"yay"}
    table.controls.close()


def test_a_pin_that_is_used_twice_is_lost_and_the_words_name_it():
    time = VirtualTime()
    desk = Desk({"yay": (5, 13)}, None, time)
    controls = Controls({"yay": (5, 5)}, None, time, desk.factory)
    (lost,) = controls.poll(0)
    assert lost.part == "lamp yay" and "GPIO 5" in lost.detail
    controls.close()
    again = Controls({"yay": (5, 13)}, None, time, desk.factory)  # the failed one has let go of its pins
    assert again.poll(0) == []
    again.close()


# ---- one part by itself ---------------------------------------------------------------------


class Device:
    """What a part opens: its opening and closing may raise."""

    def __init__(self):
        self.opening = self.closing = None
        self.opened = 0

    def make(self):
        self.opened += 1
        if self.opening:
            raise self.opening
        return self

    def close(self):
        if self.closing:
            raise self.closing


def broken(text):
    return OSError(5, text)


def told(part, now_ms):
    return [(event.health, event.detail) for event in part.news(now_ms)]


def test_a_lost_part_is_tried_again_2_s_after_it_was_missed_and_every_2_s():
    device = Device()
    device.opening = broken("no pin")
    part = Part("lamp yay", 13, device.make, None)
    assert not part.try_again(100)
    assert told(part, 100) == [(Health.LOST, "GPIO 13: OSError: [Errno 5] no pin")] and told(part, 200) == []
    assert not part.try_again(2099) and device.opened == 1
    assert not part.try_again(2100) and device.opened == 2
    assert not part.try_again(4099) and device.opened == 2
    device.opening = None
    assert part.try_again(4100) and not part.try_again(9000) and device.opened == 3
    assert told(part, 4100) == [(Health.CONNECTED, "GPIO 13")]
    part.use(lambda device: (_ for _ in ()).throw(broken("gone")))
    assert not part.try_again(5000) and not part.try_again(6999) and part.try_again(7000)


def test_a_part_that_works_from_the_start_is_nothing_to_be_told():
    part = Part("lamp yay", 13, Device().make, None)
    assert told(part, 0) == [] and not part.try_again(5000)
    assert part.use(lambda device: 7) == 7


def test_a_part_that_cannot_even_be_closed_says_what_was_first_wrong_with_it():
    device = Device()
    device.closing = broken("closing")
    part = Part("lamp yay", 13, device.make, None)
    assert part.use(lambda device: (_ for _ in ()).throw(broken("first")), otherwise=3) == 3
    assert part.reason == "GPIO 13: OSError: [Errno 5] first" and part.use(lambda device: 7, otherwise=4) == 4
    part = Part("lamp yay", 13, device.make, None)
    part.close()
    part.close()
    assert part.reason == "GPIO 13: OSError: [Errno 5] closing"


# ---- what others ask ------------------------------------------------------------------------


def test_a_poll_is_due_after_20_ms_while_a_finger_or_a_note_is_at_work_else_after_100(table):
    assert table.controls.pause_ms == 100
    table.controls.buzzer.play((Note(880, 50),), 0)
    assert table.controls.pause_ms == 20
    table.wait(50)
    assert table.controls.pause_ms == 100
    table.desk.press("yay")
    table.wait(10)
    assert table.controls.pause_ms == 20


def test_contacts_and_lamps_are_read_back_one_by_one(table):
    assert (table.controls.closed(), table.controls.lit()) == (frozenset(), frozenset())
    table.desk.press("wow")
    table.controls.light(frozenset({"yay"}))
    assert (table.controls.closed(), table.controls.lit()) == (frozenset({"wow"}), frozenset({"yay"}))


def test_closing_lets_go_of_every_pin(table):
    pins = [table.desk.factory.pin(number) for number in (5, 6, 13, 18, 19)]
    table.controls.close()
    assert table.controls.buzzer.part.device is None
    assert {pin.function for pin in pins} == {"input"}


def test_a_buzzer_is_told_nothing_while_it_is_silent_and_to_stop_when_it_is_closed(table, monkeypatch):
    buzzer = table.controls.buzzer
    used = []
    with monkeypatch.context() as told_nothing:
        told_nothing.setattr(buzzer.part, "use", used.append)
        buzzer.tick(0)
    assert used == []
    buzzer.play((Note(880, 1000),), 0)
    assert [note.hz for note in table.desk.heard()] == [880]
    table.controls.close()
    assert [note.hz for note in table.desk.heard()] == [0]

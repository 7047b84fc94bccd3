"""Edges and looks of the contacts, one by one (see test_controls.py for whole presses)."""

from __future__ import annotations

from dataclasses import replace

from hardware.ports import Holding, Press, Pressed
from hardware.presses import Fingers, PressEvent, at_power_on, edge, looked


def resting(contact_ms: int = 0) -> Fingers:
    """Both buttons up; `contact_ms`: up to when what a look has found is known."""
    state = at_power_on({"yay": False, "wow": False}, 0)
    fingers = tuple((name, replace(finger, contact_ms=contact_ms)) for name, finger in state.fingers)
    return replace(state, fingers=fingers)


def test_an_edge_that_is_older_than_a_look_that_counted_is_passed_over() -> None:
    state, events = edge(resting(contact_ms=1000), "yay", True, 900)
    assert not state["yay"].closed and events == []
    state, _ = edge(resting(contact_ms=1000), "yay", True, 1000)
    assert state["yay"].closed


def test_an_edge_to_where_the_contact_is_already_changes_nothing() -> None:
    before = resting()
    state, events = edge(before, "yay", False, 1000)
    assert state.fingers == before.fingers and events == []


def looks_at(state: Fingers, closed: bool, *times_ms: int) -> tuple[Fingers, list[PressEvent]]:
    """Looks at yay at these times, one after the other."""
    events: list[PressEvent] = []
    for now_ms in times_ms:
        state, more = looked(state, {"yay": closed}, now_ms)
        events += more
    return state, events


def test_looks_up_to_250_ms_apart_leave_no_gap_and_with_a_longer_one_time_stands_still_for_60_ms() -> None:
    pressed, _ = edge(resting(), "yay", True, 0)
    _, events = looks_at(pressed, True, 150, 400)
    assert events == [Holding("yay", 0, 400)]
    state, events = looks_at(pressed, True, 149, 400, 459)
    assert events == []
    _, events = looks_at(state, True, 460)
    assert events == [Holding("yay", 0, 400)]


def test_a_press_whose_edge_was_lost_began_with_the_first_look_that_found_it() -> None:
    _, events = looks_at(resting(), True, 100, 159, 160, 300, 499)
    assert events == []
    _, events = looks_at(resting(), True, 100, 159, 160, 300, 500)
    assert events == [Holding("yay", 100, 500)]


def test_a_button_that_was_down_at_power_on_is_at_rest_once_it_has_stayed_up() -> None:
    state = at_power_on({"yay": True, "wow": False}, 0)
    assert not state.at_rest
    state, _ = edge(state, "yay", False, 100)
    state, _ = looks_at(state, False, 119)
    assert not state.at_rest
    state, _ = looks_at(state, False, 120)
    assert state.at_rest


def test_a_button_alone_is_held_as_one_of_two() -> None:
    state, _ = edge(at_power_on({"yay": False}, 0), "yay", True, 0)
    _, events = looks_at(state, True, *range(0, 1201, 200))
    assert events == [Holding("yay", 0, 400), Pressed("yay", Press.UNDO, 1200), Holding("yay", None, 1200)]

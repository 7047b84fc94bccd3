"""Edges and looks of the contacts, one by one (see test_controls.py for whole presses)."""

from __future__ import annotations

from dataclasses import replace

from hardware.presses import Fingers, at_power_on, edge


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

"""What a check finds of each part: a fault says what to do about it, and nothing else does."""

from __future__ import annotations

import pytest

from firmware.table.findings import Row, State, fault, has_fault, ok, skipped

OK, FAULT, SKIPPED = (
    ok("pad", "MFRC522"),
    fault("strip", "no answer", "Look at the plug."),
    skipped("buzzer", "not asked"),
)


def test_one_fault_among_all_that_was_found_is_a_fault():
    assert [has_fault(rows) for rows in ((), (OK, SKIPPED), (FAULT,), (OK, FAULT, SKIPPED))] == [
        False,
        False,
        True,
        True,
    ]


@pytest.mark.parametrize(
    ("state", "remedy"), [(State.FAULT, ""), (State.OK, "Look at the plug."), (State.SKIPPED, "Look at the plug.")]
)
def test_a_fault_without_a_remedy_and_a_remedy_without_a_fault_are_refused(state, remedy):
    with pytest.raises(ValueError, match="each fault has one"):
        Row("strip", state, "no answer", remedy)

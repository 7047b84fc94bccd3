"""Which registers of a reader count as lost, and which as those of a copy: pure."""

from __future__ import annotations

import pytest

from hardware.rc522_watch import RegisterWatch

HELD = {1: 0x10, 2: 0x20, 3: 0x30, 4: 0x40}


def learnt(**second: int) -> RegisterWatch:
    """A watch that has read HELD twice; `second`: what the second reading had otherwise, such as r3=0."""
    watch = RegisterWatch()
    watch.learn(HELD, HELD | {int(name[1:]): value for name, value in second.items()})
    return watch


def test_what_two_readings_have_in_common_is_expected_until_it_is_written() -> None:
    watch = learnt(r3=0x31)
    assert watch.differences(HELD.items()) == []
    assert watch.differences([(1, 0x11), (2, 0x20), (3, 0x33), (4, 0), (9, 9)]) == [1, 4]
    watch.expect(1, 0x11)
    watch.expect(3, 0x00)
    assert watch.differences([(1, 0x11), (3, 0x33)]) == [], "nor is one compared that is written later"
    assert watch.differences([(1, 0x10)]) == [1]


def test_a_register_that_differs_three_times_is_the_chip_s_and_is_compared_no_longer() -> None:
    watch = learnt()
    assert [watch.is_odd([2]) for _ in range(3)] == [False, False, True]
    assert watch.uncompared == (2,)
    assert watch.differences([(2, 0), (3, 0)]) == [3]
    assert not watch.is_odd([2]), "it is not compared, so it is not one that differs"
    watch.expect(2, 5)
    watch.learn(HELD, HELD)
    assert watch.differences([(2, 0)]) == [], "nor after the chip was set up again"


def test_each_of_two_registers_has_to_differ_three_times() -> None:
    watch = learnt()
    assert [watch.is_odd([3, 1]) for _ in range(2)] == [False, False]
    assert not watch.is_odd([1, 2]) and watch.uncompared == (1,), "the second of them was the first time"
    assert not watch.is_odd([2, 3]) and watch.uncompared == (1, 3)
    assert watch.is_odd([2]) and watch.uncompared == (1, 2, 3)


def test_three_at_once_are_a_supply_that_broke_down() -> None:
    watch = learnt()
    assert [watch.is_odd([1, 2, 3]) for _ in range(9)] == [False] * 9
    assert watch.uncompared == () and not watch.is_odd([1])
    assert not watch.is_odd([9]), "one that is not watched is no odd register"


@pytest.mark.parametrize("tries", [1, 3])
def test_a_setting_that_is_not_taken_in_every_try_is_the_chip_s(tries: int) -> None:
    watch = RegisterWatch()
    settings = {1: 0x11, 2: 0x20}
    for count in range(1, tries + 1):
        assert watch.unset(settings, HELD) == [1]
        assert watch.is_odd_at_setting([1], tries) is (count == tries)
    assert watch.uncompared == (1,)
    assert watch.unset(settings, HELD) == []


def test_a_setting_that_was_taken_in_between_is_counted_anew() -> None:
    watch = RegisterWatch()
    for held in (HELD, HELD, HELD | {1: 0x11}, HELD, HELD):
        wrong = watch.unset({1: 0x11}, held)
        assert not wrong or not watch.is_odd_at_setting(wrong, 3)
    assert watch.unset({1: 0x11}, HELD) == [1] and watch.is_odd_at_setting([1], 3)


def test_three_settings_that_are_not_taken_are_a_wire() -> None:
    watch = RegisterWatch()
    settings = {1: 0x11, 2: 0x22, 3: 0x33}
    for _ in range(3):
        assert watch.unset(settings, HELD) == [1, 2, 3]
    assert not watch.is_odd_at_setting([1, 2, 3], 3) and watch.uncompared == ()
    assert watch.is_odd_at_setting([1, 2], 3) and watch.uncompared == (1, 2)

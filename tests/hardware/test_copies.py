"""Copies of the reader's chip: a register that reads otherwise than it was written, as no supply makes it."""

from __future__ import annotations

from typing import Any

import pytest

from hardware.ports import Health, PartState
from hardware.twins import rc522_registers as reg
from hardware.twins.rc522 import RC522
from tests.support.pads_support import FOUR, SEVEN, Bench, lifted, placed, states


def told_of(events: list[Any]) -> list[PartState]:
    return [event for event in events if isinstance(event, PartState)]


def assert_read_and_said_once(bench: Bench, reads: dict[int, int]) -> None:
    """Where the chip has these odd registers."""
    bench.chips["yay"].reads_otherwise = reads
    bench.put("yay", SEVEN)
    events = bench.run(3000)
    assert placed(events) == [("yay", SEVEN)] and lifted(events) == []
    told = [event for event in told_of(events) if "no longer compared" in event.detail]
    assert [(state.part, state.health) for state in told] == [("pad yay", Health.CONNECTED)]
    assert all(f"0x{register:02X}" in told[0].detail for register in reads)


@pytest.mark.parametrize(
    "reads",
    [{reg.TX_CONTROL: 0x80}, {reg.T_RELOAD_L: 0x00}, {reg.RF_CFG: 0x59}, {reg.TX_ASK: 0x00, reg.GS_N: 0x00}],
    ids=["TxControlReg", "TReloadReg", "RFCfgReg", "two"],
)
def test_f16_a_register_that_reads_otherwise_than_written_is_soon_not_compared_which_is_said_once(
    reads: dict[int, int],
) -> None:
    bench = Bench()
    assert_read_and_said_once(bench, reads)
    assert states(bench.run(3000)) == []


@pytest.mark.parametrize(
    "reads",
    [{reg.TX_ASK: 0x00}, {reg.MODE: 0x3F}, {reg.T_MODE: 0x00, reg.T_PRESCALER: 0x00}],
    ids=["TxASKReg", "ModeReg", "two"],
)
def test_f16_a_setting_that_a_copy_never_shows_is_not_compared_which_is_said_once(reads: dict[int, int]) -> None:
    bench = Bench()
    chip: RC522 = bench.chips["yay"]
    chip.odd_from_the_start = True
    assert_read_and_said_once(bench, reads)
    chip.brown_out()  # and set up again
    assert "was set up again" in "".join(event.detail for event in told_of(bench.run(2000)))
    assert states(bench.run(3000)) == []


def test_f16_a_chip_that_takes_three_of_its_settings_wrongly_is_wired_wrongly() -> None:
    bench = Bench()
    chip: RC522 = bench.chips["yay"]
    chip.reads_otherwise, chip.odd_from_the_start = {reg.TX_ASK: 0x00, reg.MODE: 0x3F, reg.T_MODE: 0x00}, True
    events = [event for event in told_of(bench.run(3000)) if event.part == "pad yay"]
    assert events and all("check MOSI" in event.detail and event.health is Health.SEARCHING for event in events)


def test_f16_a_copy_is_still_noticed_when_it_loses_its_settings() -> None:
    bench = Bench()
    chip: RC522 = bench.chips["yay"]
    chip.reads_otherwise = {reg.TX_CONTROL: 0x80}
    bench.run(3000)
    chip.brown_out()
    bench.put("yay", FOUR)
    events = bench.run(2000)
    assert placed(events) == [("yay", FOUR)]
    assert [event.detail for event in told_of(events) if "was set up again" in event.detail]


def test_f16_a_supply_that_breaks_down_often_costs_no_register_its_comparison() -> None:
    bench = Bench()
    for _ in range(6):
        bench.run(500)
        for register in (reg.T_MODE, reg.T_PRESCALER, reg.TX_ASK, reg.MODE):
            bench.chips["yay"].overwrite(register, reg.RESET_VALUES.get(register, 0))
    assert {state for _, state in states(bench.events)} == {"connected"}
    reader = bench.pads.reader("yay")
    assert reader is not None and reader.uncompared == ()


def test_f16_a_field_that_went_off_unseen_comes_on_again_within_2_s() -> None:
    bench = Bench()
    chip: RC522 = bench.chips["yay"]
    chip.reads_otherwise = {reg.TX_CONTROL: 0x80}
    bench.run(3000)
    chip.overwrite(reg.TX_CONTROL, 0x80)
    bench.put("yay", SEVEN)
    assert placed(bench.run(2000)) == [("yay", SEVEN)]

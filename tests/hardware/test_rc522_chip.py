"""What the driver of one chip asks and tells it, transfer by transfer, and how often before it gives up."""

from __future__ import annotations

import pytest

from hardware.rc522 import Mute, Reader, RegistersLost, Stuck
from hardware.rc522_self_test import self_test
from hardware.twins import rc522_registers as reg
from hardware.twins.rc522 import RC522
from hardware.twins.virtual_time import VirtualTime
from tests.support.pads_support import ready_reader, wait_for_field

CARRIER_MHZ = 13.56


@pytest.fixture
def clock() -> VirtualTime:
    return VirtualTime()


def recorded(twin: RC522) -> list[list[int]]:
    """The transfers from now on, each as it was sent."""
    sent: list[list[int]] = []
    transfer = twin.xfer2
    twin.xfer2 = lambda data: (sent.append(list(data)), transfer(data))[1]  # type: ignore[method-assign]
    return sent


def reading(register: int) -> int:
    return register << 1 | 0x80


def writes(sent: list[list[int]], register: int) -> list[int]:
    return [value for data in sent if data[0] == register << 1 for value in data[1:]]


def test_a_chip_counts_as_mute_after_it_was_asked_a_hundred_times_whether_it_has_started(clock: VirtualTime) -> None:
    twin = RC522(clock)
    twin.miso_stuck = 0xFF
    sent = recorded(twin)
    with pytest.raises(Mute):
        Reader(twin)
    assert sent.count([reading(reg.COMMAND), reading(reg.VERSION), 0]) == 100


def test_an_exchange_that_does_not_end_is_given_up_after_400_looks_of_ten_samples_and_the_status(
    clock: VirtualTime,
) -> None:
    twin, reader = ready_reader(clock)
    twin._start_sending = lambda now: None  # type: ignore[method-assign]
    sent = recorded(twin)
    with pytest.raises(Stuck):
        reader.read()
    status = (reg.COM_IRQ, reg.ERROR, reg.FIFO_LEVEL, reg.CONTROL, reg.COLL)
    assert sent.count([*[reading(reg.COM_IRQ)] * 10, *map(reading, status), 0]) == 400


def timer_us(twin: RC522) -> float:
    """How long the chip's timer runs, by 8.5: (2 * TPrescaler + 1) * (TReload + 1) cycles of the carrier."""
    prescaler = (twin.peek(reg.T_MODE) & 0x0F) << 8 | twin.peek(reg.T_PRESCALER)
    reload = twin.peek(reg.T_RELOAD_H) << 8 | twin.peek(reg.T_RELOAD_L)
    return (2 * prescaler + 1) * (reload + 1) / CARRIER_MHZ


def test_the_chip_s_own_timer_ends_the_wait_for_the_field_after_6_ms_and_that_for_an_answer_after_345_us(
    clock: VirtualTime,
) -> None:
    tick_us = 127 / CARRIER_MHZ
    twin = RC522(clock)
    reader = Reader(twin)
    assert timer_us(twin) == pytest.approx(6000, abs=tick_us / 2)
    wait_for_field(clock, reader)
    assert timer_us(twin) == pytest.approx(345, abs=tick_us / 2)


def test_where_nobody_can_see_whether_the_field_is_on_it_is_switched_on_anew_in_every_fiftieth_poll(
    clock: VirtualTime,
) -> None:
    twin, reader = ready_reader(clock)
    twin.reads_otherwise = {reg.TX_CONTROL: 0x80}
    for _ in range(20):
        try:
            reader.read()
        except RegistersLost:
            reader.MFRC522_Init()
        clock.advance_ms(7)
    assert reader.uncompared == (reg.TX_CONTROL,)
    wait_for_field(clock, reader)
    sent = recorded(twin)
    when = []
    for poll in range(151):
        reader.read()
        if writes(sent, reg.TX_CONTROL):
            when.append(poll)
        sent.clear()
    assert len(when) == 3 and when[1] - when[0] == when[2] - when[1] == 50


def test_the_self_test_goes_as_the_datasheet_says_and_its_result_is_read_as_soon_as_the_fifo_is_full(
    clock: VirtualTime,
) -> None:
    """16.1.1: 1. soft reset, 2. clear the internal buffer, 3. enable, 4. 00h to the FIFO, 5. CalcCRC, 6. and 7. wait
    and read 64 bytes."""
    twin, reader = ready_reader(clock)
    sent = recorded(twin)
    assert self_test(reader) is True
    reset = [reg.COMMAND << 1, 0x0F]
    assert sent[0] == reset
    ready, again = [reading(reg.COMMAND), reading(reg.VERSION), 0], sent.index(reset, 1)
    assert [data for data in sent[1:again] if data != ready] == [
        [reg.FIFO_LEVEL << 1, 0x80],
        [reg.FIFO_DATA << 1, *[0] * 25],
        [reg.COMMAND << 1, 0x01],
        [reg.AUTO_TEST << 1, 0x09],
        [reg.FIFO_DATA << 1, 0x00],
        [reg.COMMAND << 1, 0x03],
        [reading(reg.FIFO_LEVEL), 0],
        [*[reading(reg.FIFO_DATA)] * 64, 0],
        [reg.AUTO_TEST << 1, 0x00],
    ]

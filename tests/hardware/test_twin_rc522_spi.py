"""The emulated MFRC522 byte by byte: its SPI port, what a transfer lasts, and its fault switches.

Sections and tables are those of the datasheet MFRC522 rev. 3.9.
"""

from __future__ import annotations

import pytest

from hardware.twins import rc522_registers as reg
from hardware.twins.rc522 import RC522, Refused
from hardware.twins.tags import Tag
from hardware.twins.virtual_time import VirtualTime
from tests.support.bare_chip import Chip, with_card
from tests.support.pads_support import FOUR, SEVEN


def test_every_bit_that_the_chip_returns_can_be_flipped_once() -> None:
    chip = Chip()
    assert chip.twin.bytes_returned == 0
    chip.twin.flip(3, 6)
    chip.twin.flip(1, 0)
    assert chip.twin.xfer2([reg.VERSION << 1 | 0x80] * 4 + [0]) == [0, 0x93, 0x92, 0xD2, 0x92]
    assert chip.twin.bytes_returned == 5
    assert chip.twin.xfer2([reg.VERSION << 1 | 0x80, 0]) == [0, 0x92]


def test_a_write_returns_zeros_and_a_mute_chip_its_value() -> None:
    chip = Chip()
    assert chip.twin.xfer2([reg.TX_ASK << 1, 0x40, 0x41]) == [0, 0, 0]
    assert chip[reg.TX_ASK] == 0x41
    assert chip.twin.xfer2([reg.FIFO_DATA << 1, 1, 2]) == [0, 0, 0]
    chip.twin.mute = 0xFF
    assert chip.twin.xfer2([0x82, 0]) == [0xFF, 0xFF]
    chip.twin.mute = 0
    assert chip.twin.readbytes(3) == [0, 0, 0]
    chip.twin.mute = None
    chip.time.advance_ms(2)
    with pytest.raises(Refused, match="a write to the reserved register 0x00"):
        chip.twin.readbytes(2)
    chip.twin.miso_stuck = 7
    assert chip.twin.xfer2([0x82, 0]) == [7, 7]
    chip.twin.miso_stuck = None
    chip.twin.hold_reset(True)
    assert chip.twin.xfer2([reg.TX_ASK << 1, 0x40]) == [0, 0]


def test_a_transfer_lasts_as_long_as_its_bits_its_overhead_and_its_delay() -> None:
    chip = RC522(VirtualTime(), transfer_us=12.5, max_speed_hz=4_000_000)
    for options, ns in (({}, 16_500), ({"speed_hz": 8_000_000}, 14_500), ({"delay_us": 3}, 19_500)):
        before = chip.time.now_ns()
        chip.xfer2([0x82, 0], **options)
        assert chip.time.now_ns() - before == ns
    default = RC522(VirtualTime())
    default.xfer2([0x82, 0])
    assert default.time.now_ns() == 34_000
    default.open(0, 0)
    assert (default.max_speed_hz, default.closed) == (125_000_000, False)
    default.close()
    assert default.closed
    with pytest.raises(Refused, match="a transfer at 125000000 Hz"):
        default.xfer2([0x82, 0])
    default.max_speed_hz = 10_000_000
    default.xfer2([0x82, 0])


def test_a_fault_of_the_bus_is_raised_by_every_transfer_and_each_is_counted() -> None:
    twin = RC522(VirtualTime())
    numbers: list[int] = []
    twin.before_transfer = numbers.append
    assert twin.transfers == 0
    twin.xfer2([0x82, 0])
    twin.bus_error = OSError(5, "Input/output error")
    for _ in range(2):
        with pytest.raises(OSError, match="Input/output"):
            twin.writebytes([reg.TX_ASK << 1, 0x40])
    twin.bus_error = None
    assert twin.xfer2([reg.TX_ASK << 1 | 0x80, 0]) == [0, 0]
    assert (twin.transfers, numbers) == (4, [0, 1, 2, 3])


def test_a_transfer_in_another_mode_is_refused_with_what_was_set() -> None:
    for change, words in (
        ({"mode": 1}, "SPI mode 1 with 8 bits a word"),
        ({"bits_per_word": 9}, "SPI mode 0 with 9 bits a word"),
    ):
        twin = RC522(VirtualTime())
        for name, value in change.items():
            setattr(twin, name, value)
        with pytest.raises(Refused, match=words):
            twin.xfer2([0x82, 0])
        assert len(twin.refusals) == 1
    with pytest.raises(Refused, match="SPI mode 0 with 7 bits a word"):
        RC522(VirtualTime()).xfer2([0x82, 0], bits=7)
    for first in (0x83, 0x01):
        with pytest.raises(Refused, match=f"the address byte 0x{first:02X}; its lowest bit must be 0"):
            RC522(VirtualTime()).xfer2([first, 0])


def test_a_register_is_changed_behind_the_drivers_back_as_the_chip_would() -> None:
    chip, _ = with_card()
    chip.twin.overwrite(reg.TX_CONTROL, 0x80)
    assert not chip.twin.antenna_on
    chip.twin.overwrite(reg.TX_CONTROL, 0x83)
    assert chip.twin.antenna_on
    chip.twin.overwrite(reg.COMMAND, 0xD0)
    assert chip.twin.peek(reg.COMMAND) == 0x10 and not chip.twin.antenna_on
    chip.twin.overwrite(reg.VERSION, 0x12)
    assert chip[reg.VERSION] == 0x12


def test_a_copy_of_the_chip_reads_otherwise_only_while_its_field_is_on() -> None:
    chip, _ = with_card()
    chip.twin.reads_otherwise = {reg.TX_ASK: 0x55}
    assert (chip[reg.TX_ASK], chip[reg.MODE]) == (0x55, 0x3D)
    chip[reg.TX_CONTROL] = 0x80
    assert chip[reg.TX_ASK] == 0x40


def test_a_card_lies_in_the_field_once_and_is_lifted_once() -> None:
    chip = Chip()
    tag, other = Tag(FOUR, start_up_us=0), Tag(SEVEN)
    chip.twin.put(tag)
    chip.twin.put(other)
    chip.twin.put(tag)
    assert chip.twin.tags == (tag, other)
    assert tag.state == "power-off"
    chip.field_on()
    assert tag.state == "idle"
    chip.twin.lift(tag)
    chip.twin.lift(tag)
    assert chip.twin.tags == (other,) and tag.state == "power-off"


def test_letting_go_of_a_reset_line_that_nobody_holds_is_no_reset() -> None:
    chip = Chip()
    chip[reg.TX_ASK] = 0x40
    chip.twin.hold_reset(False)
    assert chip[reg.TX_ASK] == 0x40
    chip.twin.hold_reset(True)
    chip.twin.hold_reset(False)
    chip.time.advance_ms(10)
    assert chip[reg.TX_ASK] == 0x00


def test_an_overwritten_register_holds_the_value_and_an_overwritten_command_does_not_start() -> None:
    chip = Chip()
    chip.twin.overwrite(reg.RF_CFG, 0xF8)
    assert chip.twin.peek(reg.RF_CFG) == 0xF8
    chip.twin.overwrite(reg.COMMAND, 0xC0 | reg.CALC_CRC)
    assert chip.twin.peek(reg.COMMAND) == reg.CALC_CRC
    assert not chip[reg.DIV_IRQ] & reg.CRC_IRQ

"""The emulated MFRC522 bit by bit: its registers, buffer, timer, commands and antenna.

Sections and tables are those of the datasheet MFRC522 rev. 3.9.
"""

from __future__ import annotations

import pytest

from hardware.twins import rc522_registers as reg
from tests.support.bare_chip import Chip, with_card

# ---- status registers and FIFO --------------------------------------------------------------


def test_the_first_status_register_tells_of_fifo_crc_timer_and_interrupts() -> None:
    """Table 33: CRCOk, CRCReady, IRq, TRunning, HiAlert, LoAlert."""
    chip = Chip()
    chip[reg.COM_I_EN] = 0x80
    chip[reg.WATER_LEVEL] = 3
    for level, alerts in ((0, 1), (3, 1), (4, 0), (60, 0), (61, 2), (64, 2)):
        chip[reg.FIFO_LEVEL] = 0x80
        chip[reg.FIFO_DATA] = bytes(level)
        assert chip[reg.STATUS1] == 0x20 | alerts, level
    chip[reg.WATER_LEVEL] = 0xFF
    for level, alerts in ((0, 1), (1, 3), (63, 3), (64, 2)):  # six bits of the water level count
        chip[reg.FIFO_LEVEL] = 0x80
        chip[reg.FIFO_DATA] = bytes(level)
        assert chip[reg.STATUS1] == 0x20 | alerts
    chip[reg.WATER_LEVEL] = 8
    chip[reg.FIFO_LEVEL] = 0x80
    chip[reg.FIFO_DATA] = bytes(20)
    for bit in (0x01, 0x02, 0x10, 0x40):
        chip[reg.COM_IRQ] = 0x7F
        chip[reg.COM_IRQ] = 0x80 | bit
        chip[reg.COM_I_EN] = 0x7F ^ bit
        assert chip[reg.STATUS1] == 0x20
        chip[reg.COM_I_EN] = bit
        assert chip[reg.STATUS1] == 0x30
    chip[reg.COM_IRQ] = 0x7F
    for bit in (0x04, 0x10):
        chip[reg.DIV_IRQ] = 0x80 | bit
        chip[reg.DIV_I_EN] = 0xFF ^ bit
        assert chip[reg.STATUS1] == 0x20
        chip[reg.DIV_I_EN] = bit
        assert chip[reg.STATUS1] == 0x30
        chip[reg.DIV_IRQ] = 0x14
        assert chip[reg.STATUS1] == 0x20
    chip[reg.CONTROL] = 0x40
    assert chip[reg.STATUS1] == 0x28
    chip[reg.CONTROL] = 0x80
    assert chip[reg.STATUS1] == 0x20
    for high, low, bit in ((0, 0, 0x40), (0, 1, 0), (1, 0, 0)):
        chip.twin._r[reg.CRC_RESULT_H], chip.twin._r[reg.CRC_RESULT_L] = high, low
        assert chip[reg.STATUS1] == 0x20 | bit


def test_the_fifo_holds_64_bytes_and_gives_them_in_their_order() -> None:
    chip = Chip()
    assert chip[reg.FIFO_DATA] == 0
    chip[reg.FIFO_DATA] = bytes(range(1, 64))
    assert chip[reg.ERROR] == 0
    chip[reg.FIFO_DATA] = b"\x40\x41"
    assert chip[reg.ERROR] == reg.BUFFER_OVFL and chip[reg.FIFO_LEVEL] == 64
    chip[reg.FIFO_LEVEL] = 0x7F
    assert chip[reg.FIFO_LEVEL] == 64, "only its eighth bit flushes"
    assert chip.fifo() == bytes(range(1, 65))
    chip[reg.FIFO_DATA] = b"\1"
    chip[reg.FIFO_LEVEL] = 0x80
    assert (chip[reg.ERROR], chip[reg.FIFO_LEVEL]) == (0, 0)


def test_the_timer_is_started_and_stopped_by_a_bit_each_of_controlreg_and_by_no_other() -> None:
    """9.3.1.13."""
    chip = Chip()
    for value, runs in ((0x3F, 0), (0x40, 8), (0x3F, 8), (0x80, 0), (0xC0, 8)):
        chip[reg.CONTROL] = value
        assert chip[reg.STATUS1] & 8 == runs, value


def test_the_fifo_asks_for_an_interrupt_at_its_water_level() -> None:
    for level in (4, 5, 31):
        chip = Chip()
        chip[reg.WATER_LEVEL] = 0xC0 | level
        chip[reg.COM_IRQ] = 0x7F
        chip[reg.FIFO_DATA] = bytes(63 - level)
        assert chip[reg.COM_IRQ] == 0
        chip[reg.FIFO_DATA] = b"\0"
        assert chip[reg.COM_IRQ] == reg.HI_ALERT_IRQ
        chip[reg.COM_IRQ] = 0x7F
        for _ in range(63 - 2 * level):
            assert chip[reg.FIFO_DATA] == 0
        assert chip[reg.COM_IRQ] == 0
        assert chip[reg.FIFO_DATA] == 0
        assert chip[reg.COM_IRQ] == reg.LO_ALERT_IRQ


def test_interrupt_requests_are_set_and_cleared_bit_by_bit() -> None:
    """Tables 27 and 29: the eighth bit says which; DivIrqReg has two of them."""
    chip = Chip()
    chip[reg.COM_IRQ] = 0x7F
    for bit in range(7):
        chip[reg.COM_IRQ] = 0x80 | 1 << bit
        assert chip[reg.COM_IRQ] == (2 << bit) - 1
    for bit in range(7):
        chip[reg.COM_IRQ] = 1 << bit
        assert chip[reg.COM_IRQ] == 0x7F & ~((2 << bit) - 1)
    chip[reg.DIV_IRQ] = 0xFF
    assert chip[reg.DIV_IRQ] == 0x14
    chip[reg.DIV_IRQ] = 0x04
    assert chip[reg.DIV_IRQ] == 0x10
    chip[reg.DIV_IRQ] = 0x10
    assert chip[reg.DIV_IRQ] == 0


def test_registers_keep_the_bits_that_they_have() -> None:
    chip = Chip()
    for register, written, held in (
        (reg.BIT_FRAMING, 0x7F, 0x77),
        (reg.COLL, 0xFF, 0xA0),
        (reg.COLL, 0x7F, 0x20),
        (reg.CW_GS_P, 0xFF, 0x3F),
        (reg.STATUS2, 0xFF, 0xC0),
        (reg.STATUS2, 0x3F, 0x00),
    ):
        chip[register] = written
        assert chip[register] == held
    for register in (reg.COLL, reg.STATUS2):
        chip.twin._r[register] = 0xFF if register == reg.COLL else 0x08
        chip[register] = 0x08
        assert chip[register] == (0x3F if register == reg.COLL else 0x08)
    chip.twin._r[reg.STATUS2] = 0x08
    chip[reg.STATUS2] = 0xF7
    assert chip[reg.STATUS2] == 0xC0


# ---- timer ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "prescaler", "reload", "demod", "ns"),
    [
        (0x00, 0x00, 0x0000, 0x4D, 74),
        (0x00, 0x3F, 0x0000, 0x4D, 9366),
        (0x00, 0x00, 0x0100, 0x4D, 18953),
        (0x01, 0x00, 0x0000, 0x4D, 37832),
        (0x00, 0xA9, 0x03E7, 0x4D, 25_000_000),
        (0x0F, 0xFF, 0xFFFF, 0x4D, 39_587_417_109),
        (0x00, 0x3F, 0x0001, 0x5D, 18879),  # TPrescalEven: 2 * prescaler + 2
    ],
)
def test_the_timer_lasts_as_long_as_its_registers_say(mode, prescaler, reload, demod: int, ns: int) -> None:
    """8.5: periods of 13.56 MHz, (2 * TPrescaler + 1) * (TReload + 1)."""
    chip = Chip()
    chip[reg.T_MODE], chip[reg.T_PRESCALER], chip[reg.DEMOD] = mode, prescaler, demod
    chip[reg.T_RELOAD_H], chip[reg.T_RELOAD_L] = reload >> 8, reload & 0xFF
    divider = 2 * ((mode & 15) << 8 | prescaler) + (2 if demod & 0x10 else 1)
    assert ns == round((reload + 1) * divider * 1e9 / 13_560_000)
    chip[reg.COM_IRQ] = 0x7F
    chip[reg.CONTROL] = 0x40
    chip.wait_ns(ns - 1)
    assert (chip[reg.COM_IRQ] & 1, chip[reg.STATUS1] & 8) == (0, 8)
    chip.wait_ns(1)
    assert (chip[reg.COM_IRQ] & 1, chip[reg.STATUS1] & 8) == (1, 0)


def test_the_timer_counts_down_and_begins_anew_only_with_auto_restart() -> None:
    chip = Chip()
    chip[reg.T_PRESCALER], chip[reg.T_RELOAD_H], chip[reg.T_RELOAD_L] = 0x3F, 0x03, 0xE7
    whole = round(1000 * 127e9 / 13_560_000)
    assert (chip[reg.T_COUNTER_H], chip[reg.T_COUNTER_L]) == (0, 0)
    chip[reg.CONTROL] = 0x40
    counts = []
    for _ in range(4):
        counts.append(chip[reg.T_COUNTER_H] << 8 | chip[reg.T_COUNTER_L])
        chip.wait_ns(whole // 4)
    assert counts == [999, 750, 500, 250]
    chip.wait_ns(whole)
    assert chip[reg.STATUS1] & 0x08 == 0
    chip[reg.T_MODE] = 0x10
    chip[reg.COM_IRQ] = 0x7F
    chip[reg.CONTROL] = 0x40
    chip.wait_ns(whole + 5)
    assert chip[reg.STATUS1] & 0x08 and chip[reg.COM_IRQ] & 1
    chip[reg.COM_IRQ] = 0x7F
    chip.wait_ns(whole - 6)
    assert not chip[reg.COM_IRQ] & 1
    chip.wait_ns(1)
    assert chip[reg.COM_IRQ] & 1


# ---- commands -------------------------------------------------------------------------------


def test_mem_moves_25_bytes_in_and_out_of_the_buffer() -> None:
    """10.3.1.2."""
    chip = Chip()
    chip[reg.COMMAND] = reg.MEM
    assert chip.fifo() == bytes(25)
    assert chip[reg.COMMAND] == 0
    chip[reg.FIFO_DATA] = bytes(range(1, 31))
    chip[reg.COM_IRQ] = 0x7F
    chip[reg.COMMAND] = reg.MEM
    assert chip[reg.FIFO_LEVEL] == 0 and chip[reg.COM_IRQ] & reg.IDLE_IRQ
    chip[reg.COMMAND] = reg.MEM
    assert chip.fifo() == bytes(range(1, 26))
    chip[reg.FIFO_DATA] = b"\7"
    chip[reg.COMMAND] = reg.MEM
    chip[reg.COMMAND] = reg.MEM
    assert chip.fifo() == b"\7" + bytes(24)


def test_a_random_number_fills_ten_bytes_of_the_buffer() -> None:
    chip = Chip()
    chip[reg.FIFO_DATA] = b"\xee" * 25
    chip[reg.COMMAND] = reg.MEM
    chip[reg.COM_IRQ] = 0x7F
    chip[reg.COMMAND] = reg.GENERATE_RANDOM_ID
    assert chip[reg.COM_IRQ] & reg.IDLE_IRQ and chip[reg.COMMAND] & 0x0F == 0
    chip[reg.COMMAND] = reg.MEM
    got = chip.fifo()
    assert got == chip.time.now_ns().to_bytes(10, "little") + b"\xee" * 15


@pytest.mark.parametrize("version", [0x91, 0x92, 0x88])
def test_the_self_test_fills_the_fifo_as_its_version_does_with_an_empty_buffer(version: int) -> None:
    chip = Chip(version=version)
    for memory, result in ((bytes(25), reg.SELF_TEST.get(version, bytes(64))), (b"\1" + bytes(24), bytes(64))):
        chip[reg.FIFO_DATA] = memory
        chip[reg.COMMAND] = reg.MEM
        chip[reg.AUTO_TEST] = 0x49
        chip[reg.DIV_IRQ] = 0x04
        chip[reg.FIFO_DATA] = b"\0"
        chip[reg.COMMAND] = reg.CALC_CRC
        assert chip[reg.DIV_IRQ] & 0x04
        assert chip.fifo() == result
    chip[reg.AUTO_TEST] = 0x48
    chip[reg.COMMAND] = reg.CALC_CRC
    assert chip[reg.FIFO_LEVEL] == 0


def test_a_command_is_kept_with_receiver_and_power_bits_and_no_change_keeps_it() -> None:
    chip = Chip()
    for value in (0x20 | reg.RECEIVE, reg.TRANSCEIVE, 0x20 | reg.IDLE, 0xC0 | reg.RECEIVE):
        chip[reg.COMMAND] = value
        assert chip[reg.COMMAND] == value & 0x3F
    chip[reg.COMMAND] = reg.TRANSCEIVE
    chip[reg.COMMAND] = 0x20 | reg.NO_CMD_CHANGE
    assert chip[reg.COMMAND] == 0x20 | reg.TRANSCEIVE


def test_power_down_stops_everything_until_the_oscillator_runs_again() -> None:
    """8.6.2."""
    chip, tag = with_card()
    chip[reg.T_RELOAD_H] = 0xFF
    chip[reg.CONTROL] = 0x40
    chip[reg.COMMAND] = 0x10
    assert (chip[reg.COMMAND], chip.twin.antenna_on, chip[reg.STATUS1] & 8) == (0x10, False, 0)
    chip.time.advance_ms(50)
    assert chip[reg.COMMAND] == 0x10
    chip[reg.COMMAND] = 0x00
    assert chip[reg.COMMAND] == 0x10
    chip.wait_ns(999_999)
    assert chip[reg.COMMAND] == 0x10 and not chip.twin.antenna_on
    chip.wait_ns(1)
    assert chip[reg.COMMAND] == 0x00 and chip.twin.antenna_on
    assert tag.state == "idle" and chip[reg.TX_ASK] == 0x40


def test_a_soft_reset_takes_38_us_and_a_brown_out_a_millisecond() -> None:
    """8.8.2: 1024 clocks of 27.12 MHz."""
    chip = Chip()
    for reset, us in ((lambda: chip.__setitem__(reg.COMMAND, reg.SOFT_RESET), 38), (chip.twin.brown_out, 1000)):
        chip[reg.TX_ASK] = 0x40
        reset()
        chip[reg.TX_ASK] = 0x40  # while it has no clock nothing is written
        assert chip[reg.COMMAND] == 0x30
        chip.wait_ns(us * 1000 - 1)
        assert chip[reg.COMMAND] == 0x30
        chip[reg.TX_ASK] = 0x40
        chip.wait_ns(1)
        assert (chip[reg.COMMAND], chip[reg.TX_ASK]) == (0x20, 0)
        chip[reg.TX_ASK] = 0x40
        assert chip[reg.TX_ASK] == 0x40


@pytest.mark.parametrize(
    ("register", "value", "on"),
    [(reg.TX_CONTROL, v, bool(v & 3)) for v in (0x80, 0x81, 0x82, 0x83, 0xFC)]
    + [(reg.CW_GS_P, 0, False), (reg.CW_GS_P, 1, True), (reg.CW_GS_P, 0xC0, False)],
)
def test_the_field_is_on_with_either_antenna_pin_and_some_strength(register: int, value: int, on: bool) -> None:
    chip, tag = with_card()
    assert chip.twin.antenna_on and tag.state == "idle"
    chip[register] = value
    assert chip.twin.antenna_on is on
    assert tag.answers_at(chip.time.now_ns()) is on

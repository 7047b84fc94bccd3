"""The emulated MFRC522 bit by bit: what its registers show, its commands, timer, transmitter and receiver do.

Sections and tables are those of the datasheet MFRC522 rev. 3.9.
"""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from hardware.twins import rc522_registers as reg
from hardware.twins.rc522 import RC522, CollisionCount, Refused
from hardware.twins.rc522_air import BIT_NS, DELAY_AFTER_NS, Received
from hardware.twins.tags import Tag, crc_a
from hardware.twins.virtual_time import VirtualTime
from tests.support.pads_support import FOUR, SEVEN

ATQA_NS = 20 * BIT_NS  # start, two bytes with parity, end
REQA_NS = 9 * BIT_NS
DELAY_NS = DELAY_AFTER_NS[0]  # the last bit of REQA is 0


class Chip:
    """An emulated chip whose transfers take no time, so that every moment is the test's."""

    def __init__(self, **options: object) -> None:
        self.time = VirtualTime()
        self.twin = RC522(self.time, transfer_us=0, max_speed_hz=10_000_000, **options)  # type: ignore[arg-type]
        self.time.advance_ms(10)

    def __getitem__(self, register: int) -> int:
        with self.at_this_moment():
            return self.twin.xfer2([register << 1 | 0x80, 0])[1]

    def __setitem__(self, register: int, value: int | bytes) -> None:
        with self.at_this_moment():
            self.twin.xfer2([register << 1, *(value if isinstance(value, bytes) else (value,))])

    def at_this_moment(self):
        chip = self

        class Moment:
            def __enter__(self) -> None:
                chip.twin.time = SimpleNamespace(  # type: ignore[assignment]
                    now_ns=chip.time.now_ns, advance_ns=lambda ns: chip.time.now_ns()
                )

            def __exit__(self, *_: object) -> None:
                chip.twin.time = chip.time

        return Moment()

    def wait_ns(self, ns: int) -> None:
        self.time.advance_ns(ns)

    def field_on(self) -> Chip:
        """As for type A: 100 % ASK, no CRC, timer of its own making, the field on."""
        self[reg.TX_ASK] = 0x40
        self[reg.MODE] = 0x3D
        self[reg.TX_CONTROL] = 0x83
        self.time.advance_ms(10)
        return self

    def send(self, data: bytes, framing: int = 0) -> None:
        """Clear everything and send; what comes back is looked for afterwards."""
        self[reg.COMMAND] = reg.IDLE
        self[reg.FIFO_LEVEL] = 0x80
        self[reg.COM_IRQ] = 0x7F
        self[reg.FIFO_DATA] = data
        self[reg.COMMAND] = reg.TRANSCEIVE
        self[reg.BIT_FRAMING] = 0x80 | framing

    def fifo(self) -> bytes:
        return bytes(self[reg.FIFO_DATA] for _ in range(self[reg.FIFO_LEVEL]))


def with_card(uid: bytes = FOUR, **options: object) -> tuple[Chip, Tag]:
    chip = Chip(**options)
    tag = Tag(uid, start_up_us=0)
    chip.twin.put(tag)
    return chip.field_on(), tag


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


def test_the_fifo_asks_for_an_interrupt_at_its_water_level() -> None:
    chip = Chip()
    chip[reg.WATER_LEVEL] = 4
    chip[reg.COM_IRQ] = 0x7F
    chip[reg.FIFO_DATA] = bytes(59)
    assert chip[reg.COM_IRQ] == 0
    chip[reg.FIFO_DATA] = b"\0"
    assert chip[reg.COM_IRQ] == reg.HI_ALERT_IRQ
    chip[reg.COM_IRQ] = 0x7F
    for _ in range(55):
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


# ---- sending and receiving ------------------------------------------------------------------


def test_a_request_is_answered_at_the_times_of_the_standard() -> None:
    chip, tag = with_card()
    chip.send(b"\x26", 7)
    assert chip[reg.STATUS2] & 7 == 3
    chip.wait_ns(REQA_NS - 1)
    assert chip[reg.COM_IRQ] & 0x40 == 0
    chip.wait_ns(1)
    assert chip[reg.COM_IRQ] & 0x60 == reg.TX_IRQ and tag.state == "ready"
    assert chip[reg.STATUS2] & 7 == 5
    chip.wait_ns(DELAY_NS - 1)
    assert chip[reg.STATUS2] & 7 == 5
    chip.wait_ns(1)
    assert chip[reg.STATUS2] & 7 == 6
    chip.wait_ns(ATQA_NS - 1)
    assert chip[reg.COM_IRQ] & reg.RX_IRQ == 0
    chip.wait_ns(1)
    assert chip[reg.COM_IRQ] & 0x63 == reg.TX_IRQ | reg.RX_IRQ
    assert chip[reg.STATUS2] & 7 == 0
    assert (chip[reg.ERROR], chip[reg.CONTROL] & 7, chip[reg.COLL] & 0x3F) == (0, 0, 0x20)
    assert chip.fifo() == b"\x04\0"
    assert list(chip.twin.frames)[-1] == b"\x26"


@pytest.mark.parametrize(
    ("register", "value", "heard"),
    [
        (reg.TX_ASK, 0x00, False),
        (reg.TX_ASK, 0xBF, False),
        (reg.TX_ASK, 0x7F, True),
        (reg.TX_MODE, 0x08, False),
        (reg.TX_MODE, 0x10, False),
        (reg.TX_MODE, 0x20, False),
        (reg.TX_MODE, 0x40, False),
        (reg.TX_MODE, 0x07, True),
        (reg.TX_SEL, 0x00, False),
        (reg.TX_SEL, 0x20, False),
        (reg.TX_SEL, 0x30, False),
        (reg.TX_SEL, 0xDF, True),
        (reg.MF_RX, 0x10, False),
        (reg.MF_RX, 0xEF, True),
        (reg.AUTO_TEST, 0x41, False),
        (reg.AUTO_TEST, 0x48, False),
        (reg.AUTO_TEST, 0xF0, True),
    ],
)
def test_cards_hear_type_a_frames_only(register: int, value: int, heard: bool) -> None:
    chip, tag = with_card()
    chip[register] = value
    chip.send(b"\x26", 7)
    chip.wait_ns(REQA_NS)
    chip[reg.COM_IRQ]
    assert tag.state == ("ready" if heard else "idle")


def test_enciphered_frames_are_noise_to_a_card() -> None:
    chip, tag = with_card()
    chip.send(b"\x26", 7)
    chip.wait_ns(REQA_NS + DELAY_NS + ATQA_NS)
    assert chip[reg.COM_IRQ] and tag.state == "ready"
    chip.twin._r[reg.STATUS2] = 0x08
    chip.send(b"\x93\x20")
    chip.wait_ns(20 * BIT_NS)
    assert chip[reg.COM_IRQ] and tag.state == "idle"


@pytest.mark.parametrize(
    ("register", "value", "hears"),
    [
        (reg.RX_MODE, 0x10, False),
        (reg.RX_MODE, 0x20, False),
        (reg.RX_MODE, 0x40, False),
        (reg.RX_MODE, 0x0B, True),
        (reg.RX_SEL, 0x44, False),
        (reg.RX_SEL, 0xC4, False),
        (reg.RX_SEL, 0x04, False),
        (reg.RX_SEL, 0xBF, True),
        (reg.RX_THRESHOLD, 0xF0, False),
        (reg.RX_THRESHOLD, 0xEF, True),
    ],
)
def test_a_receiver_hears_type_a_answers_only_as_it_is_set(register: int, value: int, hears: bool) -> None:
    chip, tag = with_card()
    chip[register] = value
    chip.send(b"\x26", 7)
    chip.wait_ns(REQA_NS + DELAY_NS + ATQA_NS)
    assert chip[reg.COM_IRQ] & reg.RX_IRQ == (reg.RX_IRQ if hears else 0)
    assert tag.state == "ready"


def test_a_receiver_that_is_off_hears_nothing() -> None:
    chip, _ = with_card()
    chip[reg.FIFO_DATA] = b"\x26"
    chip[reg.COMMAND] = 0x20 | reg.TRANSCEIVE
    chip[reg.COM_IRQ] = 0x7F
    chip[reg.BIT_FRAMING] = 0x87
    chip.wait_ns(10**6)
    assert chip[reg.COM_IRQ] & 0x60 == reg.TX_IRQ


def test_the_timer_starts_with_the_end_of_a_frame_and_stops_at_the_fifth_bit_of_an_answer() -> None:
    for reload, answered in ((13, 0), (14, 1)):
        chip, _ = with_card()
        chip[reg.T_MODE], chip[reg.T_PRESCALER], chip[reg.T_RELOAD_L] = 0x80, 0x3F, reload
        until = round((reload + 1) * 127e9 / 13_560_000)
        assert (until >= DELAY_NS + 5 * BIT_NS) is bool(answered)
        chip.send(b"\x26", 7)
        chip.wait_ns(REQA_NS + DELAY_NS + ATQA_NS)
        assert chip[reg.COM_IRQ] & 0x21 == reg.RX_IRQ | (0 if answered else reg.TIMER_IRQ)
        assert chip[reg.STATUS1] & 8 == 0
    chip, _ = with_card()
    chip[reg.T_MODE], chip[reg.T_PRESCALER], chip[reg.T_RELOAD_L] = 0x80, 0x3F, 14
    chip[reg.RX_MODE] = 0x04  # RxMultiple: the timer goes on
    chip.send(b"\x26", 7)
    chip.wait_ns(REQA_NS + DELAY_NS + ATQA_NS)
    assert chip[reg.COM_IRQ] & 0x21 == reg.RX_IRQ | reg.TIMER_IRQ


def test_without_an_answer_the_timer_runs_out_from_the_end_of_the_frame() -> None:
    chip = Chip().field_on()
    chip[reg.T_MODE], chip[reg.T_PRESCALER], chip[reg.T_RELOAD_L] = 0x80, 0x3F, 99
    chip.send(b"\x26", 7)
    until = REQA_NS + round(100 * 127e9 / 13_560_000)
    chip.wait_ns(until - 1)
    assert chip[reg.COM_IRQ] & 0x61 == reg.TX_IRQ
    chip.wait_ns(1)
    assert chip[reg.COM_IRQ] & 0x61 == reg.TX_IRQ | reg.TIMER_IRQ
    chip[reg.T_MODE] = 0x00
    chip.send(b"\x26", 7)
    chip.wait_ns(10**9)
    assert chip[reg.COM_IRQ] & 0x61 == reg.TX_IRQ


def test_an_answer_is_put_where_it_was_asked_for_within_its_first_byte() -> None:
    chip, _ = with_card()
    chip.send(b"\x26", 7)
    chip.wait_ns(10**6)
    known = int.from_bytes(FOUR, "little") & 0x7FF
    chip.send(b"\x93\x33" + known.to_bytes(2, "little"), 0x33)
    chip.wait_ns(10**6)
    data = chip.fifo()
    level = int.from_bytes(FOUR + b"\x22", "little")
    assert int.from_bytes(data, "little") == level >> 11 << 3
    assert (chip[reg.ERROR], chip[reg.CONTROL] & 7) == (0, 0)
    chip.send(b"\x26", 7)
    chip.wait_ns(10**6)
    chip.send(b"\x26", 7)
    chip.wait_ns(10**6)
    chip.send(b"\x93\x33" + known.to_bytes(2, "little"), 0x23)  # RxAlign is not where the answer begins
    chip.wait_ns(10**6)
    assert chip[reg.ERROR] == reg.PARITY_ERR
    assert chip[reg.CONTROL] & 7 == 7


def received(answer: Received, **settings: int) -> Chip:
    """A chip that gets this for its answer to a request. `settings`: registers by name."""
    chip, _ = with_card(collision_count=settings.pop("count", CollisionCount.FROM_FIRST_BIT))
    chip.twin.noise = SimpleNamespace(pass_on=lambda sent: answer)  # type: ignore[assignment]
    align = settings.pop("align", 0)
    for name, value in settings.items():
        chip[getattr(reg, name)] = value
    chip.send(b"\x26", align << 4 | 7)
    chip.wait_ns(10**6)
    chip[reg.COM_IRQ]
    return chip


@pytest.mark.parametrize(
    ("collision", "align", "coll", "value"),
    [
        (1, 0, 1, 0),
        (2, 0, 2, 1),
        (16, 0, 16, 0x7FFF),
        (31, 0, 31, 0x3FFFFFFF),
        (32, 0, 0, 0x7FFFFFFF),
        (33, 0, 0x20, 0xFFFFFFFF),
        (3, 5, 3, 3),
    ],
)
def test_the_place_of_a_collision_is_told_and_later_bits_are_cleared(collision, align, coll, value) -> None:
    """Table 47: CollPos 0 is bit 32, CollPosNotValid beyond; ValuesAfterColl 0 clears what follows."""
    answer = Received((1 << 40) - 1, 40, align, collision)
    chip = received(answer, COLL=0x00, align=align)
    assert chip[reg.ERROR] == reg.COLL_ERR and chip[reg.COM_IRQ] & reg.ERR_IRQ
    assert chip[reg.COLL] == coll
    assert int.from_bytes(chip.fifo(), "little") == value << align
    kept = received(answer, COLL=0x80, align=align)
    assert kept[reg.COLL] == 0x80 | coll
    assert int.from_bytes(kept.fifo(), "little") == (1 << 40) - 1 << align
    from_byte = received(answer, COLL=0x80, align=align, count=CollisionCount.FROM_BYTE_START)
    position = collision + align
    assert from_byte[reg.COLL] == 0x80 | (position & 0x1F if position <= 32 else 0x20)


def test_errors_of_an_answer_are_told_and_those_of_the_one_before_forgotten() -> None:
    chip = received(Received(0x1234, 13, 0, 0, parity_error=True))
    assert (chip[reg.ERROR], chip[reg.CONTROL] & 7) == (reg.PARITY_ERR, 5)
    assert chip[reg.COM_IRQ] & 0x22 == 0x22
    chip.twin.noise = None
    chip.send(b"\x52", 7)
    assert chip[reg.ERROR] == 0
    good = received(Received(0x1234, 16, 0, 0))
    assert good[reg.ERROR] == 0 and good[reg.COM_IRQ] & 0x22 == 0x20
    assert good.fifo() == b"\x34\x12"


def test_with_rx_crc_the_chip_checks_and_removes_it() -> None:
    whole = b"\x08" + crc_a(b"\x08")
    for data, error in ((whole, 0), (b"\x09" + whole[1:], reg.CRC_ERR), (whole[:2] + b"\0", reg.CRC_ERR)):
        chip = received(Received(int.from_bytes(data, "little"), 24, 0, 0), RX_MODE=0x80)
        assert chip[reg.ERROR] == error
        assert chip.fifo() == data[:1]
    damaged = received(Received(int.from_bytes(whole, "little"), 24, 0, 0, parity_error=True), RX_MODE=0x80)
    assert damaged.fifo() == whole


def test_with_tx_crc_the_chip_appends_it_to_whole_bytes_only() -> None:
    chip = Chip().field_on()
    chip[reg.TX_MODE] = 0x80
    chip.send(b"\x50\x00")
    assert chip.twin.frames[-1] == b"\x50\x00" + crc_a(b"\x50\x00")
    chip.send(b"\x26", 7)
    assert chip.twin.frames[-1] == b"\x26"
    chip[reg.TX_MODE] = 0x00
    chip.send(b"\x50\x00")
    assert chip.twin.frames[-1] == b"\x50\x00"
    before = len(chip.twin.frames)
    chip.send(b"")
    assert len(chip.twin.frames) == before


def test_an_answer_that_is_lost_or_has_no_bit_leaves_the_timer_running() -> None:
    for answer in (None, Received(0, 0, 0, 0)):
        chip = received(answer, T_MODE=0x80, T_PRESCALER=0x3F, T_RELOAD_L=99)  # type: ignore[arg-type]
        assert chip[reg.COM_IRQ] & 0x20 == 0
        chip.wait_ns(10**6)
        assert chip[reg.COM_IRQ] & 0x21 == reg.TIMER_IRQ


def test_transmit_sends_at_once_and_receive_listens_to_nobody_before() -> None:
    chip, tag = with_card()
    chip[reg.COM_IRQ] = 0x7F
    chip[reg.BIT_FRAMING] = 0x07
    chip[reg.FIFO_DATA] = b"\x26"
    chip[reg.COMMAND] = reg.TRANSMIT
    chip.wait_ns(REQA_NS)
    assert chip[reg.COM_IRQ] & 0x70 == reg.TX_IRQ | reg.IDLE_IRQ
    assert chip[reg.COMMAND] & 0x0F == reg.IDLE and tag.state == "ready"
    chip.wait_ns(10**6)
    assert chip[reg.COM_IRQ] & reg.RX_IRQ == 0


def test_start_send_acts_once_or_until_it_is_cleared() -> None:
    for stays, sent in ((False, 1), (True, 2)):
        chip, _ = with_card(start_send_stays=stays)
        chip.send(b"\x26", 7)
        chip.wait_ns(10**6)
        chip[reg.COMMAND] = reg.IDLE
        chip[reg.FIFO_DATA] = b"\x52"
        chip[reg.COMMAND] = reg.TRANSCEIVE
        assert len(chip.twin.frames) == sent
        chip[reg.COMMAND] = reg.IDLE
        chip[reg.BIT_FRAMING] = 0x07
        chip[reg.FIFO_DATA] = b"\x52"
        chip[reg.COMMAND] = reg.TRANSCEIVE
        assert len(chip.twin.frames) == sent
    with pytest.raises(Refused, match="StartSend without the Transceive command"):
        chip[reg.COMMAND] = reg.RECEIVE
        chip[reg.BIT_FRAMING] = 0x80


def test_requests_and_frames_that_come_too_early_are_counted() -> None:
    """7000 periods of the carrier between two requests, 1172 after an answer."""
    for ns, early in ((516_224, 0), (516_223, 1)):
        chip = Chip().field_on()
        chip.send(b"\x26", 7)
        chip.wait_ns(ns)
        chip.send(b"\x26", 7)
        assert (chip.twin.guard_violations, chip.twin.early_frames) == (early, 0)
        chip.wait_ns(10)
        chip.send(b"\x93\x20")
        assert chip.twin.guard_violations == early
    for ns, early in ((86_431, 0), (86_430, 1)):
        chip, _ = with_card()
        chip.send(b"\x26", 7)
        chip.wait_ns(REQA_NS + DELAY_NS + ATQA_NS)
        assert chip[reg.COM_IRQ] & reg.RX_IRQ
        chip.wait_ns(ns)
        chip.send(b"\x93\x20")
        assert chip.twin.early_frames == early


def test_a_command_ends_a_reception_and_what_had_arrived_stays() -> None:
    for bits_on_air, arrived in ((0, b""), (3, b"\0"), (5, b"\x04"), (12, b"\x04\0"), (19, b"\x04\0")):
        chip, _ = with_card()
        chip.send(b"\x26", 7)
        chip.wait_ns(REQA_NS + DELAY_NS + bits_on_air * BIT_NS)
        chip[reg.COMMAND] = reg.IDLE
        assert chip.fifo() == arrived
        chip.wait_ns(10**6)
        assert chip[reg.COM_IRQ] & reg.RX_IRQ == 0
        assert chip[reg.STATUS2] & 7 == 0


def test_a_card_that_leaves_before_its_answer_starts_the_timer_again() -> None:
    chip, tag = with_card(SEVEN)
    chip[reg.T_MODE], chip[reg.T_PRESCALER], chip[reg.T_RELOAD_L] = 0x80, 0x3F, 99
    chip.send(b"\x26", 7)
    chip.wait_ns(REQA_NS + 10)
    assert chip[reg.STATUS1] & 8 == 0
    with chip.at_this_moment():
        chip.twin.lift(tag)
    until = round(100 * 127e9 / 13_560_000)
    chip.wait_ns(until - 1)
    assert chip[reg.COM_IRQ] & 0x21 == 0
    chip.wait_ns(1)
    assert chip[reg.COM_IRQ] & 0x21 == reg.TIMER_IRQ


def test_an_authentication_needs_twelve_bytes_and_the_right_key() -> None:
    """10.3.1.9."""
    for key, on in ((b"secret", 0x08), (b"Secret", 0)):
        chip = Chip()
        tag = Tag(FOUR, start_up_us=0, key=b"secret")
        chip.twin.put(tag)
        chip.field_on()
        tag._state = type(tag._state).ACTIVE
        chip[reg.T_MODE] = 0x80
        chip[reg.FIFO_DATA] = b"\x60\x01" + key + FOUR
        chip[reg.COM_IRQ] = 0x7F
        chip[reg.COMMAND] = reg.MF_AUTHENT
        assert chip[reg.STATUS2] & 0x08 == on
        assert chip[reg.COM_IRQ] & reg.IDLE_IRQ == (reg.IDLE_IRQ if on else 0)
        chip.wait_ns(10**6)
        assert chip[reg.COM_IRQ] & reg.TIMER_IRQ == (0 if on else reg.TIMER_IRQ)
        assert (chip.twin.authentications, chip.twin.frames[-1]) == (1, b"\x60\x01")
    for length in (11, 13):
        chip[reg.FIFO_DATA] = bytes(length)
        with pytest.raises(Refused, match=f"MFAuthent with {length} bytes in the FIFO; it needs 12"):
            chip[reg.COMMAND] = reg.MF_AUTHENT


# ---- the SPI port ---------------------------------------------------------------------------


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

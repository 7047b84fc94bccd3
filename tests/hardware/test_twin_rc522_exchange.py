"""The emulated MFRC522 bit by bit: what it sends, receives, and says of both.

Sections and tables are those of the datasheet MFRC522 rev. 3.9.
"""

from __future__ import annotations

import pytest

from hardware.twins import rc522_registers as reg
from hardware.twins.rc522 import CollisionCount, Refused
from hardware.twins.rc522_air import BIT_NS, Received
from hardware.twins.tags import Tag, crc_a
from tests.support.bare_chip import ATQA_NS, DELAY_NS, REQA_NS, Chip, received, with_card
from tests.support.pads_support import FOUR, SEVEN


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


def test_the_latest_256_frames_are_kept() -> None:
    chip = Chip().field_on()
    for number in range(257):
        chip.send(number.to_bytes(2, "little"))
        chip.wait_ns(10**6)
    assert list(chip.twin.frames) == [number.to_bytes(2, "little") for number in range(1, 257)]


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
    chip[reg.T_MODE] = 0x6F  # all but TAuto
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


def test_a_reception_ends_receive_and_not_transceive() -> None:
    """10.3.1.6 and 10.3.1.8."""
    chip, _ = with_card()
    chip.send(b"\x26", 7)
    chip.wait_ns(REQA_NS)
    assert chip[reg.COM_IRQ] & reg.TX_IRQ
    chip.wait_ns(10**6)
    assert chip[reg.COM_IRQ] & (reg.RX_IRQ | reg.IDLE_IRQ) == reg.RX_IRQ
    assert chip[reg.COMMAND] & 0x0F == reg.TRANSCEIVE


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
    chip, tag = with_card(SEVEN)
    chip[reg.T_MODE] = 0x6F  # all but TAuto
    chip.send(b"\x26", 7)
    chip.wait_ns(REQA_NS + 10)
    with chip.at_this_moment():
        chip.twin.lift(tag)
    assert chip[reg.STATUS1] & 8 == 0


def test_a_card_that_leaves_while_nothing_is_on_the_air_starts_no_timer() -> None:
    chip, tag = with_card()
    chip[reg.T_MODE], chip[reg.T_RELOAD_L] = 0x80, 99
    with chip.at_this_moment():
        chip.twin.lift(tag)
    assert chip[reg.STATUS1] & 8 == 0


@pytest.mark.parametrize("bits", [1, 7, 8, 9, 16, 17])
def test_an_answer_takes_as_many_bytes_as_its_bits_need(bits: int) -> None:
    value = (1 << bits) - 1
    chip = received(Received(value, bits, 0, 0))
    assert chip[reg.CONTROL] & 7 == bits % 8
    assert chip.fifo() == value.to_bytes((bits + 7) // 8, "little")


def test_a_card_without_a_field_hears_no_authentication_and_keeps_its_state_for_a_while() -> None:
    chip, tag = with_card()
    tag._state = type(tag._state).ACTIVE
    chip[reg.TX_CONTROL] = 0x80
    chip[reg.FIFO_DATA] = b"\x60\x01" + b"secret" + FOUR
    chip[reg.COMMAND] = reg.MF_AUTHENT
    chip[reg.TX_CONTROL] = 0x83
    assert tag.state == "active"


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

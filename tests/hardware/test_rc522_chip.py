"""What the driver of one chip asks and tells it, transfer by transfer, and how often before it gives up."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hardware.rc522 import Mute, Reader, RegistersLost, Stuck
from hardware.rc522_chip import Answer, drain
from hardware.rc522_self_test import self_test
from hardware.twins import rc522_registers as reg
from hardware.twins.rc522 import RC522
from hardware.twins.virtual_time import VirtualTime
from tests.support.pads_support import SEVEN, lay, ready_reader, wait_for_field

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


class Mended:
    """A reset line whose pulse wakes a mute chip, if `helps`."""

    def __init__(self, twin: RC522, helps: bool) -> None:
        self.twin, self.helps = twin, helps
        self.calls: list[str] = []
        twin.mute = 0x00

    def on(self) -> None:
        self.calls.append("on")

    def off(self) -> None:
        self.calls.append("off")
        if self.helps:
            self.twin.mute = None


def test_a_mute_chip_gets_one_pulse_of_its_reset_line_and_is_asked_again(clock: VirtualTime) -> None:
    twin = RC522(clock)
    line = Mended(twin, helps=True)
    assert Reader(twin, line).version == 0x92
    assert line.calls == ["on", "off", "on"]
    line = Mended(twin, helps=False)
    with pytest.raises(Mute, match="reads only 0x00 from VersionReg"):
        Reader(twin, line)
    assert line.calls == ["on", "off", "on"] and twin.closed


@pytest.mark.parametrize(
    ("command", "version", "words"),
    [
        (0x20, 0x00, "reads only 0x00 from VersionReg"),
        (0x20, 0xFF, "reads only 0xFF from VersionReg"),
        (0x30, 0x92, r"has not started after a reset \(VersionReg 0x92\)"),
    ],
)
def test_a_chip_has_started_when_it_tells_its_version_and_that_its_oscillator_runs(
    clock: VirtualTime, command: int, version: int, words: str
) -> None:
    twin = RC522(clock, version=version)
    clock.advance_ms(10)
    transfer = twin.xfer2
    twin.xfer2 = lambda data: (  # type: ignore[method-assign]
        [0, command, version] if data == [reading(reg.COMMAND), reading(reg.VERSION), 0] else transfer(data)
    )
    with pytest.raises(Mute, match=words):
        Reader(twin)


@pytest.mark.parametrize("command", [0x21, 0x2F])
def test_of_the_command_register_the_power_down_bit_alone_says_that_a_chip_has_not_started(
    clock: VirtualTime, command: int
) -> None:
    twin = RC522(clock)
    transfer = twin.xfer2
    twin.xfer2 = lambda data: (  # type: ignore[method-assign]
        [0, command, 0x92] if data == [reading(reg.COMMAND), reading(reg.VERSION), 0] else transfer(data)
    )
    assert Reader(twin).version == 0x92


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
    sent, when, polls, was_on = recorded(twin), [], 0, False
    for _ in range(200):
        sent.clear()
        try:
            is_on = not reader.read().blind
        except RegistersLost:
            reader.MFRC522_Init()
            is_on = False
        if reader.uncompared and is_on and was_on:
            polls += 1
            if writes(sent, reg.TX_CONTROL):
                when.append(polls)
        was_on = is_on
        clock.advance_ms(7)
    assert reader.uncompared == (reg.TX_CONTROL,)
    assert when == [50, 100, 150]
    sent.clear()
    reader.switch_field(False)
    reader.switch_field(True)
    assert writes(sent, reg.TX_CONTROL) == [0x80, 0x83]


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


START_TIMER = [(reg.COMMAND, 0x00), (reg.COM_IRQ, 0x7F), (reg.CONTROL, 0x40)]  # TStartNow (9.3.1.13)


def test_a_chip_is_set_up_with_these_registers_and_its_field_is_off_then_on_for_6_ms_each(clock: VirtualTime) -> None:
    twin = RC522(clock)
    sent = recorded(twin)
    reader = Reader(twin)

    def written() -> list[tuple[int, int]]:
        found = [(data[0] >> 1, data[1]) for data in sent if not data[0] & 0x80]
        sent.clear()
        return found

    six_ms = [(reg.T_RELOAD_H, 0x02), (reg.T_RELOAD_L, 0x80)]
    assert written() == [
        (reg.COMMAND, 0x0F),  # a soft reset
        (reg.T_MODE, 0x80),  # TAuto
        (reg.T_PRESCALER, 0x3F),
        (reg.TX_ASK, 0x40),  # Force100ASK
        (reg.MODE, 0x3D),  # CRC preset 0x6363
        (reg.COLL, 0x00),  # ValuesAfterColl
        *six_ms,
        *START_TIMER,
    ]
    assert reader.read().blind and written() == []
    clock.advance_ms(6)
    assert reader.read().blind and written() == [(reg.TX_CONTROL, 0x83), *six_ms, *START_TIMER]
    clock.advance_ms(6)
    assert not reader.read().blind and written()[:2] == [(reg.T_RELOAD_H, 0x00), (reg.T_RELOAD_L, 0x24)]
    reader.switch_field(False)
    assert written() == [(reg.TX_CONTROL, 0x80)]


def test_a_chip_that_keeps_nothing_is_named_with_the_first_register_that_it_did_not_keep(clock: VirtualTime) -> None:
    twin = RC522(clock)
    twin._write = lambda address, data, now: [0] * len(data)  # type: ignore[method-assign]
    with pytest.raises(Stuck, match=r"^register 0x2A holds 0x00 after 0x80 was written; check MOSI"):
        Reader(twin)


def test_every_transfer_that_reads_ends_with_a_zero_byte(clock: VirtualTime) -> None:
    """8.1.2.1, table 6."""
    twin = RC522(clock)
    sent = recorded(twin)
    reader = Reader(twin)
    lay(twin, SEVEN)
    wait_for_field(clock, reader)
    self_test(reader)
    assert [data[-1] for data in sent if data[0] & 0x80 and data[-1] != 0] == []


def test_closing_switches_the_field_off_and_a_second_time_says_nothing(clock: VirtualTime) -> None:
    twin, reader = ready_reader(clock)
    sent = recorded(twin)
    reader.close()
    assert writes(sent, reg.TX_CONTROL) == [0x80] and twin.closed
    sent.clear()
    reader.close()
    assert sent == []


# ---- watching over it ------------------------------------------------------------------------


def is_check(data: list[int]) -> bool:
    """Whether a transfer reads all registers that are watched, beginning with CommandReg."""
    return data[0] == reading(reg.COMMAND) and len(data) > 3


def spoil(twin: RC522, times: int, spoilt: Callable[[list[int]], list[int]]) -> None:
    """The next checks so many times come back otherwise."""
    transfer, left = twin.xfer2, [times]

    def xfer2(data: list[int]) -> list[int]:
        answer = transfer(data)
        if is_check(data) and left[0]:
            left[0] -= 1
            return spoilt(answer)
        return answer

    twin.xfer2 = xfer2  # type: ignore[method-assign, assignment]


def test_a_poll_of_an_empty_pad_checks_the_registers_once_and_tells_the_chip_nothing_but_its_request(
    clock: VirtualTime,
) -> None:
    twin, reader = ready_reader(clock)
    for crypto, leaves_it in ((0x00, []), (0x08, [[reg.STATUS2 << 1, 0x00]])):
        clock.advance_ms(7)
        twin._r[reg.STATUS2] |= crypto
        sent = recorded(twin)
        reader.read()
        assert sum(map(is_check, sent)) == 1
        assert [data for data in sent if not data[0] & 0x80] == [
            [reg.COMMAND << 1, 0x00],
            [reg.COM_IRQ << 1, 0x7F],
            [reg.FIFO_DATA << 1, 0x52],
            [reg.BIT_FRAMING << 1, 0x07],
            [reg.COMMAND << 1, 0x0C],
            [reg.BIT_FRAMING << 1, 0x87],
            *leaves_it,
        ]


def test_a_check_while_a_card_answers_takes_its_answer_for_no_crypto_mode(clock: VirtualTime) -> None:
    twin, reader = ready_reader(clock)
    lay(twin, SEVEN)
    sent = recorded(twin)
    assert reader.read().uids == (SEVEN,)
    assert writes(sent, reg.STATUS2) == []


@pytest.mark.parametrize(
    ("place", "bits", "is_lost"),
    [(1, 0x0F, False), (1, 0x10, True), (1, 0x20, True), (5, 0x7F, False), (5, 0x80, True)],
)
def test_of_commandreg_and_collreg_the_bits_that_were_set_are_watched_and_no_others(
    clock: VirtualTime, place: int, bits: int, is_lost: bool
) -> None:
    """PowerDown, RcvOff, ValuesAfterColl."""
    twin, reader = ready_reader(clock)
    spoil(twin, 2, lambda answer: [value | bits if at == place else value for at, value in enumerate(answer)])
    if is_lost:
        with pytest.raises(RegistersLost, match=r"\(1 registers changed, 0x"):
            reader.read()
    else:
        assert not reader.read().blind


@pytest.mark.parametrize(
    "register",
    [
        *(reg.COM_I_EN, reg.DIV_I_EN, reg.WATER_LEVEL),
        *range(reg.MODE, 0x1A),  # modes, transmitter, receiver
        *(0x1C, 0x1D, reg.MOD_WIDTH, *range(reg.RF_CFG, reg.T_RELOAD_L + 1)),
        *(0x31, 0x32, 0x33, reg.AUTO_TEST, reg.VERSION),
    ],
    ids=lambda register: f"0x{register:02X}",
)
def test_every_register_that_the_chip_does_not_change_by_itself_is_watched(clock: VirtualTime, register: int) -> None:
    twin, reader = ready_reader(clock)
    sent = recorded(twin)

    def spoilt(answer: list[int]) -> list[int]:
        place = next(data for data in reversed(sent) if is_check(data)).index(reading(register)) + 1
        return [value ^ 1 if at == place else value for at, value in enumerate(answer)]

    spoil(twin, 2, spoilt)
    with pytest.raises(RegistersLost, match=rf"\(1 registers changed, 0x{register:02X} among them\)"):
        reader.read()


def test_one_bad_transfer_is_no_loss_and_two_of_them_are(clock: VirtualTime) -> None:
    twin, reader = ready_reader(clock)
    bad = [0x20, *[0x55] * 40]
    spoil(twin, 1, lambda answer: bad[: len(answer)])
    assert not reader.read().blind
    spoil(twin, 2, lambda answer: bad[: len(answer)])
    with pytest.raises(RegistersLost):
        reader.read()


@pytest.mark.parametrize("value", [0x00, 0xFF])
@pytest.mark.parametrize("first", [0x00, 0xFF])
def test_a_chip_of_which_every_byte_reads_alike_is_mute_whatever_came_with_the_address(
    clock: VirtualTime, value: int, first: int
) -> None:
    twin, reader = ready_reader(clock)
    spoil(twin, 2, lambda answer: [first, *[value] * (len(answer) - 1)])
    with pytest.raises(Mute):
        reader.read()
    spoil(twin, 2, lambda answer: [first, 0x30, *[value] * (len(answer) - 2)])
    with pytest.raises(RegistersLost):
        reader.read()


def test_lost_settings_are_told_with_their_number_and_the_first_four(clock: VirtualTime) -> None:
    twin, reader = ready_reader(clock)
    twin.brown_out()
    clock.advance_ms(5)
    words = r"^lost its settings \(7 registers changed, 0x11, 0x14, 0x15, 0x2A among them\)$"
    with pytest.raises(RegistersLost, match=words):
        reader.read()


@pytest.mark.parametrize("at_poll", [0, 1, 2])
def test_a_field_whose_timer_somebody_has_stopped_comes_on_all_the_same(clock: VirtualTime, at_poll: int) -> None:
    twin = RC522(clock)
    reader = Reader(twin)
    for poll in range(3):
        if poll == at_poll:
            twin.overwrite(reg.CONTROL, 0x80)  # TStopNow
        reader.read()
        clock.advance_ms(3)
    wait_for_field(clock, reader)


# ---- one exchange, with a chip that says what the test wants ---------------------------------


class Said:
    """The SPI port of a chip whose registers read as the test says: when an exchange has ended, and how."""

    def __init__(self, twin: RC522, reader: Reader) -> None:
        self._twin, self.reader = twin, reader
        reader.spi = self
        self.registers = {reg.COM_IRQ: 0x21, reg.ERROR: 0, reg.FIFO_LEVEL: 2, reg.CONTROL: 0x10, reg.COLL: 0x20}
        self.fifo = b"\x04\x00" + bytes(62)
        self.sent: list[list[int]] = []

    def xfer2(self, data: list[int]) -> list[int]:
        self.sent.append(list(data))
        if data[0] == reading(reg.FIFO_DATA):
            return [0, *self.fifo[: len(data) - 1]]
        if data[0] == reading(reg.COM_IRQ) and len(data) > 2:
            return [0, *(self.registers[address >> 1 & 0x3F] for address in data[:-1])]
        return self._twin.xfer2(data)


@pytest.fixture
def said(clock: VirtualTime) -> Said:
    return Said(*ready_reader(clock))


def exchanged(said: Said, **registers: int) -> Answer | None:
    said.registers |= {getattr(reg, name): value for name, value in registers.items()}
    said.sent.clear()
    answer: Answer | None = drain(said.reader._exchange(b"\x26", 7))
    return answer


def flushes(said: Said) -> bool:
    """Whether the next exchange begins with an empty FIFO because the driver empties it."""
    exchanged(said, COM_IRQ=0x01, FIFO_LEVEL=0)
    return said.sent[0] == [reg.FIFO_LEVEL << 1, 0x80]


@pytest.mark.parametrize(
    ("error", "coll", "intact", "collision"),
    [
        (0x00, 0x20, True, 0),
        (0x10, 0x20, False, 0),  # BufferOvfl
        (0x01, 0x20, False, 0),  # ProtocolErr
        (0x02, 0x20, False, 0),  # ParityErr
        (0x04, 0x20, True, 0),  # CRCErr: the frames of type A that count are checked by the driver
        (0x40, 0x20, True, 0),  # TempErr
        (0x80, 0x20, True, 0),  # WrErr
        (0x08, 0x01, True, 1),  # CollErr
        (0x08, 0x1F, True, 31),
        (0x08, 0x80, True, 32),
        (0x08, 0xA0, True, -1),  # CollPosNotValid
        (0x0A, 0x02, True, 2),
        (0x09, 0x02, False, 2),
        (0x18, 0x02, False, 2),
    ],
)
def test_what_errorreg_and_collreg_say_of_an_answer(
    said: Said, error: int, coll: int, intact: bool, collision: int
) -> None:
    """9.3.1.7 and 9.3.1.15."""
    assert exchanged(said, ERROR=error, COLL=coll) == Answer(b"\x04\x00", 0, intact, collision)
    assert flushes(said) is (not intact or collision != 0)


@pytest.mark.parametrize(("level", "count"), [(0, 0), (1, 1), (16, 16), (17, 16), (64, 16), (0x80 | 2, 2)])
def test_an_answer_is_what_lies_in_the_fifo_up_to_16_bytes_and_the_rest_is_emptied(
    said: Said, level: int, count: int
) -> None:
    said.fifo = bytes(range(64))
    answer = exchanged(said, FIFO_LEVEL=level, CONTROL=0xF8)
    assert answer == Answer(bytes(range(count)), 0, True, 0)
    assert flushes(said) is (count not in (1, 2) and level != 16)


@pytest.mark.parametrize("bits", range(8))
def test_rxlastbits_says_how_many_bits_of_the_last_byte_count(said: Said, bits: int) -> None:
    answer = exchanged(said, CONTROL=0xF8 | bits)
    assert answer is not None and answer.last_bits == bits


def test_no_answer_is_one_that_the_timer_ended_and_what_lies_in_the_fifo_then_is_emptied(said: Said) -> None:
    with pytest.raises(Stuck):
        exchanged(said, COM_IRQ=0xA1)  # Set1 always reads as 0 (9.3.1.5): these ones come from a bad wire
    for level, flushed in ((0, False), (1, True), (0, False)):
        assert exchanged(said, COM_IRQ=0x45, FIFO_LEVEL=level) is None
        assert flushes(said) is flushed


@pytest.mark.parametrize(
    ("registers", "answer"),
    [
        ({}, ("MI_OK", [4, 0], 16)),
        ({"CONTROL": 0x13}, ("MI_OK", [4, 0], 11)),
        ({"CONTROL": 0x11, "FIFO_LEVEL": 1}, ("MI_OK", [4], 1)),
        ({"ERROR": 0x02}, ("MI_ERR", [4, 0], 16)),
        ({"ERROR": 0x08, "COLL": 0x01}, ("MI_ERR", [4, 0], 16)),
        ({"COM_IRQ": 0x01}, ("MI_NOTAGERR", [], 0)),
    ],
)
def test_the_library_s_own_methods_are_told_of_an_exchange_as_by_the_library(
    said: Said, registers: dict[str, int], answer: tuple[str, list[int], int]
) -> None:
    said.registers |= {getattr(reg, name): value for name, value in registers.items()}
    said._twin.overwrite(reg.BIT_FRAMING, 0x37)
    status, data, bits = said.reader.MFRC522_ToCard(said.reader.PCD_TRANSCEIVE, [0x26])
    assert (status, data, bits) == (getattr(said.reader, answer[0]), *answer[1:])
    assert writes(said.sent, reg.BIT_FRAMING) == [0x37, 0xB7], "as it was set, and StartSend"


def test_a_frame_is_sent_without_anything_from_before(said: Said) -> None:
    """Idle, no interrupt left, the frame, its framing without StartSend, and then: go (9.3.1.14)."""
    exchanged(said)
    writes_of_it = [data for data in said.sent if not data[0] & 0x80]
    assert writes_of_it == [
        [reg.COMMAND << 1, 0x00],
        [reg.COM_IRQ << 1, 0x7F],
        [reg.FIFO_DATA << 1, 0x26],
        [reg.BIT_FRAMING << 1, 0x07],
        [reg.COMMAND << 1, 0x0C],
        [reg.BIT_FRAMING << 1, 0x87],
    ]


# ---- the gain of the receiver --------------------------------------------------------------


@pytest.mark.parametrize(
    ("gain_db", "register"), [(18, 0x08), (23, 0x18), (33, 0x48), (38, 0x58), (43, 0x68), (48, 0x78)]
)
def test_the_receiver_amplifies_as_much_as_is_configured_also_after_it_was_reset(
    clock: VirtualTime, gain_db: int, register: int
) -> None:
    """Table 98 of the datasheet: RxGain is bits 6 to 4, the others stay as a reset leaves them."""
    twin = RC522(clock)
    reader = Reader(twin, gain_db=gain_db)
    assert twin.peek(reg.RF_CFG) == register
    twin.brown_out()
    with pytest.raises(RegistersLost):
        reader.inventory()
    reader.MFRC522_Init()
    assert twin.peek(reg.RF_CFG) == register


def test_the_gain_that_a_reset_gives_is_not_written_since_a_copy_of_the_chip_may_have_another(
    clock: VirtualTime,
) -> None:
    twin = RC522(clock)
    sent = recorded(twin)
    Reader(twin)
    assert writes(sent, 0x26) == []
    Reader(twin, gain_db=38)
    assert writes(sent, 0x26) == [0x58]

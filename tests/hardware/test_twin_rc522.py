"""The emulated MFRC522 and its cards behave as their datasheets say; the unmodified library is the witness."""

import threading
from collections.abc import Iterator

import pytest

from hardware import iso14443a, mfrc522_import
from hardware.rc522 import Reader
from hardware.twins import rc522_registers as reg
from hardware.twins.rc522 import RC522, Refused
from hardware.twins.rc522_air import BIT_NS, REQUEST_GUARD_NS, frame_ns
from hardware.twins.tags import START_UP_US, Tag, crc_a
from hardware.twins.virtual_time import LiveTime, VirtualTime
from tests.support.pads_support import FOUR, OTHER_SEVEN, SEVEN, TEN, lay, ready_reader

# ---- time ----------------------------------------------------------------------------------


def test_virtual_time_moves_only_when_told_and_never_back() -> None:
    clock = VirtualTime(start_us=5)
    clock.advance_us(1.5)
    clock.advance_us(1.5)
    assert (clock.now_us, clock.now_ns(), clock.now_ms()) == (8, 8000, 0)
    clock.advance_to_us(3)
    assert clock.now_us == 8
    clock.advance_to_us(2500)
    assert clock.now_ms() == 2
    with pytest.raises(ValueError, match="cannot go back"):
        clock.advance_ns(-1)
    assert clock.advance_ns(1) == 2_500_001


def test_live_time_is_never_behind_the_machine_and_adds_what_things_cost() -> None:
    machine = [1_000_000]
    clock = LiveTime(lambda: machine[0])
    assert clock.now_us == 1000
    clock.advance_us(500)
    assert clock.now_us == 1500
    machine[0] = 1_200_000
    assert clock.now_us == 1500
    machine[0] = 9_000_000
    assert clock.now_us == 9000
    assert clock.advance_ns(0) == 9_000_000
    with pytest.raises(ValueError, match="cannot go back"):
        clock.advance_ns(-1)


# ---- the SPI port and the registers --------------------------------------------------------


def read(twin: RC522, register: int) -> int:
    return twin.xfer2([register << 1 | 0x80, 0])[1]


def write(twin: RC522, register: int, *values: int) -> None:
    twin.xfer2([register << 1, *values])


@pytest.fixture
def twin() -> RC522:
    return RC522(VirtualTime())


def test_a_transfer_costs_its_bits_and_a_fixed_overhead(twin: RC522) -> None:
    twin.max_speed_hz = 8_000_000
    before = twin.time.now_ns()
    twin.xfer2([0x82, 0x82, 0])
    assert twin.time.now_ns() - before == 30_000 + 3 * 1000


def test_several_registers_are_read_in_one_transfer_and_the_fifo_is_written_in_one(twin: RC522) -> None:
    write(twin, reg.FIFO_DATA, 1, 2, 3)
    assert twin.xfer2([reg.VERSION << 1 | 0x80, reg.FIFO_LEVEL << 1 | 0x80, 0]) == [0, 0x92, 3]
    assert twin.xfer2([reg.FIFO_DATA << 1 | 0x80] * 3 + [0]) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("change", "data", "complaint"),
    [
        ({"max_speed_hz": 10_000_001}, [0x82, 0], "10000001 Hz"),
        ({"mode": 3}, [0x82, 0], "SPI mode 3"),
        ({}, [0x83, 0], "address byte 0x83"),
        ({}, [0x1A << 1, 0], "reserved register 0x1A"),
        ({}, [reg.COMMAND << 1, 0x05], "command 0x5"),
        ({}, [reg.BIT_FRAMING << 1, 0x80], "StartSend without"),
    ],
)
def test_what_a_chip_would_not_understand_is_refused_and_noted(
    twin: RC522, change: dict[str, int], data: list[int], complaint: str
) -> None:
    for name, value in change.items():
        setattr(twin, name, value)
    with pytest.raises(Refused, match=complaint):
        twin.xfer2(data)
    assert len(twin.refusals) == 1


def test_registers_hold_their_reset_values_until_the_oscillator_runs(twin: RC522) -> None:
    write(twin, reg.T_RELOAD_L, 0x55)
    write(twin, reg.COMMAND, reg.SOFT_RESET)
    assert read(twin, reg.COMMAND) & 0x10
    twin.time.advance_us(100)
    assert read(twin, reg.COMMAND) == 0x20
    assert all(read(twin, register) == value for register, value in reg.RESET_VALUES.items() if register != reg.STATUS1)
    assert read(twin, reg.T_RELOAD_L) == 0


def test_interrupt_bits_are_cleared_one_by_one(twin: RC522) -> None:
    write(twin, reg.COM_IRQ, 0x80 | 0x7F)
    assert read(twin, reg.COM_IRQ) == 0x7F
    write(twin, reg.COM_IRQ, 0x31)
    assert read(twin, reg.COM_IRQ) == 0x4E


def test_the_timer_runs_by_its_prescaler_and_asks_for_an_interrupt(twin: RC522) -> None:
    write(twin, reg.COM_IRQ, 0x7F)
    write(twin, reg.T_PRESCALER, 169)  # 40 kHz
    write(twin, reg.T_RELOAD_L, 39)  # 40 ticks: 1 ms
    write(twin, reg.CONTROL, 0x40)
    twin.time.advance_us(900)
    assert not read(twin, reg.COM_IRQ) & reg.TIMER_IRQ
    assert read(twin, reg.STATUS1) & 0x08
    twin.time.advance_us(100)
    assert read(twin, reg.COM_IRQ) & reg.TIMER_IRQ
    assert not read(twin, reg.STATUS1) & 0x08


def test_a_full_fifo_says_so(twin: RC522) -> None:
    write(twin, reg.FIFO_DATA, *range(64))
    assert not read(twin, reg.ERROR) & reg.BUFFER_OVFL
    write(twin, reg.FIFO_DATA, 64)
    assert read(twin, reg.ERROR) & reg.BUFFER_OVFL
    assert read(twin, reg.FIFO_LEVEL) == 64
    write(twin, reg.FIFO_LEVEL, 0x80)
    assert read(twin, reg.FIFO_LEVEL) == 0


def test_crypto_can_be_switched_off_but_not_on(twin: RC522) -> None:
    write(twin, reg.STATUS2, 0x08)
    assert not read(twin, reg.STATUS2) & 0x08
    twin._r[reg.STATUS2] = 0x08
    write(twin, reg.STATUS2, 0x00)
    assert not read(twin, reg.STATUS2) & 0x08


def test_the_crc_coprocessor_agrees_with_the_cards_and_with_the_driver(twin: RC522) -> None:
    write(twin, reg.MODE, 0x3D)
    write(twin, reg.FIFO_DATA, 0x50, 0x00)
    write(twin, reg.COMMAND, reg.CALC_CRC)
    assert read(twin, reg.DIV_IRQ) & reg.CRC_IRQ
    result = bytes([read(twin, reg.CRC_RESULT_L), read(twin, reg.CRC_RESULT_H)])
    assert result == crc_a(b"\x50\x00") == iso14443a.crc_a(b"\x50\x00") == b"\x57\xcd"


def test_a_chip_held_in_reset_is_silent_and_its_field_is_off() -> None:
    clock = VirtualTime()
    twin, reader = ready_reader(clock)
    (tag,) = lay(twin, FOUR)
    assert reader.inventory() == [FOUR]
    twin.hold_reset(True)
    assert read(twin, reg.VERSION) == 0
    assert not twin.antenna_on
    twin.hold_reset(False)
    clock.advance_ms(2)
    assert read(twin, reg.VERSION) == 0x92
    assert tag.state in ("halt", "active")  # it holds its state for some milliseconds without a field


# ---- cards ---------------------------------------------------------------------------------


def powered(uid: bytes, **options: object) -> Tag:
    tag = Tag(uid, start_up_us=0, **options)  # type: ignore[arg-type]
    tag.power(1, 0)
    return tag


def select_frame(code: int, level: bytes) -> bytes:
    body = bytes([code, 0x70]) + level
    return body + crc_a(body)


def test_a_card_goes_through_the_states_of_the_standard() -> None:
    tag = powered(FOUR)
    level = FOUR + bytes([FOUR[0] ^ FOUR[1] ^ FOUR[2] ^ FOUR[3]])
    states = [tag.state]
    for frame, bits in [
        (b"\x26", 7),
        (b"\x93\x20", 16),
        (select_frame(0x93, level), 72),
        (b"\x50\x00" + crc_a(b"\x50\x00"), 32),
        (b"\x26", 7),
        (b"\x52", 7),
        (select_frame(0x93, level), 72),
        (b"\x26", 7),
    ]:
        tag.hear(frame, bits, 0)
        states.append(tag.state)
    assert states == ["idle", "ready", "ready", "active", "halt", "halt", "ready*", "active*", "halt"]


@pytest.mark.parametrize(
    ("frame", "bits"),
    [
        (b"\x26", 7),
        (b"\x93\x20\x00", 24),
        (b"\x95\x20", 16),
        (b"\x93\x28\x00", 24),
        (select_frame(0x93, b"\x01\x02\x03\x04\x04"), 72),
        (select_frame(0x93, b"\xde\xad\xbe\xef\x22")[:-1] + b"\0", 72),
    ],
)
def test_an_unexpected_or_damaged_frame_sends_a_ready_card_back(frame: bytes, bits: int) -> None:
    tag = powered(FOUR)
    tag.hear(b"\x26", 7, 0)
    assert tag.hear(frame, bits, 0) is None
    assert tag.state == "idle"


def test_a_card_answers_only_after_its_start_up_and_forgets_everything_without_power() -> None:
    tag = Tag(SEVEN)
    tag.power(1, 0)
    assert tag.hear(b"\x26", 7, START_UP_US * 1000 - 1) is None
    assert tag.hear(b"\x26", 7, START_UP_US * 1000) is not None
    tag.unpower(1, 0, taken_away=True)
    assert tag.state == "power-off"
    assert tag.hear(b"\x52", 7, 10**9) is None


def test_a_short_gap_in_the_field_does_not_reset_a_card_and_a_long_one_does() -> None:
    for gap_us, state in ((4000, "ready"), (5500, "idle")):
        tag = powered(FOUR)
        tag.hear(b"\x26", 7, 0)
        tag.unpower(1, 0, taken_away=False)
        tag.power(1, gap_us * 1000)
        assert tag.state == state


def test_a_uid_of_a_wrong_length_is_no_card() -> None:
    with pytest.raises(ValueError, match="5 bytes"):
        Tag(b"\1\2\3\4\5")


# ---- the unmodified library ----------------------------------------------------------------


@pytest.fixture
def stock(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[RC522, object]]:
    """`mfrc522.SimpleMFRC522` with its defaults, on an emulated chip."""
    twin = RC522(VirtualTime())
    monkeypatch.setattr(mfrc522_import.chip_module.spidev, "SpiDev", lambda: twin)
    reader = mfrc522_import.SimpleMFRC522()
    yield twin, reader
    reader.READER.logger.handlers.clear()


def test_stock_an_empty_poll_makes_2013_transfers_and_takes_93_ms(stock) -> None:
    twin, reader = stock
    twin.transfers, begin = 0, twin.time.now_us
    assert reader.read_id_no_block() is None
    assert twin.transfers == 2013
    assert 92_000 < twin.time.now_us - begin < 94_000


def test_stock_r1_sees_a_resting_card_on_every_second_poll_only(stock) -> None:
    """R1, the library's fault: READY after the anticollision, IDLE after the next REQA."""
    twin, reader = stock
    lay(twin, FOUR)
    seen = [reader.read_id_no_block() is not None for _ in range(6)]
    assert seen == [True, False, True, False, True, False]


def test_stock_r6_cuts_a_uid_of_seven_bytes(stock) -> None:
    """R6, the library's fault: two cards of seven bytes have one number, with 0x88 in front."""
    twin, reader = stock
    numbers = []
    for uid in (SEVEN, bytes.fromhex("04a1b2") + bytes(4)):
        (tag,) = lay(twin, uid)
        numbers.append(reader.read_id_no_block().to_bytes(5, "big"))
        twin.lift(tag)
    assert numbers[0] == numbers[1]
    assert numbers[0][:4] == b"\x88\x04\xa1\xb2"


def test_stock_r7_calls_the_check_byte_a_fifth_byte_of_the_number(stock) -> None:
    """R7, the library's fault."""
    twin, reader = stock
    lay(twin, FOUR)
    assert reader.read_id_no_block().to_bytes(5, "big") == FOUR + bytes([0xDE ^ 0xAD ^ 0xBE ^ 0xEF])


def test_stock_r5_two_cards_look_like_an_empty_pad(stock) -> None:
    """R5, the library's fault."""
    twin, reader = stock
    lay(twin, FOUR, bytes.fromhex("21524110"))
    assert [reader.read_id_no_block() for _ in range(8)] == [None] * 8


def test_stock_r15_asks_an_ntag_for_authentication_and_gets_nothing(stock) -> None:
    """R15, the library's fault: read_no_block authenticates any card as a MIFARE Classic."""
    twin, reader = stock
    (tag,) = lay(twin, SEVEN)
    reader.READER.logger.setLevel(100)
    number, text = reader.read_no_block()
    assert number is not None and text == ""
    assert twin.authentications == 1
    assert tag.state in ("idle", "ready")


def test_stock_reads_a_mifare_classic_with_its_key(stock) -> None:
    twin, reader = stock
    twin.put(Tag(FOUR, key=b"\xff" * 6))
    twin.time.advance_ms(6)
    reader.READER.logger.setLevel(100)
    number, _ = reader.read_no_block()
    assert number.to_bytes(5, "big")[:4] == FOUR
    assert twin.authentications == 1


def test_stock_r4_goes_deaf_when_its_registers_are_lost(stock) -> None:
    """R4, the library's fault: it never looks."""
    twin, reader = stock
    twin.brown_out()
    lay(twin, FOUR)
    assert [reader.read_id_no_block() for _ in range(4)] == [None] * 4


def test_stock_adds_a_log_handler_with_each_instance(stock) -> None:
    _, reader = stock
    mfrc522_import.MFRC522()
    assert len(reader.READER.logger.handlers) == 2


# ---- the air -------------------------------------------------------------------------------


def test_frames_last_as_long_as_at_106_kbit() -> None:
    assert BIT_NS == 9440
    assert frame_ns(7) == 9 * BIT_NS  # start, 7 bits, end
    assert frame_ns(72) == 83 * BIT_NS  # start, 9 bytes with parity, end
    assert REQUEST_GUARD_NS == 516_224


def test_the_driver_keeps_the_guard_time_and_the_frame_delays() -> None:
    clock = VirtualTime()
    twin, reader = ready_reader(clock, max_speed_hz=10_000_000)
    tags = lay(twin, FOUR, SEVEN, OTHER_SEVEN, TEN)
    for _ in range(50):
        reader.read()
    for tag in tags:
        twin.lift(tag)
    for _ in range(50):
        reader.read()
    assert twin.guard_violations == twin.early_frames == 0
    assert twin.refusals == []


def test_a_card_that_leaves_while_it_answers_leaves_a_damaged_answer() -> None:
    clock = VirtualTime()
    twin, _ = ready_reader(clock)
    (tag,) = lay(twin, FOUR)
    for register, value in ((reg.COM_IRQ, 0x7F), (reg.FIFO_DATA, 0x26), (reg.COMMAND, 0x0C), (reg.BIT_FRAMING, 0x87)):
        write(twin, register, value)
    clock.advance_to_us(clock.now_us + 85 + 87 + 110)
    twin.lift(tag)
    clock.advance_us(100)
    assert read(twin, reg.COM_IRQ) & reg.RX_IRQ
    bits = 8 * (read(twin, reg.FIFO_LEVEL) - 1) + (read(twin, reg.CONTROL) & 7 or 8)
    assert 0 < bits < 16


def test_cards_come_and_go_from_another_thread_while_a_reader_polls() -> None:
    twin = RC522(LiveTime())
    reader = Reader(twin)
    stop = threading.Event()
    errors: list[BaseException] = []

    def shuffle() -> None:
        try:
            for _ in range(300):
                tag = Tag(SEVEN, start_up_us=0)
                twin.put(tag)
                twin.lift(tag)
        except BaseException as error:  # noqa: BLE001 (handed to the test)
            errors.append(error)
        finally:
            stop.set()

    thread = threading.Thread(target=shuffle)
    thread.start()
    wrong = set()
    while not stop.is_set():
        wrong |= set(reader.read().uids) - {SEVEN}
    thread.join()
    assert not errors and not wrong and twin.tags == ()

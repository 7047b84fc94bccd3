"""A reader finds every card in its field, and never another one."""

import itertools
import random
from collections.abc import Generator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware import iso14443a
from hardware.ports import HardwareError
from hardware.rc522 import FORGET_AFTER_POLLS, MAX_CARDS, Mute, Reader, ReaderError, RegistersLost, Stuck, open_spidev
from hardware.rc522_self_test import self_test
from hardware.twins import rc522_registers as reg
from hardware.twins.rc522 import RC522, CollisionCount
from hardware.twins.tags import Tag
from hardware.twins.virtual_time import VirtualTime
from tests.support.pads_support import FOUR, OTHER_SEVEN, SEVEN, TEN, lay, ready_reader, wait_for_field

COUNTS = list(CollisionCount)


@pytest.fixture
def clock() -> VirtualTime:
    return VirtualTime()


def uid_strategy() -> st.SearchStrategy[bytes]:
    """UIDs of all lengths, often with the same beginning, never with a cascade tag where none may stand."""
    ends = st.binary(min_size=2, max_size=8)
    starts = st.sampled_from([b"\x04\xa1", b"\x04\xa0", b"\x84\xa1", b"\xde\xad"])
    lengths = st.sampled_from([4, 7, 10])
    return st.builds(lambda start, end, length: (start + end + bytes(10))[:length], starts, ends, lengths).filter(
        lambda uid: 0x88 not in (uid[0], uid[3])
    )


# ---- the inventory -------------------------------------------------------------------------


@pytest.mark.parametrize("uid", [FOUR, SEVEN, TEN], ids=len)
def test_r6_a_uid_is_read_whole_whatever_its_length(clock: VirtualTime, uid: bytes) -> None:
    """R6, R7: 4, 7 or 10 bytes, never five, never cut."""
    twin, reader = ready_reader(clock)
    assert reader.inventory() == []
    lay(twin, uid)
    assert reader.inventory() == [uid]


@pytest.mark.parametrize("count", COUNTS, ids=lambda count: count.name)
def test_r6_cards_that_share_three_bytes_are_told_apart(clock: VirtualTime, count: CollisionCount) -> None:
    twin, reader = ready_reader(clock, collision_count=count)
    lay(twin, SEVEN, OTHER_SEVEN)
    assert set(reader.inventory()) == {SEVEN, OTHER_SEVEN}


@given(uids=st.sets(uid_strategy(), min_size=1, max_size=MAX_CARDS), count=st.sampled_from(COUNTS), stays=st.booleans())
@settings(max_examples=60)
def test_up_to_five_cards_are_found_in_one_poll(uids: set[bytes], count: CollisionCount, stays: bool) -> None:
    twin, reader = ready_reader(VirtualTime(), collision_count=count, start_send_stays=stays)
    lay(twin, *uids)
    assert set(reader.inventory()) == uids
    for _ in range(3):
        assert set(reader.inventory()) == uids  # and stay known
    assert twin.refusals == []


@pytest.mark.parametrize("count", COUNTS, ids=lambda count: count.name)
def test_two_collisions_at_any_two_bits_are_resolved_under_either_count(count: CollisionCount) -> None:
    """Three cards that differ in just two bits: the second collision comes after a split anywhere in a byte."""
    chance = random.Random(6)
    for first in range(31):
        for second in sorted({first + 1, min(31, first + 2 + chance.randrange(8)), min(31, first + 11)}):
            base = int.from_bytes(chance.randbytes(4), "little") & ~(1 << first) & ~(1 << second)
            values = (base, base | 1 << first, base | 1 << first | 1 << second)
            uids = {value.to_bytes(4, "little") for value in values}
            twin, reader = ready_reader(VirtualTime(), collision_count=count)
            lay(twin, *uids)
            found: set[bytes] = set()
            for _ in range(2):
                found |= set(reader.inventory())
                assert found <= uids
            assert found == uids, f"bits {first} and {second} of {base:08x}"


def test_one_damaged_answer_does_not_cost_a_poll(clock: VirtualTime) -> None:
    """R2: whichever of the answers it is with which a new card is found."""
    for damaged in range(6):
        twin, reader = ready_reader(VirtualTime())
        lay(twin, SEVEN)
        answers = itertools.count()
        twin.noise = SimpleNamespace(  # type: ignore[assignment]
            pass_on=lambda received, answers=answers, damaged=damaged: (
                replace(received, value=received.value ^ 1) if next(answers) == damaged else received
            )
        )
        assert reader.inventory() == [SEVEN]


@pytest.mark.parametrize(("damaged", "crowded"), [(1, False), (2, False), (3, True)])
def test_a_card_is_picked_out_at_the_third_try_and_after_that_there_are_several(damaged: int, crowded: bool) -> None:
    twin, reader = ready_reader(VirtualTime())
    lay(twin, FOUR)
    levels = itertools.count()
    twin.noise = SimpleNamespace(  # type: ignore[assignment]
        pass_on=lambda received: (
            replace(received, value=received.value ^ 1) if received.bits == 40 and next(levels) < damaged else received
        )
    )
    reading = reader.read()
    assert (reading.uids, reading.crowded) == (() if crowded else (FOUR,), crowded)


def damaged_saks(twin: RC522, times: int) -> None:
    """So many answers to SELECT from now on arrive whole, but with a wrong parity bit."""
    saks = itertools.count()
    twin.noise = SimpleNamespace(  # type: ignore[assignment]
        pass_on=lambda received: (
            replace(received, parity_error=True) if received.bits == 24 and next(saks) < times else received
        )
    )


@pytest.mark.parametrize(("times", "uids"), [(1, (FOUR,)), (2, (FOUR,)), (99, ())])
def test_an_answer_to_select_with_a_wrong_parity_bit_is_none(
    clock: VirtualTime, times: int, uids: tuple[bytes, ...]
) -> None:
    for is_known in (False, True):
        twin, reader = ready_reader(VirtualTime())
        lay(twin, FOUR)
        if is_known:
            assert reader.inventory() == [FOUR]
        damaged_saks(twin, times)
        reading = reader.read()
        assert reading.uids == uids and reading.shaky is (uids == ())


@pytest.mark.parametrize(
    ("uid", "arrives"), [(FOUR, 39), (bytes.fromhex("01020300"), 32)], ids=["a zero bit less", "a zero byte less"]
)
def test_an_answer_that_lacks_its_end_is_none_though_the_rest_would_fit(
    clock: VirtualTime, uid: bytes, arrives: int
) -> None:
    twin, reader = ready_reader(clock)
    lay(twin, uid)
    levels = itertools.count()
    twin.noise = SimpleNamespace(  # type: ignore[assignment]
        pass_on=lambda received: (
            replace(received, bits=arrives) if received.bits == 40 and next(levels) == 0 else received
        )
    )
    assert reader.inventory() == [uid]
    assert next(levels) == 2, "it was asked again"


def test_a_card_that_does_not_obey_hlta_is_selected_four_times_and_no_more(clock: VirtualTime) -> None:
    twin, reader = ready_reader(clock)
    (deaf,) = lay(twin, FOUR)
    hear = deaf.hear
    deaf.hear = lambda data, bits, now_ns: hear(b"\x93\x20" if data[0] == 0x50 else data, bits, now_ns)
    before = len(twin.frames)
    assert reader.inventory() == [FOUR]
    assert [frame[:2] for frame in list(twin.frames)[before:]].count(b"\x93\x70") == 4


@pytest.mark.parametrize(("lost", "uncompared"), [(0, ()), (2, ()), (3, (reg.MODE,)), (9, (reg.MODE,))])
def test_a_setting_that_does_not_arrive_is_written_three_times(clock: VirtualTime, lost: int, uncompared) -> None:
    twin = RC522(clock)
    write, tries = twin._write, itertools.count()
    twin._write = lambda address, data, now: (  # type: ignore[method-assign]
        [0, 0] if address == reg.MODE and next(tries) < lost else write(address, data, now)
    )
    assert Reader(twin).uncompared == uncompared
    assert next(tries) == min(lost + 1, 3)


def test_nothing_is_written_to_a_chip_before_its_oscillator_runs(clock: VirtualTime) -> None:
    twin = RC522(clock)
    writes: list[tuple[int, int]] = []
    write = twin._write
    twin._write = lambda address, data, now: (  # type: ignore[method-assign]
        writes.append((address, twin._r[reg.COMMAND] & 0x10)) or write(address, data, now)
    )
    Reader(twin)
    assert writes[0] == (reg.COMMAND, 0), "the reset"
    assert {down for _, down in writes} == {0}


@pytest.mark.parametrize("command", [0x20, 0x10])
def test_a_receiver_that_was_switched_off_is_a_loss_of_settings(clock: VirtualTime, command: int) -> None:
    twin, reader = ready_reader(clock)
    for _ in range(2):
        assert not reader.read().blind
    twin.before_transfer = lambda number: twin.overwrite(reg.COMMAND, command | twin.peek(reg.COMMAND))
    with pytest.raises((RegistersLost, Stuck)):
        reader.read()


def test_either_count_is_learnt_from_the_first_collision_that_can_tell(clock: VirtualTime) -> None:
    for count in COUNTS:
        twin, reader = ready_reader(VirtualTime(), collision_count=count)
        lay(twin, FOUR, bytes([FOUR[0], FOUR[1], FOUR[2] ^ 0x10, FOUR[3]]))
        assert len(reader.inventory()) == 2
        assert reader._count_from_byte is (count is CollisionCount.FROM_BYTE_START)


def ended(steps: Generator[None, None, Any]) -> Any:
    """What a generator returns."""
    with pytest.raises(StopIteration) as end:
        while True:
            next(steps)
    return end.value.value


@pytest.mark.parametrize(("position", "learnt"), [(2, False), (3, False), (4, None)])
def test_a_collision_where_a_bit_was_sent_is_counted_from_the_first_bit_received(
    clock: VirtualTime, position: int, learnt: bool | None
) -> None:
    """After three bits: counted from the byte, positions 1 to 3 would be bits that the reader has sent itself."""
    _, reader = ready_reader(clock)
    assert ended(reader._collision_bit(0x93, 0, 3, position)) == 3 + position
    assert reader._count_from_byte is learnt


@pytest.mark.parametrize(("collision", "learnt"), [(1, False), (7, True), (2, None), (6, None), (15, None)])
def test_the_count_is_learnt_only_from_a_collision_where_it_was_provoked(
    clock: VirtualTime, monkeypatch: pytest.MonkeyPatch, collision: int, learnt: bool | None
) -> None:
    """Bit 15 collides, and 14 bits are sent: the first bit received, the seventh of its byte. Others say nothing."""

    def answered(code: int, known: int, bits: int) -> Generator[None, None, Any]:
        assert bits == 14
        yield
        return SimpleNamespace(collision=collision)

    _, reader = ready_reader(clock)
    monkeypatch.setattr(reader, "_anticollision", answered)
    ended(reader._learn_count(0x93, 0, 15))
    assert reader._count_from_byte is learnt


def test_only_a_level_that_was_guessed_wrong_changes_the_assumed_count(clock: VirtualTime) -> None:
    twin, reader = ready_reader(clock)
    lay(twin, FOUR)
    levels = itertools.count()
    twin.noise = SimpleNamespace(  # type: ignore[assignment]
        pass_on=lambda received: (
            replace(received, value=received.value ^ 1) if received.bits == 40 and next(levels) < 1 else received
        )
    )
    assert reader.read().uids == (FOUR,)
    assert reader._assumed_from_byte is False


def test_the_sak_decides_whether_a_uid_goes_on_not_its_first_byte(clock: VirtualTime) -> None:
    """A card of four bytes that begin like a cascade tag ends where its SAK says so."""
    twin, reader = ready_reader(clock)
    uid = bytes.fromhex("88112233")
    lay(twin, uid)
    assert reader.inventory() == [uid]


def test_every_version_of_the_chip_is_fine(clock: VirtualTime) -> None:
    for version in (0x91, 0x92, 0x90, 0x88, 0x82, 0xB2, 0x12):
        twin, reader = ready_reader(VirtualTime(), version=version)
        lay(twin, SEVEN)
        assert reader.inventory() == [SEVEN]
        assert reader.version == version


def test_r1_a_resting_card_is_seen_in_every_poll(clock: VirtualTime) -> None:
    """R1: 60 s at rest."""
    twin, reader = ready_reader(clock)
    lay(twin, SEVEN)
    for _ in range(600):
        assert reader.inventory() == [SEVEN]
        clock.advance_ms(100)


def test_r5_a_card_that_joins_or_leaves_another_is_told_from_it(clock: VirtualTime) -> None:
    twin, reader = ready_reader(clock)
    (resting,) = lay(twin, SEVEN)
    assert reader.inventory() == [SEVEN]
    lay(twin, OTHER_SEVEN)
    assert set(reader.inventory()) == {SEVEN, OTHER_SEVEN}
    twin.lift(resting)
    assert reader.inventory() == [OTHER_SEVEN]


def test_r16_a_card_changed_for_another_between_two_polls_is_the_other_at_once(clock: VirtualTime) -> None:
    twin, reader = ready_reader(clock)
    (first,) = lay(twin, SEVEN)
    assert reader.inventory() == [SEVEN]
    twin.lift(first)
    lay(twin, OTHER_SEVEN)
    assert reader.inventory() == [OTHER_SEVEN]


@pytest.mark.parametrize("number", [6, 7, 12])
def test_more_cards_than_can_be_told_apart_are_several_cards(clock: VirtualTime, number: int) -> None:
    twin, reader = ready_reader(clock)
    tags = lay(twin, *(bytes([0x04, 0xA1, i * 37 & 0xFF, i, i * i, 7, 0x80]) for i in range(number)))
    for _ in range(5):
        reading = reader.read()
        assert reading.crowded
        assert set(reading.uids) <= {tag.uid for tag in tags}
    for tag in tags[2:]:
        twin.lift(tag)
    for _ in range(FORGET_AFTER_POLLS + 5):
        reading = reader.read()
        clock.advance_ms(20)
    assert set(reading.uids) == {tags[0].uid, tags[1].uid} and not reading.crowded


@pytest.mark.parametrize("polls_seen", [1, 2, 5])
def test_a_card_that_left_is_given_up_in_the_tenth_poll_without_it(clock: VirtualTime, polls_seen: int) -> None:
    twin, reader = ready_reader(clock)
    (tag,) = lay(twin, SEVEN)
    for _ in range(polls_seen):
        assert reader.inventory() == [SEVEN]
    twin.lift(tag)
    for _ in range(FORGET_AFTER_POLLS):
        assert twin.antenna_on and not reader.read().blind
    assert not twin.antenna_on and reader.read().blind


def test_cards_in_halt_are_woken_too_while_none_is_known_and_new_ones_alone_afterwards(clock: VirtualTime) -> None:
    twin, reader = ready_reader(clock)
    lay(twin, SEVEN)
    for request in (iso14443a.WUPA, iso14443a.REQA, iso14443a.REQA):
        before = len(twin.frames)
        assert reader.inventory() == [SEVEN]
        assert twin.frames[before] == request


def test_a_card_in_halt_that_nobody_knows_any_more_is_found_again(clock: VirtualTime) -> None:
    """It lay badly for a while, was given up, and never lost its power."""
    twin, reader = ready_reader(clock)
    deaf, _ = lay(twin, SEVEN, OTHER_SEVEN)
    assert len(reader.inventory()) == 2
    hear, deaf.hear = deaf.hear, lambda data, bits, now_ns: None
    for _ in range(FORGET_AFTER_POLLS + 2):
        assert SEVEN not in reader.inventory()
        clock.advance_ms(20)
    deaf.hear = hear
    for _ in range(8):
        found = reader.inventory()
        clock.advance_ms(20)
    assert set(found) == {SEVEN, OTHER_SEVEN}
    assert deaf.state != "power-off"


def test_a_card_that_does_not_obey_hlta_is_one_card_and_ends_the_poll(clock: VirtualTime) -> None:
    twin, reader = ready_reader(clock)
    (deaf,) = lay(twin, SEVEN)
    hear = deaf.hear
    deaf.hear = lambda data, bits, now_ns: hear(b"\x93\x20" if data[0] == 0x50 else data, bits, now_ns)
    for _ in range(20):
        before = clock.now_ms()
        reading = reader.read()
        assert reading.uids == (SEVEN,) and not reading.crowded
        assert clock.now_ms() - before < 50


def test_a_switched_off_field_is_blind_and_starts_again(clock: VirtualTime) -> None:
    twin, reader = ready_reader(clock)
    lay(twin, SEVEN)
    reader.switch_field(False)
    assert not twin.antenna_on
    for _ in range(5):
        assert reader.read().blind
        clock.advance_ms(20)
    reader.switch_field(True)
    assert reader.read().blind
    clock.advance_ms(6)
    assert reader.inventory() == [SEVEN]


# ---- noise ---------------------------------------------------------------------------------


def test_no_damage_on_the_air_ever_makes_another_card(clock: VirtualTime) -> None:
    from hardware.twins.rc522_air import Noise

    twin, reader = ready_reader(clock)
    lay(twin, SEVEN, OTHER_SEVEN, FOUR)
    twin.noise = Noise(lost=0.2, spoilt=0.3, seed=7)
    seen: set[bytes] = set()
    for _ in range(300):
        seen |= set(reader.inventory())
        clock.advance_ms(5)
    assert seen == {SEVEN, OTHER_SEVEN, FOUR}


# ---- the chip's faults ---------------------------------------------------------------------


def test_r3_a_crypto_mode_that_sticks_is_left_without_a_restart(clock: VirtualTime) -> None:
    """R3: MFCrypto1On is set behind the driver's back; the card after that is read."""
    twin, reader = ready_reader(clock)
    twin._r[reg.STATUS2] |= 0x08
    lay(twin, SEVEN)
    reader.inventory()
    assert reader.inventory() == [SEVEN]


def test_r4_lost_registers_are_noticed_in_the_next_poll(clock: VirtualTime) -> None:
    twin, reader = ready_reader(clock)
    twin.brown_out()
    clock.advance_ms(5)
    with pytest.raises(RegistersLost, match="lost its settings"):
        reader.read()
    reader.MFRC522_Init()
    lay(twin, SEVEN)
    for _ in range(4):
        clock.advance_ms(7)
        reading = reader.read()
    assert reading.uids == (SEVEN,)


@pytest.mark.parametrize("value", [0x00, 0xFF])
def test_r11_a_chip_that_reads_only_zeros_or_ones_is_a_wiring_fault(clock: VirtualTime, value: int) -> None:
    """R11: reported as what it is, both at the start and later."""
    twin, reader = ready_reader(clock)
    twin.miso_stuck = value
    with pytest.raises(Mute, match=f"reads only 0x{value:02X}.*check the wiring"):
        reader.read()
    with pytest.raises(Mute, match=f"reads only 0x{value:02X}"):
        Reader(twin)
    assert twin.closed


def test_a_chip_that_does_not_keep_what_is_written_is_no_reader(clock: VirtualTime) -> None:
    twin = RC522(clock)
    twin._write = lambda address, data, now: [0] * len(data)  # MOSI is off
    with pytest.raises(Stuck, match="check MOSI"):
        Reader(twin)


def test_an_exchange_that_never_ends_is_reported_and_the_poll_is_over(clock: VirtualTime) -> None:
    twin, reader = ready_reader(clock)
    twin._start_sending = lambda now: None
    before = clock.now_ms()
    with pytest.raises(Stuck, match="does not finish"):
        reader.read()
    assert clock.now_ms() - before < 50


def test_r13_cards_are_read_after_a_self_test(clock: VirtualTime, monkeypatch: pytest.MonkeyPatch) -> None:
    """R13: and the test knows a good chip, a bad one, and one that it cannot judge."""
    for version, verdict in ((0x91, True), (0x92, True), (0x88, None)):
        twin, reader = ready_reader(VirtualTime(), version=version)
        assert self_test(reader) is verdict
        lay(twin, SEVEN)
        for _ in range(4):
            twin.time.advance_ms(7)
            reading = reader.read()
        assert reading.uids == (SEVEN,)
    twin, reader = ready_reader(clock)
    monkeypatch.setitem(reg.SELF_TEST, 0x92, bytes(64))
    assert self_test(reader) is False


def test_r15_no_card_is_ever_asked_for_authentication(clock: VirtualTime) -> None:
    twin, reader = ready_reader(clock)
    lay(twin, FOUR, SEVEN, TEN)
    twin.put(Tag(bytes.fromhex("21436587"), key=b"\xff" * 6))
    clock.advance_ms(6)
    for _ in range(20):
        reader.read()
    assert twin.authentications == 0
    assert not {frame[0] for frame in twin.frames} & {0x60, 0x61}


class Line:
    """A reset line with chips on it, as a gpiozero output."""

    def __init__(self, *chips: RC522) -> None:
        self.chips = chips
        self.pulses = 0

    def on(self) -> None:
        for chip in self.chips:
            chip.hold_reset(False)

    def off(self) -> None:
        self.pulses += 1
        for chip in self.chips:
            chip.hold_reset(True)


def test_a_chip_held_in_reset_is_let_go_and_a_healthy_one_is_not_pulsed(clock: VirtualTime) -> None:
    twin = RC522(clock)
    line = Line(twin)
    line.off()
    Reader(twin, line)
    assert line.pulses == 1
    Reader(twin, line)
    assert line.pulses == 1


def test_r10_setting_up_a_reader_leaves_another_on_the_same_reset_line_alone(clock: VirtualTime) -> None:
    first, second = RC522(clock), RC522(clock)
    line = Line(first, second)
    reader = Reader(first, line)
    wait_for_field(clock, reader, 1)
    lay(first, SEVEN)
    assert reader.inventory() == [SEVEN]
    Reader(second, line)
    assert reader.inventory() == [SEVEN]


def test_a_closed_reader_is_dark_and_says_so(clock: VirtualTime) -> None:
    twin, reader = ready_reader(clock)
    reader.close()
    reader.close()
    assert twin.closed and not twin.antenna_on
    with pytest.raises(ReaderError, match="closed"):
        reader.read()


def test_closing_a_dead_reader_raises_nothing(clock: VirtualTime) -> None:
    twin, reader = ready_reader(clock)
    twin.bus_error = OSError(5, "Input/output error")
    reader.close()
    assert twin.closed


# ---- opening SPI ---------------------------------------------------------------------------


def test_r14_the_clock_is_set_before_the_first_transfer_of_every_open(
    clock: VirtualTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R14: spidev begins at 125 MHz; the emulated chip refuses any transfer above 10."""
    twin = RC522(clock)
    module = SimpleNamespace(SpiDev=lambda: twin)
    monkeypatch.setitem(__import__("sys").modules, "spidev", module)
    for _ in range(2):
        spi = open_spidev(0, 1, speed_hz=10_000_000)
        assert spi.max_speed_hz == 10_000_000
        Reader(spi).close()
    assert twin.refusals == []
    twin.open(0, 0)
    with pytest.raises(HardwareError, match="125000000 Hz"):
        Reader(twin)


def test_r14_a_clock_that_is_too_fast_is_refused_before_anything_is_opened() -> None:
    for speed_hz in (10_000_001, 0, -1):
        with pytest.raises(ReaderError, match=f"{speed_hz} Hz; an MFRC522 takes 1 to 10000000 Hz"):
            open_spidev(0, 0, speed_hz=speed_hz)


def test_without_spidev_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "spidev", None)
    with pytest.raises(ReaderError, match="apt install python3-spidev"):
        open_spidev(0, 0, speed_hz=4_000_000)


# ---- frames --------------------------------------------------------------------------------


def test_r8_random_uids_are_known_by_their_length_and_first_byte() -> None:
    """R8: the reason for which teaching such a card is refused."""
    assert iso14443a.is_random(bytes.fromhex("0824a937"))
    assert not iso14443a.is_random(bytes.fromhex("08" * 7))
    assert not iso14443a.is_random(FOUR)


@given(uid=uid_strategy())
def test_select_frames_address_every_level_of_a_uid(uid: bytes) -> None:
    frames = iso14443a.select_frames(uid)
    assert [frame[0] for frame in frames] == list(iso14443a.SELECT_CODES[: {4: 1, 7: 2, 10: 3}[len(uid)]])
    parts = [frame[2:6] for frame in frames]
    assert b"".join(part[1:] for part in parts[:-1]) + parts[-1] == uid
    assert all(part[0] == 0x88 for part in parts[:-1])


def test_a_sak_with_a_wrong_length_or_crc_is_none() -> None:
    good = bytes([0x20]) + iso14443a.crc_a(bytes([0x20]))
    assert iso14443a.sak(good) == 0x20
    for place, bit in itertools.product(range(3), range(8)):
        bad = bytearray(good)
        bad[place] ^= 1 << bit
        assert iso14443a.sak(bytes(bad)) is None
    assert iso14443a.sak(good[:2]) is None
    assert iso14443a.sak(good + b"\0") is None


# ---- the campaign --------------------------------------------------------------------------

FIELDS = {"4 bytes": (FOUR,), "7 bytes": (SEVEN,), "two of 7 bytes": (SEVEN, OTHER_SEVEN)}


def _setting(uids: tuple[bytes, ...], resting: bool) -> tuple[VirtualTime, RC522, Reader, tuple[Tag, ...]]:
    clock = VirtualTime()
    twin, reader = ready_reader(clock)
    tags = lay(twin, *uids)
    if resting:
        assert set(reader.inventory()) == set(uids)
    return clock, twin, reader, tags


@pytest.mark.parametrize("resting", [False, True], ids=["new", "resting"])
@pytest.mark.parametrize("uids", FIELDS.values(), ids=FIELDS.keys())
def test_r18_a_card_may_leave_at_any_transfer_of_an_inventory(uids: tuple[bytes, ...], resting: bool) -> None:
    """R18: never a wrong UID, never an exception, never deaf afterwards: the rest is there, a new card is found."""
    clock, twin, reader, _ = _setting(uids, resting)
    begin = twin.transfers
    reader.read()
    transfers = twin.transfers - begin
    for leaving in range(len(uids)):
        for at in range(transfers):
            clock, twin, reader, tags = _setting(uids, resting)
            leave_at, victim = twin.transfers + at, tags[leaving]
            twin.before_transfer = lambda n, twin=twin, at=leave_at, tag=victim: twin.lift(tag) if n == at else None
            assert set(reader.inventory()) <= set(uids)
            assert twin.tags == tuple(tag for tag in tags if tag is not victim)
            lay(twin, TEN)
            found: set[bytes] = set()
            for _ in range(3):
                found = set(reader.inventory())
                assert found <= {*uids, TEN}
                clock.advance_ms(20)
            assert found == {*uids, TEN} - {victim.uid}, f"left at transfer {at} of {transfers}"


@pytest.mark.parametrize("resting", [False, True], ids=["new", "resting"])
@pytest.mark.parametrize("uids", FIELDS.values(), ids=FIELDS.keys())
def test_a_bit_may_flip_in_any_byte_that_the_chip_returns(uids: tuple[bytes, ...], resting: bool) -> None:
    """Never a wrong UID, nothing but a reader's own error, never deaf afterwards."""
    _, twin, reader, _ = _setting(uids, resting)
    begin = twin.bytes_returned
    reader.read()
    returned = twin.bytes_returned - begin
    chance = random.Random(3)
    for byte in range(returned):
        clock, twin, reader, _ = _setting(uids, resting)
        twin.flip(byte, chance.randrange(8))
        found: set[bytes] = set()
        for poll in range(8):
            try:
                found = set(reader.inventory())
            except ReaderError:
                assert poll == 0
                reader.MFRC522_Init()
            assert found <= set(uids)
            if poll and found == set(uids):
                break
            clock.advance_ms(20)
        assert found == set(uids), f"byte {byte} of {returned}"


@pytest.mark.parametrize("register", range(64), ids=lambda register: f"0x{register:02X}")
def test_any_register_may_be_overwritten_between_two_polls(register: int) -> None:
    """Never a wrong UID, nothing but a reader's own error, and within 2 s everything is read again."""
    for value in (0x00, 0xFF, 0x55, 0x10, 0x0C):
        clock, twin, reader, _ = _setting((SEVEN,), True)
        twin.overwrite(register, value)
        lay(twin, FOUR)
        begin = clock.now_ms()
        for _ in range(30):
            try:
                found = set(reader.inventory())
            except ReaderError:
                reader.MFRC522_Init()
                found = set()
            assert found <= {SEVEN, FOUR}
            clock.advance_ms(20)
            if found == {SEVEN, FOUR}:
                break
        assert found == {SEVEN, FOUR}, f"0x{value:02X}"
        assert clock.now_ms() - begin < 2000

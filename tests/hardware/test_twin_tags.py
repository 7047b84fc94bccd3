"""The emulated cards and the air between them and a reader, bit by bit and to the nanosecond."""

from __future__ import annotations

import pytest

from hardware.twins.rc522_air import (
    BIT_NS,
    DELAY_AFTER_NS,
    DELAY_TO_READER_NS,
    REQUEST_GUARD_NS,
    Noise,
    Received,
    Signal,
    delay_ns,
    frame_ns,
    reply_ns,
    superpose,
)
from hardware.twins.tags import Reply, Tag, crc_a
from tests.support.pads_support import FOUR, SEVEN, TEN


def level(uid: bytes, number: int) -> bytes:
    """The four bytes of a cascade level and the byte that checks them."""
    parts = [uid] if len(uid) == 4 else [b"\x88" + uid[:3], uid[3:]]
    if len(uid) == 10:
        parts = [b"\x88" + uid[:3], b"\x88" + uid[3:6], uid[6:]]
    part = parts[number]
    return part + bytes((part[0] ^ part[1] ^ part[2] ^ part[3],))


def with_crc(data: bytes) -> bytes:
    return data + crc_a(data)


def powered(uid: bytes = FOUR, **options: object) -> Tag:
    tag = Tag(uid, start_up_us=0, **options)  # type: ignore[arg-type]
    tag.power(1, 0)
    return tag


def asked(uid: bytes = FOUR, **options: object) -> Tag:
    tag = powered(uid, **options)
    assert tag.hear(b"\x26", 7, 0) is not None
    return tag


def selected(uid: bytes = FOUR, **options: object) -> Tag:
    tag = asked(uid, **options)
    for number, code in enumerate((0x93, 0x95, 0x97)[: {4: 1, 7: 2, 10: 3}[len(uid)]]):
        assert tag.hear(with_crc(bytes((code, 0x70)) + level(uid, number)), 72, 0) is not None
    assert tag.state == "active"
    return tag


def sent(data: bytes) -> Reply:
    return Reply(int.from_bytes(data, "little"), 8 * len(data))


# ---- requests ------------------------------------------------------------------------------


@pytest.mark.parametrize(("uid", "atqa"), [(FOUR, b"\x04\0"), (SEVEN, b"\x44\0"), (TEN, b"\x84\0")])
def test_a_card_tells_in_its_first_answer_how_long_its_uid_is(uid: bytes, atqa: bytes) -> None:
    assert powered(uid).hear(b"\x26", 7, 0) == sent(atqa)
    assert powered(uid).hear(b"\x52", 7, 0) == sent(atqa)
    assert powered(uid).hear(b"\xa6", 7, 0) == sent(atqa), "the eighth bit is not sent"
    assert powered(uid).hear(b"\x26\x00", 7, 0) == sent(atqa), "nor a second byte"


@pytest.mark.parametrize("command", [0x25, 0x27, 0x51, 0x53, 0x00, 0x50])
def test_a_card_that_waits_answers_two_requests_only(command: int) -> None:
    tag = powered()
    assert tag.hear(bytes((command,)), 7, 0) is None
    assert tag.state == "idle"


def test_a_halted_card_answers_the_second_request_only() -> None:
    tag = selected()
    assert tag.hear(with_crc(b"\x50\x00"), 32, 0) is None
    assert tag.state == "halt"
    for command in (0x26, 0x25, 0x51, 0x53):
        assert tag.hear(bytes((command,)), 7, 0) is None
        assert tag.state == "halt"
    assert tag.hear(b"\x52", 7, 0) == sent(b"\x04\0")
    assert tag.state == "ready*"


def test_a_card_that_is_not_selected_is_not_halted() -> None:
    tag = powered()
    assert tag.hear(with_crc(b"\x50\x00"), 32, 0) is None
    assert tag.state == "idle"


# ---- anticollision -------------------------------------------------------------------------


@pytest.mark.parametrize("uid", [FOUR, SEVEN, TEN])
def test_a_card_says_of_each_level_what_the_reader_does_not_know_yet(uid: bytes) -> None:
    for number, code in enumerate((0x93, 0x95, 0x97)[: {4: 1, 7: 2, 10: 3}[len(uid)]]):
        bits = int.from_bytes(level(uid, number), "little")
        for known in range(40):
            tag = asked(uid)
            for before in range(number):
                assert tag.hear(with_crc(bytes(((0x93, 0x95)[before], 0x70)) + level(uid, before)), 72, 0)
            shown = (bits & (1 << known) - 1).to_bytes((known + 7) // 8, "little")
            nvb = (2 + known // 8) << 4 | known % 8
            reply = tag.hear(bytes((code, nvb)) + shown, 16 + known, 0)
            assert reply == Reply(bits >> known, 40 - known, known % 8), (number, known)
            assert tag.state == "ready"


@pytest.mark.parametrize("known", range(1, 40))
def test_a_card_whose_bits_are_others_falls_back(known: int) -> None:
    bits = int.from_bytes(level(FOUR, 0), "little") ^ 1 << known - 1
    tag = asked()
    shown = (bits & (1 << known) - 1).to_bytes((known + 7) // 8, "little")
    assert tag.hear(bytes((0x93, (2 + known // 8) << 4 | known % 8)) + shown, 16 + known, 0) is None
    assert tag.state == "idle"


SELECT = with_crc(b"\x93\x70" + level(FOUR, 0))


@pytest.mark.parametrize(
    ("frame", "bits"),
    [
        (b"\x92\x20", 16),
        (b"\x94\x20", 16),
        (b"\x93\x20", 15),
        (b"\x93\x20", 17),
        (b"\x93\x21", 16),
        (b"\x93\x30\xde", 16),
        (b"\x93", 8),
        (b"\x93\x70" + level(FOUR, 0), 56),
        (b"\x93\x71" + level(FOUR, 0) + b"\0", 57),
        (with_crc(b"\x93\x70" + b"\xde\xad\xbe\xef\x23"), 72),
        (SELECT[:-1] + bytes((SELECT[-1] ^ 1,)), 72),
        (SELECT[:-2] + bytes((SELECT[-2] ^ 1, SELECT[-1])), 72),
        (SELECT, 71),
        (SELECT, 73),
        (with_crc(b"\x93\x71" + level(FOUR, 0)), 72),
        (with_crc(b"\x95\x70" + level(FOUR, 0)), 72),
    ],
)
def test_a_frame_that_is_not_quite_right_is_not_answered_and_ends_the_talk(frame: bytes, bits: int) -> None:
    tag = asked()
    assert tag.hear(frame, bits, 0) is None
    assert tag.state == "idle"


@pytest.mark.parametrize(
    ("uid", "options", "saks"),
    [
        (FOUR, {}, [0x00]),
        (FOUR, {"key": b"\xff" * 6}, [0x08]),
        (FOUR, {"sak": 0x24}, [0x20]),
        (SEVEN, {}, [0x04, 0x00]),
        (SEVEN, {"sak": 0x20}, [0x24, 0x20]),
        (TEN, {"sak": 0x0F}, [0x0F, 0x0F, 0x0B]),
    ],
)
def test_a_selected_card_says_whether_its_uid_is_complete(uid: bytes, options, saks: list[int]) -> None:
    tag = asked(uid, **options)
    replies = [
        tag.hear(with_crc(bytes((code, 0x70)) + level(uid, number)), 72, 0)
        for number, code in enumerate((0x93, 0x95, 0x97)[: len(saks)])
    ]
    assert replies == [sent(with_crc(bytes((sak,)))) for sak in saks]
    assert tag.state == "active"
    assert tag.hear(b"\x26", 7, 0) is None and tag.state == "idle"
    assert tag.hear(b"\x26", 7, 0) and tag.hear(b"\x93\x20", 16, 0), "it begins with its first level again"


def test_a_card_that_falls_back_between_two_levels_begins_with_the_first_again() -> None:
    tag = asked(SEVEN)
    tag.hear(with_crc(b"\x93\x70" + level(SEVEN, 0)), 72, 0)
    assert tag.hear(b"\x93\x20", 16, 0) is None and tag.state == "idle"
    tag.hear(b"\x26", 7, 0)
    assert tag.hear(b"\x93\x20", 16, 0) == Reply(int.from_bytes(level(SEVEN, 0), "little"), 40)
    tag.hear(with_crc(b"\x93\x70" + level(SEVEN, 0)), 72, 0)
    tag.power(1, 0)
    tag.unpower(1, 0, taken_away=True)
    tag.power(1, 0)
    tag.hear(b"\x26", 7, 0)
    assert tag.hear(b"\x93\x20", 16, 0) is not None


# ---- commands ------------------------------------------------------------------------------


def test_a_selected_card_gives_its_page_and_halts_when_told() -> None:
    page = bytes(range(16))
    tag = selected(SEVEN, page=page)
    assert tag.hear(with_crc(b"\x30\x04"), 32, 0) == sent(with_crc(page))
    assert tag.state == "active"
    assert selected().hear(with_crc(b"\x30\x00"), 32, 0) == sent(with_crc(bytes(16)))
    assert tag.hear(with_crc(b"\x50\x00"), 32, 0) is None
    assert tag.state == "halt"


@pytest.mark.parametrize(
    ("frame", "bits"),
    [
        (with_crc(b"\x50\x01"), 32),
        (with_crc(b"\x51\x00"), 32),
        (with_crc(b"\x31\x00"), 32),
        (with_crc(b"\x2f\x00"), 32),
        (with_crc(b"\x50\x00")[:3] + b"\0", 32),
        (with_crc(b"\x50\x00"), 31),
        (with_crc(b"\x30\x00") + b"\0", 40),
        (b"\x30", 8),
    ],
)
def test_a_command_that_a_card_does_not_know_sends_it_back(frame: bytes, bits: int) -> None:
    tag = selected()
    assert tag.hear(frame, bits, 0) is None
    assert tag.state == "idle"


def test_a_mifare_classic_is_read_only_with_its_key() -> None:
    tag = selected(key=b"secret")
    assert tag.hear(with_crc(b"\x30\x00"), 32, 0) is None and tag.state == "idle"
    for key, serial, agreed, state in (
        (b"secret", FOUR, True, "active"),
        (b"Secret", FOUR, False, "idle"),
        (b"secret", b"\xde\xad\xbe\xee", False, "idle"),
    ):
        tag = selected(key=b"secret")
        assert tag.authenticate(key, serial) is agreed and tag.state == state
    tag = asked(key=b"secret")
    assert not tag.authenticate(b"secret", FOUR) and tag.state == "idle"
    tag = selected(SEVEN, key=b"secret")
    assert tag.authenticate(b"secret", SEVEN[:4])


def test_noise_sends_back_only_a_card_that_is_being_spoken_to() -> None:
    for tag, state in ((powered(), "idle"), (asked(), "idle"), (selected(), "idle")):
        tag.hear_noise()
        assert tag.state == state
    tag = selected()
    tag.hear(with_crc(b"\x50\x00"), 32, 0)
    tag.hear_noise()
    assert tag.state == "halt"
    tag.hear(b"\x52", 7, 0)
    tag.hear_noise()
    assert tag.state == "halt"


# ---- power ---------------------------------------------------------------------------------


def test_a_card_holds_its_state_without_a_field_for_less_than_5_ms() -> None:
    for gap_ns, state in ((4_999_999, "ready"), (5_000_000, "idle"), (0, "ready")):
        tag = asked()
        tag.unpower(1, 7, taken_away=False)
        assert tag.hear(b"\x26", 7, 8) is None
        tag.power(1, 7 + gap_ns)
        assert tag.state == state


def test_a_card_lives_on_while_one_of_two_fields_reaches_it() -> None:
    tag = asked()
    tag.power(2, 10)
    assert tag.state == "ready"
    tag.unpower(1, 20, taken_away=True)
    assert tag.state == "ready" and tag.answers_at(20)
    tag.unpower(2, 30, taken_away=True)
    assert tag.state == "power-off" and not tag.answers_at(10**12)


def test_a_card_answers_from_the_end_of_its_start_up_on() -> None:
    tag = Tag(FOUR, start_up_us=10)
    tag.power(1, 500)
    assert not tag.answers_at(10_499) and tag.answers_at(10_500)
    assert tag.hear(b"\x26", 7, 10_499) is None
    assert tag.hear(b"\x26", 7, 10_500) is not None
    default = Tag(FOUR)
    default.power(1, 0)
    assert not default.answers_at(4_999_999) and default.answers_at(5_000_000)


def test_a_phone_takes_another_uid_each_time_it_is_powered() -> None:
    uids = iter((b"\x08\1\2\3", SEVEN))
    tag = Tag(FOUR, start_up_us=0, new_uid=lambda: next(uids))
    assert tag.uid == FOUR
    tag.power(1, 0)
    assert tag.uid == b"\x08\1\2\3"
    tag.unpower(1, 0, taken_away=True)
    tag.power(1, 0)
    assert tag.uid == SEVEN
    assert tag.hear(b"\x26", 7, 0) == sent(b"\x44\0")


@pytest.mark.parametrize("length", [0, 3, 5, 6, 8, 9, 11])
def test_a_uid_of_another_length_is_refused_with_its_bytes(length: int) -> None:
    with pytest.raises(ValueError, match=f"a UID of {length} bytes .*cards have 4, 7 or 10"):
        Tag(bytes(length))


def test_the_crc_of_the_cards_is_that_of_the_standards_examples() -> None:
    """ISO/IEC 14443-3, annex B: 00 00 gives A0 1E, 12 34 gives 26 CF."""
    assert crc_a(b"\0\0") == b"\xa0\x1e"
    assert crc_a(b"\x12\x34") == b"\x26\xcf"


# ---- the air -------------------------------------------------------------------------------


def test_the_times_on_the_air_are_those_of_the_standard() -> None:
    """In periods of the carrier of 13.56 MHz: 128 a bit, 1172 or 1236 before an answer, 7000 between requests."""
    assert BIT_NS == 9440
    assert DELAY_AFTER_NS == (86431, 91150)
    assert DELAY_TO_READER_NS == 86431
    assert REQUEST_GUARD_NS == 516224


@pytest.mark.parametrize(
    ("bits", "on_air"), [(0, 2), (1, 3), (7, 9), (8, 11), (9, 12), (15, 18), (16, 20), (32, 38), (72, 83)]
)
def test_a_frame_has_a_start_an_end_and_a_parity_bit_for_each_whole_byte(bits: int, on_air: int) -> None:
    assert frame_ns(bits) == on_air * BIT_NS
    assert reply_ns(Reply(0, bits)) == on_air * BIT_NS


def test_an_answer_that_begins_within_a_byte_has_the_parity_bit_of_that_byte_too() -> None:
    assert reply_ns(Reply(0, 5, 3)) == 8 * BIT_NS
    assert reply_ns(Reply(0, 4, 3)) == 6 * BIT_NS
    assert reply_ns(Reply(0, 12, 4)) == 16 * BIT_NS


@pytest.mark.parametrize(
    ("data", "bits", "bit"),
    [
        (b"\x26", 7, 0),
        (b"\x52", 7, 1),
        (b"\x93\x20", 16, 0),  # its parity bit makes the number of ones odd
        (b"\x93\x30", 16, 1),
        (b"\x30\x93", 16, 1),
        (b"\x01", 1, 1),
        (b"\x02", 1, 0),
        (b"\x93\x21\x01", 17, 1),
        (b"\x93\x21\x02", 17, 0),
        (b"\x93\x27\x40", 23, 1),
        (b"\x93\x27\x3f", 23, 0),
    ],
)
def test_the_delay_before_an_answer_depends_on_the_last_bit_sent(data: bytes, bits: int, bit: int) -> None:
    assert delay_ns(data, bits) == DELAY_AFTER_NS[bit]


def signal(value: int, bits: int, align: int = 0) -> Signal:
    reply = Reply(value, bits, align)
    return Signal(Tag(FOUR), reply, 1000, 1000 + reply_ns(reply), bits)


@pytest.mark.parametrize(
    ("on_air", "bits"), [(0, 0), (1, 0), (2, 0), (3, 1), (4, 2), (9, 7), (10, 8), (11, 8), (12, 9), (19, 16), (20, 16)]
)
def test_of_an_answer_that_is_cut_only_whole_bits_arrive(on_air: int, bits: int) -> None:
    """A start bit, eight bits, their parity, and so on; the bit during which it is cut does not count."""
    cut = signal(0xFFFF, 16)
    cut.cut(1000 + on_air * BIT_NS)
    assert cut.bits == bits
    assert cut.end_ns == 1000 + on_air * BIT_NS


def test_an_answer_that_is_over_or_has_not_begun_is_cut_to_all_or_nothing() -> None:
    over = signal(0xFFFF, 16)
    over.cut(over.end_ns)
    over.cut(over.end_ns + 5)
    assert (over.bits, over.end_ns) == (16, 1000 + 20 * BIT_NS)
    early = signal(0xFFFF, 16)
    early.cut(10)
    assert (early.bits, early.end_ns) == (0, 1000)


@pytest.mark.parametrize(
    ("signals", "received"),
    [
        ([], Received(0, 0, 0, 0)),
        ([signal(0b1010, 4)], Received(0b1010, 4, 0, 0)),
        ([signal(0b1010, 4), signal(0b1010, 4)], Received(0b1010, 4, 0, 0)),
        ([signal(0b1010, 4), signal(0b1011, 4)], Received(0b1011, 4, 0, 1)),
        ([signal(0b1010, 4, 3), signal(0b0010, 4, 3)], Received(0b1010, 4, 3, 4)),
        ([signal(0b01, 2, 1), signal(0b1111, 4, 2)], Received(0b1111, 4, 2, 2)),
        ([signal(0b1111, 4, 2), signal(0b01, 2, 1)], Received(0b1111, 4, 2, 2)),
        ([signal(0b11, 2, 1), signal(0b1111, 4, 2)], Received(0b1111, 4, 2, 0)),
        ([signal(0b1000, 4, 2), signal(0b1000, 4, 5)], Received(0b1000, 4, 2, 0)),
        ([signal(0b110011, 2)], Received(0b11, 2, 0, 0)),
    ],
)
def test_answers_lie_over_each_other_and_the_first_bit_that_differs_is_the_collision(signals, received) -> None:
    assert superpose(signals) == received


def test_noise_loses_spoils_and_passes_on_as_many_answers_as_it_says() -> None:
    whole = Received(0b1011_0010_1111_0000, 16, 3, 5)
    assert Noise(0, 0, 1).pass_on(whole) is whole
    assert Noise(1, 0, 1).pass_on(whole) is None
    empty = Received(0, 0, 0, 0)
    assert Noise(0, 1, 1).pass_on(empty) is empty
    noise = Noise(0.25, 0.5, 1)
    got = [noise.pass_on(whole) for _ in range(2000)]
    assert 400 < got.count(None) < 600
    assert 400 < sum(some is whole for some in got) < 600
    spoilt = [some for some in got if some is not None and some is not whole]
    parity = [some for some in spoilt if some == Received(whole.value, 16, 3, 5, parity_error=True)]
    flipped = [some for some in spoilt if not some.parity_error and some.bits == 16]
    short = [some for some in spoilt if some.bits < 16]
    assert all((some.value ^ whole.value).bit_count() == 1 for some in flipped)
    assert {(some.value ^ whole.value).bit_length() for some in flipped} == set(range(1, 17))
    assert {some.bits for some in short} == set(range(16))
    assert all(some.value == whole.value & (1 << some.bits) - 1 and not some.parity_error for some in short)
    assert all((some.align, some.collision) == (3, 5) for some in spoilt)
    assert len(parity) + len(flipped) + len(short) == len(spoilt)
    assert all(250 < len(kind) < 420 for kind in (parity, flipped, short))
    again = Noise(0.25, 0.5, 1)
    assert [again.pass_on(whole) for _ in range(2000)] == got, "the same seed, the same noise"

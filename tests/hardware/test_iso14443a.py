"""Frames, CRC and check bytes of ISO/IEC 14443-3 type A: as the standard has them, byte by byte."""

from __future__ import annotations

import pytest

from hardware import iso14443a as iso
from hardware.twins.tags import crc_a as bit_by_bit


def test_the_commands_are_those_of_the_standard() -> None:
    assert (iso.REQA, iso.WUPA, iso.SHORT_FRAME_BITS) == (b"\x26", b"\x52", 7)
    assert iso.HLTA == b"\x50\x00\x57\xcd"
    assert tuple(iso.SELECT_CODES) == (0x93, 0x95, 0x97)
    assert (iso.CASCADE_TAG, iso.UID_INCOMPLETE, iso.RANDOM_UID) == (0x88, 0x04, 0x08)
    assert iso.UID_LENGTHS == (4, 7, 10)


@pytest.mark.parametrize(("data", "crc"), [("0000", "a01e"), ("1234", "26cf"), ("", "6363"), ("5000", "57cd")])
def test_the_crc_is_that_of_annex_b(data: str, crc: str) -> None:
    assert iso.crc_a(bytes.fromhex(data)).hex() == crc


def test_the_crc_by_table_is_that_bit_by_bit() -> None:
    for byte in range(256):
        assert iso.crc_a(bytes([byte])) == bit_by_bit(bytes([byte]))


def test_an_anticollision_frame_says_how_much_of_the_level_it_holds() -> None:
    """NVB (6.5.3.1): whole bytes, the two before counted, in the upper half; bits beyond in the lower."""
    level = 0x04_C3_B2_A1
    assert iso.anticollision(0x93, 0, 0) == b"\x93\x20"
    assert iso.anticollision(0x93, 0x01, 1) == b"\x93\x21\x01"
    assert iso.anticollision(0x95, 0x21, 7) == b"\x95\x27\x21"
    assert iso.anticollision(0x95, 0xA1, 8) == b"\x95\x30\xa1"
    assert iso.anticollision(0x95, 0x02A1, 10) == b"\x95\x32\xa1\x02"
    assert iso.anticollision(0x97, level, 32) == b"\x97\x60\xa1\xb2\xc3\x04"


@pytest.mark.parametrize(
    ("uid", "levels"),
    [
        ("deadbeef", ["93 deadbeef 22"]),
        ("04a1b2c3d4e580", ["93 8804a1b2 9f", "95 c3d4e580 72"]),
        ("0411223344556677889a", ["93 88041122 bf", "95 88334455 aa", "97 6677889a 03"]),
    ],
)
def test_a_card_is_addressed_by_a_frame_for_each_level_of_its_uid(uid: str, levels: list[str]) -> None:
    bodies = [
        bytes.fromhex(code) + b"\x70" + bytes.fromhex(part) for code, part in (line.split(" ", 1) for line in levels)
    ]
    assert iso.select_frames(bytes.fromhex(uid)) == tuple(body + iso.crc_a(body) for body in bodies)


@pytest.mark.parametrize(
    ("answer", "sak"),
    [
        (b"\x00" + iso.crc_a(b"\x00"), 0x00),
        (b"\x04" + iso.crc_a(b"\x04"), 0x04),
        (b"\x04" + iso.crc_a(b"\x00"), None),
        (b"\x04" + iso.crc_a(b"\x04")[:1], None),
        (b"\x04" + iso.crc_a(b"\x04") + b"\x00", None),
        (b"", None),
    ],
)
def test_a_sak_counts_if_it_has_its_length_and_its_crc(answer: bytes, sak: int | None) -> None:
    assert iso.sak(answer) == sak


def test_a_uid_of_four_bytes_that_begins_with_08_is_made_up_anew_each_time() -> None:
    assert iso.is_random(b"\x08abc")
    assert not any(map(iso.is_random, (b"\x07abc", b"\x09abc", b"a\x08bc", b"\x08abcdef", b"\x08ab")))

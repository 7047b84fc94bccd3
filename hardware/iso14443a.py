"""Frames of ISO/IEC 14443-3 type A, as pure functions of bytes: what a reader sends to find cards, and checks.

Sections are those of ISO/IEC 14443-3:2018.
"""

from __future__ import annotations

from functools import lru_cache

REQA = b"\x26"  # wakes cards that are IDLE (6.4.1); 7 bits
WUPA = b"\x52"  # wakes those in HALT too; 7 bits
SHORT_FRAME_BITS = 7
SELECT_CODES = (0x93, 0x95, 0x97)  # one for each cascade level (6.5.3.2)
CASCADE_TAG = 0x88  # stands before three bytes of a UID that goes on in the next level (6.5.4)
UID_INCOMPLETE = 0x04  # in the SAK (6.5.3.4)
RANDOM_UID = 0x08  # first byte of a UID of four bytes that is another one each time (6.5.4)
UID_LENGTHS = (4, 7, 10)


def _crc_table() -> tuple[int, ...]:
    def entry(value: int, rounds: int = 8) -> int:
        return entry(value >> 1 ^ (0x8408 if value & 1 else 0), rounds - 1) if rounds else value

    return tuple(map(entry, range(256)))


_CRC_TABLE = _crc_table()


def crc_a(data: bytes) -> bytes:
    """CRC_A (annex B): two bytes, in the order in which they are sent."""
    crc = 0x6363
    for byte in data:
        crc = crc >> 8 ^ _CRC_TABLE[(crc ^ byte) & 0xFF]
    return crc.to_bytes(2, "little")


HLTA = b"\x50\x00" + crc_a(b"\x50\x00")


def bcc(part: bytes) -> int:
    """The check byte of four bytes of a UID (6.5.3.1)."""
    return part[0] ^ part[1] ^ part[2] ^ part[3]


def anticollision(code: int, known: int, bits: int) -> bytes:
    """The ANTICOLLISION frame for cards whose level begins with the `bits` lowest bits of `known` (0 to 32).

    If `bits` is not a multiple of 8, only `bits % 8` bits of the last byte are sent.
    """
    return bytes([code, 0x20 + (bits // 8 << 4) + bits % 8]) + known.to_bytes((bits + 7) // 8, "little")


def select(code: int, level: bytes) -> bytes:
    """The SELECT frame for a level's five bytes (four and their BCC)."""
    body = bytes([code, 0x70]) + level
    return body + crc_a(body)


@lru_cache
def select_frames(uid: bytes) -> tuple[bytes, ...]:
    """The SELECT frames, one for each cascade level, that address the card with this UID and no other."""
    frames = []
    rest = uid
    for code in SELECT_CODES:
        part, rest = (rest, b"") if len(rest) == 4 else (bytes([CASCADE_TAG]) + rest[:3], rest[3:])
        frames.append(select(code, part + bytes([bcc(part)])))
        if not rest:
            break
    return tuple(frames)


def sak(answer: bytes) -> int | None:
    """The SAK in an answer to SELECT; None if its length or its CRC is wrong (6.5.3.4)."""
    return answer[0] if len(answer) == 3 and crc_a(answer[:1]) == answer[1:] else None


def is_random(uid: bytes) -> bool:
    """Whether a UID is made up anew each time, as phones and bank cards do: never the name of a card."""
    return len(uid) == 4 and uid[0] == RANDOM_UID

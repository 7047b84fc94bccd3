"""The air between an emulated reader and its cards: how long frames last, and what several answers make.

Times are nanoseconds. All of it is ISO/IEC 14443 type A at 106 kbit/s; nothing here is faster than the
standard allows.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass

from hardware.twins.tags import Reply, Tag

CARRIER_HZ = 13_560_000  # fc (ISO/IEC 14443-2, 6.1)
BIT_NS = round(128e9 / CARRIER_HZ)  # 1 etu at 106 kbit/s (14443-3, 6.1)
# Frame delay time PCD to PICC, n = 9, after a last bit 0 or 1 (14443-3, 6.2.1.1). Counted here from the end of
# the whole frame; the standard counts from its last pause, a few microseconds earlier.
DELAY_AFTER_NS = (round(1172e9 / CARRIER_HZ), round(1236e9 / CARRIER_HZ))
DELAY_TO_READER_NS = round(1172e9 / CARRIER_HZ)  # frame delay time PICC to PCD, at least (6.2.1.2)
REQUEST_GUARD_NS = round(7000e9 / CARRIER_HZ)  # between the starts of two requests, at least (6.2.2)


def frame_ns(bits: int) -> int:
    """How long the reader sends a frame of so many data bits: start, data, a parity bit a byte, end (6.2.3)."""
    return (1 + bits + bits // 8 + 1) * BIT_NS


def reply_ns(reply: Reply) -> int:
    """How long a card sends: the same, where a byte that was split has its parity bit too."""
    return (1 + reply.bits + (reply.align + reply.bits) // 8 + 1) * BIT_NS


def delay_ns(data: bytes, bits: int) -> int:
    """The frame delay time after this frame: it depends on the last bit sent, which may be a parity bit."""
    last = data[-1]
    bit = (last.bit_count() + 1) & 1 if bits % 8 == 0 else last >> (bits % 8 - 1) & 1
    return DELAY_AFTER_NS[bit]


@dataclass(slots=True)
class Signal:
    """One card's answer on the air. `bits` is cut when the card leaves while it sends."""

    tag: Tag
    reply: Reply
    start_ns: int
    end_ns: int
    bits: int

    def cut(self, now_ns: int) -> None:
        """The card stops in the middle of it: only whole bits that were sent until now arrive."""
        sent = max(0, (now_ns - self.start_ns) // BIT_NS - 1)
        self.bits = min(self.bits, sent * 8 // 9)
        self.end_ns = min(self.end_ns, max(now_ns, self.start_ns))


@dataclass(frozen=True, slots=True)
class Received:
    """What a receiver makes of all the answers together.

    `collision`: the first bit (counted from 1, in the order of the air) where two cards differ, 0 if none.
    """

    value: int
    bits: int
    align: int
    collision: int
    parity_error: bool = False


def superpose(signals: Iterable[Signal]) -> Received:
    """Lay the answers over each other; they start together, since all cards keep the same delay."""
    ones = zeros = bits = align = 0
    for signal in signals:
        mask = (1 << signal.bits) - 1
        ones |= signal.reply.value & mask
        zeros |= ~signal.reply.value & mask
        if signal.bits > bits:
            bits = signal.bits
            align = signal.reply.align
    both = ones & zeros
    collision = (both & -both).bit_length()
    return Received(ones, bits, align, collision)


class Noise:
    """A bad field: of every answer, `lost` (0 to 1) do not arrive and `spoilt` arrive damaged.

    Damage is, in equal parts, a parity error, flipped bits whose parity still fits, and a lost end.
    `seed` makes it repeatable.
    """

    def __init__(self, lost: float, spoilt: float, seed: int) -> None:
        self.lost = lost
        self.spoilt = spoilt
        self._random = random.Random(seed)

    def pass_on(self, received: Received) -> Received | None:
        """What is left of it; None: nothing."""
        chance = self._random.random()
        if chance < self.lost:
            return None
        if chance >= self.lost + self.spoilt or received.bits == 0:
            return received
        kind = self._random.randrange(3)
        value, bits = received.value, received.bits
        if kind == 1:
            value ^= 1 << self._random.randrange(bits)
        elif kind == 2:
            bits = self._random.randrange(bits)
            value &= (1 << bits) - 1
        return Received(value, bits, received.align, received.collision, parity_error=kind == 0)

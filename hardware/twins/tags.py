"""Emulated contactless cards (PICC) of ISO/IEC 14443-3 type A, as the air interface sees them.

A `Tag` hears frames and answers as its state allows: POWER-OFF, IDLE, READY, ACTIVE, HALT and the starred
READY* and ACTIVE* that lead back to HALT (ISO/IEC 14443-3, 6.3 "PICC states"). Whatever it does not expect,
or what is damaged, sends it back to IDLE (starred: HALT) without an answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

CASCADE_TAG = 0x88  # first byte of a level that does not finish the UID (14443-3, 6.5.4)
SELECT_CODES = (0x93, 0x95, 0x97)  # SEL of cascade levels 1, 2 and 3 (6.5.3.2)
SAK_UID_INCOMPLETE = 0x04  # (6.5.3.4)

# A card must answer 5 ms after it has come into a field (14443-3, 5.2.1 "polling"); slower ones are not allowed.
START_UP_US = 5000
# A card may live on for this long after the field went off (reset time of the field, 14443-3, 5.2.4).
POWER_HOLD_US = 5000


class TagState(Enum):
    OFF = "power-off"
    IDLE = "idle"
    READY = "ready"
    ACTIVE = "active"
    HALT = "halt"


@dataclass(frozen=True, slots=True)
class Reply:
    """What a card sends: `bits` data bits (no parity), first on the air in the lowest bit of `value`.

    `align`: where in its first byte the first bit stands (a frame split in the middle of a byte), 0 to 7.
    """

    value: int
    bits: int
    align: int = 0


@lru_cache
def crc_a(data: bytes) -> bytes:
    """CRC_A, two bytes as they are sent (ISO/IEC 14443-3, annex B), computed bit by bit."""
    crc = 0x6363
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x8408 if crc & 1 else 0)
    return crc.to_bytes(2, "little")


def _reply(data: bytes) -> Reply:
    return Reply(int.from_bytes(data, "little"), 8 * len(data))


def _cascade(uid: bytes) -> tuple[int, ...]:
    """The 40 bits of each cascade level (four bytes and their BCC) as numbers, first bit lowest."""
    if len(uid) not in (4, 7, 10):
        raise ValueError(f"a UID of {len(uid)} bytes ({uid.hex()}); cards have 4, 7 or 10")
    levels = []
    rest = uid
    while rest:
        part, rest = (rest, b"") if len(rest) == 4 else (bytes([CASCADE_TAG]) + rest[:3], rest[3:])
        bcc = part[0] ^ part[1] ^ part[2] ^ part[3]
        levels.append(int.from_bytes(part + bytes([bcc]), "little"))
    return tuple(levels)


class Tag:
    """One card. It may lie in the fields of several readers at once; it has one state.

    `uid`: 4, 7 or 10 bytes. `new_uid`: for phones and bank cards, which take another UID each time they are
    powered; called for it. `start_up_us`: from power to the first answer. `key`: the sector key of a MIFARE
    Classic, None for anything else. `page`: the 16 bytes that READ returns.
    """

    def __init__(
        self,
        uid: bytes,
        *,
        sak: int | None = None,
        start_up_us: int = START_UP_US,
        key: bytes | None = None,
        page: bytes = bytes(16),
        new_uid: Callable[[], bytes] | None = None,
    ) -> None:
        self._levels = _cascade(bytes(uid))
        self.uid = bytes(uid)
        self._new_uid = new_uid
        self.key = key
        self._page = page
        # SAK 0x00: Ultralight and NTAG; 0x08: MIFARE Classic 1K (NXP AN10833, table 6).
        self.sak = sak if sak is not None else (0x08 if key else 0x00)
        self._start_up_ns = start_up_us * 1000
        self._powers: set[int] = set()
        self._ready_ns = self._start_up_ns
        self._off_since_ns: int | None = None
        self._state = TagState.OFF
        self._starred = False
        self._level: int  # of the cascade; a request begins with the first

    def __repr__(self) -> str:
        return f"<Tag {self.uid.hex()} {self.state}>"

    @property
    def state(self) -> str:
        """The name of the state as the standard writes it, such as "ready*"."""
        starred = self._starred and self._state in (TagState.READY, TagState.ACTIVE)
        return self._state.value + ("*" if starred else "")

    # ---- power -----------------------------------------------------------------------------

    def power(self, field: int, now_ns: int) -> None:
        """The field with this number reaches the card from now on."""
        was_off = not self._powers
        self._powers.add(field)
        if not was_off or self._holds(now_ns):
            return
        self._start(now_ns)

    def unpower(self, field: int, now_ns: int, *, taken_away: bool) -> None:
        """The field is gone: switched off, or the card was taken out of it (then nothing is held)."""
        self._powers.discard(field)
        if not self._powers:
            self._off_since_ns = now_ns
            if taken_away:
                self._state = TagState.OFF

    def _holds(self, now_ns: int) -> bool:
        """Whether its capacitor has carried the card over the time without a field."""
        off_since, self._off_since_ns = self._off_since_ns, None
        return self._state is not TagState.OFF and off_since is not None and now_ns - off_since < POWER_HOLD_US * 1000

    def _start(self, now_ns: int) -> None:
        if self._new_uid is not None:
            self.uid = bytes(self._new_uid())
            self._levels = _cascade(self.uid)
        self._ready_ns = now_ns + self._start_up_ns
        self._state = TagState.IDLE
        self._starred = False

    def answers_at(self, now_ns: int) -> bool:
        """Whether the card has power and has started up."""
        return bool(self._powers) and now_ns >= self._ready_ns

    # ---- frames ----------------------------------------------------------------------------

    def hear(self, data: bytes, bits: int, now_ns: int) -> Reply | None:
        """A frame of `bits` data bits in `data` has ended at `now_ns`; what the card answers, or None."""
        if not self._powers or now_ns < self._ready_ns:
            return None
        if bits == 7:
            return self._requested(data[0] & 0x7F)
        state = self._state
        if state is TagState.READY:
            return self._anticollision(data, bits)
        if state is TagState.ACTIVE:
            return self._command(data, bits)
        return None

    def hear_noise(self) -> None:
        """Something was sent that is not a frame for this card: an unexpected frame (6.3, all states)."""
        if self._powers and self._state in (TagState.READY, TagState.ACTIVE):
            self._fall_back()

    def authenticate(self, key: bytes, serial: bytes) -> bool:
        """MIFARE Classic authentication; anything but a Classic takes 0x60 or 0x61 as unexpected."""
        right = self._state is TagState.ACTIVE and self.key == key and self.uid[:4] == serial
        if not right:
            self._fall_back()
        return right

    def _fall_back(self) -> None:
        self._state = TagState.HALT if self._starred else TagState.IDLE

    def _requested(self, command: int) -> Reply | None:
        if self._state is TagState.IDLE and command in (0x26, 0x52):
            self._starred = False
        elif self._state is TagState.HALT and command == 0x52:
            self._starred = True
        else:
            if self._state in (TagState.READY, TagState.ACTIVE):
                self._fall_back()
            return None
        self._state = TagState.READY
        self._level = 0
        # ATQA: UID size in bits 8 and 7, bit frame anticollision in bit 3 (6.5.2.1).
        return Reply(len(self._levels) - 1 << 6 | 0x04, 16)

    def _anticollision(self, data: bytes, bits: int) -> Reply | None:
        """ANTICOLLISION or SELECT (6.4.2); one that is meant for another card ends the READY state."""
        level = self._levels[self._level]
        if bits >= 16 and data[0] == SELECT_CODES[self._level]:
            if data[1] == 0x70 and bits == 72 and crc_a(data[:7]) == data[7:9]:
                if int.from_bytes(data[2:7], "little") == level:
                    return self._selected()
            elif data[1] < 0x70 and (data[1] >> 4) * 8 + (data[1] & 7) == bits:
                known = bits - 16
                if (int.from_bytes(data[2:], "little") ^ level) & (1 << known) - 1 == 0:
                    return Reply(level >> known, 40 - known, known % 8)
        self._fall_back()
        return None

    def _selected(self) -> Reply:
        self._level += 1
        sak = self.sak
        if self._level < len(self._levels):
            sak |= SAK_UID_INCOMPLETE
        else:
            sak &= ~SAK_UID_INCOMPLETE
            self._state = TagState.ACTIVE
        return _reply(bytes([sak]) + crc_a(bytes([sak])))

    def _command(self, data: bytes, bits: int) -> Reply | None:
        if bits == 32 and crc_a(data[:2]) == data[2:]:
            if data[:2] == b"\x50\x00":  # HLTA (6.4.3): never answered
                self._state = TagState.HALT
                return None
            if data[0] == 0x30 and self.key is None:
                return _reply(self._page + crc_a(self._page))
        self._fall_back()
        return None

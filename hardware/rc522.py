"""An MFRC522 reader: which cards lie in its field.

`Reader` is an `mfrc522.MFRC522` on an SPI device that its caller has opened. It does the inventory of
ISO/IEC 14443-3 type A with all cascade levels, and watches over its chip. Section numbers in comments are those
of the datasheet MFRC522 rev. 3.9, if not said otherwise.

How one poll goes:

1. While the first request is on the air, one transfer reads every register that was set; lost ones are reported
   (`RegistersLost`).
2. REQA wakes cards that are new in the field. One after the other is picked out by anticollision, selected, and
   halted, so that it does not answer the next REQA. While no card is known, WUPA is sent instead.
3. Each known card is woken with WUPA and addressed by its whole UID; only it can answer.

A poll is a generator that yields whenever the chip is busy with the air (`steps`), so that several readers can
share that time. The chip itself is in `hardware.rc522_chip`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from hardware import iso14443a as iso
from hardware.rc522_chip import GAIN_DB, Answer, Mute, Output, ReaderChip, ReaderError, RegistersLost, Stuck, drain

__all__ = ["Mute", "Output", "Reader", "ReaderError", "Reading", "RegistersLost", "Stuck", "open_spidev"]

SPI_LIMIT_HZ = 10_000_000  # 8.1.2
MAX_CARDS = 5  # that are told apart on one pad
TRIES = 3  # for each card and poll, against lost and damaged answers
# Polls without an answer; then the field is switched off for a moment, to begin afresh. Long enough not to come
# between a card that was changed for another and the other one.
FORGET_AFTER_POLLS = 10


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of a poll. `uids`: the cards in the field, each of 4, 7 or 10 bytes, ascending.

    `crowded`: there is more than could be told apart. `blind`: the field is off or just starting; this
    reading says nothing about cards. `shaky`: a card that was there did not answer, or an answer could not be read.
    """

    uids: tuple[bytes, ...] = ()
    crowded: bool = False
    blind: bool = False
    shaky: bool = False


def open_spidev(bus: int, device: int, speed_hz: int) -> Any:
    """Open `/dev/spidev<bus>.<device>` and set its clock and mode before anything is sent.

    spidev begins with whatever the SPI controller can do, 125 MHz on a Pi. Raises ReaderError for a clock that
    the chip cannot follow or if the module spidev is missing, OSError if the device cannot be opened.
    """
    if not 0 < speed_hz <= SPI_LIMIT_HZ:
        raise ReaderError(f"an SPI clock of {speed_hz} Hz; an MFRC522 takes 1 to {SPI_LIMIT_HZ} Hz")
    try:
        import spidev
    except ImportError as error:
        raise ReaderError("the module spidev is missing; install it: sudo apt install python3-spidev") from error
    spi = spidev.SpiDev()
    try:
        spi.open(bus, device)
        spi.max_speed_hz = speed_hz
        spi.mode = 0
    except OSError as error:
        with contextlib.suppress(OSError):
            spi.close()  # spidev's open leaves the device open when what it asks afterwards fails
        if error.errno is not None:
            error.filename = f"/dev/spidev{bus}.{device}"  # spidev does not name it
        raise
    return spi


class Reader(ReaderChip):
    """One reader. `spi`: like an open `spidev.SpiDev`; `reset`: a gpiozero output on NRST, or None.

    Raises `ReaderError` or OSError if the chip does not answer; `spi` is closed then.
    """

    def __init__(self, spi: Any, reset: Output | None = None, gain_db: int = GAIN_DB) -> None:
        self._known: dict[bytes, int] = {}  # card -> polls in a row without an answer
        self._count_from_byte: bool | None = None  # how CollPos counts, once it is known
        self._assumed_from_byte = False
        super().__init__(spi, reset, gain_db)

    def MFRC522_Init(self) -> None:
        self._known.clear()
        super().MFRC522_Init()

    # ---- polling ---------------------------------------------------------------------------

    def inventory(self) -> list[bytes]:
        """One poll: the UIDs of the cards in the field, each of 4, 7 or 10 bytes, in no special order.

        The first polls after a start find nothing, since the field starts then (see `read`). Raises ReaderError
        or OSError if the chip fails.
        """
        return list(self.read().uids)

    def read(self) -> Reading:
        """One poll; see `Reading`. Raises ReaderError or OSError if the chip fails."""
        return drain(self.steps())

    def steps(self) -> Generator[bytes | None, None, Reading]:
        """One poll in steps: yields None whenever the chip is busy, and each UID as soon as it is selected."""
        if not self._field_is_ready():
            return Reading(blind=True)
        seen: set[bytes] = set()
        crowded = yield from self._find_new(seen)
        yield from self._find_known(seen)
        shaky = crowded or len(seen) < len(self._known)
        self._forget_lost()
        return Reading(tuple(sorted(seen)), crowded or len(seen) > MAX_CARDS, shaky=shaky)

    def _find_new(self, seen: set[bytes]) -> Generator[bytes | None, None, bool]:
        """Pick out, select and halt the cards that answer a request; whether more are there than can be."""
        request = iso.REQA if self._known else iso.WUPA
        failures = repeats = 0
        fell_back = False
        while True:
            if not (yield from self._request(request)):
                if not fell_back:
                    return False
                # A card that was left half selected keeps silent once, and answers the next request.
                fell_back = False
                continue
            uid = yield from self._pick_out()
            if uid is None:
                failures += 1
                if failures >= TRIES:
                    return True
                fell_back = True
                continue
            yield uid
            if uid not in self._known and len(self._known) >= MAX_CARDS + 1:
                return True
            repeats += uid in seen
            if repeats >= TRIES:  # it does not obey HLTA
                return False
            seen.add(uid)
            self._known[uid] = 0
            yield from self._exchange(iso.HLTA)
            request = iso.REQA

    def _find_known(self, seen: set[bytes]) -> Generator[None, None, None]:
        """Ask each known card whether it is still there."""
        for uid in list(self._known):
            if uid in seen:
                continue
            if (yield from self._is_there(uid)):
                self._known[uid] = 0
                seen.add(uid)
            else:
                self._known[uid] += 1

    def _forget_lost(self) -> None:
        """Give up cards that have not answered for some polls.

        One that is there all the same (it lies badly) is in HALT and would never answer a REQA. So the field
        goes off until every card has lost its state.
        """
        lost = [uid for uid, polls in self._known.items() if polls >= FORGET_AFTER_POLLS]
        for uid in lost:
            del self._known[uid]
        if lost:
            self.AntennaOff()
            self._field = "off"
            self._start_field_timer()

    # ---- the air interface -----------------------------------------------------------------

    def _request(self, command: bytes) -> Generator[None, None, bool]:
        """Send REQA or WUPA; whether anything answered (damaged, or several at once, is an answer too)."""
        return (yield from self._exchange(command, iso.SHORT_FRAME_BITS)) is not None

    def _is_there(self, uid: bytes) -> Generator[None, None, bool]:
        for _ in range(TRIES):
            # A card that is still selected from before goes to HALT at the first WUPA, silently.
            awake = (yield from self._request(iso.WUPA)) or (yield from self._request(iso.WUPA))
            if awake and (yield from self._select_known(uid)):
                return True
        return False

    def _select_known(self, uid: bytes) -> Generator[None, None, bool]:
        frames = iso.select_frames(uid)
        for frame in frames:
            answer = yield from self._exchange(frame)
            sak = iso.sak(answer.data) if answer is not None and answer.intact else None
            if sak is None or bool(sak & iso.UID_INCOMPLETE) != (frame is not frames[-1]):
                return False
        return True

    def _pick_out(self) -> Generator[None, None, bytes | None]:
        """Select one of the cards that are READY; its UID, or None if that failed. The SAK says when it ends."""
        uid = b""
        for code in iso.SELECT_CODES:
            level = yield from self._one_level(code)
            if level is None:
                return None
            answer = yield from self._exchange(iso.select(code, level))
            sak = iso.sak(answer.data) if answer is not None and answer.intact else None
            if sak is None:
                return None
            if not sak & iso.UID_INCOMPLETE:
                return uid + level[:4]
            if level[0] != iso.CASCADE_TAG:
                return None
            uid += level[1:4]
        return None

    def _one_level(self, code: int) -> Generator[None, None, bytes | None]:
        """The bitwise anticollision of one cascade level: its five bytes, or None (14443-3, 6.5.3.1)."""
        known = bits = 0
        guessed = False
        while True:
            answer = yield from self._anticollision(code, known, bits)
            if answer is not None and answer.intact:
                start = bits // 8
                value = int.from_bytes(answer.data, "little") << 8 * start & -1 << bits | known
                if answer.collision > 0:
                    position = yield from self._collision_bit(code, value, bits, answer.collision)
                    if bits < position <= 32:
                        guessed = guessed or bits % 8 != 0
                        known = value & (1 << position - 1) - 1 | 1 << position - 1
                        bits = position
                        continue
                elif answer.collision == 0 and answer.last_bits == 0 and len(answer.data) == 5 - start:
                    level = value.to_bytes(5, "little")
                    if iso.bcc(level) == level[4]:
                        return level
            if guessed and self._count_from_byte is None:
                self._assumed_from_byte = not self._assumed_from_byte
            return None

    def _anticollision(self, code: int, known: int, bits: int) -> Generator[None, None, Answer | None]:
        split = bits % 8
        # RxAlign: the first bit of the answer belongs behind the bits that were sent (9.3.1.14).
        return (yield from self._exchange(iso.anticollision(code, known, bits), split << 4 | split))

    def _collision_bit(self, code: int, value: int, bits: int, position: int) -> Generator[None, None, int]:
        """Which bit of the level (from 1) collided, when CollPos said `position` after `bits` were sent.

        Does CollPos count from the first bit received, or from the start of the byte it was aligned in? The
        datasheet does not say (9.3.1.15). Without an alignment both are the same; so the first such collision
        is provoked once more with one, and the chip tells.
        """
        if bits % 8 == 0:
            found = bits + position
            if self._count_from_byte is None and found <= 32:
                yield from self._learn_count(code, value, found)
            return found
        if self._count_from_byte is None and position <= bits % 8:
            self._count_from_byte = False  # counted from the byte, this bit would be one that was sent
        from_byte = self._assumed_from_byte if self._count_from_byte is None else self._count_from_byte
        return position + (bits // 8 * 8 if from_byte else bits)

    def _learn_count(self, code: int, value: int, found: int) -> Generator[None, None, None]:
        bits = found - 1 if (found - 1) % 8 else found - 2
        if bits < 1:
            return
        answer = yield from self._anticollision(code, value & (1 << bits) - 1, bits)
        if answer is None or answer.collision <= 0:
            return
        if answer.collision == found - bits:
            self._count_from_byte = False
        elif answer.collision == found - bits // 8 * 8:
            self._count_from_byte = True

"""An MFRC522 reader: which cards lie in its field.

`Reader` is an `mfrc522.MFRC522` on an SPI device that its caller has opened. It does the inventory of
ISO/IEC 14443-3 type A with all cascade levels, and watches over its chip. Section numbers in comments are those
of the datasheet MFRC522 rev. 3.9, if not said otherwise.

How one poll goes:

1. One transfer reads every register that was set; lost ones are reported (`RegistersLost`).
2. REQA wakes cards that are new in the field. One after the other is picked out by anticollision, selected, and
   halted, so that it does not answer the next REQA. While no card is known, WUPA is sent instead.
3. Each known card is woken with WUPA and addressed by its whole UID; only it can answer.

A poll is a generator that yields whenever the chip is busy with the air (`steps`), so that several readers can
share that time. No step waits for longer than one SPI transfer, and nothing here needs a clock: the chip's own
timer ends every wait.
"""

from __future__ import annotations

import logging
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from hardware import iso14443a as iso
from hardware.mfrc522_import import MFRC522
from hardware.ports import HardwareError

log = logging.getLogger(__name__)

SPI_LIMIT_HZ = 10_000_000  # 8.1.2
MAX_CARDS = 5  # that are told apart on one pad
TRIES = 3  # for each card and poll, against lost and damaged answers
FORGET_AFTER_POLLS = 4  # without an answer; then the field is switched off for a moment, to begin afresh
READY_READS = 100  # how often a chip is asked whether it has started, before it counts as mute
STATUS_SAMPLES = 14
STATUS_READS = 400  # how often a running exchange is asked for; the longest takes some 2 ms

TIMER_TICK_US = 127 / 13.56  # prescaler 63: 2 * 63 + 1 cycles of the carrier (9.3.3.10)
# From the end of a frame until it counts as unanswered. An answer begins after 91 us (14443-3, 6.2.1.1), and its
# fifth bit stops the timer. Not shorter, so that two requests are never nearer than the request guard time of
# 516 us (6.2.2; the frame itself lasts 85).
ANSWER_US = 435
FIELD_US = 6000  # cards lose their state when the field is off for 5 ms, and start up in 5 ms (14443-3, 5.2)

_RX_IRQ, _TIMER_IRQ = 0x20, 0x01
_COLL_ERR, _OTHER_ERRORS = 0x08, 0x13  # BufferOvfl, ParityErr, ProtocolErr (9.3.1.7)


class ReaderError(HardwareError):
    """The root of what a reader reports of itself."""


class Mute(ReaderError):
    """Nothing sensible comes from the chip: no power, no wire, a wrong chip select."""


class RegistersLost(ReaderError):
    """The chip answers, but it is not set as it was: its supply broke down, or somebody reset it."""


class Stuck(ReaderError):
    """The chip answers, but does not finish an exchange."""


class Output(Protocol):
    """What is needed of a gpiozero output device."""

    def on(self) -> None: ...

    def off(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of a poll. `uids`: the cards in the field, each of 4, 7 or 10 bytes.

    `crowded`: there is more than could be told apart. `blind`: the field is off or just starting; this
    reading says nothing about cards.
    """

    uids: tuple[bytes, ...] = ()
    crowded: bool = False
    blind: bool = False


class _Answer(NamedTuple):
    """What came back. `collision`: 0 for none, else CollPos; -1 if the chip could not say where."""

    data: bytes
    whole_bytes: bool
    intact: bool
    collision: int


# A generator that yields None while the chip is busy, and a UID when a card has been selected.
Steps = Generator[bytes | None, None, Any]


def _read_address(register: int) -> int:
    return register << 1 & 0x7E | 0x80


def open_spidev(bus: int, device: int, speed_hz: int = 4_000_000) -> Any:
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
    spi.open(bus, device)
    try:
        spi.max_speed_hz = speed_hz
        spi.mode = 0
    except OSError:
        spi.close()
        raise
    return spi


class Reader(MFRC522):
    """One reader. `spi`: like an open `spidev.SpiDev`; `reset`: a gpiozero output on NRST, or None.

    Raises `ReaderError` or OSError if the chip does not answer; `spi` is closed then.
    """

    # Compared in every poll with what they held after the start: interrupts, modes, transmitter, receiver, timer,
    # tests, version. Not those that the chip changes by itself.
    _WATCHED = (2, 3, 0x0B, *range(0x11, 0x1A), 0x1C, 0x1D, 0x24, *range(0x26, 0x2E), 0x31, 0x32, 0x33, 0x36, 0x37)

    def __init__(self, spi: Any, reset: Output | None = None) -> None:
        # The library's own __init__ opens spidev and a GPIO pin, and adds a log handler each time: not called.
        self.spi = spi
        self.logger = log
        self._reset = reset
        self._known: dict[bytes, int] = {}  # card -> polls in a row without an answer
        self._expected: dict[int, int] = {}
        self._count_from_byte: bool | None = None  # how CollPos counts, once it is known
        self._assumed_from_byte = False
        self._closed = False
        status = (self.CommIrqReg, self.ErrorReg, self.FIFOLevelReg, self.ControlReg, self.CollReg)
        # ComIrqReg many times over in one transfer: a wait that costs fewer transfers than asking again and again.
        self._status_burst = [*[_read_address(self.CommIrqReg)] * STATUS_SAMPLES, *map(_read_address, status), 0]
        check = (self.CommandReg, self.CommIrqReg, self.Status1Reg, self.Status2Reg, self.FIFOLevelReg, self.CollReg)
        self._check_burst = [*map(_read_address, (*check, *self._WATCHED)), 0]
        try:
            if reset is not None:
                reset.on()
            self.MFRC522_Init()
        except (ReaderError, OSError):
            self.close()
            raise

    # ---- setting up ------------------------------------------------------------------------

    def MFRC522_Init(self) -> None:
        """Reset the chip and set it up; cards are read as soon as the field has been off for a moment."""
        self._known.clear()
        self._field: str = "off"
        self._dirty = True
        self.MFRC522_Reset()
        self.version = self._wait_until_ready()
        settings = {
            self.TModeReg: 0x80,  # TAuto: the timer starts when a frame has been sent (9.3.3.10)
            self.TPrescalerReg: 0x3F,
            self.TxAutoReg: 0x40,  # 100 % ASK, as type A wants it (TxASKReg, 9.3.2.6)
            self.ModeReg: 0x3D,  # CRC preset 0x6363 (9.3.2.2)
        }
        for register, value in settings.items():
            self._write(register, value)
        self._write(self.CollReg, 0x00)  # ValuesAfterColl: bits after a collision read as 0 (9.3.1.15)
        self._learn_registers(settings)
        self._start_field_timer()

    def _wait_until_ready(self) -> int:
        """VersionReg, as soon as the oscillator runs (8.8.2); the reset line is pulsed only for a mute chip."""
        version = self._ask_until_ready()
        if version is None and self._reset is not None:
            # Not done as a rule: another reader may hang on the same line.
            self._reset.off()
            self._reset.on()
            version = self._ask_until_ready()
        if version is None:
            raise Mute(self._describe_silence())
        return version

    def _ask_until_ready(self) -> int | None:
        burst = [_read_address(self.CommandReg), _read_address(self.VersionReg), 0]
        for _ in range(READY_READS):
            _, command, version = self.spi.xfer2(list(burst))
            if version not in (0x00, 0xFF) and not command & 0x10:
                return version
        return None

    def _describe_silence(self) -> str:
        value = self.Read_MFRC522(self.VersionReg)
        if value in (0x00, 0xFF):
            return (
                f"reads only 0x{value:02X} from VersionReg, not a version such as 0x92: no power, a wire off "
                "(MISO, MOSI, SCK), or the wrong chip select; check the wiring"
            )
        return f"has not started after a reset (VersionReg 0x{value:02X}); check its supply and reset line"

    def _learn_registers(self, settings: dict[int, int]) -> None:
        """Note what the registers hold now; those that differ from chip to chip are only compared with this."""
        first, second = self._read_watched(), self._read_watched()
        for register, value in settings.items():
            if first[register] != value:
                raise Stuck(
                    f"register 0x{register:02X} holds 0x{first[register]:02X} after 0x{value:02X} was written; "
                    "check MOSI and the SPI clock (long wires need a slower one)"
                )
        self._expected = {register: value for register, value in first.items() if second[register] == value}

    def _read_watched(self) -> dict[int, int]:
        values = self.spi.xfer2(list(self._check_burst))[7:]
        return dict(zip(self._WATCHED, values, strict=True))

    def _write(self, register: int, value: int) -> None:
        """Write a register and expect this value in it from now on."""
        self.Write_MFRC522(register, value)
        if register in self._expected:
            self._expected[register] = value

    def _set_timer(self, us: float) -> None:
        ticks = round(us / TIMER_TICK_US) - 1
        self._write(self.TReloadRegH, ticks >> 8)
        self._write(self.TReloadRegL, ticks & 0xFF)

    # ---- the field -------------------------------------------------------------------------

    def AntennaOn(self) -> None:
        self._write(self.TxControlReg, self._expected.get(self.TxControlReg, 0x80) | 0x03)

    def AntennaOff(self) -> None:
        self._write(self.TxControlReg, self._expected.get(self.TxControlReg, 0x80) & ~0x03)

    def switch_field(self, on: bool) -> None:
        """Switch the antenna on, or off until it is switched on again: for pads that disturb each other.

        Readings are blind while it is off and until the cards have had time to start.
        """
        if on:
            self.AntennaOn()
            self._field = "starting"
            self._start_field_timer()
        else:
            self.AntennaOff()
            self._field = "dark"

    def _start_field_timer(self) -> None:
        self._set_timer(FIELD_US)
        self.Write_MFRC522(self.CommandReg, self.PCD_IDLE)
        self.Write_MFRC522(self.CommIrqReg, 0x7F)
        self.Write_MFRC522(self.ControlReg, 0x40)  # TStartNow (9.3.1.13)

    def _field_is_ready(self, irq: int, status1: int) -> bool:
        """Whether cards can be asked; takes the field through off and starting, by the chip's timer."""
        if self._field == "on":
            return True
        if self._field == "dark":
            return False
        if irq & _TIMER_IRQ:
            if self._field == "off":
                self.switch_field(True)
                return False
            self._field = "on"
            self._set_timer(ANSWER_US)
            return True
        if not status1 & 0x08:  # TRunning (9.3.1.8): somebody has stopped it
            self._start_field_timer()
        return False

    # ---- polling ---------------------------------------------------------------------------

    def inventory(self) -> list[bytes]:
        """One poll: the UIDs of the cards in the field, each of 4, 7 or 10 bytes, in no special order.

        The first polls after a start find nothing, since the field starts then (see `read`). Raises ReaderError
        or OSError if the chip fails.
        """
        return list(self.read().uids)

    def read(self) -> Reading:
        """One poll; see `Reading`. Raises ReaderError or OSError if the chip fails."""
        return _drain(self.steps())

    def steps(self) -> Generator[bytes | None, None, Reading]:
        """One poll in steps: yields None whenever the chip is busy, and each UID as soon as it is selected."""
        irq, status1 = self._check()
        if not self._field_is_ready(irq, status1):
            return Reading(blind=True)
        seen: set[bytes] = set()
        crowded = yield from self._find_new(seen)
        yield from self._find_known(seen)
        self._forget_lost()
        return Reading(tuple(seen), crowded or len(seen) > MAX_CARDS)

    def _check(self) -> tuple[int, int]:
        """ComIrqReg and Status1Reg. Raises if the registers are not as they were set."""
        if self._closed:
            raise ReaderError("this reader was closed; make a new one")
        wrong = self._differences()
        if wrong:
            wrong = self._differences() or ()  # once more: a single bad transfer is no loss
        if wrong:
            if self._last_check[-1] in (0x00, 0xFF) and len(set(self._last_check)) == 1:
                raise Mute(self._describe_silence())
            names = ", ".join(f"0x{register:02X}" for register in wrong[:4])
            raise RegistersLost(f"lost its settings ({len(wrong)} registers changed, {names} among them)")
        _, _, irq, status1, status2, level, _ = self._last_check[:7]
        if status2 & 0x08:  # MFCrypto1On: nothing is understood while it is set (9.3.1.9)
            self.MFRC522_StopCrypto1()
        if level:
            self._dirty = True
        return irq, status1

    def _differences(self) -> list[int]:
        self._last_check = values = self.spi.xfer2(list(self._check_burst))
        expected = self._expected
        wrong = [r for r, value in zip(self._WATCHED, values[7:], strict=True) if expected.get(r, value) != value]
        if values[1] & 0x30:  # RcvOff, PowerDown
            wrong.append(self.CommandReg)
        if values[6] & 0x80:
            wrong.append(self.CollReg)
        return wrong

    def _find_new(self, seen: set[bytes]) -> Generator[bytes | None, None, bool]:
        """Pick out, select and halt the cards that answer a request; whether more are there than can be."""
        request = iso.REQA if self._known else iso.WUPA
        failures = 0
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
                if failures == TRIES:
                    return True
                fell_back = True
                continue
            yield uid
            if uid not in self._known and len(self._known) >= MAX_CARDS + 1:
                return True
            seen.add(uid)
            self._known[uid] = 0
            yield from self._exchange(iso.HLTA)
            request = iso.REQA

    def _find_known(self, seen: set[bytes]) -> Steps:
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
                elif answer.whole_bytes and len(answer.data) == 5 - start:
                    level = value.to_bytes(5, "little")
                    if iso.bcc(level) == level[4]:
                        return level
            if guessed and self._count_from_byte is None:
                self._assumed_from_byte = not self._assumed_from_byte
            return None

    def _anticollision(self, code: int, known: int, bits: int) -> Generator[None, None, _Answer | None]:
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
            if self._count_from_byte is None and 2 <= found <= 32:
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

    def _exchange(self, data: bytes, framing: int = 0) -> Generator[None, None, _Answer | None]:
        """Send a frame and wait for the answer; None if there was none. `framing`: RxAlign and TxLastBits."""
        transfer = self.spi.xfer2
        if self._dirty:
            transfer([self.FIFOLevelReg << 1, 0x80])  # FlushBuffer
        transfer([self.CommandReg << 1, self.PCD_IDLE])
        transfer([self.CommIrqReg << 1, 0x7F])
        transfer([self.FIFODataReg << 1, *data])
        transfer([self.CommandReg << 1, self.PCD_TRANSCEIVE])
        transfer([self.BitFramingReg << 1, 0x80 | framing])  # StartSend
        self._dirty = True
        yield
        for _ in range(STATUS_READS):
            irq, error, level, control, collision = transfer(list(self._status_burst))[-5:]
            if irq & 0x80:  # Set1 always reads as 0: this is no status (9.3.1.5)
                yield
                continue
            if irq & _RX_IRQ:
                return self._fetch(error, level & 0x7F, control, collision)
            if irq & _TIMER_IRQ:
                self._dirty = level != 0
                return None
            yield
        raise Stuck("does not finish an exchange: neither an answer nor its timer; check its supply and the wiring")

    def _fetch(self, error: int, level: int, control: int, collision: int) -> _Answer:
        count = min(level, 16)
        data = bytes(self.spi.xfer2([_read_address(self.FIFODataReg)] * count + [0])[1:])
        intact = not error & _OTHER_ERRORS
        place = 0
        if error & _COLL_ERR:
            place = -1 if collision & 0x20 else collision & 0x1F or 32
        self._dirty = not intact or place != 0 or count != level
        return _Answer(data, control & 0x07 == 0, intact, place)

    # ---- the library's own calls -----------------------------------------------------------

    def MFRC522_ToCard(self, command: int, sendData: list[int]) -> tuple[int, list[int], int]:
        """As in the library, for its other methods: a status, the bytes received, and their number of bits."""
        if command != self.PCD_TRANSCEIVE:
            raise ReaderError(f"the command 0x{command:02X} is not used here; this reader never authenticates")
        framing = self.Read_MFRC522(self.BitFramingReg) & 0x77
        answer = _drain(self._exchange(bytes(sendData), framing))
        if answer is None:
            return self.MI_NOTAGERR, [], 0
        status = self.MI_OK if answer.intact and answer.collision == 0 else self.MI_ERR
        return status, list(answer.data), 8 * len(answer.data)

    def close(self) -> None:
        """Switch the field off and close the SPI device. May be called twice; never raises."""
        if self._closed:
            return
        self._closed = True
        try:
            self.ClearBitMask(self.TxControlReg, 0x03)
        except (ReaderError, OSError) as error:
            log.debug("the antenna could not be switched off: %s", error)
        try:
            self.spi.close()
        except OSError as error:
            log.debug("the SPI device could not be closed: %s", error)

    Close_MFRC522 = close


def _drain(steps: Generator[Any, None, Any]) -> Any:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value

"""The MFRC522 behind a reader: set up, watched over, and one exchange with cards at a time.

Section numbers are those of the datasheet MFRC522 rev. 3.9, if not said otherwise. No step waits for longer than
one SPI transfer, and nothing here needs a clock: the chip's own timer ends every wait.
"""

from __future__ import annotations

import logging
from collections.abc import Generator
from typing import Any, NamedTuple, Protocol, TypeVar

from hardware.mfrc522_import import MFRC522
from hardware.ports import HardwareError
from hardware.rc522_watch import RegisterWatch

log = logging.getLogger(__name__)

READY_READS = 100  # how often a chip is asked whether it has started, before it counts as mute
SETTING_TRIES = 3  # a write may fall into the end of the reset, of which the datasheet gives no length (10.3.1.10)
FIELD_AGAIN = 50  # polls, about a second: so often the field is switched on anew where nobody can see whether it is on
STATUS_SAMPLES = 10  # ComIrqReg in one transfer while an exchange runs: fewer transfers than asking again and again
STATUS_READS = 400  # how often a running exchange is asked for; the longest takes some 2 ms

TIMER_TICK_US = 127 / 13.56  # prescaler 63: 2 * 63 + 1 cycles of the carrier (9.3.3.10)
# From the end of a frame until it counts as unanswered. An answer begins after 91 us (14443-3, 6.2.1.1), and its
# fifth bit stops the timer. Not shorter, so that two requests are never nearer than the request guard time of
# 516 us (6.2.2): the request itself lasts 85, and six transfers of 15 or more come before the next one.
ANSWER_US = 345
FIELD_US = 6000  # cards lose their state when the field is off for 5 ms, and start up in 5 ms (14443-3, 5.2)

# RxGain of RFCfgReg by the gain in dB; two codes each have 18 and 23 (9.3.3.6). What a reset gives is GAIN_DB.
GAINS_DB = {18: 0, 23: 1, 33: 4, 38: 5, 43: 6, 48: 7}
GAIN_DB = 33

_FIELD_OFF, _FIELD_ON = 0x80, 0x83  # TxControlReg: its reset value (table 20), and Tx1RFEn and Tx2RFEn (9.3.2.5)
_RX_IRQ, _TIMER_IRQ = 0x20, 0x01  # 9.3.1.5
_COLL_ERR, _PARITY_ERR, _NO_FRAME = 0x08, 0x02, 0x11  # 9.3.1.7; BufferOvfl or ProtocolErr: it is none of type A


class ReaderError(HardwareError):
    """The base class of the faults that a reader reports of itself."""


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


class Answer(NamedTuple):
    """What came back. `last_bits`: how many bits of the last byte are valid, 0 for all of them.

    `collision`: 0 for none, else CollPos; -1 if the chip could not say where.
    """

    data: bytes
    last_bits: int
    intact: bool
    collision: int


def read_address(register: int) -> int:
    """The address byte that reads a register (8.1.2.3)."""
    return register << 1 & 0x7E | 0x80


class ReaderChip(MFRC522):
    """One MFRC522. `spi`: like an open `spidev.SpiDev`; `reset`: a gpiozero output on NRST, or None.
    `gain_db`: of its receiver, one of GAINS_DB.

    Raises `ReaderError` or OSError if the chip does not answer; `spi` is closed then.
    """

    # Compared in every poll with what they held after the start: interrupts, modes, transmitter, receiver, timer,
    # tests, version. Not those that the chip changes by itself.
    _WATCHED = (2, 3, 0x0B, *range(0x11, 0x1A), 0x1C, 0x1D, 0x24, *range(0x26, 0x2E), 0x31, 0x32, 0x33, 0x36, 0x37)

    def __init__(self, spi: Any, reset: Output | None = None, gain_db: int = GAIN_DB) -> None:
        # The library's own __init__ opens spidev and a GPIO pin, and adds a log handler each time: not called.
        self.spi = spi
        self.logger = log
        self._reset = reset
        self._gain = GAINS_DB[gain_db]
        self._watch = RegisterWatch()
        self._polls_blind = 0
        self._closed = False
        status = (self.CommIrqReg, self.ErrorReg, self.FIFOLevelReg, self.ControlReg, self.CollReg)
        self._status_burst = [*[read_address(self.CommIrqReg)] * STATUS_SAMPLES, *map(read_address, status), 0]
        check = (self.CommandReg, self.CommIrqReg, self.Status1Reg, self.Status2Reg, self.CollReg)
        self._check_burst = [*map(read_address, (*check, *self._WATCHED)), 0]
        try:
            if reset is not None:
                reset.on()
            self.MFRC522_Init()
        except (ReaderError, OSError):
            self.close()
            raise

    @property
    def uncompared(self) -> tuple[int, ...]:
        """The registers that are no longer compared: see `RegisterWatch`."""
        return self._watch.uncompared

    # ---- setting up ------------------------------------------------------------------------

    def MFRC522_Init(self) -> None:
        """Reset the chip and set it up; cards are read as soon as the field has been off for a moment."""
        self._field: str = "off"
        self._dirty = self._checked = True
        self.MFRC522_Reset()
        self.version = self.wait_until_ready()
        for tries_left in reversed(range(SETTING_TRIES)):
            if self._set_up(tries_left):
                break
        self._start_field_timer()

    def _set_up(self, tries_left: int) -> bool:
        """Write all settings; whether the chip has kept them. Raises if not, and there are no tries left."""
        settings = {
            self.TModeReg: 0x80,  # TAuto: the timer starts when a frame has been sent (9.3.3.10)
            self.TPrescalerReg: 0x3F,
            self.TxAutoReg: 0x40,  # 100 % ASK, as type A wants it (TxASKReg, 9.3.2.6)
            self.ModeReg: 0x3D,  # CRC preset 0x6363 (9.3.2.2)
        }
        if self._gain != GAINS_DB[GAIN_DB]:  # as a reset leaves it: copies of the chip have other bits beside it
            settings[self.RFCfgReg] = self._gain << 4 | 0x08
        for register, value in settings.items():
            self._write(register, value)
        self._write(self.CollReg, 0x00)  # ValuesAfterColl: bits after a collision read as 0 (9.3.1.15)
        return self._learn_registers(settings, tries_left)

    def wait_until_ready(self) -> int:
        """VersionReg, as soon as the oscillator runs after a reset (8.8.2). Raises Mute.

        The reset line is pulsed only for a mute chip.
        """
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
        burst = [read_address(self.CommandReg), read_address(self.VersionReg), 0]
        for _ in range(READY_READS):
            command: int
            version: int
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

    def _learn_registers(self, settings: dict[int, int], tries_left: int) -> bool:
        """Note what the registers hold now; whether the settings are among that. Raises if not, without a try left."""
        first, second = self._read_watched(), self._read_watched()
        wrong = self._watch.unset(settings, first)
        if wrong and tries_left:
            return False
        if wrong and not self._watch.is_odd_at_setting(wrong, SETTING_TRIES):
            odd = wrong[0]
            raise Stuck(
                f"register 0x{odd:02X} holds 0x{first[odd]:02X} after 0x{settings[odd]:02X} was written; "
                "check MOSI and the SPI clock (long wires need a slower one)"
            )
        self._watch.learn(first, second)
        return True

    def _read_watched(self) -> dict[int, int]:
        values = self.spi.xfer2(list(self._check_burst))[6:]
        return dict(zip(self._WATCHED, values, strict=True))

    def _write(self, register: int, value: int) -> None:
        """Write a register and expect this value in it from now on."""
        self.Write_MFRC522(register, value)
        self._watch.expect(register, value)

    def _set_timer(self, us: float) -> None:
        high, low = (round(us / TIMER_TICK_US) - 1).to_bytes(2, "big")
        self._write(self.TReloadRegH, high)
        self._write(self.TReloadRegL, low)

    # ---- the field -------------------------------------------------------------------------

    def AntennaOn(self) -> None:
        self._write(self.TxControlReg, _FIELD_ON)

    def AntennaOff(self) -> None:
        self._write(self.TxControlReg, _FIELD_OFF)

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

    def _field_is_ready(self) -> bool:
        """Whether cards can be asked; takes the field through off and starting, by the chip's timer.

        Checks the registers (and raises), or leaves that to the first exchange of the poll.
        """
        if self._closed:
            raise ReaderError("this reader was closed; make a new one")
        self._checked = False
        if self._field == "on":
            return True
        irq, status1 = self._check()
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

    # ---- watching over the chip ------------------------------------------------------------

    def _check(self) -> tuple[int, int]:
        """ComIrqReg and Status1Reg. Raises if the registers are not as they were set."""
        wrong = self._differences()
        if wrong:
            wrong = self._differences()  # once more: a single bad transfer is no loss
        if wrong:
            if set(self._last_check[1:]) in ({0x00}, {0xFF}):
                raise Mute(self._describe_silence())
            if self._watch.is_odd(wrong):
                return self._check()
            names = ", ".join(f"0x{register:02X}" for register in wrong[:4])
            raise RegistersLost(f"lost its settings ({len(wrong)} registers changed, {names} among them)")
        self._checked = True
        self._keep_the_field_on()
        _, _, irq, status1, status2 = self._last_check[:5]
        if status2 & 0x08:  # MFCrypto1On: nothing is understood while it is set (9.3.1.9)
            self.MFRC522_StopCrypto1()
        return irq, status1

    def _keep_the_field_on(self) -> None:
        """Where TxControlReg is no longer compared, a field that somebody has switched off would stay off."""
        if self._field == "on" and self.TxControlReg in self._watch.uncompared:
            self._polls_blind = (self._polls_blind + 1) % FIELD_AGAIN
            if not self._polls_blind:
                self.Write_MFRC522(self.TxControlReg, _FIELD_ON)

    def _differences(self) -> list[int]:
        self._last_check = values = self.spi.xfer2(list(self._check_burst))
        wrong = self._watch.differences(zip(self._WATCHED, values[6:], strict=True))
        if values[1] & 0x30:  # RcvOff, PowerDown
            wrong.append(self.CommandReg)
        if values[5] & 0x80:
            wrong.append(self.CollReg)
        return wrong

    # ---- one exchange ----------------------------------------------------------------------

    def _exchange(self, data: bytes, framing: int = 0) -> Generator[None, None, Answer | None]:
        """Send a frame and wait for the answer; None if there was none. `framing`: RxAlign and TxLastBits."""
        transfer = self.spi.xfer2
        if self._dirty:
            transfer([self.FIFOLevelReg << 1, 0x80])  # FlushBuffer
        transfer([self.CommandReg << 1, self.PCD_IDLE])
        transfer([self.CommIrqReg << 1, 0x7F])
        transfer([self.FIFODataReg << 1, *data])
        transfer([self.BitFramingReg << 1, framing])  # without StartSend, in case it still acts from before
        transfer([self.CommandReg << 1, self.PCD_TRANSCEIVE])
        transfer([self.BitFramingReg << 1, 0x80 | framing])  # StartSend
        self._dirty = True
        if not self._checked:
            self._check()  # while the air is busy, it costs no time
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

    def _fetch(self, error: int, level: int, control: int, collision: int) -> Answer:
        count = min(level, 16)
        data = bytes(self.spi.xfer2([read_address(self.FIFODataReg)] * count + [0])[1:]) if count else b""
        intact = not error & _NO_FRAME
        place = 0
        if error & _COLL_ERR:
            # Parity means nothing where cards collide; what came before is checked by BCC and CRC in the end.
            place = -1 if collision & 0x20 else collision & 0x1F or 32
        elif error & _PARITY_ERR:
            intact = False
        self._dirty = not intact or place != 0 or count != level or not count
        return Answer(data, control & 0x07, intact, place)

    # ---- the library's own calls -----------------------------------------------------------

    def MFRC522_ToCard(self, command: int, sendData: list[int]) -> tuple[int, list[int], int]:
        """As in the library, for its other methods: a status, the bytes received, and their number of bits."""
        if command != self.PCD_TRANSCEIVE:
            raise ReaderError(f"the command 0x{command:02X} is not used here; this reader never authenticates")
        framing = self.Read_MFRC522(self.BitFramingReg) & 0x77
        answer = drain(self._exchange(bytes(sendData), framing))
        if answer is None:
            return self.MI_NOTAGERR, [], 0
        status = self.MI_OK if answer.intact and answer.collision == 0 else self.MI_ERR
        bits = 8 * len(answer.data) - (8 - answer.last_bits if answer.last_bits else 0)
        return status, list(answer.data), bits

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


T = TypeVar("T")


def drain(steps: Generator[Any, None, T]) -> T:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result

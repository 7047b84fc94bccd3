"""An emulated MFRC522 with cards in its field, seen through its SPI port.

`RC522` has the interface of `spidev.SpiDev`, so that drivers run on it unchanged. It models registers, FIFO,
commands, interrupt requests, timer, CRC coprocessor, resets and the field, after the datasheet MFRC522 rev. 3.9
(sections are named where they are used). Time is virtual: each transfer costs its bits at the set clock and a
fixed overhead, frames last as long as on the air.

What the chip would not understand is refused: `Refused` is raised, and noted in `refusals`, so that a test
sees it even when a driver catches the error.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from enum import Enum

from hardware.ports import HardwareError
from hardware.twins import rc522_registers as reg
from hardware.twins.rc522_air import (
    BIT_NS,
    CARRIER_HZ,
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
from hardware.twins.tags import Tag
from hardware.twins.virtual_time import VirtualTime

NEVER = 1 << 62
SPI_LIMIT_HZ = 10_000_000  # 8.1.2
SPIDEV_OPEN_HZ = 125_000_000  # what the Pi's SPI controller may run at when spidev was opened and no clock set
TRANSFER_US = 30.0  # a transfer's overhead: system call, driver, chip select; the order of size on a Pi 3 or 4
SOFT_RESET_US = 38  # 1024 clocks of 27.12 MHz (8.8.2)
OSCILLATOR_START_US = 1000  # the crystal's own time before that: not in the datasheet, a usual value
FIFO_BYTES = 64


class Refused(HardwareError):
    """A driver asked for something that an MFRC522 would not understand."""


class CollisionCount(Enum):
    """From where CollPos counts in a frame received with RxAlign: the datasheet (9.3.1.15) leaves it open."""

    FROM_FIRST_BIT = "the first bit received is bit 1"
    FROM_BYTE_START = "the first bit of the byte that RxAlign shifts into is bit 1"


def _crc(data: bytes, preset: int) -> bytes:
    crc = preset
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x8408 if crc & 1 else 0)
    return crc.to_bytes(2, "little")


class RC522:
    """The chip, its antenna and its SPI port.

    `transfer_us`: overhead of each transfer. `version`: VersionReg. `collision_count`: see there.
    Fault switches (all may be set at any time): `mute` (no power or no wire: every byte reads as this value),
    `miso_stuck` (only the answer line), `bus_error` (raised by every transfer), `noise` (a bad field),
    `before_transfer` (called with the number of each transfer before it happens), and the methods `flip`,
    `overwrite`, `brown_out`, `hold_reset`.

    Counters: `transfers`, `guard_violations` (requests that came too early for the standard), `early_frames`
    (frames sent too soon after a card's answer), `authentications` (MFAuthent commands). `frames`: the latest
    frames sent, oldest first.
    """

    def __init__(
        self,
        time: VirtualTime,
        *,
        transfer_us: float = TRANSFER_US,
        version: int = 0x92,
        collision_count: CollisionCount = CollisionCount.FROM_FIRST_BIT,
        max_speed_hz: int = 4_000_000,
    ) -> None:
        self.time = time
        self.version = version
        self.collision_count = collision_count
        self.transfer_us = transfer_us
        self.refusals: list[str] = []
        self.frames: deque[bytes] = deque(maxlen=256)
        self.transfers = self.guard_violations = self.early_frames = self.authentications = 0
        self.mute: int | None = None
        self.miso_stuck: int | None = None
        self.bus_error: OSError | None = None
        self.noise: Noise | None = None
        self.before_transfer: Callable[[int], None] | None = None
        self.closed = False
        self.mode = 0
        self.bits_per_word = 8
        self.max_speed_hz = max_speed_hz
        self._lock = threading.RLock()
        self._tags: list[Tag] = []
        self._flips: dict[int, int] = {}
        self._bytes_out = 0
        self._in_reset = False
        self._last_request_ns = self._last_reply_ns = -NEVER
        self._r = bytearray(64)
        self._fifo = bytearray()
        self._memory = bytes(25)
        self._field = False
        self._reset_registers(0, OSCILLATOR_START_US)
        self._up_ns = 0  # it had power long before anybody looked
        self._r[reg.COMMAND] = 0x20

    # ---- the world's side ------------------------------------------------------------------

    @property
    def tags(self) -> tuple[Tag, ...]:
        """The cards in the field's reach, in the order in which they came."""
        with self._lock:
            return tuple(self._tags)

    @property
    def antenna_on(self) -> bool:
        return self._field

    def put(self, tag: Tag) -> None:
        """Lay a card down; it starts up when the field is on. One that lies there already stays."""
        with self._lock:
            now = self._catch_up_now()
            if tag not in self._tags:
                self._tags.append(tag)
                if self._field:
                    tag.power(id(self), now)

    def lift(self, tag: Tag) -> None:
        """Take a card away, whatever it is doing. One that does not lie there is nothing to lift."""
        with self._lock:
            now = self._catch_up_now()
            if tag in self._tags:
                self._tags.remove(tag)
                tag.unpower(id(self), now, taken_away=True)
                self._cut_signals(now, tag)

    def flip(self, byte: int, bit: int) -> None:
        """Flip this bit (0 to 7) of the `byte`-th byte (from 0) that the chip returns from now on."""
        self._flips[self._bytes_out + byte] = 1 << bit

    @property
    def bytes_returned(self) -> int:
        return self._bytes_out

    def overwrite(self, register: int, value: int) -> None:
        """Change a register behind the driver's back, also one that only the chip itself may write."""
        with self._lock:
            now = self._catch_up_now()
            if register in _WRITERS and register not in (reg.COMMAND,):
                _WRITERS[register](self, value, now)
            else:
                self._r[register] = value
            self._field_may_have_changed(now)

    def peek(self, register: int) -> int:
        """A register's value, without any effect of reading it."""
        with self._lock:
            self._catch_up_now()
            return self._r[register]

    def brown_out(self) -> None:
        """The supply dips: every register is as after a reset, and no transfer tells."""
        with self._lock:
            self._reset_registers(self._catch_up_now(), OSCILLATOR_START_US)

    def hold_reset(self, held: bool) -> None:
        """The NRSTPD pin: low is held in hard power-down (8.6.1); its rising edge is a reset (8.8.1)."""
        with self._lock:
            if held or self._in_reset:
                self._reset_registers(self._catch_up_now(), OSCILLATOR_START_US)
            self._in_reset = held

    # ---- the SPI port ----------------------------------------------------------------------

    def open(self, bus: int, device: int) -> None:
        """As spidev opens a device: afterwards the clock is whatever the controller can do."""
        self.max_speed_hz = SPIDEV_OPEN_HZ
        self.closed = False

    def close(self) -> None:
        self.closed = True

    def xfer2(self, data: list[int], speed_hz: int = 0, delay_us: int = 0, bits: int = 0) -> list[int]:
        """One transfer with the chip selected throughout (8.1.2): an address byte, then data."""
        with self._lock:
            if self.before_transfer is not None:
                self.before_transfer(self.transfers)
            clock = speed_hz or self.max_speed_hz
            now = self.time.advance_ns(int(self.transfer_us * 1000 + len(data) * 8e9 / clock) + delay_us * 1000)
            self.transfers += 1
            if self.bus_error is not None:
                raise self.bus_error
            if self.mute is not None or self._in_reset:
                self._lose_power(now)
                return [self.mute or 0] * len(data)
            if now >= self._due_ns:
                self._catch_up(now)
            first = data[0]
            if clock > SPI_LIMIT_HZ or first & 0x01 or self.mode != 0 or self.bits_per_word != 8:
                self._refuse_transfer(first, clock)
            answer = self._read(data, now) if first & 0x80 else self._write(first >> 1, data, now)
            return self._on_the_line(answer)

    xfer = xfer2

    def writebytes(self, data: list[int]) -> None:
        self.xfer2(data)

    def readbytes(self, count: int) -> list[int]:
        return self.xfer2([0] * count)

    def _read(self, data: list[int], now: int) -> list[int]:
        """Each byte sent is an address, answered in the byte after it (8.1.2.1, table 6)."""
        answer = [0]
        registers = self._r
        address = data[0] >> 1 & 0x3F
        for following in data[1:]:
            reader = _READERS.get(address)
            answer.append(registers[address] if reader is None else reader(self, now))
            address = following >> 1 & 0x3F
        return answer

    def _write(self, address: int, data: list[int], now: int) -> list[int]:
        """All bytes after the address go to the same register (8.1.2.2, table 7)."""
        if now < self._up_ns:
            return [0] * len(data)  # the digital part has no clock yet
        if address in reg.RESERVED:
            self.refuse(f"a write to the reserved register 0x{address:02X}; leave it alone")
        writer = _WRITERS.get(address)
        for value in data[1:]:
            if writer is not None:
                writer(self, value, now)
            elif address not in reg.READ_ONLY:
                self._r[address] = value
        return [0] * len(data)

    def _on_the_line(self, answer: list[int]) -> list[int]:
        first = self._bytes_out
        self._bytes_out += len(answer)
        if self._flips:
            for index in range(len(answer)):
                answer[index] ^= self._flips.pop(first + index, 0)
        if self.miso_stuck is not None:
            return [self.miso_stuck] * len(answer)
        return answer

    def refuse(self, what: str) -> None:
        self.refusals.append(what)
        raise Refused(f"the emulated MFRC522 refuses {what}")

    def _refuse_transfer(self, first: int, clock: int) -> None:
        if clock > SPI_LIMIT_HZ:
            self.refuse(f"a transfer at {clock} Hz; set max_speed_hz to {SPI_LIMIT_HZ} or less before the first one")
        if first & 0x01:
            self.refuse(f"the address byte 0x{first:02X}; its lowest bit must be 0 (8.1.2.3)")
        self.refuse(f"SPI mode {self.mode} with {self.bits_per_word} bits a word; set mode 0 and 8 bits")

    # ---- resets, power, field --------------------------------------------------------------

    def _reset_registers(self, now: int, start_us: int) -> None:
        self._r[:] = bytes(64)
        for address, value in reg.RESET_VALUES.items():
            self._r[address] = value
        self._r[reg.VERSION] = self.version
        self._fifo.clear()
        self._stop_everything()
        self._timer_end_ns = NEVER
        self._timer_left = 0
        self._up_ns = now + start_us * 1000
        self._r[reg.COMMAND] |= 0x10  # PowerDown reads as 1 until the oscillator runs (8.6.2)
        self._field_may_have_changed(now)
        self._plan()

    def _lose_power(self, now: int) -> None:
        if self._field or self._r[reg.T_MODE]:
            self._reset_registers(now, OSCILLATOR_START_US)

    def _field_may_have_changed(self, now: int) -> None:
        r = self._r
        on = r[reg.TX_CONTROL] & 0x03 != 0 and not r[reg.COMMAND] & 0x10 and r[reg.CW_GS_P] != 0
        if on == self._field:
            return
        self._field = on
        for tag in self._tags:
            if on:
                tag.power(id(self), now)
            else:
                tag.unpower(id(self), now, taken_away=False)
                self._cut_signals(now, tag)

    # ---- what happens by itself ------------------------------------------------------------

    def _stop_everything(self) -> None:
        self._sending: tuple[bytes, int] | None = None
        self._tx_end_ns = NEVER
        self._signals: list[Signal] = []
        self._rx_end_ns = NEVER

    def _plan(self) -> None:
        """When the next thing happens that nobody asks for."""
        due = min(self._tx_end_ns, self._rx_end_ns, self._timer_end_ns)
        self._due_ns = min(due, self._up_ns) if self._r[reg.COMMAND] & 0x10 else due

    def _catch_up_now(self) -> int:
        now = self.time.now_ns()
        if now >= self._due_ns:
            self._catch_up(now)
        return now

    def _catch_up(self, now: int) -> None:
        while self._due_ns <= now:
            due = self._due_ns
            if due == self._tx_end_ns:
                self._sent(due)
            elif due == self._rx_end_ns:
                self._receive(due)
            elif due == self._timer_end_ns:
                self._timer_expired(due)
            else:  # the oscillator runs: PowerDown reads as 0
                self._r[reg.COMMAND] &= ~0x10
                self._up_ns = 0
                self._field_may_have_changed(due)
            self._plan()

    def _request_interrupt(self, bits: int) -> None:
        self._r[reg.COM_IRQ] |= bits

    # ---- timer (8.5) -----------------------------------------------------------------------

    def _timer_ns(self) -> int:
        r = self._r
        prescaler = (r[reg.T_MODE] & 0x0F) << 8 | r[reg.T_PRESCALER]
        divider = 2 * prescaler + (2 if r[reg.DEMOD] & 0x10 else 1)
        return round(((r[reg.T_RELOAD_H] << 8 | r[reg.T_RELOAD_L]) + 1) * divider * 1e9 / CARRIER_HZ)

    def _start_timer(self, now: int) -> None:
        self._timer_end_ns = now + self._timer_ns()
        self._plan()

    def _timer_expired(self, now: int) -> None:
        self._request_interrupt(reg.TIMER_IRQ)
        self._timer_end_ns = now + self._timer_ns() if self._r[reg.T_MODE] & 0x10 else NEVER

    # ---- sending and receiving -------------------------------------------------------------

    def _start_sending(self, now: int) -> None:
        r = self._r
        data = bytes(self._fifo)
        self._fifo.clear()
        if not data:
            return
        last = r[reg.BIT_FRAMING] & 0x07
        if r[reg.TX_MODE] & 0x80 and not last:
            data += _crc(data, reg.CRC_PRESETS[r[reg.MODE] & 0x03])
        bits = 8 * len(data) - (8 - last if last else 0)
        self._stop_everything()
        self._sending = data, bits
        if now < self._last_reply_ns + DELAY_TO_READER_NS:
            self.early_frames += 1
        if bits == 7:
            if now < self._last_request_ns + REQUEST_GUARD_NS:
                self.guard_violations += 1
            self._last_request_ns = now
        self.frames.append(data)
        self._tx_end_ns = now + frame_ns(bits)
        self._plan()

    def _sent(self, now: int) -> None:
        """The frame is out: the timer starts (TAuto), the cards have heard it and begin their answers."""
        r = self._r
        assert self._sending is not None
        data, bits = self._sending
        self._sending = None
        self._tx_end_ns = NEVER
        self._request_interrupt(reg.TX_IRQ)
        if r[reg.T_MODE] & 0x80:
            self._timer_end_ns = now + self._timer_ns()
        self._fan_out(data, bits, now)
        if r[reg.COMMAND] & 0x0F == reg.TRANSMIT:
            r[reg.COMMAND] &= 0x30
            self._request_interrupt(reg.IDLE_IRQ)
            self._signals = []
        self._listen()

    def _fan_out(self, data: bytes, bits: int, now: int) -> None:
        start = now + delay_ns(data, bits)
        for tag in self._tags if self._field else ():
            if not self._modulates():
                tag.hear_noise(now)
                continue
            reply = tag.hear(data, bits, now)
            if reply is not None:
                self._signals.append(Signal(tag, reply, start, start + reply_ns(reply), reply.bits))

    def _modulates(self) -> bool:
        """Whether what is sent is a type A frame: 100 % ASK, 106 kBd, from the internal coder, with parity."""
        r = self._r
        return (
            r[reg.TX_ASK] & 0x40 != 0
            and r[reg.TX_MODE] & 0x78 == 0
            and r[reg.TX_SEL] & 0x30 == 0x10
            and r[reg.MF_RX] & 0x10 == 0
            and r[reg.STATUS2] & 0x08 == 0  # MFCrypto1On: everything goes out enciphered
            and r[reg.AUTO_TEST] & 0x0F == 0
        )

    def _hears(self) -> bool:
        r = self._r
        return (
            r[reg.RX_MODE] & 0x70 == 0
            and r[reg.RX_SEL] & 0xC0 == 0x80
            and r[reg.RX_THRESHOLD] < 0xF0
            and not r[reg.COMMAND] & 0x20
            and r[reg.COMMAND] & 0x0F in (reg.TRANSCEIVE, reg.RECEIVE)
        )

    def _listen(self) -> None:
        """Set when the answers end; the timer stops at the fifth bit (TAuto, 8.5)."""
        heard = [signal for signal in self._signals if signal.bits > 0] if self._hears() else []
        self._signals = heard
        self._rx_end_ns = max((signal.end_ns for signal in heard), default=NEVER)
        if heard and not self._r[reg.RX_MODE] & 0x04:
            fifth = heard[0].start_ns + 5 * BIT_NS
            if self._rx_end_ns >= fifth and fifth <= self._timer_end_ns:
                self._timer_end_ns = NEVER

    def _cut_signals(self, now: int, tag: Tag) -> None:
        for signal in self._signals:
            if signal.tag is tag:
                signal.cut(now)
        if self._signals:
            running = self._timer_end_ns
            self._listen()
            if not self._signals and running == NEVER and self._r[reg.T_MODE] & 0x80:
                self._timer_end_ns = now + self._timer_ns()
            self._plan()

    def _receive(self, now: int) -> None:
        received: Received | None = superpose(self._signals)
        self._signals = []
        self._rx_end_ns = NEVER
        self._last_reply_ns = now
        if self.noise is not None:
            received = self.noise.pass_on(received)
        if received is None or received.bits == 0:
            if self._timer_end_ns == NEVER and self._r[reg.T_MODE] & 0x80:
                self._timer_end_ns = now + self._timer_ns()
            return
        self._store(received)
        self._request_interrupt(reg.RX_IRQ)
        if self._r[reg.COMMAND] & 0x0F == reg.RECEIVE:
            self._r[reg.COMMAND] &= 0x30
            self._request_interrupt(reg.IDLE_IRQ)

    def _store(self, received: Received) -> None:
        """Put an answer into the FIFO, and say in ErrorReg, CollReg and ControlReg what was wrong with it."""
        r = self._r
        align = r[reg.BIT_FRAMING] >> 4 & 0x07
        value = received.value
        errors = reg.PARITY_ERR if received.parity_error or align != received.align else 0
        position = 0
        if received.collision:
            errors |= reg.COLL_ERR
            position = received.collision
            if self.collision_count is CollisionCount.FROM_BYTE_START:
                position += align
            if not r[reg.COLL] & 0x80:  # ValuesAfterColl (9.3.1.15)
                value &= (1 << received.collision - 1) - 1
        size = align + received.bits
        data = (value << align).to_bytes((size + 7) // 8, "little")
        if r[reg.RX_MODE] & 0x80 and not errors:
            body = data[:-2]
            if _crc(body, reg.CRC_PRESETS[r[reg.MODE] & 0x03]) != data[-2:]:
                errors |= reg.CRC_ERR
            data = body
        # CollPos: 0 says bit 32; bit 5 says that there is none or that it does not fit (9.3.1.15).
        r[reg.COLL] = r[reg.COLL] & 0x80 | (position & 0x1F if 0 < position <= 32 else 0x20)
        r[reg.CONTROL] = r[reg.CONTROL] & ~0x07 | size % 8
        r[reg.ERROR] = errors
        self._push(data)
        if r[reg.ERROR]:
            self._request_interrupt(reg.ERR_IRQ)

    def _push(self, data: bytes) -> None:
        room = FIFO_BYTES - len(self._fifo)
        if len(data) > room:
            self._r[reg.ERROR] |= reg.BUFFER_OVFL
        self._fifo += data[:room]
        if FIFO_BYTES - len(self._fifo) <= self._r[reg.WATER_LEVEL] & 0x3F:
            self._request_interrupt(reg.HI_ALERT_IRQ)

    def _abort_reception(self, now: int) -> None:
        """A command ends a running reception: what had arrived by then stays in the FIFO."""
        if self._signals:
            for signal in self._signals:
                signal.cut(now)
            partial = superpose(self._signals)
            self._push((partial.value & (1 << partial.bits) - 1).to_bytes((partial.bits + 7) // 8, "little"))
        self._stop_everything()
        self._plan()

    # ---- registers with effects ------------------------------------------------------------

    def _read_fifo(self, now: int) -> int:
        if not self._fifo:
            return 0
        byte = self._fifo.pop(0)
        if len(self._fifo) <= self._r[reg.WATER_LEVEL] & 0x3F:
            self._request_interrupt(reg.LO_ALERT_IRQ)
        return byte

    def _read_fifo_level(self, now: int) -> int:
        return len(self._fifo)

    def _read_status1(self, now: int) -> int:
        r = self._r
        level, water = len(self._fifo), r[reg.WATER_LEVEL] & 0x3F
        asked = (r[reg.COM_I_EN] & r[reg.COM_IRQ] & 0x7F) or (r[reg.DIV_I_EN] & r[reg.DIV_IRQ] & 0x14)
        return (
            (0x40 if r[reg.CRC_RESULT_H] == r[reg.CRC_RESULT_L] == 0 else 0)
            | 0x20
            | (0x10 if asked else 0)
            | (0x08 if self._timer_end_ns != NEVER else 0)
            | (0x02 if FIFO_BYTES - level <= water else 0)
            | (0x01 if level <= water else 0)
        )

    def _read_status2(self, now: int) -> int:
        """ModemState (9.3.1.9) in the lowest bits: idle, transmitting, waiting for an answer, receiving."""
        state = 0
        if self._sending is not None:
            state = 3
        elif self._signals:
            state = 6 if now >= self._signals[0].start_ns else 5
        return self._r[reg.STATUS2] & 0xF8 | state

    def _timer_count(self, now: int) -> int:
        if self._timer_end_ns == NEVER:
            return 0
        reload = self._r[reg.T_RELOAD_H] << 8 | self._r[reg.T_RELOAD_L]
        return min(reload, (self._timer_end_ns - now) * (reload + 1) // max(1, self._timer_ns()))

    def _read_counter_h(self, now: int) -> int:
        return self._timer_count(now) >> 8

    def _read_counter_l(self, now: int) -> int:
        return self._timer_count(now) & 0xFF

    def _write_command(self, value: int, now: int) -> None:
        command = value & 0x0F
        if command == reg.SOFT_RESET:
            self._reset_registers(now, SOFT_RESET_US)
            return
        if command not in _COMMANDS:
            self.refuse(f"the command 0x{command:X}; table 149 knows no such command")
        was_down = self._r[reg.COMMAND] & 0x10
        if command == reg.NO_CMD_CHANGE:
            command = self._r[reg.COMMAND] & 0x0F
        else:
            self._abort_reception(now)
        self._r[reg.COMMAND] = value & 0x30 | command
        if was_down and not value & 0x10:  # wakes up, as from a reset but with its registers (8.6.2)
            self._up_ns = now + OSCILLATOR_START_US * 1000
            self._r[reg.COMMAND] |= 0x10
            self._plan()
        self._field_may_have_changed(now)
        action = _COMMANDS[command]
        if action is not None:
            action(self, now)

    def _transmit(self, now: int) -> None:
        self._start_sending(now)

    def _store_memory(self, now: int) -> None:
        """Mem (10.3.1.2): 25 bytes move into the internal buffer; with an empty FIFO they come out of it."""
        if self._fifo:
            self._memory = bytes(self._fifo[:25]).ljust(25, b"\0")
            self._fifo.clear()
        else:
            self._push(self._memory)
        self._finish_command()

    def _random_id(self, now: int) -> None:
        self._memory = (now % (1 << 80)).to_bytes(10, "little") + self._memory[10:]
        self._finish_command()

    def _calculate_crc(self, now: int) -> None:
        """CalcCRC (10.3.1.4), or the self-test if AutoTestReg asks for it (16.1.1)."""
        if self._r[reg.AUTO_TEST] & 0x0F == 0x09:
            self._fifo.clear()
            self._push(reg.SELF_TEST.get(self.version, bytes(FIFO_BYTES)) if not any(self._memory) else bytes(64))
        else:
            crc = _crc(bytes(self._fifo), reg.CRC_PRESETS[self._r[reg.MODE] & 0x03])
            self._fifo.clear()
            self._r[reg.CRC_RESULT_L], self._r[reg.CRC_RESULT_H] = crc
        self._r[reg.DIV_IRQ] |= reg.CRC_IRQ

    def _authenticate(self, now: int) -> None:
        """MFAuthent (10.3.1.9): command, block, six bytes of key, four of serial number."""
        self.authentications += 1
        request = bytes(self._fifo)
        self._fifo.clear()
        if len(request) != 12:
            self.refuse(f"MFAuthent with {len(request)} bytes in the FIFO; it needs 12")
        self.frames.append(request[:2])
        agreed = [tag.authenticate(request[2:8], request[8:]) for tag in self._tags if tag.answers_at(now)]
        if self._field and any(agreed):
            self._r[reg.STATUS2] |= 0x08
            self._finish_command()
        elif self._r[reg.T_MODE] & 0x80:
            self._start_timer(now)

    def _finish_command(self) -> None:
        self._r[reg.COMMAND] &= 0x30
        self._request_interrupt(reg.IDLE_IRQ)

    def _write_com_irq(self, value: int, now: int) -> None:
        """Set1 = 0: the bits that are marked are cleared; 1: they are set (9.3.1.5)."""
        bits = value & 0x7F
        self._r[reg.COM_IRQ] = self._r[reg.COM_IRQ] | bits if value & 0x80 else self._r[reg.COM_IRQ] & ~bits

    def _write_div_irq(self, value: int, now: int) -> None:
        bits = value & 0x14
        self._r[reg.DIV_IRQ] = self._r[reg.DIV_IRQ] | bits if value & 0x80 else self._r[reg.DIV_IRQ] & ~bits

    def _write_status2(self, value: int, now: int) -> None:
        """MFCrypto1On can be cleared, not set (9.3.1.9)."""
        self._r[reg.STATUS2] = value & 0xC0 | (value & self._r[reg.STATUS2] & 0x08)

    def _write_fifo(self, value: int, now: int) -> None:
        self._push(bytes([value]))

    def _write_fifo_level(self, value: int, now: int) -> None:
        if value & 0x80:  # FlushBuffer; clears BufferOvfl too (9.3.1.11)
            self._fifo.clear()
            self._r[reg.ERROR] &= ~reg.BUFFER_OVFL

    def _write_control(self, value: int, now: int) -> None:
        if value & 0x80:
            self._timer_end_ns = NEVER
            self._plan()
        if value & 0x40:
            self._start_timer(now)

    def _write_bit_framing(self, value: int, now: int) -> None:
        self._r[reg.BIT_FRAMING] = value & 0x77
        if value & 0x80:
            if self._r[reg.COMMAND] & 0x0F != reg.TRANSCEIVE:
                self.refuse("StartSend without the Transceive command; it is valid only with it (9.3.1.14)")
            self._r[reg.ERROR] = 0
            self._start_sending(now)

    def _write_coll(self, value: int, now: int) -> None:
        self._r[reg.COLL] = value & 0x80 | self._r[reg.COLL] & 0x3F

    def _write_tx_control(self, value: int, now: int) -> None:
        self._r[reg.TX_CONTROL] = value
        self._field_may_have_changed(now)

    def _write_cw_gs_p(self, value: int, now: int) -> None:
        self._r[reg.CW_GS_P] = value & 0x3F
        self._field_may_have_changed(now)


_READERS: dict[int, Callable[[RC522, int], int]] = {
    reg.FIFO_DATA: RC522._read_fifo,
    reg.FIFO_LEVEL: RC522._read_fifo_level,
    reg.STATUS1: RC522._read_status1,
    reg.STATUS2: RC522._read_status2,
    reg.T_COUNTER_H: RC522._read_counter_h,
    reg.T_COUNTER_L: RC522._read_counter_l,
}

_WRITERS: dict[int, Callable[[RC522, int, int], None]] = {
    reg.COMMAND: RC522._write_command,
    reg.COM_IRQ: RC522._write_com_irq,
    reg.DIV_IRQ: RC522._write_div_irq,
    reg.STATUS2: RC522._write_status2,
    reg.FIFO_DATA: RC522._write_fifo,
    reg.FIFO_LEVEL: RC522._write_fifo_level,
    reg.CONTROL: RC522._write_control,
    reg.BIT_FRAMING: RC522._write_bit_framing,
    reg.COLL: RC522._write_coll,
    reg.TX_CONTROL: RC522._write_tx_control,
    reg.CW_GS_P: RC522._write_cw_gs_p,
}

_COMMANDS: dict[int, Callable[[RC522, int], None] | None] = {
    reg.IDLE: None,
    reg.MEM: RC522._store_memory,
    reg.GENERATE_RANDOM_ID: RC522._random_id,
    reg.CALC_CRC: RC522._calculate_crc,
    reg.TRANSMIT: RC522._transmit,
    reg.NO_CMD_CHANGE: None,
    reg.RECEIVE: None,
    reg.TRANSCEIVE: None,
    reg.MF_AUTHENT: RC522._authenticate,
}

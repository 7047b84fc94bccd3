"""The emulated MFRC522's timer, transmitter, receiver and field: what goes on by itself as time passes.

`Radio` is the lowest layer of `hardware.twins.rc522.RC522`. Sections are those of the datasheet MFRC522 rev. 3.9.
Events (a frame has been sent, an answer has ended, the timer has run down) are worked off when somebody looks.
"""

from __future__ import annotations

import sys
from collections import deque
from enum import Enum

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
from hardware.twins.refused import Refused
from hardware.twins.tags import Tag
from hardware.twins.virtual_time import VirtualTime

NEVER = sys.maxsize
SOFT_RESET_US = 38  # 1024 clocks of 27.12 MHz (8.8.2)
OSCILLATOR_START_US = 1000  # the crystal's own time before that: not in the datasheet, a usual value
FIFO_BYTES = 64


class CollisionCount(Enum):
    """From where CollPos counts in a frame received with RxAlign: the datasheet (9.3.1.15) leaves it open."""

    FROM_FIRST_BIT = "the first bit received is bit 1"
    FROM_BYTE_START = "the first bit of the byte that RxAlign shifts into is bit 1"


def crc(data: bytes, preset: int) -> bytes:
    """The CRC coprocessor (8.4): CRC-16 with this start value, low byte first."""
    value = preset
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x8408 if value & 1 else 0)
    return value.to_bytes(2, "little")


class Radio:
    """Registers as plain storage, and everything that happens without a transfer."""

    def __init__(self, time: VirtualTime, version: int, collision_count: CollisionCount) -> None:
        self.time = time
        self.version = version
        self.collision_count = collision_count
        self.noise: Noise | None = None
        self.refusals: list[str] = []
        self.frames: deque[bytes] = deque(maxlen=256)
        self.requests = self.guard_violations = self.early_frames = 0
        self._tags: list[Tag] = []
        self._last_request_ns = self._last_reply_ns = -NEVER
        self._r = bytearray(64)
        self._fifo = bytearray()
        self._field = False
        self._reset_registers(0, 0)
        self._r[reg.COMMAND] = reg.RESET_VALUES[reg.COMMAND]  # it had power long before anybody looked

    def refuse(self, what: str) -> None:
        self.refusals.append(what)
        raise Refused(f"the emulated MFRC522 refuses {what}")

    # ---- resets, power, field --------------------------------------------------------------

    def _reset_registers(self, now: int, start_us: int) -> None:
        self._r[:] = bytes(len(self._r))
        for address, value in reg.RESET_VALUES.items():
            self._r[address] = value
        self._r[reg.VERSION] = self.version
        self._fifo.clear()
        self._stop_everything()
        self._timer_end_ns = NEVER
        self._timer_left = 0
        self._reset_until_ns = self._up_ns = now + start_us * 1000
        self._start_send = False
        self._r[reg.COMMAND] |= 0x10  # PowerDown reads as 1 until the oscillator runs (8.6.2)
        self._field_may_have_changed(now)
        self._plan()

    def _sleep_if_asked(self) -> None:
        """Soft power-down (8.6.2): the oscillator stands still until the bit is cleared again."""
        if self._r[reg.COMMAND] & 0x10:
            self._up_ns = NEVER
            self._stop_everything()
            self._timer_end_ns = NEVER
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
            data += crc(data, reg.CRC_PRESETS[r[reg.MODE] & 0x03])
        bits = 8 * len(data) - (8 - last if last else 0)
        self._stop_everything()
        self._sending = data, bits
        r[reg.ERROR] = 0
        if now < self._last_reply_ns + DELAY_TO_READER_NS:
            self.early_frames += 1
        if bits == 7:
            self.requests += 1
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
                tag.hear_noise()
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
            # Receive hears nothing here: all that is on the air are answers, and that command ends their reception.
            and r[reg.COMMAND] & 0x0F == reg.TRANSCEIVE
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
        sent = superpose(self._signals)
        self._signals = []
        self._rx_end_ns = NEVER
        self._last_reply_ns = now
        received = self.noise.pass_on(sent) if self.noise is not None else sent
        if received is None or received.bits == 0:
            if self._timer_end_ns == NEVER and self._r[reg.T_MODE] & 0x80:
                self._timer_end_ns = now + self._timer_ns()
            return
        self._store(received)
        self._request_interrupt(reg.RX_IRQ)

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
            if crc(body, reg.CRC_PRESETS[r[reg.MODE] & 0x03]) != data[-2:]:
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
            self._push(partial.value.to_bytes((partial.bits + 7) // 8, "little"))
        self._stop_everything()
        self._plan()

"""The emulated MFRC522's registers that do something when they are read or written, and its commands.

`RC522Core` is the middle layer of `hardware.twins.rc522.RC522`. Sections are those of the datasheet MFRC522 rev. 3.9.
"""

from __future__ import annotations

from collections.abc import Callable

from hardware.twins import rc522_registers as reg
from hardware.twins.rc522_radio import FIFO_BYTES, NEVER, OSCILLATOR_START_US, SOFT_RESET_US, Radio, crc


class RC522Core(Radio):
    """Reads and writes of single registers, as the SPI port makes them."""

    authentications = 0
    start_send_stays = False
    _memory = bytes(25)

    # ---- reading ---------------------------------------------------------------------------

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
        if command not in COMMANDS:
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
        elif value & 0x10:
            self._sleep_if_asked()
        self._field_may_have_changed(now)
        action = COMMANDS[command]
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
        self._memory = now.to_bytes(10, "little") + self._memory[10:]
        self._finish_command()

    def _calculate_crc(self, now: int) -> None:
        """CalcCRC (10.3.1.4), or the self-test if AutoTestReg asks for it (16.1.1)."""
        if self._r[reg.AUTO_TEST] & 0x0F == 0x09:
            self._fifo.clear()
            self._push(reg.SELF_TEST.get(self.version, bytes(FIFO_BYTES)) if not any(self._memory) else bytes(64))
        else:
            result = crc(bytes(self._fifo), reg.CRC_PRESETS[self._r[reg.MODE] & 0x03])
            self._fifo.clear()
            self._r[reg.CRC_RESULT_L], self._r[reg.CRC_RESULT_H] = result
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
        self._start_send = bool(value & 0x80) and self.start_send_stays
        if value & 0x80:
            if self._r[reg.COMMAND] & 0x0F != reg.TRANSCEIVE:
                self.refuse("StartSend without the Transceive command; it is valid only with it (9.3.1.14)")
            self._start_sending(now)

    def _transceive(self, now: int) -> None:
        if self._start_send:
            self._start_sending(now)

    def _write_coll(self, value: int, now: int) -> None:
        self._r[reg.COLL] = value & 0x80 | self._r[reg.COLL] & 0x3F

    def _write_tx_control(self, value: int, now: int) -> None:
        self._r[reg.TX_CONTROL] = value
        self._field_may_have_changed(now)

    def _write_cw_gs_p(self, value: int, now: int) -> None:
        self._r[reg.CW_GS_P] = value & 0x3F
        self._field_may_have_changed(now)


READERS: dict[int, Callable[[RC522Core, int], int]] = {
    reg.FIFO_DATA: RC522Core._read_fifo,
    reg.FIFO_LEVEL: RC522Core._read_fifo_level,
    reg.STATUS1: RC522Core._read_status1,
    reg.STATUS2: RC522Core._read_status2,
    reg.T_COUNTER_H: RC522Core._read_counter_h,
    reg.T_COUNTER_L: RC522Core._read_counter_l,
}

WRITERS: dict[int, Callable[[RC522Core, int, int], None]] = {
    reg.COMMAND: RC522Core._write_command,
    reg.COM_IRQ: RC522Core._write_com_irq,
    reg.DIV_IRQ: RC522Core._write_div_irq,
    reg.STATUS2: RC522Core._write_status2,
    reg.FIFO_DATA: RC522Core._write_fifo,
    reg.FIFO_LEVEL: RC522Core._write_fifo_level,
    reg.CONTROL: RC522Core._write_control,
    reg.BIT_FRAMING: RC522Core._write_bit_framing,
    reg.COLL: RC522Core._write_coll,
    reg.TX_CONTROL: RC522Core._write_tx_control,
    reg.CW_GS_P: RC522Core._write_cw_gs_p,
}

COMMANDS: dict[int, Callable[[RC522Core, int], None] | None] = {
    reg.IDLE: None,
    reg.MEM: RC522Core._store_memory,
    reg.GENERATE_RANDOM_ID: RC522Core._random_id,
    reg.CALC_CRC: RC522Core._calculate_crc,
    reg.TRANSMIT: RC522Core._transmit,
    reg.NO_CMD_CHANGE: None,
    reg.RECEIVE: None,
    reg.TRANSCEIVE: RC522Core._transceive,
    reg.MF_AUTHENT: RC522Core._authenticate,
}

"""The program of the strip's controller (a Raspberry Pi Pico, MicroPython 1.20 or newer).

It obeys the frames that docs/protocol.md describes, draws what moves by itself, and never waits for the host: bytes
are read one by one and only when they are there (a read of more would block until all have come, and there is no way
to ask how many have), answers are written only while there is room.
"""

import os

import frames
import machine
import micropython
from scene import Animation
from strip import Leds, check

TYPE_CHECKING = False  # MicroPython has no typing
if TYPE_CHECKING:
    import uselect as select
    import usys as sys
    import utime as time
    from micropython import ptr8  # a word of the viper compiler
else:
    import select
    import sys
    import time

QUIET_MS = 3000  # of silence from the host, then the pulse
MOVING_MS = 20  # between two frames while something moves
RESTING_MS = 1000  # between two frames while nothing does: heals what a spark has put on the strip
PULSE_MS = 4000
PULSE_LEVEL = 48
WATCHDOG_MS = 8000  # an RP2040 allows 8388
STAY = "stay-in-prompt"  # a file of this name: once, do not start
_BYTES_A_TURN = 512  # so that endless junk does not stop the animation
_POLLIN = 1
_POLLOUT = 4


@micropython.viper
def gather(ipoll, readinto, one, buf, used: int, limit: int, room: int) -> int:  # type: ignore[no-untyped-def]
    """Read what has come into buf[used:], up to a zero, at most `room` bytes, without waiting.

    Returns the new `used` (limit + 1: too many, the rest is dropped); 65536 is added if the zero was found.
    """
    p = ptr8(buf)
    q = ptr8(one)
    while room > 0:
        room -= 1
        got = 0
        for _, flags in ipoll(0):
            got = int(flags) & 1
            break
        if got == 0:
            return used
        readinto(one)
        byte = q[0]
        if byte == 0:
            if used > 0:
                return used | 65536
        elif used < limit:
            p[used] = byte
            used += 1
        else:
            used = limit + 1
    return used


class Program:
    """One `turn` does whatever there is to do now, and returns soon."""

    def __init__(self) -> None:
        self.strip = Leds()
        self.scene = Animation(self.strip.leds)
        self._spare = Animation(self.strip.leds)
        self._pulse = Animation(self.strip.leds)
        self.pulsing = False
        self.night = False
        self._set_up = False

        self._parser = frames.Parser()
        self._one = bytearray(1)
        self._seq = frames.HELLO_SEQ  # of the last frame obeyed, and its kind: after a hello any number is new
        self._seq_kind = frames.HELLO
        self._answer = b""
        self._sent = len(self._answer)
        self._blocked = False

        inward = select.poll()
        inward.register(sys.stdin.buffer, select.POLLIN)
        outward = select.poll()
        outward.register(sys.stdout.buffer, select.POLLOUT)
        # Bound once: a bound method made in the loop would take memory.
        self._ipoll = inward.ipoll
        self._out_ipoll = outward.ipoll
        self._readinto = sys.stdin.buffer.readinto
        self._write = sys.stdout.buffer.write

        self._last = time.ticks_ms()
        self._since = RESTING_MS  # since the strip was written
        self._quiet = 0  # since the last word of the host

    def _dark(self) -> None:
        leds = self.strip.leds
        self.scene.dark(leds)
        self._pulse.dark(leds)

    def _pulse_begins(self) -> None:
        self.scene.advance(self._since)  # up to now the time was the picture's
        self._since = 0
        self.pulsing = True
        count = max(1, self.strip.leds // 16)
        self._pulse.breathe((self.strip.leds - count) // 2, count, PULSE_LEVEL, PULSE_LEVEL, PULSE_LEVEL, PULSE_MS)

    def turn(self) -> None:
        self._wait()
        self._read()
        if self._sent < len(self._answer):
            self._push()
        self._tick()
        if self._since >= self._interval():
            self.refresh()

    # -- time ------------------------------------------------------------------------------------

    def _tick(self) -> None:
        """Let the time since the last call go by. Only differences are kept: the counter may wrap."""
        now = time.ticks_ms()
        ms = time.ticks_diff(now, self._last)
        self._last = now
        self._since += ms
        self._quiet += ms
        if self._quiet >= QUIET_MS:
            self._quiet = QUIET_MS
            if not self.pulsing and not self.night:
                self._pulse_begins()
                self.refresh()

    def _interval(self) -> int:
        return MOVING_MS if self.pulsing or self.scene.moving else RESTING_MS

    def _wait(self) -> None:
        """Wait for a byte, for the next frame or for the pulse, whatever comes first."""
        ms = self._interval() - self._since
        if not self.night and not self.pulsing:
            ms = min(ms, QUIET_MS - self._quiet)
        if self._sent < len(self._answer):
            if not self._blocked:
                return
            ms = min(ms, MOVING_MS)
        if ms <= 0:
            return
        for _, flags in self._ipoll(ms):
            if not flags & _POLLIN:  # hung up: poll comes back at once
                time.sleep_ms(min(ms, MOVING_MS))

    def refresh(self) -> None:
        """Draw the present moment and light it. Takes no memory."""
        self.scene.advance(self._since)
        if self.pulsing:
            self._pulse.advance(self._since)
            self._pulse.draw(self.strip.rgb)
        else:
            self.scene.draw(self.strip.rgb)
        self._since = 0
        self.strip.write()

    # -- the link --------------------------------------------------------------------------------

    def _read(self) -> None:
        parser = self._parser
        try:
            used = gather(
                self._ipoll, self._readinto, self._one, parser.buf, parser.used, frames.MAX_FRAME, _BYTES_A_TURN
            )
        except OSError:  # the port went away between poll and read
            return
        parser.used = used & 65535
        if used & 65536:
            n = parser.finish()
            if n >= 0 and not parser.buf[0] & frames.ANSWER:
                self._heed(parser.buf[0], parser.buf[1], n)

    def _push(self) -> None:
        """Send of the answer what there is room for."""
        self._blocked = True
        try:
            for _ in range(64):
                for _, flags in self._out_ipoll(0):
                    self._blocked = not flags & _POLLOUT
                if self._blocked:
                    return
                self._one[0] = self._answer[self._sent]
                self._write(self._one)
                self._sent += 1
                if self._sent == len(self._answer):
                    return
                self._blocked = True
            self._blocked = False
        except OSError:  # nobody is connected
            self._sent = len(self._answer)

    def _say(self, kind: int, seq: int, payload: bytes | bytearray = b"") -> None:
        if self._sent >= len(self._answer):  # else the host is not reading: it will ask again
            self._answer = frames.encode(kind, seq, payload)
            self._sent = 0

    def _heed(self, kind: int, seq: int, n: int) -> None:
        """A whole frame has come: obey it, then answer."""
        self._tick()
        self._quiet = 0
        if self.pulsing:
            self.pulsing = False
            self.refresh()
        if kind == frames.HELLO:
            self._seq_kind = kind
            self._say(kind | frames.ANSWER, seq, self._who())
            return
        ahead = (seq - self._seq) & 255
        if ahead >= 128 and self._seq_kind != frames.HELLO:
            error = frames.E_STALE
        elif ahead == 0 and kind == self._seq_kind and kind != frames.READ:
            error = 0  # the same once more: the answer was lost
        else:
            error = self._obey(kind, n)
        if error:
            self._say(frames.ERROR, seq, bytes((error, kind)))
            return
        self._seq = seq
        self._seq_kind = kind
        if kind == frames.READ:
            self._say(kind | frames.ANSWER, seq, self.strip.rgb[: 3 * self.strip.leds])
        else:
            self._say(kind | frames.ANSWER, seq)
        if kind == frames.PROMPT:
            self._into_prompt()

    def _who(self) -> bytes:
        leds = self.strip.leds if self._set_up else 0
        budget = self.strip.budget_ma
        damaged = self._parser.damaged
        numbers = (frames.VERSION, leds, budget, damaged)
        return frames.NAME + b"".join(bytes((x & 255, x >> 8)) for x in numbers)

    def _obey(self, kind: int, n: int) -> int:
        """Do what a frame says; return 0 or the number of an error, and then nothing has changed."""
        buf = self._parser.buf
        if kind == frames.SHOW:
            return self._show(buf, n)
        if kind == frames.SETUP:
            return self._configure(bytes(buf[2 : 2 + n]))
        if kind not in (frames.PING, frames.READ, frames.NIGHT, frames.PROMPT):
            return frames.E_UNKNOWN_KIND
        if n:
            return frames.E_MALFORMED
        if kind == frames.NIGHT:
            self.night = True
            self.scene.dark(self.strip.leds)
            self.refresh()
        return 0

    def _show(self, buf: bytearray, n: int) -> int:
        if not self._set_up:
            return frames.E_NOT_SET_UP
        error = self._spare.load(buf, 2, n, self.strip.leds)
        if error == 0:
            self.scene, self._spare = self._spare, self.scene
            self.night = False
            self._since = 0
            self.refresh()
        return error

    def _configure(self, payload: bytes) -> int:
        if len(payload) != 7:
            return frames.E_MALFORMED
        leds = payload[0] | payload[1] << 8
        order = payload[2:5]
        budget_ma = payload[5] | payload[6] << 8
        error = check(leds, order, budget_ma)
        if error:
            return error
        strip = self.strip
        if leds != strip.leds or order != strip.order or budget_ma != strip.budget_ma:
            strip.set_up(leds, order, budget_ma)
            self._dark()
            self.refresh()
        self._set_up = True
        return 0

    def _into_prompt(self) -> None:
        """Restart, and stop before the watchdog is started: only so the flash can be written in peace."""
        for _ in range(20):
            self._push()
            if self._sent >= len(self._answer):
                break
            time.sleep_ms(MOVING_MS)
        self.scene.dark(self.strip.leds)
        self.refresh()
        with open(STAY, "w"):
            pass
        time.sleep_ms(MOVING_MS)  # the answer leaves
        machine.reset()


def staying() -> bool:
    """True once after PROMPT."""
    try:
        os.remove(STAY)
    except OSError:
        return False
    return True


def run() -> None:
    micropython.kbd_intr(-1)  # a byte 3 is a byte like any other
    try:
        watchdog = machine.WDT(timeout=WATCHDOG_MS)
        program = Program()
        while True:
            watchdog.feed()
            program.turn()
    finally:
        micropython.kbd_intr(3)


if __name__ == "__main__":
    if staying():
        print("tacocat strip: stopped, as the host asked for; reset to start")
    else:
        run()

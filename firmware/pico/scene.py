"""What the strip shows, as the host describes it: still colours and moving things, drawn into an RGB buffer.

Nothing here touches the machine. All buffers are made once; `advance` and `draw` allocate nothing. Times are
milliseconds; each moving thing carries its own age, kept small, so that no counter ever wraps. The work on bytes is
left to MicroPython's viper compiler: in bytecode the same takes ten times as long.
"""

from array import array

import frames
import micropython

TYPE_CHECKING = False  # MicroPython has no typing
if TYPE_CHECKING:
    from micropython import ptr8, ptr32  # words of the viper compiler

BREATHE = 1
RUN = 2
GLIDE = 4  # what is left, 3, is a flash

# An effect is a row of numbers, none of them negative.
_KIND = 0
_FIRST = 1
_COUNT = 2
_RED = 3
_GREEN = 4
_BLUE = 5
_OPTION = 6  # Run: 1 if backwards; Flash: how many times; Glide: how many stops
_PERIOD = 7
_WAIT = 8  # until it begins
_AGE = 9  # since it began: wraps at _END, or stays there
_END = 10
_STOPS_AT = 11  # Glide: its first stop in the scene's list
_ROW = 12


@micropython.viper
def mix(buf: object, first: int, count: int, red: int, green: int, blue: int, share: int):  # type: ignore[no-untyped-def]
    """Blend LEDs `first` … `first + count - 1` of `buf` towards a colour: share 0 (not at all) to 256 (wholly)."""
    p = ptr8(buf)
    i = first * 3
    end = i + count * 3
    keep = 256 - share
    red *= share
    green *= share
    blue *= share
    while i < end:
        p[i] = (p[i] * keep + red) >> 8
        p[i + 1] = (p[i + 1] * keep + green) >> 8
        p[i + 2] = (p[i + 2] * keep + blue) >> 8
        i += 3


@micropython.viper
def copy(src: object, at: int, dst: object, to: int, n: int):  # type: ignore[no-untyped-def]
    """Copy `n` bytes from src[at] on to dst[to] on."""
    p = ptr8(src)
    q = ptr8(dst)
    i = 0
    while i < n:
        q[to + i] = p[at + i]
        i += 1


@micropython.viper
def load_few(buf: object, at: int, end: int, still: object, leds: int) -> int:
    """Still colours as a table of up to 16 and runs of a byte each (index, length - 1); return their end, or -1."""
    p = ptr8(buf)
    q = ptr8(still)
    colours = p[at]
    table = at + 1
    at = table + 3 * colours
    to = 0
    full = 3 * leds
    while to < full:
        if at >= end:
            return -1
        c = p[at] >> 4
        stop = to + 3 * ((p[at] & 15) + 1)
        if c >= colours or stop > full:
            return -1
        c = table + 3 * c
        while to < stop:
            q[to] = p[c]
            q[to + 1] = p[c + 1]
            q[to + 2] = p[c + 2]
            to += 3
        at += 1
    return at


@micropython.viper
def load_many(buf: object, at: int, end: int, still: object, leds: int) -> int:
    """Still colours as runs (n, colour) and lists (128 + n, n colours); return their end, or -1."""
    p = ptr8(buf)
    q = ptr8(still)
    to = 0
    full = 3 * leds
    while to < full:
        listed = p[at] & 128
        run = p[at] & 127
        at += 1
        size = 3 * run if listed else 3
        if run == 0 or to + 3 * run > full or at + size > end:
            return -1
        stop = to + 3 * run
        while to < stop:
            q[to] = p[at]
            q[to + 1] = p[at + 1]
            q[to + 2] = p[at + 2]
            to += 3
            if listed:
                at += 3
        if not listed:
            at += 3
    return at


@micropython.viper
def load_effect(buf: object, at: int, row: object, r: int, leds: int) -> int:
    """Read the 14 bytes of an effect at buf[at] into row[r:]; return 0 or an error's number. Stops come later."""
    p = ptr8(buf)
    q = ptr32(row)
    kind = p[at] & 127
    first = p[at + 1] | (p[at + 2] << 8)
    count = p[at + 3] | (p[at + 4] << 8)
    option = p[at + 8]
    period = p[at + 9] | (p[at + 10] << 8)
    time = p[at + 11] | (p[at + 12] << 8) | (p[at + 13] << 16)
    if kind == 0 or kind > 4:
        return 2  # E_MALFORMED
    if period == 0:
        return 11  # E_TIMING
    if first + count > leds:
        return 9  # E_BEYOND_STRIP
    q[r] = kind
    q[r + 1] = first
    q[r + 2] = count
    q[r + 3] = p[at + 5]
    q[r + 4] = p[at + 6]
    q[r + 5] = p[at + 7]
    q[r + 6] = option
    q[r + 7] = period
    waiting = p[at] & 128
    q[r + 8] = time if waiting else 0
    q[r + 9] = 0 if waiting else time
    q[r + 10] = period if kind <= 2 else period * option
    return 0


@micropython.viper
def grow(row: object, n: int, ms: int) -> int:
    """Let `ms` go by for `n` effects; return how many of them still move or will."""
    q = ptr32(row)
    moving = 0
    r = 0
    while n > 0:
        n -= 1
        kind = q[r]
        end = q[r + 10]
        wait = q[r + 8]
        age = q[r + 9]
        if wait > ms:
            wait -= ms
        else:
            age += ms - wait
            wait = 0
        if age >= end:
            age = age % end if kind <= 2 else end
        q[r + 8] = wait
        q[r + 9] = age
        if age < end:
            moving += 1
        r += 12
    return moving


@micropython.viper
def dot(row: object, r: int, buf: object, led: int, share: int):  # type: ignore[no-untyped-def]
    """A Run's dot on its LED number `led`, if it has that one."""
    q = ptr32(row)
    count = q[r + 2]
    if led < 0 or led >= count:
        return
    if q[r + 6]:
        led = count - 1 - led
    p = ptr8(buf)
    i = 3 * (q[r + 1] + led)
    keep = 256 - share
    p[i] = (p[i] * keep + q[r + 3] * share) >> 8
    p[i + 1] = (p[i + 1] * keep + q[r + 4] * share) >> 8
    p[i + 2] = (p[i + 2] * keep + q[r + 5] * share) >> 8


@micropython.viper
def paint(row: object, r: int, buf: object, level: int):  # type: ignore[no-untyped-def]
    """An effect's LEDs in its colour, at level 0 (dark) to 256 (full)."""
    q = ptr32(row)
    p = ptr8(buf)
    i = 3 * q[r + 1]
    end = i + 3 * q[r + 2]
    red = q[r + 3] * level >> 8
    green = q[r + 4] * level >> 8
    blue = q[r + 5] * level >> 8
    while i < end:
        p[i] = red
        p[i + 1] = green
        p[i + 2] = blue
        i += 3


def u16(buf: bytearray, at: int) -> int:
    return buf[at] | (buf[at + 1] << 8)


class Animation:
    """Still colours and up to frames.MAX_EFFECTS effects for up to frames.MAX_LEDS LEDs."""

    def __init__(self, leds: int) -> None:
        self.still = bytearray(3 * frames.MAX_LEDS)
        self._rows = array("i", bytearray(4 * _ROW * frames.MAX_EFFECTS))
        self._stops = bytearray(4 * frames.MAX_STOPS)
        self.dark(leds)

    def dark(self, leds: int) -> None:
        self.leds = leds
        self.used = 0
        self.moving = 0  # how many effects still change something
        mix(self.still, 0, frames.MAX_LEDS, 0, 0, 0, 256)

    def breathe(self, first: int, count: int, red: int, green: int, blue: int, period: int) -> None:
        """Let one group breathe, and nothing else (the pulse without a host)."""
        rows = self._rows
        rows[_KIND], rows[_FIRST], rows[_COUNT] = BREATHE, first, count
        rows[_RED], rows[_GREEN], rows[_BLUE] = red, green, blue
        rows[_PERIOD] = rows[_END] = period
        rows[_WAIT] = rows[_AGE] = 0
        self.used = self.moving = 1

    def load(self, buf: bytearray, at: int, n: int, leds: int) -> int:
        """Read the picture in buf[at : at + n]; return 0 or an error's number, then do not draw it."""
        end = at + n
        self.used = self._stops_used = 0
        self.leds = leds
        if n < 4:
            return frames.E_MALFORMED
        if u16(buf, at) != leds:
            return frames.E_OTHER_LEDS
        if buf[at + 2]:
            at = load_few(buf, at + 2, end, self.still, leds)
        else:
            at = load_many(buf, at + 3, end, self.still, leds)
        if at == -1 or at >= end:
            return frames.E_MALFORMED
        count = buf[at]
        at += 1
        if count > frames.MAX_EFFECTS:
            return frames.E_TOO_MANY
        for r in range(0, count * _ROW, _ROW):
            if at + frames.EFFECT_BYTES > end:
                return frames.E_MALFORMED
            error = load_effect(buf, at, self._rows, r, leds)
            at += frames.EFFECT_BYTES
            if error == 0 and self._rows[r] == GLIDE:
                error = self._load_stops(r, buf, at, end)
                at += 4 * self._rows[r + _OPTION]
            if error:
                return error
        if at != end:
            return frames.E_MALFORMED
        self.used = count
        self.advance(0)  # ages into their ranges
        return 0

    def _load_stops(self, r: int, buf: bytearray, at: int, end: int) -> int:
        n = self._rows[r + _OPTION]
        if n == 0 or at + 4 * n > end:
            return frames.E_MALFORMED
        if self._stops_used + n > frames.MAX_STOPS:
            return frames.E_TOO_MANY
        for i in range(at, at + 4 * n, 4):
            if u16(buf, i) + u16(buf, i + 2) > self.leds:
                return frames.E_BEYOND_STRIP
        copy(buf, at, self._stops, 4 * self._stops_used, 4 * n)
        self._rows[r + _STOPS_AT] = self._stops_used
        self._stops_used += n
        return 0

    def advance(self, ms: int) -> None:
        """Let `ms` (0 to 2 ** 28) go by."""
        self.moving = grow(self._rows, self.used, ms)

    def draw(self, rgb: bytearray) -> None:
        """Draw the present moment into `rgb`: red, green, blue of each LED, at least 3 * leds bytes."""
        rows = self._rows
        copy(self.still, 0, rgb, 0, 3 * self.leds)
        for i in range(self.used):
            r = i * _ROW
            if rows[r + _WAIT] > 0:
                continue
            kind = rows[r]
            age = rows[r + _AGE]
            period = rows[r + _PERIOD]
            if kind == BREATHE:
                # A triangle, squared: an even swell to the eye, which sees the root of the light, not the light.
                level = age * 512 // period
                if level > 256:
                    level = 512 - level
                paint(rows, r, rgb, level * level >> 8)
            elif kind == RUN:
                # The dot comes in from before the first LED and leaves behind the last, shared by two neighbours.
                at = age * (rows[r + _COUNT] + 1) * 16 // period
                share = (at & 15) << 4
                dot(rows, r, rgb, (at >> 4) - 1, 256 - share)
                dot(rows, r, rgb, at >> 4, share)
            elif kind == GLIDE:
                self._draw_glide(r, rgb, age, period)
            elif age < rows[r + _END]:
                paint(rows, r, rgb, 256 if (age % period) * 2 < period else 0)

    def _draw_glide(self, r: int, rgb: bytearray, age: int, period: int) -> None:
        # During the first half of a step the light goes over from the stop before; then it rests.
        rows = self._rows
        stop = age // period
        share = 256
        if stop >= rows[r + _OPTION]:
            stop = rows[r + _OPTION] - 1
        elif stop > 0:
            share = min(256, (age % period) * 512 // period)
        stop += rows[r + _STOPS_AT]
        if share < 256:
            self._block(r, rgb, stop - 1, 256 - share)
        self._block(r, rgb, stop, share)

    def _block(self, r: int, rgb: bytearray, stop: int, share: int) -> None:
        rows = self._rows
        first = u16(self._stops, 4 * stop)
        count = u16(self._stops, 4 * stop + 2)
        mix(rgb, first, count, rows[r + _RED], rows[r + _GREEN], rows[r + _BLUE], share)

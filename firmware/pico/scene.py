# ruff: noqa: F821 (ptr8 is a word of the viper compiler)
"""What the strip shows, as the host describes it: still colours and moving things, drawn into an RGB buffer.

Nothing here touches the machine. All buffers are made once; `advance` and `draw` allocate nothing. Times are
milliseconds; each moving thing carries its own age, kept small, so that no counter ever wraps.
"""

import frames
import micropython

BREATHE = 1
RUN = 2
FLASH = 3
GLIDE = 4
_HEAD = 15  # bytes of an effect before a glide's stops
_AGE_LIMIT = 1 << 29  # a small int of MicroPython, with room for one sum


@micropython.viper
def mix(buf, first: int, count: int, red: int, green: int, blue: int, share: int):
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
def copy(src, at: int, dst, to: int, n: int):
    """Copy `n` bytes from src[at] on to dst[to] on."""
    p = ptr8(src)
    q = ptr8(dst)
    i = 0
    while i < n:
        q[to + i] = p[at + i]
        i += 1


def u16(buf, at):
    return buf[at] | (buf[at + 1] << 8)


class Effect:
    """One moving thing. `age` runs from minus something (not yet begun) to `end`, where it stays, or wraps at `end`."""

    def __init__(self):
        self.kind = 0
        self.first = self.count = 0
        self.red = self.green = self.blue = 0
        self.option = 0  # Run: 1 if backwards; Flash: how many times; Glide: how many stops
        self.period = 1
        self.age = 0
        self.end = 1
        self.stops_at = 0  # Glide: where its stops begin in the scene's list


class Scene:
    """Still colours and up to frames.MAX_EFFECTS effects for up to frames.MAX_LEDS LEDs."""

    def __init__(self):
        self.leds = 0
        self.still = bytearray(3 * frames.MAX_LEDS)
        self.effects = [Effect() for _ in range(frames.MAX_EFFECTS)]
        self.used = 0
        self.stops = bytearray(4 * frames.MAX_STOPS)
        self.stops_used = 0

    def dark(self, leds):
        self.leds = leds
        self.used = 0
        mix(self.still, 0, frames.MAX_LEDS, 0, 0, 0, 256)

    def breathe(self, first, count, red, green, blue, period):
        """Add a breathing group by hand (the pulse without a host)."""
        e = self.effects[self.used]
        self.used += 1
        e.kind, e.first, e.count = BREATHE, first, count
        e.red, e.green, e.blue = red, green, blue
        e.period = e.end = period
        e.age = 0

    # -- reading a description -------------------------------------------------------------------

    def load(self, buf, at, n, leds):
        """Read the picture in buf[at : at + n]; return 0 or an error's number, then do not draw it."""
        end = at + n
        self.used = self.stops_used = 0
        self.leds = leds
        if n < 4:
            return frames.E_MALFORMED
        if u16(buf, at) != leds:
            return frames.E_OTHER_LEDS
        colours = buf[at + 2]
        at = self._load_few(buf, at + 3, end, colours) if colours else self._load_many(buf, at + 3, end)
        if at < 0 or at >= end:
            return frames.E_MALFORMED
        count = buf[at]
        at += 1
        if count > frames.MAX_EFFECTS:
            return frames.E_TOO_MANY
        for _ in range(count):
            if at + _HEAD > end:
                return frames.E_MALFORMED
            error = self._load_effect(self.effects[self.used], buf, at, end)
            if error:
                return error
            at += _HEAD
            if buf[at - _HEAD] == GLIDE:
                at += 4 * self.effects[self.used].option
            self.used += 1
        self.advance(0)  # ages into their ranges
        return 0 if at == end else frames.E_MALFORMED

    def _load_few(self, buf, at, end, colours):
        """Still colours as a table of up to 16 and runs of a byte each (index, length - 1); return their end, or -1."""
        table = at
        at += 3 * colours
        led = 0
        while led < self.leds:
            if at >= end:
                return -1
            run = (buf[at] & 15) + 1
            c = table + 3 * (buf[at] >> 4)
            if buf[at] >> 4 >= colours or led + run > self.leds:
                return -1
            mix(self.still, led, run, buf[c], buf[c + 1], buf[c + 2], 256)
            led += run
            at += 1
        return at

    def _load_many(self, buf, at, end):
        """Still colours as runs (n, colour) and lists (128 + n, n colours); return where they end, or -1."""
        led = 0
        while led < self.leds:
            if at >= end:
                return -1
            run = buf[at] & 127
            size = 3 * run if buf[at] & 128 else 3
            at += 1
            if run == 0 or led + run > self.leds or at + size > end:
                return -1
            if size == 3:
                mix(self.still, led, run, buf[at], buf[at + 1], buf[at + 2], 256)
            else:
                copy(buf, at, self.still, 3 * led, size)
            led += run
            at += size
        return at

    def _load_effect(self, e, buf, at, end):
        kind = buf[at]
        e.kind = kind
        e.first = u16(buf, at + 1)
        e.count = u16(buf, at + 3)
        e.red, e.green, e.blue = buf[at + 5], buf[at + 6], buf[at + 7]
        e.option = buf[at + 8]
        e.period = u16(buf, at + 9)
        high = buf[at + 14]
        e.age = u16(buf, at + 11) + (buf[at + 13] << 16) + ((high - 256 if high & 128 else high) << 24)
        if kind < BREATHE or kind > GLIDE:
            return frames.E_MALFORMED
        if e.period == 0 or e.age >= _AGE_LIMIT or e.age < -_AGE_LIMIT:
            return frames.E_TIMING
        e.end = e.period
        if kind == GLIDE:
            return self._load_stops(e, buf, at + _HEAD, end)
        if kind == FLASH:
            e.end = e.period * e.option
        return frames.E_BEYOND_STRIP if e.first + e.count > self.leds else 0

    def _load_stops(self, e, buf, at, end):
        n = e.option
        if n == 0 or at + 4 * n > end:
            return frames.E_MALFORMED
        if self.stops_used + n > frames.MAX_STOPS:
            return frames.E_TOO_MANY
        for i in range(n):
            if u16(buf, at + 4 * i) + u16(buf, at + 4 * i + 2) > self.leds:
                return frames.E_BEYOND_STRIP
        copy(buf, at, self.stops, 4 * self.stops_used, 4 * n)
        e.stops_at = self.stops_used
        self.stops_used += n
        e.end = e.period * n
        return 0

    # -- moving and drawing ----------------------------------------------------------------------

    def advance(self, ms):
        """Let `ms` (0 to 2 ** 28) go by."""
        for i in range(self.used):
            e = self.effects[i]
            age = e.age + ms
            if age >= e.end:
                age = age % e.end if e.kind == BREATHE or e.kind == RUN else e.end
            e.age = age

    def moving(self):
        """True while something on the strip changes by itself, or will."""
        for i in range(self.used):
            e = self.effects[i]
            if e.kind == BREATHE or e.kind == RUN or e.age < e.end:
                return True
        return False

    def draw(self, rgb):
        """Draw the present moment into `rgb`: red, green, blue of each LED, at least 3 * leds bytes."""
        copy(self.still, 0, rgb, 0, 3 * self.leds)
        for i in range(self.used):
            e = self.effects[i]
            if e.age < 0:
                continue
            kind = e.kind
            if kind == BREATHE:
                self._draw_breath(e, rgb)
            elif kind == RUN:
                self._draw_run(e, rgb)
            elif kind == GLIDE:
                self._draw_glide(e, rgb)
            elif e.age < e.end:
                lit = 256 if (e.age % e.period) * 2 < e.period else 0
                mix(rgb, e.first, e.count, e.red * lit >> 8, e.green * lit >> 8, e.blue * lit >> 8, 256)

    def _draw_breath(self, e, rgb):
        # A triangle, squared: an even swell to the eye, which sees the root of the light rather than the light.
        level = e.age * 512 // e.period
        if level > 256:
            level = 512 - level
        level = level * level >> 8
        mix(rgb, e.first, e.count, e.red * level >> 8, e.green * level >> 8, e.blue * level >> 8, 256)

    def _draw_run(self, e, rgb):
        # The dot comes in from before the first LED and leaves behind the last, its light shared by two neighbours.
        at = e.age * (e.count + 1) * 16 // e.period
        led = (at >> 4) - 1
        share = (at & 15) << 4
        self._dot(e, rgb, led, 256 - share)
        self._dot(e, rgb, led + 1, share)

    def _dot(self, e, rgb, led, share):
        if 0 <= led < e.count:
            if e.option:
                led = e.count - 1 - led
            mix(rgb, e.first + led, 1, e.red, e.green, e.blue, share)

    def _draw_glide(self, e, rgb):
        # During the first half of a step the light goes over from the stop before; then it rests.
        stop = e.age // e.period
        share = 256
        if stop >= e.option:
            stop = e.option - 1
        elif stop > 0:
            share = (e.age % e.period) * 512 // e.period
        if share < 256:
            self._block(e, rgb, e.stops_at + stop - 1, 256 - share)
        else:
            share = 256
        self._block(e, rgb, e.stops_at + stop, share)

    def _block(self, e, rgb, stop, share):
        mix(rgb, u16(self.stops, 4 * stop), u16(self.stops, 4 * stop + 2), e.red, e.green, e.blue, share)

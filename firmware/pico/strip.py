"""The strip of WS2812 LEDs: colour order, and the current budget that no frame exceeds."""

import frames
import machine
import micropython
import neopixel

TYPE_CHECKING = False  # MicroPython has no typing
if TYPE_CHECKING:
    from micropython import ptr8  # a word of the viper compiler

DATA_PIN = 16
CHANNEL_MA = 20  # one colour channel at 255
IDLE_MA = 1  # each LED, also when dark


@micropython.viper
def total(buf: object, n: int) -> int:
    p = ptr8(buf)
    s = 0
    i = 0
    while i < n:
        s += p[i]
        i += 1
    return s


@micropython.viper
def scale(buf: object, n: int, share: int, whole: int):  # type: ignore[no-untyped-def]
    """Multiply `n` bytes by share / whole, rounding down. 255 * share must fit 31 bits."""
    p = ptr8(buf)
    i = 0
    while i < n:
        p[i] = p[i] * share // whole
        i += 1


@micropython.viper
def arrange(rgb: object, wire: object, n: int, red: int, green: int, blue: int):  # type: ignore[no-untyped-def]
    """Write `n` LEDs of red, green, blue to `wire`, where the channels have these places in each LED's three bytes."""
    p = ptr8(rgb)
    q = ptr8(wire)
    i = 0
    end = 3 * n
    while i < end:
        q[i + red] = p[i]
        q[i + green] = p[i + 1]
        q[i + blue] = p[i + 2]
        i += 3


class Leds:
    """Draw into `rgb`, then `write`. After that `rgb` holds what is really lit."""

    def __init__(self, leds: int = 64, order: bytes = b"GRB", budget_ma: int = 400) -> None:
        self.rgb = bytearray(3 * frames.MAX_LEDS)
        self.leds = 0
        # The strip may be longer than this, and still show what it did before a restart.
        neopixel.NeoPixel(machine.Pin(DATA_PIN), frames.MAX_LEDS).write()
        self.set_up(leds, order, budget_ma)

    def set_up(self, leds: int, order: bytes, budget_ma: int) -> None:
        """Another strip: the LEDs that no longer belong to it go dark first. Raises nothing; `check` first."""
        if self.leds:
            scale(self.rgb, 3 * self.leds, 0, 1)
            self.write()
        self.leds = leds
        self.budget_ma = budget_ma
        self.order = bytes(order)
        self._red, self._green, self._blue = order.find(b"R"), order.find(b"G"), order.find(b"B")
        self._pixels = neopixel.NeoPixel(machine.Pin(DATA_PIN), leds)
        # In units of 1/255 mA, as the sum of all bytes times CHANNEL_MA.
        self._spare = (budget_ma - leds * IDLE_MA) * 255

    def write(self) -> None:
        """Light `rgb`, the whole of it scaled where it would draw more than the budget."""
        n = 3 * self.leds
        wanted = total(self.rgb, n) * CHANNEL_MA
        if wanted > self._spare:
            scale(self.rgb, n, self._spare, wanted)
        arrange(self.rgb, self._pixels.buf, self.leds, self._red, self._green, self._blue)
        self._pixels.write()


def check(leds: int, order: bytes, budget_ma: int) -> int:
    """Return 0 if a strip can be set up like this, else the number of the error."""
    if not 1 <= leds <= frames.MAX_LEDS:
        return frames.E_LEDS
    if len(order) != 3 or order.find(b"R") < 0 or order.find(b"G") < 0 or order.find(b"B") < 0:
        return frames.E_COLOUR_ORDER
    if budget_ma <= leds * IDLE_MA:
        return frames.E_BUDGET
    return 0

"""luma.oled's controllers, writing only parts of their memory: SSD1306, SSD1309 and SH1106 with 128 x 64 pixels.

luma sets the controller up and puts bytes on the bus. Here is what it leaves out: which parts of the display memory
differ, in few bytes, each in the controller's own addressing; and a set-up that can be sent again.

luma 2.6 raises its own `luma.core.error.Error` when a command is not acknowledged, and a bare `OSError` when display
data is not, or when the bus times out (then Python's TimeoutError); `FAULTS` are all of them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence

import luma.core.error
import smbus2
from luma.core.device import device
from luma.core.interface.serial import i2c
from PIL import Image

from hardware.ports import HardwareError
from hardware.threads import NoThreadError

try:
    from luma.oled.device import sh1106, ssd1306, ssd1309
except RuntimeError as error:  # luma.core.virtual begins four threads when it is imported; nobody gives them work
    raise NoThreadError(f"luma.core: {error}. Let this user start more (ulimit -u), or stop other programs") from error

WIDTH_PX, HEIGHT_PX, PAGES = 128, 64, 8
FAULTS = (luma.core.error.Error, OSError)
BLANK = (bytes(WIDTH_PX),) * PAGES
_NOP = 0xE3

Pages = tuple[bytes, ...]  # 8 pages of 128 bytes; bit 0 is the uppermost of a page's 8 rows
Window = tuple[int, int, int, int]  # first and last column, first and last page


class UnknownChipError(HardwareError, ValueError):
    """The configuration names a display controller that this module cannot drive."""


def packed(image: Image.Image) -> Pages:
    """A picture of mode "1", 128 x 64, as the controllers keep it."""
    # Turned clockwise, each row holds one column of the panel from the lowest pixel to the uppermost.
    columns = image.transpose(Image.Transpose.ROTATE_270).tobytes()
    return tuple(columns[PAGES - 1 - page :: PAGES] for page in range(PAGES))


# ---- what to send --------------------------------------------------------------------------


def changed_windows(old: Pages, new: Pages, overhead: int, across_pages: bool) -> list[Window]:
    """Rectangles of the display memory that cover every difference, chosen so that few bytes go over the bus.

    `overhead`: bytes that one more window costs. `across_pages`: whether one window may cover several pages.
    """
    windows = [
        (first, last, page, page) for page in range(PAGES) for first, last in _spans(old[page], new[page], overhead)
    ]
    merged = across_pages
    while merged:
        merged = False
        for index, window in enumerate(windows):
            for other in range(index + 1, len(windows)):
                union = _union(window, windows[other])
                if _area(union) <= _area(window) + _area(windows[other]) + overhead:
                    windows[index] = union
                    del windows[other]
                    merged = True
                    break
            if merged:
                break
    if sum(_area(window) + overhead for window in windows) >= WIDTH_PX * PAGES:
        return [(0, WIDTH_PX - 1, 0, PAGES - 1)]
    return windows


def _spans(old: bytes, new: bytes, overhead: int) -> list[tuple[int, int]]:
    """Runs of columns that differ; runs that are nearer than a window's overhead are one."""
    spans: list[tuple[int, int]] = []
    if old == new:
        return spans
    for column in range(WIDTH_PX):
        if old[column] == new[column]:
            continue
        if spans and column - spans[-1][1] - 1 <= overhead:
            spans[-1] = (spans[-1][0], column)
        else:
            spans.append((column, column))
    return spans


def _union(a: Window, b: Window) -> Window:
    return min(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), max(a[3], b[3])


def _area(window: Window) -> int:
    return (window[1] - window[0] + 1) * (window[3] - window[2] + 1)


# ---- luma's devices, writing parts ---------------------------------------------------------


class _NoExitHook(device):
    """luma's base class, without the hook that each instance would leave behind in `atexit` for ever."""

    def __init__(self, const: type, serial_interface: i2c) -> None:
        self._const = const
        self._serial_interface = serial_interface
        # A transfer that was cut off may have left a command waiting for arguments: let it have them.
        self._serial_interface.command(_NOP, _NOP, _NOP)


class PartialPanel:
    """Writes windows of the display memory, and remembers the commands of the set-up to send them again."""

    ACROSS_PAGES = True
    # Address, control byte and three of the columns or of the pages; address and control byte of the data. The first
    # window of a picture, and one whose columns and pages are both new, take three more.
    WINDOW_BYTES = 7

    def __init__(self, serial_interface: i2c, rotate: int) -> None:
        self.setup: list[tuple[int, ...]] = []
        super().__init__(serial_interface, WIDTH_PX, HEIGHT_PX, rotate=rotate)  # type: ignore[call-arg]
        self.setup, self._recorded = [], self.setup

    def command(self, *commands: int) -> None:
        self.setup.append(commands)
        super().command(*commands)  # type: ignore[misc]

    def display(self, image: Image.Image) -> None:
        """The whole picture (luma calls this once, with a dark one, before it switches the panel on)."""
        pages = packed(self.preprocess(image))  # type: ignore[attr-defined]
        self.setup, kept = [], self.setup
        self.write(pages, [(0, WIDTH_PX - 1, 0, PAGES - 1)])
        self.setup = kept

    def write(self, pages: Pages, windows: Sequence[Window]) -> None:
        columns = rows = None
        for first, last, top, bottom in sorted(windows, key=lambda window: window[2:]):
            setting: tuple[int, ...] = ()
            # When a window is full, the chip's pointers are at its beginning again (SSD1306, 10.1.3).
            if columns != (first, last) or rows == (top, bottom):
                setting += (0x21, first, last)
            if rows != (top, bottom):
                setting += (0x22, top, bottom)
            columns, rows = (first, last), (top, bottom)
            self._command(*setting)
            self._data(b"".join(page[first : last + 1] for page in pages[top : bottom + 1]))

    def repair(self, pages: Pages, contrast: int, page: int) -> None:
        """The whole set-up and one page of the memory again: nothing flickers if the controller had them.

        The panel is not switched off. `page` is 0 to 7: called for each in turn, all of the memory is whole again.
        """
        for commands in self._recorded:
            if commands[0] in (0x81, 0xAF):  # luma's contrast and "on": ours follow
                continue
            self._command(*(commands[1:] if commands[0] == 0xAE else commands))
        self.set_contrast(contrast)
        self.write(pages, [(0, WIDTH_PX - 1, page, page)])
        self._command(0xAF)

    def _command(self, *commands: int) -> None:
        self._serial_interface.command(*commands)  # type: ignore[attr-defined]

    def _data(self, content: bytes) -> None:
        self._serial_interface.data(content)  # type: ignore[attr-defined]

    def set_contrast(self, level: int) -> None:
        self._command(0x81, level)

    def switch_off(self) -> None:
        self._command(0xAE)

    def let_go(self) -> None:
        self._serial_interface.cleanup()  # type: ignore[attr-defined]


class _PagesOnly(PartialPanel):
    """SH1106: page addressing only, and the panel begins at column 2 of the memory (data sheet V2.3, 1 to 4)."""

    ACROSS_PAGES = False
    WINDOW_BYTES = 7

    def write(self, pages: Pages, windows: Sequence[Window]) -> None:
        for first, last, top, bottom in windows:
            column = first + self._page_address_offset  # type: ignore[attr-defined]
            for page in range(top, bottom + 1):
                self._command(0xB0 | page, column & 0x0F, 0x10 | column >> 4)
                self._data(pages[page][first : last + 1])


class _SSD1306(PartialPanel, ssd1306, _NoExitHook):
    pass


class _SSD1309(PartialPanel, ssd1309, _NoExitHook):
    pass


class _SH1106(_PagesOnly, sh1106, _NoExitHook):
    pass


CHIPS: dict[str, Callable[[i2c, int], PartialPanel]] = {"ssd1306": _SSD1306, "ssd1309": _SSD1309, "sh1106": _SH1106}


class _OwnBus(i2c):
    """luma's interface on a bus that is opened for it. Raises OSError, and leaves nothing open then.

    luma opens it by smbus2, which keeps a device open that it can do nothing with: one more at each try.
    """

    def __init__(self, port: int, address: int) -> None:
        bus = smbus2.SMBus()
        try:
            bus.open(port)
        except OSError as error:
            with contextlib.suppress(OSError):
                bus.close()
            if error.filename is None:
                error.filename = f"/dev/i2c-{port}"
            raise
        super().__init__(bus=bus, address=address)
        self._managed, self._i2c_msg_write = True, smbus2.i2c_msg.write  # as where luma opens it: large blocks, closed


class Opener:
    """How to open one panel. Calling it opens the bus, sets the controller up, and leaves the panel on and dark.

    chip: "ssd1306", "ssd1309" or "sh1106". address: 7 bits, 0x3C or 0x3D. port: the number of the I2C bus; ignored if
    `bus`, an object with the methods of `smbus2.SMBus`, is given. rotate: quarter turns, 0 or 2 (turned round).
    Raises UnknownChipError at once for a chip that is not known; calling it raises one of `FAULTS`.
    """

    def __init__(self, chip: str = "ssd1306", address: int = 0x3C, port: int = 1, rotate: int = 0, bus: object = None):
        if chip not in CHIPS:
            raise UnknownChipError(f"screen chip {chip!r} is not known; known are {', '.join(sorted(CHIPS))}")
        if rotate not in (0, 2):
            raise ValueError(f"screen rotate is {rotate!r}: 0 (upright) or 2 (turned round) is possible")
        self.chip, self.address, self.port, self.rotate, self.bus = chip, address, port, rotate, bus

    def __call__(self) -> PartialPanel:
        serial = i2c(bus=self.bus, address=self.address) if self.bus is not None else _OwnBus(self.port, self.address)
        try:
            return CHIPS[self.chip](serial, self.rotate)
        except FAULTS:
            with contextlib.suppress(*FAULTS):
                serial.cleanup()
            raise

    def __str__(self) -> str:
        return f"{self.chip} at 0x{self.address:02X}"

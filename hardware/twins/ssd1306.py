"""Emulated OLED controllers on an I2C bus: SSD1306, SSD1309 and SH1106, each with its 128 x 64 panel.

A chip has the methods of an `smbus2.SMBus` that `luma.core.interface.serial.i2c` calls, so that luma.oled runs
unchanged on top of it: `i2c(bus=SSD1306(), address=0x3C)`. Bytes are decoded as the chip does it (control bytes,
commands with their arguments, addressing modes, display memory), and what the chip would not understand is refused:
`Refused` is raised, and the words are kept in `refused`.

From the world's side: `image()` is what the panel lights, `unplug` / `plug_in`, `brown_out`, `fail`.

Sources: Solomon Systech SSD1306 data sheet rev. 1.1, sections 8.1.5 (I2C), 9 and 10 (commands), application note on the
charge pump; SSD1309 rev. 1.1; Sino Wealth SH1106 V2.3. The panel is wired as on the common modules: upright with
segment remap A1h and COM scan direction C8h; SH1106 modules show columns 2 to 129 of its 132.
"""

from __future__ import annotations

import errno
import random
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar

from PIL import Image, ImageChops

from hardware.twins.i2c import BLOCK_MAX_BYTES, MESSAGE_MAX_BYTES, bus_error
from hardware.twins.refused import Refused

WIDTH_PX, HEIGHT_PX, PAGES = 128, 64, 8
CONTINUES, IS_DATA = 0x80, 0x40  # Co and D/C# of a control byte

ANY = range(sys.maxsize)  # whatever a byte can be

# command: the values that each of its arguments may have
Ranges = Mapping[int, tuple[range, ...]]


class Controller:
    """What the three chips have in common. `address`: 7 bits; `bus_hz`: the clock, for the time on the wire.

    `on_wire` is called with the microseconds that each transfer takes, before the chip obeys: a test lets its clock
    advance there, or blocks. Reading `image()` and the switches for faults are safe from another thread.
    """

    NAME = "controller"
    COLUMNS = WIDTH_PX
    FIRST_SHOWN = 0
    NEEDS_PUMP = False
    ARGUMENTS: ClassVar[Ranges] = {
        0x81: (ANY,),
        0xA8: (range(15, 64),),
        0xD3: (range(64),),
        0xD5: (ANY,),
        0xD9: (range(0x11, ANY.stop),),
        0xDA: (range(0x02, 0x33),),
        0xDB: (range(0x80),),
    }
    SINGLE: frozenset[int] = frozenset(
        [*range(0x40, 0x80), 0xA0, 0xA1, 0xA4, 0xA5, 0xA6, 0xA7, 0xAE, 0xAF, *range(0xC0, 0xD0), 0xE3]
    )

    def __init__(self, address: int = 0x3C, bus_hz: int = 400_000, on_wire: Callable[[float], None] | None = None):
        self.address, self.bus_hz, self.on_wire = address, bus_hz, on_wire
        self.transfers = 0
        self.bytes_on_bus = 0  # address and control bytes included
        self.refused: list[str] = []
        self._plugged = True
        self._faults: dict[int, tuple[OSError, int]] = {}
        self._lock = threading.RLock()
        self._noise = random.Random(address)
        self._power_on()

    # ---- the world's side ------------------------------------------------------------------

    def image(self) -> Image.Image:
        """What the panel lights: mode "1", 128 x 64, as seen with the module the right way up."""
        with self._lock:
            if not self.on or (self.NEEDS_PUMP and not self.pump):
                return Image.new("1", (WIDTH_PX, HEIGHT_PX))
            if self.all_on:
                return Image.new("1", (WIDTH_PX, HEIGHT_PX), 1)
            picture = self._memory_image()
            if not self.segment_remap:
                picture = picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
            picture = picture.crop((self.FIRST_SHOWN, 0, self.FIRST_SHOWN + WIDTH_PX, HEIGHT_PX))
            picture = ImageChops.offset(picture, 0, -(self.start_line + self.offset) % HEIGHT_PX)
            if self.inverse:
                picture = ImageChops.invert(picture)
            picture.paste(0, (0, self.multiplex, WIDTH_PX, HEIGHT_PX))
            return picture if self.com_remap else picture.transpose(Image.Transpose.FLIP_TOP_BOTTOM)

    def memory(self) -> list[bytes]:
        """The display memory: 8 pages of one byte a column, bit 0 the uppermost row."""
        with self._lock:
            return [bytes(page) for page in self._ram]

    def unplug(self) -> None:
        """No power: nothing is acknowledged, nothing lit."""
        with self._lock:
            self._plugged = False
            self._power_on()

    def plug_in(self) -> None:
        with self._lock:
            self._plugged = True
            self._power_on()

    def brown_out(self) -> None:
        """The supply dipped: registers at their reset values, memory full of noise, and not a word on the bus."""
        with self._lock:
            self._power_on()

    def fail(self, write: int, number: int = errno.EREMOTEIO, after_bytes: int = 0) -> None:
        """Let the `write`-th transfer from now (1 is the next) fail with this errno.

        The chip still takes the first `after_bytes` bytes of it (control byte included).
        """
        with self._lock:
            self._faults[self.transfers + write] = (bus_error(number), after_bytes)

    def heal(self) -> None:
        """Forget the faults that are still to come."""
        with self._lock:
            self._faults.clear()

    @property
    def wire_us(self) -> float:
        """Microseconds that all transfers took on the bus so far: 9 clocks a byte, start and stop."""
        return self._wire_us(self.bytes_on_bus, self.transfers)

    def _wire_us(self, byte_count: int, transfers: int) -> float:
        return (9 * byte_count + 2 * transfers) * 1e6 / self.bus_hz

    # ---- the SMBus end ---------------------------------------------------------------------

    def write_i2c_block_data(
        self, i2c_addr: int, register: int, data: Sequence[int], force: bool | None = None
    ) -> None:
        """Raises ValueError for more than 32 bytes, as smbus2 does, and OSError for the faults of a bus."""
        if len(data) > BLOCK_MAX_BYTES:
            raise ValueError(f"{len(data)} bytes in a block write: at most {BLOCK_MAX_BYTES} are allowed")
        self.transfer(i2c_addr, bytes([register, *data]))

    def i2c_rdwr(self, *messages: Iterable[int]) -> None:
        """Takes write messages of `smbus2.i2c_msg`."""
        for message in messages:
            if getattr(message, "flags", 0) & 1:
                raise self._refuse("a read was asked for: this display is only written to")
            content = bytes(message)
            if len(content) > MESSAGE_MAX_BYTES:
                raise bus_error(errno.EINVAL)
            self.transfer(message.addr, content)  # type: ignore[attr-defined]

    def close(self) -> None:
        """The bus is let go; the chip does not notice."""

    def transfer(self, address: int, content: bytes) -> None:
        """One write transfer: `content` is what follows the address."""
        if self.on_wire is not None:
            self.on_wire(self._wire_us(1 + len(content), 1))
        with self._lock:
            self.transfers += 1
            fault = self._faults.pop(self.transfers, None)
            if not self._plugged or address != self.address:
                self.bytes_on_bus += 1
                raise bus_error(errno.EREMOTEIO)
            self.bytes_on_bus += 1 + len(content)
            if fault is None:
                self._decode(content)
                return
            self._decode(content[: fault[1]], cut_short=True)
            raise fault[0]

    # ---- the chip's own side ---------------------------------------------------------------

    def _power_on(self) -> None:
        self.on = self.pump = self.inverse = self.all_on = self.segment_remap = self.com_remap = False
        self.contrast, self.start_line, self.offset, self.multiplex = 0x7F, 0, 0, 64
        self.column = self.page = 0
        self._pending: list[int] = []  # a command that still waits for arguments
        self._garbled = False
        self._ram = [bytearray(self._noise.randbytes(self.COLUMNS)) for _ in range(PAGES)]

    def _memory_image(self) -> Image.Image:
        # As a picture that lies on its side each row is one column of the panel, its last row first.
        columns = bytearray(PAGES * self.COLUMNS)
        for page, content in enumerate(self._ram):
            columns[PAGES - 1 - page :: PAGES] = content
        lying = Image.frombytes("1", (HEIGHT_PX, self.COLUMNS), bytes(columns))
        return lying.transpose(Image.Transpose.ROTATE_90)

    def _refuse(self, what: str) -> Refused:
        self.refused.append(what)
        return Refused(f"{self.NAME} at 0x{self.address:02X}: {what}")

    def _decode(self, content: bytes, cut_short: bool = False) -> None:
        """Data sheet SSD1306 8.1.5.2: control bytes Co, D/C# and six zeros; Co = 0: all the rest is of one kind."""
        position = 0
        while position < len(content):
            control = content[position]
            if control & ~(CONTINUES | IS_DATA):
                raise self._refuse(f"control byte 0x{control:02X}: its six low bits are not zero")
            last = position + 2 if control & CONTINUES else len(content)
            for byte in content[position + 1 : last]:
                if control & IS_DATA:
                    self._data(byte)
                else:
                    self._command(byte)
            position = last
        if cut_short:
            self._garbled = self._garbled or bool(self._pending)
        elif self._pending and not self._garbled:
            missing = len(self.ARGUMENTS[self._pending[0]]) - len(self._pending) + 1
            command = self._pending[0]
            self._pending = []
            raise self._refuse(f"command 0x{command:02X} lacks {missing} of its arguments")

    def _data(self, byte: int) -> None:
        if self._pending and not self._garbled:
            raise self._refuse(f"display data in the middle of command 0x{self._pending[0]:02X}")
        self._ram[self.page][self.column] = byte
        self._advance()

    def _command(self, byte: int) -> None:
        if not self._pending:
            if byte in self.ARGUMENTS:
                self._pending = [byte]
            elif byte in self.SINGLE:
                self._single(byte)
            else:
                raise self._refuse(f"there is no command 0x{byte:02X}")
            return
        self._pending.append(byte)
        command, *arguments = self._pending
        if len(arguments) < len(self.ARGUMENTS[command]):
            return
        self._pending = []
        garbled, self._garbled = self._garbled, False
        wrong = self._wrong(command, arguments)
        if not wrong:
            self._double(command, arguments)
        elif not garbled:  # else whatever followed a transfer that was cut off was taken for the missing arguments
            raise self._refuse(wrong)

    def _wrong(self, command: int, arguments: list[int]) -> str:
        """What is wrong with the arguments of a command; nothing: an empty text."""
        for argument, allowed in zip(arguments, self.ARGUMENTS[command], strict=True):
            if argument not in allowed:
                high = min(allowed[-1], 0xFF)
                return f"0x{argument:02X} after command 0x{command:02X}: 0x{allowed[0]:02X} to 0x{high:02X} is allowed"
        return ""

    def _single(self, byte: int) -> None:
        if byte & 0xC0 == 0x40:
            self.start_line = byte & 0x3F
        elif byte in (0xA0, 0xA1):
            self.segment_remap = byte == 0xA1
        elif byte in (0xA4, 0xA5):
            self.all_on = byte == 0xA5
        elif byte in (0xA6, 0xA7):
            self.inverse = byte == 0xA7
        elif byte in (0xAE, 0xAF):
            self.on = byte == 0xAF
        elif byte & 0xF0 == 0xC0:
            self.com_remap = bool(byte & 8)

    def _double(self, command: int, arguments: list[int]) -> None:
        if command == 0x81:
            self.contrast = arguments[0]
        elif command == 0xA8:
            self.multiplex = arguments[0] + 1
        elif command == 0xD3:
            self.offset = arguments[0]

    def _advance(self) -> None:
        raise NotImplementedError


class SSD1309(Controller):
    """128 x 64 with the addressing modes of SSD1306 and no charge pump of its own.

    Its table has no 8Dh; luma sends 8Dh 14h all the same, and modules pass over it.
    """

    NAME = "SSD1309"
    ARGUMENTS: ClassVar[Ranges] = {
        **Controller.ARGUMENTS,
        0x20: (range(3),),
        0x21: (range(WIDTH_PX), range(WIDTH_PX)),
        0x22: (range(PAGES), range(PAGES)),
        0x8D: (range(0x10, 0x15),),
        0xFD: (range(0x12, 0x17),),
    }
    SINGLE = Controller.SINGLE | {*range(0x20), *range(0xB0, 0xB8), 0x2E}

    def _power_on(self) -> None:
        super()._power_on()
        self.mode = 2  # page addressing
        self.columns, self.pages = (0, WIDTH_PX - 1), (0, PAGES - 1)

    def _single(self, byte: int) -> None:
        if byte & 0xE0 == 0 or byte & 0xF8 == 0xB0:
            if self.mode != 2:
                raise self._refuse(f"command 0x{byte:02X} is for page addressing only, and mode {self.mode} is set")
            if byte & 0x80:
                self.page = byte & 7
            elif byte & 0x10:
                self.column = (byte & 7) << 4 | self.column & 0x0F
            else:
                self.column = self.column & 0x70 | byte
        else:
            super()._single(byte)

    def _double(self, command: int, arguments: list[int]) -> None:
        if command == 0x20:
            self.mode = arguments[0]
        elif command == 0x21:
            self.columns, self.column = (arguments[0], arguments[1]), arguments[0]
        elif command == 0x22:
            self.pages, self.page = (arguments[0], arguments[1]), arguments[0]
        elif command == 0x8D:
            self.pump = arguments[0] == 0x14
        else:
            super()._double(command, arguments)

    def _wrong(self, command: int, arguments: list[int]) -> str:
        wrong = super()._wrong(command, arguments)
        if not wrong and command in (0x21, 0x22) and arguments[0] > arguments[1]:
            first, last = arguments
            return f"command 0x{command:02X} from {first} to {last}: the end is before the beginning"
        return wrong

    def _advance(self) -> None:
        """Data sheet 10.1.3: horizontal, vertical and page addressing, each with its wrap."""
        if self.mode == 2:
            self.column = (self.column + 1) % WIDTH_PX
            return
        if self.mode == 0:
            self.column, wrapped = _next(self.column, self.columns)
            if wrapped:
                self.page, _ = _next(self.page, self.pages)
        else:
            self.page, wrapped = _next(self.page, self.pages)
            if wrapped:
                self.column, _ = _next(self.column, self.columns)


def _next(value: int, window: tuple[int, int]) -> tuple[int, bool]:
    return (window[0], True) if value >= window[1] else (value + 1, False)


class SSD1306(SSD1309):
    """128 x 64, dark until its charge pump is switched on (8Dh 14h)."""

    NAME = "SSD1306"
    NEEDS_PUMP = True
    ARGUMENTS: ClassVar[Ranges] = {command: ranges for command, ranges in SSD1309.ARGUMENTS.items() if command != 0xFD}


class SH1106(Controller):
    """132 columns of memory, of which the panel shows 2 to 129; page addressing only.

    Its table has no 20h and no 8Dh; luma sends both, each is passed over (so both are in SINGLE) and its argument is
    taken for a command.
    """

    NAME = "SH1106"
    COLUMNS = 132
    FIRST_SHOWN = 2
    ARGUMENTS: ClassVar[Ranges] = {**Controller.ARGUMENTS, 0xAD: (range(0x8A, 0x8C),)}
    SINGLE = Controller.SINGLE | {*range(0x21), *range(0x30, 0x34), 0x8D, *range(0xB0, 0xB8)}

    def _single(self, byte: int) -> None:
        if byte & 0xF8 == 0xB0:
            self.page = byte & 7
        elif byte & 0xF0 == 0x00:
            self.column = self.column & 0xF0 | byte
        elif byte & 0xF0 == 0x10:
            self.column = (byte & 0x0F) << 4 | self.column & 0x0F
        else:
            super()._single(byte)

    def _data(self, byte: int) -> None:
        if self.column >= self.COLUMNS:
            raise self._refuse(f"display data for column {self.column}: there are {self.COLUMNS}")
        super()._data(byte)

    def _advance(self) -> None:
        self.column += 1

"""An emulated MFRC522 by itself, without a driver: its registers as a test writes and reads them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

from hardware.twins import rc522_registers as reg
from hardware.twins.rc522 import RC522, CollisionCount
from hardware.twins.rc522_air import BIT_NS, DELAY_AFTER_NS, Received
from hardware.twins.tags import Tag
from hardware.twins.virtual_time import VirtualTime
from tests.support.pads_support import FOUR

ATQA_NS = 20 * BIT_NS  # start, two bytes with parity, end
REQA_NS = 9 * BIT_NS
DELAY_NS = DELAY_AFTER_NS[0]  # the last bit of REQA is 0


class Chip:
    """An emulated chip whose transfers take no time, so that every moment is the test's."""

    def __init__(self, **options: object) -> None:
        self.time = VirtualTime()
        self.twin = RC522(self.time, transfer_us=0, max_speed_hz=10_000_000, **options)  # type: ignore[arg-type]
        self.time.advance_ms(10)

    def __getitem__(self, register: int) -> int:
        with self.at_this_moment():
            return self.twin.xfer2([register << 1 | 0x80, 0])[1]

    def __setitem__(self, register: int, value: int | bytes) -> None:
        with self.at_this_moment():
            self.twin.xfer2([register << 1, *(value if isinstance(value, bytes) else (value,))])

    @contextmanager
    def at_this_moment(self) -> Iterator[None]:
        self.twin.time = SimpleNamespace(  # type: ignore[assignment]
            now_ns=self.time.now_ns, advance_ns=lambda ns: self.time.now_ns()
        )
        try:
            yield
        finally:
            self.twin.time = self.time

    def wait_ns(self, ns: int) -> None:
        self.time.advance_ns(ns)

    def field_on(self) -> Chip:
        """As for type A: 100 % ASK, no CRC, timer of its own making, the field on."""
        self[reg.TX_ASK] = 0x40
        self[reg.MODE] = 0x3D
        self[reg.TX_CONTROL] = 0x83
        self.time.advance_ms(10)
        return self

    def send(self, data: bytes, framing: int = 0) -> None:
        """Clear everything and send; what comes back is looked for afterwards."""
        self[reg.COMMAND] = reg.IDLE
        self[reg.FIFO_LEVEL] = 0x80
        self[reg.COM_IRQ] = 0x7F
        self[reg.FIFO_DATA] = data
        self[reg.COMMAND] = reg.TRANSCEIVE
        self[reg.BIT_FRAMING] = 0x80 | framing

    def fifo(self) -> bytes:
        return bytes(self[reg.FIFO_DATA] for _ in range(self[reg.FIFO_LEVEL]))


def with_card(uid: bytes = FOUR, **options: object) -> tuple[Chip, Tag]:
    chip = Chip(**options)
    tag = Tag(uid, start_up_us=0)
    chip.twin.put(tag)
    return chip.field_on(), tag


def received(answer: Received, **settings: int) -> Chip:
    """A chip that gets this for its answer to a request. `settings`: registers by name."""
    chip, _ = with_card(collision_count=settings.pop("count", CollisionCount.FROM_FIRST_BIT))
    chip.twin.noise = SimpleNamespace(pass_on=lambda sent: answer)  # type: ignore[assignment]
    align = settings.pop("align", 0)
    for name, value in settings.items():
        chip[getattr(reg, name)] = value
    chip.send(b"\x26", align << 4 | 7)
    chip.wait_ns(10**6)
    chip[reg.COM_IRQ]
    return chip

"""What a visitor of the virtual table may cost, beyond the limits that the library `websockets` sets by itself.

The library bounds a message and the time for a request, and asks silent windows whether they are still there. It counts
neither connections nor frames, reads a head of a megabyte, answers pings as fast as they come, and leaves a visitor who
broke the protocol the time to say good bye.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from websockets.asyncio.server import ServerConnection
from websockets.frames import Frame, Opcode
from websockets.protocol import OPEN, Event

MAX_CONNECTIONS = 64
MAX_WINDOWS = 48  # fewer, so that there is always somebody who can be shown out for a newcomer
MAX_HEAD_BYTES = 8192
MAX_FRAMES = 200  # of one window at once, pings and all, refilled by
FRAMES_PER_S = 50
_PIECE_BYTES = 1024  # at most this much of what one visitor says is read before it is looked at


class Crowd:
    """All connections that there are, in the order in which they came. By `clock_s` their frames are counted."""

    def __init__(self, clock_s: Callable[[], float] = time.monotonic) -> None:
        self.clock_s = clock_s
        self._visitors: dict[Visitor, None] = {}

    @property
    def windows(self) -> int:
        """How many of them have opened the socket."""
        return sum(visitor.protocol.state is OPEN for visitor in self._visitors)

    def enter(self, newcomer: Visitor) -> None:
        """Take somebody in. If all places are taken, whoever has been here longest without a window is shown out."""
        if len(self._visitors) >= MAX_CONNECTIONS:
            others = (visitor for visitor in self._visitors if visitor.protocol.state is not OPEN)
            if (oldest := next(others, None)) is not None:
                self.leave(oldest)
                oldest.transport.abort()
        self._visitors[newcomer] = None

    def leave(self, visitor: Visitor) -> None:
        self._visitors.pop(visitor, None)

    def end_all(self) -> None:
        """End every visit, of windows with a good-bye, without waiting for theirs."""
        for visitor in list(self._visitors):
            if visitor.protocol.state is OPEN:
                visitor.protocol.send_close(1001)
                visitor.send_data()
            visitor.end()


class Visitor(ServerConnection):
    """A connection. Its class has the `crowd` that it belongs to."""

    crowd: Crowd
    _head_bytes = 0
    _frames_left = float(MAX_FRAMES)
    _heard_at_s = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._heard_at_s = self.crowd.clock_s()
        self.crowd.enter(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self.crowd.leave(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        for start in range(0, len(data), _PIECE_BYTES):
            if self.transport.is_closing():
                return
            piece = data[start : start + _PIECE_BYTES]
            super().data_received(piece)
            if self.protocol.close_expected():
                self.end()
            elif self.request is None:
                self._head_bytes += len(piece)
                if self._head_bytes > MAX_HEAD_BYTES:
                    self._turn_away(431, f"The head of a request has at most {MAX_HEAD_BYTES} bytes.\n")

    def process_event(self, event: Event) -> None:
        if isinstance(event, Frame) and not self._is_welcome(event):
            self.transport.abort()
        else:
            super().process_event(event)

    def end(self) -> None:
        """Close the connection: at once if the visitor does not read what it was sent, else when that is sent."""
        self.transport.abort() if self.transport.get_write_buffer_size() else self.transport.close()

    def _turn_away(self, status: int, text: str) -> None:
        self.protocol.send_response(self.protocol.reject(status, text))
        self.send_data()
        self.end()

    def _is_welcome(self, frame: Frame) -> bool:
        """Count one frame more. False for more than hands can do, and for what the table's page never sends."""
        now_s = self.crowd.clock_s()
        refill = (now_s - self._heard_at_s) * FRAMES_PER_S
        self._frames_left = min(float(MAX_FRAMES), self._frames_left + refill) - 1
        self._heard_at_s = now_s
        return self._frames_left >= 0 and frame.fin and frame.opcode is not Opcode.BINARY

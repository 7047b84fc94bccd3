"""What lies between a visitor of the virtual table and microdot, which by itself waits for ever and takes anything."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

from microdot.websocket import WebSocket, WebSocketError

from firmware.virtual.door import TurnedAway
from firmware.virtual.messages import MAX_MESSAGE_BYTES

SEND_S = 10.0  # a window that takes no picture for so long is closed
FRAME_S = 5.0  # so long after its first bytes a frame must be whole
_CONTROL_BYTES = 125  # RFC 6455, 5.5: a control frame holds no more


class AdmittedReader:
    """The stream that microdot reads: the head that was admitted. A connection reads on behind it."""

    def __init__(self, head: bytes, reader: asyncio.StreamReader) -> None:
        self._lines = deque(head.splitlines(keepends=True))
        self._reader = reader

    async def readline(self) -> bytes:
        return self._lines.popleft() if self._lines else b""

    async def readexactly(self, size: int) -> bytes:
        return await self._reader.readexactly(size)


class BoundedWriter:
    """The stream that microdot writes: every write ends within SEND_S or raises TimeoutError."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    async def awrite(self, data: bytes) -> None:
        self._writer.write(data)
        try:
            async with asyncio.timeout(SEND_S):  # not wait_for: that may swallow a cancellation that comes as it ends
                await self._writer.drain()
        except TimeoutError:  # with words, because microdot looks into them
            raise TimeoutError(f"a visitor has read nothing for {SEND_S:g} s") from None

    async def aclose(self) -> None:
        self._writer.close()

    def abort(self) -> None:
        self._writer.transport.abort()

    def get_extra_info(self, name: str) -> Any:
        return self._writer.get_extra_info(name)

    async def turn_away(self, refusal: TurnedAway) -> None:
        body = refusal.text.encode() + b"\n"
        head = f"HTTP/1.0 {refusal.status} Refused\r\nContent-Type: text/plain; charset=utf-8\r\n"
        await self.awrite(f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)


class Connection(WebSocket):
    """The web socket of a window. microdot shakes hands and writes; frames are read here, as RFC 6455 wants them."""

    async def receive(self) -> str | None:
        """The next frame: the text of a message, or None if it was a ping (answered) or a pong.

        Raises WebSocketError for a good-bye and for what no browser sends to this table, EOFError, OSError or
        TimeoutError if the rest of a frame does not come, UnicodeDecodeError for a text that is not UTF-8.
        """
        reader = self.request.sock[0]
        head = await reader.readexactly(2)
        async with asyncio.timeout(FRAME_S):
            kind, size = frame_head(head, await reader.readexactly(2) if head[1] & 0x7F == 126 else b"")
            mask = await reader.readexactly(4)
            payload = bytes(byte ^ mask[i % 4] for i, byte in enumerate(await reader.readexactly(size)))
        if kind == self.CLOSE:
            raise WebSocketError("it says good bye")
        if kind == self.PING:
            await self.send(payload, self.PONG)
        return payload.decode() if kind == self.TEXT else None


def frame_head(head: bytes, longer: bytes) -> tuple[int, int]:
    """(opcode, payload's size in bytes) of a frame from its first two bytes; `longer`: the two after them, if they say
    that the size stands there.

    Raises WebSocketError unless it is a whole, masked text or control frame of a size that is allowed.
    """
    kind, size = head[0] & 0x0F, head[1] & 0x7F
    if head[0] & 0xF0 != 0x80:
        raise WebSocketError("a frame of several, or with bits that mean nothing here")
    if not head[1] & 0x80:
        raise WebSocketError("a frame without a mask: no browser sends one")
    if kind not in (WebSocket.TEXT, WebSocket.CLOSE, WebSocket.PING, WebSocket.PONG):
        raise WebSocketError(f"a frame of kind {kind}: the table reads text")
    if longer:
        size = int.from_bytes(longer, "big")
    if size > (MAX_MESSAGE_BYTES if kind == WebSocket.TEXT else _CONTROL_BYTES) or head[1] & 0x7F == 127:
        raise WebSocketError("a frame that is too long")
    return kind, size

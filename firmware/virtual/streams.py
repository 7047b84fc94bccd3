"""The two streams between a visitor of the virtual table and microdot, which by itself waits for ever."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

from firmware.virtual.door import TurnedAway

SEND_S = 10.0  # a window that takes no picture for so long is closed


class AdmittedReader:
    """The stream that microdot reads: the head that was admitted, then whatever follows it.

    Unlike StreamReader's, `read(n)` waits for all n bytes: microdot takes a shorter answer for the end.
    """

    def __init__(self, head: bytes, reader: asyncio.StreamReader) -> None:
        self._lines = deque(head.splitlines(keepends=True))
        self._reader = reader

    async def readline(self) -> bytes:
        return self._lines.popleft() if self._lines else b""

    async def read(self, size: int) -> bytes:
        return await self._reader.readexactly(size)

    async def readexactly(self, size: int) -> bytes:
        return await self._reader.readexactly(size)


class BoundedWriter:
    """The stream that microdot writes: every write ends within SEND_S or raises TimeoutError."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    async def awrite(self, data: bytes) -> None:
        self._writer.write(data)
        async with asyncio.timeout(SEND_S):  # not wait_for: that may swallow a cancellation that comes as it ends
            await self._writer.drain()

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

"""MicroPython's own `select`."""

from collections.abc import Iterator

POLLIN: int
POLLOUT: int

class poll:
    def register(self, stream: object, mask: int) -> None: ...
    def ipoll(self, timeout_ms: int = -1) -> Iterator[tuple[object, int]]: ...

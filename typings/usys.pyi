"""MicroPython's own `sys`: its standard streams read into a buffer."""

class _Bytes:
    def readinto(self, buffer: bytearray) -> int: ...
    def write(self, data: bytes | bytearray) -> int: ...

class _Stream:
    buffer: _Bytes

stdin: _Stream
stdout: _Stream

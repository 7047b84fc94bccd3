"""Stands for MicroPython's `neopixel`: what is written goes to the side channel, byte for byte as on the data line."""

from machine import Pin, send


class NeoPixel:
    def __init__(self, pin: Pin, n: int, bpp: int = 3, timing: int = 1) -> None:
        if bpp != 3:
            raise ValueError("a WS2812 has three bytes an LED")
        self.pin = pin
        self.n = n
        # The record is made once: a write must take no memory, as on the Pico. Its first byte is the pin.
        size = 1 + n * bpp
        self._record = bytearray(b"L" + bytes((size & 255, size >> 8, pin.number))) + bytearray(n * bpp)
        self.buf = memoryview(self._record)[4:]

    def __len__(self) -> int:
        return self.n

    def write(self) -> None:
        send(self._record)

"""MicroPython's `neopixel`: as much of it as the emulated chip has."""

from hardware.twins.pico_world.neopixel import *

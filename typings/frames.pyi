"""On the Pico the codec of frames lies beside the program."""

from hardware.frames import *

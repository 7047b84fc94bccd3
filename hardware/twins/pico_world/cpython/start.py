"""Run the Pico's program in the current folder under CPython: `python start.py main.py`."""

import os
import runpy
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [os.getcwd(), here, os.path.dirname(here), *(p for p in sys.path if p != here)]
# The stand-in for `time` is MicroPython's; CPython's own has been loaded and stays.
import micropython  # noqa: E402

micropython.install()
runpy.run_path(sys.argv[1], run_name="__main__")

"""`tacocat flash`: puts the strip's program on a Raspberry Pi Pico."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

from firmware.errors import LONGEST_PRINTED, one_line
from firmware.run.ending import Interrupted
from firmware.wiring.parts import PICO_PROGRAM
from hardware.flash import FlashError, flash
from hardware.strip import find_picos


def flash_command(port: str | None, say: Callable[[str], object], err: TextIO) -> int:
    """Flash the Pico at `port`, or the only one there is. Returns the exit status: 0, or 1 if it failed."""
    try:
        flash(find_picos, PICO_PROGRAM, say, port=port)
    except FlashError as error:
        print(one_line(f"tacocat flash: {error}", LONGEST_PRINTED), file=err)
        return 1
    except Interrupted as stopped:
        print("tacocat flash: stopped half way. Run it again: until then the Pico may wait at its prompt", file=err)
        return stopped.status
    return 0

"""What several commands do with what they print or copy."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from firmware.errors import FirmwareError, printable
from firmware.files.disk import NEW_FILE
from firmware.files.outside import STREAM, is_stream, write_outside


def copy_out(
    data: bytes, file: Path | None, out: TextIO, err: TextIO, *, force: bool = False, mode: int = NEW_FILE
) -> int:
    """Make `file` hold these bytes, or print them: without a file, and to standard output by any name.

    `mode` is that of a new file; one that is there is overwritten only with `force`. Returns the exit status: 0, or
    1 if it could not be written.
    """
    if file is None or str(file) == STREAM or is_stream(file, 1):
        text = data.decode(errors="replace")
        # without anything that a terminal would obey, if that is where it goes
        out.write(printable(text)) if out.isatty() else getattr(out, "write_exactly", out.write)(text)
        return 0
    try:
        write_outside(file, data, force=force, mode=mode)
    except FirmwareError as error:
        err.write(printable(f"{error}\n"))
        return 1
    return 0

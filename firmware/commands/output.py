"""What several commands do with what they print or copy."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from firmware.errors import FirmwareError
from firmware.files.whole import replace_file


def copy_out(data: bytes, file: Path, err: TextIO) -> int:
    """Make `file` hold these bytes. Returns the exit status: 0, or 1 if it could not be written."""
    try:
        replace_file(file, data)
    except FirmwareError as error:
        err.write(f"{error}\n")
        return 1
    return 0

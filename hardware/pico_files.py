"""Which files make up the strip's program on a Pico, and whether they are fit to be put there.

The program's folder holds all of them but the codec of frames: that is `hardware/frames.py`, one file for both ends,
and goes onto the Pico from where it lies.
"""

from __future__ import annotations

from pathlib import Path

from hardware.ports import HardwareError

FRAMES = Path(__file__).resolve().parent / "frames.py"
MAIN = "main.py"


class PicoFileError(HardwareError):
    """A file of the Pico's program is missing or would not run; the message names it."""


def pico_files(program: Path) -> list[Path]:
    """The files to put on the Pico for the program in the folder `program`, main.py last. Their names are those there.

    Raises PicoFileError if the folder has no main.py, or if one of the files cannot be read or is not Python.
    """
    beside = [path for path in program.glob("*.py") if path.name not in (FRAMES.name, MAIN)]
    files = [FRAMES, *sorted(beside), program / MAIN]
    for path in files:
        _try_to_compile(path)
    return files


def _try_to_compile(path: Path) -> None:
    again = "Get the program anew (a copy of it has lost something), then repeat"
    try:
        source = path.read_text("utf-8")
        if not source.strip():
            raise PicoFileError(f"{path} is empty; expected a part of the strip's program. {again}")
        compile(source, str(path), "exec", dont_inherit=True)
    except OSError as error:
        raise PicoFileError(f"{path} cannot be read: {error.strerror or error}. {again}") from error
    except SyntaxError as error:
        where = f"line {error.lineno or 1}: {error.msg}"
        raise PicoFileError(f"{path} is not Python ({where}); nothing was put on the Pico. {again}") from error
    except ValueError as error:  # not UTF-8, or a zero byte
        raise PicoFileError(f"{path} is not Python ({error}); nothing was put on the Pico. {again}") from error

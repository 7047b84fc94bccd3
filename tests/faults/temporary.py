"""A temporary folder that goes away with the process that made it, also where that is killed."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def temporary_folder(prefix: str) -> Iterator[Path]:
    """A new folder. It is removed at the end; a process that waits for ours to die does so if we cannot."""
    folder = Path(tempfile.mkdtemp(prefix=prefix)).resolve()
    held_open, kept_open = os.pipe()  # no child of ours may keep it: it closes when we have ended
    keeper = os.fork()
    if keeper == 0:
        _remove_when_closed(held_open, kept_open, folder)
    os.close(held_open)
    try:
        yield folder
    finally:
        os.close(kept_open)
        os.waitpid(keeper, 0)


def _remove_when_closed(read: int, written: int, folder: Path) -> None:
    """In a process of its own, which the signals to its group do not end before its work is done."""
    try:
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        os.close(written)
        os.read(read, 1)  # nobody writes: it ends when nobody could
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os._exit(0)

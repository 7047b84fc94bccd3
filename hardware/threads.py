"""Threads of our own: each begins here, so that one that cannot be had is a fault in words and no traceback."""

from __future__ import annotations

import threading
from collections.abc import Callable


class NoThreadError(OSError):
    """The system gives this process no more threads; the message says what to do."""


def start_thread(work: Callable[..., object], name: str, *args: object) -> threading.Thread:
    """Begin `work(*args)` in a thread that the end of the program does not wait for.

    What `work` raises ends that thread, and is told by `threading.excepthook`. Raises NoThreadError.
    """
    thread = threading.Thread(target=work, args=args, name=name, daemon=True)
    try:
        thread.start()
    except RuntimeError as error:
        raise NoThreadError(f"{name}: {error}. Let this user start more (ulimit -u), or stop other programs") from error
    return thread

"""Runs a command that ends with whoever started it: `python -I -S tied.py LIFELINE COMMAND…`.

LIFELINE is the number of a pipe's reading end, given on to us; its writing end is open in nothing but the process that
started us. When that closes (that process ends, however) the kernel kills the command. It is tied before it runs and
by itself: at no moment is it there and not tied, whatever happens to whoever started it.

(Linux's "parent death signal" would not do: it comes when the thread ends that started the process.)

Sources: fcntl(2), execve(2): the process and the settings of an open file stay the same over an exec.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import sys


def tie(lifeline: int, pid: int) -> None:
    """Let the kernel kill `pid` when the other end of `lifeline` closes; nothing comes of it if that has happened."""
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, pid)
    if hasattr(fcntl, "F_SETSIG"):  # Linux; elsewhere it is SIGIO, which ends a process too
        fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)


def main(argv: list[str]) -> None:
    """Never returns; exits with 1 if the lifeline is closed already. Raises OSError if the command cannot be run."""
    lifeline = int(argv[1])
    tie(lifeline, os.getpid())
    if select.select([lifeline], [], [], 0)[0]:  # closed before: no signal comes for that
        sys.exit(1)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, which would outlast the exec
    os.execv(argv[2], argv[2:])  # noqa: S606


if __name__ == "__main__":
    main(sys.argv)

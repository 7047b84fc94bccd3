"""Opens the page in the browser of whoever sits here: beside the game, as some return only when they are shut."""

from __future__ import annotations

import html
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from firmware.virtual.faults import LOG
from hardware.threads import start_thread

_WAY_IN = """<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={url}"><title>Tacocat Table</title><a href="{url}">To the table</a>
"""


def has_desktop() -> bool:
    """Whether a browser would open in a window, and not as text in this very terminal."""
    return sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_beside(url: str, closing: ExitStack, run: Callable[[str], object] | None = None) -> None:
    """Open an address of the page in a thread of its own, which nobody waits for; the page's server must be up.

    An address with a token goes by a file that only we can read: the words of a command can be read by all who use the
    machine. The file is removed when `closing` ends. `run` opens an address (default: Python's `webbrowser`).
    """
    with _told():
        address = _way_in(url, closing) if "#token=" in url else url
        start_thread(_open, "browser", address, run or _run)


def _open(address: str, run: Callable[[str], object]) -> None:
    with _told():
        run(address)


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except Exception:  # noqa: BLE001 - told; and the address is on the terminal, for another browser
        LOG.exception("No browser could be opened: open the address by hand")


def _way_in(url: str, closing: ExitStack) -> str:
    """The address of a file that leads to `url`."""
    folder = Path(tempfile.mkdtemp(prefix="tacocat-"))  # of mode 0700
    closing.callback(shutil.rmtree, folder, ignore_errors=True)
    way_in = folder / "table.html"
    way_in.write_text(_WAY_IN.format(url=html.escape(url)), encoding="utf-8")
    with suppress(OSError):
        way_in.chmod(0o600)
    return way_in.as_uri()


def _run(url: str) -> None:
    import webbrowser  # it looks for browsers when it is imported, which takes its time

    if not webbrowser.open(url):
        raise OSError("there is none, or it has failed")

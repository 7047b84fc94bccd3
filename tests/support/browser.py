"""A real Chromium for the tests of the virtual table's page."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@contextmanager
def chromium() -> Iterator[Browser]:
    """The system's Chromium, else the one that playwright has downloaded; `make test` gets one of them."""
    with sync_playwright() as playwright:
        system = next(filter(None, map(shutil.which, _NAMES)), None)
        if system is None and not os.path.exists(playwright.chromium.executable_path):
            raise RuntimeError("no Chromium here: `make test` gets one, or sh tests/get_tools.sh chromium")
        browser = playwright.chromium.launch(executable_path=system, args=list(_QUIET))
        try:
            yield browser
        finally:
            browser.close()

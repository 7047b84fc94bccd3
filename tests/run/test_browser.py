"""A browser is opened for the virtual table where somebody would see it, and once."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from engine.rules import Mode
from firmware.config.values import Config
from firmware.run.app import Options, play
from firmware.virtual import browser
from firmware.virtual.listening import Listening


@pytest.mark.parametrize(("wanted", "desktop"), [(True, True), (True, False), (False, True)])
def test_a_browser_is_opened_where_it_is_wanted_and_there_is_a_desktop(
    wanted: bool, desktop: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    stop = threading.Event()
    monkeypatch.setattr(browser, "has_desktop", lambda: desktop)
    monkeypatch.setattr(browser, "open_beside", lambda url, closing: opened.append(url))

    def say(line: str) -> None:
        if line.startswith("Stop"):  # the last line before the browser
            stop.set()

    play(Options(Mode.BOARD, "virtual", Config(), tmp_path, Listening(port=0), browser=wanted), say, stop)
    assert len(opened) == (wanted and desktop)

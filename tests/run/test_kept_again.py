"""What is not kept (games, deck, settings) is said, each for itself, until all of it is."""

import threading
from contextlib import ExitStack

import pytest

from firmware.config.values import Config
from firmware.errors import OnceAMinute
from firmware.kept.writer import DECK, GAMES, SETTINGS
from firmware.run.app import App, Options
from firmware.run.loop import LOG
from hardware.ports import Health


@pytest.fixture
def evening(tmp_path, monkeypatch):
    monkeypatch.setattr("firmware.run.app.lock_path", lambda: tmp_path / "lock")
    monkeypatch.setattr(LOG, "filters", [])  # which would hold back what was said in another test
    with ExitStack() as closing:
        yield App(Options(None, "pi", Config(), tmp_path / "state"), print, threading.Event(), closing)


def told(evening):
    """What the table has been told of the disk since."""
    found = []
    while not evening._mailbox.empty():
        found += filter(None, [evening._mailbox.get()])
    return [(part.health, part.detail) for part in found]


def test_games_that_are_kept_again_do_not_speak_for_settings_that_are_not(evening, caplog):
    evening._kept(SETTINGS, "the settings cannot be kept: No space left on device")
    evening._kept(GAMES, "the game cannot be kept: No space left on device")
    assert [health for health, _ in told(evening)] == [Health.LOST, Health.LOST]
    evening._kept(GAMES, "")
    ((health, detail),) = told(evening)
    assert health is Health.LOST and "settings" in detail and "game" not in detail
    evening._kept(SETTINGS, "")
    assert [health for health, _ in told(evening)] == [Health.CONNECTED]
    evening._kept(SETTINGS, "")
    assert told(evening) == []
    assert len(caplog.messages) == 2 and all("cannot be kept" in line for line in caplog.messages)


def test_the_same_reason_is_logged_once(evening, caplog):
    for _ in range(3):
        evening._kept(DECK, "the deck cannot be kept: Read-only file system")
    assert caplog.messages == ["the deck cannot be kept: Read-only file system"]


def test_reasons_that_change_with_every_try_are_logged_once_a_minute_of_each_kind(evening, monkeypatch, caplog):
    now_s = 0.0
    monkeypatch.setattr(LOG, "filters", [OnceAMinute(lambda: now_s)])
    for now_s in range(0, 90, 5):
        evening._kept(GAMES, f"the game cannot be kept: reason {now_s}")
        evening._kept(DECK, f"the deck cannot be kept: reason {now_s}")
    assert caplog.messages == [
        "the game cannot be kept: reason 0",
        "the deck cannot be kept: reason 0",
        "the game cannot be kept: reason 60",
        "the deck cannot be kept: reason 60",
    ]
    assert "reason 85" in told(evening)[-1][1]


def test_a_state_folder_that_cannot_be_made_is_said_and_the_evening_begins(tmp_path, monkeypatch):
    monkeypatch.setattr("firmware.run.app.lock_path", lambda: tmp_path / "lock")
    (tmp_path / "file").touch()
    with ExitStack() as closing:
        evening = App(Options(None, "pi", Config(), tmp_path / "file" / "state"), print, threading.Event(), closing)
        detail = told(evening)[0][1]
        assert "cannot be used" in detail and "cannot be locked" not in detail

"""The state folder: where decks, settings and games are kept."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

from firmware.errors import FirmwareError
from firmware.files.lock import DeviceLock
from firmware.files.names import ShownPath
from firmware.files.whole import make_folder

DECK_FILE = "deck.txt"  # in the state folder
GAMES_FOLDER = "games"
LOCK_FILE = "in-use"


class NoStateFolderError(FirmwareError):
    """Nobody has said where decks and games are kept, and this user has no home."""


def state_folder() -> Path:
    """Where decks and games are kept: systemd's STATE_DIRECTORY, else in the user's own state folder.

    The places are those of the XDG Base Directory Specification, which has relative paths ignored. Raises
    NoStateFolderError.
    """
    if given := os.environ.get("STATE_DIRECTORY"):
        return ShownPath(given.partition(":")[0])  # systemd.exec(5): several are separated by colons
    if (base := os.environ.get("XDG_STATE_HOME", "")).startswith("/"):
        return ShownPath(base) / "tacocat"
    home = os.environ.get("HOME") or _home_of_user()
    if not home.startswith("/"):
        raise NoStateFolderError(
            "It is not known where decks and games are kept: this user has no home (HOME is not set, and the list of "
            "users has none). Say where, with --state FOLDER"
        )
    return ShownPath(home) / ".local" / "state" / "tacocat"


def lock_state(folder: Path, what: str) -> DeviceLock:
    """The lock of a state folder, which is made if need be: for whoever keeps something in it. Enter it.

    Raises FirmwareError or OSError if there can be no folder; for what entering raises see DeviceLock.
    """
    make_folder(folder)
    return DeviceLock(folder / LOCK_FILE, what)


def _home_of_user() -> str:
    """What the list of users says; "" if it does not have this one."""
    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return ""

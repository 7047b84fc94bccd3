"""The state folder: where decks, settings and games are kept."""

from __future__ import annotations

import os
from pathlib import Path

DECK_FILE = "deck.txt"  # in the state folder


GAMES_FOLDER = "games"


def state_folder() -> Path:
    """Where decks and games are kept: systemd's STATE_DIRECTORY, else in the user's own state folder."""
    if given := os.environ.get("STATE_DIRECTORY"):
        return Path(given)
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(base) / "tacocat"

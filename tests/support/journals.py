"""What a journal does to a transcript that is resumed."""

from __future__ import annotations

from firmware.kept.games import KeptGame
from firmware.kept.journal import Journal


def mended(kept: KeptGame) -> str:
    """Let a journal resume the game, so that its file ends behind its last good line; returns what is to be told."""
    journal = Journal(kept.path.parent)
    try:
        journal.resume(kept)
    finally:
        journal.close()
    return "".join(journal.said)

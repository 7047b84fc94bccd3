"""What the players are called. levels.py has the players themselves, and is loaded only where one decides."""

from __future__ import annotations

from engine.errors import EngineError

TABLE_LEVELS = ("gentle", "good", "strong")  # what a person chooses from
LEVEL_NAMES = (*TABLE_LEVELS, "random", "beginner", "careful", "plain-sampling")


class UnknownLevel(EngineError, KeyError):
    """No player has this name; the message lists those there are."""

    def __str__(self) -> str:
        return str(self.args[0])


def known_level(name: str) -> str:
    """The name. Raises UnknownLevel if no player has it."""
    if name not in LEVEL_NAMES:
        raise UnknownLevel(f"no player is called {name!r}: there are {', '.join(LEVEL_NAMES)}")
    return name

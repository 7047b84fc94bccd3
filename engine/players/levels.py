"""The players by name: the three levels of a table that plays, and those they are measured against."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engine.legal import Play
from engine.players.names import known_level
from engine.players.simple import decide_as_beginner, decide_carefully, decide_randomly
from engine.players.situation import Decide
from engine.players.strong import decide_by_plain_sampling, decide_strongly
from engine.views import View, format_view


@dataclass(frozen=True)
class Level:
    """A player with a name. `nodes` is how much work it does for a decision (see strong.py), on every machine;
    `slips` how often, from 0 to 1, it decides as a beginner does."""

    name: str
    decide: Decide
    nodes: int = 0
    slips: float = 0.0

    def __call__(self, view: View, seed: int, nodes: int | None = None) -> Play:
        """The play that this level chooses: the same for the same view, seed and nodes.

        Raises NothingToDecide if the view's seat is not to choose now.
        """
        if self.slips and random.Random(f"slip {seed} {format_view(view)}").random() < self.slips:
            return decide_as_beginner(view, seed)
        return self.decide(view, seed, self.nodes if nodes is None else nodes)


STRONG_NODES = 400_000
LEVELS: Mapping[str, Level] = MappingProxyType(
    {
        level.name: level
        for level in (
            Level("gentle", decide_strongly, 40_000, 0.6),
            Level("good", decide_strongly, 100_000, 0.3),
            Level("strong", decide_strongly, STRONG_NODES),
            Level("random", decide_randomly),
            Level("beginner", decide_as_beginner),
            Level("careful", decide_carefully),
            Level("plain-sampling", decide_by_plain_sampling),
        )
    }
)


def level_named(name: str) -> Level:
    """Raises UnknownLevel."""
    return LEVELS[known_level(name)]

"""The printed board, and the track on it: where Tacocat is, what is covered, who has won."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from engine.cards import WOW, YAY, Player
from engine.errors import ParseError, RulesError

SPACES = 7
CENTRE = 4
GOALS = {YAY: 0, WOW: 8}  # the spaces that stand for the goals
MIN_HAND = 2


class Arrow(StrEnum):
    """What a space's arrow points at."""

    YAY = "yay"
    WOW = "wow"
    BOTH = "both"


@dataclass(frozen=True)
class Board:
    """What is printed on the spaces 1 to 7: hand sizes and arrows, seven of each.

    Raises RulesError if there are not seven, or a hand size is below 2.
    """

    hand_sizes: tuple[int, ...]
    arrows: tuple[Arrow, ...]

    def __post_init__(self) -> None:
        for name, values in (("hand sizes", self.hand_sizes), ("arrows", self.arrows)):
            if len(values) != SPACES:
                raise RulesError(f"{len(values)} {name} on the board: {SPACES} are expected, one for each space")
        for space, size in enumerate(self.hand_sizes, 1):
            if size < MIN_HAND:
                raise RulesError(f"hand size {size} on space {space}: at least {MIN_HAND} is needed")

    def hand_size(self, space: int) -> int:
        return self.hand_sizes[space - 1]

    def arrow(self, space: int) -> Arrow:
        return self.arrows[space - 1]

    def __repr__(self) -> str:
        return f"Board(parse_hand_sizes({format_hand_sizes(self)!r}), parse_arrows({format_arrows(self)!r}))"


_SIZE = re.compile(r"0|[1-9][0-9]{0,5}")


def parse_hand_sizes(text: str) -> tuple[int, ...]:
    """`4 6 9 7 9 6 4` -> seven numbers. Raises ParseError."""
    words = text.split()
    if len(words) != SPACES or not all(_SIZE.fullmatch(word) for word in words):
        raise ParseError(f"{text!r}: {SPACES} hand sizes are expected, as in 4 6 9 7 9 6 4")
    sizes = tuple(int(word) for word in words)
    low = min(sizes)
    if low < MIN_HAND:
        raise ParseError(f"hand size {low} on space {sizes.index(low) + 1}: at least {MIN_HAND} is needed")
    return sizes


def format_hand_sizes(board: Board) -> str:
    return " ".join(map(str, board.hand_sizes))


def parse_arrows(text: str) -> tuple[Arrow, ...]:
    """`wow wow wow both yay yay yay` -> seven arrows. Raises ParseError."""
    words = text.split()
    if len(words) != SPACES or any(word not in list(Arrow) for word in words):
        raise ParseError(f"{text!r}: {SPACES} arrows are expected, each yay, wow or both")
    return tuple(Arrow(word) for word in words)


def format_arrows(board: Board) -> str:
    return " ".join(board.arrows)


DEFAULT_BOARD = Board(parse_hand_sizes("4 6 9 7 9 6 4"), parse_arrows("wow wow wow both yay yay yay"))


@dataclass(frozen=True)
class Track:
    """Where Tacocat is (0 to 8; 0 and 8 are the goals) and which spaces are covered (ascending)."""

    tacocat: int = CENTRE
    covered: tuple[int, ...] = ()

    @property
    def winner(self) -> Player | None:
        return next((player for player, goal in GOALS.items() if goal == self.tacocat), None)

    def path(self, winner: Player) -> tuple[int, ...]:
        """The spaces that Tacocat passes after `winner` has won a round, the last is where it stops."""
        step = -1 if winner is YAY else 1
        spaces = [self.tacocat + step]
        while spaces[-1] in self.covered:
            spaces.append(spaces[-1] + step)
        return tuple(spaces)

    def moved(self, winner: Player) -> Track:
        """Cover the space under Tacocat and move it towards the winner's goal, on over covered spaces."""
        return Track(self.path(winner)[-1], tuple(sorted({*self.covered, self.tacocat})))

    def a_way_here(self) -> tuple[Player, ...]:
        """Winners of rounds, in an order in which they make this track from its start.

        Raises ValueError for a track that no game can make.
        """
        ways: dict[Track, tuple[Player, ...]] = {Track(): ()}
        waiting = [Track()]
        while waiting:
            track = waiting.pop()
            if track == self:
                return ways[track]
            if track.winner is None:
                for winner in (YAY, WOW):
                    after = track.moved(winner)
                    if after not in ways:
                        ways[after] = (*ways[track], winner)
                        waiting.append(after)
        raise ValueError(f"{self}: no game comes to this track")

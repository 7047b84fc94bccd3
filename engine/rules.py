"""The rules that a game is played by: mode, deck, board and the two house rules. Checked as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.board import DEFAULT_BOARD, SPACES, Board
from engine.cards import DEFAULT_DECK, Deck
from engine.errors import RulesError


class Mode(StrEnum):
    """How much the device sees (docs/rules.md, What the table knows)."""

    PLAY = "play"
    REFEREE = "referee"
    BOARD = "board"


class Tie(StrEnum):
    """Who wins a showdown of equal ranks: nobody, or the player at whom the space's arrow points."""

    REDEAL = "redeal"
    ARROW = "arrow"


class LateFoul(StrEnum):
    """What a late foul does: it is only noted, or it ends the round."""

    NOTE = "note"
    FORFEIT = "forfeit"


@dataclass(frozen=True)
class Rules:
    """What a game is played by. Raises RulesError if two full hands cannot be dealt from the deck."""

    mode: Mode = Mode.PLAY
    deck: Deck = DEFAULT_DECK
    board: Board = DEFAULT_BOARD
    tie: Tie = Tie.REDEAL
    late_foul: LateFoul = LateFoul.NOTE

    def __post_init__(self) -> None:
        for space in range(1, SPACES + 1):
            size = self.board.hand_size(space)
            if 2 * size > len(self.deck):
                raise RulesError(
                    f"two hands of {size} cards (space {space}) cannot be dealt from a deck of {len(self.deck)}: "
                    f"a hand size of at most {len(self.deck) // 2} or a larger deck is needed"
                )

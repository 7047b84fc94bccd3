"""A bot's end of the protocol: what it answers to each line of a host (docs/bots.md). Pure: no stream, no clock.

It follows the game by what it is told alone, and takes any number of events without a question.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise, takewhile

from engine.board import DEFAULT_BOARD, Board, parse_arrows, parse_hand_sizes
from engine.cards import Player, parse_deck
from engine.errors import EngineError, ParseError
from engine.following import Followed, follow, follow_from_start
from engine.legal import Play
from engine.players.levels import Level
from engine.rules import Mode, Rules, Tie
from engine.sights import parse_sight
from engine.views import view_of
from firmware.bots.lines import LONGEST_LINE, VERSION, Go, format_play, number_in, parse_go

_COPIES = re.compile(r"\d+x\d+")
_HEADER = ("deck", "board", "arrows", "tie", "seed")


class Bot:
    """One bot. `answers` takes line after line; `ended`: it was told to quit."""

    def __init__(self, name: str, level: Level) -> None:
        self.ended = False
        self._name, self._level = name, level
        self._side: Player | None = None
        self._header: dict[str, list[str]] | None = None  # None: no header line is expected now
        self._seed = 0
        self._followed: Followed | None = None
        self._lost = "no game has begun"  # why there is none to follow; "": there is; only `new` helps

    def answers(self, line: str) -> list[str]:
        """The lines that are answered to this one: none or one, to the first line of all two."""
        words = line.split()
        if not words:
            return []
        try:
            return self._answers(words)
        except (EngineError, ValueError) as error:
            if words[0] != "go":  # a question that does not fit takes nothing from what was followed
                self._followed, self._header, self._lost = None, None, str(error)
            return [_error(error)]

    def _answers(self, words: list[str]) -> list[str]:
        match words[0]:
            case "tacobot":
                return [f"name {self._name}", f"protocol {VERSION}"]
            case "new":
                self._begin(words)
            case "ready":
                return self._ready()
            case "yay" | "wow" | "void":
                self._follow(words)
            case "go":
                return [self._decide(words)]
            case "result":
                self._followed, self._header, self._lost = None, None, "the game is over"
            case "quit":
                self.ended = True
            case word if word in _HEADER and self._header is not None:
                self._header.setdefault(word, words[1:])
        return []

    # ---- a game ----

    def _begin(self, words: list[str]) -> None:
        self._followed, self._side, self._header, self._lost = None, None, {}, "`ready` has not come"
        for word, value in pairwise(words[1:]):
            if word == "side" and value in tuple(Player):
                self._side = Player(value)
                return
        raise ParseError(f"{' '.join(words)!r} found, new side yay or new side wow is expected")

    def _ready(self) -> list[str]:
        if self._header is None or self._side is None:
            raise ParseError("ready without new")
        header, self._header = self._header, None
        self._seed = (number_in(header["seed"][0]) if header.get("seed") else 0) or 0
        self._followed = follow_from_start(_rules_of(header), self._side)
        self._lost = ""
        return ["ready"]

    def _follow(self, words: list[str]) -> None:
        if self._followed is not None:
            known = 1 if words[0] == "void" else 2
            self._followed = follow(self._followed, parse_sight(" ".join(words[:known])))
        elif not self._lost:
            raise ParseError(f"{' '.join(words)!r} before ready")

    # ---- a decision ----

    def _decide(self, words: list[str]) -> str:
        if self._followed is None:
            raise ParseError(self._lost)
        go = parse_go(words)
        view = view_of(self._followed.game, self._followed.seat)
        if go.phase is not view.phase:
            raise ParseError(f"go {go.number} {go.phase} found, but this is {view.phase}")
        return format_play(go.number, _within(self._level(view, self._seed), go))


def _error(why: Exception) -> str:
    return f"error {' '.join(str(why).split())}"[: LONGEST_LINE // 4]  # a character has at most four bytes


def _within(play: Play, go: Go) -> Play:
    """The same with no more discards than the host takes: those of the middle go first."""
    if go.most is None or len(play.cards) <= go.most:
        return play
    useless = sorted(play.cards, key=lambda card: (abs(2 * card.rank - 11), card))
    return replace(play, cards=frozenset(useless[: go.most]))


def _rules_of(header: dict[str, list[str]]) -> Rules:
    """More words than a header line has are passed over; what is missing has its default. Raises EngineError."""
    default = Rules(mode=Mode.PLAY)
    deck = takewhile(_COPIES.fullmatch, header.get("deck", []))
    sizes = parse_hand_sizes(" ".join(header["board"][:7])) if "board" in header else DEFAULT_BOARD.hand_sizes
    arrows = parse_arrows(" ".join(header["arrows"][:7])) if "arrows" in header else DEFAULT_BOARD.arrows
    tie = (header.get("tie") or [default.tie.value])[0]
    if tie not in tuple(Tie):
        raise ParseError(f"tie {tie} found, one of {', '.join(Tie)} is expected")
    return replace(
        default,
        deck=parse_deck(" ".join(deck)) if "deck" in header else default.deck,
        board=Board(sizes, arrows),
        tie=Tie(tie),
    )

"""The lines of the protocol tacobot 1 (docs/bots.md), as both ends write and read them. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from engine.board import format_arrows, format_hand_sizes
from engine.cards import Card, Player, format_deck, parse_card
from engine.errors import ParseError
from engine.legal import Play
from engine.players.situation import most_to_replace, seat_of
from engine.plays import is_attack, is_legal_answer
from engine.round import Phase
from engine.rules import Rules
from engine.views import View

VERSION = 1
LONGEST_LINE = 1000  # bytes
WITH_OK = (Phase.REPLACE, Phase.ATTACK)  # what is asked in these phases is answered with cards and `ok`
ASKED = {phase.value: phase for phase in (*WITH_OK, Phase.DUEL, Phase.DEFEND, Phase.SHOWDOWN)}


@dataclass(frozen=True, slots=True)
class Go:
    """A question: its number, what is to be decided, how many cards may be discarded (replace), and in which time."""

    number: int
    phase: Phase
    most: int | None = None
    ms: int | None = None

    def __str__(self) -> str:
        words = ["go", str(self.number), self.phase.value]
        words += [] if self.most is None else ["most", str(self.most)]
        words += [] if self.ms is None else ["ms", str(self.ms)]
        return " ".join(words)


def number_in(word: str) -> int | None:
    """A whole number of at most 18 digits, or None."""
    return int(word) if word.isascii() and word.isdigit() and len(word) <= 18 else None


def parse_go(words: Sequence[str]) -> Go:
    """`go 1 replace most 7 ms 100`, as words; others among them are passed over. Raises ParseError."""
    if len(words) < 3 or (number := number_in(words[1])) is None or words[2] not in ASKED:
        raise ParseError(f"{' '.join(words)!r} found, go NUMBER and one of {', '.join(ASKED)} is expected")
    found: dict[str, int] = {}
    for word, value in pairwise(words[3:]):
        given = number_in(value)
        if word in ("most", "ms") and given is not None:
            found.setdefault(word, given)
    return Go(number, ASKED[words[2]], found.get("most"), found.get("ms"))


def question_of(view: View, number: int, ms: int | None) -> Go:
    """The question that this view's seat is to be asked. Raises NothingToDecide."""
    seat_of(view)
    return Go(number, view.phase, most_to_replace(view) if view.phase is Phase.REPLACE else None, ms)


def game_lines(side: Player, rules: Rules, seed: int) -> list[str]:
    """What begins a game, from `new` to `ready`."""
    return [
        f"new side {side}",
        f"deck {format_deck(rules.deck)}",
        f"board {format_hand_sizes(rules.board)}",
        f"arrows {format_arrows(rules.board)}",
        f"tie {rules.tie}",
        f"seed {seed}",
        "ready",
    ]


# ---- answers -------------------------------------------------------------------------------


class BadPlay(ParseError):
    """An answer that may not be given; the message says what is wrong with it."""


def format_play(number: int, play: Play) -> str:
    words = ["play", str(number), *map(str, sorted(play.cards)), *(["ok"] if play.confirm else [])]
    return " ".join(words)


def read_play(view: View, words: Sequence[str]) -> Play:
    """The answer of the view's seat in these words (those behind `play` and the number). Raises BadPlay."""
    seat = seat_of(view)
    confirm = view.phase in WITH_OK
    if (words[-1:] == ["ok"]) is not confirm:
        raise BadPlay("no ok at its end" if confirm else "an ok, which is not asked for")
    cards = _cards_of(words[:-1] if confirm else words, view)
    ranks = [card.rank for card in cards]
    match view.phase:
        case Phase.REPLACE:
            _check_number(cards, 0, most_to_replace(view))
        case Phase.ATTACK:
            _check_number(cards, 1, len(view.hand) - 1)
            if not is_attack(ranks):
                raise BadPlay("neither one card, a set nor a sequence")
        case Phase.DEFEND:
            _check_number(cards, len(view.attack), len(view.attack))
            rest = [card.rank for card in view.hand - {*cards}]
            if not is_legal_answer([card.rank for card in view.attack], ranks, rest):
                raise BadPlay("it neither holds nor gives up the lowest cards")
        case _:
            _check_number(cards, 1, 1)
    return Play(seat, frozenset(cards), confirm)


def _cards_of(words: Sequence[str], view: View) -> list[Card]:
    cards: list[Card] = []
    for word in words:
        try:
            card = parse_card(word)
        except ParseError:
            raise BadPlay(f"{word!r}, which is no card") from None
        if card not in view.hand:
            raise BadPlay(f"{card}, which is not held")
        if card in cards:
            raise BadPlay(f"{card} twice")
        cards.append(card)
    return cards


def _check_number(cards: Sequence[Card], least: int, most: int) -> None:
    if not least <= len(cards) <= most:
        expected = f"{least}" if least == most else f"{least} to {most}"
        raise BadPlay(f"{len(cards)} cards, where {expected} may be named")

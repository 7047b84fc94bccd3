"""Advice as values, and as the lines in which a process gives it: a hint, or the turning points of a game. Pure.

    the table says                                          the process answers
    the header lines of a transcript, then `view VIEW`      `hint RANKS REASON`, or `hint nothing`
    the same, a game's events, then `points`                a `point …` for each turning point, then `points COUNT`

Of a game for a hint the process is told nothing but the view of the seat that asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from engine.cards import MAX_RANK, Player
from engine.errors import ParseError
from engine.events import Event, format_event
from engine.players.advice import Hint, Reason, TurningPoint
from engine.round import Phase
from engine.rules import Rules
from engine.transcript import format_rules
from engine.views import View, format_view

if TYPE_CHECKING:
    from engine.players.solving import Hand

NONE = "-"
_MOST_RANKS = 64  # in one list: no hand is as large


@dataclass(frozen=True, slots=True)
class CostlyPlay:
    """A turning point as a table tells it. `attack`: what the play answers, () if it is no answer; ranks ascending.

    `rounds_lost` and `games_lost`: of 100 rounds like this one, and of 100 games, how many more the better play wins.
    """

    number: int  # the round's
    player: Player
    phase: Phase
    attack: Hand
    played: Hand
    better: Hand
    rounds_lost: int
    games_lost: int


class NoAdvice(Enum):
    NOTHING = "nothing"  # there is nothing to choose
    FAILED = "failed"  # it could not be worked out; the log says why


Advice = Hint | tuple[CostlyPlay, ...] | NoAdvice


def costly_play(point: TurningPoint) -> CostlyPlay:
    decided = point.decided
    view = decided.view
    attack = tuple(sorted(card.rank for card in view.attack)) if view.phase is Phase.DEFEND else ()
    lost, cost = round(100 * point.lost), round(100 * point.cost)
    return CostlyPlay(view.number, decided.player, view.phase, attack, decided.ranks, point.better, lost, cost)


# ---- questions -----------------------------------------------------------------------------


def hint_lines(view: View) -> list[str]:
    return [*format_rules(view.rules).splitlines(), f"view {format_view(view)}"]


def point_lines(rules: Rules, events: Iterable[Event]) -> list[str]:
    return [*format_rules(rules).splitlines(), *map(format_event, events), "points"]


# ---- answers -------------------------------------------------------------------------------


def format_hint(hint: Hint | None) -> str:
    return "hint nothing" if hint is None else f"hint {_ranks(hint.ranks)} {hint.reason}"


def format_points(points: Sequence[CostlyPlay]) -> list[str]:
    lines = [
        f"point {p.number} {p.player} {p.phase} {_ranks(p.attack)} {_ranks(p.played)} {_ranks(p.better)} "
        f"{p.rounds_lost} {p.games_lost}"
        for p in points
    ]
    return [*lines, f"points {len(points)}"]


def read_advice(lines: Sequence[str]) -> Advice | None:
    """What these lines, all that were said so far, tell; None: more is to come. Raises ParseError."""
    points: list[CostlyPlay] = []
    for line in lines:
        try:
            match line.split(" "):
                case ["hint", "nothing"]:
                    return NoAdvice.NOTHING
                case ["hint", ranks, reason]:
                    return Hint(_parse_ranks(ranks), Reason(reason), None)
                case ["point", number, player, phase, attack, played, better, rounds, games]:
                    hands = _parse_ranks(attack), _parse_ranks(played), _parse_ranks(better)
                    shares = int(rounds), int(games)
                    points.append(CostlyPlay(int(number), Player(player), Phase(phase), *hands, *shares))
                    continue
                case ["points", count] if int(count) == len(points):
                    return tuple(points)
        except ValueError as error:
            raise ParseError(f"{line!r} is no advice: {error}") from None
        raise ParseError(f"{line!r} is no advice: hint, point or points is expected")
    return None


def _ranks(ranks: Hand) -> str:
    return ",".join(map(str, ranks)) or NONE


def _parse_ranks(text: str) -> Hand:
    ranks = () if text == NONE else tuple(map(int, text.split(",")))
    if len(ranks) > _MOST_RANKS or any(not 1 <= rank <= MAX_RANK for rank in ranks):
        raise ValueError(f"{text}: ranks from 1 to {MAX_RANK} are expected")
    return ranks

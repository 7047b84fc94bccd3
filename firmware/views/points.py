"""The turning points of a game for a terminal: what was played, what would have been better, and by how much."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.players.advice import TurningPoint
from engine.round import Phase
from firmware.views.story import NAMES

ENDINGS = {1.0: "the round was won", 0.5: "the round was a tie", 0.0: "the round was lost"}


def point_lines(points: Sequence[TurningPoint]) -> Iterator[str]:
    """Some lines for each point; one if there are none."""
    if not points:
        yield "No turning point: no play cost much, by what its player could know."
        return
    yield "The turning points, by what the player could know:"
    for point in points:
        yield from _lines(point)


def _lines(point: TurningPoint) -> Iterator[str]:
    view, player = point.decided.view, NAMES[point.decided.player]
    held = _ranks(sorted(card.rank for card in view.hand))
    yield f"  Round {view.number}, Tacocat on {view.track.tacocat}: {player} holds {held}, and {_played(point)}."
    share = f"{_of_100(point.lost)} of 100 rounds like this, {_of_100(point.cost)} of 100 games"
    yield f"    Better: {_choice(point.better, view.phase)}. The difference: {share}."
    if point.lay is not None:
        yield f"    {_as_it_lay(*point.lay)}"


def _played(point: TurningPoint) -> str:
    cards, view = point.decided.ranks, point.decided.view
    match view.phase:
        case Phase.REPLACE:
            return f"replaces {_ranks(cards)}" if cards else "replaces none"
        case Phase.DUEL:
            return f"duels with {_ranks(cards)}"
        case Phase.ATTACK:
            return f"attacks with {_ranks(cards)}"
    return f"answers {_ranks(sorted(card.rank for card in view.attack))} with {_ranks(cards)}"


def _choice(cards: Sequence[int], phase: Phase) -> str:
    if phase is Phase.REPLACE:
        return f"replace {_ranks(cards)}" if cards else "replace none"
    return _ranks(cards)


def _as_it_lay(played: float, instead: float) -> str:
    """Both plays with all cards open, each side playing its best from there on."""
    if played == instead:
        return f"As the cards lay, {ENDINGS[played]} either way, if both had seen them all."
    return f"As the cards lay, {ENDINGS[played]}; by the better play {ENDINGS[instead]}, if both had seen them all."


def _ranks(cards: Sequence[int]) -> str:
    return " ".join(map(str, cards))


def _of_100(share: float) -> str:
    return str(round(100 * share))

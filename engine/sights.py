"""Sights: what one player, or the public, sees of an event at the moment when it happens.

A face shows only where it has lain open: cards of attacks and answers, discards, an answer that was rejected as
a whole, and the two cards of a duel or showdown once both lie, then both at once. A player sees the own dealt,
drawn and laid cards too. Everything else is a card without a face, `yay ?`.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.cards import PLAYERS, Card, Player, parse_card
from engine.errors import ParseError
from engine.events import Event, Kind
from engine.game import Game
from engine.round import Phase, Swap
from engine.verdict import Problem, Verdict


@dataclass(frozen=True, slots=True)
class Sight:
    """One event as it is seen. `card` None with the kind CARD: its face is not; a tag's number never is."""

    kind: Kind
    player: Player | None = None
    card: Card | None = None

    def __str__(self) -> str:
        return format_sight(self)


def format_sight(sight: Sight) -> str:
    """`yay 7b`, `yay ?`, `yay ok`, `yay undo`, `yay tag ?`, `void`."""
    match sight.kind:
        case Kind.VOID:
            return "void"
        case Kind.CARD:
            return f"{sight.player} {sight.card or '?'}"
        case Kind.TAG:
            return f"{sight.player} tag ?"
    return f"{sight.player} {sight.kind}"


def parse_sight(text: str) -> Sight:
    """The inverse of format_sight. Raises ParseError."""
    match text.split(" "):
        case ["void"]:
            return Sight(Kind.VOID)
        case [("yay" | "wow") as player, ("ok" | "undo") as word]:
            return Sight(Kind(word), Player(player))
        case [("yay" | "wow") as player, "tag", "?"]:
            return Sight(Kind.TAG, Player(player))
        case [("yay" | "wow") as player, "?"]:
            return Sight(Kind.CARD, Player(player))
        case [("yay" | "wow") as player, word]:
            return Sight(Kind.CARD, Player(player), parse_card(word))
    raise ParseError(f"{text!r} is no sight: yay or wow with a card, ?, ok, undo or tag ? is expected, or void")


def sights(before: Game, event: Event, verdict: Verdict, seat: Player | None) -> tuple[Sight, ...]:
    """What the player `seat` sees of an event, or the public (None): one sight; at the second card of a duel or
    showdown two, yay's first. `before` is the game that the event met, `verdict` what came of it."""
    if event.kind is not Kind.CARD:
        return (Sight(event.kind, event.player),)
    assert event.player is not None
    assert event.card is not None
    if not verdict.accepted:
        return (_rejected(event.player, event.card, verdict),)
    state = before.round
    if state.phase in (Phase.DUEL, Phase.SHOWDOWN):
        first = state.shown[event.player.other.seat]
        if first is not None:
            cards = (first, event.card) if event.player is Player.WOW else (event.card, first)
            return tuple(Sight(Kind.CARD, player, card) for player, card in zip(PLAYERS, cards, strict=True))
        open_to_all = False
    else:
        drawing = state.phase is Phase.REPLACE and state.swap[event.player.seat] is Swap.DRAWING
        open_to_all = state.phase is not Phase.DEAL and not drawing
    known = open_to_all or event.player is seat
    return (Sight(Kind.CARD, event.player, event.card if known else None),)


def _rejected(player: Player, card: Card, verdict: Verdict) -> Sight:
    """A rejected card goes back unseen, unless it completed an answer, which lay open and is rejected as a whole."""
    whole_answer = verdict.problem is Problem.MUST_DEFEND_OR_SACRIFICE_LOWEST
    return Sight(Kind.CARD, player, card if whole_answer else None)


def accepted_sights(before: Game, event: Event, verdict: Verdict, seat: Player | None) -> tuple[Sight, ...]:
    """Like `sights`, for whoever follows the game by what was accepted: nothing for a rejected event, nor for the first
    card of a duel or showdown, whose turning the second one brings. An undo is not among them: whoever followed an
    event that is undone has to be told the game anew."""
    if not verdict.accepted or verdict.undone:
        return ()
    first_of_two = before.phase in (Phase.DUEL, Phase.SHOWDOWN) and before.round.shown == (None, None)
    if first_of_two and event.kind is Kind.CARD:
        return ()
    return sights(before, event, verdict, seat)

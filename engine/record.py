"""The public record: a game as somebody standing beside the table sees it, one JSON object for each event.

It has what `judged` tells of every event, so that who reads it judges nothing; faces only where they have lain open
(sights.py). What the two players hold may be dealt anew: as long as nobody beside the table can tell, no byte changes.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.cards import PLAYERS, Card
from engine.events import Event
from engine.game import Game
from engine.sights import sights
from engine.verdict import Pairing, Trick, Verdict
from engine.views import view_of

Json = None | bool | int | str | list["Json"] | dict[str, "Json"]
JsonObject = dict[str, Json]


def judged(verdict: Verdict, game: Game) -> JsonObject:
    """The verdict on an event, and what is so after it (docs/transcript.md): nothing that the public may not know."""
    return {
        "accepted": verdict.accepted,
        "problem": verdict.problem,
        "fouls": [{"rule": foul.rule, "suspects": list(foul.suspects)} for foul in verdict.fouls],
        "phase": game.phase,
        "to_act": list(game.to_act),
        "round": game.number,
        "hands": {player: game.round.count(player) for player in PLAYERS},
        "tacocat": game.track.tacocat,
        "covered": list(game.track.covered),
        "round_result": verdict.round_result,
        "winner": game.winner,
    }


def public_line(number: int, before: Game, event: Event, verdict: Verdict, after: Game) -> JsonObject:
    """The line of the public record for an event that led from one game to another. `number` counts events from 1.

    Behind the fields of `judged` stand, only where there is something to tell: `attack` and `answer`, the cards that
    lie between the players after the event; `trick`, `duel` or `showdown`, what this event completed, with all its
    cards; `discards` of this round. The first card of a duel or showdown has no face; the second brings both.
    """
    seen = sights(before, event, verdict, None)
    own = next(sight for sight in seen if sight.player is event.player)
    line: JsonObject = {"line": number, "event": str(own), **judged(verdict, after)}
    return line | {name: value for name, value in _lying(verdict, after).items() if value}


def _lying(verdict: Verdict, after: Game) -> JsonObject:
    view = view_of(after, None)
    return {
        "attack": _names(view.attack),
        "answer": _names(view.answer),
        "discards": {player: _names(own) for player, own in zip(PLAYERS, view.discards, strict=True) if own},
        "trick": _trick(verdict.trick),
        "duel": _pairing(verdict.duel),
        "showdown": _pairing(verdict.showdown),
    }


def _names(cards: Iterable[Card]) -> list[Json]:
    return [str(card) for card in cards]


def _trick(trick: Trick | None) -> Json:
    if trick is None:
        return None
    cards: JsonObject = {"attack": _names(trick.attack), "answer": _names(trick.answer)}
    return {"attacker": trick.attacker, **cards, "sacrificed": trick.sacrificed}


def _pairing(pairing: Pairing | None) -> Json:
    if pairing is None:
        return None
    return {"yay": str(pairing.yay), "wow": str(pairing.wow), "winner": pairing.winner}

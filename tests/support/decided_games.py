"""Whole games of play mode between players of engine/players, with every decision in them."""

from __future__ import annotations

import random
from dataclasses import dataclass

from engine.cards import PLAYERS
from engine.events import Event, card_event, ok_event
from engine.game import Game, judge, new_game
from engine.legal import Play
from engine.players.match import Seated, dealt, drawn
from engine.round import Phase, Swap
from engine.rules import Rules
from engine.views import View, view_of


def can_decide(game: Game, view: View) -> bool:
    """Whether this seat is to choose, by the rules."""
    seat = view.seat
    if seat is None or seat not in game.to_act or game.phase is Phase.DEAL:
        return False
    if game.phase is Phase.REPLACE:
        return game.round.swap[seat.seat] is Swap.DISCARDING
    return game.phase is not Phase.ATTACK or seat is game.round.attacker


@dataclass(frozen=True)
class DecidedGame:
    """The events of a whole game, and its decisions: each with how many events were before it."""

    events: list[Event]
    decisions: list[tuple[int, View, Play]]


def decided_game(game_rules: Rules, seats: tuple[Seated, Seated], seed: int) -> DecidedGame:
    """A game of these two players (yay, wow) with the work that is theirs; decks as in a match."""
    found = DecidedGame([], [])
    game = new_game(game_rules)
    while not game.over:
        step: list[Event] = dealt(game, seed) if game.phase is Phase.DEAL else []
        for player in game.to_act if not step else ():
            view, seat = view_of(game, player), seats[player.seat]
            if can_decide(game, view):
                play = seat.decide(view, seed, seat.nodes)
                found.decisions.append((len(found.events), view, play))
                step += [card_event(player, card) for card in sorted(play.cards)]
                step += [ok_event(player)] if play.confirm else []
        game = _judged(game, step)
        found.events.extend(step)
        for player in PLAYERS:
            draws = drawn(game, seed, player)
            game = _judged(game, draws)
            found.events.extend(draws)
    return found


def _judged(game: Game, events: list[Event]) -> Game:
    for event in events:
        game, verdict = judge(game, event)
        assert verdict.accepted
    return game


def dealt_anew(game_rules: Rules, events: list[Event], view: View, chance: random.Random) -> Game | None:
    """The same game with the cards that the seat has not seen in other places; None: the rules forbid that."""
    hidden = [card for card in game_rules.deck.cards if card not in view.seen]
    places = dict(zip(hidden, chance.sample(hidden, len(hidden)), strict=True))
    game = new_game(game_rules)
    for event in events:
        changed = event
        if event.card is not None and event.player is not None and game.number == view.number:
            changed = card_event(event.player, places.get(event.card, event.card))
        game, verdict = judge(game, changed)
        if not verdict.accepted:
            return None
    return game

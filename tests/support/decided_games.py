"""Whole games of play mode between players of engine/players, with every decision in them."""

from __future__ import annotations

from dataclasses import dataclass

from engine.cards import PLAYERS, WOW, YAY
from engine.events import Event, card_event, ok_event
from engine.game import Game, judge, new_game
from engine.legal import Play
from engine.players.match import Seated, deck_of
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
        size, pile = game.round.hand_size, deck_of(game_rules, seed, game.number)
        step: list[Event] = []
        if game.phase is Phase.DEAL:
            step = [card_event(YAY, card) for card in pile[:size]] + [card_event(WOW, c) for c in pile[size : 2 * size]]
        else:
            for player in game.to_act:
                view, seat = view_of(game, player), seats[player.seat]
                if can_decide(game, view):
                    play = seat.decide(view, seed, seat.nodes)
                    found.decisions.append((len(found.events), view, play))
                    step += [card_event(player, card) for card in sorted(play.cards)]
                    step += [ok_event(player)] if play.confirm else []
        for event in step:
            game, verdict = judge(game, event)
            assert verdict.accepted
        found.events.extend(step)
        for player in PLAYERS:
            while game.phase is Phase.REPLACE and game.round.swap[player.seat] is Swap.DRAWING:
                rest = pile[2 * size :] if player is YAY else pile[2 * size :][::-1]
                event = card_event(player, rest[game.round.drawn[player.seat]])
                game, _ = judge(game, event)
                found.events.append(event)
    return found

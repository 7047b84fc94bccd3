"""The same game with other hidden cards: whoever cannot tell the two apart must not be told them apart."""

from __future__ import annotations

import random
from collections.abc import Iterator

from engine.cards import Card, Player
from engine.events import Event, card_event
from engine.game import Game, judge, new_game
from engine.rules import Rules
from engine.sights import sights
from engine.verdict import Verdict
from tests.support.engine_games import Manners, RandomTable

Step = tuple[Game, Event, Verdict, Game]
DEALS = 6  # of the hidden cards, for one game


def steps(game_rules: Rules, events: list[Event]) -> Iterator[Step]:
    game = new_game(game_rules)
    for event in events:
        after, verdict = judge(game, event)
        yield game, event, verdict, after
        game = after


def dealt_otherwise(
    game_rules: Rules, seed: int, manners: Manners, seat: Player | None, most: int
) -> Iterator[tuple[Step, Step]]:
    """Step after step of a random game's last round as it is at some moment, each beside the same step after the cards
    that the seat (None: the public) has not seen were dealt otherwise, where everybody is told the same of both."""
    chance = random.Random(seed)
    events = [event for _, event in RandomTable(game_rules, seed, manners).events(most)]
    told = list(steps(game_rules, events[: chance.randrange(len(events)) + 1]))
    start = 1 + max((n for n, (a, _, _, b) in enumerate(told) if a.number != b.number), default=-1)
    seen = [str(sight) for b, e, v, _ in told[start:] for sight in sights(b, e, v, seat)]
    faces = {text.split()[1] for text in seen if len(text.split()) == 2}
    hidden = [card for card in game_rules.deck.cards if str(card) not in faces]
    for _ in range(DEALS if len(hidden) > 1 else 0):
        other = list(steps(game_rules, events[:start] + _moved(events[start : len(told)], hidden, chance)))
        if all(_told_alike(a[2], b[2]) for a, b in zip(told, other, strict=True)):
            yield from zip(told[start:], other[start:], strict=True)


def _told_alike(one: Verdict, other: Verdict) -> bool:
    """As far as everybody is told of it: a foul's rule and suspects, and how the round ended."""
    fouls = [[foul.suspects for foul in verdict.fouls] for verdict in (one, other)]
    return one.problem == other.problem and fouls[0] == fouls[1] and one.round_result == other.round_result


def _moved(events: list[Event], hidden: list[Card], chance: random.Random) -> list[Event]:
    """The same events with the hidden cards in other places: two of them, or all."""
    some = chance.sample(hidden, chance.choice((2, len(hidden))))
    places = dict(zip(some, chance.sample(some, len(some)), strict=True))
    return [
        card_event(event.player, places.get(event.card, event.card)) if event.card and event.player else event
        for event in events
    ]

"""What a host sends a bot of a game: its lines, from the engine's sights."""

from __future__ import annotations

from collections.abc import Iterable

from engine.cards import PLAYERS, Player
from engine.events import Event, card_event
from engine.game import judge, new_game
from engine.players.match import deck_of
from engine.rules import Rules
from engine.sights import Sight, accepted_sights
from engine.transcript import parse_transcript


def seen_by(side: Player, rules: Rules, events: Iterable[Event]) -> list[Sight]:
    """What this side has seen of these events."""
    game, found = new_game(rules), list[Sight]()
    for event in events:
        after, verdict = judge(game, event)
        found += accepted_sights(game, event, verdict, side)
        game = after
    return found


def dealt_events(rules: Rules, seed: int) -> list[Event]:
    """The deal of the first round."""
    cards, size = deck_of(rules, seed, 1), new_game(rules).round.hand_size
    return [
        card_event(player, card)
        for player, hand in zip(PLAYERS, (cards[:size], cards[size : 2 * size]), strict=True)
        for card in hand
    ]


def events_of(*texts: str) -> list[Event]:
    """The events of a transcript given in pieces (as in `engine_games.told`)."""
    return _read(*texts)[1]


def lines_of(side: Player, *texts: str) -> list[str]:
    """The events of such a transcript, as this side is told of them."""
    return [str(sight) for sight in seen_by(side, *_read(*texts))]


def _read(*texts: str) -> tuple[Rules, list[Event]]:
    lines = [line.strip() for text in texts for whole in text.splitlines() for line in whole.split(";")]
    rules, entries = parse_transcript("\n".join(lines))
    return rules, [entry.event for entry in entries]

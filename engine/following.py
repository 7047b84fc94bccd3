"""Following a game of play mode from one player's sights: a game in which other cards stand in for the faces not seen.

The player's view of that game is the view of the real one, since a view does not depend on what it hides.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.cards import Card, Player
from engine.errors import EngineError
from engine.events import Event, Kind, card_event
from engine.game import Game, judge, new_game
from engine.rules import Rules
from engine.sights import Sight


class FollowError(EngineError, ValueError):
    """A sight that cannot have followed the others."""


@dataclass(frozen=True)
class Followed:
    """A game as far as it was seen: `game` is it with stand-ins, `start` its present round's start, `sights` what was
    seen since."""

    seat: Player
    game: Game
    start: Game
    sights: tuple[Sight, ...] = ()


def follow_from_start(rules: Rules, seat: Player) -> Followed:
    """Nothing has been seen yet."""
    game = new_game(rules)
    return Followed(seat, game, game)


def follow(followed: Followed, sight: Sight) -> Followed:
    """One more of `accepted_sights`. Raises FollowError if it is none."""
    sights = (*followed.sights, sight)
    game = _judged(followed.game, sight, _spare(followed.game, sights))
    if game is None:  # one of the cards that stand in was seen elsewhere just now: choose others
        game = _retold(followed.start, sights, followed.seat)
    if game.number != followed.start.number or game.over:
        return Followed(followed.seat, game, game)
    return Followed(followed.seat, game, followed.start, sights)


def _judged(game: Game, sight: Sight, spare: Iterable[Card]) -> Game | None:
    """The game after this sight, with the first card to spare if no face was seen; None: it is rejected."""
    card = sight.card
    if sight.kind is Kind.CARD and card is None:
        hands = game.round.hands
        card = next((other for other in spare if other not in hands[0] and other not in hands[1]), None)
        if card is None:
            return None
    if card is not None and card not in game.rules.deck:
        raise FollowError(f"{sight}: the deck has no card {card}")
    event = Event(sight.kind, sight.player) if card is None or sight.player is None else card_event(sight.player, card)
    if event.kind not in (Kind.CARD, Kind.OK, Kind.VOID):
        raise FollowError(f"{sight}: only what was accepted can be followed, and no undo")
    after, verdict = judge(game, event)
    return after if verdict.accepted else None


def _spare(game: Game, sights: tuple[Sight, ...]) -> list[Card]:
    """Cards that no sight of the round has shown, the highest first: a claim only says that what is left is high."""
    shown = {sight.card for sight in sights}
    return [card for card in reversed(game.rules.deck.cards) if card not in shown]


def _retold(start: Game, sights: tuple[Sight, ...], seat: Player) -> Game:
    """The round with its sights from the start; what the other has played since stands where no face was seen."""
    spare = _spare(start, sights)
    game = start
    for n, sight in enumerate(sights):
        # in the order in which they were played: discards, which can only have been dealt, come first
        later = [s.card for s in sights[n:] if s.card is not None and s.player is not seat]
        after = _judged(game, sight, [*later, *spare])
        if after is None:
            raise FollowError(f"{sight}: this cannot be, after {len(sights) - 1} other events of the round")
        game = after
    return game

"""Matches between players, on mirrored deals: which of two plays better, with an interval.

The order of the deck depends on the match's seed and the round's number alone; yay draws from the front of the pile
and wow from its back. Every seed is played twice with the sides exchanged, so that each has what the other had.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

from engine.cards import PLAYERS, WOW, YAY, Card, Player
from engine.events import Event, card_event, ok_event
from engine.game import Game, judge, new_game
from engine.legal import Play
from engine.players.situation import Decide
from engine.round import Phase, Swap
from engine.rules import Mode, Rules
from engine.views import View, view_of

LONGEST_GAME = 10_000  # plays: far more than any game has


@dataclass(frozen=True)
class Seated:
    """A player of a match: how it decides, and how much work it may do for it."""

    name: str
    decide: Decide
    nodes: int


@dataclass(frozen=True)
class Score:
    """What the first player of a match has won: of each pair of games 0, 1/2 or 1."""

    pairs: tuple[float, ...]

    @property
    def mean(self) -> float:
        return sum(self.pairs) / len(self.pairs)

    @property
    def half_width(self) -> float:
        """Half of the 95 % interval of the mean, over pairs."""
        n = len(self.pairs)
        if n < 2:
            return 1.0
        return 1.96 * sqrt(sum((share - self.mean) ** 2 for share in self.pairs) / (n - 1) / n)

    def __str__(self) -> str:
        return f"{self.mean:.1%} ± {self.half_width:.1%} over {len(self.pairs)} pairs"


def deck_of(rules: Rules, seed: int, number: int) -> list[Card]:
    """The shuffled deck of the round `number`."""
    cards = list(rules.deck.cards)
    random.Random(f"deck {seed} {number}").shuffle(cards)
    return cards


Watch = Callable[[View, Play], None]


def play_game(rules: Rules, seats: tuple[Seated, Seated], seed: int, watch: Watch | None = None) -> Player:
    """Play one game; the winner. `seats` are yay and wow; `watch` sees every decision."""
    game = _deal(new_game(rules), seed)
    for _ in range(LONGEST_GAME):
        if game.over:
            assert game.winner is not None
            return game.winner
        number = game.number
        for play in _decisions(game, seats, seed, watch):
            game = _lay(game, play)
        if game.number != number and not game.over:
            game = _deal(game, seed)
        elif game.phase is Phase.REPLACE:
            game = _draw(game, seed)
    raise RuntimeError(f"a game of {seats[0].name} and {seats[1].name}, seed {seed}, does not end")


def _decisions(game: Game, seats: tuple[Seated, Seated], seed: int, watch: Watch | None) -> list[Play]:
    """What those who are to choose now choose; both before either is seen."""
    found = []
    for player in game.to_act:
        if game.phase is Phase.REPLACE and game.round.swap[player.seat] is not Swap.DISCARDING:
            continue
        view, seat = view_of(game, player), seats[player.seat]
        play = seat.decide(view, seed, seat.nodes)
        if watch is not None:
            watch(view, play)
        found.append(play)
    return found


def _lay(game: Game, play: Play) -> Game:
    events = [card_event(play.player, card) for card in sorted(play.cards)]
    for event in [*events, ok_event(play.player)] if play.confirm else events:
        game, verdict = judge(game, event)
        if not verdict.accepted:
            raise ValueError(f"{play}: {verdict.problem}, in {view_of(game, play.player)}")
    return game


def dealt(game: Game, seed: int) -> list[Event]:
    """The events that deal the round: yay's cards, then wow's."""
    cards, size = deck_of(game.rules, seed, game.number), game.round.hand_size
    hands = {YAY: cards[:size], WOW: cards[size : 2 * size]}
    return [card_event(player, card) for player in PLAYERS for card in hands[player]]


def drawn(game: Game, seed: int, player: Player) -> list[Event]:
    """The events by which a player draws as many cards as were discarded: yay from the front of the pile, wow from its
    back. None if the player is not to draw."""
    state = game.round
    if game.phase is not Phase.REPLACE or state.swap[player.seat] is not Swap.DRAWING:
        return []
    pile = deck_of(game.rules, seed, game.number)[2 * state.hand_size :]
    count = state.replaced[player.seat]
    return [card_event(player, card) for card in (pile if player is YAY else pile[::-1])[:count]]


def _deal(game: Game, seed: int) -> Game:
    return _judged(game, dealt(game, seed))


def _draw(game: Game, seed: int) -> Game:
    for player in PLAYERS:
        game = _judged(game, drawn(game, seed, player))
    return game


def _judged(game: Game, events: Iterable[Event]) -> Game:
    for event in events:
        game, verdict = judge(game, event)
        assert verdict.accepted, verdict.problem
    return game


def play_match(
    one: Seated, other: Seated, seeds: Iterable[int], rules: Rules | None = None, watch: Watch | None = None
) -> Score:
    """The score of `one`, a pair of games for each seed."""
    rules = rules or Rules(mode=Mode.PLAY)
    return Score(tuple(play_pair(one, other, seed, rules, watch) for seed in seeds))


def play_pair(one: Seated, other: Seated, seed: int, rules: Rules, watch: Watch | None = None) -> float:
    """0, 1/2 or 1: what `one` has won of the two games of this seed."""
    first = play_game(rules, (one, other), seed, watch) is YAY
    second = play_game(rules, (other, one), seed, watch) is WOW
    return (first + second) / 2


def pairs_of(scores: Sequence[Score]) -> Score:
    """Several scores as one."""
    return Score(tuple(share for score in scores for share in score.pairs))

"""A whole game: the track, round after round, and what can be taken back.

`judge` is the one door: a game and an event give the next game and a verdict. A Game is a frozen value;
the events alone make it, so folding the events of a transcript gives the same game again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from engine.board import Arrow, Track
from engine.cards import PLAYERS, Player
from engine.events import Event, Kind
from engine.phases import press_ok, read_card, refuse
from engine.round import Outcome, Phase, Round, new_round
from engine.rules import Mode, Rules
from engine.verdict import Problem, Result, Verdict

START = Track()


@dataclass(frozen=True, slots=True)
class Past:
    """The latest accepted event that can still be undone: whose it was, and the game before it."""

    player: Player
    game: Game


@dataclass(frozen=True, slots=True)
class Game:
    """The state of a game. `number` is the round's, from 1. `repr` shows no hidden hands."""

    rules: Rules
    round: Round
    track: Track = START
    number: int = 1
    past: Past | None = field(default=None, repr=False, compare=False)
    restart: Game | None = field(default=None, repr=False, compare=False)  # before the play being made

    @property
    def phase(self) -> Phase:
        return self.round.phase

    @property
    def winner(self) -> Player | None:
        return self.track.winner

    @property
    def over(self) -> bool:
        return self.round.phase is Phase.OVER

    @property
    def to_act(self) -> tuple[Player, ...]:
        """From whom a card or an ok is awaited (docs/transcript.md)."""
        return PLAYERS if self.phase is Phase.BOARD else self.round.to_act

    @property
    def undoable_by(self) -> Player | None:
        """Who can undo now, if anybody; in board mode either player can (`past` is set)."""
        return self.past.player if self.past else None

    def can_ok(self, player: Player) -> bool:
        """Whether this player's ok would do something now."""
        return self.phase is Phase.BOARD or self.round.can_ok(player)

    def can_undo(self, player: Player) -> bool:
        return self.past is not None and (self.rules.mode is Mode.BOARD or self.past.player is player)

    def __str__(self) -> str:
        hands = " ".join(f"{player}:{self.round.count(player)}" for player in PLAYERS)
        covered = ",".join(map(str, self.track.covered)) or "-"
        return f"round {self.number} {self.phase} {hands} tacocat {self.track.tacocat} covered {covered}"


def new_game(rules: Rules | None = None) -> Game:
    """A game before its first event."""
    rules = rules or Rules()
    return Game(rules, _fresh_round(rules, START, 1))


def _fresh_round(rules: Rules, track: Track, number: int) -> Round:
    # In round 1 the arrow counts as double, whatever is printed.
    arrow = Arrow.BOTH if number == 1 else rules.board.arrow(track.tacocat)
    state = new_round(rules.deck, rules.board.hand_size(track.tacocat), arrow, rules.mode is Mode.REFEREE)
    return replace(state, phase=Phase.BOARD) if rules.mode is Mode.BOARD else state


def judge(game: Game, event: Event) -> tuple[Game, Verdict]:
    """The next game and the verdict on `event`. A card must be one of the game's deck.

    Never raises for anything that players can do: a refusal is a verdict.
    """
    if event.kind is Kind.UNDO:
        return _undo(game, event)
    if game.over:
        return game, Verdict(Problem.GAME_OVER)
    if event.kind is Kind.TAG:
        return game, Verdict(Problem.UNKNOWN_CARD)
    if game.rules.mode is Mode.BOARD:
        return _judge_board(game, event)
    if event.kind is Kind.VOID:
        return _end_round(game, Result.VOID, None), Verdict(round_result=Result.VOID)
    return _settle(game, event, _outcome(game, event))


def _outcome(game: Game, event: Event) -> Outcome:
    assert event.player is not None
    if event.kind is Kind.OK:
        return press_ok(game.round, event.player)
    assert event.card is not None
    if event.card not in game.rules.deck:
        raise ValueError(f"{event}: the deck of this game has no card {event.card}")
    return read_card(game.round, game.rules, event.player, event.card)


def _settle(game: Game, event: Event, outcome: Outcome) -> tuple[Game, Verdict]:
    """Put the outcome of an event in its round into the game."""
    verdict = outcome.verdict
    if not verdict.accepted:
        if outcome.take_back:
            assert game.restart is not None
            return game.restart, verdict
        # a rejected card can still have closed the attack
        return (game if outcome.round is None else replace(game, round=outcome.round)), verdict
    assert outcome.round is not None
    assert event.player is not None
    past = None if outcome.final else Past(event.player, game)
    restart = game.restart if outcome.restart is None else replace(game, round=outcome.restart, restart=None)
    if outcome.result is None:
        return replace(game, round=outcome.round, past=past, restart=restart), verdict
    after = _end_round(replace(game, round=outcome.round), outcome.result, past)
    return after, replace(verdict, round_result=outcome.result)


def _end_round(game: Game, result: Result, past: Past | None) -> Game:
    """Move Tacocat as the result says and begin the next round, or end the game."""
    track = game.track if result in (Result.TIE, Result.VOID) else game.track.moved(Player(result))
    if track.winner is not None:
        over = replace(game.round, phase=Phase.OVER)
        return Game(game.rules, over, track, game.number, past)
    number = game.number + 1
    return Game(game.rules, _fresh_round(game.rules, track, number), track, number, past)


def _undo(game: Game, event: Event) -> tuple[Game, Verdict]:
    assert event.player is not None
    if game.past is None or not game.can_undo(event.player):
        return game, Verdict(Problem.NOTHING_TO_UNDO)
    return game.past.game, Verdict(undone=True)


def _judge_board(game: Game, event: Event) -> tuple[Game, Verdict]:
    if event.kind is Kind.VOID:
        return game, Verdict(Problem.NOTHING_TO_CONFIRM)
    if event.kind is Kind.CARD:
        return game, refuse(Problem.NOT_YOUR_TURN).verdict
    assert event.player is not None
    result = Result(event.player)
    return _end_round(game, result, Past(event.player, game)), Verdict(round_result=result)


def fold(rules: Rules, events: Iterable[Event]) -> Game:
    """The game that these events make."""
    game = new_game(rules)
    for event in events:
        game, _ = judge(game, event)
    return game

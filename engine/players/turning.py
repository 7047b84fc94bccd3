"""The turning points of a game that is over: the plays that cost the most, judged by what their player could know.

A play is measured against the best one in the same view (worths.py), so bad luck is no mistake. What it cost is a share
of games: what it lost of the round, times what that round was worth on the track, each later round being won by
either side as often. How the hidden cards really lay is told beside it, where it can be.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from engine.board import Track
from engine.cards import PLAYERS, Card, Player
from engine.events import Event, Kind
from engine.game import Game, judge, new_game
from engine.players.advice import Decided, TurningPoint
from engine.players.situation import situation_of
from engine.players.solving import Hand
from engine.players.strong import plays_won
from engine.players.worths import worths_of
from engine.round import Phase, Swap
from engine.rules import Mode, Rules
from engine.verdict import Verdict
from engine.views import view_of

MOST_POINTS = 3
LEAST_ROUNDS = 0.1  # a play that cost less of a round is no turning point: the estimate is not that sure
NODES = 400_000


def turning_points(
    rules: Rules, events: Iterable[Event], seed: int = 0, nodes: int = NODES, most: int = MOST_POINTS
) -> list[TurningPoint]:
    """The plays of a game of play mode that cost the most, in the order in which they were made; at most `most`.

    Plays that were taken back do not count. An unfinished game has none: somebody may still use what they tell.
    """
    if rules.mode is not Mode.PLAY:
        return []
    decisions, over = decisions_of(rules, events)
    if not over:
        return []
    found = [point for point in (_weighed(decided, seed, nodes) for decided in decisions) if point is not None]
    found.sort(key=lambda point: (-point.cost, point.decided.event))
    return sorted(found[:most], key=lambda point: point.decided.event)


def _weighed(decided: Decided, seed: int, nodes: int) -> TurningPoint | None:
    worths = worths_of(decided.view, seed, nodes, decided.ranks)
    if worths is None:
        return None
    lost = worths.lost_by(decided.ranks)
    if lost < LEAST_ROUNDS:
        return None
    cost = lost * round_worth(decided.view.track, decided.player)
    return TurningPoint(decided, worths.best, lost, cost, _as_it_lay(decided, worths.best))


# ---- what a round is worth -----------------------------------------------------------------


@cache
def chance_of_game(track: Track, player: Player) -> float:
    """How probable the player is to win from here, if every round is won by either side as often."""
    if track.winner is not None:
        return 1.0 if track.winner is player else 0.0
    return sum(chance_of_game(track.moved(winner), player) for winner in PLAYERS) / 2


def round_worth(track: Track, player: Player) -> float:
    """How much more of the game the player has after winning the round on this track than after losing it."""
    return chance_of_game(track.moved(player), player) - chance_of_game(track.moved(player.other), player)


# ---- what was decided ----------------------------------------------------------------------


def decisions_of(rules: Rules, events: Iterable[Event]) -> tuple[list[Decided], bool]:
    """Every decision that stood, in the order of their first cards, and whether the game is over."""
    steps, game = _standing(rules, events)
    found: list[Decided] = []
    open_now: dict[Player, Decided] = {}
    for place, before, event, verdict, after in steps:
        for player in PLAYERS:
            if _begins(before, player) and (player not in open_now or open_now[player].game.number != before.number):
                open_now[player] = Decided(-1, view_of(before, player), (), before)
        if event.player in open_now:
            started = open_now[event.player]
            if started.event < 0:
                started = open_now[event.player] = replace(started, event=place)
            cards = _completed(before, event, verdict)
            if cards is not None:
                found.append(replace(started, cards=cards))
                del open_now[event.player]
        if event.kind is Kind.VOID:
            open_now.clear()
        if before.phase is Phase.REPLACE and after.phase is not Phase.REPLACE:
            open_now.clear()  # who was not asked any more has decided nothing
    return sorted(found, key=lambda decided: decided.event), game.over


Step = tuple[int, Game, Event, Verdict, Game]


def _standing(rules: Rules, events: Iterable[Event]) -> tuple[list[Step], Game]:
    """The events that were accepted and not taken back, each with its place and what it met and made; and the end."""
    steps: list[Step] = []
    game = new_game(rules)
    for place, event in enumerate(events):
        after, verdict = judge(game, event)
        if verdict.accepted and not verdict.undone:
            steps.append((place, game, event, verdict, after))
        elif after != game:  # taken back, or a rejected card has closed the attack
            kept = next((n for n in range(len(steps) - 1, -1, -1) if steps[n][1] == after), len(steps))
            del steps[kept:]
        game = after
    return steps, game


def _begins(game: Game, player: Player) -> bool:
    """Whether this player is to choose, and has laid nothing of it yet."""
    state = game.round
    if game.over or player not in game.to_act:
        return False
    match state.phase:
        case Phase.REPLACE:
            return state.swap[player.seat] is Swap.DISCARDING and not state.discards[player.seat]
        case Phase.DUEL:
            return state.shown[player.seat] is None
        case Phase.ATTACK:
            return player is state.attacker and not state.attack
        case Phase.DEFEND:
            return not state.answer
    return False


def _completed(before: Game, event: Event, verdict: Verdict) -> tuple[Card, ...] | None:
    """The cards of the play that this event completes; None: it completes none."""
    player = event.player
    assert player is not None
    match before.phase:
        case Phase.REPLACE if event.kind is Kind.OK:
            return before.round.discards[player.seat]
        case Phase.DUEL if event.card is not None:
            return (event.card,)
        case Phase.ATTACK if event.kind is Kind.OK:
            return before.round.attack
        case Phase.DEFEND if verdict.trick is not None:
            return verdict.trick.answer
    return None


# ---- as the cards lay ----------------------------------------------------------------------


def _as_it_lay(decided: Decided, better: Hand) -> tuple[float, float] | None:
    """What the play and the better one would have won of the round with all cards open; see TurningPoint.lay."""
    view, player = decided.view, decided.player
    if view.phase not in (Phase.ATTACK, Phase.DEFEND):
        return None
    others = tuple(sorted(card.rank for card in decided.game.round.hands[player.other.seat]))
    won = plays_won(view, situation_of(view), [others, others])  # twice, so that a tie is half
    return won[decided.ranks] / 2, won[better] / 2

"""Every whole play that a player may make now, for tests, hints and later users.

A *play* is what a player lays down and confirms as one thing: a dealt or drawn card, the discards, a
duel card, an attack, an answer, the showdown card, or a bare ok (to the deal in referee mode, to a round
won in board mode). `legal_plays` builds them; `is_legal` tries one on the judge. What little the two
share (what an answer claims, how claims are counted) the tests check by brute force.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from engine.board import Arrow
from engine.cards import Card, Player
from engine.claims import possible_alone
from engine.events import card_event, ok_event
from engine.game import Game, judge
from engine.plays import claimed_rank, legal_answers, legal_attacks
from engine.round import Phase, Round, Swap
from engine.rules import LateFoul


@dataclass(frozen=True, slots=True)
class Play:
    """Cards that one player lays down, in no order; `confirm`: an ok follows them."""

    player: Player
    cards: frozenset[Card]
    confirm: bool = False


def is_legal(game: Game, play: Play) -> bool:
    """Whether this is one whole play, begun from nothing laid down, and every event of it is accepted.

    A late foul that a card brings to light is about an earlier play: it makes this one no less legal.
    Raises ValueError for a card that the game's deck does not have.
    """
    if not _is_one_play(game.round, play):
        return False
    state = replace(game, rules=replace(game.rules, late_foul=LateFoul.NOTE))
    events = [card_event(play.player, card) for card in sorted(play.cards)]
    if play.confirm:
        events.append(ok_event(play.player))
    for event in events:
        state, verdict = judge(state, event)
        if not verdict.accepted:
            return False
    return True


def _is_one_play(state: Round, play: Play) -> bool:
    """Whether it has the number of cards, and the ok or none, that a play has in this phase."""
    count, attacks = len(play.cards), play.player is state.attacker
    match state.phase:
        case Phase.BOARD:
            return play.confirm and count == 0
        case Phase.DEAL if state.hidden:
            return play.confirm and count == 0
        case Phase.REPLACE if state.swap[play.player.seat] is Swap.DISCARDING:
            return play.confirm and not state.replaced[play.player.seat]
        case Phase.ATTACK if attacks:
            return play.confirm and count >= 1 and not state.attack
        case Phase.ATTACK | Phase.DEFEND:
            return not play.confirm and count == len(state.attack) >= 1 and not state.answer
    return not play.confirm and count == 1


def legal_plays(game: Game, player: Player) -> Iterator[Play]:
    """Every play for which `is_legal` holds, each once.

    In referee mode the hand is hidden: any cards not yet seen could be in it, so the plays are those
    that could be legal. Nothing is yielded for a player from whom nothing is awaited, or in the middle
    of that player's own play.
    """
    state = game.round
    match state.phase:
        case Phase.BOARD:
            yield Play(player, frozenset(), confirm=True)
        case Phase.DEAL if state.hidden:
            if player not in state.ready:
                yield Play(player, frozenset(), confirm=True)
        case Phase.DEAL if state.count(player) < state.hand_size:
            yield from _singles(player, set(game.rules.deck.cards) - state.hands[0] - state.hands[1])
        case Phase.REPLACE:
            yield from _swaps(game, player)
        case Phase.DUEL | Phase.SHOWDOWN if state.shown[player.seat] is None:
            yield from _singles(player, _could_hold(game, player))
        case Phase.ATTACK if player is state.attacker and not state.attack:
            for cards in legal_attacks(_could_hold(game, player), state.count(player) - 1):
                yield Play(player, cards, confirm=True)
        case Phase.ATTACK if player is not state.attacker:
            # the first answering card closes the attack, if it can be closed
            if frozenset(state.attack) in legal_attacks(state.attack, len(state.attack)):
                yield from _answers(game, player)
        case Phase.DEFEND if player is not state.attacker and not state.answer:
            yield from _answers(game, player)


def _could_hold(game: Game, player: Player) -> set[Card]:
    state = game.round
    return set(game.rules.deck.cards) - state.used if state.hidden else set(state.hands[player.seat])


def _singles(player: Player, cards: set[Card]) -> Iterator[Play]:
    for card in sorted(cards):
        yield Play(player, frozenset([card]))


def _swaps(game: Game, player: Player) -> Iterator[Play]:
    state = game.round
    mine, others = state.swap[player.seat], state.replaced[player.other.seat]
    if mine is Swap.DRAWING:
        yield from _singles(player, set(game.rules.deck.cards) - state.used - state.hands[0] - state.hands[1])
    if mine is not Swap.DISCARDING or state.replaced[player.seat]:
        return
    in_turn = state.arrow is not Arrow.BOTH and state.arrow != player.value
    most = min(len(game.rules.deck) - 2 * state.hand_size - others, others if in_turn else state.hand_size)
    for size in range(min(most, state.hand_size) + 1):
        for cards in combinations(sorted(_could_hold(game, player)), size):
            yield Play(player, frozenset(cards), confirm=True)


def _answers(game: Game, player: Player) -> Iterator[Play]:
    state = game.round
    ranks = [card.rank for card in state.attack]
    if not state.hidden:
        for cards in legal_answers(ranks, state.hands[player.seat]):
            yield Play(player, cards)
        return
    for chosen in combinations(sorted(_could_hold(game, player)), len(ranks)):
        if _believable(state, player, ranks, chosen):
            yield Play(player, frozenset(chosen))


def _believable(state: Round, player: Player, attack: list[int], answer: tuple[Card, ...]) -> bool:
    claim = claimed_rank(attack, [card.rank for card in answer])
    left = list(state.unseen)
    for card in answer:
        left[card.rank] -= 1
    return claim is None or possible_alone(tuple(left), state.count(player) - len(answer), claim)

"""One round, from the deal to the showdown: which cards are where, and what an event does to them.

Everything here is about one round; the track, the next round and undo are in game.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, TypeVar

from engine.board import Arrow
from engine.cards import PLAYERS, Card, Deck, Player
from engine.claims import NO_CLAIMS, Claims, Counts, Pair
from engine.verdict import Pairing, Result, Trick, Verdict

Each = TypeVar("Each")


class Phase(StrEnum):
    DEAL = "deal"
    REPLACE = "replace"
    DUEL = "duel"
    ATTACK = "attack"
    DEFEND = "defend"
    SHOWDOWN = "showdown"
    OVER = "over"
    BOARD = "board"


class Swap(StrEnum):
    """How far a player is with replacing cards."""

    WAITING = "waiting"
    DISCARDING = "discarding"
    DRAWING = "drawing"
    DONE = "done"


Hands = tuple[frozenset[Card], frozenset[Card]]
EMPTY: Hands = (frozenset(), frozenset())


@dataclass(frozen=True, slots=True)
class Round:
    """The state of one round. Every pair is (yay, wow).

    In play mode `hands` are the cards held and `counts` their numbers; in referee mode `hands` stay
    empty. `used` are the cards read in this round, in plays, duels, discards and showdown; `unseen` counts
    the others of the deck by rank. An attack is closed once the phase is DEFEND. `repr` leaves out what
    would give away a hand, or the first card of a duel or showdown, which lies face down.
    """

    hand_size: int
    arrow: Arrow  # BOTH in round 1, whatever is printed
    hidden: bool  # referee mode: hands are not known
    unseen: Counts = field(repr=False)
    draw_pile: int  # cards that can still be drawn before anybody replaces
    phase: Phase = Phase.DEAL
    counts: Pair = (0, 0)
    hands: Hands = field(default=EMPTY, repr=False)
    ready: frozenset[Player] = frozenset()  # referee mode: who has said ok to the deal
    used: frozenset[Card] = field(default=frozenset(), repr=False)
    swap: tuple[Swap, Swap] = (Swap.WAITING, Swap.WAITING)
    replaced: Pair = (0, 0)  # cards discarded in replace
    drawn: Pair = (0, 0)
    shown: tuple[Card | None, Card | None] = field(default=(None, None), repr=False)  # duel, showdown
    attacker: Player | None = None
    attack: tuple[Card, ...] = ()
    answer: tuple[Card, ...] = ()
    claims: Claims = NO_CLAIMS
    # what has lain open in this round, in order: a view of the round is made of it
    discards: tuple[tuple[Card, ...], tuple[Card, ...]] = field(default=((), ()), repr=False)
    duels: tuple[Pairing, ...] = field(default=(), repr=False)
    tricks: tuple[Trick, ...] = field(default=(), repr=False)

    def count(self, player: Player) -> int:
        return self.counts[player.seat]

    def wanted(self, player: Player) -> int:
        """How many cards may still be read from this player now; 0: none is expected."""
        i = player.seat
        match self.phase:
            case Phase.DEAL:
                return 0 if self.hidden else self.hand_size - self.counts[i]
            case Phase.REPLACE if self.swap[i] is Swap.DRAWING:
                return self.replaced[i] - self.drawn[i]
            case Phase.REPLACE if self.swap[i] is Swap.DISCARDING:
                return self.may_still_replace(player)
            case Phase.DUEL | Phase.SHOWDOWN:
                return 1 if self.shown[i] is None else 0
            case Phase.ATTACK:
                if player is self.attacker:
                    return max(self.counts[i] - 1, 0)
                return len(self.attack)
            case Phase.DEFEND:
                return 0 if player is self.attacker else len(self.attack) - len(self.answer)
        return 0

    def may_still_replace(self, player: Player) -> int:
        """How many more cards this player may discard in replace."""
        return room_to_replace(player, self.arrow, self.swap, self.replaced, self.counts, self.draw_pile)

    @property
    def to_act(self) -> tuple[Player, ...]:
        match self.phase:
            case Phase.DEAL if self.hidden:
                return tuple(p for p in PLAYERS if p not in self.ready)
            case Phase.DEAL:
                return tuple(p for p in PLAYERS if self.counts[p.seat] < self.hand_size)
            case Phase.REPLACE:
                return tuple(p for p in PLAYERS if self.swap[p.seat] in (Swap.DISCARDING, Swap.DRAWING))
            case Phase.DUEL | Phase.SHOWDOWN:
                return tuple(p for p in PLAYERS if self.shown[p.seat] is None)
            case Phase.ATTACK if self.attack:
                return PLAYERS
            case Phase.ATTACK:
                return tuple(p for p in PLAYERS if p is self.attacker)
            case Phase.DEFEND:
                return tuple(p for p in PLAYERS if p is not self.attacker)
        return ()

    def can_ok(self, player: Player) -> bool:
        """Whether this player's ok would close something."""
        match self.phase:
            case Phase.DEAL:
                return self.hidden and player not in self.ready
            case Phase.REPLACE:
                return self.swap[player.seat] is Swap.DISCARDING
            case Phase.ATTACK:
                return player is self.attacker and bool(self.attack)
        return False


def room_to_replace(
    player: Player, arrow: Arrow, swap: tuple[Swap, Swap], replaced: Pair, counts: Pair, draw_pile: int
) -> int:
    """How many more cards this player may discard; the pairs and `draw_pile` are those of a Round."""
    i, other = player.seat, player.other.seat
    room = draw_pile - sum(replaced)
    if arrow is not Arrow.BOTH and swap[other] is Swap.DONE:
        room = min(room, replaced[other] - replaced[i])
    return min(room, counts[i])


def new_round(deck: Deck, hand_size: int, arrow: Arrow, hidden: bool) -> Round:
    return Round(hand_size, arrow, hidden, deck.counts, len(deck) - 2 * hand_size)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an event does within its round.

    `round` None: the verdict rejects it and nothing changes. `restart`: the event began a play; this is
    the round to return to if the play is taken back. `take_back`: the present play is taken back.
    `final`: the event can never be undone.
    """

    verdict: Verdict
    round: Round | None = None
    restart: Round | None = None
    take_back: bool = False
    final: bool = False
    result: Result | None = None


def put(pair: tuple[Each, Each], player: Player, value: Each) -> tuple[Each, Each]:
    """A pair, one for each player, with this one's replaced."""
    return (value, pair[1]) if player.seat == 0 else (pair[0], value)


def take(state: Round, player: Player, card: Card, **laid: Any) -> Round:
    """The card leaves the hand and has been seen. `laid`: the fields that say where it lies now, for `replace`."""
    i = player.seat
    hands = state.hands
    if not state.hidden:
        smaller = hands[i] - {card}
        hands = put(hands, player, smaller)
    rank = card.rank
    unseen = state.unseen
    return replace(
        state,
        hands=hands,
        counts=put(state.counts, player, state.counts[i] - 1),
        used=state.used | {card},
        unseen=(*unseen[:rank], unseen[rank] - 1, *unseen[rank + 1 :]),
        **laid,
    )


def give(state: Round, player: Player, card: Card, *, drawn: Pair | None = None) -> Round:
    """The card is dealt to the player (play mode), or drawn: then `drawn` counts it too."""
    i = player.seat
    larger = state.hands[i] | {card}
    hands = put(state.hands, player, larger)
    counts = put(state.counts, player, state.counts[i] + 1)
    return replace(state, hands=hands, counts=counts, drawn=state.drawn if drawn is None else drawn)

"""What the game wants of the hands at a virtual table just now, and what it knows of the cards. Pure.

The hands that tidy and deal are the page's, not the players': they are to do what the moment wants, and to ask where
they would move cards that count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from engine.cards import PLAYERS
from engine.round import Phase, Swap
from engine.rules import Mode
from firmware.table.state import Stage, Table
from firmware.virtual.lying import Known

NOT_NOW = "No cards are dealt now"
FROM_BEFORE = "There are still cards of the round before in the hands: gather and shuffle first"
BETWEEN = "Between rounds: both pads have to be empty, then a press of ok; then cards are dealt"


@dataclass(frozen=True, slots=True)
class Wants:
    """`deals`: how many cards each player is to get now, one by one over the pad if the table `reads` them.

    `held`: how many cards each has already, as the game counts. `used`: the cards that were played in this round;
    None: there is no round, and every card may be cleared away. `shown`: those of them that lie face down until the
    other player's lies too, as is every card that is laid while `in_secret`. `no_deal`: why no cards are to be dealt.
    """

    deals: Mapping[str, int] = field(default_factory=dict)
    reads: bool = False
    held: Mapping[str, int] = field(default_factory=dict)
    used: frozenset[str] | None = None
    shown: frozenset[str] = frozenset()
    in_secret: bool = False
    no_deal: str = ""

    def why_no_deal(self, in_hands: Mapping[str, int]) -> str:
        """Why cards that are dealt now would be in the way of the game; "" if they are not.

        `in_hands`: how many cards each hand has. One more than the game counts is on its way from the pad.
        """
        if any(in_hands[player] > self.held[player] + 1 for player in self.deals):
            return FROM_BEFORE
        return self.no_deal


NOTHING = Wants()
Ask = Callable[[], Wants]


def wants_of(table: Table) -> Wants:
    """What this table wants."""
    game, state = table.game, table.game.round
    if game.rules.mode is Mode.BOARD or table.stage not in (Stage.ROUND, Stage.CLEAR):
        return NOTHING
    if table.stage is Stage.CLEAR:
        return Wants(no_deal=BETWEEN)
    reads = game.rules.mode is Mode.PLAY
    deals = {str(player): 0 for player in PLAYERS}
    for player in PLAYERS:
        if state.phase is Phase.DEAL:
            deals[str(player)] = state.wanted(player) if reads else state.hand_size * (player not in state.ready)
        elif state.swap[player.seat] is Swap.DRAWING:
            deals[str(player)] = state.wanted(player)
    deals = {player: count for player, count in deals.items() if count}
    by_hand = not reads and state.phase in (Phase.DEAL, Phase.REPLACE)  # nobody counts what is dealt then
    return Wants(
        deals,
        reads,
        {str(player): 0 if state.phase is Phase.DEAL and not reads else state.count(player) for player in PLAYERS},
        frozenset(map(str, state.used)),
        frozenset(str(card) for card in state.shown if card is not None),
        state.phase in (Phase.DUEL, Phase.SHOWDOWN),
        "" if deals or by_hand else NOT_NOW,
    )


def known_of(table: Table) -> Known | None:
    """What the game of this table tells of the cards; None where there is no round in which they count."""
    game, state = table.game, table.game.round
    if game.rules.mode is Mode.BOARD or table.stage is not Stage.ROUND:
        return None
    hands = None
    if game.rules.mode is Mode.PLAY:
        hands = {str(player): frozenset(map(str, state.hands[player.seat])) for player in PLAYERS}
    counts = {str(player): state.count(player) for player in PLAYERS}
    row = {str(card): place for card, place in table.opponent.places} if table.opponent else {}
    return Known(frozenset(map(str, state.used)), hands, counts, row)

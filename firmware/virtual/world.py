"""The table on the world's side: where each card lies, and the hands that move it.

Nothing here knows the rules: what the game wants of hands is asked (`Wants`). A card that lies on a pad is a tag in
the field of that pad's emulated reader, and that is the only way in which a hand reaches the program. The time comes
from outside (`now_ms`).

Places are named "pile" (the draw pile), "discard", "aside" (a bus ticket with a tag that is no card), "hand-yay",
"hand-wow", "pad-yay" and "pad-wow". Where the table plays, its hand is a row with the places "row-1" to "row-9"; what
lies in it, and face down on a pad, is seen by nobody, and not called by its name (`Covers`).
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from random import Random
from typing import Any, Protocol

from firmware.virtual.covers import Covers
from firmware.virtual.dealing import Dealing
from firmware.virtual.deck import stray_uid
from firmware.virtual.lying import Known, Lying, hands_are_known, put_right, taken_back
from firmware.virtual.messages import (
    ASIDE,
    DISCARD,
    PILE,
    PLACES,
    PLAYERS,
    ROW_PLACES,
    TICKET,
    Deal,
    Draw,
    Gather,
    LayPile,
    Message,
    Move,
    Sweep,
    TakeBack,
    TurnOver,
)
from firmware.virtual.wants import NOTHING, Ask
from hardware.twins.tags import Tag


class Field(Protocol):
    """What a pad's emulated reader offers to a hand. `requests`: how often it has looked for cards."""

    @property
    def requests(self) -> int: ...

    def put(self, tag: Tag) -> None: ...

    def lift(self, tag: Tag) -> None: ...


class World:
    """Cards, piles, hands and pads. `do` performs one movement, `step` lets the dealing hand go on.

    `pads`: the emulated reader of each player. `uids`: card name to UID, in the order of a new deck. `lying`: where
    the cards lay before, None: shuffled in the pile. `wants`: what the game wants of hands. Thread-safe.
    """

    def __init__(
        self,
        pads: Mapping[str, Field],
        uids: Mapping[str, bytes],
        random: Random,
        lying: Lying | None = None,
        wants: Ask = lambda: NOTHING,
    ) -> None:
        self._lock = threading.RLock()
        self._pads = pads
        self._random = random
        self._tags = {card: Tag(uid) for card, uid in uids.items()}
        self._tags[TICKET] = Tag(stray_uid(uids))
        self._cards: dict[str, list[str]] = {place: [] for place in PLACES}
        self._cards[PILE] = list(uids)
        self._cards[ASIDE] = [TICKET]
        self._random.shuffle(self._cards[PILE])
        self._face_down: set[str] = set()
        self._pile_on: str | None = None
        self._deals: dict[str, Dealing] = {}
        self._covers = Covers()
        self._row: Mapping[str, int] = {}  # of a table that is not seated yet
        self._owners: dict[str, str] = {}  # card to the player in whose hand or on whose pad it was last
        self._secret: set[str] = set()  # cards that were laid face down, to be turned up together
        self._before: tuple[str, Lying] | None = None  # what tidied or dealt last, and how the cards lay before
        self._wants = wants
        self.changes = 0  # counts up with each movement
        if lying is not None:
            self.lay(lying)

    # ---- as a whole -------------------------------------------------------------------------

    def lying(self) -> Lying:
        """Where all cards lie."""
        with self._lock:
            cards = {place: tuple(self._cards[place]) for place in PLACES}
            return Lying(cards, frozenset(self._face_down), self._pile_on, {**self._row, **self._covers.places})

    def lay(self, lying: Lying) -> None:
        """Lay all cards where `lying` says; they are those of this deck."""
        with self._lock:
            self._deals.clear()
            for place, cards in lying.cards.items():
                for card in cards:
                    if self._place_of(card) != place:
                        self._move(card, place)
            self._cards = {place: list(lying.cards[place]) for place in PLACES}
            self._face_down = set(lying.face_down)
            self._lay_pile(lying.pile_on)
            self._row = lying.row
            self._order_row()

    def agree(self, known: Known) -> str:
        """Lay the cards as a game that goes on tells of them. What was done, in words; "" where they lay so."""
        with self._lock:
            lying, moved = put_right(self.lying(), known)
            self.lay(lying)
            self.changes += 1
            if known.hands is None and not hands_are_known(lying, known):
                return "Which cards were in the hands is not known any more: This round again, in the menu, deals anew."
            return f"Laid as the game tells of them: {moved} of the cards." if moved else ""

    def seat_the_table(self, side: str | None) -> None:
        """The table plays this side from now on; None: two persons play."""
        with self._lock:
            self._covers.seat(side)
            for card in self._cards[f"hand-{side}"] if side else ():
                self._covers.came(card)
            self._order_row()

    def _order_row(self) -> None:
        """The row of a table that plays as it was."""
        if self._covers.side is not None:
            for card, place in self._row.items():
                self._covers.put(card, place)
            self._row = {}

    # ---- what can be seen -------------------------------------------------------------------

    def cards(self, place: str) -> tuple[str, ...]:
        """The cards at a place, the one that came last at the end; the pile's last is its top."""
        return tuple(self._cards[place])

    @property
    def dealing(self) -> bool:
        return bool(self._deals)

    def view(self) -> dict[str, Any]:
        """What an eye sees, ready for JSON: hands, pads with [card, face up?], the pile's size but not its order."""
        with self._lock:
            discard, names, wants = self._cards[DISCARD], self._covers.names(self._covered()), self._wants()
            return {
                "hands": {player: [names(card) for card in self._cards[f"hand-{player}"]] for player in PLAYERS},
                "pads": {
                    player: [[names(card), card not in self._face_down] for card in self._cards[f"pad-{player}"]]
                    for player in PLAYERS
                },
                "row": self._covers.row(),
                "turned": self._covers.turned(self._seen()),
                "pile": len(self._cards[PILE]),
                "pileOn": self._pile_on,
                "discard": [[card, self._owners.get(card)] for card in discard],
                "aside": list(self._cards[ASIDE]),
                "dealing": self.dealing,
                "deals": dict(wants.deals),
                "noDeal": wants.why_no_deal({player: len(self._cards[f"hand-{player}"]) for player in PLAYERS}),
                "takeBack": self._before[0] if self._before else None,
            }

    # ---- movements --------------------------------------------------------------------------

    def do(self, message: Message, now_ms: int) -> str:
        """Perform one movement of hands. Returns "", or why it cannot be done, in words."""
        with self._lock:
            tidies = isinstance(message, Deal | Sweep | Gather)
            before = (type(message).__name__.lower(), self.lying()) if tidies else None
            if why_not := self._do(message, now_ms):
                return why_not
            self.changes += 1
            if before is not None:
                self._before = before
            elif isinstance(message, Move | Draw) and self._before and self._before[0] == "deal":
                self._before = None  # what was dealt is being played
            return ""

    def step(self, now_ms: int) -> None:
        """Let the dealing hand do what is due."""
        with self._lock:
            for player, deal in list(self._deals.items()):
                if deal.is_due(self._pads[player].requests, now_ms):
                    self._deal_on(player, deal, now_ms)
                    self.changes += 1
            if self._secret:
                self._reveal()

    def _reveal(self) -> None:
        """Turn up what was laid in secret once both cards lie."""
        wants = self._wants()
        hidden = self._secret - ((wants.used or frozenset()) - wants.shown) if wants.in_secret else set[str]()
        self._face_down -= self._secret - hidden
        self._secret = hidden

    def _do(self, message: Message, now_ms: int) -> str:
        match message:
            case Move(card, to, face_down):
                return self._move_named(card, to, face_down)
            case Draw(to):
                return self._draw(to, now_ms)
            case Deal(count, players, over_pads):
                return self._deal(count, players, over_pads, now_ms)
            case Sweep():
                self._sweep()
            case Gather():
                self._gather()
            case TakeBack():
                return self._take_back()
            case LayPile(pad):
                self._lay_pile(pad)
            case TurnOver(pad):
                self._turn(pad)
            case _:
                raise TypeError(f"{message!r} moves no card: expected any message of messages.py but those of buttons")
        return ""

    def _covered(self) -> list[str]:
        """The cards that nobody can see, in the order in which they came where they lie."""
        if self._covers.side is None:
            return []
        down = [card for player in PLAYERS for card in self._cards[f"pad-{player}"] if card in self._face_down]
        return [*self._cards[f"hand-{self._covers.side}"], *down]

    def _seen(self) -> list[str]:
        """The cards in hands and on pads."""
        return [card for player in PLAYERS for where in ("hand", "pad") for card in self._cards[f"{where}-{player}"]]

    def _move_named(self, name: str, to: str, face_down: bool) -> str:
        card = self._covers.card_called(name)
        if card is None:
            return "That card no longer lies where it lay."
        where = self._place_of(card)
        if self._covers.side is not None and card == name and (where == PILE or card in self._covered()):
            return f"Card {card} lies face down: nobody sees where."
        place = int(to.removeprefix("row-")) if to in ROW_PLACES else None
        if place is not None:
            if self._covers.side is None:
                return "There is no row: two persons play."
            to = f"hand-{self._covers.side}"
        if where == PILE:
            return f"Card {card} is somewhere in the draw pile: draw the top card instead."
        if (card == TICKET) and to in (PILE, DISCARD, "hand-yay", "hand-wow"):
            return "The bus ticket is no card: it can lie on a pad or beside the table."
        if card != TICKET and to == ASIDE:
            return f"Only the bus ticket lies beside the table; card {card} belongs on it."
        if place is not None:
            self._covers.put(card, place)
        self._move(card, to)
        if to.startswith("pad-") and card != TICKET and self._wants().in_secret:
            self._face_down.add(card)
            self._secret.add(card)
        if face_down:
            self._face_down.add(card)
        return ""

    def _draw(self, to: str, now_ms: int) -> str:
        if not self._cards[PILE]:
            return "The draw pile is empty."
        if to in (PILE, ASIDE):
            return "A drawn card goes to a hand, a pad or the discard pile."
        wants, player = self._wants(), to.removeprefix("hand-")
        if to.startswith("hand-") and wants.reads and wants.deals.get(player):
            return self._deal(1, (player,), True, now_ms)  # on its way into the hand it has to be read
        self._draw_top(to)
        return ""

    def _deal(self, count: int, players: tuple[str, ...], over_pads: bool, now_ms: int) -> str:
        if any(player in self._deals for player in players):
            return "The cards are still being dealt."
        pile = len(self._cards[PILE])
        if count * len(players) > pile:
            return f"{count * len(players)} cards are needed and {pile} are in the draw pile: gather and shuffle first."
        if over_pads:
            self._deals |= {player: Dealing(count) for player in players}
            self.step(now_ms)
        else:
            for _ in range(count):
                for player in players:
                    self._draw_top(f"hand-{player}")
        return ""

    def _deal_on(self, player: str, deal: Dealing, now_ms: int) -> None:
        pad = f"pad-{player}"
        if deal.lying is not None:
            if deal.lying in self._cards[pad]:  # somebody may have taken it away meanwhile
                self._move(deal.lying, f"hand-{player}")
            deal.lying = None
            if deal.left == 0:
                del self._deals[player]
        elif not self._cards[PILE]:
            del self._deals[player]
        else:
            deal.lying = self._draw_top(pad)
            deal.left -= 1
        deal.has_moved(self._pads[player].requests, now_ms)

    def _draw_top(self, to: str) -> str:
        card = self._cards[PILE][-1]
        self._move(card, to)
        if to.startswith("pad-"):
            self._face_down.add(card)
        return card

    def _sweep(self) -> None:
        """What was played goes to the discard pile, the rest back to its hand; a card laid in secret stays."""
        wants = self._wants()
        for player in PLAYERS:
            for card in self.cards(f"pad-{player}"):
                counts_no_more = wants.used is None or card in wants.used
                if card not in wants.shown:
                    self._move(card, _home(card, DISCARD if counts_no_more else f"hand-{player}"))

    def _take_back(self) -> str:
        if self._before is None:
            return "There is nothing to take back: no deal, no sweep, no gathering."
        what, before = self._before
        self._before = None
        self.lay(taken_back(before, self.lying(), _BROUGHT_TO[what]))
        return ""

    def _gather(self) -> None:
        self._deals.clear()
        self._lay_pile(None)
        for place in PLACES:
            for card in self.cards(place):
                self._move(card, _home(card, PILE))
        self._random.shuffle(self._cards[PILE])

    def _lay_pile(self, pad: str | None) -> None:
        for card in self._cards[PILE]:
            if self._pile_on is not None and self._pile_on != pad:
                self._pads[self._pile_on].lift(self._tags[card])
            if pad is not None and self._pile_on != pad:
                self._pads[pad].put(self._tags[card])
        self._pile_on = pad

    def _turn(self, pad: str) -> None:
        """Turn the cards of a pad over, all to one side: face up if any of them lies face down."""
        cards = set(self._cards[f"pad-{pad}"])
        if cards & self._face_down:
            self._face_down -= cards
        else:
            self._face_down |= cards

    # ---- one card ---------------------------------------------------------------------------

    def _place_of(self, card: str) -> str:
        return next(place for place in PLACES if card in self._cards[place])

    def _field_of(self, place: str) -> str | None:
        """The pad in whose field a card of this place lies."""
        if place == PILE:
            return self._pile_on
        return place.removeprefix("pad-") if place.startswith("pad-") else None

    def _move(self, card: str, to: str) -> None:
        """Move a card; it goes on top, face up, out of the old pad's field and into the new one's."""
        where = self._place_of(card)
        self._cards[where].remove(card)
        self._cards[to].append(card)
        self._face_down.discard(card)
        self._secret.discard(card)
        for place in (where, to):
            if place.partition("-")[2]:
                self._owners[card] = place.partition("-")[2]
        if to == PILE:
            self._covers.forget(card)
        elif to == f"hand-{self._covers.side}":
            self._covers.came(card)
        elif where == f"hand-{self._covers.side}":
            self._covers.left(card)
            if to.startswith("pad-"):
                self._face_down.add(card)  # it is turned there, when the screen says so
        old, new = self._field_of(where), self._field_of(to)
        if old != new:
            if old is not None:
                self._pads[old].lift(self._tags[card])
            if new is not None:
                self._pads[new].put(self._tags[card])


_HANDS, _PADS = {"hand-yay", "hand-wow"}, {"pad-yay", "pad-wow"}
_BROUGHT_TO = {"deal": _HANDS | _PADS, "sweep": {DISCARD, ASIDE} | _HANDS, "gather": {PILE, ASIDE}}


def _home(card: str, place: str) -> str:
    """Where a card goes when it is tidied to `place`: the bus ticket always goes beside the table."""
    return ASIDE if card == TICKET else place

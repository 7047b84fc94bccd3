"""Two people: what they mean, and what their hands do. They see the table as it is shown, and nothing of the machine.

Their chances are a seed's own. What they lay down as a play is written into the ledger before, and has to come of it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from random import Random

from engine.cards import PLAYERS, Card, Player
from engine.events import Kind
from engine.game import Game
from engine.plays import is_attack, legal_answers, legal_attacks
from engine.round import Phase, Round, Swap
from firmware.table.menus import At, Item
from firmware.table.state import Stage, Table
from tests.soak.device import Device
from tests.soak.ledger import Broken, Leave, Ticket

LAID_MS = 1500  # within this time a card that was laid down properly has been judged
FULL_PAD = 4  # a pad is cleared before more cards lie on it
OK_MS, UNDO_MS = 400, 1200
UNSURE_MS = 30  # as exactly as hands are measured
SHOWN_MS = 6000
MOST_DISCARDS = 2


@dataclass(frozen=True)
class Piles:
    """How the cards are shuffled for each round: half of the deck for each player, in order."""

    seed: str
    deck: tuple[Card, ...]

    def of(self, player: Player, number: int) -> tuple[Card, ...]:
        cards = list(self.deck)
        Random(f"{self.seed} round {number}").shuffle(cards)
        return tuple(cards[player.seat :: 2])


class Lost(Exception):
    """What was begun did not come to its end, and a fault was in the way: look again, and go on."""


class People:
    """`act` does one thing, and leaves nothing behind that the next one has to know."""

    def __init__(self, at: Device, random: Random, piles: Piles) -> None:
        self.at, self.random, self.piles = at, random, piles
        self.count: Counter[str] = Counter()

    # ---- what they see ---------------------------------------------------------------------

    @property
    def table(self) -> Table:
        return self.at.loop.table

    @property
    def game(self) -> Game:
        return self.at.loop.table.game

    @property
    def round(self) -> Round:
        return self.at.loop.table.game.round

    @property
    def now_ms(self) -> int:
        return self.at.time.now_ms()

    def hand(self, player: Player) -> list[Card]:
        """The cards that this player holds."""
        state = self.round
        if not state.hidden:
            return sorted(state.hands[player.seat])
        drawn = state.replaced[player.seat] if state.swap[player.seat] is Swap.DONE else 0
        dealt = self.piles.of(player, self.game.number)[: state.hand_size + drawn]
        return sorted(set(dealt) - state.used)

    def note(self, line: str) -> None:
        self.at.box.ledger.note(self.now_ms, line)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    # ---- one thing at a time ---------------------------------------------------------------

    def act(self) -> None:
        """Look at the table and do what is to be done. Raises Broken."""
        if not self.at.quiet and self.chance(0.8):
            self.at.settle()
        table = self.table
        try:
            if table.stage is Stage.MAIN_MENU:
                self.begin()
            elif table.menu is not None:
                self.hold_both()
            elif table.stage is Stage.CLEAR:
                self.clear_both()
                self.press(self.random.choice(PLAYERS))
            elif unclear := [player for player in PLAYERS if table.pad(player).must_clear]:
                for player in unclear:
                    self.clear(player)
            elif table.stage is Stage.OVER:
                self.at.wait(500)  # not all of it is on the disk yet
            else:
                self.play()
        except Lost as lost:
            self.count["tried again"] += 1
            self.note(f"tried again: {lost}")
            self.at.wait(300)

    def begin(self) -> None:
        """The main menu: resume what is offered, else begin a game of the kind that is wanted."""
        menu = self.table.menu
        assert menu is not None
        if menu.page != At.MAIN:
            self.hold(self.random.choice(PLAYERS))  # back to the main menu
            return
        offer = self.table.offer is not None
        self.choose(Item.RESUME if offer else self.at.box.rules.mode)
        self.count["resumed" if offer else "begun"] += 1

    def choose(self, item: str) -> None:
        """Go to a line of the open menu with yay's button, and take it with wow's."""
        for _ in range(40):
            menu = self.table.menu
            if menu is None or item not in menu.items:
                raise Lost(f"the menu has no line {item!r}")
            if menu.items[menu.chosen] == item:
                self.press(Player.WOW)
                return
            self.press(Player.YAY)
        raise Broken(f"the menu never comes to {item!r}: {self.table.menu}")

    def play(self) -> None:
        """One whole play by somebody from whom one is awaited."""
        state = self.round
        match state.phase:
            case Phase.BOARD:
                self.press(self.random.choice(PLAYERS))
            case Phase.DEAL if state.hidden:
                self.press(self.random.choice(self.game.to_act))
            case Phase.DEAL:
                self.deal()
            case Phase.REPLACE:
                self.replace(self.random.choice(self.game.to_act))
            case Phase.DUEL | Phase.SHOWDOWN:
                self.each({player: self.random.choice(self.hand(player)) for player in self.game.to_act})
            case Phase.ATTACK:
                assert state.attacker is not None
                self.attack(state.attacker)
            case Phase.DEFEND:
                assert state.attacker is not None
                self.answer(state.attacker.other)

    def deal(self) -> None:
        """A card for each whose hand is not full; mostly at the same time."""
        self.each({player: self.from_pile(player) for player in self.game.to_act})

    def from_pile(self, player: Player) -> Card:
        """The uppermost card of the pile that is in nobody's hand, and was not played."""
        state = self.round
        gone = state.used | state.hands[0] | state.hands[1]
        both = [*self.piles.of(player, self.game.number), *self.piles.of(player.other, self.game.number)]
        return next(card for card in both if card not in gone)

    def each(self, cards: dict[Player, Card]) -> None:
        """One card of each, together or one after the other."""
        if len(set(cards.values())) == 2 and self.chance(0.7):
            self.lay({player: [card] for player, card in cards.items()})
            return
        player = self.random.choice(sorted(cards))
        self.lay({player: [cards[player]]})

    def replace(self, player: Player) -> None:
        state = self.round
        if state.swap[player.seat] is Swap.DRAWING:
            self.lay({player: [self.from_pile(player)]})
            return
        most = min(
            state.may_still_replace(player),
            MOST_DISCARDS - state.replaced[player.seat],
            len(self.piles.of(player, 1)) - state.hand_size,
        )
        count = self.random.randint(0, max(0, most))
        if count:
            self.lay_some(player, self.random.sample(self.hand(player), count))
        self.press(player)

    def attack(self, attacker: Player) -> None:
        """An attack, closed by its owner or by the other's answer; one that is unfinished is taken back."""
        state = self.round
        if not state.attack:
            attacks = list(legal_attacks(self.hand(attacker), state.count(attacker) - 1))
            self.lay_some(attacker, sorted(self.random.choice(attacks)))
            if self.chance(0.6):
                self.press(attacker)
        elif not is_attack([card.rank for card in state.attack]):
            if self.chance(0.5) and self.game.can_undo(attacker):
                self.hold(attacker)
            else:
                self.press(attacker)  # rejected: all of it is taken back
        elif self.chance(0.5):
            self.press(attacker)
        else:
            self.answer(attacker.other)

    def answer(self, defender: Player) -> None:
        state = self.round
        hand, ranks = self.hand(defender), [card.rank for card in state.attack]
        if state.answer:
            missing = len(ranks) - len(state.answer)
            cards = self.random.sample(hand, missing)
        elif state.hidden and self.chance(0.08):
            cards = self.random.sample(hand, len(ranks))  # who knows?
            self.count["an answer against the rules, perhaps"] += 1
        else:
            cards = sorted(self.random.choice(list(legal_answers(ranks, hand))))
        self.lay_some(defender, cards)

    # ---- cards -----------------------------------------------------------------------------

    def lay_some(self, player: Player, cards: list[Card]) -> None:
        """Several cards of one play: one by one, or all together."""
        if len(cards) <= FULL_PAD and self.chance(0.4):
            self.lay({player: cards})
            return
        for card in cards:
            self.lay({player: [card]})
            if self.table.stage is not Stage.ROUND:
                return

    def lay(self, plays: dict[Player, list[Card]], legal: bool = True) -> None:
        """Lay these cards down as plays, and see that they are taken.

        Raises Lost if they were not and a fault was in the way, Broken if there was none.

        `legal` False: they are to be judged all the same, but what comes of it is theirs.
        """
        for player, cards in plays.items():
            self.make_way(player, cards)
        since_ms, number = self.now_ms, self.game.number
        tickets: dict[Player, list[Ticket]] = {}
        ledger = self.at.box.ledger
        for player, cards in plays.items():
            self.note(f"{player} lays {' '.join(map(str, cards))}")
            self._take_off_at_once(player, cards)
            tickets[player] = [
                ledger.mean(Ticket(Kind.CARD, player, self.now_ms, "a play", card=card)) for card in cards
            ]
            self.at.put(player, *cards)
        all_ = [ticket for some in tickets.values() for ticket in some]
        taken = self.at.until(lambda: all(ticket.verdict for ticket in all_), LAID_MS)
        for player, cards in plays.items():
            self.leave_or_take(player, cards)
        self.count["plays"] += 1
        if self.game.number != number and not taken:
            return  # the other's card has ended the round: a late foul may
        for player, some in tickets.items():
            self._look_at(player, some, since_ms, legal, taken)

    def _take_off_at_once(self, player: Player, cards: list[Card]) -> None:
        """Now and then a played card is changed for another between two looks of the reader."""
        lying = [tag for tag in self.at.box.pads.lying[player] if self.at.box.uids.get(tag.uid) in self.round.used]
        if lying and len(cards) == 1 and self.chance(0.2):
            self.at.lift_tag(player, lying[-1])
            self.count["swapped between two polls"] += 1

    def _look_at(self, player: Player, tickets: list[Ticket], since_ms: int, legal: bool, taken: bool) -> None:
        """Raises Lost if a play was not taken and a fault was in the way, Broken if there was none."""
        disturbed = self.at.weather.disturbed(player, since_ms)
        if not taken and not all(ticket.verdict for ticket in tickets):
            cards = " ".join(str(ticket.card) for ticket in tickets)
            if not disturbed:
                raise Broken(
                    f"{player} laid {cards} at {since_ms} ms properly, and it was not taken: "
                    f"{self.table.told}, {self.table.pad(player)}"
                )
            self.clear(player)
            raise Lost(f"{cards} of {player} was not read")
        refused = [ticket for ticket in tickets if ticket.verdict and not ticket.verdict.accepted]
        if refused and legal and not disturbed:
            raise Broken(f"a play by the rules was refused: {refused[0]}, {refused[0].verdict}")

    def make_way(self, player: Player, cards: list[Card]) -> None:
        """So that what is laid down now counts: nothing of it lies anywhere, there is room, and no trick just ended."""
        at = self.at
        tags = [at.tags[card] for card in cards]
        for side in PLAYERS:
            for tag in tags:
                at.lift_tag(side, tag)
        lying = at.box.pads.lying[player]
        if len(lying) + len(cards) > FULL_PAD or any(tag.uid not in at.box.uids for tag in lying):
            self.clear(player)
        uids = {tag.uid for tag in tags}

        def free() -> bool:
            table = self.table
            lying = {tag.uid for pad in table.pads for tag in pad.lying} | {
                uid for side in PLAYERS for uid in at.parts.pads.cards(side)
            }
            pad = table.pad(player)
            return not (lying & uids or pad.group or pad.must_clear or self.now_ms < table.ignore_until_ms)

        at.until(free, 4000)
        if self.table.stage is not Stage.ROUND or self.table.menu is not None:
            raise Lost("it is no time for cards")
        if not free():
            if not any(at.weather.disturbed(side, self.now_ms - 4000) for side in PLAYERS):
                raise Broken(f"pad {player} is never free for {uids}: {self.table.pads}")
            self.clear(player)
            raise Lost(f"pad {player} does not get free")
        at.wait(150)  # what came off the pad is forgotten there

    def leave_or_take(self, player: Player, cards: list[Card]) -> None:
        if self.chance(0.6):
            self.at.lift(player, *cards)
        else:
            self.count["left lying"] += len(cards)

    def clear(self, player: Player) -> None:
        """Take everything off a pad, and wait until the table has seen it."""
        self.note(f"{player}'s pad is cleared")
        for tag in list(self.at.box.pads.lying[player]):
            self.at.lift_tag(player, tag)
        self.at.until(lambda: self.table.pad(player).empty and not self.table.pad(player).must_clear, 4000)

    def clear_both(self) -> None:
        for player in PLAYERS:
            self.clear(player)

    # ---- buttons ---------------------------------------------------------------------------

    def press(self, player: Player, hold_ms: int | None = None) -> list[Ticket]:
        """A finger on a button, with its bounce; what it means depends on how long it really was there."""
        random, at = self.random, self.at
        begin_ms = self.now_ms
        at.twins.desk.press(player, tuple(random.randint(1, 4) for _ in range(random.choice((0, 2, 4)))))
        at.wait(random.randint(40, 250) if hold_ms is None else hold_ms)
        tickets = self._meant_by(player, begin_ms, self.now_ms - begin_ms)
        at.twins.desk.release(player, tuple(random.randint(1, 4) for _ in range(random.choice((0, 2, 4)))))
        at.wait(80)
        for ticket in tickets:
            ticket.until_ms = self.now_ms + 100
        self.note(f"{player} pressed from {begin_ms} to {self.now_ms - 80} ms")
        return tickets

    def _meant_by(self, player: Player, since_ms: int, held_ms: int) -> list[Ticket]:
        """The tickets of a press that has lasted this long when the finger goes up (its bounce may add some ms)."""
        meant = []
        engine_hears = self.table.menu is None and self.table.stage is Stage.ROUND
        if engine_hears and held_ms <= OK_MS + UNSURE_MS:
            leave = Leave.MEANT if held_ms < OK_MS - UNSURE_MS else Leave.PERHAPS
            meant.append(Ticket(Kind.OK, player, since_ms, "a short press", leave))
        return [self.at.box.ledger.mean(ticket) for ticket in meant]

    def hold(self, player: Player) -> None:
        """Hold a button until it is an undo. (It is one while the finger is still on it.)"""
        ledger, at = self.at.box.ledger, self.at
        ticket = ledger.mean(Ticket(Kind.UNDO, player, self.now_ms + UNDO_MS - UNSURE_MS, "a long press"))
        self.note(f"{player} holds the button")
        at.twins.desk.press(player, (2, 3))
        at.wait(UNDO_MS + self.random.randint(100, 600))
        at.twins.desk.release(player, (3, 1))
        at.wait(80)
        ticket.until_ms = self.now_ms
        self.count["undo"] += 1

    def hold_both(self, ms: int = 2300) -> None:
        """Both buttons: the menu comes, or goes. It is no ok, and no undo."""
        first = self.random.choice(PLAYERS)
        at = self.at
        self.note("both buttons are held")
        at.twins.desk.press(first, (3, 2))
        at.wait(self.random.randint(10, 150))
        at.twins.desk.press(first.other, (1, 2))
        at.wait(ms)
        at.twins.desk.release(first, (2, 2))
        at.wait(self.random.randint(1, 100))
        at.twins.desk.release(first.other)
        at.wait(80)

"""Evenings of one person, mostly a child, alone against the table: seeds from SOLO_FROM on.

The person does what the screen says, with a row of cards whose faces nobody knows; what lies in which place outlasts
every power cut, and has to be what the table believes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from engine.cards import PLAYERS, Card, Player
from engine.events import Event, Kind
from engine.plays import legal_answers, legal_attacks
from engine.round import Phase, Swap
from engine.rules import Mode, Rules
from firmware.bots.hosted import Process
from firmware.run.loop import Request
from firmware.run.playing import OfGame, Playing
from firmware.table.effects import Think
from firmware.table.menus import At, Item
from firmware.table.solo import question_of
from firmware.table.state import Decision, Opponent, Stage
from firmware.views.page import Page
from firmware.views.pages import page_of
from firmware.words import words
from hardware.twins.virtual_time import VirtualTime
from tests.soak.device import Box, Device
from tests.soak.evening import Evening, rules_of
from tests.soak.ledger import Broken, Leave, Ticket
from tests.soak.mischief import Mischief
from tests.soak.people import Lost, Piles
from tests.support.bot_host import Clock, PretendedProcess, playing
from tests.support.solo_evening import World, places_in

SOLO_FROM = 1_000_000  # the first seed of an evening alone
ENGLISH = words("en")
READ_MS = 1500  # within this time a card that was laid down is answered
TRIES = 4  # then a card that nobody answers goes back to the pile


class SoloClock(Clock):
    """The evening's own time."""

    def __init__(self, time: VirtualTime) -> None:
        self._time = time

    @property
    def ms(self) -> int:  # type: ignore[override]
        return self._time.now_ms()

    def __call__(self) -> int:
        return self.ms


class SoloDevice(Device):
    """A device whose table plays; whoever decides for it is told and asked as in a session."""

    def __init__(self, box: Box, held: frozenset[str] = frozenset()) -> None:
        clock = SoloClock(box.time)

        def start(command: Sequence[str]) -> Process:
            return PretendedProcess(playing(command[-1]), clock)

        self.playing = Playing(box.folder, None, clock, lambda: None, start)
        super().__init__(box, held)

    def _perform(self, request: Request) -> None:
        if isinstance(request, OfGame):
            self.playing.do(request, self._offered)
        if not isinstance(request, Think):
            super()._perform(request)

    def decisions(self, now_ms: int) -> list[Decision]:
        found = self.playing.decided(now_ms)
        return [] if found is None else [found]


class Alone(Mischief):
    """One person, by what the screen says. `world`: what is true of the cards."""

    def __init__(self, at: Device, random: Random, piles: Piles, side: Player, world: World) -> None:
        super().__init__(at, random, piles)
        self.side, self.world = side, world
        self.well_ms = self.now_ms  # when the row was last as the table believes
        self._tries = 0

    @property
    def opponent(self) -> Opponent:
        assert self.table.opponent is not None
        return self.table.opponent

    @property
    def page(self) -> Page:
        return page_of(self.table, self.now_ms, ENGLISH)

    # ---- one thing at a time ---------------------------------------------------------------

    def begin(self) -> None:
        menu = self.table.menu
        assert menu is not None
        if menu.page != At.MAIN:
            self.hold(self.random.choice(PLAYERS))
        elif self.table.offer is not None:
            self.choose(Item.RESUME)
            self.count["resumed"] += 1
        else:
            level = self.random.choice(("gentle", "good"))
            for item in (Item.SOLO, level, f"{self.side} {level}"):
                self.choose(item)
            self.count["begun"] += 1

    def act(self) -> None:
        opponent = self.table.opponent
        if opponent is not None and opponent.ok_waits:
            self.at.box.ledger.mean(Ticket(Kind.OK, self.side, self.now_ms, "an ok that waits", Leave.PERHAPS))
        if self.table.stage is Stage.CLEAR and self.table.menu is None:
            self.gather()
        super().act()

    def gather(self) -> None:
        """Between rounds all cards are taken together and shuffled."""
        cards = list(self.at.box.rules.deck.cards)
        self.random.shuffle(cards)
        world = self.world
        world.pile, world.row, world.open_, world.astray, world.mixed = cards, {}, [], None, False

    def deeds(self) -> list[Callable[[], None]]:
        table = self.table
        deeds = [self.slide, self.long_press, self.both_for_a_moment, self.phone, self.stray_tag]
        if table.menu is not None:
            return deeds
        if table.stage is Stage.CLEAR:
            return [*deeds, self.menu]
        if table.stage is not Stage.ROUND:
            return deeds
        deeds += [self.menu, self.lost_edges, self.rest, self.left_in_a_read, self.press_the_tables_button]
        if self.world.astray is None and not self.opponent.is_learning and not self.world.mixed:
            deeds += [self.wrong_place, self.push_together, self.own_on_the_tables_pad, self.two_at_once]
            deeds += [self.take_back, self.round_again]
        return deeds

    def play(self) -> None:
        world, opponent = self.world, self.opponent
        if world.gone:
            self.deal_again()
        elif world.astray is not None:
            self.put_again()
        elif world.mixed:
            self.open_menu()
            if self.table.menu is not None and Item.ROW_MIXED in self.table.menu.items:
                self.choose(Item.ROW_MIXED)
            else:
                self.hold_both()
            world.mixed = self.table.opponent is None or not self.table.opponent.is_learning
        elif opponent.is_learning:
            self.pass_the_row()
        elif self.row_is_well():
            self.next_thing()

    def next_thing(self) -> None:
        what, state = self.page.what, self.round
        if what.startswith(("Lay ", "Place ")):
            place = self.random.choice(places_in(what))
            self.put_card(self.side.other, self.world.row.pop(place))
        elif what.startswith("Draw for "):
            self.put_card(self.side.other, self.drawn())
        elif state.phase is Phase.DEAL:
            self.put_card(self.random.choice(self.game.to_act), self.drawn())
        elif state.swap[self.side.seat] is Swap.DRAWING:
            self.put_card(self.side, self.drawn())
        elif question_of(self.game, self.side) is None:
            self.at.wait(self.random.choice((100, 500)))
        else:
            self.decide()

    def drawn(self) -> Card:
        if not self.world.pile:
            raise Lost("the pile is empty")
        return self.world.pile.pop()

    def decide(self) -> None:
        state, random = self.round, self.random
        hand = sorted(state.hands[self.side.seat])
        if not hand:
            self.press(self.side)
            return
        match state.phase:
            case Phase.REPLACE if state.may_still_replace(self.side) and not state.replaced[self.side.seat]:
                self.put_card(self.side, random.choice(hand)) if random.random() < 0.5 else self.press(self.side)
            case Phase.REPLACE:
                self.press(self.side)
            case Phase.ATTACK:
                begun = frozenset(state.attack)
                attacks = [a for a in legal_attacks({*hand, *begun}, len(hand) + len(begun) - 1) if begun <= a]
                rest = sorted(random.choice(attacks) - begun) if attacks else []
                if not attacks:
                    self.take_back()
                elif rest:
                    self.put_card(self.side, rest[0])
                else:
                    self.press(self.side)
            case Phase.DEFEND:
                given = frozenset(state.answer)
                ranks = [card.rank for card in state.attack]
                answers = [a for a in legal_answers(ranks, {*hand, *given}) if given < a]
                self.put_card(self.side, min(random.choice(answers) - given)) if answers else self.take_back()
            case _:
                self.put_card(self.side, random.choice(hand))

    # ---- cards -----------------------------------------------------------------------------

    def put_card(self, player: Player, card: Card) -> None:
        self.world.astray, self._tries = (player, card), 0
        self.put_again()

    def put_again(self) -> None:
        """Lay a card down, read what the screen says, take it off, and do so. Unread, it stays in the hand."""
        assert self.world.astray is not None
        player, card = self.world.astray
        self._tries += 1
        self.make_way(player, [card])
        ledger, laid_ms = self.at.box.ledger, self.now_ms
        ticket = ledger.mean(Ticket(Kind.CARD, player, self.now_ms, "laid", Leave.PERHAPS, card=card))
        self.note(f"{player} lays {card}")
        self.at.put(player, card)
        self.at.until(lambda: ticket.verdict or self._told_since(laid_ms), READ_MS)
        note = self.page.note if self._told_since(laid_ms) else ""
        self.at.lift(player, card)
        self.at.wait(300)
        self.count["plays"] += 1
        self._placed(player, card, note, ticket)

    def _told_since(self, ms: int) -> bool:
        """Whether the screen says something new. (What it said of the card before may stand there still.)"""
        return self.table.told is not None and self.table.told.at_ms >= ms

    def _placed(self, player: Player, card: Card, note: str, ticket: Ticket) -> None:
        world, tables = self.world, player is self.side.other
        counted = ticket.verdict is not None and ticket.verdict.accepted
        found = re.search(r"place (\d+)", note)
        if found and (tables or note.startswith("Not this")):
            self._into_row(int(found[1]), card)
        elif counted or card in self.round.used | self.round.hands[player.seat]:
            if tables and card not in self.round.hands[player.seat] and card not in world.open_:
                world.open_.append(card)
            elif tables and card in self.round.hands[player.seat]:
                self.count["a place that was not read in time"] += 1
                return  # put down again: the screen says it once more
        elif self._tries >= TRIES:
            if card in self.round.hands[self.side.seat]:
                pass  # it is the person's own
            else:
                world.pile.insert(0, card)
        else:
            return
        world.astray = None

    def _into_row(self, place: int, card: Card) -> None:
        row = self.world.row
        if row.get(place, card) != card:
            raise Broken(f"place {place} is to get {card}, and has {row[place]}: {self.page}")
        for other in [other for other, there in row.items() if there == card]:
            del row[other]
        row[place] = card
        self.world.open_ = [other for other in self.world.open_ if other != card]

    def pass_the_row(self) -> None:
        """Over the pad from the left, with nothing else on it. A held button is the way to begin again, where one was
        not read. Where the screen wants more, the row was laid out too soon: cards that lie open are passed too."""
        self.clear(self.side.other)
        self.hold(self.side)
        row = [card for _, card in sorted(self.world.row.items())]
        learned: list[Card] = []
        for card in [*row, *reversed(self.world.open_)]:
            if not self.opponent.is_learning:
                break
            self.make_way(self.side.other, [card])
            self.at.put(self.side.other, card)
            if self.at.until(lambda: self._learned() > len(learned), READ_MS):
                learned.append(card)
            self.at.lift(self.side.other, card)
            self.at.wait(300)
            if card in row and card not in learned:
                raise Lost(f"{card} of the row was not read")
        self.world.row = dict(enumerate(learned, 1))
        self.world.open_ = [card for card in self.world.open_ if card not in learned]

    def _learned(self) -> int:
        learning = self.opponent.learning
        return 99 if learning is None else len(learning)

    def row_is_well(self) -> bool:
        """Whether the cards are where the table believes. Raises Broken if they are not, and nothing excuses it."""
        opponent, world = self.opponent, self.world
        held = self.round.hands[opponent.side.seat]
        believed = {place: card for card, place in opponent.places if card in held}
        if believed == world.row:
            self.well_ms = self.now_ms
            return True
        self.note(f"the row is {world.row}, the table believes {believed}")
        missing = {place: card for place, card in believed.items() if world.row.get(place) != card}
        extra = {place: card for place, card in world.row.items() if believed.get(place) != card}
        if not extra and all(card in world.open_ for card in missing.values()):
            self.count["a card of the table's put down again, for its place"] += 1
            self.put_card(self.side.other, world.open_.pop())  # it was taken back; where does it belong?
            return False
        if any(self.at.weather.disturbed(player, self.well_ms) for player in PLAYERS):
            self.count["a round again, because cards went astray"] += 1
            self.void()
            return False
        raise Broken(f"the row is {world.row}, but the table believes {believed}: {self.page}")

    # ---- a child's hands -------------------------------------------------------------------

    def wrong_place(self) -> None:
        """A card of the row that is not meant, on either pad."""
        if not self.world.row or self.game.phase in (Phase.DEAL, Phase.REPLACE):
            raise Lost("none can be wrong now")
        place, card = self.random.choice(sorted(self.world.row.items()))
        if place in self.opponent.places_left:
            raise Lost("it is the right one")
        del self.world.row[place]
        self.put_card(self.random.choice(PLAYERS), card)

    def push_together(self) -> None:
        """The row is pushed together, or falls: the places are mixed up, which the person says in the menu."""
        if len(self.world.row) < 2:
            raise Lost("there is no row")
        cards = list(self.world.row.values())
        self.random.shuffle(cards)
        self.world.row, self.world.mixed = dict(enumerate(cards, 1)), True

    def own_on_the_tables_pad(self) -> None:
        hand = sorted(self.round.hands[self.side.seat])
        if not hand or self.game.phase is Phase.DEAL or self.round.swap[self.side.other.seat] is Swap.DRAWING:
            raise Lost("there is no card")
        card = self.random.choice(hand)
        self.make_way(self.side.other, [card])
        self.at.put(self.side.other, card)
        self.at.wait(900)
        self.at.lift(self.side.other, card)
        self.at.wait(300)

    def two_at_once(self) -> None:
        """Two cards of the row on the table's pad that are not meant: each goes back to its place."""
        row = [entry for entry in sorted(self.world.row.items()) if entry[0] not in self.opponent.places_left]
        if len(row) < 2 or self.game.phase in (Phase.DEAL, Phase.REPLACE):
            raise Lost("there are not two")
        sample = self.random.sample(row, 2)
        cards = [card for _, card in sample]
        self.make_way(self.side.other, cards)
        ledger, why = self.at.box.ledger, "of two at once the one that was meant while they lay"
        tickets = [
            ledger.mean(Ticket(Kind.CARD, self.side.other, self.now_ms, why, Leave.PERHAPS, card=card))
            for card in cards
        ]
        self.at.put(self.side.other, *cards)
        self.at.wait(900)
        self.at.lift(self.side.other, *cards)
        self.at.wait(300)
        for ticket, (place, card) in zip(tickets, sample, strict=True):
            ticket.until_ms = self.now_ms
            if ticket.verdict is not None and ticket.verdict.accepted:
                self.count["two at once, of which one became the right one"] += 1
                del self.world.row[place]
                self.world.open_.append(card)

    def press_the_tables_button(self) -> None:
        self.press(self.side.other)

    def take_back(self) -> None:
        """Own plays, and before them what the table has done since: its cards go back to where the screen says."""
        if not any(self.round.counts):
            raise Lost("the round before is not undone: its cards are shuffled")
        self.hold(self.side)
        self._take_back()

    def take_back_the_end(self) -> None:
        self.hold(self.side)
        self._take_back()

    def _take_back(self) -> None:
        note = self.page.note
        if not note.startswith("Back to place"):
            return
        missing = [place for place in places_in(note) if place not in self.world.row]
        if len(missing) == 1 and self.world.open_:
            self.world.row[missing[0]] = self.world.open_.pop()

    def round_again(self) -> None:
        self.void()

    def deal_again(self) -> None:
        """What was played while the disk was full is gone, as the screen had said: the cards are gathered."""
        self.count["a round again, for it was not kept"] += 1
        if any(self.round.counts) or self.round.used:
            self.void()
        self.clear_both()
        self.gather()
        self.world.gone = False

    def void(self) -> None:
        self.open_menu()
        self.choose(Item.ROUND_AGAIN)
        ticket = self.at.box.ledger.mean(Ticket(Kind.VOID, None, self.now_ms, "the person alone gives it up"))
        self.press(self.side)
        ticket.until_ms = self.now_ms + 100


class SoloEvening(Evening):
    """One evening alone, by its seed."""

    def __init__(self, seed: int, folder: Path, real_pico: bool = False) -> None:
        super().__init__(seed, folder, real_pico)
        self.side = Random(f"side {seed}").choice(PLAYERS)
        self.world, allowed = World(), self.box.allowed
        self._at: SoloDevice | None = None

        def allow(event: Event, now_ms: int) -> bool:
            """The table presses its own ok, and takes back its own plays before the person's."""
            return allowed(event, now_ms) or (event.player is self.side.other and event.kind in (Kind.OK, Kind.UNDO))

        self.box.ledger.allowed = allow

    @staticmethod
    def rules_of(random: Random) -> Rules:
        rules = rules_of(random)
        return Rules(Mode.PLAY, rules.deck, rules.board, rules.tie, rules.late_foul)

    def device(self, held: frozenset[str]) -> Device:
        self._at = SoloDevice(self.box, held)
        return self._at

    def _check_disk(self) -> None:
        shown = len(self.box.events)
        super()._check_disk()
        if self._at is not None and self._at.keeper.unkept and len(self.box.events) < shown:
            self.world.gone = True

    def people(self, at: Device) -> Mischief:
        return Alone(at, self.random, Piles(f"piles {self.seed}", self.box.rules.deck.cards), self.side, self.world)

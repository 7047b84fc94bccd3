"""What hands and children do besides playing well: nothing of it may become an event that nobody meant."""

from __future__ import annotations

from collections.abc import Callable

from engine.cards import PLAYERS, Card, Player
from engine.events import Kind
from engine.round import Phase, Swap
from firmware.table.menus import Item, unseen
from firmware.table.state import Stage
from hardware.pads import PAUSE_MS
from hardware.presses import BOUNCE_MS
from hardware.twins.tags import Tag
from tests.soak.buttons import Buttons
from tests.soak.ledger import Broken, Leave, Ticket
from tests.soak.people import FULL_PAD, Lost

TOLD_APART = 5  # cards on one pad
SLIDE_MS = 80  # on a pad, for a card on its way
SEEN_MS = 900  # within this time everything on a pad that works has been seen, and its group judged


class Mischief(Buttons):
    """`act` plays as people do, and now and then does one of the things below, if it is the time for it."""

    share = 0.3  # of all that is done

    def act(self) -> None:
        if not self.chance(self.share):
            super().act()
            return
        deed = self.random.choice(self.deeds())
        if not self.at.quiet and self.chance(0.5):
            self.at.settle()
        self.note(f"mischief: {deed.__name__}")
        try:
            deed()
            self.count[f"mischief: {deed.__name__.replace('_', ' ')}"] += 1
        except Lost as lost:
            self.count["tried again"] += 1
            self.note(f"not to its end: {lost}")

    def deeds(self) -> list[Callable[[], None]]:
        """What can be done just now."""
        table = self.table
        deeds = [self.slide, self.slide, self.long_press, self.both_for_a_moment, self.phone, self.stray_tag]
        if table.menu is not None:
            return [*deeds, self.card_in_a_menu]
        if table.stage is Stage.CLEAR:
            return [*deeds, self.card_before_the_ok, self.ok_on_full_pads, self.tidy_up, self.press_anything, self.menu]
        if table.stage is not Stage.ROUND:
            return deeds
        deeds += [self.press_anything, self.undo, self.menu, self.lost_edges, self.rest]
        if table.game.phase is not Phase.BOARD:
            deeds += [self.pile, self.wobble, self.sweep_played, self.left_in_a_read, self.wrong_pad, self.round_again]
            deeds += [self.name_a_tag] + 3 * [self.one_too_many] + 2 * [self.against_the_rules]
            if self.at_once():
                deeds += 10 * [self.slide]
            if self.now_ms < table.ignore_until_ms - 200:
                deeds += 10 * [self.too_soon]
        return deeds

    def at_once(self) -> list[Player]:
        """Those whose next card counts at once, without waiting for its group: in an attack, or discarding."""
        state = self.round
        if state.phase is Phase.ATTACK:
            return [player for player in PLAYERS if player is state.attacker and state.wanted(player) > 1]
        return [
            player
            for player in PLAYERS
            if state.phase is Phase.REPLACE and state.swap[player.seat] is Swap.DISCARDING and state.wanted(player) > 1
        ]

    # ---- cards that nobody plays -------------------------------------------------------------

    def loose(self) -> list[Card]:
        """The cards that lie on no pad."""
        lying = {tag for player in PLAYERS for tag in self.at.box.pads.lying[player]}
        return [card for card, tag in sorted(self.at.tags.items()) if tag not in lying]

    def at_risk(self, player: Player, cards: list[Card], why: str, leave: Leave = Leave.PERHAPS) -> None:
        """These cards count for nothing; only where the pad was disturbed they may be taken for plays, one by one."""
        since_ms = self.now_ms
        for card in cards:
            self.at.box.ledger.mean(
                Ticket(
                    Kind.CARD,
                    player,
                    since_ms,
                    why,
                    leave,
                    card=card,
                    when=lambda: self.at.weather.disturbed(player, since_ms),
                )
            )

    def slide(self) -> None:
        """A card passes over a pad; mostly where it would count at once, if it counted."""
        player, cards = self.random.choice(PLAYERS), self.loose()
        if self.table.stage is Stage.ROUND and (at_once := self.at_once()):
            player = self.random.choice(at_once)
            cards = [card for card in self.hand(player) if card in cards] or cards
        card = self.random.choice(cards)
        self.at.time.advance_ms(self.random.randint(0, 30))
        self.pass_over(player, self.at.tags[card])
        self.at.wait(300)

    def pass_over(self, player: Player, tag: Tag) -> None:
        """80 ms on a pad that is polled as often as on the device."""
        self.at.poll_ms, before = PAUSE_MS, self.at.poll_ms
        try:
            self.at.put_tag(player, tag)
            self.at.wait(SLIDE_MS - PAUSE_MS)
            self.at.lift_tag(player, tag)
        finally:
            self.at.poll_ms = before

    def pile(self) -> None:
        """The draw pile, or the deck while it is cut, on a pad: more than can be told apart."""
        player = self.random.choice(PLAYERS)
        cards = self.random.sample(self.loose(), self.random.randint(TOLD_APART + 1, TOLD_APART + 3))
        self.at_risk(player, cards, "in a pile", Leave.HEAP)
        self.at.put(player, *cards)
        self.at.wait(self.random.randint(300, 1200))
        self.clear(player)
        self.at.wait(400)

    def wobble(self) -> None:
        """A card that was played comes and goes on its pile."""
        played = [(player, card) for player in PLAYERS for card in self.played_on(player)]
        if not played:
            raise Lost("nothing played lies there")
        player, card = self.random.choice(played)
        for _ in range(3):
            self.at.lift(player, card)
            self.at.wait(self.random.randint(50, 400))
            self.at.put(player, card)
            self.at.wait(self.random.randint(50, 400))

    def played_on(self, player: Player) -> list[Card]:
        """The cards on this pad that were played in this round."""
        uids = self.at.box.uids
        cards = [uids.get(tag.uid) for tag in self.at.box.pads.lying[player]]
        return [card for card in cards if card in self.round.used]

    def sweep_played(self) -> None:
        """Played cards are swept together, over either pad; others only pass over it."""
        self._sweep(lambda card: self.random.randint(40, 600) if card in self.round.used else None)

    def tidy_up(self) -> None:
        """Between rounds everything is swept over the pads, slowly or not."""
        self._sweep(lambda card: self.random.randint(40, 600))

    def _sweep(self, rest_ms: Callable[[Card | None], int | None]) -> None:
        """`rest_ms`: how long this card rests on the other pad; None: it only passes over it."""
        for player in PLAYERS:
            for tag in list(self.at.box.pads.lying[player]):
                self.at.lift_tag(player, tag)
                ms = rest_ms(self.at.box.uids.get(tag.uid))
                if ms is None:
                    self.pass_over(player.other, tag)
                else:
                    self.at.put_tag(player.other, tag)
                    self.at.wait(ms)
                    self.at.lift_tag(player.other, tag)
                self.at.wait(300)

    def left_in_a_read(self) -> None:
        """A card passes over a pad, and leaves in the middle of a read."""
        player, card = self.random.choice(PLAYERS), self.random.choice(self.loose())
        chip, tag = self.at.twins.pads[player], self.at.tags[card]
        if chip.before_transfer is not None:
            return
        last = chip.transfers + self.random.randint(1, 40)

        def leave(transfer: int) -> None:
            if transfer >= last:
                chip.lift(tag)

        self.at.put(player, card)
        chip.before_transfer = leave
        self.at.wait(1)
        chip.before_transfer = None
        self.at.lift(player, card)
        self.at.wait(300)

    def too_soon(self) -> None:
        """A card comes right after a trick."""
        player = self.random.choice(PLAYERS)
        card = self.random.choice(self.loose())
        if self.at.box.pads.lying[player]:
            return
        self.at_risk(player, [card], "too soon after a trick")
        self.at.put(player, card)
        self.at.wait(SEEN_MS)
        self.clear(player)

    def card_before_the_ok(self) -> None:
        """Between rounds, a card comes down at the very moment at which somebody presses the button."""
        self.clear_both()
        player, card = self.random.choice(PLAYERS), self.random.choice(self.loose())
        uid, seen_ms = self.at.tags[card].uid, self.at.box.pads.seen_ms
        ticket = Ticket(Kind.CARD, player, self.now_ms, "before the ok between rounds", Leave.PERHAPS, card=card)
        presser, desk = self.random.choice(PLAYERS), self.at.twins.desk
        desk.press(presser, (2, 1))
        self.at.wait(self.random.randint(1, 100))
        self.at.put(player, card)
        self.at.wait(self.random.randint(1, 60))
        desk.release(presser, (1, 2))
        ok_ms = self.now_ms + BOUNCE_MS
        # its field can have been off just then: a card that is first seen after the ok is a play
        ticket.when = lambda: seen_ms[player, uid] >= ok_ms
        self.at.box.ledger.mean(ticket)
        self.at.wait(SEEN_MS)
        self.clear(player)

    def ok_on_full_pads(self) -> None:
        """Between rounds, ok while cards lie there: they are told to clear the pads first."""
        player = self.random.choice(PLAYERS)
        self.clear(player)
        cards = self.random.sample(self.loose(), self.random.randint(1, 7))
        self.at_risk(player, cards, "between rounds", Leave.HEAP)
        since_ms = self.now_ms
        self.at.put(player, *cards)
        self.at.wait(SEEN_MS)
        self.press(self.random.choice(PLAYERS))
        if self.table.stage is Stage.ROUND and not self.at.weather.disturbed(player, since_ms):
            raise Broken(f"a round began although {cards} lay on the pad of {player}")
        self.clear(player)

    def card_in_a_menu(self) -> None:
        """A card comes and goes while a menu is open."""
        player, card = self.random.choice(PLAYERS), self.random.choice(self.loose())
        self.at.put(player, card)
        self.at.wait(SEEN_MS)
        self.at.lift(player, card)
        self.at.wait(400)

    # ---- tags that are no cards ----------------------------------------------------------------

    def stray_tag(self) -> None:
        """A tag that is no card: it is told by its UID, once."""
        self._show_tag(Tag(self.new_uid()), self.random.choice(PLAYERS))

    def new_uid(self) -> bytes:
        size = self.random.choice((4, 7, 10))
        return bytes((0x0B if size == 4 else 0x04, 0xEE, *self.random.randbytes(size - 2)))

    def _show_tag(self, tag: Tag, player: Player) -> None:
        if self.at.box.pads.lying[player]:
            self.clear(player)
        ticket = self.at.box.ledger.mean(
            Ticket(Kind.TAG, player, self.now_ms, "a stray tag", Leave.PERHAPS, uid=tag.uid)
        )
        self.at.put_tag(player, tag)
        self.at.wait(self.random.randint(200, SEEN_MS))
        self.at.lift_tag(player, tag)
        ticket.until_ms = self.now_ms + 100
        self.at.wait(400)

    def phone(self) -> None:
        """A phone has another UID each time that it is read, and is never a card."""
        player, random = self.random.choice(PLAYERS), self.random
        uids: set[bytes] = set()

        def another() -> bytes:
            uid = b"\x08" + random.randbytes(3)
            uids.add(uid)
            return uid

        tag = Tag(another(), new_uid=another)
        self.at.box.pads.phones[tag] = uids
        self.at.put_tag(player, tag)
        self.at.wait(random.randint(200, 1500))
        self.at.lift_tag(player, tag)
        self.at.wait(400)

    # ---- plays that are none ---------------------------------------------------------------------

    def one_too_many(self) -> None:
        """More cards at once than are wanted: none of them counts, or what counted is taken back."""
        player = self.random.choice(self.game.to_act)
        state = self.round
        one_by_one = state.phase is Phase.DEAL or state.swap[player.seat] is Swap.DRAWING
        wanted = min(1, state.wanted(player)) if one_by_one else state.wanted(player)
        gone = state.used | state.hands[0] | state.hands[1]
        cards = [card for card in self.loose() if card not in gone] if one_by_one else self.hand(player)
        if not 0 < wanted < min(len(cards), TOLD_APART):
            raise Lost("there are not enough cards")
        cards = self.random.sample(cards, wanted + 1)
        self.clear(player)
        self.make_way(player, cards)
        before, since_ms = self.game, self.now_ms
        if player in self.at_once():
            for card in cards:
                self.at.box.ledger.mean(Ticket(Kind.CARD, player, since_ms, "one too many", Leave.HEAP, card=card))
        else:
            self.at_risk(player, cards, "one too many")
        self.at.put(player, *cards)
        self.at.wait(SEEN_MS)
        well = not self.at.weather.disturbed(player, since_ms) and self.game.number == before.number
        if well and state.claims == ((), ()) and self.game != before:
            raise Broken(f"{len(cards)} cards at once where {wanted} were wanted have changed the game")
        self.clear(player)
        self.at.wait(300)

    def wrong_pad(self) -> None:
        """A card of one player on the pad of the other."""
        player = self.random.choice(PLAYERS)
        hand = self.hand(player.other)
        if not hand or (self.round.hidden and self.game.phase is Phase.DEAL):
            raise Lost("there is no card")
        self.lay({player: [self.random.choice(hand)]}, legal=False)
        if self.game.can_undo(player) and self.chance(0.7):
            self.hold(player)

    def against_the_rules(self) -> None:
        """Any cards of the own hand, by anybody, and perhaps an ok."""
        player = self.random.choice(PLAYERS)
        hand = self.hand(player)
        drawing = self.round.swap[player.seat] is Swap.DRAWING  # then the own cards are no news
        if not hand or drawing or self.game.phase is Phase.DEAL:
            raise Lost("nothing can be wrong now")
        most = min(len(hand), FULL_PAD, max(1, self.round.wanted(player)))
        cards = self.random.sample(hand, self.random.randint(1, most))
        for card in cards:
            self.lay({player: [card]}, legal=False)
        if self.chance(0.6):
            self.press(player)

    def name_a_tag(self) -> None:
        """A tag has died: another one takes its place, by the buttons."""
        left = unseen(self.table)
        alone = [card for card in left if sum(other.rank == card.rank for other in left) == 1]
        if not alone:
            raise Lost("no rank has but one card left")
        card = self.random.choice(alone)
        for side in PLAYERS:
            self.at.lift(side, card)
        uid = self.new_uid()
        self._show_tag(Tag(uid), self.random.choice(PLAYERS))
        if self.table.unknown_tag != uid:
            raise Lost("the tag was not read")
        self.open_menu()
        self.choose(Item.NAME_TAG)
        self.choose(str(card.rank))
        if self.at.box.uids.get(uid) != card and self.table.menu is None:
            raise Broken(f"the tag {uid.hex()} was to be {card}, and is {self.at.box.uids.get(uid)}")

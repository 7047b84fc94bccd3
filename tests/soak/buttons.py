"""What fingers do besides meaning it: presses at any time, of any length, and tours of the menus."""

from __future__ import annotations

from engine.cards import PLAYERS
from engine.events import Kind
from engine.round import Phase
from firmware.table.menus import At, Item
from tests.soak.ledger import Leave, Ticket
from tests.soak.people import Lost, People

DIMMED_MS = 610_000  # by then the screen is dim, and its page moves about


class Buttons(People):
    """Each method is one deed; nothing of it may become an event but what was pressed."""

    # ---- buttons ---------------------------------------------------------------------------------

    def press_anything(self) -> None:
        self.press(self.random.choice(PLAYERS))

    def long_press(self) -> None:
        """Too long for an ok, too short for an undo: a bar, and nothing."""
        self.press(self.random.choice(PLAYERS), hold_ms=self.random.randint(450, 1050))

    def undo(self) -> None:
        self.hold(self.random.choice(PLAYERS))

    def both_for_a_moment(self) -> None:
        """Both buttons, but not long enough for the menu."""
        self.hold_both(self.random.randint(500, 1700))

    def lost_edges(self) -> None:
        """A press whose edges get lost: only its level is seen."""
        player, desk = self.random.choice(PLAYERS), self.at.twins.desk
        desk.lose_edges(player)
        for ticket in self.press(player, hold_ms=self.random.randint(50, 250)):
            ticket.leave = Leave.PERHAPS
        desk.lose_edges(player, False)

    def rest(self) -> None:
        """Nobody does anything for a while."""
        self.at.poll_ms, before = 250, self.at.poll_ms
        try:
            self.at.wait(self.random.choice((5_000, 5_000, 20_000, 20_000, DIMMED_MS)))
        finally:
            self.at.poll_ms = before

    def take_back_the_end(self) -> None:
        """A won game is taken back by whoever laid the last card."""
        player = self.game.undoable_by
        if player is not None:
            self.hold(player)

    # ---- the game menu -----------------------------------------------------------------------------

    def open_menu(self) -> None:
        self.hold_both()
        if self.table.menu is None or self.table.menu.page != At.GAME:
            raise Lost("no menu came")

    def menu(self) -> None:
        """The menu is opened, looked at, and left in one way or another."""
        self.open_menu()
        match self.random.randrange(5):
            case 0:
                self.choose(Item.GO_ON)
            case 1:
                self.choose(Item.HOW_TO)
                self.at.wait(self.random.randint(100, 9000))
                self.hold_both()
            case 2:
                self.choose(Item.END_GAME)
                self.choose(Item.GO_ON)
            case 3:
                self.choose(Item.MAIN_MENU)
                self.at.wait(300)
                self.begin()
            case _:
                self.hold(self.random.choice(PLAYERS))

    def round_again(self) -> None:
        """This round again: both agree, or one does not."""
        if self.random.random() < 0.5:
            self.void()
            return
        self.open_menu()
        self.choose(Item.ROUND_AGAIN)
        self.press(self.random.choice(PLAYERS))
        self.hold(self.random.choice(PLAYERS))

    def void(self) -> None:
        self.open_menu()
        self.choose(Item.ROUND_AGAIN)
        first = self.random.choice(PLAYERS)
        self.press(first)
        ticket = self.at.box.ledger.mean(Ticket(Kind.VOID, None, self.now_ms, "both agreed"))
        self.press(first.other)
        ticket.until_ms = self.now_ms + 100

    # ---- mistakes that nothing else mends ------------------------------------------------------------

    def play(self) -> None:
        """As people do; but if other cards are out than the table knows of, the round is played again."""
        state = self.round
        astray = (
            state.hidden
            and state.phase not in (Phase.DEAL, Phase.BOARD)
            and any(len(self.hand(player)) != state.count(player) for player in PLAYERS)
        )
        if astray:
            self.count["a round again, because cards went astray"] += 1
            self.void()
        else:
            super().play()

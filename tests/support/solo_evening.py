"""A person alone with a table that plays: the loop, the journal and whoever decides, in a time of their own.

The person knows of the table's cards what the screen says, and where they lie; no machine is asked for a face.
`on_line` is called with each line that the journal gets: what is true then can be kept, and gone on from with another
machine.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engine.cards import Card, Player
from engine.game import Game, new_game
from engine.plays import legal_answers, legal_attacks
from engine.round import Phase, Swap
from engine.rules import Rules
from firmware.bots.hosted import Process
from firmware.files.disk import Disk
from firmware.kept.games import KeptGame, unfinished_game
from firmware.kept.journal import Journal
from firmware.run.loop import Loop, Request
from firmware.run.playing import OfGame, Playing
from firmware.table.effects import Begin, Resume
from firmware.table.menus import Item, open_main
from firmware.table.resuming import offer_of
from firmware.table.solo import question_of
from firmware.table.state import Decision, Stage, Table, TableEvent
from firmware.views.page import Page
from firmware.views.pages import page_of
from firmware.views.strip import StripLayout
from firmware.words import words
from hardware.ports import Lifted, Placed, Press, Pressed
from tests.support.at_table import tags_of, uid_of
from tests.support.bot_host import Clock, PretendedProcess, playing

STEP_MS = 100
ENGLISH = words("en")


class QuickDisk(Disk):
    """Files as they are; nobody waits until they are safe."""

    def fsync(self, handle: int) -> None: ...


class Kept:
    """The journal without its thread: a line is on the disk when it is given."""

    def __init__(self, folder: Path, on_line: Callable[[], None]) -> None:
        self.journal = Journal(folder, QuickDisk())
        self.given = self.written = 0
        self._on_line = on_line

    def give(self, order: object) -> int:
        self.journal.take(order)  # type: ignore[arg-type]
        self.journal.keep()
        self.given = self.written = self.given + 1
        if not isinstance(order, KeptGame):
            self._on_line()
        return self.given


class Unseen(Loop):
    """A loop that shows nothing, and hides no mistake of the program."""

    def show(self, now_ms: int) -> None:
        self._waiting.clear()

    def fault(self, what: str) -> None:
        raise  # noqa: PLE0704 - the exception that is handled


class Machine:
    """One power-up: the main menu first, with the game that can be resumed."""

    def __init__(
        self,
        folder: Path,
        rules: Rules,
        on_line: Callable[[], None] = lambda: None,
        start: Callable[[Sequence[str], Clock], Process] | None = None,
        chance: int = 7,
        loop: type[Loop] = Unseen,
        outputs: object = None,
        hear: Callable[[Request], None] = lambda request: None,
    ) -> None:
        """`start` starts whoever plays for the table; `hear` hears what the table asks of the session."""
        self.happened: list[tuple[int, TableEvent | None, Decision | None]] = []  # when, what, and what was decided
        self._hear = hear
        self.clock = Clock()
        self.keeper = Kept(folder, on_line)
        begin = start or (lambda command, clock: PretendedProcess(playing(command[-1]), clock))
        self.processes: list[Process] = []

        def started(command: Sequence[str]) -> Process:
            self.processes.append(begin(command, self.clock))
            return self.processes[-1]

        self.playing = Playing(folder, None, self.clock, lambda: None, started)
        self.offered = unfinished_game(folder)
        table = Table(new_game(rules), tags_of(rules.deck), chance=chance, woken_ms=self.clock.ms)
        offer = offer_of(self.offered) if self.offered else None
        self.loop = loop(open_main(table, offer), outputs, self.keeper, StripLayout(), self._perform)  # type: ignore[arg-type]

    def _perform(self, request: Request) -> None:
        """As the session does."""
        self._hear(request)
        offered = self.offered
        if isinstance(request, Begin | Resume):
            self.offered = None
        if isinstance(request, Resume) and offered is not None:
            self.keeper.give(offered)
        if isinstance(request, OfGame):
            self.playing.do(request, offered)

    @property
    def table(self) -> Table:
        return self.loop.table

    @property
    def game(self) -> Game:
        return self.loop.table.game

    @property
    def page(self) -> Page:
        return page_of(self.loop.table, self.clock.ms, ENGLISH)

    def happen(self, event: TableEvent | None = None) -> None:
        decision = self.playing.decided(self.clock.ms)
        self.happened.append((self.clock.ms, event, decision))
        self.loop.turn([one for one in (event, decision) if one is not None], self.clock.ms)

    def wait(self, ms: int) -> None:
        until_ms = self.clock.ms + ms
        while self.clock.ms < until_ms:
            self.clock.ms = min(until_ms, self.clock.ms + STEP_MS)
            self.happen()

    def press(self, player: Player | None, press: Press = Press.OK) -> None:
        self.happen(Pressed(None if player is None else str(player), press, self.clock.ms))
        self.wait(STEP_MS)

    def take(self, item: str) -> None:
        """Go to a line of the menu with yay's button, and take it with wow's."""
        while (menu := self.table.menu) is not None and menu.items[menu.chosen] != item:
            assert item in menu.items, menu
            self.press(Player.YAY)
        self.press(Player.WOW)

    def close(self) -> None:
        for process in self.processes:
            process.end()
        self.keeper.journal.close()


@dataclass
class World:
    """What is true of the cards. `row`: its places, seen from the person. `astray`: a card of which the person does not
    know yet what the table made of it, and on which pad it was; `lies` there still. `open_`: the cards laid for the
    table in this round, the newest last. `mixed`: the row was pushed together, and nobody has told the table. `gone`:
    the game is not as far as it was, since the disk was full."""

    pile: list[Card] = field(default_factory=list)
    row: dict[int, Card] = field(default_factory=dict)
    astray: tuple[Player, Card] | None = None
    lies: bool = False
    open_: list[Card] = field(default_factory=list)
    mixed: bool = False
    gone: bool = False


@dataclass(frozen=True)
class Habits:
    """How often (of 1): an undo, a row pushed together, a wrong place, a card put on the other's pad, a round given up,
    the game left for the main menu, a hint asked for."""

    undo: float = 0.0
    mix: float = 0.0
    wrong: float = 0.0
    void: float = 0.0
    leave: float = 0.0
    hint: float = 0.0


class Person:
    """`step` does one thing. Raises AssertionError where the table's cards are not where the table believes."""

    def __init__(self, at: Machine, world: World, side: Player, chance: random.Random, habits: Habits) -> None:
        self.at, self.world, self.side, self.chance, self.habits = at, world, side, chance, habits

    @property
    def tables(self) -> Player:
        return self.side.other

    # ---- beginning -------------------------------------------------------------------------

    def begin(self, level: str) -> None:
        self.at.take(Item.SOLO)
        self.at.take(level)
        self.at.take(f"{self.side} {level}")

    def resume(self) -> None:
        """The power has come again: what lay on a pad lies there still, is taken off, and put down again."""
        astray = self.world.astray
        if astray is not None and self.world.lies:
            self.at.happen(Placed(str(astray[0]), uid_of(astray[1]), self.at.clock.ms))
        self.at.take(Item.RESUME)
        note = self.at.page.note
        if astray is not None and self.world.lies:
            self.at.happen(Lifted(str(astray[0]), uid_of(astray[1]), self.at.clock.ms))
            self.world.lies = False
        self.at.wait(STEP_MS)
        if self.at.table.stage is Stage.ROUND:
            self._look_through_the_row(note)

    def _look_through_the_row(self, note: str) -> None:
        """The screen says in which places there are cards: one that is missing is among those that lie open."""
        assert note.startswith("In the row:") or self.learning or not self.at.game.round.count(self.tables), note
        if self.learning or self.world.mixed:
            return
        before, open_ = set(places_in(note)) if note.startswith("In the row:") else set(), list(self.world.open_)
        if self.world.astray is not None:
            self.put_again()
        while (before & self._places_held()) - set(self.world.row) and open_:
            self.put(self.tables, open_.pop())

    def _places_held(self) -> set[int]:
        """What the screen would say now: a card that was put down again may have counted."""
        opponent = self.at.table.opponent
        assert opponent is not None
        held = self.at.game.round.hands[opponent.side.seat]
        return {place for card, place in opponent.places if card in held}

    @property
    def learning(self) -> bool:
        return "from the left" in self.at.page.what

    # ---- one thing after the other ---------------------------------------------------------

    def step(self) -> None:
        at, world = self.at, self.world
        if at.table.stage is Stage.CLEAR:
            world.pile = list(at.game.rules.deck.cards)
            self.chance.shuffle(world.pile)
            world.row, world.open_, world.astray, world.mixed = {}, [], None, False
            at.press(self.side)
            return
        if world.astray is not None:
            self.put_again()
            return
        if world.mixed:
            at.press(None, Press.MENU)
            at.take(Item.ROW_MIXED)
            world.mixed = False
            return
        if self.learning:
            self.pass_the_row()
            return
        self.check()
        if not self._whim():
            self._play()

    def _whim(self) -> bool:
        at, habits, chance = self.at, self.habits, self.chance
        if chance.random() < habits.undo and any(at.game.round.counts):  # not of the round before: its cards are away
            self.undo()
        elif chance.random() < habits.mix and len(self.world.row) > 1:
            cards = list(self.world.row.values())
            chance.shuffle(cards)
            self.world.row = dict(enumerate(cards, 1))
            self.world.mixed = True
        elif chance.random() < habits.wrong and self.world.row and at.game.phase not in (Phase.DEAL, Phase.REPLACE):
            place, card = chance.choice(sorted(self.world.row.items()))
            if place not in self.at.table.opponent.places_left:  # type: ignore[union-attr]
                del self.world.row[place]
                self.put(chance.choice((self.side, self.tables)), card)
        elif chance.random() < habits.void and at.game.phase is not Phase.DEAL:
            at.press(None, Press.MENU)
            at.take(Item.ROUND_AGAIN)
            at.press(self.side)
        elif chance.random() < habits.hint:
            at.press(None, Press.MENU)
            if at.table.menu is not None and Item.HINT in at.table.menu.items:
                at.take(Item.HINT)
            at.press(None, Press.MENU)
        elif chance.random() < habits.leave:
            at.press(None, Press.MENU)
            at.take(Item.MAIN_MENU)
            at.take(Item.RESUME)
        else:
            return False
        return True

    def _play(self) -> None:
        at, what = self.at, self.at.page.what
        state = at.game.round
        if what.startswith(("Lay ", "Place ")):
            place = self.chance.choice(places_in(what))
            self.put(self.tables, self.world.row.pop(place))
        elif what.startswith("Draw for "):
            self.put(self.tables, self.from_pile())
        elif state.phase is Phase.DEAL:
            self.put(self.chance.choice(at.game.to_act), self.from_pile())
        elif state.swap[self.side.seat] is Swap.DRAWING:
            self.put(self.side, self.from_pile())
        elif question_of(at.game, self.side) is None or at.clock.ms < at.table.ignore_until_ms:
            at.wait(300)
        else:
            self._decide()

    def _decide(self) -> None:
        at, chance = self.at, self.chance
        state = at.game.round
        hand = sorted(state.hands[self.side.seat])
        match state.phase:
            case Phase.REPLACE:
                if state.may_still_replace(self.side) and state.replaced[self.side.seat] < 1 and chance.random() < 0.6:
                    self.put(self.side, chance.choice(hand))
                else:
                    at.press(self.side)
            case Phase.ATTACK:
                begun = frozenset(state.attack)
                attacks = [a for a in legal_attacks({*hand, *begun}, len(hand) + len(begun) - 1) if begun <= a]
                rest = sorted(chance.choice(attacks) - begun) if attacks else []
                for card in rest:
                    self.put(self.side, card)
                at.press(self.side) if attacks else at.press(self.side, Press.UNDO)
            case Phase.DEFEND:
                ranks, given = [card.rank for card in state.attack], frozenset(state.answer)
                answers = [a for a in legal_answers(ranks, {*hand, *given}) if given <= a]
                if answers:
                    self.put(self.side, min(chance.choice(answers) - given))
                else:
                    at.press(self.side, Press.UNDO)
            case _:
                self.put(self.side, chance.choice(hand))

    def from_pile(self) -> Card:
        return self.world.pile.pop()

    def undo(self) -> None:
        self.at.press(self.side, Press.UNDO)
        self._take_back()

    def _take_back(self) -> None:
        """What the screen sends back goes to its places, from the cards that lie open; which is which, the pad says."""
        note = self.at.page.note
        if not note.startswith("Back to place"):
            return
        missing = [place for place in places_in(note) if place not in self.world.row]
        if len(missing) == 1:
            self.world.row[missing[0]] = self.world.open_.pop()
            return
        for card in self.world.open_[: -len(missing) - 1 : -1]:
            self.put(self.tables, card)

    def pass_the_row(self) -> None:
        for place, card in sorted(self.world.row.items()):
            del self.world.row[place]
            self.world.row[place] = card
            self._lay(self.tables, card)
            self._lift(self.tables, card)
        self.world.row = dict(enumerate([card for _, card in sorted(self.world.row.items())], 1))

    # ---- a card ----------------------------------------------------------------------------

    def put(self, player: Player, card: Card) -> None:
        """Lay a card on a pad, read the screen, take it off, and do with it what was said."""
        self.world.astray, self.world.lies = (player, card), True
        self.put_again()

    def put_again(self) -> None:
        assert self.world.astray is not None
        player, card = self.world.astray
        self.at.wait(max(0, self.at.table.ignore_until_ms - self.at.clock.ms))
        self.world.lies, before = True, self.at.game
        self._lay(player, card)
        note, counted = self.at.page.note, self.at.game is not before
        self._lift(player, card)
        self.world.lies = False
        if found := re.search(r"place (\d+)", note):
            self._into_row(int(found[1]), card)
        elif player is self.tables and (counted or note.startswith("Was played")):
            self.world.open_ += [] if card in self.world.open_ else [card]
        elif self.at.game.phase is not Phase.DEAL and player is self.tables:
            raise AssertionError(f"nobody says what to do with {card}: {self.at.page}, {self.at.table.told}")
        self.world.astray = None

    def _into_row(self, place: int, card: Card) -> None:
        assert self.world.row.get(place, card) == card, f"two cards for place {place}: {self.world.row}, {card}"
        self.world.row[place] = card
        self.world.open_ = [other for other in self.world.open_ if other != card]

    def _lay(self, player: Player, card: Card) -> None:
        self.at.happen(Placed(str(player), uid_of(card), self.at.clock.ms))
        self.at.wait(400)

    def _lift(self, player: Player, card: Card) -> None:
        self.at.happen(Lifted(str(player), uid_of(card), self.at.clock.ms))
        self.at.wait(STEP_MS)

    # ---- what has to be true ---------------------------------------------------------------

    def check(self) -> None:
        """Where the table believes its cards to be, there they are."""
        opponent = self.at.table.opponent
        assert opponent is not None
        held = self.at.game.round.hands[opponent.side.seat]
        believed = {place: card for card, place in opponent.places if card in held}
        assert believed == self.world.row, f"{believed} != {self.world.row}: {self.at.page}"


def places_in(text: str) -> list[int]:
    """The places that a text of the screen names: `1 3–6` are five."""
    found: list[int] = []
    for first, last in re.findall(r"(\d+)(?:–(\d+))?", text):
        found += range(int(first), int(last or first) + 1)
    return found

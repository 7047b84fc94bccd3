"""A session at the table: opens everything, runs the loop until it is told to stop, closes everything."""

from __future__ import annotations

import queue
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from random import SystemRandom

from engine.cards import Card, Deck
from engine.errors import RulesError
from engine.events import format_uid
from engine.game import new_game
from engine.rules import Mode, Rules
from firmware.config.values import Config
from firmware.errors import FirmwareError
from firmware.files.disk import why
from firmware.files.lock import DeviceLock, LockError, lock_path
from firmware.files.whole import OTHER_FOLDER, Notice
from firmware.kept import deck as decks
from firmware.kept import settings as kept_settings
from firmware.kept.deck import Tags
from firmware.kept.folder import DECK_FILE, GAMES_FOLDER, lock_state
from firmware.kept.games import KeptGame, unfinished_game
from firmware.kept.journal import Journal
from firmware.kept.settings import Settings
from firmware.kept.writer import CARDS, DECK, GAMES, SETTINGS, Save, Writer
from firmware.run.advice import GameAdvice
from firmware.run.backends import open_parts
from firmware.run.ending import Deadline, told_by_signals
from firmware.run.loop import LOG, Loop, Request, run
from firmware.run.page import BrowserTable, say_where
from firmware.run.playing import OfGame, Playing
from firmware.run.poller import Poller
from firmware.run.systemd import Lifeline, switch_off
from firmware.table.effects import Begin, CheckParts, KeepDeck, KeepSettings, Name, Resume, SwitchOff
from firmware.table.games import MOST_CHANCE
from firmware.table.menus import Item, bot_name, open_checked, open_levels, open_main
from firmware.table.resuming import offer_of
from firmware.table.state import Advised, Pad, Stage, Table, stage_of
from firmware.virtual.deck import virtual_tags
from firmware.virtual.listening import Listening
from firmware.wiring.parts import Parts, layout_of
from firmware.words import words
from hardware.ports import Clock, HardwareEvent, Health, PartState, SystemClock

STOP_S = 1.8  # after a signal strip and screen are dark and the process gone within 2 s
Mailbox = queue.SimpleQueue[HardwareEvent | None]
Say = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line says of a session. `mode` None: the main menu first. `backend`: see `run.backends`."""

    mode: Mode | None
    backend: str
    config: Config
    state: Path
    listening: Listening = field(default_factory=Listening)
    browser: bool = False
    solo: bool = False  # mode play, against the table

    @property
    def virtual(self) -> bool:
        return self.backend == "virtual"


def play(options: Options, say: Say, stop: threading.Event | None = None) -> None:
    """Play until `stop` is set or the process is told to end. `say` prints a line for whoever started it.

    Raises FirmwareError, HardwareError, EngineError or OSError if it cannot begin.
    """
    with ExitStack() as closing:
        app = App(options, say, stop or threading.Event(), closing)
        while app.run_once():
            pass


class App:
    """What lasts from the start to the end of the program, through every opening and closing of the parts."""

    def __init__(self, options: Options, say: Say, stop: threading.Event, closing: ExitStack) -> None:
        self._options, self._say, self._stop = options, say, stop
        self._ended = False  # told from outside to end, not only to open the parts anew
        self._again = self._check = False
        self._mailbox: Mailbox = queue.SimpleQueue()
        self._deadline = Deadline(STOP_S)
        closing.callback(self._deadline.close)
        closing.enter_context(told_by_signals(self._told_to_end))
        what = f"tacocat {'solo' if options.solo else options.mode or 'run'}"
        if not options.virtual:
            closing.enter_context(DeviceLock(lock_path(), what))
        self._unkept: dict[str, str] = {}  # what is not kept (games, deck, settings), and why
        self._lock_state(what, closing)
        self._lifeline = Lifeline.from_environment(SystemClock())
        closing.callback(self._lifeline.close)
        self._settings = self._load_settings()
        self._tags = self._load_tags()
        self._rules = self._first_rules()
        self._table: Table | None = None
        self._offered: KeptGame | None = None
        journal = Journal(options.state / GAMES_FOLDER)
        self._listening = options.listening
        self._writer = Writer(journal, partial(self._mailbox.put, None), self._kept, partial(LOG.warning, "%s"))
        closing.callback(self._writer.close)
        clock_ms, wake = SystemClock().now_ms, partial(self._mailbox.put, None)
        self._advice = GameAdvice(options.state, clock_ms, wake)
        closing.callback(self._advice.close)
        self._playing = Playing(options.state, options.config.solo.bot, clock_ms, wake)
        closing.callback(self._playing.end)
        self._page = BrowserTable(options.state, self._writer.give, partial(self._warn, CARDS))

    def run_once(self) -> bool:
        """Open the parts, play, close them. Returns whether they are to be opened again, wired otherwise."""
        config = kept_settings.applied(self._options.config, self._settings)
        with ExitStack() as closing:
            parts = closing.enter_context(
                open_parts(self._options.backend, config, self._mailbox.put, partial(self._mailbox.put, None))
            )
            table = self._table or self._first_table(parts)
            loop = Loop(
                replace(table, woken_ms=parts.clock.now_ms()),
                parts.outputs,
                self._writer,
                layout_of(config),
                self._perform,
            )
            if self._table is None and table.stage is not Stage.MAIN_MENU:
                loop.begin()
                self._advice.begin(table.game.rules)
            if self._unkept:  # parts that are opened anew have told nothing yet
                self._tell_disk("")
            closing.callback(parts.outputs.strip.go_dark)
            poller = Poller(parts.pads, self._mailbox, parts.clock)
            closing.callback(poller.close)
            self._lifeline.watch("pads", lambda: poller.rounds)
            if self._options.virtual:
                self._open_page(config, parts, loop, closing)
            self._lifeline.ready("at the table")
            turned = partial(self._turned, loop, parts.clock)
            run(loop, parts.controls, self._mailbox, parts.clock, self._stop, turned, self._playing.decided)
            self._lifeline.forget("pads")
            if self._ended or not self._again:
                self._lifeline.stopping()
            # the pads are read anew: what lay there is told again
            self._table = replace(loop.table, parts=(), pads=(Pad(), Pad()), holding=None)
            if self._check and not self._ended:
                poller.close()
                self._check_parts(config, parts)
            self._check = False
        again, self._again = self._again and not self._ended, False
        if again:
            self._stop.clear()
        return again

    # ---- the start -------------------------------------------------------------------------

    def _end(self) -> None:
        self._ended = True
        self._stop.set()

    def _told_to_end(self, _number: int) -> None:
        """By a signal, which may interrupt any line: nothing here takes a lock that may be held already.

        (`threading.Event.set` does.) The mailbox is written to, as a wait for it may go on for ever after a signal
        (SimpleQueue.get of Python up to 3.12, where the handler takes longer than what is left of the wait).
        """
        self._ended = True
        self._deadline.start()
        self._mailbox.put(None)

    def _turned(self, loop: Loop, clock: Clock) -> None:
        """Called in each turn of the loop."""
        self._lifeline.turn()
        self._page.keep()
        if (advice := self._advice.poll()) is not None:
            loop.turn([Advised(advice, clock.now_ms())], clock.now_ms())
        if self._ended:
            self._stop.set()

    def _load_settings(self) -> Settings:
        settings, notices = kept_settings.load(self._options.state, self._options.config)
        self._warn(SETTINGS, notices)
        return settings

    def _load_tags(self) -> Mapping[bytes, Card]:
        options = self._options
        if options.virtual:
            return virtual_tags(options.config.deck)
        path = options.state / DECK_FILE
        tags, notices = decks.load(path)
        self._warn(DECK, notices)
        if not tags and options.mode not in (Mode.BOARD, None):
            raise FirmwareError(
                f"No deck yet: {path} has no cards. 'tacocat run' teaches one, in its menu; or write the file: after "
                f"the first line '{decks.HEADER}' one line for each card, as in '7b 04a1b2c3d4e5f6'. "
                "Without a deck, 'tacocat board' works."
            )
        return tags

    def _first_rules(self) -> Rules:
        """The rules of the first game, with the deck that the tags make up. Raises RulesError if that is not a deck."""
        config = kept_settings.applied(self._options.config, self._settings)
        rules = config.rules(self._options.mode or Mode.PLAY)
        if not self._tags:
            return rules
        try:
            return replace(rules, deck=Deck.of(self._tags.values()))
        except RulesError as error:
            if self._options.mode is not None:
                raise
            LOG.error("The deck has to be taught anew: %s", error)  # the menu offers that
            self._tags = {}
            return rules

    def _first_table(self, parts: Parts) -> Table:
        game = new_game(self._rules)
        bot = self._options.config.solo.bot
        table = Table(
            game,
            self._tags,
            stage=stage_of(game),
            settings=self._settings,
            can_switch_off=True,
            tick=self._options.config.tick,
            chance=SystemRandom().randrange(MOST_CHANCE),
            bot=bot_name(bot) if bot else "",
            woken_ms=parts.clock.now_ms(),
        )
        mode, solo = self._options.mode, self._options.solo
        kept = unfinished_game(self._options.state / GAMES_FOLDER, partial(self._kept, GAMES))
        if kept is not None and mode is not None and (kept.rules.mode, kept.solo is not None) != (mode, solo):
            kept = None
        self._offered = kept
        if mode is None or (solo and kept is None):
            main = open_main(table, offer_of(kept) if kept else None)
            return open_levels(main) if solo and self._tags else main
        return table if kept is None else open_main(table, offer_of(kept), Item.SOLO if solo else mode)

    def _lock_state(self, what: str, closing: ExitStack) -> None:
        """Two programs keep nothing in one folder. One that takes no lock takes no games either: that is said."""
        folder = self._options.state
        try:
            closing.enter_context(lock_state(folder, what))
        except LockError:
            raise
        except OSError as error:
            self._kept(
                GAMES,
                str(error)
                if isinstance(error, FirmwareError)
                else f"{folder} cannot be locked: {why(error)}. {OTHER_FOLDER}",
            )

    def _kept(self, what: str, reason: str) -> None:
        """Games, deck or settings are kept, or are not for this reason: the table shows it until all are, and goes on.

        Called in the writer's thread too.
        """
        if reason and self._unkept.get(what) != reason:
            LOG.error("%s", reason, extra={"kind": f"{what} not kept"})  # a failing card gives one reason after another
        if reason:
            self._unkept[what] = reason
        elif self._unkept.pop(what, None) is None:
            return
        self._tell_disk(_KEPT_AGAIN[what])

    def _tell_disk(self, well: str) -> None:
        reasons = list(self._unkept.values())
        health = Health.LOST if reasons else Health.CONNECTED
        self._mailbox.put(PartState("disk", health, "; ".join(reasons) or well, 0))

    def _warn(self, what: str, notices: Sequence[Notice]) -> None:
        for notice in notices:
            if notice.left_alone:
                self._kept(what, str(notice))
            else:
                LOG.warning("%s", notice)

    def _check_parts(self, config: Config, parts: Parts) -> None:
        """The table rests while its parts are looked at; afterwards they are opened anew, and it shows the rows."""
        from firmware.check.at_table import CheckStopped, check_at_the_table  # seldom wanted, and much to load

        assert self._table is not None
        options, say = self._options, words(self._settings.language)

        def alive() -> None:
            self._lifeline.turn()
            if self._ended:
                raise CheckStopped

        try:
            rows = check_at_the_table(parts, config, options.state, options.virtual, say, alive)
        except CheckStopped:
            return
        self._table = open_checked(self._table, rows)

    # ---- what the table asks for -----------------------------------------------------------

    def _perform(self, request: Request) -> None:
        try:
            self._do(request)
        except (OSError, subprocess.SubprocessError) as error:  # systemctl, or the request to be switched off
            LOG.error("%s", error)

    def _do(self, request: Request) -> None:
        self._advice.hear(request)
        match request:
            case _ if isinstance(request, OfGame):
                self._do_of_game(request)
            case Name(uid, card):
                # Not which copy: that depends on the cards that were read, and so on the hands.
                LOG.info("tag %s is a card of rank %d from now on", format_uid(uid), card.rank)
                if not self._options.virtual:  # the virtual cards get their tags anew at every start
                    self._keep_deck(request.tags)
            case KeepDeck(tags):
                if not self._options.virtual:
                    self._keep_deck(tags)
            case KeepSettings(settings):
                if settings.swap_sides is not self._settings.swap_sides:  # other pads, another end of the strip
                    self._again = True
                    self._stop.set()
                self._settings = settings
                self._writer.give(Save(SETTINGS, partial(kept_settings.save, self._options.state, settings)))
            case CheckParts():
                self._check = self._again = True
                self._stop.set()
            case SwitchOff():
                if not self._options.virtual:
                    switch_off()
                self._end()

    def _do_of_game(self, request: OfGame) -> None:
        kept: KeptGame | None = None
        if isinstance(request, Begin | Resume):  # "go on" is from now on about the game that begins
            kept, self._offered = self._offered, None
        if isinstance(request, Resume) and kept is not None:  # the transcript of one left in this session is still open
            self._writer.give(kept)
            self._advice.resume(kept)
        self._playing.do(request, kept)
        if isinstance(request, Begin | Resume):
            self._page.seat_the_table(None if request.solo is None else str(request.solo.side))
        if isinstance(request, Resume):
            self._page.agree()

    def _keep_deck(self, tags: Tags) -> None:
        self._writer.give(Save(DECK, partial(decks.save, self._options.state / DECK_FILE, tags)))

    def _open_page(self, config: Config, parts: Parts, loop: Loop, closing: ExitStack) -> None:
        from firmware.virtual.browser import has_desktop, open_beside  # no device has a page

        page = self._page.open(config, parts, self._rules, self._tags, self._listening, lambda: loop.table, closing)
        self._listening = replace(self._listening, port=page.port)  # where browsers look for it, when it is opened anew
        say_where(page.urls, self._say)
        if self._options.browser and has_desktop() and self._table is None:
            open_beside(page.urls[0], closing)


_KEPT_AGAIN = {
    GAMES: "games are kept again",
    DECK: "the deck is kept again",
    SETTINGS: "the settings are kept again",
    CARDS: "where the cards lie is kept again",
}

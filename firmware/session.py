"""An evening at the table: opens everything, runs the loop until it is told to stop, closes everything."""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import webbrowser
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from engine.cards import Card, Deck
from engine.events import format_uid
from engine.game import new_game
from engine.rules import Mode, Rules
from firmware import deck as decks
from firmware.config import Config
from firmware.errors import FirmwareError
from firmware.journal import Journal, JournalWriter
from firmware.lock import DeviceLock, lock_path
from firmware.loop import LOG, Loop, Poller, run
from firmware.parts import Parts, layout_of, open_parts
from firmware.table import Name, Stage, Table
from firmware.virtual.server import VirtualTable
from firmware.virtual.world import Printed
from firmware.words import words
from hardware.ports import HardwareEvent, Health, PartState

DECK_FILE = "deck.txt"  # in the state folder
POLL_PAUSE_MS = 15  # between two rounds over the pads
Mailbox = queue.SimpleQueue[HardwareEvent | None]


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line says of a session. `backend`: see firmware.parts."""

    mode: Mode
    backend: str
    config: Config
    state: Path
    port: int = 8000
    host: str = "127.0.0.1"
    browser: bool = False


def state_folder() -> Path:
    """Where decks and games are kept: systemd's STATE_DIRECTORY, else in the user's own state folder."""
    if given := os.environ.get("STATE_DIRECTORY"):
        return Path(given)
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(base) / "tacocat"


def virtual_tags(deck: Deck) -> dict[bytes, Card]:
    """The tags of a virtual deck: 7 bytes each, alike in their first three, as cards bought together are."""
    return {bytes((0x04, 0x7A, 0xC0, 0xCA, 0x70 + card.rank, ord(card.copy), 0x80)): card for card in deck.cards}


def play(options: Options, tell: Callable[[str], object], stop: threading.Event | None = None) -> None:
    """Play until `stop` is set or the process is told to end. `tell` prints a line for whoever started it.

    Raises FirmwareError, HardwareError or OSError if it cannot begin.
    """
    stop = stop or threading.Event()
    virtual = options.backend == "virtual"
    with ExitStack() as closing:
        _stop_on_signals(stop, closing)
        if not virtual:
            closing.enter_context(DeviceLock(lock_path(), f"tacocat {options.mode}"))
        tags: Mapping[bytes, Card] = virtual_tags(options.config.deck) if virtual else _device_tags(options)
        rules = _rules(options, tags)
        mailbox: Mailbox = queue.SimpleQueue()
        parts = closing.enter_context(open_parts(options.backend, options.config, mailbox.put))
        writer = _journal(options, parts, mailbox, closing)
        loop = Loop(
            _table(rules, tags, parts), parts.outputs, writer, layout_of(options.config),
            words(options.config.language), _keeper_of_names(options, virtual), options.config.sound,
        )  # fmt: skip
        loop.begin()
        closing.callback(parts.outputs.strip.good_night)
        closing.callback(Poller(parts.pads, mailbox, parts.clock, POLL_PAUSE_MS).close)
        if virtual:
            _open_page(options, rules, tags, parts, tell, closing)
        run(loop, parts.controls, mailbox, parts.clock, stop)


def _table(rules: Rules, tags: Mapping[bytes, Card], parts: Parts) -> Table:
    stage = Stage.ROUND if rules.mode is Mode.BOARD else Stage.CLEAR
    return Table(new_game(rules), tags, stage=stage, woken_ms=parts.clock.now_ms())


def _rules(options: Options, tags: Mapping[bytes, Card]) -> Rules:
    """The configured rules, with the deck that the tags make up. Raises RulesError if that is not a whole deck."""
    rules = options.config.rules(options.mode)
    return replace(rules, deck=Deck.of(tags.values())) if tags else rules


def _device_tags(options: Options) -> Mapping[bytes, Card]:
    if options.mode is Mode.BOARD:
        return {}
    path = options.state / DECK_FILE
    tags, notices = decks.load(path)
    for notice in notices:
        LOG.warning("%s", notice)
    if not tags:
        raise FirmwareError(
            f"No deck yet: {path} has no cards. It says which tag is which card, one line each, as in "
            f"'7b 04a1b2c3d4e5f6', after the first line '{decks.HEADER}'. Without a deck, 'tacocat board' works."
        )
    return tags


def _keeper_of_names(options: Options, virtual: bool) -> Callable[[Name], None]:
    def keep(name: Name) -> None:
        LOG.info("tag %s is card %s from now on", format_uid(name.uid), name.card)
        if virtual:
            return  # the virtual cards get their tags anew at every start
        path = options.state / DECK_FILE
        try:
            decks.save(path, decks.load(path)[0].named(name.uid, name.card))
        except (OSError, FirmwareError) as error:
            LOG.error("the new name of tag %s could not be kept: %s", format_uid(name.uid), error)

    return keep


def _journal(options: Options, parts: Parts, mailbox: Mailbox, closing: ExitStack) -> JournalWriter:
    def complain(reason: str) -> None:
        LOG.error("%s", reason)
        mailbox.put(PartState("disk", Health.LOST, reason, parts.clock.now_ms()))

    writer = JournalWriter(Journal(options.state / "games"), lambda: mailbox.put(None), complain)
    closing.callback(writer.close)
    return writer


def _open_page(
    options: Options, rules: Rules, tags: Mapping[bytes, Card], parts: Parts, tell: Callable[[str], object],
    closing: ExitStack,
) -> None:  # fmt: skip
    assert parts.twins is not None
    track = options.config.track
    printed = Printed(
        deck=tuple(map(str, rules.deck.cards)), board=rules.board.hand_sizes, arrows=tuple(rules.board.arrows),
        mode=str(rules.mode), uids={str(card): uid for uid, card in tags.items()},
        leds=(track.goal_leds, *track.space_leds, track.goal_leds),
        reverse=track.reverse is not options.config.swap_sides,
    )  # fmt: skip
    page = closing.enter_context(VirtualTable(parts.twins, printed, options.port, options.host))
    tell(f"The virtual table is open at {page.url}")
    tell("Stop it with Ctrl-C.")
    if options.browser and has_desktop():
        webbrowser.open(page.url)


def has_desktop() -> bool:
    """Whether a browser would open in a window, and not as text in this very terminal."""
    return sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _stop_on_signals(stop: threading.Event, closing: ExitStack) -> None:
    """SIGTERM and Ctrl-C end the evening in good order; only the main thread may ask for them."""
    if threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGTERM, signal.SIGINT):
        before = signal.signal(number, lambda *_: stop.set())
        closing.callback(signal.signal, number, before)



"""A session from its start to its end: what it takes and leaves, whom it obeys, what it keeps. Parts are stand-ins."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from random import Random
from types import SimpleNamespace

import pytest

from engine.cards import YAY, Deck, parse_card, parse_deck
from engine.errors import RulesError
from engine.events import ok_event
from engine.rules import Mode, Rules
from firmware.check.at_table import CheckStopped
from firmware.config.values import Config
from firmware.errors import FirmwareError
from firmware.files.lock import DeviceBusyError, DeviceLock
from firmware.files.whole import Notice, StandIn
from firmware.kept import deck
from firmware.kept.deck import Tags
from firmware.kept.folder import DECK_FILE
from firmware.kept.journal import Journal
from firmware.kept.settings import Setting
from firmware.kept.writer import SETTINGS
from firmware.run import app as session
from firmware.run import systemd
from firmware.run.app import App, Options, play
from firmware.run.backends import open_parts
from firmware.run.loop import LOG, Loop
from firmware.table.effects import KeepDeck, Name, SwitchOff
from firmware.table.menus import Item
from firmware.table.state import Stage
from firmware.virtual.deck import virtual_tags
from firmware.virtual.lying import FILE_NAME
from firmware.virtual.messages import Deal, Draw, LayPile, Move, Sweep
from firmware.virtual.world import World
from firmware.wiring.parts import Outputs, Parts
from hardware.ports import HardwareEvent, Health, Placed, Press, Pressed, SystemClock
from tests.support.virtual_standins import Field

TAGS = Tags.of(virtual_tags(Config().deck))
Acts = Iterator[list[HardwareEvent]]


class Nothing:
    """In place of strip, screen, lamps and buzzer."""

    def show(self, *_: object) -> None: ...

    dim = light = play = go_dark = show


class Bare:
    """Pads on which nothing lies."""

    pause_ms = 10

    def poll(self, now_ms: int) -> list[HardwareEvent]:
        return []


class Session:
    """One session in this thread; `acts` are what people do, each when the loop has shown what came before.

    At the end of the acts the session is told to stop. Many polls without an end are a failure.
    """

    pause_ms = 1

    def __init__(
        self, folder, backend: str, mode: Mode | None, acts: Callable[[Session], Acts], config: Config
    ) -> None:
        self.options = Options(mode, backend, config, folder / "state", browser=True)
        self.stop, self.said = threading.Event(), []
        self.loops: list[Loop] = []
        self.pages: list[SimpleNamespace] = []
        self.browsed: list[str] = []
        self.worlds: list[World] = []  # of the virtual table, one for each opening of the parts
        self.told: list[str] = []  # what the page says to all windows
        self._acts, self._polls = acts(self), 0

    @property
    def table(self):
        return self.loops[-1].table

    def parts(self, *_: object) -> Parts:
        nothing = Nothing()
        outputs = Outputs(nothing, nothing, nothing, nothing)
        twins = object() if self.options.virtual else None
        return Parts(SystemClock(), Bare(), self, outputs, twins, ExitStack())

    def poll(self, now_ms: int) -> list[HardwareEvent]:
        self._polls += 1
        assert self._polls < 2000, "the session does not end"
        if self.loops[-1]._waiting or self.loops[-1].shown is None:
            return []
        done = next(self._acts, None)
        if done is None:
            self.stop.set()
        return done or []

    # ---- what people do --------------------------------------------------------------------

    def press(self, player: str) -> Acts:
        yield [Pressed(player, Press.OK, SystemClock().now_ms())]

    def take(self, item: str) -> Acts:
        while self.table.menu is None:
            yield []
        while self.table.menu.items[self.table.menu.chosen] != item:
            yield from self.press("yay")
        yield from self.press("wow")


def nobody(at: Session) -> Acts:
    """People who do nothing; the loop turns a few times."""
    yield from [[]] * 3


@pytest.fixture(autouse=True)
def harmless(tmp_path, monkeypatch):
    """Nothing of this machine is taken, opened or switched off; a slow machine ends no process."""
    monkeypatch.setattr(session, "lock_path", lambda: tmp_path / "lock")
    monkeypatch.setattr(session, "STOP_S", 600)
    monkeypatch.setattr(LOG, "filters", [])
    ran = []

    def run(words: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        ran.append(words)
        return subprocess.CompletedProcess(words, 0, stderr="")

    monkeypatch.setattr(session.subprocess, "run", run)
    monkeypatch.delenv("RUNTIME_DIRECTORY", raising=False)
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    return ran


@pytest.fixture
def played(tmp_path, monkeypatch):
    """Plays a session to its end."""

    def begin(acts=nobody, backend="pi", mode: Mode | None = None, config: Config | None = None) -> Session:
        at = Session(tmp_path, backend, mode, acts, config or Config())

        class Watched(Loop):
            def __init__(self, *words):
                super().__init__(*words)
                at.loops.append(self)

        @contextmanager
        def page(twins, printed, listening, lying, wants):
            at.pages.append(printed)
            at.worlds.append(World({"yay": Field(), "wow": Field()}, printed.uids, Random(1), lying, wants))
            urls = ["http://here", "http://there"]
            yield SimpleNamespace(port=80, urls=urls, world=at.worlds[-1], say=at.told.append)

        monkeypatch.setattr(session, "open_parts", at.parts)
        monkeypatch.setattr(session, "Loop", Watched)
        monkeypatch.setattr("firmware.virtual.server.VirtualTable", page)
        monkeypatch.setattr("firmware.virtual.browser.has_desktop", lambda: True)
        monkeypatch.setattr("firmware.virtual.browser.open_beside", lambda url, closing: at.browsed.append(url))
        play(at.options, at.said.append, at.stop)
        return at

    return begin


@contextmanager
def app_of(tmp_path, backend: str, mode: Mode | None = None):
    """A session before any part is opened."""
    with ExitStack() as closing:
        yield App(Options(mode, backend, Config(), tmp_path / "state"), print, threading.Event(), closing)


def disk(at: Session) -> list[tuple[Health, str]]:
    """What the table shows of the disk."""
    return [(part.health, part.detail) for part in at.table.parts if part.part == "disk"]


# ---- what it opens -------------------------------------------------------------------------


def test_each_backend_opens_parts_of_its_own_and_another_is_refused_with_those_that_there_are(monkeypatch):
    monkeypatch.setattr("firmware.wiring.device.open_device", lambda *given: "device")
    monkeypatch.setattr("firmware.virtual.parts.open_virtual", lambda *given, **named: "virtual")
    assert [open_parts(backend, Config(), print) for backend in ("pi", "virtual")] == ["device", "virtual"]
    with pytest.raises(FirmwareError, match="'arduino' is not known; known are pi, virtual"):
        open_parts("arduino", Config(), print)


def test_the_device_is_taken_by_one_program_and_a_virtual_table_needs_none(tmp_path, played):
    with DeviceLock(tmp_path / "lock", "tacocat check"):
        with pytest.raises(DeviceBusyError, match="tacocat check"):
            played()
        assert played(backend="virtual").table.stage is Stage.MAIN_MENU


def test_a_page_is_opened_for_a_virtual_table_alone_and_its_addresses_are_said(played):
    assert played().said == []
    at = played(backend="virtual")
    assert at.said[0].endswith("http://here") and at.said[1].endswith("http://there")
    assert at.browsed == ["http://here"]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("swap_sides", [False, True])
def test_the_strip_of_the_page_begins_at_the_goal_at_which_the_real_one_would(played, reverse, swap_sides):
    config = Config()
    config = replace(config, swap_sides=swap_sides, track=replace(config.track, reverse=reverse))
    assert played(backend="virtual", config=config).pages[0].reverse is (reverse is not swap_sides)


# ---- deck and rules ------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [Mode.PLAY, Mode.REFEREE])
def test_a_device_without_a_deck_is_told_what_a_deck_is_where_one_is_needed(played, mode):
    with pytest.raises(FirmwareError, match=r"as in '7b 04a1b2c3d4e5f6'.*'tacocat board' works"):
        played(mode=mode)


@pytest.mark.parametrize(("mode", "stage"), [(Mode.BOARD, Stage.ROUND), (None, Stage.MAIN_MENU)])
def test_without_a_deck_the_board_alone_and_the_menu_can_be_used(played, mode, stage):
    at = played(mode=mode)
    assert at.table.stage is stage and not at.table.tags
    assert at.table.game.rules.mode is (mode or Mode.PLAY)


def test_the_deck_that_was_taught_is_the_deck_of_the_game(tmp_path, played):
    cards = parse_deck("2x4 3x4 5x4 8x4 9x4 12x4 1x4 4x4 6x4 7x4 10x4 11x4")
    deck.save(tmp_path / "state" / DECK_FILE, Tags.of(virtual_tags(cards)))
    at = played(mode=Mode.PLAY)
    assert at.table.game.rules.deck == cards and Deck.of(at.table.tags.values()) == cards


def test_the_virtual_table_has_the_deck_of_its_configuration_whatever_was_taught(tmp_path, played):
    deck.save(tmp_path / "state" / DECK_FILE, Tags(TAGS.pairs[:4]))
    at = played(backend="virtual", mode=Mode.PLAY)
    assert at.table.game.rules.deck == Config().deck


def test_a_deck_that_is_none_is_refused_by_a_command_and_taught_anew_in_the_menu(tmp_path, played, caplog):
    tags = {uid: card for uid, card in TAGS.items() if card != parse_card("7b")}
    deck.save(tmp_path / "state" / DECK_FILE, Tags.of(tags))
    with pytest.raises(RulesError, match="7s are lettered a c d"):
        played(mode=Mode.PLAY)
    at = played()
    assert not at.table.tags and "The deck has to be taught anew" in caplog.text


@pytest.mark.parametrize(("runs_on", "kept"), [("pi", True), ("virtual", False)])
def test_a_deck_is_kept_by_the_device_and_never_by_a_virtual_table(tmp_path, runs_on, kept):
    uid, card = bytes.fromhex("04112233445566"), parse_card("7b")
    path = tmp_path / "state" / DECK_FILE
    with app_of(tmp_path, runs_on) as app:
        app._perform(KeepDeck(TAGS))
    assert path.exists() is kept
    path.unlink(missing_ok=True)
    with app_of(tmp_path, runs_on) as app:
        app._perform(Name(uid, card, TAGS.uid_of(card), TAGS.named(uid, card)))
    assert path.exists() is kept


# ---- games ---------------------------------------------------------------------------------


def unfinished(tmp_path, mode=Mode.BOARD) -> None:
    journal = Journal(tmp_path / "state" / "games")
    journal.begin(Rules(mode=mode))
    journal.append([ok_event(YAY)])
    journal.close()


def games(tmp_path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "state" / "games").glob("*.taco"))


def test_a_game_is_begun_by_the_command_that_plays_it_and_not_by_the_menu(tmp_path, played):
    played()
    assert games(tmp_path) == []
    played(mode=Mode.BOARD)
    assert games(tmp_path) == ["game-0001.taco"]


def test_sides_that_are_swapped_begin_no_other_game(tmp_path, played):
    def swapped(at):
        yield [Pressed(None, Press.MENU, SystemClock().now_ms())]
        yield from at.take(Item.MAIN_MENU)
        yield from at.take(Item.SETTINGS)
        yield from at.take(Setting.SWAP_SIDES)
        yield from nobody(at)

    at = played(swapped, mode=Mode.BOARD)
    assert len(at.loops) == 2 and games(tmp_path) == ["game-0001.taco"]


@pytest.mark.parametrize(
    ("mode", "items"),
    [
        (None, (Item.RESUME, Item.SOLO, *Mode, Item.TEACH, Item.CHECK, Item.SETTINGS)),
        (Mode.BOARD, (Item.RESUME, Mode.BOARD)),
        (Mode.REFEREE, None),
    ],
)
def test_an_unfinished_game_is_offered_in_the_menu_and_by_the_command_of_its_kind(tmp_path, played, mode, items):
    deck.save(tmp_path / "state" / DECK_FILE, TAGS)
    unfinished(tmp_path)
    menu = played(mode=mode).table.menu
    assert (menu and menu.items) == items


def test_without_an_unfinished_game_none_is_offered(played):
    assert played().table.menu.items[0] != Item.RESUME
    assert played(mode=Mode.BOARD).table.menu is None


def test_the_offered_game_goes_on_in_its_own_file(tmp_path, played):
    unfinished(tmp_path)

    def acts(at):
        yield from at.take(Item.RESUME)
        yield from at.press("wow")

    played(acts)
    assert games(tmp_path) == ["game-0001.taco"]
    assert (tmp_path / "state" / "games" / "game-0001.taco").read_text().endswith("yay ok\nwow ok\n")


def test_a_game_that_was_begun_is_the_one_that_is_gone_on_with(tmp_path, played):
    """Not the one that was offered at the start."""
    unfinished(tmp_path)

    def acts(at):
        yield from at.take(Mode.BOARD)
        while at.table.stage is not Stage.ROUND:
            yield []
        yield from at.press("wow")
        yield [Pressed(None, Press.MENU, SystemClock().now_ms())]
        yield from at.take(Item.MAIN_MENU)
        yield from at.take(Item.RESUME)
        yield from at.press("wow")

    played(acts)
    first, second = ((tmp_path / "state" / "games" / name).read_text() for name in games(tmp_path))
    assert (first.count("ok"), second.count("ok")) == (1, 2)


# ---- settings, and parts opened anew -------------------------------------------------------


@pytest.mark.parametrize(("setting", "openings"), [(Setting.SOUND, 1), (Setting.SWAP_SIDES, 2)])
def test_parts_are_opened_anew_for_swapped_sides_and_for_no_other_setting(played, setting, openings):
    def acts(at):
        yield from at.take(Item.SETTINGS)
        yield from at.take(setting)
        yield from nobody(at)

    at = played(acts, backend="virtual")
    assert len(at.loops) == openings
    assert at.browsed == ["http://here"], "the browser is there already"
    assert at.stop.is_set()


# ---- where the virtual cards lie -----------------------------------------------------------


def moved(at: Session) -> Acts:
    """Cards come into hands and on pads, and nothing is a game yet."""
    world = at.worlds[-1]
    for message in (Deal(3, ("yay", "wow"), False), Draw("pad-wow"), Draw("discard"), LayPile("yay")):
        assert world.do(message, 0) == ""
    yield from nobody(at)


def test_f43_the_virtual_cards_lie_where_they_lay_when_the_table_is_started_again(played):
    first = played(moved, backend="virtual")
    second = played(backend="virtual")
    assert second.worlds[0].lying() == first.worlds[0].lying()
    assert len(second.worlds[0].cards("hand-yay")) == 3


def test_they_are_kept_while_the_table_runs_and_not_at_its_end_alone(tmp_path, played):
    def acts(at):
        yield from moved(at)
        while not (tmp_path / "state" / FILE_NAME).exists():
            yield []
        at.kept = (tmp_path / "state" / FILE_NAME).read_bytes()
        yield from nobody(at)

    assert b"hand-yay" in played(acts, backend="virtual").kept


def test_parts_that_are_opened_anew_find_the_cards_where_they_lay(played, monkeypatch):
    monkeypatch.setattr("firmware.check.at_table.check_at_the_table", lambda *given: ())

    def acts(at):
        yield from moved(at)
        yield from checked(at)

    at = played(acts, backend="virtual")
    assert len(at.worlds) == 2 and at.worlds[1].lying() == at.worlds[0].lying()


def test_the_cards_of_another_deck_are_not_laid(played):
    played(moved, backend="virtual")
    at = played(backend="virtual", config=replace(Config(), deck=parse_deck("3x4 4x4 5x4 6x4 7x4 8x4 9x4")))
    assert len(at.worlds[0].cards("pile")) == 28


def deal_begun(at: Session) -> Acts:
    """Two cards are dealt to yay in a round of play mode."""
    yield from at.press("yay")
    world = at.worlds[-1]
    for number in (1, 2):
        card = world.cards("pile")[-1]
        assert world.do(Draw("pad-yay"), 0) == ""
        yield [Placed("yay", at.pages[-1].uids[card], SystemClock().now_ms())]
        while at.table.game.round.counts[0] < number:
            yield []
        world.do(Move(card, "hand-yay", False), 0)
    yield from nobody(at)


@pytest.mark.parametrize("kept", [True, False])
def test_f43_a_game_that_goes_on_has_its_cards_in_its_hands_whether_it_was_kept_where_they_lay_or_not(
    tmp_path, played, kept
):
    first = played(deal_begun, backend="virtual", mode=Mode.PLAY)
    held = sorted(map(str, first.table.game.round.hands[0]))
    assert held
    if not kept:
        for path in (tmp_path / "state").glob(f"{FILE_NAME}*"):
            path.unlink()

    def go_on(at):
        yield from at.take(Item.RESUME)
        yield from nobody(at)

    at = played(go_on, backend="virtual", mode=Mode.PLAY)
    assert sorted(at.worlds[0].cards("hand-yay")) == held
    assert at.told == ([] if kept else [f"Laid as the game tells of them: {len(held)} of the cards."])


def test_what_a_sweep_takes_is_asked_of_the_table(played):
    def acts(at):
        yield from deal_begun(at)
        card = at.worlds[-1].cards("hand-yay")[0]
        at.worlds[-1].do(Move(card, "pad-yay", False), 0)
        at.worlds[-1].do(Sweep(), 0)
        assert card in at.worlds[-1].cards("hand-yay"), "it was dealt, and not played"
        yield from nobody(at)

    played(acts, backend="virtual", mode=Mode.PLAY)


def test_what_is_not_kept_is_shown_after_parts_were_opened_anew_too(tmp_path, played, monkeypatch):
    monkeypatch.setattr("firmware.check.at_table.check_at_the_table", lambda *given: ())
    (tmp_path / "state").write_text("no folder")

    def acts(at):
        yield from nobody(at)
        at.lost = disk(at)
        yield from checked(at)

    at = played(acts)
    assert len(at.loops) == 2
    assert [health for health, _ in at.lost] == [health for health, _ in disk(at)] == [Health.LOST]


def test_nothing_is_said_of_a_disk_that_is_well(played):
    assert disk(played()) == []


# ---- the end -------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_a_session_that_would_go_on(played, number):
    def acts(at):
        os.kill(os.getpid(), number)
        while True:
            yield []

    assert len(played(acts).loops) == 1


def test_a_session_that_is_told_to_end_while_it_opens_its_parts_anew_does_not(played):
    def acts(at):
        yield from at.take(Item.SETTINGS)
        while at.table.menu.items[at.table.menu.chosen] != Setting.SWAP_SIDES:
            yield from at.press("yay")
        os.kill(os.getpid(), signal.SIGTERM)
        yield from at.press("wow")

    assert len(played(acts).loops) == 1


@pytest.mark.parametrize("ended", [False, True])
def test_systemd_is_told_of_the_end_once_and_not_of_parts_that_are_opened_anew(played, monkeypatch, ended):
    stopping, found = [], []
    monkeypatch.setattr(session.Lifeline, "stopping", lambda self: stopping.append(True))

    def acts(at):
        yield from at.take(Item.SETTINGS)
        while at.table.menu.items[at.table.menu.chosen] != Setting.SWAP_SIDES:
            yield from at.press("yay")
        if ended:
            os.kill(os.getpid(), signal.SIGTERM)
        yield from at.press("wow")
        found.append(len(stopping))
        yield from nobody(at)

    at = played(acts)
    assert len(stopping) == 1 and len(at.loops) == (1 if ended else 2)
    assert found == ([] if ended else [0])


@pytest.mark.parametrize("runs_on", ["pi", "virtual"])
def test_switching_off_ends_the_session_and_switches_the_device_off_alone(played, harmless, runs_on):
    def acts(at):
        at.loops[-1]._request(SwitchOff())
        while True:
            yield []

    played(acts, backend=runs_on)
    assert harmless == ([["systemctl", "poweroff"]] if runs_on == "pi" else [])


def test_switching_off_as_a_service_is_asked_for_by_a_file(tmp_path, monkeypatch, harmless):
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path))
    systemd.switch_off()
    assert (tmp_path / "switch-off").exists() and harmless == []


# ---- the check -----------------------------------------------------------------------------


def checked(at: Session) -> Acts:
    yield from at.take(Item.CHECK)
    yield from nobody(at)


def test_the_check_is_made_with_the_parts_closed_to_the_game_and_then_they_are_opened_anew(played, monkeypatch):
    made = []
    monkeypatch.setattr("firmware.check.at_table.check_at_the_table", lambda *given: made.append(given) or ())
    at = played(checked)
    assert len(at.loops) == 2 and at.table.menu.page == "checked"
    (given,) = made
    given[-1]()  # while it lasts, systemd is fed; nothing stops it


def test_no_check_is_made_unless_it_is_asked_for(played, monkeypatch):
    made = []
    monkeypatch.setattr("firmware.check.at_table.check_at_the_table", lambda *given: made.append(given) or ())

    def acts(at):
        yield from at.take(Item.SETTINGS)
        yield from at.take(Setting.SWAP_SIDES)
        yield from nobody(at)

    assert len(played(acts).loops) == 2 and made == []


def test_a_signal_stops_the_check_and_the_session_with_it(played, monkeypatch):
    seen = []

    def check(*given):
        alive = given[-1]
        alive()
        os.kill(os.getpid(), signal.SIGTERM)
        try:
            alive()
        except CheckStopped:
            seen.append(True)
            raise
        return ()

    monkeypatch.setattr("firmware.check.at_table.check_at_the_table", check)
    assert len(played(checked).loops) == 1 and seen


def test_a_check_is_not_begun_by_a_session_that_was_told_to_end(played, monkeypatch):
    made = []
    monkeypatch.setattr("firmware.check.at_table.check_at_the_table", lambda *given: made.append(given) or ())

    def acts(at):
        while at.table.menu.items[at.table.menu.chosen] != Item.CHECK:
            yield from at.press("yay")
        os.kill(os.getpid(), signal.SIGTERM)
        yield from at.press("wow")

    assert len(played(acts).loops) == 1 and made == []


# ---- files that are not as they should be --------------------------------------------------


def test_a_folder_that_cannot_be_locked_is_said_in_words(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(session, "lock_state", refuse)
    with app_of(tmp_path, "pi") as app:
        (reason,) = app._unkept.values()
    assert reason.startswith(f"{tmp_path / 'state'} cannot be locked: ") and "Errno" not in reason


@pytest.mark.parametrize("left_alone", [False, True])
def test_a_file_that_may_be_whole_counts_as_not_kept_and_any_other_is_only_told(tmp_path, caplog, left_alone):
    with app_of(tmp_path, "pi") as app:
        app._warn(SETTINGS, [Notice(tmp_path / "settings.toml", "no answer", None, StandIn.NOTHING, left_alone)])
        assert list(app._unkept) == [SETTINGS] * left_alone
    assert "settings.toml: no answer" in caplog.text

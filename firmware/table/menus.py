"""The menus on the screen: which pages there are, and which lines each has. Pure.

What a press does while one is open is in `picks`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import chain
from pathlib import PurePath

from engine.cards import Card
from engine.players.situation import NothingToDecide, seat_of
from engine.rules import Mode
from engine.views import View, view_of
from firmware.kept.deck import why_no_card
from firmware.kept.settings import Setting
from firmware.table import howto
from firmware.table.findings import Row
from firmware.table.state import Menu, Motion, Offer, Stage, Table, without_groups
from hardware.ports import Health

ROW = "row "  # and the number of a row of the check: a line of its page


class At(StrEnum):
    """The pages of the menus."""

    GAME = "game"
    AGAIN = "again"  # this round again: both confirm
    END = "end"  # end the game: surely?
    TAG = "tag"  # which rank has the unknown tag?
    HOW_TO = "how to play"
    HINT = "hint"  # awaited, then what to play and why
    POINTS = "points"  # awaited, then a page for each turning point
    MAIN = "main"  # which game?
    OVER = "over"
    SETTINGS = "settings"
    OFF = "off"  # switch off: surely?
    CHECKED = "checked"  # what the check found, a line each
    REMEDY = "remedy"  # one of these lines, and what to do about it
    LEVEL = "level"  # solo: how strong?
    SIDE = "side"  # solo: which side does the person take? Its lines: a player and the level, as in "yay good"


MAIN_PAGES = (
    At.MAIN,
    At.SETTINGS,
    At.OFF,
    At.CHECKED,
    At.REMEDY,
    At.LEVEL,
    At.SIDE,
)  # the main menu and those below it

LEVELS = ("gentle", "good", "strong")  # of engine.players
MOST_NAME = 12  # characters of the name of another's program


def bot_name(command: Sequence[str]) -> str:
    """How another's program is called on the screen and in transcripts: one word, that of its file."""
    named = next((word for word in reversed(command) if "/" in word), command[0])
    name = re.sub(r"[^A-Za-z0-9._-]", "", PurePath(named).stem)[:MOST_NAME] or "bot"
    return f"{name}-bot" if name in LEVELS else name


class Item(StrEnum):
    """The lines of the menus, but for modes and ranks, which stand for themselves."""

    GO_ON = "go on"
    ROUND_AGAIN = "round again"
    HOW_TO = "how to play"
    HINT = "hint"
    POINTS = "turning points"
    NAME_TAG = "name tag"
    END_GAME = "end game"
    PLAY_AGAIN = "play again"
    MAIN_MENU = "main menu"
    ON_WITH_BOARD = "on with board"
    RESUME = "resume"
    TEACH = "teach"
    CHECK = "check"
    SETTINGS = "settings"
    VERSION = "version"
    SWITCH_OFF = "switch off"
    SOLO = "solo"
    ROW_MIXED = "mixed row"  # not "row …": that is a line of the check
    BACK = "back"


def toggle(table: Table) -> Table:
    """Both buttons were held: open the game menu, or close what is open. The main menu stays."""
    if table.stage in (Stage.MAIN_MENU, Stage.TEACHING):
        return table
    if table.menu is not None:
        return replace(table, menu=None)
    items = [Item.GO_ON]
    if view_for_hint(table) is not None:
        items.append(Item.HINT)
    if table.stage is Stage.ROUND and table.game.rules.mode is not Mode.BOARD:
        items.append(Item.ROUND_AGAIN)
    if howto.pages(table):
        items.append(Item.HOW_TO)
    if table.unknown_tag is not None and why_no_card(table.unknown_tag) is None:
        items.append(Item.NAME_TAG)
    if table.opponent is not None and table.stage is Stage.ROUND and table.game.round.count(table.opponent.side):
        items.append(Item.ROW_MIXED)
    if _reader_fails(table):
        items.append(Item.ON_WITH_BOARD)
    items += [Item.END_GAME, Item.MAIN_MENU]
    return replace(without_groups(table), menu=Menu(At.GAME, tuple(items)))


def view_for_hint(table: Table) -> View | None:
    """What whoever may ask for a hint knows; None: nobody may, or has to choose now.

    On the screen between two persons both would read it: so it is for who plays alone.
    """
    if table.alone is None or table.stage is not Stage.ROUND or not table.settings.hints:
        return None
    view = view_of(table.game, table.alone)
    try:
        seat_of(view)
    except NothingToDecide:
        return None
    return view


def _reader_fails(table: Table) -> bool:
    """Whether a pad is lost or was never found, in a game that needs it."""
    broken = any(part.part.startswith("pad") and part.health is not Health.CONNECTED for part in table.parts)
    return broken and table.game.rules.mode is not Mode.BOARD and not table.game.over


def open_main(table: Table, offer: Offer | None, only: Mode | Item | None = None) -> Table:
    """The main menu, with the game that can be resumed, if there is one.

    `only`: that mode, or Item.SOLO, is asked for, so the menu has but two lines: go on, or begin.
    """
    offer = None if offer is None or offer.game.over else offer
    table = replace(
        table,
        stage=Stage.MAIN_MENU,
        offer=offer,
        opponent=None,
        teaching=None,
        told=None,
        latest=None,
        motion=Motion(),
        unknown_tag=None,
    )
    items: tuple[str, ...] = (
        *((Item.RESUME,) if offer else ()),
        Item.SOLO,
        *Mode,
        Item.TEACH,
        Item.CHECK,
        Item.SETTINGS,
    )
    if only is not None and offer is not None:
        items = (Item.RESUME, only)
    return replace(table, menu=Menu(At.MAIN, items))


def open_checked(table: Table, rows: tuple[Row, ...], chosen: int = 0) -> Table:
    """The page of what the check found."""
    lines = tuple(f"{ROW}{number}" for number in range(len(rows)))
    return replace(table, checked=rows, menu=Menu(At.CHECKED, (Item.BACK, *lines), chosen))


def row_of(table: Table, item: str) -> Row | None:
    """The row of the check that a menu's line stands for."""
    number = item.removeprefix(ROW)
    return table.checked[int(number)] if item.startswith(ROW) else None


def open_settings(table: Table, chosen: int = 0) -> Table:
    off = (Item.SWITCH_OFF,) if table.can_switch_off else ()
    return replace(table, menu=Menu(At.SETTINGS, (Item.BACK, *Setting, Item.VERSION, *off), chosen))


def open_levels(table: Table) -> Table:
    """Against the table: how strong? Another's program that can play stands behind the levels."""
    lines = (*LEVELS, *((table.bot,) if table.bot else ()), Item.BACK)
    return replace(table, menu=Menu(At.LEVEL, lines, LEVELS.index("good")))


def open_over(table: Table) -> Table:
    points = (Item.POINTS,) if table.game.rules.mode is Mode.PLAY else ()  # both hands are known
    return replace(table, menu=Menu(At.OVER, (Item.PLAY_AGAIN, *points, Item.MAIN_MENU)))


def turn_page(table: Table, now_ms: int) -> Table:
    """How to play turns its pages by itself, and after the last begins anew."""
    menu = table.menu
    if menu is None or menu.page != At.HOW_TO:
        return table
    if menu.turned_ms is None:
        return replace(table, menu=replace(menu, turned_ms=now_ms))
    if now_ms - menu.turned_ms < howto.PAGE_MS:
        return table
    return replace(table, menu=replace(menu, chosen=(menu.chosen + 1) % len(menu.items), turned_ms=now_ms))


def unseen(table: Table) -> tuple[Card, ...]:
    """The cards not yet seen face up in this round: any of them could be the one with the torn tag.

    Cards that lie in a hand, or face down in a duel, belong to them, so that the list gives nothing away.
    """
    state = table.game.round
    return tuple(card for card in table.game.rules.deck.cards if card not in state.used or card in state.shown)


def unseen_ranks(table: Table) -> tuple[int, ...]:
    return tuple(sorted({card.rank for card in unseen(table)}))


def longest_unread(table: Table, rank: int) -> Card:
    """Of the unseen cards of a rank the one whose tag was read longest ago, or never: most likely the dead one.

    Cards of one rank look alike, so the players name the rank alone.
    """
    choices = [card for card in unseen(table) if card.rank == rank]
    never = (card for card in choices if card not in table.read_order)
    return next(chain(never, (card for card in table.read_order if card in choices)))

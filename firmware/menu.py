"""The menus on the screen: `yay`'s button goes to the next line, `wow`'s takes it. Pure.

`press` gives the table with the menu as it becomes, and what was chosen, if that is more than a page.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from engine.cards import MAX_RANK, PLAYERS, YAY, Card, Player
from engine.game import Game
from engine.rules import Mode
from firmware import howto
from firmware.check.rows import Row
from firmware.deck import why_no_card
from firmware.settings import Setting, Settings, next_value
from firmware.table import Menu, Motion, Stage, Table, without_groups
from hardware.ports import Health, Press


@dataclass(frozen=True, slots=True)
class Void:
    """This round again, agreed by both."""


@dataclass(frozen=True, slots=True)
class EndGame:
    pass


@dataclass(frozen=True, slots=True)
class NewGame:
    mode: Mode


@dataclass(frozen=True, slots=True)
class NameTag:
    uid: bytes
    card: Card


@dataclass(frozen=True, slots=True)
class Leave:
    """To the main menu; the game is kept and offered again."""


@dataclass(frozen=True, slots=True)
class Resume:
    """Go on with the offered game."""


@dataclass(frozen=True, slots=True)
class OnWithBoard:
    """Go on in board mode, with the track as it stands."""


@dataclass(frozen=True, slots=True)
class Change:
    settings: Settings


@dataclass(frozen=True, slots=True)
class Teach:
    """Teach the table a deck."""


@dataclass(frozen=True, slots=True)
class Look:
    """Check every part."""


@dataclass(frozen=True, slots=True)
class Off:
    """Switch off."""


Choice = Void | EndGame | NewGame | NameTag | Leave | Resume | OnWithBoard | Change | Teach | Look | Off


ROW = "row "  # and the number of a row of the check: a line of its page


class At(StrEnum):
    """The pages of the menus."""

    GAME = "game"
    AGAIN = "again"  # this round again: both confirm
    END = "end"  # end the game: surely?
    TAG = "tag"  # which rank has the unknown tag?
    HOW_TO = "how to play"
    MAIN = "main"  # which game?
    OVER = "over"
    SETTINGS = "settings"
    OFF = "off"  # switch off: surely?
    CHECKED = "checked"  # what the check found, a line each
    REMEDY = "remedy"  # one of these lines, and what to do about it


class Item(StrEnum):
    """The lines of the menus, but for modes and ranks, which stand for themselves."""

    GO_ON = "go on"
    ROUND_AGAIN = "round again"
    HOW_TO = "how to play"
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
    BACK = "back"


def toggle(table: Table) -> Table:
    """Both buttons were held: open the game menu, or close what is open. The main menu stays."""
    if table.stage in (Stage.MAIN_MENU, Stage.ENROLL):
        return table
    if table.menu is not None:
        return replace(table, menu=None)
    items = [Item.GO_ON]
    if table.stage is Stage.ROUND and table.game.rules.mode is not Mode.BOARD:
        items.append(Item.ROUND_AGAIN)
    if howto.pages(table):
        items.append(Item.HOW_TO)
    if table.stranger is not None and why_no_card(table.stranger) is None and unseen_ranks(table):
        items.append(Item.NAME_TAG)
    if _reader_fails(table):
        items.append(Item.ON_WITH_BOARD)
    items += [Item.END_GAME, Item.MAIN_MENU]
    return replace(without_groups(table), menu=Menu(At.GAME, tuple(items)))


def _reader_fails(table: Table) -> bool:
    """Whether a pad is lost or was never found, in a game that needs it."""
    broken = any(part.part.startswith("pad") and part.health is not Health.CONNECTED for part in table.parts)
    return broken and table.game.rules.mode is not Mode.BOARD and not table.game.over


def open_main(table: Table, offer: Game | None, mode: Mode | None = None) -> Table:
    """The main menu, with the game that can be gone on with, if there is one.

    `mode`: only that kind of game is asked for, so the menu has but two lines: go on, or begin.
    """
    offer = None if offer is None or offer.over else offer
    table = replace(
        table, stage=Stage.MAIN_MENU, offer=offer, enroll=None, told=None, latest=None, motion=Motion(), stranger=None
    )
    items: tuple[str, ...] = (*((Item.RESUME,) if offer else ()), *Mode, Item.TEACH, Item.CHECK, Item.SETTINGS)
    if mode is not None and offer is not None:
        items = (Item.RESUME, mode)
    return replace(table, menu=Menu(At.MAIN, items))


def open_checked(table: Table, rows: tuple[Row, ...], chosen: int = 0) -> Table:
    """The page of what the check found."""
    lines = tuple(f"{ROW}{number}" for number in range(len(rows)))
    return replace(table, checked=rows, menu=Menu(At.CHECKED, (Item.BACK, *lines), chosen))


def row_of(table: Table, item: str) -> Row | None:
    """The row of the check that a menu's line stands for."""
    number = item.removeprefix(ROW)
    return table.checked[int(number)] if item.startswith(ROW) else None


def _open_settings(table: Table, chosen: int = 0) -> Table:
    off = (Item.SWITCH_OFF,) if table.can_switch_off else ()
    return replace(table, menu=Menu(At.SETTINGS, (Item.BACK, *Setting, Item.VERSION, *off), chosen))


def open_over(table: Table) -> Table:
    return replace(table, menu=Menu(At.OVER, (Item.PLAY_AGAIN, Item.MAIN_MENU)))


def press(table: Table, player: Player, press: Press) -> tuple[Table, Choice | None]:
    """What a press does while a menu is open."""
    menu = table.menu
    assert menu is not None
    if press is Press.UNDO:  # back
        return (open_main(table, table.offer) if table.stage is Stage.MAIN_MENU else replace(table, menu=None)), None
    if menu.page == At.AGAIN:
        agreed = menu.agreed | {player}
        if agreed == set(PLAYERS):
            return replace(table, menu=None), Void()
        return replace(table, menu=replace(menu, agreed=agreed)), None
    if player is YAY:
        menu = replace(menu, turned_ms=None)
        return replace(table, menu=replace(menu, chosen=(menu.chosen + 1) % len(menu.items))), None
    return _take(table, menu.page, menu.items[menu.chosen])


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


def _take(table: Table, page: str, item: str) -> tuple[Table, Choice | None]:
    closed = replace(table, menu=None)
    if page in (At.MAIN, At.SETTINGS, At.OFF, At.CHECKED, At.REMEDY):
        return _take_main(table, page, item)
    match page, item:
        case (At.GAME, Item.ROUND_AGAIN):
            return replace(table, menu=Menu(At.AGAIN, ())), None
        case (At.GAME, Item.HOW_TO):
            return replace(table, menu=Menu(At.HOW_TO, howto.pages(table))), None
        case (At.GAME, Item.NAME_TAG):
            return replace(table, menu=Menu(At.TAG, (Item.GO_ON, *map(str, unseen_ranks(table))))), None
        case (At.GAME, Item.END_GAME):
            return replace(table, menu=Menu(At.END, (Item.GO_ON, Item.END_GAME))), None
        case (At.GAME, Item.MAIN_MENU):
            return closed, Leave()
        case (At.GAME, Item.ON_WITH_BOARD):
            return closed, OnWithBoard()
        case (At.END, Item.END_GAME) | (At.OVER, Item.MAIN_MENU):
            return closed, EndGame()
        case (At.OVER, Item.PLAY_AGAIN):
            return closed, NewGame(table.game.rules.mode)
        case (At.TAG, rank) if rank != Item.GO_ON and table.stranger is not None:
            return closed, NameTag(table.stranger, longest_unread(table, int(rank)))
    return closed, None


def _take_main(table: Table, page: str, item: str) -> tuple[Table, Choice | None]:
    """A line of the main menu or of one below it: there is no game to fall back on."""
    assert table.menu is not None
    match item:
        case Item.RESUME:
            return table, Resume()
        case Item.TEACH:
            return replace(table, menu=None), Teach()
        case Item.SETTINGS:
            return _open_settings(table), None
        case Item.CHECK:
            return table, Look()
        case _ if page == At.CHECKED and row_of(table, item) is not None:
            return replace(table, menu=Menu(At.REMEDY, (item,))), None
        case _ if page == At.REMEDY:
            return open_checked(table, table.checked, int(item.removeprefix(ROW)) + 1), None
        case Item.SWITCH_OFF if page == At.SETTINGS:
            return replace(table, menu=Menu(At.OFF, (Item.BACK, Item.SWITCH_OFF))), None
        case Item.SWITCH_OFF:
            return table, Off()
        case Item.BACK:
            return open_main(table, table.offer), None
        case Item.VERSION:
            return table, None
    if page == At.SETTINGS:
        settings = next_value(table.settings, Setting(item))
        return _open_settings(table, table.menu.chosen), Change(settings)
    return table, NewGame(Mode(item))


def unseen(table: Table) -> tuple[Card, ...]:
    """The cards not yet seen face up in this round: any of them could be the one with the torn tag.

    Cards that lie in a hand, or face down in a duel, belong to them, so that the list gives nothing away.
    """
    state = table.game.round
    return tuple(card for card in table.game.rules.deck.cards if card not in state.used or card in state.shown)


def unseen_ranks(table: Table) -> tuple[int, ...]:
    ranks = {card.rank for card in unseen(table)}
    return tuple(rank for rank in range(1, MAX_RANK + 1) if rank in ranks)


def longest_unread(table: Table, rank: int) -> Card:
    """Of the unseen cards of a rank the one whose tag was read longest ago, or never: most likely the dead one.

    Cards of one rank look alike, so the players name the rank alone.
    """
    choices = [card for card in unseen(table) if card.rank == rank]
    return min(choices, key=lambda card: table.read_order.index(card) if card in table.read_order else -1)

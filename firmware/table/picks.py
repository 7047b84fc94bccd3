"""A press while a menu is open: `yay`'s button goes to the next line, `wow`'s takes it. Pure.

What a line says is done here and now, to the turn.
"""

from __future__ import annotations

from dataclasses import replace

from engine.cards import PLAYERS, YAY, Player
from engine.events import VOID
from engine.rules import Mode
from firmware.kept.settings import Setting, next_value
from firmware.table import advice, games, howto, laying
from firmware.table.effects import CheckParts, KeepSettings, SwitchOff
from firmware.table.menus import (
    MAIN_PAGES,
    ROW,
    At,
    Item,
    longest_unread,
    open_checked,
    open_levels,
    open_main,
    open_settings,
    unseen_ranks,
)
from firmware.table.state import Menu, Stage
from firmware.table.turn import Turn
from hardware.ports import Press


def press(turn: Turn, player: Player, press: Press) -> None:
    """What a press does while a menu is open."""
    menu = turn.table.menu
    assert menu is not None
    if press is Press.UNDO:
        _back(turn)
    elif menu.page == At.AGAIN:
        _agree(turn, menu, player)
    elif player is YAY:
        _show(turn, replace(menu, chosen=(menu.chosen + 1) % len(menu.items), turned_ms=None))
    elif menu.items[menu.chosen] == Item.SOLO or menu.page in (At.LEVEL, At.SIDE):
        _take_solo(turn, menu, menu.items[menu.chosen])
    elif menu.page in MAIN_PAGES:
        _take_main(turn, menu, menu.items[menu.chosen])
    else:
        _take_game(turn, menu, menu.items[menu.chosen])


def _show(turn: Turn, menu: Menu | None) -> None:
    turn.table = replace(turn.table, menu=menu)


def _back(turn: Turn) -> None:
    table = turn.table
    if table.stage is Stage.MAIN_MENU:
        turn.table = open_main(table, table.offer)
    else:
        _show(turn, None)


def _agree(turn: Turn, menu: Menu, player: Player) -> None:
    """This round again: when both have said so."""
    opponent = turn.table.opponent
    agreed = menu.agreed | {player}
    needed = set(PLAYERS) if opponent is None else {opponent.side.other}  # the table has no say in it
    if agreed >= needed:
        _show(turn, None)
        turn.judge(VOID)
    else:
        _show(turn, replace(menu, agreed=agreed))


def _take_game(turn: Turn, menu: Menu, item: str) -> None:
    """A line of the game menu, of one below it, or of the menu after a game."""
    table = turn.table
    match menu.page, item:
        case (At.GAME, Item.ROUND_AGAIN):
            return _show(turn, Menu(At.AGAIN, ()))
        case (At.GAME, Item.HOW_TO):
            return _show(turn, Menu(At.HOW_TO, howto.pages(table)))
        case (At.GAME, Item.HINT):
            return advice.ask_for_hint(turn)
        case (At.OVER, Item.POINTS):
            return advice.ask_for_points(turn)
        case (At.GAME, Item.NAME_TAG):
            return _show(turn, Menu(At.TAG, (Item.GO_ON, *map(str, unseen_ranks(table)))))
        case (At.GAME, Item.END_GAME):
            return _show(turn, Menu(At.END, (Item.GO_ON, Item.END_GAME)))
    _show(turn, None)
    match menu.page, item:
        case (At.GAME, Item.ROW_MIXED):
            laying.learn(turn)
        case (At.GAME, Item.MAIN_MENU):
            games.leave(turn)
        case (At.GAME, Item.ON_WITH_BOARD):
            games.on_with_board(turn)
        case (At.END, Item.END_GAME) | (At.OVER, Item.MAIN_MENU):
            games.end(turn)
        case (At.OVER, Item.PLAY_AGAIN):
            games.begin_again(turn)
        case (At.TAG, rank) if rank != Item.GO_ON:
            assert table.unknown_tag is not None
            games.name_tag(turn, table.unknown_tag, longest_unread(table, int(rank)))


def _take_main(turn: Turn, menu: Menu, item: str) -> None:
    """A line of the main menu or of one below it: there is no game to fall back on."""
    table = turn.table
    match item:
        case Item.RESUME:
            games.resume(turn)
        case Item.TEACH:
            games.teach(turn)
        case Item.SETTINGS:
            turn.table = open_settings(table)
        case Item.CHECK:
            turn.effects.append(CheckParts())
        case Item.BACK:
            turn.table = open_main(table, table.offer)
        case _ if menu.page == At.CHECKED:
            _show(turn, Menu(At.REMEDY, (item,)))
        case _ if menu.page == At.REMEDY:
            turn.table = open_checked(table, table.checked, int(item.removeprefix(ROW)) + 1)
        case Item.SWITCH_OFF if menu.page == At.SETTINGS:
            _show(turn, Menu(At.OFF, (Item.BACK, Item.SWITCH_OFF)))
        case Item.SWITCH_OFF:
            turn.effects.append(SwitchOff())
        case Item.VERSION:
            pass  # a line that is only to be read
        case _ if menu.page == At.SETTINGS:
            settings = next_value(table.settings, Setting(item))
            turn.table = open_settings(replace(table, settings=settings), menu.chosen)
            turn.effects.append(KeepSettings(settings))
        case _:
            games.begin_in(turn, Mode(item))


def _take_solo(turn: Turn, menu: Menu, item: str) -> None:
    """Against the table: how strong, which side, and the game begins."""
    if item == Item.BACK:
        turn.table = open_main(turn.table, turn.table.offer)
    elif menu.page == At.LEVEL:
        _show(turn, Menu(At.SIDE, tuple(f"{player} {item}" for player in PLAYERS)))
    elif menu.page == At.SIDE:
        person, level = item.split(" ")
        games.begin_solo(turn, Player(person).other, level)
    else:
        turn.table = open_levels(turn.table)

"""The menus on the screen: `yay`'s button goes to the next line, `wow`'s takes it. Pure.

`press` gives the table with the menu as it becomes, and what was chosen, if that is more than a page.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from engine.cards import MAX_RANK, PLAYERS, YAY, Card, Player
from engine.rules import Mode
from firmware.table import Menu, Stage, Table
from hardware.ports import Press


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


Choice = Void | EndGame | NewGame | NameTag


class At(StrEnum):
    """The pages of the menus."""

    GAME = "game"
    AGAIN = "again"  # this round again: both confirm
    END = "end"  # end the game: surely?
    TAG = "tag"  # which rank has the unknown tag?
    MAIN = "main"  # which game?
    OVER = "over"


class Item(StrEnum):
    """The lines of the menus, but for modes and ranks, which stand for themselves."""

    GO_ON = "go on"
    ROUND_AGAIN = "round again"
    NAME_TAG = "name tag"
    END_GAME = "end game"
    PLAY_AGAIN = "play again"
    MAIN_MENU = "main menu"


def toggle(table: Table) -> Table:
    """Both buttons were held: open the game menu, or close what is open. The main menu stays."""
    if table.stage is Stage.MAIN_MENU:
        return table
    if table.menu is not None:
        return replace(table, menu=None)
    items = [Item.GO_ON]
    if table.stage is Stage.ROUND and table.game.rules.mode is not Mode.BOARD:
        items.append(Item.ROUND_AGAIN)
    if table.stranger is not None and unseen_ranks(table):
        items.append(Item.NAME_TAG)
    items.append(Item.END_GAME)
    # a card that still waits for its group was put down before the menu: it counts for nothing
    pads = [replace(pad, group=None) for pad in table.pads]
    return replace(table, menu=Menu(At.GAME, tuple(items)), pads=(pads[0], pads[1]))


def open_main(table: Table) -> Table:
    return replace(table, menu=Menu(At.MAIN, tuple(Mode)))


def open_over(table: Table) -> Table:
    return replace(table, menu=Menu(At.OVER, (Item.PLAY_AGAIN, Item.MAIN_MENU)))


def press(table: Table, player: Player, press: Press) -> tuple[Table, Choice | None]:
    """What a press does while a menu is open."""
    menu = table.menu
    assert menu is not None
    if press is Press.UNDO:  # back
        return (table if table.stage is Stage.MAIN_MENU else replace(table, menu=None)), None
    if menu.page == At.AGAIN:
        agreed = menu.agreed | {player}
        if agreed == set(PLAYERS):
            return replace(table, menu=None), Void()
        return replace(table, menu=replace(menu, agreed=agreed)), None
    if player is YAY:
        return replace(table, menu=replace(menu, chosen=(menu.chosen + 1) % len(menu.items))), None
    return _take(table, menu.page, menu.items[menu.chosen])


def _take(table: Table, page: str, item: str) -> tuple[Table, Choice | None]:
    closed = replace(table, menu=None)
    match page, item:
        case (At.GAME, Item.ROUND_AGAIN):
            return replace(table, menu=Menu(At.AGAIN, ())), None
        case (At.GAME, Item.NAME_TAG):
            return replace(table, menu=Menu(At.TAG, (Item.GO_ON, *map(str, unseen_ranks(table))))), None
        case (At.GAME, Item.END_GAME):
            return replace(table, menu=Menu(At.END, (Item.GO_ON, Item.END_GAME))), None
        case (At.END, Item.END_GAME) | (At.OVER, Item.MAIN_MENU):
            return closed, EndGame()
        case (At.OVER, Item.PLAY_AGAIN):
            return closed, NewGame(table.game.rules.mode)
        case (At.MAIN, mode):
            return closed, NewGame(Mode(mode))
        case (At.TAG, rank) if rank != Item.GO_ON and table.stranger is not None:
            return closed, NameTag(table.stranger, longest_unread(table, int(rank)))
    return closed, None


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

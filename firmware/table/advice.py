"""Advice at the table: asked for in a menu, worked out elsewhere, and shown when it comes. Pure."""

from __future__ import annotations

from dataclasses import replace

from firmware.bots.advice import Advice
from firmware.table.effects import AskHint, AskPoints
from firmware.table.menus import At, Item, view_for_hint
from firmware.table.state import Menu, Table
from firmware.table.turn import Turn

PAGES_OF_A_POINT = 2


def ask_for_hint(turn: Turn) -> None:
    """Ask what whoever plays alone may best play now; the page says that it is awaited."""
    view = view_for_hint(turn.table)
    assert view is not None  # the line was there, so there is something to choose
    _await(turn, At.HINT)
    turn.effects.append(AskHint(view))


def ask_for_points(turn: Turn) -> None:
    """Ask what the game that is over has turned on."""
    _await(turn, At.POINTS)
    turn.effects.append(AskPoints())


def _await(turn: Turn, page: At) -> None:
    turn.table = replace(turn.table, menu=Menu(page, (Item.BACK,)), advice=None)


def told(table: Table, advice: Advice) -> Table:
    """The advice has come: it is shown where it is still awaited, each turning point on pages of its own."""
    menu = table.menu
    if menu is None or menu.page not in (At.HINT, At.POINTS) or table.advice is not None:
        return table
    pages = tuple(map(str, range(PAGES_OF_A_POINT * len(advice)))) if isinstance(advice, tuple) else ()
    return replace(table, advice=advice, menu=Menu(menu.page, pages or (Item.BACK,)))

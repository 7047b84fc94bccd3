"""Pages of a game against the table, with the widest values, for the tests of what fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engine.board import DEFAULT_BOARD, Board
from engine.cards import Card
from engine.round import Phase
from engine.rules import Rules
from firmware.table.effects import Think
from firmware.table.menus import Item, open_main
from firmware.table.state import Decision
from tests.support.at_table import AtTable
from tests.support.solo_table import SoloTable

NINE = Rules(board=Board((9,) * 7, DEFAULT_BOARD.arrows))
MINE, ROW = "3a 4a 5a 6a 7a 8a 9a 10a 11a", "3b 4b 5b 6b 7b 8b 9b 10b 12a"


WIDEST = (1, 2, 4, 5, 7, 8)  # places: as many as can be told without a run of three


def _discards(places: tuple[int, ...]) -> Callable[[Think], list[Card]]:
    """A mind that discards the cards of these places, duels with its highest, and else plays its lowest."""

    def mind(asked: Think) -> list[Card]:
        hand = sorted(asked.view.hand)
        if asked.view.phase is Phase.REPLACE:
            return [hand[place - 1] for place in places]
        return hand[-1:] if asked.view.phase is Phase.DUEL else hand[:1]

    return mind


def _dealt(places: tuple[int, ...] = ()) -> SoloTable:
    at = SoloTable.begun(_discards(places), NINE)
    at.deal(MINE, ROW)
    return at


def _dealing() -> SoloTable:
    at = SoloTable.begun(None, NINE)
    at.play("yay", "3a")
    at.play("wow", "12a")
    return at


def _laying() -> SoloTable:
    at = _dealt(WIDEST)
    at.think()
    return at


def _drawing() -> SoloTable:
    at = _laying()
    at.lay(*WIDEST)
    return at


def _turn_it() -> SoloTable:
    at = _dealt((*WIDEST, 9))
    at.think()
    at.lay(9, leave=True)
    return at


def _resumed() -> SoloTable:
    at = _laying()
    at.lay(*WIDEST)
    at.menu()
    at.take(Item.MAIN_MENU)
    at.take(Item.RESUME)
    return at


def _failed(stand_in: str = "") -> SoloTable:
    at = SoloTable.begun(None, NINE)
    at.deal(MINE, ROW)
    at.happen(Decision(at.opponent.asked, (), at.now_ms, failed=True, stand_in=stand_in))
    return at


def _duel() -> SoloTable:
    at = _dealt()
    at.think()
    at.ok("yay")
    at.think()
    return at


def _after_duel(wait_ms: int) -> SoloTable:
    at = _duel()
    at.lay(9)
    at.play("yay", "3a")
    at.lift_all()
    at.wait(wait_ms)
    at.table = replace(at.table, told=None)
    return at


def _attacked() -> SoloTable:
    """The person has won the duel, and attacks."""
    at = SoloTable.begun(lambda asked: [] if asked.view.phase is Phase.REPLACE else sorted(asked.view.hand)[:1], NINE)
    at.deal(MINE, ROW)
    at.think()
    at.ok("yay")
    at.think()
    at.lay(1)
    at.play("yay", "11a")
    at.lift_all()
    at.wait(5000)
    at.play("yay", "3a")
    return at


def _learning() -> SoloTable:
    at = _dealt()
    at.menu()
    at.take(Item.ROW_MIXED)
    return at


def _menu(*then: str) -> AtTable:
    at = SoloTable.begun(None, NINE)
    at.table = open_main(at.table, None)
    for item in then:
        at.take(item)
    return at


def _game_menu() -> SoloTable:
    at = _dealt()
    at.menu()
    return at


WIDE_SOLO: dict[str, Callable[[], AtTable]] = {
    "solo-deal": _dealing,
    "solo-replace": _dealt,
    "solo-discards": _laying,
    "solo-turn": _turn_it,
    "solo-draw": _drawing,
    "solo-duel": _duel,
    "solo-thinks": lambda: _after_duel(0),
    "solo-attack": lambda: _after_duel(5000),
    "solo-attacked": _attacked,
    "solo-learn": _learning,
    "solo-resumed": _resumed,
    "solo-failed": _failed,
    "solo-stand-in": lambda: _failed("good"),
    "solo-game-menu": _game_menu,
    "solo-level": lambda: _menu(Item.SOLO),
    "solo-side": lambda: _menu(Item.SOLO, "strong"),
}

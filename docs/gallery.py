"""Draw the pictures of docs/: the screen's pages and the strip's states, rendered from the product's own code.

Run by `make gallery`. The states are made by playing, as people would, at the table of the tests.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PIL import Image

from engine.board import DEFAULT_BOARD
from engine.cards import Player
from engine.players.advice import Hint, Reason
from engine.round import Phase
from engine.rules import Mode, Rules, Tie
from firmware.bots.advice import Advice, CostlyPlay
from firmware.screen.drawing import draw, enlarge, in_turn
from firmware.table.findings import Row, State
from firmware.table.menus import Item, open_checked
from firmware.table.state import Advised, Stage
from firmware.table.teaching import Teaching
from firmware.views.pages import page_of
from firmware.words import LANGUAGES, words
from hardware.ports import Health, PartState
from tests.support.at_table import AtTable, referee_in_attack

OUT = Path(__file__).parent / "screens"
SHEET_COLUMNS = 3


def _deal(count: int = 0) -> AtTable:
    at = AtTable.of(Rules())
    cards = [f"{rank}{copy}" for rank in (3, 4, 5, 6) for copy in "abcde"]
    for number in range(count):
        at.play("yay" if number % 2 == 0 else "wow", cards[number])
        at.lift_all()
    return at


def _replacing() -> AtTable:
    at = _deal(14)
    at.play("yay", "3a", "3c")
    at.lift_all()
    return at


def _drawing() -> AtTable:
    at = _replacing()
    at.ok("wow")
    at.ok("yay")
    at.play("yay", "9a")
    at.wait(9000)
    return at


def _single_arrow() -> AtTable:
    at = AtTable.of(Rules(mode=Mode.REFEREE))
    at.menu()
    at.take("round again")
    at.ok("yay")
    at.ok("wow")
    at.ok("yay")  # the pads are clear
    at.ok("yay")
    at.ok("wow")
    return at


def _duel(*cards: tuple[str, str]) -> AtTable:
    at = AtTable.of(Rules(mode=Mode.REFEREE))
    for player in ("yay", "wow", "yay", "wow"):
        at.ok(player)
    for player, card in cards:
        at.put(player, card)
        at.wait(400)
    return at


def _attack(*plays: tuple[str, str], wait_ms: int = 0) -> AtTable:
    at = referee_in_attack()
    at.wait(9000)
    for player, cards in plays:
        if cards == "ok":
            at.ok(player)
        elif cards == "undo":
            at.undo(player)
        else:
            at.play(player, *cards.split())
    at.wait(wait_ms)
    return at


def _late_foul() -> AtTable:
    at = _attack(("yay", "9a"), ("wow", "8a"))
    at.lift_all()
    at.play("yay", "10a")
    at.play("wow", "3a")
    return at


def _showdown(*cards: tuple[str, str], tie: Tie = Tie.REDEAL) -> AtTable:
    board = type(DEFAULT_BOARD)((2,) * 7, DEFAULT_BOARD.arrows)
    at = AtTable.of(Rules(mode=Mode.REFEREE, board=board, tie=tie))
    for player in ("yay", "wow", "yay", "wow"):
        at.ok(player)
    at.play("yay", "8a")
    at.play("wow", "3a")
    at.lift_all()
    at.wait(4000)
    for player, card in cards:
        at.put(player, card)
        at.wait(400)
    return at


def _board(*winners: str, wait_ms: int = 0) -> AtTable:
    at = AtTable.of(Rules(mode=Mode.BOARD))
    for winner in winners:
        at.ok(winner)
        at.wait(2000)
    at.wait(wait_ms)
    return at


def _clear(left: bool) -> AtTable:
    at = _showdown(("yay", "5a"), ("wow", "6a"))
    if not left:
        at.lift_all()
    at.wait(9000)
    return at


def _menu(*items: str) -> AtTable:
    at = referee_in_attack()
    at.put_tag("yay", "04112233445566")
    at.menu()
    for item in items:
        at.take(item)
    return at


def _two_cards() -> AtTable:
    at = _attack(("yay", "7a"))
    at.put("wow", "8a", "9a")
    at.wait(400)
    return at


def _crowd() -> AtTable:
    at = _attack()
    at.crowd("wow", True)
    return at


def _unknown(uid: str) -> AtTable:
    at = _attack()
    at.put_tag("wow", uid)
    return at


def _holding() -> AtTable:
    at = _attack(("yay", "7a"))
    at.hold("yay")
    at.wait(400)
    return at


def _broken() -> AtTable:
    at = _attack(("yay", "7a"))
    at.happen(PartState("strip", Health.LOST, "unplugged", at.now_ms))
    return at


def _teaching(rank: int, *counts: int) -> AtTable:
    """A deck being taught: this many cards of each rank, `rank` asked for now."""
    at = AtTable.of(Rules())
    ranks = [rank for rank, count in enumerate(counts, 1) for _ in range(count)]
    taught = tuple((bytes((4, 1, number // 256, number % 256)), rank) for number, rank in enumerate(ranks))
    at.table = replace(at.table, stage=Stage.TEACHING, teaching=Teaching(rank, taught))
    return at


def _how_to(at: AtTable, page: int = 1) -> AtTable:
    at.menu()
    at.take(Item.HOW_TO)
    for _ in range(page - 1):
        at.ok("yay")
    return at


def _over_menu() -> AtTable:
    at = _board("wow", "wow", "wow", "wow", wait_ms=9000)
    at.ok("yay")
    return at


def _won() -> AtTable:
    """A game of play mode that is over, as its menu is open."""
    at = _over_menu()
    rules = replace(at.table.game.rules, mode=Mode.PLAY)
    at.table = replace(at.table, game=replace(at.table.game, rules=rules), menu=None)
    at.ok("yay")
    return at


def _alone() -> AtTable:
    """The game menu of whoever plays alone."""
    at = _replacing()
    at.table = replace(at.table, alone=Player.WOW)
    at.menu()
    return at


def _hint(advice: Advice | None) -> AtTable:
    at = _alone()
    at.take(Item.HINT)
    if advice is not None:
        at.happen(Advised(advice, at.now_ms))
    return at


COSTLY = CostlyPlay(3, Player.YAY, Phase.ATTACK, (), (9, 9), (7,), 23, 8)


def _points(*points: CostlyPlay, page: int = 1) -> AtTable:
    at = _won()
    at.take(Item.POINTS)
    at.happen(Advised(points, at.now_ms))
    for _ in range(page - 1):
        at.ok("yay")
    return at


def _checked(*take: str) -> AtTable:
    at = _menu("end game", "end game")
    rows = (
        Row("pad yay", State.OK, "MFRC522, version 0x92"),
        Row("strip", State.FAULT, "no answer", "Look at the Pico's USB plug, then run: tacocat flash"),
    )
    at.table = open_checked(at.table, rows)
    for item in take:
        at.take(item)
    return at


PAGES: dict[str, Callable[[], AtTable]] = {
    "clear-shuffle": lambda: AtTable.of(Rules(), Stage.CLEAR),
    "deal": lambda: _deal(5),
    "deal-referee": lambda: AtTable.of(Rules(mode=Mode.REFEREE)),
    "replace-both": _replacing,
    "replace-draw": _drawing,
    "replace-one": _single_arrow,
    "duel-waiting": lambda: _duel(("yay", "9a")),
    "duel-decided": lambda: _duel(("yay", "9a"), ("wow", "12a")),
    "duel-tied": lambda: _duel(("yay", "9a"), ("wow", "9b")),
    "attack": _attack,
    "attack-card-laid": lambda: _attack(("yay", "7a"), wait_ms=9000),
    "attack-sequence": lambda: _attack(("yay", "3a 4a 5a"), wait_ms=9000),
    "attack-no-sequence": lambda: _attack(("yay", "3a 9a"), ("yay", "ok")),
    "attack-too-quick": lambda: _attack(("yay", "3a 4a"), ("wow", "8a")),
    "defend": lambda: _attack(("yay", "7a 7b 7c"), ("yay", "ok"), ("wow", "8a"), wait_ms=9000),
    "defend-held": lambda: _attack(("yay", "7a"), ("wow", "8a")),
    "defend-gave-up": lambda: _attack(("yay", "7a"), ("wow", "3a")),
    "late-foul": _late_foul,
    "not-your-turn": lambda: _attack(("wow", "8a")),
    "one-card-too-many": _two_cards,
    "too-many-cards": _crowd,
    "unknown-tag": lambda: _unknown("04deadbeef0102"),
    "phone": lambda: _unknown("0824a937"),
    "taken-back": lambda: _attack(("yay", "7a 7b"), ("yay", "undo"), wait_ms=9000),
    "undo-bar": _holding,
    "showdown": _showdown,
    "showdown-waiting": lambda: _showdown(("wow", "6a")),
    "showdown-won": lambda: _showdown(("yay", "5a"), ("wow", "6a")),
    "showdown-tie": lambda: _showdown(("yay", "5a"), ("wow", "5b")),
    "clear-pads": lambda: _clear(True),
    "next-round": lambda: _clear(False),
    "game-over": lambda: _board("wow", "wow", "wow", "wow", wait_ms=9000),
    "board": lambda: _board("wow", "yay", wait_ms=9000),
    "menu-game": _menu,
    "menu-again": lambda: _menu("round again"),
    "menu-tag": lambda: _menu("name tag"),
    "how-to-clear": lambda: _how_to(_clear(True)),
    "how-to-deal": lambda: _how_to(_deal(5)),
    "how-to-deal-referee": lambda: _how_to(AtTable.of(Rules(mode=Mode.REFEREE))),
    "how-to-replace": lambda: _how_to(_replacing(), 2),
    "how-to-duel": lambda: _how_to(_duel()),
    "how-to-attack": lambda: _how_to(_attack()),
    "how-to-defend": lambda: _how_to(_attack(("yay", "7a"), ("yay", "ok")), 2),
    "how-to-showdown": lambda: _how_to(_showdown(), 2),
    "how-to-board": lambda: _how_to(_board("wow"), 2),
    "menu-alone": _alone,
    "hint-awaited": lambda: _hint(None),
    "hint": lambda: _hint(Hint((4, 6), Reason.MIDDLE, None)),
    "menu-won": _won,
    "turning-point": lambda: _points(COSTLY, COSTLY, COSTLY),
    "turning-point-cost": lambda: _points(COSTLY, COSTLY, COSTLY, page=2),
    "no-turning-point": _points,
    "menu-end": lambda: _menu("end game"),
    "menu-main": lambda: _menu("end game", "end game"),
    "checked": _checked,
    "checked-remedy": lambda: _checked("row 1"),
    "menu-settings": lambda: _menu(Item.MAIN_MENU, Item.SETTINGS),
    "menu-over": _over_menu,
    "teach": lambda: _teaching(3, 1, 2, 4),
    "taught": lambda: _teaching(13, 1, 2, 5, 5, 5, 5, 4, 3, 3, 2, 2, 1),
    "strip-lost": _broken,
}


def picture_of(at: AtTable, language: str) -> Image.Image:
    """The page of this table, large, in that language."""
    table = replace(at.table, settings=replace(at.table.settings, language=language))
    return enlarge(draw(in_turn(page_of(table, at.now_ms, words(language)), at.now_ms)), 3)


def sheet_of(pictures: list[Image.Image]) -> Image.Image:
    """All pictures on one, in rows."""
    wide, high = pictures[0].size
    rows = -(-len(pictures) // SHEET_COLUMNS)
    gap = 12
    sheet = Image.new("RGB", (SHEET_COLUMNS * (wide + gap) + gap, rows * (high + gap) + gap), (40, 34, 30))
    for number, picture in enumerate(pictures):
        x, y = number % SHEET_COLUMNS, number // SHEET_COLUMNS
        sheet.paste(picture, (gap + x * (wide + gap), gap + y * (high + gap)))
    return sheet


def main() -> None:
    OUT.mkdir(exist_ok=True)
    tables = {name: make() for name, make in PAGES.items()}
    for name, at in tables.items():
        picture_of(at, "en").save(OUT / f"{name}.png")
    for language in LANGUAGES:
        sheet_of([picture_of(at, language) for at in tables.values()]).save(OUT / f"all-{language}.png")


if __name__ == "__main__":
    main()

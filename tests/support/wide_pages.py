"""Tables whose pages hold the widest values: hands of 12, ranks of two digits, every note, every part broken.

Together with the gallery's they say every text of the program; test_words_fit.py holds that they do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from docs.gallery import PAGES
from engine.board import DEFAULT_BOARD
from engine.cards import WOW, YAY, Card, Player, parse_deck
from engine.players.advice import Hint, Reason
from engine.players.solving import Hand
from engine.round import Phase
from engine.rules import LateFoul, Mode, Rules, Tie
from engine.verdict import Foul, Pairing, Problem, Result, Trick, Verdict
from firmware.bots.advice import Advice, CostlyPlay, NoAdvice
from firmware.kept.settings import Settings
from firmware.table import howto
from firmware.table.menus import At, Item, open_main
from firmware.table.state import Advised, Menu, Offer, Remark, Stage, Table, Told
from firmware.table.teaching import Teaching
from hardware.ports import Health, PartState
from tests.support.at_table import AtTable
from tests.support.wide_solo import WIDE_SOLO

HAND = 12
DECK = parse_deck("1x2 10x20 11x20 12x20")
BOARD = replace(DEFAULT_BOARD, hand_sizes=(HAND,) * 7)
PARTS = ("pad yay", "pad wow", "disk", "strip", "screen")
COPIES = "abcdefghijklmnopqrst"
TWELVE, ELEVEN = Card(12, "a"), Card(11, "a")


def _begun(mode: Mode, number: int = 10) -> AtTable:
    at = AtTable.of(Rules(mode=mode, deck=DECK, board=BOARD))
    at.table = replace(at.table, game=replace(at.table.game, number=number))
    return at


def _lay(at: AtTable, player: Player, cards: int, rank: int = 12, first: int = 0) -> None:
    at.play(player, *(f"{rank}{COPIES[first + number]}" for number in range(cards)))


def _deal(yay: int = HAND, wow: int = HAND - 1) -> AtTable:
    at = _begun(Mode.PLAY)
    _lay(at, YAY, yay)
    _lay(at, WOW, wow, 11)
    at.lift_all()
    return at


def _replace_both() -> AtTable:
    at = _deal(HAND, HAND)
    _lay(at, YAY, 11)
    _lay(at, WOW, 10, 11)
    return at


def _drawing() -> AtTable:
    at = _replace_both()
    at.ok("yay"), at.ok("wow")
    at.lift_all()
    _lay(at, YAY, 11, 10)
    _lay(at, WOW, 9, 10, 11)
    return at


def _both_replace(*done: str) -> AtTable:
    at = _replace_both()
    for player in done:
        at.ok(player)
    at.wait(9000)
    return at


def _full_pad() -> AtTable:
    at = _attack(5)
    at.wait(9000)
    return at


def _before_ok() -> AtTable:
    at = _begun(Mode.REFEREE)
    at.table = replace(at.table, stage=Stage.CLEAR)
    at.put("wow", "12a")
    at.lift_all()
    return at


def _one_replaces(mode: Mode, cards: int, then: str = "") -> AtTable:
    """Round 2, where the arrow points at wow, who replaces some cards."""
    board = replace(BOARD, arrows=(*BOARD.arrows[:3], BOARD.arrows[0], *BOARD.arrows[4:]))
    at = AtTable.of(Rules(mode=mode, deck=DECK, board=board))
    at.menu()
    at.take(Item.ROUND_AGAIN)
    at.ok("yay"), at.ok("wow")
    at.ok("yay")
    if mode is Mode.PLAY:
        _lay(at, YAY, HAND)
        _lay(at, WOW, HAND, 11)
        at.lift_all()
    else:
        at.ok("yay"), at.ok("wow")
    _lay(at, WOW, cards, 11)
    for player in then.split():
        at.ok(player)
    return at


def _duel(*cards: tuple[Player, Card], wait_ms: int = 0) -> AtTable:
    at = _begun(Mode.REFEREE)
    for player in ("yay", "wow", "yay", "wow"):
        at.ok(player)
    for player, card in cards:
        at.put(player, str(card))
        at.wait(400)
    at.wait(wait_ms)
    return at


def _attack(cards: int = 0, then_ok: bool = False, answers: int = 0) -> AtTable:
    """WOW attacks with twelves, and YAY answers."""
    at = _duel((YAY, Card(10, "t")), (WOW, Card(12, "t")), wait_ms=9000)
    at.lift_all()
    at.wait(1000)
    _lay(at, WOW, cards)
    if then_ok:
        at.ok("wow")
    _lay(at, YAY, answers, 11)
    return at


def _sequence() -> AtTable:
    at = AtTable.of(Rules(mode=Mode.REFEREE, board=replace(DEFAULT_BOARD, hand_sizes=(9,) * 7)))
    for player in ("yay", "wow", "yay", "wow"):
        at.ok(player)
    at.play("yay", "1a"), at.play("wow", "9a")
    at.lift_all()
    at.wait(1000)
    at.play("wow", "6a", "7a", "8a", "9b", "10a", "11a", "12a")
    at.ok("wow")
    return at


def _showdown(*cards: tuple[Player, Card], wait_ms: int = 0) -> AtTable:
    at = AtTable.of(Rules(mode=Mode.REFEREE, deck=DECK, board=replace(BOARD, hand_sizes=(2,) * 7)))
    at.table = replace(at.table, game=replace(at.table.game, number=10))
    for player in ("yay", "wow", "yay", "wow"):
        at.ok(player)
    at.play("yay", "11t"), at.play("wow", "12t")
    at.lift_all()
    at.wait(9000)
    for player, card in cards:
        at.put(player, str(card))
        at.wait(400)
    at.wait(wait_ms)
    return at


def _board(number: int = 10, *winners: str, arrow: int = 4) -> AtTable:
    at = _begun(Mode.BOARD)
    for winner in winners:
        at.ok(winner)
        at.wait(9000)
    at.table = replace(at.table, game=replace(at.table.game, number=number))
    return at


def _over_for_good() -> AtTable:
    """A game whose end cannot be taken back, as after a late foul that lost it."""
    at = _board(10, "wow", "wow", "wow", "wow")
    at.table = replace(at.table, latest=None)
    return at


def _main_menu(settings: Settings, then: str = "") -> AtTable:
    at = _begun(Mode.REFEREE)
    at.table = replace(at.table, settings=settings, can_switch_off=True)
    at.table = open_main(at.table, Offer(at.table.game))
    for item in then.split(","):
        if item:
            at.take(item)
    return at


def _game_menu() -> AtTable:
    at = _attack(3)
    at.put_tag("yay", "04112233445566")
    at.happen(PartState("pad wow", Health.LOST, "no answer", at.now_ms))
    at.menu()
    return at


def _agreed() -> AtTable:
    at = _attack()
    at.menu()
    at.take(Item.ROUND_AGAIN)
    at.ok("wow")
    return at


def _taught(rank: int, *counts: int) -> AtTable:
    at = _begun(Mode.PLAY)
    ranks = [rank for rank, count in enumerate(counts, 1) for _ in range(count)]
    taught = tuple((bytes((4, 1, number // 256, number % 256)), rank) for number, rank in enumerate(ranks))
    at.table = replace(at.table, stage=Stage.TEACHING, menu=None, teaching=Teaching(rank, taught))
    return at


USUAL = (1, 2, 5, 5, 5, 5, 4, 3, 3, 2, 2, 1)
ALL_SET = Settings("el", False, 100, Tie.ARROW, LateFoul.FORFEIT, True, False)

# Every text of how to play, from its module's tables.
HOW_TO = tuple(
    text
    for name, table in vars(howto).items()
    if name.isupper() and isinstance(table, str | tuple)
    for text in ((table,) if isinstance(table, str) else table)
)


def _how_to(text: str) -> AtTable:
    at = _begun(Mode.PLAY)
    at.table = replace(at.table, menu=Menu(At.HOW_TO, (text,) * 5, 4))
    return at


ALL_RANKS = tuple(range(1, 13))
SIX = (10, 10, 11, 11, 12, 12)
TWO_OF_MOST = (1, 2, 2, 4, 4, 7, 7, 10, 10, 11, 12, 12)


def _advised(advice: Advice) -> AtTable:
    """With what comes after a hint or the turning points were asked for."""
    at = _begun(Mode.PLAY)
    page = At.POINTS if isinstance(advice, tuple) else At.HINT
    at.table = replace(at.table, menu=Menu(page, (Item.BACK,)))
    at.happen(Advised(advice, at.now_ms))
    return at


def _point(phase: Phase, attack: Hand, played: Hand, better: Hand, page: int = 0) -> AtTable:
    at = _advised((CostlyPlay(10, WOW, phase, attack, played, better, 100, 100),) * 3)
    for _ in range(page):
        at.ok("yay")
    return at


def _hints() -> dict[str, Callable[[], AtTable]]:
    """Each reason, with the most cards that it can speak for."""
    most = dict.fromkeys(Reason, SIX) | {Reason.KEEP: (), Reason.MIDDLE: (4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9)}
    most |= {Reason.DRAW: TWO_OF_MOST, Reason.MANY: ALL_RANKS[:-1]}
    most |= dict.fromkeys((Reason.FIRST, Reason.SPARE, Reason.END, Reason.HIGH_LATER), (12,))
    return {f"hint-{reason}": partial(_advised, Hint(ranks, reason, None)) for reason, ranks in most.items()}


WIDE: dict[str, Callable[[], AtTable]] = {
    "deal": _deal,
    "deal-referee": lambda: _begun(Mode.REFEREE),
    "replace-both": _replace_both,
    "replace-draw": _drawing,
    "replace-both-wow-draws": lambda: _both_replace("wow"),
    "replace-both-draw": lambda: _both_replace("yay", "wow"),
    "pad-full": _full_pad,
    "before-ok": _before_ok,
    "replace-one-first": lambda: _one_replaces(Mode.REFEREE, 0),
    "replace-one-more": lambda: _one_replaces(Mode.REFEREE, 11),
    "replace-one-full": lambda: _one_replaces(Mode.REFEREE, 12),
    "replace-one-then-draw": lambda: _one_replaces(Mode.PLAY, 11),
    "replace-one-draws": lambda: _one_replaces(Mode.PLAY, 11, "wow"),
    "replace-other": lambda: _one_replaces(Mode.REFEREE, 11, "wow"),
    "replace-other-none": lambda: _one_replaces(Mode.REFEREE, 0, "wow"),
    "duel": _duel,
    "duel-yay-laid": lambda: _duel((YAY, TWELVE)),
    "duel-wow-laid": lambda: _duel((WOW, TWELVE)),
    "duel-wow-first": lambda: _duel((YAY, ELEVEN), (WOW, TWELVE)),
    "duel-yay-first": lambda: _duel((YAY, TWELVE), (WOW, ELEVEN)),
    "duel-tied": lambda: _duel((YAY, TWELVE), (WOW, Card(12, "b"))),
    "attack": _attack,
    "attack-one": lambda: _attack(1),
    "attack-many": lambda: _attack(11),
    "defend-one": lambda: _attack(1, True),
    "defend-six": lambda: _attack(6, True, 5),
    "defend-many": lambda: _attack(11, True, 10),
    "defend-sequence": _sequence,
    "showdown": _showdown,
    "showdown-yay-laid": lambda: _showdown((YAY, TWELVE)),
    "showdown-wow-laid": lambda: _showdown((WOW, TWELVE)),
    "showdown-wow-wins": lambda: _showdown((YAY, TWELVE), (WOW, ELEVEN)),
    "showdown-tied": lambda: _showdown((YAY, TWELVE), (WOW, Card(12, "b"))),
    "clear-pads": lambda: _showdown((YAY, TWELVE), (WOW, ELEVEN), wait_ms=5000),
    "board": _board,
    "board-wow-won": lambda: _board(10, "wow"),
    "board-yay-won": lambda: _board(10, "yay"),
    "board-over": lambda: _board(10, "wow", "wow", "wow", "wow"),
    "board-over-for-good": _over_for_good,
    "menu-game": _game_menu,
    "menu-agreed": _agreed,
    **{f"how-to-{number}": lambda text=text: _how_to(text) for number, text in enumerate(HOW_TO)},
    **_hints(),
    "no-hint": lambda: _advised(NoAdvice.NOTHING),
    "hint-failed": lambda: _advised(NoAdvice.FAILED),
    "point-replace": lambda: _point(Phase.REPLACE, (), TWO_OF_MOST, ()),
    "point-replace-other": lambda: _point(Phase.REPLACE, (), TWO_OF_MOST[:-1], TWO_OF_MOST),
    "point-duel": lambda: _point(Phase.DUEL, (), (12,), (10,)),
    "point-attack": lambda: _point(Phase.ATTACK, (), ALL_RANKS[:-1], SIX),
    "point-defend": lambda: _point(Phase.DEFEND, SIX, SIX, SIX),
    "point-cost": lambda: _point(Phase.DEFEND, SIX, SIX, SIX, 5),
    "menu-main": lambda: _main_menu(ALL_SET),
    "menu-settings": lambda: _main_menu(ALL_SET, "settings"),
    "menu-settings-as-built": lambda: _main_menu(Settings(), "settings"),
    "menu-off": lambda: _main_menu(ALL_SET, "settings,switch off"),
    "teach": lambda: _taught(12, *(25,) * 12),
    "teach-first": lambda: _taught(1),
    "taught-few": lambda: _taught(13, 1, 2, 1),
    "taught-usual": lambda: _taught(13, *USUAL),
    "taught-odd": lambda: _taught(13, *(26,) * 12),
}


def _verdict(verdict: Verdict, **told: object) -> Told:
    return Told(0, verdict=verdict, **{"player": WOW, "card": TWELVE, **told})  # type: ignore[arg-type]


def _trick(sacrificed: int) -> Told:
    six = tuple(Card(12, copy) for copy in "abcdef")
    return _verdict(Verdict(trick=Trick(YAY, six, six, sacrificed)))


def notes() -> Iterator[Told]:
    """Everything that can have happened, with the widest values."""
    six = tuple(Card(12, copy) for copy in "abcdef")
    yield _trick(0)
    yield _trick(6)
    for problem in Problem:
        verdict = Verdict(problem, attack=six, answer=six, limit=HAND)
        yield _verdict(verdict, phase=Phase.DUEL)  # the card lies face down
        yield _verdict(verdict, phase=Phase.ATTACK, uid=bytes.fromhex("08badbad"), too_quick=True)
        yield _verdict(verdict, phase=Phase.ATTACK, uid=bytes.fromhex("04deadbadbadbaaddeed"))
    for remark in Remark:
        places = tuple(range(1, 10))
        yield Told(0, WOW, remark=remark, card=TWELVE, uid=bytes.fromhex("04deadbadbadbaaddeed"), places=places)
    for winner in (None, WOW):
        yield _verdict(Verdict(duel=Pairing(TWELVE, TWELVE, winner)))
    for result in (Result.TIE, Result.WOW):
        yield _verdict(Verdict(showdown=Pairing(TWELVE, TWELVE, None), round_result=result))
    for verdict in (Verdict(kept_all=True), Verdict(round_result=Result.VOID), Verdict(undone=True)):
        yield _verdict(verdict)
    yield _verdict(Verdict(fouls=(Foul((WOW,), ((), (12,)), ELEVEN),)))
    yield _verdict(Verdict(fouls=(Foul((WOW,), ((), (12,))),)))
    yield _verdict(Verdict(fouls=(Foul((YAY, WOW), ((12,), (11,))),)))


def all_tables() -> Iterator[tuple[str, Table, int]]:
    """Name, table and time of every page: the gallery's and the wide ones."""
    for source, makers in (("gallery", PAGES), ("wide", WIDE), ("solo", WIDE_SOLO)):
        for name, make in makers.items():
            at = make()
            yield f"{source} {name}", at.table, at.now_ms


def with_faults(table: Table, health: Health = Health.LOST, parts: tuple[str, ...] = PARTS) -> Table:
    return replace(table, parts=tuple(PartState(part, health, "gone", 0) for part in parts))

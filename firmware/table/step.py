"""One step of the table: what a card, a press or the time does. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from engine.cards import PLAYERS, Player
from engine.events import ok_event, undo_event
from firmware.table import advice, games, laying, menus, picks, placing, solo
from firmware.table.effects import Effect, Sound
from firmware.table.state import (
    FOUND_MS,
    OVER_PAUSE_MS,
    Advised,
    Decision,
    Motion,
    Remark,
    Stage,
    Table,
    TableEvent,
    Tick,
)
from firmware.table.turn import Turn
from hardware.ports import Crowded, Health, Holding, Lifted, Noticed, PartState, Passed, Placed, Press, Pressed


def step(table: Table, event: TableEvent) -> tuple[Table, tuple[Effect, ...]]:
    """The table after `event`, and what is to be done. Never raises for anything that hands can do."""
    turn = Turn(table, event.at_ms)
    _take(turn, event)
    solo.attend(turn)
    if player := solo.releases_ok(turn):
        _ok(turn, player)
    return turn.table, tuple(turn.effects)


def _take(turn: Turn, event: TableEvent) -> None:
    if not isinstance(event, Tick | PartState | Decision):
        turn.table = replace(turn.table, woken_ms=turn.now_ms)
    placing.close_due_groups(turn)  # before the event: it came after them
    match event:
        case Tick():
            turn.table = menus.turn_page(turn.table, turn.now_ms)
        case PartState():
            _part(turn, event)
        case Advised():
            turn.table = advice.told(turn.table, event.advice)
        case Decision():
            solo.decided(turn, event)
        case Noticed() | Passed() | Placed() | Lifted() | Crowded():
            _on_pad(turn, Player(event.pad), event)
        case Holding():
            holding = None if event.since_ms is None else (Player(event.button), event.since_ms)
            turn.table = replace(turn.table, holding=holding)
        case Pressed():
            took_cards = _takes_cards(turn.table)
            _pressed(turn, event)
            if _takes_cards(turn.table) and not took_cards:  # what lies there since before this press is no play
                ignore_until_ms = max(turn.table.ignore_until_ms, turn.now_ms)
                turn.table = replace(turn.table, ignore_until_ms=ignore_until_ms)
        case _:
            assert_never(event)


def _on_pad(turn: Turn, player: Player, event: Noticed | Passed | Placed | Lifted | Crowded) -> None:
    match event:
        case Noticed():
            placing.noticed(turn, player, event.uid, event.at_ms)
        case Passed():
            placing.passed(turn, player, event.uid)
        case Placed():
            placing.placed(turn, player, event.uid, event.at_ms)
        case Lifted():
            placing.lifted(turn, player, event.uid)
        case Crowded():
            placing.crowded(turn, player, event.crowded)


def _part(turn: Turn, event: PartState) -> None:
    """A part says how it is."""
    others = tuple(part for part in turn.table.parts if part.part != event.part)
    turn.table = replace(turn.table, parts=(*others, event))
    for player in PLAYERS:
        if event.part == f"pad {player}":
            _reader(turn, player, event)


def _reader(turn: Turn, player: Player, event: PartState) -> None:
    """A reader that begins to work tells of cards that lay there before; it may fail again before it has told them."""
    pad = turn.table.pad(player)
    if pad.found_ms is None or event.at_ms <= pad.found_ms:
        found_ms = event.at_ms + FOUND_MS if event.health is Health.CONNECTED else None
        turn.set_pad(player, replace(pad, found_ms=found_ms))


# ---- buttons -------------------------------------------------------------------------------


def _takes_cards(table: Table) -> bool:
    """Whether a card that comes now can be a play."""
    return table.stage is Stage.ROUND and table.menu is None


def _pressed(turn: Turn, event: Pressed) -> None:
    if event.press is Press.MENU:
        turn.table = menus.toggle(turn.table)
        return
    assert event.button is not None
    player = Player(event.button)
    if turn.table.menu is not None:
        picks.press(turn, player, event.press)
    elif turn.table.stage is Stage.TEACHING:
        games.press_while_teaching(turn, event.press)
    elif event.press is Press.UNDO and turn.table.opponent is not None:
        laying.undo(turn, player)
    elif event.press is Press.UNDO:
        turn.judge(undo_event(player))  # also a showdown that ended the round or the game
    else:
        _ok(turn, player)


def _ok(turn: Turn, player: Player) -> None:
    table = turn.table
    if table.stage is Stage.CLEAR:
        if table.pads_clear:
            turn.table = replace(table, stage=Stage.ROUND, told=None, latest=None, late_foul=None, motion=Motion())
            turn.effects.append(Sound.ACCEPTED)
        else:
            turn.effects.append(Sound.REJECTED)
            turn.remark(Remark.CLEAR_FIRST, player)
    elif table.stage is Stage.OVER:
        if turn.now_ms >= table.over_ms + OVER_PAUSE_MS:
            turn.table = menus.open_over(table)
    else:
        if solo.keeps_ok(turn, player):
            return
        placing.confirm_coming(turn, player)
        if turn.table.pad(player).group is not None:
            placing.close_group(turn, player)
        if turn.table.game.phase is table.game.phase:  # else the waiting card has ended what the ok was meant for
            turn.judge(ok_event(player))

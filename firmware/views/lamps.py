"""When a button's lamp is lit: while that player's short press would do something. Pure."""

from __future__ import annotations

from engine.cards import YAY, Player
from engine.events import card_event
from engine.game import judge
from engine.round import Phase
from firmware.table import teaching
from firmware.table.menus import At, Item
from firmware.table.state import OVER_PAUSE_MS, Menu, Stage, Table


def can_ok(table: Table, player: Player, now_ms: int) -> bool:
    """Whether this player's ok would open, close, choose or begin something now."""
    if table.menu is not None:
        return _menu_obeys(table.menu, player)
    match table.stage:
        case Stage.CLEAR:
            return table.pads_clear
        case Stage.ROUND if table.opponent is not None and player is table.opponent.side:
            return False  # the table presses its own
        case Stage.ROUND if table.opponent is not None and (table.opponent.ok_waits or table.opponent.is_learning):
            return False
        case Stage.ROUND:
            return table.game.can_ok(player) or _closes_waiting_attack(table, player)
        case Stage.TEACHING:
            state = table.teaching
            return state is not None and not (state.complete and teaching.why_not(state, table.game.rules.board))
        case Stage.OVER:
            return now_ms >= table.over_ms + OVER_PAUSE_MS
    return False


def _menu_obeys(menu: Menu, player: Player) -> bool:
    if menu.page == At.AGAIN:
        return player not in menu.agreed
    if player is YAY:
        return len(menu.items) > 1
    return menu.items[menu.chosen] != Item.VERSION  # a line that is only to be read


def _closes_waiting_attack(table: Table, player: Player) -> bool:
    """Whether a single attacking card still waits for its group: an ok judges it, and then closes the attack."""
    state, group = table.game.round, table.pad(player).group
    if state.phase is not Phase.ATTACK or player is not state.attacker or group is None:
        return False
    if len(group.waiting) != 1 or not state.wanted(player):
        return False
    (card,) = group.waiting
    game, _ = judge(table.game, card_event(player, card))
    return game.can_ok(player)

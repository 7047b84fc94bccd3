"""What the person lays down for the table, whose hand they are: its cards, its row, and what is taken back. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from engine.cards import Card, Player
from engine.events import card_event, undo_event
from engine.game import Game, judge
from engine.round import Phase, Swap
from firmware.table.effects import NoteRow, Sound
from firmware.table.row import place_of, places_of, relearned
from firmware.table.state import NOTICE_MS, Remark, Stage, Table
from firmware.table.turn import Turn

READ_MS = 2000  # where a card belongs is still read for this time, once it has been lifted


def is_of_row(table: Table, player: Player, card: Card) -> bool:
    """Whether on this pad a card of the table's own lies, which it holds."""
    opponent = table.opponent
    return opponent is not None and player is opponent.side and card in table.game.round.hands[player.seat]


def takes(turn: Turn, player: Player, card: Card) -> bool:
    """A card that could be a play has come to lie on a pad: whether nothing more is to be done about it."""
    opponent = turn.table.opponent
    if opponent is None:
        return False
    state, side = turn.table.game.round, opponent.side
    in_row = card in state.hands[side.seat]
    if opponent.learning is not None:
        _learn(turn, player, card, in_row)
        return True
    dealing = state.phase is Phase.DEAL or state.swap[side.seat] is Swap.DRAWING
    if player is side:
        if dealing and not in_row:
            return False
        _for_the_table(turn, card, in_row)
        return True
    if in_row:
        _put_back(turn, card)
        return True
    if state.phase is Phase.ATTACK and state.attacker is side:
        turn.remark(Remark.WAIT, player)
        return True
    return False


def _for_the_table(turn: Turn, card: Card, in_row: bool) -> None:
    """A card on the table's pad, when none is dealt: the one that is meant, or another, which is no event."""
    opponent = turn.table.opponent
    assert opponent is not None
    if opponent.shown and card in opponent.left:
        left = tuple(other for other in opponent.left if other != card)
        turn.table = replace(turn.table, opponent=replace(opponent, left=left))
        turn.judge(card_event(opponent.side, card))
        return
    state = turn.table.game.round
    if in_row and (state.phase is Phase.DEAL or state.swap[opponent.side.seat] is Swap.DRAWING):
        _back_to_its_place(turn, card)  # it was dealt, perhaps before a power cut
    elif in_row:
        _put_back(turn, card)
    else:
        turn.effects.append(Sound.REJECTED)
        turn.remark(Remark.NOT_OF_ROW, opponent.side)


def _back_to_its_place(turn: Turn, card: Card) -> None:
    opponent = turn.table.opponent
    assert opponent is not None
    turn.remark(Remark.TAKEN_BACK, opponent.side, places=(place_of(opponent.places, card),))


def _put_back(turn: Turn, card: Card) -> None:
    """Not the one that is meant: nobody has seen it, and it goes back to its place."""
    opponent = turn.table.opponent
    assert opponent is not None
    turn.effects.append(Sound.REJECTED)
    turn.remark(Remark.PUT_BACK, opponent.side, places=(place_of(opponent.places, card),))


def lifted(turn: Turn, player: Player, cards: Iterable[Card | None]) -> None:
    """What was to be done with a card of the table's is done, or is on its way: no need to say it much longer."""
    told, opponent = turn.table.told, turn.table.opponent
    if opponent is None or told is None or told.player is not opponent.side or player is not opponent.side:
        return
    verdict = told.verdict
    if told.card not in cards or verdict is None or verdict.trick is not None or verdict.duel is not None:
        return
    if not verdict.accepted or verdict.undone or verdict.fouls or verdict.round_result is not None:
        return
    comes = told.phase is Phase.DEAL or told.drawing
    at_ms = min(told.at_ms, turn.now_ms - NOTICE_MS + READ_MS)
    turn.table = replace(turn.table, told=replace(told, at_ms=at_ms) if comes else None)


# ---- the row is learned anew ---------------------------------------------------------------


def learn(turn: Turn) -> None:
    """The row is mixed up: its cards are to be passed over the pad from the left. A power cut does not change that."""
    opponent = turn.table.opponent
    if opponent is not None and turn.table.stage is Stage.ROUND:
        turn.table = replace(turn.table, opponent=replace(opponent, learning=()), told=None)
        turn.effects.append(NoteRow(()))


def _learn(turn: Turn, player: Player, card: Card, in_row: bool) -> None:
    opponent = turn.table.opponent
    assert opponent is not None and opponent.learning is not None
    if player is not opponent.side or not in_row:
        turn.effects.append(Sound.REJECTED)
        turn.remark(Remark.NOT_OF_ROW, opponent.side)
        return
    if card in opponent.learning:
        return
    others = {tag.card for tag in turn.table.pad(player).lying} - {card}
    if others:  # which of them lies further to the left?
        learning = tuple(other for other in opponent.learning if other not in others)
        turn.table = replace(turn.table, opponent=replace(opponent, learning=learning))
        turn.effects.append(Sound.REJECTED)
        turn.remark(Remark.TOO_MANY, player)
        return
    turn.table = replace(turn.table, told=None)
    cards = (*opponent.learning, card)
    turn.effects.append(Sound.ACCEPTED)
    if len(cards) < turn.table.game.round.count(opponent.side):
        turn.table = replace(turn.table, opponent=replace(opponent, learning=cards))
        return
    turn.table = replace(
        turn.table, opponent=replace(opponent, learning=None, places=relearned(opponent.places, cards))
    )
    turn.effects.append(NoteRow(cards))


# ---- taking back ---------------------------------------------------------------------------


def undo(turn: Turn, player: Player) -> None:
    """A held button takes back the person's latest play, and before it all that the table has done since.

    The table's button takes back the card that was dealt to the table last.
    """
    opponent = turn.table.opponent
    assert opponent is not None
    game, side = turn.table.game, opponent.side
    if opponent.learning is not None:
        learn(turn)  # from the left again
        return
    if player is side:
        if game.can_undo(side) and _was_dealt(game):
            turn.judge(undo_event(side))
        return
    pad = turn.table.pad(player)
    if pad.group is not None and pad.group.waiting:  # the table has not chosen yet: these have not counted
        turn.set_pad(player, replace(pad, group=None))
        turn.table = replace(turn.table, opponent=replace(opponent, ok_waits=False))
        return
    tables = _tables_plays_since(game, side)
    if tables is None:
        turn.effects.append(Sound.REJECTED)
        turn.remark(Remark.NO_WAY_BACK, player)
        return
    before = game.round.hands[side.seat]
    for _ in range(tables):
        turn.judge(undo_event(side))
    turn.judge(undo_event(player))
    back = turn.table.game.round.hands[side.seat] - before if tables else frozenset()
    if back:
        turn.remark(Remark.TAKEN_BACK, player, places=places_of(opponent.places, back))


def _was_dealt(game: Game) -> bool:
    """Whether the latest event that can be taken back was a card of the deal."""
    return game.past is not None and game.past.game.phase is Phase.DEAL


def _tables_plays_since(game: Game, side: Player) -> int | None:
    """How many events of the table have to be taken back before the person's latest; None if they cannot all be."""
    count = 0
    while game.can_undo(side) and not _was_dealt(game):
        game, _ = judge(game, undo_event(side))
        count += 1
    return count if not count or game.can_undo(side.other) else None

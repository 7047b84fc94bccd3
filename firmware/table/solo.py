"""The table as a player: what it is asked, what it has chosen, and what it does by itself (solo.md). Pure.

`attend` is called at the end of every step. It asks for a decision when one is due, shows the places when it is time,
and presses the table's ok. Whoever decides gets a view and nothing else, and answers with a `Decision`. What the person
lays down for the table is in `laying`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from random import Random

from engine.board import Arrow
from engine.cards import Card, Player
from engine.events import ok_event, undo_event
from engine.game import Game
from engine.players.situation import NothingToDecide, forced_play
from engine.round import Phase, Swap
from engine.transcript import Choice, Solo
from engine.views import View, view_of
from firmware.table.effects import Choose, Sound, Think
from firmware.table.row import places_of
from firmware.table.state import Decision, OpenQuestion, Remark, Stage, Table
from firmware.table.turn import Turn

PAUSE_MS = (500, 1500)  # how long it seems to think: at least, at most,
PAUSE_OF_CARD_MS = 60  # and longer for each card that lies open,
PAUSE_MOST_MS = 2000  # up to this;
LATE_STEP_MS = 1000  # who needs longer is waited for in such steps, which tell less of what there was to think of


def question_of(game: Game, side: Player) -> OpenQuestion | None:
    """What the table has to decide now, if anything; the same question as long as nothing has changed it."""
    state = game.round
    i = side.seat
    match state.phase:
        case Phase.REPLACE:
            due = state.swap[i] is Swap.DISCARDING
        case Phase.DUEL | Phase.SHOWDOWN:
            due = state.shown[i] is None
        case Phase.ATTACK:
            due = state.attacker is side
        case Phase.DEFEND:
            due = state.attacker is not side
        case _:
            due = False
    if not due:
        return None
    attack = state.attack if state.phase is Phase.DEFEND else ()
    return OpenQuestion(state.phase, game.number, len(state.duels) + len(state.tricks), attack)


def is_secret(game: Game) -> bool:
    """Whether both choose at the same time: in duel and showdown, and when both replace."""
    state = game.round
    return state.phase in (Phase.DUEL, Phase.SHOWDOWN) or (state.phase is Phase.REPLACE and state.arrow is Arrow.BOTH)


def holds(table: Table, player: Player) -> bool:
    """Whether what this player does has to wait, since the table has not chosen yet."""
    opponent = table.opponent
    return (
        opponent is not None
        and player is not opponent.side
        and opponent.question is not None
        and opponent.chosen is None
        and is_secret(table.game)
    )


def pause_ms(solo: Solo, number: int, open_cards: int) -> int:
    """How long the table seems to think: by what everybody may know, and by chance."""
    least, most = PAUSE_MS
    by_chance = Random(f"{solo.seed} {number}").randint(least, most)
    return min(PAUSE_MOST_MS, by_chance + PAUSE_OF_CARD_MS * open_cards)


def still_to_lay(game: Game, side: Player, chosen: Iterable[Card]) -> tuple[Card, ...]:
    """Which of the chosen cards are still to be laid: no more than the pile has room for, after the other's discards.

    (The table chose before it saw these, and the pile may be short.)
    """
    held = game.round.hands[side.seat]
    left = tuple(sorted(card for card in chosen if card in held))
    return left[: game.round.may_still_replace(side)] if game.phase is Phase.REPLACE else left


# ---- what the table does of itself ---------------------------------------------------------


def attend(turn: Turn) -> None:
    """Ask, show, press ok: whatever the table itself has to do now."""
    opponent = turn.table.opponent
    if opponent is None:
        return
    if opponent.learning is not None and not turn.table.game.round.count(opponent.side):
        opponent = replace(opponent, learning=None)  # the round is over, or was given up
        turn.table = replace(turn.table, opponent=opponent)
    if turn.table.stage is not Stage.ROUND or opponent.learning is not None:
        return
    question = question_of(turn.table.game, opponent.side)
    if question != opponent.question:
        _ask(turn, question)
        return
    if question is None or opponent.chosen is None:
        return
    left = still_to_lay(turn.table.game, opponent.side, opponent.chosen)
    is_due = opponent.shown or turn.now_ms >= opponent.due_ms
    if (left, is_due) != (opponent.left, opponent.shown):
        turn.table = replace(turn.table, opponent=replace(opponent, left=left, shown=is_due))
    if is_due and not opponent.shown and left:
        turn.effects.append(Sound.PLACE)
    if is_due and not left:
        _press_ok(turn)


def _ask(turn: Turn, question: OpenQuestion | None) -> None:
    table = turn.table
    opponent = table.opponent
    assert opponent is not None
    number = opponent.asked + (question is not None)
    state = table.game.round
    open_cards = len(state.attack) + len(state.discards[opponent.side.other.seat])
    opponent = replace(
        opponent,
        question=question,
        asked=number,
        due_ms=turn.now_ms + pause_ms(opponent.solo, number, open_cards),
        chosen=None,
        shown=False,
        left=(),
        ok_waits=False,
    )
    turn.table = replace(table, opponent=opponent)
    if question is None:
        return
    view = view_of(table.game, opponent.side)
    if not state.hands[opponent.side.seat]:  # all of it is discarded, by another choice, and only the ok is missing
        turn.table = replace(turn.table, opponent=replace(opponent, chosen=()))
    elif _leads_nowhere(view):
        _take_back_begun(turn)
    else:
        turn.effects.append(Think(number, view))


def _leads_nowhere(view: View) -> bool:
    """Whether a play was begun by another choice, which nobody remembers, and cannot be completed."""
    try:
        forced_play(view)
    except NothingToDecide:
        return True
    return False


def _take_back_begun(turn: Turn) -> None:
    opponent = turn.table.opponent
    assert opponent is not None
    side, held = opponent.side, turn.table.game.round.hands[opponent.side.seat]
    while turn.table.game.can_undo(side) and _leads_nowhere(view_of(turn.table.game, side)):
        turn.judge(undo_event(side))
    back = turn.table.game.round.hands[side.seat] - held
    if back:  # and it is asked anew
        turn.table = replace(turn.table, opponent=replace(opponent, question=None))
        turn.remark(Remark.TAKEN_BACK, side, places=places_of(opponent.places, back))


def decided(turn: Turn, event: Decision) -> None:
    """The answer to the open question; one to a question that is no longer open is passed over.

    In secret it is written down before anything of the other counts.
    """
    opponent = turn.table.opponent
    if opponent is None or event.number != opponent.asked or opponent.question is None or opponent.chosen is not None:
        return
    held = turn.table.game.round.hands[opponent.side.seat]
    cards = tuple(sorted(card for card in event.cards if card in held))
    steps = max(0, -((opponent.due_ms - turn.now_ms) // LATE_STEP_MS))
    due_ms = opponent.due_ms + steps * LATE_STEP_MS
    turn.table = replace(turn.table, opponent=replace(opponent, chosen=cards, left=cards, due_ms=due_ms))
    if event.failed or event.stand_in:
        turn.remark(Remark.STAND_IN if event.stand_in else Remark.PLAYED_FOR, opponent.side, stand_in=event.stand_in)
    if is_secret(turn.table.game):
        turn.effects.append(Choose(Choice(opponent.side, cards)))


def _press_ok(turn: Turn) -> None:
    """The table's own ok: behind its last discard, or the last card of its attack."""
    opponent = turn.table.opponent
    assert opponent is not None
    game, side = turn.table.game, opponent.side
    if game.phase in (Phase.REPLACE, Phase.ATTACK) and game.can_ok(side):
        told = turn.table.told
        turn.judge(ok_event(side))
        if told is not None and told.player is side:
            turn.table = replace(turn.table, told=told)  # nobody pressed it: what is to be turned stays to be read


def releases_ok(turn: Turn) -> Player | None:
    """The person whose ok had to wait and need no longer, once; None if there is nobody."""
    opponent = turn.table.opponent
    if opponent is None or not opponent.ok_waits or holds(turn.table, opponent.side.other):
        return None
    turn.table = replace(turn.table, opponent=replace(opponent, ok_waits=False))
    return opponent.side.other if turn.table.stage is Stage.ROUND else None


def keeps_ok(turn: Turn, player: Player) -> bool:
    """Whether an ok in a round is not the judge's: the table presses its own, and the person's may have to wait."""
    opponent = turn.table.opponent
    if opponent is None:
        return False
    if player is opponent.side or opponent.learning is not None:
        return True
    if holds(turn.table, player):
        turn.table = replace(turn.table, opponent=replace(opponent, ok_waits=True))
        return True
    return False

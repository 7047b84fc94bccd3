"""What the players see and hear of the table: page, strip, lamps. Pure functions of the table and the time.

Nothing here looks at a hidden hand: cards are named only once they lie face up for both.
"""

from __future__ import annotations

from engine.cards import PLAYERS, YAY, Player
from engine.round import Phase, Round, Swap
from engine.rules import Mode
from engine.verdict import Pairing
from firmware.table.state import Stage, Table
from firmware.views.lamps import can_ok
from firmware.views.menus import menu_page, teach_page
from firmware.views.notes import note_of
from firmware.views.page import Page
from firmware.views.ranks import listed
from firmware.views.solo import solo_words
from firmware.views.strip import awaited
from firmware.words import N_, Words
from hardware.ports import Health
from hardware.presses import SHORT_MS, UNDO_MS

REVEAL_MS = 4000  # how long the cards of a duel or showdown stay large
BAR_STEP = 10  # percent: a bar is drawn anew only in steps, not for every millisecond


def page_of(table: Table, now_ms: int, say: Words) -> Page:
    """The page of the screen, with all that belongs on it: a screen that has no room for all shows it in turn."""
    if table.menu is not None:
        return menu_page(table, _fault(table, say), say)
    match table.stage:
        case Stage.TEACHING:
            note = note_of(table, now_ms, say)
            return teach_page(table, note, _bar(table, now_ms, say), _fault(table, say), say)
        case Stage.CLEAR:
            return _clear_page(table, now_ms, say)
        case Stage.OVER:
            return _over_page(table, now_ms, say)
    return _round_page(table, now_ms, say)


def name(player: Player) -> str:
    return player.upper()


def _arrow(players: tuple[Player, ...] | frozenset[Player]) -> str:
    if len(players) == 2:
        return "both"
    return "" if not players else "left" if YAY in players else "right"


def _bar(table: Table, now_ms: int, say: Words) -> tuple[str, int] | None:
    """The bar of a button that is being held: full when it is an undo."""
    if table.holding is None:
        return None
    held_ms = min(max(now_ms - table.holding[1], SHORT_MS), UNDO_MS)
    percent = 100 * (held_ms - SHORT_MS) // (UNDO_MS - SHORT_MS)
    return say("undo"), percent // BAR_STEP * BAR_STEP


def _fault(table: Table, say: Words) -> str:
    """What does not work, in one line: one part by its name, and how many more."""
    broken = [part for part in table.parts if part.health is not Health.CONNECTED]
    if table.game.rules.mode is Mode.BOARD:  # no card is read there
        broken = [part for part in broken if not part.part.startswith("pad")]
    if not broken:
        return ""
    broken.sort(key=lambda part: (part.health is not Health.LOST, [*_PARTS, part.part].index(part.part)))
    first = broken[0]
    named = say(_PARTS.get(first.part, first.part))
    text = say("lost: {part}", part=named) if first.health is Health.LOST else say("searching: {part}", part=named)
    return text if len(broken) == 1 else f"{text} +{len(broken) - 1}"


_PARTS = {  # the one that the game misses most comes first
    "pad yay": N_("pad YAY"),
    "pad wow": N_("pad WOW"),
    "disk": N_("disk"),
    "strip": N_("strip"),
    "screen": N_("screen"),
}


# ---- in a round ----------------------------------------------------------------------------


def _round_page(table: Table, now_ms: int, say: Words) -> Page:
    state = table.game.round
    revealed = _revealed(table, now_ms)
    if revealed is not None:
        return _duel_page(table, revealed, now_ms, say)
    title, what, count = _BY_PHASE[state.phase](table, say)
    if table.opponent is not None:
        title, what, count = solo_words((title, what, count), table, table.opponent, say)
    crowded = frozenset(player for player in PLAYERS if table.pad(player).must_clear)
    arrow = _arrow(crowded or awaited(table))
    if crowded:
        title, what, count = say("Too many cards"), say("Clear the pad"), ""
    return Page(
        title=title,
        arrow="" if state.phase is Phase.BOARD else arrow,
        what=what,
        count=count,
        cards=_face_down(table),
        note=note_of(table, now_ms, say),
        bar=_bar(table, now_ms, say),
        fault=_fault(table, say),
    )


def _revealed(table: Table, now_ms: int) -> Pairing | None:
    """The two cards of a duel or showdown that has just been decided."""
    told = table.told
    if table.opponent is not None and table.opponent.places_left:
        return None  # what is to be laid has no time
    if told is None or told.verdict is None or now_ms - told.at_ms >= REVEAL_MS:
        return None
    return told.verdict.duel or told.verdict.showdown


def _duel_page(table: Table, duel: Pairing, now_ms: int, say: Words) -> Page:
    title, what = say("Duel"), ""
    if duel.winner is not None:
        title = say("{name} first", name=name(duel.winner))  # beside the arrow there is no room between the cards
    elif table.game.phase is Phase.DUEL:
        what = say("again")
    return Page(
        title=title,
        arrow=_arrow(() if duel.winner is None else (duel.winner,)),
        what=what,
        cards=(str(duel.yay.rank), str(duel.wow.rank)),
        bar=_bar(table, now_ms, say),
        fault=_fault(table, say),
    )


def _face_down(table: Table) -> tuple[str, str] | None:
    """Who has already laid a card in a duel or a showdown: a card face down, on that side."""
    yay, wow = table.game.round.shown
    if yay is None and wow is None:
        return None
    return "?" if yay else "", "?" if wow else ""


Words3 = tuple[str, str, str]


def _of(say: Words, done: int, all_: int) -> str:
    return say("{n} of {all}", n=done, all=all_)


def _cards(say: Words, n: int) -> str:
    return say.many("{n} card", "{n} cards", n)


def _deal(table: Table, say: Words) -> Words3:
    state = table.game.round
    if state.hidden:
        what = say.many("Deal {n} card each, then ok", "Deal {n} cards each, then ok", state.hand_size)
        return say("Deal"), what, _of(say, len(state.ready), 2)
    counts = f"{state.counts[0]} : {state.counts[1]}"
    what = say.many("{n} card each, one by one", "{n} cards each, one by one", state.hand_size)
    return say("Deal"), what, counts


def _replace(table: Table, say: Words) -> Words3:
    state = table.game.round
    title = say("Replace")
    acting = table.game.to_act
    if len(acting) == 2:
        return title, _both_replace(state, say), f"{state.replaced[0]} : {state.replaced[1]}"
    (player,) = acting
    i = player.seat
    if state.swap[i] is Swap.DRAWING:
        return title, say("{name}: draw", name=name(player)), _of(say, state.drawn[i], state.replaced[i])
    room = state.may_still_replace(player)
    count = _of(say, state.replaced[i], state.replaced[i] + room)
    if not room:
        return title, say("{name}: press ok", name=name(player)), count
    if state.replaced[i]:
        text = N_("{name}: more, or ok") if state.hidden else N_("{name}: ok, then draw")
        return title, say(text, name=name(player)), count
    return title, say("{name}: discard, or ok", name=name(player)), count


def _both_replace(state: Round, say: Words) -> str:
    """On a double arrow one may draw already while the other still discards."""
    drawing = [player for player in PLAYERS if state.swap[player.seat] is Swap.DRAWING]
    if not drawing:
        return say("Discard, or ok")
    if len(drawing) == 2:
        return say("Both: draw")
    (first,) = drawing
    n = state.replaced[first.seat] - state.drawn[first.seat]
    return say("{name}: draw {n}; {other}: ok", name=name(first), n=n, other=name(first.other))


def _duel(table: Table, say: Words) -> Words3:
    return say("Duel"), say("One card, face down"), _of(say, 2 - len(table.game.to_act), 2)


def _attack(table: Table, say: Words) -> Words3:
    state = table.game.round
    assert state.attacker is not None
    if not state.attack:
        return say("Attack"), say("{name} attacks", name=name(state.attacker)), ""
    # The attacker may lay more or press ok (the lamp says so); the answer closes the attack all the same.
    what = say("{name}: answer", name=name(state.attacker.other))
    return say("Attack"), what, _cards(say, len(state.attack)) if len(state.attack) > 1 else ""


def _defend(table: Table, say: Words) -> Words3:
    state = table.game.round
    assert state.attacker is not None
    defender = name(state.attacker.other)
    if len(state.attack) == 1:
        what = say("{name}: {rank} or higher, or lowest", name=defender, rank=state.attack[0].rank)
    else:
        what = say("{name}: answer {ranks}", name=defender, ranks=listed(card.rank for card in state.attack))
    return say("Defend"), what, _of(say, len(state.answer), len(state.attack))


def _showdown(table: Table, say: Words) -> Words3:
    laid = 2 - len(table.game.to_act)
    what = say("lower wins") if laid else say("Last card, lower wins")
    return say("Showdown"), what, _of(say, laid, 2)


def _board(table: Table, say: Words) -> Words3:
    state = table.game.round
    arrow = {"yay": "←", "wow": "→", "both": "↔"}[state.arrow]
    what = say("Winner of the round: ok")
    title = say("Round {n}", n=table.game.number)
    return title, what, f"{_cards(say, state.hand_size)} {arrow}"


_BY_PHASE = {
    Phase.DEAL: _deal,
    Phase.REPLACE: _replace,
    Phase.DUEL: _duel,
    Phase.ATTACK: _attack,
    Phase.DEFEND: _defend,
    Phase.SHOWDOWN: _showdown,
    Phase.BOARD: _board,
}


# ---- between rounds, over, menus -----------------------------------------------------------


def _clear_page(table: Table, now_ms: int, say: Words) -> Page:
    revealed = _revealed(table, now_ms)
    if revealed is not None:
        return _showdown_page(table, revealed, now_ms, say)
    lying = frozenset(player for player in PLAYERS if not table.pad(player).empty)
    if lying:
        what = say("Clear the pads")
        count = _cards(say, sum(len(pad.lying) for pad in table.pads))
    else:
        what, count = say("Shuffle, then ok"), ""
    return Page(
        title=say("Round {n}", n=table.game.number),
        arrow=_arrow(lying or frozenset(PLAYERS)),
        what=what,
        count=count,
        note=note_of(table, now_ms, say),
        bar=_bar(table, now_ms, say),
        fault=_fault(table, say),
    )


def _showdown_page(table: Table, showdown: Pairing, now_ms: int, say: Words) -> Page:
    winner = showdown.winner
    return Page(
        title=say("Showdown"),
        what=say("a tie") if winner is None else say("{name} wins", name=name(winner)),
        cards=(str(showdown.yay.rank), str(showdown.wow.rank)),
        bar=_bar(table, now_ms, say),
        fault=_fault(table, say),
    )


def _over_page(table: Table, now_ms: int, say: Words) -> Page:
    revealed = _revealed(table, now_ms)
    if revealed is not None:
        return _showdown_page(table, revealed, now_ms, say)
    winner = table.game.winner
    assert winner is not None
    ready = can_ok(table, winner, now_ms)
    return Page(
        title=say("Game over"),
        arrow=_arrow((winner,)),
        what=say("{name} wins!", name=name(winner)),
        note=note_of(table, now_ms, say) or (say("ok: what next?") if ready else ""),
        bar=_bar(table, now_ms, say),
        fault=_fault(table, say),
    )

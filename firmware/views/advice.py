"""The pages of advice: a hint and why, and the turning points of a game. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from engine.players.advice import Hint, Reason
from engine.round import Phase
from firmware.bots.advice import CostlyPlay, NoAdvice
from firmware.table.advice import PAGES_OF_A_POINT
from firmware.table.menus import At
from firmware.table.state import Table
from firmware.views.page import Page
from firmware.views.ranks import listed
from firmware.words import N_, Words

PLAYS = {
    Phase.REPLACE: N_("Replace: {ranks}"),
    Phase.DUEL: N_("Duel: {ranks}"),
    Phase.ATTACK: N_("Attack: {ranks}"),
    Phase.DEFEND: N_("Answer: {ranks}"),
}
REASONS = {  # each speaks for a play of one phase
    Reason.KEEP: (Phase.REPLACE, N_("What you would draw is no better.")),
    Reason.MIDDLE: (Phase.REPLACE, N_("Too high to end with, too low to attack with.")),
    Reason.DRAW: (Phase.REPLACE, N_("What you will draw is better on average.")),
    Reason.FIRST: (Phase.DUEL, N_("To attack first is worth your highest card.")),
    Reason.SPARE: (Phase.DUEL, N_("This is the card that you will miss least.")),
    Reason.END: (Phase.ATTACK, N_("Keep the lower card: the lower one wins.")),
    Reason.UNHELD: (Phase.ATTACK, N_("No hand can hold against it.")),
    Reason.HARDLY_HELD: (Phase.ATTACK, N_("Few hands can hold against it.")),
    Reason.MANY: (Phase.ATTACK, N_("Each of these cards has to be answered.")),
    Reason.LOW_KEPT: (Phase.ATTACK, N_("Keep your lowest cards for the end.")),
    Reason.HIGH_LATER: (Phase.ATTACK, N_("Your high cards will hold and attack later.")),
    Reason.HOLDS: (Phase.DEFEND, N_("It holds, and you attack next.")),
    Reason.HIGH_KEPT: (Phase.DEFEND, N_("To hold would cost cards that you need later.")),
    Reason.NOTHING_HOLDS: (Phase.DEFEND, N_("Nothing holds: this gives the least away.")),
}


def _ranks(ranks: Sequence[int], say: Words) -> str:
    return listed(ranks) if ranks else say("none")


def hint_page(table: Table, title: str, fault: str, say: Words) -> Page:
    """What to play in large letters, and below it why."""
    found = table.advice
    if not isinstance(found, Hint):
        return _instead(found, title, fault, say)
    phase, reason = REASONS[found.reason]
    play = say(PLAYS[phase], ranks=_ranks(found.ranks, say))
    return Page(what=play, note=say(reason), right=say("close"), fault=fault)


def points_page(table: Table, title: str, fault: str, say: Words) -> Page:
    """A turning point, on two pages: what was played and what would have been better; by how much."""
    found, menu = table.advice, table.menu
    assert menu is not None
    if not isinstance(found, tuple) or not found:
        return _instead(found, title, fault, say)
    number, second = divmod(menu.chosen, PAGES_OF_A_POINT)
    point = found[number]
    if second:
        rounds, games = point.rounds_lost, point.games_lost
        note = say("That cost {rounds} of 100 rounds like this, {games} of 100 games.", rounds=rounds, games=games)
    else:
        note = say("{play}. Better: {better}", play=_play(point, say), better=_ranks(point.better, say))
    return Page(
        title=say("{name}, round {n}", name=point.player.upper(), n=point.number),
        count=say("{n} of {all}", n=number + 1, all=len(found)),
        note=note,
        left=say("next"),
        right=say("close"),
        fault=fault,
    )


def _play(point: CostlyPlay, say: Words) -> str:
    ranks = _ranks(point.played, say)
    if point.phase is Phase.DEFEND:
        return say("Answer to {attack}: {ranks}", attack=listed(point.attack), ranks=ranks)
    return say(PLAYS[point.phase], ranks=ranks)


def _instead(found: object, title: str, fault: str, say: Words) -> Page:
    """No advice, or none yet."""
    what, note = say("One moment…"), ""
    if found is NoAdvice.NOTHING:
        what, note = "", say("There is nothing to choose now.")
    elif found is NoAdvice.FAILED:
        what, note = "", say("It could not be worked out.")
    elif found is not None:
        what, note = "", say("No play cost much, by what its player could know.")
    return Page(title=title, what=what, note=note, right=say("close"), fault=fault)


PAGES = {At.HINT: hint_page, At.POINTS: points_page}

"""How to play: half a minute of short pages for the present phase, told in the game menu. Pure."""

from __future__ import annotations

from engine.board import Arrow
from engine.round import Phase
from engine.rules import Mode, Rules, Tie
from firmware.table.state import Stage, Table
from firmware.words import N_

PAGE_MS = 6000  # each page is seen for this long, unless it is turned before

CLEAR = N_("Clear both pads and shuffle all cards. Then press ok.")
DEAL_PLAY = (
    N_("Lay each card on your own pad first, face down. Then take it up."),
    N_("One card at a time, until both hands are full."),
)
DEAL_REFEREE = (
    N_("Deal both as many cards as the screen says."),
    N_("The table sees only what is played. Hand full? Press ok."),
)
REPLACE = (
    N_("Change cards you do not like. Nobody has to."),
    N_("Lay them face up on your pad, one by one. Then press ok."),
)
DRAW_PLAY = N_("Then draw as many: each card on your pad first, face down.")
DRAW_REFEREE = N_("Then draw as many cards from the pile.")
ONE_BEGINS = N_("The arrow shows who begins. The other: as many at most.")
BOTH_BEGIN = N_("Both may change as many as they like, in any order.")
DUEL = (
    N_("Both lay one card on the pad, face down. Then turn both up."),
    N_("The higher card attacks first. Equal? Duel again."),
)
ATTACK = (
    N_("Attack with one card, or with a set: two or more of one rank."),
    N_("Or with a sequence: three or more ranks in a row, as 4 5 6."),
    N_("Then press ok, or let the other answer at once."),
    N_("Keep one card: the last one decides, and low is good."),
)
DEFEND = (
    N_("Answer with as many cards as the attack has."),
    N_("A card as high or higher defends. Or give up your lowest card."),
    N_("All defended? You attack next. If not, the other attacks again."),
)
ONLY_LOWEST = N_("Give up only your lowest: if not, it comes out later.")
LAST_CARD = N_("Each has one card left. Both lay it on the pad.")
LOWER_WINS = N_("The lower card wins the round. Equal: a tie, deal again.")
ARROW_DECIDES = N_("The lower card wins the round. Equal: the arrow decides.")
TACOCAT = (
    N_("Tacocat goes one space towards the winner, past covered ones."),
    N_("Tacocat in your goal: you have won the game."),
)
BOARD = (
    N_("Deal as many cards as the screen says. The arrow shows who replaces first."),
    N_("Whoever won the round presses ok. Tacocat moves on."),
    N_("A wrong ok? Hold the button: it is taken back."),
)


def pages(table: Table) -> tuple[str, ...]:
    """The texts for what is to be done now, one a page, in English; none when the game is over."""
    game = table.game
    first = (CLEAR,) if table.stage is Stage.CLEAR else ()
    match game.phase:
        case Phase.BOARD:
            return (*BOARD, *TACOCAT)
        case Phase.DEAL:
            return (*first, *(DEAL_REFEREE if game.rules.mode is Mode.REFEREE else DEAL_PLAY))
        case Phase.REPLACE:
            draw = DRAW_REFEREE if game.rules.mode is Mode.REFEREE else DRAW_PLAY
            return (*REPLACE, draw, BOTH_BEGIN if game.round.arrow is Arrow.BOTH else ONE_BEGINS)
        case Phase.DUEL:
            return DUEL
        case Phase.ATTACK:
            return ATTACK
        case Phase.DEFEND:
            return (*DEFEND, ONLY_LOWEST) if game.rules.mode is Mode.REFEREE else DEFEND
        case Phase.SHOWDOWN:
            return (LAST_CARD, _equal(game.rules), *TACOCAT)
    return ()


def _equal(rules: Rules) -> str:
    return ARROW_DECIDES if rules.tie is Tie.ARROW else LOWER_WINS

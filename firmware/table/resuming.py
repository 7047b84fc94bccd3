"""A kept game as it is offered: with the table's part in it, if it plays. Pure."""

from __future__ import annotations

from dataclasses import replace

from engine.game import judge, new_game
from engine.transcript import Choice
from firmware.kept.games import KeptGame, RowNote
from firmware.table.row import Places, places_after, relearned
from firmware.table.solo import is_secret, question_of, still_to_lay
from firmware.table.state import Offer, OpenQuestion, Opponent


def offer_of(kept: KeptGame) -> Offer:
    """Where every card of the row lies, and what the table has chosen in secret, as long as that question is open."""
    if kept.solo is None:
        return Offer(kept.game)
    side, game = kept.solo.side, new_game(kept.rules)
    places: Places = ()
    learning = False
    chosen: tuple[OpenQuestion, Choice] | None = None
    for told in kept.story:
        match told:
            case RowNote(cards):
                places, learning = relearned(places, cards) if cards else places, not cards
            case Choice():
                question = question_of(game, side)
                chosen = (question, told) if question is not None and is_secret(game) and told.player is side else None
            case _:
                before = game
                game, verdict = judge(before, told)
                places = places_after(places, side, before, told, verdict)
                learning = learning and bool(game.round.count(side))
                if chosen is not None and question_of(game, side) != chosen[0]:
                    chosen = None
    opponent = Opponent(kept.solo, places, learning=() if learning else None)
    if chosen is not None:
        question, choice = chosen
        left = still_to_lay(game, side, choice.cards)
        opponent = replace(opponent, question=question, chosen=choice.cards, left=left)
    return Offer(kept.game, opponent)

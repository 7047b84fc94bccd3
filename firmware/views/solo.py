"""What the screen says when the table plays: which place to lay, when to turn, where a card goes. Pure.

Places are told, never faces: the cards of the row lie face down.
"""

from __future__ import annotations

from engine.round import Phase, Swap
from firmware.table.row import lowest_empty, place_of, places_of
from firmware.table.state import Opponent, Table, Told
from firmware.words import Words

Words3 = tuple[str, str, str]
OPEN = (Phase.REPLACE, Phase.ATTACK, Phase.DEFEND)  # in these a card is turned as soon as it has been read


def solo_words(usual: Words3, table: Table, opponent: Opponent, say: Words) -> Words3:
    """Title, what to do, and count of a round against the table; `usual`: what two people would read."""
    title, what, count = usual
    state, side = table.game.round, opponent.side
    name, held = side.upper(), state.count(side)
    if opponent.learning is not None:
        learned = say("{n} of {all}", n=len(opponent.learning), all=held)
        return say("The row"), say("Over {name}'s pad, from the left", name=name), learned
    if opponent.places_left:
        return title, _lay(state.phase, opponent.places_left, say), ""
    if state.swap[side.seat] is Swap.DRAWING:
        return (
            title,
            say("Draw for {name}: place {n}", name=name, n=lowest_empty(opponent.places, state.hands[side.seat])),
            count,
        )
    both_choose = state.phase in (Phase.DUEL, Phase.SHOWDOWN) or len(table.game.to_act) == 2
    if opponent.question is not None and not (both_choose and state.phase is not Phase.ATTACK):
        return title, say("{name} thinks", name=name), ""
    if state.phase is Phase.ATTACK and state.attack:
        return title, say("{name}: more, or ok", name=side.other.upper()), count
    return title, what, count


def _lay(phase: Phase, places: tuple[int, ...], say: Words) -> str:
    if phase is Phase.REPLACE:
        return say("Lay {places}, turn them", places=listed_places(places))
    if phase in (Phase.DUEL, Phase.SHOWDOWN):
        return say("Place {n}, face down", n=places[0])
    return say("Lay place {n}", n=places[0])


def listed_places(places: tuple[int, ...]) -> str:
    """`1 3–6 9`: places that follow each other are told together, from three on."""
    runs: list[list[int]] = []
    for place in places:
        if runs and runs[-1][-1] == place - 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    return " ".join(f"{run[0]}–{run[-1]}" if len(run) > 2 else " ".join(map(str, run)) for run in runs)


def places_to_go_to(table: Table) -> tuple[int, ...]:
    """The places of the cards on the table's pad that belong into its row: it holds them, and means others now."""
    opponent = table.opponent
    if opponent is None or opponent.is_learning:
        return ()
    meant = opponent.left if opponent.shown else ()
    held = table.game.round.hands[opponent.side.seat].difference(meant)
    return places_of(opponent.places, {tag.card for tag in table.pad(opponent.side).lying if tag.card in held})


def solo_note(table: Table, told: Told, say: Words) -> str:
    """What is to be done with the card of the table's that has just been read; "" if there is nothing to say."""
    opponent, verdict = table.opponent, told.verdict
    if opponent is None or verdict is None or not verdict.accepted or verdict.undone:
        return ""
    if told.player is not opponent.side or told.card is None or verdict.trick is not None:
        return ""
    if told.phase is Phase.DEAL or told.drawing:
        return say("Into the row, face down: place {n}", n=place_of(opponent.places, told.card))
    return say("Turn it") if told.phase in OPEN else ""

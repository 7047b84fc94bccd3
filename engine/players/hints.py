"""Hints: the play that the strong player would make in a view, and why, as one reason that can be said in a sentence.

The reason is found from the play and the view alone; it names what speaks most for the play, not all that was weighed.
"""

from __future__ import annotations

from engine.players.advice import Hint, Reason
from engine.players.simple import HIGH, LOW, chance_to_reach
from engine.players.situation import Situation, answers_of, situation_of
from engine.players.solving import Hand, shortage
from engine.players.worths import worths_of
from engine.round import Phase
from engine.views import View

HARDLY = 1 / 3  # an attack that the other can hold less often than this is hardly held


def hint_of(view: View, seed: int, nodes: int) -> Hint | None:
    """What to play in this view; None where there is no choice, or a play has been begun.

    Raises NothingToDecide if the view's seat is not to choose now.
    """
    worths = worths_of(view, seed, nodes)
    if worths is None:
        return None
    return Hint(worths.best, reason_for(view, worths.best), worths.of.get(worths.best))


def reason_for(view: View, ranks: Hand) -> Reason:
    """What speaks most for a play of these ranks. Raises NothingToDecide."""
    now = situation_of(view)
    match view.phase:
        case Phase.REPLACE:
            return _why_replace(ranks)
        case Phase.DUEL:
            return Reason.FIRST if ranks[0] == now.mine[-1] and ranks[0] >= HIGH else Reason.SPARE
        case Phase.ATTACK:
            return _why_attack(now, ranks)
    return _why_answer(now, ranks)


def _why_replace(ranks: Hand) -> Reason:
    if not ranks:
        return Reason.KEEP
    return Reason.MIDDLE if all(LOW < rank < HIGH for rank in ranks) else Reason.DRAW


def _why_attack(now: Situation, attack: Hand) -> Reason:
    if len(now.mine) == 2 and attack[0] == now.mine[-1]:
        return Reason.END
    held = chance_to_reach(now, attack[0], len(attack))  # of a sequence its lowest card, which is the least to ask
    if held == 0:
        return Reason.UNHELD
    if held < HARDLY:
        return Reason.HARDLY_HELD
    if len(attack) > 1:
        return Reason.MANY
    return Reason.LOW_KEPT if attack[0] > now.mine[0] else Reason.HIGH_LATER


def _why_answer(now: Situation, answer: Hand) -> Reason:
    if shortage(now.attack, answer) == 0:
        return Reason.HOLDS
    if any(shortage(now.attack, other) == 0 for other in answers_of(now.attack, now.mine)):
        return Reason.HIGH_KEPT
    return Reason.NOTHING_HOLDS

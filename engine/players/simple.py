"""Players who go by rules of thumb: what the others are measured against, and what is left when nothing else fits.

*random*: any legal play. *beginner*: replaces and attacks from the middle of the hand, duels with the highest card to
get the attack, answers with the cheapest cards that hold. *careful*: keeps its lowest cards and a few highest, and
counts what could hold an attack.
"""

from __future__ import annotations

from math import comb

from engine.legal import Play
from engine.players.situation import (
    Situation,
    answers_of,
    attacks_of,
    chance_for,
    forced_play,
    most_to_replace,
    play_of,
    rest_of,
    situation_of,
)
from engine.players.solving import Hand, shortage
from engine.round import Phase
from engine.views import View


def decide_randomly(view: View, seed: int, nodes: int = 0) -> Play:
    """Any legal play; of a replacement first how many, then which."""
    chance = chance_for(view, seed)
    forced = forced_play(view)
    if forced is not None:
        return forced
    now = situation_of(view)
    match view.phase:
        case Phase.REPLACE:
            count = chance.randint(0, most_to_replace(view))
            return play_of(view, chance.sample(now.mine, count))
        case Phase.ATTACK:
            return play_of(view, chance.choice(attacks_of(now.mine)))
        case Phase.DEFEND:
            return play_of(view, chance.choice(answers_of(now.attack, now.mine)))
    return play_of(view, [chance.choice(now.mine)])


def decide_as_beginner(view: View, seed: int, nodes: int = 0) -> Play:
    forced = forced_play(view)
    if forced is not None:
        return forced
    now = situation_of(view)
    match view.phase:
        case Phase.REPLACE:
            middle = sorted((rank for rank in now.mine if 4 <= rank <= 7), key=lambda rank: (abs(2 * rank - 11), rank))
            return play_of(view, middle[: most_to_replace(view)])
        case Phase.DEFEND:
            return play_of(view, cheapest_answer(now.attack, now.mine))
        case Phase.ATTACK:
            return play_of(view, [now.mine[len(now.mine) // 2]])
    return play_of(view, [now.mine[-1]])


def cheapest_answer(attack: Hand, hand: Hand) -> Hand:
    """Of the answers that hold the one with the lowest cards; if none does, the one that keeps the most."""
    return min(answers_of(attack, hand), key=lambda answer: (shortage(attack, answer) > 0, sum(answer), answer))


# ---- careful -------------------------------------------------------------------------------

LOW, HIGH = 3, 10  # these and what is beyond them is worth keeping


def decide_carefully(view: View, seed: int, nodes: int = 0) -> Play:
    forced = forced_play(view)
    return forced if forced is not None else play_of(view, careful_ranks(view, situation_of(view)))


def careful_ranks(view: View, now: Situation) -> Hand:
    """The ranks that the careful player lays down or discards, in a view that leaves a choice."""
    match view.phase:
        case Phase.REPLACE:
            return careful_discards(now.mine, most_to_replace(view))
        case Phase.ATTACK:
            attacks = {attack: attack_worth(now, attack) for attack in attacks_of(now.mine)}
            return max(attacks, key=lambda attack: attacks[attack])
        case Phase.DEFEND:
            answers = {answer: answer_worth(now, answer) for answer in answers_of(now.attack, now.mine)}
            return max(answers, key=lambda answer: answers[answer])
    return (careful_duel(now.mine),)


def careful_discards(hand: Hand, most: int) -> Hand:
    """The middle of the hand, the most useless first, but never the lowest card if it is low."""
    useless = [rank for rank in hand if LOW < rank < HIGH - 1]
    if useless and useless[0] == hand[0] and hand[0] <= LOW + 1:
        useless = useless[1:]
    return tuple(sorted(useless, key=lambda rank: (abs(rank - 6), rank))[:most])


def careful_duel(hand: Hand) -> int:
    """A card of the middle that nothing else needs: the highest one that is neither low nor high."""
    middle = [rank for rank in hand[1:] if LOW < rank < HIGH and hand.count(rank) == 1]
    middle = middle or [rank for rank in hand[1:] if LOW < rank < HIGH]
    return middle[-1] if middle else hand[len(hand) // 2]


def chance_to_reach(now: Situation, rank: int, count: int) -> float:
    """How probable it is that the other holds at least `count` cards of this rank or higher, all unseen cards alike."""
    possible = sum(now.unseen[now.least :])
    high = sum(now.unseen[max(rank, now.least) :])
    total = comb(possible, now.others)
    ways = sum(comb(high, k) * comb(possible - high, now.others - k) for k in range(count, now.others + 1))
    return ways / total if total else 1.0


def attack_worth(now: Situation, attack: Hand) -> float:
    """Not to be held matters most; then to get rid of many cards, not to lose low ones, nor to waste high ones."""
    held = chance_to_reach(now, attack[0], len(attack))
    rest = rest_of(now.mine, attack)
    worth = (1 - held) * (1 + 0.3 * len(attack)) + 0.12 * len(attack)
    worth -= 0.6 * sum(1 for rank in attack if rank <= LOW)
    worth -= 0.7 * (min(now.mine) < rest[0])
    worth -= 0.04 * sum(rank - HIGH + 1 for rank in attack if rank >= HIGH) * (len(rest) > 2)
    return worth


def answer_worth(now: Situation, answer: Hand) -> float:
    """To hold, cheaply; but what is left must still have something low."""
    rest = rest_of(now.mine, answer)
    given = shortage(now.attack, answer)
    worth = 1.0 if given == 0 else 0.0
    worth -= 0.05 * (sum(answer) - sum(now.attack)) / len(answer) if given == 0 else 0.1 * given
    return worth - 0.06 * (rest[0] if rest else 0)

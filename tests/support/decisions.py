"""What the players decide in many fixed views, and what they decide by, written down: no change of play is unseen.

    python -m tests.support.decisions      writes tests/engine/decisions.txt anew, after play was changed on purpose

The file has a paragraph for each view: the view, what each player plays there, and digests of what the players reckon
with on the way (the hands they think of, the worth of plays), which seldom changes a decision by itself.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from hashlib import sha256

from engine.board import Board, parse_arrows, parse_hand_sizes
from engine.cards import PLAYERS, parse_deck
from engine.players.levels import LEVELS, level_named
from engine.players.sampling import Doubt, kept_weights, likely_hands, plain_hands
from engine.players.simple import answer_worth, attack_worth
from engine.players.situation import NothingToDecide, Situation, answers_of, attacks_of, seat_of, situation_of
from engine.players.strong import hands_to_solve, values_of
from engine.players.values import best_discards, duel_chances, duel_values
from engine.round import Phase
from engine.rules import Rules, Tie
from engine.views import View, parse_view, view_of
from tests.support.engine_games import Manners, RandomTable
from tests.support.places import ROOT

FILE = ROOT / "tests" / "engine" / "decisions.txt"
MANNERS = Manners(wrong=0.03, cheat=0.15, regret=0.03, void=0.0)
SMALL = Board(parse_hand_sizes("3 4 5 6 5 4 3"), parse_arrows("yay yay both both both wow wow"))
RULES = {
    "printed": Rules(),
    "arrow": Rules(tie=Tie.ARROW),
    "small": Rules(deck=parse_deck("2x4 3x4 5x4 8x4 9x2 12x2"), board=SMALL),
}
GAMES = (("printed", 14), ("arrow", 4), ("small", 6))
MOST_OF_A_GAME = 8  # views
NODES = (0, 3_000, 20_000, 60_000)
EVERY = 12  # of so many views one is decided with a level's own work


def some_views() -> Iterator[tuple[str, View]]:
    """Views of random games in which a seat is to choose, with the name of their rules; as many of each phase."""
    for name, games in GAMES:
        for seed in range(games):
            yield from ((name, view) for view in _of_game(RULES[name], seed))


def _of_game(rules: Rules, seed: int) -> list[View]:
    by_phase: dict[str, list[View]] = {}
    for game, _ in RandomTable(rules, seed, MANNERS).events(250):
        for player in PLAYERS:
            view = view_of(game, player)
            try:
                seat_of(view)
            except NothingToDecide:
                continue
            by_phase.setdefault(view.phase, []).append(view)
    by_phase.pop(Phase.SHOWDOWN, None)  # one card is left
    chance = random.Random(seed)
    groups = [chance.sample(views, len(views)) for _, views in sorted(by_phase.items())]
    return [group[n] for n in range(MOST_OF_A_GAME) for group in groups if n < len(group)][:MOST_OF_A_GAME]


def paragraph(number: int, name: str, view: View) -> str:
    """What is written of a view, the `number`-th one, under the rules of this name."""
    lines = [f"{name} {view}", *decided(view, number), *reckoned(view, number)]
    return "".join(f"{line}\n" for line in lines)


def read(text: str) -> list[tuple[str, View]]:
    """The views of a file. Each stands alone: no game is played for it."""
    firsts = [paragraph.partition("\n")[0].partition(" ") for paragraph in text.split("\n\n")]
    return [(name, parse_view(view, RULES[name])) for name, _, view in firsts]


def decided(view: View, seed: int) -> Iterator[str]:
    """A line for each player: what it plays in this view."""
    for name in LEVELS:
        nodes = None if seed % EVERY == 0 else NODES[seed % len(NODES)]
        try:
            play = level_named(name)(view, seed, nodes)
        except NothingToDecide:
            yield f"  {name}: nothing"
            continue
        cards = sorted(map(str, play.cards))
        yield f"  {name}: {' '.join([*cards, 'ok'] if play.confirm else cards)}"


def reckoned(view: View, seed: int) -> Iterator[str]:
    """A line for each thing that is reckoned with: a digest of it."""
    now, values = situation_of(view), values_of(view)
    chance = random.Random(seed)
    yield f"  hands: {_digest(plain_hands(now, 12, chance))}"
    if values is not None:
        hands = likely_hands(view, now, 24, chance, values)
        yield f"  likely hands: {_digest(hands)}"
        yield f"  kept: {_digest(_rounded(kept_weights(view, values, Doubt())))}"
        if len(now.mine) > 1:
            yield f"  duel: {_digest(_rounded(duel_values(values, now.mine).values()))}"
            yield f"  laid: {_digest(_rounded(duel_chances(values, now.mine).values()))}"
        if view.phase is Phase.REPLACE:
            yield f"  replaced: {best_discards(values, now.mine, now.unseen, len(now.mine), chance)}"
    yield f"  work: {[hands_to_solve(len(now.mine), now.others, nodes) for nodes in (*NODES, 400_000)]}"
    yield f"  worth: {_digest(_worths(view, now))}"


def _worths(view: View, now: Situation) -> list[str]:
    if view.phase is Phase.DEFEND:
        return _rounded(answer_worth(now, answer) for answer in answers_of(now.attack, now.mine))
    return _rounded(attack_worth(now, attack) for attack in attacks_of(now.mine)) if len(now.mine) > 1 else []


def _rounded(numbers: Iterable[float]) -> list[str]:
    return [f"{number:.7f}" for number in numbers]


def _digest(found: object) -> str:
    return sha256(repr(found).encode()).hexdigest()[:12]


if __name__ == "__main__":
    FILE.write_text("\n".join(paragraph(n, *named) for n, named in enumerate(some_views())), encoding="utf-8")

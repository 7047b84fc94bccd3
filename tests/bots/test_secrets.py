"""A bot is sent what its seat may know, and nothing else: hidden cards are dealt anew, and no byte differs."""

from __future__ import annotations

import contextlib
import random
from collections import Counter
from functools import partial

from engine.cards import PLAYERS, Card, Player
from engine.events import Event, card_event
from engine.game import judge, new_game
from engine.players.situation import NothingToDecide
from engine.rules import Rules
from engine.verdict import Verdict
from engine.views import view_of
from firmware.bots.at_table import TablePlayer, level_contestant
from firmware.bots.dialogue import Patience
from firmware.bots.hosted import Hosted
from firmware.bots.match import Rival, play_bots
from tests.support.bot_host import Clock, PretendedProcess, playing
from tests.support.engine_games import Manners, RandomTable

MANNERS = Manners(wrong=0.03, cheat=0.2, regret=0.05, void=0.005)
PAIRS: Counter[str] = Counter()


def sent_and_seen(side: Player, events: list[Event]) -> tuple[list[str], list[Verdict]]:
    """Every line that a bot of this side is sent in a game of these events, asked whenever it can be."""
    clock = Clock()
    processes: list[PretendedProcess] = []

    def start(command: object) -> PretendedProcess:
        processes.append(PretendedProcess(playing("careful"), clock, delay_ms=0))
        return processes[-1]

    player, game, verdicts = TablePlayer(level_contestant("careful"), start, clock), new_game(), []
    player.begin(side, Rules(), 5)
    for event in events:
        with contextlib.suppress(NothingToDecide):
            player.ask(view_of(game, side))
        for _ in range(4):
            player.poll()
        before = game
        game, verdict = judge(game, event)
        player.see(before, event, verdict)
        verdicts.append(verdict)
    for _ in range(4):
        player.poll()
    return [line for process in processes for line in process.sent], verdicts


def _last_round(sent: list[str], earlier: list[Event], side: Player) -> list[str]:
    """What was sent after these events."""
    return sent[len(sent_and_seen(side, earlier)[0]) :]


def faces(lines: list[str]) -> set[str]:
    return {line.split()[1] for line in lines if line.startswith(("yay ", "wow "))}


def test_hidden_cards_dealt_anew_change_no_byte_that_a_bot_is_sent() -> None:
    """Of the last round of a cut game; the pairs that could be compared are counted."""
    for seed in range(20):
        chance, side = random.Random(seed), PLAYERS[seed % 2]
        events = [event for _, event in RandomTable(Rules(), seed, MANNERS).events(100)][: chance.randrange(20, 100)]
        start = _round_start(events)
        sent, verdicts = sent_and_seen(side, events)
        shown = faces(_last_round(sent, events[:start], side))
        hidden = [card for card in Rules().deck.cards if str(card) not in shown]
        for _ in range(4):
            if len(hidden) < 2:
                break
            anew = events[:start] + _dealt_anew(events[start:], hidden, chance)
            other, others = sent_and_seen(side, anew)
            if [v.problem for v in others] != [v.problem for v in verdicts]:
                continue  # somebody could have told the difference
            assert other == sent
            PAIRS["differ" if anew != events else "alike"] += 1
    assert PAIRS["differ"] > 20, PAIRS


def _round_start(events: list[Event]) -> int:
    game, start = new_game(), 0
    for n, event in enumerate(events, 1):
        number = game.number
        game, _ = judge(game, event)
        if game.number != number:
            start = n
    return start


def _dealt_anew(events: list[Event], hidden: list[Card], chance: random.Random) -> list[Event]:
    some = chance.sample(hidden, chance.choice((2, len(hidden))))
    places = dict(zip(some, chance.sample(some, len(some)), strict=True))
    return [
        card_event(event.player, places.get(event.card, event.card)) if event.card and event.player else event
        for event in events
    ]


def test_in_a_match_no_bot_is_sent_a_card_of_the_other_before_it_lies_open() -> None:
    for seed in range(3):
        clock = Clock()
        processes = {side: PretendedProcess(playing("careful"), clock) for side in PLAYERS}
        rivals = {side: Rival(side, partial(Hosted, processes[side], Patience(), clock)) for side in PLAYERS}
        winner = play_bots(Rules(), rivals, seed)
        assert winner is not None and all(rival.tally.passes for rival in rivals.values())
        for side, process in processes.items():
            other = f"{side.other} "
            dealt = 0
            for line in process.sent:
                dealt += line == f"{other}?"
                assert not line.startswith(other) or "tag" not in line
            assert dealt > 0 and process.sent[-1] == f"result {winner}"
            number = 0
            for line in process.sent:
                if line.startswith("go "):
                    number += 1
                    assert line.split()[1] == str(number)

"""How fast the engine judges: one verdict in play and in referee mode, and a long replay as its users run it.

The games are random and the same in every run. Times are of this machine; memory is the peak resident set of
the replay's process alone, as the kernel counts it (getrusage, ru_maxrss).
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from benchmarks.measures import COUNTED, REAL, Measure
from engine.board import GOALS
from engine.cards import PLAYERS
from engine.events import VOID, Event, card_event, ok_event, undo_event
from engine.game import Game, judge, new_game
from engine.legal import legal_plays
from engine.round import Phase
from engine.rules import Mode, Rules
from engine.transcript import format_transcript

MODES = (Mode.PLAY, Mode.REFEREE)
VERDICTS = 20_000
REPLAYED = 100_000
JUDGED_WITHIN_MS = 0.3  # 99 of 100 verdicts in referee mode
MOST_S, MOST_MB = 10.0, 60.0  # what a replay of that many events may take
STRAY = 0.1  # one event in ten comes from anywhere


@dataclass(frozen=True)
class Judged:
    """The seconds that each verdict took, ascending."""

    times_s: tuple[float, ...]

    def quantile_us(self, part: float) -> float:
        """The time in microseconds that this part (0 to 1) of the verdicts kept within."""
        return self.times_s[min(int(part * len(self.times_s)), len(self.times_s) - 1)] * 1e6

    @property
    def per_second(self) -> float:
        return len(self.times_s) / sum(self.times_s)


@dataclass(frozen=True)
class Replayed:
    took_s: float
    processor_s: float
    peak_mb: float


def events_of(mode: Mode, seed: int = 1) -> Iterator[Event]:
    """The events of one game that never ends: where a showdown could end it, the round is void."""
    chance = random.Random(seed)
    game = new_game(Rules(mode))
    while True:
        for event in _next_events(chance, game):
            after, _ = judge(game, event)
            if after.over:
                break
            game = after
            yield event


def _next_events(chance: random.Random, game: Game) -> list[Event]:
    if chance.random() < STRAY:
        return [stray_of(chance, game)]
    near_a_goal = any(game.track.path(player)[-1] in GOALS.values() for player in PLAYERS)
    if game.phase is Phase.SHOWDOWN and near_a_goal:
        return [VOID]
    return play_of(chance, game)


def stray_of(chance: random.Random, game: Game) -> Event:
    """A card of anybody, a press: as likely wrong as not."""
    player = chance.choice(PLAYERS)
    card = card_event(player, chance.choice(game.rules.deck.cards))
    return chance.choice((card, card, card, ok_event(player), undo_event(player)))


def play_of(chance: random.Random, game: Game) -> list[Event]:
    """A legal play; in referee mode any unseen cards, since listing all plays of a hidden hand takes long."""
    player, state = chance.choice(game.to_act), game.round
    if state.hidden and state.phase in (Phase.ATTACK, Phase.DEFEND):
        cards = sorted(set(game.rules.deck.cards) - state.used)
        return [card_event(player, card) for card in chance.sample(cards, max(1, len(state.attack)))]
    plays = list(islice(legal_plays(game, player), 40))
    if not plays:
        return [ok_event(player)]
    play = chance.choice(plays)
    events = [card_event(player, card) for card in sorted(play.cards)]
    return [*events, ok_event(player)] if play.confirm else events


def time_verdicts(mode: Mode, count: int = VERDICTS) -> Judged:
    """Judge `count` events of a random game, each on the clock."""
    events = list(islice(events_of(mode), count))
    times, game = [], new_game(Rules(mode))
    for event in events:
        begun = time.perf_counter()
        game, _ = judge(game, event)
        times.append(time.perf_counter() - begun)
    return Judged(tuple(sorted(times)))


# A process between ours and the replay, so that its peak is counted alone.
_MEASURE = """
import resource, subprocess, sys, time
replay = "import sys; from firmware.cli import main; sys.exit(main())"
begun = time.perf_counter()
subprocess.run([sys.executable, "-c", replay, "replay", sys.argv[1], "--json"], stdout=subprocess.DEVNULL, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(time.perf_counter() - begun, used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


def measure_replay(mode: Mode, count: int = REPLAYED) -> Replayed:
    """`tacocat replay --json` of one transcript of `count` events, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "long.taco")
        path.write_text(format_transcript(Rules(mode), islice(events_of(mode), count)))
        command = [sys.executable, "-c", _MEASURE, str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    took_s, processor_s, peak_kb = map(float, done.stdout.split())
    return Replayed(took_s, processor_s, peak_kb / 1024)  # Linux counts ru_maxrss in KiB


def measures() -> list[Measure]:
    found = []
    for mode in MODES:
        judged = time_verdicts(mode)
        wanted = JUDGED_WITHIN_MS if mode is Mode.REFEREE else None
        found += [
            Measure("judge", f"{mode} mode, a verdict, median", judged.quantile_us(0.5) / 1000, "ms", REAL),
            Measure("judge", f"{mode} mode, a verdict, p99", judged.quantile_us(0.99) / 1000, "ms", REAL, wanted),
            Measure("judge", f"{mode} mode, events a second", judged.per_second, "", REAL, at_least=True),
        ]
    for mode in MODES:
        replayed, name = measure_replay(mode), f"{mode} mode, replay --json of {REPLAYED:,} events"
        found += [
            Measure("judge", name, replayed.took_s, "s", REAL, MOST_S),
            Measure("judge", f"{name}, memory", replayed.peak_mb, "MB", COUNTED, MOST_MB),
        ]
    return found

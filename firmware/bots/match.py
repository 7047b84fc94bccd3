"""Matches between bots: each seed is dealt twice, with the sides exchanged (engine/players/match.py)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from engine.cards import WOW, YAY, Player
from engine.events import Event, card_event, ok_event
from engine.game import judge, new_game
from engine.legal import Play
from engine.players.match import LONGEST_GAME, dealt, drawn
from engine.players.situation import most_to_replace
from engine.round import Phase
from engine.rules import Rules
from engine.sights import Sight, accepted_sights
from engine.views import View, view_of
from firmware.bots.hosted import Hosted

MOST_LATE = 0.01  # of a bot's answers, for it to pass
MOST_TOLD = 5  # faults that are kept in words


@dataclass
class Tally:
    """How a bot has behaved in a match. `times_ms` are those of its answers, `told` the first faults in words."""

    faults: int = 0
    late: int = 0
    times_ms: list[int] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    @property
    def passes(self) -> bool:
        """No fault, and hardly ever late (docs/bots.md)."""
        return not self.faults and self.late <= MOST_LATE * len(self.times_ms)


class Rival:
    """One bot of a match. `start` starts its process, anew after each fault."""

    def __init__(self, name: str, start: Callable[[], Hosted]) -> None:
        self.name, self.tally = name, Tally()
        self._start = start
        self._hosted: Hosted | None = None

    def begin(self, side: Player, rules: Rules, seed: int) -> None:
        if self._hosted is not None:
            self._hosted.poll()
            self._note_fault("between two games")
        if self._hosted is None:
            self._hosted = self._start()
        self._hosted.begin(side, rules, seed)

    def get_ready(self) -> None:
        """Wait until the game can begin; if a fault comes instead, it is one of the first decision."""
        if self._hosted is not None:
            self._hosted.wait_until_ready()

    def see(self, seen: Iterable[Sight]) -> None:
        if self._hosted is not None:
            self._hosted.tell(seen)

    def decide(self, view: View) -> Play | None:
        """Wait for its play; None: a fault has come instead."""
        assert self._hosted is not None
        self._hosted.ask(view)
        answer = self._hosted.wait()
        if answer is None:
            self._note_fault(f"round {view.number}, {view.phase}")
            return None
        self.tally.times_ms.append(answer.ms)
        self.tally.late += answer.late
        return answer.play

    def result(self, winner: Player | None) -> None:
        if self._hosted is not None:
            self._hosted.result(winner)

    def close(self) -> None:
        """End it and wait until nothing of it is left."""
        if self._hosted is not None:
            self._hosted.close()
            self._hosted.join()
            self._hosted = None

    def _note_fault(self, when: str) -> None:
        assert self._hosted is not None
        if self._hosted.fault:
            self.tally.faults += 1
            if len(self.tally.told) < MOST_TOLD:
                self.tally.told.append(f"{when}: {self._hosted.fault}")
            self.close()


def bot_seed(seed: int, side: Player) -> int:
    """The seed that a bot is given. It does not tell the deck's, and both games of a pair have the same."""
    return int.from_bytes(hashlib.sha256(f"bot {seed} {side}".encode()).digest()[:7])


def play_pairs(rivals: tuple[Rival, Rival], rules: Rules, seeds: range) -> Iterator[tuple[float, float]]:
    """What the first has won of the two games of each seed: 1, 0, or 1/2 for a game that does not end."""
    one, other = rivals
    for seed in seeds:
        first = play_bots(rules, {YAY: one, WOW: other}, seed)
        second = play_bots(rules, {YAY: other, WOW: one}, seed)
        yield _share(first, YAY), _share(second, WOW)


def _share(winner: Player | None, side: Player) -> float:
    return 0.5 if winner is None else float(winner is side)


def play_bots(rules: Rules, rivals: dict[Player, Rival], seed: int) -> Player | None:
    """Play one game; the winner. A fault loses it at once."""
    for side, rival in rivals.items():
        rival.begin(side, rules, bot_seed(seed, side))
    for rival in rivals.values():
        rival.get_ready()
    winner = _BotGame(rules, rivals, seed).play()
    for rival in rivals.values():
        rival.result(winner)
    return winner


class _BotGame:
    def __init__(self, rules: Rules, rivals: dict[Player, Rival], seed: int) -> None:
        self._game, self._rivals, self._seed = new_game(rules), rivals, seed

    def play(self) -> Player | None:
        self._deal()
        for _ in range(LONGEST_GAME):
            number = self._game.number
            plays = []
            for player in self._game.to_act:  # both before either is seen
                play = self._asked(player)
                if play is None:
                    return player.other
                plays.append(play)
            for play in plays:
                self._lay(play)
            if self._game.over:
                return self._game.winner
            if self._game.number != number:
                self._deal()
        return None

    def _asked(self, player: Player) -> Play | None:
        view = view_of(self._game, player)
        if view.phase is Phase.REPLACE and not most_to_replace(view):
            return Play(player, frozenset(), confirm=True)
        return self._rivals[player].decide(view)

    def _judge(self, event: Event) -> None:
        before = self._game
        self._game, verdict = judge(before, event)
        assert verdict.accepted, f"{event} in {before}: {verdict.problem}"
        for side, rival in self._rivals.items():
            rival.see(accepted_sights(before, event, verdict, side))

    def _deal(self) -> None:
        self._judge_all(dealt(self._game, self._seed))

    def _lay(self, play: Play) -> None:
        """A play, and the draws that follow it."""
        self._judge_all(card_event(play.player, card) for card in sorted(play.cards))
        if play.confirm:
            self._judge(ok_event(play.player))
        self._judge_all(drawn(self._game, self._seed, play.player))

    def _judge_all(self, events: Iterable[Event]) -> None:
        for event in events:
            self._judge(event)

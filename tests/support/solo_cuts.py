"""A game alone against the table, and every moment in which its power may be cut: the long form is in tests/soak."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.cards import Player
from engine.events import Event
from engine.game import judge, new_game
from engine.rules import Rules
from engine.transcript import Choice
from firmware.kept.games import read_game
from firmware.table.solo import is_secret, question_of
from tests.support.solo_evening import Habits, Machine, Person, World

CHILD = Habits(undo=0.06, mix=0.03, wrong=0.04, void=0.01, leave=0.02)


@dataclass(frozen=True)
class Moment:
    """When a line was written: the transcript with it and before it, and what was true of the cards."""

    before: bytes
    text: bytes
    world: World
    number: int  # of the round


@dataclass(frozen=True)
class Cut:
    """What a power cut has left: the transcript, and where the cards are. `number`: of the round."""

    name: str
    text: bytes
    world: World
    number: int


def played(folder: Path, rules: Rules, side: Player, level: str, seed: int, rounds: int = 99) -> list[Moment]:
    """Play a game with a child's hands, or so many of its rounds: every moment in which a line was written."""
    moments: list[Moment] = []
    before = b""

    def on_line() -> None:
        nonlocal before
        assert at.keeper.journal.path is not None
        text = at.keeper.journal.path.read_bytes()
        moments.append(Moment(before, text, copy.deepcopy(world), at.game.number))
        before = text

    world = World()
    at = Machine(folder, rules, on_line)
    person = Person(at, world, side, random.Random(seed), CHILD)
    person.begin(level)
    play_on(person, rounds)
    at.close()
    return moments


def play_on(person: Person, rounds: int = 99, most: int = 4000) -> None:
    """To the end of the game, or until so many rounds are over."""
    for _ in range(most):
        if person.at.game.over or person.at.game.number > rounds:
            return
        person.step()
    raise AssertionError(f"the game comes to no end: {person.at.page}, {person.world}")


def cuts_of(moments: Sequence[Moment]) -> Iterator[Cut]:
    """Behind every line, in the middle of it, and with the card of that line in the hand already, its answer unread."""
    for n, moment in enumerate(moments):
        line = moment.text[len(moment.before) :]
        said = f"line {n}, {line.decode().splitlines()[-1]!r}"
        yield Cut(f"behind {said}", moment.text, moment.world, moment.number)
        yield Cut(f"in {said}", moment.before + line[: len(line) // 2], moment.world, moment.number)
        if moment.world.lies:
            world = copy.deepcopy(moment.world)
            world.lies = False
            yield Cut(f"behind {said}, the card in the hand", moment.text, world, moment.number)


def gone_on(folder: Path, cut: Cut, rules: Rules, side: Player, seed: int, to_the_end: bool = False) -> bool:
    """Start again with what the cut has left, resume, play on: to the end of that round, or of the game.

    Whether there was anything to resume. Raises AssertionError for whatever does not hold.
    """
    folder.mkdir(parents=True)
    path = folder / "game-0001.taco"
    path.write_bytes(cut.text)
    if not read_game(path).unfinished:
        return False
    at = Machine(folder, rules)
    person = Person(at, copy.deepcopy(cut.world), side, random.Random(seed), CHILD)
    person.resume()
    play_on(person, 99 if to_the_end else cut.number)
    at.close()
    kept = read_game(path)
    assert (kept.game, kept.fault) == (at.game, "") and not chosen_twice(path)
    return True


def every_cut(folder: Path, rules: Rules, side: Player, level: str, seed: int, rounds: int = 99, ends: int = 10) -> int:
    """Cut a game at every moment, and go on each time; each time in so many to the end of the game.

    How many cuts there were. Raises AssertionError with the moment in its notes.
    """
    count = 0
    for n, cut in enumerate(cuts_of(played(folder / "whole", rules, side, level, seed, rounds))):
        try:
            count += gone_on(folder / f"cut {n}", cut, rules, side, seed + n, to_the_end=n % ends == 0)
        except Exception as fault:
            fault.add_note(f"cut {cut.name}, {side} against {level}, seed {seed}; kept was:\n{cut.text.decode()}")
            raise
    return count


def chosen_twice(path: Path) -> list[str]:
    """The choices that stand in a transcript although there was one for the same question already."""
    kept = read_game(path)
    assert kept.solo is not None and not kept.fault, kept.fault
    found, game, side = [], new_game(kept.rules), kept.solo.side
    made: object = None  # the question that was answered
    for told in kept.story:
        if isinstance(told, Choice):
            question = question_of(game, side)
            assert question is not None and is_secret(game)
            if question == made:
                found.append(str(told))
            made = question
        elif isinstance(told, Event):
            game, _ = judge(game, told)
            if question_of(game, side) != made:
                made = None
    return found

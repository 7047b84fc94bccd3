"""Advice in a session: which game is asked about, and that the loop never waits for the answer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from engine.board import Board, parse_arrows
from engine.cards import YAY
from engine.events import Event, format_event, parse_event
from engine.game import fold, judge, new_game
from engine.players.levels import level_named
from engine.players.match import Seated
from engine.players.turning import turning_points
from engine.rules import Rules
from engine.transcript import format_rules
from engine.views import view_of
from firmware.bots.advice import Advice, NoAdvice, costly_play
from firmware.bots.advising import Adviser
from firmware.kept.games import MOST_PLAYED, read_game
from firmware.run.advice import GameAdvice
from firmware.table.effects import AskHint, AskPoints, Begin, Record
from firmware.table.menus import At, Item
from firmware.table.state import Stage
from hardware.ports import SystemClock
from hardware.twins.tags import Tag
from tests.support.bot_host import Clock, PretendedProcess
from tests.support.decided_games import decided_game
from tests.support.running import running

SHORT = Rules(board=Board((3, 3, 3, 3, 3, 3, 3), parse_arrows("wow wow wow both yay yay yay")))
POINTLESS = [parse_event("yay 1a")]


def events_of(seed: int) -> list[Event]:
    seats = (Seated("careful", level_named("careful"), 0), Seated("beginner", level_named("beginner"), 0))
    return decided_game(SHORT, seats, seed).events


class Game:
    """A GameAdvice; `woken` counts how often the loop was, `processes` are those that advise, in place of real ones."""

    def __init__(self, state: Path) -> None:
        self.woken = 0
        self.processes: list[PretendedProcess] = []
        self.advice = GameAdvice(state, SystemClock().now_ms, self.wake, self.start)

    def start(self, command: Sequence[str]) -> PretendedProcess:
        self.processes.append(PretendedProcess(Adviser().answers, Clock(), delay_ms=0))
        return self.processes[-1]

    def wake(self) -> None:
        self.woken += 1

    def play(self, events: list[Event]) -> None:
        game = new_game(SHORT)
        for event in events:
            before = game
            game, verdict = judge(before, event)
            self.advice.hear(Record(event, before, game, verdict))

    def points(self) -> Advice | None:
        self.advice.hear(AskPoints())
        return self.advice.poll()


def points_of(events: list[Event]) -> tuple[object, ...]:
    return tuple(map(costly_play, turning_points(SHORT, events)))


def test_the_turning_points_are_those_of_the_game_that_was_begun_last(tmp_path: Path) -> None:
    game = Game(tmp_path)
    for seed in (2, 3):
        game.advice.hear(Begin(SHORT))
        game.play(events_of(seed))
        assert game.points() == points_of(events_of(seed))


def test_what_was_taken_back_does_not_count(tmp_path: Path) -> None:
    game, events = Game(tmp_path), events_of(2)
    game.advice.hear(Begin(SHORT))
    last = events[-1]
    game.play([*events, parse_event(f"{last.player} undo"), last])
    assert game.points() == points_of(events)


def test_a_game_of_another_session_is_asked_about_as_a_whole(tmp_path: Path) -> None:
    events, path = events_of(2), tmp_path / "game-0001.taco"
    path.write_text(format_rules(SHORT) + "".join(f"{format_event(event)}\n" for event in events[:-3]) + "yay 9")
    game = Game(tmp_path)
    game.advice.hear(Begin(Rules()))
    game.play(POINTLESS)
    game.advice.resume(read_game(path))
    game.play(events[-3:])
    assert game.points() == points_of(events)


def test_of_a_game_without_end_nothing_is_remembered_and_none_is_told(tmp_path: Path) -> None:
    game = Game(tmp_path)
    game.advice.hear(Begin(Rules()))
    game.play(POINTLESS * (MOST_PLAYED + 1))
    assert game.points() is NoAdvice.FAILED and game.woken == 1 and not game.processes
    assert game.advice.poll() is None
    path = tmp_path / "game-0001.taco"
    path.write_text(format_rules(Rules()) + "yay 1a\n" * (MOST_PLAYED + 1))
    kept = read_game(path)
    assert kept.events == MOST_PLAYED + 1 and kept.played == ()
    game.advice.resume(kept)
    assert game.points() is NoAdvice.FAILED
    game.advice.hear(Begin(SHORT))
    assert game.points() == ()  # the next game is told of again


def test_for_a_hint_no_event_is_told(tmp_path: Path) -> None:
    game, events = Game(tmp_path), events_of(2)[:6]
    game.advice.hear(Begin(SHORT))
    game.play(events)
    game.advice.hear(AskHint(view_of(fold(SHORT, events), YAY)))
    assert game.advice.poll() is not None
    assert [line.split()[0] for line in game.processes[0].sent if line.startswith(("yay", "wow"))] == []
    assert sum(line.startswith("view ") for line in game.processes[0].sent) == 1


def test_after_a_game_at_the_virtual_table_its_turning_points_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = events_of(2)
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "game-0001.taco").write_text(
        format_rules(SHORT) + "".join(f"{format_event(event)}\n" for event in events[:-1])
    )
    last = events[-1]
    with running(tmp_path, monkeypatch) as run:
        run.take(Item.RESUME)
        run.until(lambda: run.loop.table.stage is Stage.ROUND)
        found_ms = run.loop.table.pad(last.player).found_ms or 0  # what is seen earlier lay there already
        run.until(lambda: run.parts[-1].clock.now_ms() > found_ms)
        uid = next(uid for uid, card in run.loop.table.tags.items() if card == last.card)
        run.parts[-1].twins.pads[last.player].put(Tag(uid))
        run.until(lambda: run.loop.table.stage is Stage.OVER)
        run.until(lambda: "ok" in run.loop.shown.page.note or run.loop.shown.lamps)
        run.press("yay")
        run.take(Item.POINTS)
        run.until(partial(points_are_shown, run), 60)
        assert run.loop.table.advice == points_of(events)
        assert run.loop.shown.page.note.count("Better") == 1


def points_are_shown(run: object) -> bool:
    table = run.loop.table  # type: ignore[attr-defined]
    return table.menu is not None and table.menu.page == At.POINTS and table.advice is not None

"""The bot's end of the protocol, line by line (docs/bots.md)."""

from __future__ import annotations

import os
import queue
import random
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings

from engine.cards import PLAYERS, WOW, YAY, Player
from engine.events import Event
from engine.game import judge, new_game
from engine.players.levels import LEVELS, level_named
from engine.players.situation import NothingToDecide
from engine.rules import Mode, Rules
from engine.sights import accepted_sights
from engine.views import View, view_of
from firmware.bots import stdio
from firmware.bots.answering import Bot
from firmware.bots.lines import game_lines, question_of, read_play
from tests.support.bot_events import lines_of
from tests.support.engine_games import SEEDS, Manners, RandomTable, dealt, rules

DEAL = dealt("1a 3a 5a 7a 9a 10a 12a", "2a 3b 4a 6a 8a 9b 11a", swap=True)
HONEST = Manners(wrong=0.0, cheat=0.0, regret=0.0, void=0.01)


def bot(name: str = "careful") -> Bot:
    return Bot(f"Tacocat {name}", level_named(name))


def said(player: Bot, *lines: str) -> list[str]:
    """All that is answered to these lines."""
    return [answer for line in lines for answer in player.answers(line)]


def begun(side: Player = WOW, level: str = "careful", **rules: Rules) -> Bot:
    player = bot(level)
    assert said(player, *game_lines(side, rules.get("rules", Rules()), 8123)) == ["ready"]
    return player


def test_the_greeting_is_a_name_and_the_protocol_whatever_higher_version_the_host_speaks() -> None:
    assert said(bot(), "tacobot 1") == ["name Tacocat careful", "protocol 1"]
    assert said(bot(), "tacobot 17 and more") == ["name Tacocat careful", "protocol 1"]


def test_ready_is_all_that_a_header_is_answered_with() -> None:
    assert said(bot(), *game_lines(YAY, Rules(), 1)) == ["ready"]


def test_a_header_line_that_is_missing_has_its_default() -> None:
    assert said(bot(), "new side yay", "ready") == ["ready"]
    whole, missing = begun(YAY), bot()
    said(missing, "new side yay", "seed 8123", "ready")
    for player in (whole, missing):
        assert said(player, *lines_of(YAY, DEAL)) == []
    assert said(whole, "go 1 replace most 7") == said(missing, "go 1 replace most 7")


def test_words_after_those_that_are_known_are_passed_over() -> None:
    player = bot()
    extended = [f"{line} x 9z" if line != "ready" else line for line in game_lines(WOW, Rules(), 8123)]
    assert said(player, *extended) == ["ready"]
    assert said(player, *(f"{line} quietly 17" for line in lines_of(WOW, DEAL))) == []
    (answer,) = said(player, "go 1 replace fast most 7 ponder ms 100 please")
    assert answer == said(_after_deal(), "go 1 replace most 7 ms 100")[0]


def _after_deal(side: Player = WOW) -> Bot:
    player = begun(side)
    said(player, *lines_of(side, DEAL))
    return player


@pytest.mark.parametrize("line", ["", " ", "ponder on", "late-foul note", "mode play", "Ready", "\x00\xff", "x" * 3000])
def test_a_line_that_begins_with_an_unknown_word_changes_nothing(line: str) -> None:
    player = bot()
    lines = [*game_lines(WOW, Rules(), 8123), *lines_of(WOW, DEAL)]
    assert said(player, *(each for known in lines for each in (line, known))) == ["ready"]
    assert said(player, line, "go 1 replace most 7") == said(_after_deal(), "go 1 replace most 7")


def test_carriage_returns_and_more_blanks_are_blanks() -> None:
    player = bot()
    lines = [*game_lines(WOW, Rules(), 8123), *lines_of(WOW, DEAL)]
    assert said(player, *(f"  {line.replace(' ', '  ')}\r" for line in lines)) == ["ready"]
    assert said(player, "go 1 replace most 7\r") == said(_after_deal(), "go 1 replace most 7")


@pytest.mark.parametrize("number", ["1", "2", "17", "999999999"])
def test_an_answer_repeats_the_number(number: str) -> None:
    (answer,) = said(_after_deal(), f"go {number} replace most 7 ms 100")
    assert answer.split()[:2] == ["play", number] and answer.split()[-1] == "ok"


@pytest.mark.parametrize("most", range(8))
def test_no_more_is_discarded_than_the_host_takes(most: int) -> None:
    player = begun(WOW, "beginner")
    said(player, *lines_of(WOW, dealt("1a 3a 3c 7a 9a 10a 12a", "4a 4b 5a 5b 6a 6b 7b", swap=True)))
    (answer,) = said(player, f"go 1 replace most {most}")
    assert len(answer.split()) == 3 + most
    assert most != 2 or answer == "play 1 5a 5b ok"


def test_nothing_is_answered_to_events_also_past_decisions_of_the_bot() -> None:
    """A resume: the same question gets the same answer as in a game that was followed from the start."""
    since = lines_of(WOW, DEAL, "yay ok; wow ok; yay 12a; wow 2a; yay 3a; yay ok")
    resumed, asked = begun(WOW), begun(WOW)
    assert said(resumed, *since) == []
    deal = len(lines_of(WOW, DEAL))
    said(asked, *since[:deal], "go 1 replace most 7", *since[deal : deal + 2], "go 2 duel", *since[deal + 2 :])
    (answer,) = said(resumed, "go 3 defend ms 1500")
    assert answer.startswith("play 3 ") and said(asked, "go 3 defend ms 1500") == [answer]


def test_a_question_that_does_not_fit_is_answered_with_an_error_and_the_game_goes_on() -> None:
    player = _after_deal()
    for wrong in ("go 1 attack", "go 1 defend ms 100", "go 1 showdown", "go 1", "go", "go x replace", "go 1 dance"):
        (answer,) = said(player, wrong)
        assert answer.startswith("error ")
    assert said(player, "go 2 replace most 7") == said(_after_deal(), "go 2 replace most 7")


@pytest.mark.parametrize("event", ["wow 2b", "yay 99z", "wow ok", "yay", "wow 13a", "yay undo", "yay tag ?", "wow ?!"])
def test_an_impossible_event_is_told_at_once_then_each_question_gets_an_error_until_a_new_game(event: str) -> None:
    player = _after_deal()
    wrong = said(player, "wow 4a", event) if event == "wow 2b" else said(player, "wow ok", event)
    assert len(wrong) == 1 and wrong[0].startswith("error ")
    assert said(player, "yay 3a", "yay ok", "void") == []
    assert said(player, "go 1 duel")[0].startswith("error ")
    assert said(player, *game_lines(WOW, Rules(), 8123), *lines_of(WOW, DEAL)) == ["ready"]
    assert said(player, "go 2 replace most 7")[0].startswith("play 2 ")


@pytest.mark.parametrize(
    "header", [["new side me"], ["new"], ["new side yay", "deck 1x1"], ["new side yay", "board 1 2"], ["ready"]]
)
def test_a_header_that_cannot_be_played_by_is_no_ready_but_one_error(header: list[str]) -> None:
    player = bot()
    answers = said(player, *header, *([] if header == ["ready"] else ["tie never", "ready"]))
    assert answers and all(answer.startswith("error ") for answer in answers)
    assert said(player, "new side wow", "ready") == ["ready"]


def test_no_answer_is_longer_than_a_line_may_be() -> None:
    player = begun()
    (answer,) = said(player, "yay " + "é" * 5000)
    assert answer.startswith("error ") and len(answer.encode()) < 1000


def test_before_a_game_and_after_one_there_is_nothing_to_decide() -> None:
    player = bot()
    assert said(player, "go 1 replace most 7")[0].startswith("error ")
    said(player, *game_lines(WOW, Rules(), 1), *lines_of(WOW, DEAL))
    assert said(player, "result yay") == []
    assert said(player, "go 2 replace most 7")[0].startswith("error ")
    assert said(player, "result none", "quit") == [] and player.ended


def test_void_deals_a_new_round_on_the_same_space() -> None:
    player = _after_deal()
    said(player, "wow ok", "void", *lines_of(WOW, DEAL))
    assert said(player, "go 1 replace most 7") == said(_after_deal(), "go 1 replace most 7")


def test_the_header_of_a_game_before_is_forgotten() -> None:
    player = begun(YAY, rules=Rules(board=Rules().board))
    said(player, "new side yay", "deck 3x10 4x10 5x10", "board 2 2 2 2 2 2 2", "tie arrow", "ready")
    assert said(player, *(f"yay {card}" for card in ("3a", "4a")), "yay 5a")[0].startswith("error ")
    assert said(player, *game_lines(YAY, Rules(), 8123), *lines_of(YAY, DEAL)) == ["ready"]
    assert said(player, "go 1 replace most 7") == said(_after_deal(YAY), "go 1 replace most 7")


def _questions(game_rules: Rules, events: list[Event]) -> Iterator[tuple[Player, list[str], View | None]]:
    """For each seat what it is told after each event, and the view of a decision that is then its."""
    game = new_game(game_rules)
    for event in events:
        after, verdict = judge(game, event)
        for side in PLAYERS:
            yield side, [str(sight) for sight in accepted_sights(game, event, verdict, side)], None
        game = after
        for side in PLAYERS:
            yield side, [], view_of(game, side)


@pytest.mark.parametrize("level", LEVELS)
@settings(max_examples=8)
@given(rules((Mode.PLAY,), small=True), SEEDS)
def test_every_answer_to_what_can_be_asked_is_legal_and_what_the_level_decides(
    level: str, game_rules: Rules, seed: int
) -> None:
    events = [event for _, event in RandomTable(game_rules, seed, HONEST).events(60)]
    chance = random.Random(seed)
    bots = {side: begun(side, level, rules=game_rules) for side in PLAYERS}
    number = 0
    for side, lines, view in _questions(game_rules, events):
        assert said(bots[side], *lines) == []
        if view is None or chance.random() < 0.6:
            continue
        try:
            go = question_of(view, number + 1, 100)
        except NothingToDecide:
            continue
        assert view.seat is not None
        begun_play = view.answer or view.discards[view.seat.seat] or (view.attack and view.seat is view.attacker)
        if begun_play or any(view.laid):
            continue  # a host asks about none that was begun, and both before either has laid a card
        number += 1
        (answer,) = said(bots[side], str(go))
        words = answer.split()
        assert words[:2] == ["play", str(number)]
        assert read_play(view, words[2:]) == level_named(level)(view, 8123)


@pytest.mark.parametrize("fault", [OSError(5, "Input/output error"), MemoryError()])
def test_a_bot_whose_input_cannot_be_read_ends(monkeypatch: pytest.MonkeyPatch, fault: Exception) -> None:
    def read(handle: int, most: int) -> bytes:
        if threading.current_thread().name == "host":
            raise fault
        return really(handle, most)

    really, left = os.read, queue.SimpleQueue[int]()
    monkeypatch.setattr(threading, "excepthook", lambda died: None)
    monkeypatch.setattr(stdio, "QUIT_S", 0)
    monkeypatch.setattr(os, "read", read)
    assert stdio.bot_command("careful", -1, -1, left.put) == 0
    assert left.get(timeout=10) == 0


@pytest.mark.parametrize(("length", "kept"), [(1 << 16, True), ((1 << 16) + stdio._PIECE, False)])
def test_a_line_without_an_end_is_kept_up_to_64_kb_and_then_passed_over(
    tmp_path: Path, *, length: int, kept: bool
) -> None:
    written = tmp_path / "host"
    written.write_bytes(b"a" * length + b"\nquit\n")
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    with written.open("rb", 0) as file:
        stdio._read_lines(file.fileno(), lines)
    assert lines.get_nowait() == ("a" * length if kept else "? ")
    assert lines.get_nowait() == "quit"

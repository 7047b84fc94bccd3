"""Advice at a table: asked of a process that is told no more than it has to know, and never waited for."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence

import pytest

from engine.board import Board, parse_arrows
from engine.cards import PLAYERS, WOW, YAY
from engine.errors import ParseError
from engine.game import fold
from engine.players.advice import Hint, Reason
from engine.players.hints import hint_of
from engine.players.levels import STRONG_NODES, level_named
from engine.players.match import Seated
from engine.players.turning import turning_points
from engine.round import Phase
from engine.rules import Mode, Rules
from engine.views import View, view_of
from firmware.bots.advice import Advice, CostlyPlay, NoAdvice, costly_play, format_points, hint_lines, read_advice
from firmware.bots.adviser import MOST_MS, AdviceDesk
from firmware.bots.advising import SEED, Adviser
from firmware.bots.child import Child
from firmware.bots.intake import Saying
from firmware.bots.sandbox import Sandbox
from tests.support.bad_bots import program
from tests.support.bot_host import ATTACK, DEFEND, REPLACE, Clock, PretendedProcess, Script, view
from tests.support.decided_games import DecidedGame, dealt_anew, decided_game

SMALL_BOARD = Board((3, 3, 3, 3, 3, 3, 3), parse_arrows("wow wow wow both yay yay yay"))
SHORT = Rules(board=SMALL_BOARD)


def game_of(one: str, other: str, seed: int, rules: Rules = SHORT) -> DecidedGame:
    return decided_game(rules, (Seated(one, level_named(one), 0), Seated(other, level_named(other), 0)), seed)


class Desk:
    """An AdviceDesk over pretended processes; without a script they advise."""

    def __init__(self, script: Script | None = None) -> None:
        self.clock = Clock()
        self.processes: list[PretendedProcess] = []
        self._script = script
        self.desk = AdviceDesk(self.start, self.clock)

    def start(self, command: Sequence[str]) -> PretendedProcess:
        self.processes.append(PretendedProcess(self._script or Adviser().answers, self.clock))
        return self.processes[-1]

    def answer(self) -> Advice:
        """What comes, on a clock that goes on by itself."""
        while (found := self.desk.poll()) is None:
            self.clock.ms += 5
        return found

    def hint(self, asked: View) -> Advice:
        self.desk.ask_hint(asked)
        return self.answer()


@pytest.mark.parametrize(("seat", "text"), [(YAY, REPLACE), (YAY, ATTACK), (WOW, DEFEND)])
def test_a_hint_is_the_strong_players_with_its_reason(seat: str, text: str) -> None:
    asked = view(YAY if seat == YAY else WOW, text)
    hint = hint_of(asked, SEED, STRONG_NODES)
    assert hint is not None
    assert Desk().hint(asked) == Hint(hint.ranks, hint.reason, None)


@pytest.mark.parametrize(
    ("seat", "text"),
    [(WOW, ATTACK), (YAY, DEFEND), (YAY, f"{ATTACK}; yay 9a"), (YAY, f"{REPLACE}; yay ok"), (YAY, "yay 1a")],
    ids=["the other attacks", "the other answers", "a play is begun", "the cards are kept", "the cards are dealt"],
)
def test_who_has_nothing_to_choose_is_told_so(seat: str, text: str) -> None:
    assert Desk().hint(view(YAY if seat == YAY else WOW, text)) is NoAdvice.NOTHING


def test_the_turning_points_are_those_of_the_game() -> None:
    game, desk = game_of("careful", "beginner", 2), Desk()
    desk.desk.ask_points(SHORT, game.events)
    points = turning_points(SHORT, game.events)
    found = desk.answer()
    assert found == tuple(map(costly_play, points)) and points
    assert [(p.number, p.player, p.played, p.better) for p in found if isinstance(found, tuple)] == [
        (p.decided.view.number, p.decided.player, p.decided.ranks, p.better) for p in points
    ]
    assert all(p.rounds_lost >= 10 and 0 <= p.games_lost <= p.rounds_lost for p in found if isinstance(found, tuple))
    assert all(bool(p.attack) is (p.phase is Phase.DEFEND) for p in found if isinstance(found, tuple))


def test_a_game_that_is_not_over_or_not_of_play_mode_has_none() -> None:
    game = game_of("careful", "beginner", 2)
    for rules, events in ((SHORT, game.events[:-1]), (Rules(mode=Mode.BOARD), [])):
        desk = Desk()
        desk.desk.ask_points(rules, events)
        assert desk.answer() == ()


# ---- what it is told -----------------------------------------------------------------------


def test_hidden_cards_dealt_anew_change_no_byte_that_is_told_for_a_hint_and_none_that_is_answered() -> None:
    compared = 0
    for seed in range(3):
        chance, game = random.Random(seed), game_of("careful", "beginner", seed)
        for place, asked, _ in game.decisions:
            other = dealt_anew(SHORT, game.events[:place], asked, chance)
            if other is None:
                continue
            again = view_of(other, asked.seat)
            one, two = Desk(), Desk()
            assert one.hint(asked) == two.hint(again)
            assert one.processes[0].sent == two.processes[0].sent
            compared += other.round.hands != fold(SHORT, game.events[:place]).round.hands
    print(f"{compared} questions with other hidden cards")
    assert compared > 60, compared


def test_no_card_that_the_seat_has_not_seen_is_named_to_whoever_gives_the_hint() -> None:
    for place, asked, _ in game_of("careful", "beginner", 5).decisions:
        (line,) = (line for line in hint_lines(asked) if line.startswith("view "))
        named = {card for card in SHORT.deck.cards if str(card) in line.replace("/", ",").replace("+", ",").split(",")}
        in_hand = {card for card in SHORT.deck.cards if f"={card}" in line}
        assert named | in_hand <= asked.seen, place


# ---- a process that does not do it ---------------------------------------------------------


def saying(*what: str | Saying) -> Script:
    def answers(line: str) -> Iterable[str | Saying]:
        return what if line.startswith(("view ", "points")) else ()

    return answers


@pytest.mark.parametrize(
    "words",
    [
        *("", "hint", "hint 9", "hint 9 because", "hint 13 keep", "hint 9, keep", "hint x keep", "hint - keep more"),
        *("points 1", "points", "point 1 yay attack - 9 8 20", "point 1 he attack - 9 8 20 3", "error of the view"),
        f"hint {','.join(['9'] * 65)} keep",
    ],
)
def test_what_is_no_advice_is_said_once_and_none_is_given(words: str, caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk(saying(words))
    assert desk.hint(view(YAY, ATTACK)) is NoAdvice.FAILED
    assert len(caplog.messages) == 1 and "No advice" in caplog.messages[0]
    assert desk.processes[0].ended is not None and desk.desk.poll() is None


def test_whatever_a_process_does_wrong_no_advice_is_given(caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk(saying(Saying("it has ended", wrong=True)))
    desk.desk.ask_points(SHORT, [])
    desk.processes[0].tail = "MemoryError"
    assert desk.answer() is NoAdvice.FAILED
    assert caplog.messages == ["No advice: it has ended (MemoryError)"]


def test_a_process_that_says_nothing_is_given_up_after_a_minute() -> None:
    desk = Desk(saying())
    desk.desk.ask_hint(view(YAY, ATTACK))
    desk.clock.ms += MOST_MS - 1
    assert desk.desk.poll() is None
    desk.clock.ms += 1
    assert desk.desk.poll() is NoAdvice.FAILED
    assert desk.processes[0].ended is not None


def test_a_new_question_ends_the_process_of_the_one_before() -> None:
    desk = Desk()
    desk.desk.ask_points(SHORT, game_of("careful", "beginner", 2).events)
    asked = view(WOW, DEFEND)
    assert isinstance(desk.hint(asked), Hint)
    assert [process.ended is not None for process in desk.processes] == [True, True]
    assert desk.desk.poll() is None


def test_a_question_that_cannot_be_followed_is_answered_as_such_and_the_next_one_is_followed() -> None:
    adviser = Adviser()
    for lines in (["view x"], ["mode play", "yay 13a"], ["deck nothing"], ["yay 1a", "points", "deck 1x1", "points"]):
        assert any(answer.startswith("error ") for line in lines for answer in adviser.answers(line)), lines
    answers = [answer for line in hint_lines(view(WOW, DEFEND)) for answer in adviser.answers(line)]
    assert len(answers) == 1 and answers[0].startswith("hint ")
    adviser.answers("quit")
    assert adviser.ended


def test_advice_is_read_as_it_was_written() -> None:
    points = [
        CostlyPlay(10, YAY, Phase.REPLACE, (), (), (4, 5), 23, 8),
        CostlyPlay(11, WOW, Phase.DEFEND, (9, 9), (1, 2), (10, 10), 50, 0),
    ]
    lines = format_points(points)
    assert read_advice(lines) == tuple(points)
    assert read_advice(lines[:-1]) is None and read_advice([]) is None
    with pytest.raises(ParseError, match="points 2"):
        read_advice(lines[1:])
    for reason in Reason:
        assert read_advice([f"hint 9,10 {reason}"]) == Hint((9, 10), reason, None)


# ---- real processes ------------------------------------------------------------------------


@pytest.fixture
def started() -> Iterator[list[Child]]:
    found: list[Child] = []
    yield found
    for child in found:
        child.end()
    assert all(child.join(60) for child in found)


def asked_of(started: list[Child], command: tuple[str, ...] | None = None) -> Callable[[View], Advice]:
    clock = Clock()

    def start(own: Sequence[str]) -> Child:
        started.append(Child(command or own, Sandbox(), clock))
        return started[-1]

    def hint(asked: View) -> Advice:
        desk = AdviceDesk(start, clock)
        desk.ask_hint(asked)
        came = started[-1].take(60.0)  # waited for here alone
        started[-1]._came.put(came[0])
        found = desk.poll()
        assert found is not None
        return found

    return hint


def test_a_process_of_its_own_gives_the_hint_shut_in_as_a_bot_is(started: list[Child]) -> None:
    hint = hint_of(view(YAY, ATTACK), SEED, STRONG_NODES)
    assert hint is not None
    assert asked_of(started)(view(YAY, ATTACK)) == Hint(hint.ranks, hint.reason, None)


@pytest.mark.parametrize("at_word", ["sys.exit(3)", "print('x' * 2000)", "os.abort()"])
def test_a_process_that_fails_costs_no_more_than_the_hint(started: list[Child], at_word: str) -> None:
    assert asked_of(started, program(at_word=at_word))(view(YAY, ATTACK)) is NoAdvice.FAILED


@pytest.mark.parametrize("seat", PLAYERS)
def test_the_same_question_is_always_answered_alike(seat: str) -> None:
    for _, asked, _ in game_of("beginner", "careful", 7).decisions[:12]:
        if asked.seat == seat:
            assert Desk().hint(asked) == Desk().hint(asked)

"""The host's end of the protocol: each row of its table of errors (docs/bots.md), at times that the test says."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from engine.cards import WOW, YAY, Player
from engine.rules import Rules
from engine.views import View
from firmware.bots.dialogue import AT_A_TABLE, Chosen, Dialogue, Patience
from firmware.bots.intake import Saying
from firmware.bots.lines import game_lines
from tests.support.bot_host import ATTACK, DEFEND, REPLACE, view

DUEL = f"{REPLACE}; yay ok; wow ok"
SHOWDOWN = "deck 3x4 4x4\nboard 2 2 2 2 2 2 2\nyay 3a; yay 4a; wow 3b; wow 4b; yay ok; wow ok; yay 4a; wow 4b"
IN_MATCH = Patience()


def ready(timing: Patience = IN_MATCH, side: Player = YAY) -> Dialogue:
    """A bot that waits for its first question, at 0 ms."""
    dialogue = Dialogue(0, timing)
    dialogue.begin(side, Rules(), 8123, 0)
    hear(dialogue, "name Some Name", "protocol 1")
    hear(dialogue, "ready")
    dialogue.take_lines()
    return dialogue


def asked(question: View, timing: Patience = IN_MATCH) -> Dialogue:
    """The first question, asked at 0 ms."""
    dialogue = ready(timing)
    dialogue.ask(question, 0)
    return dialogue


def hear(dialogue: Dialogue, *lines: str, at_ms: int = 0) -> None:
    for line in lines:
        dialogue.hear(Saying(line), at_ms)
        dialogue.tick(at_ms)


# ---- what is sent, and when ----


def test_the_greeting_comes_first_and_the_game_when_the_bot_has_said_which_protocol() -> None:
    dialogue = Dialogue(0, IN_MATCH)
    dialogue.begin(WOW, Rules(), 8123, 0)
    assert dialogue.take_lines() == ["tacobot 1"]
    hear(dialogue, "name Some Name 1.2")
    assert dialogue.take_lines() == [] and dialogue.name == "Some Name 1.2"
    hear(dialogue, "protocol 1")
    assert dialogue.take_lines() == game_lines(WOW, Rules(), 8123)


def test_the_header_is_that_of_the_transcript() -> None:
    assert game_lines(WOW, Rules(), 8123) == [
        "new side wow",
        "deck 1x1 2x2 3x5 4x5 5x5 6x5 7x4 8x3 9x3 10x2 11x2 12x1",
        "board 4 6 9 7 9 6 4",
        "arrows wow wow wow both yay yay yay",
        "tie redeal",
        "seed 8123",
        "ready",
    ]


def test_events_and_questions_wait_until_the_bot_is_ready_and_what_came_before_is_discarded() -> None:
    dialogue = Dialogue(0, IN_MATCH)
    dialogue.begin(YAY, Rules(), 1, 0)
    dialogue.ask(view(YAY, REPLACE), 0)
    hear(dialogue, "protocol 1", "play 17 9z", "error of before", "rubbish", at_ms=9000)
    assert dialogue.take_lines()[-1] == "ready" and not dialogue.fault
    hear(dialogue, "ready", at_ms=18000)
    assert dialogue.take_lines() == ["go 1 replace most 7 ms 100"]
    hear(dialogue, "play 1 ok", at_ms=18050)
    assert dialogue.take_answer() is not None and not dialogue.fault


@pytest.mark.parametrize(
    ("situation", "line"),
    [
        (REPLACE, "go 1 replace most 7 ms 100"),
        (DUEL, "go 1 duel ms 100"),
        (ATTACK, "go 1 attack ms 100"),
        (SHOWDOWN, "go 1 showdown ms 100"),
    ],
)
def test_a_question_says_what_is_to_be_decided(situation: str, line: str) -> None:
    assert asked(view(YAY, situation)).take_lines() == [line]


def test_without_a_limit_no_time_is_told() -> None:
    assert asked(view(YAY, ATTACK), Patience(None)).take_lines() == ["go 1 attack"]
    assert asked(view(YAY, ATTACK), AT_A_TABLE).take_lines() == ["go 1 attack ms 1500"]


# ---- what is answered ----


@pytest.mark.parametrize(
    ("situation", "side", "answer"),
    [
        (REPLACE, YAY, "ok"),
        (REPLACE, YAY, "1a 3a 5a 7a 9a 10a 12a ok"),
        (DUEL, WOW, "11a"),
        (ATTACK, YAY, "9a ok"),
        (DEFEND, WOW, "9b"),
        (DEFEND, WOW, "3b"),
        (SHOWDOWN, YAY, "3a"),
    ],
)
def test_a_legal_answer_is_taken(situation: str, side: Player, answer: str) -> None:
    dialogue = ready(side=side)
    dialogue.ask(view(side, situation), 0)
    hear(dialogue, "info thinking", f"play 1 {answer}", at_ms=50)
    chosen = dialogue.take_answer()
    assert chosen is not None and not dialogue.fault and not chosen.late and chosen.ms == 50
    assert {str(card) for card in chosen.play.cards} == {*answer.split()} - {"ok"}
    assert chosen.play.confirm is answer.endswith("ok")


ILLEGAL = {
    "a card that is not held": (ATTACK, "8a ok"),
    "a card of the other": (ATTACK, "9b ok"),
    "no card of the deck": (ATTACK, "9z ok"),
    "no card at all": (ATTACK, "nine ok"),
    "a card twice": (REPLACE, "5a 5a ok"),
    "no attack": (ATTACK, "ok"),
    "an attack of two ranks": (ATTACK, "3a 5a ok"),
    "a missing ok": (ATTACK, "9a"),
    "a second ok": (ATTACK, "9a ok ok"),
    "an ok too early": (ATTACK, "ok 9a"),
    "an ok to a duel": (DUEL, "9a ok"),
    "two cards in a duel": (DUEL, "9a 10a"),
    "no card in a duel": (DUEL, ""),
    "a word too many": (ATTACK, "9a ok please"),
}


@pytest.mark.parametrize("case", ILLEGAL)
def test_an_illegal_answer_is_a_fault(case: str) -> None:
    situation, answer = ILLEGAL[case]
    dialogue = asked(view(YAY, situation))
    hear(dialogue, f"play 1 {answer}".strip())
    assert dialogue.fault and dialogue.take_answer() is None


@pytest.mark.parametrize("answer", ["4a", "3b 4a", "", "8a", "9b ok", "12a"])
def test_an_answer_to_an_attack_that_is_illegal_is_a_fault(answer: str) -> None:
    dialogue = ready(side=WOW)
    dialogue.ask(view(WOW, DEFEND), 0)
    hear(dialogue, f"play 1 {answer}".strip())
    assert dialogue.fault and dialogue.take_answer() is None


def test_on_a_short_pile_half_of_it_is_the_most_that_is_taken() -> None:
    short = f"deck 3x4 5x4 7x4\nboard {'4 ' * 7}\nyay 3a; yay 3b; yay 5a; yay 5b; wow 3c; wow 3d; wow 5c; wow 5d"
    dialogue = asked(view(YAY, short))
    assert dialogue.take_lines() == ["go 1 replace most 2 ms 100"]
    hear(dialogue, "play 1 3a 3b 5a ok")
    assert "3 cards, where 0 to 2" in dialogue.fault


def test_an_attack_has_to_leave_a_card() -> None:
    two = "deck 3x4 4x8\nboard 3 3 3 3 3 3 3\nyay 3a; yay 4a; yay 4b; wow 3b; wow 3c; wow 3d; yay ok; wow ok"
    dialogue = asked(view(YAY, f"{two}; yay 4a; wow 3b"))
    hear(dialogue, "play 1 3a 4b ok")
    assert "2 cards, where 1 may be named" in dialogue.fault


@pytest.mark.parametrize(
    "line",
    ["", "hello", "plays 1 9a ok", "PLAY 1 9a ok", "ready", "name Again", "1 9a ok", "\ufffd\x00", "go 1 attack"],
)
def test_any_other_line_where_an_answer_is_due_is_a_fault(line: str) -> None:
    dialogue = asked(view(YAY, ATTACK))
    hear(dialogue, line)
    assert "is due" in dialogue.fault


@pytest.mark.parametrize("line", ["", "hello", "ready", "name Again", "info of all kinds"])
def test_between_questions_a_line_that_is_no_answer_is_passed_over(line: str) -> None:
    dialogue = ready()
    hear(dialogue, line)
    dialogue.ask(view(YAY, ATTACK), 0)
    hear(dialogue, "play 1 9a ok")
    assert not dialogue.fault and dialogue.take_answer() is not None


@pytest.mark.parametrize("asks", [True, False])
def test_a_bot_that_cannot_follow_has_made_a_fault_whenever_it_says_so(asks: bool) -> None:
    dialogue = asked(view(YAY, ATTACK)) if asks else ready()
    hear(dialogue, "error yay 7b cannot be")
    assert dialogue.fault == "it cannot follow: error yay 7b cannot be"


@pytest.mark.parametrize("wrong", ["a line of more than 1000 bytes", "it has ended", "more than 64 kB of info"])
@pytest.mark.parametrize("asks", [True, False])
def test_what_is_wrong_with_its_streams_is_a_fault_at_any_time(wrong: str, asks: bool) -> None:
    dialogue = asked(view(YAY, ATTACK)) if asks else ready()
    dialogue.hear(Saying(wrong, wrong=True), 0)
    assert dialogue.fault == wrong


@pytest.mark.parametrize("number", ["0", "2", "17", "-1", "x", "1.0", "1" * 400])
def test_an_answer_to_a_question_that_was_never_asked_is_a_fault(number: str) -> None:
    dialogue = asked(view(YAY, ATTACK))
    hear(dialogue, f"play {number} 9a ok")
    assert "never asked" in dialogue.fault
    before = ready()
    hear(before, f"play {number} 9a ok")
    assert before.fault


@pytest.mark.parametrize("cancel", ["void", "begin", "result"])
def test_the_answer_to_a_question_that_was_cancelled_may_still_come_and_is_discarded(cancel: str) -> None:
    dialogue = asked(view(YAY, ATTACK))
    if cancel == "void":
        dialogue.void(50)
    elif cancel == "begin":
        dialogue.begin(YAY, Rules(), 5, 50)
    else:
        dialogue.result(None, 50)
    hear(dialogue, "play 1 9a ok", at_ms=60)
    assert not dialogue.fault and dialogue.take_answer() is None
    if cancel == "begin":
        hear(dialogue, "ready", at_ms=70)
    dialogue.tick(50_000)
    assert not dialogue.fault
    dialogue.take_lines()
    dialogue.ask(view(YAY, ATTACK), 100)
    assert dialogue.take_lines() == ["go 2 attack ms 100"]
    hear(dialogue, "play 1 8a and what not", "play 2 9a ok", at_ms=120)
    assert not dialogue.fault and dialogue.take_answer() is not None


def test_a_second_answer_to_the_same_question_is_discarded() -> None:
    dialogue = asked(view(YAY, ATTACK))
    hear(dialogue, "play 1 9a ok", "play 1 10a ok")
    chosen = dialogue.take_answer()
    assert chosen is not None and {str(card) for card in chosen.play.cards} == {"9a"} and not dialogue.fault
    assert dialogue.take_answer() is None


# ---- times ----


def _answered(at_ms: int, timing: Patience) -> tuple[Chosen | None, str]:
    dialogue = asked(view(YAY, ATTACK), timing)
    hear(dialogue, "play 1 9a ok", at_ms=at_ms)
    dialogue.tick(at_ms)
    return dialogue.take_answer(), dialogue.fault


@pytest.mark.parametrize(
    ("timing", "at_ms", "late", "fault"),
    [
        (IN_MATCH, 200, False, False),
        (IN_MATCH, 201, True, False),
        (IN_MATCH, 10_000, True, False),
        (IN_MATCH, 10_001, False, True),
        (Patience(None), 9_999, False, False),
        (AT_A_TABLE, 1600, False, False),
        (AT_A_TABLE, 1601, True, False),
        (AT_A_TABLE, 2000, True, False),
        (AT_A_TABLE, 2001, False, True),
    ],
)
def test_an_answer_is_in_time_late_or_a_fault(timing: Patience, at_ms: int, late: bool, fault: bool) -> None:
    chosen, wrong = _answered(at_ms, timing)
    assert bool(wrong) is fault and (chosen is None) is fault
    assert chosen is None or chosen.late is late


@pytest.mark.parametrize(("timing", "most_ms"), [(IN_MATCH, 10_000), (AT_A_TABLE, 2000)])
def test_no_answer_is_a_fault_once_its_time_has_passed_and_not_before(timing: Patience, most_ms: int) -> None:
    dialogue = asked(view(YAY, ATTACK), timing)
    assert dialogue.due_ms == most_ms
    dialogue.tick(most_ms)
    assert not dialogue.fault
    dialogue.tick(most_ms + 1)
    assert dialogue.fault == f"an answer has not come within {most_ms // 1000} s"


def test_a_host_that_was_busy_blames_no_bot_for_it() -> None:
    """What counts is when a line was read, not when it is looked at."""
    dialogue = asked(view(YAY, ATTACK))
    hear(dialogue, "play 1 9a ok", at_ms=150)
    dialogue.tick(60_000)
    chosen = dialogue.take_answer()
    assert chosen is not None and not chosen.late and not dialogue.fault


def test_what_is_sent_late_because_the_host_was_busy_has_its_whole_time_from_then_on() -> None:
    dialogue = Dialogue(0, IN_MATCH)
    dialogue.begin(YAY, Rules(), 1, 0)
    dialogue.hear(Saying("protocol 1"), 50)
    dialogue.tick(30_000)
    assert dialogue.take_lines()[-1] == "ready" and dialogue.due_ms == 40_000 and not dialogue.fault


@pytest.mark.parametrize("said", [[], ["name Slow"], ["name Slow", "protocol 1"], ["protocol 1", "readily"]])
def test_a_greeting_and_ready_have_ten_seconds_each(said: Iterable[str]) -> None:
    dialogue = Dialogue(0, AT_A_TABLE)
    dialogue.begin(YAY, Rules(), 1, 0)
    hear(dialogue, *said, at_ms=9_000)
    due_ms = 19_000 if "protocol 1" in said else 10_000
    dialogue.tick(due_ms)
    assert not dialogue.fault
    dialogue.tick(due_ms + 1)
    assert "has not come within 10 s" in dialogue.fault


@pytest.mark.parametrize("line", ["protocol 0", "protocol 2", "protocol", "protocol one"])
def test_a_protocol_that_is_not_spoken_here_is_a_fault(line: str) -> None:
    dialogue = Dialogue(0, IN_MATCH)
    hear(dialogue, line)
    assert "protocol 1 is spoken here" in dialogue.fault


def test_after_a_fault_nothing_more_is_sent_or_heard() -> None:
    dialogue = asked(view(YAY, ATTACK))
    dialogue.take_lines()
    hear(dialogue, "rubbish", "play 1 9a ok")
    first = dialogue.fault
    dialogue.begin(YAY, Rules(), 2, 0)
    assert dialogue.take_lines() == [] and dialogue.take_answer() is None and dialogue.fault == first

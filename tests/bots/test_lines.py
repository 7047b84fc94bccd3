"""The lines of the protocol as a bot reads them, and those of advice: what is a number, a question, a list of ranks."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from engine.errors import ParseError
from engine.players.hints import Hint, Reason
from engine.round import Phase
from firmware.bots.advice import read_advice
from firmware.bots.advising import Adviser
from firmware.bots.lines import Go, number_in, parse_go


@pytest.mark.parametrize("word", ["0", "007", "9" * 18])
def test_a_number_has_up_to_18_digits(word: str) -> None:
    assert number_in(word) == int(word)


@pytest.mark.parametrize("word", ["", "-1", "+1", "1.0", "1_0", " 1", "x", "9" * 19, "\u0663", "\u00b2"])
def test_what_else_int_would_take_is_no_number(word: str) -> None:
    assert number_in(word) is None


@pytest.mark.parametrize("go", [Go(1, Phase.DUEL), Go(0, Phase.REPLACE, 7, 100), Go(12, Phase.ATTACK, ms=0)])
def test_a_question_is_read_as_it_was_written(go: Go) -> None:
    assert parse_go(str(go).split(" ")) == go


def test_of_a_word_that_comes_twice_in_a_question_the_first_counts_and_what_is_unknown_is_passed_over() -> None:
    line = "go 3 replace most 2 ms x colour 5 ms 100 ms 200 most 4 ms"
    assert parse_go(line.split(" ")) == Go(3, Phase.REPLACE, 2, 100)


@pytest.mark.parametrize("words", [["go"], ["go", "1"], ["go", "x", "duel"], ["go", "1", "deal"], ["go", "duel", "1"]])
def test_a_question_without_number_or_phase_is_none(words: Sequence[str]) -> None:
    with pytest.raises(ParseError, match=f"'{' '.join(words)}' found, go NUMBER and one of replace, attack, "):
        parse_go(words)


def test_ranks_in_advice_are_those_that_there_are_and_at_most_64() -> None:
    most = ",".join(["12"] * 64)
    for ranks in ("1", "1,12", most):
        wanted = tuple(map(int, ranks.split(",")))
        assert read_advice([f"hint {ranks} {Reason.KEEP}"]) == Hint(wanted, Reason.KEEP, None)
    for wrong in ("0", "1,13", "0,1", "-1", f"{most},12"):
        with pytest.raises(ParseError, match="ranks from 1 to 12 are expected"):
            read_advice([f"hint {wrong} {Reason.KEEP}"])


def test_an_adviser_tells_an_error_in_one_line_of_at_most_200_characters() -> None:
    (answer,) = Adviser().answers(f"view {'x' * 500}")
    assert answer.startswith("error ") and len(answer) == 200

"""The public record: what somebody beside the table sees, and not a byte more."""

from __future__ import annotations

import json
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import DEFAULT_DECK
from engine.record import JsonObject, judged, public_line
from engine.rules import LateFoul, Mode, Rules
from engine.transcript import parse_transcript
from tests.support.dealt_otherwise import Step, dealt_otherwise, steps
from tests.support.engine_games import SEEDS, Manners, RandomTable, dealt, rules

MANNERS = st.builds(
    Manners,
    wrong=st.sampled_from((0.0, 0.1)),
    cheat=st.sampled_from((0.0, 0.3)),
    regret=st.sampled_from((0.0, 0.06, 0.2)),
    void=st.sampled_from((0.0, 0.01)),
)
CARDS = frozenset(map(str, DEFAULT_DECK.cards))


def line_of(step: Step, number: int = 1) -> JsonObject:
    before, event, verdict, after = step
    return public_line(number, before, event, verdict, after)


def record(text: str) -> list[JsonObject]:
    game_rules, entries = parse_transcript(text)
    events = [entry.event for entry in entries]
    return [line_of(step, n) for n, step in enumerate(steps(game_rules, events), 1)]


def played(text: str) -> list[JsonObject]:
    """The record of these events behind a deal; without the lines of the deal."""
    return record(f"{DEAL}\n" + text.replace("; ", "\n") + "\n")[len(record(f"{DEAL}\n")) :]


DEAL = dealt("1a 3a 5a 7a 9a 10a 12a", "2a 3b 4a 6a 8a 9b 11a")


@settings(max_examples=150)
@given(rules(), SEEDS, MANNERS)
def test_hidden_cards_dealt_otherwise_change_no_byte_of_the_record(
    game_rules: Rules, seed: int, manners: Manners
) -> None:
    for step, other in dealt_otherwise(game_rules, seed, manners, None, 160):
        assert json.dumps(line_of(step)) == json.dumps(line_of(other))


def test_most_of_the_lines_that_were_compared_had_other_hidden_cards() -> None:
    """Of games with undo, rejected plays and fouls, in both modes with cards, and with rounds that a foul ends."""
    met: Counter[str] = Counter()
    for seed in range(90):
        game_rules = Rules(
            mode=(Mode.PLAY, Mode.PLAY, Mode.REFEREE)[seed % 3], late_foul=(LateFoul.NOTE, LateFoul.FORFEIT)[seed % 2]
        )
        for step, other in dealt_otherwise(game_rules, seed, Manners(wrong=0.02, cheat=0.3), None, 200):
            assert line_of(step) == line_of(other)
            _, event, verdict, after = step
            met["hidden"] += after.round.hands != other[3].round.hands or event != other[1]
            met["undone"] += verdict.undone
            met["rejected"] += not verdict.accepted
            met["foul"] += bool(verdict.fouls)
            met["ended"] += verdict.round_result is not None
    print(met)
    assert met["hidden"] > 2000 and all(met[what] for what in ("undone", "rejected", "foul", "ended")), met


@given(rules(), SEEDS, MANNERS)
def test_a_line_has_the_fields_of_the_verdict_and_survives_json(game_rules: Rules, seed: int, manners: Manners) -> None:
    events = [event for _, event in RandomTable(game_rules, seed, manners).events(120)]
    for n, step in enumerate(steps(game_rules, events), 1):
        line = line_of(step, n)
        assert line["line"] == n
        assert json.loads(json.dumps(line)) == line
        fields = judged(step[2], step[3])
        assert {name: line[name] for name in fields} == fields
        assert "uid" not in line and "tag" not in str(line["event"]).replace("tag ?", "")
        assert all(line[name] for name in line.keys() - fields.keys()), "nothing stands there that tells nothing"


def test_dealt_cards_and_the_first_of_a_duel_have_no_face_and_the_second_brings_both() -> None:
    assert {str(line["event"]).split()[1] for line in record(f"{DEAL}\n")} <= {"?", "ok"}
    first, second = played("yay 7a; wow 9b")
    assert (first["event"], first.get("duel")) == ("yay ?", None)
    assert second["event"] == "wow 9b"
    assert second["duel"] == {"yay": "7a", "wow": "9b", "winner": "wow"}


def test_an_attack_lies_open_and_its_answer_completes_the_trick() -> None:
    lines = played("yay 7a; wow 9b; wow 8a; yay 9a")
    assert lines[2]["attack"] == ["8a"] and "answer" not in lines[2]
    assert lines[3]["trick"] == {"attacker": "wow", "attack": ["8a"], "answer": ["9a"], "sacrificed": 0}
    assert "attack" not in lines[3]


def test_what_is_refused_has_no_face_and_what_is_taken_back_lies_there_no_more() -> None:
    refused, *_, attack, undone = played("yay 2a; yay 7a; wow 9b; wow 8a; wow undo")
    assert (refused["event"], refused["problem"]) == ("yay ?", "not-your-card")
    assert attack["attack"] == ["8a"]
    assert (undone["event"], "attack" in undone) == ("wow undo", False)


def test_an_answer_that_is_refused_as_a_whole_shows_its_last_card() -> None:
    lines = played("yay 7a; wow 9b; wow 8a; yay 3a")
    assert (lines[3]["event"], lines[3]["problem"]) == ("yay 3a", "must-defend-or-sacrifice-lowest")


def test_discards_lie_open() -> None:
    line = record(f"{dealt('1a 3a 5a 7a 9a 10a 12a', '2a 3b 4a 6a 8a 9b 11a', swap=True)}\nyay 3a\n")[-1]
    assert (line["event"], line["discards"]) == ("yay 3a", {"yay": ["3a"]})

"""Matches between bots: mirrored deals, faults that lose a game, and what is printed of it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.board import Board, parse_arrows
from engine.cards import PLAYERS, WOW, YAY, Player, parse_deck
from engine.players.levels import level_named
from engine.players.match import Seated, play_game
from engine.rules import Rules
from firmware.bots.dialogue import Patience
from firmware.bots.hosted import Hosted
from firmware.bots.intake import Saying
from firmware.bots.match import Rival, Tally, bot_seed, play_bots, play_pairs
from firmware.bots.sandbox import level_command
from firmware.cli import main
from firmware.commands.match import NoSuchBotError, command_of, report
from tests.support.bad_bots import program
from tests.support.bot_host import Clock, PretendedProcess, Script, playing, until


def rival(*scripts: Script, clock: Clock | None = None, delay_ms: int = 5) -> tuple[Rival, list[PretendedProcess]]:
    """A bot of pretended processes, one script after the other, the last again and again."""
    clock, left, processes = clock or Clock(), list(scripts), list[PretendedProcess]()

    def start() -> Hosted:
        script = left.pop(0) if len(left) > 1 else left[0]
        processes.append(PretendedProcess(script, clock, delay_ms))
        return Hosted(processes[-1], Patience(), clock)

    return Rival("pretended", start), processes


def test_each_seed_is_dealt_twice_with_the_sides_exchanged() -> None:
    one, mine = rival(playing())
    other, others = rival(playing())
    pairs = list(play_pairs((one, other), Rules(), range(5, 8)))
    assert len(pairs) == 3 and all(first + second == 1.0 for first, second in pairs)
    games, others_games = (_games(process.sent) for process in (mine[0], others[0]))
    assert [game[0] for game in games] == ["new side yay", "new side wow"] * 3
    for n in (0, 2, 4):  # two bots that play alike: the second game is the first one with the bots exchanged
        assert games[n] == others_games[n + 1] and games[n + 1] == others_games[n]


def _games(sent: list[str]) -> list[list[str]]:
    """The lines of each game, the numbers of its questions left out."""
    starts = [n for n, line in enumerate(sent) if line.startswith("new ")]
    games = [sent[start:end] for start, end in zip(starts, [*starts[1:], len(sent)], strict=True)]
    return [[line.split(" ", 2)[2] if line.startswith("go ") else line for line in game] for game in games]


def test_a_game_by_processes_is_the_game_that_the_same_players_play_without() -> None:
    for seed in range(3):
        seats = {YAY: rival(playing("careful"))[0], WOW: rival(playing("beginner"))[0]}

        def decide(side: Player, name: str, seed: int = seed) -> Callable[..., object]:
            return lambda view, _seed, nodes: level_named(name)(view, bot_seed(seed, side))

        seated = (Seated("a", decide(YAY, "careful"), 0), Seated("b", decide(WOW, "beginner"), 0))
        assert play_bots(Rules(), seats, seed) is play_game(Rules(), seated, seed)


def test_both_choose_before_either_is_told_and_yay_s_comes_first() -> None:
    seats = {side: rival(playing()) for side in PLAYERS}
    play_bots(Rules(), {side: found[0] for side, found in seats.items()}, 3)
    for _, (process,) in seats.values():
        ready = process.sent.index("ready")
        asked = next(n for n, line in enumerate(process.sent) if line.startswith("go 1 replace"))
        assert process.sent[ready + 1 : asked] == [
            line for line in process.sent[ready + 1 : asked] if line.split()[0] in ("yay", "wow")
        ]
        assert asked - ready - 1 == 14
        after = process.sent[asked + 1 :]
        players = [line.split()[0] for line in after[: after.index(next(line for line in after if "duel" in line))]]
        assert players == sorted(players, reverse=True)  # yay's discards and draws, then wow's
        duel = next(n for n, line in enumerate(process.sent) if " duel " in line)
        assert [line.split()[0] for line in process.sent[duel + 1 : duel + 3]] == ["yay", "wow"]
        assert "?" not in "".join(process.sent[duel + 1 : duel + 3])


@pytest.mark.parametrize("says", [["play 1 12z ok"], ["rubbish"], [Saying("it has ended", wrong=True)], []])
def test_a_fault_loses_the_game_at_once_and_the_process_is_started_anew(says: list[str | Saying]) -> None:
    clock = Clock()
    (bad, processes), (good, others) = (
        rival(until(playing(), "go", says), playing(), clock=clock),
        rival(playing(), clock=clock),
    )
    assert play_bots(Rules(), {YAY: bad, WOW: good}, 1) is WOW
    assert bad.tally.faults == 1 and processes[0].ended == 0.0 and not bad.tally.passes
    assert bad.tally.told[0].startswith("round 1, replace: ")
    assert others[0].sent[-1] == "result wow" and good.tally.passes
    play_bots(Rules(), {YAY: good, WOW: bad}, 1)
    assert len(processes) == 2 and bad.tally.faults == 1 and len(others) == 1


def test_a_bot_that_dies_between_two_games_has_made_a_fault_and_plays_the_next_one() -> None:
    dead = until(playing(), "result", [Saying("it has ended", wrong=True)])
    clock = Clock()
    (bad, processes), (good, _) = rival(dead, playing(), clock=clock), rival(playing(), clock=clock)
    play_bots(Rules(), {YAY: bad, WOW: good}, 1)
    clock.ms += 10
    play_bots(Rules(), {YAY: bad, WOW: good}, 2)
    assert bad.tally.told == ["between two games: it has ended"] and len(processes) == 2


def test_late_answers_are_taken_and_counted() -> None:
    clock = Clock()
    (slow, _), (quick, _) = rival(playing(), clock=clock, delay_ms=201), rival(playing(), clock=clock)
    assert play_bots(Rules(), {YAY: slow, WOW: quick}, 1) is not None
    assert slow.tally.late == len(slow.tally.times_ms) > 10 and not slow.tally.faults and not slow.tally.passes
    assert quick.tally.late == 0 and set(quick.tally.times_ms) == {5}


@pytest.mark.parametrize(
    ("faults", "late", "answers", "passes"),
    [(0, 0, 0, True), (0, 1, 100, True), (0, 2, 199, False), (1, 0, 100, False)],
)
def test_a_bot_passes_without_a_fault_and_with_one_late_answer_in_a_hundred(
    faults: int, late: int, answers: int, passes: bool
) -> None:
    assert Tally(faults, late, [10] * answers).passes is passes


def test_a_game_without_end_is_a_tie(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware.bots.match.LONGEST_GAME", 60)
    rules = Rules(deck=parse_deck("5x8"), board=Board((2,) * 7, parse_arrows("both " * 7)))
    (one, _), (other, _) = rival(playing("random")), rival(playing("random"))
    assert play_bots(rules, {YAY: one, WOW: other}, 1) is None


def test_the_seed_that_a_bot_is_given_depends_on_seed_and_side_and_is_a_number_that_a_header_takes() -> None:
    found = {bot_seed(seed, side) for seed in range(100) for side in PLAYERS}
    assert len(found) == 200 and all(0 <= seed < 10**18 for seed in found)


def test_the_table_of_a_match() -> None:
    one, other = Tally(0, 1, [10, 20, 30]), Tally(1, 0, [5], ["round 1, duel: 9a twice"])
    text = report(("strong", "python3 mine.py"), [(1.0, 1.0), (1.0, 0.0), (0.5, 1.0)], [one, other], 7)
    assert text == (
        "3 pairs of games on mirrored deals, seeds 7 to 9; both games of a pair won by one: 1, one each: 1\n"
        "\n"
        "                 won  tied  lost  share of games  faults  late  decisions  median    p95\n"
        "strong             4     1     1   75.0% ± 28.3%       0     1          3   20 ms  30 ms\n"
        "python3 mine.py    1     1     4   25.0% ± 28.3%       1     0          1    5 ms   5 ms\n"
        "\n"
        "share of games: a tie is half; ± is the 95 % interval over pairs\n"
        "python3 mine.py, a fault, round 1, duel: 9a twice\n"
    )


# ---- the command ----


def test_a_level_or_a_command_is_a_bot_and_nothing_else(tmp_path: Path) -> None:
    assert command_of("plain-sampling") == level_command("plain-sampling")
    assert command_of(shlex.join([sys.executable, "my bot.py", "--fast"])) == (sys.executable, "my bot.py", "--fast")
    for name in ("stronger", "", "'", str(tmp_path), "./no-bot"):
        with pytest.raises(NoSuchBotError):
            command_of(name)


@pytest.mark.parametrize("options", [[], ["--sandbox"]])
def test_two_processes_play_a_match(capsys: pytest.CaptureFixture[str], options: list[str]) -> None:
    status = main(["match", "careful", "random", "--pairs", "1", "--seed", "3", "--ms", "9000", *options])
    out = capsys.readouterr().out
    assert status == 0 and out.startswith("1 pairs of games on mirrored deals, seeds 3 to 3")
    rows = {line.split()[0]: line.split() for line in out.splitlines() if line.startswith(("careful", "random"))}
    assert rows["careful"][1:4] == ["2", "0", "0"] and rows["random"][1:4] == ["0", "0", "2"]


def test_a_match_with_a_fault_fails(capsys: pytest.CaptureFixture[str]) -> None:
    bad = shlex.join(program("say('my turn')"))
    assert main(["match", "random", bad, "--pairs", "1", "--ms", "9000"]) == 1
    assert "'my turn' where `play 1 …` is due" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["stronger", "good"], ["good", "'"]])
def test_a_bot_that_is_not_there_is_a_wrong_word(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert main(["match", *words]) == 2
    assert "tacocat: " in capsys.readouterr().err


@pytest.mark.parametrize("option", [["--pairs", "0"], ["--pairs", "x"], ["--seed", "-1"], ["--ms", "1e3"]])
def test_numbers_of_a_match_are_whole_and_not_too_large(option: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["match", "good", "good", *option])
    assert ended.value.code == 2

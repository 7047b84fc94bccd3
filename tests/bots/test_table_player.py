"""Who plays for the table: a play for every question, whatever the process does, and never a call that waits."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

import pytest

from engine.cards import WOW, YAY, Player
from engine.events import card_event, ok_event, parse_event
from engine.game import Game, judge, new_game
from engine.legal import is_legal
from engine.players.situation import NothingToDecide
from engine.round import Phase
from engine.rules import Rules
from engine.views import view_of
from firmware.bots.at_table import Contestant, TablePlay, TablePlayer, level_contestant
from firmware.bots.fallback import fallback_play
from firmware.bots.intake import Saying
from firmware.bots.lines import game_lines
from firmware.bots.sandbox import level_command
from tests.support.bot_events import events_of, lines_of
from tests.support.bot_host import ATTACK, DEFEND, REPLACE, Clock, PretendedProcess, Script, playing, until, view
from tests.support.engine_games import Manners, RandomTable, told

OTHERS = Contestant("theirs", ("/opt/theirs",))


class PlayerAtATable:
    """A TablePlayer over pretended processes."""

    def __init__(self, *scripts: Script, contestant: Contestant = OTHERS) -> None:
        self.clock = Clock()
        self.commands: list[tuple[str, ...]] = []
        self.processes: list[PretendedProcess] = []
        self._scripts = list(scripts)
        self.player = TablePlayer(contestant, self.start, self.clock)

    def start(self, command: Sequence[str]) -> PretendedProcess:
        self.commands.append(tuple(command))
        script = self._scripts.pop(0) if self._scripts else playing("good")
        self.processes.append(PretendedProcess(script, self.clock))
        return self.processes[-1]

    def begin(self, side: Player, *texts: str) -> None:
        self.player.begin(side, Rules(), 8123, events_of(*texts))

    def judge(self, game: Game, text: str) -> Game:
        """The game after this event, which the player sees."""
        event = parse_event(text)
        after, verdict = judge(game, event)
        self.player.see(game, event, verdict)
        return after

    def settle(self) -> None:
        """Until the bot has been told all."""
        for _ in range(10):
            self.clock.ms += 10
            assert self.player.poll() is None

    def decided(self, most_ms: int = 30_000) -> TablePlay:
        """What is decided, on a clock that goes on by itself."""
        until_ms = self.clock.ms + most_ms
        while self.clock.ms < until_ms:
            found = self.player.poll()
            if found is not None:
                return found
            self.clock.ms += 5
        raise AssertionError("the table plays nothing")


def test_the_bot_is_asked_and_what_it_answers_is_played() -> None:
    desk = PlayerAtATable(playing())
    desk.begin(YAY, ATTACK)
    desk.player.ask(view(YAY, ATTACK))
    assert desk.player.poll() is None  # it takes its time
    found = desk.decided()
    assert found.fault == "" and is_legal(told(ATTACK).game, found.play)
    sent = desk.processes[0].sent
    assert sent == ["tacobot 1", *game_lines(YAY, Rules(), 8123), *lines_of(YAY, ATTACK), "go 1 attack ms 1500"]
    assert desk.player.poll() is None


@pytest.mark.parametrize(
    ("side", "situation", "cards"),
    [(YAY, REPLACE, ""), (YAY, ATTACK, "10a"), (WOW, DEFEND, "3b"), (YAY, f"{REPLACE}; yay ok; wow ok", "1a")],
)
def test_a_fault_costs_that_play_and_the_process_which_is_told_the_game_anew(
    side: Player, situation: str, cards: str, caplog: pytest.LogCaptureFixture
) -> None:
    desk = PlayerAtATable(until(playing(), "go", ["rubbish"]), playing())
    desk.begin(side, situation)
    question = view(side, situation)
    desk.player.ask(question)
    found = desk.decided()
    assert found.play == fallback_play(question) and is_legal(told(situation).game, found.play)
    assert {str(card) for card in found.play.cards} == {*cards.split()}
    assert "'rubbish' where `play 1 …` is due" in found.fault
    (record,) = caplog.records
    assert record.getMessage().startswith("theirs: ") and record.getMessage().endswith("the table plays for it")
    assert desk.processes[0].ended == 0.0
    assert [desk.commands[0]] * 2 == desk.commands
    desk.player.ask(question)
    assert desk.decided().fault == ""
    assert desk.processes[1].sent[-1].startswith("go 1 ") and desk.processes[1].sent[:-1] == desk.processes[0].sent[:-1]


@pytest.mark.parametrize("says", ["rubbish 12a", "play 1 12a", "play 7 12a", "error no 12a here", "play 1 nothing 12a"])
def test_the_log_of_a_fault_has_no_word_of_the_bots_which_may_name_its_cards(
    caplog: pytest.LogCaptureFixture, says: str
) -> None:
    desk = PlayerAtATable(until(playing(), "go", [says]), playing())
    desk.begin(YAY, ATTACK)
    desk.player.ask(view(YAY, ATTACK))
    assert "12a" in desk.decided().fault
    assert "theirs: " in caplog.text and "12" not in caplog.records[-1].getMessage()


@pytest.mark.parametrize("says", [[], [Saying("it has ended", wrong=True)], ["info"]])
def test_a_table_waits_two_seconds_for_an_answer(says: list[str | Saying]) -> None:
    desk = PlayerAtATable(until(playing(), "go", says))
    desk.begin(YAY, ATTACK)
    desk.player.ask(view(YAY, ATTACK))
    begun_ms = desk.clock.ms
    assert desk.decided().fault
    assert desk.clock.ms - begun_ms <= 2100


def test_the_third_fault_of_a_game_puts_good_in_its_place_for_that_game(caplog: pytest.LogCaptureFixture) -> None:
    bad = [until(playing(), "go", ["rubbish"]) for _ in range(3)]
    desk = PlayerAtATable(*bad, playing("good"), until(playing(), "go", ["rubbish"]))
    desk.begin(YAY, ATTACK)
    for n in range(3):
        assert desk.player.name == "theirs"
        desk.player.ask(view(YAY, ATTACK))
        assert desk.decided().fault, n
    assert desk.player.name == "good" and desk.commands[-1] == level_command("good")
    assert caplog.records[-1].getMessage().endswith("the third time in this game, so good plays on")
    desk.player.ask(view(YAY, ATTACK))
    assert desk.decided().fault == ""
    desk.player.result(YAY)
    desk.begin(YAY, ATTACK)
    assert desk.player.name == "theirs" and desk.commands[-1] == OTHERS.command
    desk.player.ask(view(YAY, ATTACK))
    assert desk.decided().fault


def test_where_no_process_can_be_had_the_table_plays_on_by_itself() -> None:
    desk = PlayerAtATable(
        *[until(playing(), "tacobot", [Saying("it cannot be started: no memory", wrong=True)]) for _ in range(99)]
    )
    desk.begin(YAY, ATTACK)
    for _ in range(20):
        desk.player.ask(view(YAY, ATTACK))
        assert desk.decided().play == fallback_play(view(YAY, ATTACK))
    assert len(desk.processes) <= 6


def test_a_fault_while_nothing_is_asked_starts_it_anew_and_is_said(caplog: pytest.LogCaptureFixture) -> None:
    desk = PlayerAtATable(until(playing(), "yay", [Saying("it has ended", wrong=True)]), playing())
    desk.begin(YAY, ATTACK)
    for _ in range(10):
        desk.clock.ms += 10
        assert desk.player.poll() is None
    assert len(desk.processes) == 2 and caplog.records[-1].getMessage().endswith("it is started anew")
    desk.player.ask(view(YAY, ATTACK))
    assert desk.decided().fault == ""


@pytest.mark.parametrize("contestant", [OTHERS, level_contestant("good")])
def test_after_an_undo_the_game_is_told_anew_to_another_process_unless_it_is_ours(contestant: Contestant) -> None:
    desk = PlayerAtATable(playing(), playing(), contestant=contestant)
    desk.begin(WOW, DEFEND)
    desk.settle()
    desk.player.ask(view(WOW, DEFEND))
    game = told(DEFEND).game
    for text in ("yay undo", "yay undo", "yay 10a"):
        game = desk.judge(game, text)
    for _ in range(10):
        assert desk.player.poll() is None  # the answer to what was asked before the undo
        desk.clock.ms += 10
    game = desk.judge(game, "yay ok")
    desk.player.ask(view_of(game, WOW))
    assert desk.decided().fault == ""
    assert len(desk.processes) == (1 if contestant.trusted else 2)
    undone = [*lines_of(WOW, ATTACK), "yay 10a", "yay ok"]
    number = 2 if contestant.trusted else 1
    assert desk.processes[-1].sent[-len(undone) - 1 :] == [*undone, f"go {number} defend ms 1500"]


def test_a_rejected_answer_is_taken_back_from_the_bot_too() -> None:
    """No bot is told of rejected events; what was laid of the answer had been accepted, and told."""
    desk = PlayerAtATable(playing())
    attack = f"{REPLACE}; yay ok; wow ok; yay 5a; wow 11a; wow 4a; wow ok"
    desk.begin(WOW, attack.replace("wow 4a; wow ok", "wow 8a; wow ok"))
    game = told(attack.replace("wow 4a; wow ok", "wow 8a; wow ok")).game
    for text in ("yay 7a", "yay 9a"):
        game = desk.judge(game, text)
    desk.settle()
    assert "yay 7a" not in desk.processes[-1].sent and desk.processes[-1].sent[-1] == "yay 9a"


def test_an_undo_of_what_was_not_seen_changes_nothing() -> None:
    duel = f"{REPLACE}; yay ok; wow ok"
    desk = PlayerAtATable(playing())
    desk.begin(WOW, duel)
    desk.settle()
    desk.player.ask(view(WOW, duel))
    game = desk.judge(desk.judge(told(duel).game, "yay 12a"), "yay undo")
    assert desk.decided().fault == "" and game.phase is Phase.DUEL
    assert len(desk.processes) == 1 and desk.processes[0].sent.count("ready") == 1


def test_a_void_cancels_the_question() -> None:
    desk = PlayerAtATable(playing())
    desk.begin(YAY, ATTACK)
    desk.settle()
    desk.player.ask(view(YAY, ATTACK))
    game = desk.judge(told(ATTACK).game, "void")
    desk.clock.ms += 100
    assert desk.player.poll() is None and desk.processes[0].sent[-2:] == ["go 1 attack ms 1500", "void"]
    for event in events_of(ATTACK):
        game = desk.judge(game, str(event))
    desk.player.ask(view_of(game, YAY))
    assert desk.decided().fault == ""


def test_a_play_that_was_begun_is_completed_without_a_question() -> None:
    """As after a power cut: no bot has to know of halves."""
    desk = PlayerAtATable(playing())
    begun = f"{ATTACK}; yay 9a"
    desk.begin(YAY, begun)
    desk.player.ask(view(YAY, begun))
    found = desk.player.poll()
    assert found == TablePlay(found.play) and found.play.confirm and not found.play.cards
    with pytest.raises(NothingToDecide):
        desk.player.ask(view(WOW, ATTACK))


def test_between_games_nothing_is_asked_and_a_fault_waits_for_the_next() -> None:
    desk = PlayerAtATable(until(playing(), "result", ["rubbish", Saying("it has ended", wrong=True)]))
    desk.begin(YAY, ATTACK)
    desk.player.result(None)
    desk.clock.ms += 100
    assert desk.player.poll() is None and len(desk.processes) == 1
    desk.player.close()
    desk.player.close()
    desk.begin(YAY, ATTACK)
    assert len(desk.processes) == 2


def test_close_lets_it_end_kindly() -> None:
    desk = PlayerAtATable(playing())
    desk.begin(YAY)
    desk.player.close()
    assert desk.processes[0].ended == 2.0


# ---- whole games ----


def whole_game(desk: PlayerAtATable, seed: int, side: Player, regret: float = 0.05) -> list[str]:
    """Play a game against a random person; the faults of the table's player."""
    person = RandomTable(Rules(), seed, Manners(wrong=0.02, cheat=0.2, regret=regret, void=0.005))
    game, faults = new_game(), list[str]()
    desk.player.begin(side, Rules(), seed)
    while not game.over:
        events = [person.next_event(game)]
        try:
            desk.player.ask(view_of(game, side))
            found = desk.decided()
            faults += [found.fault] if found.fault else []
            events = [card_event(side, card) for card in sorted(found.play.cards)]
            events += [ok_event(side)] if found.play.confirm else []
        except NothingToDecide:
            if game.phase in (Phase.DUEL, Phase.SHOWDOWN, Phase.ATTACK, Phase.DEFEND) and events[0].player is side:
                continue
        for event in events:
            before = game
            game, verdict = judge(game, event)
            assert verdict.accepted or len(events) == 1
            desk.player.see(before, event, verdict)
    desk.player.result(game.winner)
    return faults


@pytest.mark.parametrize("side", [YAY, WOW])
@pytest.mark.parametrize("seed", range(3))
def test_whole_games_are_played_without_a_fault(side: Player, seed: int) -> None:
    desk = PlayerAtATable(playing("careful"), contestant=level_contestant("careful"))
    assert whole_game(desk, seed, side) == [] and len(desk.processes) == 1


def clumsy(seed: int) -> Script:
    """A bot that now and then does something wrong."""
    chance, good = random.Random(seed), playing("careful")
    wrongs: list[list[str | Saying]] = [
        [],
        ["error no"],
        ["play 99 ok"],
        [Saying("it has ended", wrong=True)],
        ["", ""],
    ]

    def answers(line: str) -> Iterable[str | Saying]:
        said = good(line)
        return chance.choice(wrongs) if chance.random() < 0.02 else said

    return answers


@pytest.mark.parametrize("seed", range(6))
def test_whole_games_go_on_whatever_the_bot_does(seed: int) -> None:
    desk = PlayerAtATable(*(clumsy(n) for n in range(seed * 10, seed * 10 + 3)))
    faults = whole_game(desk, seed, YAY)
    assert len(desk.processes) > 1 and len(faults) <= 6

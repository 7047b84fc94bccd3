"""A session in which the table plays, over the whole device on twins, with processes that decide, in real time."""

import re
from dataclasses import replace

import pytest

from engine.board import Board
from engine.cards import Player
from engine.round import Phase, Swap
from engine.rules import Mode
from engine.transcript import parse_transcript
from firmware.config.values import Config, SoloConfig
from firmware.kept.games import read_game
from firmware.table.menus import Item, bot_name
from firmware.table.solo import question_of
from firmware.table.state import Remark, Stage
from hardware.twins.tags import Tag
from tests.support.bad_bots import program
from tests.support.running import Running, running

SMALL = Config(board=Board((3,) * 7, Config().board.arrows))


class Person:
    """Somebody alone at the table: deals from the top of a deck, lays what the screen asks for, plays the lowest."""

    def __init__(self, run: Running) -> None:
        self.run = run
        self.uids = {card: uid for uid, card in run.loop.table.tags.items()}
        self.side = run.loop.table.opponent.side.other

    @property
    def table(self):
        return self.run.loop.table

    @property
    def state(self):
        return self.run.game.round

    def lay(self, player, card) -> None:
        """Put a card on a pad until it has been read, and take it off again."""
        pad, tag = self.run.parts[-1].twins.pads[str(player)], Tag(self.uids[card])
        pad.put(tag)
        self.run.until(lambda: self.table.pad(player).lying)
        self.run.until(lambda: self.table.pad(player).group is None)
        pad.lift(tag)
        self.run.until(lambda: not self.table.pad(player).lying)

    def deal(self) -> None:
        self.run.press(str(self.side))
        self.run.until(lambda: self.table.stage is Stage.ROUND)
        cards = iter(self.run.game.rules.deck.cards[::3])
        while self.run.game.phase is Phase.DEAL:
            for player in Player:
                self.lay(player, next(cards))

    def step(self) -> None:
        """The next thing that there is to do."""
        opponent, state = self.table.opponent, self.state
        if opponent.places_left:
            place = opponent.places_left[0]
            held = state.hands[opponent.side.seat]
            self.lay(opponent.side, next(card for card, at in opponent.places if at == place and card in held))
        elif state.swap[opponent.side.seat] is Swap.DRAWING:
            known = state.used | state.hands[0] | state.hands[1]
            self.lay(opponent.side, next(card for card in self.run.game.rules.deck.cards if card not in known))
        elif question_of(self.run.game, self.side) is None or self.table.ignore_until_ms > self.now_ms():
            self.run._pause.wait(0.02)
        elif state.phase is Phase.REPLACE:
            self.run.press(str(self.side))
        elif state.phase is Phase.ATTACK:
            self.lay(self.side, min(state.hands[self.side.seat]))
            self.run.press(str(self.side))
        else:
            self.lay(self.side, max(state.hands[self.side.seat]) if state.phase is Phase.DUEL else self.answer())

    def answer(self):
        mine = sorted(self.state.hands[self.side.seat])
        attack = max((card.rank for card in self.state.attack), default=0)
        return next((card for card in mine if card.rank >= attack), mine[0])

    def now_ms(self) -> int:
        return self.run.parts[-1].clock.now_ms()


def begun(run: Running, level: str = "good") -> Person:
    run.take(level)
    run.take(f"yay {level}")
    run.until(lambda: run.loop.table.opponent is not None)
    return Person(run)


def test_a_round_against_the_table_is_played_to_its_end(tmp_path, monkeypatch):
    with running(tmp_path, monkeypatch, Mode.PLAY, SMALL, solo=True) as run:
        person = begun(run)
        person.deal()
        play_on(person, lambda: run.game.number > 1)
    (kept,) = (tmp_path / "games").glob("*.taco")
    text = kept.read_text()
    assert re.search(r"^solo wow good \d+$", text, re.MULTILINE)
    assert text.count("\nchoice wow") >= 3  # replaced, duel, showdown
    assert read_game(kept).game.number == 2 and parse_transcript(text)


def chosen_in(transcript) -> list[str]:
    return [line for line in transcript.read_text().splitlines() if line.startswith("choice")]


def play_on(person: Person, until) -> None:
    for _ in range(400):
        if until():
            return
        person.step()
    raise AssertionError(person.table)


def test_after_a_power_cut_the_game_goes_on_with_its_places_and_with_what_was_chosen_in_secret(tmp_path, monkeypatch):
    with running(tmp_path, monkeypatch, Mode.PLAY, SMALL, solo=True) as run:
        person = begun(run)
        person.deal()
        play_on(person, lambda: run.game.phase is Phase.DUEL and run.loop.table.opponent.places_left)
        left, opponent = run.game, run.loop.table.opponent
    (kept,) = (tmp_path / "games").glob("*.taco")
    choices = chosen_in(kept)
    with running(tmp_path, monkeypatch, Mode.PLAY, SMALL, solo=True) as run:
        run.take(Item.RESUME)
        run.until(lambda: run.loop.table.opponent is not None and run.loop.table.opponent.places_left)
        assert run.game == left
        resumed = run.loop.table.opponent
        assert (resumed.places, resumed.chosen, resumed.solo) == (opponent.places, opponent.chosen, opponent.solo)
        person = Person(run)
        play_on(person, lambda: run.game.number > 1)
    assert chosen_in(kept)[:2] == choices and len(chosen_in(kept)) == 3  # replaced, duel, and then the showdown
    assert read_game(kept).game.number == 2


def test_a_game_that_was_left_while_the_table_thinks_goes_on_and_it_is_asked_again(tmp_path, monkeypatch):
    with running(tmp_path, monkeypatch, None, SMALL) as run:
        run.take(Item.SOLO)
        person = begun(run)
        person.deal()
        run.hold_both()
        run.take(Item.MAIN_MENU)
        run.take(Item.RESUME)
        run.until(lambda: run.loop.table.opponent is not None)
        play_on(person, lambda: run.game.number > 1)


def test_where_another_program_dies_at_once_the_table_plays_for_it(tmp_path, monkeypatch, caplog):
    config = replace(SMALL, solo=SoloConfig(("/bin/false",)))
    with running(tmp_path, monkeypatch, Mode.PLAY, config, solo=True) as run:
        person = begun(run, "false")
        person.deal()
        play_on(person, lambda: run.game.number > 1)
    assert "good plays on" in caplog.text


BAD = {
    "hangs": "time.sleep(60)",
    "dies": "os._exit(3)",
    "plays a card that it does not hold": "say(f'play {number} 99z')",
}


@pytest.mark.parametrize("does", sorted(BAD))
def test_whatever_a_program_does_in_the_middle_of_a_round_the_round_goes_on_and_the_screen_says_so(
    tmp_path, monkeypatch, does
):
    at_go = f"import time\nif words[2] == 'replace':\n    say(f'play {{number}} ok')\nelse:\n    {BAD[does]}"
    command = program(at_go=at_go)
    remarks: set[Remark | None] = set()
    thinking: list[bool] = []
    with running(tmp_path, monkeypatch, Mode.PLAY, replace(SMALL, solo=SoloConfig(command)), solo=True) as run:
        person = begun(run, bot_name(command))

        person.deal()
        turn = run.loop.turn

        def turned(events, now_ms):
            opponent = person.table.opponent
            thinking.append(opponent.question is not None and opponent.chosen is None)
            turn(events, now_ms)
            remarks.add(person.table.told.remark if person.table.told else None)

        run.loop.turn = turned
        play_on(person, lambda: run.game.number > 1)
    assert Remark.PLAYED_FOR in remarks
    assert does != "hangs" or sum(thinking) > 3  # the loop turns meanwhile; the others are found out at once
    (kept,) = (tmp_path / "games").glob("*.taco")
    assert read_game(kept).game.number == 2 and read_game(kept).fault == ""


def test_a_game_against_the_table_is_not_offered_to_two_who_play(tmp_path, monkeypatch):
    with running(tmp_path, monkeypatch, Mode.PLAY, SMALL, solo=True) as run:
        person = begun(run)
        person.run.press("yay")
        run.until(lambda: run.loop.table.stage is Stage.ROUND)
        person.lay(Player.YAY, run.game.rules.deck.cards[0])
    with running(tmp_path, monkeypatch, Mode.PLAY, SMALL) as run:
        run.until(lambda: run.loops)
        assert run.loop.table.stage is Stage.CLEAR and run.loop.table.opponent is None
    with running(tmp_path, monkeypatch, None, SMALL) as run:
        run.take(Item.RESUME)
        run.until(lambda: run.loop.table.opponent is not None)

"""Whole games at the full device on twins: what the engine was given replays to the same state, and strip and
screen agree with it after every event."""

import io
import json
from random import Random

import pytest

from engine.cards import PLAYERS, Card, Player
from engine.game import fold
from engine.legal import Play, legal_plays
from engine.round import Phase
from engine.rules import LateFoul, Mode, Rules, Tie
from engine.transcript import parse_transcript
from firmware.commands.replay import ReplayForm, replay
from firmware.screen.drawing import draw
from firmware.table.state import Stage
from tests.support.full_table import FullTable

CHANCES = 400  # legal plays are chosen among at most this many


class Hands:
    """Two people who play at random, mostly by the rules; now and then they err, or take something back."""

    def __init__(self, at: FullTable, seed: int) -> None:
        self.at, self.random = at, Random(seed)
        self.errors = 0

    def act(self) -> None:
        at = self.at
        if at.loop.table.stage is Stage.CLEAR:
            at.clear_pads()
            at.press(self.random.choice(PLAYERS))
            assert at.loop.table.stage is Stage.ROUND
        elif self.random.random() < 0.12:
            self._err()
        else:
            self._play_by_the_rules()

    def _play_by_the_rules(self) -> None:
        player = self.random.choice(self.at.game.to_act)
        play = self._choose(player)
        if play is None:  # in the middle of an attack: confirm it
            self.at.press(self._attacker())
            return
        for card in sorted(play.cards, key=lambda card: self.random.random()):
            self._lay(player, card)
        if play.confirm and self.at.game.can_ok(player):
            self.at.press(player)

    def _choose(self, player: Player) -> Play | None:
        plays = []
        for play in legal_plays(self.at.game, player):
            if self.at.game.phase is not Phase.REPLACE or len(play.cards) <= 2:
                plays.append(play)
            if len(plays) >= CHANCES:
                break
        return self.random.choice(plays) if plays else None

    def _attacker(self) -> Player:
        attacker = self.at.game.round.attacker
        return attacker if attacker is not None else self.random.choice(PLAYERS)

    def _err(self) -> None:
        self.errors += 1
        player = self.random.choice(PLAYERS)
        what = self.random.random()
        if what < 0.3:
            self.at.press(player)
        elif what < 0.55:
            self.at.press(player, hold_ms=1300)
        else:
            self._lay(player, self.random.choice(self.at.game.rules.deck.cards))

    def _lay(self, player: Player, card: Card) -> None:
        lying = [side for side in PLAYERS if self.at.tags[card] in self.at.twins.pads[side].tags]
        for side in lying:  # a card is in one place at a time
            self.at.lift(side, card)
            self.at.wait(200)
        if len(self.at.twins.pads[player].tags) >= 4:  # as many as can be told apart in comfort
            self.at.clear_pads()
        self.at.lay(player, card, leave=self.random.random() < 0.25)


def check_shown(at: FullTable) -> None:
    """Strip and screen, as their twins decode them, agree with the state."""
    assert at.strip.wait_shown(5), at.strip.state()
    assert at.strip_agrees(), (at.strip_says(), at.game.track, at.paper.transcript)
    assert at.loop.shown is not None
    assert at.screen_shows(draw(at.loop.shown.page)), at.loop.shown.page
    assert at.twins.desk.lamps() == at.loop.shown.lamps


GAMES = [  # many more, with faults, are played by tests/soak
    (Rules(mode=Mode.REFEREE, late_foul=LateFoul.FORFEIT), 3),
    (Rules(mode=Mode.PLAY, tie=Tie.ARROW), 4),
    (Rules(mode=Mode.REFEREE, tie=Tie.ARROW), 5),
    (Rules(mode=Mode.PLAY), 6),
    (Rules(mode=Mode.REFEREE), 7),
]


@pytest.mark.parametrize(("rules", "seed"), GAMES)
def test_a_whole_game_on_emulated_readers_replays_to_the_same_state(rules: Rules, seed: int):
    with FullTable(rules, poll_ms=50) as at:  # slower than the device polls: ten games take their time
        hands = Hands(at, seed)
        judged = 0
        while not at.game.over:
            hands.act()
            if len(at.paper.events) != judged:
                judged = len(at.paper.events)
                check_shown(at)
            assert judged < 3000, "the game does not come to its end"
        assert hands.errors > 3
        text = at.paper.transcript
        read, entries = parse_transcript(text)
        assert read == rules
        assert fold(read, [entry.event for entry in entries]) == at.game
        assert at.loop.table.stage is Stage.OVER
        for chip in at.twins.pads.values():
            assert chip.refusals == []
        assert at.twins.strip.faults == []
    out = io.StringIO()
    assert replay(io.BytesIO(text.encode()), "game", ReplayForm.JSON, out, io.StringIO()) == 0
    last = json.loads(out.getvalue().splitlines()[-1])
    assert last["winner"] == at.game.winner and last["tacocat"] == at.game.track.tacocat


def test_the_cards_of_these_games_share_the_first_three_bytes_of_their_uids():
    with FullTable() as at:
        uids = [tag.uid for tag in at.tags.values()]
        assert {len(uid) for uid in uids} == {7}
        assert len({uid[:3] for uid in uids}) == 1
        assert len(set(uids)) == 38

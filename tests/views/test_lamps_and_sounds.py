"""A lamp is lit while that player's ok would do something; every sound has its own short melody."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings

from engine.events import Kind
from engine.game import judge
from engine.rules import Mode, Rules
from engine.verdict import Problem
from firmware.kept.settings import Settings
from firmware.run.loop import Loop
from firmware.table.effects import Record, Sound
from firmware.table.menus import At, Item, open_main
from firmware.table.state import GROUP_MS, OVER_PAUSE_MS, Stage, Table, Tick
from firmware.table.step import step
from firmware.views.lamps import can_ok
from firmware.views.sounds import MELODIES
from firmware.wiring.parts import Outputs
from hardware.controls import HIGHEST_HZ, LOWEST_HZ, Controls
from hardware.ports import Note, Press, Pressed
from hardware.twins.gpio import Desk
from hardware.twins.virtual_time import VirtualTime
from tests.support.at_table import LAYOUT, AtTable, referee_in_attack
from tests.support.engine_games import SEEDS, RandomTable
from tests.support.full_table import Paper
from tests.support.solo_table import SoloTable
from tests.support.wide_pages import all_tables

IDLE = (Problem.NOTHING_TO_CONFIRM, Problem.GAME_OVER)


def does_something(table: Table, player: str, now_ms: int) -> bool:
    """Whether an ok opens, closes, chooses or begins anything: a refusal of the ok itself is nothing."""
    after, effects = step(table, Pressed(player, Press.OK, now_ms))
    game = table.game
    for effect in effects:
        if isinstance(effect, Record):
            game, verdict = judge(game, effect.event)
            if effect.event.kind is Kind.OK:
                return verdict.problem not in IDLE
    if any(not isinstance(effect, Record | Sound) for effect in effects):
        return True
    waited, _ = step(table, Tick(now_ms + GROUP_MS))  # a card that waits is judged anyhow
    seen = [(t.stage, t.menu, t.teaching, t.settings, t.game, _ok_waits(t)) for t in (waited, after)]
    return seen[0] != seen[1]


def _ok_waits(table: Table) -> bool:
    """Whether an ok is kept until the table has chosen."""
    return table.opponent is not None and table.opponent.ok_waits


def assert_true_lamps(at: AtTable) -> int:
    for player in ("yay", "wow"):
        lit = player in at.scene.lamps
        assert lit == does_something(at.table, player, at.now_ms), (
            player,
            lit,
            at.table.stage,
            at.table.menu,
            at.phase(),
            at.table.pads,
        )
    return len(at.scene.lamps)


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_in_random_games_a_lamp_is_lit_exactly_while_an_ok_does_something(seed):
    chance = random.Random(seed)
    rules = Rules(mode=chance.choice((Mode.PLAY, Mode.REFEREE)))
    at, hands = AtTable.of(rules, Stage.CLEAR), RandomTable(rules, seed)
    for _ in range(90):
        if at.table.stage is Stage.OVER:
            break
        if at.table.stage is Stage.CLEAR:
            assert_true_lamps(at)
            at.lift_all()
            at.wait(600)
            assert_true_lamps(at)
            at.ok("yay")
            continue
        event = hands.next_event(at.table.game)
        match event.kind:
            case Kind.CARD:
                at.put(event.player, str(event.card))
                assert_true_lamps(at)  # it may still wait for its group
                at.wait(chance.choice((100, GROUP_MS, 700)))
                assert_true_lamps(at)
                at.lift(event.player, str(event.card))
            case Kind.OK:
                at.ok(event.player)
            case Kind.UNDO:
                at.undo(event.player)
        assert_true_lamps(at)
        at.wait(chance.choice((0, 700)))


def test_on_every_page_of_every_menu_a_lamp_is_lit_exactly_while_an_ok_does_something():
    checked = lit = 0
    for _, table, now_ms in all_tables():
        menus = [None]
        if table.menu is not None:
            menus = [replace(table.menu, chosen=chosen) for chosen in range(max(1, len(table.menu.items)))]
        for menu in menus:
            at = AtTable(replace(table, menu=menu), now_ms)
            lit += assert_true_lamps(at)
            checked += 2
    assert checked > 200 and 50 < lit < checked


def test_who_has_agreed_to_this_round_again_has_no_lit_lamp_any_more():
    at = referee_in_attack()
    at.menu()
    at.take(Item.ROUND_AGAIN)
    assert at.table.menu.page == At.AGAIN and at.scene.lamps == {"yay", "wow"}
    at.ok("wow")
    assert at.scene.lamps == {"yay"}


def test_a_won_game_lights_both_lamps_when_presses_count_again():
    at = AtTable.of(Rules(mode=Mode.BOARD))
    for _ in range(4):
        at.ok("wow")
        at.wait(500)
    while at.now_ms < at.table.over_ms + OVER_PAUSE_MS - 20:
        assert not can_ok(at.table, "yay", at.now_ms)
        at.wait(20)
    at.wait(40)
    assert at.scene.lamps == {"yay", "wow"}


def test_a_single_attacking_card_that_waits_for_its_group_lights_the_lamp_of_its_player_alone():
    at = referee_in_attack(hand_size=3)  # two cards are left, so that one may attack
    at.put("yay", "7a")
    assert at.recorded == [] and at.scene.lamps == {"yay"}
    at.put("yay", "7b")  # one too many: an ok would take both back
    assert at.scene.lamps == set()


def test_a_card_of_the_defender_that_waits_lights_no_lamp():
    at = referee_in_attack()
    at.put("wow", "8a")  # out of turn
    assert at.scene.lamps == set()
    at.lift_all()
    at.play("yay", "7a")
    at.ok("yay")
    at.put("wow", "9a")  # the answer: it is judged without an ok as well
    assert at.recorded == ["yay 7a", "yay ok"] and at.scene.lamps == set()


def test_the_last_card_of_a_round_that_waits_lights_no_lamp_for_the_round_after_it():
    at = referee_in_attack(hand_size=3)
    at.play("yay", "7a"), at.play("wow", "8a")  # the last attack: WOW has held
    at.play("yay", "3a")
    at.put("wow", "4a")
    assert at.phase() == "showdown" and at.recorded[-1] == "yay 3a"
    assert at.scene.lamps == set()


# ---- sounds --------------------------------------------------------------------------------


def test_every_sound_has_its_own_melody_of_at_most_a_second_and_a_half():
    assert set(MELODIES) == set(Sound)
    assert len(set(MELODIES.values())) == len(MELODIES)
    melodies = {tuple(note.hz for note in melody) for melody in MELODIES.values()}
    assert len(melodies) == len(MELODIES)  # told apart by the tones, not by their lengths alone
    for melody in MELODIES.values():
        assert 0 < sum(note.ms for note in melody) <= 1500


def test_every_tone_is_one_that_the_buzzer_can_sound():
    tones = {note.hz for melody in MELODIES.values() for note in melody} - {0}
    assert min(tones) >= LOWEST_HZ and max(tones) <= HIGHEST_HZ


@pytest.mark.parametrize("sound", Sound)
def test_the_tones_that_are_heard_are_those_of_the_melody(sound):
    """The virtual table's page plays what the buzzer's twin hears."""
    time = VirtualTime()
    desk = Desk({"yay": (5, 13), "wow": (6, 19)}, 18, time)
    controls = Controls({"yay": (5, 13), "wow": (6, 19)}, 18, time, desk.factory)
    start = time.now_ms()
    controls.buzzer.play(MELODIES[sound], start)
    for _ in range(2000):
        time.advance_ms(1)
        controls.poll(time.now_ms())
    heard = [(one.hz, one.at_ms - start) for one in desk.heard()]
    controls.close()
    expected, at_ms = [], 0
    for note in (*MELODIES[sound], Note(0, 0)):
        expected.append((note.hz, at_ms))
        at_ms += note.ms
    assert heard == expected


class Silent:
    """Outputs that only note what the buzzer was to play."""

    def __init__(self):
        self.played = []

    def play(self, notes, now_ms):
        self.played.append(notes)

    def show(self, shown):
        pass

    def light(self, lit):
        pass

    def dim(self, dimmed):
        pass


@pytest.mark.parametrize(("sound", "played"), [(True, [MELODIES[Sound.ACCEPTED]]), (False, [])])
def test_sounds_can_be_off(sound, played):
    table = replace(AtTable.of(Rules(mode=Mode.REFEREE)).table, settings=Settings(sound=sound))
    silent = Silent()
    loop = Loop(table, Outputs(silent, silent, silent, silent), Paper(), LAYOUT)
    loop.turn([Pressed("yay", Press.OK, 2000)], 2000)
    assert silent.played == played


def test_every_sound_is_heard_at_its_own_event():
    at = referee_in_attack()
    heard = {}

    def note_sounds(sound, act):
        at.effects.clear()
        act()
        heard[sound] = [effect for effect in at.effects if isinstance(effect, Sound)]

    note_sounds(Sound.ACCEPTED, lambda: at.play("yay", "9a"))
    at.play("wow", "8a")
    at.lift_all()
    at.play("yay", "10a")
    note_sounds(Sound.LATE_FOUL, lambda: at.play("wow", "3a"))
    note_sounds(Sound.REJECTED, lambda: at.play("wow", "7a"))
    note_sounds(Sound.UNKNOWN, lambda: at.put_tag("wow", "04112233445566"))
    at = AtTable.of(Rules(mode=Mode.BOARD))
    note_sounds(Sound.ROUND_WON, lambda: at.ok("wow"))
    at.ok("wow"), at.ok("wow")
    note_sounds(Sound.GAME_WON, lambda: at.ok("wow"))
    at = SoloTable.begun(lambda asked: sorted(asked.view.hand)[:1])
    at.deal("3a 4a 5a 6a 7a 8a 9a", "3b 4b 5b 6b 7b 8b 9b")
    note_sounds(Sound.PLACE, at.think)
    at = referee_in_attack()
    at.table = replace(at.table, tick=True)
    note_sounds(Sound.NOTICED, lambda: at.bring("yay", "9a"))
    assert heard == {sound: [sound] for sound in Sound}


def test_a_menu_that_is_opened_or_closed_makes_no_sound():
    at = AtTable.of(Rules())
    at.table = open_main(at.table, None)
    at.effects.clear()
    at.ok("yay")
    at.menu()
    assert at.effects == []

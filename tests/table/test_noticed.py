"""Cards that a pad feels before they count (docs/device.md, Pads)."""

from dataclasses import replace

import pytest

from engine.cards import WOW, YAY
from engine.rules import Mode, Rules
from firmware.table.effects import Sound
from firmware.table.state import Stage
from hardware.ports import Breathe, Placed
from tests.support.at_table import LAYOUT, AtTable, referee_in_attack, uid_of


def lit(at: AtTable) -> list[str]:
    """The players whose goals are bright and stand still."""
    picture = at.scene.picture
    breathing = {effect.first for effect in picture.effects if isinstance(effect, Breathe)}
    spans = {player: LAYOUT.span(goal) for player, goal in ((YAY, 0), (WOW, 8))}
    return [
        str(player)
        for player, (first, count) in spans.items()
        if first not in breathing and all(sum(led) > 165 for led in picture.still[first : first + count])
    ]


@pytest.mark.parametrize("player", ["yay", "wow"])
def test_the_goal_of_a_pad_that_feels_a_card_is_lit_at_once_and_until_the_verdict(player: str) -> None:
    at = referee_in_attack()
    assert lit(at) == []
    at.bring(player, "8a")
    assert (lit(at), at.recorded) == ([player], [])
    at.wait(100)
    at.put(player, "8a")
    assert lit(at) == ([player] if player == "wow" else [])  # an attack counts at once, other cards wait for others
    at.wait(300)
    assert (lit(at), at.recorded) == ([], [f"{player} 8a"])


def test_a_card_that_passes_is_let_go_without_a_verdict() -> None:
    at = referee_in_attack()
    before = at.table
    at.bring("yay", "8a", "9a")
    at.take_past("yay", "8a")
    assert lit(at) == ["yay"]
    at.take_past("yay", "9a")
    assert (lit(at), at.recorded, at.effects) == ([], [], [])
    assert replace(at.table, woken_ms=before.woken_ms) == before


def test_an_ok_means_the_cards_of_an_attack_that_were_noticed_before_it() -> None:
    at = referee_in_attack()
    at.play("yay", "7a")
    at.bring("yay", "7b")
    at.wait(40)
    at.ok("yay")
    assert at.recorded == ["yay 7a", "yay 7b", "yay ok"]
    at.happen(Placed("yay", uid_of("7b"), at.now_ms - 40))  # the pad is sure as well, a little later
    at.wait(400)
    assert at.recorded == ["yay 7a", "yay 7b", "yay ok"]
    assert len(at.table.pad(YAY).lying) == 2


def test_a_card_that_an_ok_has_confirmed_is_lifted_when_it_passes() -> None:
    at = referee_in_attack()
    at.bring("yay", "7a")
    at.ok("yay")
    at.take_past("yay", "7a")
    assert at.table.pad(YAY).lying == ()
    assert at.recorded == ["yay 7a", "yay ok"]


def test_an_ok_means_the_discards_that_were_noticed_before_it() -> None:
    at = AtTable.of(Rules(mode=Mode.REFEREE))
    at.ok("yay"), at.ok("wow")
    at.bring("yay", "4a", "5a")
    at.ok("yay")
    assert at.recorded == ["yay ok", "wow ok", "yay 4a", "yay 5a", "yay ok"]


def test_an_ok_of_the_other_player_or_of_an_answer_means_no_card_that_is_not_sure_to_lie_there() -> None:
    at = referee_in_attack()
    at.bring("yay", "7a")
    at.bring("wow", "8a")
    at.ok("wow")
    assert [event for event in at.recorded if not event.endswith("ok")] == []
    at.play("yay", "7a")
    at.ok("yay")
    at.ok("wow")
    assert "wow 8a" not in at.recorded


def test_between_rounds_and_in_a_menu_an_ok_means_no_card() -> None:
    at = AtTable.of(Rules(), Stage.CLEAR)
    at.bring("yay", "7a")
    at.ok("yay")
    assert (at.table.stage, at.recorded) == (Stage.ROUND, [])
    at = referee_in_attack()
    at.menu()
    at.bring("yay", "7a")
    at.take("go on")
    assert at.recorded == []


def test_in_board_mode_no_pad_lights_up_for_a_card_that_counts_for_nothing() -> None:
    at = AtTable.of(Rules(mode=Mode.BOARD))
    at.bring("yay", "7a")
    assert lit(at) == []


@pytest.mark.parametrize(("tick", "sounds"), [(False, []), (True, [Sound.NOTICED])])
def test_the_tick_is_heard_if_it_is_wanted(tick: bool, sounds: list[Sound]) -> None:
    at = referee_in_attack()
    at.table = replace(at.table, tick=tick)
    at.bring("yay", "7a")
    assert [effect for effect in at.effects if isinstance(effect, Sound)] == sounds


def test_a_card_that_lies_there_already_is_not_noticed_again() -> None:
    at = referee_in_attack()
    at.table = replace(at.table, tick=True)
    at.put("yay", "7a")
    at.effects.clear()
    at.bring("yay", "7a")
    assert (lit(at), at.effects) == ([], [])


def test_a_new_game_keeps_the_tick() -> None:
    at = AtTable.of(Rules())
    at.table = replace(at.table, tick=True)
    at.menu()
    at.take("main menu")
    at.take("referee")
    assert at.table.tick

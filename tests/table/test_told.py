"""What a verdict leaves at the table: what is told, heard and moved, and what an undo brings back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.board import DEFAULT_BOARD
from engine.cards import WOW, YAY
from engine.rules import Mode, Rules
from firmware.table.effects import Sound
from firmware.table.state import Remark, Stage
from firmware.views.strip import TACOCAT
from hardware.ports import Glide, Holding, Run
from tests.support.at_table import AtTable, referee_in_attack


def sounds(at: AtTable) -> list[Sound]:
    return [effect for effect in at.effects if isinstance(effect, Sound)]


def in_a_showdown() -> AtTable:
    """Hands of two; YAY has laid a 3 in the showdown, and WOW has yet to lay its card."""
    at = AtTable.of(Rules(mode=Mode.REFEREE, board=replace(DEFAULT_BOARD, hand_sizes=(2,) * 7)))
    for player in ("yay", "wow", "yay", "wow"):
        at.ok(player)
    at.play("yay", "9a"), at.play("wow", "8a")
    at.lift_all()
    at.wait(1000)
    at.play("yay", "3a")
    at.effects.clear()
    return at


def test_what_can_be_taken_back_is_told_again_after_something_else_was_refused():
    at = referee_in_attack()
    at.play("yay", "7a")
    at.ok("wow")  # there is nothing that WOW could confirm
    assert at.scene.page.note == "WOW: nothing to confirm"
    at.wait(9000)
    assert at.scene.page.note == "YAY 7: hold to undo"


def test_what_was_taken_back_cannot_be_taken_back_again_and_is_not_offered():
    at = referee_in_attack()
    at.play("yay", "7a")
    at.lift_all()
    at.undo("yay")
    at.wait(9000)
    assert at.table.latest is None and at.scene.page.note == ""


def test_a_card_that_can_never_be_taken_back_is_not_offered():
    at = AtTable.of(Rules(mode=Mode.REFEREE))
    for player in ("yay", "wow", "yay", "wow"):
        at.ok(player)
    at.play("yay", "12a")
    assert at.table.latest is not None
    at.play("wow", "1a")  # it has turned up the other card
    assert at.table.latest is None


@pytest.mark.parametrize(
    ("card", "heard", "way", "tacocat"),
    [("3b", Sound.ROUND_WON, (), 4), ("2a", Sound.ROUND_WON, (4, 5), 5), ("7a", Sound.ROUND_WON, (4, 3), 3)],
    ids=["a tie", "WOW wins", "YAY wins"],
)
def test_the_end_of_a_round_is_heard_once_and_tacocat_glides_where_it_goes(card, heard, way, tacocat):
    at = in_a_showdown()
    at.play("wow", card)
    assert sounds(at) == [heard]
    assert at.table.motion.glide == way and at.table.game.track.tacocat == tacocat
    assert at.table.stage is Stage.CLEAR


def test_the_last_round_is_heard_as_the_end_of_the_game():
    at = AtTable.of(Rules(mode=Mode.BOARD))
    for _ in range(4):
        at.ok("yay")
    assert sounds(at) == [Sound.ROUND_WON] * 3 + [Sound.GAME_WON]


def test_an_accepted_card_is_heard_and_flashes_nothing():
    at = referee_in_attack()
    at.play("yay", "7a")
    assert sounds(at) == [Sound.ACCEPTED] and at.table.motion.flashes == ()


def test_a_card_out_of_turn_is_heard_as_refused():
    at = referee_in_attack()
    at.play("wow", "8a")
    assert sounds(at) == [Sound.REJECTED] and [player for player, _ in at.table.motion.flashes] == [WOW]


def test_an_unknown_tag_is_heard_and_flashes_nothing():
    at = referee_in_attack()
    at.put_tag("yay", "04deadbeef0102")
    assert sounds(at) == [Sound.UNKNOWN] and at.table.motion.flashes == ()


def test_a_goal_flashes_for_the_latest_refusal_of_its_player_and_the_other_goes_on_flashing():
    at = referee_in_attack()
    at.ok("wow")
    first_ms = at.now_ms
    at.wait(100)
    at.ok("yay")
    at.wait(100)
    assert at.table.motion.flashes == ((WOW, first_ms), (YAY, first_ms + 100))
    at.ok("wow")
    assert at.table.motion.flashes == ((YAY, first_ms + 100), (WOW, first_ms + 200))


def test_a_late_foul_is_heard_as_one_and_flashes_the_goal_of_the_suspect():
    at = AtTable.of(Rules(mode=Mode.REFEREE))
    for player in ("yay", "wow", "yay", "wow"):
        at.ok(player)
    at.play("yay", "1a"), at.play("wow", "12a")
    at.lift_all()
    at.play("wow", "10a"), at.play("yay", "9a")
    at.lift_all()
    at.effects.clear()
    at.play("wow", "8a"), at.play("yay", "3a")  # a 9 was not the lowest: it held a 3
    assert Sound.LATE_FOUL in sounds(at) and Sound.REJECTED not in sounds(at)
    assert [player for player, _ in at.table.motion.flashes] == [YAY]


def test_a_spoilt_attack_is_told_by_its_cards_or_as_answered_too_soon_by_who_has_ended_it():
    for end, note in (
        (lambda at: at.ok("yay"), "3 9: no set, no sequence"),
        (lambda at: at.play("wow", "11a"), "answered too soon: YAY, lay all again"),
    ):
        at = referee_in_attack()
        at.play("yay", "3a", "9a")
        end(at)
        assert at.scene.page.note == note


def test_the_bar_of_a_button_is_gone_when_it_is_let_go():
    at = referee_in_attack()
    at.hold("yay")
    assert at.scene.page.bar is not None
    at.happen(Holding("yay", None, at.now_ms))
    assert at.table.holding is None and at.scene.page.bar is None


# ---- undo ----------------------------------------------------------------------------------


def test_an_undo_in_board_mode_puts_tacocat_back_at_once():
    at = AtTable.of(Rules(mode=Mode.BOARD))
    at.ok("wow")
    assert any(isinstance(effect, Glide) for effect in at.scene.picture.effects)
    at.undo("yay")
    assert at.scene.picture.effects and not any(isinstance(e, Glide) for e in at.scene.picture.effects)
    assert set(at.scene.picture.still[28:36]) == {TACOCAT}  # the middle space


def test_an_undo_of_the_showdown_leads_back_into_the_round():
    at = in_a_showdown()
    at.play("wow", "2a")
    assert at.table.stage is Stage.CLEAR
    at.undo("wow")
    assert at.table.stage is Stage.ROUND and at.phase() == "showdown"
    assert at.table.game.track.tacocat == 4 and at.table.motion.glide == ()


def test_an_undo_of_the_winning_round_puts_the_winners_light_out():
    at = AtTable.of(Rules(mode=Mode.BOARD))
    for _ in range(4):
        at.ok("wow")
    at.wait(3000)
    assert any(isinstance(effect, Run) for effect in at.scene.picture.effects)
    at.undo("wow")
    assert at.table.stage is Stage.ROUND
    assert not any(isinstance(effect, Run) for effect in at.scene.picture.effects)


def test_a_goal_goes_on_flashing_when_the_other_player_takes_something_back():
    at = referee_in_attack()
    at.play("yay", "7a")
    at.ok("wow")
    flashes = at.table.motion.flashes
    at.undo("yay")
    assert flashes and at.table.motion.flashes == flashes


# ---- ok ------------------------------------------------------------------------------------


def test_an_ok_between_rounds_is_heard_and_begins_the_next_once_the_pads_are_clear():
    at = in_a_showdown()
    at.play("wow", "2a")
    at.effects.clear()
    at.ok("yay")
    assert sounds(at) == [Sound.REJECTED] and at.table.told.remark is Remark.CLEAR_FIRST
    at.lift_all()
    at.effects.clear()
    at.ok("yay")
    assert sounds(at) == [Sound.ACCEPTED] and at.table.stage is Stage.ROUND
    assert at.table.told is None and at.table.latest is None and at.table.motion.glide == ()
    assert at.recorded == []


def test_an_ok_judges_the_waiting_card_of_its_own_player_only():
    at = referee_in_attack(hand_size=3)  # the duel leaves two cards, so a single one may attack, and it waits
    at.put("yay", "7a")
    at.ok("wow")
    assert at.recorded == ["wow ok"]
    at.ok("yay")
    assert at.recorded == ["wow ok", "yay 7a", "yay ok"]


def test_the_first_ok_of_a_won_game_opens_what_comes_next_for_either_player():
    for player in ("yay", "wow"):
        at = AtTable.of(Rules(mode=Mode.BOARD))
        for _ in range(4):
            at.ok("wow")
        at.wait(4000)
        at.effects.clear()
        at.ok(player)
        assert at.table.menu is not None and at.effects == []


def test_a_spoilt_attack_leaves_nothing_on_offer_as_an_undo_would_take_back_the_answer_before_it():
    at = referee_in_attack()
    at.play("yay", "7a"), at.play("wow", "8a")  # WOW attacks next
    at.lift_all()
    at.play("wow", "3a", "9a")
    at.ok("wow")  # no set and no sequence: both are taken back
    at.lift_all()
    at.wait(9000)
    assert at.table.latest is None and at.scene.page.note == ""


def test_an_undo_between_rounds_of_which_nothing_comes_leaves_the_table_between_them():
    at = AtTable.of(Rules(), Stage.CLEAR)
    at.undo("yay")
    assert at.table.stage is Stage.CLEAR and sounds(at) == [Sound.REJECTED]


def test_an_undo_after_a_game_that_nobody_can_take_back_leaves_it_over_with_its_light():
    at = AtTable.of(Rules(mode=Mode.BOARD))
    for _ in range(4):
        at.ok("wow")
    at.table = replace(at.table, game=replace(at.table.game, past=None))
    motion = at.table.motion.glide
    at.undo("yay")
    assert at.table.stage is Stage.OVER and at.table.motion.glide == motion


# ---- what was said stays said --------------------------------------------------------------


def notes(at: AtTable, for_ms: int = 6000) -> set[str]:
    """All that the note says in this time."""
    seen = set()
    for _ in range(for_ms // 500):
        seen.add(at.scene.page.note)
        at.wait(500)
    return seen


FOUL = "WOW gave up 5 but still held 4"


def with_a_late_foul() -> AtTable:
    """WOW has given up a 5 against a 7, and plays a 4 now."""
    at = referee_in_attack()
    at.play("yay", "7a")
    at.play("wow", "5a")
    at.lift_all()
    at.play("yay", "3a")
    at.play("wow", "4a")
    assert at.scene.page.note == FOUL
    return at


def test_f46_a_late_foul_stays_though_its_player_presses_and_time_passes_until_the_other_has_pressed():
    at = with_a_late_foul()
    at.ok("wow")
    assert at.scene.page.note == FOUL
    at.undo("wow")
    at.wait(20_000)
    assert at.scene.page.note == FOUL
    at.ok("yay")
    assert at.scene.page.note != FOUL


def test_a_late_foul_has_been_read_when_the_next_card_is_played_and_not_by_one_that_is_refused():
    at = with_a_late_foul()
    at.lift_all()
    at.play("wow", "5a")  # used already: no event
    assert at.scene.page.note == FOUL
    at.play(at.table.game.round.attacker, "9a")
    assert at.scene.page.note != FOUL


def test_f46_a_late_foul_comes_again_with_the_result_of_its_round_and_is_gone_in_the_next():
    at = AtTable.of(Rules(mode=Mode.REFEREE, board=replace(DEFAULT_BOARD, hand_sizes=(3,) * 7)))
    for player in ("yay", "wow", "yay", "wow"):
        at.ok(player)
    at.play("yay", "12a"), at.play("wow", "1a")
    at.lift_all()
    at.play("yay", "7a"), at.play("wow", "5a")
    at.lift_all()
    at.wait(1000)
    at.play("yay", "9a"), at.play("wow", "4a")
    assert at.table.stage is Stage.CLEAR
    at.wait(5000)
    assert FOUL in notes(at)
    at.wait(60_000)
    assert FOUL in notes(at)
    at.lift_all()
    at.ok("yay")
    assert FOUL not in notes(at)


def test_a_round_that_is_dealt_anew_knows_no_foul():
    at = with_a_late_foul()
    at.menu()
    at.take("round again")
    at.wait(100)
    at.lift_all()
    assert FOUL not in notes(at)


def test_f46_why_a_card_was_refused_stays_while_it_lies_there_and_no_press_for_nothing_hides_it():
    at = referee_in_attack()
    at.play("wow", "8a")
    why = at.scene.page.note
    assert why == "WOW: not your turn"
    at.ok("wow")
    assert at.scene.page.note == why
    at.undo("wow")
    assert at.scene.page.note == why
    at.wait(20_000)
    assert notes(at) == {why, "1 card counts for nothing: lift, then put down again"}
    at.lift("wow", "8a")
    assert notes(at) == {""}


def test_an_unknown_tag_is_told_though_a_refused_card_lies_there():
    at = referee_in_attack()
    at.play("wow", "8a")
    at.put_tag("yay", "04112233445566")
    assert at.scene.page.note == "Unknown tag 04112233445566"


def test_an_accepted_ok_takes_the_place_of_what_was_refused_before():
    at = referee_in_attack()
    at.play("wow", "8a")
    at.play("yay", "7a")
    at.ok("yay")
    assert at.table.told is not None and at.table.told.verdict is not None and at.table.told.verdict.accepted

"""The menus: main menu, game menu, settings, resuming a game (docs/device.md, Modes and menus)."""

from dataclasses import replace

from engine.board import Track
from engine.cards import WOW, YAY, Card
from engine.game import fold
from engine.rules import LateFoul, Mode, Rules
from firmware.kept.settings import Settings
from firmware.table.effects import Begin, End, KeepSettings, Record, Resume, Sound, SwitchOff
from firmware.table.menus import Item, open_main
from firmware.table.state import Stage
from hardware.ports import Health, PartState
from tests.support.at_table import AtTable, referee_in_attack, uid_of


def at_main_menu(**changes) -> AtTable:
    at = AtTable.of(Rules())
    at.table = open_main(replace(at.table, **changes), None)
    return at


def test_the_main_menu_begins_each_kind_of_game():
    for mode in Mode:
        at = at_main_menu()
        at.take(mode.value)
        assert at.table.game.rules.mode is mode
        assert at.effects == [Begin(at.table.game.rules)]
        assert at.table.stage is (Stage.ROUND if mode is Mode.BOARD else Stage.CLEAR)


def test_the_main_menu_cannot_be_left_for_nothing():
    at = at_main_menu()
    at.menu()
    at.undo("yay")
    assert at.table.stage is Stage.MAIN_MENU and at.table.menu is not None


def test_a_game_left_for_the_main_menu_is_offered_again_as_it_was():
    at = referee_in_attack()
    at.play("yay", "7a")
    game = at.table.game
    at.menu()
    at.take(Item.MAIN_MENU)
    assert at.table.menu.items[0] == Item.RESUME
    assert at.scene.page.menu[0] == "Go on: round 1"
    at.take(Item.RESUME)
    assert at.table.game == game and at.table.stage is Stage.ROUND
    assert Resume() in at.effects and End() not in at.effects
    at.wait(600)
    at.lift_all()
    at.play("wow", "8a")
    assert at.recorded[-1] == "wow 8a"


def test_cards_that_lie_there_when_a_game_goes_on_count_for_nothing():
    at = referee_in_attack()
    at.play("yay", "7a")
    at.menu()
    at.take(Item.MAIN_MENU)
    at.put("wow", "8a")
    at.take(Item.RESUME)
    at.wait(1000)
    assert at.recorded == ["yay 7a"]


def test_a_game_that_the_players_ended_is_not_offered_again():
    at = referee_in_attack()
    at.menu()
    at.take(Item.END_GAME)
    at.take(Item.END_GAME)
    assert End() in at.effects
    assert Item.RESUME not in at.table.menu.items


def test_a_game_between_rounds_goes_on_with_clear_pads():
    at = AtTable.of(Rules(mode=Mode.REFEREE))
    at.menu()
    at.take(Item.ROUND_AGAIN)
    at.ok("yay"), at.ok("wow")
    at.menu()
    at.take(Item.MAIN_MENU)
    at.take(Item.RESUME)
    assert at.table.stage is Stage.CLEAR and at.table.game.number == 2


def test_each_setting_changes_and_is_kept_and_the_first_choice_follows_the_last():
    at = at_main_menu()
    at.take(Item.SETTINGS)
    for _ in range(2):
        while at.table.menu.items[at.table.menu.chosen] != "sound":
            at.ok("yay")
        at.ok("wow")
    kept = [effect.settings.sound for effect in at.effects if isinstance(effect, KeepSettings)]
    assert kept == [False, True]
    assert at.table.menu is not None  # the page stays, to see what was changed


def test_house_rules_of_the_settings_are_those_of_the_next_game():
    at = at_main_menu(settings=Settings(late_foul=LateFoul.FORFEIT))
    at.take("referee")
    assert at.table.game.rules.late_foul is LateFoul.FORFEIT


def test_another_language_is_spoken_at_once():
    at = at_main_menu(settings=Settings(language="fy"))
    assert at.scene.page.menu
    at.take(Item.SETTINGS)
    assert "Frysk" in at.scene.page.menu


def test_switching_off_asks_first():
    at = at_main_menu(can_switch_off=True)
    at.take(Item.SETTINGS)
    at.take(Item.SWITCH_OFF)
    assert SwitchOff() not in at.effects
    at.take(Item.SWITCH_OFF)
    assert at.effects[-1] == SwitchOff()


def test_a_game_goes_on_without_pads_only_if_a_pad_fails_and_not_for_another_part():
    at = referee_in_attack()
    for part in ("pad yay", "pad wow"):
        at.happen(PartState(part, Health.CONNECTED, "MFRC522", at.now_ms))
    at.happen(PartState("strip", Health.LOST, "unplugged", at.now_ms))
    at.menu()
    assert Item.ON_WITH_BOARD not in at.table.menu.items
    at.menu()
    for health in (Health.SEARCHING, Health.LOST):
        at.happen(PartState("pad wow", health, "mute", at.now_ms))
        at.menu()
        assert Item.ON_WITH_BOARD in at.table.menu.items
        at.menu()


def test_a_reader_that_fails_offers_to_go_on_with_the_track_alone():
    at = referee_in_attack()
    at.menu()
    assert Item.ON_WITH_BOARD not in at.table.menu.items
    at.menu()
    at.table = replace(at.table, game=replace(at.table.game, track=Track(6, (4, 5))))
    at.happen(PartState("pad yay", Health.LOST, "mute", at.now_ms))
    at.menu()
    at.effects.clear()
    at.take(Item.ON_WITH_BOARD)
    assert at.table.game.rules.mode is Mode.BOARD
    assert at.table.game.track == Track(6, (4, 5))
    assert isinstance(at.effects[0], Begin)
    assert not [effect for effect in at.effects if isinstance(effect, Sound)]
    events = [effect.event for effect in at.effects if isinstance(effect, Record)]
    assert fold(at.effects[0].rules, events) == at.table.game


def test_every_track_that_a_game_can_make_can_be_made_again():
    seen = {Track()}
    waiting = [Track()]
    while waiting:
        track = waiting.pop()
        again = Track()
        for winner in track.a_way_here():
            again = again.moved(winner)
        assert again == track
        if track.winner is None:
            for after in (track.moved(YAY), track.moved(WOW)):
                if after not in seen:
                    seen.add(after)
                    waiting.append(after)
    assert len(seen) > 20


def test_without_a_deck_a_game_with_cards_begins_by_teaching_one():
    at = at_main_menu(tags={})
    at.take("play")
    assert at.table.stage is Stage.TEACHING
    at = at_main_menu(tags={})
    at.take("board")
    assert at.table.stage is Stage.ROUND


def test_a_card_that_an_older_deck_did_not_have_is_an_unknown_tag_in_its_game_and_a_card_in_the_next():
    at = referee_in_attack()
    extra = Card(12, "b")
    at.table = replace(at.table, tags={**at.table.tags, uid_of(extra): extra})
    at.put("yay", "12b")
    assert at.recorded == [f"yay tag {uid_of(extra).hex()}"]
    at.menu()
    at.take(Item.END_GAME)
    at.take(Item.END_GAME)
    at.take("referee")
    assert extra in at.table.game.rules.deck


def test_a_phone_cannot_be_named_as_a_card():
    at = referee_in_attack()
    at.put_tag("yay", "0824a937")
    at.menu()
    assert Item.NAME_TAG not in at.table.menu.items


def test_a_copy_whose_tag_was_never_read_gets_the_new_tag_even_if_the_others_were_read_long_ago():
    at = referee_in_attack()
    read = tuple(Card(7, copy) for copy in "acd")
    at.table = replace(at.table, read_order=read)
    at.put_tag("yay", "04112233445566")
    at.menu()
    at.take(Item.NAME_TAG)
    at.take("7")
    assert at.table.tags[bytes.fromhex("04112233445566")] == Card(7, "b")


def test_of_copies_that_were_all_read_the_one_read_longest_ago_gets_the_new_tag():
    at = referee_in_attack()
    for copy in "abcda":
        at.put("wow", f"7{copy}")
        at.lift_all()
    at.put_tag("yay", "04112233445566")
    at.menu()
    at.take(Item.NAME_TAG)
    at.take("7")
    assert at.table.tags[bytes.fromhex("04112233445566")] == Card(7, "b")

"""The menus: main menu, game menu, settings, resuming a game (docs/device.md, Modes and menus)."""

from dataclasses import replace

import pytest

from engine.board import Track
from engine.cards import WOW, YAY, Card
from engine.events import parse_event
from engine.game import fold
from engine.rules import LateFoul, Mode, Rules
from firmware.kept.settings import Settings
from firmware.table.effects import Begin, CheckParts, End, KeepSettings, Record, Resume, Sound, SwitchOff
from firmware.table.findings import fault, ok, skipped
from firmware.table.menus import At, Item, open_checked, open_main
from firmware.table.state import Offer, Stage, stage_of
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
    for copy in "cdabc":
        at.put("wow", f"7{copy}")
        at.lift_all()
    at.put_tag("yay", "04112233445566")
    at.menu()
    at.take(Item.NAME_TAG)
    at.take("7")
    assert at.table.tags[bytes.fromhex("04112233445566")] == Card(7, "d")


# ---- which lines a menu has ----------------------------------------------------------------


def won() -> AtTable:
    at = AtTable.of(Rules(mode=Mode.BOARD))
    for _ in range(4):
        at.ok("wow")
    at.wait(4000)
    return at


@pytest.mark.parametrize(
    ("make", "lines"),
    [
        (referee_in_attack, [Item.GO_ON, Item.ROUND_AGAIN, Item.HOW_TO, Item.END_GAME, Item.MAIN_MENU]),
        (lambda: AtTable.of(Rules(), Stage.CLEAR), [Item.GO_ON, Item.HOW_TO, Item.END_GAME, Item.MAIN_MENU]),
        (lambda: AtTable.of(Rules(mode=Mode.BOARD)), [Item.GO_ON, Item.HOW_TO, Item.END_GAME, Item.MAIN_MENU]),
        (won, [Item.GO_ON, Item.END_GAME, Item.MAIN_MENU]),
    ],
    ids=["in a round", "between rounds", "without cards", "after a game"],
)
def test_the_game_menu_has_only_what_can_be_done_now(make, lines):
    at = make()
    at.menu()
    assert list(at.table.menu.items) == lines


def test_a_game_without_cards_or_one_that_is_over_misses_no_pad():
    for at in (AtTable.of(Rules(mode=Mode.BOARD)), won_with_cards()):
        at.happen(PartState("pad yay", Health.LOST, "mute", at.now_ms))
        at.menu()
        assert Item.ON_WITH_BOARD not in at.table.menu.items


def won_with_cards() -> AtTable:
    """A game in referee mode that WOW has won by a forfeit on the last space."""
    at = AtTable.of(Rules(mode=Mode.REFEREE))
    at.table = replace(at.table, game=replace(won().table.game, rules=at.table.game.rules), stage=Stage.OVER)
    return at


def test_both_buttons_open_no_menu_over_the_main_menu_nor_while_a_deck_is_taught():
    at = at_main_menu()
    menu = at.table.menu
    at.menu()
    assert at.table.menu is menu
    at.take(Item.TEACH)
    at.menu()
    assert at.table.stage is Stage.TEACHING and at.table.menu is None


def test_a_card_that_waits_for_its_group_counts_for_nothing_once_the_menu_is_open():
    at = AtTable.of(Rules())
    at.put("yay", "7a")
    at.menu()
    at.menu()
    at.wait(1000)
    assert at.recorded == []


def test_the_main_menu_lists_the_modes_and_what_else_there_is():
    at = at_main_menu()
    assert at.table.menu.items == (Item.SOLO, "play", "referee", "board", Item.TEACH, Item.CHECK, Item.SETTINGS)


def test_a_game_that_is_over_is_not_offered_again():
    at = won()
    at.menu()
    at.take(Item.MAIN_MENU)
    assert Item.RESUME not in at.table.menu.items and at.table.offer is None


def test_where_one_kind_of_game_is_asked_for_the_main_menu_only_goes_on_or_begins_it():
    table, game = AtTable.of(Rules()).table, Offer(referee_in_attack().table.game)
    assert open_main(table, game, Mode.REFEREE).menu.items == (Item.RESUME, Mode.REFEREE)
    whole = open_main(table, None).menu.items
    assert open_main(table, None, Mode.REFEREE).menu.items == whole
    assert open_main(table, game).menu.items == (Item.RESUME, *whole)


def test_the_settings_offer_to_switch_off_only_where_that_is_possible():
    for can, offered in ((False, False), (True, True)):
        at = at_main_menu(can_switch_off=can)
        at.take(Item.SETTINGS)
        assert (Item.SWITCH_OFF in at.table.menu.items) == offered
        assert at.table.menu.items[0] == Item.BACK and at.table.menu.chosen == 0


def test_after_a_game_the_next_one_is_begun_or_the_main_menu_opened():
    for item, stage in ((Item.PLAY_AGAIN, Stage.ROUND), (Item.MAIN_MENU, Stage.MAIN_MENU)):
        at = won()
        at.ok("yay")
        assert at.table.menu.items == (Item.PLAY_AGAIN, Item.MAIN_MENU)
        at.take(item)
        assert at.table.stage is stage


def test_another_game_of_the_same_kind_follows_by_the_settings_of_now():
    at = won()
    at.table = replace(at.table, settings=Settings(late_foul=LateFoul.FORFEIT))
    at.ok("yay")
    at.take(Item.PLAY_AGAIN)
    assert at.table.game.rules == replace(at.table.game.rules, mode=Mode.BOARD, late_foul=LateFoul.FORFEIT)


def test_the_first_button_goes_round_the_lines_and_the_second_takes_the_one_that_is_marked():
    at = at_main_menu()
    for chosen in (1, 2, 3, 4, 5, 6, 0):
        at.ok("yay")
        assert at.table.menu.chosen == chosen
    at.ok("yay")
    at.ok("yay")
    at.ok("wow")
    assert at.table.game.rules.mode is Mode.REFEREE


def test_the_version_is_only_to_be_read():
    at = at_main_menu()
    at.take(Item.SETTINGS)
    menu = at.table.menu
    at.take(Item.VERSION)
    assert at.effects == [] and at.table.menu.items == menu.items


def test_back_leads_from_each_page_of_the_settings_to_the_main_menu():
    for way in ((), (Item.SWITCH_OFF,)):
        at = at_main_menu(can_switch_off=True)
        for item in (Item.SETTINGS, *way, Item.BACK):
            at.take(item)
        assert at.table.menu.page == At.MAIN and at.effects == []


# ---- naming a tag --------------------------------------------------------------------------


def named_in_a_duel(*cards: tuple[str, str]) -> AtTable:
    """A duel in which these cards were laid, with the page on which an unknown tag gets its name."""
    at = AtTable.of(Rules(mode=Mode.REFEREE))
    for player in ("yay", "wow", "yay", "wow"):
        at.ok(player)
    at.put_tag("yay", "04112233445566")
    for player, card in cards:
        at.play(player, card)
    at.menu()
    at.take(Item.NAME_TAG)
    return at


def test_a_card_that_lies_face_down_may_be_the_one_with_the_torn_tag_so_the_list_gives_nothing_away():
    ranks = tuple(str(rank) for rank in range(1, 13))
    assert named_in_a_duel().table.menu.items == (Item.GO_ON, *ranks)
    assert named_in_a_duel(("yay", "12a")).table.menu.items == (Item.GO_ON, *ranks)


def test_a_rank_of_which_all_cards_have_been_seen_is_not_offered_as_a_name():
    at = named_in_a_duel(("yay", "12a"), ("wow", "1a"))
    assert at.table.menu.items == (Item.GO_ON, *(str(rank) for rank in range(2, 12)))


def test_a_tag_that_is_not_named_after_all_stays_unknown():
    at = named_in_a_duel()
    at.effects.clear()
    at.take(Item.GO_ON)
    assert at.effects == [] and at.table.unknown_tag is not None and at.table.menu is None


def test_what_lies_on_both_pads_lies_there_as_before_when_a_tag_has_got_its_name():
    at = referee_in_attack()
    at.put_tag("yay", "04112233445566")
    at.put("wow", "8a")
    at.menu()
    at.take(Item.NAME_TAG)
    at.take("7")
    lying = [[str(tag.card) for tag in pad.lying] for pad in at.table.pads]
    assert lying == [["7a"], ["8a"]] and at.table.unknown_tag is None


# ---- where a game stands -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "events", "stage"),
    [
        (Mode.PLAY, "", Stage.CLEAR),
        (Mode.REFEREE, "", Stage.CLEAR),
        (Mode.BOARD, "", Stage.ROUND),
        (Mode.PLAY, "yay 7a", Stage.ROUND),
        (Mode.PLAY, "wow 7a", Stage.ROUND),
        (Mode.REFEREE, "yay ok", Stage.ROUND),
        (Mode.REFEREE, "yay ok, wow ok", Stage.ROUND),
        (Mode.REFEREE, "yay ok, void", Stage.CLEAR),
        (Mode.BOARD, "yay ok, yay ok, yay ok", Stage.ROUND),
        (Mode.BOARD, "yay ok, yay ok, yay ok, yay ok", Stage.OVER),
    ],
)
def test_a_game_is_between_rounds_until_something_has_happened_in_its_round(mode, events, stage):
    happened = [parse_event(text.strip()) for text in events.split(",") if text]
    assert stage_of(fold(Rules(mode=mode), happened)) is stage


# ---- what the check found ------------------------------------------------------------------

ROWS = (ok("pad YAY", "MFRC522"), fault("strip", "no answer", "Look at the plug."), skipped("buzzer", "not heard"))


def checked() -> AtTable:
    at = at_main_menu()
    at.take(Item.CHECK)
    assert at.effects == [CheckParts()]
    at.table = open_checked(at.table, ROWS)
    return at


def test_what_the_check_found_has_a_line_for_each_part_after_the_way_back():
    at = checked()
    assert at.scene.page.menu == ("Back", "pad YAY: ok", "strip: fault", "buzzer: skipped")
    assert at.table.menu.chosen == 0
    at.take(Item.BACK)
    assert at.table.menu.page == At.MAIN


def test_a_line_of_the_check_opens_its_remedy_and_goes_back_to_that_line():
    for line, row in enumerate(ROWS, 1):
        at = checked()
        for _ in range(line):
            at.ok("yay")
        at.ok("wow")
        assert (at.scene.page.title, at.scene.page.note) == (row.part, row.remedy or row.found)
        at.ok("wow")
        assert at.table.menu.page == At.CHECKED and at.table.menu.chosen == line


def test_holding_a_button_leads_from_the_check_to_the_main_menu():
    at = checked()
    at.ok("yay"), at.ok("wow")
    at.undo("yay")
    assert at.table.menu.page == At.MAIN

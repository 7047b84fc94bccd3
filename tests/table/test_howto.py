"""How to play: short pages for the present phase, in the game menu (docs/device.md, Modes and menus)."""

from dataclasses import replace

import pytest

from docs.gallery import PAGES
from engine.board import Arrow
from engine.round import Phase
from engine.rules import Mode, Rules, Tie
from firmware.table import howto
from firmware.table.effects import Record
from firmware.table.menus import At, Item
from firmware.table.state import Stage
from tests.support.at_table import AtTable, referee_in_attack


def opened(at=None):
    at = at or referee_in_attack()
    at.menu()
    at.take(Item.HOW_TO)
    return at


def notes(at):
    """The texts of all pages, as they are turned by yay's button."""
    seen = []
    for _ in at.table.menu.items:
        seen.append(at.scene.page.note)
        at.ok("yay")
    return seen


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("how-to-clear", "shuffle"),
        ("how-to-deal", "own pad"),
        ("how-to-deal-referee", "sees only what is played"),
        ("how-to-replace", "Change cards"),
        ("how-to-duel", "higher card attacks first"),
        ("how-to-attack", "sequence"),
        ("how-to-defend", "give up your lowest"),
        ("how-to-showdown", "lower card wins"),
        ("how-to-board", "Tacocat"),
    ],
)
def test_each_phase_has_its_own_pages_and_half_a_minute_is_enough_to_read_them(name, says):
    at = PAGES[name]()
    assert at.table.menu.page == At.HOW_TO
    texts = notes(at)
    assert says in " ".join(texts)
    assert 2 <= len(texts) <= 5
    assert 12 <= len(texts) * howto.PAGE_MS / 1000 <= 30


def test_yay_turns_the_pages_and_wow_closes_them_into_the_game_as_it_was():
    at = referee_in_attack()
    before = at.table
    opened(at)
    page = at.scene.page
    assert (page.title, page.count, page.left, page.right) == ("How to play", "1 of 4", "next", "close")
    at.ok("yay")
    assert at.scene.page.count == "2 of 4" and at.scene.page.note != page.note
    at.ok("wow")
    assert at.table.menu is None
    assert at.table.game == before.game and at.table.stage is before.stage
    assert not [effect for effect in at.effects if isinstance(effect, Record)]


def test_the_pages_turn_by_themselves_and_begin_anew_after_the_last():
    at = opened()
    at.wait(20)
    shown = []
    for _ in range(5):
        shown.append(at.scene.page.count)
        at.wait(howto.PAGE_MS)
    assert shown == ["1 of 4", "2 of 4", "3 of 4", "4 of 4", "1 of 4"]


def test_a_page_that_was_turned_by_hand_is_seen_for_the_whole_time():
    at = opened()
    at.wait(howto.PAGE_MS - 500)
    at.ok("yay")
    at.wait(howto.PAGE_MS - 500)
    assert at.scene.page.count == "2 of 4"
    at.wait(600)
    assert at.scene.page.count == "3 of 4"


def test_holding_a_button_or_both_closes_the_pages():
    for close in (lambda at: at.undo("yay"), lambda at: at.menu()):
        at = opened()
        close(at)
        assert at.table.menu is None


def test_a_card_put_down_while_the_pages_are_read_is_no_event():
    at = opened()
    at.play("yay", "7a")
    at.ok("wow")
    at.wait(1000)
    assert at.recorded == []


def test_the_house_rule_for_ties_is_told_as_it_is():
    for tie, says in ((Tie.REDEAL, howto.LOWER_WINS), (Tie.ARROW, howto.ARROW_DECIDES)):
        at = PAGES["showdown"]()
        at.table = replace(at.table, game=replace(at.table.game, rules=replace(at.table.game.rules, tie=tie)))
        assert says in opened(at).table.menu.items


def test_who_may_replace_first_is_told_as_the_arrow_points():
    for arrow, says in ((Arrow.BOTH, howto.BOTH_BEGIN), (Arrow.YAY, howto.ONE_BEGINS)):
        at = PAGES["replace-both"]()
        at.table = replace(at.table, game=replace(at.table.game, round=replace(at.table.game.round, arrow=arrow)))
        assert says in opened(at).table.menu.items


def test_when_the_game_is_over_there_is_nothing_to_tell():
    at = PAGES["game-over"]()
    assert at.table.stage is Stage.OVER
    at.menu()
    assert Item.HOW_TO not in at.table.menu.items


@pytest.mark.parametrize(
    ("mode", "draw", "defend"),
    [
        (Mode.PLAY, howto.DRAW_PLAY, howto.DEFEND),
        (Mode.REFEREE, howto.DRAW_REFEREE, (*howto.DEFEND, howto.ONLY_LOWEST)),
    ],
)
def test_a_table_that_does_not_see_the_hands_says_where_it_relies_on_the_players(mode, draw, defend):
    table = AtTable.of(Rules(mode=mode)).table

    def texts(phase: Phase) -> tuple[str, ...]:
        return howto.pages(replace(table, game=replace(table.game, round=replace(table.game.round, phase=phase))))

    assert texts(Phase.REPLACE)[len(howto.REPLACE)] == draw
    assert texts(Phase.DEFEND) == defend


def test_only_between_rounds_the_pages_begin_with_clearing_the_pads():
    table = AtTable.of(Rules(), Stage.CLEAR).table
    assert howto.pages(table) == (howto.CLEAR, *howto.DEAL_PLAY)
    assert howto.pages(replace(table, stage=Stage.ROUND)) == howto.DEAL_PLAY

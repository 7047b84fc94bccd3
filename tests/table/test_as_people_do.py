"""A round as people play it, on emulated readers: cards left lying, wobbling piles, cards swept over the pads,
two where one was wanted, the draw pile on a pad. No event that nobody meant."""

from engine.board import Board
from engine.cards import Card, parse_card
from engine.events import format_event
from engine.rules import Mode, Rules
from firmware.screen.drawing import draw
from firmware.table.state import Remark, Stage
from hardware.ports import Health
from tests.support.full_table import FullTable

SMALL = Board((4,) * 7, Rules().board.arrows)


def cards(text: str) -> list[Card]:
    return [parse_card(word) for word in text.split()]


def given(at: FullTable) -> list[str]:
    return [format_event(event) for event in at.paper.events]


def slide_over(at: FullTable, player: str, names: str, each_ms: int = 80) -> None:
    """Cards pass over a pad without resting there."""
    for card in cards(names):
        at.put(player, card)
        at.wait(each_ms)
        at.lift(player, card)
        at.wait(60)


def test_a_round_as_people_play_it_holds_only_the_events_that_they_meant():
    with FullTable(Rules(mode=Mode.PLAY, board=SMALL)) as at:
        # the deck is cut on the pad of wow before anybody pressed ok
        at.put("wow", *cards("3a 4a 5a 6a 7a 8a 9a"))
        at.wait(600)
        at.press("yay")
        assert at.loop.table.stage is Stage.CLEAR
        assert "Clear the pads" in at.loop.shown.page.what
        at.clear_pads()
        at.press("yay")
        assert at.loop.table.stage is Stage.ROUND and given(at) == []

        # two cards stick together in the deal, then each comes alone
        at.put("yay", *cards("3a 5a"))
        at.wait(500)
        assert given(at) == [] and at.loop.table.told.remark is Remark.TOO_MANY
        at.clear_pads()
        for player, names in (("yay", "3a 5a 7a 9a"), ("wow", "4a 6a 8a 10a")):
            for card in cards(names):
                at.lay(player, card)
        dealt = [f"yay {card}" for card in cards("3a 5a 7a 9a")] + [f"wow {card}" for card in cards("4a 6a 8a 10a")]
        assert given(at) == dealt

        # the draw pile is put on a pad while nobody has replaced
        at.put("wow", *[card for card in at.tags if card.rank in (3, 4, 5) and card.copy in "cde"])
        at.wait(700)
        assert given(at) == dealt
        assert at.loop.table.pads[1].must_clear
        at.clear_pads()
        at.press("yay")
        at.press("wow")

        # the duel cards stay where they lie
        at.lay("yay", *cards("9a"), leave=True)
        at.lay("wow", *cards("10a"), leave=True)
        at.wait(600)
        duel = [*dealt, "yay ok", "wow ok", "yay 9a", "wow 10a"]
        assert given(at) == duel

        # wow attacks; yay slides a card over wow's pad on its way, then answers with two cards at once
        at.lay("wow", *cards("6a"), leave=True)
        slide_over(at, "wow", "7a")
        at.put("yay", *cards("7a 5a"))
        at.wait(500)
        assert given(at) == [*duel, "wow 6a"]
        at.lift("yay", *cards("7a 5a"))
        at.wait(300)
        at.lay("yay", *cards("7a"), leave=True)
        first_trick = [*duel, "wow 6a", "yay 7a"]
        assert given(at) == first_trick

        # the pile wobbles, and a played card slips over to the other pad
        for _ in range(3):
            at.lift("yay", *cards("7a"))
            at.wait(300)
            at.put("yay", *cards("7a"))
            at.wait(300)
        at.lift("wow", *cards("6a"))
        at.wait(200)
        at.put("yay", *cards("6a"))
        at.wait(600)
        assert given(at) == first_trick

        # yay attacks with a card that is then taken back by a long press, but left lying
        at.wait(300)
        at.lay("yay", *cards("3a"), leave=True)
        at.press("yay", hold_ms=1300)
        at.wait(9000)
        assert given(at) == [*first_trick, "yay 3a", "yay undo"]
        assert "counts for nothing" in at.loop.shown.page.note
        at.clear_pads()
        at.lay("yay", *cards("3a"))
        at.lay("wow", *cards("4a"))
        at.wait(600)
        second_trick = [*first_trick, "yay 3a", "yay undo", "yay 3a", "wow 4a"]
        assert given(at) == second_trick
        assert at.game.phase.value == "showdown"
        at.put("wow", *cards("8a"))
        at.put("yay", *cards("5a"))
        at.wait(600)
        assert given(at) == [*second_trick, "wow 8a", "yay 5a"] or given(at) == [*second_trick, "yay 5a", "wow 8a"]
        done = given(at)
        assert at.game.track.tacocat == 3

        # everything is tidied over the pads
        slide_over(at, "wow", "3a 4a 5a 6a", each_ms=500)
        slide_over(at, "yay", "9a 10a 7a", each_ms=500)
        at.clear_pads()
        at.press("wow")
        at.wait(1000)
        assert given(at) == done
        assert (at.game.number, at.game.round.counts) == (2, (0, 0))


def test_the_game_goes_on_without_the_strip_and_the_strip_shows_the_state_when_it_is_back():
    with FullTable(Rules(mode=Mode.BOARD)) as at:
        at.twins.strip.unplug()
        at.press("wow")
        assert given(at) == ["wow ok"]
        assert at.twins.strip.wait_for(lambda: at.strip.state().health is not Health.CONNECTED, 5)
        at.wait(100)
        assert "strip" in at.loop.shown.page.fault
        at.twins.strip.plug_in()
        assert at.strip.wait_shown(8)
        assert at.strip_agrees() and at.strip_says()[0] == 5


def test_a_dead_reader_is_shown_and_the_other_reads_on():
    with FullTable(Rules(mode=Mode.REFEREE), Stage.ROUND) as at:
        for player in ("yay", "wow", "yay", "wow"):
            at.press(player)
        at.twins.pads["wow"].mute = 0x00
        at.wait(2500)
        assert "pad WOW" in at.loop.shown.page.fault
        at.lay("yay", *cards("7a"))
        assert given(at)[-1] == "yay 7a"
        at.twins.pads["wow"].mute = None
        at.wait(6000)
        assert at.loop.shown.page.fault == ""
        at.lay("wow", *cards("8a"))
        assert given(at)[-1] == "wow 8a"


def test_a_screen_that_was_pulled_is_whole_again_when_it_is_back():
    with FullTable(Rules(mode=Mode.BOARD)) as at:
        at.twins.screen.unplug()
        at.press("wow")
        assert at.until(lambda: "screen" in at.loop.shown.page.fault)
        assert given(at) == ["wow ok"]
        at.twins.screen.plug_in()
        assert at.until(lambda: at.loop.shown.page.fault == "")
        assert at.screen_shows(draw(at.loop.shown.page))


def test_both_buttons_open_the_menu_and_neither_is_an_ok_or_an_undo():
    with FullTable(Rules(mode=Mode.REFEREE), Stage.ROUND) as at:
        at.hold_both()
        assert at.loop.shown.page.menu[0] == "Go on"
        assert given(at) == []
        at.press("yay")  # next: this round again
        at.press("wow")
        at.press("yay")
        at.press("wow")
        assert given(at) == ["void"]


def test_the_buzzer_says_what_the_table_says():
    with FullTable(Rules(mode=Mode.BOARD)) as at:
        at.twins.desk.heard()
        at.press("wow")
        at.wait(1000)
        tones = [heard.hz for heard in at.twins.desk.heard() if heard.hz]
        assert len(tones) == 3 and tones == sorted(tones)


def test_nothing_is_shown_of_an_event_before_it_is_on_the_disk():
    with FullTable(Rules(mode=Mode.BOARD)) as at:
        written = at.paper.written
        at.paper.written = -1000  # the disk is busy
        at.twins.desk.heard()
        at.press("wow")
        at.wait(500)
        assert given(at) == ["wow ok"]
        assert at.loop.shown.page.title == "Round 1" and at.twins.desk.heard() == []
        at.paper.written = written + 1
        at.wait(100)
        assert at.loop.shown.page.title == "Round 2"
        assert [heard for heard in at.twins.desk.heard() if heard.hz]

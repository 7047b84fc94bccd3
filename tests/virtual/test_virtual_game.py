"""A round of Tacocat through the page: real Chromium, real drivers on emulated chips, real time.

What hands do goes in through the page alone; what comes of it is read off the twins and the page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import reduce

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from engine.board import DEFAULT_BOARD
from engine.cards import Card, Player, parse_card
from engine.events import parse_event
from engine.game import Game, judge, new_game
from engine.legal import legal_plays
from engine.plays import is_legal_answer
from engine.round import Phase
from engine.rules import Mode, Rules
from engine.verdict import Problem
from firmware.table.state import Remark, Stage
from firmware.virtual.messages import Deal
from hardware.twins.rc522_registers import TX_CONTROL
from tests.support.browser import chromium
from tests.support.full_table import BRIGHT
from tests.support.live_table import LiveTable, eventually
from tests.support.virtual_standins import Client

YAY, WOW = Player
KEYS = {YAY: "a", WOW: "l"}
SMALL = replace(DEFAULT_BOARD, hand_sizes=(4,) * 7)
TINY = replace(DEFAULT_BOARD, hand_sizes=(3,) * 7)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


class Hands:
    """Two people in front of one window."""

    def __init__(self, live: LiveTable, page: Page) -> None:
        self.live, self.page = live, page
        page.goto(live.virtual.url)
        expect(page.locator("#strip i")).to_have_count(64)

    def see(self, what: Callable[[], bool], words: str) -> None:
        assert eventually(what, self.page.wait_for_timeout), f"{words}; events {self.live.events}, {self.live.page}"

    def press(self, player: Player, hold_ms: int = 80) -> None:
        self.page.keyboard.press(KEYS[player], delay=hold_ms)

    def card(self, card: Card) -> Locator:
        return self.page.locator(f'[data-card="{card}"]')

    def lay(self, player: Player, *cards: Card, drag: bool = False) -> None:
        """Lay cards from the hand, one after the other, each when the one before has been read."""
        for card in cards:
            known = len(self.live.events)
            self.put(player, card, drag)
            self.see(lambda known=known: len(self.live.events) > known, f"{player} {card} was not read")

    def put(self, player: Player, card: Card, drag: bool = False) -> None:
        if drag:
            start, end = self.card(card).bounding_box(), self.page.locator(f".pad.{player}").bounding_box()
            assert start and end
            self.page.mouse.move(start["x"] + 6, start["y"] + 12)
            self.page.mouse.down()
            self.page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=3)
            self.page.mouse.up()
        else:
            self.card(card).click(position={"x": 6, "y": 12})
        expect(self.page.locator(f'.pad.{player} [data-card="{card}"]')).to_have_count(1)

    def take_back(self, *cards: Card) -> None:
        """Take cards off the pad again, and wait until their readers have noticed."""
        for card in cards:
            self.page.locator(f'.pad [data-card="{card}"]').click(position={"x": 6, "y": 12})
        self.see_empty_pads()

    def sweep(self) -> None:
        self.page.keyboard.press("s")
        self.see_empty_pads()

    def see_empty_pads(self) -> None:
        self.see(lambda: self.live.loop.table.pads_clear, "the pads are not seen to be empty")

    def hand(self, player: Player) -> tuple[Card, ...]:
        return tuple(sorted(parse_card(card) for card in self.live.hand(player)))

    def see_everything_agrees(self) -> None:
        """The panel's twin shows the loop's page, the page its panel, and the lights where Tacocat is."""
        live = self.live
        self.see(live.panel_shows_the_page, "the panel does not show the page")
        self.see(lambda: self.lit_on_page() == panel_dots(live), "the page does not show the panel")
        wanted = (live.game.track.tacocat, live.game.track.covered)
        self.see(lambda: self.strip_on_page() == wanted, f"the page's lights do not show {wanted}")

    def lit_on_page(self) -> int:
        return int(self.page.locator("canvas").get_attribute("data-lit") or -1)

    def lights(self) -> list[str]:
        shown: list[str] = self.page.locator("#strip i").evaluate_all("leds => leds.map(led => led.dataset.rgb)")
        return shown

    def strip_on_page(self) -> tuple[int | None, tuple[int, ...]]:
        """(where Tacocat is, which spaces are covered), read off the lights on the page."""
        lit = [max(bytes.fromhex(led)) for led in self.lights()]
        tacocat, covered = None, []
        for space in range(1, 8):
            first, count = self.live.layout.span(space)
            leds = lit[first : first + count]
            if max(leds) >= BRIGHT:
                tacocat = space
            elif not any(leds[1:-1]) and any(leds):
                covered.append(space)
        return tacocat, tuple(covered)


def panel_dots(live: LiveTable) -> int:
    return sum(byte.bit_count() for byte in live.twins.screen.image().tobytes())


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    page.on("pageerror", lambda error: pytest.fail(str(error)))
    yield page
    page.close()


def open_round(hands: Hands) -> None:
    """From the cleared table to the deal."""
    hands.see(lambda: hands.live.loop.table.stage is Stage.CLEAR, "the table does not wait to be cleared")
    hands.press(YAY)
    hands.see(lambda: hands.live.loop.table.stage is Stage.ROUND, "the round did not begin")
    hands.page.locator(".space").nth(3).click()
    hands.page.locator("#deal").click()


def duel(hands: Hands) -> None:
    while hands.live.game.phase is Phase.DUEL:
        hands.lay(YAY, hands.hand(YAY)[-1], drag=True)
        hands.lay(WOW, hands.hand(WOW)[-1])
        hands.sweep()
        hands.page.wait_for_timeout(500)  # after a completed trick nothing counts for this long


def attack_of(hands: Hands, attacker: Player) -> tuple[Card, ...]:
    hand = hands.hand(attacker)
    plays = legal_plays(hands.live.game, attacker)
    return next(tuple(sorted(play.cards)) for play in plays if play.cards <= set(hand))


def answers(hands: Hands, attack: tuple[Card, ...], legal: bool) -> Iterator[Card]:
    """The single cards with which the defender may, or may not, answer this attack of one card."""
    (attacking,) = attack
    hand = hands.hand(hands.live.game.round.attacker.other)
    for card in hand:
        rest = [other.rank for other in hand if other != card]
        if is_legal_answer([attacking.rank], [card.rank], rest) is legal:
            yield card


def fight(hands: Hands) -> int:
    """Trick after trick until the showdown; what must not be answered is tried first. Returns how often it was."""
    refused = 0
    while hands.live.game.phase is Phase.ATTACK:
        attacker = hands.live.game.round.attacker
        attack = attack_of(hands, attacker)
        hands.lay(attacker, *attack, drag=True)
        hands.press(attacker)
        hands.see(lambda: hands.live.game.phase is Phase.DEFEND, "the attack was not closed")
        wrong = next(answers(hands, attack, legal=False), None)
        if wrong is not None and hands.live.game.rules.mode is Mode.PLAY:
            hands.lay(attacker.other, wrong)
            told = hands.live.loop.table.told
            assert told is not None and told.verdict.problem is Problem.MUST_DEFEND_OR_SACRIFICE_LOWEST
            hands.see_everything_agrees()
            hands.page.locator(f'.pad [data-card="{wrong}"]').click(position={"x": 6, "y": 12})
            defender = attacker.other
            hands.see(lambda pad=defender: not hands.live.loop.table.pad(pad).lying, "the card is still seen")
            refused += 1
        hands.lay(attacker.other, next(answers(hands, attack, legal=True)))
        assert hands.live.game.phase in (Phase.ATTACK, Phase.SHOWDOWN)
        hands.sweep()
        hands.page.wait_for_timeout(500)
    return refused


def showdown(hands: Hands) -> None:
    before = hands.live.game
    ((yay_card,), (wow_card,)) = hands.hand(YAY), hands.hand(WOW)
    hands.lay(WOW, wow_card)
    hands.lay(YAY, yay_card, drag=True)
    winner = min((yay_card, YAY), (wow_card, WOW), key=lambda each: each[0].rank)[1]
    assert yay_card.rank != wow_card.rank, "choose another seed: this round is a tie"
    assert hands.live.game.number == before.number + 1
    assert hands.live.game.track.tacocat == before.track.tacocat + (-1 if winner is YAY else 1)
    hands.see_everything_agrees()
    assert hands.live.loop.table.stage is Stage.CLEAR


def see_it_replays(live: LiveTable) -> None:
    """What the engine was given, written down and read again, leads to the same game."""
    events = [parse_event(line, live.rules.deck) for line in live.events]
    again: Game = reduce(lambda game, event: judge(game, event)[0], events, new_game(live.rules))
    assert again == live.game


def test_a_round_in_play_mode_is_played_through_the_page_with_illegal_plays(page: Page) -> None:
    with LiveTable(Rules(board=TINY), seed=1) as live:
        hands = Hands(live, page)
        hands.see_everything_agrees()
        expect(page.locator("#over-pads")).to_be_checked()
        open_round(hands)
        hands.see(lambda: live.game.phase is Phase.REPLACE, "the deal over the pads is not complete")
        hands.see(lambda: not live.virtual.world.dealing, "the last dealt card is not in the hand")
        assert live.game.round.hands == (frozenset(hands.hand(YAY)), frozenset(hands.hand(WOW)))
        hands.see_everything_agrees()

        discarded = hands.hand(YAY)[0]
        hands.lay(YAY, discarded, drag=True)
        hands.press(YAY)
        hands.see(lambda: live.events[-1] == "yay ok", "the ok was not seen")
        expect(page.locator("#count")).to_have_text("1")  # the page knows that one is wanted
        page.locator("[data-draw=yay]").click()
        hands.press(WOW)
        hands.see(lambda: live.game.phase is Phase.DUEL, "replacing is not complete")
        expect(page.locator(".hand.yay .card")).to_have_count(3)
        hands.sweep()
        duel(hands)

        eager = hands.hand(live.game.round.attacker.other)[0]
        hands.lay(live.game.round.attacker.other, eager)
        told = live.loop.table.told
        assert told is not None and told.verdict.problem is Problem.NOT_YOUR_TURN
        assert live.page.note
        hands.see_everything_agrees()
        hands.take_back(eager)

        assert fight(hands) > 0, "choose another seed: nobody could answer wrongly"
        showdown(hands)
        see_it_replays(live)


def test_a_round_in_referee_mode_is_played_through_the_page_with_illegal_plays(page: Page) -> None:
    with LiveTable(Rules(mode=Mode.REFEREE, board=SMALL), seed=5) as live:
        hands = Hands(live, page)
        expect(page.locator("#over-pads")).not_to_be_checked()
        open_round(hands)
        expect(page.locator(".hand.wow .card")).to_have_count(4)
        assert live.events == [], "cards that go straight into the hands are not read"
        for player in (YAY, WOW, YAY, WOW):  # dealt; nothing to replace
            known = len(live.events)
            hands.press(player)
            hands.see(lambda known=known: len(live.events) > known, f"the ok of {player} was not seen")
        assert live.events == ["yay ok", "wow ok", "yay ok", "wow ok"]
        hands.see_everything_agrees()
        duel(hands)

        attacker = live.game.round.attacker
        pair = next((one, two) for one in hands.hand(attacker) for two in hands.hand(attacker) if one.rank < two.rank)
        hands.lay(attacker, *pair)
        hands.press(attacker)
        hands.see(lambda: live.events[-1] == f"{attacker} ok", "the ok was not seen")
        told = live.loop.table.told
        assert told is not None and told.verdict.problem is Problem.NOT_A_SET_OR_SEQUENCE
        hands.see_everything_agrees()
        hands.take_back(*pair)

        page.locator("#how").click()
        page.locator("#aside .card").drag_to(page.locator(".pad.yay"))
        hands.see(lambda: " tag " in live.events[-1], "the bus ticket was not read")
        page.locator("#how").click()
        hands.sweep()

        fight(hands)
        showdown(hands)
        see_it_replays(live)


def test_cards_left_lying_between_rounds_must_be_cleared_first(page: Page) -> None:
    with LiveTable(Rules(board=SMALL), seed=1) as live:
        hands = Hands(live, page)
        page.locator("#over-pads").uncheck()
        page.locator("#deal").click()
        expect(page.locator("#say")).to_contain_text("Between rounds: both pads have to be empty, then a press of ok")
        page.locator("#deal").click()
        expect(page.locator(".hand.yay .card")).to_have_count(4)
        hands.put(YAY, hands.hand(YAY)[0])
        hands.see(lambda: not live.loop.table.pads_clear, "the card is not seen")
        hands.press(WOW)
        hands.see(lambda: getattr(live.loop.table.told, "remark", None) is Remark.CLEAR_FIRST, "no word of it")
        hands.see_everything_agrees()
        assert live.events == []


# ---- nothing reaches past the twins ---------------------------------------------------------------


def test_with_the_antennas_off_no_message_about_cards_changes_the_game() -> None:
    with LiveTable(Rules(board=SMALL), seed=5) as live, Client(live.virtual.port) as window:
        window.send({"do": "press", "button": "yay"})
        live.let_the_pads_be_read(5)
        window.send({"do": "release", "button": "yay"})
        assert eventually(lambda: live.loop.table.stage is Stage.ROUND, lambda _: live.let_the_pads_be_read(1))
        live.virtual.world.do(Deal(2, ("yay", "wow"), False), 0)
        yay_card, wow_card = live.hand(YAY)[0], live.hand(WOW)[0]
        for reader in live.twins.pads.values():  # and whenever the driver sets it up again
            reader.before_transfer = lambda _, reader=reader: reader.overwrite(TX_CONTROL, 0x80)  # type: ignore[misc]
        live.let_the_pads_be_read(1)
        game = live.game
        laid = {"do": "move", "card": yay_card, "to": "pad-yay", "face_down": False}
        for messages in (
            [laid, {"do": "move", "card": wow_card, "to": "pad-wow", "face_down": True}],
            [{"do": "move", "card": "ticket", "to": "pad-yay", "face_down": False}, {"do": "draw", "to": "pad-wow"}],
            [{"do": "turn", "pad": "yay"}, {"do": "deal", "count": 2, "players": ["yay", "wow"], "over_pads": True}],
            [{"do": "sweep"}, {"do": "lay_pile", "pad": "yay"}],
            [{"do": "gather"}],
        ):
            for message in messages:
                window.send(message)
            live.let_the_pads_be_read(30)
        assert not any(reader.antenna_on for reader in live.twins.pads.values())
        assert live.game == game and live.events == []
        for reader in live.twins.pads.values():
            reader.before_transfer = None
        window.send({"do": "draw", "to": "pad-yay"})
        assert eventually(lambda: bool(live.events), lambda _: live.let_the_pads_be_read(1)), "nothing is read now"


def test_when_the_strips_controller_stands_still_so_do_the_lights_on_the_page(page: Page) -> None:
    with LiveTable(Rules(board=SMALL), seed=1) as live:
        hands = Hands(live, page)
        hands.see_everything_agrees()  # both goals breathe: something moves on the strip all the time
        before = hands.lights()
        hands.see(lambda: hands.lights() != before, "the lights do not breathe")
        live.twins.strip.freeze()
        page.wait_for_timeout(100)  # what was on its way
        frozen = hands.lights()
        hands.press(YAY)
        hands.see(lambda: live.loop.table.stage is Stage.ROUND, "the game stands still")
        page.wait_for_timeout(400)
        assert hands.lights() == frozen
        live.twins.strip.thaw()
        hands.see(lambda: hands.lights() != frozen, "the lights do not go on")


def test_one_mouse_opens_the_menu_that_both_buttons_open(page: Page) -> None:
    with LiveTable(Rules(mode=Mode.BOARD), seed=1) as live:
        hands = Hands(live, page)
        page.locator("#both").click()
        hands.see(lambda: live.loop.table.menu is not None, "the menu did not open")
        hands.see(lambda: not page.locator(".push.down").count(), "the buttons are not let go")
        assert live.events == []


def test_the_number_to_deal_follows_the_lit_space(page: Page) -> None:
    with LiveTable(Rules(mode=Mode.BOARD), seed=1) as live:
        hands = Hands(live, page)
        count = page.locator("#count")
        expect(count).to_have_text("7")
        hands.press(WOW)
        hands.see(lambda: live.loop.table.stage is Stage.ROUND, "the round did not begin")
        hands.press(WOW)
        hands.see(lambda: live.game.track.tacocat == 5, "the round was not counted")
        hands.see(lambda: count.text_content() == "9", "the number stays as it was")


def test_cards_go_back_from_a_pad_to_the_hand_with_one_click(page: Page) -> None:
    with LiveTable(Rules(), seed=1) as live:
        hands = Hands(live, page)
        page.locator('[data-draw="yay"]').dblclick()  # it is asked for once more: no card is wanted yet
        hands.see(lambda: len(live.hand(YAY)) == 1 and not live.virtual.world.dealing, "no card was drawn")
        (card,) = hands.hand(YAY)
        expect(page.locator(f'.hand.yay [data-card="{card}"]')).to_have_count(1)  # the page has seen it arrive
        hands.put(YAY, card)
        page.locator('[data-home="yay"]').click()
        hands.see(lambda: hands.hand(YAY) == (card,), "the card is not in the hand again")


def test_a_deal_at_the_wrong_moment_is_asked_for_once_more_and_taken_back(page: Page) -> None:
    with LiveTable(Rules(board=TINY), seed=5) as live:
        hands = Hands(live, page)
        open_round(hands)
        hands.see(lambda: live.game.phase is Phase.REPLACE, "the deal did not end")
        expect(page.locator("#deal")).to_be_enabled()
        page.locator("#over-pads").uncheck()
        pile = len(live.virtual.world.cards("pile"))
        page.keyboard.press("d")
        expect(page.locator("#say")).to_contain_text("No cards are dealt now. Once more, to deal all the same.")
        assert len(live.virtual.world.cards("pile")) == pile
        page.keyboard.press("d")
        hands.see(lambda: len(live.virtual.world.cards("pile")) < pile, "the second time it is meant")
        page.locator("#back").click()
        hands.see(lambda: len(live.virtual.world.cards("pile")) == pile, "the deal was not taken back")
        expect(page.locator("#back")).to_be_disabled()


def test_cards_of_a_duel_lie_face_down_in_every_window_and_any_discarded_card_can_be_had(
    page: Page, browser: Browser
) -> None:
    with LiveTable(Rules(board=TINY), seed=5) as live:
        hands = Hands(live, page)
        other = browser.new_page(viewport={"width": 360, "height": 640}, reduced_motion="reduce")
        other.goto(live.virtual.url)
        open_round(hands)
        hands.see(lambda: live.game.phase is Phase.REPLACE, "the deal did not end")
        for player in (YAY, WOW, YAY, WOW):
            if live.game.phase is Phase.REPLACE:
                hands.press(player)
                page.wait_for_timeout(150)
        hands.see(lambda: live.game.phase is Phase.DUEL, "no duel")
        first, second = hands.hand(YAY)[0], hands.hand(WOW)[-1]
        hands.lay(YAY, first)
        for window in (page, other):
            expect(window.locator(f'.pad [data-card="{first}"]')).to_have_attribute("data-shown", "false")
        hands.lay(WOW, second)
        for window in (page, other):
            for card in (first, second):
                expect(window.locator(f'.pad [data-card="{card}"]')).to_have_attribute("data-shown", "true")
        other.close()
        hands.sweep()
        page.locator("#discard").click()
        expect(page.locator("#spread-cards .card")).to_have_count(2)
        page.locator(f'#spread-cards [data-card="{first}"]').click()
        hands.see(lambda: first in hands.hand(YAY), "the card did not come back to its hand")
        expect(page.locator("#spread-cards .card")).to_have_count(1)
        page.locator("#spread-close").click()
        expect(page.locator("#spread")).to_be_hidden()

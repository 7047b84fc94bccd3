"""The virtual table's page in a real Chromium: what it shows comes from the twins, what hands do goes to them."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from PIL import Image, ImageDraw
from playwright.sync_api import Browser, Locator, Page, expect

from firmware.virtual.listening import Listening
from firmware.virtual.messages import Deal, Gather, Move
from firmware.virtual.server import VirtualTable
from hardware.ports import SystemClock
from hardware.twins.gpio import Heard
from hardware.twins.table import Twins
from tests.support.browser import chromium
from tests.support.virtual_standins import UIDS, Field, Fingers, Lights, Panel, printed

DESK, PHONE = {"width": 1280, "height": 800}, {"width": 360, "height": 740}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def shared(browser: Browser) -> Iterator[tuple[VirtualTable, Page]]:
    """One table and one page for all tests here; each test finds them as new: see `table` and `page`."""
    parts = Twins({"yay": Field(), "wow": Field()}, Fingers(), Lights(), Panel(), SystemClock())  # type: ignore[arg-type]
    with VirtualTable(parts, printed("referee"), Listening(port=0), random=Random(5)) as opened:
        page = browser.new_page(viewport=DESK, reduced_motion="reduce")  # type: ignore[arg-type]
        yield opened, page
        page.close()


@pytest.fixture
def table(shared: tuple[VirtualTable, Page]) -> VirtualTable:
    """A table with five cards in each hand, nothing lit, nothing touched."""
    table, page = shared
    page.goto("about:blank")
    table.world.do(Gather(), 0)
    for part in (*table.twins.pads.values(), table.twins.desk, table.twins.strip, table.twins.screen):
        part.__init__()  # type: ignore[misc]
    table.world.do(Deal(5, ("yay", "wow"), False), 0)
    return table


@pytest.fixture
def twins(table: VirtualTable) -> Twins:
    return table.twins


@pytest.fixture
def page(shared: tuple[VirtualTable, Page], table: VirtualTable) -> Iterator[Page]:
    """A fresh look at the table, without a memory of earlier ones. It must have nothing to complain of."""
    page, complaints = shared[1], []
    page.on("console", note := lambda message: complaints.append(message.text))
    page.on("pageerror", note_error := lambda error: complaints.append(str(error)))
    page.goto(table.url)
    page.evaluate("sessionStorage.clear()")
    page.reload()
    expect(page.locator(".hand.yay .card")).to_have_count(5)
    yield page
    page.remove_listener("console", note)
    page.remove_listener("pageerror", note_error)
    assert complaints == []


def hand(page: Page, player: str) -> Locator:
    return page.locator(f".hand.{player} .card")


def on_pad(page: Page, player: str) -> Locator:
    return page.locator(f".pad.{player} .card")


def drag(page: Page, what: Locator, to: Locator) -> None:
    start, end = what.bounding_box(), to.bounding_box()
    assert start and end
    page.mouse.move(start["x"] + 8, start["y"] + 12)
    page.mouse.down()
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=4)
    page.mouse.up()


# ---- what is seen --------------------------------------------------------------------------------


def test_the_page_draws_the_board_as_it_is_printed(page: Page) -> None:
    spaces = page.locator(".space")
    assert spaces.locator(".letter").all_text_contents() == list("TACOCAT")
    assert spaces.locator(".size").all_text_contents() == list("4697964")
    assert spaces.locator(".arrow").all_text_contents() == ["▶", "▶", "▶", "◀ ▶", "◀", "◀", "◀"]
    assert page.locator(".goal").all_text_contents() == ["YAY", "WOW"]


def test_the_lights_on_the_page_are_those_of_the_strip(page: Page, twins: Twins) -> None:
    colours = tuple((i * 4, 255 - i * 4, 7) for i in range(64))
    twins.strip.colours = colours  # type: ignore[attr-defined]
    expect(page.locator("#strip i").nth(63)).to_have_attribute("data-rgb", "fc0307")
    shown = page.locator("#strip i").evaluate_all("leds => leds.map(led => led.dataset.rgb)")
    assert shown == [bytes(colour).hex() for colour in colours]
    twins.strip.colours = ((255, 0, 0),) + ((0, 0, 0),) * 63  # type: ignore[attr-defined]
    expect(page.locator("#strip i").nth(63)).to_have_attribute("data-rgb", "000000")
    paint = "led => getComputedStyle(led, '::before').backgroundColor"
    assert page.locator("#strip i").nth(0).evaluate(paint) == "rgb(255, 0, 0)"
    assert page.locator("#strip i").nth(1).evaluate(paint) == "rgb(0, 0, 0)"


def shown_pixels(page: Page) -> set[tuple[int, int]]:
    """The dots that are lit on the page's screen, as a camera would see them."""
    photo = Image.open(io.BytesIO(page.locator("canvas").screenshot())).convert("L")
    dot = photo.width // 128
    return {(x, y) for x in range(128) for y in range(64) if photo.getpixel((x * dot + 1, y * dot + 1)) > 90}


def test_the_screen_on_the_page_shows_each_pixel_of_the_panel_enlarged_and_crisp(page: Page, twins: Twins) -> None:
    picture = Image.new("1", (128, 64))
    ImageDraw.Draw(picture).text((3, 5), "YAY attacks", fill=1)
    ImageDraw.Draw(picture).rectangle((0, 0, 127, 63), outline=1)
    twins.screen.picture = picture  # type: ignore[attr-defined]
    wanted = {(x, y) for x in range(128) for y in range(64) if picture.getpixel((x, y))}
    expect(page.locator("canvas")).to_have_attribute("data-lit", str(len(wanted)))
    assert shown_pixels(page) == wanted
    width = page.locator("canvas").evaluate("canvas => canvas.getBoundingClientRect().width")
    assert width % 128 == 0 and width >= 3 * 128
    twins.screen.on = False  # type: ignore[attr-defined]
    expect(page.locator("canvas")).to_have_attribute("data-lit", "0")
    assert shown_pixels(page) == set()


def test_a_lamp_is_lit_on_the_page_when_it_is_lit_on_the_desk(page: Page, twins: Twins) -> None:
    twins.desk.lit = frozenset({"wow"})  # type: ignore[attr-defined]
    expect(page.locator(".push.wow")).to_have_class("push wow lit")
    expect(page.locator(".push.yay")).to_have_class("push yay")


# ---- what hands do -------------------------------------------------------------------------------


def test_a_card_is_dragged_onto_a_pad_and_off_again(page: Page, twins: Twins) -> None:
    card = hand(page, "yay").nth(1).get_attribute("data-card")
    assert card
    drag(page, hand(page, "yay").nth(1), page.locator(".pad.yay"))
    expect(on_pad(page, "yay")).to_have_count(1)
    assert twins.pads["yay"].uids == [UIDS[card]]  # type: ignore[attr-defined]
    drag(page, on_pad(page, "yay"), page.locator(".pad.wow"))
    expect(on_pad(page, "wow")).to_have_count(1)
    assert twins.pads["yay"].uids == []  # type: ignore[attr-defined]
    assert twins.pads["wow"].uids == [UIDS[card]]  # type: ignore[attr-defined]
    drag(page, on_pad(page, "wow"), page.locator(".pile[data-place=discard]"))
    expect(page.locator("#discard-count")).to_have_text("1")
    assert twins.pads["wow"].uids == []  # type: ignore[attr-defined]


def test_a_click_lays_a_card_on_its_own_pad_and_a_second_one_takes_it_back(page: Page, twins: Twins) -> None:
    hand(page, "wow").last.click()
    expect(on_pad(page, "wow")).to_have_count(1)
    assert len(twins.pads["wow"].uids) == 1  # type: ignore[attr-defined]
    on_pad(page, "wow").click()
    expect(hand(page, "wow")).to_have_count(5)
    assert twins.pads["wow"].uids == []  # type: ignore[attr-defined]


def test_the_top_card_is_dragged_from_the_draw_pile_onto_a_pad_and_lies_face_down(page: Page, twins: Twins) -> None:
    drag(page, page.locator("#pile"), page.locator(".pad.yay"))
    expect(on_pad(page, "yay")).to_have_count(1)
    expect(on_pad(page, "yay").locator(".back")).to_have_count(1)
    expect(page.locator("#pile-count")).to_have_text("27")
    page.locator("[data-turn=yay]").click()
    expect(on_pad(page, "yay").locator(".front")).to_have_count(1)


def test_f39_each_movement_of_a_finger_says_when_it_was(page: Page) -> None:
    sent: list[dict[str, Any]] = []
    page.on("websocket", lambda link: link.on("framesent", lambda frame: sent.append(json.loads(frame))))
    page.reload()
    expect(page.locator(".hand.yay .card")).to_have_count(5)
    page.keyboard.press("a", delay=120)
    page.locator('[data-button="wow"]').click(delay=120)
    expect(page.locator(".push.wow")).to_have_class("push wow")
    moves = [message for message in sent if message["do"] in ("press", "release")]
    assert [(m["do"], m["button"]) for m in moves] == [(do, b) for b in ("yay", "wow") for do in ("press", "release")]
    for down, up in (moves[:2], moves[2:]):
        assert up["at"] - down["at"] >= 100


def test_the_keyboard_is_enough(page: Page, twins: Twins) -> None:
    fingers = twins.desk
    assert isinstance(fingers, Fingers)
    hand(page, "yay").first.focus()
    page.keyboard.press("ArrowRight")
    chosen = page.evaluate("document.activeElement.dataset.card")
    page.keyboard.press("Enter")
    expect(on_pad(page, "yay")).to_have_count(1)
    assert page.evaluate("document.activeElement.dataset.card") == chosen, "the card keeps the focus where it goes"
    page.keyboard.press("x")
    expect(page.locator("#discard-count")).to_have_text("1")
    page.keyboard.down("a")
    expect(page.locator(".push.yay")).to_have_class("push yay down")
    page.keyboard.down("l")
    page.keyboard.up("a")
    page.keyboard.up("l")
    expect(page.locator(".push.wow")).to_have_class("push wow")
    page.locator(".push.wow").focus()
    page.keyboard.press("Space")
    page.keyboard.press("s")
    expect(page.locator(".push.wow")).to_have_class("push wow")
    page.locator("#gather").click(click_count=2)
    expect(page.locator("#pile-count")).to_have_text("38")
    both = [("press", "yay"), ("press", "wow"), ("release", "yay"), ("release", "wow")]
    assert fingers.history == [*both, ("press", "wow"), ("release", "wow")]


def test_the_mouse_presses_and_holds_a_button(page: Page, twins: Twins) -> None:
    fingers = twins.desk
    assert isinstance(fingers, Fingers)
    page.locator(".push.wow").hover()
    page.mouse.down()
    expect(page.locator(".push.wow")).to_have_class("push wow down")
    page.mouse.move(5, 5)
    assert fingers.history == [("press", "wow")], "it stays down while it is held"
    page.mouse.up()
    expect(page.locator(".push.wow")).to_have_class("push wow")
    page.keyboard.press("g")
    expect(page.locator("#say")).to_contain_text("There are still cards in the hands. Once more")
    expect(page.locator("#pile-count")).to_have_text("28")
    page.keyboard.press("g")
    expect(page.locator("#pile-count")).to_have_text("38")
    assert fingers.history == [("press", "wow"), ("release", "wow")]


def test_dealing_takes_the_number_of_the_space_that_was_clicked(page: Page, twins: Twins) -> None:
    expect(page.locator("#count")).to_have_text("7")
    page.locator("#gather").dblclick()
    expect(page.locator("#pile-count")).to_have_text("38")
    page.locator(".space").nth(1).click()
    page.locator("#fewer").click()
    expect(page.locator("#count")).to_have_text("5")
    assert not page.locator("#over-pads").is_checked()
    page.locator("#deal").click()
    expect(hand(page, "yay")).to_have_count(5)
    expect(hand(page, "wow")).to_have_count(5)
    page.locator("#gather").dblclick()
    page.locator("#over-pads").check()
    page.locator("#fewer").click(click_count=4)
    page.locator("#deal").click()
    expect(on_pad(page, "yay").locator(".back")).to_have_count(1)
    expect(hand(page, "yay")).to_have_count(1)
    expect(hand(page, "wow")).to_have_count(1)
    assert [what for _, what, _ in twins.pads["yay"].history] == ["put", "lift"]  # type: ignore[attr-defined]


def test_a_hidden_hand_shows_only_backs_and_lays_its_cards_face_down(page: Page, browser: Browser) -> None:
    page.locator("[data-hide=wow]").click()
    expect(hand(page, "wow").locator(".back")).to_have_count(5)
    expect(hand(page, "yay").locator(".front")).to_have_count(5)
    assert "hidden card" in (hand(page, "wow").first.get_attribute("aria-label") or "")
    hand(page, "wow").first.click(position={"x": 5, "y": 9})
    expect(on_pad(page, "wow").locator(".back")).to_have_count(1)
    page.locator("[data-hide=wow]").click()
    expect(hand(page, "wow").locator(".front")).to_have_count(4)


def test_the_sweep_clears_the_pads_and_the_bus_ticket_goes_back_beside_the_table(page: Page, twins: Twins) -> None:
    hand(page, "yay").first.click(position={"x": 5, "y": 9})
    expect(on_pad(page, "yay")).to_have_count(1)
    page.locator("#how").click()
    drag(page, page.locator("#aside .card"), page.locator(".pad.yay"))
    expect(on_pad(page, "yay")).to_have_count(2)
    page.keyboard.press("s")
    expect(on_pad(page, "yay")).to_have_count(0)
    expect(page.locator("#aside .card")).to_have_count(1)
    assert twins.pads["yay"].uids == []  # type: ignore[attr-defined]


def test_the_whole_draw_pile_is_laid_on_a_pad_and_taken_off(page: Page, twins: Twins) -> None:
    page.locator("#how").click()
    page.locator("[data-lay=wow]").click()
    expect(page.locator(".pad.wow #pile")).to_have_count(1)
    assert len(twins.pads["wow"].uids) == 28  # type: ignore[attr-defined]
    page.locator("[data-lay='']").click()
    expect(page.locator(".pile #pile")).to_have_count(1)
    assert twins.pads["wow"].uids == []  # type: ignore[attr-defined]


def test_what_cannot_be_done_is_said(page: Page) -> None:
    for _ in range(12):
        page.locator("#more").click()
    page.locator("#deal").click()
    expect(page.locator("#say")).to_have_text(
        "38 cards are needed and 28 are in the draw pile: gather and shuffle first."
    )


def test_two_windows_show_the_same_table(page: Page, browser: Browser, table: VirtualTable) -> None:
    other = browser.new_page(viewport=PHONE)  # type: ignore[arg-type]
    other.goto(table.url)
    expect(hand(other, "yay")).to_have_count(5)
    hand(page, "yay").last.click()
    expect(on_pad(other, "yay")).to_have_count(1)
    other.close()


RECORDER = """
    window.scheduled = [];
    const note = (what) => ({ value: 0, cancelScheduledValues() {},
        setValueAtTime: (value, at) => window.scheduled.push([what, value, Math.round(at * 1000)]) });
    const node = (more) => ({ connect: (next) => next, start() {}, ...more });
    window.AudioContext = class {
        currentTime = 5;
        destination = {};
        createOscillator() { return node({ frequency: note("hz") }); }
        createGain() { return node({ gain: note("volume") }); }
        resume() {}
    };
"""


def test_sounds_are_off_at_first_and_then_play_what_the_buzzer_plays(browser: Browser, table: VirtualTable) -> None:
    desk = table.twins.desk
    page = browser.new_page()
    page.add_init_script(RECORDER)
    page.goto(table.url)
    expect(hand(page, "yay")).to_have_count(5)
    desk.sounded += [Heard(300, 1000), Heard(0, 1100)]  # type: ignore[attr-defined]
    twice = "count => window.scheduled.length >= count"
    page.wait_for_timeout(150)
    assert page.evaluate("window.scheduled") == []
    page.locator("#sound").click()
    expect(page.locator("#sound")).to_have_text("Sound is on")
    desk.sounded += [Heard(880, 2000), Heard(0, 2060), Heard(262, 2200)]  # type: ignore[attr-defined]
    page.wait_for_function(twice, arg=5)
    scheduled = page.evaluate("window.scheduled")
    assert [(what, value, at - scheduled[0][2]) for what, value, at in scheduled] == [
        ("hz", 880, 0),
        ("volume", 0.05, 0),
        ("volume", 0, 60),
        ("hz", 262, 200),
        ("volume", 0.05, 200),
    ]
    page.close()


# ---- whatever happens ----------------------------------------------------------------------------


def test_a_lost_connection_is_said_and_so_is_its_return(browser: Browser, twins: Twins) -> None:
    first = VirtualTable(twins, printed("referee"), Listening(port=0), random=Random(5))
    first.start()
    first.world.do(Deal(5, ("yay", "wow"), False), 0)
    page = browser.new_page()
    page.goto(first.url)
    expect(hand(page, "yay")).to_have_count(5)
    first.close()
    expect(page.locator("#link")).to_have_text("connection lost – trying again")
    port = int(first.url.rstrip("/").rsplit(":", 1)[1])
    with VirtualTable(twins, printed("referee"), Listening(port=port)) as second:
        expect(page.locator("#link")).to_have_text("back again")
        expect(hand(page, "yay")).to_have_count(0)
        second.world.do(Deal(3, ("yay",), False), 0)
        expect(hand(page, "yay")).to_have_count(3)
    page.close()


@pytest.mark.parametrize("size", [DESK, PHONE, {"width": 740, "height": 360}, {"width": 1000, "height": 700}])
def test_everything_fits_the_width_of_the_window(browser: Browser, table: VirtualTable, size: dict[str, int]) -> None:
    for card in table.world.cards("hand-yay")[:3]:
        table.world.do(Move(card, "pad-yay", False), 0)
    table.world.do(Deal(12, ("wow",), False), 0)
    page = browser.new_page(viewport=size)  # type: ignore[arg-type]
    page.goto(table.url)
    expect(hand(page, "wow")).to_have_count(17)
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    page.wait_for_timeout(250)  # the cards' flight to their places
    for selector in (".face", ".push", "canvas", "main button", "#spaces > *", ".pile"):
        for box in page.locator(selector).evaluate_all("all => all.map(each => each.getBoundingClientRect().toJSON())"):
            if box["width"]:
                assert box["left"] >= 0 and box["right"] <= size["width"] + 0.5, (selector, box)
    page.close()


@pytest.mark.parametrize("width", [320, 360, 414, 480, 600, 860])
def test_what_is_written_on_a_pad_stays_on_it(browser: Browser, table: VirtualTable, width: int) -> None:
    for player in ("yay", "wow"):
        table.world.do(Move(table.world.cards(f"hand-{player}")[0], f"pad-{player}", False), 0)
    page = browser.new_page(viewport={"width": width, "height": 640}, reduced_motion="reduce")
    page.goto(table.url)
    for player in ("yay", "wow"):
        expect(page.locator(f"[data-home={player}]")).to_be_visible()
        pad = page.locator(f".pad.{player}").bounding_box()
        card = page.locator(f".pad.{player} .card").bounding_box()
        assert pad is not None and card is not None
        for button in page.locator(f".pad.{player} .about button").all():
            box, cut = button.bounding_box(), button.evaluate("each => each.scrollWidth > each.clientWidth")
            assert box is not None and not cut
            assert box["x"] >= pad["x"] and box["x"] + box["width"] <= pad["x"] + pad["width"], (player, box, pad)
            assert box["y"] + box["height"] <= pad["y"] + pad["height"]
            assert width > 480 or box["y"] >= card["y"] + card["height"] - 8  # the card's rank can be read
    page.close()


def test_every_control_has_a_name_that_can_be_read_aloud(page: Page) -> None:
    page.locator("#how").click()
    nameless = page.locator("button, [role=img], input").evaluate_all(
        "all => all.filter(each => !(each.ariaLabel || each.textContent.trim() || each.labels?.length))"
        ".map(each => each.outerHTML)"
    )
    assert nameless == []

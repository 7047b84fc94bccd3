"""The page in browsers that lack or refuse something, under other keyboards, and before it has the token."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from random import Random

import pytest
from playwright.sync_api import Browser, Page, expect

from firmware.virtual import server as server_module
from firmware.virtual.listening import Listening
from firmware.virtual.messages import Deal
from firmware.virtual.server import VirtualTable
from hardware.ports import SystemClock
from hardware.twins.table import Twins
from tests.support.browser import chromium
from tests.support.forwarding import Forwarded
from tests.support.virtual_standins import Client, Field, Fingers, Lights, Panel, printed


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture
def twins() -> Twins:
    return Twins({"yay": Field(), "wow": Field()}, Fingers(), Lights(), Panel(), SystemClock())  # type: ignore[arg-type]


@pytest.fixture
def table(twins: Twins) -> Iterator[VirtualTable]:
    """A table with five cards in each hand."""
    with VirtualTable(twins, printed("referee"), Listening(port=0), Random(5)) as opened:
        opened.world.do(Deal(5, ("yay", "wow"), False), 0)
        yield opened


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(reduced_motion="reduce")
    yield page
    page.close()


def plays(page: Page) -> None:
    """A card is laid, a hand is hidden, and what the page was told meanwhile is shown."""
    expect(page.locator(".hand.yay .card")).to_have_count(5)
    page.locator(".hand.yay .card").first.click(position={"x": 5, "y": 9})
    expect(page.locator(".pad.yay .card")).to_have_count(1)
    page.locator("[data-hide=wow]").click()
    expect(page.locator(".hand.wow .back")).to_have_count(5)
    page.locator("#more").click()
    expect(page.locator("#count")).to_have_text("8")


# ---- what a browser lacks or refuses ---------------------------------------------------------------

NO_STORE = {
    "it refuses the very look": "Object.defineProperty(window, 'sessionStorage', "
    "{ get() { throw new DOMException('denied', 'SecurityError'); } });",
    "it has none": "Object.defineProperty(window, 'sessionStorage', { value: undefined });",
    "it takes nothing": "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };",
    "it gives nothing": "Storage.prototype.getItem = () => { throw new DOMException('denied', 'SecurityError'); };",
}


@pytest.mark.parametrize("script", NO_STORE.values(), ids=NO_STORE)
def test_f18_the_page_plays_where_the_browser_stores_nothing(page: Page, table: VirtualTable, script: str) -> None:
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.add_init_script(script)
    page.goto(table.url)
    plays(page)
    page.locator("[data-hide=wow]").click()
    expect(page.locator(".hand.wow .front")).to_have_count(5)
    assert complaints == []


def test_f18_a_choice_lasts_where_the_browser_stores_nothing(page: Page, table: VirtualTable) -> None:
    page.add_init_script(NO_STORE["it refuses the very look"])
    page.goto(table.url)
    page.locator(".space").nth(1).click()
    table.close()
    with VirtualTable(table.twins, printed("referee"), Listening(port=table.port), Random(5)) as again:
        again.world.do(Deal(3, ("yay",), False), 0)
        expect(page.locator(".hand.yay .card")).to_have_count(3)  # the board was drawn anew
        expect(page.locator("#count")).to_have_text("6")


def test_what_was_chosen_is_still_so_when_the_page_is_loaded_again(page: Page, table: VirtualTable) -> None:
    page.goto(table.url)
    plays(page)
    page.reload()
    expect(page.locator(".hand.wow .back")).to_have_count(5)
    expect(page.locator("#count")).to_have_text("8")


@pytest.mark.parametrize("audio", ["undefined", "class { constructor() { throw new Error('no device'); } }"])
def test_a_browser_without_sound_says_so_and_plays(page: Page, table: VirtualTable, audio: str) -> None:
    page.add_init_script(f"window.AudioContext = {audio};")
    page.goto(table.url)
    page.locator("#sound").click()
    expect(page.locator("#sound")).to_have_text("No sound in this browser")
    plays(page)


def test_a_part_that_the_browser_cannot_draw_takes_no_other_with_it(page: Page, table: VirtualTable) -> None:
    page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null;")
    page.goto(table.url)
    expect(page.locator("#say")).to_contain_text("This browser cannot show the table's screen")
    plays(page)


def test_a_page_whose_script_does_not_arrive_says_what_to_do(page: Page, table: VirtualTable) -> None:
    page.route("**/cards.js", lambda route: route.abort())
    page.goto(table.url)
    expect(page.locator("#link")).to_have_text("connecting – if this stays, load the page again")


# ---- keyboards -------------------------------------------------------------------------------------

PLACES = ("KeyA", "KeyL", "KeyD", "KeyS", "KeyG", "KeyX")
LAYOUTS = {
    "Greek": "αλδσγχ",
    "Greek capitals": "ΑΛΔΣΓΧ",
    "Arabic": "شميسلء",
    "Arabic with shift": "ِ،ٍَأْ",
    "Russian": "фдвыпч",
    "Hebrew": "שךגדעס",
    "Thai": "ฟสกหเป",
    "US": "aldsgx",
    "US capitals": "ALDSGX",
}
STRIKE = """([key, code]) => { for (const kind of ["keydown", "keyup"])
    (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent(kind, { key, code, bubbles: true })); }"""


def strike(page: Page, key: str, code: str) -> None:
    page.evaluate(STRIKE, [key, code])


@pytest.mark.parametrize("letters", LAYOUTS.values(), ids=LAYOUTS)
def test_f24_every_key_of_the_page_works_under_a_keyboard_of_another_script(
    page: Page, table: VirtualTable, twins: Twins, letters: str
) -> None:
    keys = dict(zip(PLACES, letters, strict=True))
    page.goto(table.url)
    expect(page.locator(".hand.yay .card")).to_have_count(5)
    for place in ("KeyA", "KeyL"):
        strike(page, keys[place], place)
    page.locator(".hand.yay .card").first.focus()
    strike(page, keys["KeyX"], "KeyX")
    expect(page.locator("#discard-count")).to_have_text("1")
    page.locator(".hand.wow .card").first.click(position={"x": 5, "y": 9})
    expect(page.locator(".pad.wow .card")).to_have_count(1)
    strike(page, keys["KeyS"], "KeyS")
    expect(page.locator("#discard-count")).to_have_text("2")
    for _ in range(2):
        strike(page, keys["KeyG"], "KeyG")
    expect(page.locator("#pile-count")).to_have_text("38")
    strike(page, keys["KeyD"], "KeyD")
    expect(page.locator(".hand.wow .card")).to_have_count(7)
    presses = [("press", "yay"), ("release", "yay"), ("press", "wow"), ("release", "wow")]
    assert twins.desk.history == presses  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("key", "code", "button"),
    [
        ("a", "KeyQ", "yay"),  # French
        ("q", "KeyA", None),
        ("l", "KeyP", "wow"),  # Dvorak
        ("n", "KeyL", None),
        ("ö", "KeyX", None),  # Turkish, F
        ("a", "", "yay"),  # a keyboard on the screen
        ("Process", "KeyA", "yay"),  # an input method is on
        ("Dead", "KeyL", "wow"),
        ("F1", "F1", None),
    ],
)
def test_f24_the_letter_counts_where_a_keyboard_has_ours_and_its_place_where_it_has_not(
    page: Page, table: VirtualTable, twins: Twins, key: str, code: str, button: str | None
) -> None:
    page.goto(table.url)
    expect(page.locator(".hand.yay .card")).to_have_count(5)
    strike(page, key, code)
    page.locator("[data-draw=wow]").click()
    expect(page.locator(".hand.wow .card")).to_have_count(6)
    pressed = [("press", button), ("release", button)] if button else []
    assert twins.desk.history == pressed  # type: ignore[attr-defined]


# ---- the token -------------------------------------------------------------------------------------


@pytest.fixture
def shared(twins: Twins) -> Iterator[VirtualTable]:
    with VirtualTable(twins, printed("referee"), Listening(port=0, shared=True), Random(5)) as opened:
        opened.world.do(Deal(5, ("yay", "wow"), False), 0)
        yield opened


def test_f38_the_address_that_is_printed_opens_the_table_by_one_click(page: Page, shared: VirtualTable) -> None:
    page.goto(shared.url)
    plays(page)
    expect(page.locator("#ask")).to_be_hidden()


@pytest.mark.parametrize("whole", [True, False])
def test_f38_without_the_token_the_page_shows_no_card_and_asks_for_it(
    page: Page, shared: VirtualTable, twins: Twins, whole: bool
) -> None:
    address, _, token = shared.url.partition("#token=")
    page.goto(address)
    expect(page.locator("#ask")).to_be_visible()
    expect(page.locator(".card")).to_have_count(0)
    page.locator("#token").press_sequentially("all dangling")  # keys of the page, but here they are letters
    expect(page.locator("#token")).to_have_value("all dangling")
    page.keyboard.press("Enter")
    expect(page.locator("#ask")).to_be_visible()
    page.locator("#token").fill(shared.url if whole else token)
    page.locator("#ask button").click()
    plays(page)
    expect(page.locator("#ask")).to_be_hidden()
    assert twins.desk.history == []  # type: ignore[attr-defined]


def test_f38_the_right_address_put_into_the_same_window_opens_the_table(page: Page, shared: VirtualTable) -> None:
    page.goto(f"{shared.url}x")
    expect(page.locator("#ask")).to_be_visible()
    page.evaluate("url => { location.href = url }", shared.url)  # nothing changes but what is behind the #
    plays(page)


def test_who_finds_no_place_at_the_table_is_told_so(
    page: Page, table: VirtualTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "MAX_WINDOWS", 1)
    with Client(table.port) as other:
        other.receive()
        page.goto(table.url)
        expect(page.locator("#link")).to_contain_text("Too many windows look at this table already.")
    plays(page)


# ---- a page that nobody looks at -----------------------------------------------------------------------


def test_f42_a_page_that_was_frozen_shows_the_present_table_when_it_comes_back(page: Page, table: VirtualTable) -> None:
    page.goto(table.url)
    expect(page.locator(".hand.yay .card")).to_have_count(5)
    devtools = page.context.new_cdp_session(page)
    devtools.send("Page.setWebLifecycleState", {"state": "frozen"})
    table.world.do(Deal(3, ("yay",), False), 0)
    devtools.send("Page.setWebLifecycleState", {"state": "active"})
    expect(page.locator(".hand.yay .card")).to_have_count(8)
    plays_on(page)


def test_f42_a_page_whose_timers_came_late_by_minutes_keeps_or_finds_its_table(page: Page, table: VirtualTable) -> None:
    page.clock.install()
    page.goto(table.url)
    expect(page.locator(".hand.yay .card")).to_have_count(5)
    for _ in range(3):
        page.clock.fast_forward(5 * 60_000)
    table.world.do(Deal(3, ("yay",), False), 0)
    expect(page.locator(".hand.yay .card")).to_have_count(8)
    plays_on(page)


@pytest.mark.parametrize(
    "event", ["document.dispatchEvent(new Event('visibilitychange'))", "dispatchEvent(new Event('online'))"]
)
def test_f42_whoever_comes_back_to_a_page_without_a_connection_waits_for_no_timer(
    page: Page, table: VirtualTable, event: str
) -> None:
    page.clock.install()
    page.goto(table.url)
    expect(page.locator(".hand.yay .card")).to_have_count(5)
    page.clock.pause_at("2100-01-01")  # no timer runs any more
    table.close()
    expect(page.locator("body.lost")).to_have_count(1)
    with VirtualTable(table.twins, printed("referee"), Listening(port=table.port), Random(5)) as again:
        again.world.do(Deal(3, ("yay",), False), 0)
        page.evaluate(event)
        expect(page.locator("body:not(.lost) .hand.yay .card")).to_have_count(3)


def plays_on(page: Page) -> None:
    expect(page.locator("body.lost")).to_have_count(0)
    page.locator(".hand.yay .card").first.click(position={"x": 5, "y": 9})
    expect(page.locator(".pad.yay .card")).to_have_count(1)


# ---- another way to the same table ---------------------------------------------------------------------


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1"])
def test_f26_the_page_plays_through_a_forwarded_port(page: Page, table: VirtualTable, name: str) -> None:
    with Forwarded(table.port) as forwarded:
        page.goto(f"http://{name}:{forwarded.port}/")
        plays(page)


def test_f26_a_page_that_is_asked_for_under_another_name_says_what_to_do(table: VirtualTable) -> None:
    with Forwarded(table.port) as forwarded:
        answer = raw(forwarded.port, "GET / HTTP/1.1", "Host: table.house:9999")
        assert answer.startswith("HTTP/1.1 403 ") and "--allow-host NAME" in answer
        stranger = ("Host: evil.example", "Origin: http://evil.example", "Connection: Upgrade", "Upgrade: websocket")
        assert raw(forwarded.port, "GET /table HTTP/1.1", *stranger).startswith("HTTP/1.1 403 ")


def raw(port: int, *lines: str) -> str:
    with socket.create_connection(("127.0.0.1", port), 10) as sock:
        sock.sendall("\r\n".join([*lines, "", ""]).encode())
        return b"".join(iter(lambda: sock.recv(4096), b"")).decode()

"""Take the photos of the virtual table for README.md: `python -m docs.photo` (needs Chromium)."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page

from engine.cards import Player
from engine.round import Phase
from engine.rules import Rules
from tests.support.browser import chromium
from tests.support.live_table import LiveTable
from tests.virtual.test_virtual_game import Hands, attack_of, duel, open_round

OUT = Path(__file__).parent
YAY, WOW = Player


def main() -> None:
    with chromium() as browser:
        two_players(browser)
        alone(browser)


def two_players(browser: Browser) -> None:
    with LiveTable(Rules(), seed=5) as live:
        page = browser.new_page(viewport={"width": 1280, "height": 800}, device_scale_factor=1)
        hands = Hands(live, page)
        open_round(hands)
        hands.see(lambda: live.game.phase is Phase.REPLACE, "the deal is not complete")
        hands.see(lambda: not live.virtual.world.dealing, "the last dealt card is not in the hand")
        hands.press(YAY)
        hands.press(WOW)
        hands.see(lambda: live.game.phase is Phase.DUEL, "nobody would replace")
        duel(hands)
        attacker = live.game.round.attacker
        assert attacker is not None
        attack = max((attack_of(hands, attacker),), key=len)
        hands.lay(attacker, *attack)
        hands.press(attacker)
        hands.see_everything_agrees()
        page.mouse.move(640, 780)
        page.wait_for_timeout(700)
        page.screenshot(path=OUT / "table.png")
        phone = browser.new_page(viewport={"width": 390, "height": 800}, device_scale_factor=1)
        phone.goto(live.virtual.url)
        phone.wait_for_timeout(1200)
        phone.screenshot(path=OUT / "phone.png")


def alone(browser: Browser) -> None:
    """The deal of a game against the table, whose row lies face down; the screen says what the table wants laid."""
    with table_for_one() as url:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(url)
        page.wait_for_timeout(3000)
        for button in ("wow", "wow", "yay"):  # this level, this side; shuffled
            press(page, button)
        page.locator("#deal").click()
        page.wait_for_timeout(10_000)
        page.mouse.move(640, 780)
        page.screenshot(path=OUT / "alone.png")


@contextmanager
def table_for_one() -> Iterator[str]:
    """Where the page of a table is that plays itself; what it keeps is thrown away."""
    with tempfile.TemporaryDirectory() as state:
        command = [sys.executable, "-P", "-m", "firmware", "solo", "--virtual", "--no-browser", "--port", "0"]
        with subprocess.Popen([*command, "--state", state], stdout=subprocess.PIPE, text=True) as table:
            assert table.stdout is not None
            try:
                yield next(found[0] for line in table.stdout if (found := re.search(r"http://\S+", line)))
            finally:
                table.terminate()


def press(page: Page, button: str) -> None:
    place = page.locator(f'[data-button="{button}"]').bounding_box()
    assert place is not None
    page.mouse.move(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    page.mouse.down()
    page.wait_for_timeout(90)
    page.mouse.up()
    page.wait_for_timeout(1200)


if __name__ == "__main__":
    main()

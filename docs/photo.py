"""Take the photo of the virtual table in play for README.md: `python -m docs.photo` (needs Chromium)."""

from __future__ import annotations

from pathlib import Path

from engine.cards import Player
from engine.round import Phase
from engine.rules import Rules
from tests.support.browser import chromium
from tests.support.live_table import LiveTable
from tests.virtual.test_virtual_game import Hands, attack_of, duel, open_round

OUT = Path(__file__).parent
YAY, WOW = Player


def main() -> None:
    with chromium() as browser, LiveTable(Rules(), seed=5) as live:
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


if __name__ == "__main__":
    main()

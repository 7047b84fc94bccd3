"""Make the sheets of rules for docs/: `make docs` (needs Chromium).

docs/rules.<language>.md are the texts of firmware/words/rules with their pictures, which are taken from the page of
the virtual table, as are the PDFs, one A4 each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, Route

from engine.board import DEFAULT_BOARD
from firmware import virtual
from firmware.virtual.sheets import pages, path_of
from firmware.words import ENGLISH, LANGUAGES
from firmware.words.sheets import source
from tests.support.browser import chromium

OUT = Path(__file__).parent
PICTURES = OUT / "rules"
SITE = "http://sheets.invalid"
KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
DRAWN = {"track": "#track svg", "answers": "#answers .answers"}


def markdown(language: str) -> str:
    """The sheet as docs/ has it: its text, and for each picture the file and the caption below it."""
    text = re.sub(r"^\[([a-z]+)\] (.+)$", r"![](rules/\1.png)\n\n*\2*", source(language), flags=re.MULTILINE)
    others = " · ".join(f"[{each.own_name}](rules.{code}.md)" for code, each in LANGUAGES.items() if code != language)
    return f"{text}\n---\n\n{others} · [as the table judges them](rules.md)\n"


@contextmanager
def opened(browser: Browser, language: str) -> Iterator[Page]:
    """A page with this sheet, as the virtual table serves it for the printed board."""
    sheets = pages(DEFAULT_BOARD.hand_sizes, tuple(DEFAULT_BOARD.arrows))
    files = Path(next(iter(virtual.__path__)))

    def serve(route: Route) -> None:
        path = route.request.url.removeprefix(SITE)
        if path in sheets:
            route.fulfill(body=sheets[path], content_type="text/html; charset=utf-8")
        else:
            file = files / path.removeprefix("/")
            route.fulfill(body=file.read_bytes(), content_type=KINDS[file.suffix])

    page = browser.new_page(viewport={"width": 1000, "height": 1300}, device_scale_factor=2)
    page.route("**/*", serve)
    page.goto(SITE + path_of(language))
    page.wait_for_function("document.querySelectorAll('.cards:not(:empty)').length > 5")
    yield page
    page.close()


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with chromium() as browser:
        for language in LANGUAGES:
            (OUT / f"rules.{language}.md").write_text(markdown(language), encoding="utf-8")
            with opened(browser, language) as page:
                page.pdf(path=PICTURES / f"rules.{language}.pdf", prefer_css_page_size=True)
                if language == ENGLISH:
                    for name, where in DRAWN.items():
                        page.locator(where).screenshot(path=PICTURES / f"{name}.png")


if __name__ == "__main__":
    main()

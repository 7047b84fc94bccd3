"""The sheet of rules as a page: to be read beside the table, or printed on one A4."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from firmware.words import LANGUAGES
from firmware.words.sheets import Drawing, Sheet, sheet

RIGHT_TO_LEFT = frozenset({"ar"})
SPACE_PX, GOAL_PX, HIGH_PX = 84, 50, 76
ARROWS = {"yay": "◀", "wow": "▶", "both": "◀ ▶"}
COLOURS = ("#c9822b", "#d9a032", "#7c9a3e", "#3d8f62", "#7c9a3e", "#d9a032", "#c9822b")
YAY_COLOUR, WOW_COLOUR = "#5aa7ff", "#ff7285"
# The example of docs/rules.md: an attack, the hand that answers, and which of these answers are right.
ATTACK, HAND = "5a 5b", "2a 3a 6a 9a"
ANSWERS = {"6a 9a": True, "6a 2a": True, "2a 3a": True, "6a 3a": False}


def path_of(language: str) -> str:
    """Where the sheet in this language is found."""
    return f"/rules.{language}"


def pages(board: tuple[int, ...], arrows: tuple[str, ...]) -> Mapping[str, bytes]:
    """The sheets of all languages by their paths; the track is that of this board."""
    drawn = {"track": track(board, arrows), "answers": _answers()}
    return {path_of(language): _page(sheet(language), drawn).encode() for language in LANGUAGES}


def _page(text: Sheet, drawn: Mapping[str, str]) -> str:
    direction = "rtl" if text.language in RIGHT_TO_LEFT else "ltr"
    others = " ".join(
        f'<a href="{path_of(code)}" lang="{code}" hreflang="{code}">{escape(language.own_name)}</a>'
        for code, language in LANGUAGES.items()
        if code != text.language
    )
    sections = []
    for section in text.sections:
        lines = [f"<section><h2>{escape(section.title)}</h2>"]
        for part in section.parts:
            if isinstance(part, Drawing):
                lines.append(_figure(part, drawn))
            else:
                lines.append(f'<p id="rule-{part.number}"><b>{part.number}</b> {escape(part.text)}</p>')
        sections.append("\n".join([*lines, "</section>"]))
    return f"""<!doctype html>
<html lang="{text.language}" dir="{direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(text.title)}</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/sheet.css">
<script type="module" src="/sheet.js"></script>
</head>
<body>
<nav>{others}</nav>
<main>
<h1>{escape(text.title)}</h1>
<p class="lead">{escape(text.lead)}</p>
<div class="columns">
{chr(10).join(sections)}
</div>
</main>
</body>
</html>
"""


def _figure(part: Drawing, drawn: Mapping[str, str]) -> str:
    return f'<figure id="{part.name}">{drawn[part.name]}<figcaption>{escape(part.caption)}</figcaption></figure>'


def track(board: tuple[int, ...], arrows: tuple[str, ...]) -> str:
    """The track as SVG, from YAY's goal to WOW's: its sides stay as on the table, whatever the language's direction."""
    wide = 2 * GOAL_PX + len(board) * SPACE_PX
    shapes = [_goal(0, "YAY", YAY_COLOUR), _goal(wide - GOAL_PX, "WOW", WOW_COLOUR)]
    for number, (size, arrow) in enumerate(zip(board, arrows, strict=True)):
        x = GOAL_PX + number * SPACE_PX
        letter, colour = "TACOCAT"[number % 7], COLOURS[number % 7]
        shapes.append(
            f'<rect x="{x + 1}" y="1" width="{SPACE_PX - 2}" height="{HIGH_PX - 2}" rx="6" fill="{colour}"/>'
            f'<text x="{x + 12}" y="46" font-size="40" fill="#fffaf0">{letter}</text>'
            f'<rect x="{x + 50}" y="8" width="26" height="32" rx="5" fill="#fffaf0"/>'
            f'<text x="{x + 63}" y="32" font-size="23" text-anchor="middle" fill="#333">{size}</text>'
            f'<text x="{x + 42}" y="68" font-size="17" text-anchor="middle" fill="#fffaf0">{ARROWS[arrow]}</text>'
        )
    return (
        f'<svg viewBox="0 0 {wide} {HIGH_PX}" direction="ltr" aria-hidden="true" font-family="sans-serif" '
        f'font-weight="700">{"".join(shapes)}</svg>'
    )


def _goal(x: int, name: str, colour: str) -> str:
    middle = x + GOAL_PX // 2
    return (
        f'<rect x="{x + 1}" y="1" width="{GOAL_PX - 2}" height="{HIGH_PX - 2}" rx="12" fill="{colour}"/>'
        f'<text x="{middle}" y="44" font-size="17" text-anchor="middle" fill="#222">{name}</text>'
    )


def _answers() -> str:
    """Places for cards, which sheet.js draws: the attack, the hand, and the answers with a mark."""
    answers = "".join(
        f'<span class="answer"><span class="cards" data-cards="{cards}"></span><b>{"✓" if right else "✗"}</b></span>'
        for cards, right in ANSWERS.items()
    )
    return (
        f'<div class="answers" dir="ltr" aria-hidden="true"><span class="cards" data-cards="{ATTACK}"></span>'
        f'<span class="cards hand" data-cards="{HAND}"></span>{answers}</div>'
    )

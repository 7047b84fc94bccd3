"""The words that the players read: English in the program, one catalogue for each other language."""

from __future__ import annotations

import gettext
from collections.abc import Callable
from pathlib import Path

Words = Callable[..., str]

CATALOGUES = Path(__file__).parent
DOMAIN = "tacocat"


def words(language: str = "en") -> Words:
    """A function `say(text, **values)`: the text in that language, with its {values} put in.

    The text is the English one; English also stands in for what a catalogue lacks.
    """
    catalogue = gettext.translation(DOMAIN, CATALOGUES, [language], fallback=True)

    def say(text: str, **values: object) -> str:
        return catalogue.gettext(text).format(**values)

    return say

"""The words that the players read: English in the program, one catalogue for each other language.

Here belongs how a text is looked up, and the catalogues. Which text a state has belongs in `views`.

A text is marked for the catalogues where it is said, or with N_ where it stands in a table; docs/languages.md
says how a text is added.
"""

from __future__ import annotations

import gettext
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

CATALOGUES = Path(__file__).parent
DOMAIN = "tacocat"


@dataclass(frozen=True, slots=True)
class Language:
    """`own_name`: what its speakers look for in a menu. `english_name`: what an owner of the table types."""

    own_name: str
    english_name: str


ENGLISH = "en"
# By their codes (ISO 639-1), in the order in which the menu offers them.
LANGUAGES = {
    ENGLISH: Language("English", "English"),
    "el": Language("Ελληνικά", "Greek"),
    "fy": Language("Frysk", "Frisian"),
    "ca": Language("Català", "Catalan"),
    "ar": Language("العربية", "Arabic"),
}


def N_(text: str) -> str:
    """Marks a text that stands in a table and is said later."""
    return text


@dataclass(frozen=True, slots=True)
class Words:
    """`say(text, **values)`: the English text in the players' language, with its {values} put in."""

    catalogue: gettext.NullTranslations

    def __call__(self, text: str, **values: object) -> str:
        return self.catalogue.gettext(text).format(**values) if text else ""

    def many(self, one: str, other: str, n: int, **values: object) -> str:
        """The text for a count of `n`, in the language's own plural forms; {n} is put in like the values."""
        return self.catalogue.ngettext(one, other, n).format(n=n, **values)


@lru_cache(maxsize=len(LANGUAGES))
def words(language: str = ENGLISH) -> Words:
    """The words of that language; English stands in for what a catalogue lacks."""
    return Words(gettext.translation(DOMAIN, CATALOGUES, [language], fallback=True))

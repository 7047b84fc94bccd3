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

# Each language by the name that its speakers look for in a menu.
OWN_NAMES = {"en": "English", "el": "Ελληνικά", "fy": "Frysk", "ca": "Català", "ar": "العربية"}


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


@lru_cache(maxsize=len(OWN_NAMES))
def words(language: str = "en") -> Words:
    """The words of that language; English stands in for what a catalogue lacks."""
    return Words(gettext.translation(DOMAIN, CATALOGUES, [language], fallback=True))

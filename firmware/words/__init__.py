"""The words that the players read: English in the program, one catalogue for each other language.

Here belongs how a text is looked up, and the catalogues. Which text a state has belongs in `views`.

A text is marked for the catalogues where it is said, or with N_ where it stands in a table; docs/languages.md
says how a text is added.
"""

from __future__ import annotations

import gettext
import io
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from firmware.files.disk import DISK, why

LOG = logging.getLogger("tacocat")
LARGEST = 1 << 22  # bytes of a catalogue
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
        return _filled_in(self.catalogue.gettext(text), text, values) if text else ""

    def many(self, one: str, other: str, n: int, **values: object) -> str:
        """The text for a count of `n`, in the language's own plural forms; {n} is put in like the values."""
        english = one if n == 1 else other
        try:
            text = self.catalogue.ngettext(one, other, n)
        except ArithmeticError:  # the rule of a damaged catalogue, which divides by nothing
            text = english
        return _filled_in(text, english, {"n": n, **values})


def _filled_in(text: str, english: str, values: Mapping[str, object]) -> str:
    """A text with its values; the English one where a damaged catalogue has other places for them."""
    try:
        return text.format(**values)
    except (LookupError, ValueError):
        return english.format(**values)


@lru_cache(maxsize=len(LANGUAGES))
def words(language: str = ENGLISH, catalogues: Path = CATALOGUES) -> Words:
    """The words of that language; English stands in for what a catalogue lacks.

    Without its catalogue, or with one that is damaged, English stands in for all of it, and the log says so.
    """
    if language == ENGLISH:
        return Words(gettext.NullTranslations())
    path = catalogues / language / "LC_MESSAGES" / f"{DOMAIN}.mo"
    try:
        catalogue = gettext.GNUTranslations(io.BytesIO(DISK.read(path, most=LARGEST)))
        catalogue.ngettext("", "", 0)  # its rule for plurals, which is read only now, has to give a number
    except Exception as error:  # noqa: BLE001 - gettext trusts its files: bytes that are none raise whatever they do
        reason = why(error) if isinstance(error, OSError) else f"it is damaged ({type(error).__name__})"
        name = LANGUAGES[language].english_name if language in LANGUAGES else language
        LOG.warning("The words are English, not %s: %s: %s. Installing tacocat again mends that", name, path, reason)
        return Words(gettext.NullTranslations())
    return Words(catalogue)

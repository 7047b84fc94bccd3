"""Bring the catalogues of firmware/words up to the program: find its texts, add what is new, compile. `make words`.

Babel does the work; the device does not need it, for Python's own gettext reads what is compiled here.
"""

from __future__ import annotations

import re
import sys
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from firmware.words import CATALOGUES, DOMAIN, LANGUAGES

SOURCE = CATALOGUES.parent
# How a text is marked: say("…"), say.many("one …", "other …", n), and N_("…") in a table.
KEYWORDS: dict[str, tuple[int, ...] | None] = {"say": None, "N_": None, "many": (1, 2)}
SPEAKS = re.compile(r"from firmware\.words import .*\b(N_|Words|words)\b")
TRANSLATED = tuple(language for language in LANGUAGES if language != "en")


def po_path(language: str) -> Path:
    return CATALOGUES / language / "LC_MESSAGES" / f"{DOMAIN}.po"


def extracted(source: Path = SOURCE) -> Catalog:
    """All texts that the program marks, with the files that say them.

    Only files that import what says or marks a text are read: elsewhere `say` may print a line on the terminal, in
    English.
    """
    found = Catalog(project=DOMAIN)
    for path in sorted(source.rglob("*.py")):
        if not SPEAKS.search(path.read_text(encoding="utf-8")):
            continue
        file = f"{source.name}/{path.relative_to(source).as_posix()}"
        for _, text, comments, _ in extract_from_file("python", path, keywords=KEYWORDS, comment_tags=("Words:",)):
            found.add(text, locations=[(file, 1)], auto_comments=comments)
    return found


def read(language: str) -> Catalog:
    """The catalogue of a language; a new, empty one where there is none yet."""
    if not po_path(language).exists():
        return Catalog(locale=language, domain=DOMAIN, project=DOMAIN)
    with po_path(language).open("rb") as file:
        return read_po(file, locale=language, domain=DOMAIN)


def compiled(catalogue: Catalog) -> bytes:
    """What gettext reads."""
    out = BytesIO()
    write_mo(out, catalogue)
    return out.getvalue()


def brought_up(catalogue: Catalog, program: Catalog) -> bytes:
    """The catalogue's .po with the program's texts: old ones kept aside are dropped, new ones are empty."""
    catalogue.update(program, no_fuzzy_matching=True, update_creation_date=False)
    out = BytesIO()
    write_po(out, catalogue, width=100, include_lineno=False, ignore_obsolete=True)
    return out.getvalue()


def main() -> int:
    program, missing = extracted(), 0
    for language in TRANSLATED:
        catalogue = read(language)
        po_path(language).parent.mkdir(parents=True, exist_ok=True)
        po_path(language).write_bytes(brought_up(catalogue, program))
        po_path(language).with_suffix(".mo").write_bytes(compiled(catalogue))
        for message in catalogue:
            texts = message.string if isinstance(message.string, tuple) else (message.string,)
            if message.id and not all(texts):
                missing += 1
                print(f"{po_path(language)}: no words yet for {message.id!r}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())

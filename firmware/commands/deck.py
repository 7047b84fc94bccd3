"""`tacocat deck`: the taught deck listed, copied out, or taken from a file."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TextIO

from engine.cards import DEFAULT_DECK, MAX_RANK
from engine.errors import RulesError
from firmware.commands.output import copy_out
from firmware.errors import FirmwareError
from firmware.files.whole import UnreadableError, read_other
from firmware.kept import deck as decks
from firmware.kept.deck import Tags, format_tags, parse_tags


def deck_command(path: Path, what: str, file: Path | None, out: TextIO, err: TextIO) -> int:
    """List the taught deck at `path`, copy it to `file`, or take it from there. Returns the exit status."""
    try:
        if what == "import":
            return _import(path, file, out, err)
        tags, notices = decks.load(path)
        for notice in notices:
            err.write(f"{notice}\n")
        if what == "export" and file is not None:
            return copy_out(format_tags(tags).encode(), file, err)
        out.write(format_tags(tags) if what == "export" else summary(tags, path))
        return 0
    except (OSError, FirmwareError) as error:
        err.write(f"tacocat deck: {error}\n")
        return 2


def _import(path: Path, file: Path | None, out: TextIO, err: TextIO) -> int:
    if file is None:
        err.write("tacocat deck import needs the file to take the deck from, as in: tacocat deck import deck.txt\n")
        return 2
    try:
        tags = read_other(file, partial(parse_tags, file=file.name))
        deck = tags.deck
    except (UnreadableError, RulesError) as error:
        err.write(f"{file}: {error}. The deck was not taken.\n")
        return 2
    path.parent.mkdir(parents=True, exist_ok=True)
    for notice in decks.save(path, tags):
        err.write(f"{notice}\n")
    out.write(f"Taken: {len(tags)} cards, {deck}\n")
    return 0


def summary(tags: Tags, path: Path) -> str:
    """The deck for people: how many of each rank, and where it differs from the usual one."""
    if not tags:
        return f"No deck yet: {path} has no cards. 'tacocat run' teaches one, in its menu.\n"
    lines = [f"{len(tags)} cards in {path}"]
    for rank in range(1, MAX_RANK + 1):
        count = sum(1 for card in tags.values() if card.rank == rank)
        usual = DEFAULT_DECK.counts[rank]
        note = "" if count == usual else f"   usually {usual}"
        lines.append(f"{rank:4}: {count}{note}")
    return "\n".join(lines) + "\n"

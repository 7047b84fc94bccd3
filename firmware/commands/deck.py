"""`tacocat deck`: the taught deck listed, copied out, or taken from a file."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import BinaryIO, TextIO

from engine.cards import DEFAULT_DECK, MAX_RANK
from engine.errors import RulesError
from firmware.commands.output import copy_out
from firmware.errors import FirmwareError, printable
from firmware.files.disk import MAX_BYTES, why
from firmware.files.outside import STREAM, read_outside
from firmware.files.whole import OTHER_FOLDER, UnreadableError, parsed
from firmware.kept import deck as decks
from firmware.kept.deck import Tags, format_tags, parse_tags
from firmware.kept.folder import lock_state


def deck_command(
    path: Path,
    what: str,
    file: Path | None,
    out: TextIO,
    err: TextIO,
    *,
    stdin: BinaryIO | None = None,
    force: bool = False,
) -> int:
    """List the taught deck at `path`, copy it to `file`, or take it from there. Returns the exit status.

    `-` in the file's place is standard output, or `stdin`.
    """
    try:
        if what == "import":
            return _import(path, file, stdin, out, err)
        tags, notices = decks.load(path)
        err.writelines(printable(f"{notice}\n") for notice in notices)
        if any(notice.left_alone for notice in notices):
            return 1  # the deck may be another than what stands in for it
        if what == "export":
            reason = _no_deck(tags)
            if reason:  # else a file that no import takes
                err.write(printable(f"{path}: {reason}. Nothing was exported.\n"))
                return 1
            return copy_out(format_tags(tags).encode(), file, out, err, force=force)
        out.write(printable(summary(tags, path)))
        return 0
    except (OSError, FirmwareError) as error:
        err.write(printable(f"tacocat deck: {error}\n"))
        return 2


def _import(path: Path, file: Path | None, stdin: BinaryIO | None, out: TextIO, err: TextIO) -> int:
    if file is None:
        err.write("tacocat deck import needs the file to take the deck from, as in: tacocat deck import deck.txt\n")
        return 2
    try:
        stream = stdin if str(file) == STREAM else None
        data = read_outside(file) if stream is None else stream.read(MAX_BYTES + 1)
        tags = parsed(data, partial(parse_tags, file=file.name))
        deck = tags.deck
    except (UnreadableError, RulesError) as error:
        err.write(printable(f"{file}: {error}. The deck was not taken.\n"))
        return 2
    try:
        with lock_state(path.parent, "tacocat deck import"):  # a running table would save its own deck over this one
            notices = decks.save(path, tags)
    except OSError as error:
        if isinstance(error, FirmwareError):
            raise
        err.write(printable(f"{path.parent} cannot be locked: {why(error)}. The deck was not taken. {OTHER_FOLDER}.\n"))
        return 2
    err.writelines(printable(f"{notice}\n") for notice in notices)
    out.write(f"Taken: {len(tags)} cards, {deck}\n")
    return 0


def _no_deck(tags: Tags) -> str:
    """Why these tags are no deck that a table could take; "" if they are one."""
    if not tags:
        return "there is no deck yet: 'tacocat run' teaches one, in its menu"
    try:
        _ = tags.deck
    except RulesError as error:
        return str(error)
    return ""


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

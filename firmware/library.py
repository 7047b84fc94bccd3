"""`tacocat games` and `tacocat deck`: what is kept, listed, shown, and copied out or in."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TextIO

from engine.cards import DEFAULT_DECK, MAX_RANK
from engine.errors import RulesError
from firmware import deck as decks
from firmware.deck import Tags, format_tags, parse_tags
from firmware.errors import FirmwareError, printable
from firmware.files import UnreadableError, read_other, replace_file
from firmware.games import KeptGame, games
from firmware.journal import number_of
from firmware.replay import replay_file


def games_command(folder: Path, what: str, number: int | None, file: Path | None, out: TextIO, err: TextIO) -> int:
    """List the kept games in `folder`, tell one as a story, or copy its transcript. Returns the exit status."""
    kept = {number_of(game.path): game for game in games(folder)}
    if what == "list":
        if not kept:
            out.write(f"No games yet in {folder}.\n")
        for each, game in sorted(kept.items()):
            out.write(f"{each:5}  {describe(game)}\n")
        return 0
    chosen = max(kept, default=None) if number is None else number
    if chosen not in kept or chosen is None:
        known = f"{min(kept)} to {max(kept)}" if kept else "none yet"
        err.write(f"There is no game {number if number is not None else ''} in {folder}: there are {known}.\n")
        return 2
    path = kept[chosen].path
    if what == "show":
        return replay_file(str(path), False, None, out, err)
    try:
        data = path.read_bytes()
    except OSError as error:
        err.write(f"{path} cannot be read: {error.strerror or error}\n")
        return 2
    if file is None:
        out.write(_for(out, data))
        return 0
    return _copy_out(data, file, err)


def _for(out: TextIO, data: bytes) -> str:
    """A transcript as a text; without anything that a terminal would obey, if that is where it goes."""
    text = data.decode(errors="replace")
    return printable(text) if out.isatty() else text


def describe(kept: KeptGame) -> str:
    """A game in one line."""
    game = kept.game
    if kept.fault:
        end = f"cannot be read to its end: {kept.fault}"
    elif game.winner is not None:
        end = f"{game.winner.upper()} won"
    elif kept.ended:
        end = "ended by the players"
    else:
        end = "unfinished"
    return f"{kept.rules.mode:8} {kept.events:4} events, round {game.number}: {end}"


def deck_command(path: Path, what: str, file: Path | None, out: TextIO, err: TextIO) -> int:
    """List the taught deck at `path`, copy it to `file`, or take it from there. Returns the exit status."""
    try:
        if what == "import":
            return _import(path, file, out, err)
        tags, notices = decks.load(path)
        for notice in notices:
            err.write(f"{notice}\n")
        if what == "export" and file is not None:
            return _copy_out(format_tags(tags).encode(), file, err)
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


def _copy_out(data: bytes, file: Path, err: TextIO) -> int:
    try:
        replace_file(file, data)
    except FirmwareError as error:
        err.write(f"{error}\n")
        return 1
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

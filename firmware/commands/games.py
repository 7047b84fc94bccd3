"""`tacocat games`: the kept games, listed, told, and copied out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import TextIO

from firmware.commands.output import copy_out
from firmware.commands.replay import ReplayForm, replay_file
from firmware.errors import SHOWN, printable
from firmware.files.disk import DISK, NEW_SECRET, NotPlainError, why
from firmware.files.names import plain
from firmware.files.whole import CLEAR_THE_WAY
from firmware.kept.games import (
    MAX_BYTES,
    NO_TEXT,
    KeptGame,
    Unread,
    foreign,
    game_at,
    has_no_text,
    name_of,
    number_of,
    transcripts,
)

MOST_NAMED = 5  # files that are no games


def games_command(
    folder: Path,
    what: str,
    number: int | None,
    file: Path | None,
    out: TextIO,
    err: TextIO,
    *,
    force: bool = False,
    points: bool = False,
) -> int:
    """List the kept games in `folder`, tell one as a story, or copy its transcript. Returns the exit status.

    `points`: the story ends with the turning points.
    """
    try:
        paths = transcripts(folder)
    except OSError as error:
        advice = f": {CLEAR_THE_WAY}" if isinstance(error, NotPlainError) else ""
        err.write(printable(f"{folder}: the games that are kept cannot be listed: {why(error)}{advice}\n"))
        return 1
    if what == "list":
        return _list(folder, paths, out, err)
    path = _newest(folder, paths, err) if number is None else next((p for p in paths if number_of(p) == number), None)
    if path is None:
        known = [] if number is None else sorted(map(number_of, paths))
        there = f"{known[0]} to {known[-1]}" if known else "none yet"
        wanted = "no game" if number is None else f"no game {number}"
        err.write(printable(f"There is {wanted} in {folder}: there are {there}.\n"))
        return 2
    if what == "show":
        return replay_file(str(path), ReplayForm.STORY, None, out, err, points=points)
    try:
        data = DISK.read(path, most=MAX_BYTES)
    except OSError as error:
        err.write(printable(f"{path} cannot be read: {why(error)}\n"))
        return 2
    if len(data) > MAX_BYTES:
        err.write(printable(f"{path} has more than {MAX_BYTES} bytes: it is no game of ours. Nothing was exported.\n"))
        return 2
    if has_no_text(data):
        err.write(printable(f"{path}, line 1: {NO_TEXT}. Nothing was exported.\n"))
        return 2
    return copy_out(data, file, out, err, force=force, mode=NEW_SECRET)


def _newest(folder: Path, paths: Sequence[Path], err: TextIO) -> Path | None:
    """The newest game, and not what only has the name of one: that is said."""
    left_out = list(takewhile(lambda path: _is_none(game_at(path)), paths))
    _tell_left_out(folder, left_out, err)
    return next(iter(paths[len(left_out) :]), None)


def _is_none(found: KeptGame | Unread) -> bool:
    return isinstance(found, Unread) and found.is_none


def _tell_left_out(folder: Path, paths: Sequence[Path], err: TextIO) -> None:
    if paths:
        names = _named([path.name for path in paths])
        err.write(printable(f"{folder}: left out, for these are no files: {names}; {CLEAR_THE_WAY}\n"))


def _list(folder: Path, paths: Sequence[Path], out: TextIO, err: TextIO) -> int:
    """A line for each game, the oldest first. Returns 1 if one of them could not be read."""
    others = foreign(folder)
    if others:
        err.write(printable(f"{folder}: not listed, for a game is named {name_of(1)}: {_named(others)}\n"))
    found = [game_at(path) for path in reversed(paths)]
    _tell_left_out(folder, [game.path for game in found if _is_none(game)], err)
    games = [game for game in found if not _is_none(game)]
    if not games:
        out.write(printable(f"No games yet in {folder}.\n"))
    for game in games:
        words = game.reason if isinstance(game, Unread) else describe(game)
        out.write(printable(f"{number_of(game.path):5}  {words}\n"))
    return 1 if any(isinstance(game, Unread) for game in games) else 0


def _named(names: Sequence[str]) -> str:
    rest = len(names) - MOST_NAMED
    return ", ".join(plain(name, SHOWN) for name in names[:MOST_NAMED]) + (f" and {rest} more" if rest > 0 else "")


def describe(kept: KeptGame) -> str:
    """A game in one line; of one against the table also who played for it, and whether it was asked to answer anew."""
    game, solo = kept.game, kept.solo
    if kept.fault:
        end = f"cannot be read to its end: {kept.fault}"
    elif game.winner is not None:
        end = f"{game.winner.upper()} won"
    elif kept.ended:
        end = "ended by the players"
    else:
        end = "unfinished"
    line = f"{'solo' if solo else kept.rules.mode:8} {kept.events:4} events, round {game.number}: {end}"
    if solo is not None:
        line += f"; the table was {solo.side.upper()}, {solo.level}"
    if kept.answer_undone:
        line += "; an answer of the table's was undone"
    return line

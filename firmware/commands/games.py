"""`tacocat games`: the kept games, listed, told, and copied out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from firmware.commands.output import copy_out
from firmware.commands.replay import replay_file
from firmware.errors import printable
from firmware.files.disk import DISK, NEW_SECRET, why
from firmware.files.whole import CLEAR_THE_WAY
from firmware.kept.games import MAX_BYTES, KeptGame, Unread, all_games, foreign, name_of, number_of, transcripts

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
        err.write(printable(f"{folder}: the games that are kept cannot be listed: {why(error)}\n"))
        return 1
    if what == "list":
        return _list(folder, out, err)
    known = sorted(map(number_of, paths))
    chosen = max(known, default=None) if number is None else number
    if chosen not in known or chosen is None:
        there = f"{known[0]} to {known[-1]}" if known else "none yet"
        wanted = "no game" if number is None else f"no game {number}"
        err.write(printable(f"There is {wanted} in {folder}: there are {there}.\n"))
        return 2
    path = next(path for path in paths if number_of(path) == chosen)
    if what == "show":
        return replay_file(str(path), False, None, out, err, points=points)
    try:
        data = DISK.read(path, most=MAX_BYTES)
    except OSError as error:
        err.write(printable(f"{path} cannot be read: {why(error)}\n"))
        return 2
    if len(data) > MAX_BYTES:
        err.write(printable(f"{path} has more than {MAX_BYTES} bytes: it is no game of ours. Nothing was exported.\n"))
        return 2
    return copy_out(data, file, out, err, force=force, mode=NEW_SECRET)


def _list(folder: Path, out: TextIO, err: TextIO) -> int:
    """A line for each game, the oldest first. Returns 1 if one of them could not be read."""
    others = foreign(folder)
    if others:
        err.write(printable(f"{folder}: not listed, for a game is named {name_of(1)}: {_named(others)}\n"))
    named = transcripts(folder)
    games = list(all_games(folder))
    listed = {game.path for game in games}
    if no_files := sorted(path.name for path in named if path not in listed):
        err.write(printable(f"{folder}: not listed, for these are no files: {_named(no_files)}; {CLEAR_THE_WAY}\n"))
    if not games:
        out.write(printable(f"No games yet in {folder}.\n"))
    for game in reversed(games):
        words = game.reason if isinstance(game, Unread) else describe(game)
        out.write(printable(f"{number_of(game.path):5}  {words}\n"))
    return 1 if any(isinstance(game, Unread) for game in games) else 0


def _named(names: Sequence[str]) -> str:
    rest = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {rest} more" if rest > 0 else "")


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

"""`tacocat games`: the kept games, listed, told, and copied out."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from firmware.commands.output import copy_out
from firmware.commands.replay import replay_file
from firmware.errors import printable
from firmware.kept.games import KeptGame, games
from firmware.kept.journal import number_of


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
    return copy_out(data, file, err)


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

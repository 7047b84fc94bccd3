"""The games that are kept: reading their transcripts, whatever a power cut has left of them.

A transcript is read as far as it can be. What lies behind its last whole, readable line was never
acknowledged to anybody, or is no transcript.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.errors import EngineError
from engine.game import Game, judge, new_game
from engine.rules import Rules
from engine.transcript import Reader
from firmware.files.whole import DISK, Disk, copy_aside, sync_folder
from firmware.kept.journal import ENDED, SUFFIX, number_of

MAX_BYTES = 4_000_000  # a larger file was not written by this program


@dataclass(frozen=True, slots=True)
class KeptGame:
    """A game as its transcript tells it.

    `good_bytes` is how much of the file could be read; `fault` says what follows there, "" if nothing or only
    a line that was cut short. `ended`: the players ended it. `rules` and `game` are those of the good part.
    """

    path: Path
    rules: Rules
    game: Game
    events: int
    good_bytes: int
    size_bytes: int
    ended: bool
    fault: str

    @property
    def unfinished(self) -> bool:
        """Whether it is worth going on with. (Of a file that is too large, nobody knows.)"""
        return self.events > 0 and not self.ended and not self.game.over and self.size_bytes <= MAX_BYTES


def read_game(path: Path) -> KeptGame:
    """Read one transcript as far as it goes. Raises OSError if the file cannot be read at all."""
    with path.open("rb") as stream:
        data = stream.read(MAX_BYTES + 1)
    reader = Reader(path.name)
    game: Game | None = None
    events, good, ended, fault = 0, 0, False, ""
    for raw in data.split(b"\n")[:-1]:  # what follows the last newline was cut short
        try:
            entry = reader.feed(raw.decode())
        except EngineError as error:
            fault = str(error)
            break
        except UnicodeDecodeError as error:
            fault = f"{path.name}, line {reader.line + 1}: byte {error.start + 1} is not UTF-8"
            break
        good += len(raw) + 1
        ended = ended or raw.strip() == f"# {ENDED}".encode()
        if entry is not None:
            if game is None:
                assert reader.rules is not None
                game = new_game(reader.rules)
            game, _ = judge(game, entry.event)
            events += 1
    try:
        rules = reader.finish()
    except EngineError as error:
        rules, fault = Rules(), fault or str(error)
    if len(data) > MAX_BYTES:
        fault = fault or f"{path.name} has more than {MAX_BYTES} bytes; the rest is not read"
    return KeptGame(path, rules, game or new_game(rules), events, good, len(data), ended, fault)


def games(folder: Path) -> Iterator[KeptGame]:
    """All kept games, the newest first. One that cannot be opened is passed over."""
    for path in sorted(folder.glob(f"game-*{SUFFIX}"), key=number_of, reverse=True):
        try:
            yield read_game(path)
        except OSError:
            continue


def unfinished_game(folder: Path) -> KeptGame | None:
    """The newest game with events, if it is unfinished: older ones were left for it."""
    newest = next((kept for kept in games(folder) if kept.events > 0), None)
    return newest if newest is not None and newest.unfinished else None


def mend(kept: KeptGame, disk: Disk = DISK) -> str:
    """Make the file end behind its last good line, so that it can be gone on with. Returns what to say, or "".

    What is cut off and is more than the rest of a line that was being written is kept in a copy of the whole
    file, beside it. Raises OSError.
    """
    said = ""
    if kept.fault:
        aside = copy_aside(kept.path, kept.path.read_bytes(), disk)
        said = f"{kept.path.name}: {kept.fault}. The game goes on from before that; the file as it was is {aside.name}"
    if kept.good_bytes < kept.size_bytes:
        handle = disk.extend(kept.path)
        try:
            disk.truncate(handle, kept.good_bytes)
            disk.fsync(handle)
        finally:
            disk.close(handle)
        sync_folder(kept.path.parent, disk)
    return said

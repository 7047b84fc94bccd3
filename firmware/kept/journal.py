"""The journal: each game's transcript, on the disk before anything is shown of it.

What the disk refuses is not lost: it is tried again until it is kept, from the first line on that is not surely
there. `kept.writer` runs it in a thread of its own.
"""

from __future__ import annotations

import errno
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from engine.events import Event, format_event
from engine.rules import Rules
from engine.transcript import Choice, Solo, format_head, format_rules
from firmware import __version__
from firmware.files.disk import DISK, NEW_SECRET, Disk
from firmware.files.whole import sync_folder
from firmware.kept.games import KeptGame, RowNote, keep_tail, name_of, number_of, transcripts


@dataclass(frozen=True, slots=True)
class SoloGame:
    """A game against the table begins."""

    rules: Rules
    solo: Solo


GameOrder = Rules | SoloGame | KeptGame | Event | Choice | RowNote | str
"""Rules begin a game, alone or with who plays for the table; a kept game is resumed; an event or a choice of the table
is appended; a text, or where the cards of its row lie, becomes a comment."""


@dataclass(slots=True)
class _Transcript:
    """One game's file. `kept_bytes` of it are surely on the disk, and `waiting` has to come behind them.

    `torn`: what lies behind the kept bytes is to be cut off first. `resumed`: what is to be put aside before that.
    `refused`: the disk has, and since then it has not been kept.
    """

    path: Path | None = None
    kept_bytes: int = 0
    waiting: bytearray = field(default_factory=bytearray)
    torn: bool = False
    resumed: KeptGame | None = None
    refused: bool = False
    handle: int | None = None

    @property
    def kept(self) -> bool:
        return self.path is not None and not self.waiting and not self.torn and self.resumed is None


def _head(rules: Rules, solo: Solo | None = None) -> str:
    """The first lines of a transcript: which program wrote it (a comment), who plays for the table, and the rules."""
    return f"# tacocat {__version__}\n{format_head(solo=solo)}{format_rules(rules)}"


class Journal:
    """Transcripts in `folder`, one file a game, numbered: game-0001.taco, game-0002.taco …

    `take` only remembers; `keep` brings all that was taken to the disk, and raises OSError where the disk does. What
    could not be kept is tried again by the next `keep`, in every game for itself.
    """

    def __init__(self, folder: Path, disk: Disk = DISK) -> None:
        self.folder = folder
        self._disk = disk
        self._games: list[_Transcript] = []  # the present one is the last; those before it are not kept yet
        self.said: list[str] = []  # what is to be told of transcripts that were mended, or are kept again

    @property
    def path(self) -> Path | None:
        """The present game's transcript; None if it has none on the disk yet."""
        return self._games[-1].path if self._games else None

    @property
    def kept(self) -> bool:
        """Whether all that was taken is on the disk."""
        return all(game.kept for game in self._games)

    def take(self, order: GameOrder) -> None:
        """Raises ValueError for an event without a game."""
        match order:
            case Rules():
                self._games.append(_Transcript(waiting=bytearray(_head(order).encode())))
            case SoloGame(rules, solo):
                self._games.append(_Transcript(waiting=bytearray(_head(rules, solo).encode())))
            case KeptGame():
                torn = order.good_bytes < order.size_bytes
                self._games.append(_Transcript(order.path, order.good_bytes, torn=torn, resumed=order))
            case Event():
                self._present("events").waiting += f"{format_event(order)}\n".encode()
            case Choice():
                self._present("choices").waiting += f"{order}\n".encode()
            case _:
                self._present("comments").waiting += f"# {order}\n".encode()

    def _present(self, what: str) -> _Transcript:
        if not self._games:
            raise ValueError(f"the journal has no game: begin one before its {what}")
        return self._games[-1]

    def keep(self) -> None:
        """Write what was taken: on the disk when this returns. Raises the first fault, with all games tried."""
        first: Exception | None = None
        for game in self._games:
            try:
                self._keep(game)
            except Exception as error:  # noqa: BLE001 - whatever it was: half a line may have been written
                first = first or error
                game.torn = game.path is not None
                game.refused = True
                self._let_go(game)
            else:
                if game.refused:
                    self.said.append(f"the game is kept again: {game.path}")
                game.refused = False
        for game in self._games[:-1]:
            if game.kept:
                self._let_go(game)
                self._games.remove(game)
        if first is not None:
            raise first

    def begin(self, rules: Rules) -> None:
        """Begin the transcript of a new game, beside those that exist."""
        self.take(rules)
        self.keep()

    def resume(self, kept: KeptGame) -> None:
        """Go on behind the last good line of a transcript; what follows there is put aside."""
        self.take(kept)
        self.keep()

    def append(self, events: list[Event]) -> None:
        """Add events to the transcript of the game: written and on the disk when this returns."""
        for event in events:
            self.take(event)
        self.keep()

    def note(self, text: str) -> None:
        """Add a comment, which changes nothing of the game."""
        self.take(text)
        self.keep()

    def close(self) -> None:
        for game in self._games:
            self._let_go(game)

    # ---- one game --------------------------------------------------------------------------

    def _keep(self, game: _Transcript) -> None:
        if game.kept:
            return
        if game.path is None:
            self._create(game)
            return
        if game.resumed is not None:
            if said := keep_tail(game.resumed, self._disk):
                self.said.append(said)
            game.resumed = None
        if game.handle is None:
            game.handle = self._disk.extend(game.path)
        if game.torn:
            self._disk.truncate(game.handle, game.kept_bytes)
        self._write(game)

    def _create(self, game: _Transcript) -> None:
        """The name has to survive too. A file that does not come to be leaves nothing behind, if that is possible."""
        self._disk.make_folder(self.folder)
        number = 1 + max(map(number_of, transcripts(self.folder, self._disk)), default=0)
        path = self.folder / name_of(number)
        game.handle = self._disk.reserve(path, NEW_SECRET)
        written = bytes(game.waiting)
        try:
            self._write(game)
            sync_folder(self.folder, self._disk)
        except Exception:
            game.waiting, game.kept_bytes = bytearray(written), 0
            self._let_go(game)
            try:
                self._disk.unlink(path)
            except OSError:
                game.path = path  # it is there: the next try cuts it off, and goes on in it
            raise
        game.path = path

    def _write(self, game: _Transcript) -> None:
        assert game.handle is not None
        data = bytes(game.waiting)
        while data:
            count = self._disk.write(game.handle, data)
            if not count:
                raise OSError(errno.EIO, "nothing was written")
            data = data[count:]
        self._disk.fsync(game.handle)
        game.kept_bytes += len(game.waiting)
        game.waiting.clear()
        game.torn = False

    def _let_go(self, game: _Transcript) -> None:
        if game.handle is not None:
            handle, game.handle = game.handle, None
            with suppress(OSError):  # all that counts was synced before, or is tried again
                self._disk.close(handle)

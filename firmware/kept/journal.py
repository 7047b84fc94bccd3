"""The journal: each game's transcript, on the disk before anything is shown of it.

`Journal` is the file end: begin, append, close; each call returns once the bytes are durable.
`JournalWriter` runs it in a thread of its own, and tells how far it has come.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from pathlib import Path

from engine.events import Event, format_event
from engine.rules import Rules
from engine.transcript import format_rules
from firmware.files.whole import DISK, Disk, sync_folder

SUFFIX = ".taco"


class Journal:
    """Transcripts in `folder`, one file a game, numbered: game-0001.taco, game-0002.taco …

    Numbers, not dates: a Pi without network has no right clock. Raises OSError where the disk does.
    """

    def __init__(self, folder: Path, disk: Disk = DISK) -> None:
        self.folder = folder
        self._disk = disk
        self._file: int | None = None
        self.path: Path | None = None

    def begin(self, rules: Rules) -> None:
        """Begin the transcript of a new game, beside those that exist."""
        self.close()
        self.folder.mkdir(parents=True, exist_ok=True)
        number = 1 + max((number_of(path) for path in self.folder.glob(f"game-*{SUFFIX}")), default=0)
        self.path = self.folder / f"game-{number:04d}{SUFFIX}"
        self._file = self._disk.reserve(self.path)
        self._write(format_rules(rules))
        sync_folder(self.folder, self._disk)  # the name has to survive too

    def resume(self, path: Path) -> None:
        """Resume a transcript that ends behind a whole line (see `kept.games.mend`)."""
        self.close()
        self.path = path
        self._file = self._disk.extend(path)

    def append(self, events: list[Event]) -> None:
        """Add events to the transcript of the game: written and on the disk when this returns."""
        if self._file is None:
            raise ValueError("the journal has no game: begin one before its events")
        self._write("".join(f"{format_event(event)}\n" for event in events))

    def note(self, text: str) -> None:
        """Add a comment, which changes nothing of the game."""
        if self._file is not None:
            self._write(f"# {text}\n")

    def close(self) -> None:
        if self._file is not None:
            file, self._file = self._file, None
            self._disk.close(file)

    def _write(self, text: str) -> None:
        assert self._file is not None
        data = text.encode()
        while data:
            data = data[self._disk.write(self._file, data) :]
        self._disk.fsync(self._file)


def number_of(path: Path) -> int:
    """The number in a transcript's name; 0 if it has none."""
    digits = path.stem.removeprefix("game-")
    return int(digits) if digits.isascii() and digits.isdigit() else 0


ENDED = "ended by the players"


class Unkept:
    """An order: what follows belongs to a game that cannot be kept."""


UNKEPT = Unkept()
Order = Rules | Path | Event | str | Unkept


class JournalWriter:
    """A journal in a thread of its own: orders go in, `written` says how many are on the disk.

    `on_progress` is called in the thread after each batch. With `start` False there is no thread: the caller `work`s
    off what was given, when it likes. A disk that refuses is told by `on_fault`
    with the reason, in words; this game is then kept no further, so that what is in the file stays whole.
    """

    def __init__(
        self, journal: Journal, on_progress: Callable[[], None], on_fault: Callable[[str], None], start: bool = True
    ) -> None:
        self._journal = journal
        self._orders: queue.SimpleQueue[Order | None] = queue.SimpleQueue()
        self._on_progress, self._on_fault = on_progress, on_fault
        self.given = 0  # orders taken, by the loop's thread alone
        self.written = 0  # orders done, by the writer's thread alone
        self._refused = False  # the disk refused something of this game
        self._thread: threading.Thread | None = None
        if start:
            self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
            self._thread.start()

    def give(self, order: Order) -> int:
        """Rules begin a game, a path goes on with one, an event is appended, a text becomes a comment.

        Returns the order's number.
        """
        self.given += 1
        self._orders.put(order)
        return self.given

    @property
    def refused(self) -> bool:
        """Whether the present game is kept no further."""
        return self._refused

    def close(self) -> None:
        """Write what was given, then stop."""
        self._orders.put(None)
        if self._thread is not None:
            self._thread.join(timeout=1.5)
        else:
            self._run()

    def _run(self) -> None:
        while self.work():
            pass

    def work(self) -> bool:
        """Do all that was given since, or wait for the next order; False once it was the last (see `close`)."""
        batch = [self._orders.get()]
        while not self._orders.empty():
            batch.append(self._orders.get())
        orders = [order for order in batch if order is not None]
        try:
            self._do(orders)
        except (OSError, ValueError) as error:
            self._refused = True
            where = self._journal.path or self._journal.folder
            self._on_fault(f"the game cannot be kept: {getattr(error, 'strerror', None) or error} ({where})")
        self.written += len(orders)
        self._on_progress()
        if None in batch:
            self._journal.close()
        return None not in batch

    def _do(self, orders: list[Order]) -> None:
        """One write and one fsync for as many events as have come together."""
        events: list[Event] = []
        for order in orders:
            if isinstance(order, Rules | Path):
                self._refused = False
            if self._refused:
                continue
            if isinstance(order, Event):
                events.append(order)
                continue
            if events:
                self._journal.append(events)
                events = []
            if isinstance(order, Unkept):
                self._refused = True
            elif isinstance(order, Rules):
                self._journal.begin(order)
            elif isinstance(order, Path):
                self._journal.resume(order)
            else:
                self._journal.note(order)
        if events:
            self._journal.append(events)

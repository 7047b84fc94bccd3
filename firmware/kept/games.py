"""The games that are kept: reading their transcripts, whatever a power cut has left of them.

A transcript is read as far as it can be. What lies behind its last whole, readable line was never
acknowledged to anybody, or is no transcript.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from engine.cards import Card, Deck
from engine.errors import EngineError
from engine.events import Event, parse_card_of
from engine.game import Game, judge, new_game
from engine.round import Phase
from engine.rules import Rules
from engine.transcript import Choice, Entry, Solo, TranscriptReader
from firmware.files.disk import DISK, Disk, NotPlainError, why
from firmware.files.whole import copy_aside

PREFIX, SUFFIX = "game-", ".taco"
ENDED = "ended by the players"  # a comment in the transcript,
ROW = "the row from the left:"  # and another, with cards behind it
MOST_DIGITS = 9  # a longer number in a name is none of ours
MOST_PLAYED = 10_000  # events: many times a long game; of more none is remembered
MAX_BYTES = 4_000_000  # a larger file was not written by this program
NO_TEXT = "NUL bytes, as a power cut may leave them in the place of a text: there is no game in it"


@dataclass(frozen=True, slots=True)
class RowNote:
    """The table's row was learned anew: its cards from the left; none: it is mixed up, and to be learned.

    A comment in the transcript."""

    cards: tuple[Card, ...] = field(repr=False)

    def __str__(self) -> str:
        return " ".join([ROW, *map(str, self.cards)])


@dataclass(frozen=True, slots=True)
class KeptGame:
    """A game as its transcript tells it.

    `good_bytes` is how much of the file could be read; `fault` says what follows there, "" if nothing or only
    a line that was cut short. `ended`: the players ended it. `rules` and `game` are those of the good part; `played`
    are its events, none if they are more than MOST_PLAYED. `solo`: who plays for the table, None in a game of two
    persons; `story`: then the events, what the table chose, and how its row was learned anew. `answer_undone`: the
    table took something back that it had played, so that the person who plays against it had seen its answer.
    """

    path: Path
    rules: Rules
    game: Game
    events: int
    good_bytes: int
    size_bytes: int
    ended: bool
    fault: str
    played: tuple[Event, ...] = field(default=(), repr=False)
    solo: Solo | None = None
    story: tuple[Event | Choice | RowNote, ...] = field(default=(), repr=False)
    answer_undone: bool = False

    @property
    def unfinished(self) -> bool:
        """Whether it is worth going on with. (Of a file that is too large, nobody knows.)"""
        return self.events > 0 and not self.ended and not self.game.over and self.size_bytes <= MAX_BYTES


@dataclass(frozen=True, slots=True)
class Unread:
    """What has the name of a transcript, but cannot be read now. `reason` says why.

    `is_none`: something else stands there (a folder, a pipe), which is no game. (Where a link led, one may be.)
    """

    path: Path
    reason: str
    is_none: bool = False


def name_of(number: int) -> str:
    """The name of a transcript. Numbers, not dates: a Pi without network has no right clock."""
    return f"{PREFIX}{number:04d}{SUFFIX}"


def number_of(path: Path) -> int:
    """The number in a transcript's name; 0 if the program does not give such names, as "game-0003 (1).taco"."""
    digits = path.stem.removeprefix(PREFIX)
    number = int(digits) if len(digits) <= MOST_DIGITS and digits.isascii() and digits.isdigit() else 0
    return number if path.name == name_of(number) else 0


def transcripts(folder: Path, disk: Disk = DISK) -> list[Path]:
    """All transcripts in a folder, the newest first. Raises OSError if it cannot be listed; none if it is not there."""
    return sorted(filter(number_of, (folder / name for name in disk.names(folder))), key=number_of, reverse=True)


def foreign(folder: Path, disk: Disk = DISK) -> list[str]:
    """The names of all other transcripts there, as somebody may have copied them in. Raises OSError."""
    return sorted(name for name in disk.names(folder) if name.endswith(SUFFIX) and not number_of(Path(name)))


def has_no_text(start: bytes) -> bool:
    """Whether a file that begins so has lost its text: NUL bytes, and no whole line."""
    return b"\0" in start and b"\n" not in start


def read_game(path: Path, disk: Disk = DISK) -> KeptGame:
    """Read one transcript as far as it goes. Raises OSError if the file cannot be read at all."""
    data = disk.read(path, most=MAX_BYTES)
    reader = TranscriptReader(path.name)
    told = _Reading()
    good, ended, fault = 0, False, ""
    for raw in data.split(b"\n")[:-1]:  # what follows the last newline was cut short
        try:
            text = raw.decode()
            entry = reader.feed(text)
        except EngineError as error:
            fault = str(error)
            break
        except UnicodeDecodeError as error:
            fault = f"{path.name}, line {reader.line + 1}: byte {error.start + 1} is not UTF-8"
            break
        good += len(raw) + 1
        ended = ended or raw.strip() == f"# {ENDED}".encode()
        told.line(text, entry, reader)
    try:
        rules = reader.finish()
    except EngineError as error:
        rules, fault = Rules(), fault or str(error)
    if has_no_text(data):
        fault = f"{path.name}, line 1: {NO_TEXT}"
    elif len(data) > MAX_BYTES:
        fault = fault or f"{path.name} has more than {MAX_BYTES} bytes; the rest is not read"
    whole = tuple(told.played) if told.events == len(told.played) else ()
    game, story = told.game or new_game(rules), tuple(told.story) if reader.solo else ()
    return KeptGame(
        path,
        rules,
        game,
        told.events,
        good,
        len(data),
        ended,
        fault,
        played=whole,
        solo=reader.solo,
        story=story,
        answer_undone=told.answer_undone,
    )


class _Reading:
    """What the lines of a transcript have told so far."""

    def __init__(self) -> None:
        self.game: Game | None = None
        self.events = 0
        self.played: list[Event] = []  # at most MOST_PLAYED
        self.story: list[Event | Choice | RowNote] = []
        self.answer_undone = False
        self._choice: Choice | None = None

    def line(self, text: str, entry: Entry | None, reader: TranscriptReader) -> None:
        if entry is not None:
            self._event(entry.event, reader)
        elif reader.choice is not None and reader.choice is not self._choice:
            self.story.append(reader.choice)
        elif reader.rules is not None and (row := _row_note(text, reader.rules.deck)):
            self.story.append(row)
        self._choice = reader.choice

    def _event(self, event: Event, reader: TranscriptReader) -> None:
        if self.game is None:
            assert reader.rules is not None
            self.game = new_game(reader.rules)
        self.game, verdict = judge(self.game, event)
        self.events += 1
        if self.events <= MOST_PLAYED:
            self.played.append(event)
        self.story.append(event)
        of_the_table = reader.solo is not None and event.player == reader.solo.side
        if verdict.undone and of_the_table and self.game.phase is not Phase.DEAL:
            self.answer_undone = True


def _row_note(line: str, deck: Deck) -> RowNote | None:
    """The row that a comment tells of; None if it is another comment."""
    head, found, names = line.strip().partition(f"# {ROW}")
    if head or not found:
        return None
    try:
        return RowNote(tuple(parse_card_of(deck, name) for name in names.split()))
    except EngineError:
        return None


def all_games(folder: Path, disk: Disk = DISK) -> Iterator[KeptGame | Unread]:
    """All kept games, the newest first, and what has the name of one. Raises OSError if the folder cannot be listed."""
    return (game_at(path, disk) for path in transcripts(folder, disk))


def game_at(path: Path, disk: Disk = DISK) -> KeptGame | Unread:
    """The game in one transcript."""
    try:
        return read_game(path, disk)
    except OSError as error:
        is_none = isinstance(error, NotPlainError) and error.errno != errno.ENOENT
        return Unread(path, f"it cannot be read now: {why(error)}", is_none)


def games(folder: Path, disk: Disk = DISK) -> Iterator[KeptGame]:
    """Those of them that can be read."""
    return (game for game in all_games(folder, disk) if isinstance(game, KeptGame))


def unfinished_game(
    folder: Path, on_fault: Callable[[str], object] = lambda reason: None, disk: Disk = DISK
) -> KeptGame | None:
    """The newest game with events, if it is unfinished: older ones were left for it.

    While the newest cannot be read, or the folder, no older one takes its place: `on_fault` is told why.
    """
    try:
        for game in all_games(folder, disk):
            if isinstance(game, Unread):
                if game.is_none:
                    continue
                on_fault(f"{game.path}: {game.reason}. No game is offered, so that no older one is taken for it")
                return None
            if game.events > 0:
                return game if game.unfinished else None
            if game.fault:
                on_fault(f"{game.fault}. This game is passed over")
    except OSError as error:
        on_fault(f"{folder}: the games that are kept cannot be listed now: {why(error)}. No game is offered")
    return None


def keep_tail(kept: KeptGame, disk: Disk = DISK) -> str:
    """Keep in a copy beside the file what will be cut off, if it is more than the rest of a line that was being
    written. Returns what to say, or "". Raises OSError.
    """
    if not kept.fault:
        return ""
    aside = copy_aside(kept.path, disk.read(kept.path, most=kept.size_bytes), disk)
    return f"{kept.path.name}: {kept.fault}. The game goes on from before that; the file as it was is {aside.name}"

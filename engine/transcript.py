"""Transcripts (docs/transcript.md): the one format for saving, replaying, reporting and testing.

Text in, values out, and back; no file is opened here. `TranscriptReader` takes one line after the
other, so that a file of any length is read in little memory and what came before a fault is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from engine.board import Board, format_arrows, format_hand_sizes, parse_arrows, parse_hand_sizes
from engine.cards import DEFAULT_DECK, Card, Deck, Player, format_deck, parse_deck
from engine.errors import EngineError, ParseError, RulesError
from engine.events import EXPECTED, Event, Kind, format_event, parse_card_of, parse_event
from engine.rules import LateFoul, Mode, Rules, Tie

LONGEST_MESSAGE = 400  # characters
MOST_DIGITS = 18  # of a seed
_WORD = re.compile(r"[A-Za-z0-9._-]{1,40}")
HEADERS = ("mode", "deck", "board", "arrows", "tie", "late-foul", "game", "solo")
CHOICE = "choice"


class TranscriptError(ParseError):
    """A line that cannot be read. `line` counts from 1; headers that do not go together are told of the line after."""

    def __init__(self, line: int, message: str, source: str = "transcript") -> None:
        super().__init__(f"{source}, line {line}: {message}")
        self.line = line


@dataclass(frozen=True, slots=True)
class Entry:
    """One event of a transcript: its line number from 1, the text as written, and the event."""

    line: int
    text: str
    event: Event


@dataclass(frozen=True, slots=True)
class Solo:
    """Who plays for the table: its side, its level or the name of a bot (one word), and its seed (0 or more)."""

    side: Player
    level: str
    seed: int

    def __post_init__(self) -> None:
        if not _WORD.fullmatch(self.level):
            raise ParseError(f"the level {self.level!r} found, one word of letters, digits, . _ and - is expected")


@dataclass(frozen=True, slots=True)
class Choice:
    """What the table has chosen before the other's card counts: no event. `cards` may be none (it discards none)."""

    player: Player
    cards: tuple[Card, ...]

    def __str__(self) -> str:
        return " ".join([CHOICE, self.player, *map(str, self.cards)])


def format_head(game_id: str = "", solo: Solo | None = None) -> str:
    """The optional header lines, each ending with a newline; "" leaves out the game's name."""
    lines = [f"game {game_id}\n"] if game_id else []
    if solo is not None:
        lines.append(f"solo {solo.side} {solo.level} {solo.seed}\n")
    return "".join(lines)


def format_rules(rules: Rules) -> str:
    """All header lines, each ending with a newline."""
    return (
        f"mode {rules.mode}\n"
        f"deck {format_deck(rules.deck)}\n"
        f"board {format_hand_sizes(rules.board)}\n"
        f"arrows {format_arrows(rules.board)}\n"
        f"tie {rules.tie}\n"
        f"late-foul {rules.late_foul}\n"
    )


def format_transcript(rules: Rules, events: Iterable[Event]) -> str:
    return format_rules(rules) + "".join(f"{format_event(event)}\n" for event in events)


_BLANKS = re.compile(r"[ \t]+")
_GAME_ID = re.compile(r"[0-9a-fA-F]{32}")


@dataclass
class TranscriptReader:
    """Reads a transcript line by line: `feed` each line (without its newline), then `finish`.

    `rules` is None until the first event or the end. `game_id` is "" and `solo` None without such a header line.
    `choice` is the latest choice of the table that no undo and no void has followed. Both raise TranscriptError;
    nothing may be fed after that.
    """

    source: str = "transcript"
    rules: Rules | None = None
    line: int = 0
    game_id: str = ""
    solo: Solo | None = None
    choice: Choice | None = None
    _headers: dict[str, str] = field(default_factory=dict)
    _known: dict[str, Event] = field(default_factory=dict)  # the same few hundred texts come again and again

    def feed(self, raw: str) -> Entry | None:
        """The event on this line, or None for a header, a choice, a comment or a blank line."""
        self.line += 1
        text = raw.removesuffix("\r").partition("#")[0].strip(" \t")
        if not text:
            return None
        event = self._known.get(text)
        if event is None:
            plain = _BLANKS.sub(" ", text)
            if not (plain.isascii() and plain.isprintable()):
                raise self._error(f"{text!r} is neither a header line nor an event: {EXPECTED}")
            word, _, value = plain.partition(" ")
            if word in HEADERS:
                self._header(word, value)
                return None
            if word == CHOICE:
                self.choice = self._choice(value)
                return None
            event = self._event(plain)
            if len(self._known) < 1000 and len(text) < 100:
                self._known[text] = event
        if event.kind in (Kind.UNDO, Kind.VOID):
            self.choice = None
        return Entry(self.line, text, event)

    def finish(self) -> Rules:
        """The rules of the whole file, once its last line was fed."""
        return self.rules or self._settle_rules()

    def _event(self, text: str) -> Event:
        rules = self.rules or self._settle_rules()
        try:
            return parse_event(text, rules.deck)
        except ParseError as error:
            raise self._error(str(error)) from None

    def _choice(self, text: str) -> Choice:
        rules = self.rules or self._settle_rules()
        try:
            player, *names = text.split(" ")
            return Choice(_player(player), tuple(parse_card_of(rules.deck, name) for name in names))
        except EngineError as error:
            raise self._error(f"{CHOICE}: {error}") from None

    def _header(self, word: str, value: str) -> None:
        if self.rules is not None:
            raise self._error(f"the header line {word!r} stands after the first event: headers come first")
        if word in self._headers:
            raise self._error(f"a second {word!r} line: each header at most once")
        try:
            _parse_header(word, value)
        except EngineError as error:
            raise self._error(f"{word}: {error}") from None
        self._headers[word] = value

    def _settle_rules(self) -> Rules:
        parsed = {word: _parse_header(word, value) for word, value in self._headers.items()}
        try:
            rules = _rules_of(parsed)
        except RulesError as error:
            raise self._error(str(error)) from None
        solo = parsed.get("solo")
        assert solo is None or isinstance(solo, Solo)
        if solo is not None and rules.mode is not Mode.PLAY:
            raise self._error(f"solo in mode {rules.mode}: the table plays in mode play only")
        self.rules, self.solo, self.game_id = rules, solo, str(parsed.get("game", ""))
        return rules

    def _error(self, message: str) -> TranscriptError:
        if len(message) > LONGEST_MESSAGE:  # a line of a file that is no transcript can be very long
            message = f"{message[: LONGEST_MESSAGE // 2]} … {message[-LONGEST_MESSAGE // 2 :]}"
        return TranscriptError(self.line, message, self.source)


def _parse_header(word: str, value: str) -> object:
    match word:
        case "mode":
            return _choice(Mode, value)
        case "deck":
            return parse_deck(value)
        case "board":
            return parse_hand_sizes(value)
        case "arrows":
            return parse_arrows(value)
        case "tie":
            return _choice(Tie, value)
        case "game":
            return _parse_game_id(value)
        case "solo":
            return parse_solo(value)
    return _choice(LateFoul, value)


def _parse_game_id(text: str) -> str:
    if not _GAME_ID.fullmatch(text):
        raise ParseError(f"{text!r} found, 32 hexadecimal digits are expected, as in {'0123456789abcdef' * 2}")
    return text.lower()


def parse_solo(text: str) -> Solo:
    """`wow good 8123`, the value of the header line `solo`. Raises ParseError."""
    match text.split(" "):
        case [side, level, seed] if seed.isascii() and seed.isdigit() and len(seed) <= MOST_DIGITS:
            return Solo(_player(side), level, int(seed))
    raise ParseError(f"{text!r} found, a side, a level and a seed are expected, as in wow good 8123")


def _player(text: str) -> Player:
    if text not in tuple(Player):
        raise ParseError(f"{text!r} found, yay or wow is expected")
    return Player(text)


def _choice(kind: type[Mode | Tie | LateFoul], value: str) -> Mode | Tie | LateFoul:
    try:
        return kind(value)
    except ValueError:
        raise ParseError(f"{value!r} found, one of {', '.join(kind)} is expected") from None


def _rules_of(parsed: dict[str, object]) -> Rules:
    default = Rules()
    sizes = parsed.get("board", default.board.hand_sizes)
    arrows = parsed.get("arrows", default.board.arrows)
    deck = parsed.get("deck", DEFAULT_DECK)
    assert isinstance(sizes, tuple)
    assert isinstance(arrows, tuple)
    assert isinstance(deck, Deck)
    return Rules(
        mode=Mode(str(parsed.get("mode", default.mode))),
        deck=deck,
        board=Board(sizes, arrows),
        tie=Tie(str(parsed.get("tie", default.tie))),
        late_foul=LateFoul(str(parsed.get("late-foul", default.late_foul))),
    )


def parse_transcript(text: str, source: str = "transcript") -> tuple[Rules, list[Entry]]:
    """The inverse of format_transcript, for a text that is whole. Raises TranscriptError."""
    reader = TranscriptReader(source)
    entries = list(read_lines(reader, text.split("\n")))
    return reader.finish(), entries


def read_lines(reader: TranscriptReader, lines: Iterable[str]) -> Iterator[Entry]:
    for line in lines:
        entry = reader.feed(line)
        if entry is not None:
            yield entry

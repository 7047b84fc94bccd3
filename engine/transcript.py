"""Transcripts (docs/transcript.md): the one format for saving, replaying, reporting and testing.

Text in, values out, and back; files are somebody else's business. `Reader` takes one line after the
other, so that a file of any length is read in little memory and what came before a fault is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from engine.board import Board, format_arrows, format_hand_sizes, parse_arrows, parse_hand_sizes
from engine.cards import DEFAULT_DECK, Deck, format_deck, parse_deck
from engine.errors import EngineError, ParseError, RulesError
from engine.events import EXPECTED, Event, format_event, parse_event
from engine.rules import LateFoul, Mode, Rules, Tie

LONGEST_MESSAGE = 400  # characters
HEADERS = ("mode", "deck", "board", "arrows", "tie", "late-foul")


class TranscriptError(ParseError):
    """A line that cannot be read. `line` counts from 1; 0 if it is about the file as a whole."""

    def __init__(self, line: int, message: str, source: str = "transcript") -> None:
        super().__init__(f"{source}, line {line}: {message}" if line else f"{source}: {message}")
        self.line = line


@dataclass(frozen=True, slots=True)
class Entry:
    """One event of a transcript: its line number from 1, the text as written, and the event."""

    line: int
    text: str
    event: Event


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


@dataclass
class Reader:
    """Reads a transcript line by line: `feed` each line (without its newline), then `finish`.

    `rules` is None until the first event or the end. Both raise TranscriptError; nothing may be fed after that.
    """

    source: str = "transcript"
    rules: Rules | None = None
    line: int = 0
    _headers: dict[str, str] = field(default_factory=dict)
    _known: dict[str, Event] = field(default_factory=dict)  # the same few hundred texts come again and again

    def feed(self, raw: str) -> Entry | None:
        """The event on this line, or None for a header, a comment or a blank line."""
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
            event = self._event(plain)
            if len(self._known) < 1000 and len(text) < 100:
                self._known[text] = event
        return Entry(self.line, text, event)

    def finish(self) -> Rules:
        """The rules of the whole file, once its last line was fed."""
        return self._settle_rules(self.line)

    def _event(self, text: str) -> Event:
        rules = self.rules or self._settle_rules(self.line)
        try:
            return parse_event(text, rules.deck)
        except ParseError as error:
            raise self._error(str(error)) from None

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

    def _settle_rules(self, line: int) -> Rules:
        if self.rules is None:
            parsed = {word: _parse_header(word, value) for word, value in self._headers.items()}
            try:
                self.rules = _rules_of(parsed)
            except RulesError as error:
                raise TranscriptError(line, str(error), self.source) from None
        return self.rules

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
    return _choice(LateFoul, value)


def _choice(kind: type[Mode] | type[Tie] | type[LateFoul], value: str) -> Mode | Tie | LateFoul:
    try:
        return kind(value)
    except ValueError:
        raise ParseError(f"{value!r} found, one of {', '.join(kind)} is expected") from None


def _rules_of(parsed: dict[str, object]) -> Rules:
    default = Rules()
    sizes = parsed.get("board", default.board.hand_sizes)
    arrows = parsed.get("arrows", default.board.arrows)
    deck = parsed.get("deck", DEFAULT_DECK)
    assert isinstance(sizes, tuple) and isinstance(arrows, tuple) and isinstance(deck, Deck)
    return Rules(
        mode=Mode(str(parsed.get("mode", default.mode))),
        deck=deck,
        board=Board(sizes, arrows),
        tie=Tie(str(parsed.get("tie", default.tie))),
        late_foul=LateFoul(str(parsed.get("late-foul", default.late_foul))),
    )


def parse_transcript(text: str, source: str = "transcript") -> tuple[Rules, list[Entry]]:
    """The inverse of format_transcript, for a text that is whole. Raises TranscriptError."""
    reader = Reader(source)
    entries = list(read_lines(reader, text.split("\n")))
    return reader.finish(), entries


def read_lines(reader: Reader, lines: Iterable[str]) -> Iterator[Entry]:
    for line in lines:
        entry = reader.feed(line)
        if entry is not None:
            yield entry

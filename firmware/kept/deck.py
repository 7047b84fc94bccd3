"""The deck file: which tag is which card.

A text that can be read, copied and mended by hand:

    tacocat-deck 1
    # one card a line: its name, then the UID of its tag
    7b 04a1b2c3d4e5f6
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

from engine.cards import Card, Deck, format_card, parse_card
from engine.errors import ParseError, RulesError
from engine.events import UID_LENGTHS, format_uid, parse_uid
from firmware.errors import MOST_TOLD, FirmwareError, short, told
from firmware.files.disk import DISK, Disk
from firmware.files.names import plain
from firmware.files.whole import NewerError, Notice, StandIn, load_kept, make_folder, save_kept

VERSION = 1
HEADER_WORD = "tacocat-deck"
HEADER = f"{HEADER_WORD} {VERSION}"
COMMENT = "# one card a line: its name, then the UID of its tag"
EXPECTED = "a card and the UID of its tag, as in 7b 04a1b2c3d4e5f6"


class DeckError(FirmwareError, ValueError):
    """A deck file, or a tag for it, is not as it should be. The message lists everything that is wrong."""


@dataclass(frozen=True, slots=True)
class DeckFault:
    """One faulty line, counted from 1."""

    file: str
    line: int
    found: str
    expected: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: found {self.found}; expected {self.expected}"


class DeckFileError(DeckError):
    """A deck file that cannot be read as one; `faults` are all its faulty lines, the message lists the first."""

    def __init__(self, faults: list[DeckFault]) -> None:
        self.faults = tuple(faults)
        super().__init__(told(faults))


def why_no_card(uid: bytes) -> str | None:
    """Why a tag of this UID can never be a card; None if it can."""
    if len(uid) not in UID_LENGTHS:
        return f"the UID {uid.hex() or '(empty)'} has {len(uid)} bytes: a UID has 4, 7 or 10"
    if len(uid) == 4 and uid[0] == 0x08:  # ISO/IEC 14443-3, 6.5.4
        return (
            f"{format_uid(uid)} is a random UID (4 bytes, the first 08): phones and bank cards show another one "
            "each time, so they cannot be told again; use a tag with a UID of its own"
        )
    return None


@dataclass(frozen=True, eq=False, repr=False)
class Tags(Mapping[bytes, Card]):
    """UID -> card, each card at most once, in the order of the cards. Equal to any mapping of the same pairs.

    Raises DeckError for a UID that cannot be a card's, and for a card with two tags.
    """

    pairs: tuple[tuple[bytes, Card], ...] = ()

    def __post_init__(self) -> None:
        cards: dict[Card, bytes] = {}
        uids: set[bytes] = set()
        for uid, card in self.pairs:
            reason = why_no_card(uid)
            if reason:
                raise DeckError(reason)
            if uid in uids:
                raise DeckError(f"the tag {format_uid(uid)} stands for two cards; each tag is one card")
            if card in cards:
                uid_of = format_uid(cards[card])
                raise DeckError(f"{card} has two tags, {uid_of} and {format_uid(uid)}; each card has one")
            uids.add(uid)
            cards[card] = uid
        object.__setattr__(self, "pairs", tuple(sorted(self.pairs, key=lambda pair: pair[1])))

    @classmethod
    def of(cls, cards: Mapping[bytes, Card]) -> Tags:
        return cls(tuple(cards.items()))

    @cached_property
    def _cards(self) -> dict[bytes, Card]:
        return dict(self.pairs)

    @cached_property
    def _uids(self) -> dict[Card, bytes]:
        return {card: uid for uid, card in self.pairs}

    def __getitem__(self, uid: bytes) -> Card:
        return self._cards[uid]

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._cards)

    def __len__(self) -> int:
        return len(self.pairs)

    def __hash__(self) -> int:
        return hash(frozenset(self.pairs))

    def __repr__(self) -> str:
        return f"Tags({self.pairs!r})"

    @cached_property
    def deck(self) -> Deck:
        """The deck that these cards make up. Raises engine's RulesError if a letter is missing, or all are."""
        return Deck.of(self._uids)

    def uid_of(self, card: Card) -> bytes | None:
        """The tag of a card, if it has one."""
        return self._uids.get(card)

    def named(self, uid: bytes, card: Card) -> Tags:
        """These tags, but `uid` is now `card`: the card's old tag is dropped, and so is what the tag was before.

        Raises DeckError for a UID that cannot be a card's.
        """
        rest = ((other, kept) for other, kept in self.pairs if other != uid and kept != card)
        return Tags((*rest, (uid, card)))


# ---- text ----------------------------------------------------------------------------------


def format_tags(tags: Tags) -> str:
    """The text of a deck file: the inverse of `parse_tags`."""
    lines = [f"{format_card(card)} {format_uid(uid)}" for uid, card in tags.pairs]
    return "\n".join([HEADER, COMMENT, *lines, ""])


def parse_tags(text: str, file: str = "deck") -> Tags:
    """The tags of a deck file; `file` is its name in messages.

    UIDs are understood as `deadbeef`, `DE:AD:BE:EF` and `DE AD BE EF`; blank lines, `# comments` on any line, and
    CRLF are allowed. Raises DeckFileError with every faulty line, NewerError for the text of a newer version.
    """
    reading = _read(text, file)
    if reading.faults:
        raise DeckFileError(reading.faults)
    return Tags.of(reading.cards)


def _read(text: str, file: str) -> _Reading:
    """The cards of all lines that can be read, and the faults of the others."""
    reading = _Reading(file)
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        words = line.partition("#")[0].split()
        if words:
            reading.take(number, words)
    if not reading.begun:
        reading.fault(1, "no header", f"{HEADER!r} as the first line")
    return reading


def _parse_most(text: str, file: str) -> tuple[Tags, tuple[DeckFault, ...]]:
    """The same, where faulty lines cost only their own cards.

    Raises DeckFileError where more is wrong: no header, a last line that was cut off, or no deck in what is left.
    """
    reading = _read(text, file)
    tags, faults = Tags.of(reading.cards), reading.faults
    if faults:
        cut_off = text.count("\n") + 1  # the line behind the last newline: none, if the text is whole
        try:
            usable = reading.headed and faults[-1].line < cut_off and bool(tags.deck)
        except RulesError:
            usable = False
        if not usable:
            raise DeckFileError(faults)
    return tags, tuple(faults)


class _Reading:
    """The state of reading a deck file line by line."""

    def __init__(self, file: str) -> None:
        self.file, self.begun = file, False
        self.headed = False  # the first line was that of this version
        self.faults: list[DeckFault] = []
        self.cards: dict[bytes, Card] = {}
        self._uid_lines: dict[bytes, int] = {}
        self._card_lines: dict[Card, int] = {}

    def fault(self, line: int, found: str, expected: str) -> None:
        self.faults.append(DeckFault(self.file, line, found, expected))

    def take(self, number: int, words: list[str]) -> None:
        if not self.begun:
            self.begun = True
            if words[0] == HEADER_WORD:
                self._header(number, words)
                return
            self.fault(number, _quoted(words), f"{HEADER!r} as the first line")
            told = len(self.faults)
            self._card(number, words)  # a deck whose first line was lost begins with a card; a line is told once
            del self.faults[told:]
            return
        self._card(number, words)

    def _header(self, number: int, words: list[str]) -> None:
        version = words[1] if len(words) == 2 else ""
        if version.isascii() and version.isdigit() and len(version) < 4 and int(version) > VERSION:
            raise NewerError(
                f"{self.file}, line {number}: found {_quoted(words)}; this program reads version {VERSION} only, a "
                "newer one has written the file"
            )
        self.headed = version == str(VERSION)
        if not self.headed:
            self.fault(number, _quoted(words), repr(HEADER))

    def _card(self, number: int, words: list[str]) -> None:
        try:
            card, uid = parse_card(words[0]), parse_uid(" ".join(words[1:]))
        except ParseError as error:
            self.fault(number, _quoted(words), f"{EXPECTED} ({short(str(error))})")
            return
        uid_line = self._uid_lines.setdefault(uid, number)
        card_line = self._card_lines.setdefault(card, number)
        before = len(self.faults)
        reason = why_no_card(uid)
        if reason:
            self.fault(number, _quoted(words), f"a tag with a UID of its own ({reason})")
        if uid_line != number:
            self.fault(number, _quoted(words), f"another tag: {format_uid(uid)} stands in line {uid_line} already")
        if card_line != number:
            self.fault(number, _quoted(words), f"another card: {card} stands in line {card_line} already")
        if len(self.faults) == before:
            self.cards[uid] = card


def _quoted(words: list[str]) -> str:
    return repr(short(" ".join(words)))


# ---- file ----------------------------------------------------------------------------------


def load(path: Path, disk: Disk = DISK, *, look_only: bool = False) -> tuple[Tags, tuple[Notice, ...]]:
    """The tags in a deck file, and what has to be said about it: see `firmware.files.whole.load_kept`.

    A faulty line costs its own card only, if what is left is a deck. Without a file (a new box), or with none that
    can be read, there are no tags.
    """
    found, notices = load_kept(path, partial(_parse_most, file=plain(path.name)), disk, look_only=look_only)
    if found is None:
        return Tags(), notices
    tags, faults = found
    return tags, (*notices, *(Notice(path, str(fault), None, StandIn.REST) for fault in faults[:MOST_TOLD]))


def save(path: Path, tags: Tags, disk: Disk = DISK) -> tuple[Notice, ...]:
    """Replace the deck file, whole or not at all; the old one is kept as its backup, and so is each one before it.

    A file that is there but cannot be read is set aside, and told in a notice. Raises `firmware.files.whole.SaveError`.
    """
    make_folder(path.parent, disk)
    parse = partial(parse_tags, file=plain(path.name))
    return save_kept(path, format_tags(tags), parse, disk, every_backup=True)

"""A TOML file read key by key, so that all its faults can be reported at once, each with its key and line.

`read_toml` gives a `TomlReader`; its sections hand out checked values and fall back to a default where a value is
faulty. What nobody asked for is unknown. `TomlReader.faults` then holds everything that is wrong.
"""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from firmware.errors import SHOWN, short
from firmware.files.disk import DISK, MAX_BYTES, why

T = TypeVar("T")
Key = tuple[str, ...]

NONE = "none"  # TOML has no null: this word stands for "there is none"
MAX_LINE = 1000  # characters: tomllib takes quadratic time for a key of thousands of parts
MAX_STATEMENT_LINES = 50  # the line of a longer statement is not looked for, nor of what follows it
MAX_DEPTH = 8  # lines of keys in deeper sections are not looked for
MANY = 100  # from this many faults on, what was probably meant is no longer guessed
_PLACE = re.compile(r" ?\(at line (\d+), column (\d+)\)$| ?\(at end of document\)$")  # a key may look like one
_BARE = re.compile(rf"[A-Za-z0-9_-]{{1,{SHOWN}}}")


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: where, what was found, what is allowed. `key` is "" for the file as a whole; `line` counts from 1."""

    file: str
    key: str
    line: int | None
    found: str
    allowed: str

    def __str__(self) -> str:
        line = "" if self.line is None else f", line {self.line}"
        key = f" {self.key}:" if self.key else ""
        return f"{self.file}{line}:{key} found {self.found}; expected {self.allowed}"


def shown(value: object) -> str:
    """A value in TOML's own words, cut to what fits in a message, on one line."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):  # an integer of thousands of digits; thousands of brackets
        text = "a value that is far too long"
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return short(text)


def dotted(key: Key) -> str:
    return ".".join(part if _BARE.fullmatch(part) else shown(part) for part in key)


class TomlReader:
    """The contents of one file, the line of each key, and the faults found so far."""

    def __init__(self, file: str, data: Mapping[str, object], lines: Mapping[Key, int]) -> None:
        self.file, self.faults = file, list[Fault]()
        self._data, self._lines = data, lines
        self._known: dict[Key, bool] = {}  # in the order asked for; True: a section
        self._faulty: set[Key] = set()

    def section(self, *path: str) -> Section:
        """The section of that path; () is the top of the file. Empty if it is not there, or is no section."""
        table: object = self._data
        for depth in range(1, len(path) + 1):
            self._known[path[:depth]] = True
            table = table.get(path[depth - 1], {}) if isinstance(table, Mapping) else {}
            if not isinstance(table, Mapping) and path[:depth] not in self._faulty:
                self.fault(path[:depth], shown(table), f"a section, which begins with [{dotted(path[:depth])}]")
        return Section(self, path, table if isinstance(table, Mapping) else {})

    def fault(self, key: Key, found: str, allowed: str) -> None:
        self._faulty.add(key)
        self.faults.append(Fault(self.file, dotted(key), self.line(key), found, allowed))

    def line(self, key: Key) -> int | None:
        return self._lines.get(key)

    def sound(self, *keys: Key) -> bool:
        """Whether none of these keys has a fault so far: only then is a check of them together of use."""
        return self._faulty.isdisjoint(keys)

    def given(self, *keys: Key) -> Key:
        """The last of these keys that stands in the file, so that a fault is told where it was written."""
        return next((key for key in reversed(keys) if self.line(key) is not None), keys[-1])

    def know(self, key: Key) -> None:
        self._known.setdefault(key, False)

    def report_unknown(self) -> None:
        """Make each key and section that nobody asked for a fault. To be called last."""
        for key, value in self._unknown((), self._data):
            siblings = [known[-1] for known in self._known if known[:-1] == key[:-1]]
            found = "an unknown section" if isinstance(value, dict) else "an unknown key"
            self.fault(key, found, f"one of {', '.join(siblings)}{self._hint(key)}")

    def _unknown(self, path: Key, table: Mapping[str, object]) -> Iterator[tuple[Key, object]]:
        for name, value in table.items():
            key = (*path, name)
            if key not in self._known:
                yield key, value
            elif self._known[key] and isinstance(value, Mapping):
                yield from self._unknown(key, value)

    def _hint(self, key: Key) -> str:
        if len(self.faults) >= MANY:
            return ""
        near = {known[-1]: known for known in self._known if known[:-1] == key[:-1]}
        far = {known[-1]: known for known in reversed(self._known)}
        name = key[-1].lower().replace("-", "_")
        for names, cutoff in ((near, 0.6), (far, 0.85)):
            close = difflib.get_close_matches(name[:SHOWN], names, n=1, cutoff=cutoff)
            if close:
                return f"; did you mean {dotted(names[close[0]])}?"
        return ""


class Section:
    """One section. Each method gives the key's value, or `default` if it is missing or faulty."""

    def __init__(self, reader: TomlReader, path: Key, table: Mapping[str, object]) -> None:
        self.reader, self.path, self._table = reader, path, table

    def key(self, name: str) -> Key:
        return (*self.path, name)

    def fault(self, name: str, found: str, allowed: str) -> None:
        self.reader.fault(self.key(name), found, allowed)

    def checked(self, name: str, default: T, allowed: str, accept: Callable[[object], bool]) -> T:
        """The value as it stands, if `accept` says that it is one of `allowed`."""
        self.reader.know(self.key(name))
        if name not in self._table:
            return default
        value = self._table[name]
        if not accept(value):
            self.fault(name, shown(value), allowed)
            return default
        return value  # type: ignore[return-value]

    def boolean(self, name: str, default: bool) -> bool:
        return self.checked(name, default, "true or false", lambda value: type(value) is bool)

    def integer(self, name: str, default: T, low: int, high: int, unit: str = "") -> T | int:
        return self.checked(name, default, f"a whole number from {low} to {high}{unit}", _within(low, high))

    def integer_or_none(self, name: str, default: int | None, low: int, high: int) -> int | None:
        allowed = f'a whole number from {low} to {high}, or "{NONE}"'
        return _none(self.checked(name, default, allowed, lambda value: value == NONE or _within(low, high)(value)))

    def word_or_none(self, name: str, default: str | None, what: str, pattern: re.Pattern[str]) -> str | None:
        """A text that `pattern` matches as a whole, called `what` in a fault. The word "none" stands for None."""
        allowed = f'{what}, or "{NONE}"'
        return _none(self.checked(name, default, allowed, lambda value: value == NONE or _matches(pattern, value)))

    def choice(self, name: str, default: T, values: Collection[object], allowed: str = "") -> T:
        """One of `values`, of the same type too: true is not 1. The word "none" stands for None.

        `allowed` is what a fault calls them, if their own words will not do.
        """
        allowed = allowed or " or ".join(map(shown, values))

        def accept(found: object) -> bool:
            return any(type(found) is type(value) and found == value for value in values)

        return _none(self.checked(name, default, allowed, accept))

    def parsed(self, name: str, default: T, parse: Callable[[str], T], example: str) -> T:
        """What `parse` makes of a text; it says with a ValueError what is wrong with it."""
        allowed = f"a text such as {shown(example)}"
        text = self.checked(name, None, allowed, lambda value: type(value) is str)
        if text is None:
            return default
        try:
            return parse(text)
        except ValueError as error:
            self.fault(name, shown(text), f"{allowed} ({_one_line(error)})")
            return default


def _within(low: int, high: int) -> Callable[[object], bool]:
    return lambda value: type(value) is int and low <= value <= high  # bool is an int to Python, but not here


def _matches(pattern: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def _none(value: T) -> T:
    return None if value == NONE else value  # type: ignore[return-value]


def _one_line(error: Exception) -> str:
    return "".join(c if c.isprintable() else " " for c in str(error))[: 4 * SHOWN]


# ---- the file ------------------------------------------------------------------------------


def read_toml(path: Path) -> TomlReader:
    """Read a file. One that cannot be read, or is not TOML, gives a TomlReader with that one fault and no contents."""
    try:
        raw = DISK.read(path)
    except OSError as error:
        return _unreadable(f"{path}", f"no way to read it: {why(error)}", "a TOML file")
    return parse_toml(f"{path}", raw)


def parse_toml(file: str, raw: bytes) -> TomlReader:
    """The same for the contents of a file; `file` is its name in messages."""
    if len(raw) > MAX_BYTES:
        return _unreadable(file, f"more than {MAX_BYTES // 1024} KiB", "a TOML file of a few hundred lines at most")
    try:
        # universal newlines, as Windows' editors write them; the mark they put in front is no part of the text
        text = raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        return _unreadable(file, f"bytes that are not UTF-8 (0x{raw[error.start]:02x})", "a text in UTF-8", line)
    for number, words in enumerate(text.split("\n"), 1):
        if len(words) > MAX_LINE:
            found = f"{shown(words[:SHOWN])}, the beginning of a line of {len(words)} characters"
            return _unreadable(file, found, f"lines of at most {MAX_LINE}", number)
    try:
        data = tomllib.loads(text)
    except RecursionError:
        return _unreadable(file, "brackets nested far too deeply", "TOML")
    except ValueError as error:  # TOMLDecodeError, or a number of thousands of digits
        return _no_toml(file, text, error)
    return TomlReader(file, data, _lines_of(text))


def _unreadable(file: str, found: str, allowed: str, line: int | None = None) -> TomlReader:
    reader = TomlReader(file, {}, {(): line} if line else {})
    reader.fault((), found, allowed)
    return reader


def _no_toml(file: str, text: str, error: ValueError) -> TomlReader:
    place = _PLACE.search(str(error))
    words = _PLACE.sub("", _one_line(error))
    if place is None:
        return _unreadable(file, f"no TOML ({words})", "TOML")
    line = int(place[1]) if place[1] else text.count("\n") + (not text.endswith("\n"))
    shown_line = shown(text.split("\n")[line - 1].strip())
    return _unreadable(file, f"{shown_line}, which is no TOML ({words})", 'key = value, with texts in "quotes"', line)


def _lines_of(text: str) -> dict[Key, int]:
    """The line on which each key of a valid TOML text begins.

    tomllib keeps no places. But a statement of TOML ends at the first line end at which it is complete, so lines
    are added until they can be parsed by themselves.
    """
    found: dict[Key, int] = {}
    header: Key = ()
    first, statement = 1, ""
    for number, line in enumerate(text.split("\n"), 1):
        if not statement and not line.strip():
            continue
        first = first if statement else number
        if number - first >= MAX_STATEMENT_LINES:
            break
        statement += line + "\n"
        try:
            data = tomllib.loads(statement)
        except ValueError:
            continue
        if line.lstrip().startswith("[") and first == number:
            header = _chain(data)
            for depth in range(1, len(header) + 1):
                found.setdefault(header[:depth], first)
        else:
            for key in _keys(data):
                found.setdefault((*header, *key), first)
        statement = ""
    return found


def _chain(data: object) -> Key:
    """[a.b] is read as {"a": {"b": {}}}, [[a]] as {"a": [{}]}."""
    path: list[str] = []
    while isinstance(data, dict) and data and len(path) < MAX_DEPTH:
        path += data
        data = data[path[-1]]
    return tuple(path)


def _keys(data: Mapping[str, object], path: Key = ()) -> Iterator[Key]:
    for name, value in data.items():
        yield (*path, name)
        if isinstance(value, Mapping) and len(path) < MAX_DEPTH:
            yield from _keys(value, (*path, name))

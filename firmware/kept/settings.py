"""What is changed on the device itself: kept in the state folder, and goes before table.toml."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from engine.rules import LateFoul, Tie
from firmware.config.toml_reader import Key, parse_toml
from firmware.config.values import MAX_BRIGHTNESS, MIN_BRIGHTNESS, Config
from firmware.errors import FirmwareError, short, told
from firmware.files.disk import DISK, Disk
from firmware.files.whole import Notice, SaveError, StandIn, copy_aside, load_kept, make_folder, move_away, save_kept
from firmware.words import LANGUAGES

FILE_NAME = "settings.toml"
HEADER = "# What was chosen in the menu of the table: it goes before the same words in table.toml.\n"
OLD_FILE_NAME, OLD_HEADER = "settings.txt", "tacocat-settings 1"  # of the first version
TAKEN_OVER_SUFFIX = ".taken-over-"  # and a number
_SECTION = re.compile(r"\s*\[\s*([A-Za-z0-9_.-]+)\s*\]\s*(?:#.*)?")
_LINE = re.compile(
    r"(?P<before>\s*)(?P<key>[a-z_]+)(?P<equals>\s*=\s*)"
    r"(?:\"[^\"\\]*\"|'[^']*'|[^\s#\"'\[{]+)(?P<after>\s*(?:#.*)?)"
)
_PERCENT = re.compile(r"[1-9][0-9]?|100")
_UNWRITTEN = Config()  # without a file: each default stands there
BRIGHTNESS = (100, 70, 40, 20)  # percent, in the order in which the menu offers them


class SettingsError(FirmwareError, ValueError):
    """A settings file that does not hold settings."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings that the menu offers. The values at the start are those of the configuration."""

    language: str = _UNWRITTEN.language
    sound: bool = _UNWRITTEN.sound
    brightness: int = _UNWRITTEN.track.brightness  # percent
    tie: Tie = _UNWRITTEN.tie
    late_foul: LateFoul = _UNWRITTEN.late_foul
    swap_sides: bool = _UNWRITTEN.swap_sides
    hints: bool = _UNWRITTEN.hints


DEFAULTS = Settings()


class Setting(StrEnum):
    """The lines of the menu; each is a field of Settings."""

    LANGUAGE = "language"
    SOUND = "sound"
    BRIGHTNESS = "brightness"
    TIE = "tie"
    LATE_FOUL = "late_foul"
    HINTS = "hints"
    SWAP_SIDES = "swap_sides"


# Where each stands in a file, as in table.toml.
KEYS: dict[Setting, Key] = {
    Setting.LANGUAGE: ("language",),
    Setting.SOUND: ("sound",),
    Setting.SWAP_SIDES: ("swap_sides",),
    Setting.TIE: ("rules", "tie"),
    Setting.LATE_FOUL: ("rules", "late_foul"),
    Setting.HINTS: ("rules", "hints"),
    Setting.BRIGHTNESS: ("track", "brightness"),
}

CHOICES: dict[Setting, tuple[object, ...]] = {
    Setting.LANGUAGE: tuple(LANGUAGES),
    Setting.SOUND: (True, False),
    Setting.BRIGHTNESS: BRIGHTNESS,
    Setting.TIE: tuple(Tie),
    Setting.LATE_FOUL: tuple(LateFoul),
    Setting.HINTS: (True, False),
    Setting.SWAP_SIDES: (False, True),
}


def settings_of(config: Config) -> Settings:
    return Settings(
        config.language,
        config.sound,
        config.track.brightness,
        config.tie,
        config.late_foul,
        config.swap_sides,
        config.hints,
    )


def applied(config: Config, settings: Settings) -> Config:
    """The configuration, with the settings in place of its own."""
    track = replace(config.track, brightness=settings.brightness)
    return replace(
        config,
        language=settings.language,
        sound=settings.sound,
        track=track,
        tie=settings.tie,
        late_foul=settings.late_foul,
        swap_sides=settings.swap_sides,
        hints=settings.hints,
    )


def next_value(settings: Settings, setting: Setting) -> Settings:
    """The settings with the next choice of one of them; after the last comes the first."""
    choices = CHOICES[setting]
    now = getattr(settings, setting)
    place = choices.index(now) + 1 if now in choices else 0
    return _with(settings, setting, choices[place % len(choices)])


def _with(settings: Settings, setting: Setting, value: object) -> Settings:
    changes: dict[str, Any] = {setting.value: value}
    return replace(settings, **changes)


# ---- text ----------------------------------------------------------------------------------


def format_settings(settings: Settings, old: str = "") -> str:
    """The settings in the words of table.toml. What else stands in `old`, the text so far, stays as it is.

    That is: comments, and what a newer version of the program has written. An `old` that cannot be kept so (values
    over several lines, sections in one line) gives a text of the settings alone.
    """
    if old:
        text = _merged(settings, old)
        with suppress(tomllib.TOMLDecodeError):
            if _flat(tomllib.loads(text)) == _flat(tomllib.loads(old)) | _values(settings):
                return text
    return _merged(settings, HEADER)


def _values(settings: Settings) -> dict[Key, object]:
    return {key: getattr(settings, setting) for setting, key in KEYS.items()}


def _flat(table: Mapping[str, object], path: Key = ()) -> dict[Key, object]:
    """Every value of a TOML text by its whole key."""
    found: dict[Key, object] = {}
    for name, value in table.items():
        found |= _flat(value, (*path, name)) if isinstance(value, dict) else {(*path, name): value}
    return found


def _merged(settings: Settings, old: str) -> str:
    """The old text with the settings' values at their keys; a missing key is put at the beginning of its section."""
    left, section, lines = _values(settings), Key(), list[str]()
    begin = {section: 0}  # where a section's lines begin
    for old_line in old.splitlines():
        line = old_line
        header, match = _SECTION.fullmatch(line), _LINE.fullmatch(line)
        if header is not None:
            section = tuple(header[1].split("."))
        elif match is not None and (*section, match["key"]) in left:
            value = json.dumps(left.pop((*section, match["key"])))
            line = f"{match['before']}{match['key']}{match['equals']}{value}{match['after']}"
        lines.append(line)
        if header is not None or (not section and line.startswith("#") and len(lines) == begin[()] + 1):
            begin[section] = len(lines)  # the comment at the head of the file stays there
    added: dict[Key, list[str]] = {}  # by section
    for key, unsaid in left.items():
        added.setdefault(key[:-1], []).append(f"{key[-1]} = {json.dumps(unsaid)}")
    for there in sorted(begin.keys() & added.keys(), key=begin.__getitem__, reverse=True):  # no line moves another
        lines[begin[there] : begin[there]] = added.pop(there)
    for missing, new in added.items():
        lines += ["", f"[{'.'.join(missing)}]", *new]
    return "".join(f"{line}\n" for line in lines)


def parse_settings(text: str, base: Settings) -> tuple[Settings, tuple[str, ...]]:
    """The settings in a text; what is not in it, or is no value that there can be, is as in `base`.

    Returns also what was passed over: faulty values, and words that only a newer version knows. Raises SettingsError
    for a text that is not TOML.
    """
    reader = parse_toml(FILE_NAME, text.encode())
    if reader.faults:
        raise SettingsError(told(reader.faults))
    top, rules, track = reader.section(), reader.section("rules"), reader.section("track")
    found = Settings(
        top.choice("language", base.language, tuple(LANGUAGES)),
        top.boolean("sound", base.sound),
        track.integer("brightness", base.brightness, MIN_BRIGHTNESS, MAX_BRIGHTNESS, " %"),
        Tie(rules.choice("tie", base.tie.value, [tie.value for tie in Tie])),
        LateFoul(rules.choice("late_foul", base.late_foul.value, [foul.value for foul in LateFoul])),
        top.boolean("swap_sides", base.swap_sides),
        rules.boolean("hints", base.hints),
    )
    reader.report_unknown()
    return found, tuple(map(str, reader.faults))


def parse_old_settings(text: str, base: Settings) -> tuple[Settings, tuple[str, ...]]:
    """The same for a text of the first version: a header, then a word and its value on each line."""
    lines = text.removeprefix("\ufeff").splitlines()
    if not lines or lines[0].strip() != OLD_HEADER:
        raise SettingsError(f"the first line is {short(lines[0] if lines else '')!r}: {OLD_HEADER!r} is expected")
    found, passed_over = base, list[str]()
    for number, line in enumerate(lines[1:], 2):
        word, _, value = line.partition("#")[0].strip().partition(" ")
        if word and word not in list(Setting):
            passed_over.append(f"line {number}: {short(line)!r}: one of {', '.join(Setting)} is expected")
        elif word:
            try:
                found = _with(found, Setting(word), _parse_old(Setting(word), value.strip()))
            except SettingsError as error:
                passed_over.append(f"line {number}: {error}")
    return found, tuple(passed_over)


def _parse_old(setting: Setting, value: str) -> object:
    if setting is Setting.BRIGHTNESS and _PERCENT.fullmatch(value):
        return int(value)
    for choice in CHOICES[setting]:
        if {True: "yes", False: "no"}.get(choice, str(choice)) == value:  # type: ignore[call-overload]
            return choice
    raise SettingsError(f"{setting} cannot be {short(value)!r}")


# ---- file ----------------------------------------------------------------------------------


def load(
    folder: Path, config: Config, disk: Disk = DISK, *, look_only: bool = False
) -> tuple[Settings, tuple[Notice, ...]]:
    """The kept settings over those of the configuration. What of it cannot be used is said, and the rest is used.

    Settings that the first version has kept are taken over into the present file, once. With `look_only`, which is for
    whoever has no lock of the folder, every file stays as it is.
    """
    base, path, old_path = settings_of(config), folder / FILE_NAME, folder / OLD_FILE_NAME
    kept, notices = load_kept(path, lambda text: parse_settings(text, base), disk, look_only=look_only)
    if kept is not None:
        return kept[0], (*notices, *_rest_of(path, kept[1]))
    if notices:
        return base, notices
    old, old_notices = load_kept(old_path, lambda text: parse_old_settings(text, base), disk, look_only=look_only)
    if old is None:
        return base, old_notices
    if not look_only:
        with suppress(SaveError, OSError):  # on a disk that takes nothing they are used as they are
            save(folder, old[0], disk)
            move_away(old_path, TAKEN_OVER_SUFFIX, disk)
    return old[0], (*old_notices, *_rest_of(old_path, old[1]))


def _rest_of(path: Path, passed_over: Sequence[str]) -> list[Notice]:
    return [Notice(path, text, None, StandIn.REST) for text in passed_over]


def save(folder: Path, settings: Settings, disk: Disk = DISK) -> tuple[Notice, ...]:
    """Keep the settings: replaced whole or not at all. Raises firmware.files.whole.SaveError."""
    path = folder / FILE_NAME
    make_folder(folder, disk)
    notices = list[Notice]()
    try:
        old = disk.read(path)
        text = format_settings(settings, old.decode())
        if text == format_settings(settings) and _says_more(old.decode()):
            notices.append(Notice(path, "it is written anew", copy_aside(path, old, disk), StandIn.NEW))
    except (OSError, UnicodeDecodeError):  # none yet; or `save_kept` says what is wrong with it
        text = format_settings(settings)
    return (*notices, *save_kept(path, text, lambda text: parse_settings(text, DEFAULTS), disk))


def _says_more(old: str) -> bool:
    """Whether a text holds anything but settings; one that is not TOML is set aside as a whole."""
    with suppress(tomllib.TOMLDecodeError):
        return not _flat(tomllib.loads(old)).keys() <= set(KEYS.values())
    return False

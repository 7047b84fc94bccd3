"""What is changed on the device itself: kept in the state folder, and goes before table.toml."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from engine.rules import LateFoul, Tie
from firmware.config.values import Config
from firmware.errors import FirmwareError, short
from firmware.files.whole import Notice, load_kept, save_kept
from firmware.words import ENGLISH, LANGUAGES

FILE_NAME = "settings.txt"
HEADER = "tacocat-settings 1"
BRIGHTNESS = (100, 70, 40, 20)  # percent, in the order in which the menu offers them


class SettingsError(FirmwareError, ValueError):
    """A settings file that does not hold settings."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings that the menu offers. The values at the start are those of the configuration."""

    language: str = ENGLISH
    sound: bool = True
    brightness: int = 100  # percent
    tie: Tie = Tie.REDEAL
    late_foul: LateFoul = LateFoul.NOTE
    swap_sides: bool = False


DEFAULTS = Settings()


class Setting(StrEnum):
    """The lines of the menu, and the words of the file; each is a field of Settings."""

    LANGUAGE = "language"
    SOUND = "sound"
    BRIGHTNESS = "brightness"
    TIE = "tie"
    LATE_FOUL = "late_foul"
    SWAP_SIDES = "swap_sides"


CHOICES: dict[Setting, tuple[object, ...]] = {
    Setting.LANGUAGE: tuple(LANGUAGES),
    Setting.SOUND: (True, False),
    Setting.BRIGHTNESS: BRIGHTNESS,
    Setting.TIE: tuple(Tie),
    Setting.LATE_FOUL: tuple(LateFoul),
    Setting.SWAP_SIDES: (False, True),
}


def settings_of(config: Config) -> Settings:
    return Settings(
        config.language, config.sound, config.track.brightness, config.tie, config.late_foul, config.swap_sides
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


def format_settings(settings: Settings) -> str:
    lines = [HEADER, *(f"{field.name} {_word(getattr(settings, field.name))}" for field in fields(settings))]
    return "".join(f"{line}\n" for line in lines)


def _word(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def parse_settings(text: str, base: Settings) -> Settings:
    """The inverse of format_settings; what is not in the text is as in `base`. Raises SettingsError."""
    lines = text.splitlines()
    if not lines or lines[0].strip() != HEADER:
        raise SettingsError(f"the first line is {short(lines[0] if lines else '')!r}: {HEADER!r} is expected")
    found = base
    for number, line in enumerate(lines[1:], 2):
        word, _, value = line.partition(" ")
        if word not in list(Setting):
            words = f"one of {', '.join(Setting)} and its value are expected"
            raise SettingsError(f"line {number}: {short(line)!r}: {words}")
        found = _with(found, Setting(word), _parse(Setting(word), value.strip(), number))
    return found


def _parse(setting: Setting, value: str, number: int) -> object:
    number_like = len(value) <= 3 and value.isascii() and value.isdigit()
    if setting is Setting.BRIGHTNESS and number_like and 1 <= int(value) <= 100:
        return int(value)
    for choice in CHOICES[setting]:
        if _word(choice) == value:
            return choice
    allowed = "1 to 100" if setting is Setting.BRIGHTNESS else ", ".join(map(_word, CHOICES[setting]))
    raise SettingsError(f"line {number}: {setting} is {short(value)!r}: {allowed} is expected")


def load(folder: Path, config: Config) -> tuple[Settings, tuple[Notice, ...]]:
    """The kept settings over those of the configuration. A file that cannot be read is set aside, and said."""
    base = settings_of(config)
    kept, notices = load_kept(folder / FILE_NAME, lambda text: parse_settings(text, base))
    return (kept or base), notices


def save(folder: Path, settings: Settings) -> tuple[Notice, ...]:
    """Keep the settings: replaced whole or not at all. Raises firmware.files.whole.SaveError."""
    folder.mkdir(parents=True, exist_ok=True)
    return save_kept(folder / FILE_NAME, format_settings(settings), lambda text: parse_settings(text, Settings()))

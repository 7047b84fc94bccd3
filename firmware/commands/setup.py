"""`tacocat setup`: asks what is printed in the box and what the table is built of, and writes a commented table.toml.

Nothing is written before the last answer; the text is proved by the same loading that the device does.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from engine.board import SPACES, format_arrows, format_hand_sizes, parse_arrows, parse_hand_sizes
from engine.errors import EngineError
from engine.rules import Mode
from firmware.config.reading import load
from firmware.config.table_toml import EXAMPLE, filled_in
from firmware.config.toml_reader import NONE
from firmware.config.values import CONTROLLERS, MAX_LEDS, Config, ConfigError
from firmware.errors import FirmwareError, printable
from firmware.files.disk import DISK, kind_of, why
from firmware.files.whole import SaveError, back_up, backup_of, replace_file, see_writable
from firmware.run.ending import Interrupted
from firmware.words import LANGUAGES

CONTROLLER_NAMES = {
    "ssd1306": "the usual 0.96 inch screen",
    "ssd1309": "2.42 inch",
    "sh1106": "the usual 1.3 inch screen",
    NONE: "there is no screen",
}
_ENGLISH_NAMES = {code: language.english_name for code, language in LANGUAGES.items()}
_LONGEST = 200  # characters of an answer
LARGEST = 1 << 24  # bytes of a file that is backed up

Read = Callable[[str], str]
"""As `input`: shows a prompt, returns a line without its end; raises EOFError if there is none."""
Say = Callable[[str], object]


class AnswerError(FirmwareError, ValueError):
    """An answer that cannot be; the message says what was given, and what is expected."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question. `shown` gives a configuration's present answer in the words in which it may be typed.

    `take` gives the configuration with an answer; it raises AnswerError, or EngineError with words that explain.
    """

    text: str
    shown: Callable[[Config], str]
    take: Callable[[Config, str], Config]


# ---- what answers mean ---------------------------------------------------------------------


def take_hand_sizes(config: Config, answer: str) -> Config:
    return _playable(replace(config, board=replace(config.board, hand_sizes=parse_hand_sizes(answer))))


def take_arrows(config: Config, answer: str) -> Config:
    return _playable(replace(config, board=replace(config.board, arrows=parse_arrows(answer.lower()))))


def _playable(config: Config) -> Config:
    config.rules(Mode.PLAY)  # raises if two full hands cannot be dealt
    return config


def take_goal_leds(config: Config, answer: str) -> Config:
    goal = _leds(answer)
    if 2 * goal > MAX_LEDS:
        raise AnswerError(f"two goals of {goal} LEDs: a strip has at most {MAX_LEDS} in all")
    return replace(config, track=replace(config.track, goal_leds=goal))


def take_space_leds(config: Config, answer: str) -> Config:
    """One number for all spaces, or seven. Goals and spaces together must be a strip that there can be."""
    words = answer.replace(",", " ").split()
    if len(words) not in (1, SPACES):
        raise AnswerError(f"{answer!r}: one number is expected, or {SPACES} if the spaces differ")
    counts = tuple(_leds(word) for word in words)
    track = replace(config.track, space_leds=counts * SPACES if len(counts) == 1 else counts)
    parts = f"2 goals of {track.goal_leds} and spaces of {' '.join(map(str, track.space_leds))}"
    if not 1 <= track.leds <= MAX_LEDS:
        raise AnswerError(f"{parts} make {track.leds} LEDs: 1 to {MAX_LEDS} are expected")
    if track.budget_ma <= track.leds:
        raise AnswerError(
            f"{track.leds} LEDs take {track.leds} mA even when they are dark, and budget_ma in your file is "
            f"{track.budget_ma}: fewer LEDs are expected, or a larger budget_ma there"
        )
    return replace(config, track=track)


def _leds(word: str) -> int:
    word = word.strip()
    if not re.fullmatch(r"[0-9]{1,9}", word) or int(word) > MAX_LEDS:
        raise AnswerError(f"{word!r}: a number of LEDs from 0 to {MAX_LEDS} is expected")
    return int(word)


def take_controller(config: Config, answer: str) -> Config:
    name = _one_of(answer, CONTROLLERS)
    return replace(config, screen=replace(config.screen, controller=name))


def take_language(config: Config, answer: str) -> Config:
    by_name = {name.lower(): code for code, name in _ENGLISH_NAMES.items()}
    return replace(config, language=_one_of(by_name.get(answer.lower(), answer), tuple(LANGUAGES)))


def _one_of(answer: str, words: tuple[str, ...]) -> str:
    if answer.lower() not in words:
        raise AnswerError(f"{answer!r}: one of {', '.join(words)} is expected")
    return answer.lower()


def _listed(names: dict[str, str]) -> str:
    return "\n".join(f"    {word:8} {name}" for word, name in names.items())


def _space_leds(config: Config) -> str:
    counts = config.track.space_leds
    match tuple(set(counts)):
        case (same,):
            return str(same)
        case _:
            return " ".join(map(str, counts))


QUESTIONS = (
    Question(
        "The number printed on each space of the track, from YAY's goal to WOW's: seven numbers.\n"
        "Compare them with the board in your box.",
        lambda config: format_hand_sizes(config.board),
        take_hand_sizes,
    ),
    Question(
        "Whom the arrow on each of these spaces points at: seven words, each yay, wow or both.\n"
        "Compare them with the board in your box.",
        lambda config: format_arrows(config.board),
        take_arrows,
    ),
    Question(
        "How many LEDs lie along each of the two goals? Count them: compare with your strip and the box.",
        lambda config: str(config.track.goal_leds),
        take_goal_leds,
    ),
    Question(
        "How many LEDs lie along each space? One number, or seven from YAY's side if they differ.\n"
        "Compare with your strip and the spaces of the board in your box.",
        _space_leds,
        take_space_leds,
    ),
    Question(
        f"Which chip has the screen?\n{_listed(CONTROLLER_NAMES)}\n"
        "Compare with what the shop or the box of the screen says.",
        lambda config: config.screen.controller,
        take_controller,
    ),
    Question(
        f"Which language does the screen speak?\n{_listed(_ENGLISH_NAMES)}\n"
        "Compare with the cards and rules in your box.",
        lambda config: config.language,
        take_language,
    ),
)


# ---- asking --------------------------------------------------------------------------------


def ask_all(config: Config, read: Read, say: Say) -> Config:
    """All questions, each until its answer can be. Raises EOFError or KeyboardInterrupt if there is no answer."""
    for number, question in enumerate(QUESTIONS, 1):
        say(f"\n{number} of {len(QUESTIONS)}. {question.text}")
        config = _ask(question, config, read, say)
    return config


def _ask(question: Question, config: Config, read: Read, say: Say) -> Config:
    usual, yours = question.shown(Config()), question.shown(config)
    say(f"  usual: {usual}" if usual == yours else f"  usual: {usual}\n  in your file: {yours}")
    while True:
        try:
            answer = printable(" ".join(read(f"  Enter for {yours}, or type another: ").split())) or yours
            if len(answer) > _LONGEST:
                raise AnswerError(f"an answer of {len(answer)} characters: at most {_LONGEST} are expected")
            return question.take(config, answer)
        except UnicodeDecodeError:
            say("  That cannot be: an answer that is not UTF-8.")
        except (AnswerError, EngineError) as error:
            say(f"  That cannot be: {error}.")


# ---- the command ---------------------------------------------------------------------------


def setup_command(path: Path, read: Read, say: Say) -> int:
    """Ask, write `path`, load it. Returns 0; 1 if it could not be written, or if there was no answer any more."""
    try:
        base = _base(path, say)
        see_writable(path)
        say(f"Six questions; then {path} is written. Stop with Ctrl-C: then nothing is.")
        config = ask_all(base, read, say)
        kept = write(path, config)
    except (EOFError, KeyboardInterrupt):
        say("\nStopped. Nothing was written.")
        return 1
    except Interrupted as stopped:
        say("\nStopped. Nothing was written.")
        return stopped.status
    except (FirmwareError, OSError) as error:
        say(printable(f"tacocat setup: {error}"))
        return 1
    say(f"\nWritten: {path}" + (f"; what it held is in {kept}" if kept else ""))
    say("Everything else in it (wiring, house rules, brightness) has a comment: change it with an editor.")
    say(f"Next: tacocat check --config {path}")
    return 0


def _base(path: Path, say: Say) -> Config:
    """What the file says now, if there is one that can be used: only the answers change it."""
    if not os.path.lexists(path):
        return Config()
    kind = kind_of(path.stat().st_mode)
    if kind:
        raise SaveError(f"{path} is {kind}, and no file that a configuration could be written to")
    try:
        return load(path)
    except ConfigError as error:
        say(
            f"{path} cannot be used as it is; the usual values take its place, and it is kept as "
            f"{backup_of(path).name}:\n{error}"
        )
        return Config()


def write(path: Path, config: Config) -> Path | None:
    """Make `path` a commented table.toml of this configuration, and load it. Returns the backup, if there is one.

    Raises ConfigError before anything is touched if the configuration has faults, SaveError if it cannot be written.
    """
    text = filled_in(config, EXAMPLE.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory(prefix="tacocat-setup-") as folder:
        trial = Path(folder) / path.name
        trial.write_text(text, encoding="utf-8")
        load(trial)
    kept = None
    if path.exists():
        before = DISK.read(path, most=LARGEST)
        if len(before) > LARGEST:
            raise SaveError(f"{path} has more than {LARGEST} bytes, and is no configuration: move it away first")
        if before != text.encode():
            kept = _back_up(path, before)
    replace_file(path, text.encode())
    load(path)
    return kept


def _back_up(path: Path, data: bytes) -> Path:
    """Raises SaveError: without a backup nothing is overwritten."""
    try:
        return back_up(path, data)
    except OSError as error:
        raise SaveError(f"{backup_of(path)} could not be saved: {why(error)}. {path} is as it was") from error

"""Files made to do harm, or something else altogether: refused soon, in a few readable lines, and nothing is lost."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.cards import YAY
from engine.events import ok_event
from engine.rules import Mode, Rules
from engine.transcript import format_transcript
from firmware.commands.deck import deck_command
from firmware.commands.games import games_command
from firmware.commands.replay import ReplayForm, replay
from firmware.commands.setup import setup_command
from firmware.config.reading import load
from firmware.config.values import ConfigError
from firmware.errors import FirmwareError
from firmware.files.disk import DISK, MAX_BYTES
from firmware.kept import games as kept_games
from firmware.kept.deck import parse_tags
from firmware.kept.games import read_game, unfinished_game
from firmware.kept.settings import Settings, parse_settings
from tests.support.limits import assert_readable, processor_s

CONFIGURATIONS = {
    "a key of thousands of parts": (b"a." * 30_000 + b"a = 1\n", "a line of 60005 characters"),
    "many keys of many parts": (b"".join(b"k%d." % n + b"a." * 490 + b"a = 1\n" for n in range(65)), "and 40 more"),
    "thousands of keys": (b"".join(b"key%d = 1\n" % n for n in range(5000)), "and 4975 more faults like these"),
    "a key that looks like a place": (b'"(at line 99999, column 1)" = 1\n' * 2, "line 2: found"),
    "a place that is no number": (b'["(at line ' + b"9" * 900 + b', column 1)"]\n' * 2, "line 2: found"),
    "a section that looks like a place": (b'["(at line 9, column 1)"]\n' * 2, "line 2: found"),
    "a key that is too long to be shown": (b"k" * 900 + b" = 1\n", "kkk\u2026"),
    "statements of many lines": (
        b"".join(b"x%d = [\n" % n + (b"1," * 100 + b"\n") * 150 + b"]\n" for n in range(2)),
        "x0: found an unknown key",
    ),
    "brackets": (b"x = " + b"[" * 900, "found"),
    "brackets on lines of their own": (b"x = [\n" + b"[\n" * 30_000, "nested far too deeply"),
    "orders to a terminal": (b'language = "\\u001b[2J\\u009b"\n', "u001b[2J"),
}


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_a_configuration_that_means_ill_is_refused(tmp_path: Path, name: str) -> None:
    data, words = CONFIGURATIONS[name]
    path = tmp_path / "table.toml"
    path.write_bytes(data)
    with processor_s(10), pytest.raises(ConfigError) as refusal:
        load(path)
    assert words in str(refusal.value)
    assert_readable(str(refusal.value))


@pytest.mark.parametrize("parse", [lambda text: parse_settings(text, Settings()), parse_tags])
@pytest.mark.parametrize(
    "text",
    [
        "x" * 60_000,
        "deck\n" * 12_000,
        "tacocat-settings 1\n" + "y" * 60_000,
        "tacocat-settings 1\nsound " + "y" * 60_000,
        "tacocat-deck 1\n" + "7b\n" * 20_000,
        "tacocat-deck 1\n7b " + "04" * 30_000,
        "\x1b[2J\x9b\u202e",
    ],
    ids=range(7),
)
def test_a_file_of_other_things_is_refused_in_a_message_that_can_be_read(
    parse: Callable[[str], object], text: str
) -> None:
    with processor_s(10), pytest.raises(FirmwareError) as refusal:
        parse(text)
    assert_readable(str(refusal.value))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"tacocat-deck 1\n7b \xff\n", "line 2 is not UTF-8 (byte 0xff)"),
        (b"tacocat-deck 1\n" + b"#" * MAX_BYTES, "larger than 64 KiB"),
        (b"", "it is empty"),
        (None, "there is no such file"),
    ],
)
def test_a_deck_that_is_none_is_not_imported_and_the_reason_is_told(
    tmp_path: Path, data: bytes | None, words: str
) -> None:
    out, err, there = io.StringIO(), io.StringIO(), tmp_path / "other.txt"
    if data is not None:
        there.write_bytes(data)
    assert deck_command(tmp_path / "deck.txt", "import", there, out, err) == 2
    assert words in err.getvalue() and "other.txt" in err.getvalue()
    assert not (tmp_path / "deck.txt").exists()


class Endless(io.RawIOBase):
    """A file that never ends and has no lines, such as a disk's device. `given`: how many bytes of it were read."""

    given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        assert self.given < 1 << 20, "it is read without end"
        buffer[:] = b"7" * len(buffer)
        self.given += len(buffer)
        return len(buffer)


def test_a_file_that_never_ends_is_refused_after_its_first_64_kib() -> None:
    out, err = io.StringIO(), io.StringIO()
    assert replay(io.BufferedReader(Endless()), "/dev/sda", ReplayForm.STORY, out, err) == 2
    assert err.getvalue() == "/dev/sda, line 1: a line of more than 65536 bytes: an event has a few\n"


GAME = format_transcript(Rules(mode=Mode.BOARD), [ok_event(YAY)]).encode()


def test_a_game_that_is_too_large_to_be_read_to_its_end_is_not_gone_on_with_and_stays_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game-0001.taco"
    path.write_bytes(GAME * 20)  # a second header is a fault: only what stands before counts
    assert unfinished_game(tmp_path) is not None
    monkeypatch.setattr(kept_games, "MAX_BYTES", len(GAME) + 5)
    assert "has more than" in read_game(path).fault or "line" in read_game(path).fault
    assert unfinished_game(tmp_path) is None
    assert path.read_bytes() == GAME * 20


def test_bytes_that_are_no_text_are_told_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "game-0001.taco"
    path.write_bytes(GAME + b"wow \xff\n")
    assert read_game(path).fault == "game-0001.taco, line 8: byte 5 is not UTF-8"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_transcript_is_exported_as_it_is_but_tells_a_terminal_nothing_to_do(tmp_path: Path) -> None:
    (tmp_path / "game-0001.taco").write_bytes(GAME + b"# \x1b[2J\xc2\x9bcaf\xc3\xa9\n")
    seen, err = Terminal(), io.StringIO()
    assert games_command(tmp_path, "export", 1, None, seen, err) == 0
    assert seen.getvalue() == GAME.decode() + "# \ufffd[2J\ufffdcaf\u00e9\n"
    piped = io.StringIO()
    assert games_command(tmp_path, "export", 1, None, piped, err) == 0
    assert piped.getvalue() == GAME.decode() + "# \x1b[2J\x9bcaf\u00e9\n"


def test_a_game_that_goes_away_while_it_is_exported_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "game-0001.taco"
    path.write_bytes(GAME)

    def fail(*_, **__):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(DISK, "read", fail)
    out, err = io.StringIO(), io.StringIO()
    assert games_command(tmp_path, "export", 1, None, out, err) == 2
    assert err.getvalue() == f"{path} cannot be read: Input/output error\n"


def test_an_answer_that_is_no_text_is_asked_for_again(tmp_path: Path) -> None:
    asked = iter([b"\xff", b"2 2 2 2 2 2 2", *[b""] * 5])
    said: list[str] = []
    assert setup_command(tmp_path / "table.toml", lambda prompt: next(asked).decode(), said.append) == 0
    assert "  That cannot be: an answer that is not UTF-8." in said
    assert load(tmp_path / "table.toml").board.hand_sizes == (2,) * 7

"""The command line in one process: its exit statuses, what each word hands on, and what its options may be."""

from __future__ import annotations

import contextlib
import io
import logging
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.cards import parse_deck
from engine.rules import Mode, Rules
from firmware import cli
from firmware.commands import check, deck, flash, games, logs, match, play, replay, setup
from firmware.commands.streams import OutputLostError
from firmware.errors import FirmwareError
from firmware.run.ending import Interrupted
from hardware.flash import FlashError


def arguments(*words: str) -> Any:
    return cli._parser().parse_args(list(words))


# ---- exit statuses -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("end", "status", "said", "diverted"),
    [
        (0, 0, "", False),
        (1, 1, "", False),
        (Interrupted(signal.SIGTERM), 143, "", False),
        (FirmwareError("a wrong word\x1b"), 2, "tacocat: a wrong word\ufffd\n", False),
        (OutputLostError(BrokenPipeError(32, "Broken pipe")), 0, "", True),
        (OutputLostError(OSError(28, "No space left")), 1, "tacocat: what it prints is lost: No space left\n", True),
        (OSError(5, "Input/output error"), 1, "tacocat: [Errno 5] Input/output error\n", True),
    ],
)
def test_how_a_command_ends_has_its_status(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    end: int | BaseException,
    status: int,
    said: str,
    diverted: bool,
) -> None:
    def command() -> int:
        if isinstance(end, BaseException):
            raise end
        return end

    lost: list[object] = []
    monkeypatch.setattr(cli, "divert", lost.append)
    monkeypatch.setitem(cli._COMMANDS, "games", lambda args: command)
    assert cli.main(["games"]) == status
    assert capsys.readouterr().err == said and lost == ([sys.stdout] if diverted else [])


@pytest.mark.parametrize(("argv", "for_good"), [(["games"], False), (None, True)])
def test_signals_are_left_caught_only_at_the_end_of_the_program(
    monkeypatch: pytest.MonkeyPatch, argv: list[str] | None, for_good: bool
) -> None:
    asked: list[bool] = []

    @contextlib.contextmanager
    def interrupted(for_good: bool) -> Iterator[None]:
        asked.append(for_good)
        yield

    monkeypatch.setattr(cli, "interrupted_by_signals", interrupted)
    monkeypatch.setitem(cli._COMMANDS, "games", lambda args: lambda: 0)
    monkeypatch.setattr(sys, "argv", ["tacocat", "games"])
    assert cli.main(argv) == 0 and asked == [for_good]


def test_help_is_printed_and_what_is_wrong_is_told_as_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    for words, status, out, err in (
        (["--help"], 0, "The table that plays along", ""),
        (["games", "--help"], 0, "the newest if left out", ""),
        (["nonsense"], 2, "", "invalid choice: 'nonsense'"),
    ):
        with pytest.raises(SystemExit) as ended:
            cli.main(words)
        said = capsys.readouterr()
        assert ended.value.code == status
        assert out in said.out and bool(said.out) is bool(out) and err in said.err and bool(said.err) is bool(err)


# ---- what each word hands on ---------------------------------------------------------------


class Called:
    """In the place of a command: `words` and `options` are what it was given."""

    def __init__(self) -> None:
        self.words: tuple[Any, ...] = ()
        self.options: dict[str, Any] = {}

    def __call__(self, *words: Any, **options: Any) -> int:
        self.words, self.options = words, options
        return 0


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> Callable[[object, str], Called]:
    def replace(module: object, name: str) -> Called:
        there = Called()
        monkeypatch.setattr(module, name, there)
        return there

    monkeypatch.setenv("STATE_DIRECTORY", "/usual")
    return replace


@pytest.mark.parametrize(("words", "folder"), [([], "/usual"), (["--state", "/mine"], "/mine")])
def test_decks_games_and_checks_are_of_the_named_folder_or_the_usual_one(
    called: Callable[[object, str], Called], words: list[str], folder: str
) -> None:
    listed, shown, looked = called(games, "games_command"), called(deck, "deck_command"), called(check, "check_command")
    assert [cli.main([word, *words]) for word in ("games", "deck", "check")] == [0, 0, 0]
    assert listed.words[:4] == (Path(folder, "games"), "list", None, None)
    assert shown.words[:3] == (Path(folder, "deck.txt"), "list", None)
    assert shown.options == {"stdin": sys.stdin.buffer, "force": False}
    assert looked.words[0].state == Path(folder)


def test_the_options_of_replay_check_and_games_are_handed_on(called: Callable[[object, str], Called]) -> None:
    told, looked, copied = called(replay, "replay_file"), called(check, "check_command"), called(games, "games_command")
    cli.main(["replay", "a.taco", "--json", "--points"])
    assert told.words[:2] == ("a.taco", replay.ReplayForm.JSON) and told.options == {"points": True}
    for words, how in ((["--public"], "public"), (["--public", "--json"], "public"), ([], "story")):
        cli.main(["replay", "a.taco", *words])
        assert told.words[:2] == ("a.taco", how) and told.options == {"points": False}
    cli.main(["check", "--virtual", "--json", "--no-ask", "--config", "a.toml"])
    options = looked.words[0]
    assert (options.backend, options.config_file, options.as_json, options.ask) == (
        "virtual",
        Path("a.toml"),
        True,
        False,
    )
    cli.main(["games", "export", "7", "out.taco", "--force"])
    assert copied.words[1:4] == ("export", 7, Path("out.taco")) and copied.options == {"force": True, "points": False}


PI, ELSEWHERE = True, False


@pytest.mark.parametrize(
    ("words", "on_a_pi", "table", "installed"),
    [
        ([], PI, "pi", True),
        ([], ELSEWHERE, "virtual", False),
        (["--device"], ELSEWHERE, "pi", True),
        (["--virtual"], PI, "virtual", False),
    ],
)
def test_a_pi_is_the_device_with_the_installed_configuration_and_all_else_the_virtual_table(
    monkeypatch: pytest.MonkeyPatch, words: list[str], on_a_pi: bool, table: str, installed: bool
) -> None:
    monkeypatch.setattr(cli, "is_pi", lambda: on_a_pi)
    monkeypatch.setattr(cli, "_installed_config", lambda: Path("/etc/tacocat/table.toml"))
    usual = Path("/etc/tacocat/table.toml") if installed else None
    assert cli._backend_and_config(arguments("check", *words)) == (table, usual)
    assert cli._backend_and_config(arguments("check", *words, "--config", "a.toml")) == (table, Path("a.toml"))


def test_the_installed_configuration_is_the_one_that_is_there(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    assert cli._installed_config(path) is None
    path.touch()
    assert cli._installed_config(path) == path


@pytest.mark.parametrize(
    ("words", "installed", "path"),
    [
        (["--config", "mine.toml"], True, Path("mine.toml")),
        ([], True, Path("/etc/tacocat/table.toml")),
        ([], False, Path("table.toml")),
    ],
)
def test_setup_writes_the_named_file_or_the_installed_one_or_one_here(
    monkeypatch: pytest.MonkeyPatch,
    called: Callable[[object, str], Called],
    words: list[str],
    installed: bool,
    path: Path,
) -> None:
    monkeypatch.setattr(cli, "_installed_config", lambda: Path("/etc/tacocat/table.toml") if installed else None)
    asked = called(setup, "setup_command")
    assert cli.main(["setup", *words]) == 0 and asked.words[0] == path


def test_a_setup_whose_questions_are_lost_has_written_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def lost(*_: object) -> int:
        raise OutputLostError(OSError(28, "No space left"))

    monkeypatch.setattr(setup, "setup_command", lost)
    monkeypatch.setattr(cli, "divert", lambda stream: None)
    assert cli.main(["setup"]) == 1
    assert capsys.readouterr().err == "tacocat setup: what it asks is lost: No space left. Nothing was written\n"


@pytest.mark.parametrize(
    ("words", "browser"),
    [
        (["--virtual"], True),
        (["--virtual", "--no-browser"], False),
        (["--device"], False),
        (["--device", "--no-browser"], False),
    ],
)
def test_a_browser_is_opened_for_a_virtual_table_alone_and_only_if_it_may(
    called: Callable[[object, str], Called], words: list[str], browser: bool
) -> None:
    began = called(play, "play_command")
    assert cli.main(["board", *words]) == 0
    assert (began.words[0].word, began.words[0].browser) == ("board", browser)


@pytest.mark.parametrize(("words", "level"), [([], logging.INFO), (["--quiet"], logging.WARNING)])
def test_a_quiet_session_says_only_what_is_wrong(
    monkeypatch: pytest.MonkeyPatch, called: Callable[[object, str], Called], words: list[str], level: int
) -> None:
    levels: list[int] = []

    @contextlib.contextmanager
    def told_by(handler: object, level: int) -> Iterator[None]:
        levels.append(level)
        yield

    monkeypatch.setattr(logs, "told_by", told_by)
    called(play, "play_command")
    assert cli.main(["board", "--virtual", *words]) == 0 and levels == [level]


def test_a_match_is_played_by_the_rules_of_the_configuration(
    called: Callable[[object, str], Called], tmp_path: Path
) -> None:
    played, path = called(match, "match_command"), tmp_path / "table.toml"
    path.write_text('[rules]\ndeck = "1x1 2x9 3x9 4x9 5x9"\n')
    assert cli.main(["match", "good", "random"]) == 0
    assert played.words[:5] == (("good", "random"), 100, 1, 100, Rules()) and played.options == {"closed": False}
    words = ["--pairs", "7", "--seed", "0", "--ms", "50", "--config", str(path), "--sandbox"]
    assert cli.main(["match", "good", "random", *words]) == 0
    assert played.words[:4] == (("good", "random"), 7, 0, 50) and played.options == {"closed": True}
    assert played.words[4].deck == parse_deck("1x1 2x9 3x9 4x9 5x9") and played.words[4].mode is Mode.PLAY


# ---- options -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "least", "most", "wrong"),
    [
        ("--pairs", "1", "9999999", ["0", "0000000", "10000000", "x", "-1", "1.5", "", "²", "٣", "1" * 5000]),
        ("--ms", "1", "9999999", ["0", "10000000", "1e3"]),
        ("--seed", "0", "9" * 15, ["1" + "0" * 15, "-1", "x", "", "²", "9" * 5000]),
    ],
)
def test_the_numbers_of_a_match_are_whole_and_within_their_limits(
    capsys: pytest.CaptureFixture[str], option: str, least: str, most: str, wrong: list[str]
) -> None:
    for right in (least, most):
        assert getattr(arguments("match", "good", "good", option, right), option.strip("-")) == int(right)
    for text in wrong:
        with pytest.raises(SystemExit):
            arguments("match", "good", "good", f"{option}={text}")
        assert "found, a whole number" in capsys.readouterr().err


def test_a_port_is_from_0_to_65535(capsys: pytest.CaptureFixture[str]) -> None:
    assert [arguments("board", "--port", text).port for text in ("0", "8000", "65535")] == [0, 8000, 65535]
    for text in ("65536", "99999", "100000", "9" * 5000, "x", "", "²", "٣"):
        with pytest.raises(SystemExit):
            arguments("board", f"--port={text}")
        assert "is not a port: 0 to 65535 is expected" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "file"),
    [
        (["export", "--", "-x"], "./-x"),
        (["export", "--", "--force"], "./--force"),
        (["export", "--", "x"], "x"),
        (["export", "--", "-"], "-"),
        (["export", "x", "--force"], "x"),
    ],
)
def test_behind_two_dashes_every_word_is_a_file(words: list[str], file: str) -> None:
    assert arguments("deck", *words).file == Path(file)
    if words[1] == "--":
        assert arguments("replay", *words[1:]).file == file  # as it is named in what is said of it


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Table.Example", "table.example"),
        ("table.example.", "table.example"),
        ("192.0.2.1", "192.0.2.1"),
        ("[2001:DB8::1]", "2001:db8::1"),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.1"),
    ],
)
def test_a_name_of_a_host_is_taken_as_a_browser_writes_it(text: str, name: str) -> None:
    assert arguments("board", "--allow-host", text).allow_host == [name]


@pytest.mark.parametrize("text", ["table.example:8000", "a b", "", "http://x", "a/b", "x\n"])
def test_what_is_no_name_of_a_host_is_refused(capsys: pytest.CaptureFixture[str], text: str) -> None:
    with pytest.raises(SystemExit):
        arguments("board", f"--allow-host={text}")
    assert "is not a name of a host" in capsys.readouterr().err


@pytest.mark.parametrize("empty", ["", " "])
@pytest.mark.parametrize("words", [["play", "--virtual", "--host"], ["run", "--host"], ["flash", "--port"]])
def test_an_empty_name_stands_neither_for_all_networks_nor_for_any_port(words, empty, capsys):
    with pytest.raises(SystemExit):
        arguments(*words, empty)
    assert f"{empty!r} is no name" in capsys.readouterr().err


# ---- flashing ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("end", "status", "said"),
    [
        (None, 0, ""),
        (FlashError("there is no Pico\x1b"), 1, "tacocat flash: there is no Pico\ufffd\n"),
        (Interrupted(signal.SIGINT), 130, "tacocat flash: stopped half way. Run it again: until then"),
    ],
)
def test_a_flashing_has_its_status_and_one_that_was_stopped_is_to_be_done_again(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    end: BaseException | None,
    status: int,
    said: str,
) -> None:
    ports: list[str | None] = []

    def flashed(find: object, program: Path, say: Callable[[str], None], port: str | None) -> None:
        ports.append(port)
        say("words")
        if end is not None:
            raise end

    monkeypatch.setattr(flash, "flash", flashed)
    assert cli.main(["flash"]) == cli.main(["flash", "--port", "/dev/ttyACM1"]) == status
    found = capsys.readouterr()
    assert ports == [None, "/dev/ttyACM1"] and found.out == "words\n" * 2 and found.err.startswith(said)


# ---- what is said and read -----------------------------------------------------------------


def test_flashing_goes_on_when_nobody_listens_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError(32, "Broken pipe")

    gone, lost = Gone(), list[object]()
    monkeypatch.setattr(sys, "stdout", gone)
    monkeypatch.setattr(cli, "divert", lost.append)
    cli._say_if_heard("words")
    assert lost == [gone]


def test_an_answer_that_cannot_be_read_is_output_that_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(prompt: str) -> str:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("builtins.input", broken)
    with pytest.raises(OutputLostError):
        cli._read("? ")
    monkeypatch.setattr("builtins.input", lambda prompt: prompt)
    assert cli._read("? ") == "? "

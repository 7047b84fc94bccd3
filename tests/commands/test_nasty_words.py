"""Whatever a name, a file, an environment or a stream holds, a terminal is told nothing to do by what is printed."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import sys
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from firmware import cli
from hardware.link import FoundPort

# An operating system's command, a screen wiped, a direction turned round, another's line: as any name may have them.
NAME = "a\x1b]0;x\x07\x1b[2J\u202e\x9b\nFAKE\r\u2028FAKE\udcff\u2066z"
LONG = NAME + "y" * 10_000
CONTENT = f"{NAME}\0{LONG}\n{NAME}".encode("utf-8", "surrogateescape")
LONGEST = 2100  # of a line, with what it is moved in by


def faults_of(text: str) -> list[str]:
    """What is wrong with a text for a terminal."""
    lines = text.split("\n")
    raw = sorted({f"U+{ord(c):04X}" for c in text if c != "\n" and unicodedata.category(c)[0] in "CZ" and c != " "})
    return [
        *raw,
        *(f"a line of its own: {line[:60]!r}" for line in lines if line.startswith("FAKE")),
        *(f"a line of {len(line)} characters: {line[:60]!r}" for line in lines if len(line) > LONGEST),
    ]


def write(path: Path, content: bytes = CONTENT) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def state(folder: Path, **files: bytes) -> Path:
    """A state folder of a nasty name."""
    for name, content in files.items():
        write(folder / NAME / name.replace("__", "/").replace("_txt", ".txt").replace("_taco", ".taco"), content)
    (folder / NAME).mkdir(exist_ok=True)
    return folder / NAME


HEAD = b"tacocat 1\nrules mode=board"
HEADER_FIELDS = [
    b"tacocat " + CONTENT,
    b"tacocat 1\nrules " + CONTENT,
    b"tacocat 1\nrules mode=" + CONTENT,
    b"tacocat 1\nrules mode=board deck=" + CONTENT,
    b"tacocat 1\nrules mode=board\n# " + CONTENT,
    b"tacocat 1\nrules mode=board\nok yay\n" + CONTENT,
    b"tacocat 1\nrules mode=board\nok " + CONTENT,
    b"tacocat 1\nrules mode=board\nok yay",
    CONTENT,
]
SETTINGS = b"tacocat settings 1\nsound " + CONTENT + b"\n" + CONTENT + b" on\nbrightness " + CONTENT
DECK = b"tacocat deck 1\n7b " + CONTENT + b"\n" + CONTENT
TOML = [
    CONTENT,
    b'language = "\\u001b[2J\\u202e\\nFAKE"\n',
    b"[table]\n" + b"x" * 10_000 + b" = 1\n",
    b'[screen]\ncontroller = "\\u001b]0;x\\u0007\\nFAKE' + b"y" * 10_000 + b'"\n',
    b'["\\u001b[2J\\nFAKE"]\na = 1\n',
]


def words_of_the_command_line(at: Path) -> Iterator[list[str]]:
    for word in (NAME, LONG):
        yield [word]
        yield ["replay", word]
        yield ["replay", "a.taco", word, word]
        yield ["games", word]
        yield ["games", "show", word]
        yield ["games", "show", "3", "--state", word]
        yield ["games", "--state", f"{at}/{word}"]
        yield ["deck", word]
        yield ["deck", "list", "--state", f"{at}/{word}"]
        yield ["deck", "import", word, "--state", f"{at}/state"]
        yield ["deck", "export", f"{at}/no/{word}", "--state", f"{at}/state"]
        yield ["bot", "--level", word]
        yield ["match", word, "random", "--pairs", "1"]
        yield ["match", "random", "random", "--pairs", word]
        yield ["match", "random", "random", "--config", word]
        yield ["flash", "--port", word]
        yield ["setup", "--config", f"{at}/no/{word}"]
        yield ["setup", word]
        yield ["check", "--virtual", "--config", word, "--state", f"{at}/state"]
        for rest in (["--config", word], ["--state", f"{at}/no.txt/{word}"], ["--port", word], ["--allow-host", word]):
            yield ["board", "--virtual", "--no-browser", *rest]
        yield ["board", "--virtual", "--no-browser", "--state", f"{at}/state", "--host", word]


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Nobody answers, and all that is kept is kept here."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "no.txt", b"")
    return tmp_path


def run(words: list[str]) -> None:
    with contextlib.suppress(SystemExit):
        cli.main(words)


Told = Callable[[], str]


@pytest.fixture
def told(quiet: Path, capfd: pytest.CaptureFixture[str]) -> Told:
    def read() -> str:
        seen = capfd.readouterr()
        return seen.out + seen.err

    return read


def test_no_word_of_the_command_line_arrives_raw(quiet: Path, told: Told) -> None:
    wrong = {}
    for words in words_of_the_command_line(quiet):
        run(words)
        said = told()
        if found := faults_of(said):
            wrong[" ".join(words)[:90]] = found, said[:300]
    assert wrong == {}


@pytest.mark.parametrize("content", HEADER_FIELDS)
def test_no_word_of_a_transcript_arrives_raw(quiet: Path, told: Told, content: bytes) -> None:
    path = write(quiet / NAME / "games" / "game-0001.taco", content)
    write(path.with_name(NAME), content)
    write(path.with_name(f"{NAME}.taco"), content)
    write(path.with_name("game-0002.taco") / "x", content)
    for words in (
        ["replay", str(path)],
        ["replay", "--json", str(path)],
        ["replay", str(path.with_name(NAME))],
        ["games", "--state", str(quiet / NAME)],
        ["games", "show", "--state", str(quiet / NAME)],
        ["games", "show", "1", "--points", "--state", str(quiet / NAME)],
        ["games", "export", "1", str(path), "--state", str(quiet / NAME)],
        ["games", "export", "2", "--state", str(quiet / NAME)],
    ):
        run(words)
        said = told()
        assert faults_of(said) == [], (words[:2], said[:400])


def test_no_word_of_a_deck_arrives_raw(quiet: Path, told: Told) -> None:
    for content in (DECK, CONTENT, b"tacocat deck " + CONTENT):
        kept = state(quiet, deck_txt=content)
        for words in (
            ["deck", "list", "--state", str(kept)],
            ["deck", "export", str(kept / NAME), "--state", str(kept)],
            ["deck", "import", str(kept / "deck.txt"), "--state", str(kept / "other")],
        ):
            run(words)
            said = told()
            assert faults_of(said) == [], (words[:2], said[:400])


@pytest.mark.parametrize("content", TOML)
def test_no_word_of_a_configuration_arrives_raw(quiet: Path, told: Told, content: bytes) -> None:
    path = write(quiet / NAME / "table.toml", content)
    for words in (
        ["setup", "--config", str(path)],
        ["match", "random", "random", "--pairs", "1", "--config", str(path)],
        ["board", "--virtual", "--no-browser", "--config", str(path)],
        ["check", "--virtual", "--config", str(path)],
        ["check", "--virtual", "--json", "--config", str(path)],
    ):
        run(words)
        said = told()
        if "--json" in words:  # one line, for a program
            assert said.count("\n") == 1
            said = "\n".join(f"{row}" for row in json.loads(said)["rows"])
        assert faults_of(said) == [], (words[:2], said[:400])


def test_no_setting_arrives_raw(quiet: Path, told: Told) -> None:
    kept = state(quiet, settings_txt=SETTINGS, games__odd_taco=CONTENT)
    write(kept / "games" / NAME)
    no_host = ["--no-browser", "--host", "no such host"]  # ends when the parts are open, and all has been read
    for words in (["check"], ["board", *no_host], ["run", *no_host]):
        run([words[0], "--virtual", *words[1:], "--state", str(kept)])
        said = told()
        assert faults_of(said) == [], (words, said[:400])


BOT = f"import os; os.write(2, {CONTENT!r}); os.write(1, b'info ' + {CONTENT!r} + b'\\n')"


@pytest.mark.parametrize("places", [("bot", "random"), ("random", "bot")])
def test_no_word_of_a_bot_arrives_raw(quiet: Path, told: Told, places: tuple[str, str]) -> None:
    bot = write(quiet / "bot.py", BOT.encode())
    command = shlex.join([sys.executable, "-I", str(bot)])
    run(["match", *(command if place == "bot" else place for place in places), "--pairs", "1", "--ms", "1"])
    said = told()
    assert "a line of more than 1000 bytes" in said and faults_of(said) == [], said[:400]


def test_no_word_of_a_pico_arrives_raw(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware.commands.flash.find_picos", lambda: [FoundPort(NAME, LONG), FoundPort(LONG, NAME)])
    run(["flash"])
    said = told()
    assert "FAKE" in said and faults_of(said) == [], said[:400]


def test_no_answer_arrives_raw(quiet: Path, told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [NAME, LONG, "\0", "\udcff", *("" for _ in range(3)), NAME]
    monkeypatch.setattr("builtins.input", lambda prompt: (print(prompt), answers.pop(0) if answers else "")[1])
    run(["setup", "--config", str(quiet / NAME)])
    said = told()
    assert "Written: " in said and faults_of(said) == [], said[:400]


ENVIRONMENT = ["HOME", "XDG_STATE_HOME", "STATE_DIRECTORY", "RUNTIME_DIRECTORY", "NOTIFY_SOCKET", "WATCHDOG_USEC"]


@pytest.mark.parametrize("name", [*ENVIRONMENT, "LANG", "LANGUAGE", "COLUMNS", "JOURNAL_STREAM", "TMPDIR"])
def test_no_variable_of_the_environment_arrives_raw(
    quiet: Path, told: Told, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    for value in (NAME, f"/{NAME}", f"{quiet}/no.txt/{NAME}", f"{quiet}/{NAME}"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
        if name == "XDG_STATE_HOME":
            monkeypatch.delenv("STATE_DIRECTORY", raising=False)
        if name == "HOME":
            monkeypatch.delenv("XDG_STATE_HOME", raising=False)
        monkeypatch.setenv(name, value)
        os.environ.pop("PYTEST_CURRENT_TEST", None)
        for words in (
            ["deck"],
            ["games"],
            ["deck", "export", "x"],
            ["board", "--virtual", "--no-browser", "--port", "0", "--host", "no such host"],
        ):
            run(words)
            said = told()
            assert faults_of(said) == [], (words, said[:400])

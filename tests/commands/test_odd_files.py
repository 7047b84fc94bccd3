"""Each thing in a state folder, and in its place in turn all that is no file, or a file of something else."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import chdir
from pathlib import Path

import pytest

from engine.cards import YAY
from engine.events import ok_event
from engine.rules import Mode, Rules
from firmware import cli
from firmware.check import host
from firmware.check.system import System
from firmware.config.values import Config
from firmware.files.disk import DISK, MAX_BYTES, Disk, NotPlainError
from firmware.files.whole import SaveError
from firmware.kept import deck as decks
from firmware.kept import settings
from firmware.kept.deck import Tags, format_tags
from firmware.kept.folder import DECK_FILE, GAMES_FOLDER, LOCK_FILE
from firmware.kept.games import unfinished_game
from firmware.kept.journal import Journal
from firmware.table.findings import State
from firmware.virtual.deck import virtual_tags

Make = Callable[[Path], object]
TAGS = Tags.of(virtual_tags(Config().deck))
GAME = f"{GAMES_FOLDER}/game-0002.taco"  # the newest


def sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 100 << 20)


def bound(path: Path) -> None:
    with chdir(path.parent), socket.socket(socket.AF_UNIX) as made:  # an address has 108 bytes, a folder more
        made.bind(path.name)


# What is there, and what is said of it where a file is expected.
NO_FILES: dict[str, tuple[Make, str]] = {
    "a dangling link": (
        lambda path: path.symlink_to("/nowhere/at/all"),
        "a link to /nowhere/at/all, which is not there",
    ),
    "a link to itself": (lambda path: path.symlink_to(path.name), "leads back to itself"),
    "a link to /dev/full": (lambda path: path.symlink_to("/dev/full"), "it is a device, not a file"),
    "a link to /dev/zero": (lambda path: path.symlink_to("/dev/zero"), "it is a device, not a file"),
    "a folder": (Path.mkdir, "it is a folder, not a file"),
    "a pipe": (os.mkfifo, "it is a pipe"),
    "a socket": (bound, "it is a socket, not a file"),
}
OTHER_FILES: dict[str, tuple[Make, str]] = {
    "100 MB": (sparse, "larger than 64 KiB"),
    "NUL bytes": (lambda path: path.write_bytes(bytes(3000)), "line 1"),
}
no_file = pytest.mark.parametrize(("make", "said"), NO_FILES.values(), ids=NO_FILES)
any_thing = pytest.mark.parametrize(("make", "said"), (NO_FILES | OTHER_FILES).values(), ids=(*NO_FILES, *OTHER_FILES))
not_plain = pytest.mark.parametrize(
    ("make", "said"), [NO_FILES[name] for name in NO_FILES if "link to i" not in name and "dangling" not in name]
)


@pytest.fixture
def state(tmp_path: Path) -> Iterator[Path]:
    """A state folder with a deck, and one game that is unfinished. Nothing that was there may be touched by a test."""
    folder = tmp_path / "state"
    folder.mkdir()
    decks.save(folder / DECK_FILE, TAGS)
    journal = Journal(folder / GAMES_FOLDER)
    journal.begin(Rules(mode=Mode.BOARD))
    journal.append([ok_event(YAY)])
    journal.close()
    game = folder / GAMES_FOLDER / "game-0001.taco"
    before = game.read_bytes()
    yield folder
    assert not game.exists() or game.read_bytes() == before


def put(state: Path, name: str, make: Make) -> Path:
    path = state / name
    path.unlink(missing_ok=True)
    make(path)
    return path


def run(state: Path, *words: str) -> int:
    return cli.main([*words, "--state", str(state)])


@no_file
def test_what_stands_in_the_deck_s_place_is_named_stays_and_is_no_deck(
    state: Path, make: Make, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = put(state, DECK_FILE, make)
    was = os.lstat(path)
    assert run(state, "deck", "list") == run(state, "deck", "export") == 1
    told = capsys.readouterr()
    assert str(path) in told.err and said in told.err and told.out == ""
    new = state / "new.txt"
    new.write_text(format_tags(TAGS))
    assert run(state, "deck", "import", str(new)) == 2
    told = capsys.readouterr()
    assert str(path) in told.err and said in told.err and "Taken" not in told.out
    assert os.path.samestat(os.lstat(path), was)


@not_plain
def test_who_has_something_else_in_a_file_s_place_is_told_to_move_it_and_not_to_make_room(
    state: Path, make: Make, said: str
) -> None:
    path = put(state, DECK_FILE, make)
    _, (notice,) = decks.load(path)
    assert str(notice).startswith(f"{path}: {said}") and "or move it away" in str(notice)
    with pytest.raises(SaveError, match="or move it away") as refusal:
        decks.save(path, TAGS)
    assert "space" not in str(refusal.value)


def test_a_file_in_a_bad_sector_is_not_to_be_moved(state: Path) -> None:
    _, (notice,) = decks.load(state / DECK_FILE, Failing())
    assert "it cannot be read now: Input/output error; it was left as it is" in str(notice)
    assert "move" not in str(notice)


class Deaf(Disk):
    """Takes no byte, and says nothing of it."""

    def write(self, handle: int, data: bytes) -> int:
        return 0


def test_a_disk_that_takes_nothing_is_not_asked_for_ever(state: Path) -> None:
    with pytest.raises(SaveError, match="nothing was written"):
        decks.save(state / DECK_FILE, Tags(TAGS.pairs[1:]), Deaf())
    assert decks.load(state / DECK_FILE) == (TAGS, ())


@pytest.mark.parametrize("name", [f"{DECK_FILE}.new", f"{DECK_FILE}.bak"])
def test_a_folder_in_the_way_of_saving_is_named_itself(state: Path, name: str) -> None:
    path = put(state, name, Path.mkdir)
    (path / "mine").write_text("kept")
    with pytest.raises(SaveError, match=rf"{path}.* a folder.*or move it away"):
        decks.save(state / DECK_FILE, Tags(TAGS.pairs[1:]))
    assert (path / "mine").read_text() == "kept" and decks.load(state / DECK_FILE) == (TAGS, ())


@any_thing
def test_a_start_goes_on_without_the_settings_and_says_why(state: Path, make: Make, said: str) -> None:
    path = put(state, settings.FILE_NAME, make)
    loaded, notices = settings.load(state, Config())
    told = " ".join(map(str, notices))
    assert loaded == settings.settings_of(Config()) and str(path) in told and said in told


@any_thing
def test_check_finds_what_stands_in_a_file_s_place_and_sends_nobody_to_buy_a_card(
    state: Path, make: Make, said: str
) -> None:
    for name in (DECK_FILE, settings.FILE_NAME, GAME):
        path = put(state, name, make)
        row = host.probe_disk(System(Config(), state))
        if (make, said) in NO_FILES.values():
            assert row.state is State.FAULT and f"{path}: it cannot be read: " in row.found and said in row.found
            assert row.remedy == f"something else is in the way: mv -n {path} {path}.old"
        else:
            assert row.state is State.OK
        path.rmdir() if make is Path.mkdir else path.unlink()


class Failing(Disk):
    """One file lies in a bad sector."""

    def read(self, path: Path, most: int = MAX_BYTES) -> bytes:
        if path.name == DECK_FILE:
            raise OSError(errno.EIO, "Input/output error")
        return super().read(path, most)


class Refusing(Disk):
    """One file is somebody else's, who lets nobody read it."""

    def read(self, path: Path, most: int = MAX_BYTES) -> bytes:
        if path.name == DECK_FILE:
            raise PermissionError(errno.EACCES, "Permission denied")
        return super().read(path, most)


def test_who_may_not_read_a_file_is_not_sent_to_buy_a_card(state: Path) -> None:
    row = host.probe_disk(System(Config(), state, user="pi", disk=Refusing()))
    assert "Permission denied" in row.found and row.remedy == f"sudo chown -R pi {state / DECK_FILE}"


def test_a_disk_that_fails_is_put_right_before_what_stands_in_a_file_s_place(state: Path) -> None:
    put(state, settings.FILE_NAME, os.mkfifo)
    row = host.probe_disk(System(Config(), state, disk=Failing()))
    assert "it is a pipe" in row.found and "Input/output error" in row.found and "new SD card" in row.remedy


@any_thing
def test_something_else_in_the_newest_game_s_place_is_named_by_each_command_that_is_asked_for_it(
    state: Path, make: Make, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = put(state, GAME, make)
    run(state, "games", "list")
    told = capsys.readouterr()
    assert "    1  board" in told.out and ("    2  " in told.out or path.name in told.err)
    assert (
        run(state, "games", "show", "2") == run(state, "games", "export", "2") == cli.main(["replay", str(path)]) == 2
    )
    told = capsys.readouterr()
    assert len(told.err.splitlines()) == 3 and all(line.startswith(str(path)) for line in told.err.splitlines())
    assert told.out == "" and (make is sparse or told.err.count(said) == 3)


@any_thing
def test_the_newest_game_is_the_newest_that_is_a_file_and_what_else_has_the_name_of_one_is_said(
    state: Path, make: Make, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """But where a link has led, or a file is damaged, a newer game may be."""
    path = put(state, GAME, make)
    newer = "nowhere" in said or (make, said) in OTHER_FILES.values()
    for what in ("show", "export"):
        assert run(state, "games", what) == (2 if newer else 0)
        told = capsys.readouterr()
        assert str(path) in told.err if newer else f"these are no files: {path.name}; " in told.err
        assert ("yay ok" in told.out) is not newer
    (state / GAMES_FOLDER / "game-0001.taco").unlink()
    assert run(state, "games", "show") == 2
    assert ("none yet" in capsys.readouterr().err) is not newer


def test_a_transcript_that_has_lost_its_text_is_passed_over_and_said(state: Path) -> None:
    path = put(state, GAME, OTHER_FILES["NUL bytes"][0])
    said: list[str] = []
    offered = unfinished_game(state / GAMES_FOLDER, said.append)
    assert offered is not None and offered.path.name == "game-0001.taco"
    assert said[0].startswith(f"{path.name}, line 1: NUL bytes")


def test_nul_bytes_behind_the_last_whole_line_are_dropped_as_a_line_that_was_cut_short(
    state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = state / GAMES_FOLDER / "game-0003.taco"
    path.write_bytes(b"mode board\nyay ok\n" + bytes(100))
    assert cli.main(["replay", str(path)]) == 0
    told = capsys.readouterr()
    assert "yay ok" in told.out and "line 3: no newline at its end, so it may be cut short: dropped" in told.err
    assert run(state, "games", "export") == 0 and capsys.readouterr().out.encode() == path.read_bytes()


def test_a_game_that_is_too_large_is_not_exported_in_part(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = put(state, GAME, sparse)
    assert run(state, "games", "export", "2", str(state / "copy.taco")) == 2
    assert f"{path} has more than 4000000 bytes" in capsys.readouterr().err and not (state / "copy.taco").exists()


def test_no_older_game_is_offered_where_the_newest_is_a_link_to_what_is_not_there_now(state: Path) -> None:
    offered = unfinished_game(state / GAMES_FOLDER)
    assert offered is not None and offered.path.name == "game-0001.taco"
    path = put(state, GAME, NO_FILES["a dangling link"][0])
    said: list[str] = []
    assert unfinished_game(state / GAMES_FOLDER, said.append) is None
    assert said[0].startswith(f"{path}: it cannot be read now: it is a link to /nowhere/at/all, which is not there")


@pytest.mark.parametrize("make", [make for make, _ in (NO_FILES | OTHER_FILES).values() if make is not Path.mkdir])
def test_what_stands_in_the_place_of_the_games_is_not_taken_for_no_games(
    state: Path, make: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    (state / GAMES_FOLDER / "game-0001.taco").unlink()
    (state / GAMES_FOLDER).rmdir()
    path = put(state, GAMES_FOLDER, make)
    for what in ("list", "show", "export"):
        assert run(state, "games", what) == 1
        told = capsys.readouterr()
        assert str(path) in told.err and told.out == ""
        assert "or move it away" in told.err and "Not a directory" not in told.err
        assert ("not a folder" in told.err) is not ("link " in told.err)
    said: list[str] = []
    assert unfinished_game(path, said.append) is None and str(path) in said[0]
    row = host.probe_disk(System(Config(), state))
    assert row.state is State.FAULT and str(path) in row.found and row.remedy.endswith(f"mv -n {path} {path}.old")


def test_games_that_a_failing_disk_does_not_list_are_not_to_be_moved(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def names(disk: Disk, folder: Path) -> list[str]:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(Disk, "names", names)
    assert run(state, "games", "list") == 1
    told = capsys.readouterr().err
    assert told == f"{state / GAMES_FOLDER}: the games that are kept cannot be listed: Input/output error\n"


def test_a_state_folder_that_is_a_link_to_nowhere_is_not_taken_for_an_empty_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    link = tmp_path / "link"
    link.symlink_to("/nowhere/at/all")
    for words in (("games", "list"), ("deck", "list")):
        assert run(link, *words) == 1
        told = capsys.readouterr()
        assert f"{link} is a link to /nowhere/at/all, which is not there" in told.err and told.out == ""


@pytest.mark.parametrize("make", [make for make, _ in NO_FILES.values()], ids=NO_FILES)
def test_a_lock_that_is_no_file_is_named_with_what_to_do(
    state: Path, make: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    path = put(state, LOCK_FILE, make)
    new = state / "new.txt"
    new.write_text(format_tags(TAGS))
    assert run(state, "deck", "import", str(new)) == 2
    said = capsys.readouterr().err
    assert f"{path}, the lock of the table, is " in said and "remove it, then start again" in said


@any_thing
def test_a_table_toml_that_is_none_is_named(
    state: Path, make: Make, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = put(state, "table.toml", make)
    assert run(state, "play", "--virtual", "--no-browser", "--config", str(path)) == 2
    told = capsys.readouterr().err
    assert str(path) in told and (make is sparse or said in told)


def test_a_transcript_that_is_a_link_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(b"mine")
    (tmp_path / "link").symlink_to("other")
    with pytest.raises(NotPlainError, match="it is a link, which is not followed"):
        DISK.extend(tmp_path / "link")

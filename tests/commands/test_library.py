"""tacocat games and tacocat deck."""

import errno
import io
from pathlib import Path

import pytest

from engine.cards import WOW, YAY, parse_deck
from engine.events import card_event, ok_event
from engine.game import new_game
from engine.rules import Mode, Rules
from engine.transcript import Solo
from firmware import cli
from firmware.commands.deck import deck_command
from firmware.commands.games import describe
from firmware.config.values import Config
from firmware.files.disk import DISK, MAX_BYTES
from firmware.kept.deck import Tags, format_tags, load, save
from firmware.kept.folder import DECK_FILE, GAMES_FOLDER, LOCK_FILE, lock_state
from firmware.kept.games import ENDED, KeptGame
from firmware.kept.journal import Journal, SoloGame
from firmware.virtual.deck import virtual_tags


def kept_games(state):
    journal = Journal(state / GAMES_FOLDER)
    journal.begin(Rules(mode=Mode.BOARD))
    journal.append([ok_event(YAY)] * 4)
    journal.begin(Rules(mode=Mode.REFEREE))
    journal.append([ok_event(YAY)])
    journal.begin(Rules(mode=Mode.REFEREE))
    journal.append([ok_event(YAY)])
    journal.note(ENDED)
    journal.close()


def test_games_are_listed_with_how_they_ended(tmp_path, capsys):
    kept_games(tmp_path)
    assert cli.main(["games", "--state", str(tmp_path)]) == 0
    said = capsys.readouterr()
    lines = said.out.splitlines()
    assert [line.rpartition(": ")[2] for line in lines] == ["YAY won", "unfinished", "ended by the players"]
    assert said.err == ""


def test_a_game_against_the_table_is_listed_and_told_with_who_played_for_it(tmp_path, capsys):
    journal = Journal(tmp_path / GAMES_FOLDER)
    journal.take(SoloGame(Rules(), Solo(WOW, "strong", 4)))
    cards = Rules().deck.cards
    journal.append([card_event(YAY, cards[0]), card_event(WOW, cards[1])])
    journal.keep()
    journal.close()
    assert cli.main(["games", "--state", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "    1  solo        2 events, round 1: unfinished; the table was WOW, strong\n"
    assert cli.main(["games", "show", "--state", str(tmp_path)]) == 0
    assert "WOW is the table (strong)" in capsys.readouterr().out.splitlines()[0]


def test_an_answer_of_the_tables_that_was_undone_is_said_in_the_list(tmp_path):
    game = KeptGame(tmp_path, Rules(), new_game(), 9, 1, 1, True, "", solo=Solo(YAY, "gentle", 0), answer_undone=True)
    assert describe(game).endswith(
        "ended by the players; the table was YAY, gentle; an answer of the table's was undone"
    )


def test_a_game_is_shown_as_a_story_and_exported_as_its_transcript(tmp_path, capsys):
    kept_games(tmp_path)
    assert cli.main(["games", "show", "1", "--state", str(tmp_path)]) == 0
    assert "YAY wins the game" in capsys.readouterr().out
    out = tmp_path / "out.taco"
    assert cli.main(["games", "export", "1", str(out), "--state", str(tmp_path)]) == 0
    assert out.read_bytes() == (tmp_path / GAMES_FOLDER / "game-0001.taco").read_bytes()


def test_a_game_that_is_not_there_is_said_with_those_that_are(tmp_path, capsys):
    assert cli.main(["games", "show", "7", "--state", str(tmp_path)]) == 2
    assert "none yet" in capsys.readouterr().err
    kept_games(tmp_path)
    assert cli.main(["games", "show", "7", "--state", str(tmp_path)]) == 2
    assert "1 to 3" in capsys.readouterr().err


def test_a_deck_is_listed_exported_and_imported(tmp_path, capsys):
    tags = Tags.of(virtual_tags(Config().deck))
    state = tmp_path / "state"
    assert cli.main(["deck", "--state", str(state)]) == 0
    assert "No deck yet" in capsys.readouterr().out
    state.mkdir()
    save(state / DECK_FILE, tags)
    assert cli.main(["deck", "list", "--state", str(state)]) == 0
    assert "38 cards" in capsys.readouterr().out
    copy = tmp_path / "copy.txt"
    assert cli.main(["deck", "export", str(copy), "--state", str(state)]) == 0
    other = tmp_path / "other"
    assert cli.main(["deck", "import", str(copy), "--state", str(other)]) == 0
    assert load(other / DECK_FILE)[0] == tags


def test_a_faulty_deck_is_not_imported(tmp_path, capsys):
    bad = tmp_path / "bad.txt"
    bad.write_text("tacocat-deck 1\n7b 04a1b2c3d4e5f6\n")
    assert cli.main(["deck", "import", str(bad), "--state", str(tmp_path)]) == 2
    assert "not taken" in capsys.readouterr().err
    bad.write_text("tacocat-deck 1\n7b 04a1\n")
    assert cli.main(["deck", "import", str(bad), "--state", str(tmp_path)]) == 2
    assert "line 2" in capsys.readouterr().err
    assert not (tmp_path / DECK_FILE).exists()


def test_a_deck_is_not_imported_under_a_table_that_would_save_over_it(tmp_path, capsys):
    copy, state = tmp_path / "copy.txt", tmp_path / "state"
    save(copy, Tags.of(virtual_tags(Config().deck)))
    with lock_state(state, "tacocat play"):
        assert cli.main(["deck", "import", str(copy), "--state", str(state)]) == 2
    err = capsys.readouterr().err
    assert "in use by tacocat play (process" in err and "Stop that first" in err and err.count("\n") == 1
    assert "cannot be locked" not in err
    assert not (state / DECK_FILE).exists()
    assert cli.main(["deck", "import", str(copy), "--state", str(state)]) == 0
    assert load(state / DECK_FILE)[0] == load(copy)[0]


def test_other_transcripts_in_the_folder_are_named_once_and_not_listed(tmp_path, capsys):
    games = tmp_path / "games"
    games.mkdir()
    for name in ("from-a-friend.taco", "b\x1b[2J.taco", *(f"x{n}.taco" for n in range(9)), "notes.txt"):
        (games / name).write_text("mode board\n")
    assert cli.main(["games", "--state", str(tmp_path)]) == 0
    said = capsys.readouterr()
    assert "No games yet" in said.out and "taco" not in said.out.replace(str(tmp_path), "")
    assert said.err.count("\n") == 1 and "\x1b" not in said.err
    assert "from-a-friend.taco" in said.err and "and 6 more" in said.err and "game-0001.taco" in said.err


@pytest.mark.parametrize("text", [None, "tacocat-deck 1\n", "tacocat-deck 1\n7b 04a1b2c3d4e5f6\n"])
def test_without_a_deck_nothing_is_exported_that_could_not_be_imported(tmp_path, capsys, text):
    file = tmp_path / "deck.txt.copy"
    if text is not None:
        (tmp_path / "deck.txt").write_text(text)
    assert cli.main(["deck", "export", str(file), "--state", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert not file.exists() and "Nothing was exported" in said
    assert ("there is no deck yet: 'tacocat run' teaches one, in its menu" in said) is ("7b" not in (text or ""))


def test_a_line_of_a_deck_that_cannot_be_read_is_told_once(tmp_path, capsys):
    (tmp_path / "deck.txt").write_text("junk\n")
    assert cli.main(["deck", "--state", str(tmp_path)]) == 0
    assert capsys.readouterr().err.count("found 'junk'") == 1


def test_the_cards_of_each_rank_are_counted_and_compared_with_the_usual_deck(tmp_path, capsys):
    tags = virtual_tags(parse_deck("1x1 2x3 5x2"))
    save(tmp_path / DECK_FILE, Tags.of(tags))
    assert cli.main(["deck", "--state", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"6 cards in {tmp_path / DECK_FILE}"
    assert lines[1:4] == ["   1: 1", "   2: 3   usually 2", "   3: 0   usually 5"]
    assert lines[12:] == ["  12: 0   usually 1"]


def test_a_deck_that_cannot_be_read_now_is_neither_listed_nor_exported_nor_is_another_in_its_place(tmp_path, capsys):
    (tmp_path / DECK_FILE).mkdir()
    for what in (["list"], ["export", str(tmp_path / "copy.txt")]):
        assert cli.main(["deck", *what, "--state", str(tmp_path)]) == 1
    assert not (tmp_path / "copy.txt").exists() and capsys.readouterr().out == ""


def test_games_that_cannot_be_listed_or_read_now_are_said_with_what_they_are(tmp_path, capsys, monkeypatch):
    kept_games(tmp_path)
    assert cli.main(["games", "show", "7", "--state", str(tmp_path)]) == 2
    assert f"There is no game 7 in {tmp_path / GAMES_FOLDER}: there are 1 to 3." in capsys.readouterr().err
    assert cli.main(["games", "show", "--state", str(tmp_path / "none")]) == 2
    assert f"There is no game in {tmp_path / 'none' / GAMES_FOLDER}: there are none yet." in capsys.readouterr().err

    def refuse(*_, **__):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(DISK, "read", refuse)
    assert cli.main(["games", "export", "1", str(tmp_path / "out.taco"), "--state", str(tmp_path)]) == 2
    assert "game-0001.taco cannot be read" in capsys.readouterr().err
    monkeypatch.setattr(DISK, "names", refuse)
    assert cli.main(["games", "--state", str(tmp_path)]) == 1
    assert "the games that are kept cannot be listed" in capsys.readouterr().err


def test_a_game_that_cannot_be_read_has_its_line_with_the_reason_and_the_list_fails(tmp_path, capsys, monkeypatch):
    kept_games(tmp_path)
    assert cli.main(["games", "--state", str(tmp_path)]) == 0
    capsys.readouterr()
    really = DISK.read

    def read(path, most=None):
        if path.name == "game-0002.taco":
            raise OSError(errno.EIO, "Input/output error")
        return really(path, most)

    monkeypatch.setattr(DISK, "read", read)
    assert cli.main(["games", "--state", str(tmp_path)]) == 1
    first, second, third = capsys.readouterr().out.splitlines()
    assert first.startswith("    1  board") and third.startswith("    3  referee")
    assert second.startswith("    2  ") and "Input/output error" in second


def test_an_import_needs_to_be_told_from_where(tmp_path, capsys):
    assert cli.main(["deck", "import", "--state", str(tmp_path)]) == 2
    assert "as in: tacocat deck import deck.txt" in capsys.readouterr().err


def test_an_import_into_a_folder_that_cannot_be_locked_takes_nothing(tmp_path, capsys, monkeypatch):
    def refuse(*_):
        raise OSError(errno.EROFS, "Read-only file system")

    save(tmp_path / "copy.txt", Tags.of(virtual_tags(Config().deck)))
    monkeypatch.setattr("firmware.commands.deck.lock_state", refuse)
    assert cli.main(["deck", "import", str(tmp_path / "copy.txt"), "--state", str(tmp_path / "state")]) == 2
    said = capsys.readouterr().err
    assert f"{tmp_path / 'state'} cannot be locked: Read-only file system. The deck was not taken." in said


def test_an_import_where_the_lock_is_no_file_says_so_in_the_words_of_the_lock(tmp_path, capsys):
    save(tmp_path / "copy.txt", Tags.of(virtual_tags(Config().deck)))
    (tmp_path / "state" / LOCK_FILE).mkdir(parents=True)
    assert cli.main(["deck", "import", str(tmp_path / "copy.txt"), "--state", str(tmp_path / "state")]) == 2
    said = capsys.readouterr().err
    assert said.startswith("tacocat deck: ") and LOCK_FILE in said and "cannot be locked" not in said


@pytest.mark.parametrize(("more", "status"), [(0, 0), (1, 2)])
def test_a_deck_from_standard_input_has_64_kib_at_most(tmp_path, more, status):
    text = format_tags(Tags.of(virtual_tags(Config().deck))).encode()
    data = text + b"#" * (MAX_BYTES + more - len(text) - 1) + b"\n"
    out, err = io.StringIO(), io.StringIO()
    found = deck_command(tmp_path / DECK_FILE, "import", Path("-"), out, err, stdin=io.BytesIO(data))
    assert (found, "larger than 64 KiB" in err.getvalue()) == (status, bool(more))


def test_a_game_that_breaks_off_is_listed_with_the_place(tmp_path, capsys):
    kept_games(tmp_path)
    with (tmp_path / GAMES_FOLDER / "game-0002.taco").open("a") as file:
        file.write("yay nonsense\n")
    assert cli.main(["games", "--state", str(tmp_path)]) == 0
    line = capsys.readouterr().out.splitlines()[1]
    assert line.startswith("    2  referee     1 events, round 1: cannot be read to its end: game-0002.taco, line ")


def test_a_folder_with_the_name_of_a_game_is_left_out_and_named(tmp_path, capsys):
    kept_games(tmp_path)
    (tmp_path / GAMES_FOLDER / "game-0004.taco").mkdir()
    assert cli.main(["games", "--state", str(tmp_path)]) == 0
    said = capsys.readouterr()
    assert len(said.out.splitlines()) == 3 and "left out, for these are no files: game-0004.taco;" in said.err
    assert cli.main(["games", "show", "--state", str(tmp_path)]) == 0
    said = capsys.readouterr()
    assert "no files: game-0004.taco;" in said.err and "referee" in said.out


def test_a_copy_of_a_game_under_another_name_hides_no_game_and_is_named(tmp_path, capsys):
    kept_games(tmp_path)
    folder = tmp_path / GAMES_FOLDER
    assert cli.main(["games", "--state", str(tmp_path)]) == 0
    listed = capsys.readouterr().out
    for name in ("game-0001 (1).taco", "game-1.taco"):
        (folder / name).write_bytes((folder / "game-0002.taco").read_bytes())
    assert cli.main(["games", "--state", str(tmp_path)]) == 0
    said = capsys.readouterr()
    assert said.out == listed and said.err.endswith(": game-0001 (1).taco, game-1.taco\n")
    assert cli.main(["games", "export", "1", "--state", str(tmp_path)]) == 0
    assert capsys.readouterr().out == (folder / "game-0001.taco").read_text()


@pytest.mark.parametrize(
    ("count", "end"), [(1, "x0.taco"), (5, "x4.taco"), (6, "x4.taco and 1 more"), (7, "x4.taco and 2 more")]
)
def test_five_files_that_are_no_games_are_named_and_the_others_counted(tmp_path, capsys, count, end):
    (tmp_path / GAMES_FOLDER).mkdir()
    for number in range(count):
        (tmp_path / GAMES_FOLDER / f"x{number}.taco").touch()
    assert cli.main(["games", "--state", str(tmp_path)]) == 0
    named = [f"x{number}.taco" for number in range(min(count, 4))]
    assert capsys.readouterr().err.endswith(": " + ", ".join([*named, end] if count > 4 else [end]) + "\n")


@pytest.mark.parametrize(("fewer", "status"), [(0, 0), (1, 2)])
def test_a_game_is_exported_up_to_its_limit_and_not_in_part(tmp_path, capsys, monkeypatch, fewer, status):
    kept_games(tmp_path)
    size = (tmp_path / GAMES_FOLDER / "game-0001.taco").stat().st_size
    monkeypatch.setattr("firmware.commands.games.MAX_BYTES", size - fewer)
    assert cli.main(["games", "export", "1", str(tmp_path / "out"), "--state", str(tmp_path)]) == status
    assert (tmp_path / "out").exists() is (status == 0)
    assert ("Nothing was exported" in capsys.readouterr().err) is (status != 0)

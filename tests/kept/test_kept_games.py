"""Kept games: whatever a power cut leaves, the last acknowledged state, or one event later, comes back."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from engine.cards import YAY
from engine.events import ok_event
from engine.game import fold, judge, new_game
from engine.rules import Mode, Rules
from engine.transcript import format_rules, format_transcript, parse_transcript
from firmware.kept.games import ENDED, foreign, games, number_of, read_game, transcripts, unfinished_game
from firmware.kept.journal import Journal
from firmware.table.state import between_rounds
from tests.support.disks import FailingDisk
from tests.support.journals import mended
from tests.support.places import GAMES, ROOT

RECORDED = sorted(GAMES.glob("*.taco"))


def short_game(count: int = 40):
    """A recorded game's rules and first events."""
    rules, entries = parse_transcript(max(RECORDED, key=lambda path: path.stat().st_size).read_text())
    return rules, [entry.event for entry in entries][:count]


def states(rules, events):
    """The game after each event, and before the first."""
    game, all_states = new_game(rules), [new_game(rules)]
    for event in events:
        game, _ = judge(game, event)
        all_states.append(game)
    return all_states


def test_a_transcript_cut_at_any_byte_gives_the_state_of_its_last_whole_line(tmp_path):
    rules, events = short_game()
    whole = format_transcript(rules, events).encode()
    begin = len(format_rules(rules).encode())
    after = states(rules, events)
    path = tmp_path / "game-0001.taco"
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        kept = read_game(path)
        lines = whole[begin : max(begin, cut)].count(b"\n")
        if cut >= begin:
            assert kept.game == after[lines] and kept.rules == rules
        assert kept.fault == "" or cut < begin
        assert mended(kept) == "" or cut < begin
        if cut >= begin:
            assert path.read_bytes() == whole[:cut].rpartition(b"\n")[0] + b"\n"


@pytest.mark.parametrize("tail", [b"\0" * 512, b"\0\n\0\n", b"\xff\xfe garbage", b"yay 99z\n", os.urandom(300), b"yay"])
def test_a_garbled_tail_costs_no_acknowledged_event_and_is_kept_aside(tmp_path, tail):
    rules, events = short_game()
    whole = format_transcript(rules, events).encode()
    path = tmp_path / "game-0001.taco"
    path.write_bytes(whole + tail)
    (tmp_path / "game-0000.taco").write_bytes(whole)
    kept = read_game(path)
    assert kept.game == states(rules, events)[-1]
    said = mended(kept)
    assert path.read_bytes() == whole
    if kept.fault:
        (aside,) = tmp_path.glob("*unreadable*")
        assert aside.read_bytes() == whole + tail
        assert aside.name in said
    assert (tmp_path / "game-0000.taco").read_bytes() == whole


def test_a_mended_game_is_gone_on_with_in_the_same_file(tmp_path):
    rules, events = short_game()
    path = tmp_path / "game-0001.taco"
    path.write_text(format_transcript(rules, events[:-1]) + "yay o")
    mended(read_game(path))
    journal = Journal(tmp_path)
    journal.resume(read_game(path))
    journal.append(events[-1:])
    journal.close()
    assert path.read_text() == format_transcript(rules, events)


def test_only_the_newest_game_that_is_neither_over_nor_ended_is_offered(tmp_path):
    rules, events = short_game()
    journal = Journal(tmp_path)
    assert unfinished_game(tmp_path) is None
    journal.begin(rules)
    journal.append(events)
    offered = unfinished_game(tmp_path)
    assert offered is not None and offered.game == fold(rules, events)
    journal.begin(Rules())  # begun, but nothing happened
    assert unfinished_game(tmp_path).path == offered.path
    journal.resume(offered)
    journal.note(ENDED)
    assert unfinished_game(tmp_path) is None
    journal.begin(Rules(mode=Mode.BOARD))
    journal.append([ok_event(YAY)] * 4)
    journal.close()
    assert unfinished_game(tmp_path) is None
    assert [kept.path.name for kept in games(tmp_path)] == ["game-0003.taco", "game-0002.taco", "game-0001.taco"]


def test_rejected_events_are_part_of_the_state_that_comes_back(tmp_path):
    rules = Rules(mode=Mode.REFEREE)
    lines = ["yay ok", "wow ok", "yay ok", "wow ok", "yay 12a", "wow 1a", "yay 3a", "yay 9a", "yay ok"]
    path = tmp_path / "game-0001.taco"
    path.write_text(format_rules(rules) + "".join(line + "\n" for line in lines))
    kept = read_game(path)
    assert kept.game.round.attack == ()  # the rejected ok has taken the attack back
    assert kept.events == 9


def test_a_file_that_is_no_transcript_at_all_is_no_exception(tmp_path):
    path = tmp_path / "game-0001.taco"
    random = Random(3)
    for size in (0, 1, 100, 5000):
        path.write_bytes(random.randbytes(size))
        assert not read_game(path).unfinished


def test_between_rounds_is_before_the_first_event_of_a_round():
    rules = Rules(mode=Mode.REFEREE)
    game = new_game(rules)
    assert between_rounds(game)
    assert not between_rounds(judge(game, ok_event(YAY))[0])


KILLED = """
import os, sys
from pathlib import Path
from firmware.kept.journal import Journal
from engine.transcript import parse_transcript
rules, entries = parse_transcript(Path(sys.argv[1]).read_text())
journal = Journal(Path(sys.argv[2]))
journal.begin(rules)
for number, entry in enumerate(entries):
    journal.append([entry.event])
    os.write(1, b"%d\\n" % number)
    if number == int(sys.argv[3]):
        os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize("after", range(16))
def test_a_program_that_is_killed_has_lost_nothing_that_it_acknowledged(tmp_path, after):
    source = max(RECORDED, key=lambda path: path.stat().st_size)
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(source), str(tmp_path), str(after)],
        stdout=subprocess.PIPE,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == -signal.SIGKILL
    acknowledged = done.stdout.count(b"\n")
    rules, entries = parse_transcript(source.read_text())
    kept = read_game(tmp_path / "game-0001.taco")
    assert kept.game == fold(rules, [entry.event for entry in entries[:acknowledged]])
    assert kept.events == acknowledged == after + 1


def test_mending_fails_as_the_disk_does_and_loses_nothing(tmp_path, monkeypatch):
    rules, events = short_game(5)
    path = tmp_path / "game-0001.taco"
    path.write_bytes(format_transcript(rules, events).encode() + b"\0garbage\n")
    before = path.read_bytes()

    def refuse(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(OSError, match="No space"):
        mended(read_game(path))
    assert path.read_bytes() == before


@pytest.mark.parametrize("header", ["mode magic", "board 999999999 6 9 7 9 6 4", "deck 99x1", "tie maybe", "deck 1x1"])
def test_a_damaged_header_is_a_fault_of_that_game_and_of_nothing_else(tmp_path, header):
    rules, events = short_game(5)
    (tmp_path / "game-0002.taco").write_text(format_transcript(rules, events))
    (tmp_path / "game-0001.taco").write_text(header + "\nyay ok\n")
    damaged = read_game(tmp_path / "game-0001.taco")
    assert damaged.fault and not damaged.unfinished
    assert len(list(games(tmp_path))) == 2
    assert unfinished_game(tmp_path) is not None


def test_rules_that_do_not_go_together_are_a_fault_even_of_a_game_without_an_event(tmp_path):
    path = tmp_path / "game-0001.taco"
    path.write_text("deck 1x1\n")
    assert "cannot be dealt" in read_game(path).fault
    path.write_text("deck 1x1\nmode magic\n")  # of two faults the first is told
    assert "line 2" in read_game(path).fault


def test_a_carriage_return_in_the_middle_is_a_fault_and_not_the_end(tmp_path):
    rules, events = short_game(6)
    whole = format_transcript(rules, events).encode()
    path = tmp_path / "game-0001.taco"
    head, _, tail = whole.rpartition(b"\n")[0].rpartition(b"\n")
    path.write_bytes(head + b"\r" + tail + b"\n")
    kept = read_game(path)
    assert kept.fault and kept.events == len(events) - 2
    assert mended(kept)
    assert list(tmp_path.glob("*unreadable*"))


def two_games(folder):
    for number in (1, 2):
        (folder / f"game-000{number}.taco").write_text(format_rules(Rules(mode=Mode.BOARD)) + "yay ok\n")
    return {path: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("call", ["read", "names"])
def test_while_the_newest_game_cannot_be_read_no_older_one_is_offered_and_it_is_said(tmp_path, call):
    before, said = two_games(tmp_path), []
    disk = FailingDisk(code=5)
    disk.fail_next(call)
    assert unfinished_game(tmp_path, said.append, disk) is None
    assert len(said) == 1 and "made to fail" in said[0] and "No game is offered" in said[0]
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert unfinished_game(tmp_path, said.append, disk).path.name == "game-0002.taco" and len(said) == 1


def test_what_is_no_file_among_the_games_costs_only_itself(tmp_path):
    two_games(tmp_path)
    os.mkfifo(tmp_path / "game-0003.taco")
    (tmp_path / "game-0000.taco").mkdir()
    assert [kept.path.name for kept in games(tmp_path)] == ["game-0002.taco", "game-0001.taco"]


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("game-0001.taco", 1),
        ("game-123456789.taco", 123456789),
        ("game-1234567890.taco", 0),  # longer than a number of ours
        ("game-.taco", 0),
        ("game-two.taco", 0),
        ("game-２.taco", 0),  # a digit, but none that the program writes
        ("game-²34567890.taco", 0),
        ("game-12-b.taco", 0),
        ("game-0012 (1).taco", 0),
        ("game-12.taco", 0),  # the program writes 0012
        ("game-00012.taco", 0),
        ("game-0000.taco", 0),
        ("0012.taco", 0),
        ("game-0012.txt", 0),
    ],
)
def test_a_transcript_is_numbered_by_its_name(name, number):
    assert number_of(Path(name)) == number


def test_only_files_with_the_name_of_a_transcript_are_games(tmp_path):
    two_games(tmp_path)
    for name in ("notes.taco", "game-0003.txt", "game-0004.taco.unreadable-1"):
        (tmp_path / name).write_bytes((tmp_path / "game-0001.taco").read_bytes())
    assert [path.name for path in transcripts(tmp_path)] == ["game-0002.taco", "game-0001.taco"]
    (tmp_path / "mine.taco").touch()
    (tmp_path / "game-0002 (1).taco").touch()
    assert foreign(tmp_path) == ["game-0002 (1).taco", "mine.taco", "notes.taco"]


def test_the_newer_of_two_games_has_the_higher_number_not_the_later_name(tmp_path):
    for name in ("game-9999.taco", "game-10000.taco", "game-x.taco"):
        (tmp_path / name).touch()
    assert [path.name for path in transcripts(tmp_path)] == ["game-10000.taco", "game-9999.taco"]


def test_of_a_file_larger_than_four_million_bytes_the_rest_is_not_read_and_said(tmp_path):
    path = tmp_path / "game-0001.taco"
    event = "yay ok\n"
    head = format_rules(Rules(mode=Mode.BOARD)) + event
    comment = "#" * (4_000_000 - len(head) - 1 - len(event)) + "\n"
    path.write_text(head + comment + event)
    kept = read_game(path)
    assert (kept.events, kept.fault, kept.unfinished, kept.size_bytes) == (2, "", True, 4_000_000)
    path.write_text(head + comment + event + "\n")
    kept = read_game(path)
    assert kept.fault == "game-0001.taco has more than 4000000 bytes; the rest is not read" and not kept.unfinished
    path.write_text(head + "yay nonsense\n" + comment + event)
    assert "line" in read_game(path).fault, "of two faults the first is told"


def test_games_that_cannot_be_read_now_are_left_out_where_only_games_are_wanted(tmp_path):
    two_games(tmp_path)
    disk = FailingDisk(code=5)
    disk.fail_next("read")
    assert [kept.path.name for kept in games(tmp_path, disk)] == ["game-0001.taco"]


def test_a_newest_game_without_an_event_is_passed_over_and_said_if_it_is_damaged(tmp_path):
    two_games(tmp_path)
    said = []
    (tmp_path / "game-0003.taco").write_text(format_rules(Rules(mode=Mode.BOARD)))
    assert unfinished_game(tmp_path, said.append).path.name == "game-0002.taco" and said == []
    (tmp_path / "game-0003.taco").write_text("mode magic\n")
    assert unfinished_game(tmp_path, said.append).path.name == "game-0002.taco"
    assert len(said) == 1 and said[0].startswith("game-0003.taco, line 1: ") and said[0].endswith("passed over")


def test_nul_bytes_in_the_place_of_a_transcript_are_no_game_and_said(tmp_path):
    path = tmp_path / "game-0001.taco"
    path.write_bytes(bytes(3000))
    kept = read_game(path)
    assert kept.fault.startswith("game-0001.taco, line 1: NUL bytes") and not kept.unfinished
    path.write_bytes(format_rules(Rules(mode=Mode.BOARD)).encode() + bytes(3000))
    assert read_game(path).fault == ""


def test_a_byte_that_is_no_text_is_named_with_its_place(tmp_path):
    path = tmp_path / "game-0001.taco"
    path.write_bytes(format_rules(Rules()).encode() + b"ya\xff\n")
    lines = format_rules(Rules()).count("\n")
    assert read_game(path).fault == f"game-0001.taco, line {lines + 1}: byte 3 is not UTF-8"

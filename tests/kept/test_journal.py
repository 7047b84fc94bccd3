"""The journal: each event on the disk before it is acknowledged."""

import errno
import os
import threading
from pathlib import Path

import pytest

from engine.cards import YAY, parse_card
from engine.events import card_event, ok_event, undo_event
from engine.rules import Mode, Rules
from engine.transcript import parse_transcript
from firmware.files.whole import DISK
from firmware.kept.games import read_game
from firmware.kept.journal import ENDED, UNKEPT, Journal, JournalWriter
from tests.support.disks import FailingDisk, ShortWrites

RULES = Rules(mode=Mode.REFEREE)
EVENTS = [ok_event(YAY), card_event(YAY, parse_card("7b")), undo_event(YAY)]


class Writer:
    """A JournalWriter, and what it told."""

    def __init__(self, folder: Path) -> None:
        self.news = threading.Condition()
        self.faults: list[str] = []
        self.writer = JournalWriter(Journal(folder), self._progress, self.faults.append)

    def _progress(self) -> None:
        with self.news:
            self.news.notify_all()

    def give(self, *orders) -> None:
        for order in orders:
            self.writer.give(order)
        with self.news:
            assert self.news.wait_for(lambda: self.writer.written == self.writer.given, 5)


@pytest.fixture
def writer(tmp_path):
    made = Writer(tmp_path / "games")
    yield made
    made.writer.close()


def read(path: Path):
    rules, entries = parse_transcript(path.read_text())
    return rules, [entry.event for entry in entries]


def test_what_was_given_is_in_the_transcript(writer, tmp_path):
    writer.give(RULES, *EVENTS)
    assert read(tmp_path / "games" / "game-0001.taco") == (RULES, EVENTS)


def test_each_game_has_a_file_of_its_own_and_none_is_overwritten(writer, tmp_path):
    writer.give(RULES, *EVENTS)
    writer.give(Rules(), EVENTS[0])
    assert read(tmp_path / "games" / "game-0001.taco") == (RULES, EVENTS)
    assert read(tmp_path / "games" / "game-0002.taco") == (Rules(), EVENTS[:1])
    journal = Journal(tmp_path / "games")
    journal.begin(RULES)
    assert journal.path is not None and journal.path.name == "game-0003.taco"
    journal.close()


def test_the_end_by_the_players_is_a_comment_that_changes_nothing(writer, tmp_path):
    writer.give(RULES, *EVENTS, ENDED)
    path = tmp_path / "games" / "game-0001.taco"
    assert path.read_text().endswith(f"# {ENDED}\n")
    assert read(path) == (RULES, EVENTS)


def test_every_event_is_synced_before_it_is_said_to_be_written(writer, tmp_path, monkeypatch):
    path = tmp_path / "games" / "game-0001.taco"
    synced: list[int] = []
    really = os.fsync

    def fsync(handle: int) -> None:
        really(handle)
        if path.exists():
            synced.append(path.stat().st_size)

    monkeypatch.setattr("firmware.files.whole.os.fsync", fsync)
    writer.give(RULES)
    for event in EVENTS:
        writer.give(event)
        assert synced[-1] == path.stat().st_size


@pytest.mark.parametrize("call", ["reserve", "fsync"])
def test_a_disk_that_refuses_is_told_and_the_game_goes_on(writer, tmp_path, monkeypatch, call):
    def refuse(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    writer.give(RULES, EVENTS[0])
    whole = (tmp_path / "games" / "game-0001.taco").read_text()
    if call == "fsync":
        monkeypatch.setattr(DISK, "fsync", refuse)
        writer.give(EVENTS[1], EVENTS[2])
    else:
        monkeypatch.setattr(DISK, "reserve", refuse)
        writer.give(Rules(), EVENTS[1], EVENTS[2])
    assert len(writer.faults) == 1 and "No space left" in writer.faults[0]
    monkeypatch.undo()
    assert (tmp_path / "games" / "game-0001.taco").read_text().startswith(whole)
    writer.give(RULES, *EVENTS)  # the next game is kept again
    newest = max((tmp_path / "games").iterdir())
    assert read(newest) == (RULES, EVENTS)


def test_a_write_that_takes_only_part_of_the_bytes_is_gone_on_with(tmp_path):
    journal = Journal(tmp_path, ShortWrites())
    journal.begin(RULES)
    journal.append(EVENTS)
    journal.close()
    assert read(tmp_path / "game-0001.taco") == (RULES, EVENTS)


def test_events_that_have_come_together_are_written_and_synced_at_one_go(tmp_path):
    disk = FailingDisk()  # that fails nowhere
    together = JournalWriter(Journal(tmp_path, disk), lambda: None, pytest.fail, start=False)
    together.give(RULES)
    together.work()
    disk.calls.clear()
    for event in EVENTS * 10:
        together.give(event)
    together.work()
    assert disk.calls == ["write", "fsync"]
    together.close()
    assert read(tmp_path / "game-0001.taco") == (RULES, EVENTS * 10)


def test_closing_writes_what_was_given(tmp_path):
    made = Writer(tmp_path)
    for order in (RULES, *EVENTS):
        made.writer.give(order)
    made.writer.close()
    assert read(tmp_path / "game-0001.taco") == (RULES, EVENTS)


def test_an_event_without_a_game_is_a_fault_of_the_program(tmp_path):
    with pytest.raises(ValueError, match="begin one"):
        Journal(tmp_path).append(EVENTS)


def test_a_disk_that_is_full_in_the_middle_of_a_line_leaves_what_was_acknowledged(writer, tmp_path, monkeypatch):
    writer.give(RULES, EVENTS[0])
    left = [4]

    def write(handle: int, data: bytes) -> int:
        if not left[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        written, left[0] = os.write(handle, data[: left[0]]), 0
        return written

    monkeypatch.setattr(DISK, "write", write)
    writer.give(EVENTS[1])
    assert writer.faults and "No space left" in writer.faults[0]
    writer.give(EVENTS[2])  # not behind half a line
    kept = read_game(tmp_path / "games" / "game-0001.taco")
    assert kept.events == 1 and kept.fault == ""


def test_a_game_that_cannot_be_kept_disturbs_no_other_and_the_next_is_kept_again(writer, tmp_path):
    writer.give(RULES, EVENTS[0], UNKEPT, EVENTS[1])
    assert writer.writer.refused
    writer.give(RULES, *EVENTS)
    assert not writer.writer.refused
    assert read(tmp_path / "games" / "game-0001.taco") == (RULES, EVENTS[:1])
    assert read(tmp_path / "games" / "game-0002.taco") == (RULES, EVENTS)


def test_events_without_a_game_are_told_and_do_not_end_the_writer(writer, tmp_path):
    writer.give(EVENTS[0])
    assert len(writer.faults) == 1
    writer.give(RULES, *EVENTS)
    assert read(tmp_path / "games" / "game-0001.taco") == (RULES, EVENTS)


def test_without_a_thread_nothing_is_written_before_the_caller_works_it_off(tmp_path):
    progress, faults = [], []
    writer = JournalWriter(Journal(tmp_path), lambda: progress.append(writer.written), faults.append, start=False)
    for order in (RULES, *EVENTS):
        writer.give(order)
    assert (writer.given, writer.written) == (4, 0) and not list(tmp_path.iterdir())
    assert writer.work()
    assert progress == [4] and read(tmp_path / "game-0001.taco") == (RULES, EVENTS)
    writer.give(EVENTS[0])
    writer.close()
    assert writer.written == 5 and faults == []


@pytest.mark.parametrize("fails", range(8))
def test_every_call_to_the_disk_may_fail_and_is_told(tmp_path, fails):
    faults: list[str] = []
    disk = FailingDisk(fails)
    writer = JournalWriter(Journal(tmp_path, disk), lambda: None, faults.append, start=False)
    for order in (RULES, EVENTS[0], EVENTS[1]):
        writer.give(order)
        writer.work()
    writer.give(RULES)  # the next game is kept
    writer.give(EVENTS[0])
    writer.work()
    assert len(disk.calls) > fails and len(faults) == 1 and "made to fail" in faults[0]
    assert read_game(max(tmp_path.iterdir())).events == 1

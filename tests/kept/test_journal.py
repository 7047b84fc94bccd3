"""The journal: each event on the disk before it is acknowledged."""

import errno
import os
import queue
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from engine.cards import YAY, parse_card
from engine.events import Event, card_event, format_event, ok_event, undo_event
from engine.rules import Mode, Rules
from engine.transcript import format_rules, parse_transcript
from firmware import __version__
from firmware.errors import FirmwareError
from firmware.files.disk import DISK, Disk
from firmware.kept.games import ENDED, read_game
from firmware.kept.journal import Journal
from firmware.kept.writer import DECK, GAMES, Save, Writer
from tests.support.disks import FailingDisk, ShortWrites

RULES = Rules(mode=Mode.REFEREE)
EVENTS = [ok_event(YAY), card_event(YAY, parse_card("7b")), undo_event(YAY)]


class Kept:
    """A writer, and what it told: `reasons` are those of the games, one for each try; "" is kept."""

    def __init__(self, folder: Path) -> None:
        self.news = threading.Condition()
        self.reasons: list[str] = []
        self.writer = Writer(Journal(folder), self._progress, lambda what, reason: self.reasons.append(reason))

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
    made = Kept(tmp_path / "games")
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

    monkeypatch.setattr("firmware.files.disk.os.fsync", fsync)
    writer.give(RULES)
    for event in EVENTS:
        writer.give(event)
        assert synced[-1] == path.stat().st_size


@pytest.mark.parametrize("call", ["reserve", "fsync", "open_folder", "names", "make_folder"])
def test_a_disk_that_refuses_is_told_and_the_game_is_kept_from_its_first_event_on_when_it_works_again(
    writer, tmp_path, monkeypatch, call
):
    def refuse(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(DISK, call, refuse)
    writer.give(RULES, EVENTS[0], EVENTS[1])
    assert writer.writer.behind and "No space left" in writer.reasons[-1]
    monkeypatch.undo()
    writer.give(EVENTS[2])
    assert not writer.writer.behind and writer.reasons[-1] == ""
    assert [path.name for path in (tmp_path / "games").iterdir()] == ["game-0001.taco"]
    assert read(tmp_path / "games" / "game-0001.taco") == (RULES, EVENTS)


def test_a_game_that_is_begun_while_another_is_not_kept_stands_for_itself_and_both_are_kept_in_their_order(
    writer, tmp_path, monkeypatch
):
    fails = [True, True]

    def fsync(handle):
        if fails and fails.pop():
            raise OSError(errno.EIO, "Input/output error")
        os.fsync(handle)

    writer.give(RULES, EVENTS[0])
    monkeypatch.setattr(DISK, "fsync", fsync)
    writer.give(EVENTS[1])  # fails, and again as the next game is begun
    writer.give(ENDED, Rules(), EVENTS[0])
    assert writer.writer.behind and "Input/output error" in writer.reasons[-1]
    assert read(tmp_path / "games" / "game-0002.taco") == (Rules(), EVENTS[:1])
    writer.give(EVENTS[1])
    assert not writer.writer.behind and writer.reasons[-1] == ""
    assert read(tmp_path / "games" / "game-0001.taco") == (RULES, EVENTS[:2])
    assert (tmp_path / "games" / "game-0001.taco").read_text().endswith(f"# {ENDED}\n")
    assert read(tmp_path / "games" / "game-0002.taco") == (Rules(), EVENTS[:2])


def test_one_sync_that_fails_once_while_an_event_and_the_next_game_are_written_together_costs_neither(tmp_path):
    disk, reasons = FailingDisk(code=errno.EIO), []
    writer = Writer(Journal(tmp_path, disk), lambda: None, lambda what, reason: reasons.append(reason), start=False)
    writer.give(RULES)
    writer.work()
    disk.fail_next("fsync")
    for order in (EVENTS[0], ENDED, Rules(), EVENTS[1]):
        writer.give(order)
    writer.work()
    assert writer.behind and "made to fail" in reasons[-1]
    assert read(tmp_path / "game-0002.taco") == (Rules(), EVENTS[1:2])
    writer.keep()
    assert not writer.behind and reasons[-1] == ""
    assert read(tmp_path / "game-0001.taco") == (RULES, EVENTS[:1])
    writer.close()


def test_each_game_that_is_kept_again_is_said_once_with_its_file(tmp_path):
    disk, said = FailingDisk(code=errno.EIO), []
    writer = Writer(Journal(tmp_path, disk), lambda: None, lambda what, reason: None, said.append, start=False)
    for order in (RULES, EVENTS[0]):
        writer.give(order)
    writer.work()
    disk.fail_next("fsync")
    for order in (EVENTS[1], Rules()):
        writer.give(order)
    writer.work()
    assert writer.behind and said == []
    writer.keep()
    writer.keep()
    assert said == [f"the game is kept again: {tmp_path / 'game-0001.taco'}"]
    disk.fail_next("write")
    writer.give(EVENTS[0])
    writer.work()
    writer.keep()
    writer.give(EVENTS[1])
    writer.work()
    assert said[1:] == [f"the game is kept again: {tmp_path / 'game-0002.taco'}"]
    writer.close()


def test_what_is_not_kept_is_tried_again_without_an_order(tmp_path, monkeypatch):
    monkeypatch.setattr("firmware.kept.writer.RETRY_S", 0.01)
    fails, news, reasons = [True] * 3, threading.Event(), []

    def save():
        if fails:
            fails.pop()
            raise OSError(errno.EROFS, "Read-only file system")
        return ()

    def told(what, reason):
        reasons.append((what, reason))
        if not reason:
            news.set()

    writer = Writer(Journal(tmp_path), lambda: None, told)
    writer.give(Save("settings", save))
    assert news.wait(5)
    writer.close()
    assert reasons == [("settings", "the settings cannot be kept: Read-only file system")] * 3 + [("settings", "")]


def test_a_later_save_takes_the_place_of_one_that_could_not_be_kept_and_nothing_else_speaks_for_it(tmp_path):
    disk_works, saved, told = [False], [], []

    def save(text):
        if not disk_works[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        saved.append(text)
        return ()

    writer = Writer(Journal(tmp_path), lambda: None, lambda *news: told.append(news), start=False)
    for text in ("first", "second"):
        writer.give(Save("settings", lambda text=text: save(text)))
        writer.work()
    told.clear()
    writer.give(RULES)
    writer.work()
    assert (GAMES, "") in told and all(reason for what, reason in told if what == "settings")
    assert writer.behind
    disk_works[0] = True
    writer.keep()
    assert saved == ["second"] and not writer.behind and told[-1] == ("settings", "")
    writer.close()


def test_a_write_that_takes_only_part_of_the_bytes_is_gone_on_with(tmp_path):
    journal = Journal(tmp_path, ShortWrites())
    journal.begin(RULES)
    journal.append(EVENTS)
    journal.close()
    assert read(tmp_path / "game-0001.taco") == (RULES, EVENTS)


def test_events_that_have_come_together_are_written_and_synced_at_one_go(tmp_path):
    disk = FailingDisk()  # that fails nowhere
    together = Writer(Journal(tmp_path, disk), lambda: None, lambda *news: None, start=False)
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
    made = Kept(tmp_path)
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
    assert "No space left" in writer.reasons[-1]
    kept = read_game(tmp_path / "games" / "game-0001.taco")
    assert kept.events == 1 and kept.fault == ""  # half a line is none
    monkeypatch.undo()
    writer.give(EVENTS[2])  # not behind half a line
    assert read(tmp_path / "games" / "game-0001.taco") == (RULES, EVENTS)


def test_a_transcript_is_for_its_owner_and_group_alone(tmp_path):
    before = os.umask(0)
    try:
        journal = Journal(tmp_path)
        journal.begin(RULES)
        journal.close()
    finally:
        os.umask(before)
    assert (tmp_path / "game-0001.taco").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("call", ["reserve", "extend", "truncate", "fsync", "write"])
def test_a_resumed_game_that_cannot_be_mended_is_mended_later_and_set_aside_once(tmp_path, call):
    path = tmp_path / "game-0001.taco"
    journal = Journal(tmp_path)
    journal.begin(RULES)
    journal.append(EVENTS[:1])
    journal.close()
    damaged = path.read_bytes() + b"yay 99z\n"
    path.write_bytes(damaged)
    disk, said, reasons = FailingDisk(code=errno.EIO), [], []
    writer = Writer(
        Journal(tmp_path, disk), lambda: None, lambda what, reason: reasons.append(reason), said.append, start=False
    )
    disk.fail_next(call)
    for order in (read_game(path), EVENTS[1]):
        writer.give(order)
        writer.work()
    writer.give(EVENTS[2])
    writer.work()
    assert not writer.behind and reasons[-1] == "" and any(reasons)
    assert read(path) == (RULES, EVENTS)
    (aside,) = tmp_path.glob("*unreadable*")
    assert aside.read_bytes() == damaged and aside.name in said[0]
    assert [text.partition(":")[0] for text in said[1:]] == ["the game is kept again"]
    writer.close()


def test_events_without_a_game_are_told_and_do_not_end_the_writer(writer, tmp_path):
    writer.give(EVENTS[0])
    assert "begin one" in writer.reasons[0]
    writer.give(RULES, *EVENTS)
    assert read(tmp_path / "games" / "game-0001.taco") == (RULES, EVENTS)


def test_without_a_thread_nothing_is_written_before_the_caller_works_it_off(tmp_path):
    progress, told = [], []
    writer = Writer(
        Journal(tmp_path), lambda: progress.append(writer.written), lambda *news: told.append(news), start=False
    )
    for order in (RULES, *EVENTS):
        writer.give(order)
    assert (writer.given, writer.written) == (4, 0) and not list(tmp_path.iterdir())
    assert writer.work()
    assert progress == [4] and read(tmp_path / "game-0001.taco") == (RULES, EVENTS)
    writer.give(EVENTS[0])
    writer.close()
    assert writer.written == 5 and set(told) == {(GAMES, "")}


@pytest.mark.parametrize("code", [errno.EIO, errno.ENOSPC, errno.EROFS, errno.EINVAL])
@pytest.mark.parametrize("fails", range(14))
def test_every_call_to_the_disk_may_fail_is_told_and_costs_no_event(tmp_path, fails, code):
    reasons: list[str] = []
    disk = FailingDisk(fails, code)
    writer = Writer(Journal(tmp_path, disk), lambda: None, lambda what, reason: reasons.append(reason), start=False)
    for order in (RULES, EVENTS[0], EVENTS[1], Rules(), EVENTS[2]):
        writer.give(order)
        writer.work()
    assert len(disk.calls) > fails
    assert not writer.behind and reasons[-1] == ""
    assert [reason for reason in reasons if reason and "made to fail" not in reason] == []
    (first, second) = sorted(tmp_path.glob("*.taco"))
    assert read(first) == (RULES, EVENTS[:2]) and read(second) == (Rules(), EVENTS[2:])
    writer.close()


# ---- what a journal does on the disk, and what it leaves open ------------------------------


def open_transcripts() -> list[str]:
    found = []
    for handle in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            found.append(Path(os.readlink(f"/proc/self/fd/{handle}")).name)
    return sorted(name for name in found if name.endswith(".taco"))


def test_a_journal_without_a_game_has_no_path_and_is_kept(tmp_path):
    journal = Journal(tmp_path)
    assert journal.path is None and journal.kept
    journal.keep()
    journal.close()


def test_only_the_present_games_transcript_is_open_and_none_after_the_end(tmp_path):
    before = open_transcripts()
    journal = Journal(tmp_path)
    for number in (1, 2, 3):
        journal.begin(RULES)
        assert open_transcripts() == sorted([*before, f"game-000{number}.taco"])
    journal.close()
    assert open_transcripts() == before


def test_a_writer_that_is_closed_leaves_no_transcript_open_and_no_thread(tmp_path):
    before = open_transcripts()
    for start in (True, False):
        threads = set(threading.enumerate())
        writer = Writer(Journal(tmp_path), lambda: None, lambda *news: None, start=start)
        assert len(set(threading.enumerate()) - threads) == start
        writer.give(RULES)
        writer.close()
        assert not set(threading.enumerate()) - threads
        assert open_transcripts() == before


def test_what_is_kept_is_not_touched_again(tmp_path):
    disk = FailingDisk()  # that fails nowhere
    journal = Journal(tmp_path, disk)
    journal.begin(RULES)
    journal.append(EVENTS[:1])
    disk.calls.clear()
    journal.keep()
    assert disk.calls == []
    journal.close()


def test_a_whole_transcript_is_gone_on_with_without_cutting_anything_off(tmp_path):
    journal = Journal(tmp_path)
    journal.begin(RULES)
    journal.close()
    disk = FailingDisk()  # that fails nowhere
    journal = Journal(tmp_path, disk)
    journal.resume(read_game(tmp_path / "game-0001.taco"))
    journal.append(EVENTS)
    assert "truncate" not in disk.calls and "extend" in disk.calls
    journal.close()
    assert read(tmp_path / "game-0001.taco") == (RULES, EVENTS)


def test_the_path_is_the_present_games_also_while_an_older_one_is_not_kept(tmp_path):
    disk = FailingDisk(code=errno.EIO)
    journal = Journal(tmp_path, disk)
    journal.begin(RULES)
    journal.take(EVENTS[0])
    journal.take(Rules())
    disk.fail_next("fsync")
    with pytest.raises(OSError, match="made to fail"):
        journal.keep()
    assert not journal.kept and journal.path == tmp_path / "game-0002.taco"
    journal.close()


@pytest.mark.parametrize("calls", [["fsync"], ["write"], ["open_folder"], ["fsync", "unlink"], ["write", "unlink"]])
def test_a_transcript_that_came_to_be_at_the_second_try_is_cut_off_at_the_right_byte_later(tmp_path, calls):
    disk = FailingDisk(code=errno.EIO)
    journal = Journal(tmp_path, disk)
    journal.take(RULES)
    disk.fail_next(*calls)
    with pytest.raises(OSError, match="made to fail"):
        journal.keep()
    journal.keep()
    journal.take(EVENTS[0])
    disk.fail_next("fsync")
    with pytest.raises(OSError, match="made to fail"):
        journal.keep()
    journal.append(EVENTS[1:])
    journal.close()
    assert read(tmp_path / "game-0001.taco") == (RULES, EVENTS)
    assert (tmp_path / "game-0001.taco").read_text() == head_of(RULES) + "".join(f"{format_event(e)}\n" for e in EVENTS)


def head_of(rules: Rules) -> str:
    return f"# tacocat {__version__}\n{format_rules(rules)}"


def test_a_disk_that_takes_no_byte_fails(tmp_path):
    class TakesNothing(Disk):
        def write(self, handle: int, data: bytes) -> int:
            return 0

    with pytest.raises(OSError, match="nothing was written"):
        Journal(tmp_path, TakesNothing()).begin(RULES)


# ---- what a writer tells, and how long it waits --------------------------------------------


def test_the_reason_says_what_is_not_kept_and_for_a_game_where(tmp_path):
    told: list[tuple[str, str]] = []
    disk = FailingDisk(code=errno.EIO)
    writer = Writer(Journal(tmp_path, disk), lambda: None, lambda *news: told.append(news), start=False)

    def fail():
        raise FirmwareError("there is no folder")

    disk.fail_next("reserve")
    writer.give(RULES)
    writer.give(Save(DECK, fail))
    writer.work()
    assert told == [
        (GAMES, f"the game cannot be kept: made to fail ({tmp_path})"),
        (DECK, "the deck cannot be kept: there is no folder"),
    ]
    writer.keep()
    disk.fail_next("write")
    writer.give(EVENTS[0])
    writer.work()
    assert (GAMES, f"the game cannot be kept: made to fail ({tmp_path / 'game-0001.taco'})") in told
    writer.close()


def test_a_writer_wakes_by_itself_only_while_something_is_not_kept(tmp_path, monkeypatch):
    waits = []

    class Watched(queue.SimpleQueue):
        def get(self, block=True, timeout=None):
            waits.append(timeout)
            return super().get(block, timeout)

    monkeypatch.setattr("firmware.kept.writer.queue.SimpleQueue", Watched)
    disk = FailingDisk(code=errno.EIO)
    writer = Writer(Journal(tmp_path, disk), lambda: None, lambda *news: None, start=False)
    disk.fail_next("write")
    for order in (RULES, EVENTS[0], EVENTS[1]):
        writer.give(order)
        writer.work()
    assert waits == [None, 5.0, None]
    writer.close()


class OddDisk(Disk):
    """One call of it raises what nobody expects of a disk, after half of it was done."""

    odd = True

    def write(self, handle, data):
        if self.odd:
            self.odd = False
            super().write(handle, data[: len(data) // 2])
            raise MemoryError("made to fail")
        return super().write(handle, data)


@pytest.mark.parametrize("number", [0, 1])
def test_whatever_is_raised_while_a_game_is_kept_it_is_said_and_kept_whole_by_the_next_try(tmp_path, number):
    disk, told = OddDisk(), []
    disk.odd = number == 0
    writer = Writer(Journal(tmp_path, disk), lambda: None, lambda *news: told.append(news), start=False)
    writer.give(RULES)
    writer.work()
    disk.odd = number == 1
    for event in EVENTS:
        writer.give(event)
    writer.work()
    assert writer.written == writer.given
    writer.keep()
    assert any("a fault of this program: MemoryError: made to fail" in reason for _, reason in told)
    assert told[-1] == (GAMES, "") and not writer.behind
    writer.close()
    assert read(tmp_path / "game-0001.taco") == (RULES, EVENTS)


def test_a_thing_whose_saving_raises_whatever_is_said_and_takes_nothing_else_with_it(tmp_path):
    told = []

    def save():
        raise KeyError("made to fail")

    writer = Writer(Journal(tmp_path), lambda: None, lambda *news: told.append(news), start=False)
    writer.give(Save(DECK, save))
    writer.give(RULES)
    assert writer.work() and writer.behind
    assert (GAMES, "") in told
    (reason,) = (reason for what, reason in told if what == DECK)
    assert reason.startswith("the deck cannot be kept: a fault of this program: KeyError: 'made to fail'")


def test_an_order_that_the_journal_cannot_take_is_said_and_the_next_one_is_kept(tmp_path):
    told = []
    writer = Writer(Journal(tmp_path), lambda: None, lambda *news: told.append(news), start=False)
    for order in (RULES, object.__new__(Event), *EVENTS):
        writer.give(order)
    assert writer.work() and writer.written == writer.given
    assert any("a fault of this program: AttributeError" in reason for _, reason in told)
    writer.close()
    assert read(tmp_path / "game-0001.taco") == (RULES, EVENTS)

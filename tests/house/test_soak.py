"""The soak test in short (`make soak` plays hundreds of games), and that each of its checks can fail."""

import os
import threading
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from engine.cards import YAY, parse_card
from engine.events import Event, Kind, card_event, ok_event, undo_event
from engine.rules import Mode, Rules
from firmware.files.disk import Disk
from firmware.kept.games import read_game
from firmware.kept.journal import Journal
from firmware.kept.writer import Writer
from firmware.table import placing
from hardware import presence
from tests.soak.__main__ import main
from tests.soak.disk import UnsafeDisk
from tests.soak.evening import Outcome, play_game
from tests.soak.ledger import Broken, Leave, Ledger, Ticket
from tests.soak.run import Size, Summary, failure, grown, play_all, run, told
from tests.support.disks import PowerCut

SEEDS = [7, 11, 13]  # referee, play, referee; all with power cuts
BOARD = 5


@pytest.mark.parametrize("seed", SEEDS)
def test_a_whole_game_comes_to_its_end_through_faults_and_mischief_everywhere_at_once(seed: int):
    outcome = play_game(seed, real_pico=False)
    assert outcome.fault == ""
    kinds = {name.partition(":")[0] for name in outcome.counts}
    assert {"plays", "mischief", "reader", "field", "screen", "strip", "disk", "power cut"} <= kinds


def test_a_seed_repeats_its_game_exactly_in_every_process():
    said: list[object] = []
    one = play_game(13, real_pico=False)
    (two,) = run([13], 1, said.append).outcomes  # another process, with another order of its sets
    assert (one.digest, one.counts, one.virtual_ms) == (two.digest, two.counts, two.virtual_ms)
    assert one.fault == "" and one.events


def test_a_game_in_board_mode_is_played_with_the_real_program_of_the_strip():
    outcome = play_game(BOARD, real_pico=True)
    assert outcome.fault == "" and outcome.rules == Mode.BOARD


def test_games_are_played_in_processes_of_their_own_and_summed_up(capsys):
    assert main(["--games", "1", "--seed", str(BOARD), "--processes", "2"]) == 0
    said = capsys.readouterr().out
    assert "1 games (1 board)" in said and "0 failed" in said and "digest" in said
    assert main(["--game", str(BOARD)]) == 0
    assert said.splitlines()[-2:] == capsys.readouterr().out.splitlines()[-2:]  # the same digest


# ---- each check can fail -------------------------------------------------------------------


def first_failure(*seeds: int) -> Outcome:
    """The first of these games that fails."""
    for seed in seeds:
        outcome = play_game(seed, real_pico=False)
        if outcome.fault:
            assert f"GAME={seed}" in failure(outcome) and "the ledger" in outcome.fault
            return outcome
    raise AssertionError(f"all of the games {seeds} are well")


def test_it_reports_a_card_that_counts_although_it_only_slid_over_a_pad(monkeypatch):
    monkeypatch.setattr("hardware.pads.Delays", lambda settle_ms, lift_ms: presence.Delays(0, lift_ms))
    monkeypatch.setattr(presence, "POLLS_TO_PLACE", 1)
    assert "nobody meant the event" in first_failure(*SEEDS, 3, 8).fault


def test_it_reports_an_event_that_is_acknowledged_before_it_is_on_the_disk(monkeypatch):
    monkeypatch.setattr(Disk, "fsync", lambda self, handle: None)
    monkeypatch.setattr(UnsafeDisk, "fsync", lambda self, handle: None)
    assert "were acknowledged" in first_failure(*SEEDS).fault


def test_it_reports_cards_that_are_swept_over_a_pad_and_played(monkeypatch):
    monkeypatch.setattr(placing, "_counts_now", lambda turn, player, card, seen_ms: True)
    assert "nobody meant the event" in first_failure(*SEEDS).fault


def test_it_reports_a_group_of_which_each_card_counts_although_it_is_too_large(monkeypatch):
    monkeypatch.setattr(placing, "_waits", lambda turn, player: False)
    assert "Broken" in first_failure(3, *SEEDS).fault


def test_it_reports_a_play_that_is_lost(monkeypatch):
    judge = placing._judge_waiting
    seen = []

    def lose_some(turn, player):
        seen.append(player)
        if len(seen) % 10:
            judge(turn, player)

    monkeypatch.setattr(placing, "_judge_waiting", lose_some)
    assert "properly, and it was not taken" in first_failure(*SEEDS).fault


def test_it_reports_a_wrong_card(monkeypatch):
    place = presence._place

    def confuse(*given):
        return [replace(event, uid=event.uid[:3] + b"\0") for event in place(*given)]

    monkeypatch.setattr(presence, "_place", confuse)
    assert "which was not there" in first_failure(3).fault


def test_it_reports_a_strip_that_shows_another_state(monkeypatch):
    monkeypatch.setattr("firmware.views.strip.TACOCAT", (3, 3, 3))
    assert "the strip would show" in first_failure(3).fault


def test_it_reports_a_journal_that_forgets_an_event(monkeypatch):
    take, seen = Journal.take, []

    def forget_some(self, order):
        seen.append(order)
        if len(seen) % 20 or not isinstance(order, Event):
            take(self, order)

    monkeypatch.setattr(Journal, "take", forget_some)
    assert "Broken" in first_failure(3, *SEEDS).fault


def test_it_reports_an_exception_of_a_thread(monkeypatch):
    def play(seed: int, real_pico: bool | None) -> Outcome:
        thread = threading.Thread(target=lambda: 1 // 0)
        thread.start()
        thread.join()
        return Outcome(seed)

    monkeypatch.setattr("tests.soak.run.play_game", play)
    (outcome,) = play_all([1])
    assert "ZeroDivisionError" in outcome.fault


def test_it_reports_what_grows():
    early = Size(50_000, 1, 5)
    assert list(grown(early, early, 100)) == []
    assert len(list(grown(early, Size(60_000, 2, 6), 100))) == 3
    kept = [[n] for n in range(1000)]
    assert Size.now().objects > 1000 and kept
    reading, writing = os.pipe()
    try:
        assert list(grown(replace(Size.now(), files=Size.now().files - 2), Size.now(), 10))
    finally:
        os.close(reading)
        os.close(writing)


def test_a_failure_is_told_with_its_seed_and_is_the_exit_status(monkeypatch, capsys):
    monkeypatch.setattr(placing, "_counts_now", lambda turn, player, card, seen_ms: True)
    assert main(["--game", "11"]) == 1
    said = capsys.readouterr().out
    assert "FAILED: the game of seed 11" in said and "make soak GAME=11" in said and "EVENT" in said
    assert "1 failed, seed 2" in told(Summary([Outcome(2, fault="x")]))


# ---- the ledger and the disk by themselves ---------------------------------------------------


def test_an_event_needs_a_ticket_of_its_own():
    ledger = Ledger()
    ledger.begun(Rules(mode=Mode.REFEREE))
    ticket = ledger.mean(Ticket(Kind.OK, YAY, 100, "a press", until_ms=300))
    with pytest.raises(Broken, match="nobody meant the event 'yay ok'"):
        ledger.judge(ok_event(YAY), 50)
    with pytest.raises(Broken):
        ledger.judge(ok_event(YAY), 301)
    ledger.judge(ok_event(YAY), 200)
    assert ticket.verdict is not None and ticket.verdict.accepted
    with pytest.raises(Broken):
        ledger.judge(ok_event(YAY), 200)


def test_only_after_a_heap_the_device_may_take_back_by_itself_and_only_as_much():
    ledger = Ledger()
    ledger.begun(Rules(mode=Mode.PLAY))
    card = parse_card("7a")
    ledger.mean(Ticket(Kind.CARD, YAY, 0, "a heap", Leave.HEAP, card=card))
    ledger.judge(card_event(YAY, card), 100)
    ledger.judge(undo_event(YAY), 400)
    assert ledger.taken_back == 1
    with pytest.raises(Broken):
        ledger.judge(undo_event(YAY), 400)


@pytest.mark.parametrize("seed", range(20))
def test_a_power_cut_leaves_what_was_synced_and_at_most_a_part_of_what_was_written(tmp_path: Path, seed: int):
    disk = UnsafeDisk(Random(seed))
    handle = disk.reserve(tmp_path / "a")
    disk.write(handle, b"safe")
    disk.fsync(handle)
    folder = disk.open_folder(tmp_path)
    disk.fsync(folder)
    disk.write(handle, b"unsafe")
    disk.power_off()
    left = (tmp_path / "a").read_bytes()
    assert left.startswith(b"safe") and b"safeunsafe".startswith(left.rstrip(b"\0")) and len(left) <= 10


def test_a_power_cut_in_each_call_of_the_disk_loses_nothing_that_was_said_to_be_written(tmp_path: Path):
    for calls in range(30):
        folder = tmp_path / str(calls)
        disk = UnsafeDisk(Random(calls))
        disk.calls_left = calls
        writer = Writer(Journal(folder, disk), lambda: None, lambda what, reason: None, start=False)
        acknowledged = 0
        try:
            for order in (Rules(mode=Mode.BOARD), *[ok_event(YAY)] * 9):
                writer.give(order)
                writer.work()
                acknowledged = max(0, writer.written - 1)
        except PowerCut:
            pass
        disk.power_off()
        kept = [read_game(path).events for path in folder.glob("*.taco")]
        assert acknowledged <= max(kept, default=0) <= acknowledged + 1

"""A short form of `make diskfaults`: some system calls of the real program fail, under strace."""

import subprocess
import sys

import pytest

from tests.support.places import ROOT


def diskfaults(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults", *words], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("scenario", ["game ended and the next begun", "settings changed", "deck imported"])
def test_what_is_shown_as_kept_is_kept_whichever_sync_or_rename_fails(scenario: str) -> None:
    said = diskfaults("--short", "--calls", "fsync,rename", scenario)
    assert ", 0 of them not as they should be" in said and int(said.splitlines()[-1].split()[0]) > 3


def test_an_older_game_is_neither_offered_nor_touched_whichever_listing_or_read_fails() -> None:
    assert ", 0 of them not as they should be" in diskfaults("--short", "--calls", "getdents64,read", "resume")


def test_a_sync_that_takes_six_seconds_costs_nothing() -> None:
    assert "2 runs, 0 of them" in diskfaults("--stalls", "--most", "1", "--calls", "fsync", "settings changed")

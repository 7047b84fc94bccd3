"""A short form of `make diskfaults`: some system calls of the real program fail, under strace."""

import signal
import subprocess
import sys
from pathlib import Path

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


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_temporary_folder_goes_away_with_its_process_also_where_that_is_killed(tmp_path, number) -> None:
    program = (
        "import sys\n"
        "from tests.faults.temporary import temporary_folder\n"
        "with temporary_folder('diskfaults-') as folder:\n"
        "    (folder / 'run').mkdir()\n"
        "    print(folder, flush=True)\n"
        "    sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={"TMPDIR": str(tmp_path)},
    ) as running:
        assert running.stdout is not None
        made = Path(running.stdout.readline().strip())
        assert (made / "run").is_dir() and made.parent == tmp_path.resolve()
        running.send_signal(number)
        assert running.stdout.read() == ""  # ends when the last process of it has ended
    assert list(tmp_path.iterdir()) == []

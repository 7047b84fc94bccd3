"""One lock for the device, whoever wants it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from firmware.files.lock import DeviceBusyError, DeviceLock


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table.lock"


def test_who_comes_second_is_told_who_has_the_table(path: Path) -> None:
    first = rf"tacocat play \(process {os.getpid()}\)"
    with DeviceLock(path, "tacocat play"), pytest.raises(DeviceBusyError, match=first):
        DeviceLock(path, "tacocat check").__enter__()


def test_after_the_first_one_has_ended_the_next_gets_it(path: Path) -> None:
    for what in ("tacocat play", "tacocat check"):
        with DeviceLock(path, what):
            assert path.read_text() == f"{what} (process {os.getpid()})\n"


def test_the_lock_of_a_program_that_died_is_free(path: Path) -> None:
    program = "import sys, os; from pathlib import Path; from firmware.files.lock import DeviceLock; "
    program += "DeviceLock(Path(sys.argv[1]), 'tacocat run').__enter__(); os._exit(9)"
    subprocess.run([sys.executable, "-c", program, path], check=False, timeout=60)
    assert "tacocat run" in path.read_text()
    with DeviceLock(path, "tacocat play"):
        assert "tacocat play" in path.read_text()


def test_every_user_may_ask_for_the_lock_whatever_the_umask_and_only_its_owner_writes_in_it(path: Path) -> None:
    before = os.umask(0o077)  # stricter than the service has it
    try:
        with DeviceLock(path, "tacocat run"):
            assert path.stat().st_mode & 0o777 == 0o644
    finally:
        os.umask(before)


def test_a_lock_that_is_there_is_opened_without_wishing_to_make_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.touch()
    flags = []
    real = os.open
    monkeypatch.setattr(os, "open", lambda name, flag, *mode: (flags.append(flag), real(name, flag, *mode))[1])
    with DeviceLock(path, "tacocat run"):
        assert not any(flag & os.O_CREAT for flag in flags)

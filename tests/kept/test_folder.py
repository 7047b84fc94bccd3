"""The state folder: where it is, and who may use it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from firmware.kept.folder import LOCK_FILE, NoStateFolderError, lock_state, state_folder


@pytest.fixture(autouse=True)
def nothing_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STATE_DIRECTORY", "XDG_STATE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("home", [None, "", "relative"])
def test_without_a_home_it_is_said_how_to_name_the_state_folder(monkeypatch: pytest.MonkeyPatch, home) -> None:
    if home is not None:
        monkeypatch.setenv("HOME", home)
    monkeypatch.setattr("firmware.kept.folder.pwd.getpwuid", lambda uid: {}[uid])
    with pytest.raises(NoStateFolderError, match="--state FOLDER"):
        state_folder()


def test_who_has_a_home_only_in_the_list_of_users_keeps_games_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware.kept.folder.pwd.getpwuid", lambda uid: SimpleNamespace(pw_dir="/home/wow"))
    assert state_folder() == Path("/home/wow/.local/state/tacocat")


def test_a_relative_place_for_state_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "state")
    monkeypatch.setenv("HOME", "/home/yay")
    assert state_folder() == Path("/home/yay/.local/state/tacocat")


def test_the_users_own_place_for_state_goes_before_the_home_and_systemds_first_one_before_both(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", "/home/yay")
    monkeypatch.setenv("XDG_STATE_HOME", "/home/yay/state")
    assert state_folder() == Path("/home/yay/state/tacocat")
    monkeypatch.setenv("STATE_DIRECTORY", "/var/lib/tacocat:/var/lib/another")
    assert state_folder() == Path("/var/lib/tacocat")


def test_a_folder_that_is_locked_is_made_first(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "tacocat"
    with lock_state(folder, "a game"):
        assert (folder / LOCK_FILE).exists()

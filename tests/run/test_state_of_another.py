"""Each start with a state folder that belongs to another user: `tacocat run`, a mode by name, `tacocat check`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from engine.rules import Mode
from firmware import cli
from firmware.kept.folder import GAMES_FOLDER, LOCK_FILE
from firmware.kept.games import name_of
from hardware.ports import Health
from tests.support.owners import OWNER, AnothersFolder
from tests.support.running import Running, running

starts = pytest.mark.parametrize("mode", [None, Mode.PLAY, Mode.BOARD], ids=["run", "play", "board"])


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    folder.mkdir()
    return folder


def begin(run: Running, mode: Mode | None) -> None:
    """A game, from the menu if the start shows one."""
    if mode is None:
        run.take(Mode.BOARD.value)
    run.until(lambda: run.loop.table.menu is None and run.game.rules.mode is (mode or Mode.BOARD))


def disk(run: Running) -> tuple[Health, str] | None:
    return next(((part.health, part.detail) for part in run.loop.table.parts if part.part == "disk"), None)


@starts
def test_a_plain_user_plays_in_the_folder_of_another_and_is_told_that_nothing_is_kept(
    state: Path, monkeypatch: pytest.MonkeyPatch, mode: Mode | None
) -> None:
    AnothersFolder(monkeypatch, state, root=False)
    with running(state, monkeypatch, mode) as run:
        begin(run, mode)
        run.until(lambda: disk(run) is not None)
        health, words = disk(run) or (None, "")
        assert health is Health.LOST and "Permission denied" in words and str(state) in words
        run.press("yay")
    assert list(state.iterdir()) == []


@starts
def test_what_root_keeps_in_the_folder_of_another_is_theirs(
    state: Path, monkeypatch: pytest.MonkeyPatch, mode: Mode | None
) -> None:
    met = AnothersFolder(monkeypatch, state, root=True)
    game = state / GAMES_FOLDER / name_of(1)
    with running(state, monkeypatch, mode) as run:
        begin(run, mode)
        run.until(game.exists)
        run.until(lambda: "\nmode " in game.read_text())
        assert disk(run) is None
    assert set(met.given) == {(name, OWNER, OWNER + 1) for name in (LOCK_FILE, GAMES_FOLDER, game.name)}


def check(state: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, str]]:
    cli.main(["check", "--virtual", "--json", "--state", str(state)])
    return {row["part"]: row for row in json.loads(capsys.readouterr().out)["rows"]}


def test_a_check_by_a_plain_user_leaves_another_s_folder_to_its_owner(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    AnothersFolder(monkeypatch, state, root=False)
    rows = check(state, capsys)
    assert [part for part, row in rows.items() if row["state"] == "fault"] == ["disk"]
    assert rows["disk"]["found"] == f"{state} cannot be written to: Permission denied"
    assert f"sudo -u '#{OWNER}' tacocat check" in rows["disk"]["remedy"] and "chown" not in rows["disk"]["remedy"]


def test_a_check_by_root_of_another_s_folder_finds_no_fault_and_takes_nothing_from_its_owner(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (state / GAMES_FOLDER).mkdir()
    (state / "settings.toml").write_text("sound = false\n")
    met = AnothersFolder(monkeypatch, state, root=True)
    rows = check(state, capsys)
    assert [part for part, row in rows.items() if row["state"] == "fault"] == []
    assert {(uid, gid) for _, uid, gid in met.given} == {(OWNER, OWNER + 1)}
    assert sorted(os.listdir(state)) == [GAMES_FOLDER, "settings.toml"]

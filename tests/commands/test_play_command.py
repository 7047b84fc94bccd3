"""`tacocat run`, `play`, `referee` and `board`: what the session is asked for, and what its exit status says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import RulesError
from engine.rules import Mode
from firmware.commands import play as module
from firmware.commands.play import Wanted, play_command
from firmware.config.values import ConfigError
from firmware.errors import FirmwareError
from firmware.run.app import Options
from firmware.virtual import addresses
from hardware.ports import HardwareError

WANTED = Wanted("run", "virtual", None, None, None, "127.0.0.1", (), False)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Options]:
    """What each session was asked for; none begins."""
    asked: list[Options] = []
    monkeypatch.setattr(module, "play", lambda options, say: asked.append(options))
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path / "usual"))
    return asked


def played(wanted: Wanted) -> tuple[int, list[str]]:
    """The exit status, and what was said of faults."""
    faults: list[str] = []
    return play_command(wanted, lambda line: None, faults.append), faults


@pytest.mark.parametrize(
    ("word", "mode"), [("run", None), ("play", Mode.PLAY), ("referee", Mode.REFEREE), ("board", Mode.BOARD)]
)
def test_run_begins_with_the_menu_and_the_other_words_with_their_mode(
    asked: list[Options], word: str, mode: Mode | None
) -> None:
    assert played(replace(WANTED, word=word)) == (0, [])
    assert [options.mode for options in asked] == [mode]


def test_the_port_is_that_of_the_command_line_else_that_of_the_configuration(
    asked: list[Options], tmp_path: Path
) -> None:
    file = tmp_path / "table.toml"
    file.write_text("[virtual]\nport = 8123\n")
    for port in (None, 0, 9000):
        played(replace(WANTED, config_file=file, port=port))
    assert [options.listening.port for options in asked] == [8123, 0, 9000]


@pytest.mark.parametrize("others", [False, True])
def test_whether_others_may_log_in_is_asked_only_where_there_is_a_page(
    asked: list[Options], monkeypatch: pytest.MonkeyPatch, others: bool
) -> None:
    monkeypatch.setattr(addresses, "others_may_log_in", lambda: others)
    played(WANTED)
    played(replace(WANTED, backend="pi"))
    assert [options.listening.shared for options in asked] == [others, False]


def test_a_state_folder_that_is_named_is_made_and_the_usual_one_is_left_to_the_table(
    asked: list[Options], tmp_path: Path
) -> None:
    assert played(replace(WANTED, state=tmp_path / "mine"))[0] == 0
    assert (tmp_path / "mine").is_dir()
    assert played(WANTED)[0] == 0
    assert [options.state for options in asked] == [tmp_path / "mine", tmp_path / "usual"]
    assert not (tmp_path / "usual").exists()


def test_a_state_folder_that_is_named_and_cannot_be_is_a_wrong_word(asked: list[Options], tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("a file\n")
    status, faults = played(replace(WANTED, state=tmp_path / "mine"))
    assert status == 1 and len(faults) == 1 and str(tmp_path / "mine") in faults[0]
    assert asked == []


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ConfigError([]), 2),
        (FirmwareError("no"), 1),
        (HardwareError("no"), 1),
        (RulesError("no"), 1),
        (OSError("no"), 1),
    ],
)
def test_a_faulty_configuration_has_a_status_of_its_own(
    asked: list[Options], monkeypatch: pytest.MonkeyPatch, error: Exception, status: int
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(module, "play", fail)
    found, faults = played(WANTED)
    assert found == status and faults == [f"tacocat: {error}"]

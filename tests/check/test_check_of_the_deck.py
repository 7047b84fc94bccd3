"""The deck's row of a check: what the file holds, and what to do where that is no deck."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from firmware.check.host import probe_deck, probe_disk
from firmware.check.system import System
from firmware.config.values import Config
from firmware.files.whole import backup_of
from firmware.kept import deck as decks
from firmware.kept.deck import Tags, format_tags
from firmware.kept.folder import DECK_FILE
from firmware.table.findings import Row, State
from firmware.virtual.deck import virtual_tags

TAGS = Tags.of(virtual_tags(Config().deck))
TEXT = format_tags(TAGS)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A deck file, which nobody has written yet; its folder has a blank in its name."""
    folder = tmp_path / "the state"
    folder.mkdir()
    return folder / DECK_FILE


def row_of(path: Path) -> Row:
    system = System(Config(), path.parent)
    before = {path: path.read_bytes() for path in path.parent.iterdir() if path.is_file()}
    row = probe_deck(system, probe_disk(system))
    assert {path: path.read_bytes() for path in path.parent.iterdir() if path.is_file()} == before
    return row


def test_a_deck_is_told_by_its_cards_and_its_file(path: Path) -> None:
    path.write_text(TEXT)
    row = row_of(path)
    assert row.state is State.OK and row.found.startswith(f"{len(TAGS)} cards in {path}: ")


def test_a_new_box_has_no_deck_and_no_fault(path: Path) -> None:
    row = row_of(path)
    assert row.state is State.SKIPPED and str(path) in row.found and "teaches" in row.found


def test_a_virtual_table_needs_no_deck_file(path: Path) -> None:
    path.write_text("nonsense\n")
    system = System(Config(), path.parent, virtual=True)
    assert probe_deck(system, probe_disk(system)).state is State.SKIPPED


@pytest.mark.parametrize("text", ["nonsense\n", "", "\0" * 100, "tacocat-deck 1\n7b 04a1b2"])
def test_a_damaged_deck_without_a_backup_is_to_be_mended_or_taught(path: Path, text: str) -> None:
    path.write_text(text)
    row = row_of(path)
    assert row.state is State.FAULT and str(path) in row.found and "no backup" in row.found
    assert row.remedy.startswith(f"mend {path}, or teach the deck") and "tacocat deck import FILE" in row.remedy


def test_where_the_backup_is_damaged_too_both_are_told_and_the_deck_is_to_be_mended(path: Path) -> None:
    path.write_text("nonsense\n")
    backup_of(path).write_text("more nonsense\n")
    row = row_of(path)
    assert f"{path}: " in row.found and f"; {backup_of(path)}: " in row.found
    assert row.remedy.startswith(f"mend {path}, or teach the deck")


@pytest.mark.parametrize("text", ["nonsense\n", None], ids=["damaged", "missing"])
def test_where_the_backup_serves_the_command_to_keep_it_is_given_and_costs_nothing(
    path: Path, text: str | None
) -> None:
    backup_of(path).write_text(TEXT)
    if text is not None:
        path.write_text(text)
    row = row_of(path)
    assert row.state is State.FAULT and "its backup is used" in row.found
    subprocess.run(["sh", "-c", row.remedy.partition(": ")[2]], check=True)
    assert path.read_text() == TEXT and row_of(path).state is State.OK
    kept = [other.read_text() for other in path.parent.iterdir() if other.name.startswith(f"{path.name}.~")]
    assert kept == ([] if text is None else [text])


def test_each_faulty_line_is_named_and_to_be_mended(path: Path) -> None:
    path.write_text(TEXT.replace("\n1a ", "\n1ä "))
    row = row_of(path)
    assert row.state is State.FAULT and f"{path.name}, line 3: " in row.found and "the rest of it is used" in row.found
    assert row.remedy.startswith(f"mend {path}, or teach its cards anew")


def test_cards_that_make_up_no_deck_are_to_be_taught(path: Path) -> None:
    decks.save(path, Tags(tuple(pair for pair in TAGS.pairs if str(pair[1]) != "3b")))
    row = row_of(path)
    assert row.state is State.FAULT and str(path) in row.found and row.remedy.startswith("teach the deck")


def test_the_deck_of_a_newer_version_is_not_to_be_mended(path: Path) -> None:
    path.write_text(TEXT.replace("tacocat-deck 1", "tacocat-deck 2"))
    row = row_of(path)
    assert row.state is State.FAULT and "a newer one has written" in row.found
    subprocess.run(["sh", "-c", row.remedy.partition(": ")[2]], check=True)
    assert not path.exists() and Path(f"{path}.old").exists()


def test_a_deck_that_cannot_be_read_now_is_a_fault_of_the_disk_alone(path: Path) -> None:
    os.mkfifo(path)
    system = System(Config(), path.parent)
    disk = probe_disk(system)
    assert disk.state is State.FAULT and probe_deck(system, disk) == Row("deck", State.SKIPPED, "see disk")

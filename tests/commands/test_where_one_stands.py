"""Nothing is imported from the folder in which the command is started."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.places import ROOT

BIN = Path(sys.executable).parent
TACOCAT = (str(BIN / "tacocat"),)
AS_MAKE_PLAY = (sys.executable, "-P", "-m", "firmware")
# of the project, its libraries and Python's own; the last two Python imports by itself, if it finds them
NAMES = ("engine", "firmware", "hardware", "serial", "PIL", "gpiozero", "json", "random", "signal", "socket", "select")
BY_ITSELF = ("sitecustomize", "usercustomize")


@pytest.mark.parametrize(
    "words",
    [
        (*TACOCAT, "--version"),
        (*TACOCAT, "games", "--state", "state"),
        (*TACOCAT, "bot", "--level", "random"),
        (*TACOCAT, "match", "random", "beginner", "--pairs", "1", "--ms", "9000"),
        (*TACOCAT, "check", "--virtual", "--json", "--state", "state"),
        (*AS_MAKE_PLAY, "--version"),
    ],
    ids=lambda words: " ".join((Path(words[0]).name, *words[1:])),
)
def test_f22_files_with_the_names_of_libraries_in_the_current_folder_are_not_imported(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    """Nor by the processes that a command starts: bots, and the emulated Pico."""
    for name in (*NAMES, *BY_ITSELF):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'imported')!r}, 'a').write('{name} ')\n")
    done = subprocess.run(
        words, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False, stdin=subprocess.DEVNULL
    )
    assert not (tmp_path / "imported").exists(), (tmp_path / "imported").read_text()
    assert done.returncode == 0, done.stderr


def test_f22_make_play_and_the_service_start_it_in_a_way_that_looks_for_nothing_there() -> None:
    play = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\nplay: setup\n")[2].splitlines()[0]
    assert play.split()[:4] == ["@$(BIN)/python", "-P", "-m", "firmware"]
    unit = (ROOT / "systemd" / "tacocat.service").read_text(encoding="utf-8")
    starts = [line.partition("=")[2].split() for line in unit.splitlines() if line.startswith("ExecStart=")]
    assert [words[0].rpartition("/")[2] for words in starts] == ["tacocat"]

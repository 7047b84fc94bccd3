"""Nothing is imported from the folder in which the command is started."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TACOCAT = Path(sys.executable).with_name("tacocat")


@pytest.mark.parametrize("words", [("--version",), ("games", "--state", "state")], ids=" ".join)
def test_f22_files_with_the_names_of_libraries_in_the_current_folder_are_not_imported(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    for name in ("serial", "PIL", "engine", "firmware", "hardware", "gpiozero", "json"):
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit('{name} of the current folder was imported')\n")
    done = subprocess.run(
        [TACOCAT, *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert "was imported" not in done.stdout + done.stderr
    assert done.returncode == 0, done.stderr

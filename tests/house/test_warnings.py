"""Warnings are errors in the tests, but for those of a library that is only run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.places import ROOT

BODY = """import warnings


def test_one():
    warnings.warn_explicit(WORDS, DeprecationWarning, "a.py", 1, module=MODULE)
"""


@pytest.mark.parametrize(
    ("words", "module", "passes"),
    [
        ("Bitwise inversion '~' on bool is deprecated", "mfrc522.MFRC522", True),
        ("Bitwise inversion '~' on bool is deprecated", "hardware.rc522", False),
        ("something else", "mfrc522.MFRC522", False),
    ],
)
def test_f2_the_readers_library_may_warn_and_nothing_else(
    tmp_path: Path, words: str, module: str, passes: bool
) -> None:
    """F2: Python 3.12 and later warn of `~` on a bool in the stock library, where 3.11 did not."""
    body = BODY.replace("WORDS", repr(words)).replace("MODULE", repr(module))
    (tmp_path / "test_one.py").write_text(body, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-c",
        str(ROOT / "pyproject.toml"),
        "--rootdir",
        str(tmp_path),
        str(tmp_path),
    ]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=tmp_path)
    assert run.returncode == (0 if passes else 1), run.stdout

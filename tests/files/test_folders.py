"""A folder that cannot be made is said, whatever the reason."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from firmware.files.disk import DISK


def test_a_folder_that_takes_no_other_one_is_tried_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in /proc, where mkdir says that there is no such file."""
    tried: list[str] = []

    def mkdir(path: Path, mode: int = 0) -> None:
        tried.append(str(path))
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(os, "mkdir", mkdir)
    with pytest.raises(FileNotFoundError):
        DISK.make_folder(tmp_path / "new")
    assert tried == [str(tmp_path / "new")]

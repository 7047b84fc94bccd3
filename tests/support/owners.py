"""A folder that another user has, as a plain user and as root meet it; whoever runs the tests is neither."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

OWNER = 4711  # and its group one more


class AnothersFolder:
    """`folder` and all in it belong to OWNER. `root`: who meets it may do everything; else nothing but see that it is
    there. `given`: what root has made and given to somebody, as (name, uid, gid).
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path, *, root: bool) -> None:
        self._folder, self.given = str(folder), list[tuple[str, int, int]]()
        real_stat = os.stat

        def stat(path: Any, *words: Any, **more: Any) -> os.stat_result:
            found = real_stat(path, *words, **more)
            return os.stat_result([*found[:4], OWNER, OWNER + 1, *found[6:]]) if self._has(path) else found

        monkeypatch.setattr(os, "stat", stat)
        monkeypatch.setattr(os, "geteuid", lambda: 0 if root else OWNER + 2)
        if root:
            monkeypatch.setattr(os, "fchown", self._fchown)
        else:
            for name in ("stat", "lstat", "open", "mkdir", "listdir", "unlink", "rename", "replace"):
                monkeypatch.setattr(os, name, self._refusing(getattr(os, name)))

    def _has(self, path: object) -> bool:
        return str(path) == self._folder or self._holds(path)

    def _holds(self, path: object) -> bool:
        return isinstance(path, str | os.PathLike) and str(path).startswith(f"{self._folder}/")

    def _refusing(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def refused(path: Any, *words: Any, **more: Any) -> Any:
            if self._holds(path):
                raise PermissionError(errno.EACCES, "Permission denied", path)
            return call(path, *words, **more)

        return refused

    def _fchown(self, handle: int, uid: int, gid: int) -> None:
        self.given.append((Path(os.readlink(f"/proc/self/fd/{handle}")).name, uid, gid))

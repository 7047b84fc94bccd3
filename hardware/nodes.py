"""Whose a device file is: for somebody who may not open it."""

from __future__ import annotations

import contextlib
import grp
import os
import pwd
from pathlib import Path

_GROUP_MAY = 0o060  # read and write: all of our parts are opened for both


def group_of(path: str | Path) -> str | None:
    """The group that may use a device (its number, if it has no name); None: no group may, or it cannot be told.

    A device of the group root, or one that its group may not both read and write, is no group's.
    """
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    if status.st_gid == 0 or status.st_mode & _GROUP_MAY != _GROUP_MAY:
        return None
    with contextlib.suppress(KeyError):
        return grp.getgrgid(status.st_gid).gr_name
    return str(status.st_gid)


def owner_of(path: str | Path) -> str:
    """In words whom a device belongs to: "the group gpio", "root alone"; "somebody else" if it cannot be told."""
    group = group_of(path)
    if group is not None:
        return f"the group {group}"
    try:
        uid = os.stat(path).st_uid
    except (OSError, ValueError):
        return "somebody else"
    with contextlib.suppress(KeyError):
        return f"{pwd.getpwuid(uid).pw_name} alone"
    return f"the user {uid} alone"

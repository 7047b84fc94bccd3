"""What the launcher asks of the system, of whatever age it is: lines that otherwise run in the bot's process only."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from firmware.bots import launch

OPEN = {"closed": False, "readable": [], "needed": []}
CLOSED = {"closed": True, "readable": ["/"], "needed": []}


class Kernel(launch.Calls):
    """A kernel with Landlock of a version; 0 or less has none."""

    def __init__(self, version: int, *, gives: bool = True) -> None:
        self.version, self.gives = version, gives
        self.words: list[int] = []
        self.asked: list[tuple[object, ...]] = []

    def call(self, name: str, *args: Any) -> int:
        self.asked.append((name, *args))
        if args[0] != launch.CREATE_RULESET:
            return 0
        attributes, size = args[1], args[2]
        if attributes is None:
            return self.version
        assert size == len(attributes), "the kernel is told another size than what it gets"
        self.words = [int.from_bytes(attributes[at : at + 8], "little") for at in range(0, size, 8)]
        return os.open("/dev/null", os.O_RDONLY) if self.gives else -1

    @property
    def restricted(self) -> bool:
        return any(call[:2] == ("syscall", launch.RESTRICT_SELF) for call in self.asked)


RULED = {  # landlock(7): what each version can rule over: files, then TCP from 4 on, then signals and sockets from 6 on
    1: [(1 << 13) - 1],
    2: [(1 << 14) - 1],
    3: [(1 << 15) - 1],
    4: [(1 << 15) - 1, 3],
    5: [(1 << 16) - 1, 3],
    6: [(1 << 16) - 1, 3, 3],
    7: [(1 << 16) - 1, 3, 3],
}


@pytest.mark.parametrize("version", RULED)
def test_each_kernel_is_asked_for_all_that_it_has_and_for_nothing_it_lacks(version: int) -> None:
    kernel = Kernel(version)
    assert launch._restrict(kernel, CLOSED, "")
    assert kernel.words == RULED[version]
    assert kernel.restricted


@pytest.mark.parametrize("version", RULED)
def test_a_bot_that_may_read_files_has_still_no_network_where_that_can_be(version: int) -> None:
    kernel = Kernel(version)
    assert launch._restrict(kernel, OPEN, "")
    assert kernel.words == [0, *RULED[version][1:]] if version >= launch.NET_FROM else not kernel.words
    assert kernel.restricted == (version >= launch.NET_FROM)


@pytest.mark.parametrize("version", [-1, 0])
def test_without_landlock_only_what_wanted_it_says_so(version: int) -> None:
    assert not launch._restrict(Kernel(version), CLOSED, "")
    assert launch._restrict(Kernel(version), OPEN, "")


def test_a_ruleset_that_is_not_given_restricts_nothing_and_is_told() -> None:
    kernel = Kernel(6, gives=False)
    assert not launch._restrict(kernel, CLOSED, "")
    assert not kernel.restricted
    assert not any(call[:2] == ("syscall", launch.ADD_RULE) for call in kernel.asked)


@pytest.mark.parametrize(
    ("user", "closed", "reachable", "becomes"),
    [(0, True, True, True), (0, True, False, False), (0, False, True, False), (1000, True, True, False)],
)
def test_only_root_that_shuts_a_bot_in_becomes_nobody(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, user: int, closed: bool, reachable: bool, becomes: bool
) -> None:
    done: list[tuple[object, ...]] = []
    monkeypatch.setattr(os, "geteuid", lambda: user)
    for name in ("seteuid", "chown", "setgroups", "setresgid", "setresuid"):
        monkeypatch.setattr(os, name, lambda *args, name=name: done.append((name, *args)))
    monkeypatch.setattr(os, "access", lambda *_args, **_options: reachable)
    launch._become_nobody(Kernel(6), {"closed": closed, "needed": ["/bot"]}, str(tmp_path))
    nobody = launch.NOBODY
    assert (("setresuid", nobody, nobody, nobody) in done) == becomes
    if not (user == 0 and closed):
        assert not done, "nothing is touched by who is not root, or shuts nobody in"

"""The game goes on, whatever is done to the virtual table's port: the whole device on twins, in real time."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.round import Phase
from engine.rules import Mode, Rules
from firmware.table.state import Stage
from firmware.virtual.server import BACKLOG
from firmware.virtual.visitors import MAX_CONNECTIONS
from tests.support import hostile
from tests.support.limits import processor_s
from tests.support.live_table import LiveTable, eventually
from tests.support.strip_support import ROOT
from tests.support.virtual_standins import Client

# asyncio takes in BACKLOG visitors and one in a turn of its loop, and needs as many turns until one too many is closed:
# accepted, made a connection, shown out, closed. Who is quick while the table waits for the processor fills them all.
TURNS = 4
SURELY_SHORT_MS = 600  # half of a hold
ATTACKS = tuple(hostile.attacks(0))


@contextlib.contextmanager
def attacked(port: int, name: str) -> Iterator[None]:
    command = [sys.executable, "-m", "tests.support.hostile", str(port), name]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as attacker:
        try:
            assert attacker.stdout is not None and attacker.stdout.readline() == "on\n"
            yield
        finally:
            attacker.communicate(timeout=20)


def see(live: LiveTable, *events: str) -> None:
    """Wait until these are the last events that the engine was given."""
    told = f"{events} expected, {live.events} found"
    assert eventually(lambda: live.events[-len(events) :] == list(events), wait), told


def wait(ms: int) -> None:
    time.sleep(ms / 1000)


class Player:
    """Somebody at a window of the page."""

    def __init__(self, live: LiveTable, window: Client) -> None:
        self.live, self.window = live, window

    def press(self, button: str) -> None:
        """Shortly, also on a slow machine: what became a hold on the way is an undo of nothing, and tried again."""
        for _ in range(10):
            began_ms = time.monotonic_ns() // 1_000_000
            self.window.send({"do": "press", "button": button, "at": began_ms})
            wait(80)
            self.window.send({"do": "release", "button": button, "at": began_ms + 80})
            if time.monotonic_ns() // 1_000_000 - began_ms < SURELY_SHORT_MS:
                return
        raise AssertionError("no press was short")

    def lay_ticket(self) -> None:
        self.window.send({"do": "move", "card": "ticket", "to": "pad-yay", "face_down": False})


def let_in(live: LiveTable) -> Client:
    """A window that comes after an attack. Who comes while a crowd leaves may be shown out with it, and tries again."""
    for _ in range(20):
        with contextlib.suppress(OSError):
            window = Client(live.virtual.port)
            if window.status == 101:
                return window
            window.close()
        wait(100)
    raise AssertionError("nobody is let in any more")


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.parametrize("name", ATTACKS)
def test_what_is_played_during_an_attack_is_judged_and_seen(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    live_table = LiveTable(Rules(mode=Mode.REFEREE), seed=3)
    with processor_s(20), live_table as live, Client(live.virtual.port) as window:
        player = Player(live, window)
        assert eventually(lambda: live.loop.table.stage is Stage.CLEAR and live.loop.table.pads_clear, wait)
        player.press("yay")
        assert eventually(lambda: live.loop.table.stage is Stage.ROUND, wait)
        before = open_files()
        with attacked(live.virtual.port, name):
            player.press("yay")
            see(live, "yay ok")
            player.lay_ticket()
            see(live, "yay ok", "yay tag 04a1b2ee000000")
            assert open_files() <= before + MAX_CONNECTIONS + TURNS * (BACKLOG + 1)
            player.press("wow")
            see(live, "wow ok")
            assert live.game.phase is Phase.REPLACE
            lamps = ["wow", "yay"]
            if window.seen.get("lamps") != lamps:
                window.wait_for("lamps", lamps)
        with let_in(live) as newcomer:
            assert newcomer.wait_for("table")["aside"] == []
        assert eventually(lambda: live.virtual.windows == 1, wait), "a window of the attack is still served"
    assert capfd.readouterr() == ("", ""), "nothing of it belongs into the log"

"""Bots under the restrictions of the installed service: they start, shut in as far as it permits, and it is said."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.confined import CALLS, UNIT, directives, permitted, refused
from tests.support.places import ROOT

TEXT = UNIT.read_text()
LANDLOCK = {name for name in CALLS if name.startswith("landlock")}

# In a process of its own, as nothing of it can be taken back: two bots and one who advises, and what is logged.
PROGRAM = """
import json, logging, sys
from pathlib import Path
from tests.support.confined import confine

logged = []
class Kept(logging.Handler):
    def emit(self, record):
        logged.append(record.getMessage())
logging.basicConfig(level=logging.INFO, handlers=[Kept()])

from engine.cards import YAY
from engine.rules import Rules
from engine.sights import parse_sight
from firmware.bots.adviser import AdviceDesk
from firmware.bots.child import Child
from firmware.bots.dialogue import Patience
from firmware.bots.hosted import Hosted
from firmware.bots.sandbox import Sandbox, level_command
from tests.support.bad_bots import program
from tests.support.bot_events import lines_of
from tests.support.bot_host import ATTACK, Clock, view

calls = confine(Path(sys.argv[1]))
clock, hidden, answers, children = Clock(), Path(sys.argv[2]), [], []

def start(command):
    children.append(Child(command, Sandbox(hidden=(hidden,)), clock))
    return children[-1]

look = f"try: told = ' '.join(os.listdir({str(hidden)!r}))\\n        except OSError as error: told = error.strerror\\n"
look += "        say('error ' + str(told) + ' ' + str(resource.getrlimit(resource.RLIMIT_DATA)[0]))"
spy = program(at_go=f"import resource\\n        {look}".replace("\\n        ", "\\n"))
for command in (level_command("careful"), spy):
    hosted = Hosted(start(command), Patience(), clock)
    hosted.begin(YAY, Rules(), 1)
    hosted.tell(map(parse_sight, lines_of(YAY, ATTACK)))
    hosted.ask(view(YAY, ATTACK))
    chosen = hosted.wait()
    answers.append(hosted.fault if chosen is None else "played")
    hosted.close()
desk = AdviceDesk(start, clock)
desk.ask_hint(view(YAY, ATTACK))
came = children[-1].take(60.0)
answers.append(came[0][1].text if came else "")
desk.close()
ended = [child.end() or child.join(60) for child in children]
print(json.dumps({"calls": calls, "answers": answers, "logged": logged, "ended": ended}))
"""


def played_under(unit: Path, hidden: Path) -> dict[str, Any]:
    command = [sys.executable, "-c", PROGRAM, str(unit), str(hidden)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=240)  # noqa: PLW1510
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture
def hidden(tmp_path: Path) -> Path:
    """A folder as that of the table's games."""
    folder = tmp_path / "state"
    folder.mkdir()
    (folder / "secret").touch()
    return folder


def test_the_service_refuses_namespaces_and_permits_a_bot_to_shut_itself_in_by_landlock() -> None:
    calls = set(refused(TEXT))
    assert {"unshare", "setns", "mount", "ptrace"} <= calls
    assert not calls & (LANDLOCK | {"prctl", "prlimit64", "pidfd_open"})
    said = directives(TEXT)
    assert said["NoNewPrivileges"] == said["MemoryDenyWriteExecute"] == said["RestrictNamespaces"] == ["yes"]
    assert said["PrivateNetwork"] == ["yes"]  # of the service: so a bot has none, without one of its own


def test_in_the_installed_service_bots_play_and_see_nothing_of_the_table(hidden: Path) -> None:
    found = played_under(UNIT, hidden)
    assert set(found["calls"]) == set(refused(TEXT))
    played, spied, advised = found["answers"]
    assert played == "played" and advised.startswith("hint ")
    assert "Permission denied 268435456" in spied and "secret" not in spied
    assert found["ended"] == [True] * 3


def test_what_the_service_does_not_permit_is_said_once(hidden: Path) -> None:
    (line,) = played_under(UNIT, hidden)["logged"]
    assert line.endswith("goes on without: a network of its own, a lower priority")


def test_where_almost_nothing_is_permitted_bots_play_all_the_same_and_it_is_said(tmp_path: Path, hidden: Path) -> None:
    unit = tmp_path / "strict.service"
    kept = {"prctl"}  # which puts the filter there, and is permitted by every service
    unit.write_text(
        "NoNewPrivileges=yes\nMemoryDenyWriteExecute=yes\nRestrictNamespaces=yes\n"
        f"SystemCallFilter=@system-service {' '.join(CALLS)}\n"
        f"SystemCallFilter=~{' '.join(sorted(set(CALLS) - kept))}\n"
    )
    found = played_under(unit, hidden)
    assert set(found["calls"]) == set(CALLS) - kept
    played, spied, advised = found["answers"]
    assert played == "played" and advised.startswith("hint ")
    assert "Operation not permitted" in spied  # it was started, and may not even ask for its limits
    (line,) = found["logged"]
    assert "without: a network of its own, RLIMIT_DATA, " in line and line.endswith(", a lower priority, Landlock")
    assert found["ended"] == [True] * 3


def test_a_filter_is_read_as_systemd_reads_it() -> None:
    assert permitted(["@resources read", "~setrlimit write"]) & {"read", "write", "setrlimit", "setpriority"} == {
        "read",
        "setpriority",
    }
    assert permitted(["read", "~@resources", "setpriority"]) == {"read", "setpriority"}
    assert refused("RestrictNamespaces=no\n") == [] and refused("RestrictNamespaces=yes\n") == ["setns", "unshare"]

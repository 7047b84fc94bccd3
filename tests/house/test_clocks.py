"""Two clocks never meet: whoever needs the time is given a clock; these alone look at the machine's own."""

import ast
from pathlib import Path

from tests.support.places import ROOT

# What each of them measures is begun and ended by itself: it hands no time to others, and compares none of theirs.
MAY_LOOK = {
    "firmware/check/terminal.py": "how long a question waits for a line from the keyboard",
    "firmware/run/app.py": "when systemd's watchdog is fed",
    "firmware/commands/match.py": "how long a bot takes for a decision",
    "firmware/errors.py": "how often a fault is told",
    "firmware/virtual/visitors.py": "how much a visitor may say",
    "firmware/virtual/windows.py": "how often a window is sent something",
    "firmware/wiring/device.py": "the clock of a real table is made here",
    "firmware/wiring/pins.py": "the clock of a real table, of which a check opens what opens",
    "hardware/flash.py": "how long a Pico's prompt is waited for",
    "hardware/ports.py": "SystemClock itself",
    "hardware/strip.py": "how long the link waits for answers",
    "hardware/twins/pico.py": "the emulated Pico's watchdog and pictures: it is a process, and runs in real time",
    "hardware/twins/virtual_time.py": "LiveTime itself",
}
LOOKS = {"monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "time_ns", "clock_gettime", "SystemClock"}
CALENDAR = {
    "localtime",
    "gmtime",
    "strftime",
    "time.ctime",
    "datetime.now",
    "datetime.utcnow",
    "date.today",
    "datetime.today",
}


def names(path: Path) -> set[str]:
    """All names that a file uses as such or after a dot; `time.time` as "time.time"."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
            if isinstance(node.value, ast.Name):
                found.add(f"{node.value.id}.{node.attr}")
    return found


def product() -> dict[str, set[str]]:
    """File to its names, of all that runs on this machine: what runs on the Pico has the Pico's ticks."""
    paths = [path for room in ("engine", "hardware", "firmware") for path in sorted((ROOT / room).rglob("*.py"))]
    files = {path.relative_to(ROOT).as_posix(): path for path in paths}
    return {
        name: names(path)
        for name, path in files.items()
        if not name.startswith(("firmware/pico/", "hardware/twins/pico_world/"))
    }


def test_only_these_look_at_the_clock_of_the_machine_and_each_has_a_reason() -> None:
    looking = {name for name, used in product().items() if used & (LOOKS | {"time.time"})}
    assert looking == set(MAY_LOOK)


def test_nothing_asks_for_the_date_or_the_time_of_day() -> None:
    asking = {name: sorted(used & CALENDAR) for name, used in product().items() if used & CALENDAR}
    assert asking == {}

"""What a machine can be like, as far as one machine can be made so: a table of environments."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field

# What others have set for pip, pytest and Python, and what our own program and its libraries look at.
UNHELPFUL = {
    "PIP_USER": "1",
    "PIP_TARGET": "/nonexistent",
    "PIP_REQUIRE_VIRTUALENV": "1",
    "PIP_NO_BINARY": ":all:",
    "PIP_VERBOSE": "nonsense",
    "PYTHONHASHSEED": "3",
    "PYTHONOPTIMIZE": "2",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONWARNINGS": "error",
    "PYTHONSAFEPATH": "1",
    "PYTHONPATH": "WRONG",  # becomes a folder with a module `serial` that is not ours
    "PYTEST_ADDOPTS": "-x --foo",
    "COLUMNS": "20",
    "NO_COLOR": "1",
    "XDG_STATE_HOME": "/nonexistent",
    "XDG_RUNTIME_DIR": "/nonexistent",
    "STATE_DIRECTORY": "/nonexistent",
    "RUNTIME_DIRECTORY": "/nonexistent",
    "NOTIFY_SOCKET": "/nonexistent/notify",
    "WATCHDOG_USEC": "1",
    "GPIOZERO_PIN_FACTORY": "pigpio",
    "LG_WD": "/nonexistent",
    "BROWSER": "/bin/false",
}


@dataclass(frozen=True, slots=True)
class Environment:
    """`shell` runs "$@" in it, by sh; `needs` are commands. `copied`: in a folder of another name, without links and
    git, with a .venv of its own. `removed`: variables that are not there."""

    name: str
    shell: str = 'exec "$@"'
    variables: Mapping[str, str] = field(default_factory=dict)
    removed: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    as_root: bool = False
    copied: bool = False

    def why_not(self) -> str:
        """Why this machine cannot be like that; empty if it can."""
        if self.as_root and os.geteuid() != 0:
            return "only root may do that"
        missing = [command for command in self.needs if shutil.which(command) is None]
        if missing:
            return f"there is no {', '.join(missing)} here"
        if "unshare" in self.needs:
            tried = subprocess.run(["unshare", "-T", "true"], capture_output=True, text=True, check=False)
            return tried.stderr.strip()
        return ""


def clock_at(seconds: int) -> str:
    """The machine's monotonic clock, and the one since its start, at this many seconds: see time_namespaces(7)."""
    offset = f"$(({seconds} - $(cut -d. -f1 /proc/uptime)))"
    return f'exec unshare -T --fork --kill-child --monotonic {offset} --boottime {offset} -- "$@"'


def locale(name: str, zone: str) -> Environment:
    return Environment(f"LANG={name}, TZ={zone}", variables={"LANG": name, "LC_ALL": name, "TZ": zone})


BUSY = 'while :; do :; done & busy=$!; "$@"; status=$?; kill "$busy"; exit "$status"'

ENVIRONMENTS = (
    Environment("as it is"),
    Environment("a machine that has just started", clock_at(1), needs=("unshare",), as_root=True),
    Environment("a machine that has run for 400 days", clock_at(400 * 86400), needs=("unshare",), as_root=True),
    locale("C", "America/St_Johns"),
    locale("tr_TR.ISO-8859-9", "Asia/Kathmandu"),
    locale("ar_EG.UTF-8", "Pacific/Kiritimati"),
    Environment("umask 077", 'umask 077; exec "$@"'),
    Environment("SIGINT and SIGHUP ignored", "trap '' INT HUP; exec \"$@\""),
    Environment("standard input closed", 'exec "$@" <&-'),
    Environment("standard error closed", 'exec "$@" 2>&-'),
    Environment("standard error full", 'exec "$@" 2>/dev/full'),
    Environment("settings of others", variables=UNHELPFUL),
    Environment("no HOME", removed=("HOME", "USER", "LOGNAME")),
    Environment("one slow core", f"taskset -pc 0 $$ >/dev/null; {BUSY}", needs=("taskset",)),
    Environment("another folder, no links, no git", variables=UNHELPFUL, copied=True),
)

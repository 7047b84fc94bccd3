"""What a process inherits from whoever started it, set to what the tests are written for: the same for everybody.

A test of what the product makes of another environment, umask or signal sets that by itself.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import signal
import sys
import tempfile
import time
from collections.abc import Mapping

from tests.support.places import ROOT

# By these a machine finds its programs, and a run of the tests is told something. Nothing else is handed on.
KEPT = ("PATH", "TMPDIR", "LD_LIBRARY_PATH", "LD_PRELOAD", "EXAMPLES", "PLAYWRIGHT_BROWSERS_PATH", "PYTHONUTF8")
KEPT_BEGINNINGS = ("PYTEST_", "HYPOTHESIS_", "COVERAGE_")
CHOSEN = {"LANG": "C.UTF-8", "TZ": "UTC", "TERM": "dumb", "PYTHONDONTWRITEBYTECODE": "1"}
UMASK = 0o022
# As a shell gives them to a program in the foreground; a script's background job has SIGINT ignored.
SIGNALS = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
    signal.SIGHUP: signal.SIG_DFL,
    signal.SIGQUIT: signal.SIG_DFL,
    signal.SIGCHLD: signal.SIG_DFL,
    signal.SIGPIPE: signal.SIG_IGN,  # Python's own choice
}
_HOME = tempfile.TemporaryDirectory(prefix="home-")  # removed when this process ends


def chosen_environment(environ: Mapping[str, str], home: str, real_home: str) -> dict[str, str]:
    """The environment of the tests, made of the one that was found. `home` is the tests' own, an empty folder."""
    kept = {name: value for name, value in environ.items() if name in KEPT or name.startswith(KEPT_BEGINNINGS)}
    browsers = {"PLAYWRIGHT_BROWSERS_PATH": os.path.join(real_home, ".cache", "ms-playwright")}
    return {**browsers, **kept, **CHOSEN, "HOME": home, "PYTHONPATH": str(ROOT)}


def set_what_is_inherited() -> None:
    """Set environment, umask, signals and standard input of this process. Only its main thread may ask for that."""
    foreign = {os.path.abspath(path) for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path}
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) not in foreign - {str(ROOT)}]
    environ = chosen_environment(os.environ, _HOME.name, _real_home())
    os.environ.clear()
    os.environ.update(environ)
    time.tzset()
    os.umask(UMASK)
    for number, handler in SIGNALS.items():
        signal.signal(number, handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    try:
        os.fstat(0)
    except OSError:
        assert os.open(os.devnull, os.O_RDONLY) == 0  # the lowest that is free


def _real_home() -> str:
    if home := os.environ.get("HOME"):
        return home
    with contextlib.suppress(KeyError):  # a user whom the machine does not know
        return pwd.getpwuid(os.getuid()).pw_dir
    return "/nonexistent"

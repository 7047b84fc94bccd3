"""`make environments`: make test in each environment of the table, and in fresh Debian systems; a verdict a line.

usage: python -m tests.environments [--full] [--tests PATHS] [--mirror URL] [--bind FOLDER]… [--pip-conf FILE] [WHAT…]

WHAT: words of an environment's name, or a release of Debian (bookworm, trixie); nothing: all of the table. --full:
every test in each of them, and the releases of Debian too; else --tests, or those that touch clocks, streams and
files. The rest is for the Debian systems: where their packages come from, folders that are also to be seen there (a
mirror on this disk), and a pip.conf for them.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.environments.roots import RELEASES, try_release
from tests.environments.table import ENVIRONMENTS, Environment
from tests.support.places import ROOT

FAST = (
    "tests/house/test_clocks.py tests/files tests/commands tests/run tests/check/test_check_command.py"
    " tests/hardware/test_strip.py tests/hardware/test_rc522_import.py"
    " tests/systemd/test_pip_install.py tests/systemd/test_install.py"
)
NAME = 'a copy, of José\'s ünd "hers"'
NOT_COPIED = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", ".hypothesis")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="make environments")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--tests", default=FAST)
    parser.add_argument("--mirror", default="http://deb.debian.org/debian")
    parser.add_argument("--bind", action="append", default=[], type=Path)
    parser.add_argument("--pip-conf", type=Path)
    parser.add_argument("what", nargs="*")
    options = parser.parse_args(arguments)
    tests = "" if options.full else options.tests
    verdicts = []
    with tempfile.TemporaryDirectory(prefix="environments-") as folder:
        for environment in ENVIRONMENTS:
            if chosen(environment.name, options.what):
                verdicts.append(say(environment.name, *in_environment(environment, tests, Path(folder))))
        for release in RELEASES:
            if release in options.what or (options.full and not options.what):
                log = Path(folder) / f"{release}.log"
                why_not, failed = try_release(release, tests, Path(folder), log, options)
                verdicts.append(say(f"Debian {release}", why_not, failed, log))
    if not verdicts:
        print(f"None of them is called {' '.join(options.what)}.", file=sys.stderr)
        return 2
    print(
        f"{verdicts.count('passed')} passed, {verdicts.count('FAILED')} failed, {verdicts.count('not here')} not here"
    )
    return int("FAILED" in verdicts)


def chosen(name: str, what: list[str]) -> bool:
    return not what or any(word in name for word in what)


def in_environment(environment: Environment, tests: str, folder: Path) -> tuple[str, bool, Path]:
    """(why it was not tried, whether it failed, what was printed)"""
    log = folder / "log"
    if why_not := environment.why_not():
        return why_not, False, log
    tree = ROOT
    if environment.copied:
        tree = folder / NAME
        shutil.copytree(ROOT, tree, symlinks=False, ignore=NOT_COPIED)
    wrong = folder / "wrong"
    wrong.mkdir(exist_ok=True)
    (wrong / "serial.py").write_text("raise RuntimeError('the wrong module serial')\n")
    environ = {name: value for name, value in os.environ.items() if name not in environment.removed}
    environ |= {name: str(wrong) if value == "WRONG" else value for name, value in environment.variables.items()}
    command = ["sh", "-c", environment.shell, "sh", "make", "test", f"TESTS={tests}"]
    with log.open("wb") as out:
        done = subprocess.run(command, cwd=tree, env=environ, stdout=out, stderr=subprocess.STDOUT, check=False)
    return "", done.returncode != 0, log


def say(name: str, why_not: str, failed: bool, log: Path) -> str:
    verdict = "not here" if why_not else "FAILED" if failed else "passed"
    print(f"{time.strftime('%H:%M:%S')}  {verdict:9} {name}{f': {why_not}' if why_not else ''}", flush=True)
    if failed:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        notable = [line for line in lines if line.startswith(("FAILED", "ERROR", "E  "))] or lines
        print("\n".join(f"    {line}" for line in notable[-30:]), flush=True)
    return verdict


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

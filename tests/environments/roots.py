"""A fresh Debian in a folder, made by debootstrap, with a plain user who runs `make test` there. Only for root."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from tests.support.places import ROOT

RELEASES = ("bookworm", "trixie")  # Python 3.11 and 3.13
PACKAGES = "make,python3,ca-certificates"
USER = "somebody"
ENVIRON = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive"}
TOOLS = ("python3-venv", "chromium", "libatomic1", "systemd-analyze", "strace")  # a plain user has no sudo to get them
NOT_COPIED = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", ".hypothesis")


def try_release(release: str, tests: str, folder: Path, log: Path, options: argparse.Namespace) -> tuple[str, bool]:
    """(why it was not tried, whether it failed); what was printed is in `log`."""
    if os.geteuid() != 0:
        return "only root may make its root", False
    missing = [command for command in ("debootstrap", "unshare", "chroot") if shutil.which(command) is None]
    if missing:
        return f"there is no {', '.join(missing)} here", False
    root = folder / release
    try:
        with log.open("wb") as out:

            def run(*words: str | Path, **environ: str) -> bool:
                done = subprocess.run(words, env={**ENVIRON, **environ}, stdout=out, stderr=out, check=False)
                return done.returncode == 0

            make = ("debootstrap", "--variant=minbase", f"--include={PACKAGES}", release, root, options.mirror)
            if not run("unshare", "--mount", *make):
                return f"debootstrap could not get it from {options.mirror}: {last_line(log)}", False
            shutil.copyfile("/etc/resolv.conf", root / "etc/resolv.conf")
            if options.pip_conf:
                shutil.copyfile(options.pip_conf, root / "etc/pip.conf")
            inside, as_user = in_root(root, options.bind), in_root(root, options.bind, USER)
            home = f"/home/{USER}"
            if not run(*inside, "useradd", "--create-home", USER):
                return "", True
            shutil.copytree(ROOT, root / home.lstrip("/") / "table", symlinks=True, ignore=NOT_COPIED)
            if not run(*inside, "chown", "-R", f"{USER}:{USER}", home):
                return "", True
            if not run(*inside, "sh", f"{home}/table/tests/get_tools.sh", *TOOLS, HOME="/root"):
                return "", True
            words = ("make", "-C", f"{home}/table", "test", f"TESTS={tests}")
            return "", not run(*as_user, *words, HOME=home, USER=USER)
    finally:
        shutil.rmtree(root, ignore_errors=True)  # gigabytes


def in_root(root: Path, binds: Iterable[Path], user: str = "root") -> list[str]:
    """The beginning of a command that is run in this root, as this user.

    What is mounted for the command nobody else sees, and it goes with it: to remove the folder of the root never
    reaches a folder of the machine's.
    """
    at = shlex.quote(str(root))
    steps = [f"mount -t proc proc {at}/proc", f"mount --rbind /dev {at}/dev"]
    for bind in map(str, binds):
        there = shlex.quote(f"{root}{bind}")
        steps += [f"mkdir -p {there}", f"mount --bind -o ro {shlex.quote(bind)} {there}"]
    steps.append(f'exec chroot --userspec={user}:{user} {at} "$@"')
    return ["unshare", "--mount", "sh", "-c", " && ".join(steps), "sh"]


def last_line(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
    return next((line for line in reversed(lines) if line.strip()), "")

"""A fresh Debian in a folder, made by debootstrap, with a plain user who runs `make test` there. Only for root."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
from contextlib import ExitStack
from pathlib import Path

from tests.support.places import ROOT

RELEASES = ("bookworm", "trixie")  # Python 3.11 and 3.13
PACKAGES = "make,python3,ca-certificates"
USER = "somebody"
ENVIRON = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive"}
NOT_COPIED = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", ".hypothesis")


def try_release(release: str, tests: str, folder: Path, log: Path, options: argparse.Namespace) -> tuple[str, bool]:
    """(why it was not tried, whether it failed); what was printed is in `log`."""
    if os.geteuid() != 0:
        return "only root may make its root", False
    if shutil.which("debootstrap") is None:
        return "there is no debootstrap here", False
    root = folder / release
    with log.open("wb") as out, ExitStack() as closing:

        def run(*words: str | Path, **environ: str) -> bool:
            done = subprocess.run(words, env={**ENVIRON, **environ}, stdout=out, stderr=out, check=False)
            return done.returncode == 0

        if not run("debootstrap", "--variant=minbase", f"--include={PACKAGES}", release, root, options.mirror):
            return f"debootstrap could not get it from {options.mirror}", False
        mounts = [("proc", "/proc"), ("bind", "/dev"), ("bind", "/dev/pts"), *(("bind", str(p)) for p in options.bind)]
        for kind, path in mounts:
            inside = root / path.lstrip("/")
            inside.mkdir(parents=True, exist_ok=True)
            run("mount", *(["-t", "proc", "proc"] if kind == "proc" else ["--bind", path]), inside)
            closing.callback(run, "umount", "--lazy", inside)
        shutil.copyfile("/etc/resolv.conf", root / "etc/resolv.conf")
        if options.pip_conf:
            shutil.copyfile(options.pip_conf, root / "etc/pip.conf")
        home = f"/home/{USER}"
        run("chroot", root, "useradd", "--create-home", USER)
        shutil.copytree(ROOT, root / home.lstrip("/") / "table", symlinks=True, ignore=NOT_COPIED)
        run("chroot", root, "chown", "-R", f"{USER}:{USER}", home)
        # what a plain user without sudo cannot get
        tools = ["python3-venv", "chromium", "libatomic1", "systemd-analyze", "strace"]
        if not run("chroot", root, "sh", f"{home}/table/tests/get_tools.sh", *tools, HOME="/root"):
            return "", True
        words = ["make", "-C", f"{home}/table", "test", f"TESTS={tests}"]
        return "", not run("chroot", f"--userspec={USER}:{USER}", root, *words, HOME=home, USER=USER)

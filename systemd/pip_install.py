"""pip install, into the environment whose Python runs this, and as this project chose it.

usage: VENV/bin/python -I systemd/pip_install.py ARGUMENT…     ARGUMENT: what `pip install` takes

Of the settings that pip finds in its files and in the environment, only those count that say from where this machine
gets its packages, and by which way (a mirror, a proxy, a certificate). Where they go, which releases, and how they are
built is not to be changed by `user = true`, PIP_TARGET, PIP_NO_BINARY or the like. PYTHON… is not handed on either.
Commands work in a folder of any name afterwards, also where pip writes its path between quotes that the path has too.
"""

from __future__ import annotations

import ast
import os
import shlex
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

SOURCES = {
    "index-url",
    "extra-index-url",
    "find-links",
    "no-index",
    "trusted-host",
    "cert",
    "client-cert",
    "proxy",
    "timeout",
    "default-timeout",
    "retries",
    "keyring-provider",
    "use-feature",
    "use-deprecated",
    "cache-dir",
}


def listed(lines: Iterable[str]) -> dict[str, str]:
    """What `pip config list` says (lines of section.name='value') of SOURCES: name to value.

    A value for `pip install` counts more than one for all of pip.
    """
    found: dict[str, tuple[int, str]] = {}
    for line in lines:
        key, _, text = line.partition("=")
        section, _, name = key.rpartition(".")
        rank = {"global": 0, "install": 1}.get(section)
        if rank is None or name not in SOURCES or rank < found.get(name, (0, ""))[0]:
            continue
        found[name] = rank, str(ast.literal_eval(text))
    return {name: value for name, (_, value) in found.items()}


def variable(name: str) -> str:
    return f"PIP_{name.replace('-', '_').upper()}"


def environment(environ: Mapping[str, str], settings: Mapping[str, str]) -> dict[str, str]:
    """The environment for `pip install`: `environ` without what is not to count; `settings` where it says nothing."""
    kept = {variable(name) for name in SOURCES}
    others = {n: v for n, v in environ.items() if n in kept or not n.startswith(("PIP_", "PYTHON"))}
    from_files = {variable(name): value for name, value in settings.items()}
    return {**from_files, **others, "PIP_CONFIG_FILE": os.devnull}  # os.devnull: pip reads none of its files


def mend_commands(folder: Path) -> None:
    """Quote the path of Python for the shell, in the commands of this folder that start it by way of one.

    pip does that where a path is too long for a #! line, or has a blank: #!/bin/sh, then '''exec' "PATH" "$0" "$@".
    """
    for path in folder.iterdir():
        if path.is_symlink() or not path.is_file():
            continue
        data = path.read_bytes()
        head, _, rest = data.partition(b"\n")
        old = f"""'''exec' "{folder}/""".encode()
        if head != b"#!/bin/sh" or not rest.startswith(old):
            continue
        name, _, rest = rest.removeprefix(old).partition(b'"')
        python = shlex.quote(f"{folder}/{name.decode()}")
        path.write_bytes(head + f"\n'''exec' {python}".encode() + rest)


def main(arguments: list[str]) -> int:
    pip = [sys.executable, "-I", "-m", "pip", "--disable-pip-version-check", "--no-input"]
    bare = {n: v for n, v in os.environ.items() if n == "PIP_CONFIG_FILE" or not n.startswith(("PIP_", "PYTHON"))}
    settings = subprocess.run([*pip, "config", "list"], stdout=subprocess.PIPE, text=True, check=False, env=bare)
    if settings.returncode:
        print("pip cannot read its configuration: mend the file that it names above.", file=sys.stderr)
        return settings.returncode
    environ = environment(os.environ, listed(settings.stdout.splitlines()))
    done = subprocess.run([*pip, "install", *arguments], check=False, env=environ)
    mend_commands(Path(sys.executable).parent)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

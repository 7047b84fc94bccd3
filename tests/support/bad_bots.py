"""Bots as processes of their own, that do what a bot must not."""

from __future__ import annotations

import os
import sys
import textwrap
import time
from pathlib import Path

_LOOP = """
import os, signal, subprocess, sys
def say(text):
    os.write(1, (text + "\\n").encode())
def at_word(word):
{at_word}
for line in iter(sys.stdin.readline, ""):
    words = line.split()
    at_word(words[0])
    if words[0] == "tacobot":
        say("name Bad Bot")
        say("protocol 1")
    elif words[0] == "ready":
        say("ready")
    elif words[0] == "go":
        number = words[1]
{at_go}
    elif words[0] == "quit":
{at_quit}
"""


def program(at_go: str = "pass", at_quit: str = "sys.exit()", at_word: str = "pass") -> tuple[str, ...]:
    """The command of a bot that greets, is ready, and then does this."""
    code = _LOOP.format(
        at_word=textwrap.indent(at_word, " " * 4),
        at_go=textwrap.indent(at_go, " " * 8),
        at_quit=textwrap.indent(at_quit, " " * 8),
    )
    return (sys.executable, "-I", "-S", "-c", code)


def running(mark: str) -> list[int]:
    """The processes with this word among those of their command."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if mark.encode() in words:
                found.append(int(folder.name))
    return found


def real_ms() -> int:
    return time.monotonic_ns() // 1_000_000

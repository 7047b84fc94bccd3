"""The command `tacocat`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0, 1 if something failed, 2 for wrong words or files."""
    args = _parser().parse_args(argv)
    # each command imports what it needs: replay needs no driver, and starts at once
    from firmware.replay import replay_file

    try:
        return replay_file(args.file, args.json, sys.stdin.buffer, sys.stdout, sys.stderr)
    except BrokenPipeError:  # the reader of our output has seen enough, as `head` has
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - for the interpreter's last flush
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tacocat", description="The table that plays along: Tacocat Spelled Backwards.")
    commands = parser.add_subparsers(dest="command", required=True)
    replay = commands.add_parser("replay", help="judge a transcript (.taco)")
    replay.add_argument("file", metavar="FILE", help="the transcript; - is standard input")
    replay.add_argument("--json", action="store_true", help="one JSON object a line for every event")
    return parser

"""`tacocat match`: two bots against each other on mirrored deals."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Sequence
from typing import TextIO

from engine.players.levels import LEVELS
from engine.players.match import Score
from engine.rules import Rules
from firmware.bots.child import Child
from firmware.bots.dialogue import Patience
from firmware.bots.hosted import Hosted
from firmware.bots.match import Rival, Tally, play_pairs
from firmware.bots.sandbox import OPEN, Sandbox, level_command
from firmware.errors import FirmwareError, printable, short
from hardware.ports import SystemClock

CLOCK = SystemClock()
STEP = 50  # pairs, after each of which it is said how it stands
_COLUMNS = ("", "won", "tied", "lost", "share of games", "faults", "late", "decisions", "median", "p95")


class NoSuchBotError(FirmwareError):
    """Neither a level nor a command that could be started."""


def match_command(
    names: tuple[str, str], pairs: int, seed: int, ms: int, rules: Rules, out: TextIO, err: TextIO, *, closed: bool
) -> int:
    """Play, and print how it went. `ms` for each decision; `closed`: shut in as the table does it.

    Returns the exit status: 0 if neither bot has made a fault nor been late more often than once in a hundred answers,
    else 1. Raises NoSuchBotError.
    """
    box = Sandbox() if closed else OPEN
    rivals = tuple(_rival(name, command_of(name), box, Patience(ms)) for name in names)
    assert len(rivals) == 2
    shares: list[tuple[float, float]] = []
    try:
        for pair in play_pairs((rivals[0], rivals[1]), rules, range(seed, seed + pairs)):
            shares.append(pair)
            if len(shares) % STEP == 0 and len(shares) < pairs:
                err.write(printable(f"{names[0]}: {score_of(shares)}\n"))
                err.flush()
    finally:
        for rival in rivals:
            rival.close()
    out.write(printable(report(names, shares, [rival.tally for rival in rivals], seed)))
    return 0 if all(rival.tally.passes for rival in rivals) else 1


def command_of(name: str) -> tuple[str, ...]:
    """The command of a level, or the words of one that was given. Raises NoSuchBotError."""
    if name in LEVELS:
        return level_command(name)
    try:
        words = tuple(shlex.split(name))
    except ValueError as error:
        raise NoSuchBotError(f"{name!r} cannot be read as a command: {error}") from None
    if not words or shutil.which(words[0]) is None:
        raise NoSuchBotError(
            f"{name!r} is neither a level ({', '.join(LEVELS)}) nor a command that can be started here"
        )
    return words


def _rival(name: str, command: Sequence[str], box: Sandbox, timing: Patience) -> Rival:
    return Rival(name, lambda: Hosted(Child(command, box, CLOCK.now_ms), timing, CLOCK.now_ms))


def score_of(shares: Sequence[tuple[float, float]]) -> Score:
    """Of the first bot, over pairs."""
    return Score(tuple((first + second) / 2 for first, second in shares))


def report(names: tuple[str, str], shares: Sequence[tuple[float, float]], tallies: Sequence[Tally], seed: int) -> str:
    """The table, and the first faults of each bot in words."""
    games = [share for pair in shares for share in pair]
    score, ties = score_of(shares), games.count(0.5)
    rows = [_COLUMNS]
    for won, mean, name, tally in (
        (games.count(1.0), score.mean, names[0], tallies[0]),
        (games.count(0.0), 1 - score.mean, names[1], tallies[1]),
    ):
        lost = len(games) - ties - won
        times = sorted(tally.times_ms)
        share = f"{mean:.1%} ± {score.half_width:.1%}"
        counts = (str(won), str(ties), str(lost), share, str(tally.faults), str(tally.late), str(len(times)))
        rows.append((short(name), *counts, _percentile(times, 50), _percentile(times, 95)))
    swept = sum(pair in ((1.0, 1.0), (0.0, 0.0)) for pair in shares)
    even = sum(pair in ((1.0, 0.0), (0.0, 1.0)) for pair in shares)
    lines = [
        f"{len(shares)} pairs of games on mirrored deals, seeds {seed} to {seed + len(shares) - 1}; "
        f"both games of a pair won by one: {swept}, one each: {even}",
        "",
        *_aligned(rows),
        "",
        "share of games: a tie is half; ± is the 95 % interval over pairs",
    ]
    for name, tally in zip(names, tallies, strict=True):
        lines += [f"{short(name)}, a fault, {told}" for told in tally.told]
    return "\n".join(lines) + "\n"


def _percentile(ordered: Sequence[int], percent: int) -> str:
    return f"{ordered[min(len(ordered) * percent // 100, len(ordered) - 1)]} ms" if ordered else "-"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            word.rjust(width) if n else word.ljust(width)
            for n, (word, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]

"""Games of one person against the table, with a child's hands: the power is cut in every line of their journals."""

from __future__ import annotations

import tempfile
import time
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path

from engine.board import Board
from engine.cards import PLAYERS
from engine.players.names import TABLE_LEVELS
from engine.rules import Rules
from tests.support.solo_cuts import every_cut

SIZES = (3, 4, 5)  # cards of a hand
ENDS = 10  # one in so many cuts is played on to the end of the game, the others to that of the round


def cut_everywhere(seeds: Iterable[int], say: Callable[[str], object]) -> int:
    """Returns the exit status: 0 if everything held in all games, else 1."""
    cuts = failed = 0
    begun_s = time.monotonic()
    for games, seed in enumerate(seeds, 1):
        size, side = SIZES[seed % len(SIZES)], PLAYERS[seed // 2 % 2]
        level = TABLE_LEVELS[seed % 2]
        rules = Rules(board=Board((size,) * 7, Rules().board.arrows))
        with tempfile.TemporaryDirectory(prefix="soak-") as folder:
            try:
                cuts += every_cut(Path(folder), rules, side, level, seed, ends=ENDS)
            except Exception:  # noqa: BLE001 (the outermost: whatever it is, it is told with its seed)
                failed += 1
                say(f"FAILED: {traceback.format_exc()}\nAgain: make soak ALONE=1 SEED={seed}")
        say(f"{games} games, {cuts} power cuts, {time.monotonic() - begun_s:.0f} s, {failed} failed")
    return 1 if failed else 0

"""The text around the table in docs/benchmarks.md."""

from __future__ import annotations

from benchmarks.bench_players import WANTED_PERCENT
from benchmarks.bench_readers import costs
from benchmarks.measures import SLOWER, number, table
from firmware.config.values import Config
from firmware.table.state import GROUP_MS

_TEMPLATE = """# How fast it is, and what it needs

Written by `make bench`. {machine}.

Of the time column: *real* is time of the machine named above. *virtual* is time of the emulated chips, and the same
on any machine; what it is made of stands below. *virtual + real* is both, added up. *counted* is no time at all. A
value "mean …, p99 …" is over all samples; *wanted* is about the p99.

{measures}

## From a card to its light and to its verdict

A pad's goal is lit as soon as the pad has read a card at all, long before the card is sure to lie there: that has to be
felt as *at once*. Until the pads say `noticed` or `placed`, time is virtual: cards come at random moments, their own
start-up of 5 ms is in it. From there on it is real, but for what an RP2040 takes longer than the unix port of
MicroPython (4.2 ms, by its emulator). The strip counts as lit when it has acknowledged the picture. The screen's bus
takes as long as the wires would, and delays the strip by nothing.

By default a card has to lie still for {settle} ms before it counts (`settle_ms` in `table.toml`), on purpose: a card
that slides over a pad for 80 ms on its way must be no play, and before that nobody can know that it will be gone after
80. What could make it sure earlier? A reader tells only whether a card answers, not how strongly, so a signal cannot be
seen to become steady. A second card on the same pad is none either: a hand with several cards slides over as one does.
An ok is: it counts the cards of an attack and the discards that were noticed before it, with no wait at all. A tenth of
a second more is hardly felt where the pad has been lit; a card that was played by itself is. Who would rather have it
the other way sets `settle_ms = 0`: a card then counts with its first reading, and the rows above show that everything
else is fast enough for 40 ms.

Where one card is wanted and a second one would be one too many for good (a deal, a draw, a duel, an answer, a
showdown), a card waits {group} ms from when it was first seen for others that came with it, whatever `settle_ms`
says. Attacks and discards do not wait.

## Start, memory, rest

Most of the start is Python's loading of modules: gpiozero, Pillow, luma.oled, our own. A device does not load the
emulated chips, the virtual table, the check, or what sets Arabic, until somebody wants them.

Memory grows in the first games by the texts that are set once and then remembered; those stores have an end
(`make soak` counts everything besides and finds no growth).

At rest the pads are polled every 15 ms: a card gives no signal of its own. Buttons do, so they are looked at ten
times a second only, in case an edge got lost, and so is the time of a table where nothing has happened for ten
seconds. The screen gets its set-up and one of eight pages each half second, so that a panel that forgot it is mended.

## On a Pi Zero 2 W

One of its cores is about {slower} times slower than one of this machine; the last column multiplies what is real by
that, and leaves what is virtual. It is an estimate: nobody has measured it yet.

* **Card to verdict**: the readers and the strip are as fast as here, the program is not. With `settle_ms = 0` the
  strip takes about a tenth of a second instead of 40 ms, by default about two tenths. Nothing is lost meanwhile:
  cards are read in a thread of their own.
* **Judge**: some tenths of a millisecond; never felt. A transcript of 100,000 events takes half a minute and more.
* **Start**: some seconds of Python's own loading come after those of the system. Nothing is lost by it.
* **Memory**: the same. A Pi Zero 2 W has 512 MB.
* **Idle**: some twenty percent of one of its four cores, most of it the pads, which are looked at sixty times a
  second.
* **Disk**: the same.

## How strong the players are

What each is: [players.md](players.md). Default deck and board; pairs of games on mirrored deals, intervals of 95 % over
pairs; of seeds with which nothing was tuned. The rows *players* above are a short form. Those below take hours and were
played by hand: `python -m benchmarks.matches strong careful --pairs 1000 --seed 3000000`. A game is a race to four
rounds, and a tie is half. *must* is about the mean, *goal* about the lower end of the interval.

{strength}

A level is about three games in four better than the one below it. *gentle* loses to somebody who plays as *careful*
does.

## What the virtual time is made of

{costs}
"""

# Of the long matches: who, against whom, the goal, pairs, the first seed, and what the first has won.
LONG_MATCHES = (
    ("strong", "random", "none lost", 1000, 3_000_000, "100.0 %, none lost"),
    ("strong", "beginner", "≥ 96 %", 1000, 3_000_000, "97.5 ± 0.7 %"),
    ("strong", "careful", "≥ 73 %", 1000, 3_000_000, "79.8 ± 1.7 %"),
    ("strong", "plain-sampling", "≥ 54 %", 1000, 3_000_000, "58.8 ± 1.8 %"),
    ("strong", "good", "", 100, 2_000_000, "72.5 ± 5.8 %"),
    ("good", "gentle", "", 100, 2_000_000, "76.5 ± 5.7 %"),
    ("careful", "gentle", "", 100, 2_000_000, "64.5 ± 6.4 %"),
)


def strength() -> str:
    head = ("wins of", "against", "must", "goal", "pairs", "first seed", "share of games")
    rows = []
    for one, other, goal, pairs, seed, share in LONG_MATCHES:
        must = f"≥ {number(WANTED_PERCENT[other])} %" if one == "strong" and other in WANTED_PERCENT else ""
        rows.append((f"*{one}*", f"*{other}*", must, goal, f"{pairs:,}", f"{seed:,}", share))
    return table(head, rows)


def document(machine: str, measures: str) -> str:
    """docs/benchmarks.md: the machine, the table, and what to make of it."""
    return _TEMPLATE.format(
        machine=machine,
        measures=measures,
        settle=Config().pads.settle_ms,
        group=GROUP_MS,
        slower=SLOWER,
        strength=strength(),
        costs=table(("cost", "value", "source"), costs()),
    )

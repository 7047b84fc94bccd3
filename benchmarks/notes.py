"""The text around the table in docs/benchmarks.md."""

from __future__ import annotations

from benchmarks.bench_readers import costs
from benchmarks.measures import SLOWER, table
from firmware.config.values import Config
from firmware.table.state import GROUP_MS

_TEMPLATE = """# How fast it is, and what it needs

Written by `make bench`. {machine}.

Of the time column: *real* is time of the machine named above. *virtual* is time of the emulated chips, and the same
on any machine; what it is made of stands below. *virtual + real* is both, added up. *counted* is no time at all. A
value "mean …, p99 …" is over all samples; *wanted* is about the p99.

{measures}

## From a card to its verdict

Until the pads say `placed`, time is virtual: cards come at random moments, their own start-up of 5 ms is in it.
From there on it is real, but for what an RP2040 takes longer than the unix port of MicroPython (4.2 ms, by its
emulator). The strip counts as lit when it has acknowledged the picture. The screen's bus takes as long as the wires
would, and delays the strip by nothing.

By default a card has to lie still for {settle} ms before it counts (`settle_ms` in `table.toml`). That is more
than the 40 ms that were wanted from a card to its verdict, and on purpose: a card that slides over a pad for 80 ms
on its way must be no play, and after 40 ms nobody can know yet that it will be gone after 80. A tenth of a second
more is hardly felt; a card that was played by itself is. Who would rather have it the other way sets
`settle_ms = 0`: a card then counts with its first reading, and the rows above show that everything else is fast
enough for the 40 ms.

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

## What the virtual time is made of

{costs}
"""


def document(machine: str, measures: str) -> str:
    """docs/benchmarks.md: the machine, the table, and what to make of it."""
    return _TEMPLATE.format(
        machine=machine,
        measures=measures,
        settle=Config().pads.settle_ms,
        group=GROUP_MS,
        slower=SLOWER,
        costs=table(("cost", "value", "source"), costs()),
    )

"""`tacocat match` over pretended games: what is said meanwhile and at the end, and what is closed."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import TextIO, cast

import pytest

from engine.rules import Rules
from firmware.bots.match import Tally
from firmware.bots.sandbox import OPEN
from firmware.commands import match
from firmware.commands.match import match_command, report

WON, TIED, LOST = (1.0, 1.0), (0.5, 0.5), (0.0, 0.0)


class Pretended:
    """Rivals without processes, and the pairs of games that they play, the same again and again.

    `broken_off`: the number, from 1, of the pair that is not played to its end. `tallies`: how they have behaved.
    """

    def __init__(
        self,
        monkeypatch: pytest.MonkeyPatch,
        pairs: Sequence[tuple[float, float]],
        broken_off: int | None = None,
        tallies: Sequence[Tally] = (),
    ) -> None:
        self.pairs, self.broken_off, self.tallies = pairs, broken_off, list(tallies)
        self.seeds: Sequence[int] = ()
        self.met: list[str] = []
        self.rivals: list[SimpleNamespace] = []
        self.closed: list[str] = []
        monkeypatch.setattr(match, "_rival", self.rival)
        monkeypatch.setattr(match, "play_pairs", self.play)

    def rival(self, name: str, command: object, box: object, timing: object) -> SimpleNamespace:
        tally = self.tallies.pop(0) if self.tallies else Tally()
        made = SimpleNamespace(name=name, box=box, timing=timing, tally=tally, close=lambda: self.closed.append(name))
        self.rivals.append(made)
        return made

    def play(
        self, rivals: Sequence[SimpleNamespace], rules: object, seeds: Sequence[int]
    ) -> Iterator[tuple[float, float]]:
        self.seeds, self.met = seeds, [rival.name for rival in rivals]
        for number, _ in enumerate(seeds, 1):
            if number == self.broken_off:
                raise KeyboardInterrupt
            yield self.pairs[number % len(self.pairs)]


def played(pairs: int, *, closed: bool = False) -> tuple[int, list[str], list[str]]:
    """The exit status, the lines of the output and those of the errors."""
    out, err = io.StringIO(), io.StringIO()
    status = match_command(("good", "random"), pairs, 7, 9, Rules(), out, err, closed=closed)
    return status, out.getvalue().splitlines(), err.getvalue().splitlines()


@pytest.mark.parametrize(
    ("pairs", "after"), [(1, []), (50, []), (51, [50]), (100, [50]), (101, [50, 100]), (150, [50, 100])]
)
def test_how_it_stands_is_said_after_every_fifty_pairs_and_the_end_has_the_table(
    monkeypatch: pytest.MonkeyPatch, pairs: int, after: list[int]
) -> None:
    Pretended(monkeypatch, [TIED])
    status, out, err = played(pairs)
    assert err == [f"good: 50.0% ± 0.0% over {n} pairs" for n in after]
    assert status == 0 and out[0].startswith(f"{pairs} pairs of games on mirrored deals, seeds 7 to {6 + pairs};")


def test_what_is_said_meanwhile_is_seen_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    Pretended(monkeypatch, [WON], broken_off=51)
    seen: list[str] = []
    err = SimpleNamespace(write=seen.append, flush=lambda: seen.append("flushed"))
    with pytest.raises(KeyboardInterrupt):
        match_command(("good", "random"), 60, 1, 100, Rules(), io.StringIO(), cast(TextIO, err), closed=False)
    assert seen == ["good: 100.0% ± 0.0% over 50 pairs\n", "flushed"]


@pytest.mark.parametrize("broken_off", [None, 1, 3])
def test_both_bots_are_ended_however_the_match_ends(monkeypatch: pytest.MonkeyPatch, broken_off: int | None) -> None:
    pretended = Pretended(monkeypatch, [WON, LOST], broken_off)
    try:
        played(3)
    except KeyboardInterrupt:
        assert broken_off is not None
    assert pretended.closed == ["good", "random"]
    assert list(pretended.seeds) == [7, 8, 9] and pretended.met == ["good", "random"]


@pytest.mark.parametrize("bad", [0, 1])
@pytest.mark.parametrize("tally", [Tally(faults=1), Tally(late=2, times_ms=[1] * 199)])
def test_a_match_fails_if_one_of_the_bots_does(monkeypatch: pytest.MonkeyPatch, bad: int, tally: Tally) -> None:
    Pretended(monkeypatch, [TIED], tallies=[Tally()] * bad + [tally])
    status, *_ = played(1)
    assert status == 1


def test_only_what_is_shut_in_gets_a_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    pretended = Pretended(monkeypatch, [TIED])
    played(1)
    played(1, closed=True)
    assert [rival.box is OPEN for rival in pretended.rivals] == [True, True, False, False]
    assert {rival.timing.ms for rival in pretended.rivals} == {9}


def test_a_pair_with_a_tie_was_neither_won_by_one_nor_one_each() -> None:
    shares = [WON, WON, LOST, (1.0, 0.0), (0.0, 1.0), TIED, (1.0, 0.5), (0.5, 0.0)]
    first_line = report(("good", "random"), shares, [Tally(), Tally()], 1).splitlines()[0]
    assert first_line.endswith("seeds 1 to 8; both games of a pair won by one: 3, one each: 2")


@pytest.mark.parametrize(
    ("times_ms", "half", "most"),
    [
        ([], "-", "-"),
        ([5], "5 ms", "5 ms"),
        ([10, 20], "20 ms", "20 ms"),
        (list(range(1, 101)), "51 ms", "96 ms"),
        (list(range(20, 0, -1)), "11 ms", "20 ms"),
        ([1, 3, 2], "2 ms", "3 ms"),
    ],
)
def test_half_of_the_answers_are_quicker_than_the_median_and_all_but_five_of_a_hundred_than_the_p95(
    times_ms: list[int], half: str, most: str
) -> None:
    row = report(("good", "random"), [WON], [Tally(times_ms=times_ms), Tally()], 1).splitlines()[3]
    assert " ".join(row.split()).endswith(f" {len(times_ms)} {half} {most}")

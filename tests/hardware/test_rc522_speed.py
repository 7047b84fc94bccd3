"""The readers are as fast as wanted: the measures of `make bench`, with fewer trials."""

import pytest

from benchmarks import bench_readers
from hardware.ports import Noticed, Placed


@pytest.fixture(scope="module")
def measures() -> list[tuple[str, float | None, float | None, float, float]]:
    return bench_readers.speed(trials=60)


def test_every_figure_is_as_wanted(measures: list[tuple[str, float | None, float | None, float, float]]) -> None:
    missed = [(name, ours, wanted) for name, _, _, ours, wanted in measures if ours > wanted]
    assert missed == [] and len(measures) == 6


def test_no_figure_is_faster_than_the_air(measures: list[tuple[str, float | None, float | None, float, float]]) -> None:
    """Else the emulated air is too fast, or the measure is wrong."""
    limits = [(ours, limit) for _, _, limit, ours, _ in measures if limit is not None]
    assert len(limits) == 3 and all(ours > limit for ours, limit in limits)


def test_the_library_is_as_slow_as_it_is_known_to_be(
    measures: list[tuple[str, float | None, float | None, float, float]],
) -> None:
    by_name = {name: stock for name, stock, _, _, _ in measures}
    assert by_name["empty poll, SPI transfers"] == 2013
    assert by_name["empty round of 3 pads, ms"] == pytest.approx(278, abs=1)
    assert by_name["4 bytes, 1 pad, ms, mean"] == pytest.approx(52, abs=15)


def test_the_limit_is_the_air_and_half_a_guard_time() -> None:
    assert bench_readers.limit_ms(1) == pytest.approx(2.6, abs=0.1)
    assert bench_readers.limit_ms(2) == pytest.approx(4.6, abs=0.1)


def test_a_card_is_placed_soon_after_it_was_confirmed() -> None:
    results = bench_readers.to_told_ms(Placed, trials=40)
    assert min(results) > 100 and max(results) < 160


def test_a_card_is_noticed_as_soon_as_its_start_up_and_one_round_are_over() -> None:
    results = bench_readers.to_told_ms(Noticed, trials=40)
    assert min(results) > 5 and max(results) < 32  # of virtual time

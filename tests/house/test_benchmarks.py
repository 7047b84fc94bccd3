"""What `make bench` prints: every measure that is asked for, in one table that says what is virtual time."""

import re

import pytest

from benchmarks import bench_device, bench_latency, bench_players, bench_strip, notes
from benchmarks.__main__ import DOCUMENT, machine, main, subjects
from benchmarks.buses import EmptyReader
from benchmarks.matches import MEASURED_FROM
from benchmarks.measures import BOTH, COUNTED, REAL, VIRTUAL, Measure, number, percentile, report
from hardware.rc522 import Reader


def test_a_figure_that_is_not_as_wanted_is_said_to_be_missed():
    most, least = Measure("a", "b", 5, "ms", REAL, 4), Measure("a", "c", 5, "", REAL, 6, at_least=True)
    kept = Measure("a", "d", 4, "ms", REAL, 4)
    assert (most.missed, least.missed, kept.missed) == (True, True, False)
    assert [line.count("**missed**") for line in report([most, least, kept]).splitlines()] == [0, 0, 1, 1, 0]


@pytest.mark.parametrize(
    ("measure", "there"),
    [
        (Measure("a", "b", 7, "ms", REAL), 70),
        (Measure("a", "b", 7, "ms", VIRTUAL), 7),
        (Measure("a", "b", 7, "kB", COUNTED), 7),
        (Measure("a", "b", 7, "ms", BOTH, of_virtual=5), 25),
        (Measure("a", "b", 70, "", REAL, at_least=True), 7),
    ],
)
def test_on_a_slower_machine_only_what_is_real_takes_longer(measure: Measure, there: float):
    assert measure.on_a_zero == there


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.01234, "0.012"),
        (1.236, "1.24"),
        (12.34, "12.3"),
        (123.4, "123"),
        (10, "10"),
        (61653.2, "61,653"),
        (5.0, "5"),
    ],
)
def test_a_number_has_the_digits_that_count(value: float, text: str):
    assert number(value) == text


def test_the_99th_percentile_is_kept_by_99_of_100():
    assert percentile(range(100), 99) == 99 and percentile(range(1000), 99) == 990 and percentile([3], 99) == 3


def test_the_memory_of_a_player_is_not_that_of_the_process_which_measures_it():
    ballast = bytearray(b"x") * 200_000_000
    assert 0 < bench_players.memory_mb(pairs=1) < len(ballast) / 1e6 / 2


def test_the_reader_of_a_measured_device_looks_empty_to_the_driver():
    reader = Reader(EmptyReader())
    assert [reader.inventory() for _ in range(20)] == [[]] * 20
    assert not reader.read().blind


def test_the_device_alone_starts_rests_and_plays_whole_games():
    rows = {f.name: f for f in bench_device.measures(trials=1, idle_s=0.5, games=1, rest_s=0.1)}
    assert len(rows) == 9
    for figure in rows.values():  # half a second at rest may need too little of the processor to measure
        assert figure.here > 0 or (figure.here == 0 and figure.subject == "idle"), figure.name
    assert not rows["after 1 whole games"].missed and not rows["written in an hour of 100 plays"].missed
    assert not rows["fsyncs for each event"].missed


def test_a_card_is_timed_to_its_verdict_on_strip_and_screen_at_both_speeds_with_and_without_the_disk():
    rows = bench_latency.measures(samples=3)
    names = " ".join(f.name for f in rows)
    ways = ("strip, 100 kHz", "strip, 400 kHz", "screen, 100 kHz", "screen, 400 kHz", "without fsync", "with fsync")
    assert all(names.count(way) >= 4 for way in ways)
    assert all(f.here >= f.mean > f.of_virtual / 2 for f in rows)
    assert {f.time for f in rows} == {VIRTUAL, BOTH}


def test_the_bytes_of_a_picture_stand_beside_three_for_each_led():
    assert all(f.beside == ("three bytes an LED", 192) for f in bench_strip.bytes_a_picture())


def test_the_document_says_the_machine_the_date_and_what_is_virtual():
    text = notes.document(machine(), report([Measure("a", "b", 1, "ms", BOTH)]))
    assert re.search(r"make bench`\. .+, \d+ cores; .+, Python 3\.\d+\.\d+; 20\d\d-\d\d-\d\d\.", text)
    assert "virtual + real" in text and "Pi Zero 2 W" in text and "{" not in text


def test_the_long_matches_stand_in_the_document_as_in_the_program_and_nowhere_else():
    document = DOCUMENT.read_text("utf-8")
    assert notes.strength() in document
    players = (DOCUMENT.parent / "players.md").read_text("utf-8").partition("## What was tried")[0]
    assert not [share for *_, share in notes.LONG_MATCHES if share in players]


def test_the_long_matches_reach_what_they_must_and_their_goals_by_seeds_with_which_nothing_was_tuned():
    assert {other for one, other, *_ in notes.LONG_MATCHES if one == "strong"} > set(bench_players.WANTED_PERCENT)
    for one, other, goal, pairs, seed, share in notes.LONG_MATCHES:
        mean, half = (float(word) for word in re.findall(r"[0-9.]+", f"{share} ± 0")[:2])
        assert one != "strong" or mean >= bench_players.WANTED_PERCENT.get(other, 0), share
        assert not goal or mean - half >= float((re.findall(r"\d+", goal) or ["100"])[0]), share
        assert seed >= MEASURED_FROM and pairs >= 100


def test_an_unknown_subject_is_answered_with_those_there_are(capsys: pytest.CaptureFixture[str]):
    assert {"device", "engine", "latency", "players", "readers", "screen", "strip"} == set(subjects())
    assert main(["nonsense"]) == 2
    assert "nonsense" in (err := capsys.readouterr().err) and "readers" in err

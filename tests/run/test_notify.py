"""What systemd is told, over real sockets: ready, status, watchdog, stopping."""

from __future__ import annotations

import logging
import queue
import secrets
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware.run.loop import TICK_MS
from firmware.run.poller import Poller
from firmware.run.systemd import Feeder, Lifeline, Notifier, watchdog_interval_ms
from hardware.ports import HardwareEvent

WATCHDOG_MS = 10_000
ENVIRON = {"WATCHDOG_USEC": str(WATCHDOG_MS * 1000)}


class Manager:
    """systemd's end of the line: a datagram socket, bound to a path or to an abstract name."""

    def __init__(self, name: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(name)
        self.socket.setblocking(False)

    def heard(self) -> list[str]:
        """The datagrams that have come since the last call."""
        messages = []
        while True:
            try:
                messages.append(self.socket.recv(4096).decode())
            except BlockingIOError:
                return messages


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "notify")


@pytest.fixture
def manager(path: str) -> Iterator[Manager]:
    manager = Manager(path)
    with manager.socket:
        yield manager


def notifier(stack: ExitStack, address: str | None) -> Notifier:
    made = Notifier(address)
    stack.callback(made.close)
    return made


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


# ---- messages ------------------------------------------------------------------------------


def test_ready_and_its_status_are_one_datagram(manager: Manager, path: str, stack: ExitStack) -> None:
    notifier(stack, path).ready("waiting for a game")
    assert manager.heard() == ["READY=1\nSTATUS=waiting for a game"]


def test_stopping_and_the_watchdog_have_datagrams_of_their_own(manager: Manager, path: str, stack: ExitStack) -> None:
    told = notifier(stack, path)
    assert told.feed_watchdog()
    told.stopping()
    assert manager.heard() == ["WATCHDOG=1", "STOPPING=1"]


def test_a_status_cannot_smuggle_in_a_second_line(manager: Manager, path: str, stack: ExitStack) -> None:
    notifier(stack, path).status("pad yay:\nMAINPID=1\r\n lost")
    assert manager.heard() == ["STATUS=pad yay: MAINPID=1 lost"]


def test_an_at_sign_names_an_abstract_socket(stack: ExitStack) -> None:
    name = f"tacocat-test-{secrets.token_hex(8)}"
    manager = Manager(f"\0{name}")
    with manager.socket:
        notifier(stack, f"@{name}").ready("here")
        assert manager.heard() == ["READY=1\nSTATUS=here"]


def test_an_abstract_name_may_be_as_short_as_one_letter(stack: ExitStack) -> None:
    assert notifier(stack, "@x").is_open


@pytest.mark.parametrize("address", [None, ""])
def test_without_systemd_nothing_is_sent_and_nothing_is_said(
    address: str | None, caplog: pytest.LogCaptureFixture, stack: ExitStack
) -> None:
    told = notifier(stack, address)
    told.ready("here")
    assert not told.feed_watchdog()
    assert not told.is_open
    assert not caplog.records


@pytest.mark.parametrize("address", ["vsock:2:1234", "@", "relative/path"])
def test_an_address_of_another_kind_is_named_in_the_log(
    address: str, caplog: pytest.LogCaptureFixture, stack: ExitStack
) -> None:
    with caplog.at_level(logging.WARNING):
        assert not notifier(stack, address).is_open
    assert repr(address) in caplog.text


def test_a_socket_that_is_gone_is_complained_of_once_and_never_raises(
    path: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, stack: ExitStack
) -> None:
    monkeypatch.setattr(logging.getLogger("tacocat"), "filters", [])  # which would hold back what it has heard
    told = notifier(stack, path)
    with caplog.at_level(logging.WARNING):
        for _ in range(5):
            told.ready("here")
            assert not told.feed_watchdog()
    (line,) = caplog.messages
    assert line.endswith(": No such file or directory") and "READY=1" in line and "Errno" not in line


def test_what_a_full_queue_did_not_take_is_sent_when_it_has_room(manager: Manager, path: str, stack: ExitStack) -> None:
    told = notifier(stack, path)
    while told.feed_watchdog():
        pass  # nobody reads: the kernel's queue fills up, and the call still returns
    told.ready("first")
    told.status("second")
    assert not told.feed_watchdog()
    assert set(manager.heard()) == {"WATCHDOG=1"}
    told.flush()
    assert manager.heard() == ["READY=1\nSTATUS=second"]
    told.flush()
    assert manager.heard() == []


def test_closing_twice_is_allowed(manager: Manager, path: str) -> None:
    told = Notifier(path)
    told.close()
    told.close()
    told.ready("too late")
    assert manager.heard() == []


# ---- how often -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environ", "interval_ms"),
    [
        ({"WATCHDOG_USEC": "10000000"}, 2500),
        ({"WATCHDOG_USEC": "10000000", "WATCHDOG_PID": "77"}, 2500),
        ({"WATCHDOG_USEC": "10000000", "WATCHDOG_PID": "78"}, None),
        ({"WATCHDOG_USEC": "10000000", "WATCHDOG_PID": "x"}, None),
        ({"WATCHDOG_USEC": "3999999"}, 999),
        ({"WATCHDOG_USEC": "3"}, 1),
        ({"WATCHDOG_USEC": "1"}, 1),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "-5"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({}, None),
    ],
)
def test_the_interval_is_a_quarter_of_what_systemd_allows_this_process(
    environ: dict[str, str], interval_ms: int | None
) -> None:
    assert watchdog_interval_ms(environ, pid=77) == interval_ms


def test_the_watchdog_is_not_fed_before_the_interval_is_over() -> None:
    feeder = Feeder(100, fed_ms=1000)
    assert not feeder.is_due(1099, {"loop": 5, "pads": 3})
    assert feeder.is_due(1100, {"loop": 5, "pads": 3})


def test_a_poller_that_never_made_a_round_is_stuck() -> None:
    feeder = Feeder(100, fed_ms=1000)
    assert feeder.stuck({"loop": 5, "pads": 0}) == {"pads"}
    assert not feeder.is_due(2000, {"loop": 5, "pads": 0})


@given(
    seen=st.dictionaries(st.sampled_from("abc"), st.integers(1, 9)),
    counts=st.dictionaries(st.sampled_from("abc"), st.integers(1, 9), min_size=1),
    late_ms=st.integers(0, 300),
)
def test_it_is_fed_if_and_only_if_time_is_up_and_everything_has_moved(
    seen: dict[str, int], counts: dict[str, int], late_ms: int
) -> None:
    feeder = Feeder(100, 0).fed(50, seen)
    moved = all(count != seen.get(name) for name, count in counts.items())
    assert feeder.is_due(50 + late_ms, counts) == (moved and late_ms >= 100)
    assert not feeder.fed(50 + late_ms, counts).is_due(50 + late_ms + 1000, counts)


# ---- freezing ------------------------------------------------------------------------------


class StepwisePads:
    """A source whose poller makes one round whenever the test says so."""

    pause_ms = 0

    def __init__(self) -> None:
        self.go, self.entered = threading.Semaphore(0), threading.Semaphore(0)
        self.over = False

    def poll(self, now_ms: int) -> list[HardwareEvent]:
        self.entered.release()
        self.go.acquire()
        return []

    def close(self) -> None: ...

    def round(self) -> None:
        """One whole round; returns when the next one has begun, so that this one is counted."""
        self.go.release()
        assert self.entered.acquire(timeout=10)


class At:
    def __init__(self, now: int = 0) -> None:
        self.now = now

    def now_ms(self) -> int:
        return self.now


class Evening:
    """A loop and two real pollers in steps of the loop's tick, on a clock of the test."""

    def __init__(self, path: str, stack: ExitStack) -> None:
        self.clock = At()
        self.pads = {"pad yay": StepwisePads(), "pad wow": StepwisePads()}
        self.line = Lifeline.from_environment(self.clock, {**ENVIRON, "NOTIFY_SOCKET": path})
        stack.callback(self.line.close)
        for name, pads in self.pads.items():
            poller = Poller(pads, queue.SimpleQueue(), self.clock)
            stack.callback(poller.close)
            stack.callback(pads.go.release, 1000)  # a frozen poller must end too
            assert pads.entered.acquire(timeout=10)
            self.line.watch(name, lambda poller=poller: poller.rounds)

    def go_on(self, duration_ms: int, manager: Manager, frozen: str = "") -> list[int]:
        """The times at which the watchdog was fed."""
        fed = []
        for _ in range(duration_ms // TICK_MS):
            self.clock.now += TICK_MS
            for name, pads in self.pads.items():
                if name != frozen:
                    pads.round()
            if frozen != "loop":
                self.line.turn()
            fed += [self.clock.now for message in manager.heard() if message == "WATCHDOG=1"]
        return fed


def test_while_everything_moves_the_watchdog_is_fed_at_least_twice_in_its_time(
    manager: Manager, path: str, stack: ExitStack
) -> None:
    fed = Evening(path, stack).go_on(20_000, manager)
    assert max(later - earlier for earlier, later in zip([0, *fed], [*fed, 20_000], strict=True)) <= WATCHDOG_MS // 2


@pytest.mark.parametrize("frozen", ["loop", "pad yay", "pad wow"])
@pytest.mark.parametrize("running_ms", [3000, 4980, 5000, 5020])
def test_whatever_freezes_the_feeding_stops_within_half_of_the_watchdogs_time(
    frozen: str, running_ms: int, manager: Manager, path: str, stack: ExitStack
) -> None:
    evening = Evening(path, stack)
    assert evening.go_on(running_ms, manager)
    fed = evening.go_on(2 * WATCHDOG_MS, manager, frozen)
    assert all(time <= running_ms + WATCHDOG_MS // 2 for time in fed)
    assert len(fed) <= 1


def test_what_was_frozen_and_moves_again_is_fed_again(manager: Manager, path: str, stack: ExitStack) -> None:
    evening = Evening(path, stack)
    evening.go_on(8000, manager, "pad wow")
    assert evening.go_on(100, manager) == [8000 + TICK_MS]


def test_a_poller_counts_the_rounds_that_it_has_made(stack: ExitStack) -> None:
    pads = StepwisePads()
    poller = Poller(pads, queue.SimpleQueue(), At())
    stack.callback(poller.close)
    stack.callback(pads.go.release, 1000)
    assert pads.entered.acquire(timeout=10)
    counted = [poller.rounds]
    for _ in range(3):
        pads.round()
        counted.append(poller.rounds)
    assert counted == [0, 1, 2, 3]


@pytest.fixture
def clock() -> At:
    return At()


@pytest.fixture
def line(path: str, clock: At, stack: ExitStack) -> Lifeline:
    line = Lifeline.from_environment(clock, {**ENVIRON, "NOTIFY_SOCKET": path})
    stack.callback(line.close)
    return line


def turn(line: Lifeline, clock: At, at_ms: int) -> None:
    clock.now = at_ms
    line.turn()


def test_a_new_poller_of_an_old_name_must_make_a_round_of_its_own(manager: Manager, line: Lifeline, clock: At) -> None:
    line.watch("pads", lambda: 500)
    turn(line, clock, 2500)
    line.watch("pads", lambda: 0)
    turn(line, clock, 5000)
    assert manager.heard() == ["WATCHDOG=1"]
    line.watch("pads", lambda: 1)
    turn(line, clock, 5020)
    assert manager.heard() == ["WATCHDOG=1"]
    line.watch("pads", lambda: 0)
    turn(line, clock, 8000)
    assert manager.heard() == []
    line.forget("pads")
    turn(line, clock, 8020)
    assert manager.heard() == ["WATCHDOG=1"]


def test_the_first_turn_feeds_if_it_is_time(manager: Manager, line: Lifeline, clock: At) -> None:
    turn(line, clock, 2500)
    assert manager.heard() == ["WATCHDOG=1"]


def test_a_feeding_that_was_not_sent_is_tried_again_in_the_next_turn(path: str, line: Lifeline, clock: At) -> None:
    turn(line, clock, 2500)  # systemd is being started anew: nobody listens
    manager = Manager(path)
    with manager.socket:
        turn(line, clock, 2520)
        assert manager.heard() == ["WATCHDOG=1"]


def test_without_a_watchdog_turning_sends_nothing(manager: Manager, path: str, clock: At, stack: ExitStack) -> None:
    line = Lifeline.from_environment(clock, {"NOTIFY_SOCKET": path})
    stack.callback(line.close)
    line.ready("here")
    line.watch("pads", lambda: 0)
    for now_ms in range(0, 100_000, 1000):
        turn(line, clock, now_ms)
    assert manager.heard() == ["READY=1\nSTATUS=here"]


def test_the_line_passes_on_what_is_said(manager: Manager, line: Lifeline) -> None:
    line.status("pad yay: lost")
    line.stopping()
    line.close()
    line.status("nobody hears this")
    assert manager.heard() == ["STATUS=pad yay: lost", "STOPPING=1"]

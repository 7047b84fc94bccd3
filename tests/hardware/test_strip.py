"""The driver of the strip, over pyserial, on the Pico's program in a process of its own.

The names U1 to U17 are those of the faults that such devices are known for. Where time must pass, it is the test's own
clock: the strip is turned by hand.
"""

from __future__ import annotations

import errno
import itertools
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import serial

from hardware import frames
from hardware.link import FoundPort, LinkError, SetupError, Timing
from hardware.pictures import PictureError
from hardware.ports import Breathe, Flash, Health, PartState, Picture
from hardware.strip import PicoStrip, find_picos, open_exclusively
from hardware.twins.pico import PicoProcess
from tests.support.places import ROOT
from tests.support.strip_support import CLOCK, LONG_S, PROGRAM, HandClock, Terminal, shows, still, who

RED = still((60, 0, 0))
BLUE = still((0, 0, 90), (1, 2, 3))
ALL = [still((i, 0, 60 - i)) for i in range(60)]


@pytest.fixture(scope="module")
def shared() -> Iterator[PicoProcess]:
    with PicoProcess(PROGRAM) as pico:
        yield pico


@pytest.fixture
def own() -> Iterator[PicoProcess]:
    with PicoProcess(PROGRAM) as pico:
        yield pico


@pytest.fixture
def stranger() -> Iterator[Terminal]:
    terminal = Terminal()
    yield terminal
    terminal.close()


def wait_until(condition: Callable[[], bool], strip: PicoStrip, timeout_s: float = 6.0) -> bool:
    """Wait for a condition that changes with the strip's state."""
    with strip._lock:
        return strip._lock.wait_for(condition, timeout_s)


def run(strip: PicoStrip, clock: HandClock, until: Callable[[], bool], for_ms: int) -> int:
    """Turn a strip by hand; return how many turns it took. Fails if `until` never holds.

    What it waits for comes from another process, so here its clock goes as fast as real time.
    """
    end_ms = clock.ms + for_ms
    for turns in itertools.count(1):
        wait_ms = strip.turn()
        if until():
            return turns
        assert clock.ms < end_ms, f"not within {for_ms} ms: {strip.state()}"
        before = time.monotonic()
        strip.rest(min(wait_ms, 20))
        clock.ms += max(1, round((time.monotonic() - before) * 1000))


def test_a_picture_shows_and_is_read_back(shared: PicoProcess) -> None:
    with PicoStrip(shared.find_ports, CLOCK) as strip:
        strip.show(RED)
        assert shows(shared, RED)
        assert strip.read_back() == RED.still
        assert strip.state() == PartState("strip", Health.CONNECTED, f"{shared.port}, 64 LEDs", strip.state().at_ms)


@pytest.mark.parametrize("table_ms", [0, 1_000_000_000_000], ids=["just started", "in thirty years"])
def test_what_begins_now_begins_now_whatever_the_clock_of_the_machine_says(own: PicoProcess, table_ms: int) -> None:
    clock, states = HandClock(), []
    clock.ms = table_ms
    with PicoStrip(own.find_ports, clock, on_change=states.append) as strip:
        strip.show(Picture(still((0, 0, 0)).still, (Flash(3, 1, (90, 0, 0), 200, 400, clock.ms),)))
        assert own.wait_for(lambda: own.lit()[3] == (90, 0, 0), LONG_S)
    assert {state.at_ms for state in states} == {table_ms}


def test_a_strip_built_the_other_way_shows_the_same_picture(shared: PicoProcess) -> None:
    picture = still(*((i, 0, 9) for i in range(64)))
    with PicoStrip(shared.find_ports, CLOCK, reverse=True) as strip:
        strip.show(picture)
        assert shows(shared, Picture(picture.still[::-1]))
        assert strip.read_back() == picture.still


def test_of_many_pictures_at_once_the_newest_is_shown(shared: PicoProcess) -> None:
    with PicoStrip(shared.find_ports, CLOCK) as strip:
        assert wait_until(lambda: strip.state().health is Health.CONNECTED, strip)
        before = shared.written
        for picture in ALL * 10:
            strip.show(picture)
        assert shows(shared, ALL[-1])
        assert strip.wait_shown(LONG_S)
        assert shared.written - before <= 600


def test_going_dark_and_then_close_leaves_the_strip_dark_and_the_program_running(own: PicoProcess) -> None:
    strip = PicoStrip(own.find_ports, CLOCK)
    strip.show(RED)
    assert shows(own, RED)
    strip.go_dark()
    strip.close()
    strip.close()
    assert set(own.lit()) == {(0, 0, 0)}
    assert not own.wait_for(lambda: any(any(c) for c in own.lit()), 3.4)
    with PicoStrip(own.find_ports, CLOCK) as strip:  # another start of the host
        strip.show(BLUE)
        assert shows(own, BLUE)


def test_closing_without_a_strip_returns_at_once() -> None:
    closing = threading.Thread(
        target=PicoStrip(list, CLOCK, link_clock=HandClock()).close, daemon=True
    )  # by a clock that stands still
    closing.start()
    closing.join(60)
    assert not closing.is_alive()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"leds": 301}, "301 LEDs; expected 1 to 300"),
        ({"leds": 0}, "0 LEDs; expected 1 to 300"),
        ({"colour_order": "RGGB"}, "'RGGB'; expected R, G and B"),
        ({"leds": 300, "budget_ma": 300}, "300 dark LEDs draw"),
    ],
)
def test_a_strip_that_cannot_be_is_refused_in_words(wrong: dict[str, object], words: str) -> None:
    with pytest.raises(SetupError, match=words):
        PicoStrip(list, CLOCK, start=False, **wrong)


def test_a_fault_of_the_program_itself_is_shown_and_does_not_end_the_thread(shared: PicoProcess) -> None:
    faults = [ZeroDivisionError("only once")]

    def find_ports() -> list[FoundPort]:
        if faults:
            raise faults.pop()
        return shared.find_ports()

    states: list[PartState] = []
    with PicoStrip(find_ports, CLOCK, on_change=states.append) as strip:
        strip.show(RED)
        assert shows(shared, RED)
    assert "ZeroDivisionError('only once')" in states[0].detail


def test_a_picture_for_another_strip_is_refused_at_once() -> None:
    with PicoStrip(list, CLOCK, start=False) as strip, pytest.raises(PictureError, match="63 LEDs; the strip has 64"):
        strip.show(still((1, 1, 1), leds=63))


def test_u1_back_under_another_name_it_is_found_and_shows_the_picture_within_5_s(own: PicoProcess) -> None:
    states: list[PartState] = []
    with PicoStrip(own.find_ports, CLOCK, on_change=states.append) as strip:
        strip.show(RED)
        assert shows(own, RED)
        old = own.port
        own.unplug()
        assert wait_until(lambda: strip.state().health is Health.LOST, strip)
        strip.show(BLUE)
        taken = [Terminal()]  # the system gives the lowest name that is free, and this one is to be taken
        while not Path(old).exists():
            taken.append(Terminal())
        try:
            own.plug_in()
            assert own.port != old
            assert shows(own, BLUE, 60)  # however slow the machine is; what the table itself waits for:
            assert Timing().search_ms + Timing().hello_ms < 5000
        finally:
            for terminal in taken:
                terminal.close()
        assert wait_until(lambda: strip.state().health is Health.CONNECTED, strip)
    healths = [s.health for s in states]
    assert healths[0] is Health.CONNECTED and healths[-1] is Health.CONNECTED
    assert set(healths[1:-1]) == {Health.LOST}


def test_u2_a_cable_pulled_while_pictures_are_sent_stops_nothing(own: PicoProcess) -> None:
    with PicoStrip(own.find_ports, CLOCK) as strip:
        for _ in range(3):
            for picture in ALL:
                strip.show(picture)
            assert strip.wait_shown(LONG_S)
            own.unplug()
            for picture in ALL:
                strip.show(picture)
            own.plug_in()
        assert shows(own, ALL[-1])


def test_u3_nobody_reads_for_60_s_and_neither_time_nor_processor_is_lost(own: PicoProcess) -> None:
    clock = HandClock()
    opened: list[serial.Serial] = []

    def open_port(path: str) -> serial.Serial:
        opened.append(open_exclusively(path))
        return opened[-1]

    with PicoStrip(own.find_ports, clock, open_port=open_port, link_clock=clock, start=False) as strip:
        strip.show(RED)
        run(strip, clock, lambda: own.lit() == RED.still, 2000)
        own.freeze()
        turns = 0
        end_ms = clock.ms + 60_000
        next_ms = clock.ms
        while clock.ms < end_ms:
            if clock.ms >= next_ms:
                next_ms += 100
                strip.show(ALL[turns % 60])
            wait_ms = strip.turn()
            turns += 1
            clock.ms += max(1, min(wait_ms, next_ms - clock.ms))
        assert turns < 60_000 / 100 + 600, "it spins"
        assert {(port.timeout, port.write_timeout) for port in opened} == {(0, 0)}, "it blocks"
        assert strip.state().health is Health.LOST
        own.thaw()
        strip.show(BLUE)
        run(strip, clock, lambda: own.lit() == BLUE.still, 5000)


def test_u3_a_loop_that_shows_pictures_to_a_frozen_strip_is_not_delayed(own: PicoProcess) -> None:
    with PicoStrip(own.find_ports, CLOCK) as strip:
        strip.show(RED)
        assert shows(own, RED)
        own.freeze()
        times = []
        for picture in ALL * 20:
            before = time.perf_counter()
            strip.show(picture)
            times.append(time.perf_counter() - before)
        assert sorted(times)[len(times) * 99 // 100] < 0.02
        own.thaw()
        assert shows(own, ALL[-1], 5)


def test_u4_a_second_program_is_told_that_the_port_is_in_use(shared: PicoProcess) -> None:
    with PicoStrip(shared.find_ports, CLOCK) as first:
        first.show(RED)
        assert shows(shared, RED)
        with PicoStrip(shared.find_ports, CLOCK) as second:
            assert wait_until(lambda: "in use by another program" in second.state().detail, second)
            assert second.state().health is Health.SEARCHING
            second.show(BLUE)
        assert shared.lit() == RED.still
        assert first.read_back() == RED.still


def test_u5_a_port_that_a_modem_manager_holds_is_tried_again_until_it_is_free(own: PicoProcess) -> None:
    prober = serial.Serial(own.port, exclusive=True)
    with PicoStrip(own.find_ports, CLOCK) as strip:
        strip.show(RED)
        assert wait_until(lambda: "in use" in strip.state().detail, strip)
        prober.write(b"AT\rATZ\r")
        prober.close()
        assert shows(own, RED, 5)


def test_u6_a_stranger_gets_the_hello_and_nothing_more(stranger: Terminal) -> None:
    clock = HandClock()
    hello = frames.encode(frames.HELLO, frames.HELLO_SEQ, frames.HELLO_PAYLOAD)
    with PicoStrip(stranger.ports, clock, link_clock=clock, start=False) as strip:
        strip.show(RED)
        for _ in range(1000):
            clock.ms += max(1, strip.turn())
            os.write(stranger.fd, b"login: \r\n$ ")
        heard = stranger.heard()
    assert heard and heard.replace(hello, b"") == b""
    assert heard.count(hello) < (clock.ms - 1_000_000) / 10_000 + 5, "left alone, longer each time"
    assert strip.state().health is Health.SEARCHING


def test_u6_the_strip_is_found_behind_other_gadgets(stranger: Terminal, shared: PicoProcess) -> None:
    ports = [FoundPort(stranger.path), FoundPort("/dev/does-not-exist"), *shared.find_ports()]
    with PicoStrip(lambda: ports, CLOCK) as strip:
        strip.show(BLUE)
        assert shows(shared, BLUE, 5)


def test_u6_only_usb_ids_of_a_pico_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    class Port:
        def __init__(self, device: str, vid: int | None, pid: int | None) -> None:
            self.device, self.vid, self.pid, self.description, self.serial_number = device, vid, pid, "Board", "E661"

    found = [Port("/dev/ttyACM1", 0x2E8A, 5), Port("/dev/ttyACM0", 0x2341, 0x43), Port("/dev/ttyS0", None, None)]
    monkeypatch.setattr("hardware.strip.list_ports.comports", lambda: found)
    assert find_picos() == [FoundPort("/dev/ttyACM1", "Board E661", "E661")]


def test_u7_without_permission_the_group_and_the_command_are_named(monkeypatch: pytest.MonkeyPatch, stranger) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise serial.SerialException(errno.EACCES, f"could not open port: Permission denied: '{stranger.path}'")

    monkeypatch.setattr("hardware.strip.serial.Serial", refuse)
    monkeypatch.setattr(
        "hardware.nodes.os", SimpleNamespace(stat=lambda _: SimpleNamespace(st_gid=20, st_uid=0, st_mode=0o020660))
    )
    monkeypatch.setattr("hardware.nodes.grp.getgrgid", lambda _: SimpleNamespace(gr_name="dialout"))
    with pytest.raises(LinkError) as caught:
        open_exclusively(stranger.path)
    assert f"may not open {stranger.path}: it belongs to the group dialout" in str(caught.value)
    assert "`sudo usermod -aG dialout $USER`" in str(caught.value)
    clock = HandClock()
    with PicoStrip(stranger.ports, clock, link_clock=clock, start=False) as strip:
        strip.turn()
        assert "sudo usermod" in strip.state().detail


def test_nobody_is_told_to_join_the_group_root(monkeypatch: pytest.MonkeyPatch, stranger: Terminal) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise serial.SerialException(errno.EACCES, "could not open port: Permission denied")

    monkeypatch.setattr("hardware.strip.serial.Serial", refuse)
    monkeypatch.setattr(
        "hardware.nodes.os", SimpleNamespace(stat=lambda _: SimpleNamespace(st_gid=0, st_uid=0, st_mode=0o020660))
    )
    with pytest.raises(
        LinkError, match="no udev rule gives it to a group: `sudo make install` brings the rule"
    ) as caught:
        open_exclusively(stranger.path)
    assert "usermod" not in str(caught.value) and "`sudo make install`" in str(caught.value)


def test_u14_a_port_that_stays_silent_is_given_up_after_1_s_in_words(stranger: Terminal) -> None:
    clock = HandClock()
    with PicoStrip(stranger.ports, clock, link_clock=clock, start=False) as strip:
        assert strip.turn() == 1000
        clock.ms += 1000
        strip.turn()
        assert "no answer to the hello within 1 s" in strip.state().detail
        assert "tacocat flash" in strip.state().detail


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (who(2), "the strip's program is version 2, not 1: run `tacocat flash`"),
        (who(1, b"another strip"), "is no tacocat strip"),
    ],
)
def test_u14_another_version_or_another_name_is_said_in_words(stranger: Terminal, answer: bytes, words: str) -> None:
    clock = HandClock()
    with PicoStrip(stranger.ports, clock, link_clock=clock, start=False) as strip:
        strip.turn()
        os.write(stranger.fd, answer)
        strip.rest(1000)
        strip.turn()
        assert words in strip.state().detail


HOST = """
import sys
import threading
from hardware.link import FoundPort
from hardware.ports import Picture, SystemClock
from hardware.strip import PicoStrip
strip = PicoStrip(lambda: [FoundPort(sys.argv[1])], SystemClock())
strip.show(Picture(((60, 0, 0),) * 64))
print(strip.wait_shown(5), flush=True)
sys.stdin.read()
"""


def test_u15_the_pulse_of_the_pico_begins_when_the_host_was_killed(own: PicoProcess) -> None:
    host = subprocess.Popen(
        [sys.executable, "-c", HOST, own.port], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert host.stdin is not None and host.stdout is not None
    with host.stdin, host.stdout:
        try:
            said = host.stdout.readline()
            shown = own.lit()
        finally:
            host.kill()
            host.wait()
    assert (said, shown) == ("True\n", RED.still)
    assert own.wait_for(lambda: {i for i, c in enumerate(own.lit()) if any(c)} == {30, 31, 32, 33}, LONG_S)


@pytest.mark.parametrize("order", ["".join(p) for p in itertools.permutations("RGB")])
def test_u16_any_colour_order_of_the_strip_can_be_configured(order: str) -> None:
    picture = still((10, 20, 30), (255, 0, 1), leds=8)
    with PicoProcess(PROGRAM, leds=8, wired=order) as pico:
        with PicoStrip(pico.find_ports, CLOCK, leds=8, colour_order=order) as strip:
            strip.show(picture)
            assert shows(pico, picture)
        other = "RGB" if order != "RGB" else "BGR"
        with PicoStrip(pico.find_ports, CLOCK, leds=8, colour_order=other) as strip:
            strip.show(picture)
            assert strip.wait_shown(LONG_S)
            assert pico.lit() != picture.still, "the twin shows a wrong order as wrong colours"


def test_a_busy_host_does_not_make_the_strip_stutter(own: PicoProcess) -> None:
    clock = HandClock()
    with PicoStrip(own.find_ports, clock, link_clock=clock, start=False) as strip:
        strip.show(Picture(RED.still, (Breathe(0, 4, (200, 200, 200), 800, clock.ms),)))
        run(strip, clock, lambda: own.lit()[10] == (60, 0, 0), 2000)
        before = own.written
        assert own.wait_for(lambda: own.written >= before + 60, LONG_S), "the host does nothing, the Pico draws"
        drawn = own.frames(before)
        assert drawn[-1].at_ms - drawn[0].at_ms < 60 * 60
        assert len({f.colours[0] for f in drawn}) > 20

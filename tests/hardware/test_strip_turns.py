"""The strip turn by turn on a clock of the test's own: searching, talking, losing, waiting, closing.

Its Pico is the other end of a pair of sockets, and answers when the test says so.
"""

from __future__ import annotations

import os
import select
import socket
import termios
import threading
from types import SimpleNamespace
from typing import Any

import pytest
import serial

from hardware import frames
from hardware.link import FoundPort, LinkError, Setup
from hardware.ports import Health, PartState
from hardware.strip import PicoStrip, find_picos, open_exclusively
from tests.support.strip_support import HandClock, show, still, who

RED = still((60, 0, 0))
BLUE = still((0, 0, 90), (1, 2, 3))
PATH = "/dev/ttyACM0"
LEDS = bytes(range(3 * 64))


class Port:
    """An open port, as pyserial's: not read when there is nothing, nor written when it is full."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self.open = True

    def fileno(self) -> int:
        return self._end.fileno()

    def read(self, most: int) -> bytes:
        assert most == 4096
        return self._end.recv(most)

    def write(self, data: bytes) -> int:
        return self._end.send(data)

    def reset_output_buffer(self) -> None:
        pass

    def close(self) -> None:
        self.open = False


class Pico:
    """The other end. `answers`: what kinds of frames it answers; `refuses`: the error that it has for a picture."""

    def __init__(self) -> None:
        self.ours, self.theirs = socket.socketpair()
        for end in (self.ours, self.theirs):
            end.setblocking(False)
        self.answers = set("HSDRPN")
        self.refuses: int | None = None
        self.heard: list[tuple[str, bytes]] = []
        self._parser = frames.Parser()

    def close(self) -> None:
        self.ours.close()
        self.theirs.close()

    def answer(self) -> None:
        try:
            data = self.theirs.recv(65536)
        except BlockingIOError:
            return
        for kind, seq, payload in self._parser.feed(data):
            self.heard.append((chr(kind), payload))
            if chr(kind) in self.answers:
                self.theirs.send(self._answer(kind, seq))

    def _answer(self, kind: int, seq: int) -> bytes:
        if kind == frames.HELLO:
            return who(frames.VERSION)
        if kind == frames.SHOW and self.refuses is not None:
            return frames.encode(frames.ERROR, seq, bytes((self.refuses, kind)))
        return frames.encode(kind | frames.ANSWER, seq, LEDS if kind == frames.READ else b"")


class Bench:
    """A strip that takes its turns when the test says so. `there`: the ports that a look finds."""

    def __init__(self, **options: Any) -> None:
        self.clock, self.pico = HandClock(), Pico()
        self.told: list[PartState] = []
        self.looked_ms: list[int] = []
        self.opened_ms: list[int] = []
        self.ports: list[Port] = []
        self.there: list[FoundPort] | Exception = [FoundPort(PATH)]
        self.begun_ms = self.clock.ms
        self.strip = PicoStrip(
            self.find,
            self.clock,
            link_clock=self.clock,
            open_port=self.open,  # type: ignore[arg-type]
            on_change=self.told.append,
            **{"start": False} | options,
        )

    def find(self) -> list[FoundPort]:
        self.looked_ms.append(self.clock.ms - self.begun_ms)
        if isinstance(self.there, Exception):
            raise self.there
        return self.there

    def open(self, path: str) -> Port:
        self.opened_ms.append(self.clock.ms - self.begun_ms)
        self.ports.append(Port(self.pico.ours))
        return self.ports[-1]

    def play(self, turns: int = 8) -> int:
        """Turns with the Pico's answers between them; when the strip would come again by itself (ms)."""
        wait_ms = 0
        for _ in range(turns):
            wait_ms = self.strip.turn()
            self.pico.answer()
        return wait_ms

    def run(self, ms: int) -> None:
        """Let so much time pass, in the steps that the strip wants."""
        end_ms, at_once = self.clock.ms + ms, 0
        while self.clock.ms < end_ms:
            wait_ms = self.play(1)
            at_once = 0 if wait_ms else at_once + 1
            assert wait_ms >= 0 and at_once < 20
            self.clock.ms = min(end_ms, self.clock.ms + wait_ms)

    def last(self) -> tuple[Health, str]:
        assert self.told[-1] == self.strip.state() and self.told[-1].part == "strip"
        return self.told[-1].health, self.told[-1].detail


@pytest.fixture
def bench(request: pytest.FixtureRequest) -> Any:
    bench = Bench()
    yield bench
    bench.strip.close()
    bench.pico.close()


# ---- ports -----------------------------------------------------------------------------------


def test_a_port_is_opened_for_this_program_alone_and_never_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Any] = []

    def opens(path: str, **options: Any) -> Any:
        opened.append((path, options))
        return SimpleNamespace(fileno=lambda: -1)

    monkeypatch.setattr("hardware.strip.serial.Serial", opens)
    monkeypatch.setattr("hardware.strip.fcntl.ioctl", lambda handle, request: opened.append((handle, request)))
    open_exclusively(PATH)
    assert opened == [
        (PATH, {"baudrate": 115200, "timeout": 0, "write_timeout": 0, "exclusive": True}),
        (-1, termios.TIOCEXCL),
    ]


def hidden(number: int) -> serial.SerialException:
    """As pyserial hides a number that it met."""
    try:
        raise ValueError(number, "hidden")
    except ValueError:
        try:
            raise serial.SerialException("could not open port")
        except serial.SerialException as error:
            return error


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(16, "Device or resource busy"), "is in use by another program"),
        (OSError(11, "Resource temporarily unavailable"), "is in use by another program"),
        (OSError(13, "Permission denied"), f"may not open {PATH}: it belongs to somebody else, as no udev rule"),
        (OSError(1, "Operation not permitted"), f"may not open {PATH}: it belongs to somebody else, as no udev rule"),
        (OSError(6, "No such device or address"), rf"cannot open {PATH}: \[Errno 6\] No such device or address"),
        (termios.error(16, "Device or resource busy"), "is in use by another program"),
        (termios.error(5, "Input/output error"), f"cannot open {PATH}: Input/output error"),
        (termios.error("odd"), f"cannot open {PATH}: odd"),
        (serial.SerialException("odd"), f"cannot open {PATH}: odd"),
        (hidden(13), f"cannot open {PATH}: could not open port"),
    ],
    ids=str,
)
def test_a_port_that_cannot_be_opened_is_said_in_words(
    monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
) -> None:
    def opens(path: str, **options: Any) -> Any:
        raise error

    monkeypatch.setattr("hardware.strip.serial.Serial", opens)
    monkeypatch.setattr("hardware.strip.owner_of", lambda path: "somebody else")
    monkeypatch.setattr("hardware.strip.group_of", lambda path: None)
    with pytest.raises(LinkError, match=words):
        open_exclusively(PATH)
    monkeypatch.setattr("hardware.strip.group_of", lambda path: "dialout")
    words = words.replace(", as no udev rule", r"\. Run `sudo usermod -aG dialout \$USER`, log out and in again")
    with pytest.raises(LinkError, match=words):
        open_exclusively(PATH)


def test_of_the_serial_ports_those_of_a_pico_with_micropython_are_found_in_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def listed(device: str, vid: int | None, pid: int | None, serial: str | None = None) -> SimpleNamespace:
        return SimpleNamespace(device=device, vid=vid, pid=pid, description="Board", serial_number=serial)

    ports = [
        listed("/dev/ttyACM2", 0x2E8A, 0x0005),
        listed("/dev/ttyACM1", 0x2E8A, 0x0005, "E66"),
        listed("/dev/ttyACM0", 0x2E8A, 0x0003),
        listed("/dev/ttyUSB0", 0x2341, 0x0005),
        listed("/dev/ttyS0", None, None),
    ]
    monkeypatch.setattr("hardware.strip.list_ports.comports", lambda: ports)
    first, second = find_picos()
    assert first == FoundPort("/dev/ttyACM1", "Board E66", "E66")
    assert second == FoundPort("/dev/ttyACM2", "Board", "")


@pytest.mark.parametrize(("faults", "found"), [(2, 1), (3, 0)])
def test_a_list_of_ports_that_changes_meanwhile_is_read_three_times(
    monkeypatch: pytest.MonkeyPatch, faults: int, found: int
) -> None:
    left = [faults]

    def comports() -> list[SimpleNamespace]:
        if left[0]:
            left[0] -= 1
            raise TypeError("int() argument must be a string")
        return [SimpleNamespace(device=PATH, vid=0x2E8A, pid=5, description="Board", serial_number=None)]

    monkeypatch.setattr("hardware.strip.list_ports.comports", comports)
    assert len(find_picos()) == found and left == [0]


# ---- searching -------------------------------------------------------------------------------


def test_a_strip_is_64_leds_grb_and_400_ma_if_nothing_else_is_said(bench: Bench) -> None:
    assert bench.strip.setup == Setup(64, "GRB", 400)
    assert bench.strip.state() == PartState(
        "strip", Health.SEARCHING, "looking for a Pico (USB 2E8A:0005)", bench.clock.ms
    )


def test_ports_are_looked_for_every_500_ms_and_what_was_found_is_told_once(bench: Bench) -> None:
    bench.there = []
    assert bench.strip.turn() == 500
    bench.clock.ms += 499
    assert bench.strip.turn() == 1
    assert bench.looked_ms == [0]
    bench.clock.ms += 1
    assert bench.strip.turn() == 500
    assert bench.looked_ms == [0, 500]
    assert [(state.health, state.detail) for state in bench.told] == [
        (Health.SEARCHING, "no Pico (USB 2E8A:0005) is plugged in")
    ]
    bench.there = OSError(5, "Input/output error")
    bench.clock.ms += 700
    assert bench.strip.turn() == 500
    assert bench.last() == (Health.SEARCHING, "cannot look for ports: [Errno 5] Input/output error")


def test_a_port_that_stays_silent_is_tried_again_later_and_later_up_to_12_s(bench: Bench) -> None:
    bench.pico.answers.clear()
    bench.run(80_000)
    # a second for the hello; then, from its end, 1.5, 3, 6, 12 and 12 s, and the next look at the ports
    waits = [later - sooner for sooner, later in zip(bench.opened_ms, bench.opened_ms[1:], strict=False)]
    assert waits[:6] == [2500, 4000, 7000, 13000, 13000, 13000]
    assert "no answer to the hello within 1 s" in bench.told[-1].detail
    bench.there = []
    bench.run(13_000)
    bench.there = [FoundPort(PATH)]
    bench.opened_ms.clear()
    bench.run(4000)
    assert bench.opened_ms[1] - bench.opened_ms[0] == 2500, "after it was gone it is tried as if it were new"


def test_a_port_behind_which_the_strip_was_is_tried_again_as_soon_each_time(bench: Bench) -> None:
    bench.play()
    bench.pico.answers.clear()
    bench.run(20_000)
    waits = [later - sooner for sooner, later in zip(bench.opened_ms, bench.opened_ms[1:], strict=False)]
    assert len(waits) > 3 and set(waits[1:]) == {2500}
    assert bench.told[-1].health is Health.LOST


# ---- talking ---------------------------------------------------------------------------------


def test_a_strip_is_greeted_set_up_and_shown_the_newest_picture_and_is_told_as_connected_once(bench: Bench) -> None:
    bench.strip.show(RED)
    assert not bench.strip.wait_shown(0)
    wait_ms = bench.play()
    setup = b"\x40\0GRB\x90\x01"
    assert bench.pico.heard == [("H", frames.HELLO_PAYLOAD), ("S", setup), ("D", show(RED))]
    assert bench.strip.wait_shown(0) and wait_ms == 1000
    assert [(state.health, state.detail) for state in bench.told] == [(Health.CONNECTED, f"{PATH}, 64 LEDs")]
    bench.strip.show(BLUE)
    bench.strip.show(RED)
    bench.strip.show(BLUE)
    assert not bench.strip.wait_shown(0)
    bench.play()
    assert bench.pico.heard[3:] == [("D", show(BLUE))] and bench.strip.wait_shown(0)
    bench.strip.go_dark()
    bench.play()
    assert bench.pico.heard[4:] == [("N", b"")]
    bench.clock.ms += 1000
    bench.play()
    assert bench.pico.heard[5:] == [("P", b"")] and len(bench.told) == 1


def test_an_answer_is_waited_for_for_a_quarter_of_a_second_before_it_is_asked_again(bench: Bench) -> None:
    bench.pico.answers = {"H"}
    assert bench.play() == 250
    bench.clock.ms += 249
    assert bench.play() == 1 and [kind for kind, _ in bench.pico.heard] == ["H", "S"]
    bench.clock.ms += 1
    assert bench.play() == 250 and [kind for kind, _ in bench.pico.heard] == ["H", "S", "S"]


def test_a_picture_that_the_strip_refuses_is_told_until_one_is_taken(bench: Bench) -> None:
    bench.pico.refuses = frames.E_TIMING
    bench.strip.show(RED)
    bench.play()
    words = f"{PATH}, 64 LEDs; it refused a picture, error {frames.E_TIMING}: an effect with a period of 0"
    assert [state.detail for state in bench.told] == [f"{PATH}, 64 LEDs", words]
    bench.pico.refuses = None
    bench.strip.show(BLUE)
    bench.play()
    assert [state.detail for state in bench.told[2:]] == [f"{PATH}, 64 LEDs"]
    assert {state.health for state in bench.told} == {Health.CONNECTED}


@pytest.mark.parametrize("reverse", [False, True])
def test_what_is_lit_is_read_in_the_order_of_the_pictures(reverse: bool) -> None:
    bench = Bench(reverse=reverse)
    lit: list[Any] = []
    reader = threading.Thread(target=lambda: lit.append(bench.strip.read_back(30)))
    bench.play()
    reader.start()
    while reader.is_alive():
        bench.play(1)
    expected = tuple((i, i + 1, i + 2) for i in range(0, 3 * 64, 3))
    assert lit == [expected[::-1] if reverse else expected]
    assert [kind for kind, _ in bench.pico.heard] == ["H", "S", "R"], "asked once"
    assert bench.strip.read_back(0) is None
    bench.strip.close()
    bench.pico.close()


def test_a_lost_strip_is_searched_at_once_and_told(bench: Bench) -> None:
    bench.play()
    bench.pico.theirs.close()
    bench.ports[0].read = lambda most: (_ for _ in ()).throw(OSError(5, "gone"))  # type: ignore[method-assign]
    assert bench.strip.turn() == 0
    assert bench.last() == (Health.LOST, f"{PATH} is gone: [Errno 5] gone")
    assert not bench.ports[0].open
    bench.there = []
    bench.strip.turn()
    assert bench.last() == (Health.LOST, "no Pico (USB 2E8A:0005) is plugged in")
    assert bench.looked_ms == [0, 0]


# ---- waiting ---------------------------------------------------------------------------------


def test_a_turn_waits_for_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    asked_s: list[float] = []
    looks = select.select

    def look(reading: Any, writing: Any, other: Any, timeout_s: float) -> Any:
        asked_s.append(timeout_s)
        return looks(reading, writing, other, 0)

    monkeypatch.setattr("hardware.strip.select", SimpleNamespace(select=look))
    bench.strip.show(RED)
    bench.play()
    assert asked_s and set(asked_s) == {0}


def test_a_fault_of_the_program_is_told_and_the_strip_is_looked_for_again_after_half_a_second(bench: Bench) -> None:
    found: list[Any] = []
    bench.strip._wait = lambda *what: found.append(what)
    bench.there = ValueError("odd")  # what a search does not expect
    assert bench.strip._turn_and_rest()
    assert bench.last() == (Health.SEARCHING, "a fault of this program: ValueError('odd')")
    assert found == [((), (), 0.5)] and bench.strip.turn() == 500
    bench.clock.ms += 500
    bench.strip._closing_ms = bench.clock.ms
    assert not bench.strip._turn_and_rest(), "nor again when it is to close"


def waits(bench: Bench, wait_ms: int) -> list[Any]:
    found: list[Any] = []
    bench.strip._wait = lambda *what: found.append(what)
    bench.strip.rest(wait_ms)
    return found


def test_it_waits_for_its_port_and_for_callers_as_long_as_it_may(bench: Bench) -> None:
    bench.there = []
    bench.strip.turn()
    wake = bench.strip._wake_r
    assert waits(bench, 250) == [([wake], [], 0.25)]
    bench.there = [FoundPort(PATH)]
    bench.clock.ms += 500
    bench.strip.turn()
    port = bench.pico.ours.fileno()
    assert waits(bench, 1000) == [([wake, port], [], 1.0)]
    bench.strip._unsent = b"rest of a frame"
    assert waits(bench, 0) == [([wake, port], [port], 0.0)]
    bench.strip._unsent = b""


# ---- closing ---------------------------------------------------------------------------------


def running(step_ms: int = 10_000) -> Bench:
    """With its thread, which waits for real until it is to close, and on the test's clock from then on.

    That goes so far at most while it waits.
    """
    bench: Bench

    def wait(reading: list[int], writing: list[int], timeout_s: float) -> None:
        bench.pico.answer()
        if bench.strip._closing_ms is None:
            select.select(reading, [], [], 30)
        elif not select.select(reading, [], [], 0)[0]:
            bench.clock.ms += min(step_ms, round(1000 * timeout_s))

    bench = Bench(wait=wait)
    bench.strip.start()
    bench.strip.start()  # which it has been
    return bench


def test_closing_lets_the_newest_order_get_through() -> None:
    bench = running()
    bench.strip.show(RED)
    assert bench.strip.wait_shown(30)
    bench.strip.go_dark()
    at_ms = bench.clock.ms
    bench.strip.close()
    bench.strip.close()
    assert bench.pico.heard[-1] == ("N", b"") and bench.clock.ms - at_ms < 800
    assert not bench.ports[0].open
    bench.strip.show(BLUE)
    assert bench.strip.turn() >= 0 and bench.pico.heard[-1] == ("N", b"")
    bench.pico.close()


@pytest.mark.parametrize("hangs", [False, True])
def test_a_thread_that_hangs_is_waited_for_twice_as_long_and_keeps_its_pipe(bench: Bench, hangs: bool) -> None:
    joined_s: list[float] = []
    wake = bench.strip._wake_r, bench.strip._wake_w
    bench.strip._thread = SimpleNamespace(join=joined_s.append, is_alive=lambda: hangs)  # type: ignore[assignment]
    bench.strip.close()
    assert joined_s == [1.6]
    for handle in wake:
        if hangs:
            os.close(handle)
        else:
            with pytest.raises(OSError, match="Bad file descriptor"):
                os.fstat(handle)


@pytest.mark.parametrize("step_ms", [10_000, 1])
def test_closing_waits_for_a_silent_strip_for_800_ms(step_ms: int) -> None:
    bench = running(step_ms)
    bench.strip.show(RED)
    assert bench.strip.wait_shown(30)
    bench.pico.answers.clear()
    bench.strip.go_dark()
    at_ms = bench.clock.ms
    bench.strip.close()
    assert bench.clock.ms - at_ms == 800 and not bench.ports[0].open
    bench.pico.close()


def test_a_port_that_cannot_be_opened_is_said_with_the_reason(bench: Bench) -> None:
    def refuses(path: str) -> Port:
        raise LinkError(f"{path} is in use")

    bench.strip._open_port = refuses  # type: ignore[assignment]
    assert bench.strip.turn() == 500
    assert bench.last() == (Health.SEARCHING, f"{PATH} is in use")

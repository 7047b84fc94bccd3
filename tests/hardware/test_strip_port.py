"""The strip on ports that do not do what they should: dead, gone, narrow or full."""

from __future__ import annotations

import contextlib
import errno
import os
import select
import termios
from collections.abc import Iterator

import pytest
import serial

from hardware.link import FoundPort
from hardware.strip import PicoStrip, let_go, open_exclusively
from hardware.twins.pico import PicoProcess
from tests.support.strip_support import CLOCK, PROGRAM, HandClock, Terminal, shows, still

RED = still((60, 0, 0))
BLUE = still((0, 0, 90), (1, 2, 3))


@pytest.fixture
def stranger() -> Iterator[Terminal]:
    terminal = Terminal()
    yield terminal
    terminal.close()


class Broken:
    """A port on which one thing raises one error."""

    def __init__(self, terminal: Terminal, where: str, error: Exception) -> None:
        self._port = serial.Serial(terminal.path, timeout=0, write_timeout=0)
        self._where, self._error = where, error
        self.left = 1  # only once: afterwards the port works

    def __getattr__(self, name: str):
        if name == self._where and self.left:
            self.left -= 1
            raise self._error
        return getattr(self._port, name)


@pytest.mark.parametrize("where", ["fileno", "read", "write"])
@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.EIO, "Input/output error"),
        OSError(errno.ENXIO, "No such device or address"),
        serial.SerialException("device reports readiness to read but returned no data"),
        serial.SerialTimeoutException("Write timeout"),
        termios.error(5, "Input/output error"),
    ],
    ids=lambda e: type(e).__name__,
)
def test_u2_whatever_a_dead_port_raises_the_strip_is_lost_and_searched(stranger, where: str, error: Exception) -> None:
    clock = HandClock()
    opened: list[Broken] = []

    def open_port(path: str):
        opened.append(Broken(stranger, where, error))
        os.write(stranger.fd, b"?\0")  # something to read
        return opened[-1]

    with PicoStrip(stranger.ports, clock, link_clock=clock, open_port=open_port, start=False) as strip:
        strip.show(RED)
        strip.turn()
        assert opened[0].left == 0, "the fault was not met"
        assert "is gone" in strip.state().detail
        assert strip.turn() >= 0
        assert len(opened) == 2, "it is opened again"


class Gone:
    """A port whose device is gone: nothing works, but it can be closed."""

    closed = False

    def reset_output_buffer(self) -> None:
        raise termios.error(errno.EIO, "Input/output error")

    def fileno(self) -> int:
        raise serial.PortNotOpenError

    def close(self) -> None:
        self.closed = True
        raise OSError(errno.EIO, "Input/output error")


def test_u2_a_port_whose_device_is_gone_is_closed_without_a_word() -> None:
    port = Gone()
    let_go(port)
    assert port.closed


class Narrow:
    """A port that takes a few bytes at a time."""

    def __init__(self, path: str) -> None:
        self._port = open_exclusively(path)

    def __getattr__(self, name: str):
        return getattr(self._port, name)

    def write(self, data: bytes) -> int | None:
        return self._port.write(data[:7])


def test_u3_a_port_that_takes_a_few_bytes_at_a_time_gets_every_frame_whole() -> None:
    with PicoProcess(PROGRAM) as pico, PicoStrip(pico.find_ports, CLOCK, open_port=Narrow) as strip:
        strip.show(BLUE)
        assert shows(pico, BLUE)


class Full:
    """A port that is full, and may not be written to: pyserial would try again and again, and never return."""

    def __init__(self, path: str) -> None:
        self._port = serial.Serial(path, timeout=0, write_timeout=0)
        while select.select([], [self._port.fileno()], [], 0.1)[1]:  # the kernel makes room once more, a bit later
            with contextlib.suppress(BlockingIOError):
                os.write(self._port.fileno(), b"x" * 4096)

    def __getattr__(self, name: str):
        return getattr(self._port, name)

    def write(self, data: bytes) -> int | None:
        assert select.select([], [self._port.fileno()], [], 0)[1], "written to though it is full"
        return self._port.write(data)


def test_u3_a_full_port_is_waited_for_and_given_up_after_a_second(stranger: Terminal) -> None:
    clock = HandClock()
    with PicoStrip(stranger.ports, clock, link_clock=clock, open_port=Full, start=False) as strip:
        strip.show(RED)
        assert strip.turn() == 1000, "nothing is to be done before the port has room, or a second is over"
        clock.ms += 999
        assert strip.turn() == 1
        clock.ms += 1
        strip.turn()
        assert "nobody takes what is sent, for 1 s" in strip.state().detail


def test_f29_of_two_picos_with_the_same_ids_it_is_said_which_was_taken_and_what_the_others_are(
    stranger: Terminal,
) -> None:
    with PicoProcess(PROGRAM) as pico:
        ports = [FoundPort(pico.find_ports()[0].path, "Board", "E661AA"), FoundPort(stranger.path, "Board", "E661BB")]
        with PicoStrip(lambda: ports, CLOCK) as strip:
            strip.show(RED)
            assert shows(pico, RED, 5)
            detail = strip.state().detail
    assert detail.startswith(ports[0].path)
    assert f"there are 2 Picos: {ports[0].path} (E661AA), {ports[1].path} (E661BB)" in detail


def test_f29_the_pico_of_a_given_serial_number_is_the_strip_and_no_other_is_opened(stranger: Terminal) -> None:
    with PicoProcess(PROGRAM) as pico:
        ports = [FoundPort(stranger.path, "Board", "E661BB"), FoundPort(pico.find_ports()[0].path, "Board", "E661AA")]
        with PicoStrip(lambda: ports, CLOCK, serial_number="e661aa") as strip:
            strip.show(RED)
            assert shows(pico, RED, 5)
            assert strip.state().detail == f"{ports[1].path}, 64 LEDs"
    assert stranger.heard() == b""


def test_f29_a_serial_number_that_is_not_there_is_said_with_those_that_are(stranger: Terminal) -> None:
    clock = HandClock()
    ports = [FoundPort(stranger.path, "Board", "E661BB")]
    with PicoStrip(lambda: ports, clock, link_clock=clock, serial_number="E661AA", start=False) as strip:
        strip.turn()
        detail = strip.state().detail
    assert (
        detail
        == f"no Pico (USB 2E8A:0005) with the serial number E661AA is plugged in; there is {ports[0].path} (E661BB)"
    )
    assert stranger.heard() == b""

"""Whatever spidev, smbus2 and pyserial can raise on real nodes, at the opening and at each operation.

Read in their sources: spidev 3.8 (spidev_module.c), smbus2 0.6.1 with luma.core 2.6.0, pyserial 3.5
(serialposix.py, list_ports_linux.py); the numbers are those that the kernel's drivers of such nodes return. Each makes
its part lost, by name and reason, and it is tried again; the others go on. (lgpio: test_controls.py.)
"""

from __future__ import annotations

import errno
import os
import select
import sys
import termios
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
import serial
from PIL import Image

from firmware.config.values import PadWiring
from firmware.wiring.device import open_reader
from hardware import strip as strip_module
from hardware.flash import FlashError, flash
from hardware.nodes import group_of, owner_of
from hardware.oled import CONTRAST, Panel
from hardware.pads import Pads
from hardware.panels import Opener
from hardware.ports import Health, PartState
from hardware.strip import PicoStrip, find_picos
from hardware.twins.rc522 import RC522
from hardware.twins.ssd1306 import SSD1306
from hardware.twins.virtual_time import VirtualTime
from tests.support.broken_nodes import Faults, i2c_node, no_handle_is_left, port_node, spidev_over
from tests.support.strip_support import CLOCK, PROGRAM, HandClock, Terminal, still


def of(number: int) -> OSError:
    return OSError(number, os.strerror(number))


# ---- spidev ---------------------------------------------------------------------------------

# open(2) and the ioctls after it; a mode that was not taken has no number
SPI_OPEN = [
    *[("open", of(n)) for n in (errno.ENOENT, errno.EACCES, errno.EPERM, errno.ENODEV, errno.ENXIO, errno.EBUSY)],
    *[("open", of(n)) for n in (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO)],
    *[("read mode", of(n)) for n in (errno.ENOTTY, errno.ESHUTDOWN)],
    *[("max_speed_hz", of(n)) for n in (errno.EINVAL, errno.ESHUTDOWN)],
    *[("mode", of(n)) for n in (errno.EINVAL, errno.ESHUTDOWN)],
    ("mode", OSError("Attempted to set mode 0x0 but mode 0x4 returned")),
]
SPI_USE = [
    (call, of(n))
    for call in ("xfer2", "xfer2 of many")
    for n in (errno.EIO, errno.ETIMEDOUT, errno.ESHUTDOWN, errno.ENODEV, errno.EMSGSIZE, errno.ENOMEM, errno.EINTR)
]


def told(fault: tuple[str, Exception]) -> str:
    return f"{fault[0]}: {fault[1]}"


@pytest.mark.parametrize("fault", SPI_OPEN + SPI_USE, ids=told)
@pytest.mark.parametrize("at", ["start", "play"])
def test_whatever_spidev_raises_its_reader_is_lost_by_name_and_reason_and_tried_again(
    monkeypatch: pytest.MonkeyPatch, at: str, fault: tuple[str, Exception]
) -> None:
    time, faults = VirtualTime(), Faults()
    chips = {(0, 0): RC522(time), (0, 1): RC522(time)}
    monkeypatch.setitem(sys.modules, "spidev", spidev_over(chips, {(0, 0): faults}))
    pads = Pads(
        {name: partial(open_reader, PadWiring(0, select, None), None) for name, select in (("yay", 0), ("wow", 1))}
    )
    events: list[PartState] = []

    def run(ms: int) -> None:
        end_ms = time.now_ms() + ms
        while time.now_ms() < end_ms:
            events.extend(event for event in pads.poll(time.now_ms()) if isinstance(event, PartState))
            time.advance_ms(15)

    if at == "play":
        run(300)
        assert pads.state("yay") is Health.CONNECTED
        faults.at["xfer2"] = of(errno.EIO)  # so that it is opened again
    faults.at[fault[0]] = fault[1]
    run(1000)
    if at == "play" and fault[0] != "xfer2":
        del faults.at["xfer2"]
        run(5000)
    assert faults.met.count(fault[0]) > 1, "it is tried again"
    assert pads.state("yay") is (Health.LOST if at == "play" else Health.SEARCHING)
    state = [event for event in events if event.part == "pad yay"][-1]
    assert (fault[1].args[-1] if at == "start" else "") in state.detail and state.detail
    if isinstance(fault[1], OSError) and fault[1].errno and fault[0] not in ("xfer2", "xfer2 of many"):
        assert "/dev/spidev0.0" in state.detail
    assert pads.state("wow") is Health.CONNECTED
    assert len(faults.open) <= 1, "a device that cannot be used is not kept open"
    faults.at.clear()
    run(2200)
    assert pads.state("yay") is Health.CONNECTED
    pads.close()
    assert faults.open == set()


# ---- smbus2, as luma uses it ----------------------------------------------------------------

I2C_OPEN = [
    *[("open", of(n)) for n in (errno.ENOENT, errno.EACCES, errno.EPERM, errno.ENODEV, errno.ENXIO, errno.EMFILE)],
    *[("I2C_FUNCS", of(n)) for n in (errno.ENOTTY, errno.ENODEV, errno.EINVAL)],
]
I2C_USE = [
    *[("I2C_SLAVE", of(n)) for n in (errno.EBUSY, errno.EINVAL)],
    *[
        (call, of(n))
        for call in ("I2C_SMBUS", "I2C_RDWR")
        for n in (
            errno.EREMOTEIO,
            errno.EIO,
            errno.ENXIO,
            errno.ETIMEDOUT,
            errno.EAGAIN,
            errno.ENODEV,
            errno.EOPNOTSUPP,
        )
    ],
    ("I2C_RDWR", of(errno.ENOMEM)),
    ("I2C_RDWR", of(errno.EINTR)),
]


@pytest.mark.parametrize("fault", I2C_OPEN + I2C_USE, ids=told)
@pytest.mark.parametrize("at", ["start", "play"])
def test_whatever_smbus2_raises_the_screen_is_lost_by_name_and_reason_and_tried_again(
    monkeypatch: pytest.MonkeyPatch, at: str, fault: tuple[str, Exception]
) -> None:
    chip, faults, now_ms = SSD1306(), Faults(), 0
    i2c_node(monkeypatch, chip, faults)
    panel = Panel(Opener("ssd1306"), "screen")
    picture = Image.effect_noise((128, 64), 90).convert("1")

    def run(ms: int) -> None:
        nonlocal now_ms
        end_ms = now_ms + ms
        while now_ms < end_ms:
            panel.work(now_ms, picture, CONTRAST)
            now_ms += 100

    if at == "play":
        run(300)
        assert panel.health is Health.CONNECTED
        faults.at["I2C_RDWR"] = faults.at.get("I2C_RDWR", of(errno.EREMOTEIO))
        run(1000)  # what is opened anew fails in the fault
    faults.at.pop("I2C_RDWR", None)
    faults.at[fault[0]] = fault[1]
    run(5000)
    assert faults.met.count(fault[0]) > 1, "it is tried again"
    assert panel.health is (Health.LOST if at == "play" else Health.SEARCHING)
    assert panel.detail.startswith("ssd1306 at 0x3C: ") and panel.fault is not None
    assert str(fault[1].args[-1]) in panel.detail or "not found on address: 0x3C" in panel.detail
    assert len(faults.open) <= 1, "a bus that cannot be used is not kept open"
    faults.at.clear()
    run(2000)
    assert panel.health is Health.CONNECTED and chip.image().tobytes() == picture.tobytes()
    panel.close()
    assert faults.open == set()


# ---- pyserial -------------------------------------------------------------------------------

PORT_OPEN = [
    *[("open", of(n)) for n in (errno.ENOENT, errno.EACCES, errno.EBUSY, errno.ENXIO, errno.ENODEV, errno.EIO)],
    ("open", of(errno.EMFILE)),
    *[("flock", of(n)) for n in (errno.EWOULDBLOCK, errno.ENOLCK)],
    ("tcgetattr", termios.error(errno.EIO, os.strerror(errno.EIO))),
    ("tcgetattr", termios.error(errno.ENOTTY, os.strerror(errno.ENOTTY))),
    ("tcsetattr", termios.error(errno.EIO, os.strerror(errno.EIO))),
    ("tcflush", termios.error(errno.EIO, os.strerror(errno.EIO))),
    *[("ioctl", of(n)) for n in (errno.EIO, errno.ENODEV)],
    ("pipe", of(errno.EMFILE)),
    ("fcntl", of(errno.EIO)),
]
PORT_USE = [
    *[("read", of(n)) for n in (errno.EIO, errno.ENXIO, errno.ENODEV)],
    ("read", serial.SerialException("device reports readiness to read but returned no data")),
    *[("write", of(n)) for n in (errno.EIO, errno.ENXIO, errno.ENODEV)],
    ("write", serial.SerialTimeoutException("Write timeout")),
    *[("select", of(n)) for n in (errno.EBADF, errno.ENOMEM)],
]


@pytest.fixture
def terminal():
    terminal = Terminal()
    yield terminal
    terminal.close()


@pytest.mark.parametrize("fault", PORT_OPEN + PORT_USE, ids=told)
def test_whatever_pyserial_raises_the_strip_is_lost_by_name_and_reason_and_tried_again(
    monkeypatch: pytest.MonkeyPatch, terminal: Terminal, fault: tuple[str, Exception]
) -> None:
    clock, faults, told_of = HandClock(), Faults(), []
    port_node(monkeypatch, faults)
    with PicoStrip(terminal.ports, clock, link_clock=clock, on_change=told_of.append, start=False) as strip:
        strip.show(still((60, 0, 0)))
        faults.at[fault[0]] = fault[1]
        for _ in range(4):
            os.write(terminal.fd, b"?\0")  # something to read
            assert strip.turn() >= 0
            clock.ms += 500
        assert faults.met.count(fault[0]) > 1, "it is tried again"
        state = strip.state()
        assert (state.part, state.health) == ("strip", Health.SEARCHING)
        assert terminal.path in state.detail and told_of[-1] == state
        expected = str(fault[1].args[-1])
        in_words = {errno.EACCES: "may not open", errno.EBUSY: "is in use", errno.EWOULDBLOCK: "is in use"}
        number = fault[1].errno if isinstance(fault[1], OSError) else None
        assert in_words.get(number, expected) in state.detail
        faults.at.clear()
        terminal.heard()
        clock.ms += 500
        strip.turn()
        assert terminal.heard(), "it is spoken to again"


@pytest.mark.parametrize("fault", PORT_OPEN, ids=told)
def test_a_port_that_cannot_be_opened_leaves_nothing_open(
    monkeypatch: pytest.MonkeyPatch, terminal: Terminal, fault: tuple[str, Exception]
) -> None:
    faults = Faults()
    port_node(monkeypatch, faults)
    faults.at[fault[0]] = fault[1]
    with no_handle_is_left():
        for _ in range(3):
            with pytest.raises(strip_module.LinkError) as caught:
                strip_module.open_exclusively(terminal.path)
            del caught


class Going:
    """pyserial's list of ports while a device goes: it makes a number of what it could not read."""

    def __init__(self, fault: Exception, times: int) -> None:
        self._fault, self.left = fault, times

    def __call__(self) -> list[object]:
        if self.left:
            self.left -= 1
            raise self._fault
        return []


@pytest.mark.parametrize(
    "fault",
    [TypeError("int() can't convert non-string with explicit base"), ValueError("invalid literal for int(): ''")],
    ids=repr,
)
@pytest.mark.parametrize("times", [1, 100])
def test_a_device_that_goes_while_the_ports_are_listed_is_not_there(
    monkeypatch: pytest.MonkeyPatch, fault: Exception, times: int, tmp_path: Path
) -> None:
    monkeypatch.setattr("hardware.strip.list_ports.comports", Going(fault, times))
    assert find_picos() == []
    clock = HandClock()
    with PicoStrip(find_picos, clock, link_clock=clock, start=False) as strip:
        strip.turn()
        assert "is plugged in" in strip.state().detail
    with pytest.raises(FlashError, match="no Pico is plugged in"):
        flash(find_picos, PROGRAM, lambda line: None)


def test_a_wait_that_raises_ends_no_thread(terminal: Terminal) -> None:
    """`select` raises ValueError for the 1025th file, and OSError for one that somebody has closed."""
    waits = [ValueError("filedescriptor out of range in select()"), of(errno.EBADF)]

    def wait(reading, writing, timeout_s):
        if reading and waits:
            raise waits.pop()
        return strip_module.select_wait(reading, writing, min(timeout_s, 0.01))

    with PicoStrip(terminal.ports, CLOCK, wait=wait) as strip:
        strip.show(still((60, 0, 0)))
        for _ in range(3):  # once for each of them, and once more
            assert select.select([terminal.fd], [], [], 10)[0], "nothing is sent any more"
            terminal.heard()
        assert not waits


# ---- whose a device is ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gid", "mode", "words"),
    [
        (0, 0o660, "root alone"),
        (4711, 0o660, "the group 4711"),
        (4711, 0o640, "root alone"),  # its group may only read
        (4711, 0o600, "root alone"),
    ],
)
def test_a_device_is_its_groups_only_if_that_may_read_and_write_it(
    monkeypatch: pytest.MonkeyPatch, gid: int, mode: int, words: str
) -> None:
    status = os.stat_result((0o020000 | mode, 0, 0, 1, 0, gid, 0, 0, 0, 0))
    monkeypatch.setattr("hardware.nodes.os", SimpleNamespace(stat=lambda path: status))
    assert owner_of("/dev/ttyACM0") == words
    assert group_of("/dev/ttyACM0") == (str(gid) if words.startswith("the group") else None)


def test_a_device_that_is_gone_is_somebody_elses(tmp_path: Path) -> None:
    assert owner_of(tmp_path / "gone") == "somebody else"
    assert group_of(tmp_path / "gone") is None

"""The check of device nodes that fail: whatever the libraries raise has its row, with the reason and a remedy."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import pytest

from firmware.check.pads import probe_pads
from firmware.check.parts import Bench, probe_screens, probe_strip
from firmware.config.values import PadWiring
from firmware.table.findings import Row, State
from firmware.wiring.device import open_reader
from hardware.oled import Oled
from hardware.pads import Pads
from hardware.panels import Opener
from hardware.strip import PicoStrip
from hardware.twins.rc522 import RC522
from hardware.twins.ssd1306 import SSD1306
from tests.hardware.test_what_libraries_raise import I2C_OPEN, I2C_USE, PORT_OPEN, PORT_USE, SPI_OPEN, SPI_USE, told
from tests.support.broken_nodes import Faults, i2c_node, port_node, spidev_over
from tests.support.check_support import CheckTable
from tests.support.strip_support import HandClock, Terminal

Fault = tuple[str, Exception]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CheckTable]:
    with CheckTable(tmp_path_factory.mktemp("nodes")) as table:
        yield table


def number_of(fault: Fault) -> int | None:
    return fault[1].errno if isinstance(fault[1], OSError) else None


def assert_told(row: Row, fault: Fault, *, reason: bool = True) -> None:
    assert row.state is State.FAULT and row.remedy
    assert not reason or str(fault[1].args[-1]) in row.found


SPI_REMEDIES = {
    errno.EACCES: "chgrp spi /dev/spidev0.0",
    errno.EPERM: "chgrp spi /dev/spidev0.0",
    errno.ENOENT: "do_spi",
    errno.ENODEV: "do_spi",
    errno.ENXIO: "do_spi",
}


@pytest.mark.parametrize("fault", SPI_OPEN + SPI_USE, ids=told)
def test_a_reader_whose_node_fails_has_a_row_and_the_remedy_for_it(
    plain: CheckTable, monkeypatch: pytest.MonkeyPatch, fault: Fault
) -> None:
    module = spidev_over({(0, 0): RC522(plain.time), (0, 1): RC522(plain.time)}, {(0, 0): Faults(fault)})
    monkeypatch.setitem(sys.modules, "spidev", module)
    readers = {"yay": PadWiring(0, 0, None), "wow": PadWiring(0, 1, None)}
    pads = Pads({name: partial(open_reader, wiring, None) for name, wiring in readers.items()})
    bench = Bench(replace(plain.parts, pads=pads), plain.system, None, plain.person.say)
    broken, sound = probe_pads(bench, {})
    pads.close()
    assert_told(broken, fault)
    assert SPI_REMEDIES.get(number_of(fault) or 0, "the Pi's own SPI") in broken.remedy
    assert sound.state is State.OK


I2C_REMEDIES = {
    errno.EACCES: "chgrp i2c /dev/i2c-1",
    errno.EPERM: "chgrp i2c /dev/i2c-1",
    errno.ENOENT: "do_i2c",
    errno.ENODEV: "do_i2c",
    errno.EBUSY: "remove its line (dtoverlay=ssd1306",
    errno.ENOTTY: "the Pi's own I2C",
    errno.EINVAL: "the Pi's own I2C",
    errno.EMFILE: "the Pi's own I2C",
    errno.ENOMEM: "the Pi's own I2C",
}


@pytest.mark.parametrize("fault", I2C_OPEN + I2C_USE, ids=told)
def test_a_screen_whose_node_fails_has_a_row_and_the_remedy_for_it(
    plain: CheckTable, monkeypatch: pytest.MonkeyPatch, fault: Fault
) -> None:
    i2c_node(monkeypatch, SSD1306(), Faults(fault))
    with Oled(Opener("ssd1306"), plain.time) as screen:
        outputs = replace(plain.parts.outputs, screen=screen)
        bench = Bench(replace(plain.parts, outputs=outputs), plain.system, None, plain.person.say)
        (row,) = probe_screens(bench)
    assert_told(row, fault, reason=False)
    assert str(fault[1].args[-1]) in row.found or "not found on address: 0x3C" in row.found
    assert I2C_REMEDIES.get(number_of(fault) or 0, "i2cdetect -y 1") in row.remedy


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    terminal = Terminal()
    yield terminal
    terminal.close()


IN_USE = (errno.EBUSY, errno.EWOULDBLOCK)


@pytest.mark.parametrize("fault", PORT_OPEN + PORT_USE, ids=told)
def test_a_strip_whose_node_fails_has_a_row_and_the_remedy_for_it(
    plain: CheckTable, monkeypatch: pytest.MonkeyPatch, terminal: Terminal, fault: Fault
) -> None:
    faults = Faults()
    faults.at[fault[0]] = fault[1]
    port_node(monkeypatch, faults)
    clock = HandClock()
    with PicoStrip(terminal.ports, clock, link_clock=clock, start=False) as strip:
        for _ in range(3):
            os.write(terminal.fd, b"?\0")  # something to read
            strip.turn()
            clock.ms += 500
        outputs = replace(plain.parts.outputs, strip=strip)
        system = replace(plain.system, strip_ports=terminal.ports, strip_s=0.01)
        row = probe_strip(Bench(replace(plain.parts, outputs=outputs, twins=None), system, None, plain.person.say))
    number = number_of(fault)
    assert_told(row, fault, reason=number not in (*IN_USE, errno.EACCES))
    assert terminal.path in row.found
    wanted = "pull the Pico's plug"
    if number in IN_USE:
        wanted = f"sudo fuser -v {terminal.path}"
    elif number == errno.EACCES:
        wanted = f"sudo chgrp dialout {terminal.path}"
    assert wanted in row.remedy

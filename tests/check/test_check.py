"""`run_check` on twins: a whole table is found whole, and each fault makes its own row fail, with its own remedy."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from firmware.check import remedies
from firmware.check.checking import PARTS
from firmware.check.system import PinChip
from firmware.files.disk import MAX_BYTES, Disk
from firmware.table.findings import State
from hardware.ports import Placed
from tests.support.check_support import CHIP, GROUPS, REAL_S, UIDS, CheckTable, faults

ALL = ("configuration", "SPI", "I2C", "groups", "pin chip", *PARTS, "disk", "deck", "power")


@pytest.fixture(scope="module")
def one_table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CheckTable]:
    with CheckTable(tmp_path_factory.mktemp("machine")) as table:
        yield table


@pytest.fixture
def table(one_table: CheckTable) -> CheckTable:
    one_table.whole()
    return one_table


# ---- nothing wrong -------------------------------------------------------------------------


def test_a_whole_table_has_one_row_for_each_thing_and_no_fault(table: CheckTable) -> None:
    rows = table.check()
    assert tuple(rows) == ALL
    assert [row for row in rows.values() if row.state is not State.OK] == []
    assert "0x92" in rows["pad yay"].found and UIDS["yay"].hex() in rows["pad yay"].found
    assert UIDS["wow"].hex() in rows["pad wow"].found
    assert "64 LEDs" in rows["strip"].found and "version" in rows["strip"].found
    assert "gpiochip0" in rows["pin chip"].found


def test_without_anybody_nothing_is_asked_and_nothing_is_waited_for(table: CheckTable) -> None:
    before_ms = table.time.now_ms()
    rows = table.check(ask=False)
    assert [row for row in rows.values() if row.state is not State.OK] == []
    assert table.person.said == table.person.asked == []
    assert table.time.now_ms() - before_ms < 6_000


def test_r13_cards_are_read_after_a_check_as_before(table: CheckTable) -> None:
    table.check(ask=False)
    for player, card in table.cards.items():
        table.twins.pads[player].put(card)
    events = []
    for _ in range(30):
        events += table.parts.pads.poll(table.time.now_ms())
        table.time.advance_ms(20)
    assert {(event.pad, event.uid) for event in events if isinstance(event, Placed)} == set(UIDS.items())
    assert table.twins.pads["yay"].refusals == table.twins.pads["wow"].refusals == []


def test_afterwards_everything_is_dark_and_silent(table: CheckTable) -> None:
    table.check(ask=False)
    assert table.twins.strip.wait_for(lambda: not any(map(any, table.twins.strip.lit())), REAL_S)
    table.parts.outputs.screen.settle()
    assert not any(table.twins.screen.image().tobytes())
    assert table.twins.desk.lamps() == frozenset() and table.twins.desk.tone_hz() == 0


# ---- one fault, one row --------------------------------------------------------------------


def _zeroed(register: int) -> Callable[[CheckTable], None]:
    def apply(table: CheckTable) -> None:
        """The register cannot be set: it is 0 whenever anybody looks, and the driver learns it so from the start."""
        chip = table.twins.pads["yay"]
        chip.before_transfer = lambda number: chip.overwrite(register, 0)
        table.parts.pads.close()

    return apply


def _pad(**changes: object) -> Callable[[CheckTable], None]:
    def apply(table: CheckTable) -> None:
        for name, value in changes.items():
            setattr(table.twins.pads["wow"], name, value)

    return apply


def _brown_outs(table: CheckTable) -> None:
    chip = table.twins.pads["wow"]
    chip.before_transfer = lambda number: chip.brown_out() if number % 300 == 0 else None


def _person(**changes: object) -> Callable[[CheckTable], None]:
    def apply(table: CheckTable) -> None:
        for name, value in changes.items():
            setattr(table.person, name, value)

    return apply


def _system(**changes: object) -> Callable[[CheckTable], None]:
    return lambda table: table.system_with(**changes)


def _gone(device: str) -> Callable[[CheckTable], None]:
    return lambda table: (table.folder / "dev" / device).unlink()


def _screen_off(table: CheckTable) -> None:
    table.twins.screen.unplug()
    table.mending.append(table.twins.screen.plug_in)


def _finger_stays(table: CheckTable) -> None:
    table.twins.desk.press("wow")


def _lamp_shorted(table: CheckTable) -> None:
    pin = table.twins.desk.factory.pin(table.config.controls.lamp_yay)
    pin._change_state = lambda value: False  # whatever is driven, the level stays low
    table.mending.append(lambda: pin.__dict__.pop("_change_state"))


class FaultyDisk(Disk):
    """Lets one call fail with this errno; "read" gives back something else instead."""

    def __init__(self, call: str, number: int = 0) -> None:
        self.call, self.number = call, number

    def _may(self, call: str) -> None:
        if call == self.call:
            raise OSError(self.number, os.strerror(self.number))

    def create(self, path: Path, mode: int = 0o666) -> int:
        self._may("create")
        return super().create(path, mode)

    def write(self, handle: int, data: bytes) -> int:
        self._may("write")
        return super().write(handle, data)

    def fsync(self, handle: int) -> None:
        self._may("fsync")
        super().fsync(handle)

    def read(self, path: Path, most: int = MAX_BYTES) -> bytes:
        data = super().read(path, most)
        return data[::-1] if self.call == "read" else data


PI_5 = (("gpiochip0", "pinctrl-rp1"), ("gpiochip4", "gpio-brcmstb"))
OTHER_CHIP = PinChip("LGPIOFactory", "gpiochip4", "gpio-brcmstb", PI_5)
NO_CHIP = replace(CHIP, label="", chips=())

FAULTS = {
    "settings that could not be read": (
        "configuration",
        _system(notices=("settings.txt: it is empty",)),
        "choose it anew",
    ),
    "SPI off": (
        "SPI",
        lambda table: [_gone(name)(table) for name in ("spidev0.0", "spidev0.1")],
        "sudo raspi-config nonint do_spi 0",
    ),
    "one chip select": ("SPI", _gone("spidev0.1"), "dtoverlay=spi0-1cs"),
    "no spidev": ("SPI", _system(has_module=lambda name: name != "spidev"), "sudo apt install python3-spidev"),
    "I2C off": ("I2C", _gone("i2c-1"), "sudo raspi-config nonint do_i2c 0"),
    "no group spi": ("groups", _system(groups=GROUPS - {"spi"}, listed=frozenset()), "sudo usermod -aG spi pi"),
    "no group dialout": ("groups", _system(groups=GROUPS - {"dialout"}, listed=frozenset()), "-aG dialout pi"),
    "groups of the next login": ("groups", _system(groups=frozenset()), "log out and in again"),
    "a group that is not there": (
        "groups",
        _system(groups=GROUPS - {"gpio"}, listed=frozenset(), known=frozenset()),
        "sudo groupadd --system gpio",
    ),
    "no lgpio": ("pin chip", _system(has_module=lambda name: name != "lgpio"), "sudo apt install python3-lgpio"),
    "another pin library": (
        "pin chip",
        _system(pin_chip=lambda: PinChip("NativeFactory"), pin_factory="native"),
        "unset GPIOZERO_PIN_FACTORY",
    ),
    "another kernel's pin chip": ("pin chip", _system(pin_chip=lambda: OTHER_CHIP), "the header are gpiochip0"),
    "no pin chip": ("pin chip", _system(pin_chip=lambda: NO_CHIP), "full-upgrade"),
    "a reader's MISO low": ("pad wow", _pad(mute=0), "MISO to GPIO 9 (pin 21)"),
    "a reader's MISO high": ("pad wow", _pad(mute=0xFF), "SDA to GPIO 7 (pin 26)"),
    "a bus error": ("pad wow", _pad(bus_error=OSError(errno.EIO, "Input/output error")), "the Pi's own SPI"),
    "a closed device": ("pad wow", _pad(bus_error=OSError(errno.EACCES, "Permission denied")), "sudo chgrp spi"),
    "a reader without a field": ("pad yay", _zeroed(0x28), "take the power off the reader of YAY"),
    "a reader that hears nothing": ("pad yay", _zeroed(0x18), "put in another one"),
    "a reader that takes no settings": ("pad yay", _zeroed(0x2A), "look at MOSI of the reader of YAY"),
    "a supply that breaks down": ("pad wow", _brown_outs, "capacitor"),
    "a card that is not read": ("pad yay", _person(puts_card_on={"yay": None, "wow": "wow"}), "no metal"),
    "swapped readers": ("pad yay", _person(puts_card_on={"yay": "wow", "wow": "wow"}), "chip_select and reset"),
    "no screen at its address": ("screen", _screen_off, "i2cdetect -y 1"),
    "a screen upside down": ("screen", _person(sees_screen="upside down"), "rotate = 180"),
    "a shifted screen": ("screen", _person(sees_screen="shifted or cut"), 'controller = "sh1106"'),
    "a dark screen": ("screen", _person(sees_screen="dark or noise"), 'controller = "ssd1309"'),
    "no Pico": ("strip", lambda table: table.twins.strip.unplug(), "a cable that carries data"),
    "a Pico that hangs": ("strip", lambda table: table.twins.strip.freeze(), "tacocat flash"),
    "a strip without data": ("strip", _person(strip_is_lit=False), "GP16"),
    "a strip laid the other way": ("strip", _person(strip_is_turned=True), "reverse = true"),
    "a button that sticks": ("button wow", _finger_stays, "GPIO 6 (pin 31) has contact with ground"),
    "a button's wire off": ("button yay", _person(finger_reaches={"yay": None, "wow": "wow"}), "GPIO 5 (pin 29), the"),
    "swapped buttons": ("button yay", _person(finger_reaches={"yay": "wow", "wow": "wow"}), "button_yay and"),
    "a lamp burnt out": ("lamp wow", _person(lamp_of_wire={"yay": "yay", "wow": None}), "GPIO 19 (pin 35) through"),
    "a lamp that is the other's": ("lamp yay", _person(lamp_of_wire={"yay": "wow", "wow": "wow"}), "lamp_yay and"),
    "a lamp's wire to ground": ("lamp yay", _lamp_shorted, "pulls GPIO 13 (pin 33) to ground"),
    "a buzzer that is not heard": ("buzzer", _person(hears=False), "a passive one"),
    "a read-only disk": ("disk", _system(disk=FaultyDisk("create", errno.EROFS)), "remount,rw"),
    "a disk of somebody else": ("disk", _system(disk=FaultyDisk("create", errno.EACCES)), "sudo chown -R pi"),
    "a full disk": ("disk", _system(disk=FaultyDisk("write", errno.ENOSPC)), "sudo apt clean"),
    "a disk that does not sync": ("disk", _system(disk=FaultyDisk("fsync", errno.EIO)), "a new SD card"),
    "a disk that forgets": ("disk", _system(disk=FaultyDisk("read")), "a new SD card"),
    "a disk almost full": ("disk", _system(free_bytes=lambda folder: 5 << 20), "make room for 27 MB"),
    "a deck that is damaged": ("deck", lambda table: table.deck.write_text("nonsense\n"), "tacocat deck import FILE"),
    "too little voltage": ("power", _system(run=lambda words: "throttled=0x50005\n"), "5.1 V"),
    "too much heat": ("power", _system(run=lambda words: "throttled=0x80000\n"), "heat sink"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_makes_its_row_alone_fail_with_its_own_remedy(table: CheckTable, name: str) -> None:
    part, apply, remedy = FAULTS[name]
    apply(table)
    rows = table.check()
    assert faults(rows) == [part], {part: row for part, row in rows.items() if row.state is not State.OK}
    assert remedy in rows[part].remedy
    assert tuple(rows) == ALL


def test_lgpio_that_was_asked_for_and_does_not_open_is_not_told_to_be_unset() -> None:
    assert remedies.other_pin_factory("lgpio") == remedies.other_pin_factory(None)
    assert "unset" in remedies.other_pin_factory("native")

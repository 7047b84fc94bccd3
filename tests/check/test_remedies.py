"""What the remedies of a check name: pins of the header, lines of table.toml and of config.txt, commands."""

from __future__ import annotations

import errno
import os

import pytest
from gpiozero.pins.mock import MockFactory

from firmware.check import remedies
from firmware.check.remedies import HEADER_PINS, pin
from firmware.config.values import CHIP_SELECTS, PadWiring

PI_3B = "a02082"  # as all since the B+, with the header of 40 pins


# ---- pins ----------------------------------------------------------------------------------


def test_each_gpio_has_its_place_on_the_header_that_gpiozero_knows_for_it() -> None:
    header = MockFactory(revision=PI_3B).board_info.headers["J8"]
    assert {f"GPIO{gpio}": place for gpio, place in HEADER_PINS.items()} == {
        found.name: place for place, found in header.pins.items() if found.name.startswith("GPIO")
    }
    assert pin(17) == "GPIO 17 (pin 11)"


# The functions SPI0 and SPI1 of the pins: "BCM2835 ARM Peripherals", 6.2, alternative function assignments.
WIRES = {
    (0, 0): "SDA to GPIO 8 (pin 24), SCK to GPIO 11 (pin 23), MOSI to GPIO 10 (pin 19), MISO to GPIO 9 (pin 21)",
    (0, 1): "SDA to GPIO 7 (pin 26), SCK to GPIO 11 (pin 23), MOSI to GPIO 10 (pin 19), MISO to GPIO 9 (pin 21)",
    (1, 0): "SDA to GPIO 18 (pin 12), SCK to GPIO 21 (pin 40), MOSI to GPIO 20 (pin 38), MISO to GPIO 19 (pin 35)",
    (1, 1): "SDA to GPIO 17 (pin 11), SCK to GPIO 21 (pin 40), MOSI to GPIO 20 (pin 38), MISO to GPIO 19 (pin 35)",
    (1, 2): "SDA to GPIO 16 (pin 36), SCK to GPIO 21 (pin 40), MOSI to GPIO 20 (pin 38), MISO to GPIO 19 (pin 35)",
}


@pytest.mark.parametrize(("bus", "select"), [(bus, n) for bus, count in CHIP_SELECTS.items() for n in range(count)])
def test_the_wires_of_a_reader_are_those_of_its_bus_and_chip_select(bus: int, select: int) -> None:
    assert remedies.reader_wires("yay", PadWiring(bus, select, None)).endswith(f" GND, {WIRES[bus, select]}")
    with_reset = remedies.reader_wires("wow", PadWiring(bus, select, 4))
    assert with_reset.endswith(f"{WIRES[bus, select]}, RST to GPIO 4 (pin 7)") and "reader of WOW" in with_reset


@pytest.mark.parametrize(
    ("bus", "mosi", "speed_hz", "slower_hz"),
    [
        (0, "GPIO 10 (pin 19)", 4_000_000, 1_000_000),
        (1, "GPIO 20 (pin 38)", 400_004, 100_001),
        (0, "GPIO 10 (pin 19)", 399_999, 100_000),
        (0, "GPIO 10 (pin 19)", 100_000, 100_000),
    ],
)
def test_a_reader_that_garbles_is_to_be_asked_at_a_quarter_of_its_speed_but_not_below_the_least(
    bus: int, mosi: str, speed_hz: int, slower_hz: int
) -> None:
    remedy = remedies.reader_garbles("yay", "wow", PadWiring(bus, 0, None, speed_hz))
    assert f"MOSI of the reader of YAY, to {mosi};" in remedy
    assert f"speed_hz = {slower_hz} in [pads.wow] of table.toml" in remedy


@pytest.mark.parametrize(
    ("bus", "wires"),
    [
        (1, "SDA to GPIO 2 (pin 3), SCL to GPIO 3 (pin 5), VCC to pin 1 or 17, GND"),
        (0, "SDA to GPIO 0 (pin 27), SCL to GPIO 1 (pin 28), VCC to pin 1 or 17, GND"),
    ],
)
def test_the_wires_of_the_screen_are_those_of_its_bus_and_the_other_address_is_the_one_to_try(
    bus: int, wires: str
) -> None:
    for address, other in ((0x3C, 0x3D), (0x3D, 0x3C)):
        remedy = remedies.screen_wires(bus, address)
        assert f"i2cdetect -y {bus} " in remedy and remedy.endswith(wires)
        assert f"{other:x} and not {address:x}: set the address 0x{other:02X} in [screen]" in remedy


# ---- what is to be switched on -------------------------------------------------------------


@pytest.mark.parametrize(
    ("missing", "steps"),
    [
        ([(0, 0)], "sudo raspi-config nonint do_spi 0"),
        ([(0, 0), (0, 1)], "sudo raspi-config nonint do_spi 0"),
        ([(0, 1)], "remove the line dtoverlay=spi0-1cs from /boot/firmware/config.txt"),
        ([(1, 0)], "add the line dtoverlay=spi1-1cs to /boot/firmware/config.txt"),
        ([(1, 2), (1, 0)], "add the line dtoverlay=spi1-3cs to /boot/firmware/config.txt"),
        (
            [(0, 1), (1, 1)],
            "sudo raspi-config nonint do_spi 0, and add the line dtoverlay=spi1-2cs to /boot/firmware/config.txt",
        ),
    ],
)
def test_what_switches_spi_on_depends_on_which_devices_are_missing(missing: list[tuple[int, int]], steps: str) -> None:
    assert remedies.switch_on_spi(missing) == f"{steps}; then sudo reboot"


def test_the_bus_of_the_hats_is_switched_on_by_another_line_than_the_usual_one() -> None:
    assert "dtparam=i2c_vc=on" in remedies.switch_on_i2c(0) and "do_i2c" not in remedies.switch_on_i2c(0)
    assert "do_i2c 0; then sudo reboot" in remedies.switch_on_i2c(1) and "i2c_vc" not in remedies.switch_on_i2c(1)


# ---- groups --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("unknown", "listed", "remedy"),
    [
        ([], [], "sudo usermod -aG spi,gpio pi; then log out and in again"),
        ([], ["spi"], "sudo usermod -aG spi,gpio pi; then log out and in again"),
        (
            ["gpio", "dialout"],
            [],
            "sudo groupadd --system gpio && sudo usermod -aG spi,gpio pi; then log out and in again",
        ),
        ([], ["dialout", "gpio", "spi"], "pi is in spi and gpio only from the next login on: log out and in again"),
    ],
)
def test_a_group_is_made_if_there_is_none_and_joined_unless_that_is_only_not_yet_so(
    unknown: list[str], listed: list[str], remedy: str
) -> None:
    assert remedies.join_groups("pi", ["spi", "gpio"], unknown, listed) == remedy


# ---- the disk ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("numbers", "remedy"),
    [
        ((errno.EACCES, errno.EPERM), "sudo chown -R pi /state"),
        ((errno.EROFS,), "remount,rw"),
        ((errno.ENOSPC, errno.EDQUOT), "make room"),
        ((errno.EIO, errno.ENODEV, None), "a new SD card"),
    ],
    ids=lambda value: None if isinstance(value, str) else "-".join(os.strerror(n or 0) for n in value),
)
def test_each_reason_why_a_folder_cannot_be_written_to_has_its_remedy(
    numbers: tuple[int | None, ...], remedy: str
) -> None:
    for number in numbers:
        assert remedy in remedies.disk(number, "/state", "pi")


def test_what_is_in_the_way_is_to_be_moved_by_a_command_that_holds_for_any_name() -> None:
    moves = "mv -n /state /state.old && mv -n '/a b' '/a b.old'"
    assert remedies.in_the_way(["/state", "/a b"]) == f"something else is in the way: {moves}"


def test_so_much_room_is_to_be_made_as_is_missing() -> None:
    assert "make room for 27 MB at least" in remedies.disk_full(5, 32)


# ---- what is to be written into table.toml -------------------------------------------------


def test_a_line_of_table_toml_is_to_be_set_to_what_it_is_not() -> None:
    assert "rotate = 180 " in remedies.screen_upside_down(0) and "rotate = 0 " in remedies.screen_upside_down(180)
    assert "reverse = true " in remedies.strip_other_way(False) and "reverse = false " in remedies.strip_other_way(True)
    for controller, shifted, dark in (
        ("ssd1306", "sh1106", "ssd1309"),
        ("ssd1309", "sh1106", "ssd1306"),
        ("sh1106", "ssd1306", "ssd1306"),
    ):
        assert f'controller = "{shifted}" in' in remedies.screen_shifted(controller)
        assert f'controller = "{dark}" in' in remedies.screen_dark(controller)


def test_another_pin_library_is_to_be_unset_only_if_somebody_has_set_it() -> None:
    assert "unset GPIOZERO_PIN_FACTORY (it is 'native')" in remedies.other_pin_factory("native")
    for asked_for in (None, "", "lgpio"):
        assert remedies.other_pin_factory(asked_for).startswith("sudo apt install --reinstall python3-lgpio")


def test_the_chip_with_the_pins_of_the_header_is_named_if_there_is_one() -> None:
    assert "the pins of the header are gpiochip0:" in remedies.wrong_pin_chip("gpiochip0")
    assert "no gpiochip of this kernel has the pins" in remedies.wrong_pin_chip(None)

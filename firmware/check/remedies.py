"""What to do about each fault that `check` finds: the command to type, the wire to look at, the line to change. Pure.

Pins are named by their GPIO and by their place on the 40-pin header ("GPIO and the 40-pin header", Raspberry Pi
documentation); the reader's and the screen's pins by what is printed on the usual modules.
"""

from __future__ import annotations

import errno
import shlex
from collections.abc import Collection, Sequence

from firmware.config.values import PadWiring
from firmware.files.whole import Notice, StandIn, backup_of

HEADER_PINS = {
    2: 3,
    3: 5,
    4: 7,
    14: 8,
    15: 10,
    17: 11,
    18: 12,
    27: 13,
    22: 15,
    23: 16,
    24: 18,
    10: 19,
    9: 21,
    25: 22,
    11: 23,
    8: 24,
    7: 26,
    0: 27,
    1: 28,
    5: 29,
    6: 31,
    12: 32,
    13: 33,
    19: 35,
    16: 36,
    26: 37,
    20: 38,
    21: 40,
}
SPI_PINS = {0: (10, 9, 11), 1: (20, 19, 21)}  # MOSI, MISO, SCLK
CHIP_SELECT_PINS = {(0, 0): 8, (0, 1): 7, (1, 0): 18, (1, 1): 17, (1, 2): 16}
I2C_PINS = {1: (2, 3), 0: (0, 1)}  # SDA, SCL
CONFIG_TXT = "/boot/firmware/config.txt"


def pin(gpio: int) -> str:
    return f"GPIO {gpio} (pin {HEADER_PINS[gpio]})"


def join_groups(user: str, missing: Sequence[str], unknown: Collection[str], listed: Collection[str]) -> str:
    """`unknown`: those that this machine does not have; `listed`: those that the user is in after the next login."""
    if set(missing) <= set(listed):
        return f"{user} is in {' and '.join(missing)} only from the next login on: log out and in again"
    commands = [f"sudo groupadd --system {group}" for group in missing if group in unknown]
    commands.append(f"sudo usermod -aG {','.join(missing)} {user}")
    return f"{' && '.join(commands)}; then log out and in again"


# ---- the machine ---------------------------------------------------------------------------


def switch_on_spi(missing: Sequence[tuple[int, int]]) -> str:
    """`missing`: (bus, chip select) of each device that is not there."""
    steps = []
    if any(bus == 0 for bus, _ in missing):
        steps.append(
            "sudo raspi-config nonint do_spi 0"
            if len(missing) > 1 or (0, 0) in missing
            else f"remove the line dtoverlay=spi0-1cs from {CONFIG_TXT}"
        )
    selects = [select for bus, select in missing if bus == 1]
    if selects:
        steps.append(f"add the line dtoverlay=spi1-{max(selects) + 1}cs to {CONFIG_TXT}")
    return f"{', and '.join(steps)}; then sudo reboot"


def switch_on_i2c(bus: int) -> str:
    if bus == 0:
        return f"add the line dtparam=i2c_vc=on to {CONFIG_TXT}; then sudo reboot"
    return "sudo raspi-config nonint do_i2c 0; then sudo reboot. Still not there: sudo modprobe i2c-dev"


def install_module(name: str) -> str:
    return f"sudo apt install python3-{name} (a venv has to see it: python3 -m venv --system-site-packages)"


def other_pin_factory(variable: str | None) -> str:
    if variable and variable != "lgpio":  # that one is what we ask for ourselves
        return f"unset GPIOZERO_PIN_FACTORY (it is {variable!r}), so that gpiozero takes lgpio"
    return "sudo apt install --reinstall python3-lgpio, and see that /dev/gpiochip* may be opened: groups"


def wrong_pin_chip(right: str | None) -> str:
    if right is None:
        return "sudo apt full-upgrade, then sudo reboot: no gpiochip of this kernel has the pins of the header"
    return f"the pins of the header are {right}: upgrade gpiozero (sudo make install), then sudo reboot"


def disk(number: int | None, folder: str, user: str) -> str:
    """`number`: the errno, None if what was read back is not what was written."""
    match number:
        case errno.EACCES | errno.EPERM:
            return f"sudo chown -R {user} {shlex.quote(folder)}"
        case errno.EROFS:
            return "the card is read-only: sudo mount -o remount,rw /; if that is refused, copy all to a new card"
        case errno.ENOSPC | errno.EDQUOT:
            return "make room: df -h, sudo apt clean, sudo journalctl --vacuum-size=50M"
        case _:
            return "copy decks and games away, and use a new SD card: dmesg | grep mmc tells of its errors"


def of_another(owner: str, uid: int) -> str:
    return f"it belongs to {owner}: sudo -u '#{uid}' tacocat check, or name another folder with --state FOLDER"


def give_to_owner(folder: str) -> str:
    name = shlex.quote(folder)
    return f"sudo chown -R --reference={name} {name}"


def in_the_way(paths: Sequence[str]) -> str:
    """Of what is no file, or no folder, where one is expected."""
    return f"something else is in the way: {' && '.join(map(_move, paths))}"


def _move(path: str) -> str:
    return shlex.join(("mv", "-n", path, f"{path}.old"))


OTHER_STATE = "something else is in the way of the folder: name another one with --state FOLDER"


TEACH = "teach the deck in the menu of the table, or take one from a file: tacocat deck import FILE"


def deck(notice: Notice) -> str:
    """Of the first fault of a deck file that can be read."""
    path = notice.path
    if notice.left_alone:
        return f"install the version that has written it, or move it away: {_move(str(path))}"
    match notice.stand_in:
        case StandIn.REST:
            return f"mend {path}, or teach its cards anew in the menu of the table"
        case StandIn.BACKUP:
            backup = shlex.quote(str(backup_of(path)))
            return (
                f"mend {path}, or keep what its backup holds: cp -a --backup=numbered {backup} {shlex.quote(str(path))}"
            )
        case _:
            return f"mend {path}, or {TEACH}"


def disk_full(free_mb: int, least_mb: int) -> str:
    return f"make room for {least_mb - free_mb} MB at least: df -h, sudo apt clean, sudo journalctl --vacuum-size=50M"


UNDER_VOLTAGE = (
    "use a supply of 5.1 V and 3 A (Pi 5: 5 A) with a short thick cable, and give a long strip one of its own; "
    "restart, then check again"
)
TOO_HOT = "give the Pi air or a heat sink, away from the LEDs' supply; restart, then check again"


def device_closed(path: str, group: str) -> str:
    return f"sudo chgrp {group} {path} && sudo chmod 660 {path}; then sudo make install, whose udev rules keep it so"


def bus_fails(bus: str, part: str) -> str:
    """`bus`: "SPI" or "I2C"."""
    return (
        f"it is the Pi's own {bus}, not the {part}: sudo reboot; if it comes again, sudo apt full-upgrade, and "
        f"dmesg | grep -i {bus.lower()} tells more"
    )


# ---- the readers ---------------------------------------------------------------------------


def reader_wires(pad: str, wiring: PadWiring) -> str:
    mosi, miso, clock = SPI_PINS[wiring.spi_bus]
    select = CHIP_SELECT_PINS[wiring.spi_bus, wiring.chip_select]
    reset = f", RST to {pin(wiring.reset)}" if wiring.reset is not None else ""
    return (
        f"look at the wires of the reader of {pad.upper()}, and solder its pins: 3.3V to pin 1 or 17, GND, "
        f"SDA to {pin(select)}, SCK to {pin(clock)}, MOSI to {pin(mosi)}, MISO to {pin(miso)}{reset}"
    )


def reader_garbles(pad: str, seat: str, wiring: PadWiring) -> str:
    mosi = SPI_PINS[wiring.spi_bus][0]
    return (
        f"look at MOSI of the reader of {pad.upper()}, to {pin(mosi)}; shorten its wires, or set speed_hz = "
        f"{max(100_000, wiring.speed_hz // 4)} in [pads.{seat}] of table.toml; then at its 3.3V and GND"
    )


def reader_supply(pad: str) -> str:
    return (
        f"the supply of the reader of {pad.upper()} breaks down: short wires for 3.3V and GND, and a capacitor of "
        "10 to 100 µF between them at the reader"
    )


def reader_broken(pad: str) -> str:
    return (
        f"take the power off the reader of {pad.upper()} for 10 s and check again; if it stays so, the module is "
        "broken: put in another one"
    )


def reader_reads_nothing(pad: str) -> str:
    return (
        f"lay a card flat on the middle of the pad of {pad.upper()}, and try another card (NTAG or MIFARE, 13.56 MHz); "
        "no metal under or beside the antenna, at most 8 mm to the card; try gain_db = 43 for "
        "that pad in table.toml; if no card is read then, put in another module"
    )


def readers_swapped(seat: str, other: str) -> str:
    return f"exchange chip_select and reset of [pads.{seat}] and [pads.{other}] in table.toml, or the two readers"


READERS_TOO_NEAR = "move the pads apart, 15 cm and more, or set one_antenna = true in [pads] of table.toml"


# ---- the screen ----------------------------------------------------------------------------


def screen_wires(bus: int, address: int) -> str:
    sda, scl = I2C_PINS[bus]
    other = 0x3C + 0x3D - address
    return (
        f"sudo apt install i2c-tools; i2cdetect -y {bus} shows what is there. {other:x} and not {address:x}: set the "
        f"address 0x{other:02X} in [screen] of table.toml. Nothing: look at SDA to {pin(sda)}, SCL to {pin(scl)}, "
        "VCC to pin 1 or 17, GND"
    )


def screen_has_a_driver(address: int) -> str:
    return (
        f"a driver of the kernel has the screen at 0x{address:02X}: remove its line (dtoverlay=ssd1306, …) from "
        f"{CONFIG_TXT}; then sudo reboot"
    )


def screen_upside_down(rotate: int) -> str:
    return f"set rotate = {180 - rotate} in [screen] of table.toml"


def screen_shifted(controller: str) -> str:
    other = "ssd1306" if controller == "sh1106" else "sh1106"
    return f'set controller = "{other}" in [screen] of table.toml'


def screen_dark(controller: str) -> str:
    other = "ssd1309" if controller == "ssd1306" else "ssd1306"
    return f'it answers and shows nothing: set controller = "{other}" in [screen] of table.toml; else it is broken'


# ---- the strip -----------------------------------------------------------------------------

PLUG_IN_PICO = (
    "plug the Pico in, by a cable that carries data (many only charge); a Zero 2 W: into the port marked USB, with an "
    "OTG adapter. New to the table: tacocat flash"
)
FLASH_PICO = "tacocat flash"
PLUG_IN_AGAIN = (
    "pull the Pico's plug, and put it in again, by another cable if it comes again; sudo dmesg | tail tells what the "
    "kernel has met"
)


def pico_in_use(path: str) -> str:
    return (
        f"sudo fuser -v {path} names the program: stop it; a modem manager by sudo systemctl disable --now ModemManager"
    )


def other_serial(serial: str) -> str:
    return (
        f"plug in the Pico {serial}, or set serial in [track] of table.toml to that of the one that is there; "
        f'"none": any one'
    )


def colour_order(order: str) -> str:
    return f'set colour_order = "{order}" in [track] of table.toml'


STRIP_DATA = (
    "look at the strip's data wire: GP16 of the Pico (its pin 21), through the level shifter, to the end of the strip "
    "marked DIN; ground of Pico and strip together; its 5 V"
)


def strip_other_way(reverse: bool) -> str:
    return f"set reverse = {'false' if reverse else 'true'} in [track] of table.toml"


def strip_length(leds: int) -> str:
    return (
        f"count the LEDs: [track] of table.toml says {leds}. If the number is right, the first LED that stays dark, or "
        "the one before it, is broken"
    )


# ---- buttons, lamps, buzzer ----------------------------------------------------------------


def button_closed(player: str, gpio: int) -> str:
    return (
        f"let go of the button of {player.upper()}; if nobody holds it, {pin(gpio)} has contact with ground: look at "
        "its wire, and which two of the switch's pins are used"
    )


def button_silent(player: str, gpio: int) -> str:
    return f"look at the wires of the button of {player.upper()}: one to {pin(gpio)}, the other to ground"


def buttons_swapped() -> str:
    return "exchange button_yay and button_wow in [controls] of table.toml, or the two wires"


def lamp_shorted(player: str, gpio: int) -> str:
    return f"the lamp of {player.upper()} pulls {pin(gpio)} to ground: look for a short, and put 330 Ω before the lamp"


def lamp_dark(player: str, gpio: int) -> str:
    return (
        f"look at the lamp of {player.upper()}: {pin(gpio)} through 330 Ω to its +, the other side to ground; "
        "turn an LED round"
    )


def lamps_swapped() -> str:
    return "exchange lamp_yay and lamp_wow in [controls] of table.toml, or the two wires"


def pin_in_use(key: str, gpio: int) -> str:
    return f"gpioinfo | grep GPIO{gpio} names the program that has it: stop that, or take another pin for {key}"


def buzzer_silent(gpio: int) -> str:
    return (
        f"look at the buzzer: {pin(gpio)} through 100 Ω to its +, the other side to ground; it must be a passive one "
        "(an active one clicks, or has one tone only)"
    )

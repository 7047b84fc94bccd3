"""How a check asks the machine: the kernel's calls, the commands, and who the user is."""

from __future__ import annotations

import errno
import fcntl
import grp
import os
import struct
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace

import gpiozero
import pytest

from firmware.check import system
from firmware.check.system import (
    CommandError,
    System,
    find_pin_chip,
    gpio_chips,
    module_is_here,
    of_this_machine,
    run_command,
)
from firmware.config.values import Config


def test_a_gpiochip_is_asked_for_its_label_by_the_call_of_linux_gpio_h(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GPIO_GET_CHIPINFO_IOCTL is _IOR(0xB4, 0x01, struct gpiochip_info): name and label of 32 bytes each, a __u32."""
    info = struct.Struct("32s32sI")
    labels = {"gpiochip0": b"pinctrl-rp1", "gpiochip4": b"gpio-brcmstb"}
    (tmp_path / "dev").mkdir()
    for name in (*labels, "gpiochip5"):
        (tmp_path / "dev" / name).touch()

    def ioctl(handle: int, request: int, answer: bytes) -> bytes:
        assert request == 2 << 30 | info.size << 16 | 0xB4 << 8 | 0x01 and len(answer) == info.size == 68
        name = Path(os.readlink(f"/proc/self/fd/{handle}")).name
        if name not in labels:
            raise OSError(errno.ENOTTY, "Inappropriate ioctl for device")
        return info.pack(name.encode(), labels[name], 54)

    monkeypatch.setattr(fcntl, "ioctl", ioctl)
    assert gpio_chips(tmp_path) == (("gpiochip0", "pinctrl-rp1"), ("gpiochip4", "gpio-brcmstb"))


def test_a_pin_library_without_a_chip_has_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpiozero.Device, "pin_factory", SimpleNamespace())
    monkeypatch.setattr(system, "gpio_chips", lambda: (("gpiochip0", "pinctrl-rp1"),))
    found = find_pin_chip()
    assert (found.factory, found.device, found.label) == ("SimpleNamespace", "", "")


def test_a_command_is_given_five_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(words: object, timeout: float, **_: object) -> None:
        raise subprocess.TimeoutExpired("true", timeout)

    monkeypatch.setattr(subprocess, "run", hang)
    with pytest.raises(CommandError, match="true does not end within 5 s"):
        run_command(("true",))


def test_a_command_that_succeeds_is_believed_whatever_it_says_of_faults() -> None:
    assert run_command(("sh", "-c", "echo odd >&2; echo fine")) == "fine\n"
    with pytest.raises(CommandError, match=r"sh fails: out$"):
        run_command(("sh", "-c", "echo out; exit 1"))
    with pytest.raises(CommandError, match="sh fails: it ends with -9"):
        run_command(("sh", "-c", "kill -9 $$"))


def test_a_pause_is_as_long_as_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    System(Config(), Path()).pause_ms(20)
    assert slept == [0.02]


@pytest.mark.parametrize(("number", "is_root"), [(0, True), (1, False), (1000, False)])
def test_only_the_user_0_is_root(monkeypatch: pytest.MonkeyPatch, number: int, is_root: bool) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: number)
    assert of_this_machine(Config(), Path()).is_root is is_root


def test_the_groups_of_the_next_login_are_those_that_list_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = [
        SimpleNamespace(gr_name=name, gr_mem=who) for name, who in (("spi", ["pi"]), ("i2c", ["x"]), ("gpio", []))
    ]
    monkeypatch.setattr(grp, "getgrall", lambda: groups)
    monkeypatch.setattr(system, "user_name", lambda: "pi")
    found = of_this_machine(Config(), Path())
    assert (found.user, found.listed, found.known) == ("pi", {"spi"}, {"spi", "i2c", "gpio"})


def test_a_module_is_here_if_it_could_be_imported() -> None:
    assert module_is_here("json") and not module_is_here("no_such_module_is_here")

"""Which pin library there is, and why a pin cannot be used: in the words of the kernel and of lgpio."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import gpiozero
import pytest

from hardware.pins import choose_pin_library, consumer_of, opening_faults, pin_faults, why_not
from hardware.ports import HardwareError


class LgpioError(Exception):
    """As `lgpio.error`: a plain Exception whose `str` quotes its text."""

    def __str__(self) -> str:
        return repr(self.args[0]) if self.args else "no text"


LgpioError.__module__ = "lgpio"


# ---- the library -----------------------------------------------------------------------------


@pytest.fixture
def lgpio_is_imported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The folders that an lgpio of this test was imported with, one for each time."""
    (tmp_path / "lgpio.py").write_text("import os\nimport lgpio_told\nlgpio_told.folders.append(os.environ['LG_WD'])\n")
    told: Any = ModuleType("lgpio_told")
    told.folders = []
    monkeypatch.setitem(sys.modules, "lgpio_told", told)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "lgpio", ModuleType("lgpio"))  # so that the one of this test does not stay
    monkeypatch.delitem(sys.modules, "lgpio")
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "lgpio")
    monkeypatch.setenv("LG_WD", "before")
    folders: list[str] = told.folders
    return folders


@pytest.mark.parametrize("before", ["before", None])
def test_lg_wd_is_set_for_the_import_alone(
    lgpio_is_imported: list[str], monkeypatch: pytest.MonkeyPatch, before: str | None
) -> None:
    if before is None:
        monkeypatch.delenv("LG_WD")
    choose_pin_library()
    assert os.environ.get("LG_WD") == before
    (folder,) = lgpio_is_imported
    assert "tacocat-pins-" in folder and not Path(folder).exists()


@pytest.mark.parametrize("another", ["mock", ""])
def test_another_pin_library_of_the_environment_s_choice_is_left_alone(
    lgpio_is_imported: list[str], monkeypatch: pytest.MonkeyPatch, another: str
) -> None:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", another)
    choose_pin_library()
    assert lgpio_is_imported == [] and os.environ["GPIOZERO_PIN_FACTORY"] == another


def test_a_library_that_was_imported_before_has_its_folder_already(
    lgpio_is_imported: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "lgpio", ModuleType("lgpio"))
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path / "none"))  # no folder could be made
    choose_pin_library()
    assert lgpio_is_imported == []


@pytest.mark.parametrize(("error", "is_known"), [(LgpioError, True), (None, False), ("error", False), (int, False)])
def test_a_pin_raises_what_gpiozero_the_system_and_lgpio_raise(
    monkeypatch: pytest.MonkeyPatch, error: object, is_known: bool
) -> None:
    library: Any = ModuleType("lgpio")
    library.error = error
    monkeypatch.setitem(sys.modules, "lgpio", library)
    known = (gpiozero.GPIOZeroError, OSError, HardwareError, *([LgpioError] if is_known else []))
    assert pin_faults() == known
    assert opening_faults() == (*known, ImportError)


# ---- one pin ---------------------------------------------------------------------------------


class Kernel:
    """The lines of a gpiochip as linux/gpio.h has them: GPIO_V2_GET_LINEINFO_IOCTL for struct gpio_v2_line_info."""

    REQUEST = 3 << 30 | 256 << 16 | 0xB4 << 8 | 0x05  # _IOWR(0xB4, 0x05, struct gpio_v2_line_info)

    def __init__(self) -> None:
        self.consumers = {5: (b"leds", 1), 6: (b"old", 0b1110), 7: (b"", 1), 8: (b"n\xffme", 0b11)}
        self.asked_of: list[str] = []

    def ioctl(self, handle: int, request: int, asked: bytes) -> bytes:
        line = int.from_bytes(asked[64:68], "little")
        assert (request, asked) == (self.REQUEST, bytes(64) + line.to_bytes(4, "little") + bytes(188))
        self.asked_of.append(os.readlink(f"/proc/self/fd/{handle}"))
        if line not in self.consumers:
            raise OSError(22, "Invalid argument")
        consumer, flags = self.consumers[line]
        name = f"GPIO{line}".encode().ljust(32, b"\0")
        return name + consumer.ljust(32, b"\0") + asked[64:72] + flags.to_bytes(8, "little") + bytes(176)


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Kernel:
    """Its devices are in the folder `dev` of the test."""
    (tmp_path / "dev").mkdir()
    for number in (0, 4):
        (tmp_path / f"dev/gpiochip{number}").touch()
    kernel = Kernel()
    monkeypatch.setattr("hardware.pins.fcntl", SimpleNamespace(ioctl=kernel.ioctl))
    return kernel


@pytest.mark.parametrize(("line", "consumer"), [(5, "leds"), (6, ""), (7, ""), (8, "n\ufffdme"), (99, "")])
def test_the_kernel_knows_who_uses_a_line(kernel: Kernel, tmp_path: Path, line: int, consumer: str) -> None:
    assert consumer_of(tmp_path / "dev/gpiochip0", line) == consumer
    assert consumer_of(tmp_path / "dev/gone", line) == ""


@pytest.mark.parametrize(
    ("factory", "chip"),
    [
        (SimpleNamespace(chip=4), 4),
        (SimpleNamespace(_chip=4), 4),
        (SimpleNamespace(chip=0, _chip=4), 0),
        (SimpleNamespace(_chip=None), 0),
        (SimpleNamespace(), 0),
    ],
)
def test_a_busy_pin_is_named_with_whoever_uses_it_on_the_chip_of_its_factory(
    kernel: Kernel, tmp_path: Path, factory: object, chip: int
) -> None:
    busy = LgpioError("GPIO busy")
    assert why_not(5, busy, factory, tmp_path) == "GPIO 5 is used by leds"
    assert why_not(6, busy, factory, tmp_path) == "GPIO 6 is used by another program or driver"
    assert {Path(path).name for path in kernel.asked_of} == {f"gpiochip{chip}"}


def test_without_a_factory_it_is_the_one_of_gpiozero_s_choice(
    kernel: Kernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpiozero.Device, "pin_factory", SimpleNamespace(chip=4))
    assert why_not(5, LgpioError("GPIO busy"), root=tmp_path) == "GPIO 5 is used by leds"
    assert kernel.asked_of == [str(tmp_path / "dev/gpiochip4")]


def test_a_chip_that_cannot_be_opened_is_named_with_the_reason(
    kernel: Kernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = LgpioError("can not open gpiochip")

    def said(number: int) -> str:
        return why_not(5, closed, SimpleNamespace(chip=number), tmp_path)

    assert said(4) == f"GPIO 5: {tmp_path}/dev/gpiochip4 could not be opened"
    assert said(9) == f"GPIO 5: {tmp_path}/dev/gpiochip9 cannot be opened: No such file or directory"

    def not_allowed(path: Path, flags: int) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("hardware.pins.os.open", not_allowed)
    monkeypatch.setattr("hardware.pins.owner_of", lambda device: "the group gpio")
    assert said(4) == f"GPIO 5: {tmp_path}/dev/gpiochip4 may not be opened: it belongs to the group gpio"


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (LgpioError("bad GPIO number"), "GPIO 5: bad GPIO number"),
        (LgpioError("bad GPIO number", "more"), "GPIO 5: bad GPIO number"),
        (LgpioError(), "GPIO 5: no text"),
        (OSError(5, "GPIO busy"), "GPIO 5: OSError: [Errno 5] GPIO busy"),
        (gpiozero.PinInvalidPin("no such pin"), "GPIO 5: PinInvalidPin: no such pin"),
    ],
    ids=str,
)
def test_any_other_fault_of_a_pin_is_said_as_it_is(
    kernel: Kernel, tmp_path: Path, fault: Exception, words: str
) -> None:
    assert why_not(5, fault, SimpleNamespace(chip=0), tmp_path) == words
    assert kernel.asked_of == []

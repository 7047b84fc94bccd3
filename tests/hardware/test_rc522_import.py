"""The package mfrc522 is imported without RPi.GPIO and without spidev."""

import logging
import subprocess
import sys
from pathlib import Path

import pytest

from hardware import mfrc522_import
from hardware.ports import HardwareError
from hardware.rc522 import Reader
from hardware.twins.rc522 import RC522
from hardware.twins.virtual_time import VirtualTime
from tests.support.pads_support import ready_reader
from tests.support.places import ROOT


def run_python(code: str, *extra_path: Path) -> str:
    path = [str(path) for path in (*extra_path, ROOT)]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"import sys; sys.path[:0] = {path!r}\n{code}"],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_leaves_no_placeholder_behind() -> None:
    left = run_python(
        "import hardware.rc522\nprint(sorted(n for n in sys.modules if n.split('.')[0] in ('RPi', 'spidev')))"
    )
    assert left == "[]"


def test_s7_a_real_rpi_gpio_of_the_system_is_never_loaded(tmp_path: Path) -> None:
    """S7: two providers of RPi.GPIO exist, and one fails on a Pi 5; none of them is touched."""
    (tmp_path / "RPi").mkdir()
    (tmp_path / "RPi" / "__init__.py").write_text("raise RuntimeError('RPi was loaded')\n")
    (tmp_path / "RPi" / "GPIO.py").write_text("raise RuntimeError('RPi.GPIO was loaded')\n")
    (tmp_path / "spidev.py").write_text("raise RuntimeError('spidev was loaded')\n")
    assert run_python("import hardware.rc522; print('fine')", tmp_path) == "fine"


def test_modules_that_were_loaded_before_are_there_again_afterwards() -> None:
    assert (
        run_python(
            "import types\n"
            "mine = {n: types.ModuleType(n) for n in ('RPi', 'RPi.GPIO', 'spidev')}\n"
            "sys.modules.update(mine)\n"
            "import hardware.rc522\n"
            "print(all(sys.modules[n] is m for n, m in mine.items()))"
        )
        == "True"
    )


def test_a_copy_that_somebody_imported_with_other_modules_is_not_used() -> None:
    assert (
        run_python(
            "import types\n"
            "gpio = types.ModuleType('RPi.GPIO'); rpi = types.ModuleType('RPi'); rpi.GPIO = gpio\n"
            "sys.modules.update({'RPi': rpi, 'RPi.GPIO': gpio, 'spidev': types.ModuleType('spidev')})\n"
            "import mfrc522\n"
            "theirs = sys.modules['mfrc522.MFRC522']\n"
            "from hardware import mfrc522_import as ours\n"
            "print(ours.chip_module.GPIO is gpio, sys.modules['mfrc522.MFRC522'] is theirs, theirs.GPIO is gpio)"
        )
        == "False True True"
    )


def test_the_library_by_itself_is_told_how_to_open_spi() -> None:
    with pytest.raises(HardwareError, match="open_spidev"):
        mfrc522_import.MFRC522()


def test_a_reader_is_an_mfrc522_and_adds_no_log_handler() -> None:
    library_log = logging.getLogger("mfrc522Logger")
    ours = logging.getLogger("hardware.rc522_chip")
    handlers = len(library_log.handlers) + len(ours.handlers) + len(logging.getLogger().handlers)
    readers = [Reader(RC522(VirtualTime())) for _ in range(5)]
    assert all(isinstance(reader, mfrc522_import.MFRC522) for reader in readers)
    assert len(library_log.handlers) + len(ours.handlers) + len(logging.getLogger().handlers) == handlers


def test_the_library_s_other_calls_work_on_a_reader_too() -> None:
    clock = VirtualTime()
    twin, reader = ready_reader(clock)
    from tests.support.pads_support import FOUR, lay

    lay(twin, FOUR)
    status, bits = reader.MFRC522_Request(reader.PICC_REQIDL)
    assert (status, bits) == (reader.MI_OK, 16)
    status, uid = reader.MFRC522_Anticoll()
    assert status == reader.MI_OK and bytes(uid[:4]) == FOUR
    assert reader.MFRC522_SelectTag(uid) == 0x00  # its SAK
    with pytest.raises(HardwareError, match="never authenticates"):
        reader.MFRC522_Auth(reader.PICC_AUTHENT1A, 4, [0xFF] * 6, uid)

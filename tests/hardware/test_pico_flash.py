"""Putting the program on a Pico with the real mpremote; the Pico is the twin, at MicroPython's own prompt."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from hardware import frames
from hardware.flash import FlashError, _Mpremote, flash
from hardware.link import FoundPort
from hardware.pico_files import FRAMES, PicoFileError, pico_files
from hardware.strip import PicoStrip
from hardware.twins.pico import PicoProcess
from tests.support.strip_support import CLOCK, PROGRAM, Wire, shows, still

RED = still((60, 0, 0))


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """The program as it may be next year: with a file more, and a changed one."""
    folder = tmp_path / "newer"
    shutil.copytree(PROGRAM, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "more.py").write_text("MORE = True\n", encoding="utf-8")
    strip = folder / "strip.py"
    strip.write_text(strip.read_text(encoding="utf-8") + "\n# newer\n", encoding="utf-8")
    return folder


def same_files(flash_folder: Path, program: Path) -> bool:
    return all((flash_folder / f.name).read_bytes() == f.read_bytes() for f in pico_files(program))


def test_a_running_pico_gets_a_newer_program_without_pulling_its_plug(newer: Path) -> None:
    said: list[str] = []
    with PicoProcess(PROGRAM) as pico:
        with PicoStrip(pico.find_ports, CLOCK) as strip:
            strip.show(RED)
            assert shows(pico, RED)
        flash(pico.find_ports, newer, said.append)
        assert same_files(pico.flash, newer)
        assert pico.faults == [], "no watchdog bit"
        with PicoStrip(pico.find_ports, CLOCK) as strip:
            strip.show(RED)
            assert shows(pico, RED)
    text = "\n".join(said)
    steps = ("our program runs there", "restart into its prompt", "MicroPython 1.", "copying more.py")
    at = [text.index(step) for step in (*steps, "copying main.py", "restarting it", "the new program answers")]
    assert at == sorted(at)


def test_a_name_of_a_restarted_pico_that_cannot_be_opened_yet_is_waited_out(newer: Path) -> None:
    with PicoProcess(PROGRAM) as pico:
        late = [2]

        def find_ports() -> list[FoundPort]:
            if pico.boots > 1 and late[0]:  # as its old name, or its new one before udev has given it to a group
                late[0] -= 1
                return [FoundPort("/dev/gone", "Board")]
            return pico.find_ports()

        flash(find_ports, newer, lambda line: None)
        assert late == [0]
        assert same_files(pico.flash, newer)


def test_a_pico_that_says_it_restarts_and_does_not_is_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "program"
    shutil.copytree(PROGRAM, program, ignore=shutil.ignore_patterns("__pycache__"))
    main = program / "main.py"
    main.write_text(main.read_text("utf-8").replace("machine.reset()", "pass"), "utf-8")
    monkeypatch.setattr("hardware.flash._BACK_S", 0.3)
    with PicoProcess(program) as pico:
        with pytest.raises(FlashError, match=r"it does not restart\. Pull its plug"):
            flash(pico.find_ports, PROGRAM, lambda line: None)
        assert pico.boots == 1


def test_a_pico_that_comes_back_with_a_port_that_nobody_may_open_is_said_so() -> None:
    with PicoProcess(PROGRAM) as pico:
        names = iter(pico.find_ports())
        with pytest.raises(FlashError, match=r"has not come back within 0\.3 s \(cannot open /dev/gone: .*\)\. Pull"):
            flash(lambda: [next(names, FoundPort("/dev/gone", "Board"))], PROGRAM, print, wait_s=0.3)


def test_a_pico_with_nothing_but_micropython_gets_the_program(tmp_path: Path) -> None:
    said: list[str] = []
    (tmp_path / "empty").mkdir()
    with PicoProcess(tmp_path / "empty") as pico:
        flash(pico.find_ports, PROGRAM, said.append)
        assert same_files(pico.flash, PROGRAM)
        with Wire(pico.port) as wire:
            wire.begin()
    assert "should be MicroPython's prompt" in said[0]


def test_no_pico_two_picos_and_a_busy_one_are_said_in_words() -> None:
    with pytest.raises(FlashError, match=r"no Pico is plugged in .*BOOTSEL"):
        flash(list, PROGRAM, print)
    two = [FoundPort("/dev/ttyACM0", "Board"), FoundPort("/dev/ttyACM1", "Board")]
    with pytest.raises(FlashError, match=r"more than one Pico.*ttyACM0.*ttyACM1"):
        flash(lambda: two, PROGRAM, print)
    with PicoProcess(PROGRAM) as pico, PicoStrip(pico.find_ports, CLOCK) as strip:
        strip.show(RED)
        assert shows(pico, RED)
        with pytest.raises(FlashError, match=r"in use by another program.*stop it first"):
            flash(pico.find_ports, PROGRAM, print)


def test_a_file_that_does_not_arrive_whole_is_noticed_and_the_old_main_is_gone(tmp_path: Path) -> None:
    """An mpremote that copies nothing but says it did."""
    liar = tmp_path / "liar.py"
    liar.write_text(
        "import sys\nif 'cp' not in sys.argv:\n    from mpremote.main import main\n    sys.exit(main())\n", "utf-8"
    )
    program = tmp_path / "program"
    program.mkdir()
    (program / "main.py").write_text("print('newer')\n", encoding="utf-8")
    (program / "strip.py").write_text("print('newer')\n", encoding="utf-8")
    with PicoProcess(PROGRAM) as pico:
        with pytest.raises(FlashError, match=r"strip\.py on the Pico is not what was copied"):
            flash(pico.find_ports, program, print, mpremote=(sys.executable, str(liar)))
        assert not (pico.flash / "main.py").exists()


def test_another_device_that_answers_is_left_alone() -> None:
    with PicoProcess(PROGRAM) as pico:
        (pico.flash / "frames.py").write_text(
            (pico.flash / "frames.py").read_text("utf-8").replace('NAME = b"tacocat strip"', 'NAME = b"another strip"'),
            "utf-8",
        )
        pico.unplug()
        pico.plug_in()
        with pytest.raises(FlashError, match="is no tacocat strip; it is left alone"):
            flash(pico.find_ports, PROGRAM, print)
        assert frames.NAME == b"tacocat strip"


LINK_TEXT = "../../hardware/frames.py"  # what a copy without symbolic links has in place of one


@pytest.mark.parametrize("content", [LINK_TEXT, "", " \n", "def half(", "a\0b", "\xff"])
def test_f4_nothing_is_put_on_a_pico_unless_all_of_it_compiles(content: str, newer: Path) -> None:
    (newer / "more.py").write_bytes(content.encode("latin-1"))
    said: list[str] = []
    with PicoProcess(PROGRAM) as pico:
        before = {path.name: path.read_bytes() for path in pico.flash.iterdir()}
        with pytest.raises(FlashError, match=r"more\.py (is|cannot)"):
            flash(pico.find_ports, newer, said.append)
        assert {path.name: path.read_bytes() for path in pico.flash.iterdir()} == before
        assert pico.boots == 1
    assert said == []


def test_f4_the_codec_of_frames_goes_onto_the_pico_from_where_it_lies(newer: Path) -> None:
    (newer / "frames.py").write_text(LINK_TEXT, "utf-8")  # an older copy of the program had a link here
    assert [path.name for path in pico_files(newer)] == ["frames.py", "more.py", "scene.py", "strip.py", "main.py"]
    assert pico_files(newer)[0] == FRAMES


def test_f4_a_file_of_the_program_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(PicoFileError, match=r"main\.py cannot be read: No such file"):
        pico_files(tmp_path)


def test_k4_21_22_a_link_is_the_same_port_and_nothing_is_imported_from_where_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "serial.py").write_text("raise SystemExit('a file of the current folder was run')\n")
    monkeypatch.chdir(tmp_path)
    with PicoProcess(PROGRAM) as pico:
        link = tmp_path / "by-id"
        link.symlink_to(pico.find_ports()[0].path)

        def find_ports() -> list[FoundPort]:
            ports = pico.find_ports()
            if ports:  # udev makes the link anew, to wherever the Pico is now
                link.unlink(missing_ok=True)
                link.symlink_to(ports[0].path)
            return list(ports)

        flash(find_ports, PROGRAM, print, port=str(link))
        assert same_files(pico.flash, PROGRAM)


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("import signal; signal.pause()", "mpremote fs took longer than 0.5 s"),
        ("raise SystemExit('odd')", "mpremote fs cp failed: odd"),
        ("print(b''); raise OSError('no raw repl')", "mpremote fs cp failed: OSError: no raw repl"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "mpremote fs cp failed"),
    ],
)
def test_an_mpremote_that_hangs_fails_or_dies_is_said_in_words(
    monkeypatch: pytest.MonkeyPatch, program: str, words: str
) -> None:
    monkeypatch.setattr("hardware.flash._MPREMOTE_S", 0.5)
    with pytest.raises(FlashError, match=words):
        _Mpremote([sys.executable, "-I", "-c", program], "/dev/ttyACM0")("fs", "cp")

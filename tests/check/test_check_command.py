"""`tacocat check` as a command: the table, JSON, questions in a terminal, and parts that can only be opened in part."""

from __future__ import annotations

import errno
import io
import json
import os
import pty
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import gpiozero
import pytest
from gpiozero.pins.mock import MockFactory

from firmware import cli
from firmware.check import system as check_system
from firmware.check.checking import PARTS
from firmware.check.host import CONFIGURATION, NO_CONFIGURATION
from firmware.check.pads import probe_pads
from firmware.check.parts import Bench, probe_button, probe_buzzer, probe_lamp
from firmware.check.rows import format_rows
from firmware.check.terminal import TerminalAsk, choose
from firmware.commands import check
from firmware.commands.check import CheckOptions, check_command
from firmware.config.values import Config, ScreenConfig
from firmware.files.lock import DeviceLock
from firmware.kept.folder import lock_state
from firmware.table.findings import State, fault, ok, skipped
from firmware.virtual.parts import open_virtual
from firmware.wiring import device as device_module
from firmware.wiring import pins
from firmware.wiring.parts import buttons_of
from firmware.wiring.pins import open_what_opens
from hardware.twins.gpio import Desk
from hardware.twins.virtual_time import VirtualTime

NOBODY = io.StringIO()  # no terminal


def run(options: CheckOptions) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    return check_command(options, NOBODY, out, err), out.getvalue(), err.getvalue()


# ---- what is printed -----------------------------------------------------------------------


def test_the_table_has_a_row_for_each_thing_and_the_remedy_below_a_fault() -> None:
    low = "the supply's voltage is too low " * 2
    rows = [ok("SPI", "/dev/spidev0.0"), fault("power", low, "a supply; sudo reboot"), skipped("screen", "see I2C")]
    assert format_rows(rows, 60) == (
        "SPI     ok       /dev/spidev0.0\n"
        "power   FAULT    the supply's voltage is too low the\n"
        "                 supply's voltage is too low\n"
        "                 > a supply; sudo reboot\n"
        "screen  skipped  see I2C\n"
        "\n"
        "1 fault: 1 of 3 are as they should be, 1 skipped.\n"
    )


def test_what_a_device_calls_itself_is_nothing_that_a_terminal_would_obey():
    text = format_rows([ok("strip", "a Pico named \x1b]0;owned\x07\x1b[2J")], 100)
    assert not [c for c in text if not c.isprintable() and c != "\n"] and "owned" in text


def test_json_has_every_row_and_the_exit_status_says_whether_there_is_a_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["check", "--virtual", "--json", "--state", str(tmp_path)]) == 0
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert found["ok"] is True and said.err == ""
    groups = {"part": "groups", "state": "skipped", "found": "a virtual table needs none", "remedy": None}
    assert groups in found["rows"]
    assert [row["part"] for row in found["rows"] if row["state"] == "ok"] == [CONFIGURATION, *PARTS, "disk"]


def test_a_faulty_configuration_is_told_with_every_fault_and_no_part_is_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "open_parts", lambda *words: pytest.fail("parts were opened"))
    path = tmp_path / "table.toml"
    path.write_text("language = 'xx'\n[track]\nbudget_ma = 7\n")
    status, out, _ = run(CheckOptions("virtual", tmp_path / "state", path, as_json=True))
    rows = {row["part"]: row for row in json.loads(out)["rows"]}
    assert status == 1
    assert [part for part, row in rows.items() if row["state"] == "fault"] == [CONFIGURATION]
    assert "line 1" in rows[CONFIGURATION]["remedy"] and "line 3" in rows[CONFIGURATION]["remedy"]
    assert {rows[part]["found"] for part in PARTS} == {NO_CONFIGURATION}


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> VirtualTime:
    """The clock of parts and machine, for the command: nothing takes real time but the strip."""
    time, really = VirtualTime(), check.of_this_machine
    monkeypatch.setattr(check, "open_parts", lambda backend, config, tell: open_virtual(config, tell, time))
    monkeypatch.setattr(
        check, "of_this_machine", lambda *words, **more: replace(really(*words, **more), pause_ms=time.advance_ms)
    )
    return time


@pytest.mark.usefixtures("time")
def test_settings_that_cannot_be_read_are_a_fault_of_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "settings.txt").write_text("nonsense\n")
    status, out, _ = run(CheckOptions("virtual", tmp_path, as_json=True))
    rows = {row["part"]: row for row in json.loads(out)["rows"]}
    assert status == 1 and "settings.txt: the first line is 'nonsense'" in rows[CONFIGURATION]["found"]


@pytest.mark.usefixtures("time")
@pytest.mark.parametrize("text", ["nonsense\n", "tacocat-settings 1\nsound no\n"], ids=["faulty", "first version"])
def test_a_check_changes_no_file_of_a_table_that_may_be_running(tmp_path: Path, text: str) -> None:
    for name in ("settings.txt", "deck.txt", "deck.txt.bak", "settings.toml"):
        (tmp_path / name).write_text(text)
        with lock_state(tmp_path, "tacocat run"):
            before = {path: path.read_bytes() for path in tmp_path.iterdir()}
            run(CheckOptions("virtual", tmp_path, as_json=True))
        assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.usefixtures("time")
def test_settings_that_are_no_file_are_one_fault(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").mkdir()
    _, out, _ = run(CheckOptions("virtual", tmp_path, as_json=True))
    assert [row["part"] for row in json.loads(out)["rows"] if row["state"] == "fault"] == ["disk"]


def test_a_table_that_is_in_use_is_not_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "lock_path", lambda: tmp_path / "lock")
    with DeviceLock(tmp_path / "lock", "tacocat run"):
        status, out, err = run(CheckOptions("pi", tmp_path))
    assert (status, out) == (1, "")
    assert f"tacocat run (process {os.getpid()})" in err and "systemctl stop tacocat" in err


@pytest.mark.usefixtures("time")
def test_a_virtual_table_is_checked_while_another_program_has_the_device(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "lock_path", lambda: tmp_path / "lock")
    with DeviceLock(tmp_path / "lock", "tacocat run"):
        status, _, err = run(CheckOptions("virtual", tmp_path / "state"))
    assert (status, err) == (0, "")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_stop_ends_a_check_in_good_order(number: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(check, "_check", lambda *words: os.kill(os.getpid(), number))
    inherited = signal.signal(number, signal.default_int_handler)  # a job in the background has SIGINT ignored
    before = signal.getsignal(signal.SIGTERM)
    status, _, err = run(CheckOptions("virtual", tmp_path))
    assert status == 128 + number and "stopped" in err
    assert signal.getsignal(signal.SIGTERM) is before
    signal.signal(number, inherited)


# ---- parts that can only be opened in part -------------------------------------------------


@pytest.fixture
def a_device(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, time: VirtualTime) -> Iterator[Desk]:
    """A machine without SPI and USB, with pins of which two are taken by another program."""

    def no_spi(*words: object) -> None:
        raise FileNotFoundError(errno.ENOENT, "No such file or directory")

    def taken(*words: object) -> None:
        raise gpiozero.PinInvalidPin("GPIO13 is in use")

    monkeypatch.setattr(device_module, "open_spidev", no_spi)
    monkeypatch.setattr(pins, "find_picos", list)
    monkeypatch.setattr(check, "open_parts", taken)
    monkeypatch.setattr(check, "lock_path", lambda: tmp_path / "lock")
    desk = Desk(buttons_of(Config()), 18, time)
    with gpiozero.LED(13, pin_factory=desk.factory), gpiozero.LED(24, pin_factory=desk.factory):
        yield desk


def test_a_pin_that_is_taken_hides_no_other_part(a_device: Desk, tmp_path: Path, time: VirtualTime) -> None:
    config = Config(screen=ScreenConfig(controller="none"))
    parts, broken = open_what_opens(config, lambda event: None, a_device.factory, time)
    with parts:
        assert sorted(broken) == ["lamp yay", "reset wow"]
        system = check_system.System(config, tmp_path, groups=frozenset({"spi"}), pause_ms=time.advance_ms)
        bench = Bench(parts, system, None, print, broken)
        assert probe_lamp(bench, "yay").state is State.FAULT
        assert "another pin for lamp_yay in [controls]" in probe_lamp(bench, "yay").remedy
        others = [probe_lamp(bench, "wow"), probe_button(bench, "yay"), probe_button(bench, "wow"), probe_buzzer(bench)]
        assert {row.state for row in others} == {State.OK}
        pads = probe_pads(bench, {"yay": "see SPI"})
        assert pads[0].state is State.SKIPPED
        assert "another pin for reset in [pads.wow]" in pads[1].remedy


def test_a_button_that_is_taken_is_the_only_fault_of_its_lamp_too(
    tmp_path: Path, a_device: Desk, time: VirtualTime
) -> None:
    config = Config(screen=ScreenConfig(controller="none"))
    with gpiozero.DigitalInputDevice(5, pull_up=True, pin_factory=a_device.factory):
        parts, broken = open_what_opens(config, lambda event: None, a_device.factory, time)
        with parts:
            bench = Bench(parts, check_system.System(config, tmp_path, pause_ms=time.advance_ms), None, print, broken)
            assert "GPIO5 names the program" in probe_button(bench, "yay").remedy
            assert probe_lamp(bench, "yay").state is State.SKIPPED
            assert probe_button(bench, "wow").state is State.OK


def test_the_command_goes_on_with_what_opens(
    a_device: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, time: VirtualTime
) -> None:
    really = check.open_what_opens
    monkeypatch.setattr(check, "open_what_opens", lambda config, tell: really(config, tell, a_device.factory, time))
    path = tmp_path / "table.toml"
    path.write_text('[screen]\ncontroller = "none"\n')
    status, out, err = run(CheckOptions("pi", tmp_path / "state", path))
    assert status == 1 and err == ""
    assert "disk" in out and "faults" in out


# ---- questions in a terminal ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("1", "yes"),
        ("2", "no"),
        ("y", "yes"),
        ("NO", "no"),
        ("the", "the other"),
        ("0", None),
        ("4", None),
        ("", None),
        ("maybe", None),
        ("²", None),
        ("9" * 5000, None),
    ],
)
def test_an_answer_is_a_number_or_a_beginning(typed: str, meant: str | None) -> None:
    assert choose(typed + "\n", ("yes", "no", "the other")) == meant


def test_a_beginning_of_two_answers_is_none_of_them_but_a_whole_one_is() -> None:
    assert choose("o", ("on", "off")) is None
    assert choose("no", ("none of these", "no")) == "no"


@pytest.fixture
def terminal() -> Iterator[tuple[int, io.TextIOWrapper]]:
    """(the keyboard's end, what a program has as its input)"""
    keyboard, program = pty.openpty()
    with open(program) as stdin:
        yield keyboard, stdin
    os.close(keyboard)


def test_a_question_is_asked_again_until_an_answer_fits(terminal: tuple[int, io.TextIOWrapper]) -> None:
    keyboard, stdin = terminal
    out = io.StringIO()
    ask = TerminalAsk(stdin, out, clock=VirtualTime())  # however long the machine stands still
    os.write(keyboard, b"perhaps\n2\nyes\n")  # the last line answers the next question
    assert ask("Is it lit?", ("yes", "no")) == "no"
    assert ask("Is it dark?", ("yes", "no")) == "yes"
    assert "'perhaps' is none of them: give a number from 1 to 2" in out.getvalue()


def test_without_an_answer_in_time_a_question_ends(terminal: tuple[int, io.TextIOWrapper]) -> None:
    keyboard, stdin = terminal
    out = io.StringIO()
    os.write(keyboard, b"ye")  # no whole line
    assert TerminalAsk(stdin, out, timeout_ms=0)("Is it lit?", ("yes", "no")) is None
    assert "no answer" in out.getvalue()


def test_at_the_end_of_the_input_a_question_ends() -> None:
    reading, writing = os.pipe()
    os.close(writing)
    with open(reading) as stdin:
        assert TerminalAsk(stdin, io.StringIO())("Is it lit?", ("yes", "no")) is None


def test_questions_are_asked_in_a_terminal_or_where_it_was_wished(terminal: tuple[int, io.TextIOWrapper]) -> None:
    _, tty = terminal
    with open(os.dup(tty.fileno()), "w") as screen:

        def asks(stdin: object, err: object, **options: object) -> bool:
            return check._asker(CheckOptions("pi", Path(), **options), stdin, err, err) is not None

        assert asks(tty, screen)
        assert not asks(tty, screen, as_json=True) and not asks(tty, screen, ask=False)
        assert not asks(NOBODY, screen) and not asks(tty, io.StringIO())
        assert asks(tty, screen, as_json=True, ask=True) and asks(NOBODY, io.StringIO(), ask=True)
        assert not check._asker(CheckOptions("virtual", Path(), ask=True), tty, screen, screen)


# ---- this machine --------------------------------------------------------------------------


def test_s8_the_pin_factory_is_told_by_name_and_chip(monkeypatch: pytest.MonkeyPatch) -> None:
    class LGPIOFactory(MockFactory):
        chip = 4

    monkeypatch.setattr(gpiozero.Device, "pin_factory", LGPIOFactory())
    monkeypatch.setattr(check_system, "gpio_chips", lambda: (("gpiochip4", "pinctrl-rp1"),))
    found = check_system.find_pin_chip()
    assert (found.factory, found.device, found.label) == ("LGPIOFactory", "gpiochip4", "pinctrl-rp1")


def test_a_machine_without_pins_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpiozero.Device, "pin_factory", None)
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "no-such-library")
    assert "no-such-library" in check_system.find_pin_chip().error


def test_what_is_no_gpiochip_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev/gpiochip0").write_bytes(b"")
    assert check_system.gpio_chips(tmp_path) == ()


def test_a_command_gives_what_it_prints_or_nothing(tmp_path: Path) -> None:
    assert check_system.run_command(("echo", "throttled=0x0; rm")) == "throttled=0x0; rm\n"
    assert check_system.run_command(("no-such-command-here",)) is None


def test_this_machine_has_a_user_with_groups(tmp_path: Path) -> None:
    system = check_system.of_this_machine(Config(), tmp_path)
    assert system.user and system.groups and system.groups <= system.known
    assert system.is_root is (os.geteuid() == 0)


def test_the_i2c_rate_is_read_from_the_device_tree(tmp_path: Path) -> None:
    from firmware.check.host import probe_i2c

    (tmp_path / "dev").mkdir()
    (tmp_path / "dev/i2c-1").touch()
    rate = tmp_path / "sys/class/i2c-adapter/i2c-1/of_node/clock-frequency"
    rate.parent.mkdir(parents=True)
    rate.write_bytes((400_000).to_bytes(4, "big"))
    row = probe_i2c(check_system.System(Config(), tmp_path, root=tmp_path))
    assert row.found.endswith("/dev/i2c-1, 400 kHz")

"""Checks of tables that are built otherwise, and faults that need another table."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from firmware.check import host, remedies
from firmware.check.host import probe_pin_chip
from firmware.check.pads import NEVER_ZERO, SELF_SET, _look_inside, _reader_fault, _unsteady, _Watch
from firmware.check.parts import Bench, probe_screens, probe_strip, sample_picture
from firmware.check.system import CommandError, PinChip, System, run_command
from firmware.config.values import Config, ControlsConfig, PadsConfig, ScreenConfig, StripConfig
from firmware.files.disk import Disk
from firmware.table.findings import Row, State
from firmware.wiring.device import panels_of
from firmware.wiring.parts import PICO_PROGRAM, pads_of
from hardware.link import FoundPort
from hardware.oled import Oled
from hardware.ports import Health, PartState, Placed, SystemClock
from hardware.rc522 import Mute, ReaderError
from hardware.strip import PicoStrip, let_go, open_exclusively
from hardware.twins.i2c import Bus
from hardware.twins.pico import PicoProcess
from hardware.twins.ssd1306 import SSD1306
from hardware.twins.tags import Tag
from tests.support.check_support import REAL_S, UIDS, CheckTable, faults


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CheckTable]:
    with CheckTable(tmp_path_factory.mktemp("plain")) as table:
        yield table


@pytest.fixture
def table(plain: CheckTable) -> CheckTable:
    plain.whole()
    return plain


# ---- the strip -----------------------------------------------------------------------------


@contextmanager
def with_strip(table: CheckTable, pico: PicoProcess) -> Iterator[Bench]:
    """A bench with another Pico and a link to it of its own."""
    with PicoStrip(pico.find_ports, SystemClock()) as strip:
        outputs = replace(table.parts.outputs, strip=strip)
        parts = replace(table.parts, outputs=outputs, twins=replace(table.twins, strip=pico))
        yield Bench(parts, table.system, None, table.person.say)


def test_a_port_that_another_program_has_is_told_from_a_pico_that_is_mute(table: CheckTable) -> None:
    with PicoProcess(PICO_PROGRAM) as pico:
        other = open_exclusively(pico.port)
        try:
            with with_strip(table, pico) as bench:
                row = probe_strip(bench)
        finally:
            let_go(other)
    assert row.state is State.FAULT
    assert f"sudo fuser -v {pico.port or other.port}" in row.remedy and "ModemManager" in row.remedy


def test_a_pico_without_our_program_is_to_be_flashed(table: CheckTable) -> None:
    pico = PicoProcess(PICO_PROGRAM)
    (pico.flash / "main.py").unlink()
    with pico, with_strip(table, pico) as bench:
        row = probe_strip(bench)
    assert (row.state, row.remedy) == (State.FAULT, "tacocat flash")
    assert "no answer to the hello" in row.found


def test_f29_a_pico_with_another_serial_number_than_the_configured_is_not_to_be_flashed(table: CheckTable) -> None:
    port = FoundPort("/dev/ttyACM0", "Board", "E661BB")
    config = replace(table.system.config, track=StripConfig(serial="E66118604B"))
    system = replace(table.system, config=config, strip_ports=lambda: [port], strip_s=0.1)
    with PicoStrip(lambda: [port], SystemClock(), serial_number="E66118604B") as strip:
        outputs = replace(table.parts.outputs, strip=strip)
        row = probe_strip(Bench(replace(table.parts, outputs=outputs, twins=None), system, None, table.person.say))
    assert row.state is State.FAULT
    assert "there is /dev/ttyACM0 (E661BB)" in row.found and "set serial in [track]" in row.remedy


@pytest.mark.parametrize("order", ["BRG", "RBG"], ids=["two mixed up", "three mixed up"])
def test_u16_mixed_up_colours_give_the_order_to_write(tmp_path: Path, order: str) -> None:
    """The twin is wired GRB; what people see tells, whichever order was configured."""
    config = Config(track=StripConfig(colour_order=order))
    with CheckTable(tmp_path, config) as table:
        rows = table.check()
    assert faults(rows) == ["strip"]
    assert 'colour_order = "GRB"' in rows["strip"].remedy


def test_a_budget_for_few_leds_only_is_no_fault_and_a_table_may_lack_parts(tmp_path: Path) -> None:
    config = Config(
        track=StripConfig(goal_leds=1, space_leds=(1, 2, 3, 4, 0, 6, 31), budget_ma=50),
        screen=ScreenConfig(controller="none"),
        controls=ControlsConfig(buzzer=None),
    )
    with CheckTable(tmp_path, config) as table:
        rows = table.check(ask=False)
    assert faults(rows) == []
    assert [row.part for row in rows.values() if row.state is State.SKIPPED] == ["I2C", "screen", "buzzer"]
    assert "49 LEDs" in rows["strip"].found


# ---- the readers ---------------------------------------------------------------------------


def test_with_one_antenna_at_a_time_both_readers_pass_and_read_cards_afterwards(tmp_path: Path) -> None:
    with CheckTable(tmp_path, Config(pads=PadsConfig(one_antenna=True))) as table:
        for _ in range(2):
            assert faults(table.check(ask=False)) == []
        for player, card in table.cards.items():
            table.twins.pads[player].put(card)
        events = []
        for _ in range(60):
            events += table.parts.pads.poll(table.time.now_ms())
            assert not all(chip.antenna_on for chip in table.twins.pads.values())
            table.time.advance_ms(20)
    assert {event.pad for event in events if isinstance(event, Placed)} == set(UIDS)


def test_one_card_that_both_readers_read_means_that_they_are_too_near(table: CheckTable) -> None:
    for chip in table.twins.pads.values():
        chip.put(table.cards["yay"])
    table.person.puts_card_on = {"yay": None, "wow": None}
    rows = table.check()
    assert faults(rows) == ["pad yay", "pad wow"]
    assert "one_antenna = true" in rows["pad yay"].remedy and "one_antenna = true" in rows["pad wow"].remedy


def test_a_card_that_lies_there_already_is_not_asked_for(table: CheckTable) -> None:
    for chip, uid in zip(table.twins.pads.values(), ("deadbeef", "0411223344556677889a"), strict=True):
        chip.put(Tag(bytes.fromhex(uid)))
    rows = table.check()
    assert faults(rows) == [] and "deadbeef" in rows["pad yay"].found
    assert not any("card" in line for line in table.person.said)


def test_a_remedy_names_the_section_whose_wiring_the_player_uses(tmp_path: Path) -> None:
    with CheckTable(tmp_path, Config(swap_sides=True)) as table:
        table.twins.pads["yay"].mute = 0
        table.parts.pads.close()
        table.twins.pads["wow"].before_transfer = lambda number: table.twins.pads["wow"].overwrite(0x2A, 0)
        rows = table.check(ask=False)
    assert "SDA to GPIO 7 (pin 26)" in rows["pad yay"].remedy  # yay sits where the wiring says wow
    assert "in [pads.yay] of table.toml" in rows["pad wow"].remedy


# ---- the screens ---------------------------------------------------------------------------


def test_of_two_screens_the_one_that_does_not_answer_has_the_fault(table: CheckTable) -> None:
    config = Config(screen=ScreenConfig(second_address=0x3D))
    chips = SSD1306(0x3C), SSD1306(0x3D)
    with Oled(panels_of(config, Bus(*chips)), table.time) as screen:
        parts = replace(table.parts, outputs=replace(table.parts.outputs, screen=screen))
        bench = Bench(parts, replace(table.system, config=config), None, table.person.say)
        assert [row.state for row in probe_screens(bench)] == [State.OK, State.OK]
        assert chips[0].image().tobytes() == sample_picture().tobytes()
        assert chips[1].image().tobytes() == sample_picture().rotate(180).tobytes()
        chips[1].unplug()
        rows = probe_screens(bench)
    assert [(row.part, row.state) for row in rows] == [("screen", State.OK), ("screen 2", State.FAULT)]
    assert "3c and not 3d" in rows[1].remedy


# ---- people --------------------------------------------------------------------------------


def test_what_nobody_has_seen_is_skipped_and_what_nobody_did_is_a_fault(table: CheckTable) -> None:
    table.person.answers = False
    rows = table.check()
    assert faults(rows) == ["pad yay", "pad wow", "button yay", "button wow"]
    unseen = [row for row in rows.values() if row.state is State.SKIPPED]
    assert [row.part for row in unseen] == ["screen", "strip", "lamp yay", "lamp wow", "buzzer"]
    assert all("nobody answered" in row.found for row in unseen)


def test_a_check_that_is_broken_off_leaves_everything_dark(table: CheckTable) -> None:
    def interrupt(question: str, answers: object) -> None:
        raise KeyboardInterrupt

    table.person.ask = interrupt  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        table.check()
    assert table.twins.strip.wait_for(lambda: not any(map(any, table.twins.strip.lit())), REAL_S)
    assert table.twins.desk.lamps() == frozenset()


@pytest.mark.parametrize("state", [State.OK, State.SKIPPED])
def test_a_remedy_belongs_to_a_fault_and_to_nothing_else(state: State) -> None:
    with pytest.raises(ValueError, match="remedy"):
        Row("power", state, "found", "a remedy")
    with pytest.raises(ValueError, match="remedy"):
        Row("power", State.FAULT, "found")


def test_root_is_told_what_the_owner_of_the_state_folder_cannot_use_and_the_remedy(tmp_path):
    (tmp_path / "games").mkdir()
    (tmp_path / "deck.txt").write_text("tacocat-deck 1\n")

    def owner_of(path):
        return 0 if path.name == "deck.txt" else 999

    system = System(Config(), tmp_path, is_root=True, owner_of=owner_of)
    row = host.probe_disk(system)
    assert row.state is State.FAULT and str(tmp_path / "deck.txt") in row.found and "games" not in row.found
    assert row.remedy == f"sudo chown -R --reference={tmp_path} {tmp_path}"
    assert host.probe_disk(replace(system, owner_of=lambda path: 999)).state is State.OK


def test_a_file_that_cannot_be_looked_at_costs_only_the_row_of_the_disk(tmp_path):
    def owner_of(path):
        raise OSError(5, "Input/output error")

    row = host.probe_disk(System(Config(), tmp_path, is_root=True, owner_of=owner_of))
    assert row.state is State.FAULT and "Input/output error" in row.found


def test_the_disk_is_tried_where_games_are_kept(tmp_path):
    (tmp_path / "games").mkdir()
    tried = []

    class Noting(Disk):
        def create(self, path, mode=0o666):
            tried.append(path.parent)
            return super().create(path, mode)

    assert host.probe_disk(System(Config(), tmp_path, disk=Noting())).state is State.OK
    assert tried == [tmp_path, tmp_path / "games"] and [path.name for path in tmp_path.iterdir()] == ["games"]


def test_a_deck_that_cannot_be_read_is_a_fault_of_the_disk(tmp_path):
    (tmp_path / "deck.txt").mkdir()
    (tmp_path / "settings.toml").write_text("")
    os.mkfifo(tmp_path / "settings.txt")
    row = host.probe_disk(System(Config(), tmp_path))
    assert row.state is State.FAULT and "settings.txt: it cannot be read: it is a pipe" in row.found


# ---- the supply ----------------------------------------------------------------------------


def refused(words: Sequence[str]) -> str | None:
    raise CommandError("vcgencmd fails: Can't open device file: /dev/vcio")


@pytest.mark.parametrize(
    ("groups", "listed", "remedy"),
    [
        (frozenset(), frozenset(), "sudo usermod -aG video pi"),
        (frozenset(), frozenset({"video"}), "only from the next login on"),
        (frozenset({"video"}), frozenset({"video"}), "should show root video"),
    ],
    ids=["not a member", "not yet a member", "a member"],
)
def test_f27_a_supply_that_may_not_be_asked_is_told_from_one_that_cannot_be(
    tmp_path: Path, groups: frozenset[str], listed: frozenset[str], remedy: str
) -> None:
    system = System(
        Config(),
        tmp_path,
        root=tmp_path,
        user="pi",
        groups=groups,
        listed=listed,
        known=frozenset({"video"}),
        run=refused,
    )
    row = host.probe_power(system)
    assert (row.state, "no " in row.found and "to ask the Pi's firmware" in row.found) == (State.SKIPPED, True)
    (tmp_path / "dev").mkdir()
    for device in ("vcio", "vcio_gencmd"):  # older and newer kernels
        (tmp_path / "dev" / device).touch()
        row = host.probe_power(system)
        assert row.state is State.FAULT
        assert "Can't open device file" in row.found and remedy in row.remedy
        assert f"dev/{device} " in row.remedy or "should show" not in remedy
    row = host.probe_power(replace(system, run=lambda words: None))
    assert row.state is State.SKIPPED and "only Raspberry Pi OS has it" in row.found


def test_f27_a_command_that_fails_says_why_in_its_own_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "refused"
    script.write_text("#!/bin/sh\necho 'no way in' >&2\nexit 255\n")
    script.chmod(0o755)
    with pytest.raises(CommandError, match="refused fails: no way in"):
        run_command((str(script),))
    with pytest.raises(CommandError, match="false fails: it ends with 1"):
        run_command(("false",))
    monkeypatch.setattr("firmware.check.system._COMMAND_S", 0.3)
    script.write_text("#!/bin/sh\nexec sleep 600\n")
    with pytest.raises(CommandError, match="does not end within 0"):
        run_command((str(script),))
    script.write_text("\0")
    with pytest.raises(CommandError, match="cannot be started"):
        run_command((str(script),))


def test_a_file_in_the_place_of_the_folder_of_games_is_named_and_to_be_moved(tmp_path):
    (tmp_path / "games").write_text("not a folder\n")
    row = host.probe_disk(System(Config(), tmp_path))
    assert row.state is State.FAULT and f"{tmp_path / 'games'} cannot be written to" in row.found
    assert row.remedy == f"something else is in the way: mv -n {tmp_path / 'games'} {tmp_path / 'games'}.old"


def test_what_is_in_the_way_outside_of_the_state_folder_is_not_to_be_moved(tmp_path):
    row = host.probe_disk(System(Config(), Path("/dev/null/state")))
    assert row.state is State.FAULT and "/dev/null is a device, not a folder" in row.found
    assert "--state FOLDER" in row.remedy and "mv" not in row.remedy


def test_a_command_to_type_holds_for_a_folder_of_any_name(tmp_path):
    state = tmp_path / "a 'state'"
    state.write_text("not a folder\n")
    row = host.probe_disk(System(Config(), state))
    subprocess.run(["sh", "-c", row.remedy.partition(": ")[2]], check=True)
    assert not state.exists() and Path(f"{state}.old").read_text() == "not a folder\n"


# ---- one reader, and what is said of it ----------------------------------------------------


class Registers:
    """A reader of which the registers are what they should be, but for those that are given."""

    version = 0x92

    def __init__(self, **held: int) -> None:
        usual = SELF_SET | {register: value for register, (_, value) in NEVER_ZERO.items()} | {0x14: 0x83}
        self.held = usual | {int(name[1:], 16): value for name, value in held.items()}

    def Read_MFRC522(self, register: int) -> int:
        return self.held[register]


@pytest.mark.parametrize(
    ("held", "found"),
    [
        ({}, "MFRC522, version 0x92, self-test passed, settings kept, antenna on"),
        ({"x14": 0x81}, "its antenna driver (TxControlReg 0x14) does not stay on"),
        ({"x14": 0x82}, "its antenna driver (TxControlReg 0x14) does not stay on"),
        ({"x14": 0x80}, "its antenna driver (TxControlReg 0x14) does not stay on"),
        ({"x2A": 0x00}, "register 0x2A holds 0x00; it was set to 0x80"),
        ({"x26": 0x00}, "register 0x26 RFCfgReg stays 0 after a reset (0x48 is in the datasheet)"),
    ],
)
def test_a_reader_is_looked_at_inside(table: CheckTable, monkeypatch: pytest.MonkeyPatch, held, found: str) -> None:
    monkeypatch.setattr(table.parts.pads, "reader", lambda name: Registers(**held))
    monkeypatch.setattr("firmware.check.pads.self_test", lambda reader: True)
    row = _look_inside(Bench(table.parts, table.system, None, table.person.say), "yay", _Watch())
    assert row.found.startswith(found) and (row.state is State.OK) is (held == {})


def bench_without(*modules: str, fault_of_pad: Exception | None = None) -> Bench:
    system = System(Config(), Path(), has_module=lambda name: name not in modules)
    return cast(
        Bench, SimpleNamespace(system=system, parts=SimpleNamespace(pads=SimpleNamespace(fault=lambda _: fault_of_pad)))
    )


def test_a_reader_that_cannot_be_opened_needs_its_module_if_that_is_missing_and_its_wires_if_not() -> None:
    error = ReaderError("spidev is not there")
    assert _reader_fault(bench_without("spidev"), "yay", error).remedy == remedies.install_module("spidev")
    wires = remedies.reader_wires("yay", pads_of(Config())["yay"])
    assert _reader_fault(bench_without(), "yay", error).remedy == wires
    assert _reader_fault(bench_without(), "yay", None).found == "it has not answered"


def test_a_reader_that_had_worked_has_its_fault_while_it_is_away_and_its_supply_once_it_is_back() -> None:
    bench = bench_without(fault_of_pad=Mute("it is mute"))
    away = _unsteady(bench, "yay", PartState("pad yay", Health.LOST, "it is gone", 0))
    assert away.found == "it is mute"
    for now, health in ((bench, Health.CONNECTED), (bench_without(), Health.LOST)):
        row = _unsteady(now, "yay", PartState("pad yay", health, "set up again", 0))
        assert (row.found, row.remedy) == ("it worked, and then: set up again", remedies.reader_supply("yay"))


def test_a_gpiochip_that_may_not_be_opened_has_no_label_and_that_is_said() -> None:
    closed = PinChip("LGPIOFactory", "gpiochip4", "", (("gpiochip0", "pinctrl-rp1"),))
    system = System(Config(), Path(), groups=frozenset({"gpio"}), listed=frozenset({"gpio"}), known=frozenset({"gpio"}))
    for label, words in (("", "which may not be opened"), ("raspberrypi-exp-gpio", "raspberrypi-exp-gpio")):
        chip = replace(closed, label=label)
        asked = replace(system, pin_chip=lambda chip=chip: chip, has_module=lambda name: True)
        assert f"uses gpiochip4 ({words}), not" in probe_pin_chip(asked).found

"""Faults of the system around the table (S7 to S18, H8): one direct test each; details are tested where they belong."""

import configparser
import os
import re
import shutil
import sys
import tempfile
import threading
from contextlib import ExitStack
from pathlib import Path

import gpiozero
import pytest

from engine.cards import parse_card
from engine.game import new_game
from engine.rules import Mode, Rules
from firmware.config.values import Config
from firmware.files.disk import Disk
from firmware.files.whole import SaveError, save_kept
from firmware.kept import settings as kept
from firmware.kept.deck import Tags, load, save
from firmware.kept.folder import DECK_FILE
from firmware.kept.journal import Journal
from firmware.kept.settings import Settings
from firmware.kept.writer import Writer
from firmware.run.app import App, Options
from firmware.run.backends import open_parts
from firmware.run.loop import Loop
from firmware.run.systemd import Feeder
from firmware.table.effects import KeepDeck, Name, Record
from firmware.table.state import Stage, Table
from firmware.views.strip import StripLayout
from firmware.virtual.deck import virtual_tags
from firmware.virtual.parts import open_virtual
from firmware.wiring.parts import Outputs
from hardware.pins import choose_pin_library, pin_faults
from hardware.ports import HardwareError, Health, PartState, Press, Pressed
from hardware.twins.virtual_time import VirtualTime
from tests.support.at_table import AtTable
from tests.support.full_table import FullTable
from tests.support.places import ROOT

UNIT = ROOT / "systemd" / "tacocat.service"


def unit() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str
    parser.read(UNIT)
    return parser


PIPE = """import os
with open(os.path.join(os.environ["LG_WD"], ".lgd-nfy0"), "x"): os.chdir(os.environ["LG_WD"])
class error(Exception): pass
"""


@pytest.mark.parametrize("as_a_service", [True, False])
def test_s9_lgpio_has_a_new_folder_each_time_that_leaves_nothing_and_the_working_directory_stays(
    monkeypatch, tmp_path, as_a_service
):
    service = unit()["Service"]
    assert service["WorkingDirectory"] == "/" and set(service["SupplementaryGroups"].split()) == {
        "spi",
        "i2c",
        "gpio",
        "dialout",
        "video",
    }
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/lgpio.py").write_text(PIPE)  # as lgpio does on import
    monkeypatch.syspath_prepend(tmp_path / "lib")
    monkeypatch.delitem(sys.modules, "lgpio", raising=False)
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "lgpio")
    monkeypatch.setenv("LG_WD", "before")
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / ".lgd-nfy0").touch()  # of a program that was killed
    if as_a_service:
        monkeypatch.setenv("RUNTIME_DIRECTORY", str(folder))
    else:
        monkeypatch.delenv("RUNTIME_DIRECTORY", raising=False)
        monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.chdir(tmp_path)
    try:
        choose_pin_library()
        assert sys.modules["lgpio"].error in pin_faults()
    finally:
        sys.modules.pop("lgpio", None)
    assert (os.environ["LG_WD"], Path.cwd()) == ("before", tmp_path)
    assert [path.name for path in folder.iterdir()] == [".lgd-nfy0"]


def test_s7_a_device_without_lgpio_is_told_what_is_missing_in_words(monkeypatch):
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "lgpio")
    monkeypatch.setitem(sys.modules, "lgpio", None)  # as if nobody had installed it
    monkeypatch.delitem(sys.modules, "gpiozero.pins.lgpio", raising=False)
    monkeypatch.setattr(gpiozero.Device, "pin_factory", None)
    with pytest.raises(HardwareError, match=r"lgpio.* 'tacocat check' says"):
        open_parts("pi", Config(), lambda event: None)


def test_s7_gpiozero_takes_lgpio_and_is_never_left_to_choose(monkeypatch):
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "before")
    monkeypatch.setenv("LG_WD", "before")
    monkeypatch.delenv("GPIOZERO_PIN_FACTORY")
    choose_pin_library()
    assert os.environ["GPIOZERO_PIN_FACTORY"] == "lgpio"


def test_s11_the_service_is_always_started_again_with_a_pause():
    service = unit()["Service"]
    assert service["Restart"] == "always" and int(service["RestartSec"]) > 0
    assert unit()["Unit"]["StartLimitIntervalSec"] == "0"


def test_s12_a_frozen_loop_is_not_fed_though_its_pollers_live():
    feeder = Feeder(1000, 0).fed(0, {"loop": 5, "pads": 100})
    assert not feeder.is_due(9000, {"loop": 5, "pads": 900})
    assert feeder.is_due(9000, {"loop": 6, "pads": 900})


@pytest.mark.parametrize("call", ["create", "write", "fsync", "replace"])
def test_s13_settings_that_cannot_be_replaced_are_whole_as_they_were(tmp_path, call):
    class Refusing(Disk):
        pass

    def refuse(*_):
        raise OSError(28, "No space left on device")

    kept.save(tmp_path, Settings("ca"))
    disk = Refusing()
    setattr(disk, call, refuse)
    with pytest.raises(SaveError):
        save_kept(
            tmp_path / kept.FILE_NAME,
            kept.format_settings(Settings("el")),
            lambda text: kept.parse_settings(text, Settings()),
            disk,
        )
    assert kept.load(tmp_path, Config()) == (Settings("ca"), ())


class CountingDisk(Disk):
    def __init__(self) -> None:
        self.written = self.synced = 0

    def write(self, handle: int, data: bytes) -> int:
        self.written += len(data)
        return super().write(handle, data)

    def fsync(self, handle: int) -> None:
        self.synced += 1
        super().fsync(handle)


class Ignoring:
    """Strip, screen, lamps and buzzer: takes whatever is to be shown."""

    def show(self, *_) -> None: ...

    dim = light = play = show


def test_s14_an_hour_with_a_hundred_plays_writes_little_and_syncs_once_a_play(tmp_path):
    disk, asked = CountingDisk(), []
    refused: list[str] = []
    writer = Writer(Journal(tmp_path, disk), lambda: None, lambda what, reason: refused.append(reason), start=False)
    nobody = Ignoring()
    rules = Rules(mode=Mode.REFEREE)
    table = Table(new_game(rules), virtual_tags(rules.deck), stage=Stage.ROUND)
    loop = Loop(table, Outputs(nobody, nobody, nobody, nobody), writer, StripLayout(), asked.append)
    loop.begin()
    for second in range(3600):
        events = [] if second % 36 else [Pressed("yay", Press.OK, 1000 * second)]
        loop.turn(events, 1000 * second)
        if writer.given > writer.written:
            writer.work()
    writer.close()
    assert writer.given == 1 + 100
    assert disk.written < 200_000
    assert disk.synced <= 100 + 2
    assert not any(refused)
    assert {type(request) for request in asked} == {Record}  # nothing else is to be kept: no settings, no deck


def test_s16_a_part_that_fails_is_shown_within_two_seconds():
    with FullTable(Rules(mode=Mode.REFEREE)) as at:
        at.twins.pads["yay"].mute = 0xFF
        at.wait(2000)
        assert at.loop.shown is not None and "pad YAY" in at.loop.shown.page.fault


def test_s16_at_the_start_strip_and_screen_are_said_to_be_looked_for():
    told = []
    with open_virtual(Config(), told.append, VirtualTime()):
        pass
    first = {part.part: part.health for part in reversed(told)}
    assert first == {"strip": Health.SEARCHING, "screen": Health.SEARCHING}


def test_s16_the_page_tells_a_part_that_is_looked_for_from_one_that_is_lost():
    at = AtTable.of(Rules(mode=Mode.REFEREE))
    said = []
    for health in Health:
        at.happen(PartState("strip", health, "", at.now_ms))
        said.append(at.scene.page.fault)
    assert dict(zip(Health, said, strict=True)) == {
        Health.SEARCHING: "searching: strip",
        Health.CONNECTED: "",
        Health.LOST: "lost: strip",
    }


@pytest.fixture
def device_evening(tmp_path, monkeypatch):
    """A session on the device, where decks are kept, before any part is opened."""
    monkeypatch.setattr("firmware.run.app.lock_path", lambda: tmp_path / "lock")
    with ExitStack() as closing:
        yield App(Options(None, "pi", Config(), tmp_path), print, threading.Event(), closing)


def test_s17_a_deck_that_was_taught_is_in_the_one_file_to_copy(tmp_path, device_evening):
    tags = Tags.of(virtual_tags(Config().deck))
    device_evening._perform(KeepDeck(tags))
    device_evening._writer.close()
    assert load(tmp_path / DECK_FILE) == (tags, ())


def test_h8_a_tag_that_was_named_in_mid_game_is_in_the_deck_of_the_next_start(tmp_path, device_evening):
    uid, card = bytes.fromhex("04112233445566"), parse_card("7b")
    old = Tags.of(virtual_tags(Config().deck))
    device_evening._perform(Name(uid, card, old.uid_of(card), old.named(uid, card)))
    device_evening._writer.close()
    kept, notices = load(tmp_path / DECK_FILE)
    assert (kept[uid], old.uid_of(card) in kept, notices) == (card, False, ())


def test_s17_a_new_box_takes_the_deck_as_one_copied_file(tmp_path):
    tags = Tags.of(virtual_tags(Config().deck))
    save(tmp_path / "old.txt", tags)
    shutil.copy(tmp_path / "old.txt", tmp_path / "new.txt")
    assert load(tmp_path / "new.txt") == (tags, ())
    assert "7b 04" in (tmp_path / "new.txt").read_text()


def test_s18_no_script_of_the_page_makes_html_or_code_of_a_text():
    scripts = sorted((UNIT.parent.parent / "firmware" / "virtual").glob("*.js"))
    assert len(scripts) >= 4
    for script in scripts:
        found = re.findall(r"\w*HTML\b|document\.write|\beval\b|\bFunction\b|javascript:", script.read_text())
        assert found == [], f"{script.name}: set textContent, or make elements"

"""The check of the readers over pretended pads: how long it waits, what it looks at, and what a card on them means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from firmware.check import pads, remedies
from firmware.check.pads import probe_pads
from firmware.check.parts import Bench
from firmware.check.system import System
from firmware.config.values import Config, PadsConfig
from firmware.table.findings import Row, State
from firmware.wiring.parts import Parts, pads_of
from hardware.ports import Health, PartState
from hardware.rc522 import Mute, ReaderError, RegistersLost, Stuck

A, B = bytes.fromhex("04a1b2c3"), bytes.fromhex("deadbeef")
# What the chip holds while it is set up as the driver does it (hardware/rc522_chip.py): Mode 6363 as preset for the
# CRC, 100 % ASK, a timer that starts by itself, and a prescaler of 63.
SET = {0x11: 0x3D, 0x15: 0x40, 0x2A: 0x80, 0x2B: 0x3F}
# The values after a reset of MFRC522 rev. 3.9, 9.3.2 and 9.3.3.
AFTER_RESET = {
    0x14: ("TxControlReg", 0x80),
    0x16: ("TxSelReg", 0x10),
    0x17: ("RxSelReg", 0x84),
    0x18: ("RxThresholdReg", 0x84),
    0x26: ("RFCfgReg", 0x48),
    0x27: ("GsNReg", 0x88),
    0x28: ("CWGsPReg", 0x20),
}


class Reader:
    """A chip that is set up, with its field on. `raw`: what each of its inventories finds, the last again and again."""

    version = 0x92

    def __init__(self, **held: int) -> None:
        usual = {register: value for register, (_, value) in AFTER_RESET.items()} | SET | {0x14: 0x83}
        self.held = usual | {int(name[1:], 16): value for name, value in held.items()}
        self.raw: list[Sequence[bytes] | Exception] = [()]
        self.inventories = 0
        self.tests: list[bool | None] = [True]
        self.switched: list[bool] = []

    def Read_MFRC522(self, register: int) -> int:
        return self.held[register]

    def self_test(self) -> bool | None:
        self.held[0x14] |= 0x03  # it is set up again
        return self.tests[0]

    def switch_field(self, on: bool) -> None:
        self.switched.append(on)
        self.held[0x14] = self.held[0x14] & ~0x03 | 0x03 * on

    def inventory(self) -> list[bytes]:
        self.inventories += 1
        found = self.raw.pop(0) if len(self.raw) > 1 else self.raw[0]
        if isinstance(found, Exception):
            raise found
        return list(found)


class Pretended:
    """Two pads, a clock, and what happens at which time from the beginning (ms)."""

    def __init__(self, config: Config | None = None) -> None:
        self.config, self.now, self.pauses = config or Config(), 0, list[int]()
        self.readers: dict[str, Reader | None] = {"yay": Reader(), "wow": Reader()}
        self.states = dict.fromkeys(self.readers, Health.CONNECTED)
        self.faults: dict[str, Exception] = {}
        self.lying: list[tuple[int, int, str, bytes]] = []  # from, to, pad, card
        self.happens: list[tuple[int, Callable[[], object]]] = []
        self.said: list[str] = []
        self.step_ms: int | None = None  # that a pause takes, if not what was asked for
        self.modules = {"spidev"}
        self.groups: frozenset[str] = frozenset({"spi"})
        self.is_root = False

    def at(self, ms: int, happens: Callable[[], object]) -> None:
        self.happens.append((ms, happens))

    def tell(self, pad: str, health: Health, detail: str = "") -> PartState:
        self.states[pad] = health
        return PartState(f"pad {pad}", health, detail, self.now)

    def away(self, pad: str, health: Health) -> Callable[[], PartState]:
        """From now on this reader does not work; what brings it back."""
        reader = self.readers[pad]
        self.readers[pad], self.states[pad] = None, health

        def back() -> PartState:
            self.readers[pad] = reader
            return self.tell(pad, Health.CONNECTED)

        return back

    def poll(self, now_ms: int) -> list[object]:
        due = [happens for at_ms, happens in self.happens if at_ms <= now_ms]
        self.happens = [(at_ms, happens) for at_ms, happens in self.happens if at_ms > now_ms]
        return [event for event in (happens() for happens in due) if event is not None]

    def cards(self, pad: str) -> tuple[bytes, ...]:
        return tuple(uid for since, until, on, uid in self.lying if on == pad and since <= self.now < until)

    def pause(self, ms: int) -> None:
        self.pauses.append(ms)
        self.now += self.step_ms or ms

    def probe(
        self, *, ask: bool = False, skip: dict[str, str] | None = None, broken: dict[str, str] | None = None
    ) -> dict[str, Row]:
        both = SimpleNamespace(
            state=self.states.__getitem__,
            reader=self.readers.__getitem__,
            fault=self.faults.get,
            cards=self.cards,
            poll=self.poll,
        )
        parts = SimpleNamespace(pads=both, clock=SimpleNamespace(now_ms=lambda: self.now))
        system = System(
            self.config,
            Path(),
            user="pi",
            groups=self.groups,
            is_root=self.is_root,
            has_module=self.modules.__contains__,
            pause_ms=self.pause,
        )
        asking = (lambda question, answers: None) if ask else None
        bench = Bench(cast(Parts, parts), system, asking, self.said.append, broken or {})
        rows = probe_pads(bench, skip or {})
        assert [row.part for row in rows] == ["pad yay", "pad wow"]
        return {row.part.removeprefix("pad "): row for row in rows}


@pytest.fixture(autouse=True)
def tests_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pads, "self_test", lambda reader: reader.self_test())


@pytest.fixture
def table() -> Pretended:
    return Pretended()


# ---- how long it waits ---------------------------------------------------------------------


def test_two_readers_that_work_are_watched_as_long_as_they_are_looked_at_and_once_more(table: Pretended) -> None:
    table.step_ms = 1
    assert {row.state for row in table.probe().values()} == {State.OK}
    assert table.now == 1 + 3 * 400 and set(table.pauses) == {20}


@pytest.mark.parametrize(("back_ms", "state"), [(2_499, State.OK), (2_500, State.FAULT)])
def test_a_reader_that_is_away_is_waited_for_two_and_a_half_seconds(
    table: Pretended, back_ms: int, state: State
) -> None:
    table.step_ms = 1
    back = table.away("wow", Health.LOST)
    # the other one would be looked at before it, and it may come back in that time as well
    table.at(back_ms, back)
    rows = table.probe(skip={"yay": "see SPI"})
    assert rows["wow"].state is state
    assert rows["yay"].state is State.SKIPPED and rows["yay"].found == "see SPI"


def test_a_reader_that_only_says_that_it_is_looked_for_has_not_worked_yet(table: Pretended) -> None:
    back = table.away("wow", Health.SEARCHING)
    for ms in (100, 200, 400):
        table.at(ms, lambda: table.tell("wow", Health.SEARCHING, "no answer"))
    table.at(1_600, back)
    assert table.probe()["wow"].state is State.OK and table.now == 1_620 + 3 * 400


def test_a_reader_that_came_back_and_fails_again_is_unsteady(table: Pretended) -> None:
    back = table.away("wow", Health.LOST)
    table.at(1_600, back)
    table.at(2_500, lambda: table.tell("wow", Health.CONNECTED, "it had lost its settings"))
    assert table.probe()["wow"].found == "it worked, and then: it had lost its settings"


def test_nobody_waits_for_a_reader_that_is_not_to_be_looked_at(table: Pretended) -> None:
    table.step_ms = 1
    table.readers["yay"], table.states["yay"] = None, Health.LOST
    rows = table.probe(skip={"yay": "see SPI"})
    assert table.now == 1 + 2 * 400 and rows["wow"].state is State.OK


@pytest.mark.parametrize(
    ("on_ms", "found"), [(599, "antenna on"), (600, "antenna driver (TxControlReg 0x14) does not stay on")]
)
def test_a_field_may_take_six_tenths_of_a_second_to_come_on(table: Pretended, on_ms: int, found: str) -> None:
    table.step_ms, reader = 1, cast(Reader, table.readers["yay"])
    table.at(2, lambda: reader.held.update({0x14: 0x80}))  # after the self-test
    looked_at_ms = 401 - 1  # whoever looks sees what was done 1 ms before
    table.at(looked_at_ms + on_ms, lambda: reader.held.update({0x14: 0x83}))
    assert found in table.probe()["yay"].found


# ---- what it looks at ----------------------------------------------------------------------


@pytest.mark.parametrize("register", SET)
def test_a_register_that_does_not_hold_what_was_written_is_named_with_both_values(
    table: Pretended, register: int
) -> None:
    cast(Reader, table.readers["yay"]).held[register] ^= 0x01
    row = table.probe()["yay"]
    held, wanted = SET[register] ^ 0x01, SET[register]
    assert row.found == f"register 0x{register:02X} holds 0x{held:02X}; it was set to 0x{wanted:02X}"
    assert row.remedy == remedies.reader_broken("yay")


@pytest.mark.parametrize("register", AFTER_RESET)
def test_a_register_that_stays_0_is_named_with_what_the_datasheet_has_and_any_other_value_is_a_copy_s(
    table: Pretended, register: int
) -> None:
    reader, (name, usual) = cast(Reader, table.readers["yay"]), AFTER_RESET[register]
    reader.held[register] |= 0x01
    assert table.probe()["yay"].state is State.OK
    reader.held[register] = 0x00
    reader.self_test = lambda: True  # type: ignore[method-assign]
    found = table.probe()["yay"].found
    assert found.startswith(f"register 0x{register:02X} {name} stays 0 after a reset (0x{usual:02X} is in")


@pytest.mark.parametrize(
    ("passed", "note"), [(True, ", self-test passed"), (False, ", a copy that fails the self-test"), (None, "")]
)
def test_the_self_test_is_only_a_note(table: Pretended, passed: bool | None, note: str) -> None:
    cast(Reader, table.readers["yay"]).tests = [passed]
    row = table.probe()["yay"]
    assert row.state is State.OK and row.found == f"MFRC522, version 0x92{note}, settings kept, antenna on"


@pytest.mark.parametrize("one_antenna", [False, True])
@pytest.mark.parametrize("was_on", [False, True])
def test_with_one_antenna_at_a_time_the_self_test_leaves_the_field_as_it_was(one_antenna: bool, was_on: bool) -> None:
    table = Pretended(Config(pads=PadsConfig(one_antenna=one_antenna)))
    reader = cast(Reader, table.readers["yay"])
    reader.held[0x14] = 0x83 if was_on else 0x80
    table.at(401, lambda: reader.held.update({0x14: 0x83}))  # its turn
    assert table.probe()["yay"].state is State.OK
    assert reader.switched == ([was_on] if one_antenna else [])


def test_a_reset_line_that_is_taken_is_the_fault_and_the_reader_is_left_alone(table: Pretended) -> None:
    table.readers["wow"] = None
    row = table.probe(broken={"reset wow": "cannot be used: it is in use"})["wow"]
    assert row.found == "cannot be used: it is in use"
    assert row.remedy == remedies.pin_in_use("reset in [pads.wow]", 24)


# ---- what goes wrong -----------------------------------------------------------------------

WIRING = pads_of(Config())["yay"]
MEMBER, NO_MEMBER = frozenset({"spi"}), frozenset[str]()
JOIN = remedies.join_groups("pi", ["spi"], (), ())
CLOSED = remedies.device_closed("/dev/spidev0.0", "spi")


@pytest.mark.parametrize(
    ("error", "groups", "is_root", "remedy"),
    [
        (Mute("mute"), MEMBER, False, remedies.reader_wires("yay", WIRING)),
        (Stuck("stuck"), MEMBER, False, remedies.reader_garbles("yay", "yay", WIRING)),
        (RegistersLost("lost"), MEMBER, False, remedies.reader_supply("yay")),
        (PermissionError(13, "Permission denied"), MEMBER, False, CLOSED),
        (PermissionError(1, "Operation not permitted"), NO_MEMBER, True, CLOSED),
        (PermissionError(13, "Permission denied"), NO_MEMBER, False, JOIN),
        (FileNotFoundError(2, "No such file or directory"), MEMBER, False, remedies.switch_on_spi([(0, 0)])),
        (OSError(5, "Input/output error"), MEMBER, False, remedies.bus_fails("SPI", "reader")),
        (ReaderError("odd"), MEMBER, False, remedies.reader_wires("yay", WIRING)),
        (None, MEMBER, False, remedies.reader_wires("yay", WIRING)),
    ],
)
def test_each_reason_why_a_reader_does_not_work_has_its_remedy(
    table: Pretended, error: Exception | None, groups: frozenset[str], is_root: bool, remedy: str
) -> None:
    table.groups, table.is_root = groups, is_root
    table.readers["yay"], table.states["yay"] = None, Health.LOST
    if error is not None:
        table.faults["yay"] = error
    row = table.probe()["yay"]
    assert (row.found, row.remedy) == (str(error or "it has not answered"), remedy)


def test_a_reader_without_its_module_needs_that(table: Pretended) -> None:
    table.modules = set()
    table.readers["yay"], table.states["yay"], table.faults["yay"] = None, Health.LOST, ReaderError("no spidev")
    assert table.probe()["yay"].remedy == remedies.install_module("spidev")


def test_a_reader_that_fails_while_it_is_looked_at_has_that_fault(table: Pretended) -> None:
    def fail(register: int) -> int:
        raise OSError(5, "Input/output error")

    cast(Reader, table.readers["wow"]).Read_MFRC522 = fail  # type: ignore[method-assign]
    rows = table.probe()
    assert rows["wow"].remedy == remedies.bus_fails("SPI", "reader") and rows["yay"].state is State.OK


@pytest.mark.parametrize(("health", "again"), [(Health.LOST, False), (Health.CONNECTED, True)])
def test_a_reader_that_fails_in_the_last_look_at_it_is_unsteady_and_is_asked_no_card(
    table: Pretended, health: Health, again: bool
) -> None:
    """The first thing that was told of it counts: what comes after it is its mending."""
    table.lying = [(0, 10**9, "yay", A), (0, 10**9, "wow", B)]
    table.at(1_000, lambda: table.tell("wow", health, "it had lost its settings"))
    table.at(1_100, lambda: table.tell("wow", Health.CONNECTED, "back"))
    table.at(1_050, lambda: "of something else")
    if not again:
        table.faults["wow"] = Mute("it is mute")
    rows = table.probe(ask=True)
    assert rows["wow"].found == ("it worked, and then: it had lost its settings" if again else "it is mute")
    assert rows["yay"].found.endswith(f", read {A.hex()}") and table.said == []


# ---- with a card ---------------------------------------------------------------------------


def test_a_card_is_asked_for_where_none_lies_and_read(table: Pretended) -> None:
    table.lying = [(3_000, 10**9, "yay", A), (0, 10**9, "wow", B)]
    rows = table.probe(ask=True)
    assert table.said == ["Lay one card on the pad of YAY (20 s)."]
    assert rows["yay"].found.endswith(f"antenna on, read {A.hex()}")
    assert rows["wow"].found.endswith(f"antenna on, read {B.hex()}")


@pytest.mark.parametrize(("laid_ms", "state"), [(20_000, State.OK), (20_001, State.FAULT)])
def test_a_card_is_waited_for_twenty_seconds_and_no_longer(table: Pretended, laid_ms: int, state: State) -> None:
    table.step_ms, asked_ms = 1, 1_201
    table.lying = [(asked_ms + laid_ms, 10**9, "yay", A), (0, 10**9, "wow", B)]
    row = table.probe(ask=True)["yay"]
    assert row.state is state
    if state is State.FAULT:
        assert row.found.endswith("antenna on; no card was read within 20 s")
        assert row.remedy == remedies.reader_reads_nothing("yay")


def test_a_card_that_is_lifted_again_at_once_was_read_all_the_same(table: Pretended) -> None:
    table.lying = [(3_000, 3_100, "yay", A), (0, 10**9, "wow", B)]
    row = table.probe(ask=True)["yay"]
    assert row.state is State.OK and row.found.endswith(f", read {A.hex()}")


def test_a_card_that_comes_to_lie_on_the_other_pad_means_that_the_readers_are_exchanged(table: Pretended) -> None:
    table.lying = [(3_000, 10**9, "wow", A), (0, 10**9, "wow", B)]
    rows = table.probe(ask=True)
    assert rows["yay"].found == "the card was read by the reader of WOW"
    assert rows["yay"].remedy == remedies.readers_swapped("yay", "wow")
    assert rows["wow"].state is State.OK


def test_a_card_that_lay_on_the_other_pad_before_is_not_the_one_that_was_asked_for(table: Pretended) -> None:
    table.lying = [(0, 10**9, "wow", B)]
    assert "no card was read within 20 s" in table.probe(ask=True)["yay"].found


def test_a_reader_that_fails_while_a_card_is_waited_for_has_that_fault(table: Pretended) -> None:
    table.lying = [(3_000, 10**9, "yay", A), (0, 10**9, "wow", B)]
    table.at(2_000, lambda: table.faults.update(yay=Stuck("it is stuck")))
    row = table.probe(ask=True)["yay"]
    assert (row.found, row.remedy) == ("it is stuck", remedies.reader_garbles("yay", "yay", WIRING))


def test_a_reader_that_goes_away_while_a_card_is_waited_for_does_not_stop_the_other(table: Pretended) -> None:
    table.lying = [(3_000, 10**9, "yay", A), (0, 10**9, "wow", B)]
    table.at(2_000, lambda: table.readers.update(wow=None))
    assert table.probe(ask=True)["yay"].found.endswith(f", read {A.hex()}")


def test_a_card_that_both_readers_read_once_only_means_that_they_are_too_near(table: Pretended) -> None:
    """The pads let it lie on one of them only, so each reader is asked itself, three times in each of three rounds.

    A round in which it fails ends with that.
    """
    table.lying = [(0, 10**9, "yay", A), (0, 10**9, "wow", B)]
    yay, wow = cast(Reader, table.readers["yay"]), cast(Reader, table.readers["wow"])
    yay.raw = [(A,)]
    wow.raw = [OSError(5, "Input/output error"), *[(B,)] * 5, (A, B), (B,)]
    row = table.probe(ask=True)["yay"]
    assert row.found == f"both readers read the card {A.hex()}" and row.remedy == remedies.READERS_TOO_NEAR


def test_cards_that_only_one_reader_reads_lie_apart_however_often_they_are_asked_for(table: Pretended) -> None:
    table.lying = [(0, 10**9, "yay", A), (0, 10**9, "wow", B)]
    yay, wow = cast(Reader, table.readers["yay"]), cast(Reader, table.readers["wow"])
    yay.raw, wow.raw = [(A,)], [(B,)]
    assert {row.state for row in table.probe(ask=True).values()} == {State.OK}
    assert yay.inventories == wow.inventories == 2 * 9

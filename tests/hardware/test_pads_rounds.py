"""The rounds of the pads: in which order their readers work, when they are tried again, and what is told of them.

The readers are of this file: each does what the test says, and notes what it is told.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from hardware.pads import Pads, take_turns
from hardware.ports import Health, PartState, Placed
from hardware.rc522 import ReaderError, Reading, RegistersLost

CARD = b"\x04aaaaaa"
SEEN = Reading((CARD,))
FAULT = ReaderError("no answer")
LOST = RegistersLost("lost its settings")


class Player:
    """In place of a reader: `plays` says what its next polls come to, a reading or an error; nothing more: empty."""

    version = 0x92

    def __init__(self, name: str, log: list[str]) -> None:
        self.name, self._log = name, log
        self.plays: list[Reading | Exception] = []
        self.uncompared: tuple[int, ...] = ()
        self.broken: dict[str, Exception] = {}

    def _note(self, what: str) -> None:
        self._log.append(f"{self.name} {what}")
        if what in self.broken:
            raise self.broken[what]

    def steps(self) -> Generator[None, None, Reading]:
        for _ in range(2):
            self._log.append(self.name)
            yield
        result = self.plays.pop(0) if self.plays else Reading()
        if isinstance(result, Exception):
            raise result
        return result

    def MFRC522_Init(self) -> None:
        self._note("set up")

    def switch_field(self, on: bool) -> None:
        self._note("on" if on else "off")

    def close(self) -> None:
        self._note("closed")


class Table:
    """Pads with such readers. `there`: the names of those that can be opened."""

    def __init__(self, *names: str, **pads: Any) -> None:
        self.log: list[str] = []
        self.players = {name: Player(name, self.log) for name in names}
        self.there = set(names)
        self.opened: list[tuple[str, int]] = []
        self.now_ms = 0
        self.pads = Pads({name: lambda name=name: self.open(name) for name in names}, **pads)  # type: ignore[misc]

    def open(self, name: str) -> Any:
        self.opened.append((name, self.now_ms))
        if name not in self.there:
            raise FAULT
        return self.players[name]

    def poll(self, now_ms: int | None = None) -> list[Any]:
        self.now_ms = self.now_ms + 15 if now_ms is None else now_ms
        return list(self.pads.poll(self.now_ms))

    def order(self) -> str:
        """One round: who worked when."""
        self.log.clear()
        self.poll()
        return " ".join(self.log)


def told(events: list[Any]) -> list[tuple[str, Health, str]]:
    return [(event.part, event.health, event.detail) for event in events if isinstance(event, PartState)]


CONNECTED = Health.CONNECTED, "MFRC522, version 0x92"


# ---- the order -------------------------------------------------------------------------------


def test_readers_work_by_turns_and_after_a_shaky_reading_one_after_the_other_for_50_rounds() -> None:
    table = Table("yay", "wow")
    assert table.order() == "yay wow yay wow"
    table.players["wow"].plays = [Reading(shaky=True)]
    assert table.order() == "yay wow yay wow"
    assert [table.order() for _ in range(50)] == ["yay yay wow wow"] * 50
    assert table.order() == "yay wow yay wow"


def test_a_uid_is_passed_on_as_soon_as_it_is_found() -> None:
    log: list[Any] = []

    def finds() -> Generator[bytes | None, None, Reading]:
        yield None
        yield CARD
        log.append("later")
        return SEEN

    assert take_turns({"yay": finds()}, lambda name, uid: log.append((name, uid))) == {"yay": SEEN}
    assert log == [("yay", CARD), "later"]
    assert take_turns({"yay": finds(), "wow": finds()}) == {"yay": SEEN, "wow": SEEN}


def test_the_pause_is_15_ms_or_until_a_card_can_be_placed_and_never_below_6() -> None:
    table = Table("yay")
    for now_ms, pause_ms in ((0, 15), (84, 15), (85, 15), (86, 14), (93, 7), (94, 6), (95, 6), (99, 6)):
        table.players["yay"].plays = [SEEN]
        table.poll(now_ms)
        assert table.pads.pause_ms == pause_ms, now_ms
    table.players["yay"].plays = [SEEN]
    assert table.poll(100)[-1] == Placed("yay", CARD, 0)
    assert table.pads.pause_ms == 15


# ---- readers that do not work ----------------------------------------------------------------


def test_a_reader_is_tried_again_after_100_ms_then_each_time_twice_as_late_up_to_1600() -> None:
    table = Table("yay")
    table.there.clear()
    for now_ms in range(6400):
        table.poll(now_ms)
    assert [at_ms for _, at_ms in table.opened] == [0, 100, 300, 700, 1500, 3100, 4700, 6300]
    assert table.pads.reader("yay") is None and table.pads.fault("yay") is FAULT
    table.there.add("yay")
    table.players["yay"].plays = [Reading(blind=True), Reading(), FAULT]
    table.opened.clear()
    for now_ms in range(7900, 8100):
        table.poll(now_ms)
    assert [at_ms for _, at_ms in table.opened] == [7900, 8002], "it worked in between: 100 ms again"


def test_a_reader_is_told_once_when_it_is_searched_for_found_lost_and_found_again() -> None:
    table = Table("yay")
    table.there.clear()
    assert told(table.poll(0)) == [("pad yay", Health.SEARCHING, "no answer")]
    assert told(table.poll(100)) == [] and table.pads.state("yay") is Health.SEARCHING
    table.there.add("yay")
    player = table.players["yay"]
    player.plays = [Reading(blind=True)]
    assert told(table.poll(1000)) == [] and table.pads.fault("yay") is FAULT
    assert told(table.poll()) == [("pad yay", *CONNECTED)]
    assert (table.pads.state("yay"), table.pads.fault("yay")) == (Health.CONNECTED, None)
    assert told(table.poll()) == []
    player.plays = [FAULT]
    assert told(table.poll()) == [("pad yay", Health.LOST, "no answer")]
    assert table.log[-1] == "yay closed" and table.pads.fault("yay") is FAULT
    table.there.clear()
    assert told(table.poll(5000)) == []
    table.there.add("yay")
    assert told(table.poll(9000)) == [("pad yay", *CONNECTED)]


def test_lost_settings_are_set_up_again_and_told_with_what_the_reader_is() -> None:
    table = Table("yay")
    table.poll(0)
    table.players["yay"].plays = [LOST]
    words = "MFRC522, version 0x92; it had lost its settings and was set up again"
    assert told(table.poll()) == [("pad yay", Health.CONNECTED, words)]
    assert "yay set up" in table.log and "yay closed" not in table.log
    assert told(table.poll()) == [], "nor that it works, which it did"
    table.players["yay"].plays = [LOST]
    table.players["yay"].broken = {"set up": FAULT}
    assert told(table.poll()) == [("pad yay", Health.LOST, "no answer")]
    assert table.log[-1] == "yay closed"


def test_registers_that_are_no_longer_compared_are_told_when_they_become_more() -> None:
    table = Table("yay")
    table.poll(0)
    words = "MFRC522, version 0x92; register {} reads otherwise than written, as of a copy, and is no longer compared"
    for odd, named in (((0x14,), "0x14"), ((0x0B, 0x14), "0x0B and 0x14")):
        table.players["yay"].uncompared = odd
        assert told(table.poll()) == [("pad yay", Health.CONNECTED, words.format(named))]
        assert told(table.poll()) == []


def test_closing_closes_every_reader_once() -> None:
    table = Table("yay", "wow")
    table.there.remove("wow")
    table.poll(0)
    table.log.clear()
    table.pads.close()
    table.pads.close()
    assert table.log == ["yay closed"]


# ---- one antenna at a time -------------------------------------------------------------------


def switched(table: Table, rounds: int = 1) -> list[str]:
    """What was switched in the next rounds."""
    table.log.clear()
    for _ in range(rounds):
        table.poll()
    return [line for line in table.log if line.endswith(("on", "off"))]


def test_with_one_antenna_the_turn_goes_from_reader_to_reader_when_its_field_has_been_used() -> None:
    table = Table("a", "b", "c", one_antenna=True)
    assert switched(table) == ["a off", "b off", "c off", "a on"]
    table.players["a"].plays = [Reading(blind=True), Reading(blind=True)]
    assert switched(table, 2) == []
    assert switched(table) == ["a off", "b on"]
    assert switched(table) == ["b off", "c on"]
    assert switched(table) == ["c off", "a on"]


def test_without_that_no_field_is_switched() -> None:
    table = Table("a", "b")
    table.players["b"].plays = [LOST]
    assert switched(table, 3) == []


def test_with_one_antenna_a_single_reader_keeps_its_field_on() -> None:
    table = Table("a", one_antenna=True)
    assert switched(table, 5) == ["a off", "a on"]


def test_with_one_antenna_and_no_reader_at_all_nothing_happens() -> None:
    table = Table("a", "b", one_antenna=True)
    table.there.clear()
    assert switched(table, 5) == []


def test_with_one_antenna_a_reader_that_was_set_up_again_has_its_field_as_it_was() -> None:
    table = Table("a", "b", one_antenna=True)
    assert switched(table) == ["a off", "b off", "a on"]
    table.players["a"].plays = [LOST]
    assert switched(table) == ["a on"], "it keeps its turn: nothing was read"
    table.players["b"].plays = [LOST]
    assert switched(table) == ["b off", "a off", "b on"]


def test_with_one_antenna_a_reader_that_comes_back_in_its_turn_is_dark_until_the_next_one() -> None:
    table = Table("a", "b", one_antenna=True)
    switched(table)
    table.players["a"].plays = [FAULT]
    table.players["b"].plays = [Reading(blind=True)]
    assert switched(table) == ["b on"]
    table.players["b"].plays = [FAULT]
    table.players["a"].plays = [Reading(blind=True)]
    table.there.remove("a")
    assert switched(table) == []
    table.there.add("a")
    table.now_ms = 1000
    assert switched(table) == ["a off", "b off", "a on"]


def test_with_one_antenna_a_reader_that_comes_while_another_has_the_turn_gets_the_next() -> None:
    table = Table("a", "b", one_antenna=True)
    table.there.remove("b")
    assert switched(table) == ["a off", "a on"]
    table.there.add("b")
    table.now_ms = 1000
    assert switched(table) == ["b off", "a off", "b on"]


@pytest.mark.parametrize("what", ["off", "on"])
def test_with_one_antenna_a_field_that_cannot_be_switched_is_a_lost_reader(what: str) -> None:
    table = Table("a", "b", one_antenna=True)
    switched(table)
    table.players["b" if what == "on" else "a"].broken = {what: OSError(121, "Remote I/O error")}
    (state,) = told(table.poll())
    assert state[1:] == (Health.LOST, "[Errno 121] Remote I/O error")

"""Pads over emulated readers: what lies on them, and how they are, whatever goes wrong."""

import logging
import random
from collections.abc import Generator
from functools import partial

import pytest

from firmware.config.values import Config
from firmware.wiring import device
from firmware.wiring.parts import pads_of
from hardware.pads import LAST_RETRY_MS, PAUSE_MS, Pads, take_turns
from hardware.ports import HardwareError, Health, Noticed, PartState, Passed, Placed
from hardware.rc522 import Reader, Reading
from hardware.rc522_self_test import self_test
from hardware.twins.rc522 import RC522
from hardware.twins.rc522_air import Noise
from hardware.twins.tags import Tag
from tests.support.pads_support import FOUR, OTHER_SEVEN, SEVEN, STRANGER, TEN, Bench, crowded, lifted, placed, states


@pytest.fixture
def bench() -> Bench:
    return Bench().started()


# ---- cards ---------------------------------------------------------------------------------


@pytest.mark.parametrize("uid", [FOUR, SEVEN, TEN], ids=len)
def test_a_card_is_placed_once_and_lifted_once(bench: Bench, uid: bytes) -> None:
    tag = bench.put("yay", uid)
    assert placed(bench.run(300)) == [("yay", uid)]
    assert bench.pads.cards("yay") == (uid,)
    bench.chips["yay"].lift(tag)
    assert lifted(bench.run(140)) == []
    assert lifted(bench.run(100)) == [("yay", uid)]
    assert bench.run(500) == []
    assert bench.refusals() == []


def test_r1_r17_ten_minutes_of_rest_are_one_placed_and_no_lifted(bench: Bench) -> None:
    """R1, R17: and lifted for a second and put back, a second placed."""
    tag = bench.put("yay", SEVEN)
    events = bench.run(600_000, pause_ms=60)
    assert (placed(events), lifted(events)) == ([("yay", SEVEN)], [])
    bench.chips["yay"].lift(tag)
    bench.run(1000)
    bench.chips["yay"].put(tag)
    assert placed(bench.run(300)) == [("yay", SEVEN)]


@pytest.mark.parametrize(("seconds", "lost", "spoilt"), [(120, 0.05, 0.05), (20, 0.1, 0.1)])
def test_r2_a_noisy_field_lifts_no_card_and_silence_does(seconds: int, lost: float, spoilt: float) -> None:
    """R2: of the answers 5 % are lost and 5 % damaged, for two minutes; twice as many stand for a whole hour."""
    bench = Bench("yay").started()
    chip = bench.chips["yay"]
    chip.noise = Noise(lost, spoilt, seed=2)
    tags = [bench.put("yay", SEVEN), bench.put("yay", FOUR)]
    events = bench.run(seconds * 1000)
    assert sorted(placed(events)) == sorted([("yay", SEVEN), ("yay", FOUR)])
    assert lifted(events) == [] and crowded(events) == []
    for tag in tags:
        chip.lift(tag)
    assert len(lifted(bench.run(260))) == 2


def test_r3_a_reader_whose_crypto_mode_sticks_reads_the_next_card(bench: Bench) -> None:
    """R3."""
    bench.chips["yay"]._r[0x08] |= 0x08
    bench.put("yay", SEVEN)
    assert placed(bench.run(300)) == [("yay", SEVEN)]


def test_r4_a_brown_out_is_noticed_within_2_s_and_logged_once(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    """R4: the card that lies there stays, the next one is read."""
    bench.put("yay", SEVEN)
    bench.run(300)
    bench.chips["yay"].brown_out()
    with caplog.at_level(logging.DEBUG, "hardware.pads"):
        events = bench.run(2000)
    assert len(caplog.records) == 1 and "lost its settings" in caplog.text
    assert placed(events) == lifted(events) == []
    assert states(events) == [("pad yay", "connected")] and "was set up again" in events[0].detail
    bench.put("yay", FOUR)
    assert placed(bench.run(300)) == [("yay", FOUR)]


@pytest.mark.parametrize("pair", [(SEVEN, OTHER_SEVEN), (FOUR, TEN), (SEVEN, FOUR)], ids=["7+7", "4+10", "7+4"])
def test_r5_two_cards_on_a_pad_come_and_go_each_by_itself(bench: Bench, pair: tuple[bytes, bytes]) -> None:
    """R5."""
    chip = bench.chips["yay"]
    first = bench.put("yay", pair[0])
    bench.run(300)
    second = bench.put("yay", pair[1])
    events = bench.run(500)
    assert placed(events) == [("yay", pair[1])] and lifted(events) == []
    chip.lift(second)
    events = bench.run(500)
    assert lifted(events) == [("yay", pair[1])] and bench.pads.cards("yay") == (pair[0],)
    chip.put(second)
    bench.run(500)
    chip.lift(first)
    assert lifted(bench.run(500)) == [("yay", pair[0])]
    assert bench.pads.cards("yay") == (pair[1],)


def test_r6_seven_byte_cards_with_the_same_start_are_two_cards(bench: Bench) -> None:
    """R6: one on each pad."""
    bench.put("yay", SEVEN)
    bench.put("wow", OTHER_SEVEN)
    assert sorted(placed(bench.run(300))) == [("wow", OTHER_SEVEN), ("yay", SEVEN)]


def test_r8_a_phone_is_placed_with_its_random_uid_so_that_it_can_be_refused(bench: Bench) -> None:
    """R8: it has another UID each time that it is laid down."""
    chance = random.Random(5)
    phone = Tag(bytes(4), new_uid=lambda: b"\x08" + chance.randbytes(3))
    seen = []
    for _ in range(2):
        bench.chips["yay"].put(phone)
        ((_, uid),) = placed(bench.run(300))
        seen.append(uid)
        bench.chips["yay"].lift(phone)
        bench.run(500)
    assert all(len(uid) == 4 and uid[0] == 0x08 for uid in seen) and seen[0] != seen[1]


def test_r9_three_readers_are_told_apart_and_can_be_swapped() -> None:
    """R9: in the configuration (which opener has which name) and at the table (which chip is where)."""
    bench = Bench("yay", "wow", "third").started()
    for name, uid in (("yay", FOUR), ("wow", SEVEN), ("third", TEN)):
        bench.put(name, uid)
    assert sorted(placed(bench.run(300))) == [("third", TEN), ("wow", SEVEN), ("yay", FOUR)]
    chips = bench.chips
    swapped = Pads({"yay": lambda: Reader(chips["wow"]), "wow": lambda: Reader(chips["yay"])})
    bench.pads.close()
    bench.pads = swapped
    assert sorted(placed(bench.run(500))) == [("wow", FOUR), ("yay", SEVEN)]


@pytest.mark.parametrize(("swapped", "player"), [(False, "yay"), (True, "wow")])
def test_r9_sides_that_are_swapped_in_the_configuration_are_swapped_at_the_table(
    monkeypatch: pytest.MonkeyPatch, swapped: bool, player: str
) -> None:
    """R9: chip select 0 is wired to the pad of yay, unless the players sit the other way round."""
    bench = Bench("0.0", "0.1")
    monkeypatch.setattr(device, "open_spidev", lambda bus, select, speed_hz: bench.chips[f"{bus}.{select}"])
    wired = pads_of(Config(swap_sides=swapped))
    bench.pads = Pads({name: partial(device.open_reader, wiring, None) for name, wiring in wired.items()})
    bench.started()
    bench.put("0.0", SEVEN)
    assert placed(bench.run(300)) == [(player, SEVEN)]


@pytest.mark.parametrize("wait_ms", range(0, 60, 7))
def test_r16_a_card_changed_for_another_is_lifted_and_the_other_placed(bench: Bench, wait_ms: int) -> None:
    """R16."""
    first = bench.put("yay", SEVEN)
    bench.run(300 + wait_ms)
    bench.chips["yay"].lift(first)
    bench.put("yay", OTHER_SEVEN)
    noticed, *events = bench.run(400)
    assert isinstance(noticed, Noticed) and noticed.uid == OTHER_SEVEN
    assert placed(events) == [("yay", OTHER_SEVEN)] and lifted(events) == [("yay", SEVEN)]
    assert isinstance(events[0], Placed)  # first, and with the time at which it was seen:
    assert events[0].at_ms < events[1].at_ms - 100


def test_r18_a_card_that_leaves_at_any_transfer_of_a_round_makes_no_event() -> None:
    """R18: while it is new; and the poller goes on."""
    bench = Bench().started()
    chip = bench.chips["yay"]
    for at in range(140):
        tag = bench.put("yay", SEVEN, start_up_us=0)
        leave_at = chip.transfers + at
        chip.before_transfer = lambda n, at=leave_at, tag=tag: chip.lift(tag) if n >= at else None
        while chip.tags:
            bench.events += bench.pads.poll(bench.clock.now_ms())
        chip.before_transfer = None
        bench.run(100)
    assert {type(event) for event in bench.events} == {Noticed, Passed}
    bench.put("yay", SEVEN)
    assert placed(bench.run(300)) == [("yay", SEVEN)]


def test_r19_a_busy_loop_misses_no_card(bench: Bench) -> None:
    """R19: two cards come while nobody polls for 2 s; both are placed, in the order in which they were seen."""
    bench.put("yay", SEVEN)
    bench.run(40)
    bench.clock.advance_ms(2000)
    bench.put("yay", FOUR)
    bench.clock.advance_ms(10)
    assert placed(bench.run(400)) == [("yay", SEVEN), ("yay", FOUR)]


def test_r20_a_card_of_no_deck_is_placed_like_any_other(bench: Bench) -> None:
    """R20: pads know no deck; what to do with an unknown tag is decided where decks are known."""
    bench.put("wow", STRANGER)
    assert placed(bench.run(300)) == [("wow", STRANGER)]


# ---- hands ---------------------------------------------------------------------------------


@pytest.mark.parametrize("early_ms", range(0, 20, 3))
def test_h4_a_card_that_slides_over_a_pad_makes_no_event(bench: Bench, early_ms: int) -> None:
    """H4: 80 ms over the neighbour's pad, on its way to its own."""
    bench.clock.advance_ms(early_ms)
    tag = bench.put("wow", SEVEN, start_up_us=1000)
    bench.run(80)
    bench.chips["wow"].lift(tag)
    bench.run(60)
    bench.chips["yay"].put(tag)
    assert placed(bench.run(400)) == [("yay", SEVEN)]
    assert placed(bench.events) == [("yay", SEVEN)] and lifted(bench.events) == []


def test_h2_a_wobbling_pile_comes_and_goes_without_a_wrong_card(bench: Bench) -> None:
    """H2: this layer reports only what really lay there for a while."""
    chance = random.Random(11)
    uids = [bytes([0x04, 0xA1, 0xB2, n, 0x11, n, 0x80]) for n in range(8)]
    tags = [Tag(uid) for uid in uids]
    chip = bench.chips["yay"]
    for _ in range(150):
        tag = chance.choice(tags)
        if tag in chip.tags:
            chip.lift(tag)
        else:
            chip.put(tag)
        bench.run(chance.randrange(10, 90))
    assert {uid for _, uid in placed(bench.events)} <= set(uids)
    for tag in chip.tags:
        chip.lift(tag)
    bench.run(600)
    assert bench.pads.cards("yay") == ()
    assert len(placed(bench.events)) == len(lifted(bench.events)) > 0


def test_h5_a_draw_pile_on_a_pad_is_several_cards_and_places_none(bench: Bench) -> None:
    """H5: and what lay there before stays."""
    bench.put("yay", SEVEN)
    bench.run(300)
    pile = [bench.put("yay", bytes([0x04, n, n ^ 0x5A, n, 1, 2, 0x80])) for n in range(20)]
    events = bench.run(1500)
    assert crowded(events) == [("yay", True)]
    assert placed(events) == lifted(events) == []
    for tag in pile:
        bench.chips["yay"].lift(tag)
    events = bench.run(1500)
    assert crowded(events) == [("yay", False)] and placed(events) == lifted(events) == []
    assert bench.pads.cards("yay") == (SEVEN,)


# ---- coupled antennas ----------------------------------------------------------------------


@pytest.mark.parametrize("one_antenna", [False, True], ids=["both on", "one antenna"])
def test_a_card_in_two_fields_has_one_owner_until_it_is_lifted(one_antenna: bool) -> None:
    bench = Bench(pads={"one_antenna": one_antenna}).started()
    tag = bench.put("yay", SEVEN)
    bench.run(300)
    bench.chips["wow"].put(tag)
    events = bench.run(5000)
    assert placed(bench.events) == [("yay", SEVEN)]
    assert lifted(events) == [] and crowded(events) == []
    for chip in bench.chips.values():
        chip.lift(tag)
    assert lifted(bench.run(500)) == [("yay", SEVEN)]


def test_with_one_antenna_never_two_fields_are_on() -> None:
    bench = Bench("yay", "wow", "third", pads={"one_antenna": True}, transfer_us=100)
    both = []

    def look(_number: int) -> None:
        both.append(sum(chip.antenna_on for chip in bench.chips.values()))

    for chip in bench.chips.values():
        chip.before_transfer = look
    bench.run(200)
    for name, uid in (("yay", FOUR), ("wow", SEVEN), ("third", TEN)):
        bench.put(name, uid)
    assert sorted(placed(bench.run(600))) == [("third", TEN), ("wow", SEVEN), ("yay", FOUR)]
    bench.chips["wow"].brown_out()
    bench.run(300)
    assert max(both) == 1
    assert lifted(bench.events) == []


def test_with_one_antenna_cards_are_read_again_after_both_readers_failed_at_once() -> None:
    bench = Bench(pads={"one_antenna": True}).started()
    for chip in bench.chips.values():
        chip.mute = 0x00
    bench.run(3000)
    for chip in bench.chips.values():
        chip.mute = None
    bench.run(6000)
    bench.put("yay", SEVEN)
    assert placed(bench.run(1000)) == [("yay", SEVEN)]


def test_with_one_antenna_a_reader_that_fails_passes_its_turn_on() -> None:
    bench = Bench(pads={"one_antenna": True}).started()
    bench.chips["yay"].mute = 0xFF
    bench.put("wow", SEVEN)
    events = bench.run(600)
    assert placed(events) == [("wow", SEVEN)]
    bench.chips["yay"].mute = None
    bench.run(2500)
    bench.put("yay", FOUR)
    assert placed(bench.run(400)) == [("yay", FOUR)]
    assert lifted(bench.events) == []


@pytest.mark.parametrize("error", [HardwareError("no answer"), OSError(121, "Remote I/O error"), TimeoutError("late")])
@pytest.mark.parametrize("switched", [False, True], ids=["off", "on"])
def test_with_one_antenna_a_reader_that_cannot_be_switched_is_lost_whatever_kind_of_error_it_was(
    monkeypatch: pytest.MonkeyPatch, switched: bool, error: Exception
) -> None:
    bench = Bench(pads={"one_antenna": True}).started()
    bench.put("wow", SEVEN)
    switch = Reader.switch_field

    def refuse(self: Reader, on: bool) -> None:
        if self.spi is bench.chips["yay"] and on == switched:
            raise error
        switch(self, on)

    with monkeypatch.context() as broken:
        broken.setattr(Reader, "switch_field", refuse)
        events = bench.run(1000)
    lost = next(event for event in events if isinstance(event, PartState))
    assert (lost.part, lost.health, lost.detail) == ("pad yay", Health.LOST, str(error))
    assert bench.pads.state("wow") is Health.CONNECTED
    assert placed(events) == [("wow", SEVEN)]
    bench.put("yay", FOUR)
    assert placed(bench.run(3000)) == [("yay", FOUR)]
    assert bench.pads.state("yay") is Health.CONNECTED


@pytest.mark.parametrize("error", [HardwareError("no answer"), OSError(121, "Remote I/O error"), TimeoutError("late")])
def test_with_one_antenna_a_reader_whose_field_cannot_be_switched_off_at_first_is_searched_for(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def refuse(self: Reader, on: bool) -> None:
        raise error

    bench = Bench("yay", pads={"one_antenna": True})
    with monkeypatch.context() as broken:
        broken.setattr(Reader, "switch_field", refuse)
        (state,) = bench.run(300)
    assert (state.health, state.detail, bench.pads.fault("yay")) == (Health.SEARCHING, str(error), error)
    assert states(bench.run(2000)) == [("pad yay", "connected")]
    assert bench.pads.fault("yay") is None


# ---- supervision ---------------------------------------------------------------------------


def test_readers_are_searched_for_and_reported_as_connected_once() -> None:
    bench = Bench()
    assert states(bench.run(3000)) == [("pad yay", "connected"), ("pad wow", "connected")]
    assert bench.events[0].detail == "MFRC522, version 0x92"


def test_a_reader_that_was_never_there_is_searched_for_until_it_comes() -> None:
    bench = Bench()
    there = []

    def opener() -> Reader:
        if not there:
            raise FileNotFoundError(2, "No such file or directory: '/dev/spidev0.1'")
        return Reader(bench.chips["wow"])

    bench.pads = Pads({"yay": bench.opener("yay"), "wow": opener})
    events = bench.run(5000)
    assert states(events) == [("pad wow", "searching"), ("pad yay", "connected")]
    assert "/dev/spidev0.1" in events[0].detail
    there.append(True)
    assert states(bench.run(2000)) == [("pad wow", "connected")]


@pytest.mark.parametrize("value", [0x00, 0xFF])
def test_r11_a_mute_reader_is_a_wiring_fault_and_not_an_empty_pad(bench: Bench, value: int) -> None:
    """R11: its card is not lifted, since nothing is known about it."""
    bench.put("yay", SEVEN)
    bench.run(300)
    bench.chips["yay"].mute = value
    events = bench.run(1000)
    assert states(events) == [("pad yay", "lost")]
    assert f"0x{value:02X}" in events[0].detail and "wiring" in events[0].detail
    assert lifted(events) == [] and bench.pads.state("yay") is Health.LOST
    bench.chips["yay"].mute = None
    events = bench.run(2000)
    assert states(events) == [("pad yay", "connected")]
    assert placed(events) == lifted(events) == []


def test_r12_one_reader_that_fails_leaves_the_other_working_and_recovers(bench: Bench) -> None:
    """R12: whatever its transfers raise."""
    bench.put("wow", SEVEN)
    for error in (OSError(5, "Input/output error"), TimeoutError("timed out"), BrokenPipeError()):
        bench.chips["yay"].bus_error = error
        events = bench.run(400)
        assert ("pad yay", "lost") in states(events)
        bench.chips["yay"].bus_error = None
        assert ("pad yay", "connected") in states(bench.run(2000))
    assert placed(bench.events) == [("wow", SEVEN)] and lifted(bench.events) == []


def test_a_dead_reader_costs_less_and_less_and_is_back_within_2_s(bench: Bench) -> None:
    chip = bench.chips["yay"]
    chip.mute = 0x00
    bench.run(10_000)
    before = chip.transfers
    bench.run(10_000)
    tries = 10_000 / LAST_RETRY_MS
    assert chip.transfers - before < 120 * (tries + 1)
    chip.mute = None
    assert states(bench.run(2000))[-1:] == [("pad yay", "connected")]


@pytest.mark.parametrize("victim", ["yay", "wow"])
def test_a_fault_at_any_transfer_of_a_round_is_survived(victim: str) -> None:
    bench = Bench().started()
    bench.put("yay", SEVEN)
    bench.put("wow", FOUR)
    bench.run(300)
    chip = bench.chips[victim]
    begin = chip.transfers
    bench.pads.poll(bench.clock.now_ms())
    for at in range(chip.transfers - begin):
        fail_at = chip.transfers + at

        def fail(number: int, fail_at: int = fail_at) -> None:
            chip.bus_error = OSError(121, "Remote I/O error") if number == fail_at else None

        chip.before_transfer = fail
        bench.run(250)
        assert bench.pads.state(victim) is Health.CONNECTED
    assert len(placed(bench.events)) == 2 and lifted(bench.events) == []


def test_r10_a_shared_reset_line_that_is_pulsed_again_and_again_disturbs_nobody_s_cards() -> None:
    """R10: the second reader is dead, and each try to revive it resets the first one too."""
    bench = Bench()
    first, dead = bench.chips["yay"], bench.chips["wow"]
    dead.mute = 0x00

    class Line:
        def on(self) -> None:
            first.hold_reset(False)

        def off(self) -> None:
            first.hold_reset(True)

    bench.pads = Pads({"yay": lambda: Reader(first, Line()), "wow": lambda: Reader(dead, Line())})
    bench.put("yay", SEVEN)
    events = bench.run(10_000)
    assert placed(events) == [("yay", SEVEN)] and lifted(events) == []
    assert len(states(events)) <= 4
    bench.put("yay", FOUR)
    assert placed(bench.run(1000)) == [("yay", FOUR)]


def test_r13_cards_are_read_after_a_self_test_of_a_pad(bench: Bench) -> None:
    """R13."""
    bench.put("yay", SEVEN)
    bench.run(300)
    reader = bench.pads.reader("yay")
    assert reader is not None and self_test(reader) is True
    bench.put("yay", FOUR)
    events = bench.run(400)
    assert placed(events) == [("yay", FOUR)] and lifted(events) == []


def test_closing_switches_all_fields_off_and_may_be_done_twice(bench: Bench) -> None:
    bench.pads.close()
    bench.pads.close()
    assert not any(chip.antenna_on for chip in bench.chips.values())
    assert all(chip.closed for chip in bench.chips.values())


def test_an_opener_s_own_error_is_shown_and_a_programmer_s_is_not_hidden() -> None:
    def broken() -> Reader:
        raise HardwareError("the chip select 1 is used by the screen; choose another")

    pads = Pads({"yay": broken})
    (state,) = pads.poll(0)
    assert (state.health, state.detail) == (Health.SEARCHING, "the chip select 1 is used by the screen; choose another")
    with pytest.raises(ZeroDivisionError):
        Pads({"yay": lambda: 1 // 0}).poll(0)  # type: ignore[arg-type,return-value]


@pytest.mark.parametrize(
    "error", [FileNotFoundError(2, "No such file or directory", "/dev/spidev0.0"), HardwareError("no")]
)
def test_a_reader_that_cannot_be_opened_is_searched_for_whatever_kind_of_error_it_was(error: Exception) -> None:
    def missing() -> Reader:
        raise error

    pads = Pads({"yay": missing})
    (state,) = pads.poll(0)
    assert (state.health, state.detail) == (Health.SEARCHING, str(error))


@pytest.mark.parametrize("error", [HardwareError("no answer"), OSError(5, "Input/output error"), TimeoutError("late")])
def test_a_poll_that_ends_in_an_error_of_the_hardware_is_that_reader_s_result(error: Exception) -> None:
    def failing() -> Generator[bytes | None, None, Reading]:
        yield None
        raise error

    def working() -> Generator[bytes | None, None, Reading]:
        yield SEVEN
        return Reading((SEVEN,))

    results = take_turns({"yay": failing(), "wow": working()})
    assert results == {"yay": error, "wow": Reading((SEVEN,))}


@pytest.mark.parametrize("error", [HardwareError("no answer"), OSError(121, "Remote I/O error"), TimeoutError("late")])
def test_a_reader_that_cannot_be_set_up_again_is_lost_whatever_kind_of_error_it_was(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def refuse(self: Reader) -> None:
        raise error

    bench.run(300)
    monkeypatch.setattr(Reader, "MFRC522_Init", refuse)
    bench.chips["yay"].overwrite(0x14, 0x80)  # TxControlReg as after a reset: no antenna driver is on
    events = bench.run(1000)
    assert ("pad yay", "lost") in states(events)
    assert any(str(error) in event.detail for event in events if isinstance(event, PartState))


# ---- registers overwritten, through the poller ----------------------------------------------


@pytest.mark.parametrize("register", range(64))
def test_a_pad_survives_any_overwritten_register(register: int) -> None:
    """No lifted, no wrong card, and the next card is placed."""
    bench = Bench("yay").started()
    bench.put("yay", SEVEN)
    bench.run(200)
    for value in (0x00, 0xFF):
        bench.chips["yay"].overwrite(register, value)
        bench.run(300)
    bench.put("yay", FOUR)
    bench.run(700)
    assert placed(bench.events) == [("yay", SEVEN), ("yay", FOUR)] and lifted(bench.events) == []


def test_a_round_is_as_short_as_the_air_allows_while_nothing_lies_there(bench: Bench) -> None:
    begin = bench.clock.now_us
    bench.pads.poll(bench.clock.now_ms())
    assert bench.clock.now_us - begin < 1500
    assert PAUSE_MS <= 20


def test_a_chip_type_that_is_no_mfrc522_at_all_still_ends_every_round() -> None:
    """A device that answers random bytes: no card is ever placed, no exception, and each round is bounded."""
    bench = Bench("yay")
    chance = random.Random(4)
    chip: RC522 = bench.chips["yay"]
    chip.xfer2 = lambda data, *_: [chance.randrange(256) for _ in data]  # type: ignore[method-assign]
    assert placed(bench.run(5000)) == []

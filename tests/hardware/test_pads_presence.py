"""When a card counts as placed, lifted, or one of several: the pure function."""

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from hardware.ports import Crowded, Lifted, Noticed, Passed, Placed
from hardware.presence import Delays, Presence, interrupted, observe
from hardware.rc522 import Reading

A, B = b"\x04aaaaaa", b"\x04bbbbbb"
DELAYS = Delays()


def counting(events: Sequence[object]) -> list[object]:
    """Those that may come to something: without the cards that were only noticed."""
    return [event for event in events if not isinstance(event, Noticed | Passed)]


@dataclass
class Story:
    """Readings of pads one after the other, each `step_ms` after the one before; what was reported, with its time.

    `felt`: the cards that were noticed, and those that passed.
    """

    names: tuple[str, ...] = ("yay",)
    step_ms: int = 20

    def __post_init__(self) -> None:
        self.presence = Presence.of(self.names)
        self.now_ms = 0
        self.events: list[object] = []
        self.felt: list[object] = []

    def see(self, *seen: Reading | set[bytes], times: int = 1) -> "Story":
        """One reading for each pad, in their order, this many times."""
        readings = [one if isinstance(one, Reading) else Reading(tuple(one)) for one in seen]
        for _ in range(times):
            self.presence, events = observe(
                self.presence, self.now_ms, dict(zip(self.names, readings, strict=True)), DELAYS
            )
            self.events += counting(events)
            self.felt += [event for event in events if isinstance(event, Noticed | Passed)]
            self.now_ms += self.step_ms
        return self


def test_a_card_is_placed_after_100_ms_with_the_time_when_it_was_first_seen() -> None:
    story = Story().see(set(), times=2).see({A}, times=5)
    assert story.events == []
    assert story.see({A}).events == [Placed("yay", A, 40)]
    assert story.presence.on("yay") == (A,)


def test_two_polls_are_needed_however_far_apart_they_are() -> None:
    story = Story(step_ms=500).see({A})
    assert story.events == []
    assert story.see({A}).events == [Placed("yay", A, 0)]


def test_h4_a_card_that_slides_over_a_pad_in_80_ms_was_never_there() -> None:
    """H4: whatever the poll interval."""
    for step_ms in (1, 5, 10, 16, 20, 40):
        story = Story(step_ms=step_ms).see({A}, times=80 // step_ms + 1).see(set(), times=50)
        assert story.events == [], step_ms


def test_one_lost_poll_on_the_way_to_placed_is_forgiven_and_two_are_not() -> None:
    assert Story().see({A}, times=3).see(set()).see({A}, times=2).events == [Placed("yay", A, 0)]
    story = Story().see({A}, times=3).see(set(), times=2).see({A}, times=5)
    assert story.events == []
    assert story.see({A}).events == [Placed("yay", A, 100)]
    second_lost = Story().see({A}).see(set()).see({A}, times=4)
    assert second_lost.events == [Placed("yay", A, 0)]
    story = Story().see({A}).see(set(), times=2).see({A}, times=5)
    assert story.events == []
    assert story.see({A}).events == [Placed("yay", A, 60)]


def test_a_card_is_lifted_after_it_was_missing_for_150_ms() -> None:
    story = Story().see({A}, times=6)
    story.events.clear()
    story.see(set(), times=8)  # missing since 120, now 260
    assert story.events == []
    assert story.see(set()).events == [Lifted("yay", A, 280)]
    assert story.presence.on("yay") == ()


def test_missing_once_after_a_long_pause_is_not_missing_for_long() -> None:
    """R19: the loop was busy; one poll before and one after it are two polls, not two seconds of them."""
    story = Story().see({A}, times=6).see(set())
    story.now_ms += 2000
    story.events.clear()
    assert story.see(set()).see({A}).events == []


def test_a_card_that_answers_again_in_time_was_never_away() -> None:
    story = Story().see({A}, times=6)
    for _ in range(20):
        story.see(set(), times=7).see({A})
    assert story.events == [Placed("yay", A, 0)]


def test_r16_a_card_changed_for_another_is_placed_while_the_first_is_still_missing() -> None:
    """R16: the lifted of the first may follow."""
    story = Story().see({A}, times=6).see({B}, times=12)
    assert story.events == [Placed("yay", A, 0), Placed("yay", B, 120), Lifted("yay", A, 280)]


def test_r17_a_card_put_back_after_it_was_lifted_is_placed_again() -> None:
    story = Story().see({A}, times=6).see(set(), times=50).see({A}, times=6)
    assert [type(event) for event in story.events] == [Placed, Lifted, Placed]


def test_blind_readings_say_nothing() -> None:
    story = Story().see({A}, times=6).see(Reading(blind=True), times=100)
    assert len(story.events) == 1
    assert Story().see({A}, times=3).see(Reading(blind=True), times=3).see({A}).events == [Placed("yay", A, 0)]


def test_several_cards_are_reported_after_100_ms_and_freeze_what_lies_there() -> None:
    crowd = Reading((B,), crowded=True)
    story = Story().see({A}, times=6).see(crowd, times=30)
    assert story.events == [Placed("yay", A, 0), Crowded("yay", True, 220)]
    story.events.clear()
    story.see({A}, times=9)
    assert story.events == [Crowded("yay", False, 880)]
    assert story.presence.on("yay") == (A,)


def test_a_single_crowded_poll_is_nothing() -> None:
    story = Story().see({A}, times=6).see(Reading(crowded=True)).see({A}, times=6)
    assert story.events == [Placed("yay", A, 0)]


def test_a_card_that_leaves_out_of_a_crowd_is_lifted_when_the_crowd_is_over() -> None:
    story = Story().see({A}, times=6).see(Reading((B,), crowded=True), times=10).see(set(), times=30)
    assert [type(event) for event in story.events] == [Placed, Crowded, Crowded, Lifted]


def test_a_card_that_two_pads_see_belongs_to_the_first_until_it_is_lifted_there() -> None:
    story = Story(names=("yay", "wow")).see({A}, set()).see({A}, {A}, times=60)
    assert story.events == [Placed("yay", A, 0)]
    story.see(set(), {A}, times=30)
    assert story.events == [Placed("yay", A, 0), Lifted("yay", A, 1380), Placed("wow", A, 1240)], (
        "on the other it lies since the first did not see it"
    )


def test_of_two_pads_the_one_that_sees_a_card_more_often_gets_it() -> None:
    story = Story(names=("yay", "wow")).see({A}, {A}, times=2).see(set(), {A}).see({A}, {A}, times=3)
    assert story.events == [Placed("wow", A, 0)]


def test_a_moment_of_silence_at_its_owner_gives_a_card_to_nobody() -> None:
    story = Story(names=("yay", "wow")).see({A}, {A}, times=6)
    for _ in range(10):
        story.see(set(), {A}, times=6).see({A}, {A}, times=3)
    assert story.events == [Placed("yay", A, 0)]


def test_a_card_on_its_way_over_one_pad_to_the_other_is_placed_on_the_other_only() -> None:
    """H4."""
    story = Story(names=("yay", "wow")).see(set(), {A}, times=4).see({A}, {A}).see({A}, set(), times=10)
    assert story.events == [Placed("yay", A, 80)]


def test_a_failed_reader_keeps_its_cards_and_forgets_what_was_about_to_happen() -> None:
    story = Story().see({A}, times=6).see({B}, times=5)
    story.presence, passed = interrupted(story.presence, "yay", story.now_ms)
    assert passed == [Passed("yay", B, 220)]
    story.now_ms += 5000
    story.events.clear()
    assert story.see({A, B}, times=5).events == []
    assert story.see({A, B}).events == [Placed("yay", B, 5220)]


@given(
    polls=st.lists(
        st.tuples(st.sets(st.sampled_from([A, B])), st.booleans(), st.booleans(), st.integers(1, 200)), max_size=120
    )
)
def test_on_every_pad_placed_and_lifted_alternate_for_each_card(
    polls: list[tuple[set[bytes], bool, bool, int]],
) -> None:
    """Whatever is read; and no card lies on two pads."""
    names = ("yay", "wow")
    presence, now_ms = Presence.of(names), 0
    lying: dict[bytes, str] = {}
    for index, (seen, crowded, blind, pause_ms) in enumerate(polls):
        reading = Reading(tuple(seen), crowded and not blind, blind)
        presence, events = observe(presence, now_ms, {names[index % 2]: reading, names[0]: reading}, DELAYS)
        for event in events:
            if isinstance(event, Placed):
                assert event.uid not in lying
                lying[event.uid] = event.pad
                assert now_ms - event.at_ms >= DELAYS.settle_ms
            elif isinstance(event, Lifted):
                assert lying.pop(event.uid) == event.pad
        assert {uid: name for name in names for uid in presence.on(name)} == lying
        now_ms += pause_ms


def test_nothing_is_due_but_a_card_that_is_seen_and_not_yet_placed() -> None:
    presence = Presence.of(["yay"])
    assert presence.due_ms(DELAYS) is None
    presence, _ = observe(presence, 100, {"yay": Reading((b"\x04aaa",))}, DELAYS)
    assert presence.due_ms(DELAYS) == 100 + DELAYS.settle_ms
    for now_ms in (120, 140, 160, 180, 200, 220):
        presence, _ = observe(presence, now_ms, {"yay": Reading((b"\x04aaa",))}, DELAYS)
    assert presence.on("yay") == (b"\x04aaa",) and presence.due_ms(DELAYS) is None


# ---- at the limits, with other delays ------------------------------------------------------


def observed(delays: Delays, *rounds: tuple[int, Reading], start: Presence | None = None) -> list[object]:
    """What is reported of one pad, for readings at these times."""
    presence, events = start or Presence.of(["yay"]), []
    for now_ms, reading in rounds:
        presence, more = observe(presence, now_ms, {"yay": reading}, delays)
        events += counting(more)
    return events


HAS_A, EMPTY, CROWD = Reading((A,)), Reading(), Reading(crowded=True)


def test_a_card_is_placed_at_exactly_its_settling_time() -> None:
    assert observed(Delays(), (0, HAS_A), (99, HAS_A)) == []
    assert observed(Delays(), (0, HAS_A), (100, HAS_A)) == [Placed("yay", A, 0)]
    assert observed(Delays(settle_ms=1), (7, HAS_A)) == []
    assert observed(Delays(settle_ms=1), (7, HAS_A), (8, HAS_A)) == [Placed("yay", A, 7)]
    assert observed(Delays(settle_ms=0), (7, HAS_A)) == [Placed("yay", A, 7)]


def test_a_card_is_lifted_at_exactly_150_ms_and_at_the_third_poll_without_it() -> None:
    lies = (0, HAS_A), (100, HAS_A)
    assert observed(Delays(), *lies, (200, EMPTY), (275, EMPTY), (349, EMPTY))[1:] == []
    assert observed(Delays(), *lies, (200, EMPTY), (275, EMPTY), (350, EMPTY))[1:] == [Lifted("yay", A, 350)]
    assert observed(Delays(), *lies, (200, EMPTY), (900, EMPTY))[1:] == []
    assert observed(Delays(), *lies, (200, EMPTY), (900, EMPTY), (901, EMPTY))[1:] == [Lifted("yay", A, 901)]
    assert observed(Delays(lift_ms=500), *lies, (200, EMPTY), (300, EMPTY), (699, EMPTY))[1:] == []
    for seen_again in ([(120, HAS_A)], [(120, HAS_A), (140, HAS_A)]):
        gone = (200, EMPTY), (275, EMPTY), (349, EMPTY), (350, EMPTY)
        assert observed(Delays(), *lies, *seen_again, *gone)[1:] == [Lifted("yay", A, 350)]
    early = (0, HAS_A), (100, HAS_A), (0, EMPTY), (75, EMPTY), (150, EMPTY)
    assert observed(Delays(), *early)[1:] == [Lifted("yay", A, 150)]


def test_a_crowd_is_told_at_exactly_100_ms_and_in_two_polls_or_later_where_cards_settle_later() -> None:
    assert observed(Delays(), (0, CROWD), (99, CROWD)) == []
    assert observed(Delays(), (0, CROWD), (100, CROWD)) == [Crowded("yay", True, 100)]
    assert observed(Delays(settle_ms=0), (0, CROWD), (99, CROWD)) == []
    assert observed(Delays(settle_ms=300), (0, CROWD), (100, CROWD), (299, CROWD)) == []
    assert observed(Delays(settle_ms=300), (0, CROWD), (300, CROWD)) == [Crowded("yay", True, 300)]


def test_a_crowd_is_over_at_exactly_150_ms_and_at_the_third_poll_without_it() -> None:
    crowd = (0, CROWD), (100, CROWD)
    assert observed(Delays(), *crowd, (200, EMPTY), (275, EMPTY), (349, EMPTY))[1:] == []
    assert observed(Delays(), *crowd, (200, EMPTY), (275, EMPTY), (350, EMPTY))[1:] == [Crowded("yay", False, 350)]
    assert observed(Delays(), *crowd, (200, EMPTY), (900, EMPTY))[1:] == []
    assert observed(Delays(), *crowd, (200, EMPTY), (900, EMPTY), (901, EMPTY))[1:] == [Crowded("yay", False, 901)]
    assert observed(Delays(), *crowd, (200, EMPTY), (275, CROWD), (350, EMPTY), (400, EMPTY), (499, EMPTY))[1:] == []
    assert observed(Delays(), *crowd, (200, EMPTY), (275, CROWD), (350, EMPTY), (900, EMPTY))[1:] == []


def test_what_lies_there_is_not_missed_while_there_is_a_crowd_and_three_times_afterwards() -> None:
    lies = (0, HAS_A), (100, HAS_A)
    glimpse = (*lies, (200, CROWD), (275, EMPTY), (350, EMPTY), (424, EMPTY))
    assert observed(Delays(), *glimpse)[1:] == []
    assert observed(Delays(), *glimpse, (425, EMPTY))[1:] == [Lifted("yay", A, 425)]
    assert observed(Delays(), *lies, (200, CROWD), (275, EMPTY), (900, EMPTY))[1:] == []
    crowd = (*lies, (200, CROWD), (300, CROWD), (400, EMPTY), (475, EMPTY), (550, EMPTY))
    assert observed(Delays(), *crowd)[1:] == [Crowded("yay", True, 300), Crowded("yay", False, 550)]
    assert observed(Delays(), *crowd, (625, EMPTY), (699, EMPTY))[3:] == []
    assert observed(Delays(), *crowd, (625, EMPTY), (700, EMPTY))[3:] == [Lifted("yay", A, 700)]


def test_after_an_interruption_three_polls_are_needed_again_for_a_crowd_to_be_over() -> None:
    presence = Presence.of(["yay"])
    for now_ms, reading in ((0, CROWD), (100, CROWD), (200, EMPTY), (275, EMPTY)):
        presence, _ = observe(presence, now_ms, {"yay": reading}, Delays())
    presence, _ = interrupted(presence, "yay", 300)
    for now_ms, happened in ((1000, []), (2000, []), (3000, [Crowded("yay", False, 3000)])):
        presence, events = observe(presence, now_ms, {"yay": EMPTY}, Delays())
        assert events == happened


def test_after_an_interruption_a_card_has_to_be_missed_three_times_again() -> None:
    presence = Presence.of(["yay"])
    for now_ms, reading in ((0, HAS_A), (100, HAS_A), (200, EMPTY), (210, EMPTY), (220, CROWD), (230, CROWD)):
        presence, _ = observe(presence, now_ms, {"yay": reading}, Delays())
    presence, _ = interrupted(presence, "yay", 300)
    gone = (1000, EMPTY), (2000, EMPTY), (3000, EMPTY)
    assert observed(Delays(), *gone[:2], start=presence) == []
    assert observed(Delays(), *gone, start=presence) == [Lifted("yay", A, 3000)]
    assert observed(Delays(), (1000, CROWD), start=presence) == []


def test_of_two_pads_that_see_a_card_alike_the_first_gets_it() -> None:
    for names in (("yay", "wow"), ("wow", "yay")):
        story = Story(names=names).see({A}, {A}, times=6)
        assert story.events == [Placed(names[0], A, 0)]


def test_pads_that_stay_empty_are_nothing_new() -> None:
    presence = Presence.of(["yay", "wow"])
    assert observe(presence, 5, {"yay": EMPTY, "wow": EMPTY}, Delays()) == (presence, [])
    assert observe(presence, 5, {"yay": EMPTY, "wow": EMPTY}, Delays())[0] is presence
    assert observe(presence, 5, {"yay": EMPTY, "wow": HAS_A}, Delays())[0] is not presence
    assert observe(presence, 5, {"yay": CROWD, "wow": EMPTY}, Delays())[0] is not presence


def test_the_card_that_is_due_first_is_due_unless_its_pad_is_crowded_or_it_is_missed() -> None:
    presence = Presence.of(["yay", "wow"])
    presence, _ = observe(presence, 40, {"wow": Reading((B,))}, Delays())
    presence, _ = observe(presence, 60, {"yay": HAS_A}, Delays())
    assert presence.due_ms(Delays(settle_ms=30)) == 70
    missed, _ = observe(presence, 80, {"wow": EMPTY}, Delays())
    assert missed.due_ms(Delays()) == 160
    for now_ms in (200, 400):
        presence, _ = observe(presence, now_ms, {"wow": Reading((B,), crowded=True)}, Delays())
    assert presence.due_ms(Delays()) == 160


def test_a_card_is_placed_by_a_reading_of_its_own_pad_only() -> None:
    seen, _ = observe(Presence.of(["yay", "wow"]), 0, {"yay": HAS_A, "wow": EMPTY}, Delays())
    seen, _ = observe(seen, 50, {"yay": HAS_A, "wow": EMPTY}, Delays())
    for readings in (
        {"wow": Reading((B,))},
        {"yay": Reading(blind=True), "wow": Reading((B,))},
        {"yay": Reading((A,), crowded=True), "wow": Reading((B,))},
    ):
        later, events = observe(seen, 200, readings, Delays())
        assert (later.on("yay"), counting(events)) == ((), [])
    assert observe(seen, 200, {"yay": HAS_A}, Delays())[1] == [Placed("yay", A, 0)]


# ---- noticed, before it counts ---------------------------------------------------------------


def test_a_card_is_noticed_by_its_first_reading_once_and_then_placed() -> None:
    story = Story().see(set(), times=2).see({A})
    assert story.felt == [Noticed("yay", A, 40)]
    story.see({A}, times=30)
    assert (story.felt, story.events) == ([Noticed("yay", A, 40)], [Placed("yay", A, 40)])


def test_a_card_that_slides_over_has_passed_when_it_was_missed_twice() -> None:
    story = Story().see({A}, times=3).see(set())
    assert story.felt == [Noticed("yay", A, 0)]
    story.see(set())
    assert story.felt == [Noticed("yay", A, 0), Passed("yay", A, 80)]
    story.see(set(), times=20).see({A})
    assert story.felt[2:] == [Noticed("yay", A, 500)]
    assert story.events == []


def test_one_lost_reading_is_neither_passed_nor_noticed_again() -> None:
    story = Story().see({A}).see(set()).see({A}, times=10)
    assert story.felt == [Noticed("yay", A, 0)]


def test_a_card_that_counts_at_once_is_not_noticed_before() -> None:
    _, events = observe(Presence.of(["yay"]), 7, {"yay": HAS_A}, Delays(settle_ms=0))
    assert events == [Placed("yay", A, 7)]


def test_nothing_is_noticed_among_cards_that_cannot_be_told_apart() -> None:
    story = Story().see(Reading((A,), crowded=True), times=10)
    assert story.felt == []
    story.see({B})  # the crowd was told, and is not over yet
    assert [event for event in story.felt if isinstance(event, Noticed)] == []


def test_a_lifted_card_has_not_passed_and_a_blind_reading_notices_nothing() -> None:
    story = Story().see({A}, times=6).see(set(), times=30)
    assert story.felt == [Noticed("yay", A, 0)]
    assert Story().see(Reading((A,), blind=True)).felt == []


def test_of_two_pads_that_notice_a_card_the_other_lets_it_pass_when_it_is_placed() -> None:
    story = Story(names=("yay", "wow")).see({A}, {A}, times=9)
    assert story.felt == [Noticed("yay", A, 0), Noticed("wow", A, 0), Passed("wow", A, 140)]
    assert story.events == [Placed("yay", A, 0)]


@given(
    polls=st.lists(
        st.tuples(st.sets(st.sampled_from([A, B])), st.booleans(), st.booleans(), st.integers(1, 200)), max_size=120
    )
)
def test_what_is_noticed_is_placed_or_passes_before_it_is_noticed_again(
    polls: list[tuple[set[bytes], bool, bool, int]],
) -> None:
    names = ("yay", "wow")
    presence, now_ms = Presence.of(names), 0
    coming: set[tuple[str, bytes]] = set()
    for index, (seen, crowded, blind, pause_ms) in enumerate(polls):
        reading = Reading(tuple(seen), crowded and not blind, blind)
        presence, events = observe(presence, now_ms, {names[index % 2]: reading, names[0]: reading}, DELAYS)
        for event in events:
            if isinstance(event, Noticed):
                assert (event.pad, event.uid) not in coming and event.uid not in presence.on(event.pad)
                coming.add((event.pad, event.uid))
            elif isinstance(event, Passed | Placed):
                coming.discard((event.pad, event.uid))
        seen_now = {(name, sighting.uid) for name, pad in presence.pads for sighting in pad.sightings}
        assert coming <= seen_now
        now_ms += pause_ms
    for name in names:
        presence, passed = interrupted(presence, name, now_ms)
        coming -= {(event.pad, event.uid) for event in passed}
    assert coming == set()

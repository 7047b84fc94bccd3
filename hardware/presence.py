"""Which cards lie on which pad, decided by a pure function of readings and times.

`observe` takes what has been known so far (a frozen `Presence`), the time, and one reading for each pad that
was read, and returns what is known now and what happened. The rules (the milliseconds are in `Delays`):

- A card is *noticed* when it is read for the first time, and *passed* if it goes before it is placed.
- A card is *placed* when it has been seen for 100 ms, in two polls or more; one poll without it in between is
  forgiven. So a card that slides over a pad in 80 ms was never there. With no settling time the first poll places it.
- A card is *lifted* when it has been missing for 150 ms, in three polls or more without a break.
- More cards than can be told apart, for 100 ms: *crowded*. Nothing is placed or lifted until that has been over
  for 150 ms.
- A card that several pads see belongs to the one where it was placed, until it is lifted there.
- A blind reading, and no reading at all, say nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from hardware.ports import Crowded, Lifted, Noticed, Passed, Placed
from hardware.rc522 import Reading

CardEvent = Noticed | Passed | Placed | Lifted | Crowded

SETTLE_MS = 100  # how long a card must have lain there before it counts
LIFT_MS = 150  # how long it must be missing before it is gone
POLLS_TO_PLACE = 2
CROWD_MS = 100  # at least: a false crowd would make the players clear the pad
POLLS_TO_LIFT = 3
FORGIVEN_POLLS = 1


@dataclass(frozen=True, slots=True)
class Delays:
    """Times in milliseconds; see the module."""

    settle_ms: int = SETTLE_MS
    lift_ms: int = LIFT_MS

    @property
    def polls_to_place(self) -> int:
        """A card's whole UID was checked in every reading, so that one is enough when the settling time is 0."""
        return POLLS_TO_PLACE if self.settle_ms else 1


@dataclass(frozen=True, slots=True)
class Sighting:
    """One card on one pad. `missing_since_ms`: when it was first missed, None while it is seen."""

    uid: bytes
    first_ms: int
    polls_seen: int = 1
    missing_since_ms: int | None = None
    missed_polls: int = 0
    placed: bool = False
    seen_now: bool = True


@dataclass(frozen=True, slots=True)
class PadPresence:
    """`crowded`: what was last reported. `change_since_ms`: since when readings say otherwise, None if they agree."""

    sightings: tuple[Sighting, ...] = ()
    crowded: bool = False
    change_since_ms: int | None = None
    change_polls: int = 0


@dataclass(frozen=True, slots=True)
class Presence:
    """All pads, in the order in which they were named."""

    pads: tuple[tuple[str, PadPresence], ...]

    @classmethod
    def of(cls, names: Iterable[str]) -> Presence:
        return cls(tuple((name, PadPresence()) for name in names))

    def on(self, pad: str) -> tuple[bytes, ...]:
        """The UIDs of the cards that were placed on this pad and not lifted."""
        return tuple(sighting.uid for sighting in dict(self.pads)[pad].sightings if sighting.placed)

    def due_ms(self, delays: Delays) -> int | None:
        """When the next card can be placed that has been seen but not yet for long enough; None if there is none."""
        able = (pad for _, pad in self.pads if not pad.crowded)
        coming = (sighting for pad in able for sighting in pad.sightings if not sighting.placed and sighting.seen_now)
        return min((sighting.first_ms + delays.settle_ms for sighting in coming), default=None)


def observe(
    presence: Presence, now_ms: int, readings: Mapping[str, Reading], delays: Delays
) -> tuple[Presence, list[CardEvent]]:
    """Add one round of readings (pads without one are left as they are); returns the events in their order."""
    pads = dict(presence.pads)
    if all(_nothing_new(pads[name], reading) for name, reading in readings.items()):
        return presence, []
    events: list[CardEvent] = []
    present = _held(pads)
    for name, reading in readings.items():
        if reading.blind:
            continue
        pad, crowd_events = _count_crowd(name, pads[name], now_ms, reading, delays)
        elsewhere = {uid for owner, uid in present if owner != name}
        pad, lifted = _follow(name, pad, now_ms, reading, delays, elsewhere)
        pads[name] = pad
        events += crowd_events
        events += lifted
    placed = _place(pads, now_ms, readings, delays)
    return Presence(tuple(pads.items())), [*events, *_noticed(pads, now_ms, readings), *placed]


def _nothing_new(pad: PadPresence, reading: Reading) -> bool:
    """An empty pad that stays empty, as it does most of the time."""
    changing = pad.sightings or pad.change_since_ms is not None
    return not changing and not reading.uids and reading.crowded == pad.crowded


def interrupted(presence: Presence, pad: str, now_ms: int) -> tuple[Presence, list[Passed]]:
    """The reader of this pad failed: what lies there stays, what was about to come or go is forgotten."""
    pads = dict(presence.pads)
    forgotten = [Passed(pad, sighting.uid, now_ms) for sighting in pads[pad].sightings if not sighting.placed]
    kept = tuple(
        replace(sighting, missing_since_ms=None, missed_polls=0) for sighting in pads[pad].sightings if sighting.placed
    )
    pads[pad] = replace(pads[pad], sightings=kept, change_since_ms=None, change_polls=0)
    return Presence(tuple(pads.items())), forgotten


def _held(pads: Mapping[str, PadPresence]) -> set[tuple[str, bytes]]:
    """The cards that surely lie where they were placed: not missed by that pad at the moment."""
    return {
        (name, sighting.uid)
        for name, pad in pads.items()
        for sighting in pad.sightings
        if sighting.placed and sighting.missing_since_ms is None
    }


def _count_crowd(
    name: str, pad: PadPresence, now_ms: int, reading: Reading, delays: Delays
) -> tuple[PadPresence, list[CardEvent]]:
    if reading.crowded == pad.crowded:
        return replace(pad, change_since_ms=None, change_polls=0), []
    since = now_ms if pad.change_since_ms is None else pad.change_since_ms
    polls = pad.change_polls + 1
    wait_ms, wait_polls = (
        (max(delays.settle_ms, CROWD_MS), POLLS_TO_PLACE) if reading.crowded else (delays.lift_ms, POLLS_TO_LIFT)
    )
    if now_ms - since < wait_ms or polls < wait_polls:
        return replace(pad, change_since_ms=since, change_polls=polls), []
    return replace(pad, crowded=reading.crowded, change_since_ms=None, change_polls=0), [
        Crowded(name, reading.crowded, now_ms)
    ]


def _follow(
    name: str, pad: PadPresence, now_ms: int, reading: Reading, delays: Delays, elsewhere: set[bytes]
) -> tuple[PadPresence, list[CardEvent]]:
    """Bring the pad's sightings up to date. `elsewhere`: cards that lie on other pads and are only overheard here."""
    sightings: list[Sighting] = []
    events: list[CardEvent] = []
    frozen = pad.crowded or reading.crowded
    unseen = set(reading.uids) - elsewhere
    for sighting in pad.sightings:
        if sighting.uid in unseen:
            unseen.discard(sighting.uid)
            sightings.append(
                replace(
                    sighting, polls_seen=sighting.polls_seen + 1, missing_since_ms=None, missed_polls=0, seen_now=True
                )
            )
        elif frozen and sighting.placed:
            sightings.append(replace(sighting, missing_since_ms=None, missed_polls=0))
        else:
            since_ms = now_ms if sighting.missing_since_ms is None else sighting.missing_since_ms
            missed = replace(
                sighting, missing_since_ms=since_ms, missed_polls=sighting.missed_polls + 1, seen_now=False
            )
            if not sighting.placed:
                if missed.missed_polls <= FORGIVEN_POLLS:
                    sightings.append(missed)
                else:
                    events.append(Passed(name, sighting.uid, now_ms))
            elif missed.missed_polls < POLLS_TO_LIFT or now_ms - since_ms < delays.lift_ms:
                sightings.append(missed)
            else:
                events.append(Lifted(name, sighting.uid, now_ms))
    sightings += (Sighting(uid, now_ms) for uid in reading.uids if uid in unseen)
    return replace(pad, sightings=tuple(sightings)), events


def _noticed(pads: Mapping[str, PadPresence], now_ms: int, readings: Mapping[str, Reading]) -> list[CardEvent]:
    """The cards that were read for the first time in this round, and are not placed by it."""
    return [
        Noticed(name, sighting.uid, now_ms)
        for name, reading in readings.items()
        if not (reading.blind or reading.crowded or pads[name].crowded)
        for sighting in pads[name].sightings
        if sighting.polls_seen == 1 and sighting.seen_now and not sighting.placed
    ]


def _place(
    pads: dict[str, PadPresence], now_ms: int, readings: Mapping[str, Reading], delays: Delays
) -> list[CardEvent]:
    """Turn what has been seen long enough into placed cards; of two pads, the one that saw it first or more often."""
    ripe = [
        (sighting.first_ms, -sighting.polls_seen, name, sighting)
        for name, pad in pads.items()
        if name in readings and not readings[name].crowded and not readings[name].blind and not pad.crowded
        for sighting in pad.sightings
        if not sighting.placed
        and sighting.seen_now
        and sighting.polls_seen >= delays.polls_to_place
        and now_ms - sighting.first_ms >= delays.settle_ms
    ]
    owned = {sighting.uid for pad in pads.values() for sighting in pad.sightings if sighting.placed}
    events: list[CardEvent] = []
    for first_ms, _, name, sighting in sorted(ripe, key=lambda entry: entry[:2]):
        if sighting.uid in owned:
            continue
        owned.add(sighting.uid)
        pad = pads[name]
        pads[name] = replace(
            pad, sightings=tuple(replace(other, placed=True) if other is sighting else other for other in pad.sightings)
        )
        events.append(Placed(name, sighting.uid, first_ms))
    return events

"""Which cards lie on which pad, decided by a pure function of readings and times.

`observe` takes what has been known so far (a frozen `Presence`), the time, and one reading for each pad that
was read, and returns what is known now and what happened. The rules (milliseconds are in `Rules`):

- A card is *placed* when it has been seen for 100 ms, in two polls or more; one poll without it in between is
  forgiven. So a card that slides over a pad in 80 ms was never there. Without a time the first poll places it.
- A card is *lifted* when it has been missing for 150 ms, in three polls or more without a break.
- More cards than can be told apart, for 100 ms: *crowded*. Nothing is placed or lifted until that has been over
  for 150 ms.
- A card that several pads see belongs to the one where it was placed, until it is lifted there.
- A blind reading, and no reading at all, say nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from hardware.ports import Crowded, Lifted, Placed
from hardware.rc522 import Reading

Event = Placed | Lifted | Crowded

SETTLE_MS = 100  # how long a card must have lain there before it counts
LIFT_MS = 150  # how long it must be missing before it is gone
POLLS_TO_PLACE = 2
CROWD_MS = 100  # at least: a crowd that is none would have the players clear the pad
POLLS_TO_LIFT = 3
FORGIVEN_POLLS = 1


@dataclass(frozen=True, slots=True)
class Rules:
    """Times in milliseconds; see the module."""

    settle_ms: int = SETTLE_MS
    lift_ms: int = LIFT_MS

    @property
    def polls_to_place(self) -> int:
        """A card's whole UID was checked in every reading, so that one is enough when the settling time is 0."""
        return POLLS_TO_PLACE if self.settle_ms else 1


@dataclass(frozen=True, slots=True)
class Track:
    """One card on one pad. `missing_since_ms`: when it was first missed, None while it is seen."""

    uid: bytes
    first_ms: int
    sightings: int = 1
    missing_since_ms: int | None = None
    missed_polls: int = 0
    placed: bool = False
    seen_now: bool = True


@dataclass(frozen=True, slots=True)
class PadPresence:
    """`crowded`: what was last reported. `change_since_ms`: since when readings say otherwise, None if they agree."""

    tracks: tuple[Track, ...] = ()
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
        return tuple(track.uid for track in dict(self.pads)[pad].tracks if track.placed)

    def due_ms(self, rules: Rules) -> int | None:
        """When the next card can be placed that has been seen but not yet for long enough; None if there is none."""
        able = (pad for _, pad in self.pads if not pad.crowded)
        coming = (track for pad in able for track in pad.tracks if not track.placed and track.seen_now)
        return min((track.first_ms + rules.settle_ms for track in coming), default=None)


def observe(
    presence: Presence, now_ms: int, readings: Mapping[str, Reading], rules: Rules
) -> tuple[Presence, list[Event]]:
    """Add one round of readings (pads without one are left as they are); returns the events in their order."""
    pads = dict(presence.pads)
    if all(_nothing_new(pads[name], reading) for name, reading in readings.items()):
        return presence, []
    events: list[Event] = []
    present = _held(pads)
    for name, reading in readings.items():
        if reading.blind:
            continue
        pad, crowd_events = _count_crowd(name, pads[name], now_ms, reading, rules)
        elsewhere = {uid for owner, uid in present if owner != name}
        pad, lifted = _follow(name, pad, now_ms, reading, rules, elsewhere)
        pads[name] = pad
        events += crowd_events
        events += lifted
    placed = _place(pads, now_ms, readings, rules)
    return Presence(tuple(pads.items())), events + placed


def _nothing_new(pad: PadPresence, reading: Reading) -> bool:
    """An empty pad that stays empty, as it does most of the time."""
    changing = pad.tracks or pad.change_since_ms is not None
    return not changing and not reading.uids and reading.crowded == pad.crowded


def interrupted(presence: Presence, pad: str) -> Presence:
    """The reader of this pad failed: what lies there stays, what was about to come or go is forgotten."""
    pads = dict(presence.pads)
    kept = tuple(replace(track, missing_since_ms=None, missed_polls=0) for track in pads[pad].tracks if track.placed)
    pads[pad] = replace(pads[pad], tracks=kept, change_since_ms=None, change_polls=0)
    return Presence(tuple(pads.items()))


def _held(pads: Mapping[str, PadPresence]) -> set[tuple[str, bytes]]:
    """The cards that surely lie where they were placed: not missed by that pad at the moment."""
    return {
        (name, track.uid)
        for name, pad in pads.items()
        for track in pad.tracks
        if track.placed and track.missing_since_ms is None
    }


def _count_crowd(
    name: str, pad: PadPresence, now_ms: int, reading: Reading, rules: Rules
) -> tuple[PadPresence, list[Event]]:
    if reading.crowded == pad.crowded:
        return replace(pad, change_since_ms=None, change_polls=0), []
    since = now_ms if pad.change_since_ms is None else pad.change_since_ms
    polls = pad.change_polls + 1
    wait_ms, wait_polls = (
        (max(rules.settle_ms, CROWD_MS), POLLS_TO_PLACE) if reading.crowded else (rules.lift_ms, POLLS_TO_LIFT)
    )
    if now_ms - since < wait_ms or polls < wait_polls:
        return replace(pad, change_since_ms=since, change_polls=polls), []
    return replace(pad, crowded=reading.crowded, change_since_ms=None, change_polls=0), [
        Crowded(name, reading.crowded, now_ms)
    ]


def _follow(
    name: str, pad: PadPresence, now_ms: int, reading: Reading, rules: Rules, elsewhere: set[bytes]
) -> tuple[PadPresence, list[Event]]:
    """Bring the pad's tracks up to date. `elsewhere`: cards that lie on other pads and are only overheard here."""
    tracks: list[Track] = []
    events: list[Event] = []
    frozen = pad.crowded or reading.crowded
    unseen = set(reading.uids) - elsewhere
    for track in pad.tracks:
        if track.uid in unseen:
            unseen.discard(track.uid)
            tracks.append(
                replace(track, sightings=track.sightings + 1, missing_since_ms=None, missed_polls=0, seen_now=True)
            )
        elif frozen and track.placed:
            tracks.append(replace(track, missing_since_ms=None, missed_polls=0))
        else:
            missed = _miss(track, now_ms)
            if not track.placed:
                if missed.missed_polls <= FORGIVEN_POLLS:
                    tracks.append(missed)
            elif missed.missed_polls < POLLS_TO_LIFT or now_ms - (missed.missing_since_ms or 0) < rules.lift_ms:
                tracks.append(missed)
            else:
                events.append(Lifted(name, track.uid, now_ms))
    tracks += (Track(uid, now_ms) for uid in reading.uids if uid in unseen)
    return replace(pad, tracks=tuple(tracks)), events


def _miss(track: Track, now_ms: int) -> Track:
    since = now_ms if track.missing_since_ms is None else track.missing_since_ms
    return replace(track, missing_since_ms=since, missed_polls=track.missed_polls + 1, seen_now=False)


def _place(pads: dict[str, PadPresence], now_ms: int, readings: Mapping[str, Reading], rules: Rules) -> list[Event]:
    """Turn what has been seen long enough into placed cards; of two pads, the one that saw it first or more often."""
    ripe = [
        (track.first_ms, -track.sightings, order, name, track)
        for order, (name, pad) in enumerate(pads.items())
        if name in readings and not readings[name].crowded and not readings[name].blind and not pad.crowded
        for track in pad.tracks
        if not track.placed
        and track.seen_now
        and track.sightings >= rules.polls_to_place
        and now_ms - track.first_ms >= rules.settle_ms
    ]
    owned = {track.uid for pad in pads.values() for track in pad.tracks if track.placed}
    events: list[Event] = []
    for first_ms, _, _, name, track in sorted(ripe, key=lambda entry: entry[:3]):
        if track.uid in owned:
            continue
        owned.add(track.uid)
        pad = pads[name]
        pads[name] = replace(
            pad, tracks=tuple(replace(other, placed=True) if other is track else other for other in pad.tracks)
        )
        events.append(Placed(name, track.uid, first_ms))
    return events

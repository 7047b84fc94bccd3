"""What fingers mean: short presses, held ones, both buttons at once, out of levels and their times.

Pure: `edge` and `looked` take a frozen state and give the next one and what happened. A button is down from the first
closed contact, and up once its contact has stayed open for 20 ms, so that neither bounce nor a contact that opens for
a moment makes a second press.

Edges have the time at which the contact moved, and may be told later; looks have the time of the look. Where a look
finds another level than the edges say, or comes after a long gap, edges may still be on their way: time then stands
still for as long as they may take. After that the look counts, so that a lost edge is made up for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from hardware.ports import Holding, Press, Pressed

BOUNCE_MS = 20
SHORT_MS = 400
UNDO_MS = 1200
MENU_MS = 2000
GAP_MS = 250  # between two looks: longer, and the whole process may have been stopped, edges and all
LATE_MS = 60  # how long after a look the edges from before it may still be told

PressEvent = Pressed | Holding


@dataclass(frozen=True, slots=True)
class Finger:
    """One button. `closed`: its contact now, since `contact_ms`. `down_ms`: since when it counts as down, or None.

    dead: it was down at power-on, or it bounced when its press was over already, and means nothing until it is up.
    telling: a Holding was sent, its end was not. spent: this press has had its effect (or will have none).
    opened_ms: when the contact opened that ended the press before.
    """

    closed: bool = False
    contact_ms: int = 0
    down_ms: int | None = None
    opened_ms: int | None = None
    dead: bool = False
    telling: bool = False
    spent: bool = False


@dataclass(frozen=True, slots=True)
class Fingers:
    """All buttons, and what they do together.

    together_ms: since when all of two or more have been down. crossed: they were, and not all are up since:
    no undo. menu_told: and MENU was sent. looked_ms: the last look at the contacts. doubt: while edges may be on
    their way, the time from which on nothing is known for sure, and the time at which the doubt is over.
    """

    fingers: tuple[tuple[str, Finger], ...]
    now_ms: int
    looked_ms: int
    doubt: tuple[int, int] | None = None
    together_ms: int | None = None
    crossed: bool = False
    menu_told: bool = False

    def __getitem__(self, button: str) -> Finger:
        return dict(self.fingers)[button]

    @property
    def at_rest(self) -> bool:
        """Whether every button is up and has settled, so that time alone brings nothing."""
        busy = any(finger.dead or finger.down_ms is not None for _, finger in self.fingers)
        return not busy and self.doubt is None


def at_power_on(closed: dict[str, bool], now_ms: int) -> Fingers:
    """The first look at the contacts: a button that is down now does nothing until it has been released."""
    return Fingers(tuple((name, Finger(down, now_ms, dead=down)) for name, down in closed.items()), now_ms, now_ms)


def anew(state: Fingers, button: str, closed: bool, now_ms: int) -> Fingers:
    """A button that was lost works again: as at power-on."""
    return _put(state, button, Finger(closed, now_ms, dead=closed))


def edge(state: Fingers, button: str, closed: bool, at_ms: int) -> tuple[Fingers, list[PressEvent]]:
    """A contact has closed or opened at `at_ms`. Edges of one button come in their order, though perhaps late.

    One that is older than a look that counted is passed over: that look knew its outcome.
    """
    state, events = _due(state, max(at_ms, state.now_ms), including=False)
    finger = state[button]
    if finger.closed == closed or at_ms < finger.contact_ms:
        return state, events
    if closed and finger.opened_ms is not None and at_ms - finger.opened_ms < BOUNCE_MS:
        return _put(state, button, replace(finger, closed=True, contact_ms=at_ms, dead=True)), events  # told too late
    state, more = _moved(state, button, closed, at_ms)
    return state, events + more


def looked(state: Fingers, levels: Mapping[str, bool], now_ms: int) -> tuple[Fingers, list[PressEvent]]:
    """Somebody looked at all contacts at `now_ms` (`levels`: button to closed), and time has passed until then.

    Every edge that is known already has to be told before.
    """
    now_ms = max(now_ms, state.now_ms)
    differ = [name for name, finger in state.fingers if finger.closed is not levels.get(name, finger.closed)]
    gap = now_ms - state.looked_ms > GAP_MS
    if state.doubt is None and (gap or differ):
        state = replace(state, doubt=(state.looked_ms if gap else now_ms, now_ms + LATE_MS))
    state = replace(state, looked_ms=now_ms)
    if state.doubt is None:
        return _due(state, now_ms, including=True)
    since_ms, until_ms = state.doubt
    after_gap = until_ms - since_ms > LATE_MS
    if now_ms < until_ms and (differ or after_gap):
        return _due(state, max(since_ms, state.now_ms), including=False)
    state, events = replace(state, doubt=None), []
    moved_ms = now_ms if after_gap else max(since_ms, state.now_ms)
    for name in differ:
        state, more = _taken_from_look(state, name, levels[name], moved_ms, now_ms)
        events += more
    state, more = _due(state, now_ms, including=True)
    return state, events + more


def _taken_from_look(
    state: Fingers, button: str, closed: bool, since_ms: int, now_ms: int
) -> tuple[Fingers, list[PressEvent]]:
    """No edge has come: the contact moved before the look at `since_ms`, nobody knows when.

    Where it has opened, nothing that was due in between counts: rather no undo than one that nobody meant.
    """
    if not closed:
        state = _put(state, button, replace(state[button], closed=False, contact_ms=since_ms))
        return _due(state, now_ms, including=True)
    state, events = _due(state, since_ms, including=True)
    state, more = _moved(state, button, True, since_ms)
    return state, events + more


def _moved(state: Fingers, button: str, closed: bool, at_ms: int) -> tuple[Fingers, list[PressEvent]]:
    finger = replace(state[button], closed=closed, contact_ms=at_ms)
    if closed and finger.down_ms is None and not finger.dead:
        return _down(_put(state, button, replace(finger, down_ms=at_ms)), max(at_ms, state.now_ms))
    return _put(state, button, finger), []


def _put(state: Fingers, button: str, finger: Finger) -> Fingers:
    return replace(state, fingers=tuple((name, finger if name == button else old) for name, old in state.fingers))


def _down(state: Fingers, at_ms: int) -> tuple[Fingers, list[PressEvent]]:
    """A button went down: if now all are down, no hold counts any more."""
    if len(state.fingers) < 2 or any(finger.down_ms is None for _, finger in state.fingers):
        return state, []
    events: list[PressEvent] = []
    state = replace(state, together_ms=at_ms, crossed=True)
    for name, finger in state.fingers:
        if finger.telling:
            events.append(Holding(name, None, at_ms))
            state = _put(state, name, replace(finger, telling=False))
    return state, events


def _due(state: Fingers, until_ms: int, including: bool) -> tuple[Fingers, list[PressEvent]]:
    """Let everything happen that time alone brings, in order, before `until_ms` (or at it, if `including`)."""
    events: list[PressEvent] = []
    while True:
        due = [moment for name, _ in state.fingers if (moment := _next_of(state, name)) is not None]
        if (menu := _menu_ms(state)) is not None:
            due.append((menu, ""))
        if not due or (first := min(due))[0] > until_ms or (first[0] == until_ms and not including):
            return replace(state, now_ms=until_ms), events
        at_ms, button = first
        at_ms = max(at_ms, state.now_ms)
        state, more = _happen(replace(state, now_ms=at_ms), button, at_ms)
        events += more


def _menu_ms(state: Fingers) -> int | None:
    if state.together_ms is None or state.menu_told or not all(finger.closed for _, finger in state.fingers):
        return None
    return state.together_ms + MENU_MS


def _next_of(state: Fingers, name: str) -> tuple[int, str] | None:
    """When time alone next changes something about this button."""
    finger = state[name]
    if not finger.closed:
        settled = finger.down_ms is None and not finger.dead
        return None if settled else (finger.contact_ms + BOUNCE_MS, name)
    if finger.down_ms is None or finger.spent or state.crossed:
        return None
    return finger.down_ms + (UNDO_MS if finger.telling else SHORT_MS), name


def _happen(state: Fingers, button: str, at_ms: int) -> tuple[Fingers, list[PressEvent]]:
    if not button:
        spent = tuple((name, replace(finger, spent=True)) for name, finger in state.fingers)
        return replace(state, fingers=spent, menu_told=True), [Pressed(None, Press.MENU, at_ms)]
    finger = state[button]
    if not finger.closed:
        return _up(state, button, at_ms)
    if not finger.telling:
        return _put(state, button, replace(finger, telling=True)), [Holding(button, finger.down_ms, at_ms)]
    state = _put(state, button, replace(finger, telling=False, spent=True))
    return state, [Pressed(button, Press.UNDO, at_ms), Holding(button, None, at_ms)]


def _up(state: Fingers, button: str, at_ms: int) -> tuple[Fingers, list[PressEvent]]:
    """The contact has stayed open: the press is over, and was as long as the contact was closed."""
    finger = state[button]
    events: list[PressEvent] = []
    if finger.telling:
        events.append(Holding(button, None, at_ms))
    counts = not finger.spent and not state.menu_told
    if finger.down_ms is not None and counts and finger.contact_ms - finger.down_ms <= SHORT_MS:
        events.append(Pressed(button, Press.OK, at_ms))
    up = Finger(contact_ms=finger.contact_ms, opened_ms=finger.contact_ms)
    state = replace(_put(state, button, up), together_ms=None)
    if all(other.down_ms is None for _, other in state.fingers):
        state = replace(state, crossed=False, menu_told=False)
    return state, events

"""What fingers mean: short presses, held ones, both buttons at once, out of levels and their times.

Pure: `seen` and `passed` take a frozen state and give the next one and what happened. A button is down from the first
closed contact, and up once its contact has stayed open for 20 ms, so that neither bounce nor a contact that opens for
a moment makes a second press. A level may be told again and again; a lost edge is made up for by the next level.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hardware.ports import Holding, Press, Pressed

BOUNCE_MS = 20
SHORT_MS = 400
UNDO_MS = 1200
MENU_MS = 2000

Event = Pressed | Holding


@dataclass(frozen=True, slots=True)
class Finger:
    """One button. `closed`: its contact now, since `contact_ms`. `down_ms`: since when it counts as down, or None.

    dead: it was down at power-on, and means nothing until it is up. telling: a Holding was sent, its end was not.
    spent: this press has had its effect (or will have none).
    """

    closed: bool = False
    contact_ms: int = 0
    down_ms: int | None = None
    dead: bool = False
    telling: bool = False
    spent: bool = False


@dataclass(frozen=True, slots=True)
class Fingers:
    """All buttons, and what they do together.

    together_ms: since when all of two or more have been down. crossed: they were, and not all are up since:
    no undo. menu_told: and MENU was sent.
    """

    fingers: tuple[tuple[str, Finger], ...]
    now_ms: int = 0
    together_ms: int | None = None
    crossed: bool = False
    menu_told: bool = False

    def __getitem__(self, button: str) -> Finger:
        return dict(self.fingers)[button]

    @property
    def at_rest(self) -> bool:
        """Whether every button is up and has settled, so that time alone brings nothing."""
        return not any(finger.closed or finger.dead or finger.down_ms is not None for _, finger in self.fingers)


def at_power_on(closed: dict[str, bool], now_ms: int) -> Fingers:
    """The first look at the contacts: a button that is down now does nothing until it has been released."""
    return Fingers(tuple((name, Finger(down, now_ms, dead=down)) for name, down in closed.items()), now_ms)


def seen(state: Fingers, button: str, closed: bool, at_ms: int, edge: bool = True) -> tuple[Fingers, list[Event]]:
    """A contact was seen closed or open at `at_ms`: at an edge, or (not `edge`) because somebody looked.

    An open contact without an edge may have opened at any time since the last look, so nothing that was due in
    between counts: rather no undo than one that nobody meant.
    """
    at_ms = max(at_ms, state.now_ms)
    if not edge and not closed and state[button].closed:
        state = _put(state, button, replace(state[button], closed=False, contact_ms=at_ms))
        return _due(state, at_ms, including=True)
    state, events = _due(state, at_ms, including=not edge)
    finger = state[button]
    if finger.closed == closed:
        return state, events
    finger = replace(finger, closed=closed, contact_ms=at_ms)
    if closed and finger.down_ms is None and not finger.dead:
        state, more = _down(_put(state, button, replace(finger, down_ms=at_ms)), at_ms)
        return state, events + more
    return _put(state, button, finger), events


def passed(state: Fingers, now_ms: int) -> tuple[Fingers, list[Event]]:
    """Time has passed, and no contact has changed."""
    return _due(state, max(now_ms, state.now_ms), including=True)


def _put(state: Fingers, button: str, finger: Finger) -> Fingers:
    return replace(state, fingers=tuple((name, finger if name == button else old) for name, old in state.fingers))


def _down(state: Fingers, at_ms: int) -> tuple[Fingers, list[Event]]:
    """A button went down: if now all are down, no hold counts any more."""
    if len(state.fingers) < 2 or any(finger.down_ms is None for _, finger in state.fingers):
        return state, []
    state, events = replace(state, together_ms=at_ms, crossed=True), []
    for name, finger in state.fingers:
        if finger.telling:
            events.append(Holding(name, None, at_ms))
            state = _put(state, name, replace(finger, telling=False))
    return state, events


def _due(state: Fingers, until_ms: int, including: bool) -> tuple[Fingers, list[Event]]:
    """Let everything happen that time alone brings, in order, before `until_ms` (or at it, if `including`)."""
    events: list[Event] = []
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


def _happen(state: Fingers, button: str, at_ms: int) -> tuple[Fingers, list[Event]]:
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


def _up(state: Fingers, button: str, at_ms: int) -> tuple[Fingers, list[Event]]:
    """The contact has stayed open: the press is over, and was as long as the contact was closed."""
    finger = state[button]
    events: list[Event] = []
    if finger.telling:
        events.append(Holding(button, None, at_ms))
    meant = finger.down_ms is not None and not finger.spent and not state.menu_told
    if meant and finger.contact_ms - finger.down_ms <= SHORT_MS:
        events.append(Pressed(button, Press.OK, at_ms))
    state = replace(_put(state, button, Finger(contact_ms=finger.contact_ms)), together_ms=None)
    if all(other.down_ms is None for _, other in state.fingers):
        state = replace(state, crossed=False, menu_told=False)
    return state, events

"""What must hold all along: no wrong card, the state shown is that of the events, the transcript replays to it."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.board import SPACES
from engine.cards import PLAYERS, Player
from engine.events import Event
from engine.game import fold
from engine.rules import Rules
from firmware.commands.replay import ReplayForm, replay
from firmware.kept.games import games, unfinished_game
from firmware.screen.drawing import draw
from firmware.table.state import Stage
from firmware.views.page import Page
from firmware.views.scene import Scene
from firmware.views.strip import StripLayout
from hardware.ports import Colour, Placed
from hardware.strip import PicoStrip
from hardware.twins.tags import Tag
from tests.soak.ledger import Broken
from tests.soak.parts import ScreenInTime, at_rest
from tests.support.full_table import BRIGHT

if TYPE_CHECKING:
    from tests.soak.device import Device

UID_SIZES = (4, 7, 10)
REAL_S = 10


class Digest:
    """A fingerprint of everything that was given to the engine and shown, to compare two runs of one seed."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._shown: tuple[Page, frozenset[str]] | None = None
        self.pages = 0

    def add(self, line: str) -> None:
        self._hash.update(line.encode() + b"\n")

    def show(self, scene: Scene, in_real_time: bool) -> None:
        """`in_real_time`: strip and screen tell of themselves when they like, so what is said of them is left out."""
        page = replace(scene.page, fault="", note="") if in_real_time else scene.page
        if (page, scene.lamps) != self._shown:
            self._shown = page, scene.lamps
            self.pages += 1
            self.add(f"{page} {sorted(scene.lamps)}")

    @property
    def hex(self) -> str:
        return self._hash.hexdigest()[:16]


@dataclass
class Pads:
    """What truly lies on the pads, and since when; every card that a driver reports has to be among it."""

    lying: dict[Player, list[Tag]] = field(default_factory=lambda: {player: [] for player in PLAYERS})
    _since_ms: dict[tuple[Player, Tag], int] = field(default_factory=dict)
    phones: dict[Tag, set[bytes]] = field(default_factory=dict)  # and all UIDs that they have had
    seen_ms: dict[tuple[Player, bytes], int] = field(default_factory=dict)  # when it was first seen, as a driver says

    def put(self, player: Player, tag: Tag, now_ms: int) -> None:
        if tag not in self.lying[player]:
            self.lying[player].append(tag)
            self._since_ms[player, tag] = now_ms

    def lift(self, player: Player, tag: Tag) -> None:
        if tag in self.lying[player]:
            self.lying[player].remove(tag)

    def on(self, player: Player) -> dict[bytes, int]:
        """UID to since when it lies there, in ms."""
        return {
            uid: self._since_ms[player, tag]
            for tag in self.lying[player]
            for uid in sorted(self.phones.get(tag, {tag.uid}) | {tag.uid})
        }

    def check(self, events: Iterable[Placed], before: dict[Player, dict[bytes, int]], now_ms: int) -> None:
        """Raises Broken for a card that was not on that pad then. `before`: what lay there as the poll began."""
        for event in events:
            self.seen_ms[Player(event.pad), event.uid] = event.at_ms
            there = before[Player(event.pad)] | self.on(Player(event.pad))
            if len(event.uid) not in UID_SIZES or event.uid not in there:
                raise Broken(
                    f"pad {event.pad} reports {event.uid.hex()}, which was not there at {now_ms} ms: "
                    f"there were {sorted(uid.hex() for uid in there)}"
                )
            if event.at_ms < there[event.uid]:
                raise Broken(
                    f"pad {event.pad} has seen {event.uid.hex()} at {event.at_ms} ms, but it came at "
                    f"{there[event.uid]} ms"
                )


def spaces(lit: tuple[Colour, ...], layout: StripLayout) -> tuple[int | None, tuple[int, ...]]:
    """(where Tacocat is, which spaces are covered), as lit LEDs say it."""
    tacocat, covered = None, []
    for space in range(1, SPACES + 1):
        first, count = layout.span(space)
        leds = lit[first : first + count]
        if max(max(led) for led in leds) >= BRIGHT:
            tacocat = space
        elif not any(any(led) for led in leds[1:-1]) and any(any(led) for led in leds):
            covered.append(space)
    return tacocat, tuple(covered)


def check_shown(at: Device) -> None:
    """Strip and screen show the state, as far as they work. Everything has to be on the disk. Raises Broken."""
    shown, track = at.loop.shown, at.game.track
    if at.loop.table.stage in (Stage.CLEAR, Stage.ROUND) and track.winner is None:
        says = spaces(at_rest(shown.picture), at.layout)
        if says != (track.tacocat, track.covered):
            raise Broken(f"the strip would show {says}, the game is at {track}")
    if at.twins.desk.lamps() != shown.lamps:
        raise Broken(f"the lamps of {sorted(at.twins.desk.lamps())} are lit, not those of {sorted(shown.lamps)}")
    screen = at.parts.outputs.screen
    if (
        isinstance(screen, ScreenInTime)
        and screen.works
        and at.weather.screen_is_well
        and shown.shift_px == (0, 0)
        and not at.screen_shows(draw(shown.page))
    ):
        raise Broken(f"the screen does not show the page {shown.page}")


def check_pico(at: Device) -> None:
    """Where there is a real Pico: it is back, and its LEDs show what they should. In real time. Raises Broken."""
    if not isinstance(at.strip, PicoStrip):
        return
    at.twins.strip.plug_in()
    at.twins.strip.thaw()
    if not at.strip.wait_shown(REAL_S):
        raise Broken(f"the strip is not back: {at.strip.state()}")
    if at.game.track.winner is None and not at.strip_agrees():
        raise Broken(f"the LEDs show {at.strip_says()}, the game is at {at.game.track}")
    lit = at.twins.strip.lit
    if at.game.track.winner is not None and not at.twins.strip.wait_for(lambda: any(map(any, lit())), REAL_S):
        raise Broken("the LEDs are dark, but somebody has won")
    if at.twins.strip.faults:
        raise Broken(f"the Pico had to be rescued: {at.twins.strip.faults}")


def check_kept(folder: Path, rules: Rules, events: list[Event], least: int) -> int:
    """The newest transcript is of these events: of `least` at least, and no others. Returns of how many.

    What would be offered is it, if it is unfinished. Raises Broken.
    """
    kept = next((kept for kept in games(folder) if kept.events), None)
    offered = unfinished_game(folder)
    count = kept.events if kept else 0
    if not least <= count <= len(events):
        raise Broken(f"the transcript has {count} events; {least} were acknowledged, and {len(events)} given")
    if kept is None:
        return 0
    game = fold(rules, events[:count])
    if (kept.rules, kept.game) != (rules, game):
        raise Broken(f"{kept.path.name} makes {kept.game}; its events as they were given make {game}")
    if (offered.game if offered else None) != (None if game.over else game):
        raise Broken(f"offered is {offered}, but the game of {count} events is {game}")
    return count


def check_replay(folder: Path, at: Device) -> None:
    """`tacocat replay` reads the newest transcript to its end, and to the state shown. Raises Broken."""
    newest = next(kept for kept in games(folder) if kept.events)
    out, err = io.StringIO(), io.StringIO()
    with newest.path.open("rb") as stream:
        status = replay(stream, newest.path.name, ReplayForm.JSON, out, err)
    if status or err.getvalue():
        raise Broken(f"tacocat replay: exit status {status}, {err.getvalue()}")
    last, game = json.loads(out.getvalue().splitlines()[-1]), at.game
    told = (last["winner"], last["tacocat"], tuple(last["covered"]), last["phase"], last["round"])
    if told != (game.winner, game.track.tacocat, game.track.covered, game.phase, game.number):
        raise Broken(f"tacocat replay tells {last}, the table shows {game}")


def check_twins(at: Device, since_ms: int) -> None:
    """No chip was asked for what it would not understand, but where a fault was made (since then). Raises Broken."""
    refused = list(at.twins.screen.refused)
    for player, chip in at.twins.pads.items():
        if not at.weather.disturbed(player, since_ms):
            refused += chip.refusals
        chip.refusals.clear()
    if refused:
        raise Broken(f"a twin refused: {refused[:5]}")

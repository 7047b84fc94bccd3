"""A table on twins on a machine that is whole, somebody who stands at it, and what can be wrong with all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from firmware.check.checking import run_check
from firmware.check.system import PinChip, System
from firmware.config.values import Config
from firmware.kept.deck import Tags, format_tags
from firmware.kept.folder import DECK_FILE
from firmware.table.findings import Row, State
from firmware.virtual.deck import virtual_tags
from firmware.virtual.parts import open_virtual
from hardware.ports import Health
from hardware.strip import PicoStrip
from hardware.twins.tags import Tag
from hardware.twins.virtual_time import VirtualTime

UIDS = {"yay": bytes.fromhex("04a1b2c3d4e580"), "wow": bytes.fromhex("04a1b299887780")}
CHIP = PinChip("LGPIOFactory", "gpiochip0", "pinctrl-bcm2711", (("gpiochip0", "pinctrl-bcm2711"),))
GROUPS = frozenset({"spi", "i2c", "gpio", "dialout"})
REAL_S = 10  # how long a test waits for what runs in real time, before it fails


@dataclass
class Person:
    """Does what is said, and answers by looking at the twins. Each field is something that can be wrong."""

    table: CheckTable
    puts_card_on: dict[str, str | None] = field(default_factory=lambda: {"yay": "yay", "wow": "wow"})
    finger_reaches: dict[str, str | None] = field(default_factory=lambda: {"yay": "yay", "wow": "wow"})
    lets_go: bool = True
    lamp_of_wire: dict[str, str | None] = field(default_factory=lambda: {"yay": "yay", "wow": "wow"})
    hears: bool = True
    sees_screen: str = "yes"
    strip_is_lit: bool = True
    strip_is_turned: bool = False
    answers: bool = True  # False: nobody is there any more
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    _later: list[tuple[int, Callable[[], None]]] = field(default_factory=list)

    def say(self, line: str) -> None:
        self.said.append(line)
        if not self.answers:
            return
        player = "yay" if "YAY" in line else "wow"
        if "card" in line:
            pad = self.puts_card_on[player]
            if pad is not None:
                self.table.twins.pads[pad].put(self.table.cards[player])
        elif "button" in line:
            button = self.finger_reaches[player]
            if button is not None:
                self.after(600, lambda: self.table.twins.desk.press(button))
                if self.lets_go:
                    self.after(750, lambda: self.table.twins.desk.release(button))

    def after(self, ms: int, act: Callable[[], None]) -> None:
        self._later.append((self.table.time.now_ms() + ms, act))

    def pause(self, ms: int) -> None:
        """Time passes; the person does what is due."""
        self.table.time.advance_ms(ms)
        due = [act for at_ms, act in self._later if at_ms <= self.table.time.now_ms()]
        self._later = [(at_ms, act) for at_ms, act in self._later if at_ms > self.table.time.now_ms()]
        for act in due:
            act()

    def ask(self, question: str, answers: Sequence[str]) -> str | None:
        self.asked.append(question)
        if not self.answers:
            return None
        if "colour" in question:
            answer = self.colour()
        elif "dot" in question:
            answer = self.direction()
        elif "arrow that points up" in question:
            answer = self.sees_screen
        elif "lamp" in question:
            answer = self.lamp("yay" if "YAY" in question else "wow")
        else:
            assert "tones" in question, question
            answer = "yes" if self.hears and self.heard() == [440, 880, 1760] else "no"
        assert answer in answers, f"{question}: {answer} is none of {answers}"
        return answer

    def heard(self) -> list[int]:
        return [heard.hz for heard in self.table.twins.desk.heard() if heard.hz]

    def colour(self) -> str:
        self.table.strip.wait_shown(REAL_S)
        names = {(True, False, False): "red", (False, True, False): "green", (False, False, True): "blue"}
        seen = {tuple(channel > 0 for channel in led) for led in self.table.twins.strip.lit()}
        return names[seen.pop()] if len(seen) == 1 and self.strip_is_lit else "none of these"

    def direction(self) -> str:
        """Which way the dot moves, from two looks at it."""
        strip = self.table.twins.strip
        assert self.table.strip.wait_shown(REAL_S)
        first = self.place()
        assert strip.wait_for(lambda: abs(self.place() - first) >= 1, REAL_S)
        leds = len(strip.lit())
        forwards = (self.place() - first) % leds < leds / 2  # at the end it begins anew
        return "yes" if forwards is not self.strip_is_turned else "the other way"

    def place(self) -> float:
        lit = [sum(led) for led in self.table.twins.strip.lit()]
        return sum(i * light for i, light in enumerate(lit)) / max(1, sum(lit))

    def lamp(self, player: str) -> str:
        bulbs = {self.lamp_of_wire[wire] for wire in self.table.twins.desk.lamps()} - {None}
        return "yes" if bulbs == {player} else "the other one" if bulbs else "no"


class CheckTable:
    """Parts on twins, and a machine as it should be. A context manager; `whole` puts all of it right again."""

    def __init__(self, folder: Path, config: Config | None = None) -> None:
        self.config = config or Config()
        self.time = VirtualTime()
        self.parts = open_virtual(self.config, lambda event: None, self.time)
        assert self.parts.twins is not None
        self.twins = self.parts.twins
        strip = self.parts.outputs.strip
        assert isinstance(strip, PicoStrip)
        self.strip = strip
        self.folder = folder
        self.mending: list[Callable[[], object]] = []  # what has to be done to put right what a test has broken
        self.deck = folder / "state" / DECK_FILE
        self.whole()

    def whole(self) -> None:
        self.person = Person(self)
        self.cards = {player: Tag(uid) for player, uid in UIDS.items()}
        while self.mending:
            self.mending.pop()()
        self.twins.strip.thaw()
        self.twins.strip.plug_in()
        for pad in self.twins.pads.values():
            pad.mute, pad.bus_error, pad.before_transfer = None, None, None
            for tag in pad.tags:
                pad.lift(tag)
        for player in UIDS:
            self.twins.desk.release(player)
        self.twins.desk.heard()
        for name in ("spidev0.0", "spidev0.1", "i2c-1"):
            path = self.folder / "dev" / name
            path.parent.mkdir(exist_ok=True)
            path.touch()
        self.deck.parent.mkdir(exist_ok=True)
        self.deck.write_text(format_tags(Tags.of(virtual_tags(self.config.deck))))
        self.system = System(
            self.config,
            self.folder / "state",
            root=self.folder,
            user="pi",
            groups=GROUPS,
            listed=GROUPS,
            known=GROUPS,
            strip_s=2,
            pin_chip=lambda: CHIP,
            run=lambda words: "throttled=0x0\n",
            has_module=lambda name: True,
            free_bytes=lambda folder: 1 << 30,
            pause_ms=self.person.pause,
        )
        for _ in range(200):
            self.parts.pads.poll(self.time.now_ms())
            self.parts.controls.poll(self.time.now_ms())
            self.time.advance_ms(20)
        assert self.twins.strip.wait_for(lambda: self.strip.state().health is Health.CONNECTED, REAL_S)

    def system_with(self, **changes: object) -> None:
        self.system = replace(self.system, **changes)

    def check(self, ask: bool = True) -> dict[str, Row]:
        rows = run_check(self.parts, self.system, self.person.ask if ask else None, self.person.say)
        assert len({row.part for row in rows}) == len(rows)
        return {row.part: row for row in rows}

    def __enter__(self) -> CheckTable:
        return self

    def __exit__(self, *_: object) -> None:
        self.parts.close()


def faults(rows: dict[str, Row]) -> list[str]:
    return [row.part for row in rows.values() if row.state is State.FAULT]

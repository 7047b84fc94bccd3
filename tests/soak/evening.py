"""One whole game at the device, by its seed: people, mischief and weather, through every power cut, to its end."""

from __future__ import annotations

import tempfile
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from engine.board import Arrow, Board
from engine.cards import Card, Deck, parse_deck
from engine.game import fold
from engine.rules import LateFoul, Mode, Rules, Tie
from firmware.table.state import Stage
from tests.soak.checks import check_kept, check_pico, check_replay, check_shown, check_twins
from tests.soak.device import Box, Device
from tests.soak.disk import UnsafeDisk
from tests.soak.ledger import Broken
from tests.soak.mischief import Mischief
from tests.soak.people import Piles
from tests.soak.weather import Weather
from tests.support.disks import PowerCut

MOST_ACTS = 1500
TAKEN_BACK = 0.25  # of all ends of a game
REAL_PICO_EACH = 10  # one game in this many has the real program of the strip
DECKS = ("1x1 2x2 3x3 4x3 5x3 6x2 7x2 8x2", "3x4 4x4 5x4 6x4", "1x1 2x2 3x5 4x5 5x5 6x5 7x4 8x3 9x3 10x2 11x2 12x1")
SIZES = ((2,) * 7, (3,) * 7, (2, 3, 4, 3, 4, 3, 2), (4,) * 7)


@dataclass
class Outcome:
    """What became of one game. `fault` is "" or the whole report."""

    seed: int
    digest: str = ""
    events: int = 0
    virtual_ms: int = 0
    pages: int = 0
    rules: str = ""
    real_pico: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    fault: str = ""


def rules_of(random: Random) -> Rules:
    mode = random.choice((Mode.PLAY, Mode.PLAY, Mode.REFEREE, Mode.REFEREE, Mode.BOARD))
    arrows = tuple(random.choice(list(Arrow)) for _ in range(7))
    return Rules(
        mode,
        parse_deck(random.choice(DECKS)),
        Board(random.choice(SIZES), arrows),
        random.choice(list(Tie)),
        random.choice(list(LateFoul)),
    )


def uids_of(deck: Deck, random: Random) -> dict[bytes, Card]:
    """Tags of 4, 7 and 10 bytes; many alike in their first bytes, as cards bought together are."""
    uids: dict[bytes, Card] = {}
    for number, card in enumerate(deck.cards):
        tail = bytes((card.rank, ord(card.copy), number))
        uid = random.choice((b"\x5a" + tail, b"\x04\x7a\xc0\xca" + tail, b"\x04\x7a\xc0\x11\x22\x33\x44" + tail))
        uids[uid] = card
    return uids


class Evening:
    """`play` plays the game of `seed` to its end; an Outcome says how it went."""

    def __init__(self, seed: int, folder: Path, real_pico: bool = False) -> None:
        random = Random(f"evening {seed}")
        rules = self.rules_of(random)
        weather = Weather(Random(f"weather {seed}"), gap_ms=random.choice((800, 2500, 6000)))
        self.box = Box(
            rules, folder, UnsafeDisk(Random(f"disk {seed}")), weather, uids_of(rules.deck, random), real_pico
        )
        self.random, self.seed = random, seed
        self.counts: Counter[str] = Counter()
        self.acts = 0

    def play(self) -> Outcome:
        outcome = Outcome(self.seed, rules=str(self.box.rules.mode), real_pico=self.box.real_pico)
        try:
            while not self._one_power_up():
                pass
        except (Exception, PowerCut) as fault:  # noqa: BLE001 (the outermost: whatever it is, it is told with its seed)
            outcome.fault = f"{type(fault).__name__}: {fault}\n{self.box.ledger.report()}"
            if not isinstance(fault, Broken):
                outcome.fault += "\n" + traceback.format_exc()
        outcome.digest, outcome.events = self.box.digest.hex, len(self.box.events)
        outcome.virtual_ms, outcome.pages = self.box.time.now_ms(), self.box.digest.pages
        outcome.counts = self.counts + self.box.weather.count
        return outcome

    rules_of = staticmethod(rules_of)

    def device(self, held: frozenset[str]) -> Device:
        return Device(self.box, held)

    def people(self, at: Device) -> Mischief:
        return Mischief(at, self.random, Piles(f"piles {self.seed}", self.box.rules.deck.cards))

    def _one_power_up(self) -> bool:
        """From the power's coming to its going. Whether the game has come to its end, and is on the disk."""
        box = self.box
        self._check_disk()
        if fold(box.rules, box.events).over:
            self.counts["over, and on the disk, as the power was cut"] += 1
            return True  # there is nothing to go on with: `check_kept` has seen to that
        box.weather.power_on(box.time.now_ms())
        box.ledger.note(box.time.now_ms(), "POWER ON")
        held = frozenset(player for player in ("yay", "wow") if self.random.random() < 0.1)
        at = self.device(held)
        people = self.people(at)
        try:
            if held:
                at.wait(self.random.randint(100, 3000))
                for name in sorted(held):
                    at.twins.desk.release(name)
            at.wait(self.random.randint(700, 1500))  # they read what is offered
            while not self._over(at, people):
                since_ms = box.time.now_ms()
                people.act()
                check_twins(at, since_ms)
                self.acts += 1
                if self.acts > MOST_ACTS:
                    raise Broken(f"the game does not come to its end: {at.game}")
                if at.quiet:
                    at.turn()
                    check_shown(at)
            return True
        except PowerCut:
            box.ledger.note(box.time.now_ms(), "POWER CUT")
            return False
        finally:
            self.counts += people.count
            at.power_off()

    def _over(self, at: Device, people: Mischief) -> bool:
        """Whether the game is over and all of it kept; the checks of the end."""
        if at.loop.table.stage is not Stage.OVER or not at.game.over:
            return False
        if self.random.random() < TAKEN_BACK:
            self.counts["the end of the game taken back"] += 1
            people.take_back_the_end()
            return False
        at.settle()
        if at.keeper.unkept:
            return False  # the disk was full: the power will be cut, and the rest be played again
        self.box.weather.calm = True
        at.wait(4000)
        if not at.quiet or at.keeper.unkept:
            return False
        check_shown(at)
        check_pico(at)
        check_kept(self.box.folder, self.box.rules, self.box.events, len(self.box.events))
        check_replay(self.box.folder, at)
        return True

    def _check_disk(self) -> None:
        """After a power cut: what is on the disk is what was acknowledged, or later."""
        box = self.box
        count = check_kept(box.folder, box.rules, box.events, box.durable)
        del box.events[count:]
        box.durable = count


def play_game(seed: int, real_pico: bool | None = None) -> Outcome:
    """Play the game of one seed."""
    from tests.soak.solo import SOLO_FROM, SoloEvening  # which is an evening, too

    real = seed % REAL_PICO_EACH == 0 if real_pico is None else real_pico
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        return (SoloEvening if seed >= SOLO_FROM else Evening)(seed, Path(folder), real).play()

"""Faults at every seam, begun and ended in virtual time: readers, field, screen, link, disk, power."""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

from engine.cards import PLAYERS, Player
from hardware.twins import rc522_registers as reg
from hardware.twins.rc522_air import Noise
from tests.support.disks import PowerCut

if TYPE_CHECKING:
    from tests.soak.device import Device

RECOVERY_MS = 2500  # within this time a reader that works again reads again (it is tried each 1.6 s at least)
CRYPTO1_ON = 0x08
READER_FAULTS = ("mute", "answers stuck", "brown-out", "crypto stuck", "bus error", "reset held", "bit flips")
SCREEN_RECOVERY_MS = 5000  # a panel that lost its memory without a word is sent its pages one by one, each 0.5 s

Ending = Callable[[], None]


class Weather:
    """`pass_` is called in each turn. Its chances are a seed's own, and never depend on what people do.

    `gap_ms`: the mean time between two faults; `cuts`: the share of them that are power cuts.
    """

    def __init__(self, random: Random, gap_ms: int = 2500, cuts: float = 0.06) -> None:
        self._random, self._gap_ms, self._cuts = random, gap_ms, cuts
        self.count: Counter[str] = Counter()
        self.calm = False  # no new faults
        self.disk_ms = 0  # how long the disk takes for what it is given
        self.power_due = False  # a power cut is under way: at the next transfer, or call of the disk
        self.disk_full = False
        self._next_ms = 0
        self._endings: list[tuple[int, int, Ending]] = []
        self._disturbed: dict[Player, int] = dict.fromkeys(PLAYERS, -1)  # until when
        self._screen_until_ms = -1
        self._now_ms = 0
        self._number = 0

    # ---- what others ask -------------------------------------------------------------------

    def disturbed(self, player: Player, since_ms: int) -> bool:
        """Whether anything was, since then, wrong with this pad that could keep a card from being read in time."""
        return self._disturbed[player] >= since_ms

    @property
    def screen_is_well(self) -> bool:
        return self._screen_until_ms < self._now_ms

    def power_on(self, now_ms: int) -> None:
        """A device starts: its chips are new and well; the next faults come as they like."""
        self._endings.clear()
        self._now_ms, self.power_due, self.disk_full = now_ms, False, False
        self._disturbed = dict.fromkeys(PLAYERS, now_ms + 900)  # its readers start
        self._screen_until_ms, self.disk_ms = now_ms + SCREEN_RECOVERY_MS, 0
        self._plan()

    # ---- time ------------------------------------------------------------------------------

    def pass_(self, at: Device, now_ms: int) -> None:
        self._now_ms = now_ms
        while self._endings and self._endings[0][0] <= now_ms:
            self._endings.pop(0)[2]()
        if now_ms >= self._next_ms:
            self._plan()
            if not self.calm:
                self._strike(at)

    def _plan(self) -> None:
        self._next_ms = self._now_ms + 1 + int(self._random.expovariate(1 / self._gap_ms))

    def _until(self, ms: int, ending: Ending) -> None:
        self._number += 1
        self._endings.append((self._now_ms + ms, self._number, ending))
        self._endings.sort(key=lambda entry: entry[:2])

    def _strike(self, at: Device) -> None:
        random = self._random
        if random.random() < self._cuts:
            self._cut_power(at)
            return
        fault = random.choice(
            (self._reader, self._reader, self._field, self._screen, self._screen, self._strip, self._disk)
        )
        fault(at)

    # ---- power -----------------------------------------------------------------------------

    def _cut_power(self, at: Device) -> None:
        """Now, in the middle of a transfer to a reader, or in a call of the disk."""
        self.power_due = True
        where = self._random.choice(("now", "in a transfer", "at the disk"))
        self.count[f"power cut: {where}"] += 1
        if where == "now":
            raise PowerCut
        if where == "at the disk":
            at.box.disk.calls_left = self._random.randrange(5)
            return
        left = self._random.randrange(60)
        chip = at.twins.pads[self._random.choice(PLAYERS)]
        last = chip.transfers + left

        def cut(transfer: int) -> None:
            if transfer >= last:
                raise PowerCut

        chip.before_transfer = cut

    # ---- readers ---------------------------------------------------------------------------

    def _reader(self, at: Device) -> None:
        random = self._random
        player = random.choice(PLAYERS)
        chip = at.twins.pads[player]
        ms = random.choice((60, 200, 500, 1500, 3000))
        what = random.choice(READER_FAULTS)
        self.count[f"reader: {what}"] += 1
        value = random.choice((0x00, 0xFF))
        match what:
            case "mute":
                chip.mute = value
                self._until(ms, lambda: setattr(chip, "mute", None))
            case "answers stuck":
                chip.miso_stuck = value
                self._until(ms, lambda: setattr(chip, "miso_stuck", None))
            case "brown-out":
                chip.brown_out()
                ms = 0
            case "crypto stuck":
                chip.overwrite(reg.STATUS2, CRYPTO1_ON)
                ms = 0
            case "bus error":
                chip.bus_error = OSError(random.choice((errno.EIO, errno.ETIMEDOUT, errno.ENODEV)), "made to fail")
                self._until(ms, lambda: setattr(chip, "bus_error", None))
            case "reset held":
                chip.hold_reset(True)
                self._until(ms, lambda: chip.hold_reset(False))
            case _:
                for _ in range(random.randint(1, 5)):
                    chip.flip(random.randrange(3000), random.randrange(8))
                ms = 1500
        self._disturb(player, ms)

    def _disturb(self, player: Player, ms: int) -> None:
        self._disturbed[player] = max(self._disturbed[player], self._now_ms + ms + RECOVERY_MS)

    def _field(self, at: Device) -> None:
        """Lost and damaged answers, in some percent of all frames."""
        random = self._random
        player = random.choice(PLAYERS)
        chip = at.twins.pads[player]
        chip.noise = Noise(random.uniform(0, 0.06), random.uniform(0, 0.06), random.randrange(1 << 30))
        ms = random.randint(500, 8000)
        self.count["field: lost and damaged frames"] += 1
        self._until(ms, lambda: setattr(chip, "noise", None))
        self._disturb(player, ms - RECOVERY_MS + 300)

    # ---- screen, strip, disk ---------------------------------------------------------------

    def _screen(self, at: Device) -> None:
        random, panel = self._random, at.twins.screen
        screen = at.parts.outputs.screen
        kinds = ("unplugged", "brown-out", "bus fault", "bus fault")
        what = random.choice(kinds if at.box.real_pico else (*kinds, "slow bus"))
        self.count[f"screen: {what}"] += 1
        ms = random.choice((100, 1000, 4000))
        match what:
            case "unplugged":
                panel.unplug()
                self._until(ms, panel.plug_in)
            case "brown-out":
                panel.brown_out()
                ms = 0
            case "slow bus":
                screen.slow_ms = random.choice((100, 300))
                self._until(ms, lambda: setattr(screen, "slow_ms", 0))
            case _:
                for _ in range(random.randint(1, 4)):
                    number = random.choice((errno.EREMOTEIO, errno.ETIMEDOUT, errno.EIO, errno.EAGAIN))
                    panel.fail(random.randint(1, 40), number, random.randrange(30))
                self._until(ms, panel.heal)
        self._screen_until_ms = max(self._screen_until_ms, self._now_ms + ms + SCREEN_RECOVERY_MS)

    def _strip(self, at: Device) -> None:
        random, strip = self._random, at.twins.strip
        ms = random.choice((100, 1000, 5000))
        what = random.choice(("unplugged", "restarted", "reads nothing")) if at.box.real_pico else "unplugged"
        self.count[f"strip: {what}"] += 1
        match what:
            case "unplugged":
                strip.unplug()
                self._until(ms, strip.plug_in)
            case "restarted":
                strip.unplug()
                strip.plug_in()
            case _:
                strip.freeze()
                self._until(ms, strip.thaw)

    def _disk(self, at: Device) -> None:
        """It takes its time; or it is full, which is noticed, and ends with a power cut."""
        random = self._random
        if random.random() < 0.15 and not self.disk_full and not self.power_due:
            self.count["disk: full"] += 1
            self.disk_full = at.box.disk.full = True

            def cut() -> None:
                self.count["power cut: with a full disk"] += 1
                raise PowerCut

            self._until(random.randint(2000, 12000), cut)
            return
        self.count["disk: slow"] += 1
        self.disk_ms = random.choice((60, 250, 900))
        self._until(random.randint(500, 5000), lambda: setattr(self, "disk_ms", 0))

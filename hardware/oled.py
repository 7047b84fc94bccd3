"""The screen: one panel on I2C, or two that show the same page. Nobody waits for the bus.

Only what changed is sent (hardware/panels.py); a panel that answers no more is tried again quietly, and set up
afresh when it returns. Each panel has a writer thread with one mailbox: the newest picture wins, older ones are
skipped. No fault of a panel or of the bus ever leaves this module.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence

from PIL import Image

from hardware.panels import (
    BLANK,
    FAULTS,
    HEIGHT_PX,
    PAGES,
    WIDTH_PX,
    Opener,
    Pages,
    PartialPanel,
    changed_windows,
    packed,
)
from hardware.ports import Clock, Health, PartState
from hardware.threads import NoThreadError, start_thread

__all__ = ["Oled", "Opener", "Panel"]

RETRY_MS = (0, 250, 1000)  # after the first, second, and every later failure in a row
UPKEEP_MS = 500  # the set-up and one of the eight pages, so that a page to show never waits long for the bus
CONTRAST, DIM_CONTRAST = 0xCF, 0x04
_TICK_S = 0.25  # how often a waiting thread looks at the clock it was given
_CLOSE_S = 1.5
_NEVER, _AT_ONCE = float("inf"), float("-inf")

Open = Callable[[], PartialPanel]  # an Opener, or what does the same; str() of it names the panel

log = logging.getLogger(__name__)


# ---- one panel -----------------------------------------------------------------------------


class Panel:
    """One panel and what is known to be in its memory. No thread, no clock: `work` is told the time."""

    def __init__(self, opener: Open, part: str = "screen", upkeep_ms: int | None = UPKEEP_MS) -> None:
        self.opener = opener
        self.health, self.detail = Health.SEARCHING, f"{opener}: being looked for"
        self.fault: Exception | None = None  # why it does not work: what was raised last
        self.part = part
        self._upkeep_ms = upkeep_ms
        self._device: PartialPanel | None = None
        self._shown: Pages = BLANK
        self._contrast: int | None = None
        self._failures = 0
        self._repaired = 0  # the page that the next upkeep sends
        self._due_ms = _AT_ONCE  # the next retry, or the next upkeep

    def due(self, now_ms: int) -> bool:
        """Whether there is something to do of its own accord: a retry or the upkeep."""
        return now_ms >= self._due_ms

    def work(self, now_ms: int, image: Image.Image | None, contrast: int) -> None:
        """Bring the panel to this picture (None: leave it) and contrast, as far as it answers. Raises no fault."""
        while self._device is not None or self.due(now_ms):  # after the first failure in a row it is due at once
            try:
                self._bring(now_ms, image, contrast)
            except FAULTS as fault:
                self._lose(now_ms, fault)
            else:
                return

    def _bring(self, now_ms: int, image: Image.Image | None, contrast: int) -> None:
        if self._device is None:
            self._device, self._shown, self._contrast = self.opener(), BLANK, None
            self._upkeep_from(now_ms)
        elif self._upkeep_ms is not None and self.due(now_ms):
            # Notice a panel that is gone, and repair one that lost its set-up or its memory without a word.
            self._device.repair(self._shown, contrast, self._repaired)
            self._repaired = (self._repaired + 1) % PAGES
            self._upkeep_from(now_ms)
        if self._contrast != contrast:
            self._device.set_contrast(contrast)
            self._contrast = contrast
        if image is not None:
            wanted = packed(self._device.preprocess(image))  # type: ignore[attr-defined]
            windows = changed_windows(self._shown, wanted, self._device.WINDOW_BYTES, self._device.ACROSS_PAGES)
            self._device.write(wanted, windows)
            self._shown = wanted
        self._failures = 0
        self.health, self.detail, self.fault = Health.CONNECTED, str(self.opener), None

    def _upkeep_from(self, now_ms: int) -> None:
        self._due_ms = now_ms + self._upkeep_ms if self._upkeep_ms is not None else _NEVER

    def _lose(self, now_ms: int, fault: Exception) -> None:
        self.fault = fault
        delay = RETRY_MS[min(self._failures, len(RETRY_MS) - 1)]
        self._failures += 1
        self._due_ms = now_ms + delay
        if self._device is not None:
            gone, self._device = self._device, None
            _quietly(gone.let_go)
        if self._failures > 1:
            if self.health is Health.CONNECTED:
                self.health = Health.LOST
            self.detail = f"{self.opener}: {fault}"

    def fail(self, now_ms: int, fault: Exception) -> None:
        """A mistake of the program came up at work: the panel is lost, and tried again as after any fault."""
        self._failures = max(self._failures, 1)
        self._lose(now_ms, fault)
        self.detail = f"{self.opener}: a fault of this program: {fault!r}"

    def close(self) -> None:
        """Switch the panel off, if it answers."""
        if self._device is not None:
            gone, self._device = self._device, None
            _quietly(gone.switch_off)
            _quietly(gone.let_go)


def _quietly(action: Callable[[], None]) -> None:
    try:
        action()
    except FAULTS as fault:
        log.debug("screen: %s", fault)


# ---- all panels ----------------------------------------------------------------------------


class Oled:
    """The screen, a `ports.Screen`: one or two panels that show the same page, each with its writer thread.

    `openers`: one for each panel (any callable as `Opener`). `on_change` is called with a PartState, from a writer
    thread, whenever a panel is found or lost; the parts are "screen", and "screen 2" for a second one.
    """

    def __init__(
        self,
        openers: Open | Sequence[Open],
        clock: Clock,
        *,
        contrast: int = CONTRAST,
        dim_contrast: int = DIM_CONTRAST,
        on_change: Callable[[PartState], None] | None = None,
        upkeep_ms: int | None = UPKEEP_MS,
    ) -> None:
        chosen = [openers] if callable(openers) else list(openers)
        self._clock, self._on_change = clock, on_change
        self._contrast, self._dim_contrast, self._dimmed = contrast, dim_contrast, False
        self._image: Image.Image | None = None
        self._mail = threading.Condition()
        self._wanted = 1  # counts what was asked for
        self._closing = False
        self._panels = [
            Panel(opener, "screen" if index == 0 else f"screen {index + 1}", upkeep_ms)
            for index, opener in enumerate(chosen)
        ]
        self._done = [0] * len(chosen)
        self._states = [PartState(panel.part, panel.health, panel.detail, clock.now_ms()) for panel in self._panels]
        self._threads: list[threading.Thread] = []
        try:
            for index, panel in enumerate(self._panels):
                self._threads.append(start_thread(self._write, panel.part, index))
        except NoThreadError:
            self.close()
            raise

    def show(self, image: Image.Image) -> None:
        """`image`: mode "1", 128 x 64. Returns at once. Raises ValueError for any other picture."""
        if image.mode != "1" or image.size != (WIDTH_PX, HEIGHT_PX):
            raise ValueError(
                f"the screen was given a picture of mode {image.mode!r} and {image.size} pixels: "
                f"expected mode '1' and {(WIDTH_PX, HEIGHT_PX)}"
            )
        self._ask(image=image.copy())

    def dim(self, dimmed: bool) -> None:
        if dimmed != self._dimmed:
            self._ask(dimmed=dimmed)

    def brightness(self, contrast: int) -> None:
        """The contrast when not dimmed: 0 to 255."""
        if not 0 <= contrast <= 255:
            raise ValueError(f"screen contrast {contrast}: 0 to 255 is possible")
        self._ask(contrast=contrast)

    def states(self) -> tuple[PartState, ...]:
        """How each panel is."""
        with self._mail:
            return tuple(self._states)

    def faults(self) -> tuple[Exception | None, ...]:
        """Why each panel does not work: what its driver or the system raised last; None while it works."""
        return tuple(panel.fault for panel in self._panels)

    def state(self) -> PartState:
        """How the screen is as a whole: connected only if every panel is; else the first that is not."""
        states = self.states()
        worst = next((state for state in states if state.health is not Health.CONNECTED), states[0])
        return PartState("screen", worst.health, worst.detail, worst.at_ms)

    def settle(self, timeout_s: float = 5.0) -> bool:
        """Wait until every panel has dealt with all that was asked for, or has failed to; False if it took too long."""
        with self._mail:
            return self._mail.wait_for(lambda: all(done >= self._wanted for done in self._done), timeout_s)

    def close(self) -> None:
        """Switch the panels off and end the threads; a bus that is stuck is left behind after 1.5 s."""
        with self._mail:
            self._closing = True
            self._mail.notify_all()
        for thread in self._threads:
            thread.join(_CLOSE_S / len(self._threads))

    def __enter__(self) -> Oled:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, image: Image.Image | None = None, dimmed: bool | None = None, contrast: int | None = None) -> None:
        with self._mail:
            self._image = image if image is not None else self._image
            self._dimmed = dimmed if dimmed is not None else self._dimmed
            self._contrast = contrast if contrast is not None else self._contrast
            self._wanted += 1
            self._mail.notify_all()

    def _write(self, index: int) -> None:
        """A writer thread: waits for mail or for the panel's next time, works, says what became of it."""
        panel = self._panels[index]
        try:
            while not self._closing:
                with self._mail:
                    called = self._mail.wait_for(
                        lambda: self._closing or self._done[index] < self._wanted or panel.due(self._clock.now_ms()),
                        _TICK_S,
                    )
                    wanted, image = self._wanted, self._image
                    contrast = self._dim_contrast if self._dimmed else self._contrast
                if called and not self._closing:
                    try:
                        panel.work(self._clock.now_ms(), image, contrast)
                    except Exception as fault:  # noqa: BLE001 - a thread that dies is seen by nobody
                        panel.fail(self._clock.now_ms(), fault)
                    self._report(index, wanted)
        finally:
            if not self._closing:  # only a mistake in the program leads here; the traceback follows
                panel.health, panel.detail = Health.LOST, "its writer thread has ended"
                self._report(index, self._wanted)
            panel.close()

    def _report(self, index: int, done: int) -> None:
        panel = self._panels[index]
        state = PartState(panel.part, panel.health, panel.detail, self._clock.now_ms())
        with self._mail:
            changed = state.health is not self._states[index].health
            if changed or state.detail != self._states[index].detail:
                self._states[index] = state
            self._done[index] = done
            self._mail.notify_all()
        if changed and self._on_change is not None:
            self._on_change(state)

"""The check at the table itself: its questions on the screen, answered with the two buttons, and what it found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from engine.cards import YAY
from firmware.check.checking import run_check
from firmware.check.system import of_this_machine
from firmware.config.values import Config
from firmware.errors import FirmwareError
from firmware.screen.drawing import draw
from firmware.table.findings import Row
from firmware.views.page import Page
from firmware.wiring.parts import Parts
from firmware.words import Words
from hardware.ports import Press, Pressed

ANSWER_MS = 30_000
LOOK_MS = 4_000  # before a question about the screen, which is left to be looked at for this long
POLL_MS = 20
ABOUT_THE_SCREEN = ("The screen", "The second screen")


class CheckStopped(FirmwareError):
    """The players, or whoever stops the program, want no more of the check."""


class ScreenAsk:
    """A `firmware.check.rows.Ask` and `Say` with two buttons: `yay`'s goes to the next answer, `wow`'s takes it.

    `pause_ms` lets time pass (and feeds whoever watches us). Without an answer within 30 s it is None.
    """

    def __init__(self, parts: Parts, say: Words, pause_ms: Callable[[int], object]) -> None:
        self._parts, self._say, self._pause_ms = parts, say, pause_ms

    def tell(self, line: str) -> None:
        self._show(Page(title=self._say("Check"), note=line))

    def __call__(self, question: str, answers: Sequence[str]) -> str | None:
        if question.startswith(ABOUT_THE_SCREEN):
            self._pause_ms(LOOK_MS)
        chosen, end_ms = 0, self._parts.clock.now_ms() + ANSWER_MS
        self._ask(question, answers[chosen])
        while self._parts.clock.now_ms() < end_ms:
            self._pause_ms(POLL_MS)
            for event in self._parts.controls.poll(self._parts.clock.now_ms()):
                if not isinstance(event, Pressed) or event.press is Press.UNDO:
                    continue
                if event.press is Press.MENU:  # both buttons: enough
                    raise CheckStopped
                if event.button != YAY:
                    return answers[chosen]
                chosen = (chosen + 1) % len(answers)
                self._ask(question, answers[chosen])
        return None

    def _ask(self, question: str, answer: str) -> None:
        self._show(
            Page(
                title=self._say("Check"),
                note=f"{question} - {answer}?",
                left=self._say("next"),
                right=self._say("take"),
            )
        )

    def _show(self, page: Page) -> None:
        self._parts.outputs.screen.show(draw(page))


def check_at_the_table(
    parts: Parts, config: Config, state: Path, virtual: bool, say: Words, alive: Callable[[], None]
) -> tuple[Row, ...]:
    """Check everything, with questions at the screen. Nobody else may poll pads or controls meanwhile."""
    system = of_this_machine(config, state, virtual=virtual)
    really = system.pause_ms

    def pause_ms(ms: int) -> None:
        """In small steps, so that the watchdog is fed."""
        while ms > 0:
            alive()
            really(min(ms, 200))
            ms -= 200

    ask = ScreenAsk(parts, say, pause_ms)
    return tuple(run_check(parts, replace(system, pause_ms=pause_ms), ask, ask.tell))

"""The pads: several readers polled in turn, watched over, and what happens on them.

`Pads.poll` does one round: it lets all readers that work do one inventory, interleaved, so that one talks over
SPI while another waits for its cards (unless cards answered badly of late, as they do when two fields reach the
same card: then one reader after the other); it tries those again that do not work, less and less often; and it turns
the readings into placed and lifted cards (`hardware.presence`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass

from hardware.ports import HardwareError, Health, PartState
from hardware.presence import LIFT_MS, SETTLE_MS, CardEvent, Delays, Presence, interrupted, observe
from hardware.rc522 import Reader, Reading, RegistersLost

log = logging.getLogger(__name__)

PAUSE_MS = 15  # between two rounds: at most this much is lost before a card is noticed
HURRY_MS = 6  # while a card has been seen that is about to be placed; with one antenna a round has to last so long
FIRST_RETRY_MS = 100
LAST_RETRY_MS = 1600  # a reader that returns is back within 2 s
APART_ROUNDS = 50  # after a card could not be read well: the readers then work one after the other for a while

PadEvent = CardEvent | PartState


def take_turns(
    running: Mapping[str, Generator[bytes | None, None, Reading]], found: Callable[[str, bytes], None] | None = None
) -> dict[str, Reading | Exception]:
    """Let several polls (`Reader.steps`) run at once, a step each by turns, so that they wait for the air together.

    Returns for each its reading, or the HardwareError or OSError that ended it. `found` is called with a
    reader's name and a UID as soon as that card has been selected.
    """
    left = dict(running)
    results: dict[str, Reading | Exception] = {}
    while left:
        for name, steps in list(left.items()):
            try:
                uid = next(steps)
            except StopIteration as end:
                results[name] = end.value
                del left[name]
            except (HardwareError, OSError) as error:
                results[name] = error
                del left[name]
            else:
                if uid is not None and found is not None:
                    found(name, uid)
    return results


@dataclass
class _Pad:
    """One reader and how it is. `reader` is None while there is none that works."""

    part: str
    opener: Callable[[], Reader]
    reader: Reader | None = None
    health: Health = Health.SEARCHING
    reported: tuple[Health, str] | None = None
    retry_at_ms: int | None = None
    retry_ms: int = FIRST_RETRY_MS
    fault: Exception | None = None
    uncompared: tuple[int, ...] = ()  # of its reader, as last told


class Pads:
    """A `hardware.ports.Source` of what lies on the pads; the parts are named "pad <name>".

    `openers`: for each pad a function that opens its reader; it may raise HardwareError or OSError.
    `settle_ms`: how long a card must have been seen before it counts, 0: the first reading does; `lift_ms`: how
    long it must be missing.
    `one_antenna`: only one reader has its field on at a time, each round another; for pads so near to each
    other that the fields disturb the cards. A round must then last at least 6 ms.
    """

    def __init__(
        self,
        openers: Mapping[str, Callable[[], Reader]],
        settle_ms: int = SETTLE_MS,
        lift_ms: int = LIFT_MS,
        one_antenna: bool = False,
    ) -> None:
        self._pads = {name: _Pad(f"pad {name}", opener) for name, opener in openers.items()}
        self._delays = Delays(settle_ms, lift_ms)
        self._one_antenna = one_antenna
        self._turn: str | None = None
        self._apart_rounds = 0
        self._presence = Presence.of(openers)
        self._pause_ms = PAUSE_MS

    # ---- what others ask -------------------------------------------------------------------

    def cards(self, pad: str) -> tuple[bytes, ...]:
        """The cards that lie on this pad: placed and not lifted."""
        return self._presence.on(pad)

    def reader(self, pad: str) -> Reader | None:
        """The reader of this pad, or None while it does not work."""
        return self._pads[pad].reader

    def state(self, pad: str) -> Health:
        return self._pads[pad].health

    def fault(self, pad: str) -> Exception | None:
        """Why the reader of this pad does not work: what its driver or the system raised last; None while it works."""
        return self._pads[pad].fault

    @property
    def pause_ms(self) -> int:
        """How long to wait after the latest round: PAUSE_MS, or less if a card is to be placed before that."""
        return self._pause_ms

    # ---- one round -------------------------------------------------------------------------

    def poll(self, now_ms: int) -> list[PadEvent]:
        """One round over all pads, and what happened in it. Never raises for a fault of a reader."""
        events: list[PadEvent] = []
        for name, pad in self._pads.items():
            if pad.reader is None and (pad.retry_at_ms is None or now_ms >= pad.retry_at_ms):
                self._open(name, now_ms, events)
        readings, failures = self._read_all()
        for name, error in failures.items():
            self._failed(name, error, now_ms, events)
        for name, reading in readings.items():
            if not reading.blind:
                self._works(self._pads[name], now_ms, events)
        if self._one_antenna:
            self._pass_the_turn(readings, now_ms, events)
        self._presence, happened = observe(self._presence, now_ms, readings, self._delays)
        due_ms = self._presence.due_ms(self._delays)
        self._pause_ms = PAUSE_MS if due_ms is None else max(HURRY_MS, min(PAUSE_MS, due_ms - now_ms))
        return [*events, *happened]

    def _read_all(self) -> tuple[dict[str, Reading], dict[str, Exception]]:
        """One inventory of each reader that works: what each read, in the order of the pads, or how it failed."""
        running = {name: pad.reader.steps() for name, pad in self._pads.items() if pad.reader is not None}
        results: dict[str, Reading | Exception] = {}
        if self._apart_rounds:
            self._apart_rounds -= 1
            for name, steps in running.items():
                results |= take_turns({name: steps})
        else:
            results = take_turns(running)
        readings = {name: result for name in running if isinstance(result := results[name], Reading)}
        if any(reading.shaky for reading in readings.values()):
            self._apart_rounds = APART_ROUNDS
        failures = {name: result for name, result in results.items() if isinstance(result, Exception)}
        return readings, failures

    # ---- supervision -----------------------------------------------------------------------

    def _open(self, name: str, now_ms: int, events: list[PadEvent]) -> None:
        pad = self._pads[name]
        try:
            pad.reader = pad.opener()
        except (HardwareError, OSError) as error:
            self._gave_up(pad, error, now_ms, events)
            return
        if self._one_antenna:
            self._switch(name, False, now_ms, events)
            if self._turn == name:  # its field is off now: whoever is next gets the turn anew
                self._turn = None

    def _failed(self, name: str, error: Exception, now_ms: int, events: list[PadEvent]) -> None:
        """A reader failed in the middle of a round. One that only lost its settings gets them again at once."""
        pad = self._pads[name]
        reader = pad.reader
        assert reader is not None
        self._presence, passed = interrupted(self._presence, name, now_ms)
        events += passed
        if isinstance(error, RegistersLost):
            log.debug("%s %s; it is set up again", pad.part, error)
            try:
                reader.MFRC522_Init()
            except (HardwareError, OSError) as second:
                error = second
            else:
                if self._one_antenna:
                    self._switch(name, name == self._turn, now_ms, events)
                detail = f"{self._describe(pad)}; it had lost its settings and was set up again"
                self._report(pad, pad.health, detail, now_ms, events)
                return
        reader.close()
        pad.reader = None
        self._gave_up(pad, error, now_ms, events)

    def _works(self, pad: _Pad, now_ms: int, events: list[PadEvent]) -> None:
        reader = pad.reader
        assert reader is not None
        pad.retry_ms = FIRST_RETRY_MS
        if pad.health is not Health.CONNECTED or pad.uncompared != reader.uncompared:
            pad.uncompared = reader.uncompared
            self._report(pad, Health.CONNECTED, self._describe(pad), now_ms, events)

    def _gave_up(self, pad: _Pad, error: Exception, now_ms: int, events: list[PadEvent]) -> None:
        pad.retry_at_ms = now_ms + pad.retry_ms
        pad.retry_ms = min(2 * pad.retry_ms, LAST_RETRY_MS)
        pad.fault = error
        health = Health.SEARCHING if pad.health is Health.SEARCHING else Health.LOST
        self._report(pad, health, str(error), now_ms, events)

    def _report(self, pad: _Pad, health: Health, detail: str, now_ms: int, events: list[PadEvent]) -> None:
        """Say how a part is, once for each change."""
        pad.health = health
        pad.fault = None if health is Health.CONNECTED else pad.fault
        if pad.reported != (health, detail):
            pad.reported = (health, detail)
            events.append(PartState(pad.part, health, detail, now_ms))

    @staticmethod
    def _describe(pad: _Pad) -> str:
        assert pad.reader is not None
        odd = " and ".join(f"0x{register:02X}" for register in pad.reader.uncompared)
        copied = (
            f"; register {odd} reads otherwise than written, as of a copy, and is no longer compared" if odd else ""
        )
        return f"MFRC522, version 0x{pad.reader.version:02X}{copied}"

    # ---- one antenna at a time -------------------------------------------------------------

    def _pass_the_turn(self, readings: Mapping[str, Reading], now_ms: int, events: list[PadEvent]) -> None:
        """After a round: when the reader whose turn it is has read its cards, the next one's field goes on."""
        working = [name for name, pad in self._pads.items() if pad.reader is not None]
        turn = self._turn if self._turn in working else None
        if not working or (turn is not None and (turn not in readings or readings[turn].blind)):
            return
        after = working[(working.index(turn) + 1) % len(working)] if turn is not None else working[0]
        if after == turn:
            return
        self._turn = after
        for name, on in ((turn, False), (after, True)):
            if name is not None:
                self._switch(name, on, now_ms, events)

    def _switch(self, name: str, on: bool, now_ms: int, events: list[PadEvent]) -> None:
        reader = self._pads[name].reader
        assert reader is not None
        try:
            reader.switch_field(on)
        except (HardwareError, OSError) as error:
            self._failed(name, error, now_ms, events)

    # ---- the end ---------------------------------------------------------------------------

    def close(self) -> None:
        """Switch all fields off and close all readers. May be called twice."""
        for pad in self._pads.values():
            if pad.reader is not None:
                pad.reader.close()
                pad.reader = None

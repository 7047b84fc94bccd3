"""A source that is polled in a thread of its own."""

from __future__ import annotations

import logging
import queue
import threading

from hardware.ports import Clock, HardwareEvent, Source
from hardware.threads import start_thread

LOG = logging.getLogger("tacocat")
FAULT_MS = 250  # after a mistake of the program, before the next try


class Poller:
    """Polls a source in a thread of its own and puts what happened into a mailbox."""

    def __init__(self, source: Source, mailbox: queue.SimpleQueue[HardwareEvent | None], clock: Clock) -> None:
        self._source, self._mailbox, self._clock = source, mailbox, clock
        self._stop = threading.Event()
        self.rounds = 0  # grows while the poller lives
        self._thread = start_thread(self._run, "pads")

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                for event in self._source.poll(self._clock.now_ms()):
                    self._mailbox.put(event)
                pause_ms = self._source.pause_ms
                self.rounds += 1
            except Exception:  # a thread that dies is seen by nobody; one that never succeeds starves the watchdog
                LOG.exception("The pads could not be read")
                pause_ms = FAULT_MS
            self._stop.wait(pause_ms / 1000)

    def close(self) -> None:
        self._stop.set()
        self._thread.join(timeout=1)

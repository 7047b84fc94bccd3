"""A source that is polled in a thread of its own."""

from __future__ import annotations

import queue
import threading

from hardware.ports import Clock, HardwareEvent, Source


class Poller:
    """Polls a source in a thread of its own and puts what happened into a mailbox."""

    def __init__(self, source: Source, mailbox: queue.SimpleQueue[HardwareEvent | None], clock: Clock) -> None:
        self._source, self._mailbox, self._clock = source, mailbox, clock
        self._stop = threading.Event()
        self.rounds = 0  # grows while the poller lives
        self._thread = threading.Thread(target=self._run, name="pads", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.is_set():
            for event in self._source.poll(self._clock.now_ms()):
                self._mailbox.put(event)
            self.rounds += 1
            self._stop.wait(self._source.pause_ms / 1000)

    def close(self) -> None:
        self._stop.set()
        self._thread.join(timeout=1)

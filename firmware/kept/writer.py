"""The writer: a thread of its own that brings games, deck and settings to the disk, and tells how far it has come."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from firmware.errors import FirmwareError, reason
from firmware.files.disk import why
from firmware.files.whole import Notice
from firmware.kept.journal import GameOrder, Journal
from hardware.threads import start_thread

GAMES, DECK, SETTINGS, CARDS = "games", "deck", "settings", "cards"
RETRY_S = 5.0  # how often something that could not be kept is tried again, if nothing else is given
CLOSE_S = 1.5  # how long the end waits for a slow disk


@dataclass(frozen=True, slots=True)
class Save:
    """An order: `what` (DECK, SETTINGS or CARDS) is to be kept by calling `save`, which raises SaveError.

    A later one of the same kind takes the place of one that could not be kept yet.
    """

    what: str
    save: Callable[[], Sequence[Notice]]


Order = GameOrder | Save


class Writer:
    """Orders go in, `written` says how many were done: they are on the disk, or it was told that they are not.

    `on_kept(what, reason)` is called in the thread for everything that was tried: the reason why it is not kept, in
    words, or "" if it is. What is not kept is tried again with each order, and every RETRY_S seconds, each kind for
    itself. `on_said` gets what is to be told of files that were mended or set aside; `on_progress` is called after
    each batch of orders. With `start` False there is no thread: the caller `work`s off what was given.
    """

    def __init__(
        self,
        journal: Journal,
        on_progress: Callable[[], None],
        on_kept: Callable[[str, str], None],
        on_said: Callable[[str], None] = lambda text: None,
        *,
        start: bool = True,
    ) -> None:
        self._journal = journal
        self._orders: queue.SimpleQueue[Order | None] = queue.SimpleQueue()
        self._on_progress, self._on_kept, self._on_said = on_progress, on_kept, on_said
        self._saves: dict[str, Save] = {}  # what is to be kept, and is not yet
        self.given = 0  # orders taken, by the loop's thread alone
        self.written = 0  # orders done, by the writer's thread alone
        self._thread: threading.Thread | None = None
        if start:
            self._thread = start_thread(self._run, "writer")

    def give(self, order: Order) -> int:
        """Returns the order's number."""
        self.given += 1
        self._orders.put(order)
        return self.given

    @property
    def behind(self) -> bool:
        """Whether something that was worked on is not kept yet."""
        return bool(self._saves) or not self._journal.kept

    def close(self) -> None:
        """Write what was given, then stop. A disk that does not answer is not waited for."""
        self._orders.put(None)
        if self._thread is not None:
            self._thread.join(timeout=CLOSE_S)
        else:
            self._run()

    def _run(self) -> None:
        while self.work():
            pass

    def work(self) -> bool:
        """Do all that was given since, or wait for the next order; False once it was the last (see `close`)."""
        batch = self._batch()
        orders = [order for order in batch if order is not None]
        for order in orders:
            self._take(order)
        self.keep()
        self.written += len(orders)
        self._on_progress()
        if None in batch:
            self._journal.close()
        return None not in batch

    def _batch(self) -> list[Order | None]:
        try:
            batch = [self._orders.get(timeout=RETRY_S if self.behind else None)]
        except queue.Empty:
            return []  # time to try again
        while not self._orders.empty():
            batch.append(self._orders.get())
        return batch

    def _take(self, order: Order) -> None:
        if isinstance(order, Save):
            self._saves[order.what] = order
            return
        try:
            self._journal.take(order)
        except ValueError as error:
            self._on_kept(GAMES, str(error))
        except Exception as fault:  # noqa: BLE001 - one bad order takes only itself with it: this thread serves all
            self._on_kept(GAMES, f"{_NOT_KEPT[GAMES]}: {_OUR_FAULT}: {reason(fault)}")

    def keep(self) -> None:
        """Try all that is not kept: one write and one fsync for as many events as have come together."""
        if not self._journal.kept:
            self._try(GAMES, self._keep_games)
        for what, save in list(self._saves.items()):
            self._try(what, partial(self._save, save))

    def _try(self, what: str, keep: Callable[[], None]) -> None:
        try:
            keep()
        except Exception as error:  # noqa: BLE001 - tried again; without this thread the table would wait for ever
            place = f" ({self._journal.path or self._journal.folder})" if what == GAMES else ""
            self._on_kept(what, f"{_NOT_KEPT[what]}: {_words(error)}{place}")
        else:
            self._on_kept(what, "")

    def _keep_games(self) -> None:
        try:
            self._journal.keep()
        finally:
            said, self._journal.said = self._journal.said, []
            for text in said:
                self._on_said(text)

    def _save(self, order: Save) -> None:
        for notice in order.save():
            self._on_said(str(notice))
        del self._saves[order.what]


def _words(error: Exception) -> str:
    match error:
        case OSError():
            return why(error)
        case FirmwareError():
            return str(error)
    return f"{_OUR_FAULT}: {reason(error)}"


_OUR_FAULT = "a fault of this program"
_NOT_KEPT = {
    GAMES: "the game cannot be kept",
    DECK: "the deck cannot be kept",
    SETTINGS: "the settings cannot be kept",
    CARDS: "where the cards lie cannot be kept",
}

"""What is told beside the game comes as clean lines, and what repeats once a minute, whoever tells it."""

from __future__ import annotations

import gc
import itertools
import logging
import queue
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import cast

import pytest

from firmware import errors
from firmware.bots.at_table import TablePlayer, level_contestant
from firmware.commands.logs import told_by
from firmware.commands.streams import PrinterHandler
from firmware.errors import OnceAMinute
from firmware.run.news import NEWS_LOG
from firmware.run.poller import LOG as poller_log
from firmware.run.poller import Poller
from firmware.run.systemd import Notifier
from firmware.virtual import server
from hardware.ports import HardwareEvent
from hardware.twins.virtual_time import VirtualTime


class Minutes:
    """A clock for what is told."""

    now_s = 0.0

    def monotonic(self) -> float:
        return self.now_s


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Minutes:
    minutes = Minutes()
    monkeypatch.setattr(errors.OnceAMinute.__init__, "__defaults__", (minutes.monotonic,))
    return minutes


@pytest.fixture
def lines(time: Minutes) -> Iterator[list[str]]:
    found: list[str] = []
    with told_by(PrinterHandler(found.append, logging.Formatter("%(message)s"))):
        yield found


def run_in_a_thread(work: object) -> None:
    thread = threading.Thread(target=work, name="of nobody")  # type: ignore[arg-type]
    thread.start()
    thread.join()


def fail() -> None:
    raise ValueError("\x1b[2J odd\nFAKE line " + "x" * 1000)


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_thread_that_dies_is_told_with_its_reason_in_one_clean_line(lines: list[str]) -> None:
    run_in_a_thread(fail)
    (line,) = lines
    assert line.startswith("The thread of nobody has ended: ValueError: \ufffd[2J odd FAKE line xxx")
    assert line.isprintable() and len(line) <= errors.LONGEST


def test_a_thread_that_meant_to_end_is_not_told_of(lines: list[str]) -> None:
    def leave() -> None:
        raise SystemExit

    run_in_a_thread(leave)
    assert lines == []


def test_what_goes_wrong_when_something_is_collected_is_told_in_a_line(lines: list[str]) -> None:
    class Odd:
        def __del__(self) -> None:
            fail()

    odd = Odd()
    del odd
    gc.collect()
    (line,) = lines
    assert "ValueError: \ufffd[2J odd" in line and line.isprintable()


def test_where_python_does_not_know_the_thread_or_has_no_words_there_are_some(lines: list[str]) -> None:
    fault = ValueError("odd")
    threading.excepthook(threading.ExceptHookArgs((ValueError, fault, None, None)))
    sys.unraisablehook(cast("sys.UnraisableHookArgs", SimpleNamespace(err_msg=None, exc_value=fault)))
    sys.unraisablehook(cast("sys.UnraisableHookArgs", SimpleNamespace(err_msg="Collected oddly", exc_value=fault)))
    assert lines == [
        "The thread of a library has ended: ValueError: odd",
        "A fault that nobody was told: ValueError: odd",
        "Collected oddly: ValueError: odd",
    ]


def test_a_library_that_warns_is_heard_in_a_clean_line(lines: list[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(False)
        logging.captureWarnings(True)
        warnings.warn("old \x1b[2J way", stacklevel=1)
    (line,) = lines
    assert "UserWarning: old \ufffd[2J way" in line and line.isprintable()


def once() -> None:
    logging.getLogger("a.library").error("socket.send() raised exception.")


def words() -> None:
    try:
        raise OSError(f"ever new words: {words.number}")  # type: ignore[attr-defined]
    except OSError:
        logging.getLogger("a.library").exception("It failed")
    words.number += 1  # type: ignore[attr-defined]


words.number = 0  # type: ignore[attr-defined]


@pytest.mark.parametrize("fault", [once, words, lambda: run_in_a_thread(fail)], ids=["line", "words", "thread"])
def test_what_repeats_for_ten_minutes_is_told_once_a_minute_whoever_tells_it(
    lines: list[str], time: Minutes, fault
) -> None:
    for now_s in range(600):
        time.now_s = now_s
        fault()
    assert len(lines) == 10


def test_how_a_part_is_is_told_whenever_it_comes_and_cleanly(lines: list[str]) -> None:
    NEWS_LOG.error("%s", "strip: lost (\x1b]0;x\x07\nFAKE)")
    NEWS_LOG.error("%s", "strip: lost (\x1b]0;x\x07\nFAKE)")
    assert lines == ["strip: lost (\ufffd]0;x\ufffd FAKE)"] * 2


def test_afterwards_everything_is_as_it_was() -> None:
    root, hook = logging.getLogger(), threading.excepthook
    before = root.level, list(root.handlers)
    with told_by(PrinterHandler(print, logging.Formatter("%(message)s")), logging.INFO):
        assert threading.excepthook is not hook
    assert (root.level, list(root.handlers)) == before and threading.excepthook is hook


def flapping_systemd() -> Callable[[], None]:
    notifier = Notifier("/nowhere")
    moods = itertools.cycle([OSError(111, "Connection refused"), None])

    class Socket:
        def sendto(self, *_: object) -> None:
            if mood := next(moods):
                raise mood

        def close(self) -> None: ...

    assert notifier._socket is not None
    notifier._socket.close()
    notifier._socket = Socket()  # type: ignore[assignment]
    numbers = itertools.count()
    return lambda: notifier.status(f"turn {next(numbers)}")


def crowded_loop() -> Callable[[], None]:
    numbers = itertools.count()
    return lambda: server._tell(None, {"message": "no more", "exception": OSError(f"ever new {next(numbers)}")})  # type: ignore[arg-type]


def failing_poller() -> Callable[[], None]:
    class Source:
        pause_ms, polls = 0, 0

        def poll(self, now_ms: int) -> list[HardwareEvent]:
            self.polls += 1
            poller._stop.set()
            raise KeyError(self.polls)

    with pytest.MonkeyPatch.context() as still:
        still.setattr("firmware.run.poller.start_thread", lambda *_: threading.current_thread())
        poller = Poller(Source(), queue.SimpleQueue(), VirtualTime())

    def turn() -> None:
        poller._stop.clear()
        poller._run()

    return turn


def failing_bot() -> Callable[[], None]:
    player, numbers = TablePlayer(level_contestant("random"), lambda command: fail(), lambda: 0), itertools.count()
    return lambda: player._fault("odd", f"odd {next(numbers)}")


@pytest.mark.parametrize("repeating", [flapping_systemd, crowded_loop, failing_poller, failing_bot])
def test_what_may_fail_in_each_turn_of_the_table_is_told_once_a_minute(
    lines: list[str], time: Minutes, monkeypatch: pytest.MonkeyPatch, repeating: Callable[[], Callable[[], None]]
) -> None:
    for log in (server.LOG, poller_log):
        monkeypatch.setattr(log, "filters", [OnceAMinute()])
    turn = repeating()
    for now_s in range(600):
        time.now_s = now_s
        turn()
    assert len(lines) == 10, lines

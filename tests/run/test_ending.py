"""Signals that end the program: caught early, told once, never stuck."""

import os
import queue
import signal
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest

from firmware.run.ending import ENDING, Deadline, Interrupted, interrupted_by_signals, told_by_signals


@pytest.fixture(autouse=True)
def as_in_a_terminal():
    """What was inherited is set: a job in the background has SIGINT ignored."""
    before = {number: signal.signal(number, signal.SIG_DFL) for number in ENDING}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", ENDING)
def test_k4_23_each_signal_is_told_twice_if_it_comes_twice_and_then_all_is_as_it_was(number):
    told = []
    with told_by_signals(told.append):
        os.kill(os.getpid(), number)
        os.kill(os.getpid(), number)
    assert told == [number, number]
    assert signal.getsignal(number) is signal.SIG_DFL


@pytest.mark.parametrize("number", ENDING)
def test_a_signal_that_was_ignored_at_the_start_stays_ignored(number):
    signal.signal(number, signal.SIG_IGN)
    told = []
    with told_by_signals(told.append):
        os.kill(os.getpid(), number)
    assert told == []


def test_only_the_first_signal_interrupts_and_what_closes_is_not_interrupted_again():
    closed = []
    with pytest.raises(Interrupted) as stopped, interrupted_by_signals():
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        finally:
            os.kill(os.getpid(), signal.SIGHUP)
            closed.append(True)
    assert closed and stopped.value.status == 128 + signal.SIGTERM


def test_a_process_that_ends_is_deaf_for_good():
    with interrupted_by_signals(for_good=True):
        pass
    assert {signal.getsignal(number) for number in ENDING} == {signal.SIG_IGN}


def test_a_deadline_ends_the_process_unless_it_was_closed_in_time():
    left = queue.SimpleQueue()
    Deadline(0, left.put).start()
    assert left.get(timeout=10) == 0
    late = Deadline(0, left.put)
    late.close()
    late.start()
    assert left.empty()


def test_a_deadline_that_is_closed_leaves_no_thread_behind():
    before = set(threading.enumerate())
    deadline = Deadline(1000, print)
    (waits,) = set(threading.enumerate()) - before
    deadline.close()
    waits.join(10)
    assert not waits.is_alive()


def test_a_deadline_that_is_closed_while_its_time_runs_ends_nothing(monkeypatch):
    left, before = [], set(threading.enumerate())
    deadline = Deadline(1000, left.append)
    (waits,) = set(threading.enumerate()) - before
    monkeypatch.setattr("firmware.run.ending.time", SimpleNamespace(sleep=lambda seconds: deadline.close()))
    deadline.start()
    waits.join(10)
    assert not waits.is_alive() and left == []


@pytest.mark.parametrize("number", ENDING)
def test_a_signal_whose_handler_is_none_of_pythons_is_left_alone(number, monkeypatch):
    """signal.getsignal gives None for a handler that something else in the process has set."""
    really, told = signal.getsignal, []
    monkeypatch.setattr(signal, "getsignal", lambda one: None if one == number else really(one))
    with told_by_signals(told.append):
        assert really(number) is signal.SIG_DFL
        others = [one for one in ENDING if one != number]
        for one in others:
            os.kill(os.getpid(), one)
    assert told == others


WAITING = """
import queue, signal, sys, threading, time
from firmware.run.ending import told_by_signals
mailbox, ended = queue.SimpleQueue(), []
def end(number):
    ended.append(number)
    mailbox.put(None)
    time.sleep(0.3)  # longer than what is left of the wait
with told_by_signals(end):
    print("waits", flush=True)
    while not ended:
        try:
            mailbox.get(timeout=0.1)
        except queue.Empty:
            pass
print("ended", flush=True)
"""


def test_k5_32_a_signal_whose_handler_is_slower_than_the_wait_wakes_the_queue():
    with subprocess.Popen([sys.executable, "-c", WAITING], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "waits\n"
        program.send_signal(signal.SIGTERM)
        try:
            assert program.communicate(timeout=20)[0] == "ended\n"
        finally:
            program.kill()


def test_in_another_thread_nothing_is_caught():
    before, seen = signal.getsignal(signal.SIGTERM), []

    def look():
        with told_by_signals(lambda number: None):
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [before]

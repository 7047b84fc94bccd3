"""The host's end of the link, without a port: what it sends, and what answers and silence mean."""

from __future__ import annotations

import pytest

from hardware import frames
from hardware.link import LinkError, NotOurStripError, Session, Setup, Target, Timing
from tests.support.strip_support import show, still, who

RED = still((60, 0, 0))
BLUE = still((0, 0, 90), (1, 2, 3))


def connected(session: Session) -> Session:
    """Do a session's hello and setup as a strip would."""
    session.next_frame(0)
    session.feed(who(frames.VERSION))
    seq = frames.Parser().feed(session.next_frame(0) or b"")[0][1]
    session.feed(frames.encode(frames.SETUP | frames.ANSWER, seq))
    assert session.ready
    return session


def test_u15_an_idle_host_pings_at_least_every_second_for_10_minutes() -> None:
    session = connected(Session(Setup(), Timing()))
    parser = frames.Parser()
    now_ms = last_ms = 0
    longest_ms = 0
    while now_ms < 600_000:
        now_ms += session.due_ms(now_ms)
        for kind, seq, _ in parser.feed(session.next_frame(now_ms) or b""):
            assert kind == frames.PING
            longest_ms = max(longest_ms, now_ms - last_ms)
            last_ms = now_ms
            session.feed(frames.encode(kind | frames.ANSWER, seq))
    assert longest_ms <= 1000


def test_a_frame_without_an_answer_is_sent_again_unchanged_and_then_given_up() -> None:
    session = connected(Session(Setup(), Timing(answer_ms=250, tries=4)))
    session.want(Target(1, RED))
    sent = [session.next_frame(1000 + 250 * i) for i in range(4)]
    assert sent[0] is not None and set(sent) == {sent[0]}
    with pytest.raises(LinkError, match="has not answered 4 times"):
        session.next_frame(2000)


def test_a_newer_picture_replaces_one_that_waits_for_its_answer() -> None:
    session = connected(Session(Setup(), Timing()))
    session.want(Target(1, RED))
    first = frames.Parser().feed(session.next_frame(0) or b"")[0]
    session.want(Target(2, BLUE))
    assert session.next_frame(100) is None
    second = frames.Parser().feed(session.next_frame(250) or b"")[0]
    assert (first[2], second[2]) == (show(RED), show(BLUE))
    session.feed(frames.encode(frames.SHOW | frames.ANSWER, first[1]))
    assert session.shown == 0, "the late answer is not for this picture"
    session.feed(frames.encode(frames.SHOW | frames.ANSWER, second[1]))
    assert session.shown == 2


def test_a_strip_that_has_restarted_is_set_up_again() -> None:
    session = connected(Session(Setup(), Timing()))
    session.want(Target(1, RED))
    seq = frames.Parser().feed(session.next_frame(0) or b"")[0][1]
    session.feed(frames.encode(frames.ERROR, seq, bytes((frames.E_NOT_SET_UP, frames.SHOW))))
    kinds = []
    for _ in range(2):
        kind, seq, _ = frames.Parser().feed(session.next_frame(0) or b"")[0]
        kinds.append(kind)
        session.feed(frames.encode(kind | frames.ANSWER, seq))
    assert kinds == [frames.SETUP, frames.SHOW]
    assert session.shown == 1


def test_an_answer_that_is_no_strips_is_a_stranger() -> None:
    session = Session(Setup(), Timing())
    session.next_frame(0)
    with pytest.raises(NotOurStripError):
        session.feed(frames.encode(frames.HELLO | frames.ANSWER, frames.HELLO_SEQ, b"hm"))


def test_a_refused_picture_is_reported_once_and_not_sent_for_ever() -> None:
    session = connected(Session(Setup(), Timing()))
    session.want(Target(1, RED))
    seq = frames.Parser().feed(session.next_frame(0) or b"")[0][1]
    session.feed(frames.encode(frames.ERROR, seq, bytes((frames.E_TOO_MANY, frames.SHOW))))
    assert session.refusal.startswith("error 10: more than 16 effects")
    assert session.next_frame(10) is None

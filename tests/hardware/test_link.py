"""The host's end of the link, without a port: what it sends, and what answers and silence mean."""

from __future__ import annotations

import pytest

from hardware import frames
from hardware.link import (
    ERRORS,
    LinkError,
    NotOurStripError,
    Session,
    Setup,
    SetupError,
    Target,
    Timing,
    Who,
    parse_who,
)
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


# ---- limits --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("leds", "order", "budget_ma", "payload"),
    [
        (1, "GRB", 2, b"\x01\0GRB\x02\0"),
        (300, "BGR", 301, b"\x2c\x01BGR\x2d\x01"),
        (300, "RBG", 65535, b"\x2c\x01RBG\xff\xff"),
    ],
)
def test_a_setup_at_its_limits_is_put_into_seven_bytes(leds: int, order: str, budget_ma: int, payload: bytes) -> None:
    assert Setup(leds, order, budget_ma).payload() == payload


@pytest.mark.parametrize(
    ("leds", "order", "budget_ma", "words"),
    [
        (0, "GRB", 400, "0 LEDs; expected 1 to 300"),
        (301, "GRB", 400, "301 LEDs; expected 1 to 300"),
        (64, "GRBW", 400, "colour order 'GRBW'"),
        (64, "GRR", 400, "colour order 'GRR'"),
        (64, "grb", 400, "colour order 'grb'"),
        (64, "GRB", 64, "64 mA; expected more than the 64 mA that 64 dark LEDs draw, and at most 65535"),
        (1, "GRB", 1, "a budget of 1 mA"),
        (64, "GRB", 65536, "a budget of 65536 mA"),
    ],
)
def test_a_setup_beyond_its_limits_is_refused_in_words(leds: int, order: str, budget_ma: int, words: str) -> None:
    with pytest.raises(SetupError, match=words):
        Setup(leds, order, budget_ma)


def test_the_waits_are_those_of_the_protocol() -> None:
    assert Setup() == Setup(64, "GRB", 400)
    assert Timing() == Timing(1000, 250, 4, 1000, 500, 1500, 12_000)


def test_the_answer_to_a_hello_is_read_number_by_number() -> None:
    payload = frames.NAME + b"\x01\x02\x03\x04\x05\x06\x07\x08"
    assert parse_who(payload) == parse_who(payload + b"more") == Who(0x0201, 0x0403, 0x0605, 0x0807)
    for bad in (payload[:-1], b"T" + payload[1:], b"", frames.NAME):
        with pytest.raises(NotOurStripError, match="it answers, but is no tacocat strip"):
            parse_who(bad)


def asked(session: Session, now_ms: int) -> tuple[int, int, bytes]:
    (frame,) = frames.Parser().feed(session.next_frame(now_ms) or b"")
    return frame


def reply(session: Session, kind: int, seq: int, payload: bytes = b"") -> None:
    session.feed(frames.encode(kind | frames.ANSWER, seq, payload))


def test_a_hello_is_waited_for_a_second_and_any_other_answer_a_quarter() -> None:
    session = Session(Setup(), Timing())
    assert session.due_ms(5000) == 0
    assert asked(session, 5000) == (frames.HELLO, frames.HELLO_SEQ, frames.HELLO_PAYLOAD)
    assert (session.due_ms(5001), session.due_ms(5999), session.due_ms(6000), session.due_ms(7000)) == (999, 1, 0, 0)
    assert session.next_frame(5999) is None
    with pytest.raises(NotOurStripError, match="no answer to the hello within 1 s"):
        session.next_frame(6000)
    session.feed(who(frames.VERSION))
    kind, seq, payload = asked(session, 6000)
    assert (kind, payload) == (frames.SETUP, Setup().payload())
    assert (session.due_ms(6000), session.due_ms(6249), session.due_ms(6250), session.due_ms(9000)) == (250, 1, 0, 0)
    assert session.next_frame(6249) is None
    assert asked(session, 6250) == (kind, seq, payload)
    reply(session, kind, seq)
    assert (session.due_ms(6250), session.due_ms(6300), session.due_ms(7249), session.due_ms(7250)) == (1000, 950, 1, 0)
    assert asked(session, 7250)[0] == frames.PING


def test_the_numbers_of_frames_go_round_and_the_hello_keeps_its_own() -> None:
    session = connected(Session(Setup(), Timing()))
    seen = []
    for i in range(300):
        kind, seq, _ = asked(session, 10_000 * i + 10_000)
        seen.append(seq)
        reply(session, kind, seq)
    assert seen == [(3 + i) % 256 for i in range(300)]


def test_a_strip_that_answers_nothing_is_given_up_though_the_picture_changes() -> None:
    session = connected(Session(Setup(), Timing()))
    pictures = []
    for i in range(4):
        session.want(Target(i + 1, (RED, BLUE)[i % 2]))
        pictures.append(asked(session, 250 * i)[2])
    assert pictures == [show(RED), show(BLUE)] * 2
    session.want(Target(9, RED))
    with pytest.raises(LinkError, match="the strip has not answered 4 times"):
        session.next_frame(1000)


def test_a_target_without_a_picture_is_the_night_and_is_shown_once() -> None:
    session = connected(Session(Setup(), Timing()))
    session.want(Target(1, None))
    kind, seq, payload = asked(session, 0)
    assert (kind, payload) == (frames.NIGHT, b"")
    reply(session, kind, seq)
    assert (session.shown, session.next_frame(10)) == (1, None)
    session.want(Target(1, RED))
    assert session.next_frame(10) is None, "an older number is no newer picture"


def test_what_is_lit_is_asked_for_once_and_read_in_threes() -> None:
    for payload, lit in (
        (b"\1\2\3\4\5\6", ((1, 2, 3), (4, 5, 6))),
        (b"\1\2\3\4\5\6\7\x08", ((1, 2, 3), (4, 5, 6))),
        (b"\1\2\3\4\5\6\7", ((1, 2, 3), (4, 5, 6))),
        (b"\1\2", ()),
    ):
        session = connected(Session(Setup(), Timing()))
        session.ask_lit()
        kind, seq, _ = asked(session, 0)
        assert kind == frames.READ and session.lit is None
        reply(session, kind, seq, payload)
        assert session.lit == lit
        assert session.next_frame(10) is None
    session = connected(Session(Setup(), Timing()))
    session.ask_lit()
    kind, seq, _ = asked(session, 0)
    session.feed(frames.encode(frames.ERROR, seq, bytes((frames.E_MALFORMED, kind))))
    assert session.lit is None and session.next_frame(10) is None


def test_answers_that_are_not_to_the_question_are_passed_over() -> None:
    session = connected(Session(Setup(), Timing()))
    session.want(Target(1, RED))
    kind, seq, _ = asked(session, 0)
    for frame in (
        frames.encode(kind | frames.ANSWER, seq + 1),
        frames.encode(kind | frames.ANSWER, seq - 1),
        frames.encode(frames.PING | frames.ANSWER, seq),
        frames.encode(kind, seq),
        frames.encode(frames.ERROR, seq, bytes((frames.E_TOO_MANY, frames.PING))),
        frames.encode(frames.ERROR, seq, bytes((frames.E_TOO_MANY,))),
        frames.encode(frames.ERROR, seq, bytes((frames.E_TOO_MANY, kind, 0))),
    ):
        session.feed(frame)
        assert (session.shown, session.refusal) == (0, "")
    reply(session, kind, seq)
    assert session.shown == 1
    reply(session, kind, seq)


def test_a_strip_that_finds_a_frame_stale_is_greeted_again_and_shown_the_picture() -> None:
    session = connected(Session(Setup(), Timing()))
    session.want(Target(1, RED))
    kind, seq, _ = asked(session, 0)
    session.feed(frames.encode(frames.ERROR, seq, bytes((frames.E_STALE, kind))))
    assert session.who is None and not session.ready
    assert asked(session, 0)[0] == frames.HELLO
    session.feed(who(frames.VERSION))
    kind, seq, _ = asked(session, 0)
    assert kind == frames.SETUP
    reply(session, kind, seq)
    assert asked(session, 0)[0] == frames.SHOW


def test_a_refused_setup_is_said_with_its_number_and_a_shown_picture_forgets_a_refusal() -> None:
    session = Session(Setup(), Timing())
    session.next_frame(0)
    session.feed(who(frames.VERSION))
    kind, seq, _ = asked(session, 0)
    with pytest.raises(LinkError, match="the strip refuses its setup, error 6: the current budget does not reach"):
        session.feed(frames.encode(frames.ERROR, seq, bytes((frames.E_BUDGET, kind))))
    session = connected(Session(Setup(), Timing()))
    for number, error, words in ((1, 77, "error 77: unknown to this program"), (2, 9, "error 9: an effect reaches")):
        session.want(Target(number, RED))
        kind, seq, _ = asked(session, 0)
        session.feed(frames.encode(frames.ERROR, seq, bytes((error, kind))))
        assert session.refusal.startswith(words) and session.shown == number
    session.want(Target(3, RED))
    kind, seq, _ = asked(session, 0)
    reply(session, kind, seq)
    assert session.refusal == ""


def test_a_strip_of_another_version_says_what_to_do() -> None:
    for version in (0, 2):
        session = Session(Setup(), Timing())
        session.next_frame(0)
        with pytest.raises(NotOurStripError, match=f"program is version {version}, not 1: run `tacocat flash`"):
            session.feed(who(version))


def test_the_numbers_of_the_link_are_those_of_its_document() -> None:
    """docs/protocol.md: both ends read them from one file, and a strip in use has those of its day."""
    kinds = [frames.HELLO, frames.SETUP, frames.SHOW, frames.READ, frames.PING, frames.NIGHT, frames.PROMPT]
    assert bytes(kinds) == b"HSDRPNX"
    assert frames.encode(frames.PING, 0x2E)[1:4] == b"\x07P."
    assert (frames.VERSION, frames.NAME, frames.ANSWER, frames.ERROR) == (1, b"tacocat strip", 0x80, 0xFF)
    assert (frames.HELLO_SEQ, frames.HELLO_PAYLOAD) == (0x2E, b"tacocat table: who is there? .,,")
    assert (frames.MAX_LEDS, frames.MAX_EFFECTS, frames.MAX_STOPS, frames.EFFECT_BYTES) == (300, 16, 64, 14)
    assert (frames.MAX_PAYLOAD, frames.OVERHEAD, frames.MAX_FRAME) == (1500, 6, 1514)
    errors = "UNKNOWN_KIND MALFORMED NOT_SET_UP LEDS COLOUR_ORDER BUDGET STALE OTHER_LEDS BEYOND_STRIP TOO_MANY TIMING"
    assert [getattr(frames, f"E_{name}") for name in errors.split()] == list(range(1, 12))
    assert set(ERRORS) == set(range(1, 12))


def test_a_strip_that_has_restarted_is_shown_nothing_while_nothing_is_wanted() -> None:
    for error in (frames.E_NOT_SET_UP, frames.E_STALE):
        session = connected(Session(Setup(), Timing()))
        kind, seq, _ = asked(session, 1000)
        session.feed(frames.encode(frames.ERROR, seq, bytes((error, kind))))
        while not session.ready:
            kind, seq, _ = asked(session, 1000)
            assert kind in (frames.HELLO, frames.SETUP)
            reply(session, kind, seq, frames.NAME + b"\1\0" + bytes(6) if kind == frames.HELLO else b"")
        assert (session.due_ms(1000), session.next_frame(1000)) == (1000, None)

"""Fuzzing the link to the strip, at both ends: garbage, mutated frames, and frames of nonsense that are whole."""

from __future__ import annotations

import contextlib
import os
import pty
import tty
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware import frames
from hardware.link import FoundPort, LinkError, Session, Setup, Target, Timing
from hardware.pictures import describe
from hardware.ports import Breathe, Picture
from hardware.strip import PicoStrip
from hardware.twins.pico import PicoProcess
from hardware.twins.virtual_time import VirtualTime
from tests.fuzz.support import examples
from tests.support.limits import assert_readable
from tests.support.strip_support import PROGRAM, Wire, still

KINDS = (frames.HELLO, frames.SETUP, frames.SHOW, frames.READ, frames.PING, frames.NIGHT)
RED = still((60, 0, 0))
LIVELY = Picture(RED.still, (Breathe(0, 4, (9, 9, 9), 800, 0), Breathe(4, 60, (1, 2, 3), 50, 7)))
WHO = frames.NAME + bytes((frames.VERSION, 0, 64, 0, 0x90, 1, 0, 0))


# ---- the host's end ------------------------------------------------------------------------------

# What a strip, or whatever is at that port, may say: an answer to what was asked (seq None), or to something else.
ANSWERS = st.tuples(
    st.sampled_from([kind | frames.ANSWER for kind in KINDS] + [frames.ERROR, *KINDS]) | st.integers(0, 255),
    st.none() | st.integers(0, 255),
    st.sampled_from([b"", WHO, WHO[:-1], b"\1\0" + WHO[1:], bytes(192), b"\7\x44", b"\3\x53", b"\1\x48", b"\x63\x50"])
    | st.tuples(st.integers(0, 12), st.sampled_from(KINDS)).map(bytes)
    | st.binary(max_size=40),
)
STEPS = st.lists(
    st.sampled_from(["show", "night", "read", "late", "now", "answer"]) | ANSWERS | st.binary(max_size=60), max_size=60
)


def proper_answer(kind: int) -> bytes:
    return {frames.HELLO: WHO, frames.READ: bytes(192)}.get(kind, b"")


@examples(150)
@given(steps=STEPS, portion=st.integers(1, 50))
def test_whatever_a_strip_answers_the_host_goes_on_or_says_why_not(steps: list, portion: int) -> None:
    session, now_ms, number = Session(Setup(), Timing()), 0, 0
    asked = (frames.HELLO, frames.HELLO_SEQ)
    for step in steps:
        try:
            now_ms += {"late": 1100, "now": 1}.get(step, 0) if isinstance(step, str) else 0
            if step in ("show", "night"):
                number += 1
                session.want(Target(number, LIVELY if step == "show" else None))
            elif step == "read":
                session.ask_lit()
            said = what_comes(step, *asked)
            for at in range(0, len(said), portion):
                session.feed(said[at : at + portion])
            sent = session.next_frame(now_ms)
        except LinkError as error:
            assert_readable(str(error))
            session, number = Session(Setup(), Timing()), 0
            continue
        if sent is not None:
            ((*asked, payload),) = frames.Parser().feed(sent)
            assert asked[0] in KINDS and len(payload) <= frames.MAX_PAYLOAD
        assert session.due_ms(now_ms) >= 0
        assert session.shown <= number
        assert session.ready <= (session.who is not None)
        assert session.refusal == "" or session.refusal.isprintable()


def what_comes(step: object, kind: int, seq: int) -> bytes:
    """What a strip says in this step, when it was asked this last."""
    if step == "answer":
        return frames.encode(kind | frames.ANSWER, seq, proper_answer(kind))
    if isinstance(step, tuple):
        return frames.encode(step[0], seq if step[1] is None else step[1], step[2])
    return step if isinstance(step, bytes) else b""


@pytest.fixture(scope="module")
def line() -> Iterator[tuple[int, str]]:
    """The strip's end of a serial line, and the path of the host's."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    os.set_blocking(master, False)
    yield master, os.ttyname(slave)
    os.close(master)
    os.close(slave)


@examples(60)
@given(
    said=st.lists(
        st.binary(max_size=80)
        | st.sampled_from(["answer", "later", "show"])
        | st.builds(frames.encode, st.integers(0, 255), st.integers(0, 255), st.binary(max_size=30)),
        max_size=25,
    )
)
def test_the_strip_survives_every_gadget_at_its_port_and_shows_its_picture_once_a_pico_is_there(
    line: tuple[int, str], said: list
) -> None:
    master, path = line
    time, parser, states = VirtualTime(), frames.Parser(), []

    def hear(answers: bool) -> None:
        with contextlib.suppress(BlockingIOError):
            for kind, seq, _ in parser.feed(os.read(master, 65536)):
                if answers:
                    os.write(master, frames.encode(kind | frames.ANSWER, seq, proper_answer(kind)))

    with PicoStrip(lambda: [FoundPort(path)], time, link_clock=time, start=False, on_change=states.append) as strip:
        for step in said:
            if step == "show":
                strip.show(LIVELY)
            elif step == "later":
                time.advance_ms(400)
            elif isinstance(step, bytes):
                os.write(master, step)
            strip.turn()
            hear(step == "answer")
            strip.turn()
        strip.show(RED)
        for _ in range(100):  # half a minute with a strip that answers
            strip.turn()
            hear(True)
            time.advance_ms(300)
        strip.turn()
        assert strip.wait_shown(0), strip.state()
    for state in states:
        assert_readable(state.detail or "-")
    hear(False)


# ---- the strip's end -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pico() -> Iterator[PicoProcess]:
    with PicoProcess(PROGRAM, leds=300) as process:
        yield process


GOOD = (describe(RED, 64, 0), describe(LIVELY, 64, 5), Setup().payload(), Setup(300, "BRG", 3000).payload(), b"")


@st.composite
def payloads(draw: st.DrawFn) -> bytes:
    """A payload of some message with bytes changed, left out or added; or any bytes at all."""
    data = bytearray(draw(st.sampled_from(GOOD)))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(data)))
        data[at : at + draw(st.integers(0, 3))] = draw(st.binary(max_size=4))
    return bytes(data[: frames.MAX_PAYLOAD])


@examples(80)
@given(
    talk=st.lists(
        st.tuples(
            st.sampled_from(KINDS) | st.integers(0, 127).filter(lambda kind: kind != frames.PROMPT),
            payloads() | st.binary(max_size=200),
        ),
        max_size=12,
    ),
    junk=st.binary(max_size=300),
)
def test_the_strip_answers_every_whole_frame_and_shows_the_next_good_picture(
    pico: PicoProcess, talk: list[tuple[int, bytes]], junk: bytes
) -> None:
    boots = pico.boots
    with Wire(pico.port) as wire:
        wire.send(junk + b"\0")
        wire.answers(0.0)
        for kind, payload in talk:
            answer = wire.ask(kind, frames.HELLO_PAYLOAD if kind == frames.HELLO else payload)
            assert answer is not None, f"no answer to kind {kind} with {payload!r}"
            assert answer[0] in (kind | frames.ANSWER, frames.ERROR)
            if answer[0] == frames.ERROR:
                assert len(answer[1]) == 2 and answer[1][1] == kind and 1 <= answer[1][0] <= frames.E_TIMING
        wire.begin()
        wire.show(RED)
        assert pico.wait_for(lambda: pico.lit()[:64] == RED.still, 3)
    assert pico.boots == boots, "it has restarted"


@examples(60)
@given(
    data=st.lists(
        st.binary(max_size=80)
        | st.builds(frames.encode, st.sampled_from(KINDS), st.integers(0, 255), st.binary(max_size=80)),
        max_size=8,
    ).map(b"".join),
    cuts=st.lists(st.integers(0, 900), max_size=6),
)
def test_frames_are_found_alike_whatever_the_portions_and_are_encoded_again_alike(data: bytes, cuts: list[int]) -> None:
    whole = frames.Parser().feed(data)
    places = sorted({0, *(cut for cut in cuts if cut < len(data)), len(data)})
    parser = frames.Parser()
    found = [each for at, to in pairwise(places) for each in parser.feed(data[at:to])]
    assert found == whole
    for frame in whole:
        assert frames.Parser().feed(frames.encode(*frame)) == [frame]
        assert len(frame[2]) <= frames.MAX_PAYLOAD

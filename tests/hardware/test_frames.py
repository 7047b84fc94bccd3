"""The frame codec, under CPython and the same file under MicroPython."""

from __future__ import annotations

import binascii
from collections.abc import Iterator

import pytest
from cobs import cobs
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware import frames
from tests.support.strip_support import Micropython

# Bytes as data is: many zeros, or none; lengths around COBS' 254 and USB's 64.
DATA = st.one_of(
    st.binary(max_size=600),
    st.lists(st.sampled_from([0, 1, 3, 4, 255]), max_size=600).map(bytes),
    st.sampled_from([0, 1, 62, 63, 64, 65, 127, 128, 192, 253, 254, 255, 256, 508, 509]).map(lambda n: b"\x03" * n),
)
FRAME = st.tuples(st.integers(0, 255), st.integers(0, 255), DATA)

FEEDER = """
import frames, sys, binascii
while True:
    line = sys.stdin.readline()
    if not line:
        break
    words = line.split()
    if words[0] == "encode":
        print(binascii.hexlify(frames.encode(int(words[1]), int(words[2]), bytes.fromhex(words[3][1:]))).decode())
    else:
        parser = frames.Parser()
        found = []
        for part in words[1:]:
            found += parser.feed(bytes.fromhex(part[1:]))
        print(parser.damaged, " ".join("%d,%d,x%s" % (k, s, binascii.hexlify(p).decode()) for k, s, p in found))
"""


def stuff(data: bytes) -> bytes:
    out = bytearray(len(data) + len(data) // 254 + 1)
    return bytes(out[: frames.stuff(data, len(data), out)])


def unstuff(data: bytes) -> bytes | None:
    buffer = bytearray(data)
    n = frames.unstuff(buffer, len(data))
    return None if n < 0 else bytes(buffer[:n])


def feed(parts: list[bytes]) -> list[tuple[int, int, bytes]]:
    parser = frames.Parser()
    return [frame for part in parts for frame in parser.feed(part)]


def cut(data: bytes, places: list[int]) -> list[bytes]:
    """`data` in portions, cut at these places (taken modulo its length)."""
    at = sorted({p % (len(data) + 1) for p in places})
    return [data[a:b] for a, b in zip([0, *at], [*at, len(data)], strict=True)]


@pytest.fixture(scope="module")
def micropython() -> Iterator[Micropython]:
    with Micropython(FEEDER) as process:
        yield process


def feed_there(micropython: Micropython, parts: list[bytes]) -> tuple[int, list[tuple[int, int, bytes]]]:
    damaged, _, rest = micropython.ask("feed " + " ".join("x" + p.hex() for p in parts)).partition(" ")
    found = [word.split(",") for word in rest.split()]
    return int(damaged), [(int(k), int(s), bytes.fromhex(p[1:])) for k, s, p in found]


@given(DATA)
def test_stuffing_is_the_cobs_of_the_cobs_library(data: bytes) -> None:
    assert stuff(data) == cobs.encode(data)
    assert unstuff(cobs.encode(data)) == data


@given(DATA.map(lambda d: d.replace(b"\0", b"\5")))
def test_what_the_cobs_library_refuses_is_refused(data: bytes) -> None:
    try:
        expected = cobs.decode(data)
    except cobs.DecodeError:
        expected = None
    assert unstuff(data) == expected


@given(FRAME, st.lists(st.integers(0, 2000), max_size=5))
def test_a_frame_comes_back_whatever_the_portions(frame: tuple[int, int, bytes], places: list[int]) -> None:
    wire = frames.encode(*frame)
    assert wire[0] == wire[-1] == 0 and 0 not in wire[1:-1]
    assert feed(cut(wire, places)) == [frame]


@given(FRAME)
def test_the_crc_is_binasciis_over_everything(frame: tuple[int, int, bytes]) -> None:
    body = cobs.decode(frames.encode(*frame)[1:-1])
    assert body[-4:] == binascii.crc32(body[:-4]).to_bytes(4, "little")


@given(st.binary(max_size=300), FRAME)
def test_junk_in_front_hides_no_frame_and_makes_none(junk: bytes, frame: tuple[int, int, bytes]) -> None:
    assert feed([junk + frames.encode(*frame)]) == [frame]


@given(FRAME, FRAME, st.integers(1, 700))
def test_a_frame_cut_short_is_lost_and_the_next_is_not(a, b, kept: int) -> None:
    wire = frames.encode(*a)
    head = wire[: min(kept, len(wire) - 2)]
    assert feed([head, frames.encode(*b)]) == [b]


@given(FRAME)
def test_a_doubled_frame_is_two(frame: tuple[int, int, bytes]) -> None:
    assert feed([frames.encode(*frame) * 2]) == [frame, frame]


@given(FRAME, st.integers(0, 10_000), st.integers(1, 255))
def test_a_changed_byte_makes_no_other_frame(frame: tuple[int, int, bytes], at: int, flip: int) -> None:
    wire = bytearray(frames.encode(*frame))
    wire[at % len(wire)] ^= flip
    assert feed([bytes(wire), b"\0"]) in ([], [frame])  # the same only if a zero at the end was hit


@pytest.mark.parametrize("n", [0, 1, 62, 63, 64, 65, 126, 127, 128, 192, 253, 254, 255, 1499, frames.MAX_PAYLOAD])
def test_every_length_to_the_greatest_passes(n: int) -> None:
    for byte in (0, 3, 255):
        payload = bytes((byte,)) * n
        assert feed([frames.encode(frames.SHOW, 7, payload)]) == [(frames.SHOW, 7, payload)]


def test_a_payload_too_long_is_refused_with_both_lengths() -> None:
    with pytest.raises(ValueError, match=r"1501 bytes.*at most 1500"):
        frames.encode(frames.SHOW, 0, bytes(frames.MAX_PAYLOAD + 1))


def test_bytes_without_end_are_thrown_away_and_counted_once() -> None:
    parser = frames.Parser()
    assert parser.feed(b"\x07" * 100_000) == []
    assert parser.feed(frames.encode(1, 2, b"ok")) == [(1, 2, b"ok")]
    assert parser.damaged == 1


def test_a_frame_that_fills_the_buffer_is_none_with_a_byte_more() -> None:
    body = bytes((frames.PING, 1)) + b"\7" * 1502
    whole = cobs.encode(body + binascii.crc32(body).to_bytes(4, "little"))
    assert len(whole) == frames.MAX_FRAME
    assert feed([whole + b"\0"]) == [(frames.PING, 1, b"\7" * 1502)]
    parser = frames.Parser()
    assert parser.feed(whole + b"\1\0") == [] and parser.damaged == 1


def test_damaged_frames_are_counted_up_to_what_two_bytes_hold() -> None:
    parser = frames.Parser()
    assert parser.feed(b"\0\0") == [] and parser.damaged == 0
    parser.damaged = 65534
    for damaged in (65535, 65535):
        parser.feed(b"junk\0")
        assert parser.damaged == damaged


def test_the_hello_is_plain_text_for_whoever_gets_it() -> None:
    wire = frames.encode(frames.HELLO, frames.HELLO_SEQ, frames.HELLO_PAYLOAD)
    assert all(0x20 <= byte < 0x7F for byte in wire[1:-1])


@settings(max_examples=60)
@given(frame=FRAME)
def test_micropython_encodes_the_same_bytes(micropython: Micropython, frame: tuple[int, int, bytes]) -> None:
    kind, seq, payload = frame
    assert micropython.ask(f"encode {kind} {seq} x{payload.hex()}") == frames.encode(*frame).hex()


@settings(max_examples=80)
@given(
    stream=st.lists(
        st.one_of(
            FRAME.map(lambda f: frames.encode(*f)),
            FRAME.map(lambda f: frames.encode(*f) * 2),
            st.tuples(FRAME, st.integers(0, 600)).map(lambda t: frames.encode(*t[0])[: t[1]]),
            st.binary(max_size=80),
        ),
        max_size=5,
    ),
    places=st.lists(st.integers(0, 5000), max_size=4),
)
def test_micropython_finds_the_same_frames_in_any_bytes(micropython: Micropython, stream, places: list[int]) -> None:
    parts = cut(b"".join(stream), places)
    parser = frames.Parser()
    here = [frame for part in parts for frame in parser.feed(part)]
    assert feed_there(micropython, parts) == (parser.damaged, here)

"""The Pico's program in a process of its own, driven over its pseudo-terminal byte by byte.

The names in brackets, U1 to U18, are those of the faults that such devices are known for.
"""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware import frames
from hardware.link import ERRORS, Setup, parse_who
from hardware.ports import Breathe, Picture
from hardware.twins.pico import PicoProcess
from tests.support.strip_support import HAND_CLOCK, LONG_S, PROGRAM, RED, Wire, run_micropython, show, shows, still

BLUE = still((0, 0, 90), (1, 2, 3))
OK = frames.ANSWER


@pytest.fixture(scope="module")
def running() -> Iterator[PicoProcess]:
    with PicoProcess(PROGRAM, leds=300) as pico:
        yield pico


@pytest.fixture
def wire(running: PicoProcess) -> Iterator[Wire]:
    with Wire(running.port) as wire:
        wire.send(b"\0")  # ends what another test left
        wire.begin()
        wire.show(RED)
        assert shows(running, RED)
        yield wire


@pytest.fixture(params=["micropython", "cpython"])
def fresh(request: pytest.FixtureRequest) -> Iterator[PicoProcess]:
    with PicoProcess(PROGRAM, interpreter=request.param) as pico:
        yield pico


def test_both_interpreters_show_a_picture_and_say_what_is_lit(fresh: PicoProcess) -> None:
    with Wire(fresh.port) as wire:
        wire.begin()
        wire.show(BLUE)
        assert shows(fresh, BLUE)
        kind, payload = wire.ask(frames.READ)
        assert kind == frames.READ | OK
        assert payload == b"".join(bytes(c) for c in BLUE.still)


def test_hello_tells_version_leds_budget_and_damaged_frames(fresh: PicoProcess) -> None:
    with Wire(fresh.port) as wire:
        kind, payload = wire.hello()
        assert kind == frames.HELLO | OK
        before = parse_who(payload)
        assert (before.version, before.leds, before.budget_ma) == (frames.VERSION, 0, 400)
        wire.begin(leds=20, budget_ma=123)
        wire.send(b"\0garbage\0garbage\0")
        who = parse_who(wire.hello()[1])
        assert (who.leds, who.budget_ma, who.damaged) == (20, 123, before.damaged + 2)


def test_u5_a_modem_managers_probe_changes_nothing(running: PicoProcess, wire: Wire) -> None:
    for probe in (b"AT\r", b"ATE1 E0\r", b"AT+GCAP\r", b"\x7e\x00\x78\xf0\x7e", b"AT\r\n" * 50):
        wire.send(probe)
        assert wire.ask(frames.PING) == (frames.PING | OK, b"")
        assert running.lit()[:64] == RED.still
    wire.show(BLUE)
    assert shows(running, BLUE)


def test_u8_bytes_3_and_4_are_bytes_like_any_other(running: PicoProcess, wire: Wire) -> None:
    for picture in (still((3, 3, 3), (4, 4, 4)), still(*((3, 4, i) for i in range(64)))):
        wire.show(picture)
        assert shows(running, picture)
    wire.send(b"\x03\x04\x03\x03\x04\x01\x02" * 30)
    assert wire.ask(frames.PING) == (frames.PING | OK, b"")


def test_u8_a_byte_3_stops_a_program_that_allows_it_and_ours_goes_on(tmp_path) -> None:
    """The twin under CPython models that; MicroPython's port to Unix does not."""
    slipped = tmp_path / "slipped"
    shutil.copytree(PROGRAM, slipped)
    main = (slipped / "main.py").read_text(encoding="utf-8")
    (slipped / "main.py").write_text(main.replace("micropython.kbd_intr(-1)", "pass"), encoding="utf-8")
    with PicoProcess(slipped, interpreter="cpython") as pico, Wire(pico.port) as wire:
        wire.begin()
        wire.send(b"\x03")
        assert pico.wait_for(lambda: pico.boots == 2, LONG_S), "stopped, and so begun anew"
    with PicoProcess(PROGRAM, interpreter="cpython") as pico, Wire(pico.port) as wire:
        wire.begin()
        wire.send(b"\x03\x04")
        assert wire.ask(frames.PING) == (frames.PING | OK, b"")
        assert pico.boots == 1


@pytest.mark.parametrize("length", [63, 64, 65, 127, 128, 129, 192, 256])
def test_u9_a_frame_of_so_many_bytes_does_not_stall(running: PicoProcess, wire: Wire, length: int) -> None:
    """The whole frame on the wire has this length, and is written at once."""
    for leds in range(1, 100):
        base = show(still(*((1, 1 + i, 1) for i in range(20)), leds=leds))  # too many colours for the short form
        if len(frames.encode(frames.SHOW, 9, base)) >= length:
            break
    picture = next(
        p
        for leds in range(1, 100)
        for p in [still(*((1, 1 + i % 200, 1) for i in range(100)), leds=leds)]
        for k in range(3)
        if len(frames.encode(frames.SHOW, 9, show(p))) + k >= length
    )
    leds = len(picture.still)
    wire.begin(leds=leds)
    padding = length - len(frames.encode(frames.SHOW, 9, show(picture)))
    wire.send(frames.encode(frames.SHOW, 9, show(picture)) + b"\0" * max(0, padding))
    assert wire.answers(until=lambda all_: any(a[1] == 9 for a in all_))
    assert shows(running, picture)
    wire.begin()


def test_u10_half_a_frame_does_not_stop_the_animation(running: PicoProcess, wire: Wire) -> None:
    wire.show(Picture(RED.still, (Breathe(0, 64, (200, 200, 200), 1000, 0),)))
    whole = frames.encode(frames.SHOW, 77, show(BLUE))
    wire.send(whole[: len(whole) // 2])
    before = running.written
    assert running.wait_for(lambda: running.written >= before + 90, LONG_S), "the animation stood still"
    drawn = running.frames(before)
    assert drawn[-1].at_ms - drawn[0].at_ms > 1700, "about 50 a second, and no more"
    wire.send(b"\0")
    wire.show(BLUE)
    assert shows(running, BLUE)


def test_u11_frames_are_obeyed_while_nobody_reads_the_answers(running: PicoProcess, wire: Wire) -> None:
    for i in range(2500):  # 11 bytes each: 27 kB, more than a pseudo-terminal holds
        wire.send(frames.encode(frames.PING, (2 + i) % 256))
        wire.seq = (2 + i) % 256
    for picture in (BLUE, RED, BLUE):
        wire.seq = (wire.seq + 1) % 256
        wire.send(frames.encode(frames.SHOW, wire.seq, show(picture)))
        assert shows(running, picture)
    wire.answers(0.3, until=lambda all_: False)
    assert wire.ask(frames.PING) == (frames.PING | OK, b"")


def garbage(kind: str, n: int) -> bytes:
    chance = random.Random(kind)
    if kind == "any bytes":
        return chance.randbytes(n)
    if kind == "no zero":
        return b"\x55" * n
    if kind == "zeros":
        return b"\0" * n
    if kind == "short pieces":
        return bytes(chance.choice(b"\0\1\2\3\4\5SDHRX") for _ in range(n))
    # Frames with a byte changed: right in all but the CRC.
    frame = frames.encode(frames.SHOW, 5, show(BLUE))
    out = bytearray()
    while len(out) < n:
        broken = bytearray(frame)
        broken[chance.randrange(1, len(frame) - 1)] ^= 1 << chance.randrange(8)
        out += broken
    return bytes(out)


@pytest.mark.parametrize("kind", ["any bytes", "no zero", "zeros", "short pieces", "broken frames"])
def test_u12_a_million_bytes_of_garbage_and_hello_is_answered(running: PicoProcess, wire: Wire, kind: str) -> None:
    data = garbage(kind, 1_000_000 if kind == "any bytes" else 100_000)
    wire.port.write_timeout = LONG_S
    before = running.written
    wire.send(data)
    wire.send(b"\0")
    assert wire.hello() is not None
    assert running.boots == 1
    for shown in running.frames(before):  # nothing but the picture, and after 3 s without a word the pulse
        lit = {i for i, colour in enumerate(shown.colours) if any(colour)}
        assert shown.colours[:64] == RED.still or lit <= {30, 31, 32, 33}
    wire.begin()
    wire.show(BLUE)
    assert shows(running, BLUE)


@pytest.mark.parametrize("form", ["alternating", "all different"])
def test_u13_every_number_of_leds_from_1_to_300_works(running: PicoProcess, wire: Wire, form: str) -> None:
    for leds in range(1, frames.MAX_LEDS + 1):
        different = tuple((i % 256, i // 256, 9) for i in range(leds))
        picture = still(*(different if form == "all different" else ((7, 0, 2), (0, 1, 3))), leds=leds)
        wire.begin(leds=leds, budget_ma=65535)
        wire.show(picture)
        assert shows(running, picture), leds
    wire.begin()


def test_u13_a_frame_of_length_zero_and_a_cut_one_leave_the_picture(running: PicoProcess, wire: Wire) -> None:
    whole = frames.encode(frames.SHOW, 200, show(BLUE))
    for data in (b"\0\0", b"\0\1\0", b"\0\2\2\0", b"\0\xff\0"):
        wire.send(data)
    for cut in range(1, len(whole) - 1):
        wire.send(whole[:cut] + b"\0")
    assert wire.ask(frames.PING) == (frames.PING | OK, b"")
    assert running.lit()[:64] == RED.still
    wire.show(BLUE)
    assert shows(running, BLUE)


def test_after_going_dark_it_is_dark_and_the_next_picture_shows(running: PicoProcess, wire: Wire) -> None:
    assert wire.ask(frames.NIGHT) == (frames.NIGHT | OK, b"")
    assert set(running.lit()) == {(0, 0, 0)}
    assert wire.ask(frames.PING) == (frames.PING | OK, b"")
    assert set(running.lit()) == {(0, 0, 0)}
    wire.show(BLUE)
    assert shows(running, BLUE)


@settings(max_examples=25)
@given(
    leds=st.integers(1, 300),
    palette=st.lists(st.tuples(*[st.integers(0, 255)] * 3), min_size=1, max_size=8),
    spare_ma=st.integers(1, 2000),
)
def test_u17_no_frame_draws_more_than_the_budget(running: PicoProcess, leds, palette, spare_ma) -> None:
    budget_ma = leds + spare_ma
    picture = still(*palette, leds=leds)
    with Wire(running.port) as wire:
        wire.send(b"\0")
        wire.begin(leds=leds, budget_ma=budget_ma)
        wire.show(picture)
        lit = running.lit()[:leds] if running.wait_for(lambda: True) else ()
        _, payload = wire.ask(frames.READ)
        lit = running.lit()[:leds]
    assert payload == b"".join(bytes(c) for c in lit)
    wanted_ma = sum(map(sum, picture.still)) * 20 / 255 + leds
    drawn_ma = sum(map(sum, lit)) * 20 / 255 + leds
    assert drawn_ma <= budget_ma
    if wanted_ma <= budget_ma:
        assert lit == picture.still
    else:  # the whole is scaled, not some of it
        share = (budget_ma - leds) / (wanted_ma - leds)
        assert all(
            w * share - 1.001 <= g <= w * share + 0.001
            for p, q in zip(picture.still, lit, strict=True)
            for w, g in zip(p, q, strict=True)
        )


def test_u17_full_white_is_scaled_to_the_default_budget(running: PicoProcess, wire: Wire) -> None:
    wire.show(still((255, 255, 255)))
    lit = running.lit()[:64]
    assert len(set(lit)) == 1
    assert 380 < sum(map(sum, lit)) * 20 / 255 + 64 <= 400


@pytest.mark.parametrize("interpreter", ["micropython", "cpython"])
def test_u18_nothing_stops_when_the_tick_counter_wraps(interpreter: str) -> None:
    with PicoProcess(PROGRAM, interpreter=interpreter, ticks_ms=(1 << 30) - 600) as pico, Wire(pico.port) as wire:
        wire.begin()
        wire.show(Picture(RED.still, (Breathe(0, 64, (200, 200, 200), 500, 0),)))
        before = pico.written
        assert pico.wait_for(lambda: pico.written >= before + 60, LONG_S)
        drawn = pico.frames(before)
        assert drawn[-1].at_ms - drawn[0].at_ms > 800
        assert wire.ask(frames.PING) == (frames.PING | OK, b"")
        assert pico.boots == 1


def test_u15_without_a_word_for_3_s_it_pulses_in_the_middle_and_a_word_ends_it() -> None:
    """On a clock that the test moves; the tick counter wraps on the way."""
    out = run_micropython(
        HAND_CLOCK
        + """
print(go_on(2990), go_on(10), all(29 < i < 34 for i in lit()))
print(go_on(1500) > 0, lit(), go_on(600_000))
ping(3)
print(p.pulsing, len(lit()), bytes(p.strip.rgb[:3]))
"""
    )
    assert out == f"0 10 True\nTrue [30, 31, 32, 33] 600000\nFalse 64 {bytes(RED.still[0])!r}\n"


def test_u15_the_shortest_strip_pulses_too() -> None:
    setup, red = Setup(leds=1).payload(), show(still((60, 0, 0), leds=1))
    out = run_micropython(
        HAND_CLOCK
        + f"""
hear(frames.encode(frames.SETUP, 3, bytes.fromhex("{setup.hex()}")))
hear(frames.encode(frames.SHOW, 4, bytes.fromhex("{red.hex()}")))
print(lit(), bytes(p.strip.rgb[:3]))
go_on(5000)
r, g, b = p.strip.rgb[:3]
print(lit(), r == g == b > 0)
"""
    )
    assert out == f"[0] {bytes((60, 0, 0))!r}\n[0] True\n"


def test_u15_ten_minutes_of_pings_keep_the_picture() -> None:
    out = run_micropython(HAND_CLOCK + "print(go_on(600_000, pings=True), len(lit()))")
    assert out == "0 64\n"


def test_after_going_dark_no_pulse_comes_in_ten_minutes_with_or_without_pings() -> None:
    out = run_micropython(
        HAND_CLOCK
        + """
hear(frames.encode(frames.NIGHT, 3))
print(go_on(600_000), lit())
ping(4)
print(go_on(600_000), lit())
"""
    )
    assert out == "0 []\n0 []\n"


def test_a_program_that_hangs_is_restarted_by_the_watchdog(tmp_path) -> None:
    for path in PROGRAM.iterdir():
        if path.suffix == ".py":
            (tmp_path / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    main = (tmp_path / "main.py").read_text(encoding="utf-8")
    main = main.replace("WATCHDOG_MS = 8000", "WATCHDOG_MS = 600").replace(
        "        if n:\n            return frames.E_MALFORMED", "        while n:\n            pass"
    )
    (tmp_path / "main.py").write_text(main, encoding="utf-8")
    with PicoProcess(tmp_path) as pico:
        with Wire(pico.port) as wire:
            wire.begin()
            wire.send(frames.encode(frames.PING, 9, b"hang"))
            assert pico.wait_for(lambda: pico.boots == 2, LONG_S)
        assert pico.faults == ["the watchdog was not fed for 0.6 s"]
        with Wire(pico.port) as wire:
            wire.begin()


def test_a_doubled_frame_is_obeyed_once_and_answered_twice(running: PicoProcess, wire: Wire) -> None:
    breath = frames.encode(frames.SHOW, 50, show(Picture(RED.still, (Breathe(0, 64, (200, 200, 200), 15_000, 0),))))
    wire.send(breath)
    assert len(wire.answers(until=lambda all_: len(all_) == 1)) == 1
    assert running.wait_for(lambda: running.lit()[0][0] > 0 and running.lit()[0][1] > 0, LONG_S), "it has swollen a bit"
    wire.send(breath)
    assert wire.answers(until=lambda all_: len(all_) == 1) == [(frames.SHOW | OK, 50, b"")]
    assert running.lit()[0][0] > 0, "it did not begin again"


def test_a_frame_older_than_the_last_is_not_obeyed(running: PicoProcess, wire: Wire) -> None:
    old = frames.encode(frames.SHOW, wire.seq, show(RED))
    wire.show(BLUE)
    wire.send(old)
    assert wire.answers() == [(frames.ERROR, wire.seq - 1, bytes((frames.E_STALE, frames.SHOW)))]
    assert shows(running, BLUE)


@pytest.mark.parametrize(
    ("kind", "payload", "error"),
    [
        (0x7A, b"", frames.E_UNKNOWN_KIND),
        (frames.PING, b"?", frames.E_MALFORMED),
        (frames.SETUP, b"", frames.E_MALFORMED),
        (frames.SHOW, b"", frames.E_MALFORMED),
        (frames.SETUP, b"\0\0GRB\x90\x01", frames.E_LEDS),
        (frames.SETUP, b"\x2d\x01GRB\x90\x01", frames.E_LEDS),
        (frames.SETUP, b"\x40\0GRG\x90\x01", frames.E_COLOUR_ORDER),
        (frames.SETUP, b"\x40\0GRB\x40\0", frames.E_BUDGET),
        (frames.SHOW, show(still((1, 1, 1), leds=63)), frames.E_OTHER_LEDS),
    ],
)
def test_what_cannot_be_obeyed_is_answered_with_its_number(running, wire: Wire, kind, payload, error: int) -> None:
    assert wire.ask(kind, payload) == (frames.ERROR, bytes((error, kind)))
    assert running.lit()[:64] == RED.still
    assert error in ERRORS


def test_a_picture_before_the_setup_is_refused(fresh: PicoProcess) -> None:
    with Wire(fresh.port) as wire:
        wire.hello()
        assert wire.ask(frames.SHOW, show(RED)) == (frames.ERROR, bytes((frames.E_NOT_SET_UP, frames.SHOW)))


def test_an_echo_of_its_own_answers_is_not_answered(running: PicoProcess, wire: Wire) -> None:
    wire.send(frames.encode(frames.PING | OK, 1) + frames.encode(frames.ERROR, 1, b"\1\1"))
    assert wire.ask(frames.PING) == (frames.PING | OK, b"")
    assert wire.answers(0.1) == []


@settings(max_examples=40)
@given(
    junk=st.lists(
        st.one_of(
            st.binary(max_size=60),
            st.integers(1, 60).map(lambda n: frames.encode(frames.SHOW, 100, show(BLUE))[:-1][:n]),
            st.just(frames.encode(frames.SHOW, 100, show(BLUE))[1:-2] + b"\0"),
        ),
        max_size=4,
    ),
    portions=st.integers(1, 70),
    doubled=st.booleans(),
)
def test_after_any_bytes_the_next_good_frame_shows_and_nothing_else_ever_did(running, junk, portions, doubled) -> None:
    good = still((11, 22, 33), (0, 0, 1))
    with Wire(running.port) as wire:
        wire.send(b"\0")
        wire.begin()
        wire.show(RED)
        assert shows(running, RED)
        before = running.written
        stream = b"".join(junk) + frames.encode(frames.SHOW, 100, show(good)) * (1 + doubled)
        for i in range(0, len(stream), portions):
            wire.send(stream[i : i + portions])
        assert shows(running, good)
        assert {f.colours[:64] for f in running.frames(before)} <= {RED.still, good.still}
        wire.answers(0.05, until=lambda all_: False)


def test_strips_shorter_after_a_new_setup_leave_no_led_lit(running: PicoProcess, wire: Wire) -> None:
    wire.begin(leds=10)
    wire.show(still((5, 5, 5), leds=10))
    assert shows(running, still((5, 5, 5), leds=10))
    wire.begin()


def test_told_to_restart_into_the_prompt_it_does_so_without_a_watchdog_and_only_once() -> None:
    with PicoProcess(PROGRAM) as pico:
        with Wire(pico.port) as wire:
            wire.begin()
            wire.show(RED)
            assert wire.ask(frames.PROMPT) == (frames.PROMPT | OK, b"")
            assert pico.wait_for(lambda: pico.boots == 2, LONG_S) or pico.boots == 2
            assert set(pico.lit()) == {(0, 0, 0)}
        with Wire(pico.port) as wire:
            seen = b""
            deadline = time.monotonic() + LONG_S
            while b">>> " not in seen and time.monotonic() < deadline:
                wire.port.timeout = 0.2
                seen += wire.port.read(200)
            assert b"reset to start" in seen and b">>> " in seen
            wire.send(b"import machine; machine.reset()\r")
            assert pico.wait_for(lambda: pico.boots == 3 and pico.written > 0, LONG_S)
        with Wire(pico.port) as wire:
            wire.begin()

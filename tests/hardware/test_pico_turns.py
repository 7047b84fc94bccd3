"""One turn of the Pico's program at a time, under MicroPython: what it reads, waits for and shows, and when."""

from __future__ import annotations

import pytest

from hardware import frames
from hardware.link import Setup
from hardware.pictures import describe
from hardware.ports import Flash, Picture
from tests.support.pico_asked import SOURCE, SWELLS, answer, refused, says
from tests.support.strip_support import RED, run_micropython

# ---- reading -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "flags", "used", "room", "wanted"),
    [
        (b"ab\0cd", 1, 0, 9, (2, True, b"ab??", b"cd")),
        (b"\0\0a\0", 1, 0, 9, (1, True, b"a???", b"")),  # nothing between two zeros is no frame
        (b"\0", 1, 2, 9, (2, True, b"????", b"")),  # it had come in part before
        (b"cd\0", 1, 2, 9, (4, True, b"??cd", b"")),
        (b"abcd\0", 1, 0, 9, (4, True, b"abcd", b"")),
        (b"abcde\0", 1, 0, 9, (5, True, b"abcd", b"")),  # one too many
        (b"abcdefgh", 1, 0, 9, (5, False, b"abcd", b"")),
        (b"abc\0", 1, 0, 3, (3, False, b"abc?", b"\0")),
        (b"abc\0", 1, 0, 4, (3, True, b"abc?", b"")),
        (b"abc\0", 1, 0, 1, (1, False, b"a???", b"bc\0")),
        (b"abc\0", 1, 0, 0, (0, False, b"????", b"abc\0")),
        (b"a\0", 1 | 16, 0, 9, (1, True, b"a???", b"")),
        (b"a\0", 16, 3, 9, (3, False, b"????", b"a\0")),  # hung up
        (b"a\0", 2, 0, 9, (0, False, b"????", b"a\0")),
        (b"", 1, 3, 9, (3, False, b"????", b"")),
    ],
)
def test_bytes_are_gathered_up_to_a_zero_and_never_more_than_there_is_room(data, flags, used, room, wanted) -> None:
    out = run_micropython(
        SOURCE
        + f"""
from main import gather
source = Source({data!r}, {flags})
buf = bytearray(b"????!")
used = gather(source.ipoll, source.readinto, bytearray(1), buf, {used}, 4, {room})
print(used & 65535, used >> 16, bytes(buf), source.data, set(source.waits) <= {{0}})
"""
    )
    length, ended, buffer, left = wanted
    assert out == f"{length} {int(ended)} {buffer + b'!'!r} {left!r} True\n"


def test_a_turn_takes_512_bytes_and_a_frame_of_the_greatest_length_in_three() -> None:
    assert says(
        SOURCE
        + f"""
source = Source(b"\\x07" * 2000)
p._ipoll, p._readinto = source.ipoll, source.readinto
p.turn()
print(len(source.data))
p.turn()
print(len(source.data))
source.data = bytes.fromhex("{frames.encode(frames.PING, 3, bytes(frames.MAX_PAYLOAD)).hex()}")
p._answer = b""
p._sent = 0
for i in range(4):
    p._read()
print(frames.Parser().feed(p._answer))
p.turn()
"""
    ) == ["1488", "976", f"[({frames.ERROR}, 3, {bytes((frames.E_MALFORMED, frames.PING))!r})]"]


def test_a_port_that_goes_away_while_it_is_read_loses_nothing_that_had_come() -> None:
    assert says("""
def gone(one):
    raise OSError(5)
p._ipoll, p._readinto = (lambda ms: ((None, 1),)), gone
p._parser.used = 3
p._read()
print(p._parser.used)
""") == ["3"]


# ---- waiting -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "waits"),
    [
        ("", [1000]),
        ("p._since = 300", [700]),
        ("p._since = 1000", []),
        ("p._since = 999", [1]),
        ("p.scene.moving = 1", [20]),
        ("p.scene.moving = 1; p._since = 19", [1]),
        ("p.scene.moving = 1; p._since = 20", []),
        ("p._quiet = 2500", [500]),
        ("p._quiet = 2500; p.night = True", [1000]),
        ("p._quiet = 3000; p.pulsing = True", [20]),
        ("p._quiet = 3000", []),
        ("p._answer = b'ab'; p._sent = 1", []),
        ("p._answer = b'ab'; p._sent = 2", [1000]),
        ("p._answer = b'ab'; p._sent = 1; p._blocked = True", [20]),
        ("p._answer = b'ab'; p._sent = 1; p._blocked = True; p._since = 990", [10]),
    ],
)
def test_it_waits_for_the_next_frame_the_pulse_or_an_answer_whichever_is_first(state: str, waits: list[int]) -> None:
    assert says(f"""
p._since = p._quiet = 0
p._sent = len(p._answer)
waits = []
p._ipoll = lambda ms: waits.append(ms) or ()
{state}
p._wait()
print(waits)
""") == [str(waits)]


@pytest.mark.parametrize(
    ("flags", "since_ms", "slept"), [(1, 0, []), (17, 0, []), (16, 0, [20]), (16, 985, [15]), (4, 0, [20])]
)
def test_a_port_that_is_hung_up_is_not_asked_without_pause(flags: int, since_ms: int, slept: list[int]) -> None:
    assert says(f"""
slept = []
time.sleep_ms = slept.append
p._since, p._quiet = {since_ms}, 0
p._sent = len(p._answer)
p._ipoll = lambda ms: ((None, {flags}),)
p._wait()
print(slept)
""") == [str(slept)]


# ---- answering -----------------------------------------------------------------------------

SINK = """
out, room, flags = bytearray(), 1000, 4
def out_ipoll(ms):
    assert ms == 0
    return ((None, flags),) if len(out) < room else ()
p._out_ipoll, p._write = out_ipoll, lambda one: out.extend(one)
p._answer, p._sent = bytes(range(100)), 0
"""


def test_of_an_answer_64_bytes_leave_at_a_time_and_nothing_holds_up_the_rest() -> None:
    assert says(
        SINK
        + """
for i in range(2):
    p._push()
    print(out == p._answer[:p._sent], p._sent, p._blocked)
p._sent = 99
p._push()
print(p._sent, p._blocked, out[-1])
p._answer, p._sent = bytes(64), 0
p._push()
print(p._sent, p._blocked)
"""
    ) == ["True 64 False", "True 100 False", "100 False 99", "64 False"]


@pytest.mark.parametrize(("room", "flags"), [(0, 4), (1, 4), (10, 4), (63, 4), (0, 1), (0, 8), (0, 16)])
def test_an_answer_waits_while_there_is_no_room(room: int, flags: int) -> None:
    room_now = room if flags == 4 else 1000
    assert says(
        SINK
        + f"""
room, flags = {room_now}, {flags}
p._push()
print(len(out), p._sent, p._blocked)
room, flags = 1000, 12
while p._sent < len(p._answer):
    p._push()
print(out == p._answer, p._blocked)
"""
    ) == [f"{room} {room} True", "True False"]


def test_an_answer_that_nobody_takes_is_forgotten_and_one_under_way_is_not_replaced() -> None:
    assert says(
        SINK
        + """
p._say(0xD0, 1)
print(len(p._answer), p._sent)
p._sent = 99
p._say(0xD0, 1)
print(len(p._answer))
def gone(one):
    raise OSError(5)
p._write = gone
p._push()
print(p._sent)
p._say(0xD0, 1)
print(len(p._answer) == len(frames.encode(0xD0, 1)), p._sent)
"""
    ) == ["100 0", "100", "100", "True 0"]


# ---- time ----------------------------------------------------------------------------------


def test_what_moves_is_drawn_every_20_ms_and_what_rests_every_second() -> None:
    assert says(f"""
writes = []
write = p.strip.write
def counted():
    writes.append(time.now)
    write()
p.strip.write = counted
def gaps(ms):
    writes.clear()
    for i in range(ms):
        time.now += 1
        p.turn()
    return set(b - a for a, b in zip(writes, writes[1:]))
print(gaps(2999))
print(ask(frames.SHOW, 3, bytes.fromhex("{SWELLS}")) and gaps(1000))
print(gaps(1990) and p.pulsing, gaps(30) and p.pulsing, gaps(1000), p.pulsing)
""") == ["{1000}", "{20}", "False True {20} True"]


def test_the_strip_is_written_at_the_first_turn() -> None:
    assert says("""
fresh = main.Program()
fresh._ipoll = lambda ms: ()
written = []
fresh.strip.write = lambda: written.append(1)
fresh.turn()
print(len(written), fresh._since)
""") == ["1 0"]


def test_a_program_that_has_just_started_pulses_after_3_s_and_takes_any_number() -> None:
    for seq in (0, 45, 46, 47, 174, 200):
        assert says(f"""
p = main.Program()
p._ipoll = lambda ms: ()
time.now += 2999
p.turn()
print(p.pulsing, ask(frames.PING, {seq}))
time.now += 3000
p.turn()
print(p.pulsing)
""") == [f"False {answer(frames.PING, seq)}", "True"]
    assert says("""
p = main.Program()
time.now += 2999
p._tick()
print(p.pulsing)
time.now += 1
p._tick()
print(p.pulsing)
""") == ["False", "True"]


def test_a_program_that_has_just_started_has_no_strip_and_shows_nothing() -> None:
    numbers = b"".join(n.to_bytes(2, "little") for n in (frames.VERSION, 0, 400, 0))
    assert says(f"""
p = main.Program()
print(ask(frames.HELLO, 46))
print(ask(frames.SHOW, 1, bytes.fromhex("{SWELLS}")))
""") == [answer(frames.HELLO, 46, frames.NAME + numbers), refused(frames.SHOW, 1, frames.E_NOT_SET_UP)]


def test_a_picture_is_drawn_as_old_as_it_says_whenever_it_comes() -> None:
    picture = Picture(RED.still, (Flash(0, 2, (0, 9, 0), 1, 100, 1), Flash(2, 2, (0, 9, 0), 1, 100, 0)))
    assert says(f"""
time.now += 700
print(ask(frames.SHOW, 3, bytes.fromhex("{describe(picture, 64, 0).hex()}")) and bytes(p.strip.rgb[3:9]))
time.now += 1
p._tick()
p.refresh()
print(bytes(p.strip.rgb[3:9]))
""") == [repr(bytes((60, 0, 0, 0, 9, 0))), repr(bytes((0, 9, 0, 0, 9, 0)))]


def test_sums_and_scales_are_of_the_bytes_that_are_asked_for() -> None:
    assert (
        run_micropython("""
from strip import scale, total
buf = bytearray(b"\\x07\\x09\\xff\\x0b")
print(total(buf, 0), total(buf, 1), total(buf, 3))
print(total(memoryview(buf)[1:], 2))
scale(memoryview(buf)[1:], 2, 1, 2)
print(list(buf))
""")
        == "0 7 271\n264\n[7, 4, 127, 11]\n"
    )


def test_a_turn_sends_what_is_to_be_answered() -> None:
    assert says(
        SINK
        + """
p.turn()
p.turn()
print(out == p._answer)
"""
    ) == ["True"]


def test_the_pulse_begins_in_the_moment_in_which_it_is_due() -> None:
    assert says(
        """
time.now += 3000 - p._quiet
p._tick()
levels = []
for after_ms in (PULSES):
    time.now += after_ms
    p._tick()
    p.refresh()
    levels.append(p.strip.rgb[90])
print(levels)
""".replace("PULSES", "312, 1, 108, 1")
    ) == [str([0, 1, 1, 2])]


def test_the_pulse_swells_to_48_in_two_seconds_and_back_in_two() -> None:
    assert says("""
go_on(3000)
def level(after_ms):
    time.now += after_ms
    p._tick()
    p.refresh()
    return [p.strip.rgb[i] for i in (89, 90, 91, 92, 101, 102)]
print(level(0), level(1000), level(1000), level(1000), level(1000), level(2000))
print(level(1_000_000), level(999_000))
""") == [
        " ".join(str([0, level, level, level, level, 0]) for level in levels)
        for levels in ((0, 12, 48, 12, 0, 48), (48, 12))
    ]


@pytest.mark.parametrize(
    ("leds", "lit"), [(1, [0]), (2, [0]), (31, [15]), (32, [15, 16]), (300, list(range(141, 159)))]
)
def test_the_pulse_is_a_sixteenth_of_the_strip_in_its_middle(leds: int, lit: list[int]) -> None:
    setup = Setup(leds, budget_ma=1000).payload()
    assert says(f"""
print(ask(frames.SETUP, 3, bytes.fromhex("{setup.hex()}")) and go_on(5000) and
    [i for i in range(300) if any(p.strip.rgb[3 * i:3 * i + 3])])
""") == [str(lit)]


def test_any_word_ends_the_pulse_and_it_comes_again_3_s_later() -> None:
    assert says("""
go_on(4000)
print(p.pulsing, ask(0x7A, 3), p.pulsing, len(lit()))
print(go_on(2990), go_on(10))
print(ask(frames.NIGHT, 4) and p.pulsing, go_on(9000), lit())
""") == [f"True {refused(0x7A, 3, frames.E_UNKNOWN_KIND)} False 64", "0 10", "False 0 []"]

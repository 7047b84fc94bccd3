"""One turn of the Pico's program at a time, under MicroPython: what it reads, waits for, answers and refuses."""

from __future__ import annotations

import pytest

from hardware import frames
from hardware.link import Setup
from hardware.pictures import describe
from hardware.ports import Breathe, Flash, Picture
from tests.support.strip_support import HAND_CLOCK, RED, run_micropython

SOURCE = """
class Source:
    def __init__(self, data, flags=1):
        self.data, self.flags, self.waits = data, flags, []
    def ipoll(self, ms):
        self.waits.append(ms)
        return ((None, self.flags),) if self.data else ()
    def readinto(self, one):
        one[0] = self.data[0]
        self.data = self.data[1:]
"""

# What is asked of the program, and what it answers, as lists of numbers.
ASKING = """
def ask(kind, seq, payload=b""):
    p._parser.buf[2:2 + len(payload)] = payload
    p._sent = len(p._answer)
    p._answer = b""
    p._sent = 0
    p._heed(kind, seq, len(payload))
    answers = frames.Parser().feed(p._answer)
    p._sent = len(p._answer)
    return [[k, s] + list(data) for k, s, data in answers]
"""
BEFORE = HAND_CLOCK + ASKING
SWELLS = describe(Picture(RED.still, (Breathe(0, 4, (200, 90, 10), 2500, 0),)), 64, 0).hex()


def says(script: str) -> list[str]:
    return run_micropython(BEFORE + script).splitlines()


def answer(kind: int, seq: int, payload: bytes = b"") -> str:
    return str([[kind | frames.ANSWER, seq, *payload]])


def refused(kind: int, seq: int, error: int) -> str:
    return str([[frames.ERROR, seq, error, kind]])


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


# ---- sequence numbers ----------------------------------------------------------------------


@pytest.mark.parametrize(("last", "seq"), [(0, 127), (0, 1), (200, 71), (255, 0), (255, 126), (2, 129)])
def test_a_number_up_to_127_ahead_is_new(last: int, seq: int) -> None:
    assert says(f"""
ask(frames.HELLO, 46)
ask(frames.PING, {last})
print(ask(frames.PING, {seq}))
print(ask(frames.PING, {last}))
""") == [answer(frames.PING, seq), refused(frames.PING, last, frames.E_STALE)]


@pytest.mark.parametrize(("last", "seq"), [(0, 128), (0, 255), (200, 72), (255, 127), (2, 1), (2, 130)])
def test_a_number_128_ahead_or_more_is_stale(last: int, seq: int) -> None:
    assert says(f"""
ask(frames.HELLO, 46)
ask(frames.PING, {last})
print(ask(frames.PING, {seq}))
ask(frames.HELLO, 46)
print(ask(frames.PING, {seq}))
""") == [refused(frames.PING, seq, frames.E_STALE), answer(frames.PING, seq)]


@pytest.mark.parametrize("seq", [0, 1, 7, 127, 128, 255])
def test_after_a_hello_any_number_is_new_and_one_obeyed_is_obeyed_once(seq: int) -> None:
    swells = f'bytes.fromhex("{SWELLS}")'
    assert says(f"""
ask(frames.HELLO, 46)
print(ask(frames.SHOW, {seq}, {swells}))
scene = p.scene
print(ask(frames.SHOW, {seq}, {swells}), p.scene is scene)
print(ask(frames.SHOW, {(seq + 1) % 256}, {swells}), p.scene is scene)
print(ask(frames.NIGHT, {(seq + 1) % 256}), p.night)
""") == [
        answer(frames.SHOW, seq),
        answer(frames.SHOW, seq) + " True",
        answer(frames.SHOW, (seq + 1) % 256) + " False",
        answer(frames.NIGHT, (seq + 1) % 256) + " True",
    ]


def test_what_is_lit_is_read_anew_each_time_and_is_no_picture() -> None:
    red, dark = bytes((60, 0, 0)) * 64, bytes(192)
    assert says("""
print(ask(frames.READ, 9))
p.strip.rgb[:192] = bytes(192)
print(ask(frames.READ, 9))
""") == [answer(frames.READ, 9, red), answer(frames.READ, 9, dark)]


# ---- messages ------------------------------------------------------------------------------


def test_the_answer_to_a_hello_has_numbers_of_two_bytes() -> None:
    setup = Setup(300, budget_ma=65534).payload()
    numbers = b"".join(n.to_bytes(2, "little") for n in (frames.VERSION, 300, 65534, 0x0203))
    assert says(f"""
ask(frames.SETUP, 3, bytes.fromhex("{setup.hex()}"))
p._parser.damaged = 0x0203
print(ask(frames.HELLO, 46))
print(p.strip.leds, p.strip.budget_ma, p.strip.order)
""") == [answer(frames.HELLO, 46, frames.NAME + numbers), "300 65534 b'GRB'"]


@pytest.mark.parametrize("kind", [frames.PING, frames.READ, frames.NIGHT, frames.PROMPT])
def test_a_word_without_a_payload_is_refused_with_one(kind: int) -> None:
    assert says(f"print(ask({kind}, 3, b'?'), p.night, len(lit()))") == [
        refused(kind, 3, frames.E_MALFORMED) + " False 64"
    ]


def setup(leds: int = 64, order: bytes = b"GRB", budget_ma: int = 400, more: bytes = b"") -> str:
    return (leds.to_bytes(2, "little") + order + budget_ma.to_bytes(2, "little") + more).hex()


@pytest.mark.parametrize(
    ("payload", "error"),
    [
        (setup(0), frames.E_LEDS),
        (setup(301, budget_ma=999), frames.E_LEDS),
        (setup(256 * 2, budget_ma=999), frames.E_LEDS),
        (setup(order=b"GGB"), frames.E_COLOUR_ORDER),
        (setup(order=b"RRB"), frames.E_COLOUR_ORDER),
        (setup(order=b"RGG"), frames.E_COLOUR_ORDER),
        (setup(order=b"rgb"), frames.E_COLOUR_ORDER),
        (setup(budget_ma=64), frames.E_BUDGET),
        (setup(1, budget_ma=1), frames.E_BUDGET),
        (setup(300, budget_ma=300), frames.E_BUDGET),
        (setup(more=b"\0"), frames.E_MALFORMED),
        (setup()[:-2], frames.E_MALFORMED),
        (setup(budget_ma=65), 0),
        (setup(1, budget_ma=2), 0),
        (setup(300, budget_ma=301), 0),
        (setup(1, b"BGR", 65535), 0),
        (setup(1, b"RGB", 256), 0),
    ],
)
def test_a_setup_is_taken_up_to_its_limits_and_leaves_all_as_it_was_beyond_them(payload: str, error: int) -> None:
    data = bytes.fromhex(payload)
    said = says(f"""
print(ask(frames.SETUP, 3, bytes.fromhex("{payload}")))
print(p.strip.leds, p.strip.budget_ma, p.strip.order, len(lit()))
""")
    if error:
        assert said == [refused(frames.SETUP, 3, error), "64 400 b'GRB' 64"]
    else:
        leds, budget_ma = (int.from_bytes(some, "little") for some in (data[:2], data[5:]))
        assert said == [answer(frames.SETUP, 3), f"{leds} {budget_ma} {data[2:5]!r} 0"]


def test_the_setup_that_it_has_keeps_the_picture_and_any_other_is_dark() -> None:
    same, *others = setup(), setup(63), setup(order=b"RGB"), setup(budget_ma=401)
    for other in others:
        assert says(f"""
print(ask(frames.SETUP, 3, bytes.fromhex("{same}")), len(lit()))
print(ask(frames.SETUP, 4, bytes.fromhex("{other}")), len(lit()))
p.refresh()
print(len(lit()))
""") == [answer(frames.SETUP, 3) + " 64", answer(frames.SETUP, 4) + " 0", "0"]


@pytest.mark.parametrize("order", [b"RGB", b"GRB", b"GBR", b"BRG", b"BGR", b"RBG"])
def test_each_order_of_colours_puts_each_channel_in_its_place(order: bytes) -> None:
    wire = bytes({"R": 1, "G": 2, "B": 3}[chr(letter)] for letter in order) * 2
    assert says(f"""
ask(frames.SETUP, 3, bytes.fromhex("{setup(2, order)}"))
p.strip.rgb[:9] = b"\\x01\\x02\\x03\\x01\\x02\\x03\\x07\\x08\\x09"
p.strip.write()
print(bytes(p.strip._pixels.buf), p.strip._pixels.pin.number)
""") == [f"{wire!r} 16"]


@pytest.mark.parametrize(
    ("lit", "wanted"),
    [
        ((255, 0, 0), (255, 0, 0)),  # 20 mA and 1 mA for each LED: just the budget
        ((85, 85, 85), (85, 85, 85)),
        ((255, 1, 0), (254, 0, 0)),
        ((254, 1, 1), (253, 0, 0)),
        ((255, 255, 255), (85, 85, 85)),
    ],
)
def test_the_budget_may_be_reached_and_what_is_above_it_is_scaled_as_a_whole(lit, wanted) -> None:
    assert says(f"""
ask(frames.SETUP, 3, bytes.fromhex("{setup(4, budget_ma=24)}"))
p.strip.rgb[6:9] = bytes({lit})
p.strip.write()
print(bytes(p.strip.rgb[:12]))
""") == [repr(bytes(6) + bytes(wanted) + bytes(3))]


def test_a_picture_ends_the_night_and_one_that_is_refused_does_not() -> None:
    assert says(f"""
ask(frames.NIGHT, 3)
print(ask(frames.SHOW, 4, b"?"), p.night, lit())
p._since = 700
print(ask(frames.SHOW, 5, bytes.fromhex("{SWELLS}")), p.night, len(lit()), p._since, p.strip.rgb[0])
""") == [refused(frames.SHOW, 4, frames.E_MALFORMED) + " True []", answer(frames.SHOW, 5) + " False 60 0 0"]


def test_an_answer_or_an_error_from_the_host_is_not_obeyed() -> None:
    assert says(
        SOURCE
        + f"""
heard = []
p._heed = lambda kind, seq, n: heard.append((kind, seq, n))
for data in ({frames.encode(frames.PING | frames.ANSWER, 1)!r}, {frames.encode(frames.NIGHT, 2)!r}, b"\\x02\\x01\\0",
        {frames.encode(frames.ERROR, 3, b"11")!r}, {frames.encode(0, 4, b"11")!r}):
    source = Source(data)
    p._ipoll, p._readinto = source.ipoll, source.readinto
    p._read()
    p._read()
print(heard)
"""
    ) == [f"[({frames.NIGHT}, 2, 0), (0, 4, 2)]"]


# ---- start and restart ---------------------------------------------------------------------

MACHINE = """
import os
class Machine:
    told = []
    def WDT(self, timeout):
        self.told.append(timeout)
        return self
    def feed(self):
        self.told.append("fed")
    def kbd_intr(self, byte):
        self.told.append(("byte", byte))
    def reset(self):
        self.told.append("reset")
machine = main.machine = main.micropython = Machine()
"""


def test_told_to_stop_it_leaves_a_note_goes_dark_and_resets_once_its_answer_has_left(tmp_path) -> None:
    assert says(
        MACHINE
        + f"""
os.chdir({str(tmp_path)!r})
slept = []
time.sleep_ms = slept.append
out = bytearray()
p._out_ipoll, p._write = (lambda ms: ((None, 4 * (len(slept) > 2)),)), lambda one: out.extend(one)
p._sent = len(p._answer)
p._heed(frames.PROMPT, 3, 0)
print(frames.Parser().feed(out), lit(), slept, machine.told)
print(main.staying(), main.staying())
"""
    ) == [f"[({frames.PROMPT | frames.ANSWER}, 3, b'')] [] [20, 20, 20, 20] ['reset']", "True False"]


def test_told_to_stop_it_does_so_though_nobody_reads_its_answer(tmp_path) -> None:
    assert says(
        MACHINE
        + f"""
os.chdir({str(tmp_path)!r})
slept = []
time.sleep_ms = slept.append
p._heed(frames.PROMPT, 3, 0)
print(len(slept), set(slept), machine.told, main.staying())
"""
    ) == ["21 {20} ['reset'] True"]


def test_it_runs_under_a_watchdog_of_8_s_with_byte_3_a_byte_like_any_other_until_it_ends() -> None:
    assert says(
        MACHINE
        + """
class Turns:
    def turn(self):
        machine.told.append("turn")
        if machine.told.count("turn") == 2:
            raise ValueError("enough")
main.Program = Turns
try:
    main.run()
except ValueError as error:
    print(error, machine.told)
"""
    ) == ["enough [('byte', -1), 8000, 'fed', 'turn', 'fed', 'turn', ('byte', 3)]"]


def test_a_strip_that_becomes_shorter_is_dark_beyond_its_new_end() -> None:
    assert says(f"""
before = bytes(p.strip._pixels.buf)
pixels = p.strip._pixels
ask(frames.SETUP, 3, bytes.fromhex("{setup(63)}"))
print(any(before), any(pixels.buf), p.strip._pixels.n)
""") == ["True False 63"]

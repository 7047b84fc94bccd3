"""What the Pico's program obeys, answers and refuses, frame by frame, under MicroPython; and how it starts and ends."""

from __future__ import annotations

import pytest

from hardware import frames
from hardware.link import Setup
from tests.support.pico_asked import SOURCE, SWELLS, answer, refused, says

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

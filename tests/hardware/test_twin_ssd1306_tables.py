"""The emulated display controllers, byte by byte against the command tables of their data sheets."""

from __future__ import annotations

import errno

import pytest
import smbus2

from hardware.twins.i2c import Bus
from hardware.twins.ssd1306 import SH1106, SSD1306, SSD1309, Refused

KINDS = (SSD1306, SSD1309, SH1106)


def commands(chip, *content: int) -> None:
    chip.write_i2c_block_data(0x3C, 0x00, list(content))


def data(chip, *content: int) -> None:
    chip.write_i2c_block_data(0x3C, 0x40, list(content))


def on(kind):
    """A chip that shows its memory, which is empty; SH1106 knows no modes and has no pump."""
    chip = kind()
    commands(chip, 0xA1, 0xC8, 0xAF)
    if kind is not SH1106:
        commands(chip, 0x8D, 0x14)
    for page in range(8):
        commands(chip, 0xB0 | page, 0x00, 0x10)
        for _ in range(chip.COLUMNS // 4):
            data(chip, 0, 0, 0, 0)
    commands(chip, 0xB0, 0x02 if kind is SH1106 else 0x00, 0x10)
    return chip


def lit(chip) -> set[tuple[int, int]]:
    image = chip.image()
    assert image.size == (128, 64) and image.mode == "1"
    return {(x, y) for x in range(128) for y in range(64) if image.getpixel((x, y))}


def spans(*pairs: int) -> set[int]:
    """The bytes of these spans, ends included."""
    return {byte for first, last in zip(pairs[::2], pairs[1::2], strict=True) for byte in range(first, last + 1)}


COMMON = spans(0x40, 0x7F, 0xA0, 0xA1, 0xA4, 0xA7, 0xAE, 0xAF, 0xC0, 0xCF, 0xE3, 0xE3)
ONE_BYTE = {
    SSD1306: COMMON | spans(0x00, 0x1F, 0x2E, 0x2E, 0xB0, 0xB7),
    SSD1309: COMMON | spans(0x00, 0x1F, 0x2E, 0x2E, 0xB0, 0xB7),
    SH1106: COMMON | spans(0x00, 0x1F, 0x30, 0x33, 0xB0, 0xB7, 0x20, 0x20, 0x8D, 0x8D),
}
SHARED = {
    0x81: [(0, 255)],
    0xA8: [(15, 63)],
    0xD3: [(0, 63)],
    0xD5: [(0, 255)],
    0xD9: [(0x11, 0xFF)],
    0xDA: [(2, 0x32)],
    0xDB: [(0, 0x7F)],
}
SSD = {0x20: [(0, 2)], 0x21: [(0, 127), (0, 127)], 0x22: [(0, 7), (0, 7)], 0x8D: [(0x10, 0x14)]}
ARGUMENTS = {
    SSD1306: SHARED | SSD,
    SSD1309: SHARED | SSD | {0xFD: [(0x12, 0x16)]},
    SH1106: SHARED | {0xAD: [(0x8A, 0x8B)]},
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_byte_is_a_command_begins_one_or_is_none(kind) -> None:
    for byte in range(256):
        chip = kind()
        if byte in ONE_BYTE[kind]:
            commands(chip, byte)
        else:
            lacks = len(ARGUMENTS[kind].get(byte, ()))
            said = f"command 0x{byte:02X} lacks {lacks} of" if lacks else f"there is no command 0x{byte:02X}"
            with pytest.raises(Refused, match=f"{chip.NAME} at 0x3C: {said}"):
                commands(chip, byte)
            commands(chip, 0xAF)  # it waits for nothing
            assert chip.on


@pytest.mark.parametrize("kind", KINDS)
def test_each_argument_is_taken_up_to_its_limits(kind) -> None:
    for command, ranges in ARGUMENTS[kind].items():
        for place, (low, high) in enumerate(ranges):
            for value in range(256):
                chip = kind()
                others = [limits[place] for limits in ranges]  # the first: 0 to what comes; the second: from 0
                others[place] = value
                if len(ranges) == 2:
                    others = [0, value] if place else [value, ranges[1][1]]
                if low <= value <= high:
                    commands(chip, command, *others)
                    assert chip.refused == []
                else:
                    said = f"0x{value:02X} after command 0x{command:02X}: 0x{low:02X} to 0x{high:02X} is allowed"
                    with pytest.raises(Refused, match=said):
                        commands(chip, command, *others)


@pytest.mark.parametrize(("kind", "name"), [(SSD1306, "SSD1306"), (SSD1309, "SSD1309"), (SH1106, "SH1106")])
def test_a_chip_begins_dark_with_the_values_of_its_data_sheet(kind, name: str) -> None:
    chip = kind()
    assert name == chip.NAME
    assert (chip.address, chip.bus_hz, chip.transfers, chip.bytes_on_bus) == (0x3C, 400_000, 0, 0)
    assert (chip.on, chip.inverse, chip.all_on, chip.segment_remap, chip.com_remap) == (False,) * 5
    assert (chip.contrast, chip.start_line, chip.offset, chip.multiplex, chip.column, chip.page) == (
        127,
        0,
        0,
        64,
        0,
        0,
    )
    assert [len(page) for page in chip.memory()] == [132 if kind is SH1106 else 128] * 8
    if kind is not SH1106:
        assert (chip.mode, chip.columns, chip.pages) == (2, (0, 127), (0, 7))


@pytest.mark.parametrize("kind", KINDS)
def test_switches_are_set_and_reset_by_their_own_bytes_only(kind) -> None:
    pairs = {"segment_remap": (0xA0, 0xA1), "all_on": (0xA4, 0xA5), "inverse": (0xA6, 0xA7), "on": (0xAE, 0xAF)}
    for name, (off, set_) in pairs.items():
        chip = kind()
        before = {other: getattr(chip, other) for other in pairs}
        commands(chip, set_)
        assert {other: getattr(chip, other) for other in pairs} == before | {name: True}
        commands(chip, off)
        assert {other: getattr(chip, other) for other in pairs} == before
    for byte in range(0xC0, 0xD0):
        chip = kind()
        chip.com_remap = byte < 0xC8
        commands(chip, byte)
        assert chip.com_remap == (byte >= 0xC8)
    for byte in range(0x40, 0x80):
        chip = kind()
        commands(chip, byte)
        assert chip.start_line == byte - 0x40
        assert not chip.com_remap
    chip = kind()
    commands(chip, 0xC8, 0x45)
    for nothing in sorted({0xE3, 0x20, 0x2E, 0x31, 0x8D} & ONE_BYTE[kind]):
        before = {**vars(chip), "transfers": 0, "bytes_on_bus": 0}
        commands(chip, nothing)
        assert {**vars(chip), "transfers": 0, "bytes_on_bus": 0} == before, hex(nothing)


@pytest.mark.parametrize("kind", KINDS)
def test_the_settings_of_two_bytes_are_kept(kind) -> None:
    chip = kind()
    commands(chip, 0x81, 0x12, 0xA8, 0x20, 0xD3, 0x05, 0xD5, 0x80, 0xD9, 0x22, 0xDA, 0x12, 0xDB, 0x40)
    assert (chip.contrast, chip.multiplex, chip.offset) == (0x12, 0x21, 5)


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_and_a_column_are_set_by_their_own_bytes(kind) -> None:
    for page in range(8):
        chip = on(kind)
        commands(chip, 0xB0 | page)
        data(chip, 0x80)
        assert lit(chip) == {(0, 8 * page + 7)}
    shift = 2 if kind is SH1106 else 0
    for column in (0, 1, 15, 16, 17, 31, 32, 100, 112, 127):
        chip = on(kind)
        at = column + shift
        commands(chip, at & 15, 0x10 | at >> 4)
        data(chip, 1)
        assert chip.column == (at + 1) % (1000 if kind is SH1106 else 128)
        assert lit(chip) == {(column, 0)}
        commands(chip, 0x10 | at >> 4, at & 15)
        assert chip.column == at


def test_an_ssd1306_has_columns_of_seven_bits() -> None:
    chip = on(SSD1306)
    commands(chip, 0x0F, 0x1F)
    assert chip.column == 127
    commands(chip, 0x18)
    assert chip.column == 15


def test_an_sh1106_has_columns_of_eight_bits_and_takes_data_up_to_the_132nd() -> None:
    chip = on(SH1106)
    commands(chip, 0x0F, 0x1F)
    assert chip.column == 255
    commands(chip, 0x03, 0x18)
    data(chip, 7)
    assert chip.memory()[0][131] == 7
    with pytest.raises(Refused, match="column 132: there are 132"):
        data(chip, 7)


@pytest.mark.parametrize("kind", [SSD1306, SSD1309])
def test_page_bytes_are_refused_in_the_modes_with_windows(kind) -> None:
    for mode in (0, 1):
        chip = kind()
        commands(chip, 0x20, mode)
        for byte in (0x00, 0x0F, 0x10, 0x1F, 0xB0, 0xB7):
            with pytest.raises(Refused, match=f"command 0x{byte:02X} is for page addressing only, and mode {mode} is"):
                commands(chip, byte)
        for byte in (0x2E, 0xAF, 0x40, 0xC0):
            commands(chip, byte)


@pytest.mark.parametrize("kind", [SSD1306, SSD1309])
def test_a_window_is_filled_and_begun_again_at_its_first_byte(kind) -> None:
    for mode, order in (
        (0, [(c, p) for p in (3, 4, 5) for c in (20, 21)]),
        (1, [(c, p) for c in (20, 21) for p in (3, 4, 5)]),
    ):
        chip = on(kind)
        commands(chip, 0x20, mode, 0x21, 20, 21, 0x22, 3, 5)
        data(chip, *range(1, 9))
        wanted = dict(zip([*order, *order[:2]], range(1, 9), strict=True))
        memory = chip.memory()
        assert {(c, p): memory[p][c] for p in range(8) for c in range(128) if memory[p][c]} == wanted
        commands(chip, 0x21, 126, 127, 0x22, 7, 7)
        data(chip, 11, 12, 13)
        assert chip.memory()[7][126:] == bytes((13, 12))
    chip = on(kind)
    for bad in ((0x21, 5, 4), (0x22, 1, 0)):
        said = f"command 0x{bad[0]:02X} from {bad[1]} to {bad[2]}: the end is before the beginning"
        with pytest.raises(Refused, match=said):
            commands(chip, *bad)
    commands(chip, 0x20, 0, 0x21, 5, 5, 0x22, 2, 2)
    data(chip, 1, 2)
    assert chip.memory()[2][4:7] == bytes((0, 2, 0))


def test_page_addressing_wraps_at_the_last_column_and_stays_on_its_page() -> None:
    chip = on(SSD1306)
    commands(chip, 0xB7, 0x0F, 0x17)
    data(chip, 1, 2)
    assert (chip.memory()[7][127], chip.memory()[7][0]) == (1, 2)
    assert not any(any(page) for page in chip.memory()[:7])


@pytest.mark.parametrize("kind", KINDS)
def test_every_bit_of_the_memory_is_a_pixel_in_its_place(kind) -> None:
    for x, y in ((0, 0), (127, 63), (3, 9), (64, 31), (100, 40)):
        for flips in range(4):
            chip = on(kind)
            at = x + chip.FIRST_SHOWN
            commands(chip, 0xB0 | y // 8, at & 15, 0x10 | at >> 4)
            data(chip, 1 << y % 8)
            commands(chip, 0xA0 | (not flips & 1), 0xC0 | 8 * (not flips & 2))
            assert lit(chip) == {(127 - x if flips & 1 else x, 63 - y if flips & 2 else y)}


def test_lines_beyond_the_multiplex_ratio_stay_dark() -> None:
    chip = on(SSD1306)
    commands(chip, 0xA7, 0xA8, 31)
    assert lit(chip) == {(x, y) for x in range(128) for y in range(32)}
    commands(chip, 0xA8, 62)
    assert lit(chip) == {(x, y) for x in range(128) for y in range(63)}
    commands(chip, 0xC0)
    assert lit(chip) == {(x, y) for x in range(128) for y in range(1, 64)}
    commands(chip, 0xA8, 63)
    assert len(lit(chip)) == 128 * 64


def test_start_line_and_offset_add_up_and_come_round() -> None:
    for line, offset, y in ((0, 0, 9), (9, 0, 0), (10, 0, 63), (3, 5, 1), (63, 1, 9), (0, 63, 10)):
        chip = on(SSD1309)
        commands(chip, 0xB1, 0x40 | line, 0xD3, offset)
        data(chip, 2)
        assert lit(chip) == {(0, y)}


def test_a_chip_that_is_off_has_no_pump_or_lights_everything_shows_so() -> None:
    chip = on(SSD1306)
    commands(chip, 0xA5)
    assert len(lit(chip)) == 128 * 64
    for value in (0x10, 0x11, 0x12, 0x13):
        commands(chip, 0x8D, value)
        assert lit(chip) == set()
    commands(chip, 0x8D, 0x14)
    assert len(lit(chip)) == 128 * 64
    commands(chip, 0xAE)
    assert lit(chip) == set()
    other = on(SSD1309)
    commands(other, 0x8D, 0x10, 0xA5)
    assert len(lit(other)) == 128 * 64


# ---- the bus -------------------------------------------------------------------------------


def test_each_transfer_costs_nine_clocks_a_byte_and_two_more() -> None:
    told: list[float] = []
    chip = SSD1306(0x3C, 200_000, told.append)
    commands(chip, 0xAF, 0xA4)
    data(chip, 1)
    assert told == [pytest.approx((9 * 4 + 2) * 5), pytest.approx((9 * 3 + 2) * 5)]
    assert (chip.transfers, chip.bytes_on_bus, chip.wire_us) == (2, 7, pytest.approx((63 + 4) * 5))
    with pytest.raises(OSError) as caught:
        chip.write_i2c_block_data(0x3D, 0, [0xAF])
    assert (caught.value.errno, chip.transfers, chip.bytes_on_bus) == (errno.EREMOTEIO, 3, 8)
    assert told[2] == pytest.approx((9 * 3 + 2) * 5)


def test_a_control_byte_says_whether_one_byte_or_all_follow_and_of_which_kind() -> None:
    chip = on(SSD1306)
    chip.transfer(0x3C, bytes((0xC0, 0x01, 0x80, 0xA7, 0xC0, 0x02, 0x40, 0x80, 0xC0)))
    assert chip.memory()[0][:5] == bytes((1, 2, 0x80, 0xC0, 0))
    assert chip.inverse
    chip.transfer(0x3C, bytes((0x80, 0xA6, 0x00, 0xA5, 0xA1)))
    assert not chip.inverse and chip.all_on
    chip.transfer(0x3C, b"")
    for low in (0x01, 0x02, 0x10, 0x20, 0x3F, 0xA0, 0x41):
        with pytest.raises(Refused, match=f"control byte 0x{low:02X}: its six low bits are not zero"):
            chip.transfer(0x3C, bytes((low, 0)))


def test_of_a_transfer_that_fails_the_chip_takes_the_first_bytes() -> None:
    for taken, memory in ((0, (0, 0, 0)), (1, (0, 0, 0)), (2, (5, 0, 0)), (3, (5, 6, 0)), (9, (5, 6, 7))):
        chip = on(SSD1306)
        chip.fail(2, errno.EIO, after_bytes=taken)
        commands(chip, 0xA4)
        with pytest.raises(OSError) as caught:
            data(chip, 5, 6, 7)
        assert caught.value.errno == errno.EIO
        assert chip.memory()[0][:3] == bytes(memory)
        data(chip, 9)
        assert chip.memory()[0][sum(map(bool, memory))] == 9
    chip = on(SSD1306)
    chip.fail(1)
    chip.heal()
    commands(chip, 0xA5)
    chip.fail(1)
    with pytest.raises(OSError) as caught:
        commands(chip, 0xA4, 0xE3)
    assert caught.value.errno == errno.EREMOTEIO
    assert chip.all_on


def test_a_command_that_was_cut_off_takes_what_follows_for_its_arguments() -> None:
    chip = on(SSD1306)
    chip.fail(1, after_bytes=3)
    with pytest.raises(OSError):
        commands(chip, 0x21, 7, 9)
    data(chip, 1)  # goes into the memory: nothing is refused after a cut
    assert chip.memory()[0][0] == 1
    commands(chip, 3)  # the end would be before the beginning
    assert (chip.refused, chip.columns) == ([], (0, 127))
    fresh = on(SSD1306)
    fresh.fail(1, after_bytes=2)
    with pytest.raises(OSError):
        commands(fresh, 0xA8, 20)
    commands(fresh, 200)  # out of range
    assert (fresh.multiplex, fresh.refused) == (64, [])
    with pytest.raises(Refused, match="0xC8 after command 0xA8"):
        commands(fresh, 0xA8, 200)


def test_display_data_within_a_command_is_refused_with_its_name() -> None:
    chip = on(SSD1306)
    with pytest.raises(Refused, match="display data in the middle of command 0x81"):
        chip.transfer(0x3C, bytes((0x80, 0x81, 0x40, 0x01)))
    with pytest.raises(Refused, match="display data in the middle of command 0x21"):
        on(SSD1306).transfer(0x3C, bytes((0x80, 0x21, 0x80, 0x05, 0x40, 0x01)))
    with pytest.raises(Refused, match="command 0x22 lacks 1 of its arguments"):
        commands(on(SSD1306), 0x22, 5)


def test_blocks_have_32_bytes_and_messages_8192_at_most() -> None:
    chip = on(SSD1306)
    chip.write_i2c_block_data(0x3C, 0x40, [1] * 32)
    with pytest.raises(ValueError, match="33 bytes in a block write: at most 32 are allowed"):
        chip.write_i2c_block_data(0x3C, 0x40, [0] * 33)
    chip.i2c_rdwr(smbus2.i2c_msg.write(0x3C, [0x40] + [2] * 8191))
    with pytest.raises(OSError) as caught:
        chip.i2c_rdwr(smbus2.i2c_msg.write(0x3C, [0x40] + [3] * 8192))
    assert caught.value.errno == errno.EINVAL
    assert chip.transfers > 0 and 3 not in chip.memory()[0]
    with pytest.raises(Refused, match="only written to"):
        chip.i2c_rdwr(smbus2.i2c_msg.read(0x3C, 1))


def test_a_chip_without_power_answers_nothing_shows_nothing_and_forgets() -> None:
    chip = on(SSD1309)
    data(chip, 255)
    before = chip.memory()
    chip.unplug()
    assert lit(chip) == set() and not chip.on
    with pytest.raises(OSError):
        commands(chip, 0xAF)
    chip.plug_in()
    assert not chip.on and chip.memory() != before
    commands(chip, 0xAF)
    assert chip.on
    assert SSD1306(0x3C).memory() != SSD1306(0x3D).memory(), "each has noise of its own"
    assert SSD1306(0x3C).memory() == SSD1306(0x3C).memory(), "and the same each time"


def test_a_bus_reaches_the_chip_of_each_address_with_either_call() -> None:
    left, right = SSD1306(0x3C), SSD1306(0x3D)
    bus = Bus(left, right)
    bus.i2c_rdwr(smbus2.i2c_msg.write(0x3D, [0x00, 0xAF]))
    assert (left.on, right.on) == (False, True)
    bus.write_i2c_block_data(0x3C, 0, [0xAF])
    assert left.on
    with pytest.raises(OSError) as caught:
        bus.i2c_rdwr(smbus2.i2c_msg.write(0x3E, [0x00, 0xAF]))
    assert caught.value.errno == errno.EREMOTEIO

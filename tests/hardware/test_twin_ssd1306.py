"""The emulated display controllers: they decode what the chips do, and refuse what the chips would not understand."""

import errno
import random

import pytest
import smbus2
from luma.core.interface.serial import i2c
from PIL import Image

from hardware.twins.i2c import Bus
from hardware.twins.ssd1306 import SH1106, SSD1306, SSD1309, Refused

SETUP = (0xAE, 0x8D, 0x14, 0x20, 0x00, 0xA1, 0xC8, 0xAF)


def noise(seed=1):
    return Image.frombytes("1", (128, 64), random.Random(seed).randbytes(1024))


def commands(chip, *content):
    chip.write_i2c_block_data(0x3C, 0x00, list(content))


def data(chip, content):
    for start in range(0, len(content), 32):
        chip.write_i2c_block_data(0x3C, 0x40, list(content[start : start + 32]))


def lit(image):
    """The lit pixels, as (x, y)."""
    return {(x, y) for x in range(128) for y in range(64) if image.getpixel((x, y))}


def ready(kind=SSD1306):
    chip = kind()
    commands(chip, *SETUP, 0x21, 0, 127, 0x22, 0, 7)
    data(chip, bytes(1024))
    return chip


def test_a_byte_is_eight_pixels_one_below_the_other_with_bit_0_on_top():
    chip = ready()
    commands(chip, 0x21, 5, 5, 0x22, 2, 2)
    data(chip, [0b10000001])
    assert lit(chip.image()) == {(5, 16), (5, 23)}


def test_horizontal_addressing_fills_the_window_line_by_line_and_wraps():
    chip = ready()
    commands(chip, 0x21, 10, 11, 0x22, 1, 2)
    data(chip, [1, 2, 4, 8, 16])
    assert [page[10:12] for page in chip.memory()[1:3]] == [bytes([16, 2]), bytes([4, 8])]


def test_vertical_addressing_fills_the_window_column_by_column():
    chip = ready()
    commands(chip, 0x20, 0x01, 0x21, 10, 11, 0x22, 1, 2)
    data(chip, [1, 2, 4, 8])
    assert [page[10:12] for page in chip.memory()[1:3]] == [bytes([1, 4]), bytes([2, 8])]


def test_page_addressing_stays_on_its_page():
    chip = ready()
    commands(chip, 0x20, 0x02, 0xB3, 0x0E, 0x17)
    data(chip, [1, 2, 4])
    assert chip.memory()[3][0x7E:] == bytes([1, 2])
    assert chip.memory()[3][0] == 4


def test_segment_remap_and_scan_direction_turn_the_picture():
    chip = ready()
    commands(chip, 0x21, 5, 5, 0x22, 0, 0)
    data(chip, [1])
    commands(chip, 0xA0)
    assert lit(chip.image()) == {(122, 0)}
    commands(chip, 0xC0)
    assert lit(chip.image()) == {(122, 63)}
    commands(chip, 0xA1)
    assert lit(chip.image()) == {(5, 63)}


def test_start_line_and_offset_move_the_picture_up():
    chip = ready()
    commands(chip, 0x21, 5, 5, 0x22, 1, 1)
    data(chip, [1])
    commands(chip, 0x40 | 3)
    assert lit(chip.image()) == {(5, 5)}
    commands(chip, 0xD3, 6)
    assert lit(chip.image()) == {(5, 63)}


def test_inverse_all_on_and_off_are_told_apart():
    chip = ready()
    commands(chip, 0x21, 5, 5, 0x22, 1, 1)
    data(chip, [1])
    commands(chip, 0xA7)
    assert len(lit(chip.image())) == 128 * 64 - 1
    commands(chip, 0xA6, 0xA5)
    assert len(lit(chip.image())) == 128 * 64
    commands(chip, 0xA4, 0xAE)
    assert lit(chip.image()) == set()


def test_contrast_is_kept():
    chip = ready()
    commands(chip, 0x81, 0x21)
    assert chip.contrast == 0x21


def test_without_its_charge_pump_an_ssd1306_is_dark_and_an_ssd1309_is_not():
    for kind, seen in ((SSD1306, 0), (SSD1309, 1)):
        chip = ready(kind)
        commands(chip, 0x21, 5, 5, 0x22, 1, 1)
        data(chip, [1])
        commands(chip, 0x8D, 0x10)
        assert len(lit(chip.image())) == seen


def test_an_sh1106_shows_columns_2_to_129_of_its_132():
    chip = SH1106()
    commands(chip, 0xAE, 0xA1, 0xC8, 0xAF)
    for page in range(8):
        commands(chip, 0xB0 | page, 0x00, 0x10)
        data(chip, bytes([255, 255, *[0] * 128, 255, 255]))
    assert lit(chip.image()) == set()
    commands(chip, 0xB0, 0x02, 0x10)
    data(chip, [1])
    assert lit(chip.image()) == {(0, 0)}
    commands(chip, 0xA0, 0xB0, 0x02, 0x10)
    assert lit(chip.image()) == {(127, 0)}


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ((0xE8,), "no command 0xE8"),
        ((0x81,), "lacks 1"),
        ((0x21, 5), "lacks 1"),
        ((0x21, 9, 5), "before the beginning"),
        ((0x21, 0, 128), "0x00 to 0x7F"),
        ((0x22, 0, 8), "0x00 to 0x07"),
        ((0x20, 3), "0x00 to 0x02"),
        ((0xA8, 3), "0x0F to 0x3F"),
        ((0xB0,), "page addressing only"),
        ((0x26, 0, 0, 0, 7, 0, 255), "no command 0x26"),
    ],
)
def test_what_the_chip_would_not_understand_is_refused(content, what):
    chip = ready()
    with pytest.raises(Refused, match=what):
        commands(chip, *content)
    assert len(chip.refused) == 1


def test_display_data_in_the_middle_of_a_command_is_refused():
    chip = ready()
    chip.fail(1, after_bytes=2)
    with pytest.raises(OSError):
        commands(chip, 0x81, 0x10)
    commands(chip, 0x33)  # taken for the contrast that was cut off
    assert chip.contrast == 0x33
    with pytest.raises(Refused, match="lacks"):
        commands(chip, 0x81)


def test_a_control_byte_with_low_bits_is_refused():
    chip = ready()
    with pytest.raises(Refused, match="control byte 0x41"):
        chip.write_i2c_block_data(0x3C, 0x41, [0])


def test_control_bytes_with_the_continuation_bit_take_one_byte_each():
    chip = ready()
    chip.transfer(0x3C, bytes([0x80, 0x81, 0x80, 0x44, 0x40, 0x01]))
    assert chip.contrast == 0x44


def test_sh1106_refuses_windows_and_data_beyond_its_columns():
    chip = SH1106()
    with pytest.raises(Refused, match="no command 0x21"):
        commands(chip, 0x21, 0, 127)
    commands(chip, 0xB0, 0x03, 0x18)
    with pytest.raises(Refused, match="column 132"):
        data(chip, [1, 1])


def test_a_block_of_more_than_32_bytes_is_an_error_of_smbus():
    with pytest.raises(ValueError, match="at most 32"):
        ready().write_i2c_block_data(0x3C, 0x40, [0] * 33)


def test_a_large_message_of_i2c_rdwr_is_decoded_like_many_blocks():
    one, other, content = ready(), ready(), random.Random(3).randbytes(1024)
    one.i2c_rdwr(smbus2.i2c_msg.write(0x3C, [0x40, *content]))
    data(other, content)
    assert one.memory() == other.memory()


def test_a_message_of_i2c_rdwr_holds_8192_bytes_and_not_one_more():
    chip = ready()
    chip.i2c_rdwr(smbus2.i2c_msg.write(0x3C, [0x40, *bytes(8191)]))
    with pytest.raises(OSError) as caught:
        chip.i2c_rdwr(smbus2.i2c_msg.write(0x3C, [0x40, *bytes(8192)]))
    assert caught.value.errno == errno.EINVAL


def test_a_read_is_refused():
    with pytest.raises(Refused, match="only written to"):
        ready().i2c_rdwr(smbus2.i2c_msg.read(0x3C, 1))


def test_nobody_answers_at_another_address_or_without_power():
    chip = ready()
    with pytest.raises(OSError) as caught:
        chip.write_i2c_block_data(0x3D, 0x00, [0xAF])
    assert caught.value.errno == errno.EREMOTEIO
    chip.unplug()
    with pytest.raises(OSError):
        commands(chip, 0xAF)
    chip.plug_in()
    commands(chip, 0xAF)


def test_after_a_brown_out_registers_are_reset_and_the_memory_is_noise():
    chip = ready()
    before = chip.memory()
    chip.brown_out()
    assert not chip.on
    assert chip.contrast == 0x7F
    assert chip.memory() != before


def test_the_bus_counts_bytes_and_their_time():
    chip = SSD1306(bus_hz=100_000)
    commands(chip, 0xAE)
    assert chip.bytes_on_bus == 3
    assert chip.wire_us == pytest.approx(290)


def test_two_chips_on_one_bus_are_told_apart_by_their_addresses():
    left, right = SSD1306(0x3C), SSD1306(0x3D)
    bus = Bus(left, right)
    i2c(bus=bus, address=0x3D).command(0xAF)
    assert (left.on, right.on) == (False, True)
    with pytest.raises(OSError) as caught:
        bus.write_i2c_block_data(0x20, 0, [0])
    assert caught.value.errno == errno.EREMOTEIO
    with pytest.raises(ValueError, match="two chips have the same address"):
        Bus(left, SSD1306(0x3C))

"""The compiled functions of the Pico's program, called by themselves: they write nothing beside their place.

That would be another object's memory: MicroPython does not check it.
"""

from __future__ import annotations

import pytest

from tests.support.strip_support import run_micropython


def called(*lines: str) -> list[str]:
    return run_micropython("\n".join(["from array import array", "from scene import *", *lines])).splitlines()


def test_a_copy_writes_no_byte_beside_its_place() -> None:
    assert called(
        "src, dst = bytes(range(1, 9)), bytearray(8)",
        "for at, to, n in ((2, 3, 2), (0, 7, 1), (7, 0, 1), (1, 1, 0)):",
        "    copy(src, at, dst, to, n)",
        "    print(list(dst))",
    ) == [
        "[0, 0, 0, 3, 4, 0, 0, 0]",
        "[0, 0, 0, 3, 4, 0, 0, 1]",
        "[8, 0, 0, 3, 4, 0, 0, 1]",
        "[8, 0, 0, 3, 4, 0, 0, 1]",
    ]


def test_a_scene_is_dark_at_first_and_nothing_in_it_moves() -> None:
    assert called(
        "for leds in (1, 64, 300):",
        "    scene, rgb = Animation(leds), bytearray(b'\\x05' * 900)",
        "    print(scene.leds, scene.moving, scene.used)",
        "    scene.draw(rgb)",
        "    print(sum(rgb), sum(scene.still))",
        "scene.still[:] = b'\\xff' * 900",
        "scene.moving = 3",
        "scene.dark(300)",
        "print(scene.moving, scene.used, sum(scene.still))",
    ) == ["1 0 0", f"{5 * 897} 0", "64 0 0", f"{5 * 708} 0", "300 0 0", "0 0", "0 0 0"]


def test_a_mix_changes_its_leds_and_no_others() -> None:
    before = [255, 254, 3] * 5
    for first, count in ((1, 3), (2, 1), (0, 5), (2, 0)):
        for share in (0, 1, 128, 255, 256):
            wanted = [
                (b * (256 - share) + c * share) // 256 if first <= i // 3 < first + count else b
                for i, (b, c) in enumerate(zip(before, (2, 77, 255) * 5, strict=True))
            ]
            mix = f"mix(buf, {first}, {count}, 2, 77, 255, {share})"
            assert called(f"buf = bytearray({bytes(before)!r})", mix, "print(list(buf))") == [str(wanted)]


def test_a_row_is_painted_on_its_leds_and_no_others() -> None:
    assert called(
        "buf, row = bytearray(b'\\x05' * 12), array('i', [9] * 12 + [1, 1, 2, 255, 128, 3] + [0] * 6)",
        "paint(row, 12, buf, 128)",
        "print(list(buf))",
        "paint(row, 12, buf, 256)",
        "print(list(buf))",
    ) == [str([5] * 3 + [127, 64, 1] * 2 + [5] * 3), str([5] * 3 + [255, 128, 3] * 2 + [5] * 3)]


def test_a_dot_is_on_one_led_of_its_row_or_on_none() -> None:
    row = "array('i', [9] * 12 + [2, 1, 2, 255, 128, 3, {}, 0, 0, 0, 0, 0])"
    for backwards, leds in ((0, (1, 2)), (1, (2, 1))):
        for led in (-1, 0, 1, 2):
            at = leds[led] if led in (0, 1) else None
            wanted = [5 if i // 3 != at else (5 + (255, 128, 3)[i % 3]) // 2 for i in range(12)]
            assert called(
                "buf = bytearray(b'\\x05' * 12)",
                f"dot({row.format(backwards)}, 12, buf, {led}, 128)",
                "print(list(buf))",
            ) == [str(wanted)], (backwards, led)
    assert called("buf = bytearray(b'\\xff' * 12)", f"dot({row.format(0)}, 12, buf, 0, 1)", "print(list(buf))") == [
        str([255] * 3 + [255, 254, 254] + [255] * 6)
    ]


@pytest.mark.parametrize(
    ("data", "end", "leds", "wanted"),
    [
        (b"\x01\x05\x06\x07\x02\0\0", 5, 3, 5),
        (b"\x01\x05\x06\x07\x01\0\0", 5, 3, -1),  # its last run would lie beyond the end
        (b"\x01\x05\x06\x07\x01\0\0", 6, 3, 6),
        (b"\x01\x05\x06\x07\x03\0\0", 5, 3, -1),
        (b"\x01\x05\x06\x07\x12\0\0", 5, 3, -1),
        (b"\x02\x05\x06\x07\x08\x09\x0a\x12\0\0", 8, 3, 8),
    ],
)
def test_still_colours_of_a_table_end_where_they_end_or_are_none(data: bytes, end: int, leds: int, wanted: int) -> None:
    call = f"print(load_few({b'?' + data!r}, 1, {1 + end}, still, {leds}))"
    assert called("still = bytearray(99)", call) == [str(wanted + 1 if wanted >= 0 else -1)]


@pytest.mark.parametrize(
    ("data", "end", "leds", "wanted"),
    [
        (b"\x03\x05\x06\x07\0\0", 4, 3, 4),
        (b"\x03\x05\x06\x07\0\0", 3, 3, -1),
        (b"\x83\x05\x06\x07" + b"\x08" * 6, 10, 3, 10),
        (b"\x83\x05\x06\x07" + b"\x08" * 7, 9, 3, -1),
        (b"\x02\x05\x06\x07\x01\x08\x09\x0a", 8, 3, 8),
        (b"\x02\x05\x06\x07\x01\x08\x09\x0a", 7, 3, -1),
        (b"\x02\x05\x06\x07\x01\x08\x09\x0a", 4, 3, -1),
        (b"\x02\x05\x06\x07\x02\x08\x09\x0a", 8, 3, -1),
        (b"\x81\x05\x06\x07\x82\x08\x09\x0a\x08\x09\x0a", 11, 3, 11),
        (b"\x80\x05\x06\x07\x03\x08\x09\x0a", 8, 3, -1),
        (b"\x00\x05\x06\x07\x03\x08\x09\x0a", 8, 3, -1),
    ],
)
def test_still_colours_of_runs_end_where_they_end_or_are_none(data: bytes, end: int, leds: int, wanted: int) -> None:
    call = f"print(load_many({b'?' + data!r}, 1, {1 + end}, still, {leds}), sum(still[{3 * leds}:]))"
    assert called("still = bytearray(99)", call) == [f"{wanted + 1 if wanted >= 0 else -1} 0"]

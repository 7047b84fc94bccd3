"""A picture in the words of the link: what docs/protocol.md calls the scene."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import replace

from hardware import frames
from hardware.ports import Colour, Flash, Glide, HardwareError, LightEffect, Picture, Run

_BREATHE, _RUN, _FLASH, _GLIDE = 1, 2, 3, 4
_WAITING = 128  # added to the kind: it has not begun
_AGE_LIMIT_MS = (1 << 24) - 1
_PALETTE = 16  # colours that fit the short form


class PictureError(HardwareError, ValueError):
    """A picture that the strip cannot show."""


def describe(picture: Picture, leds: int, now_ms: int, reverse: bool = False) -> bytes:
    """The payload of SHOW for a strip of `leds` LEDs, each effect with its age at `now_ms`.

    A flash that is over is left out; a glide that is over rests on its last stop. With `reverse` the picture is turned
    end for end. Raises PictureError with what is wrong, and where.
    """
    still = picture.still[::-1] if reverse else picture.still
    if len(still) != leds:
        raise PictureError(f"a picture of {len(still)} LEDs; the strip has {leds} (see [track] in table.toml)")
    for i, colour in enumerate(picture.still):
        _check_colour(colour, f"still colour of LED {i}")
    effects = [e for e in picture.effects if not _is_over(e, now_ms)]
    if len(effects) > frames.MAX_EFFECTS:
        raise PictureError(f"{len(effects)} effects at once; the strip draws at most {frames.MAX_EFFECTS}")
    stops = sum(len(e.stops) for e in effects if isinstance(e, Glide))
    if stops > frames.MAX_STOPS:
        raise PictureError(f"{stops} stops in glides; the strip holds at most {frames.MAX_STOPS}")
    parts = [struct.pack("<H", leds), _describe_still(still), bytes((len(effects),))]
    parts += [_describe_effect(e, leds, now_ms, reverse) for e in effects]
    return b"".join(parts)


def later(picture: Picture, ms: int) -> Picture:
    """The picture with everything in it beginning `ms` later (negative: earlier), as another clock counts it."""
    if not ms:
        return picture
    effects = tuple(replace(effect, start_ms=effect.start_ms + ms) for effect in picture.effects)
    return replace(picture, effects=effects)


def _runs(still: Iterable[Colour], longest: int) -> list[tuple[int, Colour]]:
    runs: list[tuple[int, Colour]] = []
    for colour in still:
        if runs and runs[-1][1] == colour and runs[-1][0] < longest:
            runs[-1] = (runs[-1][0] + 1, colour)
        else:
            runs.append((1, colour))
    return runs


def _describe_still(still: tuple[Colour, ...]) -> bytes:
    palette = list(dict.fromkeys(still))
    if len(palette) <= _PALETTE:
        runs = bytes(palette.index(colour) << 4 | n - 1 for n, colour in _runs(still, 16))
        return bytes((len(palette),)) + b"".join(bytes(c) for c in palette) + runs
    out = bytearray((0,))
    singles: list[Colour] = []

    def flush() -> None:
        if singles:
            out.append(128 | len(singles))
            for colour in singles:
                out.extend(colour)
            singles.clear()

    for n, colour in _runs(still, 127):
        if n == 1:
            singles.append(colour)
            if len(singles) == 127:
                flush()
        else:
            flush()
            out.append(n)
            out.extend(colour)
    flush()
    return bytes(out)


def _is_over(effect: LightEffect, now_ms: int) -> bool:
    return isinstance(effect, Flash) and now_ms - effect.start_ms >= effect.times * effect.period_ms


def _describe_effect(effect: LightEffect, leds: int, now_ms: int, reverse: bool) -> bytes:
    name = type(effect).__name__
    _check_colour(effect.colour, name)
    age_ms = now_ms - effect.start_ms
    period_ms = effect.step_ms if isinstance(effect, Glide) else effect.period_ms
    if not 1 <= period_ms <= 65535:
        raise PictureError(f"{name}: a period of {period_ms} ms; expected 1 to 65535")
    stops = b""
    first = count = 0
    if isinstance(effect, Glide):
        kind, option = _GLIDE, len(effect.stops)
        if not effect.stops:
            raise PictureError("Glide: no stops; expected at least one")
        age_ms = min(age_ms, period_ms * option)
        stops = b"".join(struct.pack("<HH", *_place(a, n, leds, reverse, name)) for a, n in effect.stops)
    else:
        first, count = _place(effect.first, effect.count, leds, reverse, name)
        if isinstance(effect, Flash):
            kind, option = _FLASH, effect.times
            if not 0 <= option <= 255:
                raise PictureError(f"Flash: {option} times; expected 0 to 255")
        else:
            kind, option = (_RUN, int(effect.backwards != reverse)) if isinstance(effect, Run) else (_BREATHE, 0)
            age_ms = min(age_ms, age_ms % period_ms)  # the age of one that has not begun yet is negative
    if age_ms < 0:
        kind |= _WAITING
    age = struct.pack("<I", min(abs(age_ms), _AGE_LIMIT_MS))[:3]
    return struct.pack("<BHH3BBH", kind, first, count, *effect.colour, option, period_ms) + age + stops


def _place(first: int, count: int, leds: int, reverse: bool, name: str) -> tuple[int, int]:
    if first < 0 or count < 0 or first + count > leds:
        raise PictureError(f"{name}: LEDs {first} to {first + count - 1}; the strip has 0 to {leds - 1}")
    return (leds - first - count if reverse else first), count


def _check_colour(colour: Colour, where: str) -> None:
    if len(colour) != 3 or not all(0 <= c <= 255 for c in colour):
        raise PictureError(f"{where}: colour {colour!r}; expected red, green, blue from 0 to 255")

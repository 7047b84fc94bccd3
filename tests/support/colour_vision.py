"""How colours of light look to people with normal and with colour-blind eyes."""

from __future__ import annotations

# Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency" (2009),
# severity 1.0, for linear light: rows give red, green, blue as seen.
VISIONS: dict[str, tuple[tuple[float, float, float], ...]] = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def seen(colour: tuple[int, int, int], vision: str) -> tuple[int, int, int]:
    """The colour of an LED (its light is linear in its number) as these eyes see it, 0 to 255 each."""
    r, g, b = (min(255, max(0, round(sum(k * c for k, c in zip(row, colour, strict=True))))) for row in VISIONS[vision])
    return r, g, b


def lightness(colour: tuple[int, int, int]) -> float:
    """CIE L*, 0 to 100, of an LED's colour: how bright it looks, whatever its hue."""
    y = sum(weight * channel / 255 for weight, channel in zip((0.2126, 0.7152, 0.0722), colour, strict=True))
    return 116 * y ** (1 / 3) - 16 if y > 0.008856 else 903.3 * y

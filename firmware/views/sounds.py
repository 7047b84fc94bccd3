"""The melody for each thing that the table says aloud: short, and each its own."""

from __future__ import annotations

from firmware.table.effects import Sound
from hardware.ports import Note

MELODIES: dict[Sound, tuple[Note, ...]] = {
    Sound.ACCEPTED: (Note(880, 60),),
    Sound.REJECTED: (Note(262, 110), Note(0, 60), Note(262, 110)),
    Sound.UNKNOWN: (Note(392, 90), Note(330, 90), Note(392, 90)),
    Sound.LATE_FOUL: (Note(587, 120), Note(494, 120), Note(392, 120), Note(330, 240)),
    Sound.ROUND_WON: (Note(523, 110), Note(659, 110), Note(784, 220)),
    Sound.NOTICED: (Note(1760, 12),),
    Sound.PLACE: (Note(659, 40),),
    Sound.GAME_WON: (Note(523, 110), Note(659, 110), Note(784, 110), Note(1047, 160), Note(784, 110), Note(1047, 320)),
}

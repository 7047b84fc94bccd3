"""Which registers of a reader hold what they should: those that differ, and those that no longer count. Pure.

Copies of the chip have a register that reads otherwise than it was written. A supply that broke down changes seven
registers or more, each to its reset value (datasheet MFRC522 rev. 3.9, table 20); so when no more than FEW differ and
this has happened ODD_TIMES, it is the chip, not the supply.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

FEW = 2
ODD_TIMES = 3


class RegisterWatch:
    """What is expected of the registers of one chip.

    `uncompared` are those that are no longer compared, as they kept differing from what was written; ascending.
    """

    def __init__(self) -> None:
        self.uncompared: tuple[int, ...] = ()
        self._expected: dict[int, int] = {}
        self._odd_times: dict[int, int] = {}  # register -> how often it was one of the few that differed
        self._unset_times: dict[int, int] = {}  # register -> how often in a row it did not take its setting

    def unset(self, settings: Mapping[int, int], held: Mapping[int, int]) -> list[int]:
        """The compared registers that do not hold what they were just set to."""
        wrong = [r for r, value in settings.items() if held[r] != value and r not in self.uncompared]
        self._unset_times = {register: self._unset_times.get(register, 0) + 1 for register in wrong}
        return wrong

    def is_odd_at_setting(self, wrong: list[int], tries: int) -> bool:
        """Whether it is the chip that makes these registers differ, each of so many times in a row, while it takes its
        other settings; then they are no longer compared."""
        if len(wrong) > FEW or any(self._unset_times[register] < tries for register in wrong):
            return False
        self._note_odd(dict.fromkeys(wrong, ODD_TIMES))
        return True

    def learn(self, first: Mapping[int, int], second: Mapping[int, int]) -> None:
        """Note what two readings have in common: each chip is only compared with itself."""
        self._expected = {
            register: value
            for register, value in first.items()
            if second[register] == value and register not in self.uncompared
        }

    def expect(self, register: int, value: int) -> None:
        """The register was written: from now on it holds this, if it is compared at all."""
        if register in self._expected:
            self._expected[register] = value

    def differences(self, held: Iterable[tuple[int, int]]) -> list[int]:
        """Those of the (register, value) that do not hold what they should."""
        expected = self._expected
        return [register for register, value in held if expected.get(register, value) != value]

    def is_odd(self, wrong: list[int]) -> bool:
        """Whether it is the chip that makes these registers differ; then they are no longer compared."""
        if len(wrong) > FEW or not all(register in self._expected for register in wrong):
            return False
        self._note_odd({register: self._odd_times.get(register, 0) + 1 for register in wrong})
        odd = [register for register in wrong if register in self.uncompared]
        for register in odd:
            del self._expected[register]
        return odd == wrong

    def _note_odd(self, times: Mapping[int, int]) -> None:
        self._odd_times |= times
        self.uncompared = tuple(sorted(odd for odd, count in self._odd_times.items() if count >= ODD_TIMES))

"""How many faults of each kind docs/faults.md numbers."""

# What builders of devices like this one have reported: readers and cards, USB and strip, screen and system, hands; and
# what bots and advice may do wrong, and what may go wrong where others watch.
WITH_A_MUTANT = {"R": 20, "U": 18, "S": 18, "H": 9, "B": 22, "C": 2}
# What was met on other machines, every thread, and what is told of like devices; one line cannot bring back each.
LATER = {"F": 46, "T": 21, "P": 42}


def numbers(counts: dict[str, int]) -> list[str]:
    """R1, R2 ... in their order."""
    return [f"{letter}{number}" for letter, count in counts.items() for number in range(1, count + 1)]
